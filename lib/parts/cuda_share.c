/* What CUDA devices do together: those of one process copy from each other; those of several processes attach memory by
 * CUDA IPC, and wait for each other at a barrier. */
#include "cuda/cuda_kernels.h"
#include "cuda/device_cuda.h"
#include "parts/sharing.h"

#include <stdio.h>
#include <string.h>

#ifndef CUDA_FETCH_SMALL
#define CUDA_FETCH_SMALL (8 << 20) /* bytes: up to here, a kernel copies faster from another device than the driver */
#endif

#ifndef CUDA_PUT_SMALL
#define CUDA_PUT_SMALL (8 << 20) /* bytes of a copy: up to here, a kernel makes all copies together */
#endif

enum { FETCH_SMALL = CUDA_FETCH_SMALL, PUT_SMALL = CUDA_PUT_SMALL, BLOCK_OF_MEMORY = 2 << 20 };

_Static_assert((int) CUDA_BARRIER_MOST == (int) BARRIER_MOST, "the kernel passes every barrier");

/* ---- Several devices of one process ------------------------------------------------------------------------- */

/* Lets a device read the memory of another one directly, if the machine allows it. */
static bool has_access(struct cuda *cuda, const struct cuda *other)
{
    const uint64_t bit = UINT64_C(1) << other->ordinal;
    struct engine_error ignored;
    if (!(cuda->asked & bit) && cuda_make_current(cuda, &ignored) == 0) {
        const CUresult result = cuda->driver->peer_access(other->context, 0);
        cuda->granted |= result == 0 || result == CU_ERROR_PEER_ACCESS_ALREADY_ENABLED ? bit : 0;
        cuda->asked |= bit;
    }
    return cuda->granted & bit;
}

static bool reaches(struct device *device, struct device *source)
{
    return device == source || has_access(cuda_of(device), cuda_of(source));
}

/* A kernel starts sooner than a copy of the driver, which has more bandwidth. */
static int fetch_small(struct cuda *cuda, CUdeviceptr to, CUdeviceptr from, uint64_t bytes, struct engine_error *error)
{
    const uint64_t words = bytes / 16, each = (uint64_t) CUDA_BLOCK * FETCH_LOADS;
    const unsigned grid[3] = {(unsigned) ((words + each - 1) / each), 1, 1};
    void *arguments[] = {&to, &from, (void *) (uintptr_t) &words};
    return cuda_launch(cuda, cuda->fetch_16, grid, arguments, error);
}

/* Without access, the driver copies by way of host memory. It cannot record such copies. */
static int fetch(struct device *device, void *to, struct device *source, const void *from, uint64_t bytes,
                 struct engine_error *error)
{
    struct cuda *cuda = cuda_of(device), *other = cuda_of(source);
    const CUdeviceptr target = (CUdeviceptr) (uintptr_t) to, origin = (CUdeviceptr) (uintptr_t) from;
    const bool direct = reaches(device, source);
    if (cuda_make_current(cuda, error) != 0)
        return error->status;
    if (direct && cuda != other && bytes <= FETCH_SMALL && (target | origin | bytes) % 16 == 0)
        return fetch_small(cuda, target, origin, bytes, error);
    if (direct)
        return CUDA_TRY(cuda, error, copy(target, origin, bytes, cuda_stream(cuda)));
    return CUDA_TRY(cuda, error, copy_peer(target, cuda->context, origin, other->context, bytes, cuda_stream(cuda)));
}

