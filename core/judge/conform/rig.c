#include "judge/conform/rig.h"
#include "judge/conform/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Sizes -------------------------------------------------------------------------------------------------- */

static const struct setup lines[] = {
    {.extent = {1, 1, 1}},   {.extent = {2, 1, 1}},    {.extent = {3, 1, 1}},    {.extent = {5, 1, 1}},
    {.extent = {31, 1, 1}},  {.extent = {32, 1, 1}},   {.extent = {63, 1, 1}},   {.extent = {64, 1, 1}},
    {.extent = {65, 1, 1}},  {.extent = {127, 1, 1}},  {.extent = {129, 1, 1}},  {.extent = {511, 1, 1}},
    {.extent = {513, 1, 1}}, {.extent = {1000, 1, 1}}, {.extent = {4097, 1, 1}}, {.extent = {300001, 1, 1}},
    {.extent = {0}},
};

static const struct setup planes[] = {
    {.extent = {1, 1, 1}},     {.extent = {1, 2, 1}},     {.extent = {2, 1, 1}},   {.extent = {2, 2, 1}},
    {.extent = {3, 3, 1}},     {.extent = {1, 64, 1}},    {.extent = {64, 1, 1}},  {.extent = {63, 5, 1}},
    {.extent = {64, 64, 1}},   {.extent = {65, 7, 1}},    {.extent = {127, 3, 1}}, {.extent = {128, 128, 1}},
    {.extent = {129, 31, 1}},  {.extent = {130, 2, 1}},   {.extent = {200, 1, 1}}, {.extent = {256, 17, 1}},
    {.extent = {511, 9, 1}},   {.extent = {513, 17, 1}},  {.extent = {5, 300, 1}}, {.extent = {1000, 37, 1}},
    {.extent = {515, 307, 1}}, {.extent = {768, 512, 1}}, {.extent = {0}},
};

static const struct setup volumes[] = {
    {.extent = {1, 1, 1}},    {.extent = {1, 1, 2}},     {.extent = {1, 2, 1}},     {.extent = {2, 1, 1}},
    {.extent = {2, 2, 2}},    {.extent = {3, 3, 3}},     {.extent = {1, 1, 64}},    {.extent = {1, 64, 1}},
    {.extent = {64, 1, 1}},   {.extent = {63, 5, 3}},    {.extent = {64, 32, 4}},   {.extent = {65, 7, 2}},
    {.extent = {127, 3, 5}},  {.extent = {128, 8, 8}},   {.extent = {129, 3, 31}},  {.extent = {130, 2, 2}},
    {.extent = {513, 4, 17}}, {.extent = {65, 130, 33}}, {.extent = {128, 64, 64}}, {.extent = {0}},
};

/* Columns, rows and batches; also squares, which some implementations transpose in place. */
static const struct setup matrices[] = {
    {.extent = {1, 1, 1}},     {.extent = {1, 2, 1}},     {.extent = {2, 1, 1}},     {.extent = {2, 2, 1}},
    {.extent = {3, 3, 5}},     {.extent = {1, 64, 1}},    {.extent = {64, 1, 1}},    {.extent = {17, 33, 1}},
    {.extent = {64, 64, 1}},   {.extent = {65, 7, 2}},    {.extent = {3, 1000, 1}},  {.extent = {1000, 3, 1}},
    {.extent = {127, 3, 1}},   {.extent = {1, 5000, 1}},  {.extent = {5000, 1, 1}},  {.extent = {128, 128, 3}},
    {.extent = {129, 31, 1}},  {.extent = {256, 17, 4}},  {.extent = {131, 131, 2}}, {.extent = {511, 257, 1}},
    {.extent = {260, 300, 2}}, {.extent = {512, 320, 1}}, {.extent = {321, 321, 1}}, {.extent = {0}},
};

static bool has_matrices(const struct test *test)
{
    const struct engine_field_array *fields = &test->plugin->about.fields;
    for (uint32_t i = 0; i < fields->count; i++)
        if (fields->at[i].kind == ENGINE_MATRIX)
            return true;
    return false;
}

