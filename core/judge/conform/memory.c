/* Memory between guards and poisoned: every buffer and all scratch of a property's process, the host's and, where the
 * implementation computes there, a device's. */
#include "judge/conform/conform.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, HUGE_PAGE = 2 << 20, BLOCKS = 256 };

struct block {
    struct device *device;
    uint8_t *whole; /* guard, memory, guard */
    uint8_t *memory;
    uint64_t bytes, guard; /* before; behind it a page */
    uint8_t guard_byte;
};

static struct block blocks[BLOCKS];
static struct device plain_device; /* the device under test, as it was before memory_guard */
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

/* Moves plain bytes into device memory, or out of it. */
static void move_bytes(struct device *device, void *memory, uint64_t bytes, void *host, bool into_device)
{
    const struct engine_field field = {.name = "bytes", .kind = ENGINE_BINS, .type = ENGINE_U8, .components = 1};
    const struct engine_shape shape = {sizeof shape, ENGINE_U8, 1, 1, {bytes, 1, 1}};
    const struct engine_layout layout = layout_default(&field);
    struct geometry geometry;
    struct engine_error error;
    REQUIRE(geometry_make(&field, &shape, &layout, &geometry, &error) == 0, "%s", error.text);
    const int status = into_device ? device->write(device, &geometry, memory, 0, bytes, host, &error)
                                   : device->read(device, &geometry, memory, 0, bytes, host, &error);
    REQUIRE(status == 0, "%s", error.text);
}

/* Guard, poison, guard in host memory: a block's own, or what goes into a device's. */
static void fill_block(uint8_t *whole, uint64_t guard, uint64_t bytes, uint64_t all, uint8_t guard_byte)
{
    memset(whole, guard_byte, all);
    memset(whole + guard, poison, bytes);
}

static int make_device_block(struct block *block)
{
    struct engine_error error;
    void *whole;
    const uint64_t all = block->guard + block->bytes + PAGE;
    if (plain_device.allocate(block->device, all, &whole, &error) != 0)
        return -1;
    uint8_t *bytes = malloc(all);
    REQUIRE(bytes, "no memory for %llu bytes of poison", (unsigned long long) all);
    fill_block(bytes, block->guard, block->bytes, all, block->guard_byte);
    move_bytes(block->device, whole, all, bytes, true);
    free(bytes);
    block->whole = whole;
    return 0;
}

static int make_host_block(struct block *block)
{
    const uint64_t all =
        (block->guard + block->bytes + UINT64_C(2) * PAGE) / block->guard * block->guard + block->guard;
    block->whole = aligned_alloc(block->guard, all);
    if (!block->whole)
        return -1;
    fill_block(block->whole, block->guard, block->bytes, all, block->guard_byte);
    return 0;
}

/* Also what lies outside follows the poison: reading there then gives another result. */
static int make_block(struct block *block, struct device *device, uint64_t bytes)
{
    const bool on_host = device->memory == ENGINE_HOST_MEMORY;
    block->device = device;
    block->bytes = bytes;
    block->guard = on_host && bytes >= HUGE_PAGE ? HUGE_PAGE : PAGE;
    block->guard_byte = (uint8_t) (poison ^ 0x99);
    if ((on_host ? make_host_block(block) : make_device_block(block)) != 0)
        return -1;
    block->memory = block->whole + block->guard;
    return 0;
}

static int allocate(struct device *device, uint64_t bytes, void **memory, struct engine_error *error)
{
    *memory = NULL;
    pthread_mutex_lock(&lock);
    struct block *block = block_at(NULL);
    REQUIRE(block, "takes more than %d blocks of memory", BLOCKS);
    const bool fails = ++allocations == failing || bytes > UINT64_C(1) << 36 || make_block(block, device, bytes) != 0;
    if (!fails)
        *memory = block->memory;
    pthread_mutex_unlock(&lock);
    return fails ? error_memory(error, bytes, "a buffer, as the test wants it") : 0;
}

static void check_guards(const struct block *block, const uint8_t *before, const uint8_t *behind)
{
    for (uint64_t i = 0; i < block->guard; i++)
        REQUIRE(before[i] == block->guard_byte, "writes %llu bytes before a buffer of %llu",
                (unsigned long long) (block->guard - i), (unsigned long long) block->bytes);
    for (uint64_t i = 0; i < PAGE; i++)
        REQUIRE(behind[i] == block->guard_byte, "writes %llu bytes behind the end of a buffer of %llu",
                (unsigned long long) i, (unsigned long long) block->bytes);
}

static void check_block(const struct block *block)
{
    static uint8_t before[PAGE], behind[PAGE];
    if (block->device->memory == ENGINE_HOST_MEMORY) {
        check_guards(block, block->whole, block->memory + block->bytes);
        return;
    }
    move_bytes(block->device, block->whole, PAGE, before, false);
    move_bytes(block->device, block->memory + block->bytes, PAGE, behind, false);
    check_guards(block, before, behind);
}

static void release(struct device *device, void *memory, uint64_t bytes)
{
    pthread_mutex_lock(&lock);
    struct block *block = block_at(memory);
    REQUIRE(block && block->bytes == bytes, "memory is released that was not allocated so");
    check_block(block);
    if (device->memory == ENGINE_HOST_MEMORY)
        free(block->whole);
    else
        plain_device.release(device, block->whole, block->guard + bytes + PAGE);
    *block = (struct block){0};
    pthread_mutex_unlock(&lock);
}

void memory_guard(void)
{
    struct device *device;
    struct engine_error error;
    device_host()->allocate = allocate;
    device_host()->release = release;
    if (!subject.impl || subject.impl->memory == ENGINE_HOST_MEMORY || !subject.impl->advance ||
        device_find(subject.impl->memory, 0, &device, &error) != 0)
        return;
    plain_device = *device;
    device->allocate = allocate;
    device->release = release;
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
