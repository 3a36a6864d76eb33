/* A rule of 3D Life for the CUDA kernels: as a network of three-input operations, and as numbers.
 *
 * The inputs are the cell and the number T of live cells of three by three by three, as the adders leave it:
 * T = bit0 + 2 bit1 + 4 (four + more) + 8 (eight + carry). The cell itself is one of the T.
 *
 *     3 operations     wherever three are enough, as for B5/S4,5: T is below 8 there, so no eight and no sum is needed
 *     5                the sum and the carry of four, more and bit1 (or bit0) first, as for B6/S5..7
 *     5                the same of four and more alone
 *     7 … 14           all other rules: four operations make bits 2 to 4 of T, then a network of the five bits and the
 *                      cell; 7 to 9 in all for a few ranges, 10 to 14 for random sets */
#ifndef LIFE3D_PACKED_CUDA_NETWORK_H
#define LIFE3D_PACKED_CUDA_NETWORK_H

#include <life/network.h>
#include <life/rule3d.h>

enum { LIFE3D_BIT0, LIFE3D_BIT1, LIFE3D_FOUR, LIFE3D_MORE, LIFE3D_EIGHT, LIFE3D_CARRY, LIFE3D_CELL, LIFE3D_INPUTS };

enum { LIFE3D_COUNT_BITS = 5 };

/* T, where the inputs are the bits of i. */
static inline int life3d_inputs_count(int i)
{
    const int fours = (i >> LIFE3D_FOUR & 1) + (i >> LIFE3D_MORE & 1);
    const int eights = (i >> LIFE3D_EIGHT & 1) + (i >> LIFE3D_CARRY & 1);
    return (i >> LIFE3D_BIT0 & 1) + 2 * (i >> LIFE3D_BIT1 & 1) + 4 * fours + 8 * eights;
}

/* Adds one value to a function: the next state of a cell that is one of `count`, where the inputs are the bits of i.
 * Some inputs are impossible, because a live cell counts itself and a dead one does not: they stay don't-cares. */
static inline void life3d_add_value(struct life_function *f, int i, int count, int cell, const struct life3d_rule *rule)
{
    const int neighbours = count - cell;
    if (neighbours < 0 || neighbours > LIFE3D_NEIGHBOURS)
        return;
    *((cell ? rule->survive : rule->birth) >> neighbours & 1 ? &f->one : &f->zero) |= (life_table) 1 << i;
}

static inline struct life_function life3d_rule_function(const struct life3d_rule *rule)
{
    struct life_function f = {0, 0};
    for (int i = 0; i < 1 << LIFE3D_INPUTS; i++)
        life3d_add_value(&f, i, life3d_inputs_count(i), i >> LIFE3D_CELL, rule);
    return f;
}

/* The rule as a function of the five bits of T, lowest first, and the cell. */
static inline struct life_function life3d_bits_function(const struct life3d_rule *rule)
{
    struct life_function f = {0, 0};
    for (int i = 0; i < 2 << LIFE3D_COUNT_BITS; i++)
        life3d_add_value(&f, i, i % (1 << LIFE3D_COUNT_BITS), i >> LIFE3D_COUNT_BITS, rule);
    return f;
}

/* Looks for up to three nodes after the given ones. */
static inline bool life3d_find_after(struct life_search *s, struct life_function f, const struct life_node *first,
                                     int count)
{
    *s = life_start_search(LIFE3D_INPUTS);
    for (int i = 0; i < count; i++)
        life_add_node(s, first[i].lut, first[i].input[0], first[i].input[1], first[i].input[2]);
    return life_find_few(s, f, 3);
}

/* Makes bits 2 to 4 of T, and then a network of the five bits and the cell. With two = four & more, bit2 = four ^ more,
 * bit3 = eight ^ carry ^ two, and bit4 is the majority of these three. 0x3c is a ^ b, 0xc0 is a & b. */
