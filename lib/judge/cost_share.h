/* How close a rate of work comes to the limits of a device. */
#ifndef LIB_JUDGE_COST_SHARE_H
#define LIB_JUDGE_COST_SHARE_H

#include <engine/engine.h>

#include <stdbool.h>

/* The highest rate of this kind of operation; 0: not known. */
double cost_limit(const struct engine_limits *limits, uint32_t operation);

/* Compares a rate of work with two limits, that of memory and that of the kind of operation. Returns the name of the
 * limit of which the rate takes the larger share, and this share in *share. NULL: no limit is known, and *share is
 * 0. */
const char *cost_share(const struct engine_limits *limits, const struct engine_cost *cost, double rate, double *share);

/* The share of the work that was not done. `settled` is the plugin's note of this key (plugin.h), or "". NaN: the
 * plugin cannot tell. */
double cost_skipped(const char *settled);

/* Is this share so large that a rate cannot be compared with a limit? One percent is too little to matter. */
bool cost_is_skipped(double skipped);

#endif
