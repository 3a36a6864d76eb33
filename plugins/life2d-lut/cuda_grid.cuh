/* How the CUDA kernels of life2d-lut walk over the torus: a thread owns a column of WORDS words of 32 cells, and goes
 * down a segment of its rows. The columns of a warp lie side by side, so that rows are read and written in whole lines.
 * Both axes wrap by index: there are no ghosts, and a launch takes as many steps as it likes. */
#ifndef LIFE2D_LUT_CUDA_GRID_CUH
#define LIFE2D_LUT_CUDA_GRID_CUH

#include <cstdint>

struct lut_grid {
    uint32_t *cells[2]; /* step 0 of a launch reads the first one */
    uint64_t row_words; /* from one row to the next */
    uint64_t width, height, steps;
    uint64_t columns, segments, segment_rows;
};

/* A thread's words of a row: the cell left of them is bit 31 of `left`, the one right of them bit 0 of `right`. */
template <int WORDS> struct lut_span {
    uint32_t left, cells[WORDS], right;
};

/* Where a column lies, and what is odd about the first and the last one. */
template <int WORDS> struct lut_column {
    uint64_t first, left, right; /* words of a row */
    uint32_t left_shift;         /* brings the left neighbour to bit 31 */
    uint32_t seam;               /* of the column's cells, the one that cell 0 stands in for; 32 WORDS or more: none */

    __device__ lut_column(const lut_grid &grid, uint64_t index)
    {
        const uint64_t last_cell = grid.width - 1, cells_after = grid.width - index * 32 * WORDS;
        const bool is_last = index + 1 == grid.columns;
        first = index * WORDS;
        left = index == 0 ? last_cell / 32 : first - 1;
        left_shift = index == 0 ? 31 - (uint32_t) (last_cell % 32) : 0;
        right = is_last ? 0 : first + WORDS;
        seam = is_last ? (uint32_t) cells_after : 32 * WORDS;
    }

    /* Starts loading; `settle` makes the neighbours right, and waits for the words. */
    __device__ lut_span<WORDS> load(const uint32_t *row) const
    {
        lut_span<WORDS> span;
        span.left = row[left];
        if constexpr (WORDS == 4)
            *(uint4 *) span.cells = *(const uint4 *) (row + first);
        else if constexpr (WORDS == 2)
            *(uint2 *) span.cells = *(const uint2 *) (row + first);
        else
            span.cells[0] = row[first];
        span.right = row[right];
        return span;
    }

    __device__ void settle(lut_span<WORDS> &span) const
    {
        span.left <<= left_shift;
        if (seam >= 32 * WORDS)
            return;
        const uint32_t bit = 1u << seam % 32, cell = span.right & 1 ? bit : 0;
#pragma unroll
        for (int w = 0; w < WORDS; w++)
            if (seam / 32 == w)
                span.cells[w] = (span.cells[w] & ~bit) | cell;
    }

    /* Rows are aligned to 16 bytes: what is stored after the last cell is padding of the same row. */
    __device__ void store(uint32_t *row, const uint32_t (&cells)[WORDS]) const
    {
        if constexpr (WORDS == 4)
            *(uint4 *) (row + first) = *(const uint4 *) cells;
        else if constexpr (WORDS == 2)
            *(uint2 *) (row + first) = *(const uint2 *) cells;
        else
            row[first] = cells[0];
    }
};

/* Goes down the rows of a torus. */
struct lut_rows {
    const uint32_t *begin, *end, *at;
    uint64_t row_words;

    /* Row y, which may be -1, or past the last one. */
    __device__ lut_rows(const uint32_t *cells, const lut_grid &grid, int64_t y)
        : begin(cells), end(cells + grid.height * grid.row_words), row_words(grid.row_words)
    {
        at = cells + (y < 0 ? (uint64_t) (y + (int64_t) grid.height) : (uint64_t) y % grid.height) * row_words;
    }

    /* The row that stands at `at`; goes on to the next one. */
    __device__ const uint32_t *next()
    {
        const uint32_t *row = at;
        at += row_words;
        if (at == end)
            at = begin;
        return row;
    }
};

/* Starts fetching a line of global memory into the L2 cache. */
static __device__ __forceinline__ void lut_prefetch(const uint32_t *words)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(words));
}

/* Where mask is set a, else b: one LOP3, which the compiler does not find by itself where the mask is a constant. */
static __device__ __forceinline__ uint32_t lut_choose(uint32_t mask, uint32_t a, uint32_t b)
{
    uint32_t chosen;
    asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(chosen) : "r"(mask), "r"(a), "r"(b));
    return chosen;
}

#endif
