/* The functions of engine.h in wrong orders, and with arguments that are out of range. The library refuses them with
 * ENGINE_STATUS_USAGE, and what was there stays as it was. */
#include "tests/library/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/skipped.h"

static struct engine_context *context;
static struct engine_config *config;
static struct engine_run *run;
static struct engine_error error;
static char folder[64];

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put(const char *section, const char *key, const char *value)
{
    if (engine_config_put(config, section, key, value, &error) != 0)
        fail_msg("%s", error.text);
}

/* A configuration of random cells, with 3 steps. */
static int begin(void **state)
{
    (void) state;
    strcpy(folder, "/tmp/engine-orders-XXXXXX");
    if (!mkdtemp(folder) || open_built_context((struct engine_hooks){.pace = 0}, &context, &error) != 0 ||
        engine_config_open(context, NULL, &config, &error) != 0)
        return -1;
    put("run", "plugin", "life2d-bit");
    put("run", "steps", "3");
    put("run", "threads", "1");
    put("run", "implementation", tested_implementation());
    put("run", "output", path_of("out"));
    put("grid", "size", "64 64");
    put("init", "source", "random");
    return 0;
}

static int end(void **state)
{
    (void) state;
    char command[128];
    close_all(context, &config, &run, 1);
    run = NULL;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command); // NOLINT(cert-env33-c): the folder is this test's own
}

static void plan(void)
{
    if (engine_run_plan(config, &run, &error) != 0)
        fail_msg("%s", error.text);
}

static void plan_steps(void)
{
    if (engine_run_plan_steps(config, NULL, &run, &error) != 0)
        fail_msg("%s", error.text);
}

static int execute(uint32_t flags)
{
    const struct engine_execution execution = {.size = sizeof execution, .flags = flags};
    struct engine_result result = {.size = sizeof result};
    return engine_run_execute(run, &execution, &result, &error);
}

/* ---- Contexts and plugins --------------------------------------------------------------------------------------- */

static int give_nothing(void *user, const struct engine_memory *memory, uint64_t bytes, void **address,
                        struct engine_error *why)
{
    (void) user, (void) memory, (void) bytes, (void) address, (void) why;
    return 1;
}

static void take_back(void *user, const struct engine_memory *memory, void *address, uint64_t bytes)
{
    (void) user, (void) memory, (void) address, (void) bytes;
}

static void hooks_for_memory_come_in_pairs(void **state)
{
    (void) state;
    struct engine_context *other;
    assert_int_equal(open_built_context((struct engine_hooks){.allocate = give_nothing}, &other, &error),
                     ENGINE_STATUS_USAGE);
    assert_null(other);
    assert_int_equal(open_built_context((struct engine_hooks){.release = take_back}, &other, &error),
                     ENGINE_STATUS_USAGE);
    assert_null(other);
}

static void a_hook_that_gives_no_memory_may_keep_the_reason(void **state)
{
    (void) state;
    struct engine_context *other;
    struct engine_run *without;
    const struct engine_hooks hooks = {.allocate = give_nothing, .release = take_back};
    assert_int_equal(open_built_context(hooks, &other, &error), 0);
    engine_config_set_context(config, other);
    assert_int_equal(engine_run_plan(config, &without, &error), 0);
    assert_int_equal(engine_run_start(without, &error), ENGINE_STATUS_DEVICE);
    engine_run_close(without);
    engine_config_set_context(config, context);
    engine_close(other);
}

static void a_plugin_without_a_name_is_refused(void **state)
{
    (void) state;
    const struct engine_plugin nameless = {ENGINE_PLUGIN(NULL, "1", "has no name")};
    assert_int_equal(engine_plugin_add(context, &nameless, &error), ENGINE_STATUS_PLUGIN);
}

/* ---- Runs that take steps --------------------------------------------------------------------------------------- */

