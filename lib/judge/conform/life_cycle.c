/* Properties of everything around the results: creation and its failure, metrics, hashes, ranges, tuning,
 * generators. */
#include "judge/conform/calls.h"
#include "judge/conform/cells.h"
#include "judge/conform/memory.h"
#include "judge/conform/pace.h"
#include "judge/conform/properties.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Of the plugin ------------------------------------------------------------------------------------------ */

/* In this process; later the process that started it loads the plugin, too. */
void loads(struct test *test)
{
    struct engine_error error;
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    REQUIRE(test, engine_plugin_find(test->context, test->name, &plugin, &error) == 0, "%s", error.text);
    REQUIRE(test, !plugin.disturbs,
            "loading it changes the rounding mode or the locale of the thread; a plugin leaves the process as it was");
    calls_check(test, "loading it");
}

/* Reads a value of a parameter, as in a configuration. */
static int check_value(const struct test *test, const char *param, const char *text, struct engine_error *error)
{
    struct engine_config *config;
    char plugin[128], assignment[1024];
    snprintf(plugin, sizeof plugin, "run.plugin=%s", test->name);
    snprintf(assignment, sizeof assignment, "%s.%s=%s", test->name, param, text);
    REQUIRE(test, engine_config_open(test->context, NULL, &config, error) == 0, "%s", error->text);
    int status = engine_config_set(config, plugin, error);
    if (status == 0)
        status = engine_config_set(config, assignment, error);
    if (status == 0)
        status = engine_config_check(config, error);
    engine_config_close(config);
    return status;
}

void defaults_parse(struct test *test)
{
    const struct engine_param_array *params = &test->plugin->params;
    struct engine_error error;
    SKIP_UNLESS(test, params->count, "has no parameters");
    for (uint32_t i = 0; i < params->count; i++) {
        const struct engine_param *param = &params->at[i];
        REQUIRE(test, check_value(test, param->name, param->initial, &error) == 0, "%s: its default '%s': %s",
                param->name, param->initial, error.text);
        for (uint32_t c = 0; param->type == ENGINE_PARAM_CHOICE && param->choices[c]; c++)
            REQUIRE(test, check_value(test, param->name, param->choices[c], &error) == 0,
                    "%s: the choice '%s' is not accepted", param->name, param->choices[c]);
    }
    calls_check(test, "the check of a parameter");
}

/* Fills a field, as a whole or in pieces of several sizes that begin at many alignments. Returns false where the
 * generator refuses this size and gives a reason. */
static bool generate(struct test *test, const struct fixture *fixture, uint32_t generator, uint32_t field, bool whole,
                     uint8_t *out)
{
    static const uint64_t pieces[] = {1, 3, 7, 64, 100};
    const struct engine_shape *shape = engine_field_shape(fixture->plan, field);
    const uint64_t bytes = type_bytes(shape->type);
    uint64_t count = 0, n;
    shape_elements(shape, &count);
    for (uint64_t begin = 0, piece = 0; begin < count; begin += n, piece++) {
        n = whole ? count : pieces[piece % (sizeof pieces / sizeof pieces[0])];
        n = n < count - begin ? n : count - begin;
        const int code = fixture->guarded.about->generate(fixture->host, fixture->plan, generator, field, begin, n,
                                                          out + begin * bytes);
        if (code == ENGINE_INVALID && begin == 0 && calls_reason(test)[0])
            return false;
        REQUIRE(test, code == 0, "generator %s fails for field %s: %s", test->plugin->generators.at[generator].name,
                test->plugin->fields.at[field].name, calls_reason(test));
    }
    return true;
}

/* Returns false where the generator refuses this size. */
static bool generate_in_pieces(struct test *test, const struct fixture *fixture, uint32_t generator, uint32_t field)
{
    const struct engine_shape *shape = engine_field_shape(fixture->plan, field);
    uint64_t bytes = 0, first = 0;
    shape_bytes(shape, &bytes);
    uint8_t *whole = malloc(bytes), *parts = malloc(bytes);
    memset(whole, 0x5a, bytes), memset(parts, 0xa5, bytes);
    const bool taken = generate(test, fixture, generator, field, true, whole);
    if (taken) {
        generate(test, fixture, generator, field, false, parts);
        while (first < bytes && whole[first] == parts[first])
            first++;
        REQUIRE(test, first == bytes, "generator %s, field %s: element %llu differs if the field is made in pieces",
                test->plugin->generators.at[generator].name, test->plugin->fields.at[field].name,
                (unsigned long long) (first / type_bytes(shape->type)));
    }
    free(whole), free(parts);
    return taken;
}

