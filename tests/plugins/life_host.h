/* What kernels of Life need to run on the host: types, shared memory, and the functions that take the place of inline
 * assembly in life/cuda_words.cuh. */
#ifndef TESTS_PLUGINS_LIFE_HOST_H
#define TESTS_PLUGINS_LIFE_HOST_H

#include "../stencil/simt.h"

#include <algorithm>

using std::max;
using std::min;

struct uint4 {
    uint32_t x, y, z, w;
};
static uint4 make_uint4(uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
    return {x, y, z, w};
}
struct ulonglong2 {
    unsigned long long x, y;
};

/* Shared memory. An address is the distance from here. */
static uint4 life_host_shared[1 << 14];

static inline size_t __cvta_generic_to_shared(const void *at)
{
    return (size_t) ((const char *) at - (const char *) life_host_shared);
}

static inline void life_host_read(uint32_t (&word)[4], uint32_t shared)
{
    memcpy(word, (char *) life_host_shared + shared, sizeof word);
}

static inline void life_host_write(uint32_t shared, const uint32_t (&word)[4])
{
    memcpy((char *) life_host_shared + shared, word, sizeof word);
}

static inline void life_host_copy(uint32_t shared, const uint4 *from)
{
    memcpy((char *) life_host_shared + shared, from, sizeof *from);
}

/* Lets the other threads send what this one waits for. */
static inline void life_host_poll(uint64_t *part, const ulonglong2 *slot)
{
    pass_the_turn();
    part[0] = slot->x, part[1] = slot->y;
}

#endif
