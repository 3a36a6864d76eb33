/* Properties of everything around the results: creation and its failure, measures, hashes, ranges, tuning, generators.
 */
#include "config/param.h"
#include "judge/conform/conform.h"
#include "judge/conform/properties.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METRICS = 64 };

/* ---- Of the plugin ------------------------------------------------------------------------------------------ */

void defaults_parse(void)
{
    const struct engine_param_array *params = &subject.plugin->about.params;
    struct host host;
    host_init(&host, NULL, subject.plugin->about.name, 1, NULL);
    const struct param_checker checker = host_param_checker(&host);
    for (uint32_t i = 0; i < params->count; i++) {
        const struct engine_param *param = &params->at[i];
        struct engine_value value;
        struct engine_error error;
        REQUIRE(param_parse(param, param->initial, &checker, &value, &error) == 0, "%s: its default '%s': %s",
                param->name, param->initial, error.text);
        for (uint32_t c = 0; param->type == ENGINE_PARAM_CHOICE && param->choices[c]; c++)
            REQUIRE(param_parse(param, param->choices[c], &checker, &value, &error) == 0 && value.integer == c,
                    "%s: choice '%s' is not taken", param->name, param->choices[c]);
    }
    host_release(&host);
}

/* False: the generator refuses this size, with a reason. */
static bool generate(const struct rig *rig, uint32_t generator, uint32_t field, uint64_t count, uint64_t piece,
                     uint8_t *out)
{
    struct host host;
    host_init(&host, NULL, subject.plugin->about.name, 1, NULL);
    const uint64_t bytes = type_bytes(rig->plan->shapes[field].type);
    for (uint64_t begin = 0; begin < count; begin += piece) {
        const uint64_t n = count - begin < piece ? count - begin : piece;
        const int code = subject.plugin->about.generate(&host.table, &rig->plan->for_plugin, generator, field, begin, n,
                                                        out + begin * bytes);
        if (code == ENGINE_INVALID && begin == 0 && host.reason[0])
            return false;
        REQUIRE(code == 0, "generator %s fails for field %s: %s", subject.plugin->about.generators.at[generator].name,
                subject.plugin->about.fields.at[field].name, host.reason);
    }
    host_release(&host);
    return true;
}

static void generate_in_pieces(const struct rig *rig, uint32_t generator, uint32_t field)
{
    static const uint64_t pieces[] = {1, 3, 7, 64, 100};
    uint64_t count = 0, bytes = 0;
    shape_elements(&rig->plan->shapes[field], &count);
    shape_bytes(&rig->plan->shapes[field], &bytes);
    uint8_t *whole = malloc(bytes), *parts = malloc(bytes);
    memset(whole, 0x5a, bytes), memset(parts, 0xa5, bytes);
    const bool taken = generate(rig, generator, field, count, count, whole);
    for (size_t i = 0; taken && i < sizeof pieces / sizeof pieces[0]; i++) {
        generate(rig, generator, field, count, pieces[i], parts);
        REQUIRE(memcmp(whole, parts, bytes) == 0, "generator %s, field %s: pieces of %llu are not the whole",
                subject.plugin->about.generators.at[generator].name, subject.plugin->about.fields.at[field].name,
                (unsigned long long) pieces[i]);
    }
    free(whole), free(parts);
}

static void generate_all_in_pieces(const struct rig *rig)
{
    const struct engine_plugin *about = &subject.plugin->about;
    for (uint32_t g = 0; g < about->generators.count; g++)
        for (uint32_t f = 0; f < about->fields.count; f++)
            if (about->fields.at[f].role != ENGINE_OUTPUT)
                generate_in_pieces(rig, g, f);
}

void generators_do_not_care_for_splits(void)
{
    const struct engine_plugin *about = &subject.plugin->about;
    SKIP_UNLESS(about->generators.count, "has no generators");
    uint32_t tried = 0;
    for (uint32_t i = 0; i < about->impls.count && !tried; i++)
        for (int size = 1; size <= 8; size += 7) { /* a small one, too */
            subject.impl = &about->impls.at[i];
            struct rig *rig = subject.impl->advance ? rig_open(subject.impl, sizes()[size]) : NULL;
            if (!rig)
                continue;
            tried++;
            generate_all_in_pieces(rig);
            rig_close(rig);
        }
    SKIP_UNLESS(tried, "no implementation can run here");
}

/* ---- Of an implementation ----------------------------------------------------------------------------------- */

void refusals_have_reasons(void)
{
    (void) middling();
    for (const struct setup *setup = sizes(); setup->extent[0]; setup++) {
        struct rig *rig = rig_open(subject.impl, *setup);
        if (rig)
            rig_close(rig);
    }
}

