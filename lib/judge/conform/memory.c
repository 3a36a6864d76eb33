#include "judge/conform/memory.h"
#include "base/context.h"
#include "memory/device.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, HUGE_PAGE = 2 << 20, BLOCKS = 256 };

struct block {
    struct device *device;
    uint8_t *whole; /* guard, memory, guard */
    uint8_t *memory;
    uint64_t bytes, guard; /* the guard before the memory; a page is behind it */
    uint8_t guard_byte;
};

struct test_memory {
    struct memory_hooks hooks;
    struct test *test;
    struct block blocks[BLOCKS];
    uint8_t poison;
    uint64_t failing, allocations;
    pthread_mutex_t lock; /* instances of two threads ask for scratch */
};

static struct block *block_at(struct test_memory *memory, const void *address)
{
    for (int i = 0; i < BLOCKS; i++)
        if (memory->blocks[i].memory == address)
            return &memory->blocks[i];
    return NULL;
}

/* ---- Allocating ------------------------------------------------------------------------------------------------ */

/* Moves plain bytes into device memory, or out of it. */
static void move_bytes(const struct test *test, struct device *device, void *memory, uint64_t bytes, void *host,
                       bool into_device)
{
    const struct engine_field field = {.name = "bytes", .kind = ENGINE_BINS, .type = ENGINE_U8, .components = 1};
    const struct engine_shape shape = {sizeof shape, ENGINE_U8, 1, 1, {bytes, 1, 1}};
    const struct engine_layout layout = layout_default(&field);
    struct geometry geometry;
    struct engine_error error;
    REQUIRE(test, geometry_make(&field, &shape, &layout, &geometry, &error) == 0, "%s", error.text);
    const int status = into_device ? device->write(device, &geometry, memory, 0, bytes, host, &error)
                                   : device->read(device, &geometry, memory, 0, bytes, host, &error);
    REQUIRE(test, status == 0, "%s", error.text);
}

/* Fills host memory with guard, poison, guard. */
static void fill(uint8_t *whole, const struct block *block, uint64_t all, uint8_t poison)
{
    memset(whole, block->guard_byte, all);
    memset(whole + block->guard, poison, block->bytes);
}

static bool make_device_block(const struct test_memory *memory, struct block *block)
{
    struct engine_error error;
    void *whole;
    const uint64_t all = block->guard + block->bytes + PAGE;
    if (block->device->allocate(block->device, all, &whole, &error) != 0)
        return false;
    uint8_t *bytes = malloc(all);
    REQUIRE(memory->test, bytes, "no memory for %llu bytes of poison", (unsigned long long) all);
    fill(bytes, block, all, memory->poison);
    move_bytes(memory->test, block->device, whole, all, bytes, true);
    free(bytes);
    block->whole = whole;
    return true;
}

static bool make_host_block(const struct test_memory *memory, struct block *block)
{
    const uint64_t all =
        (block->guard + block->bytes + UINT64_C(2) * PAGE) / block->guard * block->guard + block->guard;
    block->whole = aligned_alloc(block->guard, all);
    if (block->whole)
        fill(block->whole, block, all, memory->poison);
    return block->whole != NULL;
}

/* The guards follow the poison, so that reading outside gives another result too. */
static bool make_block(const struct test_memory *memory, struct block *block, struct device *device, uint64_t bytes)
{
    const bool on_host = device->memory == ENGINE_HOST_MEMORY;
    block->device = device;
    block->bytes = bytes;
    block->guard = on_host && bytes >= HUGE_PAGE ? HUGE_PAGE : PAGE;
    block->guard_byte = (uint8_t) (memory->poison ^ 0x99);
    if (!(on_host ? make_host_block : make_device_block)(memory, block))
        return false;
    block->memory = block->whole + block->guard;
    return true;
}

static struct test_memory *memory_of(const struct context *context)
{
    return (struct test_memory *) (uintptr_t) context->memory; /* its first member */
}

