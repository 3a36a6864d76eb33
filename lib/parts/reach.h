/* How far a step reads. */
#ifndef LIB_PARTS_REACH_H
#define LIB_PARTS_REACH_H

#include "plan/plan.h"

/* The largest reach of the fields along an axis, in cells. It is what the plugin states for this configuration
 * (ENGINE_REACH), or else engine_field.reach. */
uint32_t parts_reach(const struct plan *plan, uint32_t axis);

#endif