void create_and_destroy_alone(void)
{
    for (const struct setup *setup = sizes(); setup->extent[0]; setup++)
        for (int times = 0; times < 2; times++) {
            struct rig *rig = rig_run(subject.impl, *setup, 1);
            if (rig)
                rig_close(rig);
        }
    memory_check_released();
}

/* Every allocation of create fails once. */
void create_survives_a_lack_of_memory(void)
{
    const struct setup setup = middling();
    uint64_t count = 1;
    for (uint64_t nth = 1; nth <= count; nth++) {
        struct rig *rig = rig_open(subject.impl, setup);
        struct engine_error error = {0};
        struct cells cells = cells_random(rig, 2);
        cells_write(rig, &cells);
        memory_fail(nth);
        const int status = instance_open(rig->state, &rig->instance, &error);
        count = memory_allocations() > count ? memory_allocations() : count;
        const bool failed = memory_allocations() >= nth;
        memory_fail(0);
        SKIP_UNLESS(failed || nth > 1, "create allocates nothing through the engine");
        REQUIRE(status == 0 ||
                    (status == ENGINE_STATUS_DEVICE && error.text[0] && !strstr(error.text, "without a reason")),
                "without its allocation %llu create fails with status %d: %s", (unsigned long long) nth, status,
                error.text);
        if (status == 0)
            rig_advance(rig, 2);
        rig_close(rig);
        cells_free(&cells);
        memory_check_released();
    }
}

static struct rig *measured(const struct engine_impl *impl, struct setup setup, uint64_t steps, double values[METRICS])
{
    struct engine_error error;
    bool is_measured;
    struct rig *rig = rig_run(impl, setup, 13);
    if (!rig)
        return NULL;
    if (steps)
        rig_advance(rig, steps);
    REQUIRE(instance_measure(rig->instance, values, &is_measured, &error) == 0, "measure: %s", error.text);
    if (is_measured)
        return rig;
    rig_close(rig);
    return NULL;
}

static bool agree(double a, double b)
{
    if (subject.impl->flags & ENGINE_EXACT && a == floor(a) && b == floor(b))
        return a == b;
    const double tolerance = fmax(subject.impl->tolerance, 1e-6); /* sums of floats may be added in any order */
    return fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
}

static void compare_metrics(struct setup setup, uint64_t steps)
{
    double first[METRICS] = {0}, again[METRICS] = {0}, other[METRICS] = {0};
    const struct engine_metric_array *metrics = &subject.plugin->about.metrics;
    struct rig *rig = measured(subject.impl, setup, steps, first);
    if (!rig)
        return;
    struct engine_error error;
    bool is_measured;
    struct cells before = cells_read(rig);
    REQUIRE(instance_measure(rig->instance, again, &is_measured, &error) == 0, "measure again: %s", error.text);
    struct cells after = cells_read(rig);
    cells_compare(&after, &before, 0, "measure changed the state");
    struct rig *oracle = subject.oracle ? measured(subject.oracle, setup, steps, other) : NULL;
    for (uint32_t m = 0; m < metrics->count; m++) {
        REQUIRE(first[m] == again[m], "%s at step %llu of %s: %.17g, measured again %.17g", metrics->at[m].name,
                (unsigned long long) steps, size_text(&setup), first[m], again[m]);
        REQUIRE(!oracle || agree(first[m], other[m]), "%s at step %llu of %s: %.17g, the reference says %.17g",
                metrics->at[m].name, (unsigned long long) steps, size_text(&setup), first[m], other[m]);
    }
    if (oracle)
        rig_close(oracle);
    cells_free(&before), cells_free(&after);
    rig_close(rig);
}

void measures_agree(void)
{
    SKIP_UNLESS(subject.impl->measure && subject.plugin->about.metrics.count, "does not measure");
    REQUIRE(subject.plugin->about.metrics.count <= METRICS, "has more than %d metrics", METRICS);
    const struct setup middle = middling();
    for (uint64_t steps = 0; steps < 4; steps++)
        compare_metrics(middle, steps);
    for (const struct setup *setup = sizes(); setup->extent[0]; setup++)
        compare_metrics(*setup, 1);
}

void hashes_agree(void)
{
    SKIP_UNLESS(subject.oracle, "this is the reference");
    SKIP_UNLESS(subject.impl->flags & subject.oracle->flags & ENGINE_EXACT, "does not say that it is exact");
    const struct setup setup = middling();
    struct engine_error error;
    struct rig *two[2] = {rig_run(subject.impl, setup, 4), rig_run(subject.oracle, setup, 4)};
    for (int round = 0; round < 4; round++) {
        char text[2][HASH_TEXT];
        for (int i = 0; i < 2; i++)
            REQUIRE(state_hash(two[i]->state, text[i], &error) == 0, "%s", error.text);
        REQUIRE(strcmp(text[0], text[1]) == 0, "hash %s at step %llu, the reference has %s", text[0],
                (unsigned long long) two[0]->state->step, text[1]);
        for (int i = 0; i < 2; i++)
            rig_advance(two[i], 5);
    }
    rig_close(two[0]), rig_close(two[1]);
}

