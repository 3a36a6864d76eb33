/* The universes of a batch are those of single runs, to the last bit. */
#include "judge/conform/cells.h"
#include "judge/conform/properties.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SEED = 61, COUNTS = 3 };

/* Compares after 1, 6 and 23 steps. */
static const uint64_t counts[COUNTS] = {1, 5, 17};

/* The cells of universe `index` in those of a batch, for as long as these. `like` has the shapes of a universe. */
static struct cells universe_of(const struct cells *batch, const struct cells *like, uint64_t index)
{
    struct cells universe = *like;
    for (uint32_t i = 0; i < like->count; i++) {
        uint64_t bytes;
        shape_bytes(&like->shape[i], &bytes);
        universe.at[i] = batch->at[i] ? (char *) batch->at[i] + index * bytes : NULL;
    }
    return universe;
}

static void compare_metrics(struct test *test, const double *is, struct fixture *alone, const char *what)
{
    const struct engine_metric_array *metrics = &test->plugin->metrics;
    double should[METRICS_MAX] = {0};
    fixture_measure(alone, should);
    for (uint32_t m = 0; is && m < metrics->count; m++)
        REQUIRE(test, is[m] == should[m] || (isnan(is[m]) && isnan(should[m])), "%s: %s is %.17g, and %.17g alone",
                what, metrics->at[m].name, is[m], should[m]);
}

/* Takes the steps of a universe alone, and compares. `metrics` are those of the batch, or NULL. */
static void compare_universe(struct test *test, struct setup setup, uint64_t index, const struct cells *start,
                             const struct cells *after, const double *metrics)
{
    setup.seed = SEED + index;
    struct fixture *alone = fixture_open(test, test->impl, setup);
    REQUIRE(test, alone, "size %s: takes it in a batch, and refuses it alone: %s", SIZE_TEXT(test, &setup),
            test->refusal);
    const struct cells like = cells_read(alone);
    const struct cells first = universe_of(start, &like, index);
    char what[160];
    cells_write(alone, &first);
    fixture_start(alone);
    for (int i = 0; i < COUNTS; i++) {
        fixture_advance(alone, counts[i]);
        snprintf(what, sizeof what, "%s, universe %llu of a batch after %llu step%s", SIZE_TEXT(test, &setup),
                 (unsigned long long) index, (unsigned long long) engine_run_step(alone->run),
                 engine_run_step(alone->run) == 1 ? "" : "s");
        const struct cells is = universe_of(&after[i], &like, index);
        struct cells should = cells_read(alone);
        cells_compare(&is, &should, 0, "%s, compared with its run alone", what);
        cells_free(&should);
    }
    compare_metrics(test, metrics ? metrics + index * test->plugin->metrics.count : NULL, alone, what);
    struct cells copy = like;
    cells_free(&copy);
    fixture_close(alone);
}

/* Compares a batch, which is divided into parts, or in one part. Returns false where the implementation refuses the
 * size. */
static bool compare_batch(struct test *test, struct setup setup, uint64_t universes, uint32_t parts)
{
    char set[64];
    struct setup many = setup;
    snprintf(set, sizeof set, "%s.batch=%llu", batch_section(test->plugin), (unsigned long long) universes);
    many.set = set;
    many.seed = SEED;
    many.parts = parts;
    struct fixture *batch = cells_run(test, test->impl, many, SEED);
    if (!batch)
        return false;
    struct cells start = cells_read(batch), after[COUNTS];
    for (int i = 0; i < COUNTS; i++) {
        fixture_advance(batch, counts[i]);
        after[i] = cells_read(batch);
    }
    const uint64_t count = test->plugin->metrics.count * universes;
    double *metrics = test->impl->measure && count ? calloc(count, sizeof *metrics) : NULL;
    struct engine_error error;
    REQUIRE(test, !metrics || engine_run_measure_universes(batch->run, metrics, count, &error) == 0, "measure: %s",
            error.text);
    for (uint64_t u = 0; u < universes; u++)
        compare_universe(test, setup, u, &start, after, metrics);
    free(metrics);
    cells_free(&start);
    for (int i = 0; i < COUNTS; i++)
        cells_free(&after[i]);
    fixture_close(batch);
    return true;
}

void batches_equal_single_runs(struct test *test)
{
    uint32_t compared = 0;
    SKIP_UNLESS(test, test->impl->flags & ENGINE_BATCH, "does not state that it takes a batch");
    compared += compare_batch(test, fixture_middle(test), 2, 1) + compare_batch(test, fixture_middle(test), 11, 1);
    compared += compare_batch(test, fixture_middle(test), 2, 2) + compare_batch(test, fixture_middle(test), 11, 3);
    for (const struct setup *setup = fixture_sizes(test); setup->extent[0]; setup++)
        compared += setup->extent[0] * setup->extent[1] < 20000 && compare_batch(test, *setup, 3, 1);
    SKIP_UNLESS(test, compared, "takes no batch of its sizes: %s", test->refusal);
}
