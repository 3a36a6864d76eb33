/* Memory of a CUDA device that other processes of the host attach, by CUDA IPC, and the gate at which their devices
 * wait for each other. */
#include "memory/cuda_kernels.h"
#include "memory/device_cuda.h"

#include <stdio.h>
#include <string.h>

#ifndef CUDA_PUT_SMALL
#define CUDA_PUT_SMALL (8 << 20) /* bytes of a copy: up to here, a kernel makes all copies together */
#endif

enum { PUT_SMALL = CUDA_PUT_SMALL, BLOCK_OF_MEMORY = 2 << 20 };

void cuda_identify(struct device *device, char text[40])
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

/* ---- Memory ------------------------------------------------------------------------------------------------- */

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

int cuda_share(struct device *device, uint64_t bytes, void **memory, struct device_handle *handle,
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

void cuda_unshare(struct device *device, const struct device_handle *handle, void *memory)
{
    device->release(device, memory, handle->bytes);
}

int cuda_attach(struct device *device, const struct device_handle *handle, void **memory, struct engine_error *error)
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

void cuda_detach(struct device *device, const struct device_handle *handle, void *memory)
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
int cuda_put(struct device *device, const struct device_copy *copies, uint32_t count, struct engine_error *error)
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

int cuda_meet(struct device *device, const struct gate *gate, struct engine_error *error)
{
    struct cuda *cuda = cuda_of(device);
    const unsigned grid[3] = {1, 1, 1};
    struct pass pass = {.round = gate->round, .stop = gate->stop, .limit = gate->limit, .count = gate->count};
    memcpy(pass.theirs, gate->theirs, sizeof pass.theirs);
    memcpy(pass.own, gate->own, sizeof pass.own);
    void *arguments[] = {&pass};
    return cuda_make_current(cuda, error) != 0 ? error->status
                                               : cuda_launch(cuda, cuda->pass_gate, grid, arguments, error);
}

int cuda_is_done(struct device *device, bool *done, struct engine_error *error)
{
    struct cuda *cuda = cuda_of(device);
    if (cuda_make_current(cuda, error) != 0)
        return error->status;
    const CUresult result = cuda->driver->stream_query(cuda_stream(cuda));
    *done = result == 0;
    return result == CU_ERROR_NOT_READY ? 0
                                        : cuda_error(cuda->driver, result, "stream_query", __FILE__, __LINE__, error);
}
