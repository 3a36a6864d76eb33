/* What the two CPU implementations share: the integrators, around forces that differ. */
#ifndef NBODY_CPU_H
#define NBODY_CPU_H

#include "nbody.h"

enum { NBODY_JERK, NBODY_VECTORS = 5 };

/* Adaptive steps are dt / 2^level. The deepest level in double, and in float. */
enum { NBODY_LEVELS = 30, NBODY_LEVELS_OF_FLOATS = 20 };

/* What a step changes, in buffers of a call. */
struct nbody_state {
    void *position, *velocity, *acceleration;
};

/* Adaptive steps since the instance was made. */
struct nbody_steps {
    uint64_t taken, rejected;
    int deepest; /* the shortest one is dt / 2^deepest; at most NBODY_LEVELS */
};

/* The first member of an instance. Vectors are dense arrays of 3 * count numbers in the plan's precision, in the layout
 * of the implementation: with a planar layout component c begins at c * count. */
struct nbody_solver {
    struct nbody_plan plan;

    /* Sets acceleration and, unless it is NULL, jerk. Only jerk needs velocity. Each part computes its share of the
     * bodies, and gathers those of the others. Returns 0 or what the service `team` returns. */
    int (*forces)(struct nbody_solver *solver, const struct engine_call *call, const void *position,
                  const void *velocity, void *acceleration, void *jerk);

    /* value += h * rate, each rounded once. */
    void (*step)(uint64_t count, double h, const void *rate, void *value);

    void *vectors[NBODY_VECTORS]; /* hermite: more vectors; NBODY_JERK is the jerk of the state */

    /* Adaptive steps: component c of body i is number i * body_stride + c * component_stride of a vector. */
    uint64_t body_stride, component_stride;
    struct nbody_steps steps;
};

/* Sets the plan, and the vectors where the integrator needs them, from scratch memory. ENGINE_NO_MEMORY. */
int nbody_solver_make(const struct engine_call *call, struct nbody_solver *solver);

/* ---- cpu_hermite.c: steps of fourth order ------------------------------------------------------------------------ */

/* Take a step of dt from the state, whose acceleration and jerk are known, and compute those of the new state. They
 * return 0 or what `forces` returns; the second also returns -ENGINE_INVALID, if a step would be too short. */
int nbody_hermite(struct nbody_solver *solver, const struct engine_call *call, const struct nbody_state *at);
int nbody_hermite_adaptive(struct nbody_solver *solver, const struct engine_call *call, const struct nbody_state *at);

#endif
