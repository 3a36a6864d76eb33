/* NCCL sends margins from GPU to GPU, also to other hosts, and adds up arrays. It finds the way itself.
 *
 * A call of NCCL or of the driver may wait for another process without a limit, and only ncclCommAbort ends it. This
 * call itself waits until all recordings with messages of NCCL are forgotten. So a thread watches, and makes the call. */
#include "parts/device_transport_kind.h"
#include "parts/nccl.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OPEN, STOPPING, CLOSING }; /* what the thread that watches has to do */

struct by_nccl {
    struct device_transport transport;
    struct nccl nccl;
    ncclComm_t comm;
    pthread_t watcher;
    atomic_int wanted;
    atomic_bool stopped; /* the communicator is aborted, and nobody may use it */
    atomic_uint watched; /* odd: the process is in a call that may wait for others */
};

static struct by_nccl *nccl_of(struct device_transport *transport)
{
    return (struct by_nccl *) transport;
}

/* ---- Exchanges ---------------------------------------------------------------------------------------------- */

static int begin(struct by_nccl *own, const struct transfer *transfer, struct engine_error *error)
{
    void *stream = own->transport.comm.device->stream;
    return transfer->sends
               ? NCCL_CHECK(&own->nccl, error,
                            send(transfer->at, transfer->bytes, NCCL_UINT8, (int) transfer->other, own->comm, stream))
               : NCCL_CHECK(
                     &own->nccl, error,
                     receive(transfer->at, transfer->bytes, NCCL_UINT8, (int) transfer->other, own->comm, stream));
}

/* Names the processes that do not answer, in place of what NCCL says of calls that were ended. */
static int judge(struct by_nccl *own, int status, struct engine_error *error)
{
    const struct communicator *comm = &own->transport.comm;
    if (!atomic_load(&own->stopped))
        return status;
    return link_check(comm->link, error) != 0 ? error->status : link_accuse(comm->link, comm->patience, error);
}

/* All messages of an exchange are one group, so that none waits for another. */
static int exchange(struct device_transport *transport, const struct transfer *list, uint32_t count,
                    struct engine_error *error)
{
    struct by_nccl *own = nccl_of(transport);
    struct engine_error ignored;
    int status = judge(own, 0, error);
    if (status != 0 || transport->comm.device->use(transport->comm.device, error) != 0 ||
        NCCL_CHECK(&own->nccl, error, group_start()) != 0)
        return error->status;
    for (uint32_t i = 0; i < count && status == 0; i++)
        status = begin(own, &list[i], error);
    const int ended = NCCL_CHECK(&own->nccl, status ? &ignored : error, group_end());
    return judge(own, status ? status : ended, error);
}

static int all_reduce(struct device_transport *transport, uint64_t *array, uint64_t count, struct engine_error *error)
{
    struct by_nccl *own = nccl_of(transport);
    struct device *device = transport->comm.device;
    if (judge(own, 0, error) != 0 || device->use(device, error) != 0)
        return error->status;
    return judge(own,
                 NCCL_CHECK(&own->nccl, error,
                            all_reduce(array, array, count, NCCL_UINT64, NCCL_SUM, own->comm, device->stream)),
                 error);
}

/* ---- Failures ----------------------------------------------------------------------------------------------- */

static int check(struct device_transport *transport, struct engine_error *error)
{
    struct by_nccl *own = nccl_of(transport);
    ncclResult_t result = 0;
    if (judge(own, 0, error) != 0 || NCCL_CHECK(&own->nccl, error, async_error(own->comm, &result)) != 0)
        return error->status;
    return nccl_error(&own->nccl, result, "messages", error);
}

static bool watch(struct device_transport *transport, bool begins)
{
    struct by_nccl *own = nccl_of(transport);
    const bool before = atomic_load(&own->watched) % 2 == 1;
    if (begins != before)
        atomic_fetch_add(&own->watched, 1);
    return before;
}

/* Counts its own pauses, because a process that was stopped itself has not lost patience. */
static void *keep_watch(void *argument)
{
    struct by_nccl *own = argument;
    const double patience = own->transport.comm.patience, pause = 0.02;
    double waited = 0;
    for (unsigned last = 0, now; atomic_load(&own->wanted) == OPEN && (waited < patience || patience <= 0);
         last = now) {
        nanosleep(&(struct timespec){.tv_nsec = (long) (1e9 * pause)}, NULL);
        now = atomic_load(&own->watched);
        waited = now % 2 == 1 && now == last ? waited + pause : 0;
    }
    if (atomic_load(&own->wanted) != CLOSING) {
        atomic_store(&own->stopped, true);
        own->nccl.abort(own->comm);
    }
    return NULL;
}

static void stop(struct device_transport *transport)
{
    int open = OPEN;
    atomic_store(&nccl_of(transport)->stopped, true);
    atomic_compare_exchange_strong(&nccl_of(transport)->wanted, &open, STOPPING);
}

/* ---- Opening and closing ------------------------------------------------------------------------------------ */

/* The thread that ends the messages gets 10 seconds. Longer than that it may keep this memory. */
static void close_nccl(struct device_transport *transport)
{
    struct by_nccl *own = nccl_of(transport);
    struct engine_error ignored;
    struct timespec end;
    if (link_is_broken(transport->comm.link))
        stop(transport);
    int open = OPEN;
    atomic_compare_exchange_strong(&own->wanted, &open, CLOSING);
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += 10;
    if (pthread_clockjoin_np(own->watcher, NULL, CLOCK_MONOTONIC, &end) != 0) {
        pthread_detach(own->watcher);
        return;
    }
    if (!atomic_load(&own->stopped) && transport->comm.device->use(transport->comm.device, &ignored) == 0) {
        transport->comm.device->synchronise(transport->comm.device, &ignored);
        own->nccl.destroy(own->comm);
    }
    free(own);
}

