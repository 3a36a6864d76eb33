/* ising on a GPU: a thread makes one block of four random words and updates the four cells they belong to. The spins
 * stay in the caches; it is the random numbers, about 100 instructions a block, that take the time. */
#include "ising.h"

#include <engine/random.h>

struct grid {
    uint8_t *origin;
    int64_t row_stride;
    uint64_t width, height;

    __device__ uint8_t *row(uint64_t y) const
    {
        return origin + (int64_t) y * row_stride;
    }
};

static grid grid_of(const engine_call *call)
{
    const engine_buffer *spins = engine_field_buffer(call, SPIN);
    return {(uint8_t *) spins->origin[call->current], spins->row_stride, spins->shape->extent[0],
            spins->shape->extent[1]};
}

static __device__ uint32_t neighbours_up(const grid &spins, uint64_t x, uint64_t y)
{
    const uint8_t *row = spins.row(y);
    const uint64_t left = x > 0 ? x - 1 : spins.width - 1, right = x + 1 < spins.width ? x + 1 : 0;
    const uint64_t above = y > 0 ? y - 1 : spins.height - 1, below = y + 1 < spins.height ? y + 1 : 0;
    return row[left] + row[right] + spins.row(above)[x] + spins.row(below)[x];
}

static __global__ void sweep(grid spins, chances chances, uint64_t seed, uint64_t step, uint32_t colour)
{
    const uint64_t blocks = row_words(spins.width) / 4, all = blocks * spins.height;
    for (uint64_t i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x; i < all;
         i += (uint64_t) gridDim.x * blockDim.x) {
        const uint64_t y = i / blocks, first = i % blocks * 4;
        uint32_t words[4];
        engine_random_block(seed, stream_of(step, colour), i, words);
        for (uint32_t k = 0; k < 4 && first + k < spins.width / 2; k++) {
            const uint64_t x = cell_x(first + k, y, colour);
            uint8_t *cell = spins.row(y) + x;
            *cell = turn(&chances, *cell, neighbours_up(spins, x, y), words[k]);
        }
    }
}

static __global__ void survey(grid spins, counts *counts)
{
    const uint64_t all = spins.width * spins.height;
    unsigned long long up = 0, alike = 0;
    for (uint64_t i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x; i < all;
         i += (uint64_t) gridDim.x * blockDim.x) {
        const uint64_t x = i % spins.width, y = i / spins.width;
        const uint64_t right = x + 1 < spins.width ? x + 1 : 0, below = y + 1 < spins.height ? y + 1 : 0;
        const uint8_t spin = spins.row(y)[x];
        up += spin;
        alike += (spin == spins.row(y)[right]) + (spin == spins.row(below)[x]);
    }
    atomicAdd((unsigned long long *) &counts->up, up);
    atomicAdd((unsigned long long *) &counts->alike, alike);
}

enum { THREADS = 256 };

/* As many blocks as there is work for, and not more than a GPU holds many times over. */
static uint32_t blocks_for(uint64_t threads)
{
    const uint64_t blocks = (threads + THREADS - 1) / THREADS;
    return blocks < 65536 ? (uint32_t) blocks : 65536;
}

/* Keeps the counts of measure on the device. */
int cuda_create(const engine_call *call, void **self)
{
    *self = call->host->scratch(call->host, sizeof(counts), ENGINE_CUDA_MEMORY);
    return *self ? 0 : ENGINE_NO_MEMORY;
}

int cuda_advance(void *self, engine_call *call)
{
    (void) self;
    const grid spins = grid_of(call);
    const chances chances = chances_of(call->plan);
    const uint32_t blocks = blocks_for(row_words(spins.width) / 4 * spins.height);
    for (uint64_t i = 0; i < call->steps; i++)
        for (uint32_t colour = BLACK; colour < COLOURS; colour++) {
            sweep<<<blocks, THREADS, 0, (cudaStream_t) call->stream>>>(spins, chances, call->plan->seed,
                                                                       call->first_step + i, colour);
            const cudaError_t error = cudaGetLastError();
            if (error != cudaSuccess) /* negative: sweeps before this one have changed the state */
                return ENGINE_FAIL(call->host, i + colour ? -ENGINE_DEVICE : ENGINE_DEVICE, "%s",
                                   cudaGetErrorString(error));
        }
    return 0;
}

int cuda_measure(void *self, const engine_call *call, double *values)
{
    const cudaStream_t stream = (cudaStream_t) call->stream;
    const grid spins = grid_of(call);
    counts found = {0, 0};
    cudaError_t error = cudaMemsetAsync(self, 0, sizeof found, stream);
    if (error == cudaSuccess) {
        survey<<<blocks_for(spins.width * spins.height), THREADS, 0, stream>>>(spins, (counts *) self);
        error = cudaGetLastError();
    }
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(&found, self, sizeof found, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(stream);
    if (error != cudaSuccess)
        return ENGINE_FAIL(call->host, ENGINE_DEVICE, "%s", cudaGetErrorString(error));
    metrics_of(call->plan, found, values);
    return 0;
}
