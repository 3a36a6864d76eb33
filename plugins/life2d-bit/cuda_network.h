/*
 * A rule of Life as a short network of three-input operations.
 *
 * Its inputs are a count of the live cells of three by three, T = low + 2 (carry + odd) + 4 high, and the cell. Two
 * nodes are found exactly: a function is final(g, a, b) with g a function of three signals if the eight values of those
 * three can be parted in two so that, for each value of a and b, no part holds both a 0 and a 1. Networks of three and
 * four nodes are such pairs after one or two tried nodes; the rest has a form of five or seven that always fits. Most
 * named rules take three or four.
 */
#ifndef LIFE2D_CUDA_NETWORK_H
#define LIFE2D_CUDA_NETWORK_H

#include <stdint.h>

enum { LIFE2D_LOW, LIFE2D_CARRY, LIFE2D_ODD, LIFE2D_HIGH, LIFE2D_CELL, LIFE2D_INPUTS, LIFE2D_MOST_NODES = 7 };

/* Signal LIFE2D_INPUTS + i is what node i makes; the last node's is the cell's fate. */
struct life2d_node {
    uint8_t lut, input[3]; /* bit 4a + 2b + c of the lut for inputs a, b, c */
};

struct life2d_network {
    unsigned count;
    struct life2d_node node[LIFE2D_MOST_NODES];
};

/* A function of the five inputs: bit i of `ones` is its value where the inputs are the bits of i; of `care`, whether it
 * matters: no cell lives among 0, and none is dead among 9. */
struct life2d_table {
    uint32_t ones, care;
};

static const uint32_t life2d_input_ones[LIFE2D_INPUTS] = {0xaaaaaaaau, 0xccccccccu, 0xf0f0f0f0u, 0xff00ff00u,
                                                          0xffff0000u};

static struct life2d_table life2d_rule_table(uint32_t birth, uint32_t survive)
{
    struct life2d_table table = {0, 0};
    for (int i = 0; i < 32; i++) {
        const int cell = i >> LIFE2D_CELL & 1;
        const int neighbours = (i & 1) + 2 * ((i >> 1 & 1) + (i >> 2 & 1)) + 4 * (i >> 3 & 1) - cell;
        if (neighbours < 0 || neighbours > 8)
            continue;
        table.care |= 1u << i;
        table.ones |= ((cell ? survive : birth) >> neighbours & 1) << i;
    }
    return table;
}

static uint32_t life2d_apply(unsigned lut, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t ones = 0;
    for (unsigned i = 0; i < 8; i++)
        if (lut >> i & 1)
            ones |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return ones;
}

/* Where three signals take their eight values. */
static void life2d_minterms(uint32_t (*at)[8], const uint32_t *signal, int a, int b, int c)
{
    for (unsigned i = 0; i < 8; i++)
        (*at)[i] =
            (i & 4 ? signal[a] : ~signal[a]) & (i & 2 ? signal[b] : ~signal[b]) & (i & 1 ? signal[c] : ~signal[c]);
}

/* The lut that makes the table of three signals; -1: none does. */
static int life2d_final_lut(struct life2d_table table, const uint32_t *signal, int a, int b, int c)
{
    uint32_t at[8];
    int lut = 0;
    life2d_minterms(&at, signal, a, b, c);
    for (int i = 0; i < 8; i++) {
        const uint32_t one = at[i] & table.care & table.ones, zero = at[i] & table.care & ~table.ones;
        if (one && zero)
            return -1;
        lut |= (one != 0) << i;
    }
    return lut;
}

/* Parts the eight values so that neighbours in the graph fall apart: the lut of the first part; -1: impossible. */
static int life2d_two_parts(const uint8_t (*apart)[8])
{
    unsigned part[2] = {0, 0};
    for (int i = 0; i < 8; i++) {
        if ((part[0] | part[1]) >> i & 1)
            continue;
        part[1] |= 1u << i;
        for (unsigned before = 0; before != (part[0] | part[1]);) {
            before = part[0] | part[1];
            for (int j = 0; j < 8; j++)
                for (int p = 0; p < 2; p++)
                    if (part[p] >> j & 1)
                        part[1 - p] |= (*apart)[j];
        }
    }
    return part[0] & part[1] ? -1 : (int) part[1];
}

