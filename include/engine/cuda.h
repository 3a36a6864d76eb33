/* engine/cuda.h - helpers for the CUDA side of a plugin.
 *
 * This header is optional and not part of the binary interface: everything here is inline. It needs C++17 and the CUDA
 * runtime's headers. nvcc compiles it. A C++ compiler also compiles it, for code that calls CUDA but has no kernels.
 *
 *     static __global__ void take_step(engine_cuda_view<const uint8_t> now, engine_cuda_view<uint8_t> next);
 *
 *     int cuda_advance(void *, engine_call *call)
 *     {
 *         const auto now = engine_cuda_field<const uint8_t>(call, CELLS, call->current);
 *         const auto next = engine_cuda_field<uint8_t>(call, CELLS, call->result);
 *         const dim3 threads(128);
 *         take_step<<<engine_cuda_grid(now, threads), threads, 0, engine_cuda_stream(call)>>>(now, next);
 *         ENGINE_CUDA_CHECK_LAUNCH(call->host, take_step);
 *         return 0;
 *     }
 */
#ifndef ENGINE_CUDA_H
#define ENGINE_CUDA_H

#ifndef __cplusplus
#error "engine/cuda.h is for C++17: include it in .cu and .cpp files"
#endif

#include <engine/plugin.h>

#include <cuda_runtime.h>

#ifdef __CUDACC__
#define ENGINE_CUDA_INLINE __host__ __device__ inline
#else
#define ENGINE_CUDA_INLINE inline
#endif

/* ---- Errors ------------------------------------------------------------------------------------------------------ */

/* If a CUDA call fails, returns its error from the surrounding function, which returns cudaError_t. */
#define ENGINE_CUDA_TRY(call) \
    do { \
        const cudaError_t engine_error_ = (call); \
        if (engine_error_ != cudaSuccess) \
            return engine_error_; \
    } while (0)

/* Records a CUDA error as "what: name: description" and returns `code`, as ENGINE_FAIL does. `what` is a text. `code`
 * is ENGINE_DEVICE, or -ENGINE_DEVICE if earlier launches of the same call have already changed the state. The macro
 * also clears CUDA's own record of the error, so that the next launch check does not see it. */
#define ENGINE_CUDA_FAIL(host, code, error, what) \
    ((void) cudaGetLastError(), \
     ENGINE_FAIL(host, code, "%s: %s: %s", (what), cudaGetErrorName(error), cudaGetErrorString(error)))

/* If a CUDA call fails, returns ENGINE_DEVICE from the surrounding function, which returns int. */
#define ENGINE_CUDA_CHECK(host, call) \
    do { \
        const cudaError_t engine_error_ = (call); \
        if (engine_error_ != cudaSuccess) \
            return ENGINE_CUDA_FAIL(host, ENGINE_DEVICE, engine_error_, #call); \
    } while (0)

/* The same for the launch just before it. A failed launch leaves the old numbers in memory, so check every launch. */
#define ENGINE_CUDA_CHECK_LAUNCH(host, kernel) \
    do { \
        const cudaError_t engine_error_ = cudaGetLastError(); \
        if (engine_error_ != cudaSuccess) \
            return ENGINE_CUDA_FAIL(host, ENGINE_DEVICE, engine_error_, "launch of " #kernel); \
    } while (0)

/* ---- Fields in device memory ------------------------------------------------------------------------------------- */

/* A field as a kernel sees it: pass it by value. T is the type of an element or, where the layout packs cells, of a
 * word; use const T if the kernel only reads. Coordinates may be negative, down to -ghost. */
template <class T> struct engine_cuda_view {
    T *origin;                    /* (0, 0, 0) */
    int64_t pitch, plane;         /* in units of T: from (x, y, z) to (x, y + 1, z), and to (x, y, z + 1) */
    int64_t width, height, depth; /* the shape's extents: cells or elements, ghosts not counted */

    ENGINE_CUDA_INLINE T *row(int64_t y, int64_t z = 0) const
    {
        return origin + (z * plane + y * pitch);
    }

    ENGINE_CUDA_INLINE T &at(int64_t x, int64_t y = 0, int64_t z = 0) const
    {
        return row(y, z)[x];
    }
};

/* Returns the view of field `index` of the plugin's table. `which` is call->current or call->result for a state, and 0
 * for an input or output. */
template <class T> engine_cuda_view<T> engine_cuda_field(const engine_call *call, uint32_t index, uint32_t which)
{
    const engine_buffer *buffer = engine_field_buffer(call, index);
    const uint64_t *extent = buffer->shape->extent;
    const int64_t unit = (int64_t) sizeof(T);
    return {(T *) buffer->origin[which], buffer->row_stride / unit, buffer->plane_stride / unit,
            (int64_t) extent[0],         (int64_t) extent[1],       (int64_t) extent[2]};
}

/* ---- Launches ---------------------------------------------------------------------------------------------------- */

/* The stream on which a call enqueues everything. */
static inline cudaStream_t engine_cuda_stream(const engine_call *call)
{
    return (cudaStream_t) call->stream;
}

/* a / b, rounded up; b is not 0, and a + b fits into 64 bits. */
ENGINE_CUDA_INLINE constexpr uint64_t engine_divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* CUDA's limits for a grid of blocks: along x, and along y and z. */
constexpr uint64_t ENGINE_CUDA_BLOCKS_X = 2147483647, ENGINE_CUDA_BLOCKS_YZ = 65535;

/* Returns the number of blocks of `threads` threads for `items` items, but at most `most`. If `items` may be more than
 * most * threads, the kernel has to loop, in steps of gridDim * blockDim. */
static inline unsigned engine_cuda_blocks(uint64_t items, uint64_t threads, uint64_t most = ENGINE_CUDA_BLOCKS_X)
{
    const uint64_t blocks = engine_divide_up(items, threads);
    return (unsigned) (blocks < most ? blocks : most);
}

/* Returns the grid of blocks that gives each cell one thread. If a row needs more blocks than CUDA allows along x, the
 * launch fails. Along y and z CUDA allows only 65535 blocks, so a kernel for grids of any size loops there. The loop
 * counts in unsigned numbers, because nvcc unrolls a signed loop, and that costs a division in every thread:
 *
 *     const uint64_t x = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
 *     for (uint64_t y = (uint64_t) blockIdx.y * blockDim.y + threadIdx.y; y < (uint64_t) next.height;
 *          y += (uint64_t) gridDim.y * blockDim.y)
 *         if (x < (uint64_t) next.width)
 *             next.at(x, y) = …;
 */
template <class T> dim3 engine_cuda_grid(const engine_cuda_view<T> &field, dim3 threads)
{
    return dim3(engine_cuda_blocks((uint64_t) field.width, threads.x, UINT32_MAX),
                engine_cuda_blocks((uint64_t) field.height, threads.y, ENGINE_CUDA_BLOCKS_YZ),
                engine_cuda_blocks((uint64_t) field.depth, threads.z, ENGINE_CUDA_BLOCKS_YZ));
}

#endif
