/* The implementation of nbody-tree. */
#ifndef NBODY_TREE_CPU_H
#define NBODY_TREE_CPU_H

#include <nbody/nbody.h>

/* The parameters behind those of nbody. */
enum { NBODY_TREE_ACCURACY = NBODY_FORM, NBODY_TREE_INSTRUCTIONS };

/* Bodies at most: numbers of bodies and cells have 32 bits. */
#define NBODY_TREE_BODIES_MAX ((uint64_t) 1 << 31)

int nbody_tree_probe(const struct engine_host *host, const struct engine_plan *plan);
int nbody_tree_create(const struct engine_call *call, void **self);
int nbody_tree_measure(void *self, const struct engine_call *call, double *values);

#endif
