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
struct crew {
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
struct worker {
    struct crew *crew;
    pthread_t thread;
    bool started;
    struct engine_context *context;
    uint64_t member;
};

static int asked_to_stop(const struct crew *crew)
{
    const int caught = crew->leads ? stop_signal(NULL) : 0;
    return caught ? caught : crew->deadline > 0 && seconds_now() >= crew->deadline ? SIGALRM : 0;
}

/* A hook. When the tables cannot be written, all members stop. */
static int worker_stop(void *user)
{
    const struct worker *worker = user;
    const int why = asked_to_stop(worker->crew);
    return why ? why : __atomic_load_n(&worker->crew->stopping, __ATOMIC_RELAXED) ? SIGTERM : 0;
}

/* A hook. Names the member that a message is about. */
static void worker_message(void *user, int level, const char *source, const char *text)
{
    struct worker *worker = user;
    struct crew *crew = worker->crew;
    char line[4096];
    snprintf(line, sizeof line, "member %llu: %s", (unsigned long long) worker->member, text);
    pthread_mutex_lock(&crew->lock);
    terminal_message(&crew->options->terminal, level, source, line);
    pthread_mutex_unlock(&crew->lock);
}

/* Takes the next member, and waits for it while other processes may have some. Returns 0 if there is none, or if the
 * members have to stop. */
static uint64_t take_member(struct crew *crew)
{
    uint64_t member = 0;
    int more = 1;
    pthread_mutex_lock(&crew->lock);
    while (member == 0 && more && !crew->stopping && !asked_to_stop(crew)) {
        member = engine_ensemble_take(crew->ensemble, &more);
        more = more && !crew->over;
        if (member == 0 && more) {
            pthread_cond_signal(&crew->changed);
            pthread_cond_wait(&crew->more, &crew->lock);
        }
    }
    pthread_mutex_unlock(&crew->lock);
    return member;
}

/* Ends all members soon. The lock is held. */
static void stop_all(struct crew *crew, const struct engine_error *why)
{
    __atomic_store_n(&crew->stopping, true, __ATOMIC_RELAXED);
    if (why && crew->broken.status == 0)
        crew->broken = *why;
}

/* Writes the row of a member. `why` is NULL, or the reason why it failed. */
static void record(struct crew *crew, uint64_t member, const struct engine_run *run, const struct engine_error *why)
{
    struct engine_error error;
    pthread_mutex_lock(&crew->lock);
    if (crew->broken.status == 0 && engine_ensemble_record(crew->ensemble, member, run, why, &error) != 0)
        stop_all(crew, &error);
    pthread_mutex_unlock(&crew->lock);
}

static void run_member(struct worker *worker)
{
    struct crew *crew = worker->crew;
    struct engine_result result = {.size = sizeof result};
    struct engine_run *run = NULL;
    struct engine_error why;
    int status = engine_ensemble_member(crew->ensemble, worker->member, worker->context, &run, &why);
    if (status == 0)
        status = engine_run_execute(run, NULL, &result, &why);
    record(crew, worker->member, run, status ? &why : NULL);
    engine_run_close(run);
}

static void *work(void *user)
{
    struct worker *worker = user;
    struct crew *crew = worker->crew;
    while ((worker->member = take_member(crew)))
        run_member(worker);
    pthread_mutex_lock(&crew->lock);
    crew->working--;
    pthread_cond_signal(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* ---- The crew --------------------------------------------------------------------------------------------------- */

/* "members 120 of 1000, 12.0 %, 310 a second, 3 s left, 2 failed" */
static void show_progress(struct crew *crew)
{
    char line[PROGRESS_LINE], rate[32], failed[48] = "";
    engine_ensemble_about(crew->ensemble, &crew->about);
    const double seconds = seconds_now() - crew->begun, ended = (double) (crew->about.done + crew->about.failed);
    const double all = (double) (crew->about.members - crew->about.found);
    if (crew->about.failed > 0)
        snprintf(failed, sizeof failed, ", %llu failed", (unsigned long long) crew->about.failed);
    if (ended > 0)
        snprintf(line, sizeof line, "members %.0f of %llu, %.1f %%, %sa second, %.0f s left%s",
                 ended + (double) crew->about.found, (unsigned long long) crew->about.members,
                 100 * (ended + (double) crew->about.found) / (double) crew->about.members,
                 engine_si(ended / seconds, rate), (all - ended) * seconds / ended, failed);
    else
        snprintf(line, sizeof line, "members %llu of %llu", (unsigned long long) crew->about.found,
                 (unsigned long long) crew->about.members);
    terminal_activity(&crew->options->terminal, line);
    crew->shown = seconds_now();
}

/* Shares the members with other processes. The lock is held. */
static void exchange(struct crew *crew)
{
    struct engine_error error;
    int stop = crew->stopping || asked_to_stop(crew), over = 1;
    const bool failed = engine_ensemble_exchange(crew->ensemble, &stop, &over, &error) != 0;
    if (stop || failed)
        stop_all(crew, failed ? &error : NULL);
    crew->over = over;
    pthread_cond_broadcast(&crew->more);
}

/* Waits until a thread has ended or waits for members, for at most so many seconds. */
static void wait_for_change(struct crew *crew, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long) (1e9 * seconds);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&crew->changed, &crew->lock, &until);
}

/* Shares the members, and shows the progress, until all threads have ended. */
static void watch_over(struct crew *crew)
{
    const double pause = 0.25, message = 1e-3; /* seconds between two looks, without and with other processes */
    pthread_mutex_lock(&crew->lock);
    while (crew->working > 0 || !crew->over) {
        wait_for_change(crew, crew->over ? pause : message);
        if (!crew->over)
            exchange(crew);
        if (crew->leads && seconds_now() - crew->shown >= pause)
            show_progress(crew);
    }
    terminal_activity(&crew->options->terminal, NULL);
    engine_ensemble_about(crew->ensemble, &crew->about);
    pthread_mutex_unlock(&crew->lock);
}

/* Starts as many threads as there are members at once; fewer where the system gives no more. Only the first thread of
 * the program gets signals. */
static int start(struct crew *crew, struct worker *workers, struct engine_error *error)
{
    sigset_t all, before;
    const struct engine_hooks hooks = {.size = sizeof hooks, .message = worker_message, .stop = worker_stop};
    sigfillset(&all);
    for (uint32_t i = 0; i < crew->about.at_once; i++) {
        workers[i] = (struct worker){.crew = crew};
        if (options_context_with(crew->options, &hooks, &workers[i], &workers[i].context, error) != 0)
            break;
        pthread_mutex_lock(&crew->lock);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        const int status = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        workers[i].started = status == 0;
        crew->working += status == 0;
        pthread_mutex_unlock(&crew->lock);
        if (status == 0)
            continue;
        fail(error, ENGINE_STATUS_DEVICE, "cannot start a thread: %s", strerror(status));
        break;
    }
    return workers[0].started ? 0 : error->status;
}

static int run_members(struct crew *crew, struct engine_error *error)
{
    struct worker *workers = calloc(crew->about.at_once, sizeof *workers);
    if (!workers)
        return fail(error, ENGINE_STATUS_DEVICE, "not enough memory for %u threads", crew->about.at_once);
    if (start(crew, workers, error) != 0)
        stop_all(crew, error);
    watch_over(crew);
    for (uint32_t i = 0; i < crew->about.at_once; i++) {
        if (workers[i].started)
            pthread_join(workers[i].thread, NULL);
        engine_close(workers[i].context);
    }
    free(workers);
    if (crew->broken.status == 0)
        return 0;
    *error = crew->broken;
    return error->status;
}

/* Executes the members of this process, and shares them with others. */
static int work_together(struct crew *crew, struct engine_ensemble *ensemble, struct options *options,
                         struct engine_error *error)
{
    int stop = 0, over = 1;
    *crew = (struct crew){.ensemble = ensemble, .options = options, .about = {.size = sizeof crew->about}};
    engine_ensemble_about(ensemble, &crew->about);
    crew->leads = !options->transport || options->transport->rank == 0;
    crew->begun = crew->shown = seconds_now();
    if (options->walltime > 0) /* a member that runs then is lost; the tables need some time */
        crew->deadline = crew->begun + options->walltime - (options->walltime > 10 ? 1 : options->walltime / 10);
    if (engine_ensemble_exchange(ensemble, &stop, &over, error) != 0)
        return error->status;
    crew->over = over;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->changed, NULL);
    pthread_cond_init(&crew->more, NULL);
    const int status = run_members(crew, error);
    pthread_cond_destroy(&crew->more);
    pthread_cond_destroy(&crew->changed);
    pthread_mutex_destroy(&crew->lock);
    return status;
}

