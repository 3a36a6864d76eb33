/* Counts the live cells of a grid in CUDA memory, of one bit or one byte a cell: life/population.h on a GPU. */
#ifndef LIFE_POPULATION_CUH
#define LIFE_POPULATION_CUH

#include <engine/plugin.h>
#include <life/cuda_device.cuh>

/* The rows of a grid of two or three axes, numbered along y and then z. */
struct life_population_rows {
    const uint8_t *cells;
    int64_t row_stride, plane_stride;
    uint64_t height, count;

    __device__ const uint8_t *row(uint64_t index) const
    {
        return cells + (int64_t) (index / height) * plane_stride + (int64_t) (index % height) * row_stride;
    }
};

/* Adds the counts of all threads, by one atomic addition a warp: atomic additions to one address wait for each other.
 */
static __device__ void life_population_add(unsigned long long found, unsigned long long *population)
{
    for (int lanes = 16; lanes > 0; lanes /= 2)
        found += __shfl_down_sync(~0u, found, lanes);
    if (threadIdx.x % 32 == 0 && found)
        atomicAdd(population, found);
}

/* Counts the set bits in rows of bytes; in the last byte of a row, only those in last_mask. A block takes every
 * gridDim.x-th row. */
static __global__ void life_population_kernel(life_population_rows rows, uint64_t row_bytes, uint32_t last_mask,
                                              unsigned long long *population)
{
    unsigned long long found = 0;
    for (uint64_t r = blockIdx.x; r < rows.count; r += gridDim.x) {
        const uint8_t *row = rows.row(r);
        for (uint64_t i = threadIdx.x; i < row_bytes; i += blockDim.x)
            found += __popc(row[i] & (i + 1 == row_bytes ? last_mask : 255u));
    }
    life_population_add(found, population);
}

/* The same for rows of striped groups of four words. In the last group of a row, only the bits in last_masks count. */
static __global__ void life_population_striped_kernel(life_population_rows rows, uint64_t groups, uint4 last_masks,
                                                      unsigned long long *population)
{
    unsigned long long found = 0;
    for (uint64_t r = blockIdx.x; r < rows.count; r += gridDim.x) {
        const uint4 *row = (const uint4 *) rows.row(r);
        for (uint64_t i = threadIdx.x; i < groups; i += blockDim.x) {
            const uint4 group = row[i];
            const uint4 masks = i + 1 == groups ? last_masks : make_uint4(~0u, ~0u, ~0u, ~0u);
            found += __popc(group.x & masks.x) + __popc(group.y & masks.y) + __popc(group.z & masks.z) +
                     __popc(group.w & masks.w);
        }
    }
    life_population_add(found, population);
}

/* Launches one of the kernels, waits for its result and adds it to *value. `counter` is 8 bytes of CUDA memory. */
template <class Launch>
static inline int life_population_count(const struct engine_call *call, uint64_t *counter, double *value, Launch launch)
{
    const cudaStream_t stream = engine_cuda_stream(call);
    unsigned long long population = 0;
    cudaError_t error = cudaMemsetAsync(counter, 0, sizeof *counter, stream);
    if (error == cudaSuccess) {
        launch(stream, (unsigned long long *) counter);
        error = cudaGetLastError();
    }
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(&population, counter, sizeof population, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(stream);
    if (error != cudaSuccess)
        return ENGINE_CUDA_FAIL(call->host, ENGINE_DEVICE, error, "counting the population");
    *value += (double) population;
    return 0;
}

/* The rows of the part. */
static inline life_population_rows life_population_rows_of(const struct engine_call *call,
                                                           const struct engine_buffer *cells)
{
    const uint64_t height = call->end[1] - call->begin[1];
    return {(const uint8_t *) engine_row(cells, call->current, (int64_t) call->begin[1], (int64_t) call->begin[2]),
            cells->row_stride, cells->plane_stride, height, height * (call->end[2] - call->begin[2])};
}

static inline unsigned life_population_blocks(uint64_t rows)
{
    return (unsigned) (rows < 2048 ? rows : 2048);
}

/* Adds the live cells of the part in a field's current buffer: of bytes, or of bits in linear or byte-wise reversed
 * order. `counter` is 8 bytes of CUDA memory. It waits for the stream. */
static inline int life_population_cuda(const struct engine_call *call, uint32_t field, uint64_t *counter, double *value)
{
    const struct engine_buffer *cells = engine_field_buffer(call, field);
    const life_population_rows rows = life_population_rows_of(call, cells);
    const uint64_t in_byte = cells->layout->cell_bits == 1 ? 8 : 1, width = cells->shape->extent[0];
    const uint32_t rest = (uint32_t) (width % in_byte), low = rest ? (1u << rest) - 1 : 255u;
    const uint32_t mask = cells->layout->order == ENGINE_ORDER_REVERSED && rest ? low << (8 - rest) : low;
    return life_population_count(call, counter, value, [&](cudaStream_t stream, unsigned long long *population) {
        life_population_kernel<<<life_population_blocks(rows.count), 256, 0, stream>>>(
            rows, width / in_byte + (rest != 0), mask, population);
    });
}

/* The bits of a word of a striped group that belong to the group's first `tail` cells, 1 … 128. Cell x is bit x / 4 of
 * word x mod 4. */
static inline uint32_t life_striped_mask(uint64_t tail, uint64_t word)
{
    const uint64_t bits = tail > word ? (tail - word + 3) / 4 : 0;
    return bits >= 32 ? ~0u : (1u << bits) - 1;
}

/* The same for bits in striped groups of four words of 32 bits, with rows aligned to 16 bytes. */
static inline int life_population_striped(const struct engine_call *call, uint32_t field, uint64_t *counter,
                                          double *value)
{
    const struct engine_buffer *cells = engine_field_buffer(call, field);
    const life_population_rows rows = life_population_rows_of(call, cells);
    const uint64_t groups = divide_up(cells->shape->extent[0], 128);
    const uint64_t tail = cells->shape->extent[0] - (groups - 1) * 128;
    const uint4 masks = make_uint4(life_striped_mask(tail, 0), life_striped_mask(tail, 1), life_striped_mask(tail, 2),
                                   life_striped_mask(tail, 3));
    return life_population_count(call, counter, value, [&](cudaStream_t stream, unsigned long long *population) {
        life_population_striped_kernel<<<life_population_blocks(rows.count), 256, 0, stream>>>(rows, groups, masks,
                                                                                               population);
    });
}

#endif