/* What the processes tell each other before NCCL starts: rank 0 makes the name of their group. */
struct handshake {
    ncclUniqueId id;
    int64_t version;
};

static int shake_hands(const struct communicator *comm, const struct by_nccl *own, ncclUniqueId *id,
                       struct engine_error *error)
{
    struct handshake handshake = {.version = own->nccl.version};
    struct handshake *all = calloc(comm->count, sizeof *all);
    int status = all ? 0 : error_memory(error, comm->count * sizeof *all, "the start of NCCL");
    if (status == 0 && comm->rank == 0)
        status = NCCL_CHECK(&own->nccl, error, get_id(&handshake.id));
    if ((status = communicator_agree(comm, status, error)) == 0)
        status = communicator_all_gather(comm, &handshake, all, sizeof handshake, error);
    if (status == 0) {
        *id = all[0].id;
        if (handshake.version != all[0].version)
            status = error_set(error, ENGINE_STATUS_DEVICE, "NCCL has version %lld here and %lld on rank 0",
                               (long long) handshake.version, (long long) all[0].version);
        status = communicator_agree(comm, status, error);
    }
    free(all);
    return status;
}

/* The start of NCCL, in a thread of its own: ncclCommInitRank waits for all processes without a limit, and nothing ends
 * it. If this process loses patience, the thread keeps this memory and waits on. */
struct start {
    const struct by_nccl *own;
    ncclUniqueId id;
    ncclComm_t comm;
    int status;
    struct engine_error error;
    atomic_bool done;
};

static void *start_nccl(void *argument)
{
    struct start *start = argument;
    const struct communicator *comm = &start->own->transport.comm;
    start->status = comm->device->use(comm->device, &start->error);
    if (start->status == 0)
        start->status = NCCL_CHECK(&start->own->nccl, &start->error,
                                   init(&start->comm, (int) comm->count, start->id, (int) comm->rank));
    atomic_store(&start->done, true);
    return NULL;
}

static int has_started(void *context, struct engine_error *error)
{
    const struct start *start = context;
    (void) error;
    return atomic_load(&start->done);
}

/* Signals are left to the caller's thread. */
static int begin_thread(void *(*run)(void *), void *argument, pthread_t *thread, struct engine_error *error)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int code = pthread_create(thread, NULL, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code == 0 ? 0 : error_set(error, ENGINE_STATUS_DEVICE, "NCCL: no thread can be started: %s", strerror(code));
}

/* Starts NCCL and waits for it. *kept: a thread still uses `own`, which lives on. */
static int start_and_wait(struct by_nccl *own, const ncclUniqueId *id, bool *kept, struct engine_error *error)
{
    const struct communicator *comm = &own->transport.comm;
    struct start *start = calloc(1, sizeof *start);
    pthread_t thread;
    if (!start)
        return error_memory(error, sizeof *start, "the start of NCCL");
    start->own = own;
    start->id = *id;
    int status = begin_thread(start_nccl, start, &thread, error);
    if (status != 0) {
        free(start);
        return status;
    }
    status = link_wait_until(comm->link, has_started, start, comm->patience, error);
    *kept = !atomic_load(&start->done);
    if (*kept) {
        pthread_detach(thread);
        link_break(comm->link); /* the others wait for this process in NCCL, or for its outcome */
        return error_prefix(error, "the start of NCCL: ");
    }
    pthread_join(thread, NULL);
    own->comm = start->comm;
    if (status == 0 && (status = start->status) != 0)
        *error = start->error;
    free(start);
    return status;
}

static const struct device_transport_kind kind = {.name = "nccl",
                                                  .phases = 1,
                                                  .exchange = exchange,
                                                  .all_reduce = all_reduce,
                                                  .check = check,
                                                  .watch = watch,
                                                  .stop = stop,
                                                  .close = close_nccl};

/* The first exchange of a run is never recorded. In it, NCCL connects the processes, for which it allocates memory. */
int nccl_open(const struct communicator *comm, const struct transfer *largest, uint32_t count,
              struct device_transport **transport, struct engine_error *error)
{
    struct by_nccl *own = calloc(1, sizeof *own);
    ncclUniqueId id;
    bool kept = false, watching = false;
    (void) largest, (void) count;
    int status = own ? nccl_load(&own->nccl, error) : error_memory(error, sizeof *own, "NCCL");
    if ((status = communicator_agree(comm, status, error)) == 0 && (status = shake_hands(comm, own, &id, error)) == 0) {
        own->transport = (struct device_transport){.kind = &kind, .comm = *comm};
        status = start_and_wait(own, &id, &kept, error);
        if (status == 0)
            watching = (status = begin_thread(keep_watch, own, &own->watcher, error)) == 0;
        if (!kept)
            status = communicator_agree(comm, status, error);
    }
    if (kept)
        return status;
    if (status != 0 && watching) {
        stop(&own->transport);
        close_nccl(&own->transport);
        return status;
    }
    if (status != 0) {
        if (own && own->comm)
            own->nccl.abort(own->comm);
        free(own);
        return status;
    }
    *transport = &own->transport;
    return 0;
}
