#include "run/meeting.h"
#include "base/text.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a part brings to a function of the service. `unit` is 0 in reduce. */
struct brought {
    const char *function;
    void *array;
    uint64_t size, unit; /* numbers of 64 bits and 0; or bytes, and bytes of a unit */
};

/* A part. The meeting's lock guards all but the thread's own call. */
struct seat {
    struct meeting *meeting;
    uint32_t part;
    struct device *device;
    bool here;     /* it waits in a function of the service */
    bool gone;     /* it has returned from its call */
    bool released; /* a function of the service failed in it because another part had failed */
    struct brought brought;

    /* Its call. */
    int status;
    bool lost;
    struct engine_error error;
};

struct meeting {
    pthread_mutex_t lock, messages;
    pthread_cond_t changed;
    uint32_t parts, here, gone;
    uint64_t round;          /* the number of functions that were carried out */
    bool is_open;            /* between the beginning and the end of meeting_run */
    bool failed;             /* a part has returned an error */
    char reason[384];        /* why the service fails from now on, or "" */
    struct device **devices; /* of the seats, and their arrays, as the functions of devices take them */
    uint64_t **arrays;
    struct seat seats[];
};

int meeting_open(uint32_t parts, struct meeting **out, struct engine_error *error)
{
    const uint64_t bytes =
        sizeof(struct meeting) + parts * (sizeof(struct seat) + sizeof(struct device *) + sizeof(uint64_t *));
    struct meeting *meeting = calloc(1, bytes);
    *out = meeting;
    if (!meeting)
        return error_memory(error, bytes, "the parts of the run");
    pthread_mutex_init(&meeting->lock, NULL);
    pthread_mutex_init(&meeting->messages, NULL);
    pthread_cond_init(&meeting->changed, NULL);
    meeting->parts = parts;
    meeting->devices = (struct device **) (void *) (meeting->seats + parts);
    meeting->arrays = (uint64_t **) (void *) (meeting->devices + parts);
    for (uint32_t i = 0; i < parts; i++)
        meeting->seats[i] = (struct seat){.meeting = meeting, .part = i};
    return 0;
}

void meeting_close(struct meeting *meeting)
{
    if (!meeting)
        return;
    pthread_cond_destroy(&meeting->changed);
    pthread_mutex_destroy(&meeting->messages);
    pthread_mutex_destroy(&meeting->lock);
    free(meeting);
}

/* ---- What the parts meet for ------------------------------------------------------------------------------------ */

/* Each device waits for what all others have enqueued. */
static int gather_devices(const struct meeting *meeting, struct engine_error *error)
{
    for (uint32_t i = 0; i < meeting->parts; i++)
        for (uint32_t j = 0; j < meeting->parts; j++) {
            struct device *device = meeting->seats[i].device;
            if (device->follow(device, meeting->seats[j].device, error) != 0)
                return error->status;
        }
    return 0;
}

/* Each part adds up a share of the numbers of all parts. */
static int add_up(const struct meeting *meeting, struct engine_error *error)
{
    const struct seat *seats = meeting->seats;
    const uint32_t parts = meeting->parts;
    for (uint32_t i = 0; i < parts; i++)
        if (seats[i].device->add_up(seats[i].device, meeting->devices, meeting->arrays, parts,
                                    engine_share_begin(i, parts, seats[0].brought.size),
                                    engine_share_begin(i + 1, parts, seats[0].brought.size), error) != 0)
            return error->status;
    return 0;
}

static int hand_round(const struct meeting *meeting, struct engine_error *error)
{
    const struct seat *seats = meeting->seats;
    const uint64_t bytes = seats[0].brought.size, unit = seats[0].brought.unit;
    const uint64_t units = bytes / unit + (bytes % unit > 0);
    for (uint32_t from = 0; from < meeting->parts; from++) {
        const uint64_t begin = engine_share_begin(from, meeting->parts, units) * unit;
        const uint64_t last = engine_share_begin(from + 1, meeting->parts, units),
                       end = last < units ? last * unit : bytes;
        for (uint32_t to = 0; to < meeting->parts && begin < end; to++)
            if (to != from &&
                seats[to].device->fetch(seats[to].device, (char *) seats[to].brought.array + begin, seats[from].device,
                                        (const char *) seats[from].brought.array + begin, end - begin, error) != 0)
                return error->status;
    }
    return 0;
}

