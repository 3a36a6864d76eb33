/* engine/parts.h - runs that are divided among devices, threads and processes ([run] devices, parts; mpirun).
 *
 * The engine gives each part an instance and a plan of its own; engine_plan.part tells which part it is. The part of an
 * undivided run is the whole grid. An implementation states by one of three flags how its run may be divided; the
 * engine does not divide an implementation that states none. docs/reference/plugin-interface.md explains what each flag
 * promises. */
#ifndef ENGINE_PARTS_H
#define ENGINE_PARTS_H

#include <engine/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Since 1.5: the engine cuts the fields. All of them are grids or, since 1.6, all are matrices of one shape. The next
 * values of a cell depend only on the number of the step, the cells within reach, and the place in the whole grid.
 *
 * Matrices are cut between rows or, where there are several, between matrices. The grid of a part's plan, which
 * `shapes` describe, is a torus too: the part's own rows (rank 2) or planes (rank 3), with copies of its neighbours'
 * rows or planes on both sides, the margins. engine_call.begin and .end tell the own cells. If the edges along this
 * axis are not those of a torus ([grid] edges), the part has the same edges, and a part beside an edge of the whole
 * grid has no margin there. advance may compute the margins too, as part of the torus.
 *
 * Cell (x, y, z) of the plan's grid is cell ((x + part.offset[0]) mod part.whole[0], …) of the whole grid. A rule that
 * depends on the place of a cell or on the size of the grid uses this place and `whole`, and so do its metrics.
 *
 * `values` of measure hold 0 when measure is called for the first part. For each further part, they hold the results
 * of the previous part. measure adds the cells of [begin, end) to them in their order. So even sums of floating-point
 * numbers do not depend on the parts. */
#define ENGINE_DIVISIBLE (1 << 8)

/* An extension of a plugin whose reach depends on its parameters (engine_plugin.extension), version 1, since 1.16.
 * engine_field.reach is the largest reach of a run that can be divided or lie in tiles. The function `reach` states the
 * reach in the configuration of a plan. Margins of parts and of tiles are then as wide as this configuration needs. */
#define ENGINE_REACH "engine.reach"

struct engine_reach {
    uint32_t size; /* sizeof(struct engine_reach) */

    /* Plan phase. The engine sets reach[0 … 2] to engine_field.reach, and the function may lower them. plan->params are
     * set. */
    void (*reach)(const struct engine_plan *plan, uint32_t field, uint32_t reach[3]);
};

/* Since 1.6: every part has all fields, whole, and part.offset is 0. part.index and .count tell which share of the work
 * advance computes. advance combines the shares with the service `team`. After advance, the fields of every part hold
 * the whole result. The engine calls measure in all parts at the same time, with 0 in all `values`. Every part sets the
 * values of the whole, and may share the work by the service. */
#define ENGINE_TEAMWORK (1 << 9)

/* Since 1.12: all fields are matrices, and each part has rows of its own, without margins. The parts take their steps
 * at the same time. `shapes` describe the rows of this part or, where there are several matrices (whole[2] > 1), its
 * matrices. If rows and columns swap at every step, a part has a share of the rows of each result, again from
 * engine_share_begin(index) on. So it needs elements that other parts have, and gets them by `exchange` of the service
 * `team`. Several matrices need no exchange. The engine calls measure as with ENGINE_TEAMWORK.
 *
 * Plugins that ask for 1.9 to 1.11 state ENGINE_DIVISIBLE and ENGINE_TEAMWORK together instead. */
#define ENGINE_OWN_ROWS (1 << 12)

/* The service `team`, since 1.6, combines the results of the parts of a divided run. Its functions are collective
 * operations: an all-reduce, an all-gather and an all-to-all. The parts call advance at the same time, each on a thread
 * or in a process of its own, and wait for each other in these functions. So all parts make the same calls in the same
 * order, with the same sizes. In a run that is not divided the functions do nothing and return 0. So an implementation
 * needs no second code for it.
 *
 * The functions return 0, or a negative code with the reason recorded, which advance or measure returns as it is:
 * another part has failed, or the parts called different functions. No part waits for ever: when one returns, the
 * others that wait for it get the code. Run phase; not in create, and one thread: not in a task of `parallel`. The
 * arrays are in host memory, or in the implementation's device memory, where the work is enqueued on call->stream. */
#define ENGINE_TEAM "team"

struct engine_team {
    uint32_t size;
    uint32_t reserved; /* 0 */

    /* Sets values[i] in every part to the sum of values[i] over all parts, modulo 2^64, so that numbers may be signed.
     * Integers alone: the rounding of other sums would depend on the number of parts. */
    int (*reduce)(const struct engine_call *call, uint64_t *values, uint64_t count);

    /* Every part has an array of `bytes` bytes, in units of `unit` bytes, of which the last may be shorter. It has
     * computed the units of its share, from engine_share_begin(index) to engine_share_begin(index + 1). Copies the
     * shares of all parts into the arrays of all parts. */
    int (*gather)(const struct engine_call *call, void *array, uint64_t bytes, uint64_t unit);

    /* Every part gets an array of `bytes` bytes, `in`, in units of `unit` bytes, of which each part has computed a
     * share: from engine_share_begin(index) to engine_share_begin(index + 1). Unlike those of gather, the arrays
     * differ. `out` has the own share of the array of part 0, then that of part 1, and so on. Copies the shares to
     * their places in the arrays of the other parts. The own share of the own array stays as it is: the caller writes
     * it there. `bytes` is a multiple of `unit`. */
    int (*ENGINE_SINCE_1_9(exchange))(const struct engine_call *call, const void *out, void *in, uint64_t bytes,
                                      uint64_t unit);
};

static inline const struct engine_team *engine_host_team(const struct engine_host *host)
{
    return (const struct engine_team *) host->service(host, ENGINE_TEAM, 1);
}

/* The first unit in the share of part `index` of `count`, where `units` units are dealt in blocks. index == count:
 * units. The parts differ by one unit at most, and have none where there are fewer units than parts. */
ENGINE_INLINE uint64_t engine_share_begin(uint32_t index, uint32_t count, uint64_t units)
{
    const uint64_t each = units / count, rest = units % count;
    return index * each + (index < rest ? index : rest);
}

#ifdef __cplusplus
}
#endif

#endif
