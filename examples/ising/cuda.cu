/* ising on a GPU. A thread makes one block of four random words and updates the four cells that they belong to. The
 * spins stay in the caches. Most of the time goes into the random numbers: about 100 instructions a block. */
#include "ising.h"

#include <engine/cuda.h>
#include <engine/random.h>

using view = engine_cuda_view<uint8_t>;

static __device__ uint32_t neighbours_up(const view &spins, int64_t x, int64_t y)
{
    const int64_t left = x > 0 ? x - 1 : spins.width - 1, right = x + 1 < spins.width ? x + 1 : 0;
    const int64_t above = y > 0 ? y - 1 : spins.height - 1, below = y + 1 < spins.height ? y + 1 : 0;
    return spins.at(left, y) + spins.at(right, y) + spins.at(x, above) + spins.at(x, below);
}

static __global__ void sweep(view spins, chances chances, uint64_t seed, uint64_t step, uint32_t colour)
{
    const uint64_t half = (uint64_t) spins.width / 2; /* cells of a colour in a row */
    const uint64_t blocks = row_words((uint64_t) spins.width) / 4, all = blocks * (uint64_t) spins.height;
    for (uint64_t i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x; i < all;
         i += (uint64_t) gridDim.x * blockDim.x) {
        const uint64_t y = i / blocks, first = i % blocks * 4;
        uint32_t words[4];
        engine_random_block(seed, stream_of(step, colour), i, words);
        for (uint32_t k = 0; k < 4 && first + k < half; k++) {
            const int64_t x = (int64_t) cell_x(first + k, y, colour);
            uint8_t &spin = spins.at(x, (int64_t) y);
            spin = turn(&chances, spin, neighbours_up(spins, x, (int64_t) y), words[k]);
        }
    }
}

static __global__ void survey(view spins, counts *counts)
{
    const uint64_t width = (uint64_t) spins.width, height = (uint64_t) spins.height, all = width * height;
    unsigned long long up = 0, alike = 0;
    for (uint64_t i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x; i < all;
         i += (uint64_t) gridDim.x * blockDim.x) {
        const int64_t x = (int64_t) (i % width), y = (int64_t) (i / width);
        const int64_t right = x + 1 < spins.width ? x + 1 : 0, below = y + 1 < spins.height ? y + 1 : 0;
        const uint8_t spin = spins.at(x, y);
        up += spin;
        alike += (spin == spins.at(right, y)) + (spin == spins.at(x, below));
    }
    atomicAdd((unsigned long long *) &counts->up, up);
    atomicAdd((unsigned long long *) &counts->alike, alike);
}

enum { THREADS = 256, BLOCKS = 65536 }; /* in a block; at most, which is many times what a GPU holds */

/* Device memory for the counts of cuda_measure. */
int cuda_create(const engine_call *call, void **self)
{
    *self = call->host->scratch(call->host, sizeof(counts), ENGINE_CUDA_MEMORY);
    return *self ? 0 : ENGINE_NO_MEMORY;
}

int cuda_advance(void *self, engine_call *call)
{
    (void) self;
    const view spins = engine_cuda_field<uint8_t>(call, SPIN, call->current);
    const chances chances = chances_of(call->plan);
    const uint64_t threads = row_words((uint64_t) spins.width) / 4 * (uint64_t) spins.height;
    const unsigned blocks = engine_cuda_blocks(threads, THREADS, BLOCKS);
    for (uint64_t i = 0; i < call->steps; i++)
        for (uint32_t colour = BLACK; colour < COLOURS; colour++) {
            sweep<<<blocks, THREADS, 0, engine_cuda_stream(call)>>>(spins, chances, call->plan->seed,
                                                                    call->first_step + i, colour);
            const cudaError_t error = cudaGetLastError();
            if (error != cudaSuccess) /* negative: earlier sweeps of this call have changed the state */
                return ENGINE_CUDA_FAIL(call->host, i + colour ? -ENGINE_DEVICE : ENGINE_DEVICE, error, "sweep");
        }
    return 0;
}

int cuda_measure(void *self, const engine_call *call, double *values)
{
    const cudaStream_t stream = engine_cuda_stream(call);
    const view spins = engine_cuda_field<uint8_t>(call, SPIN, call->current);
    const unsigned blocks = engine_cuda_blocks((uint64_t) (spins.width * spins.height), THREADS, BLOCKS);
    counts found;
    ENGINE_CUDA_CHECK(call->host, cudaMemsetAsync(self, 0, sizeof found, stream));
    survey<<<blocks, THREADS, 0, stream>>>(spins, (counts *) self);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, survey);
    ENGINE_CUDA_CHECK(call->host, cudaMemcpyAsync(&found, self, sizeof found, cudaMemcpyDeviceToHost, stream));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
    metrics_of(call->plan, found, values);
    return 0;
}
