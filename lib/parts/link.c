#include "parts/link.h"
#include "api/handles.h"
#include "base/machine.h"

#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ASK, HERE }; /* notices: who is there, and I am */

static const uint64_t largest = (uint64_t) 1 << 30; /* bytes of a message */

/* A message that was begun. */
struct request {
    void *handle;
    uint32_t other; /* process */
};

struct link {
    const struct engine_transport *transport;
    struct request *requests;
    uint32_t count, room;
    uint64_t numbers;
    bool broken;
    bool notices; /* the transport has them */
    bool here[];  /* processes that have answered */
};

int link_open(const struct engine_transport *transport, struct link **out, struct engine_error *error)
{
    *out = NULL;
    if (!transport)
        return 0;
    const size_t least = offsetof(struct engine_transport, notify);
    if (transport->major != ENGINE_TRANSPORT_MAJOR || transport->size < least)
        return error_set(error, ENGINE_STATUS_USAGE,
                         "the transport between the processes has version %u and %u bytes; this engine expects version "
                         "%d and at least %zu bytes; use the module of this engine",
                         transport->major, transport->size, ENGINE_TRANSPORT_MAJOR, least);
    if (transport->ranks < 2)
        return 0;
    struct link *link = calloc(1, sizeof *link + transport->ranks * sizeof *link->here);
    if (!link)
        return error_memory(error, sizeof *link, "the link between the processes");
    link->transport = transport;
    link->notices = transport->size > least && transport->notify && transport->notice;
    *out = link;
    return 0;
}

void link_close(struct link *link)
{
    if (!link)
        return;
    free(link->requests);
    free(link);
}

uint32_t link_rank(const struct link *link)
{
    return link ? link->transport->rank : 0;
}

struct link *link_of_context(const struct engine_context *context)
{
    return context->context.link;
}

uint32_t link_host_rank(const struct link *link)
{
    return link ? link->transport->host_rank : 0;
}

uint32_t link_ranks(const struct link *link)
{
    return link ? link->transport->ranks : 1;
}

uint32_t link_processors(const struct link *link)
{
    return link ? link->transport->processors : 0;
}

const char *link_name(const struct link *link)
{
    return link ? link->transport->name : NULL;
}

uint64_t link_number(struct link *link)
{
    return ++link->numbers;
}

void link_break(struct link *link)
{
    link->broken = true;
}

bool link_is_broken(const struct link *link)
{
    return link && link->broken;
}

int link_check(const struct link *link, struct engine_error *error)
{
    return link->broken ? error_set(error, ENGINE_STATUS_DEVICE,
                                    "this process has lost its link to the others; start all processes again")
                        : 0;
}

/* ---- Messages ------------------------------------------------------------------------------------------------- */

static int fail(struct link *link, uint32_t other, struct engine_error *error)
{
    if (link_check(link, error) != 0)
        return error->status;
    link->broken = true;
    return error_set(error, ENGINE_STATUS_DEVICE, "no message can be exchanged with rank %u: %s", other,
                     link->transport->reason(link->transport->self));
}

static bool make_room(struct link *link)
{
    if (link->count < link->room)
        return true;
    const uint32_t room = link->room ? 2 * link->room : 64;
    struct request *requests = realloc(link->requests, room * sizeof *requests);
    if (requests) {
        link->requests = requests;
        link->room = room;
    }
    return requests;
}

/* Begins a message in pieces that the transport takes. */
static int begin(struct link *link, uint32_t other, void *into, const void *from, uint64_t bytes,
                 struct engine_error *error)
{
    const struct engine_transport *transport = link->transport;
    for (uint64_t n, done = 0; done < bytes; done += n) {
        n = bytes - done < largest ? bytes - done : largest;
        if (link->broken || !make_room(link))
            return fail(link, other, error);
        void *handle = into ? transport->receive(transport->self, other, (char *) into + done, n)
                            : transport->send(transport->self, other, (const char *) from + done, n);
        if (!handle)
            return fail(link, other, error);
        link->requests[link->count++] = (struct request){handle, other};
    }
    return 0;
}

int link_send(struct link *link, uint32_t to, const void *data, uint64_t bytes, struct engine_error *error)
{
    return begin(link, to, NULL, data, bytes, error);
}

int link_receive(struct link *link, uint32_t from, void *data, uint64_t bytes, struct engine_error *error)
{
    return begin(link, from, data, NULL, bytes, error);
}

/* ---- Waiting -------------------------------------------------------------------------------------------------- */

/* Removes the requests that are done, in any order. Returns whether any was. */
static bool sweep(struct link *link, struct engine_error *error)
{
    const struct engine_transport *transport = link->transport;
    const uint32_t before = link->count;
    for (uint32_t i = 0; i < link->count && !link->broken;) {
        const int state = transport->test(transport->self, link->requests[i].handle);
        if (state < 0)
            fail(link, link->requests[i].other, error);
        else if (state > 0)
            link->requests[i] = link->requests[--link->count];
        else
            i++;
    }
    return link->count < before;
}

/* What a process waits for: all messages that were begun, or a test. */
struct wait {
    link_test *test; /* NULL: messages */
    void *context;
    double longest; /* seconds of a pause */
};

/* Returns 1 when the wait is over, 0 if it is not, -1 after an error of the test. */
static int is_over(const struct link *link, const struct wait *wait, struct engine_error *error)
{
    return wait->test ? wait->test(wait->context, error) : link->count == 0;
}

/* Lets others have the processor: at first for moments, then for an eighth of the time that was waited. A process that
 * waits for a long time needs almost no time of a processor then, and a short wait stays short. */
static void pause_for(double waited, double longest)
{
    const double spin = 1e-4;
    const double seconds = waited / 8 < longest ? waited / 8 : longest;
    if (waited < spin)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = (long) (1e9 * seconds)}, NULL);
}

