/* life3d-naive on a GPU. */
#include "naive.h"

#include <life/cuda3d.cuh>

struct rule_masks {
    uint32_t birth, survive;
};

static __device__ uint8_t next_cell(const life3d_step &step, const rule_masks &rule, int64_t x, int64_t y, int64_t z)
{
    const int64_t left = life3d_wrapped(x - 1, step.width) - x, right = life3d_wrapped(x + 1, step.width) - x;
    const uint8_t *column = step.source + x;
    uint32_t alive = 0;
#pragma unroll
    for (int dz = -1; dz <= 1; dz++) {
        const uint8_t *plane = column + life3d_wrapped(z + dz, step.depth) * step.plane_stride;
#pragma unroll
        for (int dy = -1; dy <= 1; dy++) {
            const uint8_t *cell = plane + life3d_wrapped(y + dy, step.height) * step.row_stride;
            alive += cell[left] + cell[right];
            if (dz != 0 || dy != 0)
                alive += *cell;
        }
    }
    return life3d_next(column[z * step.plane_stride + y * step.row_stride], alive, rule.birth, rule.survive);
}

/* A thread a cell; several where the grid has more than a launch has threads. */
static __global__ void take_step(life3d_step step, rule_masks rule)
{
    const int64_t first_x = (int64_t) blockIdx.x * blockDim.x + threadIdx.x, step_x = (int64_t) gridDim.x * blockDim.x;
    const int64_t first_y = (int64_t) blockIdx.y * blockDim.y + threadIdx.y, step_y = (int64_t) gridDim.y * blockDim.y;
    const int64_t first_z = (int64_t) blockIdx.z * blockDim.z + threadIdx.z, step_z = (int64_t) gridDim.z * blockDim.z;
    life3d_wait();
    for (int64_t z = first_z; z < step.depth; z += step_z)
        for (int64_t y = first_y; y < step.height; y += step_y)
            for (int64_t x = first_x; x < step.width; x += step_x)
                step.result[z * step.plane_stride + y * step.row_stride + x] = next_cell(step, rule, x, y, z);
}

/* ---- What the engine calls ---------------------------------------------------------------------------------- */

static uint32_t integer(const engine_plan *plan, uint32_t param)
{
    return (uint32_t) engine_param_value(plan, param)->integer;
}

int naive_cuda_layout(const engine_host *host, const engine_plan *plan, uint32_t field, engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y | ENGINE_AXIS_Z;
    return 0;
}

int naive_cuda_create(const engine_call *call, void **self)
{
    return life3d_cuda_open(call, integer(call->plan, NAIVE_OVERLAP), self);
}

int naive_cuda_measure(void *self, const engine_call *call, double *values)
{
    return life3d_cuda_count(self, call, values);
}

static unsigned blocks_along(uint64_t cells, uint32_t threads, uint64_t most)
{
    const uint64_t blocks = (cells - 1) / threads + 1;
    return (unsigned) (blocks < most ? blocks : most);
}

int naive_cuda_advance(void *self, engine_call *call)
{
    const life3d_cuda *cuda = (const life3d_cuda *) self;
    const uint64_t *extent = engine_field_shape(call->plan, NAIVE_CELLS)->extent;
    const life3d_rule rule = naive_rule(call->plan);
    const dim3 threads(integer(call->plan, NAIVE_BLOCK_X), integer(call->plan, NAIVE_BLOCK_Y),
                       integer(call->plan, NAIVE_BLOCK_Z));
    const dim3 blocks(blocks_along(extent[0], threads.x, INT32_MAX), blocks_along(extent[1], threads.y, 65535),
                      blocks_along(extent[2], threads.z, 65535));
    const life3d_launch launch = {blocks, threads, 0, cuda->overlap};
    return life3d_take_steps(call, launch, take_step, rule_masks{rule.birth, rule.survive});
}

/* As the cost of other counts on bytes is told: the grid read and written once. */
int naive_cuda_cost(const engine_host *host, const engine_plan *plan, engine_cost *cost)
{
    (void) host, (void) plan;
    cost->operation = ENGINE_OPS_NONE;
    cost->bytes = 2;
    return 0;
}
