#include "parts/collect.h"
#include "base/machine.h"
#include "parts/sharing.h"
#include "parts/staging.h"

#include <engine/plugin.h>
#include <stdlib.h>
#include <string.h>

struct collect {
    struct ranks *ranks;
    struct device *device;
    struct staging staging; /* a copy of an array of the device */
    uint32_t rank, count;
    uint64_t *terms; /* of other processes, to be added to the own numbers */
    uint64_t terms_room;
    uint64_t sums;     /* by the carrier so far */
    uint64_t begins[]; /* `count` + 1 of them: where the bytes of each process begin */
};

int collect_open(struct ranks *ranks, struct device *device, struct collect **out, struct engine_error *error)
{
    const uint64_t bytes = sizeof(struct collect) + (ranks->count + 1) * sizeof(uint64_t);
    struct collect *collect = calloc(1, bytes);
    *out = collect;
    if (!collect)
        return error_memory(error, bytes, "the arrays of other processes");
    *collect = (struct collect){.ranks = ranks,
                                .device = device,
                                .staging.device = device,
                                .rank = link_rank(ranks->link),
                                .count = ranks->count};
    return 0;
}

void collect_close(struct collect *collect)
{
    if (!collect)
        return;
    staging_release(&collect->staging);
    free(collect->terms);
    free(collect);
}

uint32_t collect_rank(const struct collect *collect)
{
    return collect->rank;
}

uint32_t collect_ranks(const struct collect *collect)
{
    return collect->count;
}

void collect_break(struct collect *collect)
{
    link_break(collect->ranks->link);
}

/* ---- Memory ------------------------------------------------------------------------------------------------- */

static int make_terms(struct collect *collect, uint64_t count, struct engine_error *error)
{
    if (count <= collect->terms_room)
        return 0;
    uint64_t *terms = realloc(collect->terms, count * sizeof *terms);
    if (!terms)
        return error_memory(error, count * sizeof *terms, "the numbers of other processes");
    collect->terms = terms;
    collect->terms_room = count;
    return 0;
}

/* Copies bytes [begin, end) of the array to all arrays of the device. */
static int give(struct collect *collect, uint64_t *const *arrays, uint32_t copies, uint64_t begin, uint64_t end,
                struct engine_error *error)
{
    struct device *device = collect->device;
    for (uint32_t i = 0; i < copies && begin < end; i++)
        if (device->upload(device, (char *) arrays[i] + begin, collect->staging.memory + begin, end - begin, 1,
                           error) != 0)
            return error->status;
    return device->synchronise(device, error);
}

static int take(struct collect *collect, const uint64_t *array, uint64_t begin, uint64_t end,
                struct engine_error *error)
{
    struct device *device = collect->device;
    if (begin < end && device->download(device, collect->staging.memory + begin, (const char *) array + begin,
                                        end - begin, 1, error) != 0)
        return error->status;
    return device->synchronise(device, error);
}

/* ---- Messages ----------------------------------------------------------------------------------------------- */

static int wait(struct collect *collect, struct engine_error *error)
{
    return link_wait(collect->ranks->link, collect->ranks->patience, error);
}

/* Sends the own bytes [begins[rank], begins[rank + 1]) to all, and receives theirs. */
static int exchange_own(struct collect *collect, char *array, const uint64_t *begins, struct engine_error *error)
{
    struct link *link = collect->ranks->link;
    for (uint32_t other = 0; other < collect->count; other++)
        if (other != collect->rank &&
            (link_receive(link, other, array + begins[other], begins[other + 1] - begins[other], error) != 0 ||
             link_send(link, other, array + begins[collect->rank], begins[collect->rank + 1] - begins[collect->rank],
                       error) != 0))
            return error->status;
    return wait(collect, error);
}

/* Sends each process its share of the numbers, and adds up the own one. */
static int add_own(struct collect *collect, const uint64_t *begins, struct engine_error *error)
{
    struct link *link = collect->ranks->link;
    const uint64_t bytes = begins[collect->rank + 1] - begins[collect->rank], count = bytes / sizeof(uint64_t);
    uint64_t *own = (uint64_t *) (void *) (collect->staging.memory + begins[collect->rank]), *terms = collect->terms;
    for (uint32_t other = 0; other < collect->count; other++)
        if (other != collect->rank) {
            if (link_receive(link, other, terms, bytes, error) != 0 ||
                link_send(link, other, collect->staging.memory + begins[other], begins[other + 1] - begins[other],
                          error) != 0)
                return error->status;
            terms += count;
        }
    if (wait(collect, error) != 0)
        return error->status;
    for (uint32_t i = 0; i + 1 < collect->count; i++)
        for (uint64_t k = 0; k < count; k++)
            own[k] += collect->terms[i * count + k];
    return 0;
}

static int count_time(struct collect *collect, double begin, int status)
{
    collect->ranks->exchange_seconds += machine_clock() - begin;
    return status;
}

/* ---- Arrays of all processes -------------------------------------------------------------------------------- */

int collect_notices(struct collect *collect, void *all, uint64_t bytes, struct engine_error *error)
{
    const double begin = machine_clock();
    for (uint32_t i = 0; i <= collect->count; i++)
        collect->begins[i] = i * bytes;
    return count_time(collect, begin, exchange_own(collect, all, collect->begins, error));
}

