#include "ensemble.h"
#include "stop.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SWEEP_BYTES = 16384 };

/* ---- The command line ------------------------------------------------------------------------------------------- */

/* Appends a sweep to the value of [ensemble] sweep. */
static int add_sweep(char *text, const char *sweep, struct engine_error *error)
{
    const size_t length = strlen(text);
    const char *between = length == 0 ? "" : " and ";
    return (size_t) snprintf(text + length, SWEEP_BYTES - length, "%s%s", between, sweep) < SWEEP_BYTES - length
               ? 0
               : fail(error, ENGINE_STATUS_USAGE, "--sweep: the sweeps are too long for a configuration");
}

/* --ensemble N is a sweep of [init] seed, from the seed of the configuration on. */
static int add_seeds(char *text, const struct engine_config *config, uint64_t members, struct engine_error *error)
{
    const struct engine_param seed = {.name = "init.seed", .type = ENGINE_PARAM_INTEGER, .max = 9e18};
    const char *given = engine_config_get(config, "init", "seed");
    struct engine_value first;
    char sweep[96];
    if (engine_parse(&seed, given && *given ? given : "42", &first, error) != 0)
        return error->status;
    snprintf(sweep, sizeof sweep, "init.seed=%lld..%lld", (long long) first.integer,
             (long long) (first.integer + (int64_t) members - 1));
    return add_sweep(text, sweep, error);
}

int ensemble_options(const struct options *options, struct engine_config *config, struct engine_error *error)
{
    char text[SWEEP_BYTES] = "";
    if (options->sweep_count == 0 && options->members == 0)
        return 0;
    for (uint32_t i = 0; i < options->sweep_count; i++)
        if (add_sweep(text, options->sweeps[i], error) != 0)
            return error->status;
    if (options->members > 0 && add_seeds(text, config, options->members, error) != 0)
        return error->status;
    return engine_config_put(config, "ensemble", "sweep", text, error);
}

/* ---- Members ---------------------------------------------------------------------------------------------------- */

/* What the threads share. `lock` protects all members that change. */
struct member_pool {
    struct engine_ensemble *ensemble;
    struct options *options;
    struct engine_ensemble_info about;
    bool leads;             /* process 0, or the only one */
    double begun, deadline; /* on the clock of seconds_now; deadline 0: none */
    pthread_mutex_t lock;
    pthread_cond_t changed, more; /* a thread has ended or waits for members; members have come */
    struct engine_error broken;   /* of the tables or of the exchange, with status 0: none */
    uint32_t working;             /* threads */
    bool stopping;
    bool over;    /* other processes have no members left */
    double shown; /* when the progress was shown last */
};

/* One thread, with the context of its runs. */
struct member_thread {
    struct member_pool *pool;
    pthread_t handle;
    bool started;
    struct engine_context *context;
    struct engine_batch *batch;
};

static int asked_to_stop(const struct member_pool *pool)
{
    const int caught = pool->leads ? stop_signal(NULL) : 0;
    return caught ? caught : pool->deadline > 0 && seconds_now() >= pool->deadline ? SIGALRM : 0;
}

/* A hook. When the tables cannot be written, all members stop. */
static int thread_stop(void *user)
{
    const struct member_thread *thread = user;
    const int why = asked_to_stop(thread->pool);
    return why ? why : __atomic_load_n(&thread->pool->stopping, __ATOMIC_RELAXED) ? SIGTERM : 0;
}

/* A hook. Names the member that a message is about. */
static void thread_message(void *user, int level, const char *source, const char *text)
{
    const struct member_thread *thread = user;
    struct member_pool *pool = thread->pool;
    const uint64_t member = thread->batch ? engine_batch_member(thread->batch) : 0;
    char line[4096];
    snprintf(line, sizeof line, "member %llu: %s", (unsigned long long) member, text);
    pthread_mutex_lock(&pool->lock);
    terminal_message(&pool->options->terminal, level, source, member ? line : text);
    pthread_mutex_unlock(&pool->lock);
}

/* Takes members for which a batch has room. If it has none, waits for them while other processes may have some. */
static void take_members(struct member_pool *pool, struct engine_batch *batch, uint64_t room)
{
    uint64_t member, taken = 0;
    int more;
    while (taken < room && !pool->stopping && !asked_to_stop(pool)) {
        member = engine_ensemble_take(pool->ensemble, &more);
        if (member)
            engine_batch_add(batch, member), taken++;
        else if (taken > 0 || room < pool->about.together || !more || pool->over)
            return;
        else {
            pthread_cond_signal(&pool->changed);
            pthread_cond_wait(&pool->more, &pool->lock);
        }
    }
}

/* Ends all members soon. The lock is held. */
static void stop_all(struct member_pool *pool, const struct engine_error *why)
{
    __atomic_store_n(&pool->stopping, true, __ATOMIC_RELAXED);
    if (why && pool->broken.status == 0)
        pool->broken = *why;
}

