#include "parts/meeting.h"
#include "parts/meeting_round.h"
#include "parts/parts.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A call of meeting_run. */
struct gathering {
    struct meeting *meeting;
    int (*task)(void *argument, uint32_t part, bool *lost, struct engine_error *error);
    void *argument;
    locale_t locale; /* of the caller: that of the numbers in messages */
};

/* A part's thread. */
struct participant {
    const struct gathering *gathering;
    struct seat *seat;
    pthread_t thread;
};

int meeting_open(const struct plan *plan, struct ranks *ranks, struct meeting **out, struct engine_error *error)
{
    const uint32_t whole = plan->settings.parts, processes = parts_ranks(plan);
    uint32_t first = 0, count = 0;
    for (uint32_t i = whole; i-- > 0;)
        if (parts_is_here(plan, i))
            first = i, count++;
    struct meeting *meeting = calloc(1, sizeof *meeting + count * sizeof(struct seat));
    *out = meeting;
    if (!meeting)
        return error_memory(error, sizeof *meeting, "the parts of the run");
    pthread_mutex_init(&meeting->lock, NULL);
    pthread_mutex_init(&meeting->messages, NULL);
    pthread_cond_init(&meeting->changed, NULL);
    meeting->first = first, meeting->count = count, meeting->whole = whole;
    meeting->devices = calloc(count, sizeof(struct device *));
    meeting->arrays = calloc(count, sizeof(uint64_t *));
    meeting->notices = calloc(processes, sizeof *meeting->notices);
    meeting->firsts = calloc(processes + 1, sizeof *meeting->firsts);
    meeting->begins = calloc(processes + 1, sizeof *meeting->begins);
    meeting->transfers = calloc((uint64_t) 2 * count * (whole - count) + 1, sizeof *meeting->transfers);
    meeting->participants = calloc(count, sizeof *meeting->participants);
    if (!meeting->devices || !meeting->arrays || !meeting->notices || !meeting->firsts || !meeting->begins ||
        !meeting->transfers || !meeting->participants)
        return error_memory(error, processes * sizeof *meeting->notices, "the parts of the run");
    for (uint32_t i = 0; i < count; i++)
        meeting->seats[i] = (struct seat){.meeting = meeting, .part = first + i};
    for (uint32_t i = whole; i-- > 0;)
        meeting->firsts[parts_rank(plan, i)] = i;
    meeting->firsts[processes] = whole;
    return ranks ? collective_open(ranks, plan->parts[first]->device, &meeting->collective, error) : 0;
}

void meeting_close(struct meeting *meeting)
{
    if (!meeting)
        return;
    collective_close(meeting->collective);
    pthread_cond_destroy(&meeting->changed);
    pthread_mutex_destroy(&meeting->messages);
    pthread_mutex_destroy(&meeting->lock);
    free(meeting->devices);
    free(meeting->arrays);
    free(meeting->notices);
    free(meeting->firsts);
    free(meeting->begins);
    free(meeting->transfers);
    free(meeting->participants);
    free(meeting);
}

/* Ends the round as soon as every part is there or has returned. With other processes, the thread that may use the link
 * ends it. The lock is held. */
static void settle(struct meeting *meeting)
{
    if (meeting->reason[0] || meeting->here + meeting->gone < meeting->count)
        return;
    if (!meeting->collective)
        meeting_end_round(meeting);
    pthread_cond_broadcast(&meeting->changed);
}

/* What that thread does until the meeting is over. */
static void end_rounds(struct meeting *meeting)
{
    pthread_mutex_lock(&meeting->lock);
    while (!meeting->over) {
        while (!meeting->reason[0] && meeting->here + meeting->gone < meeting->count)
            pthread_cond_wait(&meeting->changed, &meeting->lock);
        meeting_end_round(meeting);
        pthread_cond_broadcast(&meeting->changed);
    }
    pthread_mutex_unlock(&meeting->lock);
}

/* ---- The service ------------------------------------------------------------------------------------------------- */