/* The lut of g = lut(three signals) such that the table is a function of g, a and b; -1: there is none. */
static int life2d_inner_lut(struct life2d_table table, const uint32_t (*at)[8], uint32_t a, uint32_t b)
{
    uint8_t apart[8] = {0};
    for (int k = 0; k < 4; k++) {
        const uint32_t where = (k & 2 ? a : ~a) & (k & 1 ? b : ~b) & table.care;
        unsigned ones = 0, zeros = 0;
        for (int i = 0; i < 8; i++) {
            ones |= (unsigned) (((*at)[i] & where & table.ones) != 0) << i;
            zeros |= (unsigned) (((*at)[i] & where & ~table.ones) != 0) << i;
        }
        if (ones & zeros)
            return -1;
        for (int i = 0; i < 8; i++)
            apart[i] |= (uint8_t) ((ones >> i & 1 ? zeros : 0) | (zeros >> i & 1 ? ones : 0));
    }
    return life2d_two_parts((const uint8_t(*)[8]) & apart);
}

/* What is known so far: the inputs and the nodes made of them. */
struct life2d_search {
    struct life2d_table table;
    struct life2d_network net;
    uint32_t signal[LIFE2D_INPUTS + LIFE2D_MOST_NODES];
};

static int life2d_signals(const struct life2d_search *s)
{
    return LIFE2D_INPUTS + (int) s->net.count;
}

static void life2d_push(struct life2d_search *s, int lut, int a, int b, int c)
{
    if (s->net.count >= LIFE2D_MOST_NODES)
        return;
    const struct life2d_node node = {(uint8_t) lut, {(uint8_t) a, (uint8_t) b, (uint8_t) c}};
    s->signal[life2d_signals(s)] = life2d_apply((unsigned) lut, s->signal[a], s->signal[b], s->signal[c]);
    s->net.node[s->net.count++] = node;
}

static int life2d_finish_one(struct life2d_search *s)
{
    const int n = life2d_signals(s);
    for (int c = 2; c < n; c++)
        for (int b = 1; b < c; b++)
            for (int a = 0; a < b; a++) {
                const int lut = life2d_final_lut(s->table, s->signal, a, b, c);
                if (lut >= 0) {
                    life2d_push(s, lut, a, b, c);
                    return 1;
                }
            }
    return 0;
}

static int life2d_finish_two(struct life2d_search *s)
{
    const int n = life2d_signals(s);
    for (int c = 2; c < n; c++)
        for (int b = 1; b < c; b++)
            for (int a = 0; a < b; a++) {
                uint32_t at[8];
                life2d_minterms(&at, s->signal, a, b, c);
                for (int e = 1; e < n; e++)
                    for (int d = 0; d < e; d++) {
                        const int lut =
                            life2d_inner_lut(s->table, (const uint32_t(*)[8]) & at, s->signal[d], s->signal[e]);
                        if (lut < 0)
                            continue;
                        life2d_push(s, lut, a, b, c);
                        life2d_push(s, life2d_final_lut(s->table, s->signal, n, d, e), n, d, e);
                        return 1;
                    }
            }
    return 0;
}

/* Tries every node, then two more. The complement of a node is as good as itself. */
static int life2d_finish_three(struct life2d_search *s)
{
    const int n = life2d_signals(s);
    for (int c = 2; c < n; c++)
        for (int b = 1; b < c; b++)
            for (int a = 0; a < b; a++)
                for (int lut = 1; lut < 128; lut++) {
                    life2d_push(s, lut, a, b, c);
                    if (life2d_finish_two(s))
                        return 1;
                    s->net.count--;
                }
    return 0;
}