/* Returns whether the generator took this size for every field. */
static bool generate_fields(struct test *test, const struct fixture *fixture, uint32_t generator)
{
    const struct engine_field_array *fields = &test->plugin->fields;
    bool taken = true;
    for (uint32_t f = 0; f < fields->count; f++)
        if (fields->at[f].role != ENGINE_OUTPUT)
            taken = generate_in_pieces(test, fixture, generator, f) && taken;
    return taken;
}

/* The first implementation that takes a size; NULL: none does. */
static struct fixture *fixture_of_any(struct test *test, struct setup setup)
{
    const struct engine_impl_array *impls = &test->plugin->impls;
    struct fixture *fixture = NULL;
    for (uint32_t i = 0; i < impls->count && !fixture; i++)
        fixture = impls->at[i].advance ? fixture_open(test, &impls->at[i], setup) : NULL;
    return fixture;
}

/* Tries a generator with the first size that it takes. Returns whether there is one. */
static bool try_sizes(struct test *test, uint32_t generator, const struct setup *sizes)
{
    bool taken = false;
    for (const struct setup *setup = sizes; setup->extent[0] && !taken; setup++) {
        struct fixture *fixture = fixture_of_any(test, *setup);
        if (!fixture)
            continue;
        taken = generate_fields(test, fixture, generator);
        fixture_close(fixture);
    }
    return taken;
}

void generators_do_not_depend_on_pieces(struct test *test)
{
    const uint32_t count = test->plugin->generators.count;
    SKIP_UNLESS(test, count, "has no generators");
    for (uint32_t i = 0; i < count; i++) {
        const bool small = try_sizes(test, i, fixture_sizes(test)),
                   usual = try_sizes(test, i, fixture_middle_sizes(test));
        SKIP_UNLESS(test, small || usual, "generator %s takes none of the sizes", test->plugin->generators.at[i].name);
    }
}

/* ---- Of an implementation ----------------------------------------------------------------------------------- */

/* Opens a fixture of the first size that the implementation takes, with its state filled and the instance created. */
static struct fixture *run_any(struct test *test)
{
    const struct setup *lists[] = {fixture_sizes(test), fixture_middle_sizes(test)};
    struct fixture *fixture = NULL;
    for (int i = 0; i < 2 && !fixture; i++)
        for (const struct setup *setup = lists[i]; setup->extent[0] && !fixture; setup++)
            fixture = cells_run(test, test->impl, *setup, 1);
    return fixture;
}

/* If no size can be tried, nothing is known about the implementation. The reason is that of a usual size. */
void a_step_is_taken(struct test *test)
{
    const struct setup usual = *fixture_middle_sizes(test);
    struct fixture *fixture = run_any(test);
    char clause[CONTEXT_WORDS];
    test->told->refuses_all = !fixture && !fixture_takes(test, test->impl, usual);
    REQUIRE(test, fixture || !test->given[0].extent[0], "it refuses the configuration: %s", test->refusal);
    REQUIRE(test, fixture,
            "it refuses every size of the suite, such as %s: %s; give conform a configuration that it takes%s",
            SIZE_TEXT(test, &usual), test->refusal,
            context_clause(test->caller, ENGINE_WORDS_CONFORM, test->name, clause));
    fixture_advance(fixture, 1);
    fixture_close(fixture);
    pace_measure(test, test->impl);
    pace_measure(test, test->promise.oracle);
}

void refusals_have_reasons(struct test *test)
{
    uint32_t refused = 0;
    (void) fixture_middle(test);
    for (const struct setup *setup = fixture_sizes(test); setup->extent[0]; setup++)
        refused += !fixture_takes(test, test->impl, *setup);
    SKIP_UNLESS(test, refused, "it refuses none of the sizes");
}

void create_and_destroy_alone(struct test *test)
{
    for (const struct setup *setup = fixture_sizes(test); setup->extent[0]; setup++)
        for (int times = 0; times < 2; times++) {
            struct fixture *fixture = cells_run(test, test->impl, *setup, 1);
            if (fixture)
                fixture_close(fixture);
        }
    memory_check_released(test);
}

