/* CUDA devices, by the driver API.
 *
 * Ranges of an array cross between host and device in the layout of the buffer, a window of rows at a time, through
 * pinned memory; the host packs and unpacks them. A grid of bits so crosses in an eighth of its canonical size. Of a field
 * of one row, such as particles, only the cells of the range cross. */
#include "cuda/device_cuda.h"
#include "base/text.h"
#include "cuda/cuda_kernels.h"

#include <stdlib.h>
#include <string.h>

#ifndef CUDA_WINDOW
#define CUDA_WINDOW (16 << 20) /* bytes copied at a time */
#endif

enum { WINDOW = CUDA_WINDOW };

/* ---- Memory ------------------------------------------------------------------------------------------------- */

static int use(struct device *device, struct engine_error *error)
{
    return cuda_make_current(cuda_of(device), error);
}

uint64_t cuda_available(struct device *device)
{
    size_t free_bytes, bytes;
    struct engine_error ignored;
    struct cuda *cuda = cuda_of(device);
    if (cuda_make_current(cuda, &ignored) != 0)
        return UINT64_MAX;
    return CUDA_TRY(cuda, &ignored, memory_info(&free_bytes, &bytes)) == 0 ? free_bytes : UINT64_MAX;
}

static int allocate(struct device *device, uint64_t bytes, void **memory, struct engine_error *error)
{
    struct cuda *cuda = cuda_of(device);
    CUdeviceptr address = 0;
    char needed[32];
    *memory = NULL;
    if (cuda_make_current(cuda, error) != 0)
        return error->status;
    CUresult result = cuda->driver->allocate(&address, bytes ? bytes : 1);
    if (result == CU_ERROR_OUT_OF_MEMORY)
        return error_set(error, ENGINE_STATUS_DEVICE, "CUDA_ERROR_OUT_OF_MEMORY: %s has no %sB left", device->name,
                         text_si((double) bytes, needed));
    if (cuda_error(cuda->driver, result, "cuMemAlloc", __FILE__, __LINE__, error) != 0)
        return error->status;
    *memory = (void *) (uintptr_t) address;
    return CUDA_TRY(cuda, error, fill_bytes(address, 0, bytes ? bytes : 1, cuda_stream(cuda)));
}

static void release(struct device *device, void *memory, uint64_t bytes)
{
    (void) bytes;
    struct engine_error ignored;
    if (cuda_make_current(cuda_of(device), &ignored) == 0)
        cuda_of(device)->driver->release((CUdeviceptr) (uintptr_t) memory);
}

static int synchronise(struct device *device, struct engine_error *error)
{
    struct cuda *cuda = cuda_of(device);
    return CUDA_TRY(cuda, error, stream_wait(cuda_stream(cuda)));
}

static int wait_for(struct device *device, void *stream, struct engine_error *error)
{
    struct cuda *cuda = cuda_of(device);
    if (cuda_make_current(cuda, error) != 0)
        return error->status;
    return CUDA_TRY(cuda, error, stream_wait(stream));
}

static int download_now(struct cuda *cuda, void *to, CUdeviceptr from, uint64_t bytes, struct engine_error *error)
{
    if (CUDA_TRY(cuda, error, download(to, from, bytes, cuda_stream(cuda))) != 0)
        return error->status;
    return synchronise(&cuda->device, error);
}

static int upload_now(struct cuda *cuda, CUdeviceptr to, const void *from, uint64_t bytes, struct engine_error *error)
{
    if (CUDA_TRY(cuda, error, upload(to, from, bytes, cuda_stream(cuda))) != 0)
        return error->status;
    return synchronise(&cuda->device, error);
}

/* ---- Ranges of the canonical array -------------------------------------------------------------------------- */

/* Elements [begin, begin + count), which lie in the bytes [first, first + bytes) of each array of a buffer: a planar
 * layout has an array for each component. */
struct window {
    uint64_t begin, count;
    uint64_t first, bytes;
};

/* Returns the bytes from the buffer's start to a row. */
static uint64_t row_offset(const struct geometry *geometry, uint64_t row)
{
    const uint64_t rows = geometry->shape.extent[1];
    return geometry->origin + row % rows * (uint64_t) geometry->row_stride +
           row / rows * (uint64_t) geometry->plane_stride;
}

