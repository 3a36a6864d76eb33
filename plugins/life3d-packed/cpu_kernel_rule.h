/*
 * The next state of a vector of cells, from how many of the 27 cells around and with it live. With three-input logic,
 * the sums of cpu_kernel_sum.h apart, B6/S5..7 takes 5 operations; a rule given as masks 33, or 21 where nothing lives
 * among more than 15.
 */
#ifndef LIFE3D_PACKED_CPU_KERNEL_RULE_H
#define LIFE3D_PACKED_CPU_KERNEL_RULE_H

#include "cpu_kernel_sum.h"

#if LANES == 512
#define TOGGLE(a, where, by) LUT3(0x78, a, where, by) /* a ^ (where & by) */
#else
#define TOGGLE(a, where, by) ((a) ^ ((where) & (by)))
#endif

/*
 * A rule given as masks, by the count T with the cell itself. As a polynomial over bits it is a sum of products of cell
 * (1), two (2), four (4), eight (8) and sixteen (16), each times 0, odd, even or 1: leaf[k], a byte offset in leaves,
 * chooses which for the product of the factors in k. The chosen vector is read from memory, at a place that depends on
 * the rule alone, where an operation with two masks would cost more.
 */
struct rule {
    uint32_t birth, survive; /* by the number of neighbours */
    uint64_t leaf[32];
    vec leaves[2][4]; /* 0, even, odd, 1, for two cells at a time */
};

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

/* The next state of a vector of cells. The rule is the caller's own; `which` of its sets of leaves may be written. */
typedef vec cell_fn(struct total t, vec cell, struct rule *rule, int which);

/*
 * B6/S5..7: six live, or seven or eight that the cell is one of. Five operations: the highest and lowest bits of that
 * count decide alike for both sevens, so that with r = two ? (!one or cell) : (!one and cell) it is left that
 * two + four + fours + 2 (eight + eights) be 2.
 */
INLINE vec b6s567_cell(struct total t, vec cell, struct rule *rule, int which)
{
    (void) rule, (void) which;
#if LANES == 512
    const vec right = LUT3(0x8e, t.one, t.two, cell); /* majority of not one, two, cell */
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

/* The terms without and with the cell, the other factors left out. */
INLINE vec term(const struct rule *rule, int which, int k, vec cell)
{
    const char *leaves = (const char *) rule->leaves[which];
    return TOGGLE(*(const vec *) (const void *) (leaves + rule->leaf[k]), cell,
                  *(const vec *) (const void *) (leaves + rule->leaf[k + 1]));
}

/* The terms with up to two, four more factors, from those of k on. */
INLINE vec terms_of_four(const struct rule *rule, int which, int k, vec cell, vec two)
{
    return TOGGLE(term(rule, which, k, cell), two, term(rule, which, k + 2, cell));
}

INLINE vec terms_of_eight(const struct rule *rule, int which, int k, vec cell, vec two, vec four)
{
    return TOGGLE(terms_of_four(rule, which, k, cell, two), four, terms_of_four(rule, which, k + 4, cell, two));
}

/* The terms beyond 27 are of no account: their leaves are 0. */
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

/* No cell with more than 15 neighbours, itself included, is alive next. */
INLINE vec low_masks_cell(struct total t, vec cell, struct rule *rule, int which)
{
    return masked_cell(t, cell, rule, which, 0);
}

#endif
