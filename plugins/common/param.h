/* Reads parameters for which 0 means that the implementation chooses. */
#ifndef COMMON_PARAM_H
#define COMMON_PARAM_H

#include <engine/plugin.h>

/* The value of integer parameter `index`, or `best` where it is 0. */
static inline uint64_t param_or(const struct engine_plan *plan, uint32_t index, uint64_t best)
{
    const int64_t value = engine_param_integer(plan, index);
    return value > 0 ? (uint64_t) value : best;
}

#endif
