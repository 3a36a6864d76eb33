/* What the kernel of life3d-naive (cuda_kernels.cuh) adds for grids with dead edges. */
#ifndef LIFE3D_NAIVE_CUDA_EDGES_CUH
#define LIFE3D_NAIVE_CUDA_EDGES_CUH

#include "cuda_kernels.cuh"

/* The neighbours of a cell in its row; the masks are 0 for those beyond a dead edge. */
struct dead_sides {
    int64_t left, right;
    uint32_t left_mask, right_mask;

    __device__ __forceinline__ uint32_t cell_on_left(const uint8_t *cell) const
    {
        return cell[left] & left_mask;
    }
    __device__ __forceinline__ uint32_t cell_on_right(const uint8_t *cell) const
    {
        return cell[right] & right_mask;
    }
};

/* Which neighbours of a cell may live: in the rows above and below, on the left and on the right. */
struct beside {
    bool above, below, left, right;
};

/* count_nine beside dead edges. */
static __device__ __forceinline__ uint32_t count_living(const uint8_t *here, int64_t above, int64_t below, int64_t left,
                                                        int64_t right, const beside &lives)
{
    const uint8_t *rows[3] = {here + above, here, here + below};
    const bool has[3] = {lives.above, true, lives.below};
    uint32_t alive = 0;
#pragma unroll
    for (int r = 0; r < 3; r++)
        if (has[r])
            alive += (lives.left ? rows[r][left] : 0) + rows[r][0] + (lives.right ? rows[r][right] : 0);
    return alive;
}

/* Do all rows and planes beside CELLS cells along z lie in the grid? */
template <int CELLS>
static __device__ __forceinline__ bool is_inside(const life3d_dead_step &step, int64_t y, int64_t z)
{
    return y > 0 && y + 1 < step.height && z > 0 && z + CELLS < step.depth;
}

/* Makes cells some of whose neighbours may lie beyond dead edges. Beside those along y and z, it makes a plane after the
 * other, which takes fewer registers. */
template <int CELLS>
static __device__ __forceinline__ void take_edge_cells(const life3d_dead_step &step, const rule_masks &rule, int64_t x,
                                                       int64_t y, int64_t z, int64_t left, int64_t right)
{
    if (is_inside<CELLS>(step, y, z)) {
        take_cells<CELLS>(step, rule, x, y, z,
                          dead_sides{left, right, life3d_lives(step, LIFE_DEAD_X, x - 1, step.width) ? ~0u : 0,
                                     life3d_lives(step, LIFE_DEAD_X, x + 1, step.width) ? ~0u : 0});
        return;
    }
    int64_t above, below;
    find_rows(step, y, &above, &below);
    const int64_t column = y * step.row_stride + x;
    const beside lives = {
        life3d_lives(step, LIFE_DEAD_Y, y - 1, step.height), life3d_lives(step, LIFE_DEAD_Y, y + 1, step.height),
        life3d_lives(step, LIFE_DEAD_X, x - 1, step.width), life3d_lives(step, LIFE_DEAD_X, x + 1, step.width)};
    uint32_t before = 0, here = 0, cell = 0;
#pragma unroll 1
    for (int64_t plane = z - 1; plane <= z + CELLS && plane <= step.depth; plane++) {
        const uint8_t *at = step.source + life3d_wrapped(plane, step.depth) * step.plane_stride + column;
        const bool plane_lives = life3d_lives(step, LIFE_DEAD_Z, plane, step.depth);
        const uint32_t after = plane_lives ? count_living(at, above, below, left, right, lives) : 0;
        if (plane > z)
            step.result[(plane - 1) * step.plane_stride + column] =
                life3d_next(cell, before + here + after - cell, rule.birth, rule.survive);
        before = here, here = after, cell = *at;
    }
}

#endif
