/* Groups of members of an ensemble, by what the sweeps change. Members count from 1. */
#ifndef LIB_ENSEMBLE_GROUPS_H
#define LIB_ENSEMBLE_GROUPS_H

#include "ensemble/sweep.h"

/* Do two members differ in [init] seed and density alone, and so in their initial states? */
bool group_has(const struct sweeps *sweeps, uint64_t member, uint64_t other);

/* Is the seed of the other member greater by so much, and nothing else different? */
bool group_follows(const struct sweeps *sweeps, uint64_t member, uint64_t other, uint64_t by);

/* Do two members differ in [init] seed and in parameters with ENGINE_PARAM_BY_UNIVERSE alone? */
bool group_joins(const struct engine_plugin *about, const struct sweeps *sweeps, uint64_t member, uint64_t other);

#endif
