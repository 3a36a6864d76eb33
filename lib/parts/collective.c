#include "parts/collective.h"
#include "base/machine.h"
#include "parts/sharing.h"
#include "parts/staging.h"

#include <engine/plugin.h>
#include <stdlib.h>
#include <string.h>

struct collective {
    struct ranks *ranks;
    struct device *device;
    struct staging staging; /* a copy of an array of the device */
    uint32_t rank, count;
    uint64_t *terms; /* of other processes, to be added to the own numbers */
    uint64_t terms_room;
    uint64_t sums;     /* by the device transport so far */
    uint64_t begins[]; /* `count` + 1 of them: where the bytes of each process begin */
};

int collective_open(struct ranks *ranks, struct device *device, struct collective **out, struct engine_error *error)
{
    const uint64_t bytes = sizeof(struct collective) + (ranks->count + 1) * sizeof(uint64_t);
    struct collective *collective = calloc(1, bytes);
    *out = collective;
    if (!collective)
        return error_memory(error, bytes, "the arrays of other processes");
    *collective = (struct collective){.ranks = ranks,
                                      .device = device,
                                      .staging.device = device,
                                      .rank = link_rank(ranks->link),
                                      .count = ranks->count};
    return 0;
}

void collective_close(struct collective *collective)
{
    if (!collective)
        return;
    staging_release(&collective->staging);
    free(collective->terms);
    free(collective);
}

uint32_t collective_rank(const struct collective *collective)
{
    return collective->rank;
}

uint32_t collective_ranks(const struct collective *collective)
{
    return collective->count;
}

void collective_break(struct collective *collective)
{
    link_break(collective->ranks->link);
}

/* ---- Memory ------------------------------------------------------------------------------------------------- */

static int make_terms(struct collective *collective, uint64_t count, struct engine_error *error)
{
    if (count <= collective->terms_room)
        return 0;
    uint64_t *terms = realloc(collective->terms, count * sizeof *terms);
    if (!terms)
        return error_memory(error, count * sizeof *terms, "the numbers of other processes");
    collective->terms = terms;
    collective->terms_room = count;
    return 0;
}

/* Copies bytes [begin, end) of the array to all arrays of the device. */
static int give(struct collective *collective, uint64_t *const *arrays, uint32_t copies, uint64_t begin, uint64_t end,
                struct engine_error *error)
{
    struct device *device = collective->device;
    for (uint32_t i = 0; i < copies && begin < end; i++)
        if (device->upload(device, (char *) arrays[i] + begin, collective->staging.memory + begin, end - begin, 1,
                           error) != 0)
            return error->status;
    return device->synchronise(device, error);
}

static int take(struct collective *collective, const uint64_t *array, uint64_t begin, uint64_t end,
                struct engine_error *error)
{
    struct device *device = collective->device;
    if (begin < end && device->download(device, collective->staging.memory + begin, (const char *) array + begin,
                                        end - begin, 1, error) != 0)
        return error->status;
    return device->synchronise(device, error);
}

/* ---- Messages ----------------------------------------------------------------------------------------------- */

static int wait(struct collective *collective, struct engine_error *error)
{
    return link_wait(collective->ranks->link, collective->ranks->patience, error);
}

/* Sends the own bytes [begins[rank], begins[rank + 1]) to all, and receives theirs. */
static int exchange_own(struct collective *collective, char *array, const uint64_t *begins, struct engine_error *error)
{
    struct link *link = collective->ranks->link;
    for (uint32_t other = 0; other < collective->count; other++)
        if (other != collective->rank &&
            (link_receive(link, other, array + begins[other], begins[other + 1] - begins[other], error) != 0 ||
             link_send(link, other, array + begins[collective->rank],
                       begins[collective->rank + 1] - begins[collective->rank], error) != 0))
            return error->status;
    return wait(collective, error);
}

