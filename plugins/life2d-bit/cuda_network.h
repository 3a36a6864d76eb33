/* A rule of 2D Life as a network of three-input operations. Its inputs are a count of the live cells of three by three,
 * T = low + 2 (carry + odd) + 4 high, and the cell. Most named rules take three or four nodes. */
#ifndef LIFE2D_CUDA_NETWORK_H
#define LIFE2D_CUDA_NETWORK_H

#include <life/network.h>

enum { LIFE2D_LOW, LIFE2D_CARRY, LIFE2D_ODD, LIFE2D_HIGH, LIFE2D_CELL, LIFE2D_INPUTS };

/* No cell lives among 0, and none is dead among 9. */
static inline struct life_function life2d_rule_function(uint32_t birth, uint32_t survive)
{
    struct life_function f = {0, 0};
    for (int i = 0; i < 1 << LIFE2D_INPUTS; i++) {
        const int cell = i >> LIFE2D_CELL & 1;
        const int twos = (i >> LIFE2D_CARRY & 1) + (i >> LIFE2D_ODD & 1) + 2 * (i >> LIFE2D_HIGH & 1);
        const int neighbours = (i >> LIFE2D_LOW & 1) + 2 * twos - cell;
        if (neighbours < 0 || neighbours > 8)
            continue;
        *((cell ? survive : birth) >> neighbours & 1 ? &f.one : &f.zero) |= (life_bits) 1 << i;
    }
    return f;
}

/* First nodes worth a try: functions of how many twos carry, odd and high are. */
static inline struct life_network life2d_find_network(uint32_t birth, uint32_t survive)
{
    static const uint8_t lut_of_twos[4] = {0x01, 0x14, 0x42, 0x28}; /* 0, 1, 2, 3; a lut and its inverse are as good */
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
