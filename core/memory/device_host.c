#include "memory/device_host.h"

#include "base/machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

static int use(struct device *device, struct engine_error *error)
{
    (void) device, (void) error;
    return 0;
}

static int allocate(struct device *device, uint64_t bytes, void **memory, struct engine_error *error)
{
    (void) device;
    *memory = NULL;
    if (bytes > INT64_MAX - HUGE_PAGE)
        return error_memory(error, bytes, "a buffer");
    const uint64_t page = bytes >= HUGE_PAGE ? HUGE_PAGE : PAGE;
    const uint64_t rounded = bytes == 0 ? page : (bytes + page - 1) / page * page;
    void *block = aligned_alloc(page, rounded);
    if (!block)
        return error_memory(error, bytes, "a buffer");
    if (page == HUGE_PAGE)
        madvise(block, rounded, MADV_HUGEPAGE); /* for speed only; a refusal does not matter */
    memset(block, 0, rounded);
    *memory = block;
    return 0;
}

static void release(struct device *device, void *memory, uint64_t bytes)
{
    (void) device, (void) bytes;
    free(memory);
}

static int read_range(struct device *device, const struct geometry *geometry, const void *buffer, uint64_t begin,
                      uint64_t count, void *canonical, struct engine_error *error)
{
    (void) device, (void) error;
    geometry_read(geometry, buffer, begin, count, canonical);
    return 0;
}

static int write_range(struct device *device, const struct geometry *geometry, void *buffer, uint64_t begin,
                       uint64_t count, const void *canonical, struct engine_error *error)
{
    (void) device, (void) error;
    geometry_write(geometry, buffer, begin, count, canonical);
    return 0;
}

/* ---- Regions ------------------------------------------------------------------------------------------------ */

struct making {
    const struct geometry *geometry;
    const void *buffer;
    const struct region *region;
    uint64_t row, rows, band; /* rows of a piece */
    uint64_t row_bytes;       /* of a row that is made */
    uint8_t *out;
    _Atomic int failed;
};

static int read_cells(void *context, uint64_t begin, uint64_t count, void *out, struct engine_error *error)
{
    (void) error;
    const struct making *making = context;
    geometry_read(making->geometry, making->buffer, begin, count, out);
    return 0;
}

static void make_band(void *argument, uint64_t index)
{
    struct making *making = argument;
    struct engine_error ignored;
    const uint64_t first = index * making->band, left = making->rows - first;
    if (region_make_rows(making->region, &making->geometry->shape, making->row + first,
                         left < making->band ? left : making->band, read_cells, making,
                         making->out + first * making->row_bytes, &ignored) != 0)
        making->failed = 1;
}

static int make_rows(struct device *device, const struct geometry *geometry, const void *buffer,
                     const struct region *region, uint64_t row, uint64_t rows, uint32_t threads, void *out,
                     struct engine_error *error)
{
    const struct engine_shape made = region_shape(region, &geometry->shape);
    struct making making = {
        .geometry = geometry, .buffer = buffer, .region = region, .row = row, .rows = rows, .out = out};
    making.band = (rows - 1) / (4 * (uint64_t) (threads ? threads : 1)) + 1;
    making.row_bytes = made.extent[0] * made.components * type_bytes(made.type);
    thread_pool_run(device->pool, threads, (rows - 1) / making.band + 1, make_band, &making);
    return making.failed ? error_memory(error, making.row_bytes, "a region of a field") : 0;
}

struct copying {
    char *to;
    const char *from;
    uint64_t bytes;
};

static void copy_page(void *argument, uint64_t page)
{
    const struct copying *copying = argument;
    const uint64_t begin = page * HUGE_PAGE, left = copying->bytes - begin;
    memcpy(copying->to + begin, copying->from + begin, left < HUGE_PAGE ? left : HUGE_PAGE);
}

static void copy(struct device *device, struct copying copying, uint32_t threads)
{
    const uint64_t pages = (copying.bytes + HUGE_PAGE - 1) / HUGE_PAGE;
    thread_pool_run(device->pool, pages > 2 ? threads : 1, pages, copy_page, &copying);
}

static int allocate_host(struct device *device, uint64_t bytes, void **memory, struct engine_error *error)
{
    (void) device;
    *memory = malloc(bytes ? bytes : 1);
    return *memory ? 0 : error_memory(error, bytes, "a copy of a buffer");
}

static void release_host(struct device *device, void *memory)
{
    (void) device;
    free(memory);
}

static int download(struct device *device, void *host, const void *buffer, uint64_t bytes, uint32_t threads,
                    struct engine_error *error)
{
    (void) error;
    copy(device, (struct copying){host, buffer, bytes}, threads);
    return 0;
}

static int upload(struct device *device, void *buffer, const void *host, uint64_t bytes, uint32_t threads,
                  struct engine_error *error)
{
    (void) error;
    copy(device, (struct copying){buffer, host, bytes}, threads);
    return 0;
}

static int wrap(struct device *device, const struct geometry *geometry, void *buffer, uint32_t threads,
                struct engine_error *error)
{
    (void) error;
    geometry_wrap(geometry, buffer, device->pool, threads);
    return 0;
}

static int synchronise(struct device *device, struct engine_error *error)
{
    (void) device, (void) error;
    return 0;
}

static int wait_for(struct device *device, void *stream, struct engine_error *error)
{
    (void) stream;
    return synchronise(device, error);
}

int host_open(struct device *device, struct engine_error *error)
{
    *device = (struct device){
        .memory = ENGINE_HOST_MEMORY,
        .pool = thread_pool_open(),
        .bytes = (uint64_t) sysconf(_SC_PHYS_PAGES) * (uint64_t) sysconf(_SC_PAGESIZE),
        .use = use,
        .allocate = allocate,
        .release = release,
        .read = read_range,
        .write = write_range,
        .make_rows = make_rows,
        .allocate_host = allocate_host,
        .release_host = release_host,
        .download = download,
        .upload = upload,
        .wrap = wrap,
        .synchronise = synchronise,
        .wait = wait_for,
    };
    machine_processor(device->name);
    return device->pool ? 0 : error_set(error, ENGINE_STATUS_DEVICE, "there is no memory for the threads of the host");
}

void host_close(struct device *device)
{
    thread_pool_close(device->pool);
}
