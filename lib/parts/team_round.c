#include "parts/team_round.h"
#include "base/text.h"
#include "parts/sharing.h"

#include <engine/plugin.h>
#include <stdio.h>
#include <string.h>

static const uint32_t NONE = UINT32_MAX; /* no part */

const char *const team_functions[] = {[TEAM_REDUCE] = "reduce", [TEAM_GATHER] = "gather", [TEAM_EXCHANGE] = "exchange"};

/* ---- Collective operations ------------------------------------------------------------------------------------ */

/* Each device waits for what all others have enqueued. */
static int device_barrier(const struct team *team, struct engine_error *error)
{
    for (uint32_t i = 0; i < team->count; i++)
        for (uint32_t j = 0; j < team->count; j++) {
            struct device *device = team->parts[i].device;
            if (sharing_of(device)->follow(device, team->parts[j].device, error) != 0)
                return error->status;
        }
    return 0;
}

/* Each part of this process adds up a share of the numbers of all of them. Then the processes add up their sums. */
static int all_reduce(const struct team *team, struct engine_error *error)
{
    const struct team_part *parts = team->parts;
    const uint32_t count = team->count;
    const uint64_t numbers = parts[0].call.size;
    for (uint32_t i = 0; i < count && count > 1; i++)
        if (sharing_of(parts[i].device)
                ->add_up(parts[i].device, team->devices, team->arrays, count, engine_share_begin(i, count, numbers),
                         engine_share_begin(i + 1, count, numbers), error) != 0)
            return error->status;
    if (!team->collective)
        return 0;
    if (device_barrier(team, error) != 0)
        return error->status;
    return collective_all_reduce(team->collective, team->arrays, count, numbers, error);
}

/* Where the share of a part begins in an array that is gathered, in bytes. */
static uint64_t share_begin(const struct team *team, uint32_t part)
{
    const uint64_t bytes = team->parts[0].call.size, unit = team->parts[0].call.unit;
    const uint64_t units = bytes / unit + (bytes % unit > 0);
    const uint64_t begin = engine_share_begin(part, team->whole, units);
    return begin < units ? begin * unit : bytes;
}

static int fetch(const struct team_part *to, void *at, const struct team_part *from, const void *there, uint64_t bytes,
                 struct engine_error *error)
{
    return sharing_of(to->device)->fetch(to->device, at, from->device, there, bytes, error);
}

static int all_gather(const struct team *team, struct engine_error *error)
{
    const struct team_part *parts = team->parts;
    for (uint32_t from = 0; from < team->count; from++) {
        const uint64_t begin = share_begin(team, parts[from].index), end = share_begin(team, parts[from].index + 1);
        for (uint32_t to = 0; to < team->count && begin < end; to++)
            if (to != from && fetch(&parts[to], (char *) parts[to].call.array + begin, &parts[from],
                                    (const char *) parts[from].call.array + begin, end - begin, error) != 0)
                return error->status;
    }
    if (!team->collective)
        return 0;
    for (uint32_t i = 0; i <= collective_ranks(team->collective); i++)
        team->begins[i] = share_begin(team, team->firsts[i]);
    if (device_barrier(team, error) != 0)
        return error->status;
    return collective_all_gather(team->collective, team->arrays, team->count, team->begins, error);
}

/* What part `from` sends to part `to`, and where it goes there. Only one of them may be in this process. */
static struct device_copy block_of(const struct team *team, uint32_t from, uint32_t to)
{
    const uint64_t begin = share_begin(team, from), bytes = share_begin(team, from + 1) - begin;
    const uint32_t sender = from - team->first, receiver = to - team->first;
    struct device_copy copy = {.bytes = bytes};
    if (sender < team->count)
        copy.from = (const char *) team->parts[sender].call.out + to * bytes;
    if (receiver < team->count)
        copy.to = (char *) team->parts[receiver].call.array + begin;
    return copy;
}

static bool is_here(const struct team *team, uint32_t part)
{
    return part - team->first < team->count;
}

static uint32_t process_of(const struct team *team, uint32_t part)
{
    uint32_t process = 0;
    while (team->firsts[process + 1] <= part)
        process++;
    return process;
}

/* Lists the blocks that leave this process or come from others. All processes go through all blocks in the same order,
 * so that the messages between two of them match. Returns their number. */
static uint32_t list_transfers(const struct team *team)
{
    uint32_t count = 0;
    for (uint32_t from = 0; from < team->whole; from++)
        for (uint32_t to = 0; to < team->whole; to++) {
            const bool sends = is_here(team, from), receives = is_here(team, to);
            if (sends == receives)
                continue;
            const struct device_copy copy = block_of(team, from, to);
            if (copy.bytes > 0)
                team->transfers[count++] = (struct transfer){.at = sends ? (void *) (uintptr_t) copy.from : copy.to,
                                                             .bytes = copy.bytes,
                                                             .other = process_of(team, sends ? to : from),
                                                             .sends = sends};
        }
    return count;
}

static int all_to_all(const struct team *team, struct engine_error *error)
{
    const struct team_part *parts = team->parts;
    for (uint32_t from = 0; from < team->count; from++)
        for (uint32_t to = 0; to < team->count; to++) {
            const struct device_copy copy = block_of(team, parts[from].index, parts[to].index);
            if (from != to && copy.bytes > 0 &&
                fetch(&parts[to], copy.to, &parts[from], copy.from, copy.bytes, error) != 0)
                return error->status;
        }
    if (!team->collective)
        return 0;
    const uint32_t count = list_transfers(team);
    return device_barrier(team, error) != 0 ? error->status
                                            : collective_exchange(team->collective, team->transfers, count, error);
}

