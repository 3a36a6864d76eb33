#include "parts/device_transport.h"
#include "parts/device_transport_kind.h"
#include "parts/sharing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    [TRANSPORT_AUTO] = "auto", [TRANSPORT_PEER] = "peer", [TRANSPORT_NCCL] = "nccl", [TRANSPORT_HOST] = "host"};

/* The transports between devices, in the order in which `auto` tries them. */
static const enum transport carried[] = {TRANSPORT_PEER, TRANSPORT_NCCL};

enum { CARRIED = sizeof carried / sizeof carried[0] };

/* ---- The choice --------------------------------------------------------------------------------------------- */

/* Two processes with the same GPU would wait for each other on it. */
static bool share_device(const struct device_transport_facts *facts, uint32_t count, uint32_t *one, uint32_t *other)
{
    for (*other = 1; *other < count; ++*other)
        for (*one = 0; *one < *other; ++*one)
            if (*facts[*one].device && strcmp(facts[*one].device, facts[*other].device) == 0 &&
                strcmp(facts[*one].host, facts[*other].host) == 0)
                return true;
    return false;
}

static const char *say(char text[256], const char *sentence)
{
    snprintf(text, 256, "%s", sentence);
    return text;
}

static const char *obstacle_of_peer(const struct device_transport_facts *facts, uint32_t count, char text[256])
{
    if (facts[0].sums)
        return say(text, "its processes exchange margins, and the parts of this run have none: they share their work");
    for (uint32_t i = 1; i < count; i++)
        if (strcmp(facts[i].host, facts[0].host) != 0) {
            snprintf(text, 256, "rank %u is on another host than rank 0, and cannot open its memory", i);
            return text;
        }
    return NULL;
}

static const char *obstacle_of_nccl(const struct device_transport_facts *facts, uint32_t count, char text[256])
{
    (void) count;
    return facts[0].cuda ? NULL
                         : say(text, "NCCL moves memory of GPUs, and the implementation computes in host memory");
}

const char *device_transport_obstacle(enum transport kind, const struct device_transport_facts *facts, uint32_t count,
                                      char text[256])
{
    uint32_t one, other;
    if (kind == TRANSPORT_AUTO || kind == TRANSPORT_HOST)
        return NULL;
    const char *why = (kind == TRANSPORT_PEER ? obstacle_of_peer : obstacle_of_nccl)(facts, count, text);
    if (why)
        return why;
    if (!facts[0].sums && !facts[0].alike)
        return say(text, "it moves whole rows or planes, and the parts order their cells in different ways");
    if (share_device(facts, count, &one, &other)) {
        snprintf(text, 256, "ranks %u and %u use the same GPU, and each process needs its own", one, other);
        return text;
    }
    return NULL;
}

enum transport device_transport_candidate(const struct device_transport_facts *facts, uint32_t count, uint32_t index)
{
    char ignored[256];
    for (int i = 0; facts[0].cuda && i < CARRIED; i++)
        if (!device_transport_obstacle(carried[i], facts, count, ignored) && index-- == 0)
            return carried[i];
    return TRANSPORT_HOST;
}

/* "give nccl, host or auto": what can be tried instead. */
static void advise(enum transport refused, const struct device_transport_facts *facts, uint32_t count, char text[64])
{
    char ignored[256];
    snprintf(text, 64, "give ");
    for (int i = 0; i < CARRIED; i++)
        if (carried[i] != refused && !device_transport_obstacle(carried[i], facts, count, ignored))
            snprintf(text + strlen(text), 64 - strlen(text), "%s, ", names[carried[i]]);
    snprintf(text + strlen(text), 64 - strlen(text), "host or auto");
}

/* ---- Opening ------------------------------------------------------------------------------------------------ */

static int open_kind(const struct communicator *comm, enum transport kind, const struct transfer *largest,
                     uint32_t count, struct device_transport **transport, struct engine_error *error)
{
    *transport = NULL;
    if (kind == TRANSPORT_HOST)
        return 0;
    return (kind == TRANSPORT_PEER ? peer_open : nccl_open)(comm, largest, count, transport, error);
}