static int add_up(struct device *device, struct device *const *owners, uint64_t *const *arrays, uint32_t count,
                  uint64_t begin, uint64_t end, struct engine_error *error)
{
    struct cuda *cuda = cuda_of(device);
    struct sum_arrays sum = {.count = count, .begin = begin, .end = end};
    if (count > SUM_ARRAYS_MAX)
        return error_set(error, ENGINE_STATUS_DEVICE, "a GPU adds up %d parts at most, not %u", SUM_ARRAYS_MAX, count);
    for (uint32_t i = 0; i < count; i++) {
        sum.array[i] = arrays[i];
        if (!reaches(device, owners[i]))
            return error_set(error, ENGINE_STATUS_DEVICE, "CUDA device %d cannot read the memory of device %d",
                             cuda->ordinal, cuda_of(owners[i])->ordinal);
    }
    if (begin == end)
        return 0;
    const uint64_t blocks = (end - begin + CUDA_BLOCK - 1) / CUDA_BLOCK;
    const unsigned grid[3] = {blocks < 1024 ? (unsigned) blocks : 1024, 1, 1};
    void *arguments[] = {&sum};
    if (cuda_make_current(cuda, error) != 0)
        return error->status;
    return cuda_launch(cuda, cuda->sum_arrays, grid, arguments, error);
}

static int follow(struct device *device, struct device *before, struct engine_error *error)
{
    struct cuda *cuda = cuda_of(device), *other = cuda_of(before);
    if (cuda == other)
        return 0;
    if (CUDA_TRY(other, error, event_record(other->event, cuda_stream(other))) != 0)
        return error->status;
    return CUDA_TRY(cuda, error, event_await(cuda_stream(cuda), other->event, 0));
}

/* ---- Memory of several processes ---------------------------------------------------------------------------- */

static void identify(struct device *device, char text[40])
{
    struct cuda *cuda = cuda_of(device);
    struct engine_error ignored;
    CUdevice number;
    CUuuid uuid;
    snprintf(text, 40, "%d", cuda->ordinal);
    if (CUDA_TRY(cuda, &ignored, device_get(&number, cuda->ordinal)) != 0 ||
        CUDA_TRY(cuda, &ignored, device_uuid(&uuid, number)) != 0)
        return;
    for (int i = 0; i < 16; i++)
        snprintf(text + (size_t) 2 * (size_t) i, 3, "%02x", uuid.bytes[i]);
}

/* The driver opens whole blocks of memory. */
static int name_memory(const struct cuda *cuda, CUdeviceptr memory, uint64_t bytes, struct device_handle *handle,
                       struct engine_error *error)
{
    CUdeviceptr base;
    size_t all;
    CUipcMemHandle name;
    if (CUDA_TRY(cuda, error, address_range(&base, &all, memory)) != 0 ||
        CUDA_TRY(cuda, error, ipc_handle(&name, memory)) != 0)
        return error->status;
    *handle = (struct device_handle){.offset = memory - base, .bytes = bytes};
    memcpy(handle->name, &name, sizeof name);
    return 0;
}

static int share(struct device *device, uint64_t bytes, void **memory, struct device_handle *handle,
                 struct engine_error *error)
{
    struct cuda *cuda = cuda_of(device);
    const uint64_t rounded = (bytes + BLOCK_OF_MEMORY - 1) / BLOCK_OF_MEMORY * BLOCK_OF_MEMORY;
    if (device->allocate(device, rounded, memory, error) != 0)
        return error->status;
    if (device->synchronise(device, error) == 0 &&
        name_memory(cuda, (CUdeviceptr) (uintptr_t) *memory, bytes, handle, error) == 0)
        return 0;
    device->release(device, *memory, rounded);
    *memory = NULL;
    return error->status;
}

static void unshare_memory(struct device *device, const struct device_handle *handle, void *memory)
{
    device->release(device, memory, handle->bytes);
}

static int attach(struct device *device, const struct device_handle *handle, void **memory, struct engine_error *error)
{
    struct cuda *cuda = cuda_of(device);
    CUipcMemHandle name;
    CUdeviceptr base;
    *memory = NULL;
    memcpy(&name, handle->name, sizeof name);
    if (cuda_make_current(cuda, error) != 0 ||
        CUDA_TRY(cuda, error, ipc_open(&base, name, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)) != 0)
        return error->status;
    *memory = (void *) (uintptr_t) (base + handle->offset);
    return 0;
}

