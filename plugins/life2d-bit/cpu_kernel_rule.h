/* The next state of a vector of cells. The three cells of a column are summed once, as two bits, and serve the three
 * cells beside or in it. Operations on a vector, with these sums:
 *
 *     three-input logic (AVX-512)     8   Life
 *                                    13   a rule known at compile time; 15 if eight neighbours differ from four
 *                                    18   a rule given as masks; 20 if eight neighbours differ from four
 *     two-input logic                19   Life */
#ifndef LIFE2D_CPU_KERNEL_RULE_H
#define LIFE2D_CPU_KERNEL_RULE_H

#include "square_code.h"

#include <life/cpu_vector.h>

/* What determines the next state of a vector: the column sums left and right of it, in bits of weight 1 and 2; the
 * cells above and below it, as they are for three-input logic, else as a sum pair1 + 2 pair2; and the cells themselves.
 */
struct around {
    vec left1, left2, right1, right2;
    vec pair1, pair2;
    vec cell;
};

/* The number of live neighbours: its bits 0 and 1, whether it is four or more, and whether it is eight. */
struct count {
    vec odd, bit1, four, eight;
};

#if LANES == 512

/* The low and the high bit of a + b + c: LUT3's tables of an exclusive or and of a majority. */
#define SUM1(a, b, c)        LUT3(0x96, a, b, c)
#define SUM2(a, b, c)        LUT3(0xe8, a, b, c)
#define PAIR1(above, below)  (above)
#define PAIR2(above, below)  (below)
#define TOGGLE(a, where, by) LUT3(0x78, a, where, by) /* a ^ (where & by) */

/* B3/S23. With e + 2 d = left1 + pair1 + right1 and s = e + pair2, there are N = s + 2 (d + left2 + right2) neighbours.
 * The next state is 1 if N = 3, or if the cell lives and N = 2:
 *
 *     cell  s         f    g        next state
 *     0     0 or 2    0    0        0, because N is even
 *     any   1         1    d        exactly one of d, left2, right2 (so N = 3)
 *     1     0         1    d        exactly one of d, left2, right2 (so N = 2)
 *     1     2         0    not d    none of d, left2, right2 (so N = 2): g = 1 is the only one of g, left2, right2
 *
 *     f = 0x5e(e, cell, pair2)    (e ^ pair2) | (cell & ~(e & pair2))      h = 0x16(left2, g, right2)    exactly one
 *     g = 0xc2(d, f, cell)        f ? d : cell & ~d                        0xe0(h, f, g)                 h & (f | g)
 *
 * The hardware's operation overwrites its first operand; where possible, that is a value that is not needed again. */
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
    vec u = LUT3(0x78, d, e, n.pair2); /* d + (e & pair2) = u + 2 v; 0x78 is a ^ (b & c), 0x80 is a & b & c */
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

/* B3/S23. Two or three neighbours live if exactly one of the four bits of weight 2 is set. Then the next state is 1 if
 * the number is odd or the cell lives. `one`: an odd number of the four is set; `more`: two of a pair are. */
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

/* 1 if the mask's next state for eight neighbours differs from that for four. The numbers have the same bits 0 and 1.
 */
#define EIGHT_UNLIKE_FOUR(mask) (((mask) >> 4 ^ (mask) >> 8) & 1)

/* A rule known at compile time. The next states for 0 … 3 and for 4 … 7 neighbours are truth tables of (cell, bit1,
 * odd): four bits of `birth` from `from` on are the half for dead cells, four bits of `survive` the half for live ones.
 * The tables 12 and 192 are (~cell & eight) and (cell & eight). */
#define NEXT_STATES(birth, survive, from) (((birth) >> (from)) % 16 + ((survive) >> (from)) % 16 * 16)
#define FIXED_CELL(birth, survive) \
    { \
        (void) rule, (void) which; \
        struct count s = count_neighbours(n); \
        vec few = LUT3(NEXT_STATES(birth, survive, 0), n.cell, s.bit1, s.odd); \
        vec many = LUT3(NEXT_STATES(birth, survive, 4), n.cell, s.bit1, s.odd); \
        vec next = CHOOSE(s.four, many, few); \
        if (EIGHT_UNLIKE_FOUR(birth) | EIGHT_UNLIKE_FOUR(survive)) \
            next ^= LUT3(EIGHT_UNLIKE_FOUR(birth) * 12 + EIGHT_UNLIKE_FOUR(survive) * 192, n.cell, s.eight, s.odd); \
        return next; \
    }

/* A rule given as masks. The next state is a polynomial mod 2 in cell, bit1 and four, with coefficients that depend on
 * bit 0 of the count alone:
 *
 *     leaf[0] ^ leaf[1] cell ^ leaf[2] bit1 ^ leaf[3] cell bit1 ^ leaf[4] four ^ … ^ leaf[7] cell bit1 four
 *
 * Each coefficient is 0, even, odd or 1, where `odd` is bit 0 and `even` its complement. leaf[k] is the byte offset of
 * one of these four vectors in `leaves`. The address depends on the rule alone, and a load is cheaper than the
 * operation with two masks that would compute the coefficient. */
struct rule {
    const struct life2d_square_network
        *network;              /* instead of all that follows, for rules that do not count; else NULL */
    life2d_row_code *row_code; /* the network as code; may be NULL */
    uint32_t birth, survive;
    uint64_t leaf[8];
    vec eight, eight_live; /* the change with 8 neighbours: of any cell, and in addition that of a live one */
    vec leaves[2][4];      /* 0, even, odd, 1: two sets, for two vectors at a time */
};

/* The loop over factors turns the table of next states into the polynomial (the Reed-Muller transform). */
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

/* leaf[k] ^ leaf[k + 1] cell */
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
