/* The folder of a run, in which somebody else plants links, and removes or moves files while the run writes. The run
 * writes to no file but its own, keeps its files together, and ends with an error if one of them is gone. */
#include "tests/library/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { WHEN = 20, STEPS = 40 };

static char top[64], folder[80], victim[80], moved[80];

/* What somebody does when the run has taken WHEN steps, and what the engine says. */
struct scene {
    void (*act)(void);
    char said[4096];
};

static void shell(const char *command)
{
    char text[512];
    snprintf(text, sizeof text, "cd %s && %s", top, command);
    if (system(text) != 0) // NOLINT(cert-env33-c): the folder is this test's own
        fail_msg("%s", text);
}

static bool is_so(const char *test)
{
    char text[512];
    snprintf(text, sizeof text, "cd %s && %s", top, test);
    return system(text) == 0; // NOLINT(cert-env33-c)
}

static void progress(void *user, const struct engine_progress *progress)
{
    struct scene *scene = user;
    if (progress->step == WHEN && progress->work_unit && scene->act)
        scene->act();
}

static void message(void *user, int level, const char *source, const char *text)
{
    struct scene *scene = user;
    (void) source;
    if (level == ENGINE_LOG_ERROR)
        strncat(scene->said, text, sizeof scene->said - strlen(scene->said) - 1);
}

static struct engine_context *open_context(struct scene *scene)
{
    const struct engine_hooks hooks = {.user = scene, .progress = progress, .message = message};
    struct engine_context *context = NULL;
    struct engine_error error;
    if (open_built_context(hooks, &context, &error) != 0)
        fail_msg("%s", error.text);
    return context;
}

static int execute(struct engine_run *run, struct engine_result *result, struct engine_error *error)
{
    const struct engine_execution execution = {.size = sizeof execution, .flags = ENGINE_RUN_FORCE};
    *result = (struct engine_result){.size = sizeof *result};
    const int status = engine_run_execute(run, &execution, result, error);
    engine_run_close(run);
    return status;
}

/* Plans a run in the folder, with an output and a checkpoint every 10 steps. */
static struct engine_run *plan_there(struct engine_context *context, struct engine_config **config)
{
    char output[128];
    const char *const settings[] = {"run.plugin=life2d-bit", "grid.size=64 48",         "init.source=random",
                                    "run.steps=40",          "output.formats=npy apng", "output.every=10",
                                    "checkpoint.every=10",   "run.threads=1",           output};
    struct engine_run *run = NULL;
    struct engine_error error;
    snprintf(output, sizeof output, "run.output=%s", folder);
    if (engine_config_open(context, NULL, config, &error) != 0)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (engine_config_set(*config, settings[i], &error) != 0)
            fail_msg("%s", error.text);
    if (engine_run_plan(*config, &run, &error) != 0)
        fail_msg("%s", error.text);
    return run;
}

static int run_there(struct scene *scene, struct engine_result *result, struct engine_error *error)
{
    struct engine_context *context = open_context(scene);
    struct engine_config *config = NULL;
    const int status = execute(plan_there(context, &config), result, error);
    engine_config_close(config);
    engine_close(context);
    return status;
}

/* Gives the run that has ended more steps. */
static int go_on(struct scene *scene, struct engine_error *error)
{
    static const char *const more[] = {"run.steps=60"};
    struct engine_context *context = open_context(scene);
    struct engine_run *run = NULL;
    struct engine_result result;
    char *summary;
    int status = engine_run_resume(context, folder, more, 1, &run, &summary, error);
    if (status == 0)
        status = execute(run, &result, error);
    free(summary);
    engine_close(context);
    return status;
}

static int make_top(void **state)
{
    (void) state;
    strcpy(top, "/tmp/engine_test_XXXXXX");
    if (!mkdtemp(top))
        return 1;
    snprintf(folder, sizeof folder, "%s/out", top);
    snprintf(moved, sizeof moved, "%s/moved", top);
    snprintf(victim, sizeof victim, "%s/victim", top);
    shell("mkdir out && echo mine >victim");
    return 0;
}

