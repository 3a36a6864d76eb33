/* Declarations that the implementations of life3d-shared share. */
#ifndef LIFE3D_SHARED_SHARED_H
#define LIFE3D_SHARED_SHARED_H

#include <engine/plugin.h>
#include <life/rule3d.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The field, and the parameters in the order of the plugin's table. */
enum { SHARED_CELLS };
enum { SHARED_RULE, SHARED_TILE, SHARED_Z_ITER, SHARED_OVERLAP };

/* The rule of a plan, which the parameter's check has accepted. */
static inline struct life3d_rule shared_rule(const struct engine_plan *plan)
{
    struct life3d_rule rule = {0, 0};
    life3d_rule_parse(engine_param_text(plan, SHARED_RULE), &rule);
    return rule;
}

/* Parameters tile and z_iter, where 0 means the implementation's own choice `best`. */
static inline uint64_t shared_tile(const struct engine_plan *plan, uint64_t best)
{
    const int64_t tile = engine_param_integer(plan, SHARED_TILE);
    return tile > 0 ? (uint64_t) tile : best;
}

static inline uint64_t shared_z_iter(const struct engine_plan *plan, uint64_t best)
{
    const int64_t planes = engine_param_integer(plan, SHARED_Z_ITER);
    return planes > 0 ? (uint64_t) planes : best;
}

/* cpu.c */
int shared_cpu_create(const struct engine_call *call, void **self);
int shared_cpu_advance(void *self, struct engine_call *call);

/* cuda.cu */
int shared_cuda_probe(const struct engine_host *host, const struct engine_plan *plan);
int shared_cuda_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                       struct engine_layout *layout);
int shared_cuda_create(const struct engine_call *call, void **self);
int shared_cuda_advance(void *self, struct engine_call *call);
int shared_cuda_measure(void *self, const struct engine_call *call, double *values);
int shared_cuda_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);

#ifdef __cplusplus
}
#endif

#endif
