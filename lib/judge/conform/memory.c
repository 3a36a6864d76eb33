#include "judge/conform/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, HUGE_PAGE = 2 << 20, BLOCKS = 1 << 16 };

struct block {
    struct engine_memory of; /* the device's own */
    uint8_t *whole;          /* guard, memory, guard */
    uint8_t *memory;
    uint64_t bytes, guard; /* the guard before the memory; a page is behind it */
    uint8_t guard_byte;
};

struct test_memory {
    const struct test *test;
    struct block blocks[BLOCKS]; /* pages of it that are not used take no memory */
    _Atomic uint32_t used;       /* all blocks from here on are free */
    uint8_t poison;
    uint64_t failing, allocations;
    pthread_mutex_t lock; /* instances of two threads ask for scratch */
};

static struct block *block_at(struct test_memory *memory, const void *address)
{
    for (uint32_t i = 0; i < memory->used; i++)
        if (memory->blocks[i].memory == address)
            return &memory->blocks[i];
    return NULL;
}

static struct block *free_block(struct test_memory *memory)
{
    struct block *block = block_at(memory, NULL);
    if (!block && memory->used < BLOCKS)
        block = &memory->blocks[memory->used++];
    return block;
}

/* ---- Allocating ------------------------------------------------------------------------------------------------ */

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
    if (block->of.allocate(&block->of, all, &whole, &error) != 0)
        return false;
    uint8_t *bytes = malloc(all);
    REQUIRE(memory->test, bytes, "no memory for %llu bytes of poison", (unsigned long long) all);
    fill(bytes, block, all, memory->poison);
    REQUIRE(memory->test, block->of.write(&block->of, whole, all, bytes, &error) == 0, "%s", error.text);
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
static bool make_block(const struct test_memory *memory, struct block *block, const struct engine_memory *of,
                       uint64_t bytes)
{
    const bool on_host = of->kind == ENGINE_HOST_MEMORY;
    block->of = *of;
    block->bytes = bytes;
    block->guard = on_host && bytes >= HUGE_PAGE ? HUGE_PAGE : PAGE;
    block->guard_byte = (uint8_t) (memory->poison ^ 0x99);
    if (!(on_host ? make_host_block : make_device_block)(memory, block))
        return false;
    block->memory = block->whole + block->guard;
    return true;
}

int memory_allocate_guarded(void *user, const struct engine_memory *of, uint64_t bytes, void **out,
                            struct engine_error *error)
{
    struct test_memory *memory = ((struct test *) user)->memory;
    *out = NULL;
    pthread_mutex_lock(&memory->lock);
    struct block *block = free_block(memory);
    REQUIRE(memory->test, block, "takes more than %d blocks of memory", BLOCKS);
    const bool fails =
        ++memory->allocations == memory->failing || bytes > UINT64_C(1) << 36 || !make_block(memory, block, of, bytes);
    if (!fails)
        *out = block->memory;
    pthread_mutex_unlock(&memory->lock);
    return fails ? error_memory(error, bytes, "a buffer") : 0;
}

/* ---- Checking and releasing ------------------------------------------------------------------------------------ */

static bool is_intact(const struct block *block, const uint8_t *guard, uint64_t bytes)
{
    return guard[0] == block->guard_byte && memcmp(guard, guard + 1, bytes - 1) == 0;
}

static void check_guards(const struct test *test, const struct block *block, const uint8_t *before,
                         const uint8_t *behind)
{
    for (uint64_t i = is_intact(block, before, block->guard) ? block->guard : 0; i < block->guard; i++)
        REQUIRE(test, before[i] == block->guard_byte, "writes %llu bytes before a buffer of %llu",
                (unsigned long long) (block->guard - i), (unsigned long long) block->bytes);
    for (uint64_t i = is_intact(block, behind, PAGE) ? PAGE : 0; i < PAGE; i++)
        REQUIRE(test, behind[i] == block->guard_byte, "writes %llu bytes after the end of a buffer of %llu",
                (unsigned long long) i, (unsigned long long) block->bytes);
}

static void check_block(const struct test *test, const struct block *block)
{
    uint8_t before[PAGE], behind[PAGE];
    struct engine_error error;
    if (block->of.kind == ENGINE_HOST_MEMORY) {
        check_guards(test, block, block->whole, block->memory + block->bytes);
        return;
    }
    REQUIRE(test,
            block->of.read(&block->of, block->whole, PAGE, before, &error) == 0 &&
                block->of.read(&block->of, block->memory + block->bytes, PAGE, behind, &error) == 0,
            "%s", error.text);
    check_guards(test, block, before, behind);
}

void memory_release_guarded(void *user, const struct engine_memory *of, void *address, uint64_t bytes)
{
    struct test_memory *memory = ((struct test *) user)->memory;
    pthread_mutex_lock(&memory->lock);
    struct block *block = block_at(memory, address);
    REQUIRE(memory->test, block && block->bytes == bytes,
            "releases memory that was not allocated, or not with this size");
    check_block(memory->test, block);
    if (of->kind == ENGINE_HOST_MEMORY)
        free(block->whole);
    else
        of->release(of, block->whole, block->guard + bytes + PAGE);
    *block = (struct block){0};
    pthread_mutex_unlock(&memory->lock);
}

/* ---- For the properties ---------------------------------------------------------------------------------------- */

void memory_guard(struct test *test)
{
    struct test_memory *memory = calloc(1, sizeof *memory);
    REQUIRE(test, memory, "no memory for the test");
    memory->test = test;
    memory->poison = 0x5a;
    pthread_mutex_init(&memory->lock, NULL);
    test->memory = memory;
}

const uint8_t *memory_around(const struct test *test, const void *address, uint64_t *bytes)
{
    const uint8_t *at = address;
    for (uint32_t i = 0; i < test->memory->used; i++) {
        const struct block *block = &test->memory->blocks[i];
        if (block->memory && at >= block->memory && at - block->memory < (ptrdiff_t) block->bytes) {
            *bytes = block->bytes;
            return block->memory;
        }
    }
    test_fails(test, "a buffer is not memory of the engine");
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
    for (uint32_t i = 0; i < test->memory->used; i++)
        if (test->memory->blocks[i].memory)
            check_block(test, &test->memory->blocks[i]);
}

void memory_check_released(const struct test *test)
{
    for (uint32_t i = 0; i < test->memory->used; i++)
        REQUIRE(test, !test->memory->blocks[i].memory, "%llu bytes are still held at the end",
                (unsigned long long) test->memory->blocks[i].bytes);
}
