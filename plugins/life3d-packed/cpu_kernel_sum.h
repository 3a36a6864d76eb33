/*
 * The 27 cells around and with a cell, added by full adders: three numbers of one weight give one of that weight and
 * one of twice that. With three-input logic an adder is two operations, and a cell takes ten of them:
 *
 *   3 cells along x      1    serve the nine rows that see them
 *   9 cells of a plane   2    serve three planes
 *   shared by a pair     2    of planes, which the two planes above and below it see: one for each of them
 *   27 cells             4
 */
#ifndef LIFE3D_PACKED_CPU_KERNEL_SUM_H
#define LIFE3D_PACKED_CPU_KERNEL_SUM_H

#include <life/cpu_vector.h>

/* Of a full adder. The operation overwrites its first operand: that is one of no further use wherever there is one, and
 * the carry is made from the sum that stands in its place. A copy to a register costs as much as an operation. */
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

/* Cells x - 1, x, x + 1. */
INLINE struct sum add_three(vec left, vec cell, vec right)
{
    return add(left, right, cell);
}

/* Three rows of those: one + 2 (two + twos) + 4 four. */
struct nine {
    vec one, two, twos, four;
};

INLINE struct nine add_nine(struct sum above, struct sum here, struct sum below)
{
    const struct sum ones = add(above.one, here.one, below.one), twos = add(above.two, here.two, below.two);
    return (struct nine){ones.one, ones.two, twos.one, twos.two};
}

/* Two planes of those: one + ones + 2 (two + twos) + 4 four + 8 eight. */
struct pair {
    vec one, ones, two, twos, four, eight;
};

INLINE struct pair add_pair(struct nine a, struct nine b)
{
    const struct sum twos = add(a.two, a.twos, b.two), fours = add(twos.two, a.four, b.four);
    return (struct pair){a.one, b.one, twos.one, b.twos, fours.one, fours.two};
}

/* All 27: one + 2 two + 4 (four + fours) + 8 (eight + eights). */
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
