/* The services of a plugin that several of its threads may call at the same time: fail, message and parallel. */
#include "memory/devices.h"
#include "plugin/host.h"

#include <fenv.h>
#include <float.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { THREADS = 4, LOOKS = 20000, LENGTH = 900 };

/* A thread whose calls of fail give a reason, file and line that belong together: LENGTH times its letter, a file of
 * that name, and the letter's number. */
struct caller {
    struct host *host;
    const atomic_bool *stop;
    char letter, sentence[LENGTH + 1], file[2];
    pthread_t thread;
};

static void *fail_until_stopped(void *argument)
{
    const struct caller *caller = argument;
    const struct engine_host *host = &caller->host->table;
    int code = ENGINE_INVALID;
    do
        code = (host->fail)(host, ENGINE_INVALID, caller->file, caller->letter, "%s", caller->sentence);
    while (code == ENGINE_INVALID && !atomic_load(caller->stop));
    return code == ENGINE_INVALID ? NULL : argument;
}

static void start(struct host *host, const atomic_bool *stop, struct caller callers[THREADS])
{
    for (int i = 0; i < THREADS; i++) {
        struct caller *caller = &callers[i];
        const char letter = (char) ('a' + i);
        *caller = (struct caller){.host = host, .stop = stop, .letter = letter, .file = {letter}};
        memset(caller->sentence, letter, LENGTH);
        assert_int_equal(pthread_create(&caller->thread, NULL, fail_until_stopped, caller), 0);
    }
}

static void join(struct caller callers[THREADS])
{
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        assert_int_equal(pthread_join(callers[i].thread, &wrong), 0);
        assert_null(wrong);
    }
}

/* Is what is recorded one caller's whole sentence, with its place? Nothing is recorded at first. */
static bool is_whole(const struct host *host, const struct caller callers[THREADS])
{
    const int which = host->reason[0] - 'a';
    if (host->reason[0] == '\0')
        return host->place == NULL;
    return which >= 0 && which < THREADS && strcmp(host->reason, callers[which].sentence) == 0 &&
           strcmp(host->place, callers[which].file) == 0 && host->line == callers[which].letter;
}

static void given_many_threads_that_fail_then_the_reason_is_always_one_whole_sentence_with_its_place(void **state)
{
    static struct caller callers[THREADS];
    atomic_bool stop = false;
    struct host host;
    int torn = 0;
    host_init(&host, NULL, "test", 1, NULL);
    start(&host, &stop, callers);
    for (int i = 0; i < LOOKS; i++) {
        pthread_mutex_lock(&host.lock);
        torn += !is_whole(&host, callers);
        pthread_mutex_unlock(&host.lock);
    }
    atomic_store(&stop, true);
    join(callers);
    assert_int_equal(torn, 0);
    assert_true(host.reason[0] != '\0' && is_whole(&host, callers));
    host_release(&host);
}

/* ---- Tasks of parallel -------------------------------------------------------------------------------------- */

struct tally {
    const struct engine_host *host;
    int inside, most, lines; /* messages being received now, the most at a time, and all; host->lock guards them */
};

static void count_message(void *user, int level, const char *source, const char *text)
{
    struct tally *tally = user;
    if (++tally->inside > tally->most)
        tally->most = tally->inside;
    tally->lines += level == ENGINE_LOG_INFO && strcmp(source, "test") == 0 && strncmp(text, "task ", 5) == 0;
    tally->inside--;
}

static void fail_and_tell(void *argument, uint64_t index)
{
    const struct engine_host *host = ((struct tally *) argument)->host;
    (host->fail)(host, ENGINE_INTERNAL, __FILE__, 1, "task %d", (int) index);
    host->message(host, ENGINE_LOG_INFO, "task %d", (int) index);
}

static void given_tasks_that_fail_and_send_messages_then_every_message_arrives_alone(void **state)
{
    struct tally tally = {0};
    struct context context = {.hooks = {.size = sizeof context.hooks, .user = &tally, .message = count_message}};
    struct engine_error error;
    struct host host;
    int index = -1;
    assert_int_equal(devices_open(&context, NULL, &error), 0);
    host_init(&host, &context, "test", 4, NULL);
    tally.host = &host.table;
    host.table.parallel(&host.table, 1000, fail_and_tell, &tally);
    assert_int_equal(tally.lines, 1000);
    assert_int_equal(tally.most, 1);
    assert_int_equal(sscanf(host.reason, "task %d", &index), 1);
    assert_in_range(index, 0, 999);
    host_release(&host);
    devices_close(&context);
}