static void detach(struct device *device, const struct device_handle *handle, void *memory)
{
    struct cuda *cuda = cuda_of(device);
    struct engine_error ignored;
    if (cuda_make_current(cuda, &ignored) == 0)
        CUDA_TRY(cuda, &ignored, ipc_close((CUdeviceptr) (uintptr_t) memory - handle->offset));
}

/* ---- Copies ------------------------------------------------------------------------------------------------- */

static bool is_small(const struct device_copy *copy)
{
    return copy->bytes <= PUT_SMALL && ((uintptr_t) copy->to | (uintptr_t) copy->from | copy->bytes) % 16 == 0;
}

static int put_together(struct cuda *cuda, const struct puts *puts, uint32_t count, struct engine_error *error)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = puts->words[i] > most ? puts->words[i] : most;
    const uint64_t each = (uint64_t) CUDA_BLOCK * FETCH_LOADS;
    const unsigned grid[3] = {(unsigned) ((most + each - 1) / each), count, 1};
    void *arguments[] = {(void *) (uintptr_t) puts};
    return most > 0 ? cuda_launch(cuda, cuda->put_16, grid, arguments, error) : 0;
}

/* A kernel starts sooner than a copy of the driver, and makes many copies at once; the driver has more bandwidth. */
static int put(struct device *device, const struct device_copy *copies, uint32_t count, struct engine_error *error)
{
    struct cuda *cuda = cuda_of(device);
    struct puts puts;
    uint32_t small = 0;
    if (cuda_make_current(cuda, error) != 0)
        return error->status;
    for (uint32_t i = 0; i < count; i++) {
        const struct device_copy *copy = &copies[i];
        const CUdeviceptr to = (CUdeviceptr) (uintptr_t) copy->to, from = (CUdeviceptr) (uintptr_t) copy->from;
        if (!is_small(copy)) {
            if (CUDA_TRY(cuda, error, copy(to, from, copy->bytes, cuda_stream(cuda))) != 0)
                return error->status;
            continue;
        }
        puts.to[small] = to, puts.from[small] = from, puts.words[small++] = copy->bytes / 16;
        if (small == PUTS_MAX && put_together(cuda, &puts, small, error) != 0)
            return error->status;
        small %= PUTS_MAX;
    }
    return put_together(cuda, &puts, small, error);
}

/* ---- Waiting ------------------------------------------------------------------------------------------------ */

static int pass_barrier(struct device *device, const struct barrier *barrier, struct engine_error *error)
{
    struct cuda *cuda = cuda_of(device);
    const unsigned grid[3] = {1, 1, 1};
    struct cuda_barrier copy = {
        .round = barrier->round, .stop = barrier->stop, .limit = barrier->limit, .count = barrier->count};
    memcpy(copy.theirs, barrier->theirs, sizeof copy.theirs);
    memcpy(copy.own, barrier->own, sizeof copy.own);
    void *arguments[] = {&copy};
    return cuda_make_current(cuda, error) != 0 ? error->status
                                               : cuda_launch(cuda, cuda->pass_barrier, grid, arguments, error);
}

static int is_done(struct device *device, bool *done, struct engine_error *error)
{
    struct cuda *cuda = cuda_of(device);
    if (cuda_make_current(cuda, error) != 0)
        return error->status;
    const CUresult result = cuda->driver->stream_query(cuda_stream(cuda));
    *done = result == 0;
    return result == CU_ERROR_NOT_READY ? 0
                                        : cuda_error(cuda->driver, result, "stream_query", __FILE__, __LINE__, error);
}

const struct sharing cuda_sharing = {
    .fetch = fetch,
    .reaches = reaches,
    .add_up = add_up,
    .follow = follow,
    .identify = identify,
    .share = share,
    .unshare = unshare_memory,
    .attach = attach,
    .detach = detach,
    .put = put,
    .pass_barrier = pass_barrier,
    .is_done = is_done,
};