/* Tries a function of carry, odd and high first, one of how many twos they are. */
static int life2d_finish_four(struct life2d_search *s)
{
    for (int twos = 1; twos < 16; twos++) {
        const int lut = (twos & 1) * 0x01 | (twos >> 1 & 1) * 0x14 | (twos >> 2 & 1) * 0x42 | (twos >> 3 & 1) * 0x28;
        life2d_push(s, lut, LIFE2D_CARRY, LIFE2D_ODD, LIFE2D_HIGH);
        if (life2d_finish_three(s))
            return 1;
        s->net.count--;
    }
    return 0;
}

/* The fates of T = from … from + 3, as a lut of (cell, bit 1, bit 0). */
static int life2d_fates(uint32_t birth, uint32_t survive, int from)
{
    int lut = 0;
    for (int i = 0; i < 8; i++)
        if (from + (i & 3) >= i >> 2)
            lut |= (int) ((i >> 2 ? survive : birth) >> (from + (i & 3) - (i >> 2)) & 1) << i;
    return lut;
}

/* Bits 1 and 2 of T, what becomes of T below and from 4, and of T = 8 and 9, which look like 0 and 1. No live cell is
 * among 0, so that its fate there can be what makes that of 8 right. */
static void life2d_finish_any(struct life2d_search *s, uint32_t birth, uint32_t survive)
{
    const int bit1 = life2d_signals(s), bit2 = bit1 + 1, few = bit1 + 2, many = bit1 + 3, fate = bit1 + 4;
    const uint32_t odd_out = (birth >> 8 ^ birth) & 1, odd_in = (survive >> 8 ^ survive) & 1;
    life2d_push(s, 0x3c, LIFE2D_CARRY, LIFE2D_ODD, LIFE2D_HIGH);
    life2d_push(s, 0x6a, LIFE2D_CARRY, LIFE2D_ODD, LIFE2D_HIGH);
    life2d_push(s, life2d_fates(birth, survive, 0) | (int) ((survive >> 7 & 1) ^ odd_out) << 4, LIFE2D_CELL, bit1,
                LIFE2D_LOW);
    life2d_push(s, life2d_fates(birth, survive, 4), LIFE2D_CELL, bit1, LIFE2D_LOW);
    life2d_push(s, 0xac, bit2, few, many);
    if (odd_out | odd_in) {
        life2d_push(s, 0x80, LIFE2D_CARRY, LIFE2D_ODD, LIFE2D_HIGH);
        life2d_push(s, 0xf0 ^ (int) (odd_out * 0x44 | odd_in * 0x88), fate, fate + 1, LIFE2D_LOW);
    }
}

/* The shortest network found for a rule. Takes up to a second of one core. */
static inline struct life2d_network life2d_find_network(uint32_t birth, uint32_t survive)
{
    struct life2d_search s;
    s.table = life2d_rule_table(birth, survive);
    s.net.count = 0;
    for (int i = 0; i < LIFE2D_INPUTS; i++)
        s.signal[i] = life2d_input_ones[i];
    if (!life2d_finish_one(&s) && !life2d_finish_two(&s) && !life2d_finish_three(&s) && !life2d_finish_four(&s))
        life2d_finish_any(&s, birth, survive);
    return s.net;
}

/* What a network makes of five bits. */
static inline int life2d_network_fate(const struct life2d_network *net, unsigned inputs)
{
    unsigned signal = inputs;
    for (unsigned i = 0; i < net->count; i++) {
        const struct life2d_node *n = &net->node[i];
        const unsigned at =
            (signal >> n->input[0] & 1) * 4 | (signal >> n->input[1] & 1) * 2 | (signal >> n->input[2] & 1);
        signal |= (n->lut >> at & 1u) << (LIFE2D_INPUTS + i);
    }
    return (int) (signal >> (LIFE2D_INPUTS + net->count - 1) & 1);
}

#endif
