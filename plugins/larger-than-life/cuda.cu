/* larger-than-life on a GPU. Rules of two states with a square and one range each of survivals and births run in bit
 * planes, here. cuda_sums.cuh has the kernels of all others. In bit planes, a cell costs about 2 operations for R = 1,
 * 5 for R = 5, and 10 for R = 50.
 *
 * A warp takes a strip of 32 words of 32 cells, one word a lane, through a band of rows. It starts with the sums of the
 * squares of the row above the first, and moves them down from row to row. It reads two rows for that: the one that
 * enters the squares and the one that leaves them. Words of the next lane come by shuffles. The last words of a warp
 * are undefined after the sums of planes.h, so strips overlap:
 *
 *     words of a row    | . . . . . . . . . . . . . . |
 *     warp 0            | * * * * * * = |                  * written     = undefined
 *     warp 1                        | * * * * * * = |
 */
#include "cuda_sums.cuh"

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
static __global__ void count_bits(view now, int64_t begin, int64_t end, unsigned long long *population)
{
    const int64_t words = (now.width + WORD - 1) / WORD, all = words * (end - begin);
    unsigned long long own = 0;
    for (int64_t i = (int64_t) blockIdx.x * blockDim.x + threadIdx.x; i < all; i += (int64_t) gridDim.x * blockDim.x) {
        const int64_t unused = max(i % words * WORD + WORD - now.width, (int64_t) 0);
        own += __popc(now.at(i % words, begin + i / words) << unused);
    }
    atomicAdd(population, own);
}

/* The same of cells that are bytes, and counts those that are dying. */
static __global__ void count_bytes(engine_cuda_view<const uint8_t> cells, int64_t begin, int64_t end,
                                   unsigned long long *counters)
{
    unsigned long long found[LTL_METRICS] = {};
    for (int64_t y = begin + blockIdx.x; y < end; y += gridDim.x)
        for (int64_t x = threadIdx.x; x < cells.width; x += blockDim.x) {
            const uint8_t state = cells.at(x, y);
            found[LTL_POPULATION] += state == LTL_ALIVE;
            found[LTL_DYING] += state > LTL_ALIVE;
        }
    for (int k = 0; k < LTL_METRICS; k++)
        atomicAdd(&counters[k], found[k]);
}

/* ---- Instances --------------------------------------------------------------------------------------------------- */

struct instance {
    bool planes; /* does take_step compute the rule? Then `bits` is the rule, else `job` */
    bit_rule bits;
    ltl::job job;
    unsigned long long *counters; /* of the metrics, in device memory */
};

/* Copies an array to new device memory. */
template <class T> static int upload(const engine_call *call, const T *from, uint64_t count, const T **to)
{
    const uint64_t bytes = count * sizeof(T);
    void *memory = call->host->scratch(call->host, bytes, ENGINE_CUDA_MEMORY);
    if (!memory)
        return ENGINE_NO_MEMORY;
    ENGINE_CUDA_CHECK(call->host,
                      cudaMemcpyAsync(memory, from, bytes, cudaMemcpyHostToDevice, engine_cuda_stream(call)));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(engine_cuda_stream(call)));
    *to = (const T *) memory;
    return 0;
}

/* A block of count_cells begins with all taps of a row, and goes on with those that change if they are fewer. */
static int32_t rows_of_block(const ltl_taps &taps, uint64_t height)
{
    const uint64_t wanted = taps.slides ? 64 : 8, least = engine_divide_up(height, ENGINE_CUDA_BLOCKS_YZ);
    return (int32_t) (wanted > least ? wanted : least);
}

static int prepare_job(const engine_call *call, const ltl_rule &rule, ltl::job *job)
{
    const engine_buffer *cells = engine_field_buffer(call, LTL_CELLS);
    const ltl_sums shape = ltl_sums_of(&rule, cells->shape->extent, 0);
    const uint64_t bytes = (uint64_t) shape.count * sizeof(uint16_t);
    ltl_tap *taps = (ltl_tap *) call->host->scratch(call->host, 2 * LTL_TAPS_MAX * sizeof *taps, ENGINE_HOST_MEMORY);
    uint16_t *sums = (uint16_t *) call->host->scratch(call->host, bytes, ENGINE_CUDA_MEMORY);
    if (!taps || !sums)
        return ENGINE_NO_MEMORY;
    *job = {};
    job->taps = ltl_find_taps(&rule, shape.pitch, taps, taps + LTL_TAPS_MAX);
    job->pitch = cells->row_stride;
    job->sums = sums + shape.origin, job->sums_pitch = shape.pitch;
    job->width = (int64_t) cells->shape->extent[0], job->height = (int64_t) cells->shape->extent[1];
    job->radius = (int32_t) rule.radius, job->states = rule.states;
    job->rows = rows_of_block(job->taps, cells->shape->extent[1]);
    int status = upload(call, taps, LTL_TAPS_MAX, &job->whole);
    if (status == 0)
        status = upload(call, taps + LTL_TAPS_MAX, LTL_TAPS_MAX, &job->other);
    if (status == 0)
        status = upload(call, rule.state_weight, LTL_STATES_MAX, &job->state_weight);
    if (status == 0)
        status = upload(call, rule.counts[0], sizeof rule.counts / sizeof rule.counts[0][0], &job->counts);
    return status;
}

