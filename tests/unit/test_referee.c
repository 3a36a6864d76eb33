/* A row that uses more processor time than its threads can is an error, whatever the load of the machine. */
#include "judge/players.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct engine_context *context;
static struct engine_config *config;

static int open_config(void **state)
{
    (void) state;
    struct engine_error error = {.status = 0};
    return engine_open(NULL, &context, &error) != 0 || engine_config_open(context, NULL, &config, &error) != 0;
}

static int close_config(void **state)
{
    (void) state;
    engine_config_close(config);
    engine_close(context);
    return 0;
}

/* Judges a row of that many threads whose repeat took two seconds. */
static int judge(uint32_t threads, uint32_t memory, double used)
{
    struct player player = {.about = {.threads = threads, .memory = memory}};
    const struct contest contest = {.config = config, .count = 1, .players = &player};
    const struct judged_run taken = {.seconds = 2, .processor_seconds = used};
    struct engine_error error = {.status = 0};
    return contest_check_threads(&contest, 0, &taken, &error);
}

static void one_thread_has_one_processor(void **state)
{
    (void) state;
    assert_int_equal(judge(1, ENGINE_HOST_MEMORY, 2), 0);
    assert_int_equal(judge(1, ENGINE_HOST_MEMORY, 4), ENGINE_STATUS_UNVERIFIED);
    assert_int_equal(judge(2, ENGINE_HOST_MEMORY, 4), 0);
    assert_int_equal(judge(2, ENGINE_HOST_MEMORY, 6), ENGINE_STATUS_UNVERIFIED);
}

static void a_driver_has_threads_of_its_own(void **state)
{
    (void) state;
    assert_int_equal(judge(1, ENGINE_CUDA_MEMORY, 4), 0);
}

/* The process says how many threads it has, and the configuration how many it may have. */
static void the_configuration_limits_the_threads(void **state)
{
    (void) state;
    struct engine_error error = {.status = 0};
    assert_int_equal(engine_config_set(config, "run.threads=1", &error), 0);
    assert_int_equal(judge(8, ENGINE_HOST_MEMORY, 2), 0);
    assert_int_equal(judge(8, ENGINE_HOST_MEMORY, 4), ENGINE_STATUS_UNVERIFIED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_has_one_processor),
        cmocka_unit_test(a_driver_has_threads_of_its_own),
        cmocka_unit_test(the_configuration_limits_the_threads),
    };
    return cmocka_run_group_tests(tests, open_config, close_config);
}
