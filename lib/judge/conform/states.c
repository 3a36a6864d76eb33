/* Properties of states between calls: those written from outside, saved ones, and those late in a run. */
#include "judge/conform/calls.h"
#include "judge/conform/cells.h"
#include "judge/conform/properties.h"

#include <math.h>
#include <stdlib.h>

enum {
    INTERVAL = 37,  /* steps from one look at a long run to the next */
    INTERVALS = 16, /* of a long run */
    SHORT = 6       /* steps after which results within a tolerance are compared */
};

/* ---- Sources ------------------------------------------------------------------------------------------------ */

void sources_are_not_written(struct test *test)
{
    SKIP_UNLESS(test, test->impl->memory == ENGINE_HOST_MEMORY, "this property compares the bytes of host memory only");
    const struct setup setup = fixture_middle(test);
    calls_watch_sources(test);
    for (uint64_t steps = 1; steps <= 16; steps = 2 * steps + 1) {
        struct fixture *fixture = cells_run(test, test->impl, setup, 21 + steps);
        if (steps <= fixture_most(fixture, steps))
            fixture_advance(fixture, steps);
        fixture_close(fixture);
    }
    struct fixture *late = cells_run(test, test->impl, fixture_small(test), 21);
    for (int i = 0; i < INTERVALS; i++)
        fixture_advance(late, INTERVAL);
    fixture_close(late);
}

/* ---- Written from outside ----------------------------------------------------------------------------------- */

/* What a new instance measures of these cells. */
static void measure_anew(struct test *test, struct setup setup, const struct cells *cells, double values[METRICS_MAX])
{
    struct fixture *fixture = fixture_open(test, test->impl, setup);
    REQUIRE(test, fixture, "size %s is refused when it is asked again: %s", SIZE_TEXT(test, &setup), test->refusal);
    cells_write(fixture, cells);
    fixture_start(fixture);
    fixture_measure(fixture, values);
    fixture_close(fixture);
}

/* Metrics are those of the state that was written, whatever the instance kept of the old one. */
static void compare_metrics(struct test *test, struct setup setup)
{
    double is[METRICS_MAX] = {0}, should[METRICS_MAX] = {0};
    struct fixture *fixture = cells_run(test, test->impl, setup, 31);
    fixture_advance(fixture, 2);
    setup.step = engine_run_step(fixture->run);
    if (fixture_measure(fixture, is)) {
        struct cells other = cells_start(fixture, 32);
        cells_write(fixture, &other);
        fixture_measure(fixture, is);
        measure_anew(test, setup, &other, should);
        cells_free(&other);
    }
    for (uint32_t m = 0; m < test->plugin->metrics.count; m++)
        REQUIRE(test, metrics_agree(test, is[m], should[m]),
                "%s is %.17g after the state was written from outside, and %.17g of a new instance",
                test->plugin->metrics.at[m].name, is[m], should[m]);
    fixture_close(fixture);
}

/* A state that is written between two calls starts a new run: nothing of the old one may remain. */
void written_states_are_used(struct test *test)
{
    const struct setup setup = fixture_middle(test);
    struct fixture *fixture = cells_run(test, test->impl, setup, 31);
    fixture_advance(fixture, 3);
    if (engine_run_step(fixture->run) % 2) /* shapes may follow the parity */
        fixture_advance(fixture, 1);
    const uint64_t step = engine_run_step(fixture->run);
    struct cells other = cells_start(fixture, 32);
    cells_write(fixture, &other);
    fixture_advance(fixture, 6);
    struct cells is = cells_read(fixture), should = cells_after(test, test->impl, setup, &other, step, 6);
    cells_compare(&is, &should, test->impl->tolerance, "after the state was written from outside");
    cells_free(&is), cells_free(&should), cells_free(&other);
    fixture_close(fixture);
    compare_metrics(test, setup);
}

/* ---- Saved -------------------------------------------------------------------------------------------------- */

/* Advances a run, and a new instance that goes on from its state. */
static void compare_resumed(struct fixture *fixture, uint64_t steps)
{
    struct test *test = fixture->test;
    const uint64_t step = engine_run_step(fixture->run);
    struct cells saved = cells_read(fixture);
    fixture_advance(fixture, steps);
    struct cells should = cells_read(fixture), is = cells_after(test, test->impl, fixture->setup, &saved, step, steps);
    cells_compare(&is, &should, test->impl->tolerance, "size %s, resumed at step %llu, after %llu more",
                  SIZE_TEXT(test, &fixture->setup), (unsigned long long) step, (unsigned long long) steps);
    cells_free(&is), cells_free(&should), cells_free(&saved);
}

/* What an instance keeps may begin to matter late, such as a list that it makes again every hundred steps. Differences
 * within a tolerance grow, so that an implementation which has one is compared after few steps. */
static void compare_late(struct test *test)
{
    const uint64_t steps = test->impl->tolerance > 0 ? SHORT : INTERVAL;
    struct fixture *fixture = cells_run(test, test->impl, fixture_small(test), 51);
    for (int i = 0; i < INTERVALS; i++) {
        compare_resumed(fixture, steps);
        if (steps < INTERVAL)
            fixture_advance(fixture, INTERVAL - steps);
    }
    fixture_close(fixture);
}

/* The number of a step has 64 bits. */
static void compare_far(struct test *test, uint64_t step)
{
    const struct setup setup = fixture_small(test);
    const uint64_t steps = test->promise.tolerance > 0 ? 1 : 3;
    struct fixture *fixture = fixture_open(test, test->impl, setup);
    struct cells start = cells_start(fixture, 52);
    fixture_close(fixture);
    struct cells is = cells_after(test, test->impl, setup, &start, step, steps),
                 should = cells_after(test, test->promise.oracle, setup, &start, step, steps);
    cells_compare(&is, &should, test->promise.tolerance, "size %s, %llu step%s from step %llu on",
                  SIZE_TEXT(test, &setup), (unsigned long long) steps, steps == 1 ? "" : "s",
                  (unsigned long long) step);
    cells_free(&is), cells_free(&should), cells_free(&start);
}

/* A new instance goes on from the saved state of an old one, as the old one would have. */
void resumed_runs_go_on(struct test *test)
{
    static const uint64_t firsts[] = {1, 4, 7}, far[] = {65534, 2147483646, 4294967294, 4294967302, 9007199254740994};
    const struct setup setup = fixture_middle(test);
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++) {
        struct fixture *fixture = cells_run(test, test->impl, setup, 51);
        fixture_advance(fixture, firsts[i]);
        compare_resumed(fixture, SHORT);
        fixture_close(fixture);
    }
    compare_late(test);
    for (size_t i = 0; test->promise.oracle && i < sizeof far / sizeof far[0]; i++)
        compare_far(test, far[i]);
}
