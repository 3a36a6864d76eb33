/* How many cells of a grid of one bit a cell are alive, in CUDA memory: life/population.h on a GPU. */
#ifndef LIFE_POPULATION_CUH
#define LIFE_POPULATION_CUH

#include <engine/plugin.h>

/* Of rows of bytes; the last byte of a row counts as far as `last_mask` says. A block a row, and on. */
static __global__ void life_population_kernel(const uint8_t *cells, int64_t row_stride, uint64_t row_bytes,
                                              uint64_t height, uint32_t last_mask, unsigned long long *population)
{
    unsigned long long found = 0;
    for (uint64_t y = blockIdx.x; y < height; y += gridDim.x)
        for (uint64_t i = threadIdx.x; i < row_bytes; i += blockDim.x)
            found += __popc(cells[(int64_t) y * row_stride + (int64_t) i] & (i + 1 == row_bytes ? last_mask : 255u));
    if (found)
        atomicAdd(population, found);
}

/* Of the current buffer of a two-dimensional field, of linear or byte-wise reversed bits. `counter`: 8 bytes of CUDA
 * memory. Waits for the stream. */
static inline int life_population_cuda(const struct engine_call *call, uint32_t field, uint64_t *counter, double *value)
{
    const struct engine_buffer *cells = engine_field_buffer(call, field);
    const uint64_t width = cells->shape->extent[0], height = cells->shape->extent[1];
    const uint32_t rest = (uint32_t) (width % 8), low = rest ? (1u << rest) - 1 : 255u;
    const uint32_t mask = cells->layout->order == ENGINE_ORDER_REVERSED && rest ? low << (8 - rest) : low;
    const cudaStream_t stream = (cudaStream_t) call->stream;
    unsigned long long population = 0;
    cudaError_t error = cudaMemsetAsync(counter, 0, sizeof *counter, stream);
    if (error == cudaSuccess) {
        life_population_kernel<<<(unsigned) (height < 65535 ? height : 65535), 256, 0, stream>>>(
            (const uint8_t *) cells->origin[call->current], cells->row_stride, (width + 7) / 8, height, mask,
            (unsigned long long *) counter);
        error = cudaGetLastError();
    }
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(&population, counter, sizeof population, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(stream);
    if (error != cudaSuccess)
        return ENGINE_FAIL(call->host, ENGINE_DEVICE, "counting the population: %s: %s", cudaGetErrorName(error),
                           cudaGetErrorString(error));
    *value = (double) population;
    return 0;
}

#endif
