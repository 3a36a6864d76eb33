/* Processes of one host write what they send into memory that they share.
 *
 * Each process has such memory, with two areas for each neighbour. In an exchange it copies its rows or planes into an
 * area of each neighbour, waits until all neighbours have reached the barrier (parts/sharing.h), and copies what it has
 * received into its margins. The next exchange uses the other area. The one after it uses the first area again: it
 * begins after the barrier of the exchange between them, which a neighbour reaches only after it has emptied the first
 * area. So one wait for each exchange is enough.
 *
 *     memory    round | number of neighbour 0 | number of neighbour 1 | …  | area 0, area 1 of neighbour 0 | …
 */
#include "parts/device_transport_kind.h"
#include "parts/sharing.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 128, ALIGNED = 256 }; /* bytes: numbers in lines of a cache of their own; transfers for wide copies */

/* What a process offers to a neighbour: where its transfers go. */
struct offer {
    struct device_handle handle;
    uint64_t area, room, number; /* offsets of the first area and of the neighbour's number; bytes of an area */
};

struct neighbour {
    uint32_t rank;
    uint64_t in, out; /* bytes of the largest exchange */
    uint64_t area;    /* in the own memory */
    struct offer offer;
    char *memory; /* of the neighbour, attached */
    uint64_t sent, received;
};

struct peer {
    struct device_transport transport;
    char *memory;
    struct device_handle handle;
    struct barrier barrier;
    struct device_copy *copies;
    uint32_t room; /* for copies */
    uint32_t count;
    struct neighbour neighbours[BARRIER_MOST];
};

static struct peer *peer_of(struct device_transport *transport)
{
    return (struct peer *) transport;
}

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
}

/* ---- Exchanges ---------------------------------------------------------------------------------------------- */

static struct neighbour *find(struct peer *peer, uint32_t rank)
{
    for (uint32_t i = 0; i < peer->count; i++)
        if (peer->neighbours[i].rank == rank)
            return &peer->neighbours[i];
    return NULL;
}

/* Makes the copy of a piece: between its place and its share of the area of this phase. */
static struct device_copy copy_of(struct peer *peer, const struct transfer *transfer)
{
    const uint32_t phase = peer->transport.phase;
    struct neighbour *other = find(peer, transfer->other);
    if (transfer->sends) {
        char *to = other->memory + other->offer.area + phase * other->offer.room + other->sent;
        other->sent += aligned(transfer->bytes);
        return (struct device_copy){to, transfer->at, transfer->bytes};
    }
    const char *from = peer->memory + other->area + phase * aligned(other->in) + other->received;
    other->received += aligned(transfer->bytes);
    return (struct device_copy){transfer->at, from, transfer->bytes};
}

static int copy_all(struct peer *peer, const struct transfer *list, uint32_t count, bool sends,
                    struct engine_error *error)
{
    struct device *device = peer->transport.comm.device;
    uint32_t copies = 0;
    for (uint32_t i = 0; i < count; i++)
        if (list[i].sends == sends)
            peer->copies[copies++] = copy_of(peer, &list[i]);
    return sharing_of(device)->put(device, peer->copies, copies, error);
}

static int have_all_arrived(void *context, struct engine_error *error)
{
    const struct barrier *barrier = context;
    (void) error;
    for (uint32_t i = 0; i < barrier->count; i++)
        if (__atomic_load_n(barrier->own[i], __ATOMIC_ACQUIRE) < *barrier->round)
            return false;
    return true;
}

/* A device with a stream waits itself. */
static int wait_at_barrier(struct peer *peer, struct engine_error *error)
{
    const struct communicator *comm = &peer->transport.comm;
    if (sharing_of(comm->device)->pass_barrier(comm->device, &peer->barrier, error) != 0)
        return error->status;
    return comm->device->stream ? 0
                                : link_wait_until(comm->link, have_all_arrived, &peer->barrier, comm->patience, error);
}

static int make_room(struct peer *peer, uint32_t count, struct engine_error *error)
{
    if (count <= peer->room)
        return 0;
    struct device_copy *copies = realloc(peer->copies, count * sizeof *copies);
    if (!copies)
        return error_memory(error, count * sizeof *copies, "the margins of the parts");
    peer->copies = copies;
    peer->room = count;
    return 0;
}

/* No exchange is larger than the one for which the areas were made. */
static int exchange(struct device_transport *transport, const struct transfer *list, uint32_t count,
                    struct engine_error *error)
{
    struct peer *peer = peer_of(transport);
    for (uint32_t i = 0; i < peer->count; i++)
        peer->neighbours[i].sent = peer->neighbours[i].received = 0;
    if (make_room(peer, count, error) != 0 || copy_all(peer, list, count, true, error) != 0 ||
        wait_at_barrier(peer, error) != 0)
        return error->status;
    return copy_all(peer, list, count, false, error);
}

/* ---- Failures ----------------------------------------------------------------------------------------------- */

static int check(struct device_transport *transport, struct engine_error *error)
{
    const struct peer *peer = peer_of(transport);
    const uint32_t stop = *(volatile uint32_t *) peer->barrier.stop;
    if (stop == 0 || stop > peer->count)
        return 0;
    return link_give_up(transport->comm.link, peer->neighbours[stop - 1].rank, transport->comm.patience, error);
}

static void stop(struct device_transport *transport)
{
    *(volatile uint32_t *) peer_of(transport)->barrier.stop = UINT32_MAX;
}

/* ---- Opening and closing ------------------------------------------------------------------------------------ */