static uint64_t arrays_of(const struct geometry *geometry)
{
    return geometry->layout.pack ? 1 : geometry_slab_arrays(geometry);
}

/* Finds the window of as many whole rows from `begin` on as fit into `most` bytes of an array, at least one. A buffer
 * whose order only the plugin knows is copied as a whole. */
static struct window next_window(const struct geometry *geometry, uint64_t begin, uint64_t count, uint64_t most)
{
    if (geometry->layout.pack)
        return (struct window){begin, count, 0, geometry->bytes};
    const uint64_t width = geometry->shape.extent[0] * geometry->shape.components;
    const uint64_t row = begin / width, last_row = (begin + count - 1) / width;
    const uint64_t start = row_offset(geometry, row);
    uint64_t low = row, high = last_row; /* the last row that ends inside, found by bisection, since offsets grow */
    while (low < high) {
        uint64_t middle = high - (high - low) / 2;
        if (row_offset(geometry, middle) + (uint64_t) geometry->row_stride - start <= most)
            low = middle;
        else
            high = middle - 1;
    }
    uint64_t end = row_offset(geometry, low) + (uint64_t) geometry->row_stride;
    const uint64_t elements = (low + 1) * width - begin, array = geometry->bytes / arrays_of(geometry);
    return (struct window){begin, elements < count ? elements : count, start, (end < array ? end : array) - start};
}

/* Returns host memory for a window: the pinned memory, or new memory where a single row or an unusual layout is
 * larger. */
static void *window_memory(struct cuda *cuda, uint64_t bytes, struct engine_error *error)
{
    void *memory = bytes <= WINDOW ? cuda->window : malloc(bytes);
    if (!memory)
        error_memory(error, bytes, "a copy of device memory");
    return memory;
}

/* Copies the bytes of a window of each array. */
static int copy_arrays(struct cuda *cuda, const struct geometry *geometry, CUdeviceptr at, uint64_t bytes, char *memory,
                       bool into_buffer, struct engine_error *error)
{
    const uint64_t arrays = arrays_of(geometry);
    int status = 0;
    for (uint64_t i = 0; i < arrays && status == 0; i++, at += (uint64_t) geometry->component_stride)
        status = into_buffer ? upload_now(cuda, at, memory + i * bytes, bytes, error)
                             : download_now(cuda, memory + i * bytes, at, bytes, error);
    return status;
}

/* Copies one window into the buffer or out of it. `canonical` is read where `into_buffer`, else written. */
static int move_window(struct cuda *cuda, const struct geometry *geometry, CUdeviceptr buffer,
                       const struct window *window, void *canonical, bool into_buffer, struct engine_error *error)
{
    const uint64_t arrays = arrays_of(geometry);
    char *memory = window_memory(cuda, window->bytes * arrays, error);
    if (!memory)
        return error->status;
    struct geometry own = *geometry; /* of the copy, in which the windows of all arrays follow each other */
    if (arrays > 1)
        own.component_stride = (int64_t) window->bytes;
    void *whole = (void *) ((uintptr_t) memory - window->first); /* where the copy would begin if it were whole */
    const CUdeviceptr at = buffer + window->first;
    const uint64_t width = geometry->shape.extent[0] * geometry->shape.components;
    const bool whole_rows = !geometry->layout.pack && window->begin % width == 0 && window->count % width == 0;
    int status = 0;
    /* Whole rows are written without reading the buffer first, because ghosts and padding may hold anything. */
    if (!into_buffer || !whole_rows)
        status = copy_arrays(cuda, geometry, at, window->bytes, memory, false, error);
    if (status == 0 && !into_buffer)
        geometry_read(&own, whole, window->begin, window->count, canonical);
    if (status == 0 && into_buffer) {
        geometry_write(&own, whole, window->begin, window->count, canonical);
        status = copy_arrays(cuda, geometry, at, window->bytes, memory, true, error);
    }
    if (memory != cuda->window)
        free(memory);
    return status;
}

