/* `cuda-text`: v1 of the 3D Life blog post of tkob-vh (docs/explain/source-texts.md), a rung of the ladder of 3D Life
 * (docs/kernels/life3d.md). A block of tile x tile threads makes (tile - 2) x (tile - 2) cells of each plane, and
 * marches along z. Three planes of the tile are in shared memory. A thread loads one cell of each plane into them, and
 * reads 27 cells from them. */
#include "shared.h"

#include <common/param.h>
#include <life/cuda3d.cuh>

struct job {
    int64_t z_iter;
    life3d_rule rule;
};

static __global__ void take_step(life3d_step step, job job)
{
    extern __shared__ uint8_t planes[];
    const int side = (int) blockDim.x, tx = (int) threadIdx.x, ty = (int) threadIdx.y, own = ty * side + tx;
    const int64_t x = (int64_t) blockIdx.x * (side - 2) + tx - 1, y = (int64_t) blockIdx.y * (side - 2) + ty - 1;
    const int64_t begin = blockIdx.z * job.z_iter;
    const int count = (int) min(job.z_iter, step.depth - begin);
    const bool makes = tx > 0 && tx < side - 1 && ty > 0 && ty < side - 1 && x < step.width && y < step.height;
    const uint8_t *column =
        step.source + life3d_wrapped(y, step.height) * step.row_stride + life3d_wrapped(x, step.width);
    for (int i = 0; i < count + 2; i++) {
        const int64_t loaded = begin + i - 1, z = loaded - 1;
        planes[i % 3 * side * side + own] = column[life3d_wrapped(loaded, step.depth) * step.plane_stride];
        __syncthreads();
        if (makes && i >= 2) {
            uint32_t alive = 0;
            for (int p = 0; p < 3; p++)
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++)
                        alive += planes[p * side * side + own + dy * side + dx];
            const uint32_t cell = planes[(i - 1) % 3 * side * side + own];
            step.result[z * step.plane_stride + y * step.row_stride + x] =
                life3d_next(cell, alive - cell, job.rule.birth, job.rule.survive);
        }
        __syncthreads();
    }
}

/* ---- What the engine calls ---------------------------------------------------------------------------------- */

static uint64_t tile_of(const engine_plan *plan)
{
    return param_or(plan, SHARED_TILE, 16);
}

static uint64_t z_iter_of(const engine_plan *plan)
{
    return param_or(plan, SHARED_Z_ITER, 64);
}

int shared_cuda_text_probe(const engine_host *host, const engine_plan *plan)
{
    const uint64_t tile = tile_of(plan);
    const int status = life3d_check_block(host, tile, tile, 1);
    return status ? status : life3d_check_launch(host, plan, 1u << 30, 65535 * (tile - 2), 65535 * z_iter_of(plan));
}

int shared_cuda_text_create(const engine_call *call, void **self)
{
    return life3d_cuda_open(call, false, self);
}

int shared_cuda_text_advance(void *self, engine_call *call)
{
    const uint64_t *extent = engine_field_shape(call->plan, SHARED_CELLS)->extent;
    const uint64_t tile = tile_of(call->plan), z_iter = z_iter_of(call->plan);
    const dim3 blocks((unsigned) divide_up(extent[0], tile - 2), (unsigned) divide_up(extent[1], tile - 2),
                      (unsigned) divide_up(extent[2], z_iter));
    (void) self;
    return life3d_take_steps(call, {blocks, dim3((unsigned) tile, (unsigned) tile), 3 * tile * tile, false}, take_step,
                             job{(int64_t) z_iter, life3d_plan_rule(call->plan)});
}
