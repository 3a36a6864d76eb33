/* Plugins may read inputs when an instance is created: nbody sorts bodies by their masses, and refuses negative ones. A
 * program may write to an input later. The reference, cpu-serial, reads the masses in each step. TEST_IMPLEMENTATION
 * names another implementation than cpu. */
#include "tests/library/runs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BODIES = 1100, REFERENCE = 0, TESTED = 1, RUNS = 2 };

static struct engine_context *context;
static struct engine_config *config[RUNS];
static struct engine_run *run[RUNS];
static float masses[BODIES];

static int open_one(int i, const char *implementation, struct engine_error *error)
{
    char chosen[80];
    snprintf(chosen, sizeof chosen, "run.implementation=%s", implementation);
    const char *const settings[] = {
        "run.plugin=nbody", chosen, "particles.count=1100", "init.source=cube", "nbody.dt=0.001", "nbody.softening=0.3",
        "nbody.form=pairs", NULL};
    return start_run(context, settings, &config[i], &run[i], error);
}

static int open_runs(void **state)
{
    (void) state;
    struct engine_error error;
    if (open_built_context((struct engine_hooks){0}, &context, &error) != 0 ||
        open_one(REFERENCE, "cpu-serial", &error) != 0 || open_one(TESTED, tested_implementation(), &error) != 0)
        return -1;
    return 0;
}

static int close_runs(void **state)
{
    (void) state;
    close_all(context, config, run, RUNS);
    return 0;
}

static uint32_t field(const char *name)
{
    struct engine_error error;
    uint32_t found;
    assert_int_equal(engine_run_field(run[TESTED], name, &found, &error), 0);
    return found;
}

static void advance(int i)
{
    struct engine_error error;
    if (engine_run_advance(run[i], 5, NULL, NULL, &error) != 0)
        fail_msg("%s", error.text);
}

/* Body i has the mass (i mod `most`) / `most`. */
static void set_masses(int most)
{
    for (int i = 0; i < BODIES; i++)
        masses[i] = (float) (i % most) / (float) most;
}

static void write_masses(int i)
{
    struct engine_error error;
    assert_int_equal(engine_run_write(run[i], field("mass"), NULL, masses, sizeof masses, &error), 0);
}

/* Velocities differ by rounding only. With other masses they would differ by more than 0.01. */
static void compare(void)
{
    static float expected[3 * BODIES], found[3 * BODIES];
    struct engine_error error;
    double scale = 0;
    for (int i = 0; i < RUNS; i++) {
        advance(i);
        assert_int_equal(
            engine_run_read(run[i], field("velocity"), NULL, i == REFERENCE ? expected : found, sizeof found, &error),
            0);
    }
    for (int i = 0; i < 3 * BODIES; i++)
        scale = fmax(scale, fabs(expected[i]));
    for (int i = 0; i < 3 * BODIES; i++)
        if (fabs(expected[i] - found[i]) > 1e-5 * scale)
            fail_msg("element %d: %.9g, expected %.9g", i, found[i], expected[i]);
}

static void test_written_masses_count(void **state)
{
    (void) state;
    for (int most = 1; most <= BODIES; most += most < 3 ? 1 : 1097) {
        set_masses(most);
        for (int i = 0; i < RUNS; i++)
            write_masses(i);
        compare();
    }
}

/* The state stays as it is, and a second write repairs it. */
static void test_wrong_inputs_are_refused(void **state)
{
    (void) state;
    struct engine_error error;
    char before[ENGINE_HASH_SIZE], after[ENGINE_HASH_SIZE];
    double metrics[16];
    set_masses(5);
    masses[7] = -1;
    write_masses(TESTED);
    assert_int_equal(engine_run_hash(run[TESTED], before, &error), 0);
    assert_int_equal(engine_run_advance(run[TESTED], 5, NULL, NULL, &error), ENGINE_STATUS_USAGE);
    assert_non_null(strstr(error.text, "body 7"));
    assert_int_equal(engine_run_measure(run[TESTED], metrics, 16, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_hash(run[TESTED], after, &error), 0);
    assert_string_equal(after, before);
    masses[7] = 0.5F;
    for (int i = 0; i < RUNS; i++)
        write_masses(i);
    compare();
}

/* After engine_run_changed, the run reads again what a program may have written through a view of an input. */
static void test_views_of_inputs(void **state)
{
    (void) state;
    struct engine_error error;
    struct engine_view view = {.size = sizeof view};
    set_masses(7);
    write_masses(REFERENCE);
    assert_int_equal(engine_run_view(run[TESTED], field("mass"), &view, &error), 0);
    if (view.memory != ENGINE_HOST_MEMORY) /* of a device: the test has no function to write there */
        write_masses(TESTED);
    else
        memcpy(view.origin, masses, sizeof masses);
    engine_run_changed(run[TESTED]);
    compare();
    masses[3] = NAN;
    if (view.memory == ENGINE_HOST_MEMORY) {
        memcpy(view.origin, masses, sizeof masses);
        engine_run_changed(run[TESTED]);
        assert_int_equal(engine_run_advance(run[TESTED], 1, NULL, NULL, &error), ENGINE_STATUS_USAGE);
        assert_non_null(strstr(error.text, "body 3"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_masses_count),
        cmocka_unit_test(test_wrong_inputs_are_refused),
        cmocka_unit_test(test_views_of_inputs),
    };
    return cmocka_run_group_tests(tests, open_runs, close_runs);
}
