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

/* cpu.c */
int shared_cpu_create(const struct engine_call *call, void **self);
int shared_cpu_advance(void *self, struct engine_call *call);

/* cuda.cu */
int shared_cuda_probe(const struct engine_host *host, const struct engine_plan *plan);
int shared_cuda_create(const struct engine_call *call, void **self);
int shared_cuda_advance(void *self, struct engine_call *call);
int shared_cuda_measure(void *self, const struct engine_call *call, double *values);

/* cuda_text.cu; shared_cuda_measure serves it too */
int shared_cuda_text_probe(const struct engine_host *host, const struct engine_plan *plan);
int shared_cuda_text_create(const struct engine_call *call, void **self);
int shared_cuda_text_advance(void *self, struct engine_call *call);

#ifdef __cplusplus
}
#endif

#endif
