/* `cuda-text`: v2 of the 3D Life blog post of tkob-vh (docs/explain/source-texts.md), a rung of the ladder of 3D Life
 * (docs/kernels/life3d.md). A word has four cells, a byte each, so that an addition adds four; at most 27 cells are
 * alive, and nothing carries into the next byte. A block has the words of one row. A thread adds nine words of a plane
 * along y and z, and finds the sums of the words beside its own in shared memory:
 *
 *     sums    | last | word 0 | word 1 | ... | last | word 0 |      the first and the last wrap around the torus */
#include "packed.h"

#include <life/cuda3d.cuh>

enum { PLANES = 4 }; /* of a thread */

/* The sum of a word of plane z along y. */
static __device__ uint32_t add_three(const life3d_step &step, const uint32_t *const rows[3], int64_t z)
{
    const int64_t at = life3d_wrapped(z, step.depth) * step.plane_stride / 4;
    return rows[0][at] + rows[1][at] + rows[2][at];
}

static __device__ uint32_t next_word(uint32_t cells, uint32_t counts, const life3d_rule &rule)
{
    uint32_t next = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        const uint32_t cell = cells >> shift & 0xff, count = counts >> shift & 0xff;
        next |= (uint32_t) life3d_next(cell, count - cell, rule.birth, rule.survive) << shift;
    }
    return next;
}

static __global__ void take_step(life3d_step step, life3d_rule rule)
{
    extern __shared__ uint32_t sums[];
    const uint32_t words = blockDim.x, x = threadIdx.x;
    const int64_t y = blockIdx.x, begin = (int64_t) blockIdx.y * PLANES, end = min(begin + PLANES, step.depth);
    const uint32_t *rows[3];
    for (int r = 0; r < 3; r++)
        rows[r] = (const uint32_t *) (step.source + life3d_wrapped(y + r - 1, step.height) * step.row_stride) + x;
    uint32_t before = add_three(step, rows, begin - 1), here = add_three(step, rows, begin);
    for (int64_t z = begin; z < end; z++) {
        const uint32_t after = add_three(step, rows, z + 1), nine = before + here + after;
        sums[x + 1] = nine;
        if (x == 0)
            sums[words + 1] = nine;
        if (x == words - 1)
            sums[0] = nine;
        __syncthreads();
        const uint32_t counts = (nine << 8 | sums[x] >> 24) + nine + (nine >> 8 | sums[x + 2] << 24);
        __syncthreads();
        uint32_t *result = (uint32_t *) (step.result + z * step.plane_stride + y * step.row_stride);
        result[x] = next_word(rows[1][z * step.plane_stride / 4], counts, rule);
        before = here, here = after;
    }
}

/* ---- What the engine calls ---------------------------------------------------------------------------------- */

int packed_cuda_text_probe(const engine_host *host, const engine_plan *plan)
{
    const uint64_t width = engine_field_shape(plan, PACKED_CELLS)->extent[0];
    if (width % 4 != 0)
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "it takes grids whose width is a multiple of 4");
    return life3d_check_launch(host, plan, 4 * LIFE3D_THREADS_MOST, 1u << 30, 65535 * PLANES);
}

int packed_cuda_text_layout(const engine_host *host, const engine_plan *plan, uint32_t field, engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->row_align = 4;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y | ENGINE_AXIS_Z;
    return 0;
}

int packed_cuda_text_create(const engine_call *call, void **self)
{
    return life3d_cuda_open(call, false, self);
}

int packed_cuda_text_advance(void *self, engine_call *call)
{
    const uint64_t *extent = engine_field_shape(call->plan, PACKED_CELLS)->extent;
    const unsigned words = (unsigned) (extent[0] / 4);
    const dim3 blocks((unsigned) extent[1], (unsigned) divide_up(extent[2], PLANES));
    (void) self;
    return life3d_take_steps(call, {blocks, dim3(words), (words + 2) * sizeof(uint32_t), false}, take_step,
                             life3d_plan_rule(call->plan));
}
