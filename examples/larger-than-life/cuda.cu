/* larger-than-life on a GPU. A block takes a strip of columns and goes down it. Each thread keeps the sum of 2 R + 1
 * cells of its column; from row to row the sum gains one cell and loses one. A thread then adds up 2 R + 1 such sums
 * from shared memory. The outer R threads on each side only make sums. A cell costs 2 reads of memory and 2 R + 1 reads
 * of shared memory. */
#include "larger-than-life.h"

#include <engine/cuda.h>

enum { THREADS = 256, ROWS = 64 }; /* threads and rows of a block */

using view = engine_cuda_view<uint8_t>;

/* The sums have two rows, which take turns, so one barrier a row is enough. Both views have the same pitch. */
static __global__ void take_step(view now, view result, rule rule)
{
    __shared__ uint32_t sums[2][THREADS];
    const int t = (int) threadIdx.x, radius = (int) rule.radius;
    const int64_t x = (int64_t) blockIdx.x * (THREADS - 2 * radius) + t - radius;
    const int64_t begin = (int64_t) blockIdx.y * ROWS, end = begin + ROWS < now.height ? begin + ROWS : now.height;
    const bool counts = x < now.width + radius, writes = t >= radius && t < THREADS - radius && x < now.width;
    const uint8_t *column = now.origin + x;
    uint32_t sum = 0;
    for (int64_t y = begin - radius; counts && y < begin + radius; y++)
        sum += column[y * now.pitch];
    for (int64_t y = begin; y < end; y++) {
        if (counts)
            sum += column[(y + radius) * now.pitch];
        sums[y & 1][t] = sum;
        __syncthreads();
        uint32_t square = 0;
        for (int i = t - radius; writes && i <= t + radius; i++)
            square += sums[y & 1][i];
        if (writes)
            result.origin[y * now.pitch + x] = next_cell(&rule, column[y * now.pitch], square);
        if (counts)
            sum -= column[(y - radius) * now.pitch];
    }
}

static __global__ void count(view now, unsigned long long *population)
{
    const int64_t all = now.width * now.height;
    unsigned long long own = 0;
    for (int64_t i = (int64_t) blockIdx.x * blockDim.x + threadIdx.x; i < all; i += (int64_t) gridDim.x * blockDim.x)
        own += now.at(i % now.width, i / now.width);
    atomicAdd(population, own);
}

/* Device memory for the count of cuda_measure. */
int cuda_create(const engine_call *call, void **self)
{
    *self = call->host->scratch(call->host, sizeof(unsigned long long), ENGINE_CUDA_MEMORY);
    return *self ? 0 : ENGINE_NO_MEMORY;
}

int cuda_advance(void *self, engine_call *call)
{
    (void) self;
    const view now = engine_cuda_field<uint8_t>(call, CELLS, call->current);
    const view result = engine_cuda_field<uint8_t>(call, CELLS, call->result);
    const rule rule = rule_of(call->plan);
    const uint64_t across = engine_divide_up((uint64_t) now.width, THREADS - 2 * rule.radius);
    const uint64_t down = engine_divide_up((uint64_t) now.height, ROWS);
    if (across > ENGINE_CUDA_BLOCKS_X || down > ENGINE_CUDA_BLOCKS_YZ)
        return ENGINE_FAIL(call->host, ENGINE_UNSUPPORTED, "the grid is too large for one launch");
    take_step<<<dim3((unsigned) across, (unsigned) down), THREADS, 0, engine_cuda_stream(call)>>>(now, result, rule);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, take_step);
    return 0;
}

int cuda_measure(void *self, const engine_call *call, double *values)
{
    const cudaStream_t stream = engine_cuda_stream(call);
    unsigned long long population;
    ENGINE_CUDA_CHECK(call->host, cudaMemsetAsync(self, 0, sizeof population, stream));
    count<<<1024, THREADS, 0, stream>>>(engine_cuda_field<uint8_t>(call, CELLS, call->current),
                                        (unsigned long long *) self);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, count);
    ENGINE_CUDA_CHECK(call->host,
                      cudaMemcpyAsync(&population, self, sizeof population, cudaMemcpyDeviceToHost, stream));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
    values[POPULATION] = (double) population;
    return 0;
}
