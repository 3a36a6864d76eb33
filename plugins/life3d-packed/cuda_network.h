/* A rule of 3D Life as a network of three-input operations, and as numbers. The inputs are the five bits of T, the live
 * cells of three by three by three, and the cell itself, which is one of them. The rules that people use take three
 * operations, most with a set of two ranges five or less, random ones six to nine. */
#ifndef LIFE3D_PACKED_CUDA_NETWORK_H
#define LIFE3D_PACKED_CUDA_NETWORK_H

#include <life/network.h>
#include <life/rule3d.h>

enum { LIFE3D_COUNT_BITS = 5, LIFE3D_INPUTS };

/* No cell lives among 0, and none is dead among 27. */
static inline struct life_function life3d_rule_function(uint32_t birth, uint32_t survive)
{
    struct life_function f = {0, 0};
    for (int i = 0; i < 1 << LIFE3D_INPUTS; i++) {
        const int cell = i >> LIFE3D_COUNT_BITS, neighbours = i % (1 << LIFE3D_COUNT_BITS) - cell;
        if (neighbours < 0 || neighbours > LIFE3D_NEIGHBOURS)
            continue;
        *((cell ? survive : birth) >> neighbours & 1 ? &f.one : &f.zero) |= (uint64_t) 1 << i;
    }
    return f;
}

static inline struct life_network life3d_find_network(uint32_t birth, uint32_t survive)
{
    return life_find_network(LIFE3D_INPUTS, life3d_rule_function(birth, survive), NULL, 0);
}

/* The fate of a cell is a sum, mod 2, of products of the cell and bits 1 to 4 of T, each times a term that depends on
 * bit 0 alone: even[i] + bit 0 * change[i], a multiplication of words. Bit 0, 1, … of i: is the cell, bit 1, … in the
 * product. No product has bits 2, 3 and 4, which are never all set. */
enum { LIFE3D_TERMS = 28 };

struct life3d_numbers {
    uint32_t even[LIFE3D_TERMS], change[LIFE3D_TERMS];
};

static inline struct life3d_numbers life3d_rule_numbers(uint32_t birth, uint32_t survive)
{
    const struct life_function f = life3d_rule_function(birth, survive);
    struct life3d_numbers numbers;
    uint32_t fate[2][LIFE3D_TERMS];
    for (int i = 0; i < LIFE3D_TERMS; i++)
        for (int odd = 0; odd < 2; odd++)
            fate[odd][i] = f.one >> ((i & 1) << LIFE3D_COUNT_BITS | (i & ~1) | odd) & 1;
    for (int factor = 1; factor < LIFE3D_TERMS; factor *= 2)
        for (int i = 0; i < LIFE3D_TERMS; i++)
            for (int odd = 0; i & factor && odd < 2; odd++)
                fate[odd][i] ^= fate[odd][i - factor];
    for (int i = 0; i < LIFE3D_TERMS; i++) {
        numbers.even[i] = 0u - fate[0][i]; /* -1 is all ones, and -1 - x its complement */
        numbers.change[i] = fate[1][i] - fate[0][i];
    }
    return numbers;
}

#endif
