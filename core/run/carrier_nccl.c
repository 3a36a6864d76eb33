/* NCCL sends margins from GPU to GPU, also to other hosts, and adds up arrays. It finds the way itself. */
#include "memory/nccl.h"
#include "run/carrier_kind.h"

#include <stdlib.h>

struct by_nccl {
    struct carrier carrier;
    struct nccl nccl;
    ncclComm_t comm;
};

static struct by_nccl *nccl_of(struct carrier *carrier)
{
    return (struct by_nccl *) carrier;
}

/* ---- Exchanges ---------------------------------------------------------------------------------------------- */

static int carry(struct by_nccl *own, const struct cargo *cargo, struct engine_error *error)
{
    void *stream = own->carrier.crew.device->stream;
    return cargo->sends
               ? NCCL_CHECK(&own->nccl, error,
                            send(cargo->at, cargo->bytes, NCCL_UINT8, (int) cargo->other, own->comm, stream))
               : NCCL_CHECK(&own->nccl, error,
                            receive(cargo->at, cargo->bytes, NCCL_UINT8, (int) cargo->other, own->comm, stream));
}

/* All messages of an exchange are one group, so that none waits for another. */
static int exchange(struct carrier *carrier, const struct cargo *list, uint32_t count, struct engine_error *error)
{
    struct by_nccl *own = nccl_of(carrier);
    struct engine_error ignored;
    int status = 0;
    if (carrier->crew.device->use(carrier->crew.device, error) != 0 ||
        NCCL_CHECK(&own->nccl, error, group_start()) != 0)
        return error->status;
    for (uint32_t i = 0; i < count && status == 0; i++)
        status = carry(own, &list[i], error);
    const int ended = NCCL_CHECK(&own->nccl, status ? &ignored : error, group_end());
    return status ? status : ended;
}

static int sums(struct carrier *carrier, uint64_t *array, uint64_t count, struct engine_error *error)
{
    struct by_nccl *own = nccl_of(carrier);
    struct device *device = carrier->crew.device;
    if (device->use(device, error) != 0)
        return error->status;
    return NCCL_CHECK(&own->nccl, error,
                      all_reduce(array, array, count, NCCL_UINT64, NCCL_SUM, own->comm, device->stream));
}

/* ---- Failures ----------------------------------------------------------------------------------------------- */

static int check(struct carrier *carrier, struct engine_error *error)
{
    struct by_nccl *own = nccl_of(carrier);
    ncclResult_t result = 0;
    if (NCCL_CHECK(&own->nccl, error, async_error(own->comm, &result)) != 0)
        return error->status;
    return nccl_error(&own->nccl, result, "messages", error);
}

static void stop(struct carrier *carrier)
{
    struct by_nccl *own = nccl_of(carrier);
    if (own->comm)
        own->nccl.abort(own->comm);
    own->comm = NULL;
}

/* ---- Opening and closing ------------------------------------------------------------------------------------ */

static void close_nccl(struct carrier *carrier)
{
    struct by_nccl *own = nccl_of(carrier);
    struct engine_error ignored;
    if (link_is_broken(carrier->crew.link))
        stop(carrier);
    if (own->comm && carrier->crew.device->use(carrier->crew.device, &ignored) == 0) {
        carrier->crew.device->synchronise(carrier->crew.device, &ignored);
        own->nccl.destroy(own->comm);
    }
    free(own);
}

/* What the processes tell each other before NCCL starts: rank 0 makes the name of their group. */
struct greeting {
    ncclUniqueId id;
    int64_t version;
};

static int greet(const struct crew *crew, const struct by_nccl *own, ncclUniqueId *id, struct engine_error *error)
{
    struct greeting greeting = {.version = own->nccl.version};
    struct greeting *all = calloc(crew->count, sizeof *all);
    int status = all ? 0 : error_memory(error, crew->count * sizeof *all, "the start of NCCL");
    if (status == 0 && crew->rank == 0)
        status = NCCL_CHECK(&own->nccl, error, get_id(&greeting.id));
    if ((status = crew_agree(crew, status, error)) == 0)
        status = crew_tell(crew, &greeting, all, sizeof greeting, error);
    if (status == 0) {
        *id = all[0].id;
        if (greeting.version != all[0].version)
            status = error_set(error, ENGINE_STATUS_DEVICE, "NCCL has version %lld here and %lld on rank 0",
                               (long long) greeting.version, (long long) all[0].version);
        status = crew_agree(crew, status, error);
    }
    free(all);
    return status;
}

static const struct carrier_kind kind = {
    .name = "nccl", .phases = 1, .exchange = exchange, .sums = sums, .check = check, .stop = stop, .close = close_nccl};

/* The first exchange of a run is never recorded. In it, NCCL connects the processes, for which it allocates memory. */
int nccl_open(const struct crew *crew, const struct cargo *largest, uint32_t count, struct carrier **carrier,
              struct engine_error *error)
{
    struct by_nccl *own = calloc(1, sizeof *own);
    ncclUniqueId id;
    (void) largest, (void) count;
    int status = own ? nccl_load(&own->nccl, error) : error_memory(error, sizeof *own, "NCCL");
    if ((status = crew_agree(crew, status, error)) == 0 && (status = greet(crew, own, &id, error)) == 0) {
        own->carrier = (struct carrier){.kind = &kind, .crew = *crew};
        status = crew->device->use(crew->device, error);
        if (status == 0)
            status = NCCL_CHECK(&own->nccl, error, init(&own->comm, (int) crew->count, id, (int) crew->rank));
        status = crew_agree(crew, status, error);
    }
    if (status != 0) {
        if (own && own->comm)
            own->nccl.abort(own->comm);
        free(own);
        return status;
    }
    *carrier = &own->carrier;
    return 0;
}