/* Waits for the others. Returns whether it was carried out. The lock is held. */
static bool take_part(struct seat *seat, struct brought brought)
{
    struct meeting *meeting = seat->meeting;
    const uint64_t round = meeting->round;
    if (seat->here)
        snprintf(meeting->reason, sizeof meeting->reason, "part %u calls %s while another thread of it waits in %s",
                 seat->part + 1, meeting_functions[brought.function], meeting_functions[seat->brought.function]);
    if (meeting->reason[0])
        return false;
    seat->brought = brought;
    seat->here = true;
    meeting->here++;
    settle(meeting);
    while (meeting->round == round && !meeting->reason[0])
        pthread_cond_wait(&meeting->changed, &meeting->lock);
    return meeting->round != round;
}

static int meet(const struct engine_call *call, struct brought brought)
{
    const struct engine_host *table = call->host;
    const struct host *host = table->context;
    struct seat *seat = host->seat;
    struct meeting *meeting = seat->meeting;
    char reason[sizeof meeting->reason] = "";
    pthread_mutex_lock(&meeting->lock);
    if (!meeting->is_open)
        snprintf(reason, sizeof reason, "%s: only advance and measure can call it",
                 meeting_functions[brought.function]);
    else if (!take_part(seat, brought)) {
        memcpy(reason, meeting->reason, sizeof reason);
        pthread_cond_broadcast(&meeting->changed);
    }
    pthread_mutex_unlock(&meeting->lock);
    struct engine_error ignored; /* this thread may have enqueued the work of all devices */
    seat->device->use(seat->device, &ignored);
    return reason[0] ? ENGINE_FAIL(table, -ENGINE_INTERNAL, "the service '%s': %s", ENGINE_TEAM, reason) : 0;
}

static int reduce(const struct engine_call *call, uint64_t *values, uint64_t count)
{
    return meet(call, (struct brought){.function = MEETING_REDUCE, .size = count, .array = values});
}

static int gather(const struct engine_call *call, void *array, uint64_t bytes, uint64_t unit)
{
    if (unit == 0)
        return ENGINE_FAIL(call->host, -ENGINE_INTERNAL, "the service '%s': gather with units of 0 bytes", ENGINE_TEAM);
    return meet(call, (struct brought){.function = MEETING_GATHER, .size = bytes, .unit = unit, .array = array});
}

static int exchange(const struct engine_call *call, const void *out, void *in, uint64_t bytes, uint64_t unit)
{
    if (unit == 0 || bytes % unit != 0)
        return ENGINE_FAIL(call->host, -ENGINE_INTERNAL,
                           "the service '%s': exchange of %llu bytes in units of %llu; expected a multiple of the unit",
                           ENGINE_TEAM, (unsigned long long) bytes, (unsigned long long) unit);
    return meet(call,
                (struct brought){.function = MEETING_EXCHANGE, .size = bytes, .unit = unit, .array = in, .out = out});
}

