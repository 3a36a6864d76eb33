/* life3d-shared on a GPU: a block loads one plane of a tile after the other into shared memory and marches along z.
 *
 * The ladder (docs/explain/source-texts.md has the sources, docs/lab/life3d-packed.md the rates):
 *
 *   v1 of the 3D Life blog post of tkob-vh: three planes in shared memory, 27 reads a cell
 *   sums of planes in registers: 9 reads and one load from global memory a cell, one barrier a plane
 *
 * Best of tile = 10, 16, 18, 32 by z_iter = 16, 32, 64, 128: 16 and 64. A tile of 16 has 1.31 threads a cell because of
 * its border, and shared memory serves a lane a byte at a time. Larger tiles waste less but wait longer at the barrier. */
#include "shared.h"

#include <common/param.h>
#include <life/cuda3d.cuh>

/* The grid, cut into columns of cells along which blocks march: side - 2 cells wide and high, z_iter planes long. */
struct tiling {
    uint32_t side;
    int64_t z_iter;
    uint64_t columns, rows, count;
    uint32_t birth, survive;
};

/* The live cells among nine of a plane in shared memory, `cell` in the middle. */
static __device__ uint32_t sum_of_nine(const uint8_t *cell, int side)
{
    uint32_t alive = 0;
#pragma unroll
    for (int dy = -1; dy <= 1; dy++)
        alive += cell[dy * side - 1] + cell[dy * side] + cell[dy * side + 1];
    return alive;
}

/* Marches along one column. Planes alternate between two tiles in shared memory, so that one barrier a plane is enough:
 * a thread overwrites plane z only after the barrier of plane z + 1, and by then all threads have read plane z.
 *
 *     before, here, after     sums of planes z - 2, z - 1 and z, in registers; they give the cell of plane z - 1
 *     loaded                  the cell of plane z + 1, which is on its way from global memory
 *
 * A thread at the border of the tile loads a cell and makes none. A thread beyond a dead edge loads nothing. */
template <class STEP>
static __device__ void march(const STEP &step, const tiling &tiling, uint64_t index, uint8_t *tile[2])
{
    const int side = (int) tiling.side, tx = (int) threadIdx.x, ty = (int) threadIdx.y, at = ty * side + tx;
    const int64_t x = (int64_t) (index % tiling.columns) * (side - 2) + tx - 1;
    const int64_t y = (int64_t) (index / tiling.columns % tiling.rows) * (side - 2) + ty - 1;
    const int64_t begin = (int64_t) (index / tiling.columns / tiling.rows) * tiling.z_iter;
    const int64_t end = begin + tiling.z_iter < step.depth ? begin + tiling.z_iter : step.depth;
    const bool counts = tx > 0 && tx < side - 1 && ty > 0 && ty < side - 1 && x < step.width && y < step.height;
    const uint8_t *column =
        step.source + life3d_wrapped(y, step.height) * step.row_stride + life3d_wrapped(x, step.width);
    uint8_t *result = step.result + begin * step.plane_stride + y * step.row_stride + x;
    const bool lives =
        life3d_lives(step, LIFE_DEAD_X, x, step.width) && life3d_lives(step, LIFE_DEAD_Y, y, step.height);
    const bool loads_after = life3d_lives(step, LIFE_DEAD_Z, end, step.depth);
    uint32_t before = 0, here = 0, cell = 0, loaded = 0;
    if (lives && life3d_lives(step, LIFE_DEAD_Z, begin - 1, step.depth))
        loaded = column[life3d_wrapped(begin - 1, step.depth) * step.plane_stride];
    for (int64_t z = begin - 1; z <= end; z++) {
        const uint32_t cell_after = loaded;
        tile[0][at] = (uint8_t) loaded;
        __syncthreads();
        loaded = 0;
        if (lives && z + !loads_after < end)
            loaded = column[life3d_wrapped(z + 1, step.depth) * step.plane_stride];
        if (counts) {
            const uint32_t after = sum_of_nine(tile[0] + at, side);
            if (z > begin) {
                *result = life3d_next(cell, before + here + after - cell, tiling.birth, tiling.survive);
                result += step.plane_stride;
            }
            before = here, here = after, cell = cell_after;
        }
        uint8_t *const other = tile[1];
        tile[1] = tile[0], tile[0] = other;
    }
}

template <class STEP> static __global__ void take_step(STEP step, tiling tiling)
{
    extern __shared__ uint8_t tiles[];
    uint8_t *tile[2] = {tiles, tiles + tiling.side * tiling.side};
    life3d_wait();
    for (uint64_t index = blockIdx.x; index < tiling.count; index += gridDim.x)
        march(step, tiling, index, tile);
    life3d_release();
}

/* ---- What the engine calls ---------------------------------------------------------------------------------- */

#define BEST_TILE 16

int shared_cuda_probe(const engine_host *host, const engine_plan *plan)
{
    const uint64_t tile = param_or(plan, SHARED_TILE, BEST_TILE);
    return life3d_check_block(host, tile, tile, 1);
}

int shared_cuda_create(const engine_call *call, void **self)
{
    return life3d_cuda_open(call, engine_param_integer(call->plan, SHARED_OVERLAP), self);
}

int shared_cuda_measure(void *self, const engine_call *call, double *values)
{
    return life3d_cuda_count(self, call, values);
}

static tiling tiling_of(const engine_plan *plan)
{
    const uint64_t *extent = engine_field_shape(plan, SHARED_CELLS)->extent;
    const life3d_rule rule = life3d_plan_rule(plan);
    tiling tiling = {};
    tiling.side = (uint32_t) param_or(plan, SHARED_TILE, BEST_TILE);
    tiling.z_iter = (int64_t) param_or(plan, SHARED_Z_ITER, 64);
    tiling.columns = divide_up(extent[0], tiling.side - 2);
    tiling.rows = divide_up(extent[1], tiling.side - 2);
    tiling.count = tiling.columns * tiling.rows * divide_up(extent[2], (uint64_t) tiling.z_iter);
    tiling.birth = rule.birth;
    tiling.survive = rule.survive;
    return tiling;
}

int shared_cuda_advance(void *self, engine_call *call)
{
    const life3d_cuda *cuda = (const life3d_cuda *) self;
    const tiling tiling = tiling_of(call->plan);
    const unsigned blocks = (unsigned) (tiling.count < INT32_MAX ? tiling.count : INT32_MAX);
    const life3d_launch launch = {dim3(blocks), dim3(tiling.side, tiling.side), 2 * (size_t) tiling.side * tiling.side,
                                  cuda->overlap};
    return life3d_take_steps(call, launch, take_step<life3d_step>, take_step<life3d_dead_step>, tiling);
}
