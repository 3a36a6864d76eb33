/* larger-than-life on a GPU in bit planes: a cell costs about 2 operations for R = 1, 5 for R = 5, and 10 for R = 50.
 *
 * A warp takes a strip of 32 words of 32 cells, one word a lane, through a band of rows. It starts with the sums of the
 * squares of the row above the first, and moves them down from row to row. It reads two rows for that: the one that
 * enters the squares and the one that leaves them. Words of the next lane come by shuffles. The last words of a warp are
 * undefined after the sums of planes.h, so strips overlap:
 *
 *     words of a row    | . . . . . . . . . . . . . . |
 *     warp 0            | * * * * * * = |                  * written     = undefined
 *     warp 1                        | * * * * * * = |
 */
#include "larger-than-life.h"

#include <engine/cuda.h>

using vector = uint32_t;
using view = engine_cuda_view<vector>;

enum { WORD = 32 /* cells of a word */, LANES = 32 };

static __device__ __forceinline__ vector ahead(vector plane, int k)
{
    const vector next = __shfl_down_sync(~0u, plane, k <= WORD ? 1 : 2);
    return k < WORD ? __funnelshift_r(plane, next, k) : next;
}

static __device__ __forceinline__ vector majority(vector a, vector b, vector c)
{
    return (a & b) | (a & c) | (b & c);
}

#include "planes.h"

/* Reads 32 cells of row y, from cell x on. */
static __device__ __forceinline__ vector cells_at(const view &cells, int64_t x, int64_t y)
{
    const vector *word = cells.row(y) + (x >> 5);
    return __funnelshift_r(word[0], word[1], (uint32_t) x);
}

struct march {
    view now, result;
    int64_t words, own;   /* of a row; of a warp, without the undefined ones */
    int64_t strips, rows; /* strips of the grid; rows of a band */
};

enum { WARPS = 8192 /* wanted: enough for every GPU */, ROWS_LEAST = 16 };

template <int LEVELS> static __global__ void take_step(const march march, const __grid_constant__ bit_rule rule)
{
    const int64_t word = blockIdx.x % march.strips * march.own + threadIdx.x;
    const int64_t begin = blockIdx.x / march.strips * march.rows, end = min(begin + march.rows, march.now.height);
    const int64_t radius = rule.radius, left = word * WORD - radius;
    const uint32_t side = 2 * rule.radius + 1;
    const bool writes = threadIdx.x < march.own && word < march.words;
    vector columns[LEVELS + 2] = {}, squares[2 * LEVELS + 3];
    for (int64_t y = begin - radius - 1; y < begin + radius; y++) {
        const vector cells[] = {cells_at(march.now, left, y), 0};
        add(columns, LEVELS + 1, cells, 2);
    }
    add_side(squares, columns, LEVELS + 2, LEVELS, side);
    for (int64_t y = begin; y < end; y++) {
        const vector enters = cells_at(march.now, left, y + radius);
        const vector leaves = cells_at(march.now, left, y - radius - 1), cells = march.now.at(word, y);
        move_down(squares, enters, leaves, LEVELS, side);
        if (writes)
            march.result.at(word, y) = next_cells(squares, cells, &rule, 2 * LEVELS + 2);
    }
}

/* Counts the live cells of rows [begin, end). */
static __global__ void count(view now, int64_t begin, int64_t end, unsigned long long *population)
{
    const int64_t words = (now.width + WORD - 1) / WORD, all = words * (end - begin);
    unsigned long long own = 0;
    for (int64_t i = (int64_t) blockIdx.x * blockDim.x + threadIdx.x; i < all; i += (int64_t) gridDim.x * blockDim.x) {
        const int64_t unused = max(i % words * WORD + WORD - now.width, (int64_t) 0);
        own += __popc(now.at(i % words, begin + i / words) << unused);
    }
    atomicAdd(population, own);
}

/* Device memory for the count of cuda_measure. */
int cuda_create(const engine_call *call, void **self)
{
    *self = call->host->scratch(call->host, sizeof(unsigned long long), ENGINE_CUDA_MEMORY);
    return *self ? 0 : ENGINE_NO_MEMORY;
}

static march plan_march(const engine_call *call, uint32_t radius)
{
    march m = {engine_cuda_field<vector>(call, CELLS, call->current),
               engine_cuda_field<vector>(call, CELLS, call->result)};
    m.words = (m.now.width + WORD - 1) / WORD;
    m.own = LANES - (2 * (int64_t) radius + WORD - 1) / WORD;
    m.strips = (m.words + m.own - 1) / m.own;
    m.rows = max((m.strips * m.now.height + WARPS - 1) / WARPS, (int64_t) ROWS_LEAST);
    return m;
}

int cuda_advance(void *self, engine_call *call)
{
    (void) self;
    static void (*const kernels[])(march, bit_rule) = {take_step<1>, take_step<2>, take_step<3>,
                                                       take_step<4>, take_step<5>, take_step<6>};
    const bit_rule rule = bit_rule_of(call->plan);
    const march march = plan_march(call, rule.radius);
    const uint64_t blocks =
        (uint64_t) march.strips * engine_divide_up((uint64_t) march.now.height, (uint64_t) march.rows);
    if (blocks > ENGINE_CUDA_BLOCKS_X)
        return ENGINE_FAIL(call->host, ENGINE_UNSUPPORTED, "the grid is too large for one launch");
    kernels[rule.levels - 1]<<<(unsigned) blocks, LANES, 0, engine_cuda_stream(call)>>>(march, rule);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, take_step);
    return 0;
}

int cuda_measure(void *self, const engine_call *call, double *values)
{
    const cudaStream_t stream = engine_cuda_stream(call);
    unsigned long long population;
    ENGINE_CUDA_CHECK(call->host, cudaMemsetAsync(self, 0, sizeof population, stream));
    count<<<1024, 256, 0, stream>>>(engine_cuda_field<vector>(call, CELLS, call->current), (int64_t) call->begin[1],
                                    (int64_t) call->end[1], (unsigned long long *) self);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, count);
    ENGINE_CUDA_CHECK(call->host,
                      cudaMemcpyAsync(&population, self, sizeof population, cudaMemcpyDeviceToHost, stream));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
    values[POPULATION] += (double) population;
    return 0;
}
