/* `cuda-text`: v0 of the 3D Life blog post of tkob-vh (docs/explain/source-texts.md), the first rung of the ladder of 3D Life
 * (docs/kernels/life3d.md). A thread has one cell, reads the 27 cells around it from global memory, a byte at a time,
 * and wraps around the torus by remainders. The threads of a warp lie along x, so that they read neighbouring bytes. */
#include "naive.h"

#include <life/cuda3d.cuh>

static __global__ void take_step(life3d_step step, life3d_rule rule)
{
    const int width = (int) step.width, height = (int) step.height, depth = (int) step.depth;
    const int x = (int) (blockIdx.x * blockDim.x + threadIdx.x), y = (int) blockIdx.y, z = (int) blockIdx.z;
    if (x >= width)
        return;
    uint32_t alive = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++)
                alive += step.source[(z + dz + depth) % depth * step.plane_stride +
                                     (y + dy + height) % height * step.row_stride + (x + dx + width) % width];
    const int64_t at = z * step.plane_stride + y * step.row_stride + x;
    const uint32_t cell = step.source[at];
    step.result[at] = life3d_next(cell, alive - cell, rule.birth, rule.survive);
}

/* ---- What the engine calls ---------------------------------------------------------------------------------- */

enum { THREADS = 128 };

int naive_cuda_text_probe(const engine_host *host, const engine_plan *plan)
{
    return life3d_check_launch(host, plan, 1u << 30, 65535, 65535);
}

int naive_cuda_text_create(const engine_call *call, void **self)
{
    return life3d_cuda_open(call, false, self);
}

int naive_cuda_text_advance(void *self, engine_call *call)
{
    const uint64_t *extent = engine_field_shape(call->plan, NAIVE_CELLS)->extent;
    const dim3 blocks((unsigned) divide_up(extent[0], THREADS), (unsigned) extent[1], (unsigned) extent[2]);
    (void) self;
    return life3d_take_steps(call, {blocks, dim3(THREADS), 0, false}, take_step, life3d_plan_rule(call->plan));
}
