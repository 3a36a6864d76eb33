/* larger-than-life on a GPU: the kernels of all rules that bit planes cannot compute. ltl.h explains the sums along
 * rows and their taps. Two kernels take a step: `sum_rows` writes the running sums of each row, and `count_cells` adds
 * the taps of each cell.
 *
 *     cells     1 1 0 1 1 1 0 1
 *     sums      1 2 2 3 4 5 5 6     a row of 5 cells that ends at the 5: 5 - 1 = 4, the sum before it
 */
#ifndef LTL_CUDA_SUMS_CUH
#define LTL_CUDA_SUMS_CUH

#include "ltl.h"

namespace ltl
{

enum {
    LANES = 32,
    WARPS = 4 /* of a block of sum_rows: rows */,
    THREADS = 128 /* of a block of count_cells: cells of a row */
};

/* A step. All pointers are to device memory. */
struct job {
    const uint8_t *cells; /* cell (0, 0), before the step and after it */
    uint8_t *result;
    int64_t pitch;      /* of cells */
    uint16_t *sums;     /* of cell (0, 0) */
    int64_t sums_pitch; /* of sums */
    const ltl_tap *whole, *other;
    const uint8_t *state_weight;
    const uint32_t *counts; /* [LTL_CONDITIONS][LTL_COUNT_WORDS]: struct ltl_rule */
    ltl_taps taps;
    int64_t width, height;
    int32_t radius;
    int32_t rows; /* of a block of count_cells */
    uint32_t states;
};

/* A warp sums a row. It takes 32 cells at a time and adds those before them. Sums of stride 2 are two sums, of the even
 * and of the odd lanes. */
static __device__ void sum_row(const job &job, int64_t y)
{
    const int lane = (int) threadIdx.x, stride = (int) job.taps.stride;
    const uint8_t *cells = job.cells + y * job.pitch;
    uint16_t *sums = job.sums + y * job.sums_pitch;
    const int64_t end = job.width + job.radius;
    uint32_t before = 0;
    for (int64_t first = -(int64_t) job.radius - LTL_STRIDE_MAX; first < end; first += LANES) {
        const int64_t x = first + lane;
        uint32_t sum = x >= -(int64_t) job.radius && x < end ? job.state_weight[cells[x]] : 0;
        for (int lanes = stride; lanes > 0 && lanes < LANES; lanes *= 2) {
            const uint32_t left = __shfl_up_sync(~0u, sum, lanes);
            sum += lane >= lanes ? left : 0;
        }
        sum += before;
        if (stride > 0)
            before = __shfl_sync(~0u, sum, LANES - stride + lane % stride);
        if (x < end)
            sums[x] = (uint16_t) sum;
    }
}

static __device__ void count_column(const job &job, int64_t x, int64_t begin, int64_t end)
{
    uint32_t count = 0;
    for (int64_t y = begin; y < end; y++) {
        const bool anew = y == begin || !job.taps.slides;
        const bool other = job.taps.triangular ? (x + y + job.taps.odd) & 1 : !anew;
        const ltl_tap *taps = other ? job.other : job.whole;
        const uint32_t number = other ? job.taps.other : job.taps.whole;
        const uint16_t *sums = job.sums + y * job.sums_pitch + x;
        count = anew ? 0 : count;
        for (uint32_t i = 0; i < number; i++)
            count += (uint32_t) taps[i].weight * sums[taps[i].offset];
        const uint32_t state = job.cells[y * job.pitch + x], words = LTL_COUNT_WORDS;
        const uint32_t holds = state <= LTL_ALIVE ? ltl_holds(job.counts + state * words, (int16_t) count) : 0;
        job.result[y * job.pitch + x] = (uint8_t) ltl_next(state, holds, job.states);
    }
}

static __global__ void __launch_bounds__(LANES *WARPS) sum_rows(const __grid_constant__ job job)
{
    const int64_t y = (int64_t) blockIdx.x * WARPS + threadIdx.y - job.radius;
    if (y < job.height + job.radius)
        sum_row(job, y);
}

static __global__ void __launch_bounds__(THREADS) count_cells(const __grid_constant__ job job)
{
    const int64_t x = (int64_t) blockIdx.x * THREADS + threadIdx.x, begin = (int64_t) blockIdx.y * job.rows;
    if (x < job.width)
        count_column(job, x, begin, begin + job.rows < job.height ? begin + job.rows : job.height);
}

} // namespace ltl

#endif
