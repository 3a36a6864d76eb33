/* libengine in the hands of a program that goes on after errors, or asks for what cannot be. */
#include "tests/library/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct engine_context *context;
static struct engine_config *config;
static struct engine_run *run;
static struct engine_error error;
static char folder[] = "/tmp/test_misuse-XXXXXX", file[64];

static int open_context(void **state)
{
    (void) state;
    static char plugins[2][4096];
    const char *const build = getenv("BUILD"), *const folders[] = {plugins[0], plugins[1]};
    snprintf(plugins[0], sizeof plugins[0], "%s/plugins", build ? build : "build");
    snprintf(plugins[1], sizeof plugins[1], "%s/tests/bad", build ? build : "build");
    const struct engine_hooks hooks = {.size = sizeof hooks, .plugin_folder_count = 2, .plugin_folders = folders};
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%s/state.snapshot", folder);
    return engine_open(&hooks, &context, &error);
}

static int close_context(void **state)
{
    (void) state;
    engine_close(context);
    unlink(file);
    return rmdir(folder);
}

static int close_run(void **state)
{
    (void) state;
    engine_run_close(run);
    engine_config_close(config);
    run = NULL;
    config = NULL;
    return 0;
}

static int start(const char *plugin, const char *size)
{
    const char *const settings[] = {plugin, size, "init.source=random", "run.steps=100", NULL};
    return start_run(context, settings, &config, &run, &error);
}

/* ---- After an error ---------------------------------------------------------------------------------------------- */

