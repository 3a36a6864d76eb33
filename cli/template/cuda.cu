/* @NAME@ on a GPU, with one thread for each cell. The buffers are in device memory and have ghost cells as on the
 * CPU. */
#include "@NAME@.h"

#include <engine/cuda.h>

using view = engine_cuda_view<uint8_t>;

static __global__ void take_step(rule rule, view now, view next)
{
    const int64_t x = (int64_t) blockIdx.x * blockDim.x + threadIdx.x;
    for (int64_t y = blockIdx.y; y < next.height; y += gridDim.y)
        if (x < next.width)
            next.at(x, y) = next_cell(rule, &now.at(x, y), now.pitch);
}

static __global__ void count(view now, unsigned long long *population)
{
    const int64_t x = (int64_t) blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long own = 0;
    for (int64_t y = blockIdx.y; y < now.height; y += gridDim.y)
        own += x < now.width && now.at(x, y) != 0;
    atomicAdd(population, own);
}

static const unsigned THREADS = 128; /* in a block */

/* Memory for the count of cuda_measure. The engine frees it at the end of the run. */
int cuda_create(const engine_call *call, void **self)
{
    *self = call->host->scratch(call->host, sizeof(unsigned long long), ENGINE_CUDA_MEMORY);
    return *self ? 0 : ENGINE_NO_MEMORY;
}

int cuda_advance(void *self, engine_call *call)
{
    (void) self;
    const view now = engine_cuda_field<uint8_t>(call, CELLS, call->current);
    const view next = engine_cuda_field<uint8_t>(call, CELLS, call->result);
    take_step<<<engine_cuda_grid(now, THREADS), THREADS, 0, engine_cuda_stream(call)>>>(rule_of(call->plan), now, next);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, take_step);
    return 0;
}

int cuda_measure(void *self, const engine_call *call, double *values)
{
    const cudaStream_t stream = engine_cuda_stream(call);
    const view now = engine_cuda_field<uint8_t>(call, CELLS, call->current);
    unsigned long long population;
    ENGINE_CUDA_CHECK(call->host, cudaMemsetAsync(self, 0, sizeof population, stream));
    count<<<engine_cuda_grid(now, THREADS), THREADS, 0, stream>>>(now, (unsigned long long *) self);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, count);
    ENGINE_CUDA_CHECK(call->host,
                      cudaMemcpyAsync(&population, self, sizeof population, cudaMemcpyDeviceToHost, stream));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
    values[0] = (double) population;
    return 0;
}