/* What `auto` tries fails in all processes or in none. */
static int open_best(const struct communicator *comm, const struct device_transport_facts *facts,
                     const struct transfer *largest, uint32_t count, struct device_transport **transport,
                     struct engine_error *error)
{
    enum transport kind = TRANSPORT_AUTO;
    int status = ENGINE_STATUS_DEVICE;
    for (uint32_t i = 0; status != 0 && kind != TRANSPORT_HOST && !link_is_broken(comm->link); i++) {
        kind = device_transport_candidate(facts, comm->count, i);
        status = open_kind(comm, kind, largest, count, transport, error);
    }
    return status;
}

static int open_wanted(const struct communicator *comm, enum transport wanted, const char *place,
                       const struct device_transport_facts *facts, const struct transfer *largest, uint32_t count,
                       struct device_transport **transport, struct engine_error *error)
{
    char why[256], todo[64];
    advise(wanted, facts, comm->count, todo);
    if (device_transport_obstacle(wanted, facts, comm->count, why))
        return error_set(error, ENGINE_STATUS_USAGE, "%s: [run] transport = %s: %s; %s", place, names[wanted], why,
                         todo);
    if (open_kind(comm, wanted, largest, count, transport, error) == 0)
        return 0;
    struct engine_error reason = *error;
    return error_set(error, reason.status, "%s: [run] transport = %s: %.1500s; %s", place, names[wanted], reason.text,
                     todo);
}

int device_transport_open(const struct communicator *comm, enum transport wanted, const char *place,
                          const struct device_transport_facts *own, const struct transfer *largest, uint32_t count,
                          struct device_transport **transport, struct engine_error *error)
{
    struct device_transport_facts *facts = calloc(comm->count, sizeof *facts);
    *transport = NULL;
    if (!facts) {
        link_break(comm->link); /* the others wait for the facts */
        return error_memory(error, comm->count * sizeof *facts, "facts about processes");
    }
    int status = communicator_all_gather(comm, own, facts, sizeof *own, error);
    if (status == 0)
        status = wanted == TRANSPORT_AUTO ? open_best(comm, facts, largest, count, transport, error)
                                          : open_wanted(comm, wanted, place, facts, largest, count, transport, error);
    free(facts);
    return status;
}

void device_transport_close(struct device_transport *transport)
{
    if (transport)
        transport->kind->close(transport);
}

/* ---- Use ---------------------------------------------------------------------------------------------------- */

const char *device_transport_name(const struct device_transport *transport)
{
    return transport ? transport->kind->name : names[TRANSPORT_HOST];
}

bool device_transport_enqueues(const struct device_transport *transport)
{
    return transport && transport->comm.device->stream;
}

uint32_t device_transport_phase(const struct device_transport *transport)
{
    return transport ? transport->phase : 0;
}

void device_transport_set_phase(struct device_transport *transport, uint32_t phase)
{
    if (transport)
        transport->phase = phase;
}

int device_transport_exchange(struct device_transport *transport, const struct transfer *list, uint32_t count,
                              struct engine_error *error)
{
    if (link_check(transport->comm.link, error) != 0)
        return error->status;
    const int status = transport->kind->exchange(transport, list, count, error);
    transport->phase = (transport->phase + 1) % transport->kind->phases;
    return status;
}

bool device_transport_reduces(const struct device_transport *transport)
{
    return transport && transport->kind->all_reduce;
}

int device_transport_all_reduce(struct device_transport *transport, uint64_t *array, uint64_t count,
                                struct engine_error *error)
{
    return count > 0 ? transport->kind->all_reduce(transport, array, count, error) : 0;
}

static int is_done(void *context, struct engine_error *error)
{
    struct device_transport *transport = context;
    struct device *device = transport->comm.device;
    bool done = false;
    if (sharing_of(device)->is_done(device, &done, error) != 0 || transport->kind->check(transport, error) != 0)
        return -1;
    return done;
}

bool device_transport_watch(struct device_transport *transport, bool begins)
{
    return transport && transport->kind->watch && transport->kind->watch(transport, begins);
}

/* It waits by short calls, and counts the time itself. */
int device_transport_wait(struct device_transport *transport, struct engine_error *error)
{
    if (!transport)
        return 0;
    const bool watched = device_transport_watch(transport, false);
    const int status = link_wait_until(transport->comm.link, is_done, transport, transport->comm.patience, error);
    device_transport_watch(transport, watched);
    if (status != 0) {
        link_break(transport->comm.link); /* the others wait for margins that do not come */
        transport->kind->stop(transport);
    }
    return status;
}
