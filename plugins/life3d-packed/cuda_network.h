/*
 * A rule of 3D Life as a network of three-input operations, and as numbers. The inputs are T, the live cells of three
 * by three by three, as it comes from the adders, bit 0 + 2 bit 1 + 4 (four + more) + 8 (eight + carry), and the cell
 * itself, which is one of them.
 *
 * Three nodes are found wherever they do, as for B5/S4,5: with T below 8 there is no eight, and no sum is needed.
 * Adding four, more and bit 1, or bit 0, makes B6/S5..7 and its like five. All other rules add up the bits of T, with
 * four nodes, and look for a network of these and the cell: seven to nine in all for a rule of a few ranges, ten to
 * fourteen for random sets.
 */
#ifndef LIFE3D_PACKED_CUDA_NETWORK_H
#define LIFE3D_PACKED_CUDA_NETWORK_H

#include <life/network.h>
#include <life/rule3d.h>

enum { LIFE3D_BIT0, LIFE3D_BIT1, LIFE3D_FOUR, LIFE3D_MORE, LIFE3D_EIGHT, LIFE3D_CARRY, LIFE3D_CELL, LIFE3D_INPUTS };

enum { LIFE3D_COUNT_BITS = 5 };

static inline int life3d_inputs_count(int i)
{
    const int fours = (i >> LIFE3D_FOUR & 1) + (i >> LIFE3D_MORE & 1);
    const int eights = (i >> LIFE3D_EIGHT & 1) + (i >> LIFE3D_CARRY & 1);
    return (i >> LIFE3D_BIT0 & 1) + 2 * (i >> LIFE3D_BIT1 & 1) + 4 * fours + 8 * eights;
}

/* Adds what becomes of a cell that is one of `count` for the inputs that are the bits of i. No cell lives among 0, and
 * none is dead among 27. */
static inline void life3d_add_fate(struct life_function *f, int i, int count, int cell, const struct life3d_rule *rule)
{
    const int neighbours = count - cell;
    if (neighbours < 0 || neighbours > LIFE3D_NEIGHBOURS)
        return;
    *((cell ? rule->survive : rule->birth) >> neighbours & 1 ? &f->one : &f->zero) |= (life_bits) 1 << i;
}

static inline struct life_function life3d_rule_function(const struct life3d_rule *rule)
{
    struct life_function f = {0, 0};
    for (int i = 0; i < 1 << LIFE3D_INPUTS; i++)
        life3d_add_fate(&f, i, life3d_inputs_count(i), i >> LIFE3D_CELL, rule);
    return f;
}

/* Of the five bits of T, lowest first, and the cell. */
static inline struct life_function life3d_bits_function(const struct life3d_rule *rule)
{
    struct life_function f = {0, 0};
    for (int i = 0; i < 2 << LIFE3D_COUNT_BITS; i++)
        life3d_add_fate(&f, i, i % (1 << LIFE3D_COUNT_BITS), i >> LIFE3D_COUNT_BITS, rule);
    return f;
}

/* Three nodes after given ones. */
static inline bool life3d_find_after(struct life_search *s, struct life_function f, const struct life_node *first,
                                     int count)
{
    *s = life_start_search(LIFE3D_INPUTS);
    for (int i = 0; i < count; i++)
        life_push(s, first[i].lut, first[i].input[0], first[i].input[1], first[i].input[2]);
    return life_find_few(s, f, 3);
}

/* Bits 2 to 4 of T, and then a network of the bits. */
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

/* The fate of a cell is a sum, mod 2, of products of the cell and bits 1 to 4 of T, each times a term that depends on
 * bit 0 alone: even[i] + bit 0 * change[i], a multiplication of words. Bit 0, 1, … of i: is the cell, bit 1, … in the
 * product. No product has bits 2, 3 and 4, which are never all set. */
enum { LIFE3D_TERMS = 28 };

struct life3d_numbers {
    uint32_t even[LIFE3D_TERMS], change[LIFE3D_TERMS];
};

static inline struct life3d_numbers life3d_rule_numbers(uint32_t birth, uint32_t survive)
{
    const struct life3d_rule rule = {birth, survive};
    const struct life_function f = life3d_bits_function(&rule);
    struct life3d_numbers numbers;
    uint32_t fate[2][LIFE3D_TERMS];
    for (int i = 0; i < LIFE3D_TERMS; i++)
        for (int odd = 0; odd < 2; odd++)
            fate[odd][i] = (uint32_t) (f.one >> ((i & 1) << LIFE3D_COUNT_BITS | (i & ~1) | odd) & 1);
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