int ltl_cuda_create(const engine_call *call, void **self)
{
    instance *own = (instance *) call->host->scratch(call->host, sizeof *own, ENGINE_HOST_MEMORY);
    if (!own)
        return ENGINE_NO_MEMORY;
    ltl_rule rule;
    ltl_plan_rule(call->plan, &rule);
    own->planes = ltl_bit_rule(&rule, &own->bits);
    own->counters =
        (unsigned long long *) call->host->scratch(call->host, LTL_METRICS * sizeof *own->counters, ENGINE_CUDA_MEMORY);
    if (!own->counters)
        return ENGINE_NO_MEMORY;
    *self = own;
    return own->planes ? 0 : prepare_job(call, rule, &own->job);
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

static march plan_march(const engine_call *call, uint32_t radius)
{
    march m = {};
    m.now = engine_cuda_field<vector>(call, LTL_CELLS, call->current);
    m.result = engine_cuda_field<vector>(call, LTL_CELLS, call->result);
    m.words = (m.now.width + WORD - 1) / WORD;
    m.own = LANES - (2 * (int64_t) radius + WORD - 1) / WORD;
    m.strips = (m.words + m.own - 1) / m.own;
    m.rows = max((m.strips * m.now.height + WARPS - 1) / WARPS, (int64_t) ROWS_LEAST);
    return m;
}

static int advance_planes(const instance *own, const engine_call *call)
{
    static void (*const kernels[])(march, bit_rule) = {take_step<1>, take_step<2>, take_step<3>,
                                                       take_step<4>, take_step<5>, take_step<6>};
    const march march = plan_march(call, own->bits.radius);
    const uint64_t blocks =
        (uint64_t) march.strips * engine_divide_up((uint64_t) march.now.height, (uint64_t) march.rows);
    if (blocks > ENGINE_CUDA_BLOCKS_X)
        return ENGINE_FAIL(call->host, ENGINE_UNSUPPORTED,
                           "the grid is too large for a GPU; choose a smaller one, or cpu");
    kernels[own->bits.levels - 1]<<<(unsigned) blocks, LANES, 0, engine_cuda_stream(call)>>>(march, own->bits);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, take_step);
    return 0;
}

static int advance_sums(const instance *own, const engine_call *call)
{
    const engine_buffer *buffer = engine_field_buffer(call, LTL_CELLS);
    ltl::job job = own->job;
    job.cells = (const uint8_t *) buffer->origin[call->current];
    job.result = (uint8_t *) buffer->origin[call->result];
    const uint64_t rows = engine_divide_up((uint64_t) (job.height + 2 * job.radius), ltl::WARPS);
    const uint64_t columns = engine_divide_up((uint64_t) job.width, ltl::THREADS);
    const uint64_t bands = engine_divide_up((uint64_t) job.height, (uint64_t) job.rows);
    if (rows > ENGINE_CUDA_BLOCKS_X || columns > ENGINE_CUDA_BLOCKS_X)
        return ENGINE_FAIL(call->host, ENGINE_UNSUPPORTED,
                           "the grid is too large for a GPU; choose a smaller one, or cpu");
    ltl::sum_rows<<<(unsigned) rows, dim3(ltl::LANES, ltl::WARPS), 0, engine_cuda_stream(call)>>>(job);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, sum_rows);
    ltl::count_cells<<<dim3((unsigned) columns, (unsigned) bands), ltl::THREADS, 0, engine_cuda_stream(call)>>>(job);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, count_cells);
    return 0;
}

int ltl_cuda_advance(void *self, engine_call *call)
{
    const instance *own = (const instance *) self;
    return own->planes ? advance_planes(own, call) : advance_sums(own, call);
}

int ltl_cuda_measure(void *self, const engine_call *call, double *values)
{
    const instance *own = (const instance *) self;
    const cudaStream_t stream = engine_cuda_stream(call);
    const int64_t begin = (int64_t) call->begin[1], end = (int64_t) call->end[1];
    unsigned long long found[LTL_METRICS];
    ENGINE_CUDA_CHECK(call->host, cudaMemsetAsync(own->counters, 0, sizeof found, stream));
    if (own->planes)
        count_bits<<<1024, 256, 0, stream>>>(engine_cuda_field<vector>(call, LTL_CELLS, call->current), begin, end,
                                             own->counters);
    else
        count_bytes<<<1024, 256, 0, stream>>>(engine_cuda_field<const uint8_t>(call, LTL_CELLS, call->current), begin,
                                              end, own->counters);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, count);
    ENGINE_CUDA_CHECK(call->host, cudaMemcpyAsync(found, own->counters, sizeof found, cudaMemcpyDeviceToHost, stream));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
    for (int k = 0; k < LTL_METRICS; k++)
        values[k] += (double) found[k]; /* of the parts before */
    return 0;
}
