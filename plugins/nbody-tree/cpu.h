/* The implementations of nbody-tree. */
#ifndef NBODY_TREE_CPU_H
#define NBODY_TREE_CPU_H

#include <nbody/nbody.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The parameters behind those of nbody. */
enum { NBODY_TREE_ACCURACY = NBODY_FORM, NBODY_TREE_INSTRUCTIONS };

/* Bodies at most: numbers of bodies and cells have 32 bits. */
#define NBODY_TREE_BODIES_MAX ((uint64_t) 1 << 31)

/* cpu: cells of radii r and q at distance d interact as wholes only if r + q is less than this d. cuda: a cell and
 * bodies at distance d, only if q is. */
#define TREE_OPENING 0.85

/* In estimates of the attraction on bodies, cells that look smaller than this are points. */
#define TREE_ESTIMATE 0.7

/* The estimate is at least this share of what the magnitudes of all attractions add up to: it counts where they
 * cancel. */
#define TREE_CANCELLED 0.05

/* Refuses what no tree computes. ENGINE_UNSUPPORTED with the reason. */
int nbody_tree_probe(const struct engine_host *host, const struct engine_plan *plan);

int nbody_tree_cpu_probe(const struct engine_host *host, const struct engine_plan *plan);
int nbody_tree_create(const struct engine_call *call, void **self);
int nbody_tree_measure(void *self, const struct engine_call *call, double *values);

int nbody_tree_cuda_create(const struct engine_call *call, void **self);
int nbody_tree_cuda_advance(void *self, struct engine_call *call);
int nbody_tree_cuda_measure(void *self, const struct engine_call *call, double *values);

#ifdef __cplusplus
}
#endif

#endif
