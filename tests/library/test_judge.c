/* What engine.h offers to a program that compares and times implementations itself, as lib/judge does. The expected
 * values are counts by hand and the movement of a glider. */
#include "tests/library/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { WIDTH = 64, HEIGHT = 48, CELLS = WIDTH * HEIGHT };

static struct engine_context *context;

/* What the hooks have seen. */
static struct {
    int level;
    char message[256], activity[256];
    uint32_t messages, ends;
} seen;

static void take_message(void *user, int level, const char *source, const char *text)
{
    (void) user;
    seen.level = level;
    seen.messages++;
    snprintf(seen.message, sizeof seen.message, "%s: %s", source, text);
}

static void take_progress(void *user, const struct engine_progress *progress)
{
    (void) user;
    if (progress->activity)
        snprintf(seen.activity, sizeof seen.activity, "%s", progress->activity);
    seen.ends += !progress->activity && !progress->work_unit;
}

static const char *words(uint32_t topic, const char *subject, char *text, size_t size)
{
    if (topic != ENGINE_WORDS_OPTION)
        return NULL;
    snprintf(text, size, "--%s", subject);
    return text;
}

static int open_context(void **state)
{
    (void) state;
    struct engine_error error;
    return open_built_context((struct engine_hooks){.message = take_message, .progress = take_progress, .words = words},
                              &context, &error);
}

static int close_context(void **state)
{
    (void) state;
    engine_close(context);
    return 0;
}

static int forget(void **state)
{
    (void) state;
    memset(&seen, 0, sizeof seen);
    return 0;
}

/* ---- Helpers ---------------------------------------------------------------------------------------------------- */

/* An empty grid of WIDTH x HEIGHT cells, and other assignments with ';' between them. */
static struct engine_config *configured(const char *assignments)
{
    struct engine_config *config;
    struct engine_error error;
    char text[1024], *rest = NULL;
    snprintf(text, sizeof text, "run.plugin=life2d-lut;grid.size=64 48;init.source=defaults;%s", assignments);
    assert_int_equal(engine_config_open(context, NULL, &config, &error), 0);
    for (char *word = strtok_r(text, ";", &rest); word; word = strtok_r(NULL, ";", &rest))
        if (engine_config_set(config, word, &error) != 0)
            fail_msg("%s", error.text);
    return config;
}

static struct engine_run *planned(const struct engine_config *config, const char *plugin, const char *impl)
{
    struct engine_run *run;
    struct engine_error error;
    if (engine_run_plan_steps(config, plugin, &run, &error) != 0 || engine_run_choose(run, impl, &error) != 0)
        fail_msg("%s", error.text);
    return run;
}

static struct engine_run *started(const struct engine_config *config, const char *impl)
{
    struct engine_run *run = planned(config, NULL, impl);
    struct engine_error error;
    if (engine_run_start(run, &error) != 0)
        fail_msg("%s", error.text);
    return run;
}

/* A glider whose box of 3 x 3 cells begins at (x, y). It moves by (1, 1) in four steps. */
static void draw_glider(uint8_t cells[CELLS], int x, int y)
{
    static const int live[5][2] = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}};
    memset(cells, 0, CELLS);
    for (int i = 0; i < 5; i++)
        cells[(y + live[i][1]) * WIDTH + x + live[i][0]] = 1;
}

static void write_glider(struct engine_run *run, int x, int y)
{
    uint8_t cells[CELLS];
    struct engine_error error;
    draw_glider(cells, x, y);
    assert_int_equal(engine_run_write(run, 0, NULL, cells, CELLS, &error), 0);
}

static void has_glider(const struct engine_run *run, int x, int y)
{
    uint8_t is[CELLS], should[CELLS];
    struct engine_error error;
    draw_glider(should, x, y);
    assert_int_equal(engine_run_read(run, 0, NULL, is, CELLS, &error), 0);
    assert_memory_equal(is, should, CELLS);
}

static void take(struct engine_run *run, uint64_t steps, uint64_t most)
{
    struct engine_error error;
    if (engine_run_take(run, steps, most, &error) != 0)
        fail_msg("%s", error.text);
}

static const struct engine_impl *impl_of(const struct engine_run *run, const char *name)
{
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    engine_run_plugin(run, &plugin);
    for (uint32_t i = 0; i < plugin.about->impls.count; i++)
        if (strcmp(plugin.about->impls.at[i].name, name) == 0)
            return &plugin.about->impls.at[i];
    fail_msg("there is no %s", name);
    return NULL;
}

