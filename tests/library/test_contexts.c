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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_in_threads_do_not_disturb_each_other),
        cmocka_unit_test(a_context_is_opened_after_another_was_closed),
    };
    return cmocka_run_group_tests_name("contexts", tests, NULL, NULL);
}