/* Writes the rows of the members that have ended. Returns false if there are none, or if the tables cannot be written. */
static bool record(struct member_thread *thread)
{
    struct member_pool *pool = thread->pool;
    struct engine_error error;
    pthread_mutex_lock(&pool->lock);
    const int64_t ended = pool->broken.status == 0 ? engine_batch_record(thread->batch, &error) : 0;
    if (ended < 0)
        stop_all(pool, &error);
    pthread_mutex_unlock(&pool->lock);
    return ended > 0;
}

static void run_members_of(struct member_thread *thread)
{
    do {
        pthread_mutex_lock(&thread->pool->lock);
        take_members(thread->pool, thread->batch, engine_batch_room(thread->batch));
        pthread_mutex_unlock(&thread->pool->lock);
        engine_batch_advance(thread->batch);
    } while (record(thread));
}

static void *work(void *user)
{
    struct member_thread *thread = user;
    struct member_pool *pool = thread->pool;
    struct engine_error error;
    if (engine_batch_open(pool->ensemble, thread->context, &thread->batch, &error) == 0)
        run_members_of(thread);
    pthread_mutex_lock(&pool->lock);
    if (!thread->batch)
        stop_all(pool, &error);
    pool->working--;
    pthread_cond_signal(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* ---- The pool --------------------------------------------------------------------------------------------------- */

/* "members 120 of 1000, 12.0 %, 310 a second, 3 s left, 2 failed" */
static void show_progress(struct member_pool *pool)
{
    char line[PROGRESS_LINE], rate[32], failed[48] = "";
    engine_ensemble_about(pool->ensemble, &pool->about);
    const double seconds = seconds_now() - pool->begun, ended = (double) (pool->about.done + pool->about.failed);
    const double all = (double) (pool->about.members - pool->about.found);
    if (pool->about.failed > 0)
        snprintf(failed, sizeof failed, ", %llu failed", (unsigned long long) pool->about.failed);
    if (ended > 0)
        snprintf(line, sizeof line, "members %.0f of %llu, %.1f %%, %sa second, %.0f s left%s",
                 ended + (double) pool->about.found, (unsigned long long) pool->about.members,
                 100 * (ended + (double) pool->about.found) / (double) pool->about.members,
                 engine_si(ended / seconds, rate), (all - ended) * seconds / ended, failed);
    else
        snprintf(line, sizeof line, "members %llu of %llu", (unsigned long long) pool->about.found,
                 (unsigned long long) pool->about.members);
    terminal_activity(&pool->options->terminal, line);
    pool->shown = seconds_now();
}

/* Shares the members with other processes. The lock is held. */
static void exchange(struct member_pool *pool)
{
    struct engine_error error;
    int stop = pool->stopping || asked_to_stop(pool), over = 1;
    const bool failed = engine_ensemble_exchange(pool->ensemble, &stop, &over, &error) != 0;
    if (stop || failed)
        stop_all(pool, failed ? &error : NULL);
    pool->over = over;
    pthread_cond_broadcast(&pool->more);
}

/* Waits until a thread has ended or waits for members, for at most so many seconds. */
static void wait_for_change(struct member_pool *pool, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long) (1e9 * seconds);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&pool->changed, &pool->lock, &until);
}

/* Shares the members, and shows the progress, until all threads have ended. */
static void watch_over(struct member_pool *pool)
{
    const double pause = 0.25, message = 1e-3; /* seconds between two looks, without and with other processes */
    pthread_mutex_lock(&pool->lock);
    while (pool->working > 0 || !pool->over) {
        wait_for_change(pool, pool->over ? pause : message);
        if (!pool->over)
            exchange(pool);
        if (pool->leads && seconds_now() - pool->shown >= pause)
            show_progress(pool);
    }
    terminal_activity(&pool->options->terminal, NULL);
    engine_ensemble_about(pool->ensemble, &pool->about);
    pthread_mutex_unlock(&pool->lock);
}

/* Starts as many threads as there are members at once; fewer where the system gives no more. Only the first thread of
 * the program gets signals. */
static int start(struct member_pool *pool, struct member_thread *threads, struct engine_error *error)
{
    sigset_t all, before;
    const struct engine_hooks hooks = {.size = sizeof hooks, .message = thread_message, .stop = thread_stop};
    sigfillset(&all);
    for (uint32_t i = 0; i < pool->about.at_once; i++) {
        threads[i] = (struct member_thread){.pool = pool};
        if (options_context_with(pool->options, &hooks, &threads[i], &threads[i].context, error) != 0)
            break;
        pthread_mutex_lock(&pool->lock);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        const int status = pthread_create(&threads[i].handle, NULL, work, &threads[i]);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        threads[i].started = status == 0;
        pool->working += status == 0;
        pthread_mutex_unlock(&pool->lock);
        if (status == 0)
            continue;
        fail(error, ENGINE_STATUS_DEVICE, "cannot start a thread: %s", strerror(status));
        break;
    }
    return threads[0].started ? 0 : error->status;
}

