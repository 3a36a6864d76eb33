/* Memory of the host that other processes attach: files without a name, which they open by the number of the process
 * and of the file. Nothing is left when the processes end, however they end. */
#include "memory/host_share.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int map(int file, uint64_t bytes, void **memory, const char *what, struct engine_error *error)
{
    void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED)
        return error_set(error, ENGINE_STATUS_DEVICE, "%s: %s", what, strerror(errno));
    *memory = mapped;
    return 0;
}

void host_identify(struct device *device, char text[40])
{
    (void) device;
    *text = '\0';
}

/* The file stays open as long as the process, so that the others can open it. */
int host_share(struct device *device, uint64_t bytes, void **memory, struct device_handle *handle,
               struct engine_error *error)
{
    (void) device;
    *memory = NULL;
    const int file = memfd_create("engine", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t) bytes) != 0) {
        error_set(error, ENGINE_STATUS_DEVICE, "no memory for other processes: %s", strerror(errno));
        if (file >= 0)
            close(file);
        return error->status;
    }
    if (map(file, bytes, memory, "memory for other processes", error) != 0) {
        close(file);
        return error->status;
    }
    *handle = (struct device_handle){.bytes = bytes};
    snprintf((char *) handle->name, sizeof handle->name, "/proc/%ld/fd/%d", (long) getpid(), file);
    return 0;
}

void host_unshare(struct device *device, const struct device_handle *handle, void *memory)
{
    long process;
    int file;
    (void) device;
    munmap(memory, handle->bytes);
    if (sscanf((const char *) handle->name, "/proc/%ld/fd/%d", &process, &file) == 2)
        close(file);
}

int host_attach(struct device *device, const struct device_handle *handle, void **memory, struct engine_error *error)
{
    const char *name = (const char *) handle->name;
    (void) device;
    *memory = NULL;
    const int file = open(name, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return error_set(error, ENGINE_STATUS_DEVICE, "the memory of another process, %.60s: %s", name,
                         strerror(errno));
    const int status = map(file, handle->bytes, memory, "the memory of another process", error);
    close(file);
    return status;
}

void host_detach(struct device *device, const struct device_handle *handle, void *memory)
{
    (void) device;
    munmap(memory, handle->bytes);
}

int host_put(struct device *device, const struct device_copy *copies, uint32_t count, struct engine_error *error)
{
    (void) device, (void) error;
    for (uint32_t i = 0; i < count; i++)
        memcpy(copies[i].to, copies[i].from, copies[i].bytes);
    return 0;
}

/* ---- The gate ----------------------------------------------------------------------------------------------- */

int host_meet(struct device *device, const struct gate *gate, struct engine_error *error)
{
    (void) device, (void) error;
    const uint64_t round = ++*gate->round;
    for (uint32_t i = 0; i < gate->count; i++)
        __atomic_store_n(gate->theirs[i], round, __ATOMIC_RELEASE);
    return 0;
}

bool host_is_open(const struct gate *gate)
{
    for (uint32_t i = 0; i < gate->count; i++)
        if (__atomic_load_n(gate->own[i], __ATOMIC_ACQUIRE) < *gate->round)
            return false;
    return true;
}

int host_is_done(struct device *device, bool *done, struct engine_error *error)
{
    (void) device, (void) error;
    *done = true;
    return 0;
}
