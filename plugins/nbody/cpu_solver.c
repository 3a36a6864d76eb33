/* The integrators of nbody.h on the CPU. Vectors are dense arrays in either layout, so that an operation on all numbers
 * is one loop. */
#include "cpu.h"

/* Fields of a call. A step changes all of them. */
struct fields {
    void *position, *velocity, *acceleration;
};

static int forces(struct nbody_solver *solver, const struct engine_call *call, const struct fields *at)
{
    return solver->forces(solver, call, at->position, at->velocity, at->acceleration, NULL);
}

static void kick(const struct nbody_solver *solver, const struct fields *at, double h)
{
    solver->step(3 * solver->plan.count, h, at->acceleration, at->velocity);
}

static void drift(const struct nbody_solver *solver, const struct fields *at)
{
    solver->step(3 * solver->plan.count, solver->plan.dt, at->velocity, at->position);
}

static int euler(struct nbody_solver *solver, const struct engine_call *call, const struct fields *at)
{
    const int status = forces(solver, call, at);
    kick(solver, at, solver->plan.dt);
    drift(solver, at);
    return status;
}

static int leapfrog(struct nbody_solver *solver, const struct engine_call *call, const struct fields *at)
{
    kick(solver, at, solver->plan.dt / 2);
    drift(solver, at);
    const int status = forces(solver, call, at);
    kick(solver, at, solver->plan.dt / 2);
    return status;
}

/* ---- Hermite ---------------------------------------------------------------------------------------------------- */

/* Indices of solver->vectors. */
enum { JERK, PREDICTED_POSITION, PREDICTED_VELOCITY, NEXT_ACCELERATION, NEXT_JERK, VECTORS };

#define HERMITE(real, multiply_add) \
    static void predict_##real(uint64_t count, double h, void *const *vectors, const struct fields *at) \
    { \
        const real dt = (real) h, half = dt / 2, third = dt / 3; \
        const real *x = (const real *) at->position, *v = (const real *) at->velocity; \
        const real *a = (const real *) at->acceleration, *j = (const real *) vectors[JERK]; \
        real *to_x = (real *) vectors[PREDICTED_POSITION], *to_v = (real *) vectors[PREDICTED_VELOCITY]; \
        for (uint64_t i = 0; i < count; i++) { \
            to_x[i] = multiply_add(dt, multiply_add(half, multiply_add(third, j[i], a[i]), v[i]), x[i]); \
            to_v[i] = multiply_add(dt, multiply_add(half, j[i], a[i]), v[i]); \
        } \
    } \
\
    static void correct_##real(uint64_t count, double h, void *const *vectors, const struct fields *at) \
    { \
        const real dt = (real) h, half = dt / 2, twelfth = dt * dt / 12; \
        const real *a = (const real *) at->acceleration, *j = (const real *) vectors[JERK]; \
        const real *next_a = (const real *) vectors[NEXT_ACCELERATION], *next_j = (const real *) vectors[NEXT_JERK]; \
        real *x = (real *) at->position, *v = (real *) at->velocity; \
        for (uint64_t i = 0; i < count; i++) { \
            const real old = v[i]; \
            v[i] = multiply_add(half, a[i] + next_a[i], multiply_add(twelfth, j[i] - next_j[i], old)); \
            x[i] = multiply_add(half, old + v[i], multiply_add(twelfth, a[i] - next_a[i], x[i])); \
        } \
    }

HERMITE(float, fmaf)
HERMITE(double, fma)

static int hermite(struct nbody_solver *solver, const struct engine_call *call, const struct fields *at)
{
    const uint64_t count = 3 * solver->plan.count;
    const int wide = solver->plan.precision == NBODY_DOUBLE;
    void *const *vectors = solver->vectors;
    (wide ? predict_double : predict_float)(count, solver->plan.dt, vectors, at);
    const int status = solver->forces(solver, call, vectors[PREDICTED_POSITION], vectors[PREDICTED_VELOCITY],
                                      vectors[NEXT_ACCELERATION], vectors[NEXT_JERK]);
    (wide ? correct_double : correct_float)(count, solver->plan.dt, vectors, at);
    return status ? status : solver->forces(solver, call, at->position, at->velocity, at->acceleration, vectors[JERK]);
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

int nbody_solver_make(const struct engine_call *call, struct nbody_solver *solver)
{
    const struct engine_host *host = call->host;
    *solver = (struct nbody_solver){.plan = nbody_common_plan(call->plan)};
    for (int v = 0; v < VECTORS && solver->plan.integrator == NBODY_HERMITE; v++) {
        solver->vectors[v] = host->scratch(host, 3 * solver->plan.count * sizeof(double), ENGINE_HOST_MEMORY);
        if (!solver->vectors[v])
            return ENGINE_NO_MEMORY;
    }
    return 0;
}

int nbody_solver_advance(void *self, struct engine_call *call)
{
    static int (*const integrators[])(struct nbody_solver *, const struct engine_call *, const struct fields *) = {
        [NBODY_EULER] = euler,
        [NBODY_LEAPFROG] = leapfrog,
        [NBODY_HERMITE] = hermite,
    };
    struct nbody_solver *solver = (struct nbody_solver *) self;
    const struct fields at = {nbody_origin(call, NBODY_POSITION), nbody_origin(call, NBODY_VELOCITY),
                              nbody_origin(call, NBODY_ACCELERATION)};
    int status = 0;
    if (solver->plan.integrator != NBODY_EULER && call->flags & ENGINE_CALL_FRESH)
        status = solver->forces(solver, call, at.position, at.velocity, at.acceleration, solver->vectors[JERK]);
    for (uint64_t step = 0; status == 0 && step < call->steps; step++)
        status = integrators[solver->plan.integrator](solver, call, &at);
    return status;
}