static int sum(struct collect *collect, uint64_t *const *arrays, uint32_t copies, uint64_t count,
               struct engine_error *error)
{
    uint64_t *begins = collect->begins;
    for (uint32_t i = 0; i <= collect->count; i++)
        begins[i] = engine_share_begin(i, collect->count, count) * sizeof(uint64_t);
    const uint64_t own = (begins[collect->rank + 1] - begins[collect->rank]) / sizeof(uint64_t);
    if (staging_make_room(&collect->staging, begins[collect->count], error) != 0 ||
        make_terms(collect, own * (collect->count - 1), error) != 0 ||
        take(collect, arrays[0], 0, begins[collect->count], error) != 0 || add_own(collect, begins, error) != 0 ||
        exchange_own(collect, collect->staging.memory, begins, error) != 0)
        return error->status;
    return give(collect, arrays, copies, 0, begins[collect->count], error);
}

/* Copies the first array of the device to all others. The device only enqueues the copies. */
static int copy_first(const struct collect *collect, uint64_t *const *arrays, uint32_t copies, uint64_t bytes,
                      struct engine_error *error)
{
    struct device *device = collect->device;
    for (uint32_t i = 1; i < copies; i++) {
        const struct device_copy copy = {arrays[i], arrays[0], bytes};
        if (sharing_of(device)->put(device, &copy, 1, error) != 0)
            return error->status;
    }
    return 0;
}

/* The devices add up one array among themselves, and each copies it to its others. */
static int sum_on_devices(struct collect *collect, uint64_t *const *arrays, uint32_t copies, uint64_t count,
                          struct engine_error *error)
{
    return carrier_sums(collect->ranks->carrier, arrays[0], count, error) != 0
               ? error->status
               : copy_first(collect, arrays, copies, count * sizeof(uint64_t), error);
}

/* The sums are only enqueued. Some of them are timed for all, because a wait for the device takes time itself. */
static int sum_by_carrier(struct collect *collect, uint64_t *const *arrays, uint32_t copies, uint64_t count,
                          struct engine_error *error)
{
    const uint64_t timed = 32; /* every 32nd sum, but not the first ones, in which the carrier connects processes */
    struct carrier *carrier = collect->ranks->carrier;
    if (collect->sums++ % timed != timed / 2)
        return sum_on_devices(collect, arrays, copies, count, error);
    if (carrier_wait(carrier, error) != 0)
        return error->status;
    const double begin = machine_clock();
    if (sum_on_devices(collect, arrays, copies, count, error) != 0 || carrier_wait(carrier, error) != 0)
        return error->status;
    collect->ranks->exchange_seconds += (double) timed * (machine_clock() - begin);
    return 0;
}

/* The time begins when the device has ended its own work. */
int collect_sums(struct collect *collect, uint64_t *const *arrays, uint32_t copies, uint64_t count,
                 struct engine_error *error)
{
    if (carrier_adds(collect->ranks->carrier))
        return sum_by_carrier(collect, arrays, copies, count, error);
    if (collect->device->synchronise(collect->device, error) != 0)
        return error->status;
    const double begin = machine_clock();
    return count_time(collect, begin, sum(collect, arrays, copies, count, error));
}

static int gather(struct collect *collect, uint64_t *const *arrays, uint32_t copies, const uint64_t *begins,
                  struct engine_error *error)
{
    const uint64_t begin = begins[collect->rank], end = begins[collect->rank + 1];
    if (staging_make_room(&collect->staging, begins[collect->count], error) != 0 ||
        take(collect, arrays[0], begin, end, error) != 0 ||
        exchange_own(collect, collect->staging.memory, begins, error) != 0 ||
        give(collect, arrays, copies, 0, begin, error) != 0)
        return error->status;
    return give(collect, arrays, copies, end, begins[collect->count], error);
}

/* What this process sends to all others of an array, and receives from them. Returns the number of pieces. */
static uint32_t list_ranges(const struct collect *collect, char *array, const uint64_t *begins, struct transfer *list)
{
    const uint64_t own = begins[collect->rank], bytes = begins[collect->rank + 1] - own;
    uint32_t count = 0;
    for (uint32_t other = 0; other < collect->count; other++) {
        const uint64_t theirs = begins[other + 1] - begins[other];
        if (other != collect->rank && theirs > 0)
            list[count++] = (struct transfer){.at = array + begins[other], .bytes = theirs, .other = other};
        if (other != collect->rank && bytes > 0)
            list[count++] = (struct transfer){.at = array + own, .bytes = bytes, .other = other, .sends = true};
    }
    return count;
}

/* The exchange is only enqueued, as the sums are. */
static int gather_by_carrier(struct collect *collect, uint64_t *const *arrays, uint32_t copies, const uint64_t *begins,
                             struct engine_error *error)
{
    const uint64_t most = (uint64_t) 2 * collect->count;
    struct transfer *list = calloc(most, sizeof *list);
    if (!list)
        return error_memory(error, most * sizeof *list, "the arrays of other processes");
    const uint32_t count = list_ranges(collect, (char *) arrays[0], begins, list);
    const int status = carrier_exchange(collect->ranks->carrier, list, count, error);
    free(list);
    return status != 0 ? status : copy_first(collect, arrays, copies, begins[collect->count], error);
}

int collect_ranges(struct collect *collect, uint64_t *const *arrays, uint32_t copies, const uint64_t *begins,
                   struct engine_error *error)
{
    if (carrier_adds(collect->ranks->carrier))
        return gather_by_carrier(collect, arrays, copies, begins, error);
    const double begin = machine_clock();
    return count_time(collect, begin, gather(collect, arrays, copies, begins, error));
}

int collect_transfers(struct collect *collect, const struct transfer *list, uint32_t count, struct engine_error *error)
{
    if (carrier_adds(collect->ranks->carrier))
        return carrier_exchange(collect->ranks->carrier, list, count, error);
    const double begin = machine_clock();
    int status =
        staging_exchange(&collect->staging, collect->ranks->link, collect->ranks->patience, list, count, error);
    if (status == 0)
        status = collect->device->synchronise(collect->device, error);
    return count_time(collect, begin, status);
}