/* Copies cells [first, first + cells of `own`) of a single row between the buffer and memory with the geometry `own`. */
static int copy_cells(struct cuda *cuda, const struct geometry *geometry, CUdeviceptr buffer, uint64_t first,
                      const struct geometry *own, char *memory, bool into_buffer, struct engine_error *error)
{
    return copy_arrays(cuda, geometry, buffer + geometry->origin + first * geometry_cell_pitch(geometry),
                       own->bytes / geometry_slab_arrays(geometry), memory, into_buffer, error);
}

/* Moves elements of a single row, as many as fit into the pinned memory. Returns their number, or 0 with an error. Cells that
 * the elements fill are written without reading the buffer first. */
static uint64_t move_some_cells(struct cuda *cuda, const struct geometry *geometry, CUdeviceptr buffer, uint64_t begin,
                                uint64_t count, char *elements, bool into_buffer, struct engine_error *error)
{
    const uint64_t components = geometry->shape.components, first = begin / components;
    const uint64_t most = WINDOW / geometry_slab_arrays(geometry) / geometry_cell_pitch(geometry);
    const uint64_t end = (begin + count - 1) / components + 1, cells = end - first < most ? end - first : most;
    const uint64_t last = (first + cells) * components, n = begin + count < last ? count : last - begin;
    const struct geometry own = geometry_of_cells(geometry, cells);
    const bool full = own.bytes == n * geometry->element_bytes;
    int status = 0;
    if (!into_buffer || !full)
        status = copy_cells(cuda, geometry, buffer, first, &own, cuda->window, false, error);
    if (status == 0 && !into_buffer)
        geometry_read(&own, cuda->window, begin - first * components, n, elements);
    if (status == 0 && into_buffer) {
        geometry_write(&own, cuda->window, begin - first * components, n, elements);
        status = copy_cells(cuda, geometry, buffer, first, &own, cuda->window, true, error);
    }
    return status == 0 ? n : 0;
}

static int move_cells(struct cuda *cuda, const struct geometry *geometry, CUdeviceptr buffer, uint64_t begin,
                      uint64_t count, char *elements, bool into_buffer, struct engine_error *error)
{
    if (cuda_make_current(cuda, error) != 0)
        return error->status;
    for (uint64_t n; count > 0; begin += n, count -= n, elements += n * geometry->element_bytes) {
        n = move_some_cells(cuda, geometry, buffer, begin, count, elements, into_buffer, error);
        if (n == 0)
            return error->status;
    }
    return 0;
}

static int move_windows(struct cuda *cuda, const struct geometry *geometry, CUdeviceptr buffer, uint64_t begin,
                        uint64_t count, char *elements, bool into_buffer, struct engine_error *error)
{
    if (cuda_make_current(cuda, error) != 0)
        return error->status;
    while (count > 0) {
        struct window window = next_window(geometry, begin, count, WINDOW / arrays_of(geometry));
        if (move_window(cuda, geometry, buffer, &window, elements, into_buffer, error) != 0)
            return error->status;
        begin += window.count, count -= window.count;
        elements += window.count * geometry->element_bytes;
    }
    return 0;
}

static int move_range(struct device *device, const struct geometry *geometry, const void *buffer, uint64_t begin,
                      uint64_t count, void *canonical, bool into_buffer, struct engine_error *error)
{
    struct cuda *cuda = cuda_of(device);
    pthread_mutex_lock(&cuda->moving);
    const bool cells =
        geometry_is_one_row(geometry) && geometry_slab_arrays(geometry) * geometry_cell_pitch(geometry) * 16 < WINDOW;
    int status = (cells ? move_cells : move_windows)(cuda, geometry, (CUdeviceptr) (uintptr_t) buffer, begin, count,
                                                     canonical, into_buffer, error);
    pthread_mutex_unlock(&cuda->moving);
    return status;
}

static int read_range(struct device *device, const struct geometry *geometry, const void *buffer, uint64_t begin,
                      uint64_t count, void *canonical, struct engine_error *error)
{
    return move_range(device, geometry, buffer, begin, count, canonical, false, error);
}

static int write_range(struct device *device, const struct geometry *geometry, void *buffer, uint64_t begin,
                       uint64_t count, const void *canonical, struct engine_error *error)
{
    return move_range(device, geometry, buffer, begin, count, (void *) (uintptr_t) canonical, true, error);
}

/* ---- Regions and hashes ------------------------------------------------------------------------------------- */

