/* Words of 32 cells of 2D Life: their sums along a row, and the rules. LUT constants are truth tables in the sense of
 * life/cuda_words.cuh: bit 4a + 2b + c is the value for the operands (a, b, c). */
#ifndef LIFE2D_WORD_CUH
#define LIFE2D_WORD_CUH

#include <life/cuda_words.cuh>

/* ---- Rows ------------------------------------------------------------------------------------ */

/* A lane's four words of a row, with the left neighbours of word[0] and the right neighbours of word[3]. */
struct cells {
    uint32_t word[4], left, right;
};

/* For each word: how many of a cell and its two neighbours in the row live, low + 2 high. */
struct sums {
    uint32_t low[4], high[4];
};

/* The lanes that hold the groups beside a lane's own: the lanes beside it, or any two. */
struct adjacent_lanes {
    __device__ __forceinline__ uint32_t from_left(uint32_t word) const
    {
        return __shfl_up_sync(~0u, word, 1);
    }
    __device__ __forceinline__ uint32_t from_right(uint32_t word) const
    {
        return __shfl_down_sync(~0u, word, 1);
    }
};
struct chosen_lanes {
    int left, right;

    __device__ __forceinline__ uint32_t from_left(uint32_t word) const
    {
        return __shfl_sync(~0u, word, left);
    }
    __device__ __forceinline__ uint32_t from_right(uint32_t word) const
    {
        return __shfl_sync(~0u, word, right);
    }
};

template <class LANES> __device__ __forceinline__ cells with_sides(const uint32_t (&word)[4], const LANES &lanes)
{
    cells c;
    for (int i = 0; i < 4; i++)
        c.word[i] = word[i];
    c.left = __funnelshift_l(lanes.from_left(word[3]), word[3], 1);
    c.right = __funnelshift_r(word[0], lanes.from_right(word[0]), 1);
    return c;
}

template <class FACTORS> __device__ __forceinline__ sums row_sums(const cells &c, const FACTORS &k)
{
    const uint32_t at[6] = {c.left, c.word[0], c.word[1], c.word[2], c.word[3], c.right};
    sums s;
    add_neighbours(s.low, s.high, at, k);
    return s;
}

/* What determines the next state of a word: the word, its left and right neighbours, and the sums of its row and of the
 * rows above and below. */
struct around {
    uint32_t left, cell, right;
    uint32_t above_low, above_high, here_low, here_high, below_low, below_high;
};

__device__ __forceinline__ around around_word(const cells &c, const sums &above, const sums &here, const sums &below,
                                              int i)
{
    around n;
    n.left = i ? c.word[i - 1] : c.left;
    n.cell = c.word[i];
    n.right = i < 3 ? c.word[i + 1] : c.right;
    n.above_low = above.low[i], n.above_high = above.high[i];
    n.here_low = here.low[i], n.here_high = here.high[i];
    n.below_low = below.low[i], n.below_high = below.high[i];
    return n;
}

/* ---- Rules ----------------------------------------------------------------------------------- */

/* WARM_UP is the number of levels that join at a time when a band begins in the streaming form. A small number saves
 * work, but each number of levels has code of its own, which becomes too long for rule_numbers. */

/* B3/S23. The rows above and below have sums al + 2 ah and bl + 2 bh. With e + 2 d = al + bl + left and s = e + right,
 * the live neighbours are N = s + 2 (d + ah + bh). The next state is 1 if N = 3, or if the cell lives and N = 2:
 *
 *     cell  s         f    g        next state
 *     0     0 or 2    0    0        0, because N is even
 *     any   1         1    d        exactly one of d, ah, bh (so N = 3)
 *     1     0         1    d        exactly one of d, ah, bh (so N = 2)
 *     1     2         0    not d    none of d, ah, bh (so N = 2): g = 1 is the only one of g, ah, bh
 *
 *     f = 0x76(cell, right, e)    (right ^ e) | (cell & ~(right & e))
 *     g = 0xc2(d, f, cell)        f ? d : cell & ~d
 *     h = 0x16(g, ah, bh)         exactly one of three
 *     0xe0(h, f, g)               h & (f | g) */
struct rule_life {
    enum { WARM_UP = 2 };

    __device__ __forceinline__ uint32_t next(const around &n) const
    {
        const uint32_t d = maj3(n.above_low, n.below_low, n.left);
        const uint32_t e = xor3(n.above_low, n.below_low, n.left);
        const uint32_t f = lut3<0x76>(n.cell, n.right, e);
        const uint32_t g = lut3<0xc2>(d, f, n.cell);
        const uint32_t h = lut3<0x16>(g, n.above_high, n.below_high);
        return lut3<0xe0>(h, f, g);
    }
};

/* The live cells of three by three, the cell itself among them: low + 2 (carry + odd) + 4 high. */
struct block_count {
    uint32_t low, carry, odd, high;
};

