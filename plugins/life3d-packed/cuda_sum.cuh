/* Counts the live cells of three by three by three, 32 cells at a time, by full adders on bit-sliced words: three-input
 * operations on words of 32 cells. A group is striped as in life/cuda_words.cuh, so that only two of its four words
 * need a shift to find their neighbours along x. The axes are added in the order y, x, z:
 *
 *     rows       y      column_sums    3 cells     cells of one lane, so no lane repeats the work of another
 *     columns    x      plane_sums     9 cells     by exchange between lanes; serves three planes
 *     planes     z      double_sums   18 cells     two planes that two cells along z both see: one sum serves both
 *                       space_count   27 cells
 *
 * Operations on a word: y 2, x 4 and 1 shift, two planes 2 (4 for two words), the third plane 6, the rule 7: 22. Four
 * of these are multiply-adds instead, which run beside the logic operations. */
#ifndef LIFE3D_PACKED_CUDA_SUM_CUH
#define LIFE3D_PACKED_CUDA_SUM_CUH

#include <life/cuda_words.cuh>

/* ---- Words ----------------------------------------------------------------------------------- */

/* xor3(a, b, c) by multiply-adds of whole words: a + b + c - 2 high, where high is maj3(a, b, c). */
__device__ __forceinline__ uint32_t low3(uint32_t a, uint32_t b, uint32_t c, uint32_t high, const life_factors &k)
{
    return high * k.minus_two + (a * k.one + (b * k.one + c));
}

__device__ __forceinline__ uint32_t low3(uint32_t a, uint32_t b, uint32_t c, uint32_t, life_by_logic)
{
    return xor3(a, b, c);
}

/* ---- Planes ---------------------------------------------------------------------------------- */

/* For each word of a group: the live cells of three rows, one + 2 two. */
struct column_sums {
    uint32_t one[4], two[4];
};

template <class FACTORS>
__device__ __forceinline__ column_sums add_rows(const uint32_t (&above)[4], const uint32_t (&here)[4],
                                                const uint32_t (&below)[4], const FACTORS &k)
{
    column_sums s;
    for (int i = 0; i < 4; i++) {
        s.two[i] = maj3(above[i], here[i], below[i]);
        s.one[i] = low3(above[i], here[i], below[i], s.two[i], k);
    }
    return s;
}

/* For a word: the live cells of three by three in a plane, one + 2 (two + pair) + 4 four. */
struct plane_sums {
    uint32_t one, two, pair, four;
};

/* Adds each word of a group and the words beside it. `left` and `right` are the words beside the group. */
template <class FACTORS>
__device__ __forceinline__ void add_sides(uint32_t (&low)[4], uint32_t (&high)[4], const uint32_t (&word)[4],
                                          uint32_t left, uint32_t right, const FACTORS &k)
{
    const uint32_t at[6] = {__funnelshift_l(left, word[3], 1), word[0], word[1], word[2], word[3],
                            __funnelshift_r(word[0], right, 1)};
    add_neighbours(low, high, at, k);
}

/* `left` holds one and two of the last word of the group on the left, `right` those of the first word of the group on
 * the right. */
template <class FACTORS>
__device__ __forceinline__ void add_columns(plane_sums (&sums)[4], const column_sums &here, const uint32_t (&left)[2],
                                            const uint32_t (&right)[2], const FACTORS &k)
{
    uint32_t one[4], two[4], pair[4], four[4];
    add_sides(one, two, here.one, left[0], right[0], k);
    add_sides(pair, four, here.two, left[1], right[1], k);
    for (int i = 0; i < 4; i++)
        sums[i] = {one[i], two[i], pair[i], four[i]};
}

/* ---- Space ----------------------------------------------------------------------------------- */

/* The live cells of two planes, one + other + 2 (two + pair) + 4 four + 8 eight. */
struct double_sums {
    uint32_t one, other, two, pair, four, eight;
};

__device__ __forceinline__ double_sums add_planes(const plane_sums &a, const plane_sums &b)
{
    double_sums s;
    s.one = a.one, s.other = b.one;
    s.two = xor3(a.two, a.pair, b.two);
    s.pair = b.pair;
    const uint32_t carry = maj3(a.two, a.pair, b.two);
    s.four = xor3(a.four, b.four, carry);
    s.eight = maj3(a.four, b.four, carry);
    return s;
}

/* The live cells of three planes, the cell itself among them: bit0 + 2 bit1 + 4 (four + more) + 8 (eight + carry). Not
 * every rule needs the sums in brackets. */
struct space_count {
    uint32_t bit0, bit1, four, more, eight, carry;
};

template <class FACTORS>
__device__ __forceinline__ space_count count_space(const double_sums &d, const plane_sums &p, const FACTORS &k)
{
    space_count t;
    const uint32_t up = maj3(d.one, d.other, p.one);
    t.bit0 = low3(d.one, d.other, p.one, up, k);
    const uint32_t part = xor3(d.two, d.pair, up), first = maj3(d.two, d.pair, up);
    t.bit1 = xor3(part, p.two, p.pair);
    const uint32_t second = maj3(part, p.two, p.pair);
    t.more = xor3(first, second, p.four);
    t.carry = maj3(first, second, p.four);
    t.four = d.four, t.eight = d.eight;
    return t;
}

/* ---- Rules ----------------------------------------------------------------------------------- */

/* B6/S5..7. With T the live cells of the 27, the next state is 1 if T = 6, or if T is 7 or 8 and the cell lives. Let
 * N = four + more + 2 (eight + carry), so that T = bit0 + 2 bit1 + 4 N:
 *
 *     T     bit0  bit1  N     N + bit1    next state
 *     6     0     1     1     2           1
 *     7     1     1     1     2           cell
 *     8     0     0     2     2           cell
 *     9     1     0     2     2           0
 *
 * No other T has N + bit1 = 2. In these rows the next state is the majority of bit1, not bit0 and the cell.
 *
 *     odd, two     four + more + bit1 = odd + 2 two, so N + bit1 = odd + 2 (two + eight + carry)
 *     alone        0x16(eight, carry, two)     exactly one of three
 *     fits         0xb2(bit1, bit0, cell)      majority of bit1, ~bit0, cell
 *                  0x20(alone, odd, fits)      alone & ~odd & fits */
struct rule_default {
    __device__ __forceinline__ uint32_t next(const space_count &t, uint32_t cell) const
    {
        const uint32_t odd = xor3(t.four, t.more, t.bit1), two = maj3(t.four, t.more, t.bit1);
        const uint32_t alone = lut3<0x16>(t.eight, t.carry, two);
        const uint32_t fits = lut3<0xb2>(t.bit1, t.bit0, cell);
        return lut3<0x20>(alone, odd, fits);
    }
};

#endif
