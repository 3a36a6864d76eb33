/* What parts in host memory do together. Memory that other processes attach is a file without a name, which they open by
 * the number of the process and of the file. Nothing is left when the processes end, however they end. */
#include "parts/sharing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- Parts of one process ----------------------------------------------------------------------------------- */

static int fetch(struct device *device, void *to, struct device *source, const void *from, uint64_t bytes,
                 struct engine_error *error)
{
    (void) device, (void) source, (void) error;
    memcpy(to, from, bytes);
    return 0;
}

static bool reaches(struct device *device, struct device *source)
{
    (void) device, (void) source;
    return true;
}

static int add_up(struct device *device, struct device *const *owners, uint64_t *const *arrays, uint32_t count,
                  uint64_t begin, uint64_t end, struct engine_error *error)
{
    (void) device, (void) owners, (void) error;
    for (uint64_t k = begin; k < end; k++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < count; i++)
            sum += arrays[i][k];
        for (uint32_t i = 0; i < count; i++)
            arrays[i][k] = sum;
    }
    return 0;
}

static int follow(struct device *device, struct device *other, struct engine_error *error)
{
    (void) device, (void) other, (void) error;
    return 0;
}

/* ---- Memory of several processes ---------------------------------------------------------------------------- */

static int map(int file, uint64_t bytes, void **memory, const char *what, struct engine_error *error)
{
    void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED)
        return error_set(error, ENGINE_STATUS_DEVICE, "%s: %s", what, strerror(errno));
    *memory = mapped;
    return 0;
}

static void identify(struct device *device, char text[40])
{
    (void) device;
    *text = '\0';
}

/* The file stays open as long as the process, so that the others can open it. */
static int share(struct device *device, uint64_t bytes, void **memory, struct device_handle *handle,
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

static void unshare_memory(struct device *device, const struct device_handle *handle, void *memory)
{
    long process;
    int file;
    (void) device;
    munmap(memory, handle->bytes);
    if (sscanf((const char *) handle->name, "/proc/%ld/fd/%d", &process, &file) == 2)
        close(file);
}

static int attach(struct device *device, const struct device_handle *handle, void **memory, struct engine_error *error)
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

static void detach(struct device *device, const struct device_handle *handle, void *memory)
{
    (void) device;
    munmap(memory, handle->bytes);
}

static int put(struct device *device, const struct device_copy *copies, uint32_t count, struct engine_error *error)
{
    (void) device, (void) error;
    for (uint32_t i = 0; i < count; i++)
        memcpy(copies[i].to, copies[i].from, copies[i].bytes);
    return 0;
}

/* ---- Waiting ------------------------------------------------------------------------------------------------ */

static int pass_barrier(struct device *device, const struct barrier *barrier, struct engine_error *error)
{
    (void) device, (void) error;
    const uint64_t round = ++*barrier->round;
    for (uint32_t i = 0; i < barrier->count; i++)
        __atomic_store_n(barrier->theirs[i], round, __ATOMIC_RELEASE);
    return 0;
}

static int is_done(struct device *device, bool *done, struct engine_error *error)
{
    (void) device, (void) error;
    *done = true;
    return 0;
}

const struct sharing host_sharing = {
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
