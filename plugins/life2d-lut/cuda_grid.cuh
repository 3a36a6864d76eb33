/* How the CUDA kernels of life2d-lut walk over the grid. A thread owns a column of WORDS words of 32 cells and walks
 * down a segment of its rows:
 *
 *     thread      0      1      2     …                each row is read and written in whole lines
 *     segment 0   | | |  | | |  | | |
 *                 v v v  v v v  v v v
 *     segment 1   …
 *
 * The kernels wrap around both axes themselves: there are no ghosts, and a launch may take any number of steps.
 *
 * This file has the torus. cuda_edges.cuh has what dead edges add. */
#ifndef LIFE2D_LUT_CUDA_GRID_CUH
#define LIFE2D_LUT_CUDA_GRID_CUH

#include <cstdint>

struct lut_rows;
template <int WORDS> struct lut_column;

struct lut_grid {
    template <int WORDS> using column_type = lut_column<WORDS>;
    using rows_type = lut_rows;

    uint32_t *cells[2]; /* step 0 of a launch reads the first one */
    uint64_t row_words; /* from one row to the next */
    uint64_t width, height, steps;
    uint64_t columns, segments, segment_rows;
};

/* A thread's words of a row. The cell on their left is bit 31 of `left`, the cell on their right is bit 0 of `right`.
 */
template <int WORDS> struct lut_span {
    uint32_t left, cells[WORDS], right;
};

/* A column: its place in the row, and the special treatment of the first and the last one. */
template <int WORDS> struct lut_column {
    uint64_t first, left, right; /* words of a row */
    uint32_t left_shift;         /* moves the left neighbour to bit 31 */
    uint32_t seam;               /* the cell of the column that is a ghost of cell 0; 32 WORDS or more: none */

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

    /* Starts the loads. wrap_neighbours uses the words, and so waits for them. */
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

    /* Corrects the neighbours across the edges. */
    __device__ void wrap_neighbours(lut_span<WORDS> &span) const
    {
        span.left <<= left_shift;
        write_ghost(span);
    }

    __device__ void write_ghost(lut_span<WORDS> &span) const
    {
        if (seam >= 32 * WORDS)
            return;
        const uint32_t bit = 1u << seam % 32, cell = span.right & 1 ? bit : 0;
#pragma unroll
        for (int w = 0; w < WORDS; w++)
            if (seam / 32 == w)
                span.cells[w] = (span.cells[w] & ~bit) | cell;
    }

    /* Rows are aligned to 16 bytes, so that a store behind the last cell writes only padding of the same row. */
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

/* An iterator over the rows of a torus. */
struct lut_rows {
    const uint32_t *begin, *end, *at;
    uint64_t row_words;

    /* Begins at row y, which may be -1, or past the last row. */
    __device__ lut_rows(const uint32_t *cells, const lut_grid &grid, int64_t y)
        : begin(cells), end(cells + grid.height * grid.row_words), row_words(grid.row_words)
    {
        at = cells + (y < 0 ? (uint64_t) (y + (int64_t) grid.height) : (uint64_t) y % grid.height) * row_words;
    }

    /* Returns the current row, and advances to the next. */
    __device__ const uint32_t *next()
    {
        const uint32_t *row = at;
        at += row_words;
        if (at == end)
            at = begin;
        return row;
    }
};

/* Prefetches a line of global memory into the L2 cache. */
static __device__ __forceinline__ void lut_prefetch(const uint32_t *words)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(words));
}

/* mask ? a : b, bit by bit, as one LOP3: the truth table of (mask, a, b) is 0xca = 11001010, from 111 down to 000. The
 * compiler does not find it where the mask is a constant. */
static __device__ __forceinline__ uint32_t lut_choose(uint32_t mask, uint32_t a, uint32_t b)
{
    uint32_t chosen;
    asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(chosen) : "r"(mask), "r"(a), "r"(b));
    return chosen;
}

#endif