/* Sends each process its share of the numbers, and adds up the own one. */
static int add_own(struct collective *collective, const uint64_t *begins, struct engine_error *error)
{
    struct link *link = collective->ranks->link;
    const uint64_t bytes = begins[collective->rank + 1] - begins[collective->rank], count = bytes / sizeof(uint64_t);
    uint64_t *own = (uint64_t *) (void *) (collective->staging.memory + begins[collective->rank]),
             *terms = collective->terms;
    for (uint32_t other = 0; other < collective->count; other++)
        if (other != collective->rank) {
            if (link_receive(link, other, terms, bytes, error) != 0 ||
                link_send(link, other, collective->staging.memory + begins[other], begins[other + 1] - begins[other],
                          error) != 0)
                return error->status;
            terms += count;
        }
    if (wait(collective, error) != 0)
        return error->status;
    for (uint32_t i = 0; i + 1 < collective->count; i++)
        for (uint64_t k = 0; k < count; k++)
            own[k] += collective->terms[i * count + k];
    return 0;
}

static int count_time(struct collective *collective, double begin, int status)
{
    collective->ranks->exchange_seconds += machine_clock() - begin;
    return status;
}

/* ---- Arrays of all processes -------------------------------------------------------------------------------- */

int collective_all_gather_host(struct collective *collective, void *all, uint64_t bytes, struct engine_error *error)
{
    const double begin = machine_clock();
    for (uint32_t i = 0; i <= collective->count; i++)
        collective->begins[i] = i * bytes;
    return count_time(collective, begin, exchange_own(collective, all, collective->begins, error));
}

static int sum(struct collective *collective, uint64_t *const *arrays, uint32_t copies, uint64_t count,
               struct engine_error *error)
{
    uint64_t *begins = collective->begins;
    for (uint32_t i = 0; i <= collective->count; i++)
        begins[i] = engine_share_begin(i, collective->count, count) * sizeof(uint64_t);
    const uint64_t own = (begins[collective->rank + 1] - begins[collective->rank]) / sizeof(uint64_t);
    if (staging_make_room(&collective->staging, begins[collective->count], error) != 0 ||
        make_terms(collective, own * (collective->count - 1), error) != 0 ||
        take(collective, arrays[0], 0, begins[collective->count], error) != 0 ||
        add_own(collective, begins, error) != 0 ||
        exchange_own(collective, collective->staging.memory, begins, error) != 0)
        return error->status;
    return give(collective, arrays, copies, 0, begins[collective->count], error);
}

/* Copies the first array of the device to all others. The device only enqueues the copies. */
static int copy_first(const struct collective *collective, uint64_t *const *arrays, uint32_t copies, uint64_t bytes,
                      struct engine_error *error)
{
    struct device *device = collective->device;
    for (uint32_t i = 1; i < copies; i++) {
        const struct device_copy copy = {arrays[i], arrays[0], bytes};
        if (sharing_of(device)->put(device, &copy, 1, error) != 0)
            return error->status;
    }
    return 0;
}

/* The devices add up one array among themselves, and each copies it to its others. */
static int sum_on_devices(struct collective *collective, uint64_t *const *arrays, uint32_t copies, uint64_t count,
                          struct engine_error *error)
{
    return device_transport_all_reduce(collective->ranks->transport, arrays[0], count, error) != 0
               ? error->status
               : copy_first(collective, arrays, copies, count * sizeof(uint64_t), error);
}

/* The sums are only enqueued. Some of them are timed for all, because a wait for the device takes time itself. */
static int sum_by_transport(struct collective *collective, uint64_t *const *arrays, uint32_t copies, uint64_t count,
                            struct engine_error *error)
{
    const uint64_t timed = 32; /* every 32nd sum, but not the first ones, in which it connects processes */
    struct device_transport *transport = collective->ranks->transport;
    if (collective->sums++ % timed != timed / 2)
        return sum_on_devices(collective, arrays, copies, count, error);
    if (device_transport_wait(transport, error) != 0)
        return error->status;
    const double begin = machine_clock();
    if (sum_on_devices(collective, arrays, copies, count, error) != 0 || device_transport_wait(transport, error) != 0)
        return error->status;
    collective->ranks->exchange_seconds += (double) timed * (machine_clock() - begin);
    return 0;
}