/* A buffer whose cells are read on the host. */
struct held {
    struct cuda *cuda;
    const struct geometry *geometry;
    CUdeviceptr buffer;
};

static int read_held(void *context, uint64_t begin, uint64_t count, void *out, struct engine_error *error)
{
    const struct held *held = context;
    return move_windows(held->cuda, held->geometry, held->buffer, begin, count, out, false, error);
}

/* The kernels write to the pinned memory of the host. A layout that only its plugin can unpack, and rows that are larger
 * than that memory, are read and reduced on the host. */
static int make_rows(struct device *device, const struct geometry *geometry, const void *buffer,
                     const struct region *region, uint64_t row, uint64_t rows, uint32_t threads, void *out,
                     struct engine_error *error)
{
    (void) threads;
    struct cuda *cuda = cuda_of(device);
    const struct engine_shape made = region_shape(region, &geometry->shape);
    struct held held = {cuda, geometry, (CUdeviceptr) (uintptr_t) buffer};
    const bool here = geometry->layout.pack || made.extent[0] * made.components * type_bytes(made.type) > WINDOW;
    pthread_mutex_lock(&cuda->moving);
    const int status = here ? region_make_rows(region, &geometry->shape, row, rows, read_held, &held, out, error)
                            : cuda_make_rows(cuda, geometry, buffer, region, row, rows, WINDOW, out, error);
    pthread_mutex_unlock(&cuda->moving);
    return status;
}

/* A layout that only its plugin can unpack is read. */
static int hash(struct device *device, const struct geometry *geometry, const void *buffer, uint64_t begin,
                uint64_t count, uint32_t values, struct hash *chain, struct engine_error *error)
{
    struct cuda *cuda = cuda_of(device);
    if (geometry->layout.pack)
        return 0;
    pthread_mutex_lock(&cuda->moving);
    const int status = cuda_hash(cuda, geometry, buffer, begin, count, values, WINDOW, chain, error);
    pthread_mutex_unlock(&cuda->moving);
    return status;
}

/* ---- Whole buffers ------------------------------------------------------------------------------------------ */

static int allocate_host(struct device *device, uint64_t bytes, void **memory, struct engine_error *error)
{
    struct cuda *cuda = cuda_of(device);
    *memory = NULL;
    if (cuda_make_current(cuda, error) != 0)
        return error->status;
    return CUDA_TRY(cuda, error, allocate_host(memory, bytes ? bytes : 1));
}

static void release_host(struct device *device, void *memory)
{
    struct engine_error ignored;
    if (cuda_make_current(cuda_of(device), &ignored) == 0)
        cuda_of(device)->driver->release_host(memory);
}

static int download(struct device *device, void *host, const void *buffer, uint64_t bytes, uint32_t threads,
                    struct engine_error *error)
{
    (void) threads;
    struct cuda *cuda = cuda_of(device);
    const CUdeviceptr from = (CUdeviceptr) (uintptr_t) buffer;
    if (cuda_make_current(cuda, error) != 0)
        return error->status;
    return CUDA_TRY(cuda, error, download(host, from, bytes, cuda_stream(cuda)));
}

static int upload(struct device *device, void *buffer, const void *host, uint64_t bytes, uint32_t threads,
                  struct engine_error *error)
{
    (void) threads;
    struct cuda *cuda = cuda_of(device);
    const CUdeviceptr to = (CUdeviceptr) (uintptr_t) buffer;
    if (cuda_make_current(cuda, error) != 0)
        return error->status;
    return CUDA_TRY(cuda, error, upload(to, host, bytes, cuda_stream(cuda)));
}

static int upload_beside(struct device *device, void *buffer, void *stage, const void *host, uint64_t bytes,
                         struct engine_error *error)
{
    struct cuda *cuda = cuda_of(device);
    const CUdeviceptr to = (CUdeviceptr) (uintptr_t) buffer, by = (CUdeviceptr) (uintptr_t) stage;
    if (cuda_make_current(cuda, error) != 0 ||
        (!cuda->uploads && CUDA_TRY(cuda, error, stream_create(&cuda->uploads, CU_STREAM_NON_BLOCKING)) != 0) ||
        CUDA_TRY(cuda, error, upload(by, host, bytes, cuda->uploads)) != 0 ||
        CUDA_TRY(cuda, error, event_record(cuda->event, cuda->uploads)) != 0 ||
        CUDA_TRY(cuda, error, event_await(cuda_stream(cuda), cuda->event, 0)) != 0)
        return error->status;
    return CUDA_TRY(cuda, error, copy(to, by, bytes, cuda_stream(cuda)));
}