static void release(struct peer *peer)
{
    struct device *device = peer->transport.comm.device;
    if (peer->memory)
        sharing_of(device)->unshare(device, &peer->handle, peer->memory);
    if (peer->barrier.stop)
        device->release_host(device, peer->barrier.stop);
    free(peer->copies);
    free(peer);
}

/* Memory is released when nobody has it attached any more. */
static void close_peer(struct device_transport *transport)
{
    struct peer *peer = peer_of(transport);
    struct communicator comm = transport->comm;
    struct engine_error ignored;
    const double longest = 10; /* seconds that others may take to come here */
    comm.patience = comm.patience < longest ? comm.patience : longest;
    if (link_is_broken(comm.link))
        stop(transport);
    comm.device->synchronise(comm.device, &ignored);
    for (uint32_t i = 0; i < peer->count; i++)
        if (peer->neighbours[i].memory)
            sharing_of(comm.device)->detach(comm.device, &peer->neighbours[i].offer.handle, peer->neighbours[i].memory);
    if (!link_is_broken(comm.link))
        communicator_agree(&comm, 0, &ignored);
    release(peer);
}

static int find_neighbours(struct peer *peer, const struct transfer *list, uint32_t count, struct engine_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        struct neighbour *other = find(peer, list[i].other);
        if (!other && peer->count == BARRIER_MOST)
            return error_set(error, ENGINE_STATUS_DEVICE,
                             "the margins have rows or planes of more than %d other processes; give a smaller margin",
                             BARRIER_MOST);
        if (!other) {
            other = &peer->neighbours[peer->count++];
            other->rank = list[i].other;
        }
        *(list[i].sends ? &other->out : &other->in) += aligned(list[i].bytes);
    }
    return 0;
}

static uint64_t place_areas(struct peer *peer)
{
    uint64_t end = aligned((1 + (uint64_t) peer->count) * LINE);
    for (uint32_t i = 0; i < peer->count; i++) {
        peer->neighbours[i].area = end;
        end += 2 * aligned(peer->neighbours[i].in);
    }
    return end;
}

static int prepare(struct peer *peer, const struct transfer *list, uint32_t count, struct engine_error *error)
{
    const struct communicator *comm = &peer->transport.comm;
    struct device *device = comm->device;
    void *memory, *word;
    if (find_neighbours(peer, list, count, error) != 0 || device->allocate_host(device, LINE, &word, error) != 0)
        return error->status;
    memset(word, 0, LINE);
    peer->barrier.stop = word;
    peer->barrier.limit = comm->patience > 0 ? (uint64_t) (1e9 * (comm->patience + 10)) : UINT64_MAX;
    if (sharing_of(device)->share(device, place_areas(peer), &memory, &peer->handle, error) != 0)
        return error->status;
    peer->memory = memory;
    return 0;
}

/* Tells each neighbour where its transfers go. */
static int exchange_offers(struct peer *peer, struct engine_error *error)
{
    const struct communicator *comm = &peer->transport.comm;
    struct offer offers[BARRIER_MOST];
    for (uint32_t i = 0; i < peer->count; i++) {
        struct neighbour *other = &peer->neighbours[i];
        offers[i] = (struct offer){peer->handle, other->area, aligned(other->in), (1 + (uint64_t) i) * LINE};
        if (link_receive(comm->link, other->rank, &other->offer, sizeof other->offer, error) != 0 ||
            link_send(comm->link, other->rank, &offers[i], sizeof offers[i], error) != 0)
            return error->status;
    }
    return link_wait(comm->link, comm->patience, error);
}

static int attach_all(struct peer *peer, struct engine_error *error)
{
    struct device *device = peer->transport.comm.device;
    peer->barrier.round = (uint64_t *) (void *) peer->memory;
    peer->barrier.count = peer->count;
    for (uint32_t i = 0; i < peer->count; i++) {
        struct neighbour *other = &peer->neighbours[i];
        void *memory;
        if (other->out > other->offer.room)
            return error_set(error, ENGINE_STATUS_DEVICE, "rank %u expects %llu bytes, and this process sends %llu",
                             other->rank, (unsigned long long) other->offer.room, (unsigned long long) other->out);
        if (sharing_of(device)->attach(device, &other->offer.handle, &memory, error) != 0)
            return error->status;
        other->memory = memory;
        peer->barrier.theirs[i] = (uint64_t *) (void *) (other->memory + other->offer.number);
        peer->barrier.own[i] = (const uint64_t *) (const void *) (peer->memory + (1 + (uint64_t) i) * LINE);
    }
    return 0;
}

static const struct device_transport_kind kind = {
    .name = "peer", .phases = 2, .exchange = exchange, .check = check, .stop = stop, .close = close_peer};

int peer_open(const struct communicator *comm, const struct transfer *largest, uint32_t count,
              struct device_transport **transport, struct engine_error *error)
{
    struct peer *peer = calloc(1, sizeof *peer);
    int status = peer ? 0 : error_memory(error, sizeof *peer, "shared memory");
    if (peer) {
        peer->transport = (struct device_transport){.kind = &kind, .comm = *comm};
        status = prepare(peer, largest, count, error);
    }
    if (communicator_agree(comm, status, error) != 0) {
        if (peer)
            release(peer);
        return error->status;
    }
    if (exchange_offers(peer, error) != 0 || communicator_agree(comm, attach_all(peer, error), error) != 0) {
        close_peer(&peer->transport);
        return error->status;
    }
    *transport = &peer->transport;
    return 0;
}
