/* A thread pool: every piece of a task is carried out once, whoever asks for it and however often. */
#include "base/thread_pool.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <stdlib.h>

enum { PIECES_MAX = 5000 };

/* How often each piece was carried out, and by how many threads all of them. */
struct record {
    uint32_t times[PIECES_MAX];
    struct thread_pool *pool;
    pthread_t first;
    int other_threads;
    uint64_t wait; /* nanoseconds that a piece takes */
};

static void mark(void *argument, uint64_t index)
{
    struct record *record = argument;
    __atomic_fetch_add(&record->times[index], 1, __ATOMIC_RELAXED);
    if (!pthread_equal(pthread_self(), record->first))
        __atomic_store_n(&record->other_threads, 1, __ATOMIC_RELAXED);
    if (record->wait)
        nanosleep(&(struct timespec){.tv_nsec = (long) record->wait}, NULL);
}

static void run(struct record *record, uint32_t threads, uint64_t count)
{
    memset(record->times, 0, sizeof record->times);
    record->first = pthread_self();
    record->other_threads = 0;
    thread_pool_run(record->pool, threads, count, mark, record);
    for (uint64_t i = 0; i < PIECES_MAX; i++)
        if (record->times[i] != (i < count))
            fail_msg("%u threads, %llu pieces: piece %llu was carried out %u times", threads,
                     (unsigned long long) count, (unsigned long long) i, record->times[i]);
}

static void every_piece_is_carried_out_once(void **state)
{
    static struct record record;
    (void) state;
    record.pool = thread_pool_open();
    for (uint32_t threads = 0; threads < 9; threads++)
        for (uint64_t count = 0; count < PIECES_MAX; count = count * 3 / 2 + 1)
            for (int times = 0; times < 20; times++)
                run(&record, threads, count);
    thread_pool_close(record.pool);
    record.pool = NULL;
    run(&record, 4, 100);
    assert_false(record.other_threads);
}

static void other_threads_take_part(void **state)
{
    static struct record record = {.wait = 1000000};
    (void) state;
    record.pool = thread_pool_open();
    for (int times = 0; times < 1000 && !record.other_threads; times++)
        run(&record, 4, 16);
    assert_true(record.other_threads);
    run(&record, 1, 16);
    assert_false(record.other_threads);
    thread_pool_close(record.pool);
}

/* Threads that have slept for a while take part again. */
static void threads_wake_up(void **state)
{
    static struct record record = {.wait = 1000000};
    (void) state;
    record.pool = thread_pool_open();
    run(&record, 3, 12);
    int woken = 0;
    for (int times = 0; times < 100 && !woken; times++) {
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        run(&record, 3, 12);
        woken = record.other_threads;
    }
    assert_true(woken);
    thread_pool_close(record.pool);
}

static void run_inside(void *argument, uint64_t index)
{
    struct record *records = argument;
    run(&records[index], 4, 50);
}

static void a_task_may_run_tasks(void **state)
{
    enum { COUNT = 8 };
    struct record *records = calloc(COUNT, sizeof *records);
    struct thread_pool *pool = thread_pool_open();
    (void) state;
    for (int i = 0; i < COUNT; i++)
        records[i].pool = pool;
    for (int times = 0; times < 50; times++)
        thread_pool_run(pool, 3, COUNT, run_inside, records);
    thread_pool_close(pool);
    free(records);
}

static void *run_often(void *argument)
{
    struct record *record = argument;
    for (int times = 0; times < 2000; times++)
        run(record, 3, 7);
    return NULL;
}

static void several_callers_share_a_pool(void **state)
{
    enum { CALLERS = 4 };
    struct record *records = calloc(CALLERS, sizeof *records);
    struct thread_pool *pool = thread_pool_open();
    pthread_t callers[CALLERS];
    (void) state;
    for (int i = 0; i < CALLERS; i++) {
        records[i].pool = pool;
        assert_int_equal(pthread_create(&callers[i], NULL, run_often, &records[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++)
        pthread_join(callers[i], NULL);
    thread_pool_close(pool);
    free(records);
}

/* A child process has none of its parent's threads; it makes its own. */
static void a_child_process_makes_its_own_threads(void **state)
{
    static struct record record = {.wait = 100000};
    (void) state;
    record.pool = thread_pool_open();
    run(&record, 4, 100);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60);
        memset(record.times, 0, sizeof record.times);
        record.first = pthread_self();
        record.other_threads = 0;
        for (int times = 0; times < 1000 && !record.other_threads; times++)
            thread_pool_run(record.pool, 4, 100, mark, &record);
        thread_pool_close(record.pool);
        _exit(record.other_threads ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    run(&record, 4, 100);
    thread_pool_close(record.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_piece_is_carried_out_once),
        cmocka_unit_test(other_threads_take_part),
        cmocka_unit_test(threads_wake_up),
        cmocka_unit_test(a_task_may_run_tasks),
        cmocka_unit_test(several_callers_share_a_pool),
        cmocka_unit_test(a_child_process_makes_its_own_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
