/* cpu-serial: one thread, forces and potential in double precision, one pair after another. The reference: it shares no
 * arithmetic with the others but the integrator. */
#include "cpu.h"

struct serial {
    struct nbody_solver solver;
    double *bodies; /* x, y, z, mass of each */
};

static double number_at(const void *array, uint32_t precision, uint64_t i)
{
    return precision == NBODY_DOUBLE ? ((const double *) array)[i] : (double) ((const float *) array)[i];
}

static void read_bodies(const struct serial *serial, const struct engine_call *call)
{
    const void *position = nbody_origin(call, NBODY_POSITION), *mass = nbody_origin(call, NBODY_MASS);
    const struct nbody_plan *plan = &serial->solver.plan;
    for (uint64_t i = 0; i < plan->count; i++) {
        double *body = serial->bodies + 4 * i;
        for (uint64_t c = 0; c < 3; c++)
            body[c] = number_at(position, plan->precision, 3 * i + c);
        body[3] = number_at(mass, plan->precision, i);
    }
}

/* ---- Forces ----------------------------------------------------------------------------------------------------- */

static void attract(const struct serial *serial, uint64_t i, double a[3])
{
    const double *body = serial->bodies + 4 * i, softening = serial->solver.plan.softening;
    double sum[3] = {0, 0, 0};
    for (uint64_t j = 0; j < serial->solver.plan.count; j++) {
        const double *other = serial->bodies + 4 * j;
        const double d[3] = {other[0] - body[0], other[1] - body[1], other[2] - body[2]};
        const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening * softening;
        const double weight = j == i ? 0 : other[3] / (square * sqrt(square));
        for (int c = 0; c < 3; c++)
            sum[c] += weight * d[c];
    }
    for (int c = 0; c < 3; c++)
        a[c] = serial->solver.plan.g * sum[c];
}

static void forces(struct nbody_solver *solver, const struct engine_call *call)
{
    const struct serial *serial = (const struct serial *) solver;
    void *acceleration = nbody_origin(call, NBODY_ACCELERATION);
    read_bodies(serial, call);
    for (uint64_t i = 0; i < solver->plan.count; i++) {
        double a[3];
        attract(serial, i, a);
        for (uint64_t c = 0; c < 3; c++)
            if (solver->plan.precision == NBODY_DOUBLE)
                ((double *) acceleration)[3 * i + c] = a[c];
            else
                ((float *) acceleration)[3 * i + c] = (float) a[c];
    }
}

static void step(uint64_t count, double h, const void *rate, void *value)
{
    for (uint64_t i = 0; i < count; i++)
        ((float *) value)[i] = nbody_step_f32((float) h, ((const float *) rate)[i], ((float *) value)[i]);
}

static void step_in_double(uint64_t count, double h, const void *rate, void *value)
{
    for (uint64_t i = 0; i < count; i++)
        ((double *) value)[i] = nbody_step_f64(h, ((const double *) rate)[i], ((double *) value)[i]);
}

/* ---- The implementation ----------------------------------------------------------------------------------------- */

int nbody_serial_create(const struct engine_call *call, void **self)
{
    const struct engine_host *host = call->host;
    const struct nbody_plan plan = nbody_plan(call->plan);
    const struct nbody_bodies bodies = nbody_host_bodies(call);
    const int status = nbody_check_bodies(host, call->plan, &bodies);
    if (status != 0)
        return status;
    struct serial *serial = (struct serial *) host->scratch(host, sizeof *serial, ENGINE_HOST_MEMORY);
    double *numbers = (double *) host->scratch(host, 4 * plan.count * sizeof *numbers, ENGINE_HOST_MEMORY);
    if (!serial || !numbers)
        return ENGINE_NO_MEMORY;
    serial->solver = (struct nbody_solver){plan, forces, plan.precision == NBODY_DOUBLE ? step_in_double : step};
    serial->bodies = numbers;
    *self = serial;
    return 0;
}

static double potential_of(const struct serial *serial, uint64_t i)
{
    const double *body = serial->bodies + 4 * i, softening = serial->solver.plan.softening;
    double sum = 0;
    for (uint64_t j = i + 1; j < serial->solver.plan.count; j++) {
        const double *other = serial->bodies + 4 * j;
        const double x = other[0] - body[0], y = other[1] - body[1], z = other[2] - body[2];
        sum += other[3] / sqrt(x * x + y * y + z * z + softening * softening);
    }
    return -serial->solver.plan.g * body[3] * sum;
}

int nbody_serial_measure(void *self, const struct engine_call *call, double *values)
{
    const struct serial *serial = (const struct serial *) self;
    const struct nbody_bodies bodies = nbody_host_bodies(call);
    const int status = nbody_measure_bodies(call->host, &bodies, values);
    double potential = 0;
    if (status != 0)
        return status;
    read_bodies(serial, call);
    for (uint64_t i = 0; i < serial->solver.plan.count; i++)
        potential += potential_of(serial, i);
    nbody_set_potential(potential, values);
    return 0;
}