int ensemble_serve(struct engine_ensemble *ensemble, struct options *options, struct engine_error *error)
{
    struct crew crew;
    return work_together(&crew, ensemble, options, error);
}

/* ---- The end ---------------------------------------------------------------------------------------------------- */

static void print_resume(const struct crew *crew)
{
    const struct options *options = crew->options;
    char command[16384] = "";
    engine_quote(command, sizeof command, crew->about.folder);
    for (uint32_t i = 0; i < options->folder_count; i++) {
        engine_quote(command, sizeof command, "--plugins");
        engine_quote(command, sizeof command, options->folders[i]);
    }
    fprintf(stderr, " %llu of %llu members are done; to run the others: engine resume%s\n",
            (unsigned long long) (crew->about.found + crew->about.done), (unsigned long long) crew->about.members,
            command);
}

static int print_results(const struct crew *crew, struct engine_error *error)
{
    const struct options *options = crew->options;
    char *text;
    if (options->terminal.verbosity != QUIET) {
        if (engine_ensemble_print(crew->ensemble, ENGINE_TEXT, &text, error) != 0)
            return error->status;
        fputs(text, options->json ? stderr : stdout);
        free(text);
    }
    if (!options->json)
        return 0;
    if (engine_ensemble_print(crew->ensemble, ENGINE_JSON, &text, error) != 0)
        return error->status;
    print_text(text);
    return 0;
}

