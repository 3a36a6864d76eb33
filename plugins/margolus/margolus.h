/* What the implementations of margolus share. */
#ifndef MARGOLUS_H
#define MARGOLUS_H

#define ENGINE_MINOR 16
#include "rule.h"

#include <engine/edges.h>
#include <engine/layout.h>
#include <engine/parts.h>
#include <engine/queue.h>
#include <engine/tree.h>

enum { MARGOLUS_RULE, MARGOLUS_STEPS, MARGOLUS_INSTRUCTIONS, MARGOLUS_MEMORY };
enum { MARGOLUS_CELLS };

#ifdef __cplusplus
extern "C" {
#endif

int margolus_serial_advance(void *self, struct engine_call *call);
int margolus_cpu_probe(const struct engine_host *host, const struct engine_plan *plan);
int margolus_bits_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                         struct engine_layout *layout);
int margolus_cpu_create(const struct engine_call *call, void **self);
int margolus_cpu_advance(void *self, struct engine_call *call);
int margolus_cpu_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);
int margolus_hashlife_create(const struct engine_call *call, void **self);
int margolus_hashlife_advance(void *self, struct engine_call *call);
int margolus_cuda_create(const struct engine_call *call, void **self);
int margolus_cuda_advance(void *self, struct engine_call *call);
int margolus_cuda_measure(void *self, const struct engine_call *call, double *values);
int margolus_cuda_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);

extern const struct engine_tree margolus_tree;

#ifdef __cplusplus
}
#endif

/* The column or row of the plan's grid, 0 or 1, at which a block begins in a step: an even one of the whole grid in
 * even steps, and an odd one in odd steps. */
ENGINE_INLINE uint32_t margolus_first(uint64_t offset, uint64_t step)
{
    return (uint32_t) ((offset + step) & 1);
}

#endif
