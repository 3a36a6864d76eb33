/* Hashes of fields in device memory, without a device, against the library. A stand-in replaces the driver, and its device
 * memory is host memory. Functions that the host compiles too do what a warp of the kernel does. */
#define CUDA_WINDOW 8192
#include "cuda/device_cuda.c"
#include "cuda/hash_kernel.h"
#include "tests/unit/fake_driver.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <xxhash.h>

static uint64_t launches;
static CUresult launched; /* what a launch returns */

/* Whether there are threads for all blocks is tested by the result: the stand-in does as many blocks as the grid has
 * warps for. */
static CUresult fake_launch(CUfunction function, unsigned x, unsigned y, unsigned z, unsigned block_x, unsigned block_y,
                            unsigned block_z, unsigned shared, CUstream stream, void **arguments, void **extra)
{
    (void) function, (void) y, (void) z, (void) block_y, (void) block_z, (void) shared, (void) stream, (void) extra;
    const struct hash_task *task = arguments[0];
    const uint64_t most = (uint64_t) x * block_x / HASH_THREADS * HASH_TOGETHER;
    uint8_t *out = task->out + task->head;
    launches++;
    assert_int_equal((uintptr_t) out % 8, 0);
    for (uint64_t i = 0; i < task->head + task->tail; i++)
        hash_copy_byte(task, i);
    for (uint64_t block = 0; block < task->blocks && block < most; block++, out += HASH_STRIPE) {
        uint64_t sums[2][HASH_WORDS] = {{0}};
        for (uint32_t thread = 0; thread < HASH_THREADS; thread++)
            if (hash_add_share(task, block, thread, sums[thread % 2]))
                *task->wrong = 1;
        memcpy(out, sums, sizeof sums);
    }
    return launched;
}

static const struct cuda_driver fake = {.launch = fake_launch,
                                        .upload = fake_upload,
                                        .download = fake_download,
                                        .stream_wait = fake_wait,
                                        .context_set = fake_context};

static struct cuda *fake_device(void)
{
    static _Alignas(4096) char window[WINDOW];
    static struct cuda cuda;
    cuda.device = (struct device){.memory = ENGINE_CUDA_MEMORY, .synchronise = synchronise};
    cuda.driver = &fake;
    cuda.window = window;
    return &cuda;
}

struct layout_case {
    struct engine_layout layout;
    uint32_t components;
};

#define LAYOUT(...) \
    { \
        .size = sizeof(struct engine_layout), __VA_ARGS__ \
    }
#define BITS(order_, word_, ...) LAYOUT(.cell_bits = 1, .order = (order_), .word_bytes = (word_), __VA_ARGS__)

static const struct layout_case elements[] = {
    {LAYOUT(.wraps = 7), 1},
    {LAYOUT(.ghost = {1, 2, 1}), 1},
    {LAYOUT(.ghost = {3, 0, 0}, .row_align = 64, .row_odd = 1), 3},
    {LAYOUT(.component_stride = 4, .wraps = 7), 3},
    {LAYOUT(.component_stride = 3, .ghost = {1, 1, 1}), 2},
    {LAYOUT(.planar = 1, .wraps = 7), 3},
    {LAYOUT(.planar = 1, .ghost = {2, 1, 0}), 2},
    {LAYOUT(.planar = 1, .ghost = {1, 1, 1}), 1},
};

static const struct layout_case bits[] = {
    {BITS(ENGINE_ORDER_LINEAR, 8, .wraps = 7), 1},
    {BITS(ENGINE_ORDER_LINEAR, 1, .ghost = {3, 1, 1}), 1},
    {BITS(ENGINE_ORDER_REVERSED, 4, .ghost = {1, 1, 0}), 1},
    {BITS(ENGINE_ORDER_REVERSED, 8, .wraps = 7, .row_align = 128), 1},
    {BITS(ENGINE_ORDER_STRIPED, 4, .group_words = 4, .row_align = 128, .ghost = {9, 2, 1}), 1},
    {BITS(ENGINE_ORDER_STRIPED, 8, .group_words = 3, .ghost = {1, 1, 1}), 1},
    {BITS(ENGINE_ORDER_STRIPED, 2, .group_words = 16, .wraps = 7), 1},
};

static uint32_t seed = 1;

