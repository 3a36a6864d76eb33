/* The steps of nbody.h, on the CPU. Vectors of bodies are dense, in either layout, so that a kick or a drift is one
 * loop. */
#include "cpu.h"

void *nbody_origin(const struct engine_call *call, uint32_t field)
{
    return engine_field_buffer(call, field)->origin[call->current];
}

static void kick(const struct nbody_solver *solver, const struct engine_call *call, double h)
{
    solver->step(3 * solver->plan.count, h, nbody_origin(call, NBODY_ACCELERATION), nbody_origin(call, NBODY_VELOCITY));
}

static void drift(const struct nbody_solver *solver, const struct engine_call *call)
{
    solver->step(3 * solver->plan.count, solver->plan.dt, nbody_origin(call, NBODY_VELOCITY),
                 nbody_origin(call, NBODY_POSITION));
}

static void euler(struct nbody_solver *solver, const struct engine_call *call)
{
    solver->forces(solver, call);
    kick(solver, call, solver->plan.dt);
    drift(solver, call);
}

static void leapfrog(struct nbody_solver *solver, const struct engine_call *call)
{
    kick(solver, call, solver->plan.dt / 2);
    drift(solver, call);
    solver->forces(solver, call);
    kick(solver, call, solver->plan.dt / 2);
}

int nbody_solver_advance(void *self, struct engine_call *call)
{
    static void (*const integrators[])(struct nbody_solver *, const struct engine_call *) = {
        [NBODY_EULER] = euler,
        [NBODY_LEAPFROG] = leapfrog,
    };
    struct nbody_solver *solver = (struct nbody_solver *) self;
    if (solver->plan.integrator == NBODY_LEAPFROG && call->flags & ENGINE_CALL_FRESH)
        solver->forces(solver, call);
    for (uint64_t step = 0; step < call->steps; step++)
        integrators[solver->plan.integrator](solver, call);
    return 0;
}
