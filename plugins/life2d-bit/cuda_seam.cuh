/* The ends of a row of 2D Life that lie within a group of 128 cells.
 *
 * The seam is where a row of the torus ends and begins again. If the width is not a multiple of 128, the last group
 * holds only `tail` cells. Kernels then compute on rows of groups + 2 columns, each a full group of 128 neighbouring
 * cells; at the seam a column is joined from two groups. For example, with groups = 3:
 *
 *     column      -1                0          1          2                          3
 *     cells       the last 128      group 0    group 1    group 2, then group 0      the cells after those
 *                 (ghosts)                                (its tail, then ghosts)    (ghosts) */
#ifndef LIFE2D_SEAM_CUH
#define LIFE2D_SEAM_CUH

#include "cuda_group.cuh"

/* Shifts by 0 … 33 bits, where the hardware's shift by 32 or more gives 0. */
__device__ __forceinline__ uint32_t shift_down(uint32_t word, uint32_t bits)
{
    return __funnelshift_rc(word, 0, bits);
}

__device__ __forceinline__ uint32_t shift_up(uint32_t word, uint32_t bits)
{
    return __funnelshift_lc(0, word, bits);
}

/* How a column is joined from two groups a and b: cells `from` … of a become its cells 0 …, at most `keep` of them. The
 * cells of b become its cells `to` … 127. Away from the seam: 0, 128, 128. */
struct seam {
    uint32_t from, keep, to;
};

__device__ __forceinline__ uint32_t pack_seam(seam s)
{
    return s.from | s.keep << 8 | s.to << 16;
}

__device__ __forceinline__ seam unpack_seam(uint32_t packed)
{
    return {packed & 255, packed >> 8 & 255, packed >> 16};
}

/* Moves the cells of a striped group down by 0 … 3 cells, but for the bit that words carry over. */
__device__ __forceinline__ void rotate_words(uint32_t (&w)[4], uint32_t by)
{
    if (by & 1) {
        const uint32_t first = w[0];
        w[0] = w[1], w[1] = w[2], w[2] = w[3], w[3] = first;
    }
    if (by & 2) {
        const uint32_t first = w[0], second = w[1];
        w[0] = w[2], w[1] = w[3], w[2] = first, w[3] = second;
    }
}

/* Joins a and b into a. Moving the cells of a striped group by n rotates the words by n mod 4 and shifts each by n / 4
 * bits, or by one bit more for the words that the rotation carries around. */
__device__ __forceinline__ void join_groups(uint32_t (&a)[4], uint32_t (&b)[4], seam s)
{
    rotate_words(a, s.from & 3);
    rotate_words(b, (0u - s.to) & 3);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t kept = shift_down(~0u, 32 - ((s.keep + 3 - i) >> 2));
        const uint32_t low = shift_down(a[i], (s.from >> 2) + (i + (s.from & 3) >= 4));
        a[i] = (low & kept) | shift_up(b[i], (s.to >> 2) + (i < (s.to & 3)));
    }
}

/* The cells of a striped group that are among its first `count`, as a mask for each word. */
__device__ __forceinline__ void first_cells(uint32_t (&mask)[4], uint32_t count)
{
    for (uint32_t i = 0; i < 4; i++)
        mask[i] = shift_down(~0u, 32 - ((count + 3 - i) >> 2));
}

/* The two groups from which column c = -1 … groups is joined: returns the first, and sets the second and how to join.
 */
__device__ __forceinline__ uint32_t column_sources(int32_t c, uint32_t groups, uint32_t tail, uint32_t *other, seam *s)
{
    const int32_t count = (int32_t) groups;
    *s = {0, 128, 128};
    *other = 0;
    if (tail == 128 || (c >= 0 && c < count - 1))
        return c < 0 ? groups - 1 : c == count ? 0 : (uint32_t) c;
    if (c == count - 1) { /* the last group, filled up with the first cells */
        *s = {0, tail, tail};
        return groups - 1;
    }
    if (c < 0) { /* the last 128 cells */
        *s = {tail, 128, 128 - tail};
        *other = groups - 1;
        return groups == 1 ? 0 : groups - 2;
    }
    *s = {128 - tail, 128, tail}; /* the cells after those that fill up the last group */
    *other = groups == 1 ? 0 : 1;
    return 0;
}

#endif