static inline struct life_network life3d_find_of_bits(const struct life3d_rule *rule)
{
    enum { BIT2 = LIFE3D_INPUTS, TWO, BIT3, BIT4, NEXT };
    static const uint8_t place[LIFE3D_COUNT_BITS + 1] = {LIFE3D_BIT0, LIFE3D_BIT1, BIT2, BIT3, BIT4, LIFE3D_CELL};
    const struct life_network of_bits = life_find_network(LIFE3D_COUNT_BITS + 1, life3d_bits_function(rule), NULL, 0);
    struct life_network net = {LIFE3D_INPUTS,
                               4 + of_bits.count,
                               {{0x3c, {LIFE3D_FOUR, LIFE3D_MORE, LIFE3D_CELL}},
                                {0xc0, {LIFE3D_FOUR, LIFE3D_MORE, LIFE3D_CELL}},
                                {0x96, {LIFE3D_EIGHT, LIFE3D_CARRY, TWO}},
                                {0xe8, {LIFE3D_EIGHT, LIFE3D_CARRY, TWO}}}};
    for (int i = 0; i < of_bits.count; i++) {
        struct life_node node = of_bits.node[i];
        for (int k = 0; k < 3; k++)
            node.input[k] =
                (uint8_t) (node.input[k] <= LIFE3D_COUNT_BITS ? place[node.input[k]]
                                                              : node.input[k] - LIFE3D_COUNT_BITS - 1 + NEXT);
        net.node[4 + i] = node;
    }
    return net;
}

static inline struct life_network life3d_find_network(uint32_t birth, uint32_t survive)
{
    static const struct life_node first[3][2] = {
        {{0x96, {LIFE3D_FOUR, LIFE3D_MORE, LIFE3D_BIT1}}, {0xe8, {LIFE3D_FOUR, LIFE3D_MORE, LIFE3D_BIT1}}},
        {{0x96, {LIFE3D_FOUR, LIFE3D_MORE, LIFE3D_BIT0}}, {0xe8, {LIFE3D_FOUR, LIFE3D_MORE, LIFE3D_BIT0}}},
        {{0x3c, {LIFE3D_FOUR, LIFE3D_MORE, LIFE3D_CELL}}, {0xc0, {LIFE3D_FOUR, LIFE3D_MORE, LIFE3D_CELL}}}};
    const struct life3d_rule rule = {birth, survive};
    const struct life_function f = life3d_rule_function(&rule);
    struct life_search s;
    if (life3d_find_after(&s, f, NULL, 0))
        return s.net;
    for (int i = 0; i < 3; i++)
        if (life3d_find_after(&s, f, first[i], 2))
            return s.net;
    return life3d_find_of_bits(&rule);
}

/* A rule as numbers. The next state is a polynomial mod 2 in the cell (bit 0 of the index i) and bits 1 to 4 of T (bits
 * 1 to 4 of i), whose coefficients depend on bit 0 of T alone: even[i] + bit 0 * change[i], by a multiply-add of words.
 * Products of bits 2, 3 and 4 do not occur, because T is at most 27: 28 terms are enough. */
enum { LIFE3D_TERMS = 28 };

struct life3d_numbers {
    uint32_t even[LIFE3D_TERMS], change[LIFE3D_TERMS];
};

static inline struct life3d_numbers life3d_rule_numbers(uint32_t birth, uint32_t survive)
{
    const struct life3d_rule rule = {birth, survive};
    const struct life_function f = life3d_bits_function(&rule);
    struct life3d_numbers numbers;
    uint32_t next[2][LIFE3D_TERMS];
    for (int i = 0; i < LIFE3D_TERMS; i++)
        for (int odd = 0; odd < 2; odd++)
            next[odd][i] = (uint32_t) (f.one >> ((i & 1) << LIFE3D_COUNT_BITS | (i & ~1) | odd) & 1);
    for (int factor = 1; factor < LIFE3D_TERMS; factor *= 2)
        for (int i = 0; i < LIFE3D_TERMS; i++)
            for (int odd = 0; i & factor && odd < 2; odd++)
                next[odd][i] ^= next[odd][i - factor];
    for (int i = 0; i < LIFE3D_TERMS; i++) {
        numbers.even[i] = 0u - next[0][i]; /* -1 is all ones, and -1 - x its complement */
        numbers.change[i] = next[1][i] - next[0][i];
    }
    return numbers;
}

#endif
