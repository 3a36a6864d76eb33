#include "parts/staging.h"

int staging_make_room(struct staging *staging, uint64_t bytes, struct engine_error *error)
{
    struct device *device = staging->device;
    void *memory;
    if (bytes <= staging->bytes)
        return 0;
    if (device->allocate_host(device, bytes, &memory, error) != 0)
        return error->status;
    staging_release(staging);
    staging->memory = memory;
    staging->bytes = bytes;
    return 0;
}

void staging_release(struct staging *staging)
{
    if (staging->memory)
        staging->device->release_host(staging->device, staging->memory);
    staging->memory = NULL;
    staging->bytes = 0;
}

static uint64_t staged_bytes(const struct staging *staging, const struct transfer *transfer)
{
    return transfer->host || staging->device->memory == ENGINE_HOST_MEMORY ? 0 : transfer->bytes;
}

/* Copies the pieces that are sent to host memory, or those that were received back. */
static int copy(struct staging *staging, const struct transfer *list, uint32_t count, bool sends,
                struct engine_error *error)
{
    struct device *device = staging->device;
    uint64_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t bytes = staged_bytes(staging, &list[i]);
        char *copy = staging->memory + at;
        at += bytes;
        if (bytes > 0 && list[i].sends == sends &&
            (sends ? device->download(device, copy, list[i].at, bytes, 1, error)
                   : device->upload(device, list[i].at, copy, bytes, 1, error)) != 0)
            return error->status;
    }
    return sends && at > 0 ? device->synchronise(device, error) : 0;
}

static int begin_messages(struct staging *staging, struct link *link, const struct transfer *list, uint32_t count,
                          struct engine_error *error)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t bytes = staged_bytes(staging, &list[i]);
        void *data = bytes > 0 ? staging->memory + at : list[i].at;
        at += bytes;
        if ((list[i].sends ? link_send(link, list[i].other, data, list[i].bytes, error)
                           : link_receive(link, list[i].other, data, list[i].bytes, error)) != 0)
            return error->status;
    }
    return 0;
}

int staging_exchange(struct staging *staging, struct link *link, double patience, const struct transfer *list,
                     uint32_t count, struct engine_error *error)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        bytes += staged_bytes(staging, &list[i]);
    if (staging_make_room(staging, bytes, error) != 0 || copy(staging, list, count, true, error) != 0 ||
        begin_messages(staging, link, list, count, error) != 0 || link_wait(link, patience, error) != 0)
        return error->status;
    return copy(staging, list, count, false, error);
}
