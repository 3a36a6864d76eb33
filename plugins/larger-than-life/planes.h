/* Numbers in bit planes, for CPU and CUDA. Plane i of a row of numbers holds bit i of each: bit x of the plane belongs
 * to cell x. So one logic operation works on all cells of a `vector`, which has 256 or 512 bits on the CPU, and 1024 in
 * a warp of a GPU, 32 in each lane. Negative numbers are in two's complement: the last plane holds the signs.
 *
 * The file that includes this one defines `vector` and these functions:
 *
 *     vector ahead(vector plane, int k)     bit x of the result is bit x + k of the plane; the last k are undefined
 *     vector majority(vector, vector, vector)
 *
 * So after the sums of a square of radius R, the last 2 R cells of a vector are undefined. Vectors overlap by as
 * much. */
#ifndef PLANES_H
#define PLANES_H

#include "ltl.h"

#ifdef __CUDACC__
#define PLANES static __device__ __forceinline__
#else
#define PLANES static inline __attribute__((always_inline))
#endif

/* In front of a short loop of constant length: the compiler unrolls it, so that planes stay in registers. */
#if defined(__CUDACC__) || defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* sum += number. The number has fewer bits: its sign stands for those that it lacks. */
PLANES void add(vector *sum, int sum_bits, const vector *number, int bits)
{
    vector carry = {0};
    UNROLL
    for (int i = 0; i < sum_bits; i++) {
        const vector p = sum[i], q = number[i < bits ? i : bits - 1];
        sum[i] = p ^ q ^ carry;
        carry = majority(p, q, carry);
    }
}

/* sum(x) = a(x) + b(x + k), which has one bit more than a and b. `sum` may be a or b. */
PLANES void add_ahead(vector *sum, const vector *a, const vector *b, int k, int bits)
{
    vector carry = {0}, p = {0}, q = {0};
    UNROLL
    for (int i = 0; i < bits; i++) {
        p = a[i], q = ahead(b[i], k);
        sum[i] = p ^ q ^ carry;
        carry = majority(p, q, carry);
    }
    sum[bits] = p ^ q ^ carry;
}

/* total(x) becomes the sum of numbers x to x + side - 1, which has levels + 1 bits more than they. Two numbers make a
 * sum of 2, two of these a sum of 4, and so on. Those sums whose bit is set in `side` make the total:
 *
 *     side = 11 = 8 + 2 + 1     | 8 . . . . . . . | 2 . | 1 |
 *                               x                 x + 8 x + 10 */
PLANES void add_side(vector *total, const vector *numbers, int bits, int levels, uint32_t side)
{
    vector power[BITS_MAX + 1];
    UNROLL
    for (int i = 0; i < bits; i++)
        power[i] = total[i] = numbers[i];
    total[bits] = total[bits - 1];
    UNROLL
    for (int level = 1; level <= levels; level++) {
        add_ahead(power, power, power, 1 << (level - 1), bits + level - 1);
        if (level == levels || side >> level & 1)
            add_ahead(total, power, total, 1 << level, bits + level);
        else
            total[bits + level] = total[bits + level - 1];
    }
}

/* What a row adds to the sums of squares when these move down by a row: the sums, along the row, of the cells that
 * enter less those that leave. */
PLANES void move_down(vector *squares, vector enters, vector leaves, int levels, uint32_t side)
{
    const vector change[] = {enters ^ leaves, leaves & ~enters};
    vector changes[LEVELS_MAX + 3];
    add_side(changes, change, 2, levels, side);
    add(squares, 2 * levels + 2, changes, levels + 3);
}

/* The cells whose number is at least a limit, given in the masks of struct bit_rule. From the lowest bit up: a bit of
 * the number decides if it differs from that of the limit, else the bits below decide. */
PLANES vector at_least(const vector *numbers, const uint32_t *limit, int bits)
{
    vector yes = ~(vector){0};
    UNROLL
    for (int i = 0; i < bits; i++)
        yes = majority(numbers[i], yes, (vector){0} | limit[i]);
    return yes;
}

PLANES vector next_cells(const vector *squares, vector cells, const struct bit_rule *rule, int bits)
{
    vector in_range[LTL_CONDITIONS];
    UNROLL
    for (int state = 0; state < LTL_CONDITIONS; state++)
        in_range[state] = at_least(squares, rule->least[state], bits) & ~at_least(squares, rule->over[state], bits);
    return (cells & in_range[LTL_ALIVE]) | (~cells & in_range[LTL_DEAD]);
}

#endif