/* For an implementation's own pack and unpack, above all. */
void ranges_of_cells_fit_together(void)
{
    const struct setup setup = middling();
    struct rig *rig = rig_open(subject.impl, setup);
    struct cells cells = cells_random(rig, 6), is;
    struct engine_error error;
    for (uint32_t f = 0; f < cells.count; f++) {
        uint64_t count = 0;
        const uint64_t bytes = type_bytes(cells.shape[f].type);
        if (!cells.at[f] || !shape_elements(&cells.shape[f], &count))
            continue;
        for (uint64_t end = count, n; end > 0; end -= n) { /* backwards, in pieces of odd sizes */
            n = 1 + mix(end, 9) % 150 < end ? 1 + mix(end, 9) % 150 : end;
            const uint8_t *from = (const uint8_t *) cells.at[f] + (end - n) * bytes;
            REQUIRE(state_write(rig->state, f, end - n, n, from, &error) == 0, "%s", error.text);
        }
        uint8_t piece[150 * 16];
        for (uint64_t begin = 0, n; begin < count; begin += n) {
            n = 1 + mix(begin, 8) % 150 < count - begin ? 1 + mix(begin, 8) % 150 : count - begin;
            REQUIRE(state_read(rig->state, f, begin, n, piece, &error) == 0, "%s", error.text);
            REQUIRE(memcmp(piece, (const uint8_t *) cells.at[f] + begin * bytes, n * bytes) == 0,
                    "elements from %llu on are not what was written", (unsigned long long) begin);
        }
    }
    is = cells_read(rig);
    for (uint32_t f = 0; f < cells.count; f++)
        if (cells.at[f]) {
            uint64_t bytes = 0;
            shape_bytes(&cells.shape[f], &bytes);
            REQUIRE(memcmp(is.at[f], cells.at[f], bytes) == 0, "a whole field is not what was written in pieces");
        }
    cells_free(&is), cells_free(&cells);
    rig_close(rig);
}

/* ---- Tuning ------------------------------------------------------------------------------------------------- */

/* The i-th text worth trying for a parameter, or false after the last. */
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

static void compare_tuned(struct setup setup, const struct engine_param *param, const struct cells *should)
{
    char text[64], assignment[256];
    for (uint32_t i = 0; tuning_text(param, i, text); i++) {
        snprintf(assignment, sizeof assignment, "%s.%s=%s", subject.plugin->about.name, param->name, text);
        setup.set = assignment;
        struct rig *rig = rig_run(subject.impl, setup, 17);
        if (!rig)
            continue; /* refused with a reason: its own business */
        rig_advance(rig, 11);
        struct cells is = cells_read(rig);
        cells_compare(&is, should, tolerance_of(subject.impl), "with %s = %s, which should change speed alone",
                      param->name, text);
        cells_free(&is);
        rig_close(rig);
    }
}

void tuning_changes_no_result(void)
{
    const struct engine_param_array *params = &subject.plugin->about.params;
    const struct setup setup = middling();
    uint32_t tried = 0;
    struct rig *rig = rig_run(subject.impl, setup, 17);
    rig_advance(rig, 11);
    struct cells should = cells_read(rig);
    rig_close(rig);
    for (uint32_t i = 0; i < params->count; i++)
        if (params->at[i].flags & ENGINE_PARAM_TUNING) {
            compare_tuned(setup, &params->at[i], &should);
            tried++;
        }
    cells_free(&should);
    SKIP_UNLESS(tried, "the plugin has no tuning parameters");
}

void costs_are_numbers(void)
{
    SKIP_UNLESS(subject.impl->cost, "does not say what its work costs");
    const struct setup setup = middling();
    struct rig *rig = rig_open(subject.impl, setup);
    struct engine_cost cost = {.size = sizeof cost};
    const int code = subject.impl->cost(&rig->plan->host.table, &rig->plan->for_plugin, &cost);
    REQUIRE(code == 0, "cost fails: %s", rig->plan->host.reason);
    REQUIRE(cost.operation <= ENGINE_OPS_LOOKUP, "kind %u of operations is unknown", cost.operation);
    REQUIRE(isfinite(cost.operations) && cost.operations >= 0 && isfinite(cost.bytes) && cost.bytes >= 0,
            "%g operations and %g bytes a unit of work", cost.operations, cost.bytes);
    rig_close(rig);
}