/* The time begins when the device has ended its own work. */
int collective_all_reduce(struct collective *collective, uint64_t *const *arrays, uint32_t copies, uint64_t count,
                          struct engine_error *error)
{
    if (device_transport_reduces(collective->ranks->transport))
        return sum_by_transport(collective, arrays, copies, count, error);
    if (collective->device->synchronise(collective->device, error) != 0)
        return error->status;
    const double begin = machine_clock();
    return count_time(collective, begin, sum(collective, arrays, copies, count, error));
}

static int gather(struct collective *collective, uint64_t *const *arrays, uint32_t copies, const uint64_t *begins,
                  struct engine_error *error)
{
    const uint64_t begin = begins[collective->rank], end = begins[collective->rank + 1];
    if (staging_make_room(&collective->staging, begins[collective->count], error) != 0 ||
        take(collective, arrays[0], begin, end, error) != 0 ||
        exchange_own(collective, collective->staging.memory, begins, error) != 0 ||
        give(collective, arrays, copies, 0, begin, error) != 0)
        return error->status;
    return give(collective, arrays, copies, end, begins[collective->count], error);
}

/* What this process sends to all others of an array, and receives from them. Returns the number of pieces. */
static uint32_t list_ranges(const struct collective *collective, char *array, const uint64_t *begins,
                            struct transfer *list)
{
    const uint64_t own = begins[collective->rank], bytes = begins[collective->rank + 1] - own;
    uint32_t count = 0;
    for (uint32_t other = 0; other < collective->count; other++) {
        const uint64_t theirs = begins[other + 1] - begins[other];
        if (other != collective->rank && theirs > 0)
            list[count++] = (struct transfer){.at = array + begins[other], .bytes = theirs, .other = other};
        if (other != collective->rank && bytes > 0)
            list[count++] = (struct transfer){.at = array + own, .bytes = bytes, .other = other, .sends = true};
    }
    return count;
}

/* The exchange is only enqueued, as the sums are. */
static int gather_by_transport(struct collective *collective, uint64_t *const *arrays, uint32_t copies,
                               const uint64_t *begins, struct engine_error *error)
{
    const uint64_t most = (uint64_t) 2 * collective->count;
    struct transfer *list = calloc(most, sizeof *list);
    if (!list)
        return error_memory(error, most * sizeof *list, "the arrays of other processes");
    const uint32_t count = list_ranges(collective, (char *) arrays[0], begins, list);
    const int status = device_transport_exchange(collective->ranks->transport, list, count, error);
    free(list);
    return status != 0 ? status : copy_first(collective, arrays, copies, begins[collective->count], error);
}

int collective_all_gather(struct collective *collective, uint64_t *const *arrays, uint32_t copies,
                          const uint64_t *begins, struct engine_error *error)
{
    if (device_transport_reduces(collective->ranks->transport))
        return gather_by_transport(collective, arrays, copies, begins, error);
    const double begin = machine_clock();
    return count_time(collective, begin, gather(collective, arrays, copies, begins, error));
}

int collective_exchange(struct collective *collective, const struct transfer *list, uint32_t count,
                        struct engine_error *error)
{
    if (device_transport_reduces(collective->ranks->transport))
        return device_transport_exchange(collective->ranks->transport, list, count, error);
    const double begin = machine_clock();
    int status = staging_exchange(&collective->staging, collective->ranks->link, collective->ranks->patience, list,
                                  count, error);
    if (status == 0)
        status = collective->device->synchronise(collective->device, error);
    return count_time(collective, begin, status);
}
