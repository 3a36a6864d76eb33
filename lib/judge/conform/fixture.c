#include "judge/conform/fixture.h"
#include "base/type.h"
#include "judge/conform/calls.h"
#include "judge/conform/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NARROW_MAX = 70 }; /* the widths up to here are all tried */

/* ---- Sizes -------------------------------------------------------------------------------------------------- */

static const struct setup lines[] = {
    {.extent = {1, 1, 1}},   {.extent = {2, 1, 1}},    {.extent = {3, 1, 1}},    {.extent = {5, 1, 1}},
    {.extent = {31, 1, 1}},  {.extent = {32, 1, 1}},   {.extent = {63, 1, 1}},   {.extent = {64, 1, 1}},
    {.extent = {65, 1, 1}},  {.extent = {127, 1, 1}},  {.extent = {129, 1, 1}},  {.extent = {511, 1, 1}},
    {.extent = {513, 1, 1}}, {.extent = {1000, 1, 1}}, {.extent = {4097, 1, 1}}, {.extent = {300001, 1, 1}},
    {.extent = {0}},
};

static const struct setup planes[] = {
    {.extent = {1, 1, 1}},     {.extent = {1, 2, 1}},    {.extent = {2, 1, 1}},     {.extent = {2, 2, 1}},
    {.extent = {3, 3, 1}},     {.extent = {1, 64, 1}},   {.extent = {64, 1, 1}},    {.extent = {63, 5, 1}},
    {.extent = {64, 64, 1}},   {.extent = {65, 7, 1}},   {.extent = {127, 3, 1}},   {.extent = {128, 128, 1}},
    {.extent = {129, 31, 1}},  {.extent = {130, 2, 1}},  {.extent = {200, 1, 1}},   {.extent = {256, 17, 1}},
    {.extent = {511, 9, 1}},   {.extent = {513, 17, 1}}, {.extent = {5, 300, 1}},   {.extent = {1000, 37, 1}},
    {.extent = {4099, 3, 1}},  {.extent = {3, 4099, 1}}, {.extent = {66001, 1, 1}}, {.extent = {515, 307, 1}},
    {.extent = {768, 512, 1}}, {.extent = {0}},
};

