#include "parts/meeting_round.h"
#include "base/text.h"
#include "parts/sharing.h"

#include <engine/plugin.h>
#include <stdio.h>
#include <string.h>

static const uint32_t NONE = UINT32_MAX; /* no part */

const char *const meeting_functions[] = {
    [MEETING_REDUCE] = "reduce", [MEETING_GATHER] = "gather", [MEETING_EXCHANGE] = "exchange"};

/* ---- What the parts meet for ------------------------------------------------------------------------------------ */

/* Each device waits for what all others have enqueued. */
static int gather_devices(const struct meeting *meeting, struct engine_error *error)
{
    for (uint32_t i = 0; i < meeting->count; i++)
        for (uint32_t j = 0; j < meeting->count; j++) {
            struct device *device = meeting->seats[i].device;
            if (sharing_of(device)->follow(device, meeting->seats[j].device, error) != 0)
                return error->status;
        }
    return 0;
}

/* Each part of this process adds up a share of the numbers of all of them. Then the processes add up their sums. */
static int add_up(const struct meeting *meeting, struct engine_error *error)
{
    const struct seat *seats = meeting->seats;
    const uint32_t parts = meeting->count;
    const uint64_t numbers = seats[0].brought.size;
    for (uint32_t i = 0; i < parts && parts > 1; i++)
        if (sharing_of(seats[i].device)
                ->add_up(seats[i].device, meeting->devices, meeting->arrays, parts,
                         engine_share_begin(i, parts, numbers), engine_share_begin(i + 1, parts, numbers), error) != 0)
            return error->status;
    if (!meeting->collective)
        return 0;
    if (gather_devices(meeting, error) != 0)
        return error->status;
    return collective_all_reduce(meeting->collective, meeting->arrays, parts, numbers, error);
}

/* Where the share of a part begins in an array that is gathered, in bytes. */
static uint64_t share_begin(const struct meeting *meeting, uint32_t part)
{
    const uint64_t bytes = meeting->seats[0].brought.size, unit = meeting->seats[0].brought.unit;
    const uint64_t units = bytes / unit + (bytes % unit > 0);
    const uint64_t begin = engine_share_begin(part, meeting->whole, units);
    return begin < units ? begin * unit : bytes;
}

static int fetch(const struct seat *to, void *at, const struct seat *from, const void *there, uint64_t bytes,
                 struct engine_error *error)
{
    return sharing_of(to->device)->fetch(to->device, at, from->device, there, bytes, error);
}

static int hand_round(const struct meeting *meeting, struct engine_error *error)
{
    const struct seat *seats = meeting->seats;
    for (uint32_t from = 0; from < meeting->count; from++) {
        const uint64_t begin = share_begin(meeting, seats[from].part), end = share_begin(meeting, seats[from].part + 1);
        for (uint32_t to = 0; to < meeting->count && begin < end; to++)
            if (to != from && fetch(&seats[to], (char *) seats[to].brought.array + begin, &seats[from],
                                    (const char *) seats[from].brought.array + begin, end - begin, error) != 0)
                return error->status;
    }
    if (!meeting->collective)
        return 0;
    for (uint32_t i = 0; i <= collective_ranks(meeting->collective); i++)
        meeting->begins[i] = share_begin(meeting, meeting->firsts[i]);
    if (gather_devices(meeting, error) != 0)
        return error->status;
    return collective_all_gather(meeting->collective, meeting->arrays, meeting->count, meeting->begins, error);
}

/* What part `from` sends to part `to`, and where it goes there. Only one of them may be in this process. */
static struct device_copy block_of(const struct meeting *meeting, uint32_t from, uint32_t to)
{
    const uint64_t begin = share_begin(meeting, from), bytes = share_begin(meeting, from + 1) - begin;
    const uint32_t sender = from - meeting->first, receiver = to - meeting->first;
    struct device_copy copy = {.bytes = bytes};
    if (sender < meeting->count)
        copy.from = (const char *) meeting->seats[sender].brought.out + to * bytes;
    if (receiver < meeting->count)
        copy.to = (char *) meeting->seats[receiver].brought.array + begin;
    return copy;
}

