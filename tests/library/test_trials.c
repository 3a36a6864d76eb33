/* A program that brings a plugin, memory and services of its own, and that starts and feeds runs as it likes. */
#include "tests/library/runs.h"

#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#undef fail /* a member of struct engine_host */

/* ---- The plugin: in each step, a cell grows by its weight times the addend of the program ------------------------- */

enum { CELLS, WEIGHTS, MARKS, WIDTH = 5 };

struct addend {
    uint32_t value;
};

/* What the plugin has seen. */
static struct seen {
    uint32_t created, fresh;
    uint64_t first_step;
    uint8_t first_cell;
} seen;

static const char *failure; /* of create: NULL: none; "": one without a reason */

static const uint8_t *row(const struct engine_call *call, uint32_t field, uint32_t which)
{
    return engine_row(engine_field_buffer(call, field), which, 0, 0);
}

static int create(const struct engine_call *call, void **self)
{
    (void) self;
    if (failure)
        return *failure ? ENGINE_FAIL(call->host, ENGINE_INVALID, "%s", failure) : ENGINE_INVALID;
    seen.created++;
    seen.first_step = call->first_step;
    seen.first_cell = row(call, CELLS, call->current)[0];
    return call->host->scratch(call->host, 100, ENGINE_HOST_MEMORY) ? 0 : ENGINE_NO_MEMORY;
}

static int advance(void *self, struct engine_call *call)
{
    (void) self;
    const struct addend *given = call->host->service(call->host, "test.addend", 1);
    const uint32_t addend = given ? given->value : 1;
    const uint8_t *cells = row(call, CELLS, call->current), *weights = row(call, WEIGHTS, 0);
    uint8_t *result = engine_row(engine_field_buffer(call, CELLS), call->result, 0, 0);
    seen.fresh += call->flags & ENGINE_CALL_FRESH;
    for (uint64_t x = 0; x < call->end[0]; x++)
        result[x] = (uint8_t) (cells[x] + weights[x] * addend * call->steps);
    return 0;
}

static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    return engine_param_integer(plan, 0) == 7 ? ENGINE_FAIL(host, ENGINE_INVALID, "not seven") : 0;
}

static int generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t begin, uint64_t count, void *out)
{
    (void) host, (void) plan, (void) generator, (void) field, (void) begin;
    memset(out, 1, count);
    return 0;
}

static const void *disturb(const char *name, uint32_t version)
{
    (void) name, (void) version;
    fesetround(FE_UPWARD);
    return NULL;
}

static const struct engine_param params[] = {{ENGINE_INTEGER_PARAM("number", "a number", "3", 0, 9)}};
static const struct engine_field fields[] = {
    {.name = "cells", .help = "", .role = ENGINE_STATE, .type = ENGINE_U8, .components = 1, .rank = 1},
    {.name = "weights", .help = "", .role = ENGINE_INPUT, .type = ENGINE_U8, .components = 1, .rank = 1, .initial = 1},
    {.name = "marks", .help = "", .role = ENGINE_OUTPUT, .type = ENGINE_U8, .components = 1, .rank = 1}};
static const struct engine_generator generators[] = {{ENGINE_GENERATOR("ones", "")}};
static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "", 0, ENGINE_EXACT), .create = create, .advance = advance}};
static const struct engine_plugin adder = {ENGINE_PLUGIN("adder", "1", "adds"),
                                           .params = ENGINE_ARRAY(params),
                                           .fields = ENGINE_ARRAY(fields),
                                           .generators = ENGINE_ARRAY(generators),
                                           .impls = ENGINE_ARRAY(impls),
                                           .check = check,
                                           .generate = generate};

/* ---- The program ------------------------------------------------------------------------------------------------- */

static struct engine_context *context;
static struct engine_config *config;
static struct engine_run *run;
static struct engine_error error;

static int open_context(struct engine_hooks hooks)
{
    memset(&seen, 0, sizeof seen);
    failure = NULL;
    return open_built_context(hooks, &context, &error) || engine_plugin_add(context, &adder, &error);
}

static int open_plain_context(void **state)
{
    (void) state;
    return open_context((struct engine_hooks){.pace = 0});
}

static int close_context(void **state)
{
    (void) state;
    close_all(context, &config, &run, 1);
    config = NULL;
    run = NULL;
    return 0;
}