static uint32_t draw(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

/* A buffer with random elements, and with other bits everywhere else. */
struct filled {
    struct geometry geometry;
    void *buffer;
    uint8_t *canonical;
    uint64_t bytes;
};

static struct filled fill(const struct layout_case *test, uint32_t type, const uint64_t size[3], uint32_t values)
{
    const struct engine_field field = {.name = "cells",
                                       .kind = ENGINE_GRID,
                                       .type = type,
                                       .rank = 3,
                                       .components = test->components,
                                       .values = values};
    const struct engine_shape shape = {sizeof shape, type, test->components, 3, {size[0], size[1], size[2]}};
    struct engine_error error;
    struct filled filled;
    assert_int_equal(geometry_make(&field, &shape, &test->layout, &filled.geometry, &error), 0);
    shape_bytes(&shape, &filled.bytes);
    filled.buffer = aligned_alloc(4096, divide_up(filled.geometry.bytes, 4096) * 4096);
    filled.canonical = malloc(filled.bytes);
    memset(filled.buffer, 0xA5, filled.geometry.bytes);
    for (uint64_t i = 0; i < filled.bytes; i++)
        filled.canonical[i] = (uint8_t) (values ? draw(values) : draw(256));
    geometry_write(&filled.geometry, filled.buffer, 0, filled.bytes / type_bytes(type), filled.canonical);
    return filled;
}

static void discard(struct filled *filled)
{
    free(filled->buffer);
    free(filled->canonical);
}

static int hash_range_of(const struct filled *filled, uint64_t begin, uint64_t count, uint32_t values,
                         struct hash *chain, struct engine_error *error)
{
    return hash(&fake_device()->device, &filled->geometry, filled->buffer, begin, count, values, chain, error);
}

static uint64_t count_of(const struct filled *filled)
{
    return filled->bytes / filled->geometry.element_bytes;
}

/* Hashes some bytes, elements [begin, begin + count), and a byte behind them. */
static void assert_range(const struct filled *filled, uint32_t values, uint64_t before, uint64_t begin, uint64_t count)
{
    static uint8_t other[4096];
    const uint64_t bytes = filled->geometry.element_bytes;
    char wanted[HASH_TEXT], text[HASH_TEXT];
    struct engine_error error;
    struct hash chain;
    XXH3_state_t *const all = XXH3_createState();
    XXH3_128bits_reset(all);
    XXH3_128bits_update(all, other, before);
    XXH3_128bits_update(all, filled->canonical + begin * bytes, count * bytes);
    XXH3_128bits_update(all, other, 1);
    const XXH128_hash_t digest = XXH3_128bits_digest(all);
    XXH3_freeState(all);
    snprintf(wanted, sizeof wanted, "%016llx%016llx", (unsigned long long) digest.high64,
             (unsigned long long) digest.low64);
    hash_begin(&chain);
    hash_add(&chain, other, before);
    assert_int_equal(hash_range_of(filled, begin, count, values, &chain, &error), 0);
    assert_int_equal(chain.bytes, before + count * bytes);
    hash_add(&chain, other, 1);
    hash_print(&chain, text);
    assert_string_equal(text, wanted);
}

static void assert_hash(const struct filled *filled, uint32_t values, uint64_t before)
{
    assert_range(filled, values, before, 0, count_of(filled));
}

static const uint64_t befores[] = {0, 1, 7, 8, 240, 1000, 1023, 1024, 1025, 1087, 2050};

static void try_case(const struct layout_case *test, uint32_t type, const uint64_t size[3], uint32_t values)
{
    struct filled filled = fill(test, type, size, values);
    for (int i = 0; i < 3; i++)
        assert_hash(&filled, values, befores[draw(sizeof befores / sizeof befores[0])]);
    const uint64_t count = count_of(&filled), begin = draw((uint32_t) count);
    if ((count - begin) * filled.geometry.element_bytes >= WINDOW / 256)
        assert_range(&filled, values, draw(1100), begin, count - begin);
    discard(&filled);
}

/* Rows of one cell and of many; fewer bytes than a block, and several windows. */
static const uint64_t sizes[][3] = {{1, 100, 1},  {7, 11, 13}, {239, 1, 1},  {241, 1, 1}, {1023, 1, 1},  {1024, 1, 1},
                                    {1025, 1, 1}, {64, 64, 2}, {333, 57, 2}, {5, 3, 900}, {23552, 1, 1}, {23553, 2, 1}};

static void every_layout_of_elements(void **state)
{
    (void) state;
    for (size_t c = 0; c < sizeof elements / sizeof elements[0]; c++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (uint32_t type = ENGINE_U8; type <= ENGINE_C128; type++)
                try_case(&elements[c], type, sizes[s], 0);
}

static void every_order_of_bits(void **state)
{
    (void) state;
    for (size_t c = 0; c < sizeof bits / sizeof bits[0]; c++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            try_case(&bits[c], ENGINE_U8, sizes[s], 2);
}

/* Every length around the ends of blocks and of windows, whose ranges have 23 blocks. */
static void every_length(void **state)
{
    (void) state;
    const uint64_t around[] = {64, 240, 1024, 2048, 23 * 1024, 46 * 1024, 65536};
    for (size_t i = 0; i < sizeof around / sizeof around[0]; i++)
        for (uint64_t length = around[i] - 3; length <= around[i] + 67; length++) {
            const uint64_t size[3] = {length, 1, 1};
            struct filled filled = fill(&bits[length % 7], ENGINE_U8, size, 2);
            assert_hash(&filled, 2, draw(3) * draw(1100));
            discard(&filled);
        }
}

/* Adds nothing: then the field is read, and the error says which element is wrong. */
static void assert_nothing(const struct filled *filled, uint32_t values, int wanted)
{
    struct engine_error error;
    struct hash chain, before;
    hash_begin(&chain);
    hash_add(&chain, "before", 6);
    before = chain;
    assert_int_equal(hash_range_of(filled, 0, count_of(filled), values, &chain, &error), wanted);
    assert_memory_equal(&chain, &before, sizeof chain);
}

/* One byte that is too large, at the begin, at the end, and anywhere between; the largest byte that is not. */
static void a_wrong_value_adds_nothing(void **state)
{
    (void) state;
    const uint64_t size[3] = {317, 101, 1};
    for (uint32_t values = 1; values <= 256; values += 1 + draw(9)) {
        struct filled filled = fill(&elements[1], ENGINE_U8, size, values);
        uint64_t at = values % 3 == 0 ? 0 : values % 3 == 1 ? filled.bytes - 1 : draw((uint32_t) filled.bytes);
        uint8_t value = (uint8_t) (values - 1);
        filled.canonical[at] = value;
        geometry_write(&filled.geometry, filled.buffer, at, 1, &value);
        assert_hash(&filled, values, 6);
        value = (uint8_t) (values + draw(256 - values));
        if (values < 256) {
            geometry_write(&filled.geometry, filled.buffer, at, 1, &value);
            assert_nothing(&filled, values, 0);
        }
        discard(&filled);
    }
}

static void unpack_nothing(const struct engine_shape *shape, uint64_t begin, uint64_t count, const void *buffer,
                           void *canonical)
{
    (void) shape, (void) begin, (void) count, (void) buffer, (void) canonical;
}

static void pack_nothing(const struct engine_shape *shape, uint64_t begin, uint64_t count, const void *canonical,
                         void *buffer)
{
    (void) shape, (void) begin, (void) count, (void) buffer, (void) canonical;
}

static void what_the_kernel_does_not_know_is_read(void **state)
{
    (void) state;
    const uint64_t size[3] = {64, 64, 1}, few[3] = {WINDOW / 256 - 1, 1, 1};
    const struct layout_case own = {LAYOUT(.own_bytes = 4096, .pack = pack_nothing, .unpack = unpack_nothing), 1};
    struct filled filled[] = {fill(&own, ENGINE_U8, size, 0), fill(&elements[0], ENGINE_U16, size, 1000),
                              fill(&elements[0], ENGINE_U8, few, 0)};
    launches = 0;
    for (int i = 0; i < 3; i++) {
        assert_nothing(&filled[i], i == 1 ? 1000 : 0, 0);
        discard(&filled[i]);
    }
    assert_int_equal(launches, 0);
}

static CUresult fake_name(CUresult result, const char **name)
{
    (void) result;
    *name = "CUDA_ERROR_FAKE";
    return 0;
}

static void an_error_adds_nothing(void **state)
{
    (void) state;
    const uint64_t size[3] = {300, 300, 1};
    struct cuda_driver failing = fake;
    struct filled filled = fill(&elements[0], ENGINE_U8, size, 0);
    struct cuda *cuda = fake_device();
    struct engine_error error;
    struct hash chain, before;
    failing.error_name = failing.error_string = fake_name;
    cuda->driver = &failing;
    hash_begin(&chain);
    before = chain;
    launched = 1;
    assert_int_equal(hash(&cuda->device, &filled.geometry, filled.buffer, 0, 90000, 0, &chain, &error),
                     ENGINE_STATUS_DEVICE);
    launched = 0;
    assert_memory_equal(&chain, &before, sizeof chain);
    assert_non_null(strstr(error.text, "CUDA_ERROR_FAKE"));
    discard(&filled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_of_elements),
        cmocka_unit_test(every_order_of_bits),
        cmocka_unit_test(every_length),
        cmocka_unit_test(a_wrong_value_adds_nothing),
        cmocka_unit_test(what_the_kernel_does_not_know_is_read),
        cmocka_unit_test(an_error_adds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
