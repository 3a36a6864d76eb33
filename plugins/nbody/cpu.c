/* nbody on the CPU.
 *
 *   cpu-serial   one thread, forces in double precision one pair after another: the reference
 */
#include "nbody.h"

/* ---- What both share: the integrator, over forces that differ --------------------------------------------------- */

/* An instance: what it is, and how it computes. All of it lives as long as the run. */
struct solver {
    struct nbody_plan plan;
    const struct engine_host *host;
    double *work;                                                          /* as forces wants it */
    void (*forces)(struct solver *solver, const struct engine_call *call); /* sets the field acceleration */
};

/* value += h * rate, number by number. */
static void add_scaled(const struct solver *solver, double h, const void *rate, void *value)
{
    const uint64_t count = 3 * solver->plan.count;
    if (solver->plan.precision == NBODY_DOUBLE)
        for (uint64_t i = 0; i < count; i++)
            ((double *) value)[i] = nbody_step_f64(h, ((const double *) rate)[i], ((double *) value)[i]);
    else
        for (uint64_t i = 0; i < count; i++)
            ((float *) value)[i] = nbody_step_f32((float) h, ((const float *) rate)[i], ((float *) value)[i]);
}

static void *origin(const struct engine_call *call, uint32_t field)
{
    return engine_field_buffer(call, field)->origin[call->current];
}

static void euler_step(struct solver *solver, const struct engine_call *call)
{
    solver->forces(solver, call);
    add_scaled(solver, solver->plan.dt, origin(call, NBODY_ACCELERATION), origin(call, NBODY_VELOCITY));
    add_scaled(solver, solver->plan.dt, origin(call, NBODY_VELOCITY), origin(call, NBODY_POSITION));
}

static void leapfrog_step(struct solver *solver, const struct engine_call *call)
{
    add_scaled(solver, solver->plan.dt / 2, origin(call, NBODY_ACCELERATION), origin(call, NBODY_VELOCITY));
    add_scaled(solver, solver->plan.dt, origin(call, NBODY_VELOCITY), origin(call, NBODY_POSITION));
    solver->forces(solver, call);
    add_scaled(solver, solver->plan.dt / 2, origin(call, NBODY_ACCELERATION), origin(call, NBODY_VELOCITY));
}

static int advance(struct solver *solver, struct engine_call *call)
{
    static void (*const steps[])(struct solver *, const struct engine_call *) = {
        [NBODY_EULER] = euler_step,
        [NBODY_LEAPFROG] = leapfrog_step,
    };
    if (solver->plan.integrator == NBODY_LEAPFROG && call->flags & ENGINE_CALL_FRESH)
        solver->forces(solver, call);
    for (uint64_t step = 0; step < call->steps; step++)
        steps[solver->plan.integrator](solver, call);
    return 0;
}

/* ---- cpu-serial ------------------------------------------------------------------------------------------------- */

/* Positions and masses in double, four numbers a body. */
static void widen(const struct solver *solver, const struct engine_call *call)
{
    const void *position = origin(call, NBODY_POSITION), *mass = origin(call, NBODY_MASS);
    const int wide = solver->plan.precision == NBODY_DOUBLE;
    for (uint64_t i = 0; i < solver->plan.count; i++) {
        double *body = solver->work + 4 * i;
        for (uint64_t c = 0; c < 3; c++)
            body[c] = wide ? ((const double *) position)[3 * i + c] : (double) ((const float *) position)[3 * i + c];
        body[3] = wide ? ((const double *) mass)[i] : (double) ((const float *) mass)[i];
    }
}

static void sum_terms(const struct solver *solver, uint64_t i, double sum[3])
{
    const double *body = solver->work + 4 * i;
    const double softening = solver->plan.softening;
    sum[0] = sum[1] = sum[2] = 0;
    for (uint64_t j = 0; j < solver->plan.count; j++) {
        const double *other = solver->work + 4 * j;
        const double x = other[0] - body[0], y = other[1] - body[1], z = other[2] - body[2];
        const double square = x * x + y * y + z * z + softening * softening;
        const double weight = j == i ? 0 : other[3] / (square * sqrt(square));
        sum[0] += weight * x;
        sum[1] += weight * y;
        sum[2] += weight * z;
    }
}

static void serial_forces(struct solver *solver, const struct engine_call *call)
{
    void *acceleration = origin(call, NBODY_ACCELERATION);
    widen(solver, call);
    for (uint64_t i = 0; i < solver->plan.count; i++) {
        double sum[3];
        sum_terms(solver, i, sum);
        for (uint64_t c = 0; c < 3; c++)
            if (solver->plan.precision == NBODY_DOUBLE)
                ((double *) acceleration)[3 * i + c] = solver->plan.g * sum[c];
            else
                ((float *) acceleration)[3 * i + c] = (float) (solver->plan.g * sum[c]);
    }
}

int nbody_serial_create(const struct engine_call *call, void **self)
{
    const struct nbody_plan plan = nbody_plan(call->plan);
    const struct nbody_bodies bodies = nbody_host_bodies(call);
    const int status = nbody_check_bodies(call->host, call->plan, &bodies);
    if (status != 0)
        return status;
    struct solver *solver = (struct solver *) call->host->scratch(call->host, sizeof *solver, ENGINE_HOST_MEMORY);
    double *work = (double *) call->host->scratch(call->host, 4 * plan.count * sizeof *work, ENGINE_HOST_MEMORY);
    if (!solver || !work)
        return ENGINE_NO_MEMORY;
    *solver = (struct solver){plan, call->host, work, serial_forces};
    *self = solver;
    return 0;
}

int nbody_serial_advance(void *self, struct engine_call *call)
{
    return advance((struct solver *) self, call);
}

/* ---- Measuring -------------------------------------------------------------------------------------------------- */

static double potential_of(const struct solver *solver, uint64_t i)
{
    const double *body = solver->work + 4 * i;
    double sum = 0;
    for (uint64_t j = i + 1; j < solver->plan.count; j++) {
        const double *other = solver->work + 4 * j;
        const double x = other[0] - body[0], y = other[1] - body[1], z = other[2] - body[2];
        sum += other[3] / sqrt(x * x + y * y + z * z + solver->plan.softening * solver->plan.softening);
    }
    return -solver->plan.g * body[3] * sum;
}

int nbody_host_measure(void *self, const struct engine_call *call, double *values)
{
    const struct solver *solver = (const struct solver *) self;
    const struct nbody_bodies bodies = nbody_host_bodies(call);
    const int status = nbody_measure_bodies(call->host, &bodies, values);
    if (status != 0)
        return status;
    double potential = 0;
    widen(solver, call);
    for (uint64_t i = 0; i < solver->plan.count; i++)
        potential += potential_of(solver, i);
    nbody_set_potential(potential, values);
    return 0;
}