static void configure(const char *const *settings)
{
    assert_int_equal(engine_config_open(context, NULL, &config, &error), 0);
    for (; *settings; settings++)
        assert_int_equal(engine_config_set(config, *settings, &error), 0);
}

static const char *const settings[] = {"run.plugin=adder", "run.threads=2", "grid.size=5", "adder.number=4", NULL};

static void choose(void)
{
    configure(settings);
    assert_int_equal(engine_run_plan_steps(config, NULL, &run, &error), 0);
    assert_int_equal(engine_run_choose(run, "cpu", &error), 0);
}

static void expect_cells(uint8_t first, uint8_t second, uint8_t last)
{
    uint8_t cells[WIDTH];
    assert_int_equal(engine_run_read(run, CELLS, NULL, cells, sizeof cells, &error), 0);
    assert_int_equal(cells[0], first);
    assert_int_equal(cells[1], second);
    assert_int_equal(cells[WIDTH - 1], last);
}

/* ---- Plugins ----------------------------------------------------------------------------------------------------- */

static void a_plugin_of_the_program_takes_steps(void **state)
{
    (void) state;
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    static const uint8_t weights[WIDTH] = {1, 2, 3, 4, 5};
    assert_int_equal(engine_plugin_find(context, "adder", &plugin, &error), 0);
    assert_string_equal(plugin.path, "");
    assert_int_equal(plugin.disturbs, 0);
    assert_int_equal(start_run(context, settings, &config, &run, &error), 0);
    assert_int_equal(engine_run_write(run, WEIGHTS, NULL, weights, sizeof weights, &error), 0);
    assert_int_equal(engine_run_advance(run, 3, NULL, NULL, &error), 0);
    expect_cells(3, 6, 15);
}

static void a_plugin_of_the_program_comes_before_files(void **state)
{
    (void) state;
    struct engine_plugin other = adder;
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    assert_int_equal(engine_plugin_find(context, "life2d-bit", &plugin, &error), 0);
    assert_string_not_equal(plugin.path, "");
    other.name = "life2d-bit";
    assert_int_equal(engine_plugin_add(context, &other, &error), 0);
    assert_int_equal(engine_plugin_find(context, "life2d-bit", &plugin, &error), 0);
    assert_string_equal(plugin.about->summary, "adds");
    other.summary = "the second";
    assert_int_equal(engine_plugin_add(context, &other, &error), 0);
    assert_int_equal(engine_plugin_find(context, "life2d-bit", &plugin, &error), 0);
    assert_string_equal(plugin.about->summary, "the second");
}

static void a_descriptor_that_breaks_a_rule_is_refused(void **state)
{
    (void) state;
    struct engine_plugin wrong = adder;
    wrong.fields.count = 0;
    assert_int_equal(engine_plugin_add(context, &wrong, &error), ENGINE_STATUS_PLUGIN);
    assert_non_null(strstr(error.text, "adder: "));
    wrong.fields = adder.fields;
    wrong.abi.major++;
    assert_int_equal(engine_plugin_add(context, &wrong, &error), ENGINE_STATUS_PLUGIN);
}

static void a_plugin_that_changes_the_rounding_when_it_is_loaded_is_known(void **state)
{
    (void) state;
    struct engine_plugin other = adder;
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    other.name = "disturber";
    other.extension = disturb;
    assert_int_equal(engine_plugin_add(context, &other, &error), 0);
    assert_int_equal(fegetround(), FE_TONEAREST);
    assert_int_equal(engine_plugin_find(context, "disturber", &plugin, &error), 0);
    assert_int_equal(plugin.disturbs, 1);
}

