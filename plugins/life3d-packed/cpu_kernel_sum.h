/* Adds the 27 cells of three by three by three by full adders: three bits of one weight give a bit of that weight and a
 * bit of twice that. With three-input logic an adder is two operations. A cell takes eight adders; with five operations
 * for the rule B6/S5..7 that is 21 operations:
 *
 *   3 cells along x      1    serves the nine rows that see them
 *   9 cells of a plane   2    serves three planes
 *   a pair of planes     1    two adders, which serve both planes of the pair
 *   27 cells             4 */
#ifndef LIFE3D_PACKED_CPU_KERNEL_SUM_H
#define LIFE3D_PACKED_CPU_KERNEL_SUM_H

#include <life/cpu_vector.h>

/* The result of a full adder. A vpternlog overwrites its first operand, and a copy to another register costs as much as
 * an operation. So the sum overwrites a, which is not needed again, and the carry is made of the sum: if b = c, it is
 * b; else a = ~sum, and the carry is ~sum. This is the majority of b, ~sum and c, table 0xb2. */
struct sum {
    vec one, two;
};

INLINE struct sum add(vec a, vec b, vec c)
{
#if LANES == 512
    const vec one = LUT3(0x96, a, b, c);
    return (struct sum){one, LUT3(0xb2, b, one, c)};
#else
    const vec half = a ^ b;
    return (struct sum){half ^ c, (a & b) | (half & c)};
#endif
}

/* Adds cells x - 1, x and x + 1. */
INLINE struct sum add_three(vec left, vec cell, vec right)
{
    return add(left, right, cell);
}

/* The nine cells of three rows: one + 2 (two + twos) + 4 four. */
struct nine {
    vec one, two, twos, four;
};

INLINE struct nine add_nine(struct sum above, struct sum here, struct sum below)
{
    const struct sum ones = add(above.one, here.one, below.one), twos = add(above.two, here.two, below.two);
    return (struct nine){ones.one, ones.two, twos.one, twos.two};
}

/* The 18 cells of two planes: one + ones + 2 (two + twos) + 4 four + 8 eight. */
struct pair {
    vec one, ones, two, twos, four, eight;
};

INLINE struct pair add_pair(struct nine a, struct nine b)
{
    const struct sum twos = add(a.two, a.twos, b.two), fours = add(twos.two, a.four, b.four);
    return (struct pair){a.one, b.one, twos.one, b.twos, fours.one, fours.two};
}

/* All 27 cells: one + 2 two + 4 (four + fours) + 8 (eight + eights). */
struct total {
    vec one, two, four, fours, eight, eights;
};

INLINE struct total add_total(struct pair p, struct nine n)
{
    const struct sum ones = add(n.one, p.one, p.ones), part = add(n.two, n.twos, p.two);
    const struct sum twos = add(part.one, ones.two, p.twos), fours = add(n.four, part.two, p.four);
    return (struct total){ones.one, twos.one, fours.one, twos.two, p.eight, fours.two};
}

#endif