static bool is_here(const struct meeting *meeting, uint32_t part)
{
    return part - meeting->first < meeting->count;
}

static uint32_t process_of(const struct meeting *meeting, uint32_t part)
{
    uint32_t process = 0;
    while (meeting->firsts[process + 1] <= part)
        process++;
    return process;
}

/* Lists the blocks that leave this process or come from others. All processes go through all blocks in the same order,
 * so that the messages between two of them match. Returns their number. */
static uint32_t list_transfers(const struct meeting *meeting)
{
    uint32_t count = 0;
    for (uint32_t from = 0; from < meeting->whole; from++)
        for (uint32_t to = 0; to < meeting->whole; to++) {
            const bool sends = is_here(meeting, from), receives = is_here(meeting, to);
            if (sends == receives)
                continue;
            const struct device_copy copy = block_of(meeting, from, to);
            if (copy.bytes > 0)
                meeting->transfers[count++] = (struct transfer){.at = sends ? (void *) (uintptr_t) copy.from : copy.to,
                                                                .bytes = copy.bytes,
                                                                .other = process_of(meeting, sends ? to : from),
                                                                .sends = sends};
        }
    return count;
}

static int hand_over(const struct meeting *meeting, struct engine_error *error)
{
    const struct seat *seats = meeting->seats;
    for (uint32_t from = 0; from < meeting->count; from++)
        for (uint32_t to = 0; to < meeting->count; to++) {
            const struct device_copy copy = block_of(meeting, seats[from].part, seats[to].part);
            if (from != to && copy.bytes > 0 &&
                fetch(&seats[to], copy.to, &seats[from], copy.from, copy.bytes, error) != 0)
                return error->status;
        }
    if (!meeting->collective)
        return 0;
    const uint32_t count = list_transfers(meeting);
    return gather_devices(meeting, error) != 0
               ? error->status
               : collective_exchange(meeting->collective, meeting->transfers, count, error);
}

/* What all parts have asked for. On devices it is only enqueued, by the thread of one part for all of them. */
static int carry_out(struct meeting *meeting, struct engine_error *error)
{
    static int (*const functions[])(const struct meeting *, struct engine_error *) = {
        [MEETING_REDUCE] = add_up, [MEETING_GATHER] = hand_round, [MEETING_EXCHANGE] = hand_over};
    for (uint32_t i = 0; i < meeting->count; i++) {
        meeting->devices[i] = meeting->seats[i].device;
        meeting->arrays[i] = meeting->seats[i].brought.array;
    }
    if (gather_devices(meeting, error) != 0 || functions[meeting->seats[0].brought.function](meeting, error) != 0 ||
        gather_devices(meeting, error) != 0)
        return error->status;
    return 0;
}

/* ---- Notices ---------------------------------------------------------------------------------------------------- */

static struct notice notice_of(const struct seat *seat)
{
    return (struct notice){.waits = seat->part,
                           .gone = NONE,
                           .function = seat->brought.function,
                           .size = seat->brought.size,
                           .unit = seat->brought.unit};
}

static bool are_alike(const struct notice *a, const struct notice *b)
{
    return a->function == b->function && a->size == b->size && a->unit == b->unit;
}

static void describe(const struct notice *notice, char text[96])
{
    const unsigned long long unit = notice->unit;
    const char *name = meeting_functions[notice->function];
    char size[64];
    snprintf(text, 96, notice->function == MEETING_REDUCE ? "%s with %s" : "%s with %s in units of %llu", name,
             text_count(notice->size, notice->function == MEETING_REDUCE ? "number" : "byte", size), unit);
}

static void refuse_difference(const struct notice *one, const struct notice *other, char reason[384])
{
    char texts[2][96];
    describe(one, texts[0]), describe(other, texts[1]);
    snprintf(reason, 384, "part %u calls %s, and part %u calls %s; all parts must make the same calls", one->waits + 1,
             texts[0], other->waits + 1, texts[1]);
}