__device__ __forceinline__ block_count count_block(const around &n)
{
    block_count t;
    t.carry = maj3(n.above_low, n.here_low, n.below_low);
    t.low = xor3(n.above_low, n.here_low, n.below_low);
    t.high = maj3(n.above_high, n.here_high, n.below_high);
    t.odd = xor3(n.above_high, n.here_high, n.below_high);
    return t;
}

/* A rule that is known when the run starts. The asm statement is a mark in the PTX text: life/network_ptx.h replaces it
 * by the rule's own operations before the driver compiles the text. */
struct rule_written_later {
    enum { WARM_UP = 2 };

    __device__ __forceinline__ uint32_t next(const around &n) const
    {
        const block_count t = count_block(n);
        uint32_t d;
        asm("// LIFE_RULE %0 %1 %2 %3 %4 %5"
            : "=r"(d)
            : "r"(t.low), "r"(t.carry), "r"(t.odd), "r"(t.high), "r"(n.cell));
        return d;
    }
};

/* A row, and functions of a cell of the row and the two beside it, which square_network.h lists: the sum, a ^ c, a & c.
 * The compiler leaves out those that no rule reads. */
struct line {
    cells row;
    sums sum;
    uint32_t odd_sides[4], both_sides[4];
};

__device__ __forceinline__ line make_line(const cells &row, const life_factors &k)
{
    const uint32_t at[6] = {row.left, row.word[0], row.word[1], row.word[2], row.word[3], row.right};
    line l;
    l.row = row;
    l.sum = row_sums(row, k);
    for (int i = 0; i < 4; i++) {
        l.odd_sides[i] = at[i] ^ at[i + 2];
        l.both_sides[i] = at[i] & at[i + 2];
    }
    return l;
}

/* A rule that does not count neighbours, known when the run starts: life/network_ptx.h replaces the mark. The inputs
 * are the cells of a square from the lower right to the upper left one, and the functions of its rows, the lowest row
 * first. */
struct rule_of_squares {
    enum { WARM_UP = 2 };

    __device__ __forceinline__ uint32_t next(const line &above, const line &here, const line &below, int i) const
    {
        const line *const rows[3] = {&below, &here, &above};
        uint32_t of[9], d;
        for (int r = 0; r < 3; r++) {
            const cells &row = rows[r]->row;
            of[3 * r] = i < 3 ? row.word[i + 1 < 4 ? i + 1 : 3] : row.right;
            of[3 * r + 1] = row.word[i];
            of[3 * r + 2] = i > 0 ? row.word[i > 0 ? i - 1 : 0] : row.left;
        }
        asm("// LIFE_RULE %0 %1 %2 %3 %4 %5 %6 %7 %8 %9 %10 %11 %12 %13 %14 %15 %16 %17 %18 %19 %20 %21"
            : "=r"(d)
            : "r"(of[0]), "r"(of[1]), "r"(of[2]), "r"(of[3]), "r"(of[4]), "r"(of[5]), "r"(of[6]), "r"(of[7]),
              "r"(of[8]), "r"(below.sum.low[i]), "r"(here.sum.low[i]), "r"(above.sum.low[i]), "r"(below.sum.high[i]),
              "r"(here.sum.high[i]), "r"(above.sum.high[i]), "r"(below.odd_sides[i]), "r"(here.odd_sides[i]),
              "r"(above.odd_sides[i]), "r"(below.both_sides[i]), "r"(here.both_sides[i]), "r"(above.both_sides[i]));
        return d;
    }
};

/* A rule as numbers. Let T be the live cells of three by three, t1, t2 and t3 its bits 1, 2 and 3. As a function of
 * bits, the next state is a polynomial mod 2 in the cell, t1 and t2, whose coefficients depend on bit 0 of T alone:
 *
 *     c0 ^ c1 cell ^ c2 t1 ^ c3 cell t1 ^ c4 t2 ^ c5 cell t2 ^ c6 t1 t2 ^ c7 cell t1 t2 ^ c8 t3
 *
 * Each ci is a word: even[i] where bit 0 is 0, and else even[i] + change[i], by one multiply-add. Horner's scheme with
 * a ^ (b & c), which is 0x78, then folds the terms: first by the cell, then by t1, t2 and t3. 0x6a is (a & b) ^ c. */
struct rule_numbers {
    enum { WARM_UP = 4 };

    uint32_t even[9], change[9];

    __device__ __forceinline__ uint32_t next(const around &n) const
    {
        const block_count t = count_block(n);
        const uint32_t t1 = t.carry ^ t.odd;
        const uint32_t t2 = lut3<0x6a>(t.carry, t.odd, t.high), t3 = t.carry & t.odd & t.high;
        uint32_t term[9];
        for (int i = 0; i < 9; i++)
            term[i] = t.low * change[i] + even[i];
        for (int i = 0; i < 8; i += 2)
            term[i] = lut3<0x78>(term[i], n.cell, term[i + 1]);
        for (int i = 0; i < 8; i += 4)
            term[i] = lut3<0x78>(term[i], t1, term[i + 2]);
        return lut3<0x78>(lut3<0x78>(term[0], t2, term[4]), t3, term[8]);
    }
};

#endif
