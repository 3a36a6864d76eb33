/* Contexts: each has devices of its own. Threads use different contexts at the same time, and a context is opened again
 * after another was closed. Every run must end in the state that the reference reaches alone. Where there is a GPU,
 * `auto` chooses it. */
#include "tests/library/runs.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { THREADS = 4, ROUNDS = 3, STEPS = 60 };

struct job {
    const char *implementation;
    char hash[ENGINE_HASH_SIZE];
    struct engine_error error;
};

static int advance(struct engine_config *config, struct job *job)
{
    struct engine_run *run = NULL;
    int status = engine_run_plan(config, &run, &job->error);
    if (status == 0)
        status = engine_run_start(run, &job->error);
    for (int step = 0; status == 0 && step < STEPS; step += 5) /* calls of equal size, which a device records */
        status = engine_run_advance(run, 5, NULL, NULL, &job->error);
    if (status == 0)
        status = engine_run_hash(run, job->hash, &job->error);
    engine_run_close(run);
    return status;
}

static int configure(struct engine_config *config, const char *implementation, struct engine_error *error)
{
    char chosen[64];
    const char *const settings[] = {"run.plugin=life3d-naive", "grid.size=33 20 17", "init.source=random",
                                    "init.density=0.3",        "run.threads=2",      chosen};
    snprintf(chosen, sizeof chosen, "run.implementation=%s", implementation);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (engine_config_set(config, settings[i], error) != 0)
            return error->status;
    return 0;
}

/* Opens a context, runs, and closes it. */
static int run_alone(struct job *job)
{
    struct engine_context *context = NULL;
    struct engine_config *config = NULL;
    int status = open_built_context((struct engine_hooks){0}, &context, &job->error);
    if (status == 0)
        status = engine_config_open(context, NULL, &config, &job->error);
    if (status == 0)
        status = configure(config, job->implementation, &job->error);
    if (status == 0)
        status = advance(config, job);
    engine_config_close(config);
    engine_close(context);
    return status;
}

static void *run_rounds(void *argument)
{
    struct job *job = argument;
    for (int i = 0; i < ROUNDS; i++)
        if (run_alone(job) != 0)
            break;
    return NULL;
}

static void find_expected(char hash[ENGINE_HASH_SIZE])
{
    struct job reference = {.implementation = "cpu-serial"};
    if (run_alone(&reference) != 0)
        fail_msg("%s", reference.error.text);
    memcpy(hash, reference.hash, ENGINE_HASH_SIZE);
}

static void contexts_in_threads_do_not_disturb_each_other(void **state)
{
    (void) state;
    char expected[ENGINE_HASH_SIZE];
    pthread_t threads[THREADS];
    struct job jobs[THREADS] = {
        {.implementation = "auto"}, {.implementation = "cpu"}, {.implementation = "auto"}, {.implementation = "auto"}};
    find_expected(expected);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_rounds, &jobs[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_string_equal(jobs[i].error.text, "");
        assert_string_equal(jobs[i].hash, expected);
    }
}

static void a_context_is_opened_after_another_was_closed(void **state)
{
    (void) state;
    char expected[ENGINE_HASH_SIZE];
    find_expected(expected);
    for (int i = 0; i < ROUNDS; i++) {
        struct job job = {.implementation = "auto"};
        assert_int_equal(run_alone(&job), 0);
        assert_string_equal(job.hash, expected);
    }
}

/* A child has none of its parent's threads, neither those of the library nor those of OpenMP. */
static void given_a_program_that_computed_when_it_forks_then_the_child_computes(void **state)
{
    (void) state;
    char expected[ENGINE_HASH_SIZE];
    struct job job = {.implementation = "cpu"};
    int status;
    find_expected(expected);
    assert_int_equal(run_alone(&job), 0);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(run_alone(&job) == 0 && strcmp(job.hash, expected) == 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* ---- Folders of plugins ------------------------------------------------------------------------------------------- */

/* Plans a run of the plugin liar of the folder, and returns the path of the file that it comes from. */
static void plan_in(struct engine_context *context, const char *folder, char path[256])
{
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct engine_config *config;
    struct engine_run *run;
    struct engine_error error = {0, ""};
    char plugins[128];
    snprintf(plugins, sizeof plugins, "run.plugins=%s", folder);
    const char *const settings[] = {"run.plugin=liar", "grid.size=8 8", plugins};
    assert_int_equal(engine_config_open(context, NULL, &config, &error), 0);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        assert_int_equal(engine_config_set(config, settings[i], &error), 0);
    if (engine_run_plan(config, &run, &error) != 0)
        fail_msg("%s", error.text);
    engine_run_plugin(run, &plugin);
    snprintf(path, 256, "%s", plugin.path);
    engine_run_close(run);
    engine_config_close(config);
}

static void shell(const char *command)
{
    if (system(command) != 0)
        fail_msg("%s", command);
}

/* Each folder has a file of the plugin. */
static void given_configurations_with_folders_of_plugins_when_planned_then_each_has_its_own(void **state)
{
    (void) state;
    const char *const build = getenv("BUILD");
    char tree[] = "/tmp/engine-test-XXXXXX", folder[2][64], expected[128], found[256], command[512];
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct engine_context *context;
    struct engine_error error;
    assert_non_null(mkdtemp(tree));
    for (int i = 0; i < 2; i++) {
        snprintf(folder[i], sizeof folder[i], "%s/%d", tree, i);
        snprintf(command, sizeof command, "mkdir %s && cp '%s/tests/bad/liar.so' %s && chmod -R go-w %s", folder[i],
                 build ? build : "build", folder[i], tree);
        shell(command);
    }
    assert_int_equal(open_built_context((struct engine_hooks){0}, &context, &error), 0);
    for (int i = 0; i < 4; i++) {
        plan_in(context, folder[i % 2], found);
        snprintf(expected, sizeof expected, "%s/liar.so", folder[i % 2]);
        assert_string_equal(found, expected);
    }
    assert_int_equal(engine_plugin_find(context, "liar", &plugin, &error), ENGINE_STATUS_PLUGIN);
    engine_close(context);
    snprintf(command, sizeof command, "rm -r %s", tree);
    shell(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_in_threads_do_not_disturb_each_other),
        cmocka_unit_test(a_context_is_opened_after_another_was_closed),
        cmocka_unit_test(given_a_program_that_computed_when_it_forks_then_the_child_computes),
        cmocka_unit_test(given_configurations_with_folders_of_plugins_when_planned_then_each_has_its_own),
    };
    return cmocka_run_group_tests_name("contexts", tests, NULL, NULL);
}
