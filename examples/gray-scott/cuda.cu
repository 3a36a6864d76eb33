/* gray-scott on a GPU: a thread a cell, neighbours from the caches. It is bound by memory: 16 bytes a cell and step. */
#include "gray-scott.h"

struct plane {
    float *origin;
    int64_t pitch; /* floats from a row to the next */
};

static plane plane_of(const engine_call *call, uint32_t field, uint32_t which)
{
    const engine_buffer *buffer = engine_field_buffer(call, field);
    return {(float *) buffer->origin[which], buffer->row_stride / (int64_t) sizeof(float)};
}

static __global__ void take_step(rates rates, uint64_t width, uint64_t height, plane u, plane v, plane next_u,
                                 plane next_v)
{
    const uint64_t x = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
    for (uint64_t y = (uint64_t) blockIdx.y * blockDim.y + threadIdx.y; y < height;
         y += (uint64_t) gridDim.y * blockDim.y)
        if (x < width) {
            const int64_t at = (int64_t) (y * u.pitch + x);
            const pair next = react(rates, u.origin + at, v.origin + at, u.pitch);
            next_u.origin[at] = next.u;
            next_v.origin[at] = next.v;
        }
}

/* Keeps room on the host for both fields, which measure copies there. */
int cuda_create(const engine_call *call, void **self)
{
    const uint64_t *extent = engine_field_shape(call->plan, U)->extent;
    *self = call->host->scratch(call->host, 2 * extent[0] * extent[1] * sizeof(float), ENGINE_HOST_MEMORY);
    return *self ? 0 : ENGINE_NO_MEMORY;
}

int cuda_advance(void *self, engine_call *call)
{
    (void) self;
    const uint64_t *extent = engine_field_shape(call->plan, U)->extent;
    const dim3 threads(64, 4);
    const uint64_t across = (extent[0] + threads.x - 1) / threads.x, down = (extent[1] + threads.y - 1) / threads.y;
    if (across > INT32_MAX)
        return ENGINE_FAIL(call->host, ENGINE_UNSUPPORTED, "a row has more cells than one launch takes");
    const dim3 blocks((uint32_t) across, (uint32_t) (down < 65535 ? down : 65535));
    take_step<<<blocks, threads, 0, (cudaStream_t) call->stream>>>(
        rates_of(call->plan), extent[0], extent[1], plane_of(call, U, call->current), plane_of(call, V, call->current),
        plane_of(call, U, call->result), plane_of(call, V, call->result));
    const cudaError_t error = cudaGetLastError();
    return error == cudaSuccess ? 0 : ENGINE_FAIL(call->host, ENGINE_DEVICE, "%s", cudaGetErrorString(error));
}

int cuda_measure(void *self, const engine_call *call, double *values)
{
    const uint64_t *extent = engine_field_shape(call->plan, U)->extent;
    const size_t row = extent[0] * sizeof(float);
    float *copy[] = {(float *) self, (float *) self + extent[0] * extent[1]};
    cudaError_t error = cudaSuccess;
    for (uint32_t field = U; field <= V && error == cudaSuccess; field++) {
        const engine_buffer *buffer = engine_field_buffer(call, field);
        error = cudaMemcpy2DAsync(copy[field], row, buffer->origin[call->current], (size_t) buffer->row_stride, row,
                                  extent[1], cudaMemcpyDeviceToHost, (cudaStream_t) call->stream);
    }
    if (error == cudaSuccess)
        error = cudaStreamSynchronize((cudaStream_t) call->stream);
    if (error != cudaSuccess)
        return ENGINE_FAIL(call->host, ENGINE_DEVICE, "%s", cudaGetErrorString(error));
    means_of(copy[U], copy[V], extent[0], extent[1], (int64_t) row, values);
    return 0;
}
