/* engine_run_hash against the library: every type of elements, layouts, numbers of threads and parts. The plugin has a
 * field of bytes before the field of cells, so the cells may begin anywhere in a block; it has no rule. Everything in a
 * buffer that is no element holds other bits. With TEST_IMPLEMENTATION=cuda the fields lie on a GPU, as tools/check-gpu
 * has it. */
#include "tests/library/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <xxhash.h>

enum { HEAD, CELLS, FIELDS, POISONED = 1 << 20 };

static struct engine_context *context;
static struct engine_error error;

/* ---- The plugins --------------------------------------------------------------------------------------------------- */

#define LAYOUT(...) \
    { \
        .size = sizeof(struct engine_layout), __VA_ARGS__ \
    }

static const struct engine_layout elements[] = {
    LAYOUT(.wraps = 7),
    LAYOUT(.ghost = {1, 2, 0}),
    LAYOUT(.ghost = {3, 0, 0}, .row_align = 64, .row_odd = 1),
    LAYOUT(.component_stride = 4, .wraps = 7),
    LAYOUT(.planar = 1, .ghost = {2, 1, 0}),
};

static const struct engine_layout bits[] = {
    LAYOUT(.cell_bits = 1, .word_bytes = 8, .wraps = 7),
    LAYOUT(.cell_bits = 1, .word_bytes = 4, .order = ENGINE_ORDER_REVERSED, .ghost = {1, 1, 0}),
    LAYOUT(.cell_bits = 1, .word_bytes = 4, .order = ENGINE_ORDER_STRIPED, .group_words = 4, .row_align = 128,
           .ghost = {9, 2, 0}),
    LAYOUT(.cell_bits = 1, .word_bytes = 8, .order = ENGINE_ORDER_STRIPED, .group_words = 3, .ghost = {1, 1, 0}),
};

static const struct engine_layout *asked;

static int layout_of(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                     struct engine_layout *layout)
{
    (void) host, (void) plan;
    if (field == CELLS)
        *layout = *asked;
    return 0;
}

static int advance(void *self, struct engine_call *call)
{
    (void) self, (void) call;
    return 0;
}

/* The plugin for elements of a type, which is added under that name. */
static void add_plugin(const char *name, uint32_t type, uint32_t components, uint32_t values)
{
    const struct engine_field fields[FIELDS] = {
        {ENGINE_PARTICLE_FIELD("head", "", ENGINE_STATE, ENGINE_U8, 1)},
        {.name = "cells",
         .help = "",
         .kind = ENGINE_GRID,
         .role = ENGINE_STATE,
         .type = type,
         .components = components,
         .rank = 2,
         .values = values},
    };
    const struct engine_impl impls[] = {
        {ENGINE_HOST_IMPL("cpu", "", 1, ENGINE_EXACT | ENGINE_REFERENCE), .layout = layout_of, .advance = advance},
        {ENGINE_CUDA_IMPL("cuda", "", 2, ENGINE_EXACT | ENGINE_ENQUEUES), .layout = layout_of, .advance = advance},
    };
    const struct engine_plugin plugin = {ENGINE_PLUGIN(name, "1", ""), .fields = ENGINE_ARRAY(fields),
                                         .impls = ENGINE_ARRAY(impls)};
    if (engine_plugin_add(context, &plugin, &error) != 0)
        fail_msg("%s", error.text);
}

static int allocate(void *user, const struct engine_memory *memory, uint64_t bytes, void **address,
                    struct engine_error *why)
{
    static uint8_t poison[POISONED];
    (void) user;
    memset(poison, 0xA5, sizeof poison);
    int status = memory->allocate(memory, bytes, address, why);
    for (uint64_t at = 0; status == 0 && at < bytes; at += POISONED)
        status =
            memory->write(memory, (char *) *address + at, bytes - at < POISONED ? bytes - at : POISONED, poison, why);
    return status;
}

static void release(void *user, const struct engine_memory *memory, void *address, uint64_t bytes)
{
    (void) user;
    memory->release(memory, address, bytes);
}

static int begin(void **state)
{
    (void) state;
    return open_built_context((struct engine_hooks){.allocate = allocate, .release = release}, &context, &error);
}

static int end(void **state)
{
    (void) state;
    engine_close(context);
    return 0;
}

/* ---- Hashes -------------------------------------------------------------------------------------------------------- */

static uint32_t seed = 1;