void meeting_seat(struct meeting *meeting, uint32_t part, struct host *host)
{
    static const struct engine_team table = {
        .size = sizeof table, .reduce = reduce, .gather = gather, .exchange = exchange};
    host->messages = &meeting->messages;
    host->team = &table;
    host->seat = &meeting->seats[part - meeting->first];
    meeting->seats[part - meeting->first].device = host->device;
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

static void leave(struct seat *seat)
{
    struct meeting *meeting = seat->meeting;
    pthread_mutex_lock(&meeting->lock);
    seat->gone = true;
    meeting->gone++;
    meeting->failed = meeting->failed || (seat->status != 0 && !meeting->reason[0]);
    settle(meeting);
    pthread_mutex_unlock(&meeting->lock);
}

/* Where a thread cannot be made, the meeting does not open. */
static bool is_open(struct meeting *meeting)
{
    pthread_mutex_lock(&meeting->lock);
    const bool opened = meeting->is_open;
    pthread_mutex_unlock(&meeting->lock);
    return opened;
}

static void *participate(void *argument)
{
    const struct participant *participant = argument;
    const struct gathering *gathering = participant->gathering;
    struct seat *seat = participant->seat;
    if (!is_open(gathering->meeting))
        return NULL;
    const locale_t before = uselocale(gathering->locale);
    seat->status = gathering->task(gathering->argument, seat->part, &seat->lost, &seat->error);
    uselocale(before);
    leave(seat);
    return NULL;
}

static void clear(struct meeting *meeting)
{
    meeting->here = meeting->gone = 0;
    meeting->over = meeting->failed = meeting->failed_elsewhere = false;
    meeting->reason[0] = '\0';
    meeting->link.status = 0;
    for (uint32_t i = 0; i < meeting->count; i++) {
        struct seat *seat = &meeting->seats[i];
        seat->here = seat->gone = seat->released = seat->lost = false;
        seat->status = 0;
    }
}

/* Makes the threads of the parts from `first` on, which wait for the lock. They handle no signals: those are the
 * caller's. Returns the number of parts that have a thread then, with those before the first. */
static uint32_t make_threads(struct meeting *meeting, uint32_t first)
{
    struct participant *participants = meeting->participants;
    uint32_t made = first;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (made < meeting->count &&
           pthread_create(&participants[made].thread, NULL, participate, &participants[made]) == 0)
        made++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return made;
}

/* The error of the lowest part of this process that failed by itself. If a part of another process failed, that one
 * reports its error. */
static int find_error(const struct meeting *meeting, bool *lost, struct engine_error *error)
{
    const struct seat *first = NULL;
    bool went_on = false;
    for (uint32_t i = 0; i < meeting->count; i++) {
        const struct seat *seat = &meeting->seats[i];
        if (!first && seat->status != 0 && !seat->released)
            first = seat;
        went_on = went_on || seat->status == 0 || seat->lost;
    }
    if (meeting->link.status != 0) {
        *lost = true;
        *error = meeting->link;
        return error->status;
    }
    if (!first && !meeting->reason[0])
        return 0;
    *lost = *lost || went_on || meeting->failed_elsewhere;
    if (!first && meeting->failed_elsewhere)
        return 0;
    if (!first) /* a plugin that does not look at what the service returns */
        return error_set(error, ENGINE_STATUS_PLUGIN, "the service '%s': %s", ENGINE_TEAM, meeting->reason);
    *error = first->error;
    return error_prefix(error, "part %u of %u: ", first->part + 1, meeting->whole);
}

/* Opens the meeting, unless the system refuses a thread; then the other processes must know. */
static bool open_all(struct meeting *meeting, uint32_t own, uint32_t *made)
{
    pthread_mutex_lock(&meeting->lock);
    clear(meeting);
    *made = make_threads(meeting, own);
    meeting->is_open = *made == meeting->count;
    if (!meeting->is_open)
        snprintf(meeting->reason, sizeof meeting->reason,
                 "the system refuses a thread for part %u of %u; give fewer [run] parts", meeting->first + *made + 1,
                 meeting->whole);
    pthread_mutex_unlock(&meeting->lock);
    return meeting->is_open;
}

int meeting_run(struct meeting *meeting,
                int (*task)(void *argument, uint32_t part, bool *lost, struct engine_error *error), void *argument,
                bool *lost, struct engine_error *error)
{
    const struct gathering gathering = {meeting, task, argument, uselocale((locale_t) 0)};
    const uint32_t own = meeting->collective ? 0 : 1; /* parts that the calling thread has itself */
    uint32_t made;
    for (uint32_t i = 0; i < meeting->count; i++)
        meeting->participants[i] = (struct participant){.gathering = &gathering, .seat = &meeting->seats[i]};
    const bool opened = open_all(meeting, own, &made);
    if (meeting->collective)
        end_rounds(meeting);
    else
        participate(&meeting->participants[0]);
    for (uint32_t i = own; i < made; i++)
        pthread_join(meeting->participants[i].thread, NULL);
    meeting->is_open = false;
    if (!opened)
        return error_set(error, ENGINE_STATUS_DEVICE, "%s", meeting->reason);
    return find_error(meeting, lost, error);
}
