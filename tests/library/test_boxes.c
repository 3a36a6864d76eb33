/* A program that feeds frames gives each frame a box of its own (engine_run_set_box). TEST_IMPLEMENTATION names another
 * implementation than cpu. */
#include "tests/library/runs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { POSITION = 0, RDF_COUNTS = 5, PAIRS_FORCE = 4, BINS = 8 };

static struct engine_context *context;
static struct engine_config *config;
static struct engine_run *run;
static struct engine_error error;

static int open_context(void **state)
{
    (void) state;
    return open_built_context((struct engine_hooks){0}, &context, &error);
}

static int close_context(void **state)
{
    (void) state;
    engine_close(context);
    return 0;
}

static int close_run(void **state)
{
    (void) state;
    engine_run_close(run);
    engine_config_close(config);
    run = NULL, config = NULL;
    return 0;
}

static void start(const char *parts, const char *const *own)
{
    char implementation[80];
    const char *settings[16] = {"particles.count=2", parts};
    snprintf(implementation, sizeof implementation, "run.implementation=%s", tested_implementation());
    settings[2] = implementation;
    for (int i = 0; own[i]; i++)
        settings[3 + i] = own[i];
    if (start_run(context, settings, &config, &run, &error) != 0)
        fail_msg("%s", error.text);
}

static void set_box(double x)
{
    const double box[6] = {x, 20, 20, 0, 0, 0};
    if (engine_run_set_box(run, box, &error) != 0)
        fail_msg("%s", error.text);
}

static void advance(void)
{
    if (engine_run_advance(run, 1, NULL, NULL, &error) != 0)
        fail_msg("%s", error.text);
}

/* ---- rdf: an instance for all frames ----------------------------------------------------------------------------- */

static const char *const rdf[] = {"run.plugin=rdf", "particles.box=10 20 20", "rdf.r_max=4", "rdf.bins=8", NULL};

/* Two particles that are 1 apart across an edge of 10, so 1 + x - 10 in a box that is x long. */
static void start_rdf(const char *parts)
{
    static const float positions[2][3] = {{0.625f, 1, 1}, {9.625f, 1, 1}};
    start(parts, rdf);
    assert_int_equal(engine_run_feed(run, POSITION, 0, 6, positions, &error), 0);
}

static void expect_counts(const char *expected)
{
    uint64_t counts[BINS];
    char text[BINS + 1] = "";
    assert_int_equal(engine_run_read(run, RDF_COUNTS, NULL, counts, sizeof counts, &error), 0);
    for (int k = 0; k < BINS; k++)
        text[k] = (char) ('0' + counts[k]);
    assert_string_equal(text, expected);
}

static void each_frame_has_its_box(void **state)
{
    (void) state;
    for (int parts = 1; parts <= 2; parts++) {
        start_rdf(parts == 1 ? "run.parts=1" : "run.parts=2");
        advance();
        expect_counts("00100000");
        set_box(11);
        advance();
        advance();
        expect_counts("00102000");
        set_box(10);
        advance();
        expect_counts("00202000");
        close_run(NULL);
    }
}

static void refuse(int status, const char *text, const double box[6])
{
    assert_int_equal(engine_run_set_box(run, box, &error), status);
    assert_non_null(strstr(error.text, text));
}

static void a_refused_box_changes_nothing(void **state)
{
    (void) state;
    start_rdf("run.parts=1");
    refuse(ENGINE_STATUS_USAGE, "r_max = 4 is more than half", (const double[]){7, 20, 20, 0, 0, 0});
    refuse(ENGINE_STATUS_USAGE, "the box is open along y, and that of the run is periodic",
           (const double[]){10, 0, 20, 0, 0, 0});
    refuse(ENGINE_STATUS_USAGE, "expected edges of 0 or more", (const double[]){10, -20, 20, 0, 0, 0});
    refuse(ENGINE_STATUS_USAGE, "expected edges of 0 or more", (const double[]){10, 20, 20, 0, NAN, 0});
    advance();
    expect_counts("00100000");
}

static void a_run_without_a_state_is_refused(void **state)
{
    (void) state;
    assert_int_equal(engine_config_open(context, NULL, &config, &error), 0);
    assert_int_equal(engine_config_set(config, "run.plugin=rdf", &error), 0);
    assert_int_equal(engine_config_set(config, "particles.count=2", &error), 0);
    assert_int_equal(engine_run_plan(config, &run, &error), 0);
    refuse(ENGINE_STATUS_USAGE, "has not started", (const double[]){10, 20, 20, 0, 0, 0});
}

/* ---- pairs: the instance keeps the box, so it is made again ------------------------------------------------------ */

static const char *const pairs[] = {"run.plugin=pairs", "particles.box=10 20 20", "pairs.dt=0", NULL};

/* The force along x between two particles at a distance. */
static double lennard_jones(double r)
{
    return 24 * (2 * pow(r, -13) - pow(r, -7));
}

static void expect_force(double distance)
{
    double force[2][3];
    advance();
    assert_int_equal(engine_run_read(run, PAIRS_FORCE, NULL, force, sizeof force, &error), 0);
    assert_true(fabs(force[0][0] - lennard_jones(distance)) < 1e-4);
    assert_true(force[0][0] == -force[1][0]);
}

static void a_plugin_with_a_state_gets_another_box(void **state)
{
    (void) state;
    static const double positions[2][3] = {{0.5, 1, 1}, {9.25, 1, 1}};
    for (int parts = 1; parts <= 2; parts++) {
        start(parts == 1 ? "run.parts=1" : "run.parts=2", pairs);
        assert_int_equal(engine_run_write(run, POSITION, NULL, positions, sizeof positions, &error), 0);
        expect_force(1.25);
        set_box(10.5);
        expect_force(1.75);
        set_box(10.25);
        expect_force(1.5);
        close_run(NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(each_frame_has_its_box, close_run),
        cmocka_unit_test_teardown(a_refused_box_changes_nothing, close_run),
        cmocka_unit_test_teardown(a_run_without_a_state_is_refused, close_run),
        cmocka_unit_test_teardown(a_plugin_with_a_state_gets_another_box, close_run),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
