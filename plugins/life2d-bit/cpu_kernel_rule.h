/*
 * The rules of one step. The three cells of a column are summed once, as two bits, and serve the three cells that see
 * them. With AVX-512's three-input logic, sums included, Life takes 8 operations a vector; a rule known at compile time
 * 13, or 15 where eight neighbours differ from four; a rule given as masks 18, or 20. With two-input logic Life
 * takes 19.
 */
#ifndef LIFE2D_CPU_KERNEL_RULE_H
#define LIFE2D_CPU_KERNEL_RULE_H

#include <life/cpu_vector.h>

/* What a vector of cells sees: the sums of the columns beside it, in bits worth 1 and 2, and the cells above and below
 * it: as they are where three-input logic takes them so, else as a sum too. */
struct around {
    vec left1, left2, right1, right2;
    vec pair1, pair2;
    vec cell;
};

/* How many of the eight neighbours live: bits 0 and 1 of the number, whether it is four or more, whether all eight. */
struct count {
    vec odd, bit1, four, eight;
};

#if LANES == 512

#define SUM1(a, b, c)        LUT3(0x96, a, b, c)
#define SUM2(a, b, c)        LUT3(0xe8, a, b, c)
#define PAIR1(above, below)  (above)
#define PAIR2(above, below)  (below)
#define TOGGLE(a, where, by) LUT3(0x78, a, where, by) /* a ^ (where & by) */

/* B3/S23. An operation overwrites its first operand, so that is one of no further use where there is one. */
INLINE vec life_cell(struct around n)
{
    vec d = LUT3(0xe8, n.pair1, n.left1, n.right1);
    vec e = LUT3(0x96, n.left1, n.right1, n.pair1);
    vec f = LUT3(0x5e, e, n.cell, n.pair2);
    vec g = LUT3(0xc2, d, f, n.cell);
    vec h = LUT3(0x16, n.left2, g, n.right2);
    return LUT3(0xe0, h, f, g);
}

INLINE struct count count_neighbours(struct around n)
{
    vec d = LUT3(0xe8, n.pair1, n.left1, n.right1);
    vec e = LUT3(0x96, n.left1, n.right1, n.pair1);
    vec u = LUT3(0x78, d, e, n.pair2); /* d + (e & pair2) is u with a carry v */
    vec v = LUT3(0x80, d, e, n.pair2);
    vec c = SUM2(n.left2, n.right2, u);
    struct count s = {.odd = e ^ n.pair2, .bit1 = SUM1(n.left2, n.right2, u), .four = c | v, .eight = c & v};
    return s;
}

#else

#define SUM1(a, b, c)        ((a) ^ (c) ^ (b))
#define SUM2(a, b, c)        (((a) & (c)) | (((a) ^ (c)) & (b)))
#define PAIR1(above, below)  ((above) ^ (below))
#define PAIR2(above, below)  ((above) & (below))
#define TOGGLE(a, where, by) ((a) ^ ((where) & (by)))

/* B3/S23: two or three neighbours, as just one of the sums has a two; and that many are odd, or the cell is alive. */
INLINE vec life_cell(struct around n)
{
    vec odd = SUM1(n.left1, n.pair1, n.right1), carry = SUM2(n.left1, n.pair1, n.right1);
    vec one = (carry ^ n.left2) ^ (n.pair2 ^ n.right2);
    vec more = (carry & n.left2) | (n.pair2 & n.right2);
    return (odd | n.cell) & one & ~more;
}

INLINE struct count count_neighbours(struct around n)
{
    vec carry = SUM2(n.left1, n.pair1, n.right1);
    vec s = carry ^ n.left2, t = n.pair2 ^ n.right2;
    vec both = carry & n.left2, others = n.pair2 & n.right2;
    struct count c = {SUM1(n.left1, n.pair1, n.right1), s ^ t, both | others | (s & t), both & others};
    return c;
}

#endif

/* Whether the fate of a mask with 8 neighbours differs from that with 4, with which it shares the bits below. */
#define EIGHT_UNLIKE_FOUR(mask) (((mask) >> 4 ^ (mask) >> 8) & 1)

/* A rule known at compile time: the fates for 0..3 and for 4..7 neighbours are truth tables of (cell, bit1, odd). */
#define FATES(birth, survive, from) (((birth) >> (from)) % 16 + ((survive) >> (from)) % 16 * 16)
#define FIXED_CELL(birth, survive) \
    { \
        (void) rule, (void) which; \
        struct count s = count_neighbours(n); \
        vec few = LUT3(FATES(birth, survive, 0), n.cell, s.bit1, s.odd); \
        vec many = LUT3(FATES(birth, survive, 4), n.cell, s.bit1, s.odd); \
        vec next = CHOOSE(s.four, many, few); \
        if (EIGHT_UNLIKE_FOUR(birth) | EIGHT_UNLIKE_FOUR(survive)) \
            next ^= LUT3(EIGHT_UNLIKE_FOUR(birth) * 12 + EIGHT_UNLIKE_FOUR(survive) * 192, n.cell, s.eight, s.odd); \
        return next; \
    }

/*
 * A rule given as masks. As a polynomial over bits it is a sum of products of cell (1), bit1 (2) and four (4), each
 * times 0, odd, even or 1: leaf[k], a byte offset in leaves, chooses which for the product of the factors in k. The
 * chosen vector is read from memory, at a place that depends on the rule alone, where an operation with two masks would
 * cost more.
 */
struct rule {
    uint32_t birth, survive;
    uint64_t leaf[8];
    vec eight, eight_live; /* what changes with 8 neighbours: in any cell, and on top of that in a live one */
    vec leaves[2][4];      /* 0, even, odd, 1, for two cells at a time */
};

static struct rule make_rule(uint32_t birth, uint32_t survive)
{
    struct rule rule = {.birth = birth & 511, .survive = survive & 511};
    for (unsigned k = 0; k < 8; k++)
        rule.leaf[k] = (k & 1 ? survive : birth) >> (k & 6) & 3;
    for (unsigned factor = 1; factor < 8; factor *= 2)
        for (unsigned k = 0; k < 8; k++)
            rule.leaf[k] ^= k & factor ? rule.leaf[k - factor] : 0;
    for (unsigned k = 0; k < 8; k++)
        rule.leaf[k] *= sizeof(vec);
    rule.eight = all_lanes(EIGHT_UNLIKE_FOUR(birth));
    rule.eight_live = rule.eight ^ all_lanes(EIGHT_UNLIKE_FOUR(survive));
    rule.leaves[0][3] = rule.leaves[1][3] = all_lanes(1);
    return rule;
}

/* The terms without and with the cell, the other factors left out. */
INLINE vec term(const struct rule *rule, int which, int k, vec cell)
{
    const char *leaves = (const char *) rule->leaves[which];
    return TOGGLE(*(const vec *) (const void *) (leaves + rule->leaf[k]), cell,
                  *(const vec *) (const void *) (leaves + rule->leaf[k + 1]));
}

INLINE vec masked_cell(struct around n, struct rule *rule, int which, int eight)
{
    struct count s = count_neighbours(n);
    rule->leaves[which][1] = ~s.odd, rule->leaves[which][2] = s.odd;
    vec few = TOGGLE(term(rule, which, 0, n.cell), s.bit1, term(rule, which, 2, n.cell));
    vec many = TOGGLE(term(rule, which, 4, n.cell), s.bit1, term(rule, which, 6, n.cell));
    vec next = TOGGLE(few, s.four, many);
    if (eight)
        next ^= s.eight & TOGGLE(rule->eight, n.cell, rule->eight_live);
    return next;
}

#endif
