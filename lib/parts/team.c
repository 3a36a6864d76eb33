#include "parts/team.h"
#include "parts/parts.h"
#include "parts/team_round.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A call of team_run. */
struct team_job {
    struct team *team;
    int (*task)(void *argument, uint32_t part, bool *lost, struct engine_error *error);
    void *argument;
    locale_t locale; /* of the caller: that of the numbers in messages */
};

/* A part's thread. */
struct team_thread {
    const struct team_job *job;
    struct team_part *part;
    pthread_t handle;
};

int team_open(const struct plan *plan, struct ranks *ranks, struct team **out, struct engine_error *error)
{
    const uint32_t whole = plan->settings.parts, processes = parts_ranks(plan);
    uint32_t first = 0, count = 0;
    for (uint32_t i = whole; i-- > 0;)
        if (parts_is_here(plan, i))
            first = i, count++;
    struct team *team = calloc(1, sizeof *team + count * sizeof(struct team_part));
    *out = team;
    if (!team)
        return error_memory(error, sizeof *team, "the parts of the run");
    pthread_mutex_init(&team->lock, NULL);
    pthread_mutex_init(&team->messages, NULL);
    pthread_cond_init(&team->changed, NULL);
    team->first = first, team->count = count, team->whole = whole;
    team->devices = calloc(count, sizeof(struct device *));
    team->arrays = calloc(count, sizeof(uint64_t *));
    team->arrivals = calloc(processes, sizeof *team->arrivals);
    team->firsts = calloc(processes + 1, sizeof *team->firsts);
    team->begins = calloc(processes + 1, sizeof *team->begins);
    team->transfers = calloc((uint64_t) 2 * count * (whole - count) + 1, sizeof *team->transfers);
    team->threads = calloc(count, sizeof *team->threads);
    if (!team->devices || !team->arrays || !team->arrivals || !team->firsts || !team->begins || !team->transfers ||
        !team->threads)
        return error_memory(error, processes * sizeof *team->arrivals, "the parts of the run");
    for (uint32_t i = 0; i < count; i++)
        team->parts[i] = (struct team_part){.team = team, .index = first + i};
    for (uint32_t i = whole; i-- > 0;)
        team->firsts[parts_rank(plan, i)] = i;
    team->firsts[processes] = whole;
    return ranks ? collective_open(ranks, plan->parts[first]->device, &team->collective, error) : 0;
}

void team_close(struct team *team)
{
    if (!team)
        return;
    collective_close(team->collective);
    pthread_cond_destroy(&team->changed);
    pthread_mutex_destroy(&team->messages);
    pthread_mutex_destroy(&team->lock);
    free(team->devices);
    free(team->arrays);
    free(team->arrivals);
    free(team->firsts);
    free(team->begins);
    free(team->transfers);
    free(team->threads);
    free(team);
}

/* Ends the round as soon as every part is there or has returned. With other processes, the thread that may use the link
 * ends it. The lock is held. */
static void check_round(struct team *team)
{
    if (team->reason[0] || team->here + team->gone < team->count)
        return;
    if (!team->collective)
        team_end_round(team);
    pthread_cond_broadcast(&team->changed);
}

/* What that thread does until nothing will be carried out any more. */
static void end_rounds(struct team *team)
{
    pthread_mutex_lock(&team->lock);
    while (!team->over) {
        while (!team->reason[0] && team->here + team->gone < team->count)
            pthread_cond_wait(&team->changed, &team->lock);
        team_end_round(team);
        pthread_cond_broadcast(&team->changed);
    }
    pthread_mutex_unlock(&team->lock);
}

/* ---- The service ------------------------------------------------------------------------------------------------- */

/* Waits for the others. Returns whether it was carried out. The lock is held. */
static bool enter(struct team_part *part, struct team_call wanted)
{
    struct team *team = part->team;
    const uint64_t round = team->round;
    if (part->here)
        snprintf(team->reason, sizeof team->reason, "part %u calls %s while another thread of it waits in %s",
                 part->index + 1, team_functions[wanted.function], team_functions[part->call.function]);
    if (team->reason[0])
        return false;
    part->call = wanted;
    part->here = true;
    team->here++;
    check_round(team);
    while (team->round == round && !team->reason[0])
        pthread_cond_wait(&team->changed, &team->lock);
    return team->round != round;
}

static int call_service(const struct engine_call *call, struct team_call wanted)
{
    const struct engine_host *table = call->host;
    const struct host *host = table->context;
    struct team_part *part = host->team_part;
    struct team *team = part->team;
    char reason[sizeof team->reason] = "";
    pthread_mutex_lock(&team->lock);
    if (!team->is_open)
        snprintf(reason, sizeof reason, "%s: only advance and measure can call it", team_functions[wanted.function]);
    else if (!enter(part, wanted)) {
        memcpy(reason, team->reason, sizeof reason);
        pthread_cond_broadcast(&team->changed);
    }
    pthread_mutex_unlock(&team->lock);
    struct engine_error ignored; /* this thread may have enqueued the work of all devices */
    part->device->use(part->device, &ignored);
    return reason[0] ? ENGINE_FAIL(table, -ENGINE_INTERNAL, "the service '%s': %s", ENGINE_TEAM, reason) : 0;
}

static int reduce(const struct engine_call *call, uint64_t *values, uint64_t count)
{
    return call_service(call, (struct team_call){.function = TEAM_REDUCE, .size = count, .array = values});
}