static int remove_top(void **state)
{
    (void) state;
    shell("rm -rf out moved victim");
    return rmdir(top);
}

static void run_well(struct scene *scene)
{
    struct engine_result result;
    struct engine_error error = {0};
    if (run_there(scene, &result, &error) != 0)
        fail_msg("%s", error.text);
}

static void expect_victim_unchanged(void)
{
    assert_true(is_so("test \"$(cat victim)\" = mine"));
}

/* ---- Links ------------------------------------------------------------------------------------------------------ */

static void links_that_were_there_are_replaced(void **state)
{
    (void) state;
    struct scene scene = {0};
    shell("cd out && for name in metrics.csv cells-0000000000.npy cells.apng config.ini "
          "checkpoint-0000000010.snapshot; do ln -s ../victim $name; done");
    run_well(&scene);
    expect_victim_unchanged();
    assert_true(is_so("test -z \"$(find out -type l)\" && test -s out/cells.apng"));
}

static void a_hard_link_is_not_the_engines_lock(void **state)
{
    (void) state;
    struct scene scene = {0};
    struct engine_result result;
    struct engine_error error = {0};
    shell("ln victim out/.lock");
    assert_int_equal(run_there(&scene, &result, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "/out/.lock: is a hard link"));
    expect_victim_unchanged();
}

static void plant(void)
{
    shell("cd out && for name in cells-0000000020.npy cells-0000000030.npy checkpoint-0000000030.snapshot; do "
          "ln -sf ../victim $name; done");
}

static void links_that_appear_during_the_run_are_replaced(void **state)
{
    (void) state;
    struct scene scene = {.act = plant};
    run_well(&scene);
    expect_victim_unchanged();
    assert_true(is_so("test -z \"$(find out -type l)\""));
}

static void plant_film(void)
{
    shell("mv out/cells.apng victim2 && cp victim2 victim3 && ln -s ../victim2 out/cells.apng");
}

static void a_film_that_is_a_link_gets_no_frame(void **state)
{
    (void) state;
    struct scene scene = {.act = plant_film};
    struct engine_result result;
    struct engine_error error = {0};
    assert_int_equal(run_there(&scene, &result, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "/out/cells.apng: is a symbolic link"));
    assert_true(is_so("cmp victim2 victim3"));
    shell("rm victim2 victim3");
}

static void metrics_that_are_a_link_are_not_continued(void **state)
{
    (void) state;
    struct scene scene = {0};
    struct engine_error error = {0};
    run_well(&scene);
    shell("mv out/metrics.csv victim2 && cp victim2 victim3 && ln -s ../victim2 out/metrics.csv");
    assert_int_equal(go_on(&scene, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "/out/metrics.csv: is a symbolic link"));
    assert_true(is_so("cmp victim2 victim3"));
    shell("rm victim2 victim3");
}

/* ---- The folder ------------------------------------------------------------------------------------------------- */

static void exchange_folder(void)
{
    shell("mv out moved && mkdir out");
}

static void a_folder_that_is_moved_keeps_its_files_together(void **state)
{
    (void) state;
    struct scene scene = {.act = exchange_folder};
    run_well(&scene);
    assert_non_null(strstr(scene.said, "/out: this folder was moved or removed"));
    assert_true(is_so("test -z \"$(ls -A out)\" && test -s moved/cells-0000000000.npy && test -s moved/summary.json && "
                      "test $(wc -l <moved/metrics.csv) = 6"));
}

static void remove_folder(void)
{
    shell("until rm -rf out 2>/dev/null; do :; done"); /* a checkpoint is being written */
}

static void a_folder_that_is_removed_is_an_error(void **state)
{
    (void) state;
    struct scene scene = {.act = remove_folder};
    struct engine_result result;
    struct engine_error error = {0};
    assert_int_equal(run_there(&scene, &result, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "removed"));
    assert_true(result.saved == UINT64_MAX && result.step == WHEN);
}

