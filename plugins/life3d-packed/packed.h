/* Declarations that the implementations of life3d-packed share. */
#ifndef LIFE3D_PACKED_PACKED_H
#define LIFE3D_PACKED_PACKED_H

#include <engine/plugin.h>
#include <life/rule3d.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The field, and the parameters in the order of the plugin's table. */
enum { PACKED_CELLS };
enum {
    PACKED_RULE,
    PACKED_INSTRUCTIONS,
    PACKED_STEPS_PER_PASS,
    PACKED_STRIPS,
    PACKED_SLABS,
    PACKED_RULE_KERNEL,
    PACKED_TILE,
    PACKED_WARPS,
    PACKED_BLOCKS,
    PACKED_FORM,
    PACKED_MARCH,
    PACKED_Z_WIDTH,
    PACKED_BLOCK_SIZE,
    PACKED_OVERLAP
};

/* cpu.c */
int packed_cpu_probe(const struct engine_host *host, const struct engine_plan *plan);
int packed_cpu_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                      struct engine_layout *layout);
int packed_cpu_create(const struct engine_call *call, void **self);
int packed_cpu_advance(void *self, struct engine_call *call);
int packed_cpu_measure(void *self, const struct engine_call *call, double *values);
int packed_cpu_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);

/* cuda.cu */
int packed_cuda_probe(const struct engine_host *host, const struct engine_plan *plan);
int packed_cuda_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                       struct engine_layout *layout);
int packed_cuda_create(const struct engine_call *call, void **self);
int packed_cuda_advance(void *self, struct engine_call *call);
int packed_cuda_measure(void *self, const struct engine_call *call, double *values);
void packed_cuda_destroy(void *self);
int packed_cuda_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);

/* cuda_bytes.cu */
int packed_cuda_bytes_probe(const struct engine_host *host, const struct engine_plan *plan);
int packed_cuda_bytes_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                             struct engine_layout *layout);
int packed_cuda_bytes_create(const struct engine_call *call, void **self);
int packed_cuda_bytes_advance(void *self, struct engine_call *call);
int packed_cuda_bytes_measure(void *self, const struct engine_call *call, double *values);

/* cuda_text.cu; packed_cuda_bytes_measure serves it too */
int packed_cuda_text_probe(const struct engine_host *host, const struct engine_plan *plan);
int packed_cuda_text_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                            struct engine_layout *layout);
int packed_cuda_text_create(const struct engine_call *call, void **self);
int packed_cuda_text_advance(void *self, struct engine_call *call);

#ifdef __cplusplus
}
#endif

#endif