static struct fixture *measured(struct test *test, const struct engine_impl *impl, struct setup setup, uint64_t steps,
                                double values[METRICS_MAX])
{
    struct fixture *fixture = cells_run(test, impl, setup, 13);
    if (!fixture)
        return NULL;
    if (steps)
        fixture_advance(fixture, steps);
    if (fixture_measure(fixture, values))
        return fixture;
    fixture_close(fixture);
    return NULL;
}

bool metrics_agree(const struct test *test, double a, double b)
{
    if (isnan(a) && isnan(b))
        return true;
    if (test->promise.tolerance == 0 && a == floor(a) && b == floor(b))
        return a == b;
    const double tolerance = fmax(test->promise.tolerance, 1e-6); /* sums of floats may be added in any order */
    return fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
}

static void compare_metrics(struct test *test, struct setup setup, uint64_t steps)
{
    double first[METRICS_MAX] = {0}, again[METRICS_MAX] = {0}, other[METRICS_MAX] = {0};
    const struct engine_metric_array *metrics = &test->plugin->metrics;
    struct fixture *fixture = measured(test, test->impl, setup, steps, first);
    if (!fixture)
        return;
    struct cells before = cells_read(fixture);
    fixture_measure(fixture, again);
    struct cells after = cells_read(fixture);
    cells_compare(&after, &before, 0, "measure changed the state");
    struct fixture *oracle = test->promise.oracle ? measured(test, test->promise.oracle, setup, steps, other) : NULL;
    for (uint32_t m = 0; m < metrics->count; m++) {
        REQUIRE(test, first[m] == again[m], "%s at step %llu of %s: %.17g, measured again %.17g", metrics->at[m].name,
                (unsigned long long) steps, SIZE_TEXT(test, &setup), first[m], again[m]);
        REQUIRE(test, !oracle || metrics_agree(test, first[m], other[m]),
                "%s at step %llu of %s: %.17g, the reference says %.17g", metrics->at[m].name,
                (unsigned long long) steps, SIZE_TEXT(test, &setup), first[m], other[m]);
    }
    if (oracle)
        fixture_close(oracle);
    cells_free(&before), cells_free(&after);
    fixture_close(fixture);
}

void measures_agree(struct test *test)
{
    SKIP_UNLESS(test, test->impl->measure && test->plugin->metrics.count, "does not measure");
    const struct setup middle = fixture_middle(test);
    for (uint64_t steps = 0; steps < 4; steps++)
        compare_metrics(test, middle, steps);
    for (const struct setup *setup = fixture_sizes(test); setup->extent[0]; setup++)
        compare_metrics(test, *setup, 1);
}

void hashes_agree(struct test *test)
{
    SKIP_UNLESS(test, test->promise.oracle, "this is the reference");
    SKIP_UNLESS(test, test->impl->flags & test->promise.oracle->flags & ENGINE_EXACT,
                "does not declare that it is exact");
    const struct setup setup = fixture_middle(test);
    struct engine_error error;
    struct fixture *two[2] = {cells_run(test, test->impl, setup, 4), cells_run(test, test->promise.oracle, setup, 4)};
    for (int round = 0; round < 4; round++) {
        char text[2][ENGINE_HASH_SIZE];
        for (int i = 0; i < 2; i++)
            REQUIRE(test, engine_run_hash(two[i]->run, text[i], &error) == 0, "%s", error.text);
        REQUIRE(test, strcmp(text[0], text[1]) == 0, "hash %s at step %llu, the reference has %s", text[0],
                (unsigned long long) engine_run_step(two[0]->run), text[1]);
        for (int i = 0; i < 2; i++)
            fixture_advance(two[i], 5);
    }
    fixture_close(two[0]), fixture_close(two[1]);
}

