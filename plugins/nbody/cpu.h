/* What the two CPU implementations share: the integrators, around forces that differ. */
#ifndef NBODY_CPU_H
#define NBODY_CPU_H

#include "nbody.h"

/* The first member of an instance. Vectors are dense arrays of 3 * count numbers in the plan's precision, in the layout
 * of the implementation: with a planar layout component c begins at c * count. */
struct nbody_solver {
    struct nbody_plan plan;

    /* Sets acceleration and, unless it is NULL, jerk. Only jerk needs velocity. Each part computes its share of the bodies,
     * and gathers those of the others. Returns 0 or what the service `team` returns. */
    int (*forces)(struct nbody_solver *solver, const struct engine_call *call, const void *position,
                  const void *velocity, void *acceleration, void *jerk);

    /* value += h * rate, each rounded once. */
    void (*step)(uint64_t count, double h, const void *rate, void *value);

    void *vectors[5]; /* hermite: five more vectors */
};

/* Sets the plan, and the vectors where the integrator needs them, from scratch memory. ENGINE_NO_MEMORY. */
int nbody_solver_make(const struct engine_call *call, struct nbody_solver *solver);

#endif
