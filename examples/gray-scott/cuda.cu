/* gray-scott on a GPU, with one thread a cell. Neighbours come from the caches. The limit is memory: 16 bytes for a
 * cell and step. */
#include "gray-scott.h"

#include <engine/cuda.h>

using view = engine_cuda_view<float>;

/* All four views have the same pitch, because their fields have the same shape and layout: one index serves them all. */
static __global__ void take_step(rates rates, view u, view v, view next_u, view next_v)
{
    const uint64_t x = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
    for (uint64_t y = (uint64_t) blockIdx.y * blockDim.y + threadIdx.y; y < (uint64_t) u.height;
         y += (uint64_t) gridDim.y * blockDim.y)
        if (x < (uint64_t) u.width) {
            const int64_t at = (int64_t) y * u.pitch + (int64_t) x;
            const pair next = react(rates, u.origin + at, v.origin + at, u.pitch);
            next_u.origin[at] = next.u;
            next_v.origin[at] = next.v;
        }
}

/* Keeps host memory for a copy of both fields, which cuda_measure makes. */
int cuda_create(const engine_call *call, void **self)
{
    const uint64_t *extent = engine_field_shape(call->plan, U)->extent;
    *self = call->host->scratch(call->host, 2 * extent[0] * extent[1] * sizeof(float), ENGINE_HOST_MEMORY);
    return *self ? 0 : ENGINE_NO_MEMORY;
}

int cuda_advance(void *self, engine_call *call)
{
    (void) self;
    const view u = engine_cuda_field<float>(call, U, call->current);
    const dim3 threads(64, 4);
    take_step<<<engine_cuda_grid(u, threads), threads, 0, engine_cuda_stream(call)>>>(
        rates_of(call->plan), u, engine_cuda_field<float>(call, V, call->current),
        engine_cuda_field<float>(call, U, call->result), engine_cuda_field<float>(call, V, call->result));
    ENGINE_CUDA_CHECK_LAUNCH(call->host, take_step);
    return 0;
}

int cuda_measure(void *self, const engine_call *call, double *values)
{
    const uint64_t *extent = engine_field_shape(call->plan, U)->extent;
    const size_t row = extent[0] * sizeof(float);
    float *copy[] = {(float *) self, (float *) self + extent[0] * extent[1]};
    for (uint32_t field = U; field <= V; field++) {
        const engine_buffer *buffer = engine_field_buffer(call, field);
        ENGINE_CUDA_CHECK(call->host, cudaMemcpy2DAsync(copy[field], row, buffer->origin[call->current],
                                                        (size_t) buffer->row_stride, row, extent[1],
                                                        cudaMemcpyDeviceToHost, engine_cuda_stream(call)));
    }
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(engine_cuda_stream(call)));
    means_of(copy[U], copy[V], extent[0], extent[1], (int64_t) row, values);
    return 0;
}