/* Answers those who ask, and notes who has answered. */
static void take_notices(struct link *link)
{
    const struct engine_transport *transport = link->transport;
    uint32_t from, number;
    while (link->notices && transport->notice(transport->self, &from, &number) > 0)
        if (number == ASK)
            transport->notify(transport->self, from, HERE);
        else if (number == HERE && from < transport->ranks)
            link->here[from] = true;
}

bool link_is_pending(const struct link *link, uint32_t rank)
{
    for (uint32_t i = 0; i < link->count; i++)
        if (link->requests[i].other == rank)
            return true;
    return false;
}

/* Asks all processes whether they are there, and gives them `seconds` to answer. Returns whether a message went on or
 * the wait ended meanwhile. */
static bool ask_all(struct link *link, const struct wait *wait, double seconds, struct engine_error *error)
{
    const struct engine_transport *transport = link->transport;
    const double begin = machine_clock();
    for (uint32_t rank = 0; rank < transport->ranks; rank++)
        link->here[rank] = rank == transport->rank;
    for (uint32_t rank = 0; rank < transport->ranks; rank++)
        if (rank != transport->rank)
            transport->notify(transport->self, rank, ASK);
    while (machine_clock() - begin < seconds) {
        take_notices(link);
        if (sweep(link, error) || link->broken || is_over(link, wait, error) != 0)
            return true;
        pause_for(seconds, wait->longest);
    }
    return false;
}

static int give_up(struct link *link, const char *ranks, bool one, double seconds, const char *others,
                   struct engine_error *error)
{
    link->broken = true;
    return error_set(error, ENGINE_STATUS_DEVICE,
                     "rank%s %s %s not answered for %.4g seconds; look at the process there%s, or give a larger [run] "
                     "patience",
                     one ? "" : "s", ranks, one ? "has" : "have", seconds, others);
}

int link_give_up(struct link *link, uint32_t other, double seconds, struct engine_error *error)
{
    char rank[16];
    snprintf(rank, sizeof rank, "%u", other);
    return give_up(link, rank, true, seconds, "", error);
}

/* "rank 2 has not answered", "ranks 1, 3 have not answered". Names those that do not answer a question. If all do, or
 * none can be asked, it names those whose messages this process waits for. */
static int refuse_silence(struct link *link, double patience, struct engine_error *error)
{
    char list[256] = "";
    uint32_t silent = 0, answers = 0;
    for (uint32_t rank = 0; rank < link->transport->ranks; rank++)
        answers += link->here[rank];
    const bool known = answers > 0 && answers < link->transport->ranks;
    for (uint32_t rank = 0; rank < link->transport->ranks; rank++) {
        const size_t length = strlen(list);
        if ((known ? !link->here[rank] : link_is_pending(link, rank)) && length < sizeof list - 16)
            snprintf(list + length, sizeof list - length, "%s%u", silent++ ? ", " : "", rank);
    }
    if (silent == 0) { /* no message is missing */
        link->broken = true;
        return error_set(error, ENGINE_STATUS_DEVICE,
                         "this process has waited for %.4g seconds, although all other processes answer; give a larger "
                         "[run] patience",
                         patience);
    }
    return give_up(link, list, silent == 1, patience, known ? "" : " and at those whose messages it waits for", error);
}

/* The time for which a process waits for answers, which is short against the time after which others lose patience. */
static double time_to_answer(double patience)
{
    return patience < 20 ? patience / 4 : 5;
}

static int never(void *context, struct engine_error *error)
{
    (void) context, (void) error;
    return 0;
}

int link_accuse(struct link *link, double seconds, struct engine_error *error)
{
    if (link->notices)
        ask_all(link, &(struct wait){.test = never, .longest = 1e-3}, time_to_answer(seconds), error);
    const int status = link->broken ? error->status : refuse_silence(link, seconds, error);
    link->count = 0;
    return status;
}

static int wait_for(struct link *link, const struct wait *wait, double patience, struct engine_error *error)
{
    const double stopped = 1;  /* a process that did nothing for so many seconds was stopped itself */
    const double usual = 0.02; /* nobody asks a process that has waited for fewer seconds */
    double since = 0, last = 0;
    for (int over; (over = is_over(link, wait, error)) <= 0;) {
        if (over < 0)
            return error->status;
        if (sweep(link, error)) {
            since = 0;
            continue;
        }
        if (link->broken) {
            link->count = 0; /* what is under way stays with the transport */
            return error->status;
        }
        const double now = machine_clock();
        since = since > 0 && now - last < stopped ? since : now;
        last = now;
        if (now - since > usual)
            take_notices(link);
        if (patience > 0 && now - since > patience) {
            if (link->notices && ask_all(link, wait, time_to_answer(patience), error)) {
                since = 0;
                continue;
            }
            const int status = refuse_silence(link, patience, error);
            link->count = 0;
            return status;
        }
        pause_for(now - since, wait->longest);
    }
    return 0;
}

int link_wait(struct link *link, double patience, struct engine_error *error)
{
    return wait_for(link, &(struct wait){.longest = 1e-3}, patience, error);
}

/* A test is about a device or about shared memory, which needs no time of this processor. */
int link_wait_until(struct link *link, link_test *test, void *context, double patience, struct engine_error *error)
{
    if (link_check(link, error) != 0)
        return error->status;
    return wait_for(link, &(struct wait){test, context, 5e-5}, patience, error);
}

int link_poll(struct link *link, struct engine_error *error)
{
    if (link_check(link, error) != 0)
        return error->status;
    sweep(link, error);
    if (link->broken) {
        link->count = 0;
        return error->status;
    }
    take_notices(link);
    return 0;
}
