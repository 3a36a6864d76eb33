/* How close a rate of work comes to the limits of a device. */
#ifndef LIB_JUDGE_COST_SHARE_H
#define LIB_JUDGE_COST_SHARE_H

#include "judge/device_limits.h"
#include "parts/cost.h"

/* Compares a rate of work with two limits, that of memory and that of the kind of operation. Returns the name of the
 * limit of which the rate takes the larger share, and this share in *share. NULL: no limit is known, and *share is
 * 0. */
const char *cost_share(const struct device_limits *limits, const struct engine_cost *cost, double rate, double *share);

#endif
