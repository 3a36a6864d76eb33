/* What the kernels of life2d-lut (cuda_grid.cuh, cuda_tables.cuh) do on grids with dead edges. Beyond the edges along y,
 * they read a row of dead cells; along x, masks clear what lies there. */
#ifndef LIFE2D_LUT_CUDA_EDGES_CUH
#define LIFE2D_LUT_CUDA_EDGES_CUH

#include "cuda_grid.cuh"

#include <life/dead_axes.h>

struct lut_dead_rows;
template <int WORDS> struct lut_dead_column;

struct lut_dead_grid : lut_grid {
    template <int WORDS> using column_type = lut_dead_column<WORDS>;
    using rows_type = lut_dead_rows;

    uint32_t dead;         /* LIFE_DEAD_X, LIFE_DEAD_Y; along the other axis the grid is a torus */
    const uint32_t *zeros; /* a row of dead cells */
};

template <int WORDS> struct lut_dead_column : lut_column<WORDS> {
    uint32_t keep_left, keep_right; /* 0 if the cells on this side are dead, else ~0 */

    __device__ lut_dead_column(const lut_dead_grid &grid, uint64_t index) : lut_column<WORDS>(grid, index)
    {
        keep_left = keep_right = ~0u;
        if (grid.dead & LIFE_DEAD_X) {
            keep_left = index == 0 ? 0 : ~0u;
            keep_right = index + 1 == grid.columns ? 0 : ~0u;
        }
    }
    __device__ void wrap_neighbours(lut_span<WORDS> &span) const
    {
        span.left <<= this->left_shift;
        span.left &= keep_left, span.right &= keep_right;
        this->write_ghost(span);
    }
};

/* An iterator over the rows of a grid where those before the first and behind the last may be dead. */
struct lut_dead_rows {
    const uint32_t *at, *zeros;
    int64_t y, height;
    uint64_t row_words;
    bool dead;

    __device__ lut_dead_rows(const uint32_t *cells, const lut_dead_grid &grid, int64_t first)
        : zeros(grid.zeros), y(first), height((int64_t) grid.height), row_words(grid.row_words),
          dead(grid.dead & LIFE_DEAD_Y)
    {
        if (!dead)
            y = y < 0 ? y + height : (int64_t) ((uint64_t) y % grid.height);
        at = cells + y * (int64_t) row_words;
    }

    __device__ const uint32_t *next()
    {
        const uint32_t *row = (uint64_t) y < (uint64_t) height ? at : zeros;
        at += row_words, y++;
        if (!dead && y == height)
            at -= (uint64_t) height * row_words, y = 0;
        return row;
    }
};

#endif