/* This tests above all an implementation's own pack and unpack. */
void ranges_of_cells_fit_together(struct test *test)
{
    const struct setup setup = fixture_middle(test);
    struct fixture *fixture = fixture_open(test, test->impl, setup);
    struct cells cells = cells_start(fixture, 6), is;
    struct engine_error error;
    for (uint32_t f = 0; f < cells.count; f++) {
        uint64_t count = 0;
        const uint64_t bytes = type_bytes(cells.shape[f].type);
        if (!cells.at[f] || !shape_elements(&cells.shape[f], &count))
            continue;
        for (uint64_t end = count, n; end > 0; end -= n) { /* backwards, in pieces of odd sizes */
            n = 1 + mix(end, 9) % 150 < end ? 1 + mix(end, 9) % 150 : end;
            const uint8_t *from = (const uint8_t *) cells.at[f] + (end - n) * bytes;
            REQUIRE(test, engine_run_feed(fixture->run, f, end - n, n, from, &error) == 0, "%s", error.text);
        }
        uint8_t piece[150 * 16];
        for (uint64_t begin = 0, n; begin < count; begin += n) {
            n = 1 + mix(begin, 8) % 150 < count - begin ? 1 + mix(begin, 8) % 150 : count - begin;
            REQUIRE(test, engine_run_fetch(fixture->run, f, begin, n, piece, &error) == 0, "%s", error.text);
            REQUIRE(test, memcmp(piece, (const uint8_t *) cells.at[f] + begin * bytes, n * bytes) == 0,
                    "elements from %llu on differ from those that were written", (unsigned long long) begin);
        }
    }
    is = cells_read(fixture);
    for (uint32_t f = 0; f < cells.count; f++)
        if (cells.at[f]) {
            uint64_t bytes = 0;
            shape_bytes(&cells.shape[f], &bytes);
            REQUIRE(test, memcmp(is.at[f], cells.at[f], bytes) == 0,
                    "a whole field differs from the pieces that were written");
        }
    cells_free(&is), cells_free(&cells);
    fixture_close(fixture);
}

/* ---- Tuning ------------------------------------------------------------------------------------------------- */

/* Writes the i-th value worth trying of a parameter. Returns false after the last. */
static bool tuning_text(const struct engine_param *param, uint32_t i, char text[64])
{
    const double numbers[] = {param->min, param->min + 1, 2, 3, 5, 64};
    if (param->type == ENGINE_PARAM_CHOICE && param->choices[i])
        return snprintf(text, 64, "%s", param->choices[i]) > 0;
    if (param->type == ENGINE_PARAM_FLAG && i < 2)
        return snprintf(text, 64, "%s", i ? "yes" : "no") > 0;
    if (param->type == ENGINE_PARAM_INTEGER && i < 6)
        return snprintf(text, 64, "%.0f", numbers[i]) > 0;
    return false;
}

static void compare_tuned(struct test *test, struct setup setup, const struct engine_param *param,
                          const struct cells *should)
{
    char text[64], assignment[256];
    for (uint32_t i = 0; tuning_text(param, i, text); i++) {
        snprintf(assignment, sizeof assignment, "%s.%s=%s", test->plugin->name, param->name, text);
        setup.set = assignment;
        struct fixture *fixture = cells_run(test, test->impl, setup, 17);
        if (!fixture)
            continue; /* it may refuse a value, with a reason */
        fixture_advance(fixture, 11);
        struct cells is = cells_read(fixture);
        cells_compare(&is, should, test->impl->tolerance, "with %s = %s, which should change speed alone", param->name,
                      text);
        cells_free(&is);
        fixture_close(fixture);
    }
}

void tuning_changes_no_result(struct test *test)
{
    const struct engine_param_array *params = &test->plugin->params;
    const struct setup setup = fixture_middle(test);
    uint32_t tried = 0;
    struct fixture *fixture = cells_run(test, test->impl, setup, 17);
    fixture_advance(fixture, 11);
    struct cells should = cells_read(fixture);
    fixture_close(fixture);
    for (uint32_t i = 0; i < params->count; i++)
        if (params->at[i].flags & ENGINE_PARAM_TUNING) {
            compare_tuned(test, setup, &params->at[i], &should);
            tried++;
        }
    cells_free(&should);
    SKIP_UNLESS(test, tried, "the plugin has no tuning parameters");
}

void costs_are_numbers(struct test *test)
{
    SKIP_UNLESS(test, test->impl->cost, "does not declare what its work costs");
    const struct setup setup = fixture_middle(test);
    struct fixture *fixture = fixture_open(test, test->impl, setup);
    struct engine_cost cost = {.size = sizeof cost};
    const int code = engine_run_impl(fixture->run)->cost(fixture->host, fixture->plan, &cost);
    REQUIRE(test, code == 0, "cost fails: %s", calls_reason(test));
    REQUIRE(test, cost.operation <= ENGINE_OPS_LOOKUP, "kind %u of operations is unknown", cost.operation);
    REQUIRE(test, isfinite(cost.operations) && cost.operations >= 0 && isfinite(cost.bytes) && cost.bytes >= 0,
            "%g operations and %g bytes a unit of work", cost.operations, cost.bytes);
    fixture_close(fixture);
}
