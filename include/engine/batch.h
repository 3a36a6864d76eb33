/* engine/batch.h - many universes in one call ([grid] batch, [particles] batch), since 1.7: grids of one size, or systems
 * of as many particles, that do not know of each other. */
#ifndef ENGINE_BATCH_H
#define ENGINE_BATCH_H

#include <engine/plugin.h>

/* A flag of an implementation: all fields are particles, or grids of one axis or two, and a call takes the steps of
 * plan->universes universes. A buffer has one axis more than its field: universe u of a grid of two axes is its plane u,
 * engine_row(buffer, which, y, u), and that of particles or of a grid of one axis its row u. Shapes and call->end are
 * those of one universe. Universe u takes the steps of a run with the plan engine_universe_plan(plan, u). measure writes
 * the metrics of all universes, all of universe 0 first.
 *
 * An ensemble makes members the universes of a batch. If the implementation has neither ENGINE_SEEDED nor ENGINE_TIMED,
 * and no parameter has ENGINE_PARAM_BY_UNIVERSE, the universes are at different steps of their runs, and first_step says
 * nothing about them. Otherwise the members begin together.
 *
 * Without this flag, the engine makes an instance of each universe, and calls them one after the other with
 * plan->universes = 1. */
#define ENGINE_BATCH (1 << 10)

/* A flag of a parameter, since 1.16: implementations with ENGINE_BATCH read it from the plan that engine_universe_plan
 * returns. An ensemble makes members the universes of a batch if they differ in their seeds, in such parameters, and in
 * the box that follows from them (ENGINE_BOX). If the plugin has no such parameter, universes that begin together differ
 * only in their seeds, and the seeds are consecutive. */
#define ENGINE_PARAM_BY_UNIVERSE (1 << 2)

/* The plan of a universe of a batch, with a seed, parameters and a box of its own, and universes = 1. Everything else is
 * that of the batch. */
static inline struct engine_plan engine_universe_plan(const struct engine_plan *plan, uint64_t universe)
{
    const size_t needed = offsetof(struct engine_plan, ENGINE_SINCE_1_16(each)) + sizeof(struct engine_plan *);
    const struct engine_plan *each = plan->size >= needed ? plan->ENGINE_SINCE_1_16(each) : NULL;
    const void *from = each ? (const char *) each + universe * plan->size : (const char *) plan;
    struct engine_plan own;
    __builtin_memset(&own, 0, sizeof own);
    __builtin_memcpy(&own, from, plan->size < sizeof own ? plan->size : sizeof own);
    own.seed += each ? 0 : universe;
    own.ENGINE_SINCE_1_7(universes) = 1;
    own.ENGINE_SINCE_1_16(each) = NULL;
    return own;
}

#endif