/* Refuses the files of an earlier run, and then executes the same run with those flags. */
static void execute_after_refusal(uint32_t flags)
{
    struct scene scene = {0};
    struct engine_context *context = open_context(&scene);
    struct engine_config *config = NULL;
    struct engine_run *run = plan_there(context, &config);
    const struct engine_execution execution = {.size = sizeof execution, .flags = flags};
    struct engine_result result = {.size = sizeof result};
    struct engine_error error = {0};
    assert_int_equal(engine_run_execute(run, NULL, &result, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "/out: holds the files of an earlier run"));
    assert_true(is_so("test ! -e out/.lock"));
    if (engine_run_execute(run, &execution, &result, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(result.step, STEPS);
    engine_run_close(run);
    engine_config_close(config);
    engine_close(context);
}

static void a_folder_that_was_refused_is_left_alone(void **state)
{
    (void) state;
    struct scene scene = {0};
    run_well(&scene);
    shell("cp -rp out moved && touch -d yesterday out/* moved/*");
    execute_after_refusal(ENGINE_RUN_NO_FILES);
    assert_true(is_so("diff -r out moved && test -z \"$(find out -type f -newer moved/config.ini)\""));
    execute_after_refusal(ENGINE_RUN_FORCE);
    assert_true(is_so("test out/config.ini -nt moved/config.ini"));
}

/* ---- Files ------------------------------------------------------------------------------------------------------ */

static void remove_metrics(void)
{
    shell("rm out/metrics.csv");
}

static void remove_film(void)
{
    shell("rm out/cells.apng");
}

static void remove_picture(void)
{
    shell("rm out/cells-0000000010.npy");
}

static void a_file_that_is_removed_is_an_error(void **state)
{
    (void) state;
    static const struct {
        void (*act)(void);
        const char *what;
    } removals[] = {{remove_metrics, "/out/metrics.csv: was removed while the run was writing it"},
                    {remove_film, "/out/cells.apng: cannot be opened: No such file or directory"},
                    {remove_picture, "/out/cells-0000000010.npy: the run wrote this file, and it was removed"}};
    for (size_t i = 0; i < sizeof removals / sizeof removals[0]; i++) {
        struct scene scene = {.act = removals[i].act};
        struct engine_result result;
        struct engine_error error = {0};
        assert_int_equal(run_there(&scene, &result, &error), ENGINE_STATUS_OUTPUT);
        if (!strstr(error.text, removals[i].what))
            fail_msg("%s", error.text);
    }
}

static void remove_config(void)
{
    shell("rm out/config.ini");
}

static void a_configuration_that_is_removed_is_written_again(void **state)
{
    (void) state;
    struct scene scene = {.act = remove_config};
    struct engine_error error = {0};
    run_well(&scene);
    assert_non_null(strstr(scene.said, "/out/config.ini: was removed while the run wrote"));
    scene.act = NULL;
    assert_int_equal(go_on(&scene, &error), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(links_that_were_there_are_replaced, make_top, remove_top),
        cmocka_unit_test_setup_teardown(a_hard_link_is_not_the_engines_lock, make_top, remove_top),
        cmocka_unit_test_setup_teardown(links_that_appear_during_the_run_are_replaced, make_top, remove_top),
        cmocka_unit_test_setup_teardown(a_film_that_is_a_link_gets_no_frame, make_top, remove_top),
        cmocka_unit_test_setup_teardown(metrics_that_are_a_link_are_not_continued, make_top, remove_top),
        cmocka_unit_test_setup_teardown(a_folder_that_is_moved_keeps_its_files_together, make_top, remove_top),
        cmocka_unit_test_setup_teardown(a_folder_that_is_removed_is_an_error, make_top, remove_top),
        cmocka_unit_test_setup_teardown(a_folder_that_was_refused_is_left_alone, make_top, remove_top),
        cmocka_unit_test_setup_teardown(a_file_that_is_removed_is_an_error, make_top, remove_top),
        cmocka_unit_test_setup_teardown(a_configuration_that_is_removed_is_written_again, make_top, remove_top),
    };
    return cmocka_run_group_tests_name("folder", tests, NULL, NULL);
}
