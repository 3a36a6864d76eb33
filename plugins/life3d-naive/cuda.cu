/* life3d-naive on a GPU: a thread reads all neighbours of its cells from global memory, a byte at a time.
 *
 * The ladder (docs/explain/source-texts.md has the sources, docs/lab/life3d-packed.md the rates):
 *
 *   a thread a cell, with wrap-around by modulo: v0 of the 3D Life blog post of tkob-vh
 *   cells_per_thread = 1: constant distances to the neighbours, except at the ends of a row; 27 loads a cell
 *   cells_per_thread = 2: two cells along z share the planes that both read; 36 loads for two
 *
 * Four cells take 54 loads, and so many registers that fewer threads fit. With 64-bit additions for every address, the
 * addresses would cost more than the counting. Blocks of 512 threads are slower. */
#include "naive.h"

#include <life/cuda3d.cuh>

struct rule_masks {
    uint32_t birth, survive;
};

/* Which neighbours of a cell may live: in the rows above and below, on the left and on the right. */
struct beside {
    bool above, below, left, right;
};

/* The neighbours of a cell in its row: their distances, and masks, 0 for those beyond a dead edge. */
struct sides {
    int64_t left, right;
    uint32_t left_mask, right_mask;
};

/* The live cells among nine of a plane, of three rows. */
static __device__ __forceinline__ uint32_t count_nine(const uint8_t *here, int64_t above, int64_t below,
                                                      const sides &at)
{
    const uint8_t *rows[3] = {here + above, here, here + below};
    uint32_t alive = 0;
#pragma unroll
    for (int r = 0; r < 3; r++)
        alive += (rows[r][at.left] & at.left_mask) + rows[r][0] + (rows[r][at.right] & at.right_mask);
    return alive;
}

/* The same beside dead edges. */
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

/* The distances to the rows above and below y. */
static __device__ __forceinline__ void find_rows(const life3d_step &step, int64_t y, int64_t *above, int64_t *below)
{
    const int64_t last_row = (step.height - 1) * step.row_stride;
    *above = y > 0 ? -step.row_stride : last_row;
    *below = y < step.height - 1 ? step.row_stride : -last_row;
}

/* Makes CELLS cells along z from (x, y, z) on. */
template <int CELLS>
static __device__ __forceinline__ void take_cells(const life3d_step &step, const rule_masks &rule, int64_t x, int64_t y,
                                                  int64_t z, const sides &at)
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

template <int CELLS>
static __device__ __forceinline__ void take_edge_cells(const life3d_step &step, const rule_masks &rule, int64_t x,
                                                       int64_t y, int64_t z, int64_t left, int64_t right)
{
    take_cells<CELLS>(step, rule, x, y, z, {left, right, ~0u, ~0u});
}

/* Do all rows and planes beside CELLS cells along z lie in the grid? */
template <int CELLS>
static __device__ __forceinline__ bool is_inside(const life3d_dead_step &step, int64_t y, int64_t z)
{
    return y > 0 && y + 1 < step.height && z > 0 && z + CELLS < step.depth;
}

/* The same where some neighbours may lie beyond dead edges. Beside those along y and z, it makes a plane after the other,
 * which takes fewer registers. */
template <int CELLS>
static __device__ __forceinline__ void take_edge_cells(const life3d_dead_step &step, const rule_masks &rule, int64_t x,
                                                       int64_t y, int64_t z, int64_t left, int64_t right)
{
    if (is_inside<CELLS>(step, y, z)) {
        take_cells<CELLS>(step, rule, x, y, z,
                          {left, right, life3d_lives(step, LIFE_DEAD_X, x - 1, step.width) ? ~0u : 0,
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
                    take_cells<CELLS>(step, rule, x, y, z, {-1, 1, ~0u, ~0u});
                else
                    take_edge_cells<CELLS>(step, rule, x, y, z, x > 0 ? -1 : last, x < last ? 1 : -last);
    life3d_release();
}

/* ---- What the engine calls ---------------------------------------------------------------------------------- */

int naive_cuda_probe(const engine_host *host, const engine_plan *plan)
{
    return life3d_check_block(host, (uint32_t) engine_param_integer(plan, NAIVE_BLOCK_X),
                              (uint32_t) engine_param_integer(plan, NAIVE_BLOCK_Y),
                              (uint32_t) engine_param_integer(plan, NAIVE_BLOCK_Z));
}

int naive_cuda_measure(void *self, const engine_call *call, double *values)
{
    return life3d_cuda_count(self, call, values);
}

static unsigned blocks_along(uint64_t cells, uint32_t threads, uint64_t most)
{
    const uint64_t blocks = divide_up(cells, threads);
    return (unsigned) (blocks < most ? blocks : most);
}

struct form {
    uint32_t cells;
    void (*torus)(life3d_step, rule_masks);
    void (*dead)(life3d_dead_step, rule_masks);
};

template <int CELLS> constexpr form form_of()
{
    return {CELLS, take_step<CELLS>, take_step<CELLS>};
}

/* In the order of the choices of cells_per_thread. */
static const form forms[] = {form_of<1>(), form_of<2>(), form_of<4>()};

static form chosen_form(const engine_plan *plan)
{
    return forms[(uint32_t) engine_param_integer(plan, NAIVE_CELLS_A_THREAD)];
}

static dim3 threads_of(const engine_plan *plan)
{
    return dim3((uint32_t) engine_param_integer(plan, NAIVE_BLOCK_X),
                (uint32_t) engine_param_integer(plan, NAIVE_BLOCK_Y),
                (uint32_t) engine_param_integer(plan, NAIVE_BLOCK_Z));
}

int naive_cuda_create(const engine_call *call, void **self)
{
    const form form = chosen_form(call->plan);
    const dim3 threads = threads_of(call->plan);
    const void *kernel = life_dead_axes(call->plan) ? (const void *) form.dead : (const void *) form.torus;
    const int status = cuda_check_threads(call->host, kernel, (uint64_t) threads.x * threads.y * threads.z);
    return status ? status : life3d_cuda_open(call, (uint32_t) engine_param_integer(call->plan, NAIVE_OVERLAP), self);
}

int naive_cuda_advance(void *self, engine_call *call)
{
    const life3d_cuda *cuda = (const life3d_cuda *) self;
    const uint64_t *extent = engine_field_shape(call->plan, NAIVE_CELLS)->extent;
    const life3d_rule rule = life3d_plan_rule(call->plan);
    const form form = chosen_form(call->plan);
    const dim3 threads = threads_of(call->plan);
    const dim3 blocks(blocks_along(extent[0], threads.x, INT32_MAX), blocks_along(extent[1], threads.y, 65535),
                      blocks_along(extent[2], threads.z * form.cells, 65535));
    const life3d_launch launch = {blocks, threads, 0, cuda->overlap};
    return life3d_take_steps(call, launch, form.torus, form.dead, rule_masks{rule.birth, rule.survive});
}
