/* Transfers between host and device memory, window by window, without a device; and the rates of a device. A stand-in
 * replaces the driver, and its device memory is host memory. Of the kernels, only that of regions is covered, whose results are made by a function
 * that the host compiles too. */
#define CUDA_WINDOW 4096
#include "cuda/device_cuda.c"
#include "memory/region_kernel.h"
#include "tests/unit/fake_driver.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static CUresult fake_allocate(CUdeviceptr *memory, size_t bytes)
{
    const size_t most = (size_t) 1 << 32; /* all that this device has */
    *memory = bytes > most ? 0 : (CUdeviceptr) (uintptr_t) malloc(bytes);
    return *memory ? 0 : CU_ERROR_OUT_OF_MEMORY;
}

static CUresult fake_release(CUdeviceptr memory)
{
    free((void *) (uintptr_t) memory);
    return 0;
}

static CUresult fake_fill(CUdeviceptr memory, unsigned char byte, size_t bytes, CUstream stream)
{
    (void) stream;
    memset((void *) (uintptr_t) memory, byte, bytes);
    return 0;
}

static CUresult fake_launch(CUfunction function, unsigned x, unsigned y, unsigned z, unsigned block_x, unsigned block_y,
                            unsigned block_z, unsigned shared, CUstream stream, void **arguments, void **extra)
{
    (void) function, (void) x, (void) y, (void) z, (void) block_x, (void) block_y, (void) block_z;
    (void) shared, (void) stream, (void) extra;
    const struct region_task *task = arguments[0];
    for (uint64_t i = 0; i < task->count; i++)
        region_make_result(task, i);
    return 0;
}

static const struct cuda_driver fake = {.launch = fake_launch,
                                        .allocate = fake_allocate,
                                        .release = fake_release,
                                        .fill_bytes = fake_fill,
                                        .upload = fake_upload,
                                        .download = fake_download,
                                        .stream_wait = fake_wait,
                                        .context_set = fake_context};

static struct cuda *fake_device(void)
{
    static char window[WINDOW];
    static struct cuda cuda;
    cuda.device = (struct device){
        .memory = ENGINE_CUDA_MEMORY, .allocate = allocate, .release = release, .synchronise = synchronise};
    cuda.driver = &fake;
    cuda.window = window;
    return &cuda;
}

struct layout_case {
    const char *name;
    struct engine_layout layout;
    uint32_t components;
    bool bits;
};

static const struct layout_case cases[] = {
    {"bytes with ghosts", {.size = sizeof(struct engine_layout), .ghost = {1, 1, 1}}, 1, false},
    {"linear bits", {.size = sizeof(struct engine_layout), .cell_bits = 1, .word_bytes = 8, .wraps = 7}, 1, true},
    {"striped bits",
     {.size = sizeof(struct engine_layout),
      .cell_bits = 1,
      .word_bytes = 4,
      .order = ENGINE_ORDER_STRIPED,
      .group_words = 4,
      .row_align = 128,
      .ghost = {9, 2, 1}},
     1,
     true},
    {"three components of four", {.size = sizeof(struct engine_layout), .component_stride = 4, .wraps = 7}, 3, false},
    {"planar components", {.size = sizeof(struct engine_layout), .planar = 1, .wraps = 7}, 3, false},
    {"planar components with ghosts",
     {.size = sizeof(struct engine_layout), .planar = 1, .row_align = 64, .ghost = {0, 1, 2}, .wraps = 1},
     7,
     false},
};

/* Sizes whose rows are far shorter, and longer, than a window, and whose windows end inside planes. */
static const uint64_t sizes[][3] = {{1, 1, 1}, {70, 300, 1}, {333, 57, 5}, {40000, 3, 2}, {5, 3, 900}, {50000, 1, 1}};

static void fill_random(uint8_t *bytes, uint64_t count, bool bits, uint32_t *seed)
{
    for (uint64_t i = 0; i < count; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        bytes[i] = (uint8_t) (bits ? *seed >> 31 : *seed >> 24);
    }
}

/* Writes random elements, then others over random ranges, and reads random ranges: always what a plain array holds. */
static void try_case(const struct layout_case *test, const uint64_t size[3])
{
    const struct engine_field field = {.name = "cells",
                                       .kind = ENGINE_GRID,
                                       .type = ENGINE_U8,
                                       .rank = 3,
                                       .components = test->components,
                                       .values = test->bits ? 2 : 0};
    const struct engine_shape shape = {sizeof shape, ENGINE_U8, test->components, 3, {size[0], size[1], size[2]}};
    struct geometry geometry;
    struct engine_error error;
    struct device *device = &fake_device()->device;
    void *buffer;
    uint32_t seed = 1;
    assert_int_equal(geometry_make(&field, &shape, &test->layout, &geometry, &error), 0);
    assert_int_equal(device->allocate(device, geometry.bytes, &buffer, &error), 0);
    const uint64_t count = size[0] * size[1] * size[2] * test->components;
    uint8_t *expected = malloc(count), *found = malloc(count), *piece = malloc(count);
    fill_random(expected, count, test->bits, &seed);
    assert_int_equal(write_range(device, &geometry, buffer, 0, count, expected, &error), 0);
    for (int i = 0; i < 40; i++) {
        seed = seed * 1664525u + 1013904223u;
        uint64_t begin = (seed >> 4) % count, n = 1 + (seed >> 9) % (count - begin);
        fill_random(piece, n, test->bits, &seed);
        assert_int_equal(write_range(device, &geometry, buffer, begin, n, piece, &error), 0);
        memcpy(expected + begin, piece, n);
        begin = (seed >> 3) % count, n = count - begin;
        assert_int_equal(read_range(device, &geometry, buffer, begin, n, found, &error), 0);
        assert_memory_equal(found, expected + begin, n);
    }
    device->release(device, buffer, geometry.bytes);
    free(expected);
    free(found);
    free(piece);
}

