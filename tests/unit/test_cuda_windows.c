/* Transfers between host and device memory, window by window, without a device. A stand-in replaces the driver, and its
 * device memory is host memory. This test does not cover the kernels. */
#define CUDA_WINDOW 4096
#include "memory/device_cuda.c"

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

static CUresult fake_upload(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    (void) stream;
    memcpy((void *) (uintptr_t) to, from, bytes);
    return 0;
}

static CUresult fake_download(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    (void) stream;
    memcpy(to, (const void *) (uintptr_t) from, bytes);
    return 0;
}

static CUresult fake_wait(CUstream stream)
{
    (void) stream;
    return 0;
}

static CUresult fake_context(CUcontext context)
{
    (void) context;
    return 0;
}

static const struct cuda_driver fake = {.allocate = fake_allocate,
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
    cuda.device = (struct device){.memory = ENGINE_CUDA_MEMORY, .allocate = allocate, .release = release};
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
};

/* Sizes whose rows are far shorter, and longer, than a window, and whose windows end inside planes. */
static const uint64_t sizes[][3] = {{1, 1, 1}, {70, 300, 1}, {333, 57, 5}, {40000, 3, 2}, {5, 3, 900}};

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_cross_as_they_are),
        cmocka_unit_test(memory_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
