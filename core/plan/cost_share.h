/* How close a rate of work comes to the limits of a device. */
#ifndef CORE_PLAN_COST_SHARE_H
#define CORE_PLAN_COST_SHARE_H

#include "memory/device_limits.h"
#include "plan/cost.h"

/* Compares a rate of work with two limits, that of memory and that of the kind of operation. Returns the name of the
 * limit of which the rate takes the larger share, and this share in *share. NULL: no limit is known, and *share is
 * 0. */
const char *cost_share(const struct device_limits *limits, const struct engine_cost *cost, double rate, double *share);

#endif
