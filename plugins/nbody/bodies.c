/* Looking at bodies in host memory: the check of a first state, and what is measured without pairs. */
#include "nbody.h"

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
    struct nbody_array array = {buffer->origin[call->current], 1, buffer->component_stride / bytes};
    if (!buffer->layout->planar)
        array.body_stride =
            buffer->layout->component_stride ? buffer->layout->component_stride : buffer->shape->components;
    return array;
}

struct nbody_bodies nbody_host_bodies(const struct engine_call *call)
{
    const struct nbody_plan plan = nbody_plan(call->plan);
    return (struct nbody_bodies){plan.count, plan.precision, host_array(call, NBODY_POSITION),
                                 host_array(call, NBODY_VELOCITY), host_array(call, NBODY_MASS)};
}

/* ---- The first state -------------------------------------------------------------------------------------------- */

static int check_finite(const struct engine_host *host, const struct nbody_bodies *bodies, const char *name,
                        const struct nbody_array *array, int components)
{
    for (uint64_t i = 0; i < bodies->count; i++)
        for (int c = 0; c < components; c++)
            if (!isfinite(number(bodies, array, i, c)))
                return ENGINE_FAIL(host, ENGINE_INVALID,
                                   "body %llu: component %d of its %s is %g; a number was expected",
                                   (unsigned long long) i, c, name, number(bodies, array, i, c));
    return 0;
}

static int check_masses(const struct engine_host *host, const struct nbody_bodies *bodies)
{
    for (uint64_t i = 0; i < bodies->count; i++)
        if (number(bodies, &bodies->mass, i, 0) < 0)
            return ENGINE_FAIL(host, ENGINE_INVALID, "body %llu: its mass is %g; 0 or more was expected",
                               (unsigned long long) i, number(bodies, &bodies->mass, i, 0));
    return 0;
}

struct place {
    double x[3];
    uint64_t body;
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = (const struct place *) left, *b = (const struct place *) right;
    for (int c = 0; c < 3; c++)
        if (a->x[c] != b->x[c])
            return a->x[c] < b->x[c] ? -1 : 1;
    return a->body < b->body ? -1 : a->body > b->body;
}

static int find_pair(const struct engine_host *host, const struct place *places, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++)
        if (places[i].x[0] == places[i - 1].x[0] && places[i].x[1] == places[i - 1].x[1] &&
            places[i].x[2] == places[i - 1].x[2])
            return ENGINE_FAIL(host, ENGINE_INVALID,
                               "bodies %llu and %llu are at the same place, %g %g %g, and softening is 0: their "
                               "attraction has no value; move one of them, or give a softening",
                               (unsigned long long) places[i - 1].body, (unsigned long long) places[i].body,
                               places[i].x[0], places[i].x[1], places[i].x[2]);
    return 0;
}

static int check_places(const struct engine_host *host, const struct nbody_bodies *bodies)
{
    struct place *places = (struct place *) calloc(bodies->count, sizeof *places);
    if (!places)
        return ENGINE_FAIL(host, ENGINE_NO_MEMORY, "no memory to compare the places of %llu bodies",
                           (unsigned long long) bodies->count);
    for (uint64_t i = 0; i < bodies->count; i++) {
        for (int c = 0; c < 3; c++)
            places[i].x[c] = number(bodies, &bodies->position, i, c);
        places[i].body = i;
    }
    qsort(places, bodies->count, sizeof *places, compare_places);
    const int status = find_pair(host, places, bodies->count);
    free(places);
    return status;
}

int nbody_check_bodies(const struct engine_host *host, const struct engine_plan *plan,
                       const struct nbody_bodies *bodies)
{
    int status = check_finite(host, bodies, "position", &bodies->position, 3);
    if (status == 0)
        status = check_finite(host, bodies, "velocity", &bodies->velocity, 3);
    if (status == 0)
        status = check_finite(host, bodies, "mass", &bodies->mass, 1);
    if (status == 0)
        status = check_masses(host, bodies);
    return status == 0 && nbody_plan(plan).softening == 0 ? check_places(host, bodies) : status;
}

/* ---- Measuring -------------------------------------------------------------------------------------------------- */

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
