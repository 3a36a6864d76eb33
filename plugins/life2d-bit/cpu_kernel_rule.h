/*
 * The rules of one step. A column's three cells are summed once, as two bits (sum & 1, sum >> 1), and serve the three
 * cells that see them. Life itself takes 8 three-input operations a vector, column sums included; a rule known at
 * compile time 13, or 15 where eight neighbours differ from four; a rule given as masks 18, or 21.
 */
#ifndef LIFE2D_CPU_KERNEL_RULE_H
#define LIFE2D_CPU_KERNEL_RULE_H

#include "cpu_kernel_vector.h"

/* What a vector of cells sees: the cells above and below, and the sums of the columns beside it. */
struct around {
    vec left1, left2, right1, right2;
    vec above, cell, below;
};

/* A rule as masks. leaf_*[q] says what becomes of a cell with 2q or 2q + 1 neighbours: an index into {0, none of the
 * odd, the odd, 1}, where "the odd" are the cells with an odd number of neighbours. */
struct rule {
    uint32_t birth, survive;
    unsigned leaf_dead[4], leaf_live[4];
    vec eight_dead, eight_live; /* where the fate with 8 neighbours differs from the fate with 4 */
};

#if LANES == 512
#define SUM1(a, b, c) LUT3(0x96, a, b, c)
#define SUM2(a, b, c) LUT3(0xe8, a, b, c)
#else
#define SUM1(a, b, c) ((a) ^ (c) ^ (b))
#define SUM2(a, b, c) (((a) & (c)) | (((a) ^ (c)) & (b)))
#endif

/* B3/S23. */
#if LANES == 512
INLINE vec life_cell(struct around n)
{
    vec d = LUT3(0xe8, n.above, n.left1, n.right1);
    vec e = LUT3(0x96, n.left1, n.right1, n.above);
    vec f = LUT3(0x5e, e, n.cell, n.below);
    vec g = LUT3(0xc2, d, f, n.cell);
    vec h = LUT3(0x16, n.left2, g, n.right2);
    return LUT3(0xe0, h, f, g);
}
#else
/* Alive with 3 neighbours, or 2 and alive: one pair among {carry, left2, right2, above and below}, and odd or alive. */
INLINE vec life_cell(struct around n)
{
    vec pair1 = n.above ^ n.below, pair2 = n.above & n.below;
    vec odd = SUM1(n.left1, pair1, n.right1), carry = SUM2(n.left1, pair1, n.right1);
    vec one = (carry ^ n.left2) ^ (pair2 ^ n.right2);
    vec two = (carry & n.left2) | (pair2 & n.right2);
    return (odd | n.cell) & one & ~two;
}
#endif

/* How many of the eight neighbours live: odd (bit 0), bit 1, four or more, and all eight. */
struct count {
    vec odd, even, bit1, four, eight;
};

INLINE struct count count_neighbours(struct around n)
{
    struct count s;
    vec d = SUM2(n.left1, n.right1, n.above), e = SUM1(n.left1, n.right1, n.above);
    vec u = LUT3(0x78, d, e, n.below); /* d + (e and below) is u with a carry v */
    vec v = LUT3(0x80, d, e, n.below);
    vec c = SUM2(n.left2, n.right2, u);
    s.odd = e ^ n.below;
    s.even = ~(e ^ n.below);
    s.bit1 = SUM1(n.left2, n.right2, u);
    s.four = c | v;
    s.eight = c & v;
    return s;
}

/* A rule known at compile time: its fates for 0..3 and for 4..7 neighbours are two truth tables of (cell, bit1, odd). */
#define FATES(birth, survive, from) (((birth) >> (from) & 15) | ((survive) >> (from) & 15) << 4)
#define FOUR_UNLIKE_EIGHT(mask)     (((mask) >> 4 ^ (mask) >> 8) & 1)
#define FIXED_CELL(birth, survive)                                                                                   \
    {                                                                                                                \
        (void)rule;                                                                                                  \
        struct count s = count_neighbours(n);                                                                        \
        vec few = LUT3(FATES(birth, survive, 0), n.cell, s.bit1, s.odd);                                             \
        vec many = LUT3(FATES(birth, survive, 4), n.cell, s.bit1, s.odd);                                            \
        vec next = CHOOSE(s.four, many, few);                                                                        \
        if (FOUR_UNLIKE_EIGHT(birth) | FOUR_UNLIKE_EIGHT(survive))                                                   \
            next ^= s.eight & (FOUR_UNLIKE_EIGHT(survive) ? all_lanes(1) : ~n.cell) &                                \
                    (FOUR_UNLIKE_EIGHT(birth) ? all_lanes(1) : n.cell);                                              \
        return next;                                                                                                 \
    }

/* A rule given as masks: each leaf of the tree is read from the four vectors that the rule's index chooses among. */
INLINE vec masked_cell(struct around n, const struct rule *rule, int eight)
{
    struct count s = count_neighbours(n);
    const vec leaf[4] = {all_lanes(0), s.even, s.odd, all_lanes(1)};
    vec fate[4];
    for (int q = 0; q < 4; q++)
        fate[q] = CHOOSE(n.cell, leaf[rule->leaf_live[q]], leaf[rule->leaf_dead[q]]);
    vec few = CHOOSE(s.bit1, fate[1], fate[0]), many = CHOOSE(s.bit1, fate[3], fate[2]);
    vec next = CHOOSE(s.four, many, few);
    if (eight)
        next ^= s.eight & CHOOSE(n.cell, rule->eight_live, rule->eight_dead);
    return next;
}

/* Turns the masks of a job into the form that masked_cell reads. */
static struct rule make_rule(uint32_t birth, uint32_t survive)
{
    struct rule rule = {.birth = birth & 511, .survive = survive & 511};
    for (int q = 0; q < 4; q++) {
        rule.leaf_dead[q] = birth >> 2 * q & 3;
        rule.leaf_live[q] = survive >> 2 * q & 3;
    }
    rule.eight_dead = all_lanes(FOUR_UNLIKE_EIGHT(birth));
    rule.eight_live = all_lanes(FOUR_UNLIKE_EIGHT(survive));
    return rule;
}

#endif
