/* Bodies in host memory: the check of an initial state, and the metrics that need no pairs. */
#include "nbody.h"

#include <common/particles.h>

#include <stdlib.h>

static double number(const struct nbody_bodies *bodies, const struct nbody_array *array, uint64_t body, int component)
{
    const int64_t at = (int64_t) body * array->body_stride + component * array->component_stride;
    return bodies->precision == NBODY_DOUBLE ? ((const double *) array->at)[at]
                                             : (double) ((const float *) array->at)[at];
}

static struct nbody_array host_array(const struct engine_call *call, uint32_t field)
{
    const struct engine_buffer *buffer = engine_field_buffer(call, field);
    const int64_t bytes = buffer->shape->type == ENGINE_F64 ? 8 : 4;
    return (struct nbody_array){buffer->origin[call->current], particle_stride(buffer),
                                buffer->component_stride / bytes};
}

struct nbody_bodies nbody_host_bodies(const struct engine_call *call)
{
    const struct nbody_plan plan = nbody_common_plan(call->plan);
    return (struct nbody_bodies){plan.count, plan.precision, host_array(call, NBODY_POSITION),
                                 host_array(call, NBODY_VELOCITY), host_array(call, NBODY_MASS)};
}

/* ---- The initial state ------------------------------------------------------------------------------------------ */

static int check_finite(const struct engine_host *host, const struct nbody_bodies *bodies, const char *name,
                        const struct nbody_array *array, int components)
{
    for (uint64_t i = 0; i < bodies->count; i++)
        for (int c = 0; c < components; c++)
            if (!isfinite(number(bodies, array, i, c)))
                return ENGINE_FAIL(host, ENGINE_INVALID,
                                   "body %llu: component %d of its %s is %g; expected a finite number",
                                   (unsigned long long) i, c, name, number(bodies, array, i, c));
    return 0;
}

static int check_masses(const struct engine_host *host, const struct nbody_bodies *bodies)
{
    for (uint64_t i = 0; i < bodies->count; i++)
        if (number(bodies, &bodies->mass, i, 0) < 0)
            return ENGINE_FAIL(host, ENGINE_INVALID, "body %llu: its mass is %g; expected 0 or more",
                               (unsigned long long) i, number(bodies, &bodies->mass, i, 0));
    return 0;
}

struct position {
    double x[3], mass;
    uint64_t body;
};

static int compare_positions(const void *left, const void *right)
{
    const struct position *a = (const struct position *) left, *b = (const struct position *) right;
    for (int c = 0; c < 3; c++)
        if (a->x[c] != b->x[c])
            return a->x[c] < b->x[c] ? -1 : 1;
    return a->body < b->body ? -1 : a->body > b->body;
}

static int are_equal(const struct position *a, const struct position *b)
{
    return a->x[0] == b->x[0] && a->x[1] == b->x[1] && a->x[2] == b->x[2];
}

/* Bodies without mass may be at one place, because they do not attract each other. */
static int find_equal(const struct engine_host *host, const struct position *positions, uint64_t count, int *meet)
{
    for (uint64_t i = 1; i < count; i++) {
        const struct position *before = &positions[i - 1], *at = &positions[i];
        if (!are_equal(before, at))
            continue;
        if (before->mass > 0 || at->mass > 0)
            return ENGINE_FAIL(host, ENGINE_INVALID,
                               "bodies %llu and %llu are at the same position, %g %g %g, and softening is 0: their "
                               "attraction is infinite; move one of them, or set a softening",
                               (unsigned long long) before->body, (unsigned long long) at->body, at->x[0], at->x[1],
                               at->x[2]);
        *meet = 1;
    }
    return 0;
}

static int check_positions(const struct engine_host *host, const struct nbody_bodies *bodies, int *meet)
{
    struct position *positions = (struct position *) calloc(bodies->count, sizeof *positions);
    if (!positions)
        return ENGINE_FAIL(host, ENGINE_NO_MEMORY, "no memory to compare the positions of %llu bodies",
                           (unsigned long long) bodies->count);
    for (uint64_t i = 0; i < bodies->count; i++) {
        for (int c = 0; c < 3; c++)
            positions[i].x[c] = number(bodies, &bodies->position, i, c);
        positions[i].mass = number(bodies, &bodies->mass, i, 0);
        positions[i].body = i;
    }
    qsort(positions, bodies->count, sizeof *positions, compare_positions);
    const int status = find_equal(host, positions, bodies->count, meet);
    free(positions);
    return status;
}

int nbody_check_bodies(const struct engine_host *host, const struct engine_plan *plan,
                       const struct nbody_bodies *bodies, int *meet)
{
    *meet = 0;
    int status = check_finite(host, bodies, "position", &bodies->position, 3);
    if (status == 0)
        status = check_finite(host, bodies, "velocity", &bodies->velocity, 3);
    if (status == 0)
        status = check_finite(host, bodies, "mass", &bodies->mass, 1);
    if (status == 0)
        status = check_masses(host, bodies);
    return status == 0 && nbody_common_plan(plan).softening == 0 ? check_positions(host, bodies, meet) : status;
}

/* ---- Metrics ---------------------------------------------------------------------------------------------------- */

static void add_body(const struct nbody_bodies *bodies, uint64_t i, double *mass, double values[NBODY_METRICS])
{
    const double m = number(bodies, &bodies->mass, i, 0);
    double x[3], v[3];
    for (int c = 0; c < 3; c++) {
        x[c] = number(bodies, &bodies->position, i, c);
        v[c] = number(bodies, &bodies->velocity, i, c);
    }
    *mass += m;
    values[NBODY_KINETIC] += m / 2 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        values[NBODY_MOMENTUM + c] += m * v[c];
        values[NBODY_ANGULAR_MOMENTUM + c] += m * (x[d] * v[e] - x[e] * v[d]);
        values[NBODY_CENTER + c] += m * x[c];
    }
}

int nbody_measure_bodies(const struct engine_host *host, const struct nbody_bodies *bodies,
                         double values[NBODY_METRICS])
{
    double mass = 0;
    int status = check_finite(host, bodies, "position", &bodies->position, 3);
    if (status == 0)
        status = check_finite(host, bodies, "velocity", &bodies->velocity, 3);
    for (int m = 0; m < NBODY_METRICS; m++)
        values[m] = 0;
    for (uint64_t i = 0; i < bodies->count; i++)
        add_body(bodies, i, &mass, values);
    for (int c = 0; c < 3 && mass > 0; c++)
        values[NBODY_CENTER + c] /= mass;
    return status;
}

void nbody_set_potential(double potential, double values[NBODY_METRICS])
{
    values[NBODY_POTENTIAL] = potential;
    values[NBODY_ENERGY] = values[NBODY_KINETIC] + potential;
    values[NBODY_VIRIAL_RATIO] = potential == 0 ? 0 : -2 * values[NBODY_KINETIC] / potential;
}
