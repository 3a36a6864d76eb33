/* The integrators of nbody.h on the CPU; those of fourth order are in cpu_hermite.c. Vectors are dense arrays in either
 * layout, so that an operation on all numbers is one loop. */
#include "cpu.h"

static int forces(struct nbody_solver *solver, const struct engine_call *call, const struct nbody_state *at)
{
    return solver->forces(solver, call, at->position, at->velocity, at->acceleration, NULL);
}

static void kick(const struct nbody_solver *solver, const struct nbody_state *at, double h)
{
    solver->step(3 * solver->plan.count, h, at->acceleration, at->velocity);
}

static void drift(const struct nbody_solver *solver, const struct nbody_state *at)
{
    solver->step(3 * solver->plan.count, solver->plan.dt, at->velocity, at->position);
}

static int euler(struct nbody_solver *solver, const struct engine_call *call, const struct nbody_state *at)
{
    const int status = forces(solver, call, at);
    kick(solver, at, solver->plan.dt);
    drift(solver, at);
    return status;
}

static int leapfrog(struct nbody_solver *solver, const struct engine_call *call, const struct nbody_state *at)
{
    kick(solver, at, solver->plan.dt / 2);
    drift(solver, at);
    const int status = forces(solver, call, at);
    kick(solver, at, solver->plan.dt / 2);
    return status;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

int nbody_solver_make(const struct engine_call *call, struct nbody_solver *solver)
{
    const struct engine_host *host = call->host;
    *solver = (struct nbody_solver){.plan = nbody_common_plan(call->plan)};
    for (int v = 0; v < NBODY_VECTORS && solver->plan.integrator == NBODY_HERMITE; v++) {
        solver->vectors[v] = host->scratch(host, 3 * solver->plan.count * sizeof(double), ENGINE_HOST_MEMORY);
        if (!solver->vectors[v])
            return ENGINE_NO_MEMORY;
    }
    return 0;
}

int nbody_solver_advance(void *self, struct engine_call *call)
{
    static int (*const integrators[])(struct nbody_solver *, const struct engine_call *, const struct nbody_state *) = {
        [NBODY_EULER] = euler,
        [NBODY_LEAPFROG] = leapfrog,
        [NBODY_HERMITE] = nbody_hermite,
    };
    struct nbody_solver *solver = (struct nbody_solver *) self;
    const struct nbody_state at = {nbody_origin(call, NBODY_POSITION), nbody_origin(call, NBODY_VELOCITY),
                                   nbody_origin(call, NBODY_ACCELERATION)};
    int (*const step)(struct nbody_solver *, const struct engine_call *, const struct nbody_state *) =
        solver->plan.time_step == NBODY_ADAPTIVE ? nbody_hermite_adaptive : integrators[solver->plan.integrator];
    int status = 0;
    if (solver->plan.integrator != NBODY_EULER && call->flags & ENGINE_CALL_FRESH)
        status = solver->forces(solver, call, at.position, at.velocity, at.acceleration, solver->vectors[NBODY_JERK]);
    for (uint64_t i = 0; status == 0 && i < call->steps; i++)
        status = step(solver, call, &at);
    return status;
}