static int gather(const struct engine_call *call, void *array, uint64_t bytes, uint64_t unit)
{
    if (unit == 0)
        return ENGINE_FAIL(call->host, -ENGINE_INTERNAL, "the service '%s': gather with units of 0 bytes", ENGINE_TEAM);
    return call_service(call, (struct team_call){.function = TEAM_GATHER, .size = bytes, .unit = unit, .array = array});
}

static int exchange(const struct engine_call *call, const void *out, void *in, uint64_t bytes, uint64_t unit)
{
    if (unit == 0 || bytes % unit != 0)
        return ENGINE_FAIL(call->host, -ENGINE_INTERNAL,
                           "the service '%s': exchange of %llu bytes in units of %llu; expected a multiple of the unit",
                           ENGINE_TEAM, (unsigned long long) bytes, (unsigned long long) unit);
    return call_service(
        call, (struct team_call){.function = TEAM_EXCHANGE, .size = bytes, .unit = unit, .array = in, .out = out});
}

void team_join(struct team *team, uint32_t part, struct host *host)
{
    static const struct engine_team table = {
        .size = sizeof table, .reduce = reduce, .gather = gather, .exchange = exchange};
    host->messages = &team->messages;
    host->team = &table;
    host->team_part = &team->parts[part - team->first];
    team->parts[part - team->first].device = host->device;
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

static void leave(struct team_part *part)
{
    struct team *team = part->team;
    pthread_mutex_lock(&team->lock);
    part->gone = true;
    team->gone++;
    team->failed = team->failed || (part->status != 0 && !team->reason[0]);
    check_round(team);
    pthread_mutex_unlock(&team->lock);
}

/* Where a thread cannot be made, the team does not open. */
static bool is_open(struct team *team)
{
    pthread_mutex_lock(&team->lock);
    const bool opened = team->is_open;
    pthread_mutex_unlock(&team->lock);
    return opened;
}

static void *run_part(void *argument)
{
    const struct team_thread *thread = argument;
    const struct team_job *job = thread->job;
    struct team_part *part = thread->part;
    if (!is_open(job->team))
        return NULL;
    const locale_t before = uselocale(job->locale);
    part->status = job->task(job->argument, part->index, &part->lost, &part->error);
    uselocale(before);
    leave(part);
    return NULL;
}

static void clear(struct team *team)
{
    team->here = team->gone = 0;
    team->over = team->failed = team->failed_elsewhere = false;
    team->reason[0] = '\0';
    team->link.status = 0;
    for (uint32_t i = 0; i < team->count; i++) {
        struct team_part *part = &team->parts[i];
        part->here = part->gone = part->released = part->lost = false;
        part->status = 0;
    }
}

/* Makes the threads of the parts from `first` on, which wait for the lock. They handle no signals: those are the
 * caller's. Returns the number of parts that have a thread then, with those before the first. */
static uint32_t make_threads(struct team *team, uint32_t first)
{
    struct team_thread *threads = team->threads;
    uint32_t made = first;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (made < team->count && pthread_create(&threads[made].handle, NULL, run_part, &threads[made]) == 0)
        made++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return made;
}

/* The error of the lowest part of this process that failed by itself. If a part of another process failed, that one
 * reports its error. */
static int find_error(const struct team *team, bool *lost, struct engine_error *error)
{
    const struct team_part *first = NULL;
    bool went_on = false;
    for (uint32_t i = 0; i < team->count; i++) {
        const struct team_part *part = &team->parts[i];
        if (!first && part->status != 0 && !part->released)
            first = part;
        went_on = went_on || part->status == 0 || part->lost;
    }
    if (team->link.status != 0) {
        *lost = true;
        *error = team->link;
        return error->status;
    }
    if (!first && !team->reason[0])
        return 0;
    *lost = *lost || went_on || team->failed_elsewhere;
    if (!first && team->failed_elsewhere)
        return 0;
    if (!first) /* a plugin that does not look at what the service returns */
        return error_set(error, ENGINE_STATUS_PLUGIN, "the service '%s': %s", ENGINE_TEAM, team->reason);
    *error = first->error;
    return error_prefix(error, "part %u of %u: ", first->index + 1, team->whole);
}

/* Opens the team, unless the system refuses a thread; then the other processes must know. */
static bool open_all(struct team *team, uint32_t own, uint32_t *made)
{
    pthread_mutex_lock(&team->lock);
    clear(team);
    *made = make_threads(team, own);
    team->is_open = *made == team->count;
    if (!team->is_open)
        snprintf(team->reason, sizeof team->reason,
                 "the system refuses a thread for part %u of %u; give fewer [run] parts", team->first + *made + 1,
                 team->whole);
    pthread_mutex_unlock(&team->lock);
    return team->is_open;
}

int team_run(struct team *team, int (*task)(void *argument, uint32_t part, bool *lost, struct engine_error *error),
             void *argument, bool *lost, struct engine_error *error)
{
    const struct team_job job = {team, task, argument, uselocale((locale_t) 0)};
    const uint32_t own = team->collective ? 0 : 1; /* parts that the calling thread has itself */
    uint32_t made;
    for (uint32_t i = 0; i < team->count; i++)
        team->threads[i] = (struct team_thread){.job = &job, .part = &team->parts[i]};
    const bool opened = open_all(team, own, &made);
    if (team->collective)
        end_rounds(team);
    else
        run_part(&team->threads[0]);
    for (uint32_t i = own; i < made; i++)
        pthread_join(team->threads[i].handle, NULL);
    team->is_open = false;
    if (!opened)
        return error_set(error, ENGINE_STATUS_DEVICE, "%s", team->reason);
    return find_error(team, lost, error);
}
