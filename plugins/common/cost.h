/* The cost of implementations that read and write each cell once a step. It counts the bytes of memory alone, although
 * other work limits these implementations: integer additions on bytes, or lookups whose number depends on the rule. */
#ifndef COMMON_COST_H
#define COMMON_COST_H

#include <engine/bench.h>

/* One byte a cell. */
static inline int cost_of_bytes(const struct engine_host *host, const struct engine_plan *plan,
                                struct engine_cost *cost)
{
    (void) host, (void) plan;
    cost->operation = ENGINE_OPS_NONE;
    cost->bytes = 2;
    return 0;
}

#endif