/* ---- Recordings: CUDA graphs -------------------------------------------------------------------------------- */

static int record_begin(struct device *device, struct engine_error *error)
{
    struct cuda *cuda = cuda_of(device);
    if (cuda_make_current(cuda, error) != 0)
        return error->status;
    return CUDA_TRY(cuda, error, capture_begin(cuda_stream(cuda), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
}

static int record_end(struct device *device, void **recording, struct engine_error *error)
{
    struct cuda *cuda = cuda_of(device);
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    *recording = NULL;
    if (cuda_make_current(cuda, error) != 0 || CUDA_TRY(cuda, error, capture_end(cuda_stream(cuda), &graph)) != 0)
        return error->status;
    int status = CUDA_TRY(cuda, error, graph_instantiate(&exec, graph, 0));
    cuda->driver->graph_destroy(graph);
    *recording = exec;
    return status;
}

static int replay(struct device *device, void *recording, struct engine_error *error)
{
    struct cuda *cuda = cuda_of(device);
    if (cuda_make_current(cuda, error) != 0)
        return error->status;
    return CUDA_TRY(cuda, error, graph_launch(recording, cuda_stream(cuda)));
}

static void forget(struct device *device, void *recording)
{
    cuda_of(device)->driver->graph_exec_destroy(recording);
}

/* ---- Opening ------------------------------------------------------------------------------------------------ */

#ifdef ENGINE_CUDA_KERNELS
/* cuda_kernels.cu, compiled for every GPU of the build. */
__asm__(".section .rodata\n.balign 16\ncuda_kernels:\n.incbin \"" ENGINE_CUDA_KERNELS "\"\n.byte 0\n.previous\n");
extern const char cuda_kernels[];

static int load_kernels(struct cuda *cuda, struct engine_error *error)
{
    const struct {
        CUfunction *function;
        const char *name;
    } kernels[] = {
        {&cuda->wrap_x_bits, "wrap_x_bits"},
        {&cuda->wrap_x_elements, "wrap_x_elements"},
        {&cuda->wrap_slices_16, "wrap_slices_16"},
        {&cuda->wrap_slices_1, "wrap_slices_1"},
        {&cuda->sum_arrays, "sum_arrays"},
        {&cuda->fetch_16, "fetch_16"},
        {&cuda->put_16, "put_16"},
        {&cuda->pass_barrier, "pass_barrier"},
        {&cuda->region_threads, "region_threads"},
        {&cuda->region_warps, "region_warps"},
        {&cuda->hash_blocks, "hash_blocks"},
        {&cuda->limit_logic, "limit_logic"},
        {&cuda->limit_fma, "limit_fma"},
        {&cuda->limit_fma64, "limit_fma64"},
    };
    int status = CUDA_TRY(cuda, error, module_load(&cuda->module, cuda_kernels));
    for (size_t i = 0; status == 0 && i < sizeof kernels / sizeof kernels[0]; i++)
        status = CUDA_TRY(cuda, error, module_function(kernels[i].function, cuda->module, kernels[i].name));
    return status;
}
#else
static int load_kernels(struct cuda *cuda, struct engine_error *error)
{
    (void) cuda;
    return error_set(error, ENGINE_STATUS_DEVICE, "this engine was built without a CUDA compiler (nvcc)");
}
#endif

/* The memory moves two bits on each line of its bus in a clock. A multiprocessor makes at least 64 logic operations or
 * single-precision multiply-adds in a clock (CUDA C++ Programming Guide, "Arithmetic Instructions"). */
static int find_rates(struct cuda *cuda, CUdevice device, struct engine_error *error)
{
    int clock, memory_clock, bus;
    if (CUDA_TRY(cuda, error, device_attribute(&clock, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device)) != 0 ||
        CUDA_TRY(cuda, error, device_attribute(&memory_clock, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, device)) != 0 ||
        CUDA_TRY(cuda, error, device_attribute(&bus, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, device)) != 0)
        return error->status;
    cuda->device.byte_rate = 1e3 * memory_clock * 2 * bus / 8;
    cuda->device.operation_rate = 1e3 * clock * 64 * cuda->multiprocessors;
    return 0;
}

static int open_context(struct cuda *cuda, int32_t ordinal, struct engine_error *error)
{
    CUdevice device;
    CUstream stream = NULL;
    int count;
    size_t free_bytes, bytes;
    if (CUDA_TRY(cuda, error, device_count(&count)) != 0)
        return error->status;
    if (ordinal >= count)
        return error_set(error, ENGINE_STATUS_DEVICE, "there is no CUDA device %d; this machine has %d", ordinal,
                         count);
    if (CUDA_TRY(cuda, error, device_get(&device, ordinal)) != 0 ||
        CUDA_TRY(cuda, error, device_name(cuda->device.name, (int) sizeof cuda->device.name, device)) != 0 ||
        CUDA_TRY(cuda, error,
                 device_attribute(&cuda->multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device)) != 0 ||
        find_rates(cuda, device, error) != 0 || CUDA_TRY(cuda, error, context_retain(&cuda->context, device)) != 0 ||
        CUDA_TRY(cuda, error, context_set(cuda->context)) != 0 ||
        CUDA_TRY(cuda, error, memory_info(&free_bytes, &bytes)) != 0 ||
        CUDA_TRY(cuda, error, event_create(&cuda->event, CU_EVENT_DISABLE_TIMING)) != 0 ||
        CUDA_TRY(cuda, error, stream_create(&stream, 0)) != 0)
        return error->status;
    cuda->ordinal = ordinal;
    cuda->device.bytes = bytes;
    cuda->device.stream = stream;
    if (CUDA_TRY(cuda, error, allocate_host(&cuda->window, WINDOW)) != 0)
        return error->status;
    return load_kernels(cuda, error);
}

static void set_functions(struct cuda *cuda)
{
    cuda->device = (struct device){
        .memory = ENGINE_CUDA_MEMORY,
        .use = use,
        .allocate = allocate,
        .release = release,
        .read = read_range,
        .write = write_range,
        .make_rows = make_rows,
        .hash = hash,
        .allocate_host = allocate_host,
        .release_host = release_host,
        .download = download,
        .upload = upload,
        .upload_beside = upload_beside,
        .wrap = cuda_wrap,
        .synchronise = synchronise,
        .wait = wait_for,
        .record_begin = record_begin,
        .record_end = record_end,
        .replay = replay,
        .forget = forget,
    };
}

/* The primary context stays retained, because the CUDA runtimes of plugins go on using it. Plugins are never
 * unloaded. */
static void close_device(struct device *device)
{
    struct cuda *cuda = cuda_of(device);
    struct engine_error ignored;
    if (cuda->context && cuda_make_current(cuda, &ignored) == 0) {
        if (cuda->module)
            cuda->driver->module_unload(cuda->module);
        if (cuda->window)
            cuda->driver->release_host(cuda->window);
        if (cuda->event)
            cuda->driver->event_destroy(cuda->event);
        if (cuda->uploads)
            cuda->driver->stream_destroy(cuda->uploads);
        if (cuda->device.stream)
            cuda->driver->stream_destroy(cuda->device.stream);
    }
    pthread_mutex_destroy(&cuda->moving);
    free(cuda);
}

static int open_device(int32_t ordinal, struct device **device, struct engine_error *error)
{
    struct cuda *cuda = calloc(1, sizeof *cuda);
    *device = NULL;
    if (!cuda)
        return error_memory(error, sizeof *cuda, "a CUDA device");
    set_functions(cuda);
    cuda->driver = &cuda->loaded;
    pthread_mutex_init(&cuda->moving, NULL);
    if (cuda_driver_load(&cuda->loaded, error) != 0 || open_context(cuda, ordinal, error) != 0) {
        close_device(&cuda->device);
        return error->status;
    }
    *device = &cuda->device;
    return 0;
}

const struct device_kind cuda_devices = {
    .memory = ENGINE_CUDA_MEMORY, .name = "CUDA device", .open = open_device, .close = close_device};