static void errors_without_a_reason_are_counted(void **state)
{
    (void) state;
    configure(settings);
    assert_int_equal(engine_breaches(context), 0);
    failure = "the moon is full";
    assert_int_equal(engine_run_plan(config, &run, &error), 0);
    assert_int_equal(engine_run_start(run, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_breaches(context), 0);
    engine_run_close(run);
    failure = "";
    assert_int_equal(engine_run_plan(config, &run, &error), 0);
    assert_int_equal(engine_run_start(run, &error), ENGINE_STATUS_PLUGIN);
    assert_int_equal(engine_breaches(context), 1);
}

/* ---- Hooks ------------------------------------------------------------------------------------------------------- */

static void the_hooks_of_a_context_are_copies(void **state)
{
    (void) state;
    int user;
    char path[] = "/nowhere";
    const struct engine_hooks given = {
        .size = offsetof(struct engine_hooks, pace), .plugin_path = path, .user = &user, .pace = 5};
    struct engine_context *other;
    assert_int_equal(engine_open(&given, &other, &error), 0);
    const struct engine_hooks *hooks = engine_context_hooks(other);
    path[1] = 'e';
    assert_string_equal(hooks->plugin_path, "/nowhere");
    assert_ptr_equal(hooks->user, &user);
    assert_true(hooks->pace == 0); /* beyond the caller's size */
    engine_close(other);
}

static const void *give_addend(void *user, const char *name, uint32_t version)
{
    return strcmp(name, "test.addend") == 0 && version == 1 ? user : NULL;
}

static void the_program_serves_its_plugin(void **state)
{
    (void) state;
    static struct addend ten = {10};
    assert_int_equal(open_context((struct engine_hooks){.user = &ten, .service = give_addend}), 0);
    assert_int_equal(start_run(context, settings, &config, &run, &error), 0);
    assert_int_equal(engine_run_advance(run, 3, NULL, NULL, &error), 0);
    expect_cells(30, 30, 30);
}

/* The memory that a program has given. */
struct given {
    uint32_t count, present;
    uint64_t bytes, largest;
};

static int give(void *user, const struct engine_memory *memory, uint64_t bytes, void **address,
                struct engine_error *why)
{
    struct given *given = user;
    static const char text[] = "01234567";
    char back[8] = "";
    assert_int_equal(memory->kind, ENGINE_HOST_MEMORY);
    if (memory->allocate(memory, bytes, address, why) != 0)
        return why->status;
    memset(*address, 0xee, bytes);
    assert_int_equal(memory->write(memory, *address, 8, text, why), 0);
    assert_memory_equal(*address, text, 8);
    assert_int_equal(memory->read(memory, *address, 8, back, why), 0);
    assert_memory_equal(back, text, 8);
    given->count++, given->present++, given->bytes += bytes;
    given->largest = bytes > given->largest ? bytes : given->largest;
    return 0;
}

static void take_back(void *user, const struct engine_memory *memory, void *address, uint64_t bytes)
{
    struct given *given = user;
    given->present--, given->bytes -= bytes;
    memory->release(memory, address, bytes);
}

/* Two buffers of cells, one of weights, one of marks, and the scratch of 100 bytes. */
static void memory_comes_from_the_program(void **state)
{
    (void) state;
    static struct given given; /* which the teardown uses after a failure */
    assert_int_equal(open_context((struct engine_hooks){.user = &given, .allocate = give, .release = take_back}), 0);
    assert_int_equal(start_run(context, settings, &config, &run, &error), 0);
    assert_int_equal(given.count, 5);
    assert_int_equal(given.present, 5);
    assert_true(given.largest >= 100);
    expect_cells(0, 0, 0); /* although the memory was not cleared */
    assert_int_equal(engine_run_advance(run, 2, NULL, NULL, &error), 0);
    expect_cells(2, 2, 2);
    engine_run_close(run);
    run = NULL;
    assert_int_equal(given.present, 0);
    assert_int_equal(given.bytes, 0);
}

/* No source gives values for outputs. */
static void outputs_begin_with_0(void **state)
{
    (void) state;
    static struct given given; /* which the teardown uses */
    static const char *const sources[] = {"init.source=random", "init.source=ones", "init.source=defaults"};
    static const uint8_t zeros[WIDTH];
    uint8_t marks[WIDTH];
    assert_int_equal(open_context((struct engine_hooks){.user = &given, .allocate = give, .release = take_back}), 0);
    for (int i = 0; i < 3; i++) {
        engine_run_close(run);
        engine_config_close(config);
        assert_int_equal(start_run(context, (const char *const[]){"run.plugin=adder", "grid.size=5", sources[i], NULL},
                                   &config, &run, &error),
                         0);
        assert_int_equal(engine_run_read(run, MARKS, NULL, marks, sizeof marks, &error), 0);
        assert_memory_equal(marks, zeros, sizeof marks);
    }
}

/* ---- Configurations ---------------------------------------------------------------------------------------------- */

static void a_copy_of_a_configuration_belongs_to_another_context(void **state)
{
    (void) state;
    struct engine_context *other;
    struct engine_config *copy;
    configure(settings);
    assert_int_equal(open_built_context((struct engine_hooks){.pace = 0}, &other, &error), 0);
    assert_int_equal(engine_config_copy(config, &copy, &error), 0);
    engine_config_set_context(copy, other);
    assert_int_equal(engine_config_set(copy, "adder.number=5", &error), 0);
    assert_string_equal(engine_config_get(config, "adder", "number"), "4");
    assert_string_equal(engine_config_get(copy, "grid", "size"), "5");
    assert_int_equal(engine_run_plan(copy, &run, &error), ENGINE_STATUS_PLUGIN); /* which has no adder */
    engine_config_close(copy);
    engine_close(other);
}

static void keys_are_checked_without_sizes(void **state)
{
    (void) state;
    configure((const char *const[]){"run.plugin=adder", "adder.number=4", NULL});
    assert_int_equal(engine_config_check(config, &error), 0);
    assert_int_equal(engine_config_set(config, "adder.number=10", &error), 0);
    assert_int_equal(engine_config_check(config, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_config_set(config, "adder.number=4", &error), 0);
    assert_int_equal(engine_config_set(config, "adder.numbers=4", &error), 0);
    assert_int_equal(engine_config_check(config, &error), ENGINE_STATUS_USAGE);
    assert_non_null(strstr(error.text, "did you mean 'number'?"));
}

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

static void a_program_sees_what_plugins_see(void **state)
{
    (void) state;
    const struct engine_host *host;
    const struct engine_plan *plan;
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    choose();
    engine_run_seen(run, &host, &plan);
    engine_run_plugin(run, &plugin);
    assert_int_equal(host->abi_major, ENGINE_ABI_MAJOR);
    assert_int_equal(plan->threads, 2);
    assert_int_equal(engine_param_integer(plan, 0), 4);
    assert_int_equal(engine_field_shape(plan, WEIGHTS)->extent[0], WIDTH);
    assert_int_equal(plugin.about->check(host, plan), 0);
}

static void a_prepared_run_starts_at_its_step(void **state)
{
    (void) state;
    static const uint8_t cells[WIDTH] = {9, 8, 7, 6, 5};
    char before[ENGINE_HASH_SIZE], after[ENGINE_HASH_SIZE];
    choose();
    assert_int_equal(engine_run_hash(run, before, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_prepare(run, 7, &error), 0);
    assert_int_equal(seen.created, 0);
    assert_int_equal(engine_run_step(run), 7);
    expect_cells(0, 0, 0);
    assert_int_equal(engine_run_feed(run, CELLS, 0, WIDTH, cells, &error), 0);
    assert_int_equal(engine_run_hash(run, before, &error), 0);
    assert_int_equal(engine_run_take(run, 1, 1, &error), ENGINE_STATUS_USAGE); /* it has not started */
    assert_int_equal(engine_run_prepare(run, 8, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_choose(run, "cpu", &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_start(run, &error), 0);
    assert_int_equal(engine_run_hash(run, after, &error), 0);
    assert_string_equal(before, after);
    assert_int_equal(seen.created, 1);
    assert_int_equal(seen.first_step, 7);
    assert_int_equal(seen.first_cell, 9);
    assert_int_equal(engine_run_take(run, 4, 2, &error), 0);
    assert_int_equal(engine_run_step(run), 11);
    expect_cells(13, 12, 9);
}

static void what_a_trial_cannot_do_is_refused(void **state)
{
    (void) state;
    const struct engine_execution memory = {.size = sizeof memory, .flags = ENGINE_RUN_NO_FILES};
    struct engine_result result = {.size = sizeof result};
    configure(settings);
    assert_int_equal(engine_run_plan_steps(config, NULL, &run, &error), 0);
    assert_int_equal(engine_run_prepare(run, 0, &error), ENGINE_STATUS_USAGE); /* it has no implementation */
    assert_int_equal(engine_run_start(run, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_choose(run, "cpu", &error), 0);
    assert_int_equal(engine_run_execute(run, &memory, &result, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_start(run, &error), 0);
    assert_int_equal(engine_run_start(run, &error), ENGINE_STATUS_USAGE);
}

static void an_input_that_is_fed_leaves_the_instance(void **state)
{
    (void) state;
    static const uint8_t weights[WIDTH] = {2, 2, 2, 2, 2};
    choose();
    assert_int_equal(engine_run_start(run, &error), 0);
    assert_int_equal(engine_run_take(run, 1, 1, &error), 0);
    assert_int_equal(seen.fresh, 1); /* the first call */
    assert_int_equal(engine_run_feed(run, WEIGHTS, 0, WIDTH, weights, &error), 0);
    assert_int_equal(engine_run_take(run, 2, 1, &error), 0);
    assert_int_equal(seen.created, 1);
    assert_int_equal(seen.fresh, 2);
    expect_cells(5, 5, 5);
    assert_int_equal(engine_run_write(run, WEIGHTS, NULL, weights, sizeof weights, &error), 0);
    assert_int_equal(engine_run_take(run, 1, 1, &error), 0);
    assert_int_equal(seen.created, 2);
}

static void elements_are_fetched_and_fed(void **state)
{
    (void) state;
    uint8_t cells[WIDTH] = {1, 2, 3, 4, 5};
    choose();
    assert_int_equal(engine_run_prepare(run, 0, &error), 0);
    assert_int_equal(engine_run_feed(run, CELLS, 3, 2, cells, &error), 0);
    expect_cells(0, 0, 2);
    assert_int_equal(engine_run_fetch(run, CELLS, 2, 2, cells, &error), 0);
    assert_int_equal(cells[0], 0);
    assert_int_equal(cells[1], 1);
    assert_int_equal(cells[2], 3); /* not touched */
    assert_int_equal(engine_run_fetch(run, CELLS, 3, 3, cells, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_feed(run, CELLS, 6, 0, cells, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_feed(run, 3, 0, 1, cells, &error), ENGINE_STATUS_USAGE);
}

/* Universe u has u + 1 blocks of 2 x 2 cells, which stay as they are. */
static void each_universe_is_measured(void **state)
{
    (void) state;
    static const char *const batch[] = {"run.plugin=life2d-bit", "run.implementation=cpu", "grid.size=32 8",
                                        "grid.batch=3", NULL};
    static uint8_t cells[3][8][32];
    double populations[3] = {0}, mean;
    for (int u = 0; u < 3; u++)
        for (int block = 0; block <= u; block++)
            for (int i = 0; i < 4; i++)
                cells[u][3 + i / 2][8 * block + i % 2] = 1;
    assert_int_equal(start_run(context, batch, &config, &run, &error), 0);
    assert_int_equal(engine_run_write(run, 0, NULL, cells, sizeof cells, &error), 0);
    assert_int_equal(engine_run_advance(run, 2, NULL, NULL, &error), 0);
    assert_int_equal(engine_run_measure_universes(run, populations, 2, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_measure_universes(run, populations, 3, &error), 0);
    assert_true(populations[0] == 4 && populations[1] == 8 && populations[2] == 12);
    assert_int_equal(engine_run_measure(run, &mean, 1, &error), 0);
    assert_true(mean == 8);
}

static void what_is_not_measured_is_refused(void **state)
{
    (void) state;
    double value;
    choose();
    assert_int_equal(engine_run_start(run, &error), 0);
    assert_int_equal(engine_run_measure_universes(run, &value, 1, &error), ENGINE_STATUS_PLUGIN);
}

#define TEST(function)       cmocka_unit_test_setup_teardown(function, open_plain_context, close_context)
#define TEST_OPENS(function) cmocka_unit_test_teardown(function, close_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_plugin_of_the_program_takes_steps),
        TEST(a_plugin_of_the_program_comes_before_files),
        TEST(a_descriptor_that_breaks_a_rule_is_refused),
        TEST(a_plugin_that_changes_the_rounding_when_it_is_loaded_is_known),
        TEST(errors_without_a_reason_are_counted),
        TEST(the_hooks_of_a_context_are_copies),
        TEST_OPENS(the_program_serves_its_plugin),
        TEST_OPENS(memory_comes_from_the_program),
        TEST_OPENS(outputs_begin_with_0),
        TEST(a_copy_of_a_configuration_belongs_to_another_context),
        TEST(keys_are_checked_without_sizes),
        TEST(a_program_sees_what_plugins_see),
        TEST(a_prepared_run_starts_at_its_step),
        TEST(what_a_trial_cannot_do_is_refused),
        TEST(an_input_that_is_fed_leaves_the_instance),
        TEST(elements_are_fetched_and_fed),
        TEST(each_universe_is_measured),
        TEST(what_is_not_measured_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
