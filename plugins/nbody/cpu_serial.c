/* cpu-serial, the reference: one thread, forces and potential in double precision, one pair after another. It shares no
 * arithmetic with the other implementations but that of the integrators. */
#include "cpu.h"

struct serial {
    struct nbody_solver solver;
    double *bodies; /* x, y, z, mass, and velocity along x, y, z of each */
};

enum { MASS = 3, VELOCITY = 4, NUMBERS = 7 };

static double number_at(const void *array, uint32_t precision, uint64_t i)
{
    return precision == NBODY_DOUBLE ? ((const double *) array)[i] : (double) ((const float *) array)[i];
}

static void set_number(void *array, uint32_t precision, uint64_t i, double value)
{
    if (precision == NBODY_DOUBLE)
        ((double *) array)[i] = value;
    else
        ((float *) array)[i] = (float) value;
}

static void read_bodies(const struct serial *serial, const struct engine_call *call, const void *position,
                        const void *velocity)
{
    const void *mass = nbody_origin(call, NBODY_MASS);
    const struct nbody_plan *plan = &serial->solver.plan;
    for (uint64_t i = 0; i < plan->count; i++) {
        double *body = serial->bodies + NUMBERS * i;
        for (uint64_t c = 0; c < 3; c++) {
            body[c] = number_at(position, plan->precision, 3 * i + c);
            body[VELOCITY + c] = number_at(velocity, plan->precision, 3 * i + c);
        }
        body[MASS] = number_at(mass, plan->precision, i);
    }
}

/* ---- Forces ----------------------------------------------------------------------------------------------------- */

/* Adds the attraction of another body on a body, m d / s^(3/2), and, unless jerk is NULL, its derivative
 * m (u - 3 (d u) d / s) / s^(3/2), where u is the relative velocity. */
static void attract(const double *body, const double *other, double softening, double a[3], double jerk[3])
{
    const double d[3] = {other[0] - body[0], other[1] - body[1], other[2] - body[2]};
    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening * softening;
    const double weight = other[MASS] / (square * sqrt(square));
    double along = 0;
    for (int c = 0; c < 3; c++)
        a[c] += weight * d[c];
    if (!jerk)
        return;
    for (int c = 0; c < 3; c++)
        along += d[c] * (other[VELOCITY + c] - body[VELOCITY + c]);
    for (int c = 0; c < 3; c++)
        jerk[c] += weight * (other[VELOCITY + c] - body[VELOCITY + c] - 3 * along * d[c] / square);
}

/* Sets the vectors of body i. Bodies without mass may be at its place. */
static void force_on(const struct serial *serial, uint64_t i, void *acceleration, void *jerk)
{
    const struct nbody_plan *plan = &serial->solver.plan;
    double a[3] = {0, 0, 0}, change[3] = {0, 0, 0};
    for (uint64_t j = 0; j < plan->count; j++)
        if (j != i && serial->bodies[NUMBERS * j + MASS] > 0)
            attract(serial->bodies + NUMBERS * i, serial->bodies + NUMBERS * j, plan->softening, a,
                    jerk ? change : NULL);
    for (uint64_t c = 0; c < 3; c++) {
        set_number(acceleration, plan->precision, 3 * i + c, plan->g * a[c]);
        if (jerk)
            set_number(jerk, plan->precision, 3 * i + c, plan->g * change[c]);
    }
}

static int forces(struct nbody_solver *solver, const struct engine_call *call, const void *position,
                  const void *velocity, void *acceleration, void *jerk)
{
    const struct serial *serial = (const struct serial *) solver;
    const struct nbody_plan *plan = &solver->plan;
    const struct engine_part *part = &call->plan->part;
    const struct engine_team *team = engine_host_team(call->host);
    const uint64_t body = 3 * nbody_number_bytes(plan);
    const uint64_t end = engine_share_begin(part->index + 1, part->count, plan->count);
    read_bodies(serial, call, position, velocity);
    for (uint64_t i = engine_share_begin(part->index, part->count, plan->count); i < end; i++)
        force_on(serial, i, acceleration, jerk);
    const int status = team->gather(call, acceleration, plan->count * body, body);
    return status || !jerk ? status : team->gather(call, jerk, plan->count * body, body);
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
    const struct nbody_plan plan = nbody_common_plan(call->plan);
    const struct nbody_bodies bodies = nbody_host_bodies(call);
    int meet;
    const int status = nbody_check_bodies(host, call->plan, &bodies, &meet);
    if (status != 0)
        return status;
    struct serial *serial = (struct serial *) host->scratch(host, sizeof *serial, ENGINE_HOST_MEMORY);
    double *numbers = (double *) host->scratch(host, NUMBERS * plan.count * sizeof *numbers, ENGINE_HOST_MEMORY);
    if (!serial || !numbers || nbody_solver_make(call, &serial->solver) != 0)
        return ENGINE_NO_MEMORY;
    serial->solver.forces = forces;
    serial->solver.step = plan.precision == NBODY_DOUBLE ? step_in_double : step;
    serial->solver.body_stride = 3;
    serial->solver.component_stride = 1;
    serial->bodies = numbers;
    *self = serial;
    return 0;
}

static double potential_of(const struct serial *serial, uint64_t i)
{
    const double *body = serial->bodies + NUMBERS * i, softening = serial->solver.plan.softening;
    double sum = 0;
    for (uint64_t j = i + 1; j < serial->solver.plan.count; j++) {
        const double *other = serial->bodies + NUMBERS * j;
        const double x = other[0] - body[0], y = other[1] - body[1], z = other[2] - body[2];
        if (body[MASS] > 0 && other[MASS] > 0)
            sum += other[MASS] / sqrt(x * x + y * y + z * z + softening * softening);
    }
    return -serial->solver.plan.g * body[MASS] * sum;
}

int nbody_serial_measure(void *self, const struct engine_call *call, double *values)
{
    const struct serial *serial = (const struct serial *) self;
    const struct nbody_bodies bodies = nbody_host_bodies(call);
    const int status = nbody_measure_bodies(call->host, &bodies, values);
    double potential = 0;
    if (status != 0)
        return status;
    read_bodies(serial, call, nbody_origin(call, NBODY_POSITION), nbody_origin(call, NBODY_VELOCITY));
    for (uint64_t i = 0; i < serial->solver.plan.count; i++)
        potential += potential_of(serial, i);
    nbody_set_potential(potential, values);
    return 0;
}

/* The operations of attract, with an addition to a product as one, and without the root and the divisions. A step of
 * hermite computes the forces twice. */
int nbody_serial_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost)
{
    (void) host;
    const double plain = 11, with_jerk = 27;
    cost->operation = ENGINE_OPS_FMA64;
    cost->operations = nbody_plan(plan).integrator == NBODY_HERMITE ? 2 * with_jerk : plain;
    return 0;
}
