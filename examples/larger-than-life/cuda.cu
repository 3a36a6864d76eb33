/* larger-than-life on a GPU. A block takes a strip of columns and goes down it: each thread keeps the sum of its
 * column's 2 R + 1 cells, which gains one cell and loses one from row to row, and adds up 2 R + 1 such sums from shared
 * memory. The outer R threads on each side have sums alone. Costs 2 reads of memory and 2 R + 1 of shared memory a
 * cell. */
#include "larger-than-life.h"

enum { THREADS = 256, ROWS = 64 };

struct cells {
    uint8_t *current, *result;
    int64_t row_stride, width, height;
};

static cells cells_of(const engine_call *call)
{
    const engine_buffer *buffer = engine_field_buffer(call, CELLS);
    return {(uint8_t *) buffer->origin[call->current], (uint8_t *) buffer->origin[call->result], buffer->row_stride,
            (int64_t) buffer->shape->extent[0], (int64_t) buffer->shape->extent[1]};
}

/* Two rows of sums take turns, so that one barrier a row is enough. */
static __global__ void take_step(cells cells, rule rule)
{
    __shared__ uint32_t sums[2][THREADS];
    const int t = (int) threadIdx.x, radius = (int) rule.radius;
    const int64_t x = (int64_t) blockIdx.x * (THREADS - 2 * radius) + t - radius;
    const int64_t begin = (int64_t) blockIdx.y * ROWS, end = begin + ROWS < cells.height ? begin + ROWS : cells.height;
    const bool counts = x < cells.width + radius, writes = t >= radius && t < THREADS - radius && x < cells.width;
    const uint8_t *column = cells.current + x;
    uint32_t sum = 0;
    for (int64_t y = begin - radius; counts && y < begin + radius; y++)
        sum += column[y * cells.row_stride];
    for (int64_t y = begin; y < end; y++) {
        if (counts)
            sum += column[(y + radius) * cells.row_stride];
        sums[y & 1][t] = sum;
        __syncthreads();
        uint32_t square = 0;
        for (int i = t - radius; writes && i <= t + radius; i++)
            square += sums[y & 1][i];
        if (writes)
            cells.result[y * cells.row_stride + x] = next_cell(&rule, column[y * cells.row_stride], square);
        if (counts)
            sum -= column[(y - radius) * cells.row_stride];
    }
}

static __global__ void count(cells cells, unsigned long long *population)
{
    const int64_t all = cells.width * cells.height;
    unsigned long long own = 0;
    for (int64_t i = (int64_t) blockIdx.x * blockDim.x + threadIdx.x; i < all; i += (int64_t) gridDim.x * blockDim.x)
        own += cells.current[i / cells.width * cells.row_stride + i % cells.width];
    atomicAdd(population, own);
}

/* Keeps measure's count on the device. */
int cuda_create(const engine_call *call, void **self)
{
    *self = call->host->scratch(call->host, sizeof(unsigned long long), ENGINE_CUDA_MEMORY);
    return *self ? 0 : ENGINE_NO_MEMORY;
}

int cuda_advance(void *self, engine_call *call)
{
    (void) self;
    const cells cells = cells_of(call);
    const rule rule = rule_of(call->plan);
    const int64_t strip = THREADS - 2 * (int64_t) rule.radius;
    const int64_t across = (cells.width + strip - 1) / strip, down = (cells.height + ROWS - 1) / ROWS;
    if (across > INT32_MAX || down > 65535)
        return ENGINE_FAIL(call->host, ENGINE_UNSUPPORTED, "the grid is larger than one launch takes");
    take_step<<<dim3((uint32_t) across, (uint32_t) down), THREADS, 0, (cudaStream_t) call->stream>>>(cells, rule);
    const cudaError_t error = cudaGetLastError();
    return error == cudaSuccess ? 0 : ENGINE_FAIL(call->host, ENGINE_DEVICE, "%s", cudaGetErrorString(error));
}

int cuda_measure(void *self, const engine_call *call, double *values)
{
    const cudaStream_t stream = (cudaStream_t) call->stream;
    unsigned long long population = 0;
    cudaError_t error = cudaMemsetAsync(self, 0, sizeof population, stream);
    if (error == cudaSuccess) {
        count<<<1024, THREADS, 0, stream>>>(cells_of(call), (unsigned long long *) self);
        error = cudaGetLastError();
    }
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(&population, self, sizeof population, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(stream);
    if (error != cudaSuccess)
        return ENGINE_FAIL(call->host, ENGINE_DEVICE, "%s", cudaGetErrorString(error));
    values[POPULATION] = (double) population;
    return 0;
}
