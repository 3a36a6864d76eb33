/* [tiles] of a configuration. */
#ifndef LIB_TILES_SECTION_TILES_H
#define LIB_TILES_SECTION_TILES_H

#include "plan/plan.h"

extern const struct section tiles_section;

/* [tiles] side; 0: not given. */
uint64_t tiling_side(const struct plan *plan);

/* Does the run keep its grid in tiles? */
bool plan_wants_tiles(const struct plan *plan);

/* Returns the element that is cell 0 along an axis: the middle of an unbounded grid, or 0 if the grid has a size. */
static inline uint64_t plan_middle(const struct plan *plan, int axis)
{
    return plan_is_unbounded(plan) ? plan->shapes[0].extent[axis] / 2 : 0;
}

#endif