/* Says what is not done, and returns the exit status. */
static int conclude(const struct crew *crew, int stopped)
{
    fflush(stdout);
    if (crew->about.failed > 0)
        fprintf(stderr, "engine: %llu of %llu members failed; member %llu: %s\n",
                (unsigned long long) crew->about.failed, (unsigned long long) crew->about.members,
                (unsigned long long) crew->about.first_failed, crew->about.why->text);
    if (stopped == SIGALRM)
        fprintf(stderr, "engine: the time is up;");
    else if (stopped)
        fprintf(stderr, "engine: stopped by signal %d;", stopped);
    else if (crew->about.failed > 0)
        fprintf(stderr, "engine:");
    if (stopped || crew->about.failed > 0)
        print_resume(crew);
    return stopped ? 128 + stopped : crew->about.failed > 0 ? crew->about.why->status : ENGINE_STATUS_DONE;
}

int ensemble_execute(struct engine_ensemble *ensemble, struct options *options)
{
    struct engine_ensemble_info about = {.size = sizeof about};
    struct engine_error error;
    struct crew crew;
    engine_ensemble_about(ensemble, &about);
    stop_catch_signals(about.signal);
    int status = work_together(&crew, ensemble, options, &error);
    const uint64_t left = crew.about.members - crew.about.found - crew.about.done - crew.about.failed;
    const int stopped = left > 0 ? asked_to_stop(&crew) : 0;
    if (status == 0)
        status = engine_ensemble_finish(ensemble, &error);
    stop_release_signals(about.signal);
    if (status == 0)
        status = print_results(&crew, &error);
    if (status == 0)
        return conclude(&crew, stopped);
    report(&error);
    fprintf(stderr, "engine:");
    print_resume(&crew);
    return status;
}
