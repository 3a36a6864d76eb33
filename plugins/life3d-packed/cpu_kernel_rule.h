/* The next state of a vector of cells, from the number T of live cells among the 27 of three by three by three. With
 * three-input logic, without the sums of cpu_kernel_sum.h, B6/S5..7 takes 5 operations. A rule given as masks takes 33,
 * or 21 if no cell with T above 15 lives next. */
#ifndef LIFE3D_PACKED_CPU_KERNEL_RULE_H
#define LIFE3D_PACKED_CPU_KERNEL_RULE_H

#include "cpu_kernel_sum.h"

#if LANES == 512
#define TOGGLE(a, where, by) LUT3(0x78, a, where, by) /* a ^ (where & by) */
#else
#define TOGGLE(a, where, by) ((a) ^ ((where) & (by)))
#endif

/* A rule given as masks. The next state is a polynomial mod 2 in the cell and bits 1 to 4 of T, with coefficients that
 * depend on bit 0 of T alone. Term k is leaf[k] times one to five factors, by the bits of k: cell for bit 0, two, four,
 * eight and sixteen for bits 1 to 4. Each coefficient is 0, even, odd or 1: `odd` is bit 0 of T, `even` its complement.
 * leaf[k] is the byte offset of one of these four vectors in `leaves`. The address depends on the rule alone, and a
 * load is cheaper than the operation with two masks that would compute the coefficient. */
struct rule {
    uint32_t birth, survive; /* by the number of neighbours, the cell not counted */
    uint64_t leaf[32];
    vec leaves[2][4]; /* 0, even, odd, 1: two sets, for two vectors at a time */
};

/* The loop over factors turns the table of next states into the polynomial (the Reed-Muller transform). */
static struct rule make_rule(uint32_t birth, uint32_t survive)
{
    struct rule rule = {.birth = birth, .survive = survive};
    const uint32_t alive[2] = {birth, survive << 1};
    for (unsigned k = 0; k < 32; k++)
        rule.leaf[k] = alive[k & 1] >> (k & 30) & 3;
    for (unsigned factor = 1; factor < 32; factor *= 2)
        for (unsigned k = 0; k < 32; k++)
            rule.leaf[k] ^= k & factor ? rule.leaf[k - factor] : 0;
    for (unsigned k = 0; k < 32; k++)
        rule.leaf[k] *= sizeof(vec);
    rule.leaves[0][3] = rule.leaves[1][3] = all_lanes(1);
    return rule;
}

/* Computes the next state of a vector of cells. The rule is the caller's copy; the function may write set `which` of
 * its leaves. */
typedef vec cell_fn(struct total t, vec cell, struct rule *rule, int which);

/* B6/S5..7: T = 6, or T is 7 or 8 and the cell lives. With T = one + 2 two + 4 (four + fours) + 8 (eight + eights):
 *
 *     T     one  two  four + fours + 2 (eight + eights)     next state
 *     6     0    1    1                                     1
 *     7     1    1    1                                     cell
 *     8     0    0    2                                     cell
 *     9     1    0    2                                     0
 *
 * These are the only rows with two + four + fours + 2 (eight + eights) = 2. In them the next state is the majority of
 * not one, two and cell. In five operations:
 *
 *     right   0x8e(one, two, cell)          majority of ~one, two, cell
 *     odd     0x96(two, four, fours)        two + four + fours is odd: then the sum is not 2
 *     some    0xfe(four, odd, fours)        a | b | c, which is two | four | fours: two + four + fours is not 0
 *     once    0x16(some, eight, eights)     exactly one of three: with odd = 0, the sum is 2
 *             0x20(right, odd, once)        right & ~odd & once */
INLINE vec b6s567_cell(struct total t, vec cell, struct rule *rule, int which)
{
    (void) rule, (void) which;
#if LANES == 512
    const vec right = LUT3(0x8e, t.one, t.two, cell);
    const vec odd = LUT3(0x96, t.two, t.four, t.fours);
    const vec some = LUT3(0xfe, t.four, odd, t.fours);
    const vec once = LUT3(0x16, some, t.eight, t.eights);
    return LUT3(0x20, right, odd, once);
#else
    const vec right = (t.two & (cell | ~t.one)) | (cell & ~t.one);
    const vec odd = t.two ^ t.four ^ t.fours, some = t.two | t.four | t.fours;
    const vec once = (some ^ t.eight ^ t.eights) & ~(some & (t.eight | t.eights)) & ~(t.eight & t.eights);
    return right & ~odd & once;
#endif
}

/* leaf[k] ^ leaf[k + 1] cell */
INLINE vec term(const struct rule *rule, int which, int k, vec cell)
{
    const char *leaves = (const char *) rule->leaves[which];
    return TOGGLE(*(const vec *) (const void *) (leaves + rule->leaf[k]), cell,
                  *(const vec *) (const void *) (leaves + rule->leaf[k + 1]));
}

/* The polynomial of four or eight leaves from leaf k on. */
INLINE vec terms_of_four(const struct rule *rule, int which, int k, vec cell, vec two)
{
    return TOGGLE(term(rule, which, k, cell), two, term(rule, which, k + 2, cell));
}

INLINE vec terms_of_eight(const struct rule *rule, int which, int k, vec cell, vec two, vec four)
{
    return TOGGLE(terms_of_four(rule, which, k, cell, two), four, terms_of_four(rule, which, k + 4, cell, two));
}

/* T is at most 27, so that no leaf beyond 27 is needed. */
INLINE vec masked_cell(struct total t, vec cell, struct rule *rule, int which, int high)
{
    const struct sum four = {t.four ^ t.fours, t.four & t.fours};
    const struct sum eight = add(four.two, t.eight, t.eights);
    rule->leaves[which][1] = ~t.one, rule->leaves[which][2] = t.one;
    const vec low = TOGGLE(terms_of_eight(rule, which, 0, cell, t.two, four.one), eight.one,
                           terms_of_eight(rule, which, 8, cell, t.two, four.one));
    if (!high)
        return low & ~eight.two;
    const vec up = TOGGLE(terms_of_eight(rule, which, 16, cell, t.two, four.one), eight.one,
                          terms_of_four(rule, which, 24, cell, t.two));
    return TOGGLE(low, eight.two, up);
}

INLINE vec masks_cell(struct total t, vec cell, struct rule *rule, int which)
{
    return masked_cell(t, cell, rule, which, 1);
}

/* For rules under which no cell with T above 15 lives next. */
INLINE vec low_masks_cell(struct total t, vec cell, struct rule *rule, int which)
{
    return masked_cell(t, cell, rule, which, 0);
}

#endif
