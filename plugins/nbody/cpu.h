/* What the two implementations on the CPU share: the integrator, over forces that differ. */
#ifndef NBODY_CPU_H
#define NBODY_CPU_H

#include "nbody.h"

/* First member of an instance. */
struct nbody_solver {
    struct nbody_plan plan;

    /* Sets the field acceleration from position and mass of origin[current]. */
    void (*forces)(struct nbody_solver *solver, const struct engine_call *call);

    /* value += h * rate, each rounded once; `count` numbers in the plan's precision. */
    void (*step)(uint64_t count, double h, const void *rate, void *value);
};

/* A field's numbers in origin[current]; component c begins at c * count with a planar layout. */
void *nbody_origin(const struct engine_call *call, uint32_t field);

#endif
