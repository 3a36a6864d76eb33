/* The parts of a run that [run] parts divides.
 *
 * Parts that share their work (ENGINE_TEAMWORK) have all fields of the run, and its threads between them.
 *
 * Otherwise (ENGINE_DIVISIBLE) the fields are cut across their last axis: y for two axes, z for three, rows or batch of
 * matrices. Each part owns some of the rows or planes there, at least one, and holds a margin of its neighbours' rows
 * or planes on both sides. Together they are a smaller torus, on which an implementation works as on any other. What is
 * wrong at its seam, because the true neighbours are not there, comes nearer by the reach of a step. So the own cells
 * are right for margin / reach steps; then the margins are filled again from their owners (halo_exchange of
 * parts/halo_exchange.h). Matrices have no neighbours, and no margins.
 *
 * Parts with matrices that share their work (ENGINE_OWN_ROWS) have rows of their own, without margins, and exchange
 * blocks of them by the service `team`. Rows and columns may swap from step to step. Then a part has rows of
 * the matrix that each step leaves, as many as engine_share_begin gives (`swaps` in struct plan_slab).
 *
 * A batch is cut between its universes, which have no neighbours: a part is a batch of fewer universes, or one
 * universe. Every implementation computes such parts, and sees universes that are not divided.
 *
 * If the grid is no torus along this axis, every part has the edges of the whole, and the margins of the outer parts
 * end at these edges. At the other end of a margin the edge is as wrong as the seam of a torus.
 *
 * A part has a plan of its own: a copy of the whole plan with its own shapes and, after plan_choose, its own
 * layouts. */
#ifndef LIB_PARTS_PARTS_H
#define LIB_PARTS_PARTS_H

#include "plan/divider.h"

/* The parts of libengine: base/modules.h. */
extern const struct divider parts_divider;

/* Is the run divided into parts that share their work? They take their steps at the same time, and have no margins. The
 * parts of a batch have universes of their own instead. */
static inline bool plan_shares_work(const struct plan *plan)
{
    return plan->parts && plan->impl->flags & (ENGINE_TEAMWORK | ENGINE_OWN_ROWS) && plan->settings.universes == 1;
}

/* Does each of them have all fields, whole? With ENGINE_OWN_ROWS, its matrices are cut. */
static inline bool plan_has_copies(const struct plan *plan)
{
    return plan_shares_work(plan) && plan->impl->flags & ENGINE_TEAMWORK;
}

/* Several processes may share a run: each has some parts, one after the other. The first parts_ranks of them have any;
 * parts_rank is the process that has a part, and parts_is_here says whether it is this one. */
uint32_t parts_ranks(const struct plan *whole);
uint32_t parts_rank(const struct plan *whole, uint32_t index);
bool parts_is_here(const struct plan *whole, uint32_t index);

/* Makes a plan that is a copy of the whole, but has no shapes and a host of its own. What else it points to belongs to
 * the whole, which must outlive it. parts_close_plan frees it; NULL is allowed. NULL: there is no memory. */
struct plan *parts_copy_plan(const struct plan *whole, struct engine_error *error);
void parts_close_plan(struct plan *copy);

/* What part `index` owns of a field at a step: its slab. It depends on field and step only if `swaps` is set. */
struct plan_slab parts_slab(const struct plan *whole, uint32_t index, uint32_t field, uint64_t step);

/* The elements of a row or plane of a field across the axis that is cut, or of a universe. */
uint64_t parts_slab_elements(const struct plan *whole, uint32_t field, uint64_t step);

#endif