/* ---- Rounding ----------------------------------------------------------------------------------------------- */

/* What a library does that was compiled with -ffast-math. */
static void flush_to_zero(void)
{
#if defined __SSE__
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#elif defined __aarch64__
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" ::"r"(control | 1u << 24));
#endif
}

static bool is_default(void)
{
    volatile double least = DBL_MIN;
    return fegetround() == FE_TONEAREST && least / 2 > 0;
}

static void disturb(void *argument, uint64_t index)
{
    (void) argument, (void) index;
    fesetround(FE_UPWARD);
    flush_to_zero();
}

/* How a task found the threads that carried it out. */
struct looks {
    pthread_t caller;
    atomic_int others, changed;
};

static void look(void *argument, uint64_t index)
{
    struct looks *looks = argument;
    (void) index;
    looks->others += !pthread_equal(pthread_self(), looks->caller);
    looks->changed += !is_default();
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* the other threads have time to wake up */
}

static void given_a_function_that_changes_rounding_when_it_has_ended_then_the_default_is_back(void **state)
{
    struct host host;
    host_init(&host, NULL, "test", 1, NULL);
    host_enter(&host, "advance");
    disturb(NULL, 0);
    assert_false(is_default());
    host_leave(&host);
    assert_true(is_default());
    host_release(&host);
}

static void given_tasks_that_change_rounding_when_they_have_ended_then_no_thread_keeps_it(void **state)
{
    struct context context = {.hooks = {.size = sizeof context.hooks}};
    struct looks looks = {.caller = pthread_self()};
    struct engine_error error;
    struct host host;
    assert_int_equal(devices_open(&context, NULL, &error), 0);
    host_init(&host, &context, "test", THREADS, NULL);
    for (int times = 0; times < 100 && looks.others == 0; times++) {
        host_enter(&host, "advance");
        host.table.parallel(&host.table, 1000, disturb, NULL);
        host_leave(&host);
        host.table.parallel(&host.table, 4 * THREADS, look, &looks);
    }
    assert_int_not_equal(looks.others, 0);
    assert_int_equal(looks.changed, 0);
    host_release(&host);
    devices_close(&context);
}

/* ---- One thread --------------------------------------------------------------------------------------------- */

static void keep_debug(void *user, int level, const char *source, const char *text)
{
    (void) source;
    if (level == ENGINE_LOG_DEBUG)
        snprintf(user, 64, "%s", text);
}

static void given_two_reasons_then_the_error_is_the_last_one_and_a_message_has_its_place(void **state)
{
    char place[64] = "";
    const struct context context = {.hooks = {.size = sizeof context.hooks, .user = place, .message = keep_debug}};
    struct host host;
    struct engine_error error;
    host_init(&host, &context, "test", 1, NULL);
    (host.table.fail)(&host.table, ENGINE_INVALID, "first.c", 1, "the first reason");
    (host.table.fail)(&host.table, ENGINE_DEVICE, "second.c", 2, "the second reason");
    assert_int_equal(host_error(&host, ENGINE_DEVICE, "test", &error), ENGINE_STATUS_DEVICE);
    assert_string_equal(error.text, "test: the second reason");
    assert_string_equal(place, "test: the plugin failed at second.c:2");
    host_release(&host);
}

static void given_a_host_that_was_never_initialised_then_release_leaves_it(void **state)
{
    struct host host;
    memset(&host, 0, sizeof host);
    host_release(&host);
    assert_null(host.scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_many_threads_that_fail_then_the_reason_is_always_one_whole_sentence_with_its_place),
        cmocka_unit_test(given_tasks_that_fail_and_send_messages_then_every_message_arrives_alone),
        cmocka_unit_test(given_a_function_that_changes_rounding_when_it_has_ended_then_the_default_is_back),
        cmocka_unit_test(given_tasks_that_change_rounding_when_they_have_ended_then_no_thread_keeps_it),
        cmocka_unit_test(given_two_reasons_then_the_error_is_the_last_one_and_a_message_has_its_place),
        cmocka_unit_test(given_a_host_that_was_never_initialised_then_release_leaves_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
