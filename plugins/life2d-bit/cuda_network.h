/* A rule of 2D Life as a network of three-input operations. The inputs are the cell and the number T of live cells of
 * three by three, as the adders leave it: T = low + 2 (carry + odd) + 4 high. Most named rules take three or four
 * nodes. */
#ifndef LIFE2D_CUDA_NETWORK_H
#define LIFE2D_CUDA_NETWORK_H

#include <life/network.h>

enum { LIFE2D_LOW, LIFE2D_CARRY, LIFE2D_ODD, LIFE2D_HIGH, LIFE2D_CELL, LIFE2D_INPUTS };

/* The rule as a function of the inputs. T counts the cell itself, so T = 0 with a live cell and T = 9 with a dead one
 * do not occur: they stay don't-cares. */
static inline struct life_function life2d_rule_function(uint32_t birth, uint32_t survive)
{
    struct life_function f = {0, 0};
    for (int i = 0; i < 1 << LIFE2D_INPUTS; i++) {
        const int cell = i >> LIFE2D_CELL & 1;
        const int twos = (i >> LIFE2D_CARRY & 1) + (i >> LIFE2D_ODD & 1) + 2 * (i >> LIFE2D_HIGH & 1);
        const int neighbours = (i >> LIFE2D_LOW & 1) + 2 * twos - cell;
        if (neighbours < 0 || neighbours > 8)
            continue;
        *((cell ? survive : birth) >> neighbours & 1 ? &f.one : &f.zero) |= (life_table) 1 << i;
    }
    return f;
}

/* Hints for the search: functions of the number of twos, carry + odd + 2 high, as far as it is 0 … 3. lut_of_twos[n] is
 * 1 where the number is n:
 *
 *     carry odd high     000 001 010 011 100 101 110 111
 *     twos                0   2   1   3   1   3   2   4
 *     0x01: none          1   0   0   0   0   0   0   0
 *     0x14: one           0   0   1   0   1   0   0   0
 *     0x42: two           0   1   0   0   0   0   1   0
 *     0x28: three         0   0   0   1   0   1   0   0
 */
static inline struct life_network life2d_find_network(uint32_t birth, uint32_t survive)
{
    static const uint8_t lut_of_twos[4] = {0x01, 0x14, 0x42, 0x28};
    struct life_node hints[15];
    for (int i = 0; i < 15; i++) {
        const struct life_node node = {0, {LIFE2D_CARRY, LIFE2D_ODD, LIFE2D_HIGH}};
        hints[i] = node;
        for (int twos = 0; twos < 4; twos++)
            hints[i].lut |= (i + 1) >> twos & 1 ? lut_of_twos[twos] : 0;
    }
    return life_find_network(LIFE2D_INPUTS, life2d_rule_function(birth, survive), hints, 15);
}

#endif