/* ---- The context and configurations ------------------------------------------------------------------------------ */

static void the_hooks_get_what_a_client_sends(void **state)
{
    (void) state;
    char text[64];
    engine_message(context, ENGINE_LOG_ERROR, "100 % wrong");
    assert_int_equal(seen.level, ENGINE_LOG_ERROR);
    assert_string_equal(seen.message, "engine: 100 % wrong");
    engine_activity(context, "judging, 50 % done");
    assert_string_equal(seen.activity, "judging, 50 % done");
    assert_int_equal(seen.ends, 0);
    engine_activity(context, NULL);
    assert_int_equal(seen.ends, 1);
    assert_string_equal(engine_words(context, ENGINE_WORDS_OPTION, "impl", text, sizeof text), "--impl");
    assert_null(engine_words(context, ENGINE_WORDS_KEY, "run.steps", text, sizeof text));
}

static void a_copy_of_a_configuration_is_its_own(void **state)
{
    (void) state;
    char path[] = "/tmp/test_judge-XXXXXX.ini", place[64];
    struct engine_config *config, *copy;
    struct engine_error error;
    const int file = mkstemps(path, 4);
    static const char text[] = "[run]\nplugin = life2d-lut\nsteps = 3\n";
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    assert_int_equal(engine_config_open(context, path, &config, &error), 0);
    unlink(path);
    assert_int_equal(engine_config_copy(config, &copy, &error), 0);
    assert_ptr_equal(engine_config_context(copy), context);
    assert_int_equal(engine_config_set(copy, "run.steps=9", &error), 0);
    assert_string_equal(engine_config_get(config, "run", "steps"), "3");
    engine_config_close(config);
    assert_string_equal(engine_config_get(copy, "run", "steps"), "9");
    snprintf(place, sizeof place, "%s:2", path);
    assert_string_equal(engine_config_place(copy, "run", "plugin"), place);
    assert_string_equal(engine_config_place(copy, "run", "steps"), "run.steps");
    assert_string_equal(engine_config_place(copy, "run", "threads"), path);
    engine_config_close(copy);
}