static int run_members(struct member_pool *pool, struct engine_error *error)
{
    struct member_thread *threads = calloc(pool->about.at_once, sizeof *threads);
    if (!threads)
        return fail(error, ENGINE_STATUS_DEVICE, "not enough memory for %u threads", pool->about.at_once);
    if (start(pool, threads, error) != 0)
        stop_all(pool, error);
    watch_over(pool);
    for (uint32_t i = 0; i < pool->about.at_once; i++) {
        if (threads[i].started)
            pthread_join(threads[i].handle, NULL);
        engine_batch_close(threads[i].batch);
        engine_close(threads[i].context);
    }
    free(threads);
    if (pool->broken.status == 0)
        return 0;
    *error = pool->broken;
    return error->status;
}

/* Executes the members of this process, and shares them with others. */
static int work_together(struct member_pool *pool, struct engine_ensemble *ensemble, struct options *options,
                         struct engine_error *error)
{
    int stop = 0, over = 1;
    *pool = (struct member_pool){.ensemble = ensemble, .options = options, .about = {.size = sizeof pool->about}};
    engine_ensemble_about(ensemble, &pool->about);
    pool->leads = !options->transport || options->transport->rank == 0;
    pool->begun = pool->shown = seconds_now();
    if (options->walltime > 0) /* a member that runs then is lost; the tables need some time */
        pool->deadline = pool->begun + options->walltime - (options->walltime > 10 ? 1 : options->walltime / 10);
    if (engine_ensemble_exchange(ensemble, &stop, &over, error) != 0)
        return error->status;
    pool->over = over;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->changed, NULL);
    pthread_cond_init(&pool->more, NULL);
    const int status = run_members(pool, error);
    pthread_cond_destroy(&pool->more);
    pthread_cond_destroy(&pool->changed);
    pthread_mutex_destroy(&pool->lock);
    return status;
}

int ensemble_serve(struct engine_ensemble *ensemble, struct options *options, struct engine_error *error)
{
    struct member_pool pool;
    return work_together(&pool, ensemble, options, error);
}

/* ---- The end ---------------------------------------------------------------------------------------------------- */

static void print_resume(const struct member_pool *pool)
{
    const struct options *options = pool->options;
    char command[16384] = "";
    engine_quote(command, sizeof command, pool->about.folder);
    for (uint32_t i = 0; i < options->folder_count; i++) {
        engine_quote(command, sizeof command, "--plugins");
        engine_quote(command, sizeof command, options->folders[i]);
    }
    fprintf(stderr, " %llu of %llu members are done; to run the others: engine resume%s\n",
            (unsigned long long) (pool->about.found + pool->about.done), (unsigned long long) pool->about.members,
            command);
}

static int print_results(const struct member_pool *pool, struct engine_error *error)
{
    const struct options *options = pool->options;
    char *text;
    if (options->terminal.verbosity != QUIET) {
        if (engine_ensemble_print(pool->ensemble, ENGINE_TEXT, &text, error) != 0)
            return error->status;
        fputs(text, options->json ? stderr : stdout);
        free(text);
    }
    if (!options->json)
        return 0;
    if (engine_ensemble_print(pool->ensemble, ENGINE_JSON, &text, error) != 0)
        return error->status;
    print_text(text);
    return 0;
}

/* Says what is not done, and returns the exit status. */
static int conclude(const struct member_pool *pool, int stopped)
{
    fflush(stdout);
    if (pool->about.failed > 0)
        fprintf(stderr, "engine: %llu of %llu members failed; member %llu: %s\n",
                (unsigned long long) pool->about.failed, (unsigned long long) pool->about.members,
                (unsigned long long) pool->about.first_failed, pool->about.why->text);
    if (stopped == SIGALRM)
        fprintf(stderr, "engine: the time is up;");
    else if (stopped)
        fprintf(stderr, "engine: stopped by signal %d;", stopped);
    else if (pool->about.failed > 0)
        fprintf(stderr, "engine:");
    if (stopped || pool->about.failed > 0)
        print_resume(pool);
    return stopped ? 128 + stopped : pool->about.failed > 0 ? pool->about.why->status : ENGINE_STATUS_DONE;
}

int ensemble_execute(struct engine_ensemble *ensemble, struct options *options)
{
    struct engine_ensemble_info about = {.size = sizeof about};
    struct engine_error error;
    struct member_pool pool;
    engine_ensemble_about(ensemble, &about);
    stop_catch_signals(about.signal);
    int status = work_together(&pool, ensemble, options, &error);
    const uint64_t left = pool.about.members - pool.about.found - pool.about.done - pool.about.failed;
    const int stopped = left > 0 ? asked_to_stop(&pool) : 0;
    if (status == 0)
        status = engine_ensemble_finish(ensemble, &error);
    stop_release_signals(about.signal);
    if (status == 0)
        status = print_results(&pool, &error);
    if (status == 0)
        return conclude(&pool, stopped);
    report(&error);
    fprintf(stderr, "engine:");
    print_resume(&pool);
    return status;
}
