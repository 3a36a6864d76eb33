/* What kernels of Life need to run on the host: types, shared memory, and the functions that take the place of inline
 * assembly in life/cuda_words.cuh. And what tests of several kernels share: rules by masks, and guards. */
#ifndef TESTS_PLUGINS_LIFE_HOST_H
#define TESTS_PLUGINS_LIFE_HOST_H

#include "../stencil/simt.h"

#include <algorithm>
#include <vector>

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

/* ---- Rules ------------------------------------------------------------------------------------------------------ */

/* Bit n is the next state of a dead, or live, cell with n live neighbours. */
struct masks {
    uint32_t birth, survive;

    uint32_t next(uint32_t cell, uint32_t count) const
    {
        return (cell ? survive : birth) >> count & 1;
    }
};

/* The live neighbours of one cell of a word, from what the kernels of two dimensions give to their rules. */
template <class AROUND> static uint32_t neighbours_of(const AROUND &n, int bit)
{
    auto of = [&](uint32_t word) { return word >> bit & 1; };
    return of(n.above_low) + 2 * of(n.above_high) + of(n.left) + of(n.right) + of(n.below_low) + 2 * of(n.below_high);
}

/* A rule that counts them. */
struct rule_counting {
    enum { WARM_UP = 2 };
    masks rule;

    template <class AROUND> uint32_t next(const AROUND &n) const
    {
        uint32_t result = 0;
        for (int bit = 0; bit < 32; bit++)
            result |= rule.next(n.cell >> bit & 1, neighbours_of(n, bit)) << bit;
        return result;
    }
};

/* ---- Guards ----------------------------------------------------------------------------------------------------- */

enum { GUARD = 64 }; /* words behind a result that nothing may write */

/* A result with its guard. */
[[maybe_unused]] static std::vector<uint32_t> guarded(size_t words)
{
    return std::vector<uint32_t>(words + GUARD, 0xdeadbeef);
}

/* Has nothing written the guard? Removes it. */
[[maybe_unused]] static bool is_guarded(std::vector<uint32_t> &result)
{
    for (size_t i = result.size() - GUARD; i < result.size(); i++)
        if (result[i] != 0xdeadbeef)
            return false;
    result.resize(result.size() - GUARD);
    return true;
}

#endif