static const struct setup volumes[] = {
    {.extent = {1, 1, 1}},     {.extent = {1, 1, 2}},     {.extent = {1, 2, 1}},    {.extent = {2, 1, 1}},
    {.extent = {2, 2, 2}},     {.extent = {3, 3, 3}},     {.extent = {1, 1, 64}},   {.extent = {1, 64, 1}},
    {.extent = {64, 1, 1}},    {.extent = {63, 5, 3}},    {.extent = {64, 32, 4}},  {.extent = {65, 7, 2}},
    {.extent = {127, 3, 5}},   {.extent = {128, 8, 8}},   {.extent = {129, 3, 31}}, {.extent = {130, 2, 2}},
    {.extent = {513, 4, 17}},  {.extent = {4099, 2, 1}},  {.extent = {2, 1030, 3}}, {.extent = {3, 2, 1030}},
    {.extent = {65, 130, 33}}, {.extent = {128, 64, 64}}, {.extent = {0}},
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

static bool has(const struct test *test, uint32_t kind)
{
    const struct engine_field_array *fields = &test->plugin->fields;
    for (uint32_t i = 0; i < fields->count; i++)
        if (fields->at[i].kind == kind)
            return true;
    return false;
}

/* The number of axes of the plugin's grids; 1 where it has only particles. */
static uint32_t rank(const struct test *test)
{
    uint32_t most = 1;
    const struct engine_field_array *fields = &test->plugin->fields;
    for (uint32_t i = 0; i < fields->count; i++)
        most = fields->at[i].rank > most ? fields->at[i].rank : most;
    return most;
}

const struct setup *fixture_sizes(const struct test *test)
{
    if (test->given[0].extent[0])
        return test->given;
    if (has(test, ENGINE_MATRIX))
        return matrices;
    return rank(test) == 1 ? lines : rank(test) == 2 ? planes : volumes;
}

const char *fixture_size_text(const struct test *test, const struct setup *setup, char text[TEST_SIZE_MAX])
{
    const unsigned long long x = setup->extent[0], y = setup->extent[1], z = setup->extent[2];
    if (has(test, ENGINE_MATRIX) || rank(test) == 3)
        snprintf(text, TEST_SIZE_MAX, "%llux%llux%llu", x, y, z);
    else if (rank(test) == 2)
        snprintf(text, TEST_SIZE_MAX, "%llux%llu", x, y);
    else
        snprintf(text, TEST_SIZE_MAX, "%llu%s", x, has(test, ENGINE_GRID) ? "" : x == 1 ? " particle" : " particles");
    return text;
}

/* ---- Configurations ----------------------------------------------------------------------------------------- */

static void set(const struct test *test, struct engine_config *config, const char *format, ...) ENGINE_PRINTF(3, 4);

static void set(const struct test *test, struct engine_config *config, const char *format, ...)
{
    struct engine_error error;
    char assignment[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(assignment, sizeof assignment, format, arguments);
    va_end(arguments);
    REQUIRE(test, engine_config_set(config, assignment, &error) == 0, "%s: %s", assignment, error.text);
}

static void set_size(const struct test *test, struct engine_config *config, const struct engine_field *field,
                     const struct setup *setup)
{
    const unsigned long long x = setup->extent[0], y = setup->extent[1], z = setup->extent[2];
    if (field->kind == ENGINE_GRID && field->rank == 1)
        set(test, config, "grid.size=%llu", x);
    else if (field->kind == ENGINE_GRID && field->rank == 2)
        set(test, config, "grid.size=%llu %llu", x, y);
    else if (field->kind == ENGINE_GRID)
        set(test, config, "grid.size=%llu %llu %llu", x, y, z);
    else if (field->kind == ENGINE_PARTICLES)
        set(test, config, "particles.count=%llu", x * y * z);
    else if (field->kind == ENGINE_MATRIX) {
        set(test, config, "matrix.columns=%llu", x);
        set(test, config, "matrix.rows=%llu", y);
        set(test, config, "matrix.batch=%llu", z);
        if (field->type == ENGINE_CONFIGURED && !engine_config_get(config, "matrix", "element"))
            set(test, config, "matrix.element=float32");
    }
}

/* The context for a run. That of another thread is opened when it is first needed. */
static struct engine_context *context_of(struct test *test, const struct setup *setup)
{
    struct engine_error error;
    if (!setup->beside)
        return test->context;
    if (!test->beside) {
        REQUIRE(test, engine_open(engine_context_hooks(test->context), &test->beside, &error) == 0, "%s", error.text);
        calls_add(test, test->beside);
    }
    return test->beside;
}

/* The caller's configuration and settings, for the plugin under test. */
static struct engine_config *configure_given(struct test *test, const struct setup *setup)
{
    struct engine_context *context = context_of(test, setup);
    struct engine_config *config;
    struct engine_error error;
    if ((test->config ? engine_config_copy(test->config, &config, &error)
                      : engine_config_open(context, NULL, &config, &error)) != 0)
        test_refuses(test, &error);
    engine_config_set_context(config, context);
    for (uint32_t i = 0; i < test->setting_count; i++)
        if (engine_config_set(config, test->settings[i], &error) != 0)
            test_refuses(test, &error);
    return config;
}

/* The generator that the plugin wants to be tested with, or NULL. */
static const char *own_generator(const struct test *test)
{
    const struct engine_generator_array *generators = &test->plugin->generators;
    for (uint32_t i = 0; i < generators->count; i++)
        if (generators->at[i].flags & ENGINE_GENERATOR_CONFORM)
            return generators->at[i].name;
    return NULL;
}

bool fixture_has_init(const struct test *test)
{
    return test->init_given || own_generator(test);
}

/* Does the initial state depend on the seed? */
static bool uses_seed(const struct engine_config *config)
{
    static const char *const without[] = {"file", "arrays", "defaults"};
    const char *source = engine_config_get(config, "init", "source");
    for (size_t i = 0; source && i < sizeof without / sizeof without[0]; i++)
        if (strcmp(source, without[i]) == 0)
            return false;
    return source && *source;
}

static struct engine_config *configure(struct test *test, const struct setup *setup)
{
    struct engine_config *config = configure_given(test, setup);
    set(test, config, "run.plugin=%s", test->name);
    set(test, config, "run.threads=%u", setup->threads ? setup->threads : 2);
    set(test, config, "run.parts=%u", setup->parts ? setup->parts : 1);
    if (!test->init_given && own_generator(test))
        set(test, config, "init.source=%s", own_generator(test));
    if (engine_config_get(config, batch_section(test->plugin), "batch"))
        set(test, config, "%s.batch=1", batch_section(test->plugin));
    if (setup->seed && (uses_seed(config) || (test->impl && test->impl->flags & ENGINE_SEEDED)))
        set(test, config, "init.seed=%llu", (unsigned long long) setup->seed);
    for (uint32_t i = 0; i < test->plugin->fields.count && !test->given[0].extent[0]; i++)
        set_size(test, config, &test->plugin->fields.at[i], setup);
    if (setup->set)
        set(test, config, "%s", setup->set);
    if (setup->also)
        set(test, config, "%s", setup->also);
    return config;
}

static bool gives(const struct engine_config *config, const char *section, const char *key)
{
    const char *text = engine_config_get(config, section, key);
    return text && *text;
}

static bool gives_size(const struct engine_config *config)
{
    return gives(config, "grid", "size") || gives(config, "particles", "count") || gives(config, "matrix", "rows") ||
           gives(config, "matrix", "columns");
}

/* Without a size in the configuration, the plan fails because there is none. */
static void find_given_size(struct test *test, const struct engine_config *config)
{
    const struct engine_field_array *fields = &test->plugin->fields;
    const struct engine_host *host;
    const struct engine_plan *plan;
    struct engine_error error;
    struct engine_run *run;
    if (engine_run_plan_steps(config, NULL, &run, &error) != 0) {
        if (error.status == ENGINE_STATUS_INPUT || (error.status == ENGINE_STATUS_USAGE && gives_size(config)))
            test_refuses(test, &error);
        return;
    }
    uint32_t sized = 0;
    while (sized + 1 < fields->count && fields->at[sized].kind == ENGINE_BINS)
        sized++;
    engine_run_seen(run, &host, &plan);
    memcpy(test->told->extent, engine_field_shape(plan, sized)->extent, sizeof test->told->extent);
    engine_run_close(run);
}

void fixture_check_config(struct test *test)
{
    const struct setup none = {.extent = {0}};
    struct engine_config *config = configure_given(test, &none);
    const char *plugin = engine_config_get(config, "run", "plugin");
    struct engine_error error;
    if (plugin && strcmp(plugin, test->name) != 0) {
        error_set(&error, ENGINE_STATUS_USAGE, "%s: [run] plugin is '%s', expected '%s', the plugin that is checked",
                  engine_config_place(config, "run", "plugin"), plugin, test->name);
        test_refuses(test, &error);
    }
    set(test, config, "run.plugin=%s", test->name);
    if (engine_config_check(config, &error) != 0 && error.status == ENGINE_STATUS_USAGE)
        test_refuses(test, &error);
    test->told->init_given = gives(config, "init", "source") || gives(config, "init", "file");
    find_given_size(test, config);
    engine_config_close(config);
}

/* ---- Fixtures --------------------------------------------------------------------------------------------------- */

/* Work of one step, in units. A hundred steps of the most take some seconds on one thread. */
static const double most_work = 5e6;

/* Was a step of so many elements quick, or was none measured? */
static bool is_quick(const struct fixture *fixture)
{
    const uint64_t *extent = fixture->setup.extent,
                   most = fixture->test->told->most_elements[fixture->impl - fixture->test->plugin->impls.at];
    return most == 0 || extent[0] * extent[1] * extent[2] <= most;
}

/* Makes the plan and chooses the implementation. Returns false where the size is refused with a reason, or where a step
 * is too much work for a test. */
static bool plan_fixture(struct fixture *fixture)
{
    struct engine_error error = {0};
    struct test *test = fixture->test;
    const struct setup *setup = &fixture->setup;
    test->refusal[0] = '\0';
    fixture_size_text(test, setup, test->told->size);
    calls_plan_for(test, fixture->impl);
    calls_breach(test);
    const bool planned = engine_run_plan_steps(fixture->config, NULL, &fixture->run, &error) == 0;
    calls_check(test, "the check of a parameter");
    if (!planned) {
        REQUIRE(test,
                (error.status == ENGINE_STATUS_USAGE || error.status == ENGINE_STATUS_INPUT) && error.text[0] &&
                    !calls_breach(test),
                "size %s: the plan fails with status %d: %s", SIZE_TEXT(test, setup), error.status, error.text);
        snprintf(test->refusal, sizeof test->refusal, "%s", error.text);
        return false;
    }
    fixture->guarded = (struct engine_plugin_info){.size = sizeof fixture->guarded};
    engine_run_plugin(fixture->run, &fixture->guarded);
    engine_run_seen(fixture->run, &fixture->host, &fixture->plan);
    const struct engine_impl *impl = &fixture->guarded.about->impls.at[fixture->impl - test->plugin->impls.at];
    const char *reason = engine_run_missing(fixture->run, impl, &error);
    if (reason) {
        REQUIRE(test, reason[0] && !calls_breach(test), "size %s: %s", SIZE_TEXT(test, setup), reason);
        snprintf(test->refusal, sizeof test->refusal, "%s", reason);
        return false;
    }
    REQUIRE(test, engine_run_choose(fixture->run, impl->name, &error) == 0, "size %s: %s", SIZE_TEXT(test, setup),
            error.text);
    REQUIRE(test, engine_run_impl(fixture->run) == impl, "size %s: another implementation was chosen",
            SIZE_TEXT(test, setup));
    fixture->about = (struct engine_run_info){.size = sizeof fixture->about};
    engine_run_about(fixture->run, &fixture->about);
    snprintf(test->refusal, sizeof test->refusal, "%g %s a step are too much work for a test",
             fixture->about.work_per_step, fixture->about.work_unit);
    return (fixture->about.work_per_step <= most_work && is_quick(fixture)) || test->given[0].extent[0];
}

bool fixture_takes(struct test *test, const struct engine_impl *impl, struct setup setup)
{
    struct fixture *fixture = fixture_open(test, impl, setup);
    if (fixture)
        fixture_close(fixture);
    return fixture != NULL;
}

static bool tested_takes(struct test *test, struct setup setup)
{
    return fixture_takes(test, test->impl, setup);
}

static bool both_take(struct test *test, struct setup setup)
{
    return tested_takes(test, setup) && (!test->promise.oracle || fixture_takes(test, test->promise.oracle, setup));
}

/* The last of fixture_sizes() that `takes` accepts. Skips the property where there is none. */
static struct setup largest(struct test *test, bool (*takes)(struct test *test, struct setup setup))
{
    struct setup last = {.extent = {0}};
    for (const struct setup *setup = fixture_sizes(test); setup->extent[0]; setup++)
        if (takes(test, *setup))
            last = *setup;
    SKIP_UNLESS(test, last.extent[0], "it takes none of the sizes; the last one: %s", test->refusal);
    return last;
}

const struct setup *fixture_middle_sizes(const struct test *test)
{
    static const struct setup middle_matrices[] = {
        {.extent = {203, 61, 1}}, {.extent = {256, 64, 1}}, {.extent = {131, 131, 1}}, {.extent = {0}}};
    /* The work of a step may follow the square of the number of particles. */
    static const struct setup middle_particles[] = {
        {.extent = {509, 1, 1}}, {.extent = {512, 1, 1}}, {.extent = {4096, 1, 1}}, {.extent = {0}}};
    static const struct setup middle[3][4] = {
        {{.extent = {1021, 1, 1}}, {.extent = {1024, 1, 1}}, {.extent = {4096, 1, 1}}, {.extent = {0}}},
        {{.extent = {203, 61, 1}}, {.extent = {256, 64, 1}}, {.extent = {1024, 64, 1}}, {.extent = {0}}},
        {{.extent = {71, 23, 13}}, {.extent = {64, 32, 16}}, {.extent = {256, 16, 8}}, {.extent = {0}}},
    };
    if (test->given[0].extent[0])
        return test->given;
    return has(test, ENGINE_MATRIX)  ? middle_matrices
           : !has(test, ENGINE_GRID) ? middle_particles
                                     : middle[rank(test) - 1];
}

struct setup fixture_middle(struct test *test)
{
    const struct setup *setup = fixture_middle_sizes(test);
    while (setup->extent[0] && !both_take(test, *setup))
        setup++;
    return setup->extent[0] ? *setup : largest(test, both_take);
}

/* Each of these lists begins with odd sizes. */
struct setup fixture_small(struct test *test)
{
    static const struct setup small[][4] = {
        {{.extent = {129, 1, 1}}, {.extent = {128, 1, 1}}, {.extent = {1024, 1, 1}}, {.extent = {0}}},
        {{.extent = {63, 5, 1}}, {.extent = {64, 6, 1}}, {.extent = {64, 64, 1}}, {.extent = {0}}},
        {{.extent = {31, 5, 3}}, {.extent = {32, 6, 4}}, {.extent = {64, 32, 4}}, {.extent = {0}}},
    };
    const struct setup *setup = test->given[0].extent[0] ? test->given : small[rank(test) - 1];
    while (setup->extent[0] && !both_take(test, *setup))
        setup++;
    return setup->extent[0] ? *setup : fixture_middle(test);
}

bool fixture_narrow(const struct test *test, uint32_t width, struct setup *setup)
{
    const uint32_t axes = has(test, ENGINE_MATRIX) ? 2 : rank(test);
    *setup = (struct setup){.extent = {width, axes > 1 ? 3 : 1, axes > 2 ? 2 : 1}};
    return width <= NARROW_MAX && !test->given[0].extent[0];
}

struct setup fixture_large(struct test *test)
{
    return largest(test, tested_takes);
}

/* Allocates the buffers and makes the initial state that the configuration describes; without one, all cells are 0.
 * Returns false where it is refused with a reason. */
static bool prepare(struct fixture *fixture)
{
    struct test *test = fixture->test;
    struct engine_error error = {0};
    calls_breach(test);
    const int status = engine_run_prepare(fixture->run, fixture->setup.step, &error);
    calls_check(test, "pack");
    if (status == 0)
        return true;
    REQUIRE(test, (error.status == ENGINE_STATUS_USAGE || error.status == ENGINE_STATUS_INPUT) && !calls_breach(test),
            "size %s: the initial state fails with status %d: %s", SIZE_TEXT(test, &fixture->setup), error.status,
            error.text);
    snprintf(test->refusal, sizeof test->refusal, "%s", error.text);
    return false;
}

struct fixture *fixture_open(struct test *test, const struct engine_impl *impl, struct setup setup)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    REQUIRE(test, fixture, "no memory");
    fixture->test = test;
    fixture->setup = setup;
    fixture->impl = impl;
    fixture->config = configure(test, &setup);
    if (plan_fixture(fixture) && prepare(fixture))
        return fixture;
    fixture_close(fixture);
    return NULL;
}

void fixture_start(struct fixture *fixture)
{
    struct engine_error error;
    calls_plan_for(fixture->test, fixture->impl);
    REQUIRE(fixture->test, engine_run_start(fixture->run, &error) == 0, "create: %s", error.text);
}

bool fixture_measure(const struct fixture *fixture, double values[METRICS_MAX])
{
    const uint32_t count = fixture->test->plugin->metrics.count;
    struct engine_error error;
    REQUIRE(fixture->test, count <= METRICS_MAX, "has more than %d metrics", METRICS_MAX);
    if (!fixture->impl->measure || count == 0)
        return false;
    REQUIRE(fixture->test, engine_run_measure(fixture->run, values, METRICS_MAX, &error) == 0, "measure: %s",
            error.text);
    return true;
}

bool fixture_lacks(const struct fixture *fixture, uint32_t field)
{
    const struct engine_field *about = &fixture->test->plugin->fields.at[field];
    struct engine_error error;
    return about->role == ENGINE_INPUT && about->flags & ENGINE_FIELD_OPTIONAL &&
           engine_run_fetch(fixture->run, field, 0, 0, NULL, &error) == ENGINE_STATUS_USAGE;
}

uint64_t fixture_most(const struct fixture *fixture, uint64_t limit)
{
    return fixture->about.most_steps < limit ? fixture->about.most_steps : limit;
}

void fixture_advance(struct fixture *fixture, uint64_t steps)
{
    struct engine_error error;
    while (steps > 0) {
        const uint64_t n = fixture_most(fixture, steps);
        REQUIRE(fixture->test, engine_run_take(fixture->run, n, n, &error) == 0, "%s (%llu steps)", error.text,
                (unsigned long long) n);
        steps -= n;
    }
    memory_check(fixture->test);
}

void fixture_close(struct fixture *fixture)
{
    engine_run_close(fixture->run);
    engine_config_close(fixture->config);
    free(fixture);
}