/* What all parts have asked for. On devices it is only enqueued, by the thread of one part for all of them. */
static int carry_out(struct team *team, struct engine_error *error)
{
    static int (*const functions[])(const struct team *, struct engine_error *) = {
        [TEAM_REDUCE] = all_reduce, [TEAM_GATHER] = all_gather, [TEAM_EXCHANGE] = all_to_all};
    for (uint32_t i = 0; i < team->count; i++) {
        team->devices[i] = team->parts[i].device;
        team->arrays[i] = team->parts[i].call.array;
    }
    if (device_barrier(team, error) != 0 || functions[team->parts[0].call.function](team, error) != 0 ||
        device_barrier(team, error) != 0)
        return error->status;
    return 0;
}

/* ---- Arrivals --------------------------------------------------------------------------------------------------- */

static struct team_arrivals arrivals_of(const struct team_part *part)
{
    return (struct team_arrivals){.waits = part->index,
                                  .gone = NONE,
                                  .function = part->call.function,
                                  .size = part->call.size,
                                  .unit = part->call.unit};
}

static bool are_alike(const struct team_arrivals *a, const struct team_arrivals *b)
{
    return a->function == b->function && a->size == b->size && a->unit == b->unit;
}

static void describe(const struct team_arrivals *arrivals, char text[96])
{
    const unsigned long long unit = arrivals->unit;
    const char *name = team_functions[arrivals->function];
    char size[64];
    snprintf(text, 96, arrivals->function == TEAM_REDUCE ? "%s with %s" : "%s with %s in units of %llu", name,
             text_count(arrivals->size, arrivals->function == TEAM_REDUCE ? "number" : "byte", size), unit);
}

static void refuse_difference(const struct team_arrivals *one, const struct team_arrivals *other, char reason[384])
{
    char texts[2][96];
    describe(one, texts[0]), describe(other, texts[1]);
    snprintf(reason, 384, "part %u calls %s, and part %u calls %s; all parts must make the same calls", one->waits + 1,
             texts[0], other->waits + 1, texts[1]);
}

/* What the parts of this process do. */
static struct team_arrivals look(const struct team *team)
{
    struct team_arrivals arrivals = {.waits = NONE, .gone = NONE, .failed = team->failed};
    for (uint32_t i = 0; i < team->count; i++) {
        const struct team_part *part = &team->parts[i];
        const struct team_arrivals own = arrivals_of(part);
        if (part->here && arrivals.waits == NONE) {
            const struct team_arrivals before = arrivals;
            arrivals = own;
            arrivals.gone = before.gone, arrivals.failed = before.failed;
        } else if (part->here && !arrivals.reason[0] && !are_alike(&arrivals, &own))
            refuse_difference(&arrivals, &own, arrivals.reason);
        if (part->gone && arrivals.gone == NONE && (!team->failed || part->status != 0))
            arrivals.gone = part->index;
    }
    if (arrivals.gone != NONE)
        arrivals.reason[0] = '\0'; /* what the others ask for does not matter any more */
    if (team->reason[0])
        memcpy(arrivals.reason, team->reason, sizeof arrivals.reason);
    return arrivals;
}

/* Adds up the arrivals in all processes. */
static struct team_arrivals summarise(const struct team_arrivals *list, uint32_t count)
{
    struct team_arrivals all = list[0];
    for (uint32_t i = 1; i < count; i++) {
        const struct team_arrivals *next = &list[i];
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
static void give_up(struct team *team, const struct team_arrivals *all)
{
    snprintf(team->reason, sizeof team->reason,
             all->failed ? "part %u has failed, and part %u waits for it in %s"
                         : "part %u has returned, and part %u waits for it in %s; all parts must make the same calls",
             all->gone + 1, all->waits + 1, team_functions[all->function]);
    team->failed_elsewhere = all->failed && !team->failed;
    for (uint32_t i = 0; i < team->count; i++)
        team->parts[i].released = all->failed && team->parts[i].here;
}

static void go_on(struct team *team)
{
    for (uint32_t i = 0; i < team->count; i++)
        team->parts[i].here = false;
    team->here = 0;
    team->round++;
}

/* Decides, as all other processes do, by the arrivals in all. */
static int decide(struct team *team, struct engine_error *error)
{
    struct collective *collective = team->collective;
    const uint32_t own = collective ? collective_rank(collective) : 0,
                   count = collective ? collective_ranks(collective) : 1;
    team->arrivals[own] = look(team);
    if (collective && collective_all_gather_host(collective, team->arrivals, sizeof *team->arrivals, error) != 0)
        return error->status;
    const struct team_arrivals all = summarise(team->arrivals, count);
    team->over = all.waits == NONE || all.gone != NONE || all.reason[0];
    if (all.waits != NONE && all.gone != NONE)
        give_up(team, &all);
    else if (all.reason[0])
        memcpy(team->reason, all.reason, sizeof team->reason);
    else if (!team->over && carry_out(team, error) != 0)
        return error->status;
    else if (!team->over)
        go_on(team);
    return 0;
}

void team_end_round(struct team *team)
{
    struct engine_error error;
    if (decide(team, &error) == 0)
        return;
    snprintf(team->reason, sizeof team->reason, "%.380s", error.text);
    team->over = true;
    if (!team->collective)
        return;
    team->link = error;
    collective_break(team->collective); /* the others wait for messages that do not come */
}