/* What all parts have asked for. On devices it is only enqueued, by the thread of one part for all of them. */
static bool carry_out(struct meeting *meeting)
{
    struct engine_error error;
    for (uint32_t i = 0; i < meeting->parts; i++) {
        meeting->devices[i] = meeting->seats[i].device;
        meeting->arrays[i] = meeting->seats[i].brought.array;
    }
    if (gather_devices(meeting, &error) != 0 ||
        (meeting->seats[0].brought.unit ? hand_round : add_up)(meeting, &error) != 0 ||
        gather_devices(meeting, &error) != 0)
        snprintf(meeting->reason, sizeof meeting->reason, "%.380s", error.text);
    return !meeting->reason[0];
}

static void describe(const struct brought *brought, char text[96])
{
    const unsigned long long unit = brought->unit;
    char size[64];
    snprintf(text, 96, unit ? "%s with %s in units of %llu" : "%s with %s", brought->function,
             text_count(brought->size, unit ? "byte" : "number", size), unit);
}

/* Sets the reason where two parts ask for different things. */
static bool agree(struct meeting *meeting)
{
    const struct brought *first = &meeting->seats[0].brought;
    for (uint32_t i = 1; i < meeting->parts; i++) {
        const struct brought *other = &meeting->seats[i].brought;
        if (other->function == first->function && other->size == first->size && other->unit == first->unit)
            continue;
        char one[96], another[96];
        describe(first, one), describe(other, another);
        snprintf(meeting->reason, sizeof meeting->reason,
                 "part 1 calls %s, and part %u calls %s; all parts must make the same calls", one, i + 1, another);
        return false;
    }
    return true;
}

/* Some parts wait for others that have returned. */
static void give_up(struct meeting *meeting)
{
    uint32_t waits = 0, gone = 0;
    while (!meeting->seats[waits].here)
        waits++;
    while (!meeting->seats[gone].gone || (meeting->failed && meeting->seats[gone].status == 0))
        gone++;
    snprintf(meeting->reason, sizeof meeting->reason,
             meeting->failed
                 ? "part %u has failed, and part %u waits for it in %s"
                 : "part %u has returned, and part %u waits for it in %s; all parts must make the same calls",
             gone + 1, waits + 1, meeting->seats[waits].brought.function);
    for (uint32_t i = 0; i < meeting->parts; i++)
        meeting->seats[i].released = meeting->failed && meeting->seats[i].here;
}

/* Goes on as soon as every part is there or has returned. The lock is held. */
static void settle(struct meeting *meeting)
{
    if (meeting->reason[0] || meeting->here == 0 || meeting->here + meeting->gone < meeting->parts)
        return;
    if (meeting->gone > 0)
        give_up(meeting);
    else if (agree(meeting) && carry_out(meeting)) {
        for (uint32_t i = 0; i < meeting->parts; i++)
            meeting->seats[i].here = false;
        meeting->here = 0;
        meeting->round++;
    }
    pthread_cond_broadcast(&meeting->changed);
}

/* ---- The service ------------------------------------------------------------------------------------------------- */

/* Waits for the others. Returns whether it was carried out. The lock is held. */
static bool take_part(struct seat *seat, struct brought brought)
{
    struct meeting *meeting = seat->meeting;
    const uint64_t round = meeting->round;
    if (seat->here)
        snprintf(meeting->reason, sizeof meeting->reason, "part %u calls %s while another thread of it waits in %s",
                 seat->part + 1, brought.function, seat->brought.function);
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
        snprintf(reason, sizeof reason, "%s: only advance and measure can call it", brought.function);
    else if (!take_part(seat, brought)) {
        memcpy(reason, meeting->reason, sizeof reason);
        pthread_cond_broadcast(&meeting->changed);
    }
    pthread_mutex_unlock(&meeting->lock);
    struct engine_error ignored; /* this thread may have enqueued the work of all devices */
    seat->device->use(seat->device, &ignored);
    return reason[0] ? ENGINE_FAIL(table, -ENGINE_INTERNAL, "the service '%s': %s", ENGINE_TEAM, reason) : 0;
}