static void ranges_cross_as_they_are(void **unused)
{
    (void) unused;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            try_case(&cases[c], sizes[s]);
}

/* Particles are generated piece by piece. If each piece moved the whole field, the time would grow with the square of
 * their number. */
static void of_particles_only_the_range_crosses(void **unused)
{
    (void) unused;
    const struct engine_field field = {
        .name = "position", .kind = ENGINE_PARTICLES, .type = ENGINE_F32, .components = 3};
    const struct engine_shape shape = {sizeof shape, ENGINE_F32, 3, 1, {100000, 1, 1}};
    const struct engine_layout layouts[] = {{.size = sizeof layouts[0], .component_stride = 3},
                                            {.size = sizeof layouts[0], .planar = 1}};
    struct device *device = &fake_device()->device;
    for (int i = 0; i < 2; i++) {
        struct geometry geometry;
        struct engine_error error;
        void *buffer;
        float piece[3000] = {0};
        assert_int_equal(geometry_make(&field, &shape, &layouts[i], &geometry, &error), 0);
        assert_int_equal(device->allocate(device, geometry.bytes, &buffer, &error), 0);
        crossed = 0;
        assert_int_equal(write_range(device, &geometry, buffer, 60000, 3000, piece, &error), 0);
        assert_int_equal(crossed, sizeof piece);
        assert_int_equal(read_range(device, &geometry, buffer, 60001, 2998, piece, &error), 0);
        assert_int_equal(crossed, 2 * sizeof piece);
        device->release(device, buffer, geometry.bytes);
    }
}

/* Grids are generated piece by piece, too. */
static void of_planar_grids_only_the_rows_cross(void **unused)
{
    (void) unused;
    const struct engine_field field = {
        .name = "f", .kind = ENGINE_GRID, .type = ENGINE_F32, .rank = 3, .components = 19, .reach = {1, 1, 1}};
    const struct engine_shape shape = {sizeof shape, ENGINE_F32, 19, 3, {16, 30, 20}};
    const struct engine_layout layout = {
        .size = sizeof layout, .planar = 1, .row_align = 64, .ghost = {0, 0, 1}, .wraps = 3};
    struct device *device = &fake_device()->device;
    struct geometry geometry;
    struct engine_error error;
    void *buffer;
    float piece[16 * 19 * 5] = {0};
    assert_int_equal(geometry_make(&field, &shape, &layout, &geometry, &error), 0);
    assert_int_equal(device->allocate(device, geometry.bytes, &buffer, &error), 0);
    crossed = 0;
    assert_int_equal(write_range(device, &geometry, buffer, 16 * 19 * 77, 16 * 19 * 5, piece, &error), 0);
    assert_int_equal(crossed, sizeof piece);
    assert_int_equal(read_range(device, &geometry, buffer, 16 * 19 * 77 + 3, 16 * 19 * 5 - 4, piece, &error), 0);
    assert_int_equal(crossed, 2 * sizeof piece);
    device->release(device, buffer, geometry.bytes);
}

/* A canonical array. */
struct canonical {
    const uint8_t *elements;
    uint64_t element_bytes;
};

static int read_canonical(void *context, uint64_t begin, uint64_t count, void *out, struct engine_error *error)
{
    (void) error;
    const struct canonical *from = context;
    memcpy(out, from->elements + begin * from->element_bytes, count * from->element_bytes);
    return 0;
}