static uint32_t draw(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static uint64_t bytes_of(const struct engine_run *run, uint32_t field)
{
    static const uint32_t each[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 16}; /* ENGINE_U8 … ENGINE_C128 */
    struct engine_shape shape = {.size = sizeof shape};
    engine_run_shape(run, field, &shape);
    return shape.extent[0] * shape.extent[1] * shape.extent[2] * shape.components * each[shape.type];
}

/* Fills a field with random bytes, and adds them to the wanted hash. */
static void write_field(struct engine_run *run, uint32_t field, uint32_t values, XXH3_state_t *wanted)
{
    const uint64_t bytes = bytes_of(run, field);
    uint8_t *canonical = malloc(bytes);
    for (uint64_t i = 0; i < bytes; i++)
        canonical[i] = (uint8_t) draw(values);
    if (engine_run_write(run, field, NULL, canonical, bytes, &error) != 0)
        fail_msg("%s", error.text);
    XXH3_128bits_update(wanted, canonical, bytes);
    free(canonical);
}

/* The head has `head` bytes. */
static void try_size(const char *plugin, uint32_t values, uint64_t head, uint64_t width, uint64_t height, int threads)
{
    char count[64], size[64], on[64], name[64], implementation[64], hash[ENGINE_HASH_SIZE], text[ENGINE_HASH_SIZE];
    const char *const settings[] = {name, implementation, count, size, on};
    struct engine_config *config;
    struct engine_run *run = NULL;
    XXH3_state_t *const wanted = XXH3_createState();
    snprintf(name, sizeof name, "run.plugin=%s", plugin);
    snprintf(implementation, sizeof implementation, "run.implementation=%s", tested_implementation());
    snprintf(count, sizeof count, "particles.count=%llu", (unsigned long long) head);
    snprintf(size, sizeof size, "grid.size=%llu %llu", (unsigned long long) width, (unsigned long long) height);
    snprintf(on, sizeof on, "run.threads=%d", threads);
    int status = engine_config_open(context, NULL, &config, &error);
    for (size_t i = 0; status == 0 && i < sizeof settings / sizeof settings[0]; i++)
        status = engine_config_set(config, settings[i], &error);
    if (status != 0 || engine_run_plan(config, &run, &error) != 0 || engine_run_prepare(run, 0, &error) != 0)
        fail_msg("%s", error.text);
    XXH3_128bits_reset(wanted);
    write_field(run, HEAD, 256, wanted);
    write_field(run, CELLS, values, wanted);
    const XXH128_hash_t digest = XXH3_128bits_digest(wanted);
    snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long) digest.high64,
             (unsigned long long) digest.low64);
    if (engine_run_hash(run, hash, &error) != 0)
        fail_msg("%s", error.text);
    if (strcmp(hash, text) != 0)
        fail_msg("%s %s %s %s: %s, not %s", name, count, size, on, hash, text);
    XXH3_freeState(wanted);
    engine_run_close(run);
    engine_config_close(config);
}

/* Sizes around blocks, chunks and pieces of 1 MiB, after heads of which some put elements across the ends of blocks. */
static void try_layout(const char *plugin, uint32_t element, uint32_t values)
{
    static const uint64_t heads[] = {1, 8, 16, 240, 1023, 1024, 1031};
    static const uint64_t lengths[] = {1, 239, 241, 1023, 1025, 32769, 65535, 65537, 1048575, 1048577, 3333333};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const uint64_t cells = lengths[i] / element + 1, height = 1 + draw(cells < 40 ? (uint32_t) cells : 40);
        try_size(plugin, values, heads[draw(7)], cells / height + 1, height, 1 + (int) draw(5));
    }
}

static void elements_of_every_type(void **state)
{
    static const uint32_t each[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 16};
    (void) state;
    for (uint32_t type = ENGINE_U8; type <= ENGINE_C128; type++)
        for (uint32_t components = 1; components <= 3; components += 2) {
            char name[32];
            snprintf(name, sizeof name, "type-%u-%u", type, components);
            add_plugin(name, type, components, 0);
            for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
                asked = &elements[i];
                try_layout(name, each[type] * components, 256);
            }
        }
}

static void bits_in_every_order(void **state)
{
    (void) state;
    add_plugin("bits", ENGINE_U8, 1, 2);
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        asked = &bits[i];
        for (int k = 0; k < 3; k++)
            try_layout("bits", 1, 2);
    }
}

static void bytes_of_some_values(void **state)
{
    (void) state;
    asked = &elements[1];
    add_plugin("few", ENGINE_U8, 1, 3);
    add_plugin("many", ENGINE_U8, 1, 200);
    try_layout("few", 1, 3);
    try_layout("many", 1, 200);
}

/* Every number of threads, on arrays of less than a piece for each and of several. */
static void on_any_number_of_threads(void **state)
{
    (void) state;
    asked = &bits[0];
    add_plugin("cells", ENGINE_U8, 1, 2);
    for (int threads = 1; threads <= 5; threads++)
        for (uint64_t height = 1; height <= 16; height += 5)
            try_size("cells", 2, 3, 1 << 19, height, threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_of_every_type),
        cmocka_unit_test(bits_in_every_order),
        cmocka_unit_test(bytes_of_some_values),
        cmocka_unit_test(on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