static void a_lost_state_is_refused_until_a_snapshot_is_restored(void **state)
{
    (void) state;
    char before[ENGINE_HASH_SIZE], after[ENGINE_HASH_SIZE];
    uint8_t cells[64];
    int lost = 0;
    assert_int_equal(start("run.plugin=losing_advance", "grid.size=8 8"), 0);
    assert_int_equal(engine_run_hash(run, before, &error), 0);
    assert_int_equal(engine_run_save(run, file, &error), 0);
    assert_int_equal(engine_run_advance(run, 9, NULL, &lost, &error), ENGINE_STATUS_DEVICE);
    assert_int_equal(lost, 1);

    const struct engine_execution memory = {.size = sizeof memory, .flags = ENGINE_RUN_NO_FILES};
    struct engine_result result = {.size = sizeof result};
    assert_int_equal(engine_run_hash(run, after, &error), ENGINE_STATUS_USAGE);
    assert_non_null(strstr(error.text, "restore a snapshot"));
    assert_int_equal(engine_run_read(run, 0, NULL, cells, sizeof cells, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_write(run, 0, NULL, memset(cells, 0, sizeof cells), sizeof cells, &error),
                     ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_advance(run, 1, NULL, &lost, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(lost, 1);
    assert_int_equal(engine_run_execute(run, &memory, &result, &error), ENGINE_STATUS_USAGE);

    assert_int_equal(engine_run_restore(run, file, &error), 0);
    assert_int_equal(engine_run_step(run), 0);
    assert_int_equal(engine_run_hash(run, after, &error), 0);
    assert_string_equal(after, before);
}

static void an_execution_that_lost_the_state_is_not_repeated(void **state)
{
    (void) state;
    const struct engine_execution memory = {.size = sizeof memory, .flags = ENGINE_RUN_NO_FILES};
    struct engine_result result = {.size = sizeof result};
    assert_int_equal(start("run.plugin=losing_advance", "grid.size=8 8"), 0);
    assert_int_equal(engine_run_execute(run, &memory, &result, &error), ENGINE_STATUS_DEVICE);
    assert_int_equal(engine_run_execute(run, &memory, &result, &error), ENGINE_STATUS_USAGE);
}

static void a_run_that_could_not_start_is_not_executed(void **state)
{
    (void) state;
    const struct engine_execution memory = {.size = sizeof memory, .flags = ENGINE_RUN_NO_FILES};
    struct engine_result result = {.size = sizeof result};
    assert_int_not_equal(start("run.plugin=failing_create", "grid.size=8 8"), 0);
    assert_non_null(run);
    assert_int_not_equal(engine_run_execute(run, &memory, &result, &error), 0);
    assert_int_not_equal(engine_run_start(run, &error), 0);
}

static void a_run_whose_analysis_could_not_start_is_not_executed(void **state)
{
    (void) state;
    static const char *const settings[] = {"run.plugin=life2d-bit",
                                           "grid.size=8 8",
                                           "init.source=random",
                                           "run.steps=9",
                                           "analyse.plugin=failing_analysis",
                                           NULL};
    const struct engine_execution memory = {.size = sizeof memory, .flags = ENGINE_RUN_NO_FILES};
    struct engine_result result = {.size = sizeof result};
    assert_int_not_equal(start_run(context, settings, &config, &run, &error), 0);
    assert_non_null(strstr(error.text, "no room for 7 beads"));
    assert_int_equal(engine_run_execute(run, &memory, &result, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_advance(run, 1, NULL, NULL, &error), ENGINE_STATUS_USAGE);
}

/* ---- What cannot be ---------------------------------------------------------------------------------------------- */

static void a_snapshot_of_another_grid_leaves_the_state_as_it_was(void **state)
{
    (void) state;
    char before[ENGINE_HASH_SIZE], after[ENGINE_HASH_SIZE];
    assert_int_equal(start("run.plugin=life2d-bit", "grid.size=9 8"), 0);
    assert_int_equal(engine_run_advance(run, 7, NULL, NULL, &error), 0);
    assert_int_equal(engine_run_save(run, file, &error), 0);
    close_run(NULL);
    assert_int_equal(start("run.plugin=life2d-bit", "grid.size=8 8"), 0);
    assert_int_equal(engine_run_advance(run, 2, NULL, NULL, &error), 0);
    assert_int_equal(engine_run_hash(run, before, &error), 0);
    assert_int_equal(engine_run_restore(run, file, &error), ENGINE_STATUS_INPUT);
    assert_int_equal(engine_run_step(run), 2);
    assert_int_equal(engine_run_hash(run, after, &error), 0);
    assert_string_equal(after, before);
    assert_int_equal(engine_run_advance(run, 1, NULL, NULL, &error), 0);
}

static void steps_that_cannot_be_counted_are_refused(void **state)
{
    (void) state;
    uint64_t taken = 9;
    assert_int_equal(start("run.plugin=life2d-bit", "grid.size=8 8"), 0);
    assert_int_equal(engine_run_advance(run, 5, NULL, NULL, &error), 0);
    assert_int_equal(engine_run_advance(run, UINT64_MAX - 4, &taken, NULL, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(taken, 0);
    assert_int_equal(engine_run_step(run), 5);
}

static void a_picture_without_columns_or_rows_is_refused(void **state)
{
    (void) state;
    struct engine_picture picture = {.size = sizeof picture, .most_columns = 4, .most_rows = 0};
    assert_int_equal(start("run.plugin=life2d-bit", "grid.size=8 8"), 0);
    assert_int_equal(engine_run_picture(run, &picture, &error), ENGINE_STATUS_USAGE);
    picture.most_columns = 0, picture.most_rows = 4;
    assert_int_equal(engine_run_picture(run, &picture, &error), ENGINE_STATUS_USAGE);
    engine_picture_release(&picture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_lost_state_is_refused_until_a_snapshot_is_restored, close_run),
        cmocka_unit_test_teardown(an_execution_that_lost_the_state_is_not_repeated, close_run),
        cmocka_unit_test_teardown(a_run_that_could_not_start_is_not_executed, close_run),
        cmocka_unit_test_teardown(a_run_whose_analysis_could_not_start_is_not_executed, close_run),
        cmocka_unit_test_teardown(a_snapshot_of_another_grid_leaves_the_state_as_it_was, close_run),
        cmocka_unit_test_teardown(steps_that_cannot_be_counted_are_refused, close_run),
        cmocka_unit_test_teardown(a_picture_without_columns_or_rows_is_refused, close_run),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