static uint64_t next(uint32_t *seed, uint64_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

static struct region random_region(const uint64_t size[3], enum region_reduce reduce, uint32_t *seed)
{
    struct region region = {.reduce = reduce};
    for (int axis = 0; axis < 3; axis++) {
        region.begin[axis] = next(seed, size[axis]);
        region.end[axis] = region.begin[axis] + 1 + next(seed, size[axis] - region.begin[axis]);
        region.block[axis] = 1 + next(seed, next(seed, 2) ? 5 : 100);
    }
    return region;
}

/* Regions of a device are those of the canonical array, to the bit. */
static void try_regions(const struct layout_case *test, const uint64_t size[3], uint32_t type)
{
    const struct engine_field field = {.name = "cells",
                                       .kind = ENGINE_GRID,
                                       .type = type,
                                       .rank = 3,
                                       .components = test->components,
                                       .values = test->bits ? 2 : 0};
    const struct engine_shape shape = {sizeof shape, type, test->components, 3, {size[0], size[1], size[2]}};
    const uint64_t count = size[0] * size[1] * size[2] * test->components, bytes = count * type_bytes(type);
    struct geometry geometry;
    struct engine_error error;
    struct device *device = &fake_device()->device;
    void *buffer;
    uint32_t seed = 7;
    uint8_t *elements = malloc(bytes), *expected = malloc(8 * bytes), *found = malloc(8 * bytes);
    struct canonical canonical = {elements, type_bytes(type)};
    fill_random(elements, bytes, test->bits, &seed); /* floating-point numbers of any bits, infinity and NaN too */
    assert_int_equal(geometry_make(&field, &shape, &test->layout, &geometry, &error), 0);
    assert_int_equal(device->allocate(device, geometry.bytes, &buffer, &error), 0);
    assert_int_equal(write_range(device, &geometry, buffer, 0, count, elements, &error), 0);
    for (int i = 0; i < 20; i++) {
        const struct region region =
            random_region(size, type > ENGINE_F64 ? REGION_FIRST : (enum region_reduce)(i % 5), &seed);
        const struct engine_shape made = region_shape(&region, &shape);
        const uint64_t all = made.extent[1] * made.extent[2], first = next(&seed, all), rows = all - first;
        const uint64_t made_bytes = made.extent[0] * made.components * type_bytes(made.type) * rows;
        assert_int_equal(region_make_rows(&region, &shape, first, rows, read_canonical, &canonical, expected, &error),
                         0);
        memset(found, 0x55, made_bytes);
        assert_int_equal(make_rows(device, &geometry, buffer, &region, first, rows, 1, found, &error), 0);
        const bool real = made.type == ENGINE_F32 || made.type == ENGINE_F64;
        if (real && region.reduce != REGION_FIRST) /* which NaN a result is, is not defined */
            for (uint64_t k = 0; k < made_bytes; k += type_bytes(made.type)) {
                float single[2];
                double both[2];
                memcpy(&single[0], found + k, 4), memcpy(&single[1], expected + k, 4);
                memcpy(&both[0], found + k, 8), memcpy(&both[1], expected + k, 8);
                const bool nan = made.type == ENGINE_F32 ? single[0] != single[0] && single[1] != single[1]
                                                         : both[0] != both[0] && both[1] != both[1];
                assert_true(nan || memcmp(found + k, expected + k, type_bytes(made.type)) == 0);
            }
        else
            assert_memory_equal(found, expected, made_bytes);
    }
    device->release(device, buffer, geometry.bytes);
    free(elements);
    free(expected);
    free(found);
}

static void regions_are_those_of_the_host(void **unused)
{
    (void) unused;
    static const uint64_t areas[][3] = {{1, 1, 1}, {70, 30, 1}, {333, 17, 5}, {5, 3, 90}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (size_t s = 0; s < sizeof areas / sizeof areas[0]; s++)
            for (uint32_t type = ENGINE_U8; type <= (cases[c].bits ? ENGINE_U8 : ENGINE_C128); type++)
                try_regions(&cases[c], areas[s], type);
}

static void memory_that_is_not_there_is_an_error(void **unused)
{
    (void) unused;
    struct device *device = &fake_device()->device;
    struct engine_error error;
    void *memory;
    assert_int_equal(device->allocate(device, UINT64_MAX / 2, &memory, &error), ENGINE_STATUS_DEVICE);
    assert_non_null(strstr(error.text, "CUDA_ERROR_OUT_OF_MEMORY"));
    assert_null(memory);
}

/* An H100 SXM. */
static CUresult fake_attribute(int *value, int attribute, CUdevice device)
{
    (void) device;
    *value = attribute == CU_DEVICE_ATTRIBUTE_CLOCK_RATE          ? 1980000
             : attribute == CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE ? 2619000
                                                                  : 5120;
    return 0;
}

/* Its data sheet (NVIDIA, 2023) has 3.35 TB/s, and 67 T single-precision operations a second: two for each of the 128
 * multiply-adds that a multiprocessor makes in a clock. */
static void declared_rates_are_those_of_the_data_sheet(void **unused)
{
    static const struct cuda_driver h100 = {.device_attribute = fake_attribute};
    struct cuda cuda = {.driver = &h100, .multiprocessors = 132};
    struct engine_error error;
    (void) unused;
    assert_int_equal(find_rates(&cuda, 0, &error), 0);
    assert_float_equal(cuda.device.byte_rate, 3.35e12, 0.01e12);
    assert_float_equal(cuda.device.operation_rate, 67e12 / 4, 0.1e12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_cross_as_they_are),
        cmocka_unit_test(of_particles_only_the_range_crosses),
        cmocka_unit_test(of_planar_grids_only_the_rows_cross),
        cmocka_unit_test(regions_are_those_of_the_host),
        cmocka_unit_test(memory_that_is_not_there_is_an_error),
        cmocka_unit_test(declared_rates_are_those_of_the_data_sheet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
