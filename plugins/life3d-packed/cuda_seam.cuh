/* The ends of a row of 3D Life that lie within a group of 128 cells.
 *
 * The seam is where a row of the torus ends and begins again. If the width is not a multiple of 128, the last group has
 * `tail` cells and free bits behind them. Two of these become ghosts, so that the lanes find neighbours in the usual
 * places:
 *
 *     cell of the last group     0  1  …  tail - 1   tail          …   127
 *     holds                      its cells           cell 0 of          the last cell, which the first group
 *                                                    the row            sees as its left neighbour
 *
 * If tail = 127, cell 127 is the ghost of cell 0; the first group then takes cell 126 (`shifted`). */
#ifndef LIFE3D_PACKED_CUDA_SEAM_CUH
#define LIFE3D_PACKED_CUDA_SEAM_CUH

#include "cuda_group.cuh"

/* Masks of the two ghosts in the last group of a row; 0 in other groups. */
struct row_seam {
    uint32_t mask[4], end; /* of cell `tail`; of cell 127, which is in word 3 */
    uint32_t tail;
};

__device__ __forceinline__ row_seam seam_of(uint32_t tail, bool last)
{
    row_seam s;
    for (uint32_t i = 0; i < 4; i++)
        s.mask[i] = last && i == (tail & 3) ? 1u << (tail >> 2 & 31) : 0;
    s.end = last ? 1u << 31 : 0;
    s.tail = tail;
    return s;
}

/* The cells of a row's last group, `tail` of them, in the masks of a seam. Beyond dead edges, the others are 0. */
__device__ __forceinline__ void find_cells(uint32_t (&mask)[4], uint32_t tail)
{
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t count = (tail + 3 - i) >> 2;
        mask[i] = count < 32 ? (1u << count) - 1 : ~0u;
    }
}

__device__ __forceinline__ void clear_cells(uint32_t (&word)[4], const uint32_t (&mask)[4])
{
    for (int i = 0; i < 4; i++)
        word[i] &= mask[i];
}

/* Writes the two ghosts. `first` is the first word of the row's first group. lut3<0xca>(m, a, b) is m ? a : b, bit by
 * bit. */
__device__ __forceinline__ void close_seam(uint32_t (&word)[4], const row_seam &s, uint32_t first)
{
    const uint32_t at = s.tail - 1, all = 0u - (first & 1);
    const uint32_t low = at & 1 ? word[1] : word[0], high = at & 1 ? word[3] : word[2];
    const uint32_t last = (at & 2 ? high : low) << (31 - (at >> 2));
    word[3] = lut3<0xca>(s.end, last, word[3]);
    for (int i = 0; i < 4; i++)
        word[i] = lut3<0xca>(s.mask[i], all, word[i]);
}

#endif
