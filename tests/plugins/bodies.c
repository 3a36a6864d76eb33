#include "bodies.h"

#include "tests/registry.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Adds settings, separated by blanks. */
static void configure(struct config *config, const char *settings)
{
    char words[512];
    char *rest = NULL;
    struct engine_error error;
    snprintf(words, sizeof words, "%s", settings);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (config_set(config, word, &error) != 0)
            fail_msg("%s: %s", word, error.text);
}

static int try_open(struct run *run, const char *impl, const char *settings, struct engine_error *error)
{
    *run = (struct run){0};
    assert_int_equal(config_open(NULL, &run->config, error), 0);
    configure(run->config, "run.plugin=nbody run.threads=1");
    configure(run->config, settings);
    assert_int_equal(open_built_plugins(&run->registry, error), 0);
    return candidate_open(run->config, run->registry, impl, &run->candidate, error);
}

void close_run(struct run *run)
{
    if (run->candidate.state)
        candidate_close(&run->candidate);
    registry_close(run->registry);
    config_close(run->config);
}

void open_run(struct run *run, const char *impl, const char *settings)
{
    struct engine_error error;
    if (try_open(run, impl, settings, &error) != 0)
        fail_msg("%s %s: %s", impl, settings, error.text);
}

void advance(struct run *run, uint64_t steps)
{
    struct engine_error error;
    if (candidate_advance(&run->candidate, steps, UINT64_MAX, &error) != 0)
        fail_msg("%s", error.text);
}

uint64_t bodies(const struct run *run)
{
    return state_geometry(run->candidate.state, NBODY_POSITION)->shape.extent[0];
}

/* A field as doubles; the caller frees it. */
double *numbers(const struct run *run, uint32_t field)
{
    const struct engine_shape *shape = &state_geometry(run->candidate.state, field)->shape;
    const uint64_t count = shape->extent[0] * shape->components;
    double *wide = malloc(count * sizeof *wide);
    struct engine_error error;
    assert_non_null(wide);
    assert_int_equal(state_read(run->candidate.state, field, 0, count, wide, &error), 0);
    if (shape->type == ENGINE_F32)
        for (uint64_t i = count; i-- > 0;) { /* in place, from the last one */
            float narrow;
            memcpy(&narrow, (const char *) wide + i * sizeof narrow, sizeof narrow);
            wide[i] = (double) narrow;
        }
    return wide;
}

void measure(struct run *run, double values[NBODY_METRICS])
{
    struct engine_error error;
    bool measured;
    if (instance_measure(run->candidate.instance, values, &measured, &error) != 0)
        fail_msg("%s", error.text);
    assert_true(measured);
}

void hash(const struct run *run, char text[HASH_TEXT])
{
    struct engine_error error;
    assert_int_equal(state_hash(run->candidate.state, HASH_RESULTS, text, &error), 0);
}

void expect_near(const char *what, double is, double should, double error)
{
    if (!(fabs(is - should) <= error))
        fail_msg("%s is %.17g, expected %.17g +- %g", what, is, should, error);
}

/* What all bodies do to body i, softening included, in long double. */
void attraction(const double *x, const double *mass, uint64_t count, uint64_t i, long double softening,
                long double a[3])
{
    a[0] = a[1] = a[2] = 0;
    for (uint64_t j = 0; j < count; j++) {
        if (j == i)
            continue;
        long double d[3], square = softening * softening;
        for (int c = 0; c < 3; c++) {
            d[c] = (long double) x[3 * j + c] - x[3 * i + c];
            square += d[c] * d[c];
        }
        for (int c = 0; c < 3; c++)
            a[c] += mass[j] * d[c] / (square * sqrtl(square));
    }
}

int ascending(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}
