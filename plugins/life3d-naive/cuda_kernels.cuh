/* The kernel of life3d-naive: a thread reads all neighbours of its cells from global memory, a byte at a time.
 *
 * The ladder (docs/explain/source-texts.md has the sources, docs/lab/life3d-packed.md the rates):
 *
 *   a thread a cell, with wrap-around by modulo: v0 of the 3D Life blog post of tkob-vh
 *   cells_per_thread = 1: constant distances to the neighbours, except at the ends of a row; 27 loads a cell
 *   cells_per_thread = 2: two cells along z share the planes that both read; 36 loads for two
 *
 * Four cells take 54 loads, and so many registers that fewer threads fit. With 64-bit additions for every address, the
 * addresses would cost more than the counting. Blocks of 512 threads are slower.
 *
 * This file has the torus. cuda_edges.cuh has what dead edges add. */
#ifndef LIFE3D_NAIVE_CUDA_KERNELS_CUH
#define LIFE3D_NAIVE_CUDA_KERNELS_CUH

#include <life/cuda3d.cuh>

struct rule_masks {
    uint32_t birth, survive;
};

/* The distances to the neighbours of a cell in its row. */
struct sides {
    int64_t left, right;

    __device__ __forceinline__ uint32_t cell_on_left(const uint8_t *cell) const
    {
        return cell[left];
    }
    __device__ __forceinline__ uint32_t cell_on_right(const uint8_t *cell) const
    {
        return cell[right];
    }
};

/* The live cells among nine of a plane, of three rows. */
template <class SIDES>
static __device__ __forceinline__ uint32_t count_nine(const uint8_t *here, int64_t above, int64_t below,
                                                      const SIDES &at)
{
    const uint8_t *rows[3] = {here + above, here, here + below};
    uint32_t alive = 0;
#pragma unroll
    for (int r = 0; r < 3; r++)
        alive += at.cell_on_left(rows[r]) + rows[r][0] + at.cell_on_right(rows[r]);
    return alive;
}

/* The distances to the rows above and below y. */
static __device__ __forceinline__ void find_rows(const life3d_step &step, int64_t y, int64_t *above, int64_t *below)
{
    const int64_t last_row = (step.height - 1) * step.row_stride;
    *above = y > 0 ? -step.row_stride : last_row;
    *below = y < step.height - 1 ? step.row_stride : -last_row;
}

/* Makes CELLS cells along z from (x, y, z) on. */
template <int CELLS, class SIDES>
static __device__ __forceinline__ void take_cells(const life3d_step &step, const rule_masks &rule, int64_t x, int64_t y,
                                                  int64_t z, const SIDES &at)
{
    int64_t above, below;
    find_rows(step, y, &above, &below);
    const int64_t column = y * step.row_stride + x;
    uint32_t alive[CELLS + 2], cell[CELLS + 2];
#pragma unroll
    for (int i = 0; i < CELLS + 2; i++) {
        const uint8_t *here = step.source + life3d_wrapped(z + i - 1, step.depth) * step.plane_stride + column;
        alive[i] = count_nine(here, above, below, at);
        cell[i] = *here;
    }
#pragma unroll
    for (int i = 1; i <= CELLS; i++)
        if (z + i - 1 < step.depth)
            step.result[(z + i - 1) * step.plane_stride + column] =
                life3d_next(cell[i], alive[i - 1] + alive[i] + alive[i + 1] - cell[i], rule.birth, rule.survive);
}

/* The same for a cell at an end of a row. */
template <int CELLS>
static __device__ __forceinline__ void take_edge_cells(const life3d_step &step, const rule_masks &rule, int64_t x,
                                                       int64_t y, int64_t z, int64_t left, int64_t right)
{
    take_cells<CELLS>(step, rule, x, y, z, sides{left, right});
}

/* Are the distances to all rows and planes beside CELLS cells those of a torus? */
template <int CELLS> static __device__ __forceinline__ bool is_inside(const life3d_step &, int64_t, int64_t)
{
    return true;
}

/* A thread makes CELLS cells, or a multiple of that if the grid has more cells than a launch can have threads for. */
template <int CELLS, class STEP> static __global__ void take_step(STEP step, rule_masks rule)
{
    const int64_t first_x = (int64_t) blockIdx.x * blockDim.x + threadIdx.x, step_x = (int64_t) gridDim.x * blockDim.x;
    const int64_t first_y = (int64_t) blockIdx.y * blockDim.y + threadIdx.y, step_y = (int64_t) gridDim.y * blockDim.y;
    const int64_t first_z = (int64_t) blockIdx.z * blockDim.z + threadIdx.z, step_z = (int64_t) gridDim.z * blockDim.z;
    const int64_t last = step.width - 1;
    life3d_wait();
    for (int64_t z = first_z * CELLS; z < step.depth; z += step_z * CELLS)
        for (int64_t y = first_y; y < step.height; y += step_y)
            for (int64_t x = first_x; x < step.width; x += step_x)
                if (x > 0 && x < last && is_inside<CELLS>(step, y, z)) /* constant distances */
                    take_cells<CELLS>(step, rule, x, y, z, sides{-1, 1});
                else
                    take_edge_cells<CELLS>(step, rule, x, y, z, x > 0 ? -1 : last, x < last ? 1 : -last);
    life3d_release();
}

#endif