static int allocate(const struct context *context, struct device *device, uint64_t bytes, void **out,
                    struct engine_error *error)
{
    struct test_memory *memory = memory_of(context);
    *out = NULL;
    pthread_mutex_lock(&memory->lock);
    struct block *block = block_at(memory, NULL);
    REQUIRE(memory->test, block, "takes more than %d blocks of memory", BLOCKS);
    const bool fails = ++memory->allocations == memory->failing || bytes > UINT64_C(1) << 36 ||
                       !make_block(memory, block, device, bytes);
    if (!fails)
        *out = block->memory;
    pthread_mutex_unlock(&memory->lock);
    return fails ? error_memory(error, bytes, "a buffer") : 0;
}

/* ---- Checking and releasing ------------------------------------------------------------------------------------ */

static void check_guards(const struct test *test, const struct block *block, const uint8_t *before,
                         const uint8_t *behind)
{
    for (uint64_t i = 0; i < block->guard; i++)
        REQUIRE(test, before[i] == block->guard_byte, "writes %llu bytes before a buffer of %llu",
                (unsigned long long) (block->guard - i), (unsigned long long) block->bytes);
    for (uint64_t i = 0; i < PAGE; i++)
        REQUIRE(test, behind[i] == block->guard_byte, "writes %llu bytes after the end of a buffer of %llu",
                (unsigned long long) i, (unsigned long long) block->bytes);
}

static void check_block(const struct test *test, const struct block *block)
{
    uint8_t before[PAGE], behind[PAGE];
    if (block->device->memory == ENGINE_HOST_MEMORY) {
        check_guards(test, block, block->whole, block->memory + block->bytes);
        return;
    }
    move_bytes(test, block->device, block->whole, PAGE, before, false);
    move_bytes(test, block->device, block->memory + block->bytes, PAGE, behind, false);
    check_guards(test, block, before, behind);
}

static void release(const struct context *context, struct device *device, void *address, uint64_t bytes)
{
    struct test_memory *memory = memory_of(context);
    pthread_mutex_lock(&memory->lock);
    struct block *block = block_at(memory, address);
    REQUIRE(memory->test, block && block->bytes == bytes,
            "releases memory that was not allocated, or not with this size");
    check_block(memory->test, block);
    if (device->memory == ENGINE_HOST_MEMORY)
        free(block->whole);
    else
        device->release(device, block->whole, block->guard + bytes + PAGE);
    *block = (struct block){0};
    pthread_mutex_unlock(&memory->lock);
}

/* ---- For the properties ---------------------------------------------------------------------------------------- */

void memory_guard(struct test *test)
{
    struct test_memory *memory = calloc(1, sizeof *memory);
    REQUIRE(test, memory, "no memory for the test");
    *memory = (struct test_memory){.hooks = {allocate, release}, .test = test, .poison = 0x5a};
    pthread_mutex_init(&memory->lock, NULL);
    test->memory = memory;
    test->context->memory = &memory->hooks;
}

struct test *memory_test(const struct context *context)
{
    return memory_of(context)->test;
}

void memory_poison(struct test *test, uint8_t byte)
{
    test->memory->poison = byte;
}

void memory_fail(struct test *test, uint64_t nth)
{
    test->memory->failing = nth;
    test->memory->allocations = 0;
}

uint64_t memory_allocations(const struct test *test)
{
    return test->memory->allocations;
}

void memory_check(const struct test *test)
{
    for (int i = 0; i < BLOCKS; i++)
        if (test->memory->blocks[i].memory)
            check_block(test, &test->memory->blocks[i]);
}

void memory_check_released(const struct test *test)
{
    for (int i = 0; i < BLOCKS; i++)
        REQUIRE(test, !test->memory->blocks[i].memory, "%llu bytes are still held at the end",
                (unsigned long long) test->memory->blocks[i].bytes);
}
