/* Declarations that the implementations of life3d-naive share. */
#ifndef LIFE3D_NAIVE_NAIVE_H
#define LIFE3D_NAIVE_NAIVE_H

#include <engine/plugin.h>
#include <life/rule3d.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The field, and the parameters in the order of the plugin's table. */
enum { NAIVE_CELLS };
enum { NAIVE_RULE, NAIVE_BLOCK_X, NAIVE_BLOCK_Y, NAIVE_BLOCK_Z, NAIVE_CELLS_A_THREAD, NAIVE_OVERLAP };

/* cpu.c */
int naive_cpu_create(const struct engine_call *call, void **self);
int naive_cpu_advance(void *self, struct engine_call *call);

/* cuda.cu */
int naive_cuda_probe(const struct engine_host *host, const struct engine_plan *plan);
int naive_cuda_create(const struct engine_call *call, void **self);
int naive_cuda_advance(void *self, struct engine_call *call);
int naive_cuda_measure(void *self, const struct engine_call *call, double *values);

/* cuda_text.cu; naive_cuda_measure serves it too */
int naive_cuda_text_probe(const struct engine_host *host, const struct engine_plan *plan);
int naive_cuda_text_create(const struct engine_call *call, void **self);
int naive_cuda_text_advance(void *self, struct engine_call *call);

#ifdef __cplusplus
}
#endif

#endif