static void a_run_without_an_implementation_is_refused(void **state)
{
    (void) state;
    char *text;
    uint64_t bytes;
    struct engine_measured measured = {.size = sizeof measured};
    struct engine_cost cost = {.size = sizeof cost, .bytes = 7};
    plan_steps();
    assert_int_equal(engine_run_print_plan(run, ENGINE_TEXT, &text, &error), ENGINE_STATUS_USAGE);
    assert_null(text);
    assert_int_equal(engine_run_advise(run, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_check_room(run, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_check_rooms(run, 1, 1, &bytes, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_measured(run, 0, &measured, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_prepare(run, 0, &error), ENGINE_STATUS_USAGE);
    engine_run_cost(run, &cost);
    assert_true(cost.bytes == 0);
}

static void a_choice_that_fails_leaves_none(void **state)
{
    (void) state;
    put("grid", "size", "10000000 10000000"); /* more than the host has */
    plan_steps();
    assert_int_equal(engine_run_choose(run, "cpu", &error), ENGINE_STATUS_DEVICE);
    assert_null(engine_run_impl(run));
    assert_int_equal(engine_run_start(run, &error), ENGINE_STATUS_USAGE);
}

static void a_run_that_takes_steps_has_no_folder(void **state)
{
    (void) state;
    plan_steps();
    assert_int_equal(engine_run_choose(run, "cpu", &error), 0);
    assert_int_equal(engine_run_claim(run, 0, &error), ENGINE_STATUS_USAGE);
    assert_int_not_equal(access(path_of("out"), F_OK), 0);
}

static void steps_beyond_the_last_number_are_not_taken(void **state)
{
    (void) state;
    plan();
    assert_int_equal(engine_run_prepare(run, UINT64_MAX - 1, &error), 0);
    assert_int_equal(engine_run_start(run, &error), 0);
    assert_int_equal(engine_run_take(run, 1, 0, &error), 0);
    assert_int_equal(engine_run_take(run, 1, 0, &error), ENGINE_STATUS_USAGE);
    assert_true(engine_run_step(run) == UINT64_MAX);
}

static void a_field_that_does_not_exist_has_no_size(void **state)
{
    (void) state;
    struct engine_shape shape = {.size = sizeof shape, .components = 7};
    uint8_t cell = 1;
    char text[80] = "x";
    plan();
    for (int started = 0; started < 2; started++) {
        assert_int_equal(engine_run_feed(run, 1000000, 0, 1, &cell, &error), ENGINE_STATUS_USAGE);
        assert_int_equal(engine_run_feed(run, 0, 1, UINT64_MAX, &cell, &error), ENGINE_STATUS_USAGE);
        engine_run_shape(run, 1000000, &shape);
        assert_int_equal(shape.components, 0);
        assert_true(shape.extent[0] == 0);
        assert_string_equal(engine_run_size(run, 1000000, text), "");
        if (!started)
            assert_int_equal(engine_run_start(run, &error), 0);
    }
}

/* The sizes of the runs differ, so that their memory could not hold the other's state. */
static void what_was_kept_of_a_closed_run_belongs_to_no_other(void **state)
{
    (void) state;
    struct engine_kept *kept;
    plan();
    assert_int_equal(engine_run_start(run, &error), 0);
    assert_int_equal(engine_run_keep(run, &kept, &error), 0);
    put("grid", "size", "16 16");
    for (int i = 0; i < 50; i++) { /* some have the address of the first */
        engine_run_close(run);
        plan();
        assert_int_equal(engine_run_start(run, &error), 0);
        assert_int_equal(engine_run_return(run, kept, &error), ENGINE_STATUS_USAGE);
    }
    engine_kept_close(kept);
}

static void a_trajectory_does_not_go_back(void **state)
{
    (void) state;
    static const char *const keys[][3] = {
        {"run", "plugin", "rdf"}, {"run", "implementation", "cpu"}, {"rdf", "r_max", "2"}};
    struct engine_kept *kept;
    FILE *file = fopen(path_of("all.xyz"), "w");
    assert_non_null(file);
    for (int frame = 0; frame < 9; frame++)
        fprintf(file, "2\nLattice=\"8 0 0 0 8 0 0 0 8\" Properties=species:S:1:pos:R:3\nA 1 1 1\nA 1 1 1.%d\n", frame);
    assert_int_equal(fclose(file), 0);
    engine_config_close(config);
    assert_int_equal(engine_config_open(context, NULL, &config, &error), 0);
    for (int i = 0; i < 3; i++)
        put(keys[i][0], keys[i][1], keys[i][2]);
    put("init", "file", path_of("all.xyz"));
    plan();
    assert_int_equal(engine_run_start(run, &error), 0);
    assert_int_equal(engine_run_keep(run, &kept, &error), 0);
    assert_int_equal(engine_run_take(run, 3, 0, &error), 0); /* reads no frame */
    assert_int_equal(engine_run_return(run, kept, &error), 0);
    assert_int_equal(engine_run_advance(run, 3, NULL, NULL, &error), 0);
    assert_int_equal(engine_run_return(run, kept, &error), 0);
    assert_int_equal(engine_run_advance(run, 1, NULL, NULL, &error), ENGINE_STATUS_USAGE);
    engine_kept_close(kept);
}

/* ---- Whole runs ------------------------------------------------------------------------------------------------- */

static void a_claimed_folder_contradicts_a_run_without_files(void **state)
{
    (void) state;
    plan();
    assert_int_equal(engine_run_claim(run, 0, &error), 0);
    assert_int_equal(execute(ENGINE_RUN_NO_FILES), ENGINE_STATUS_USAGE);
    assert_int_not_equal(access(path_of("out/config.ini"), F_OK), 0);
    assert_int_equal(execute(0), 0);
    assert_int_equal(access(path_of("out/summary.json"), F_OK), 0);
}

static void a_run_without_files_claims_no_folder_afterwards(void **state)
{
    (void) state;
    plan();
    assert_int_equal(execute(ENGINE_RUN_NO_FILES), 0);
    assert_int_equal(engine_run_claim(run, 0, &error), ENGINE_STATUS_USAGE);
    assert_int_not_equal(access(path_of("out"), F_OK), 0);
}

/* A program of a version whose structure ended with `flags`. */
static void an_execution_has_the_members_of_its_size(void **state)
{
    (void) state;
    const struct engine_execution execution = {.size = offsetof(struct engine_execution, deadline), .deadline = 1e-9};
    struct engine_result result = {.size = sizeof result};
    put("run", "steps", "1000");
    plan();
    assert_int_equal(engine_run_execute(run, &execution, &result, &error), 0);
    assert_int_equal(result.step, 1000);
}

/* The buffers of one run have at least 2^32 bytes here, so that those of 2^32 - 1 runs have about 2^64. */
static void bytes_that_cannot_be_counted_have_no_room(void **state)
{
    (void) state;
    uint64_t one, all;
    put("grid", "size", "200000 200000");
    if (engine_run_plan(config, &run, &error) != 0)
        SKIP("the host has less memory");
    engine_run_check_rooms(run, 1, 1, &one, &error);
    assert_true(one > UINT32_MAX);
    assert_int_equal(engine_run_check_rooms(run, (uint32_t) (UINT64_MAX / one + 1), 1, &all, &error),
                     ENGINE_STATUS_DEVICE);
    assert_true(all == UINT64_MAX);
}

/* ---- Ensembles -------------------------------------------------------------------------------------------------- */

static const struct engine_error failed = {ENGINE_STATUS_PLUGIN, "as asked"};

static struct engine_ensemble *ensemble_of_three(void)
{
    struct engine_ensemble *ensemble;
    put("ensemble", "sweep", "init.seed=1,2,3");
    if (engine_ensemble_plan(config, &ensemble, &error) != 0)
        fail_msg("%s", error.text);
    return ensemble;
}

static void an_ensemble_that_is_not_open_has_no_results(void **state)
{
    (void) state;
    struct engine_ensemble *ensemble = ensemble_of_three();
    char *text;
    int more;
    assert_int_equal(engine_ensemble_missing(ensemble, 0), 1);
    assert_int_equal(engine_ensemble_missing(ensemble, UINT64_MAX), 0);
    assert_int_equal(engine_ensemble_take(ensemble, &more), 1);
    assert_int_equal(engine_ensemble_record(ensemble, 1, NULL, &failed, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_ensemble_finish(ensemble, &error), ENGINE_STATUS_USAGE);
    for (int form = ENGINE_TEXT; form <= ENGINE_JSON; form++) {
        assert_int_equal(engine_ensemble_print(ensemble, form, &text, &error), ENGINE_STATUS_USAGE);
        assert_null(text);
    }
    assert_int_equal(engine_ensemble_open(ensemble, 0, &error), 0); /* nothing of this has done harm */
    assert_int_equal(engine_ensemble_record(ensemble, 1, NULL, &failed, &error), 0);
    engine_ensemble_close(ensemble);
}

static void an_ensemble_is_opened_once(void **state)
{
    (void) state;
    struct engine_ensemble *ensemble = ensemble_of_three();
    assert_int_equal(engine_ensemble_open(ensemble, 0, &error), 0);
    assert_int_equal(engine_ensemble_open(ensemble, ENGINE_RUN_FORCE, &error), ENGINE_STATUS_USAGE);
    engine_ensemble_close(ensemble);
    assert_int_equal(engine_ensemble_resume(context, path_of("out"), NULL, 0, &ensemble, &error), 0);
    assert_int_equal(engine_ensemble_open(ensemble, ENGINE_RUN_FORCE, &error), ENGINE_STATUS_USAGE);
    engine_ensemble_close(ensemble);
}

static void members_beyond_the_last_are_refused(void **state)
{
    (void) state;
    static const uint64_t wrong[] = {0, 4, UINT64_C(1) << 40, UINT64_MAX};
    struct engine_ensemble *ensemble = ensemble_of_three();
    assert_int_equal(engine_ensemble_open(ensemble, 0, &error), 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(engine_ensemble_member(ensemble, wrong[i], context, &run, &error), ENGINE_STATUS_USAGE);
        assert_null(run);
        assert_int_equal(engine_ensemble_record(ensemble, wrong[i], NULL, &failed, &error), ENGINE_STATUS_USAGE);
    }
    engine_ensemble_close(ensemble);
}

static void only_an_executed_member_is_recorded(void **state)
{
    (void) state;
    struct engine_ensemble *ensemble = ensemble_of_three();
    assert_int_equal(engine_ensemble_open(ensemble, 0, &error), 0);
    assert_int_equal(engine_ensemble_record(ensemble, 1, NULL, NULL, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_ensemble_member(ensemble, 1, context, &run, &error), 0);
    assert_int_equal(engine_ensemble_record(ensemble, 1, run, NULL, &error), ENGINE_STATUS_USAGE);
    engine_run_close(run);
    put("run", "plugin", "life2d-lut");
    put("run", "implementation", "cpu");
    plan();
    assert_int_equal(execute(ENGINE_RUN_NO_FILES), 0);
    assert_int_equal(engine_ensemble_record(ensemble, 1, run, NULL, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_ensemble_missing(ensemble, 0), 1);
    engine_ensemble_close(ensemble);
}

static void a_member_is_done_once(void **state)
{
    (void) state;
    struct engine_ensemble *ensemble = ensemble_of_three();
    struct engine_ensemble_info info = {.size = sizeof info};
    assert_int_equal(engine_ensemble_open(ensemble, 0, &error), 0);
    assert_int_equal(engine_ensemble_member(ensemble, 2, context, &run, &error), 0);
    assert_int_equal(execute(0), 0);
    assert_int_equal(engine_ensemble_record(ensemble, 2, run, NULL, &error), 0);
    assert_int_equal(engine_ensemble_record(ensemble, 2, run, NULL, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_ensemble_record(ensemble, 2, NULL, &failed, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_ensemble_finish(ensemble, &error), 0);
    assert_int_equal(engine_ensemble_record(ensemble, 3, NULL, &failed, &error), ENGINE_STATUS_USAGE);
    engine_ensemble_about(ensemble, &info);
    assert_true(info.done == 1 && info.failed == 0);
    engine_ensemble_close(ensemble);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(hooks_for_memory_come_in_pairs),
        TEST(a_hook_that_gives_no_memory_may_keep_the_reason),
        TEST(a_plugin_without_a_name_is_refused),
        TEST(a_run_without_an_implementation_is_refused),
        TEST(a_choice_that_fails_leaves_none),
        TEST(a_run_that_takes_steps_has_no_folder),
        TEST(steps_beyond_the_last_number_are_not_taken),
        TEST(a_field_that_does_not_exist_has_no_size),
        TEST(what_was_kept_of_a_closed_run_belongs_to_no_other),
        TEST(a_trajectory_does_not_go_back),
        TEST(a_claimed_folder_contradicts_a_run_without_files),
        TEST(a_run_without_files_claims_no_folder_afterwards),
        TEST(an_execution_has_the_members_of_its_size),
        TEST(bytes_that_cannot_be_counted_have_no_room),
        TEST(an_ensemble_that_is_not_open_has_no_results),
        TEST(an_ensemble_is_opened_once),
        TEST(members_beyond_the_last_are_refused),
        TEST(only_an_executed_member_is_recorded),
        TEST(a_member_is_done_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
