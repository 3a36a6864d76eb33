/* Groups of 128 cells: in shared memory, and at the seam of a torus whose width is no multiple of 128. There the cell
 * after the last one holds the first one, and cell 127 the last one, so that neighbours are where they are elsewhere;
 * if cell 127 is the one after the last, the last cell is the one before it. */
#ifndef LIFE3D_PACKED_CUDA_GROUP_CUH
#define LIFE3D_PACKED_CUDA_GROUP_CUH

#include "cuda_sum.cuh"

/* ---- Shared memory --------------------------------------------------------------------------- */

extern __shared__ uint4 packed_shared[];

__device__ __forceinline__ void write_shared(uint32_t shared, const uint32_t (&word)[4], bool really)
{
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0;\n@p st.shared.v4.u32 [%0], {%1, %2, %3, %4}; }" ::"r"(shared),
                 "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3]), "r"((uint32_t) really)
                 : "memory");
}

/* ---- Seams ----------------------------------------------------------------------------------- */

/* What closes the seam of a row: in its last group the masks of the two cells, elsewhere nothing. */
struct row_seam {
    uint32_t mask[4], end; /* of the cell after the last one; of cell 127, in word 3 */
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

/* `first`: the first word of the row's first group. */
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
