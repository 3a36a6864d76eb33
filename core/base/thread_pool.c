#include "base/thread_pool.h"
#include "base/numeric.h"

#include <linux/futex.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A thread takes about 50 us to wake up, so it spins no longer. One without a processor of its own does not spin. */
enum { SPIN_NANOSECONDS = 50000, PAUSES = 32, THREADS_MAX = 4096, CACHE_LINE = 64 };

/* `job` counts the jobs: odd while one is open, even between two. A thread enters an open job by adding itself to
 * `inside`, and looks at `job` again afterwards: if the job has been closed in the meantime, it leaves at once. The
 * caller closes the job when no piece is left, and then waits until nobody is inside. So it never waits for a thread
 * that was not inside, and no thread reads the description of a job that is over. What different threads write often
 * has cache lines of its own. */
/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct thread_pool {
    pthread_mutex_t busy;       /* held by the caller of a job */
    pid_t process;              /* that the threads belong to: a child process has none of them */
    uint32_t count, processors; /* threads that were made; processors for them and the caller */
    pthread_t *threads;

    /* Of the open job. */
    void (*task)(void *argument, uint64_t index);
    void *argument;
    uint64_t pieces;
    uint32_t wanted; /* threads, without the caller */

    _Alignas(CACHE_LINE) _Atomic uint64_t next;   /* the first piece that nobody has taken */
    _Alignas(CACHE_LINE) _Atomic uint32_t job;    /* a futex */
    _Atomic uint32_t sleeping;                    /* threads that sleep, or are about to */
    _Atomic int over;                             /* the threads end */
    _Alignas(CACHE_LINE) _Atomic uint32_t inside; /* a futex */
    _Atomic int caller_sleeps;
};

struct pool_thread {
    struct thread_pool *pool;
    uint32_t number;
};

static void futex_wait(_Atomic uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word, uint32_t count)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static void pause_processor(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Spins until *word is not `value`, but not for long; without `spins`, it looks a few times. Returns whether it changed. */
static int spin_while(_Atomic uint32_t *word, uint32_t value, int spins)
{
    const int64_t end = nanoseconds() + (spins ? SPIN_NANOSECONDS : 0);
    do {
        for (int i = 0; i < PAUSES; i++) {
            if (atomic_load_explicit(word, memory_order_acquire) != value)
                return 1;
            pause_processor();
        }
    } while (nanoseconds() < end);
    return 0;
}

/* Takes pieces until none is left: many at first, in the end one by one. */
static void take_pieces(struct thread_pool *pool)
{
    const uint64_t shares = 2 * ((uint64_t) pool->wanted + 1);
    uint64_t begin = atomic_load_explicit(&pool->next, memory_order_relaxed);
    while (begin < pool->pieces) {
        const uint64_t share = (pool->pieces - begin) / shares, end = begin + (share > 0 ? share : 1);
        if (!atomic_compare_exchange_weak_explicit(&pool->next, &begin, end, memory_order_relaxed,
                                                   memory_order_relaxed))
            continue;
        for (; begin < end; begin++)
            pool->task(pool->argument, begin);
        begin = atomic_load_explicit(&pool->next, memory_order_relaxed);
    }
}

static void leave(struct thread_pool *pool)
{
    if (atomic_fetch_sub(&pool->inside, 1) == 1 && atomic_load(&pool->caller_sleeps))
        futex_wake(&pool->inside, 1);
}

/* Waits for a job other than `last`, and returns its number. */
static uint32_t next_job(struct thread_pool *pool, uint32_t last, int spins)
{
    while (!spin_while(&pool->job, last, spins)) {
        atomic_fetch_add(&pool->sleeping, 1);
        futex_wait(&pool->job, last);
        atomic_fetch_sub(&pool->sleeping, 1);
    }
    return atomic_load(&pool->job);
}

static void *work(void *argument)
{
    struct pool_thread thread = *(struct pool_thread *) argument;
    struct thread_pool *pool = thread.pool;
    free(argument);
    for (uint32_t job = 0; !atomic_load(&pool->over); job = next_job(pool, job, thread.number + 1 < pool->processors)) {
        if (job % 2 == 0)
            continue;
        atomic_fetch_add(&pool->inside, 1);
        if (atomic_load(&pool->job) == job && thread.number < pool->wanted) {
            take_pieces(pool);
            numeric_reset(); /* later tasks use the same thread */
        }
        leave(pool);
    }
    return NULL;
}

struct thread_pool *thread_pool_open(void)
{
    struct thread_pool *pool = aligned_alloc(CACHE_LINE, sizeof *pool);
    if (!pool)
        return NULL;
    *pool = (struct thread_pool){.process = getpid(), .processors = (uint32_t) omp_get_num_procs()};
    pthread_mutex_init(&pool->busy, NULL);
    return pool;
}

/* Forgets the threads of a parent process. */
static void forget_parent(struct thread_pool *pool)
{
    if (pool->process == getpid())
        return;
    pool->process = getpid();
    pool->count = 0;
    atomic_store(&pool->sleeping, 0);
    atomic_store(&pool->inside, 0);
}

/* Makes threads until there are `wanted`. They handle no signals: those are the caller's. */
static void grow(struct thread_pool *pool, uint32_t wanted)
{
    if (wanted <= pool->count)
        return;
    pthread_t *threads = realloc(pool->threads, wanted * sizeof *threads);
    sigset_t all, before;
    if (!threads)
        return;
    pool->threads = threads;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool->count < wanted) {
        struct pool_thread *thread = malloc(sizeof *thread);
        if (thread)
            *thread = (struct pool_thread){pool, pool->count};
        if (!thread || pthread_create(&threads[pool->count], NULL, work, thread) != 0) {
            free(thread);
            break;
        }
        pool->count++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void thread_pool_close(struct thread_pool *pool)
{
    if (!pool)
        return;
    forget_parent(pool);
    atomic_store(&pool->over, 1);
    atomic_fetch_add(&pool->job, 2);
    futex_wake(&pool->job, INT32_MAX);
    for (uint32_t i = 0; i < pool->count; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_mutex_destroy(&pool->busy);
    free(pool->threads);
    free(pool);
}

static void wait_until_empty(struct thread_pool *pool)
{
    uint32_t inside;
    atomic_store(&pool->caller_sleeps, 0);
    while ((inside = atomic_load(&pool->inside)) > 0) {
        if (!spin_while(&pool->inside, inside, pool->wanted < pool->processors)) {
            atomic_store(&pool->caller_sleeps, 1);
            if ((inside = atomic_load(&pool->inside)) > 0)
                futex_wait(&pool->inside, inside);
            atomic_store(&pool->caller_sleeps, 0);
        }
    }
}

void thread_pool_run(struct thread_pool *pool, uint32_t threads, uint64_t count,
                     void (*task)(void *argument, uint64_t index), void *argument)
{
    if (!pool || threads < 2 || count < 2 || pthread_mutex_trylock(&pool->busy) != 0) {
        for (uint64_t i = 0; i < count; i++)
            task(argument, i);
        return;
    }
    forget_parent(pool);
    pool->wanted = (threads < THREADS_MAX ? threads : THREADS_MAX) - 1;
    grow(pool, pool->wanted);
    pool->task = task, pool->argument = argument, pool->pieces = count;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    atomic_fetch_add(&pool->job, 1);
    if (atomic_load(&pool->sleeping) > 0)
        futex_wake(&pool->job, INT32_MAX);
    take_pieces(pool);
    atomic_fetch_add(&pool->job, 1);
    wait_until_empty(pool);
    pthread_mutex_unlock(&pool->busy);
}