/* What the parts of this process do. */
static struct notice look(const struct meeting *meeting)
{
    struct notice notice = {.waits = NONE, .gone = NONE, .failed = meeting->failed};
    for (uint32_t i = 0; i < meeting->count; i++) {
        const struct seat *seat = &meeting->seats[i];
        const struct notice own = notice_of(seat);
        if (seat->here && notice.waits == NONE) {
            const struct notice before = notice;
            notice = own;
            notice.gone = before.gone, notice.failed = before.failed;
        } else if (seat->here && !notice.reason[0] && !are_alike(&notice, &own))
            refuse_difference(&notice, &own, notice.reason);
        if (seat->gone && notice.gone == NONE && (!meeting->failed || seat->status != 0))
            notice.gone = seat->part;
    }
    if (notice.gone != NONE)
        notice.reason[0] = '\0'; /* what the others ask for does not matter any more */
    if (meeting->reason[0])
        memcpy(notice.reason, meeting->reason, sizeof notice.reason);
    return notice;
}

/* Adds up the notices of all processes. */
static struct notice summarise(const struct notice *notices, uint32_t count)
{
    struct notice all = notices[0];
    for (uint32_t i = 1; i < count; i++) {
        const struct notice *next = &notices[i];
        if (!all.reason[0] && next->reason[0])
            memcpy(all.reason, next->reason, sizeof all.reason);
        if (next->gone != NONE && (all.gone == NONE || (next->failed && !all.failed)))
            all.gone = next->gone;
        all.failed = all.failed || next->failed;
        if (next->waits == NONE)
            continue;
        if (all.waits == NONE)
            all.waits = next->waits, all.function = next->function, all.size = next->size, all.unit = next->unit;
        else if (!all.reason[0] && !are_alike(&all, next))
            refuse_difference(&all, next, all.reason);
    }
    return all;
}

/* ---- The end of a round ----------------------------------------------------------------------------------------- */

/* Some parts wait for others that have returned. */
static void give_up(struct meeting *meeting, const struct notice *all)
{
    snprintf(meeting->reason, sizeof meeting->reason,
             all->failed ? "part %u has failed, and part %u waits for it in %s"
                         : "part %u has returned, and part %u waits for it in %s; all parts must make the same calls",
             all->gone + 1, all->waits + 1, meeting_functions[all->function]);
    meeting->failed_elsewhere = all->failed && !meeting->failed;
    for (uint32_t i = 0; i < meeting->count; i++)
        meeting->seats[i].released = all->failed && meeting->seats[i].here;
}

static void go_on(struct meeting *meeting)
{
    for (uint32_t i = 0; i < meeting->count; i++)
        meeting->seats[i].here = false;
    meeting->here = 0;
    meeting->round++;
}

/* Decides, as all other processes do, by the notices of all. */
static int decide(struct meeting *meeting, struct engine_error *error)
{
    struct collective *collective = meeting->collective;
    const uint32_t own = collective ? collective_rank(collective) : 0,
                   count = collective ? collective_ranks(collective) : 1;
    meeting->notices[own] = look(meeting);
    if (collective && collective_all_gather_host(collective, meeting->notices, sizeof *meeting->notices, error) != 0)
        return error->status;
    const struct notice all = summarise(meeting->notices, count);
    meeting->over = all.waits == NONE || all.gone != NONE || all.reason[0];
    if (all.waits != NONE && all.gone != NONE)
        give_up(meeting, &all);
    else if (all.reason[0])
        memcpy(meeting->reason, all.reason, sizeof meeting->reason);
    else if (!meeting->over && carry_out(meeting, error) != 0)
        return error->status;
    else if (!meeting->over)
        go_on(meeting);
    return 0;
}

void meeting_end_round(struct meeting *meeting)
{
    struct engine_error error;
    if (decide(meeting, &error) == 0)
        return;
    snprintf(meeting->reason, sizeof meeting->reason, "%.380s", error.text);
    meeting->over = true;
    if (!meeting->collective)
        return;
    meeting->link = error;
    collective_break(meeting->collective); /* the others wait for messages that do not come */
}