/* The number of axes of the plugin's grids; 1 where it has only particles. */
static uint32_t rank(const struct test *test)
{
    uint32_t most = 1;
    const struct engine_field_array *fields = &test->plugin->about.fields;
    for (uint32_t i = 0; i < fields->count; i++)
        most = fields->at[i].rank > most ? fields->at[i].rank : most;
    return most;
}

const struct setup *rig_sizes(const struct test *test)
{
    if (has_matrices(test))
        return matrices;
    return rank(test) == 1 ? lines : rank(test) == 2 ? planes : volumes;
}

const char *rig_size_text(const struct setup *setup, char text[SIZE_TEXT_MAX])
{
    snprintf(text, SIZE_TEXT_MAX, "%llux%llux%llu", (unsigned long long) setup->extent[0],
             (unsigned long long) setup->extent[1], (unsigned long long) setup->extent[2]);
    return text;
}

/* ---- Configurations ----------------------------------------------------------------------------------------- */

static void set(const struct test *test, struct config *config, const char *assignment)
{
    struct engine_error error;
    REQUIRE(test, config_set(config, assignment, &error) == 0, "--set %s: %s", assignment, error.text);
}

static void set_size(const struct test *test, struct config *config, const struct engine_field *field,
                     const struct setup *setup)
{
    char text[160];
    const unsigned long long x = setup->extent[0], y = setup->extent[1], z = setup->extent[2];
    if (field->kind == ENGINE_GRID) {
        int length = snprintf(text, sizeof text, "grid.size=%llu", x);
        if (field->rank > 1)
            length += snprintf(text + length, sizeof text - (size_t) length, " %llu", y);
        if (field->rank > 2)
            snprintf(text + length, sizeof text - (size_t) length, " %llu", z);
        set(test, config, text);
    } else if (field->kind == ENGINE_PARTICLES) {
        snprintf(text, sizeof text, "particles.count=%llu", x * y * z);
        set(test, config, text);
    } else if (field->kind == ENGINE_MATRIX) {
        snprintf(text, sizeof text, "matrix.columns=%llu", x);
        set(test, config, text);
        snprintf(text, sizeof text, "matrix.rows=%llu", y);
        set(test, config, text);
        snprintf(text, sizeof text, "matrix.batch=%llu", z);
        set(test, config, text);
        if (field->type == ENGINE_CONFIGURED)
            set(test, config, "matrix.element=float32");
    }
}

static struct config *configure(const struct test *test, const struct setup *setup)
{
    struct config *config;
    struct engine_error error;
    char text[160];
    REQUIRE(test, config_open(NULL, &config, &error) == 0, "%s", error.text);
    snprintf(text, sizeof text, "run.plugin=%s", test->plugin->about.name);
    set(test, config, text);
    snprintf(text, sizeof text, "run.threads=%u", setup->threads ? setup->threads : 2);
    set(test, config, text);
    for (uint32_t i = 0; i < test->plugin->about.fields.count; i++)
        set_size(test, config, &test->plugin->about.fields.at[i], setup);
    for (uint32_t i = 0; i < test->setting_count; i++)
        set(test, config, test->settings[i]);
    if (setup->set)
        set(test, config, setup->set);
    return config;
}

/* ---- Rigs --------------------------------------------------------------------------------------------------- */

/* Work of one step, in units. A hundred steps of the most take some seconds on one thread. */
static const double most_work = 5e6;

/* Makes the plan and chooses the implementation. Returns false where the size is refused with a reason, or where a step
 * is too much work for a test. */
