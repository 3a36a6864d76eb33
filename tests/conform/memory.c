/* The host's memory, between guards and poisoned: every buffer and all scratch of a property's process. */
#include "conform.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, HUGE_PAGE = 2 << 20, BLOCKS = 256 };

struct block {
    uint8_t *whole; /* guard, memory, guard */
    uint8_t *memory;
    uint64_t bytes, guard; /* before; behind it a page */
    uint8_t guard_byte;
};

static struct block blocks[BLOCKS];
static uint8_t poison = 0x5a;
static uint64_t failing, allocations;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* instances of two threads ask for scratch */

static struct block *block_at(const void *memory)
{
    for (int i = 0; i < BLOCKS; i++)
        if (blocks[i].memory == memory)
            return &blocks[i];
    return NULL;
}

/* Also what lies outside follows the poison: reading there then gives another result. */
static int make_block(struct block *block, uint64_t bytes)
{
    block->bytes = bytes;
    block->guard = bytes >= HUGE_PAGE ? HUGE_PAGE : PAGE;
    block->guard_byte = (uint8_t) (poison ^ 0x99);
    const uint64_t all = (block->guard + bytes + 2 * PAGE) / block->guard * block->guard + block->guard;
    block->whole = aligned_alloc(block->guard, all);
    if (!block->whole)
        return -1;
    memset(block->whole, block->guard_byte, all);
    block->memory = block->whole + block->guard;
    memset(block->memory, poison, bytes);
    return 0;
}

static int allocate(struct device *device, uint64_t bytes, void **memory, struct error *error)
{
    (void) device;
    *memory = NULL;
    pthread_mutex_lock(&lock);
    struct block *block = block_at(NULL);
    REQUIRE(block, "takes more than %d blocks of memory", BLOCKS);
    const bool fails = ++allocations == failing || bytes > UINT64_C(1) << 36 || make_block(block, bytes) != 0;
    if (!fails)
        *memory = block->memory;
    pthread_mutex_unlock(&lock);
    return fails ? error_memory(error, bytes, "a buffer, as the test wants it") : 0;
}

static void check_block(const struct block *block)
{
    for (uint64_t i = 1; i <= block->guard; i++)
        REQUIRE(block->memory[-(int64_t) i] == block->guard_byte, "writes %llu bytes before a buffer of %llu",
                (unsigned long long) i, (unsigned long long) block->bytes);
    for (uint64_t i = 0; i < PAGE; i++)
        REQUIRE(block->memory[block->bytes + i] == block->guard_byte,
                "writes %llu bytes behind the end of a buffer of %llu", (unsigned long long) i,
                (unsigned long long) block->bytes);
}

static void release(struct device *device, void *memory, uint64_t bytes)
{
    (void) device;
    pthread_mutex_lock(&lock);
    struct block *block = block_at(memory);
    REQUIRE(block && block->bytes == bytes, "memory is released that was not allocated so");
    check_block(block);
    free(block->whole);
    *block = (struct block){0};
    pthread_mutex_unlock(&lock);
}

void memory_guard(void)
{
    device_host()->allocate = allocate;
    device_host()->release = release;
}

void memory_poison(uint8_t byte)
{
    poison = byte;
}

void memory_fail(uint64_t nth)
{
    failing = nth;
    allocations = 0;
}

uint64_t memory_allocations(void)
{
    return allocations;
}

void memory_check(void)
{
    for (int i = 0; i < BLOCKS; i++)
        if (blocks[i].memory)
            check_block(&blocks[i]);
}

void memory_check_released(void)
{
    for (int i = 0; i < BLOCKS; i++)
        REQUIRE(!blocks[i].memory, "%llu bytes are still held at the end", (unsigned long long) blocks[i].bytes);
}
