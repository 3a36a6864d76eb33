/* @NAME@ on a GPU: a thread a cell. Buffers are in device memory, with ghosts as on the CPU; a call only enqueues. */
#include "@NAME@.h"

struct grid {
    uint8_t *current, *result;
    int64_t pitch; /* bytes from a row to the next */
    uint64_t width, height;
};

static grid grid_of(const engine_call *call)
{
    const engine_buffer *cells = engine_field_buffer(call, CELLS);
    return {(uint8_t *) cells->origin[call->current], (uint8_t *) cells->origin[call->result], cells->row_stride,
            cells->shape->extent[0], cells->shape->extent[1]};
}

static __global__ void take_step(grid grid, rule rule)
{
    const uint64_t x = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
    for (uint64_t y = blockIdx.y; y < grid.height; y += gridDim.y)
        if (x < grid.width) {
            const int64_t at = (int64_t) y * grid.pitch + (int64_t) x;
            grid.result[at] = next_cell(rule, grid.current + at, grid.pitch);
        }
}

static __global__ void count(grid grid, unsigned long long *population)
{
    const uint64_t x = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long own = 0;
    for (uint64_t y = blockIdx.y; y < grid.height; y += gridDim.y)
        own += x < grid.width && grid.current[(int64_t) y * grid.pitch + (int64_t) x] != 0;
    atomicAdd(population, own);
}

static const uint32_t THREADS = 128, ROWS = 32768; /* threads of a block, rows of blocks */

static dim3 blocks_of(const grid &grid)
{
    return dim3((uint32_t) ((grid.width + THREADS - 1) / THREADS),
                (uint32_t) (grid.height < ROWS ? grid.height : ROWS));
}

/* Every launch is checked: one that fails is a failed run. */
static int check(const engine_call *call, cudaError_t error)
{
    return error == cudaSuccess ? 0 : ENGINE_FAIL(call->host, ENGINE_DEVICE, "%s", cudaGetErrorString(error));
}

/* Memory for the run, which the engine frees: here for the count that measure makes. */
int cuda_create(const engine_call *call, void **self)
{
    *self = call->host->scratch(call->host, sizeof(unsigned long long), ENGINE_CUDA_MEMORY);
    return *self ? 0 : ENGINE_NO_MEMORY;
}

int cuda_advance(void *self, engine_call *call)
{
    (void) self;
    const grid grid = grid_of(call);
    take_step<<<blocks_of(grid), THREADS, 0, (cudaStream_t) call->stream>>>(grid, rule_of(call->plan));
    return check(call, cudaGetLastError());
}

int cuda_measure(void *self, const engine_call *call, double *values)
{
    const cudaStream_t stream = (cudaStream_t) call->stream;
    const grid grid = grid_of(call);
    unsigned long long population = 0;
    cudaError_t error = cudaMemsetAsync(self, 0, sizeof population, stream);
    if (error == cudaSuccess) {
        count<<<blocks_of(grid), THREADS, 0, stream>>>(grid, (unsigned long long *) self);
        error = cudaGetLastError();
    }
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(&population, self, sizeof population, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(stream);
    values[0] = (double) population;
    return check(call, error);
}