static void a_section_of_a_client_is_read(void **state)
{
    (void) state;
    static const struct engine_param keys[] = {{ENGINE_INTEGER_PARAM("rounds", "number of rounds", "4", 1, 9)},
                                               {ENGINE_TEXT_PARAM("note", "a text", "none")}};
    static const struct engine_section section = {"referee", "how to judge", ENGINE_ARRAY(keys)};
    struct engine_config *config = configured("referee.rounds=7");
    struct engine_value values[2];
    struct engine_error error;
    assert_int_equal(engine_config_values(config, &section, values, &error), 0);
    assert_int_equal(values[0].integer, 7);
    assert_string_equal(values[1].text, "none");
    assert_int_equal(engine_config_set(config, "referee.rounds=10", &error), 0);
    assert_int_equal(engine_config_values(config, &section, values, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_config_set(config, "referee.rounds=1", &error), 0);
    assert_int_equal(engine_config_set(config, "referee.other=1", &error), 0);
    assert_int_equal(engine_config_values(config, &section, values, &error), ENGINE_STATUS_USAGE);
    assert_non_null(strstr(error.text, "other"));
    engine_config_close(config);
}

/* ---- Runs that take steps alone ----------------------------------------------------------------------------------- */

static void an_implementation_is_chosen(void **state)
{
    (void) state;
    struct engine_config *config = configured("run.implementation=unheard-of");
    struct engine_run *run;
    struct engine_result result = {.size = sizeof result};
    struct engine_error error;
    assert_int_equal(engine_run_plan_steps(config, NULL, &run, &error), 0);
    assert_int_equal(engine_run_start(run, &error), ENGINE_STATUS_USAGE);
    assert_non_null(strstr(error.text, "engine_run_choose"));
    assert_int_equal(engine_run_choose(run, "unheard-of", &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_choose(run, "cpu", &error), 0);
    assert_int_equal(engine_run_choose(run, "cpu-serial", &error), 0);
    assert_string_equal(engine_run_impl(run)->name, "cpu-serial");
    assert_int_equal(engine_run_start(run, &error), 0);
    assert_int_equal(engine_run_choose(run, "cpu", &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_execute(run, NULL, &result, &error), ENGINE_STATUS_USAGE);
    engine_run_close(run);
    run = planned(config, "life2d-bit", "cpu-serial");
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    engine_run_plugin(run, &plugin);
    assert_string_equal(plugin.about->name, "life2d-bit");
    engine_run_close(run);
    assert_int_equal(engine_run_plan_steps(config, "unheard-of", &run, &error), ENGINE_STATUS_PLUGIN);
    assert_null(run);
    engine_config_close(config);
}

/* An ordinary run has its implementation. */
static void an_ordinary_run_keeps_its_implementation(void **state)
{
    (void) state;
    struct engine_config *config = configured("");
    struct engine_run *run;
    struct engine_error error;
    assert_int_equal(engine_run_plan(config, &run, &error), 0);
    assert_int_equal(engine_run_choose(run, "cpu", &error), ENGINE_STATUS_USAGE);
    engine_run_close(run);
    engine_config_close(config);
}

/* Without a GPU, cuda is such an implementation. */
static void an_implementation_says_why_it_cannot_run(void **state)
{
    (void) state;
    struct engine_config *config = configured("");
    struct engine_run *run;
    struct engine_error error;
    assert_int_equal(engine_run_plan_steps(config, NULL, &run, &error), 0);
    assert_null(engine_run_missing(run, impl_of(run, "cpu-serial"), &error));
    const struct engine_impl *cuda = impl_of(run, "cuda");
    if (engine_impl_missing(context, cuda, &error)) {
        const char *why = engine_run_missing(run, cuda, &error);
        assert_ptr_equal(why, error.text);
        assert_true(strlen(why) > 10);
    }
    engine_run_close(run);
    engine_config_close(config);
}

static void the_initial_state_is_checked(void **state)
{
    (void) state;
    struct engine_config *config = configured("init.density=0.2");
    struct engine_run *run;
    struct engine_error error;
    assert_int_equal(engine_run_plan_steps(config, NULL, &run, &error), 0);
    assert_int_equal(engine_run_check_init(run, &error), ENGINE_STATUS_USAGE);
    assert_non_null(strstr(error.text, "density"));
    engine_run_close(run);
    engine_config_close(config);
    config = configured("init.source=");
    assert_int_equal(engine_run_plan_steps(config, NULL, &run, &error), 0);
    assert_int_equal(seen.messages, 0);
    assert_int_equal(engine_run_check_init(run, &error), 0);
    assert_int_equal(seen.messages, 1);
    assert_non_null(strstr(seen.message, "[init] source is missing"));
    engine_run_close(run);
    engine_config_close(config);
}

static void a_run_tells_what_it_uses(void **state)
{
    (void) state;
    struct engine_config *config = configured("run.threads=3;run.parts=2");
    struct engine_run_info info = {.size = sizeof info};
    struct engine_run *run;
    struct engine_error error;
    assert_int_equal(engine_run_plan_steps(config, NULL, &run, &error), 0);
    engine_run_about(run, &info);
    assert_int_equal(info.parts, 2);
    assert_int_equal(info.threads, 0);
    assert_null(info.device);
    assert_int_equal(engine_run_choose(run, "cpu", &error), 0);
    engine_run_about(run, &info);
    assert_int_equal(info.threads, 3);
    assert_int_equal(info.devices, 1);
    assert_int_equal(info.memory, ENGINE_HOST_MEMORY);
    assert_true(info.work_per_step == CELLS);
    assert_string_equal(info.work_unit, "cell updates");
    assert_true(info.kept_bytes >= CELLS / 8);
    assert_true(info.bytes >= info.kept_bytes);
    assert_int_equal(engine_run_choose(run, "cpu-serial", &error), 0);
    engine_run_about(run, &info);
    assert_int_equal(info.threads, 1);
    struct engine_run_info older = {.size = 8, .devices = 77};
    engine_run_about(run, &older);
    assert_int_equal(older.threads, 1);
    assert_int_equal(older.devices, 77);
    engine_run_close(run);
    engine_config_close(config);
}

static void a_size_is_written(void **state)
{
    (void) state;
    struct engine_config *config = configured("");
    struct engine_run *run = planned(config, NULL, "cpu-serial");
    struct engine_error error;
    char text[80];
    assert_string_equal(engine_run_size(run, 0, text), "64 x 48");
    engine_run_close(run);
    assert_int_equal(engine_config_set(config, "grid.batch=3", &error), 0);
    run = planned(config, NULL, "cpu-serial");
    assert_string_equal(engine_run_size(run, 0, text), "64 x 48, batch of 3");
    engine_run_close(run);
    engine_config_close(config);
}

/* cpu-serial of life2d-lut looks up four cells at a time, and reads and writes a bit for each. */
static void a_cost_is_declared(void **state)
{
    (void) state;
    struct engine_config *config = configured("");
    struct engine_run *run = planned(config, NULL, "cpu-serial");
    struct engine_cost cost = {.size = sizeof cost};
    engine_run_cost(run, &cost);
    assert_int_equal(cost.operation, ENGINE_OPS_LOOKUP);
    assert_true(cost.operations == 0.25);
    assert_true(cost.bytes == 0.25);
    assert_string_equal(engine_operation_name(ENGINE_OPS_LOGIC), "logic");
    assert_string_equal(engine_operation_name(ENGINE_OPS_LOOKUP), "lookup");
    assert_null(engine_operation_name(ENGINE_OPS_LOOKUP + 1));
    engine_run_close(run);
    engine_config_close(config);
}

static void notes_are_listed(void **state)
{
    (void) state;
    struct engine_config *config = configured("run.plugin=life2d-bit");
    struct engine_run *run = planned(config, NULL, "cpu-serial");
    struct engine_error error;
    const char *text, *key = "";
    bool found = false;
    assert_null(engine_run_note(run, 0, &key));
    assert_int_equal(engine_run_choose(run, "cpu", &error), 0);
    assert_int_equal(engine_run_start(run, &error), 0);
    take(run, 1, 1);
    for (uint32_t i = 0; (text = engine_run_note(run, i, &key)); i++)
        found = found || (strcmp(key, "instructions") == 0 && strlen(text) > 0);
    assert_true(found);
    engine_run_close(run);
    engine_config_close(config);
}

/* ---- Steps -------------------------------------------------------------------------------------------------------- */

/* The outputs, the analysis and the conditions of the configuration have no effect. */
static void steps_are_taken_in_calls(void **state)
{
    (void) state;
    struct engine_config *config = configured("run.until=population < 9;run.output=/no/such/folder/anywhere");
    struct engine_error error;
    for (uint64_t most = 0; most <= 8; most = 2 * most + 1) {
        struct engine_run *run = started(config, "cpu");
        write_glider(run, 5, 6);
        take(run, 8, most);
        assert_int_equal(engine_run_step(run), 8);
        has_glider(run, 7, 8);
        take(run, 0, most);
        assert_int_equal(engine_run_step(run), 8);
        engine_run_close(run);
    }
    struct engine_run *run = planned(config, NULL, "cpu");
    assert_int_equal(engine_run_take(run, 1, 1, &error), ENGINE_STATUS_USAGE);
    engine_run_close(run);
    engine_config_close(config);
}

static void an_exchange_is_timed(void **state)
{
    (void) state;
    struct engine_config *config = configured(""), *divided = configured("run.parts=2");
    struct engine_run *whole = started(config, "cpu"), *parts = started(divided, "cpu");
    struct engine_error error;
    double seconds = 1;
    write_glider(parts, 5, 6);
    assert_int_equal(engine_run_time_exchange(whole, &seconds, &error), 0);
    assert_true(seconds == 0);
    assert_int_equal(engine_run_time_exchange(parts, &seconds, &error), 0);
    assert_true(seconds > 0 && seconds < 0.1);
    has_glider(parts, 5, 6);
    engine_run_close(parts);
    engine_run_close(whole);
    engine_config_close(divided);
    engine_config_close(config);
}

/* ---- Copies ------------------------------------------------------------------------------------------------------- */

static void a_state_is_copied_to_another_run(void **state)
{
    (void) state;
    struct engine_config *config = configured(""), *divided = configured("run.parts=2"),
                         *other = configured("run.plugin=life2d-bit"), *small = configured("grid.size=64 47");
    struct engine_run *from = started(config, "cpu-serial"), *to = started(divided, "cpu");
    struct engine_error error;
    write_glider(from, 5, 6);
    take(from, 4, 4);
    take(to, 1, 1);
    assert_int_equal(engine_run_copy(to, from, &error), 0);
    assert_int_equal(engine_run_step(to), 4);
    has_glider(to, 6, 7);
    take(to, 4, 4);
    has_glider(to, 7, 8);
    has_glider(from, 6, 7);
    struct engine_run *refused[] = {started(other, "cpu"), started(small, "cpu"), planned(config, NULL, "cpu")};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(engine_run_copy(refused[i], from, &error), ENGINE_STATUS_USAGE);
        engine_run_close(refused[i]);
    }
    engine_run_close(to);
    engine_run_close(from);
    engine_config_close(small);
    engine_config_close(other);
    engine_config_close(divided);
    engine_config_close(config);
}

static void a_run_returns_to_what_was_kept(void **state)
{
    (void) state;
    static const char *const settings[] = {"", "run.parts=2", "run.plugin=life2d-bit"};
    for (int i = 0; i < 3; i++) {
        struct engine_config *config = configured(settings[i]);
        struct engine_run *run = started(config, "cpu"), *stranger = started(config, "cpu");
        struct engine_kept *kept;
        struct engine_error error;
        write_glider(run, 5, 6);
        take(run, 4, UINT64_MAX);
        assert_int_equal(engine_run_keep(run, &kept, &error), 0);
        for (int round = 0; round < 2; round++) {
            take(run, 8, UINT64_MAX);
            has_glider(run, 8, 9);
            assert_int_equal(engine_run_return(run, kept, &error), 0);
            assert_int_equal(engine_run_step(run), 4);
            has_glider(run, 6, 7);
        }
        assert_int_equal(engine_run_return(stranger, kept, &error), ENGINE_STATUS_USAGE);
        engine_run_close(stranger);
        engine_run_close(run);
        engine_kept_close(kept);
        engine_config_close(config);
    }
    engine_kept_close(NULL);
}

/* ---- The machine -------------------------------------------------------------------------------------------------- */

/* No machine copies less than 10 MB or more than 100 TB in a second. */
static void the_machine_has_limits(void **state)
{
    (void) state;
    struct engine_limits limits = {.size = sizeof limits}, name = {.size = sizeof name};
    struct engine_config *config = configured("");
    struct engine_run *run = planned(config, NULL, "cpu");
    struct engine_run_info info = {.size = sizeof info};
    struct engine_error error;
    assert_int_equal(engine_machine_limits(context, ENGINE_HOST_MEMORY, 0, 1, &limits, &error), 0);
    assert_true(limits.copy > 1e7 && limits.copy < 1e14);
    assert_true(limits.logic > 1e7 && limits.logic < 1e15);
    assert_true(limits.fma > 1e7 && limits.fma < 1e15);
    assert_true(limits.fma64 > 1e6 && limits.fma64 < limits.fma * 1.5);
    assert_int_equal(engine_machine_limits(context, ENGINE_HOST_MEMORY, 0, 0, &name, &error), 0);
    assert_true(name.copy == 0);
    engine_run_about(run, &info);
    assert_string_equal(name.device, info.device);
    assert_string_equal(limits.device, info.device);
    assert_int_equal(engine_machine_limits(context, ENGINE_CUDA_MEMORY, 1000, 0, &name, &error), ENGINE_STATUS_DEVICE);
    engine_run_close(run);
    engine_config_close(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_hooks_get_what_a_client_sends, forget),
        cmocka_unit_test_setup(a_copy_of_a_configuration_is_its_own, forget),
        cmocka_unit_test_setup(a_section_of_a_client_is_read, forget),
        cmocka_unit_test_setup(an_implementation_is_chosen, forget),
        cmocka_unit_test_setup(an_ordinary_run_keeps_its_implementation, forget),
        cmocka_unit_test_setup(an_implementation_says_why_it_cannot_run, forget),
        cmocka_unit_test_setup(the_initial_state_is_checked, forget),
        cmocka_unit_test_setup(a_run_tells_what_it_uses, forget),
        cmocka_unit_test_setup(a_size_is_written, forget),
        cmocka_unit_test_setup(a_cost_is_declared, forget),
        cmocka_unit_test_setup(notes_are_listed, forget),
        cmocka_unit_test_setup(steps_are_taken_in_calls, forget),
        cmocka_unit_test_setup(an_exchange_is_timed, forget),
        cmocka_unit_test_setup(a_state_is_copied_to_another_run, forget),
        cmocka_unit_test_setup(a_run_returns_to_what_was_kept, forget),
        cmocka_unit_test_setup(the_machine_has_limits, forget),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