static bool plan_rig(struct rig *rig, const struct engine_impl *impl, const struct setup *setup)
{
    struct engine_error error = {0};
    struct test *test = rig->test;
    test->refusal[0] = '\0';
    if (plan_open(rig->config, test->registry, &rig->plan, &error) != 0) {
        REQUIRE(test, error.status == ENGINE_STATUS_USAGE && error.text[0] && !strstr(error.text, "without a reason"),
                "size %s: the plan fails with status %d: %s", SIZE_TEXT(setup), error.status, error.text);
        snprintf(test->refusal, sizeof test->refusal, "%s", error.text);
        return false;
    }
    const struct plan_verdict verdict = plan_judge(rig->plan, impl);
    if (!verdict.usable) {
        REQUIRE(test, verdict.reason[0] && !strstr(verdict.reason, "without a reason"),
                "size %s is refused without a reason", SIZE_TEXT(setup));
        REQUIRE(test, !strstr(verdict.reason, "layout of field"), "size %s: %s", SIZE_TEXT(setup), verdict.reason);
        snprintf(test->refusal, sizeof test->refusal, "%s", verdict.reason);
        return false;
    }
    REQUIRE(test, plan_choose(rig->plan, impl->name, &error) == 0, "size %s: %s", SIZE_TEXT(setup), error.text);
    REQUIRE(test, rig->plan->impl == impl, "size %s: another implementation was chosen", SIZE_TEXT(setup));
    snprintf(test->refusal, sizeof test->refusal, "%g %s a step are too much work for a test", rig->plan->work.per_step,
             rig->plan->work.unit);
    return rig->plan->work.per_step <= most_work;
}

static bool accepts(struct test *test, const struct engine_impl *impl, struct setup setup)
{
    struct rig *rig = rig_open(test, impl, setup);
    if (rig)
        rig_close(rig);
    return rig != NULL;
}

struct setup rig_middle(struct test *test)
{
    static const struct setup middle_matrices[] = {
        {.extent = {203, 61, 1}}, {.extent = {256, 64, 1}}, {.extent = {131, 131, 1}}, {.extent = {0}}};
    static const struct setup middle[3][4] = {
        {{.extent = {1021, 1, 1}}, {.extent = {1024, 1, 1}}, {.extent = {4096, 1, 1}}, {.extent = {0}}},
        {{.extent = {203, 61, 1}}, {.extent = {256, 64, 1}}, {.extent = {1024, 64, 1}}, {.extent = {0}}},
        {{.extent = {71, 23, 13}}, {.extent = {64, 32, 16}}, {.extent = {256, 16, 8}}, {.extent = {0}}},
    };
    const struct setup *setup = has_matrices(test) ? middle_matrices : middle[rank(test) - 1];
    while (setup->extent[0] && !(accepts(test, test->impl, *setup) &&
                                 (!test->promise.oracle || accepts(test, test->promise.oracle, *setup))))
        setup++;
    SKIP_UNLESS(test, setup->extent[0], "%s", test->refusal);
    return *setup;
}

struct setup rig_large(struct test *test)
{
    struct setup last = {.extent = {0}};
    for (const struct setup *setup = rig_sizes(test); setup->extent[0]; setup++)
        if (accepts(test, test->impl, *setup))
            last = *setup;
    SKIP_UNLESS(test, last.extent[0], "%s", test->refusal);
    return last;
}

struct rig *rig_open(struct test *test, const struct engine_impl *impl, struct setup setup)
{
    struct engine_error error;
    struct rig *rig = calloc(1, sizeof *rig);
    REQUIRE(test, rig, "no memory");
    rig->test = test;
    rig->config = configure(test, &setup);
    if (!plan_rig(rig, impl, &setup)) {
        rig_close(rig);
        return NULL;
    }
    REQUIRE(test, state_open(rig->plan, &rig->state, &error) == 0, "size %s: %s", SIZE_TEXT(&setup), error.text);
    return rig;
}

void rig_start(struct rig *rig)
{
    struct engine_error error;
    REQUIRE(rig->test, instance_open(rig->state, &rig->instance, &error) == 0, "create: %s", error.text);
}

uint64_t rig_most(const struct rig *rig, uint64_t limit)
{
    return rig->plan->most_steps < limit ? rig->plan->most_steps : limit;
}

void rig_advance(struct rig *rig, uint64_t steps)
{
    struct engine_error error;
    while (steps > 0) {
        const uint64_t n = rig_most(rig, steps);
        REQUIRE(rig->test, instance_advance(rig->instance, n, NULL, &error) == 0, "%s (%llu steps from step %llu)",
                error.text, (unsigned long long) n, (unsigned long long) rig->state->step);
        steps -= n;
    }
    memory_check(rig->test);
}

void rig_close(struct rig *rig)
{
    instance_close(rig->instance);
    state_close(rig->state);
    plan_close(rig->plan);
    config_close(rig->config);
    free(rig);
}