static const char reduces[] = "reduce", gathers[] = "gather";

static int reduce(const struct engine_call *call, uint64_t *values, uint64_t count)
{
    return meet(call, (struct brought){reduces, values, count, 0});
}

static int gather(const struct engine_call *call, void *array, uint64_t bytes, uint64_t unit)
{
    if (unit == 0)
        return ENGINE_FAIL(call->host, -ENGINE_INTERNAL, "the service '%s': gather with units of 0 bytes", ENGINE_TEAM);
    return meet(call, (struct brought){gathers, array, bytes, unit});
}

void meeting_seat(struct meeting *meeting, uint32_t part, struct host *host)
{
    static const struct engine_team table = {.size = sizeof table, .reduce = reduce, .gather = gather};
    host->messages = &meeting->messages;
    host->team = &table;
    host->seat = &meeting->seats[part];
    meeting->seats[part].device = host->device;
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

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
    meeting->failed = false;
    meeting->reason[0] = '\0';
    for (uint32_t i = 0; i < meeting->parts; i++) {
        struct seat *seat = &meeting->seats[i];
        seat->here = seat->gone = seat->released = seat->lost = false;
        seat->status = 0;
    }
}

/* Makes the threads of all parts but the first, which wait for the lock. They handle no signals: those are the caller's.
 * Returns how many there are. */
static uint32_t make_threads(struct participant *participants, uint32_t parts)
{
    uint32_t made = 0;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (made + 1 < parts &&
           pthread_create(&participants[made + 1].thread, NULL, participate, &participants[made + 1]) == 0)
        made++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return made;
}

/* The error of the lowest part that failed by itself. */
static int find_error(const struct meeting *meeting, bool *lost, struct engine_error *error)
{
    const struct seat *first = NULL;
    bool went_on = false;
    for (uint32_t i = 0; i < meeting->parts; i++) {
        const struct seat *seat = &meeting->seats[i];
        if (!first && seat->status != 0 && !seat->released)
            first = seat;
        went_on = went_on || seat->status == 0 || seat->lost;
    }
    if (!first && !meeting->reason[0])
        return 0;
    *lost = *lost || went_on;
    if (!first) /* a plugin that does not look at what the service returns */
        return error_set(error, ENGINE_STATUS_PLUGIN, "the service '%s': %s", ENGINE_TEAM, meeting->reason);
    *error = first->error;
    return error_prefix(error, "part %u of %u: ", first->part + 1, meeting->parts);
}

int meeting_run(struct meeting *meeting,
                int (*task)(void *argument, uint32_t part, bool *lost, struct engine_error *error), void *argument,
                bool *lost, struct engine_error *error)
{
    const uint32_t parts = meeting->parts;
    const struct gathering gathering = {meeting, task, argument, uselocale((locale_t) 0)};
    struct participant *participants = calloc(parts, sizeof *participants);
    if (!participants)
        return error_memory(error, parts * sizeof *participants, "the threads of the parts");
    for (uint32_t i = 0; i < parts; i++)
        participants[i] = (struct participant){.gathering = &gathering, .seat = &meeting->seats[i]};
    pthread_mutex_lock(&meeting->lock);
    clear(meeting);
    const uint32_t made = make_threads(participants, parts);
    meeting->is_open = made + 1 == parts;
    pthread_mutex_unlock(&meeting->lock);
    participate(&participants[0]);
    for (uint32_t i = 1; i <= made; i++)
        pthread_join(participants[i].thread, NULL);
    free(participants);
    meeting->is_open = false;
    if (made + 1 < parts)
        return error_set(error, ENGINE_STATUS_DEVICE,
                         "the system refuses a thread for part %u of %u; give fewer [run] parts", made + 2, parts);
    return find_error(meeting, lost, error);
}
