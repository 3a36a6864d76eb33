/* What the CUDA implementations of three-dimensional Life with a byte a cell and a step a launch share: the grid, its
 * edges, the instance, and the launches of a call. */
#ifndef LIFE_CUDA3D_CUH
#define LIFE_CUDA3D_CUH

#include <engine/plugin.h>
#include <life/edges.h>
#include <life/population.cuh>

/* The grid of one step: rows of bytes along x, each 0 or 1. Both buffers have the same strides. */
struct life3d_step {
    static constexpr int DEAD = 0;
    const uint8_t *source;
    uint8_t *result;
    int64_t row_stride, plane_stride; /* bytes */
    int64_t width, height, depth;     /* cells */
};

/* The same for grids with dead edges. */
struct life3d_dead_step : life3d_step {
    static constexpr int DEAD = 1;
    uint32_t dead; /* LIFE_DEAD_X and so on; along the other axes the grid is a torus */
};

static __device__ __forceinline__ bool life3d_lives(const life3d_step &, uint32_t, int64_t, int64_t)
{
    return true;
}

/* May there be life at a coordinate along an axis, LIFE_DEAD_X and so on? False: it lies beyond a dead edge. */
static __device__ __forceinline__ bool life3d_lives(const life3d_dead_step &step, uint32_t axis, int64_t at,
                                                    int64_t extent)
{
    return !(step.dead & axis) || (uint64_t) at < (uint64_t) extent;
}

/* Wraps a coordinate that is one beyond an edge. A coordinate further beyond the far edge becomes 0 too, so that
 * threads without a cell there may read one. */
static __device__ __forceinline__ int64_t life3d_wrapped(int64_t at, int64_t extent)
{
    return at < 0 ? extent - 1 : at >= extent ? 0 : at;
}

static __device__ __forceinline__ uint8_t life3d_next(uint32_t cell, uint32_t neighbours, uint32_t birth,
                                                      uint32_t survive)
{
    return (uint8_t) ((cell ? survive : birth) >> neighbours & 1);
}

/* ---- Launches that overlap -------------------------------------------------------------------------------------
 *
 * Programmatic dependent launch: the next kernel of the stream starts when all threads of this one have called
 * life3d_release. In life3d_wait it waits until this one has ended and all its writes are visible. Every kernel waits
 * before it touches a cell, so the kernel before the last has ended by then too. docs/lab/life3d-packed.md has what the
 * overlap gains. */

/* Every thread calls this before its first read or write of a grid. */
static __device__ __forceinline__ void life3d_wait()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* A thread calls this when its work is done. */
static __device__ __forceinline__ void life3d_release()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

struct life3d_launch {
    dim3 blocks, threads;
    size_t shared_bytes;
    bool overlap;
};

template <class... Parameters>
static cudaError_t life3d_enqueue(const life3d_launch &launch, cudaStream_t stream, void (*kernel)(Parameters...),
                                  Parameters... arguments)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = launch.blocks;
    config.blockDim = launch.threads;
    config.dynamicSmemBytes = launch.shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = launch.overlap;
    const cudaError_t error = cudaLaunchKernelEx(&config, kernel, arguments...);
    (void) cudaGetLastError();
    return error;
}

/* ---- The instance ------------------------------------------------------------------------------------------- */

struct life3d_cuda {
    uint64_t *counter; /* of the population, in CUDA memory */
    bool overlap;      /* needs a device of compute capability 9 or later */
};

static int life3d_cuda_open(const engine_call *call, bool overlap, void **self)
{
    int major = 0;
    life3d_cuda *cuda = (life3d_cuda *) call->host->scratch(call->host, sizeof *cuda, ENGINE_HOST_MEMORY);
    uint64_t *counter = (uint64_t *) call->host->scratch(call->host, sizeof *counter, ENGINE_CUDA_MEMORY);
    if (!cuda || !counter)
        return ENGINE_NO_MEMORY;
    const cudaError_t error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, call->plan->device);
    if (error != cudaSuccess)
        return CUDA_FAIL(call->host, error, "reading the compute capability of device %d", call->plan->device);
    *cuda = {counter, overlap && major >= 9};
    *self = cuda;
    return 0;
}

static inline int life3d_cuda_count(void *self, const engine_call *call, double *values)
{
    return life_population_cuda(call, 0, ((life3d_cuda *) self)->counter, values);
}

#define LIFE3D_THREADS_MOST 1024 /* the most threads of a block */

/* Plan. Checks that a block of so many threads can be launched. */
static inline int life3d_check_block(const engine_host *host, uint64_t x, uint64_t y, uint64_t z)
{
    if (x <= LIFE3D_THREADS_MOST && y <= LIFE3D_THREADS_MOST && z <= 64 && x * y * z <= LIFE3D_THREADS_MOST)
        return 0;
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED,
                       "blocks of %llu x %llu x %llu threads are too large: a GPU takes %d in all, and 64 along z",
                       (unsigned long long) x, (unsigned long long) y, (unsigned long long) z, LIFE3D_THREADS_MOST);
}

/* Plan. Checks that one launch takes the whole grid. */
static inline int life3d_check_launch(const engine_host *host, const engine_plan *plan, uint64_t x, uint64_t y,
                                      uint64_t z)
{
    const uint64_t *extent = engine_field_shape(plan, 0)->extent;
    if (extent[0] <= x && extent[1] <= y && extent[2] <= z)
        return 0;
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "it takes grids of at most %llu x %llu x %llu cells",
                       (unsigned long long) x, (unsigned long long) y, (unsigned long long) z);
}

/* ---- A call ------------------------------------------------------------------------------------------------- */

static inline void life3d_set_edges(life3d_step *, const engine_plan *)
{
}

static inline void life3d_set_edges(life3d_dead_step *step, const engine_plan *plan)
{
    step->dead = life_dead_axes(plan);
}

/* Takes the steps of a call, by one launch of kernel(step, job) each, from one buffer to the other and back. */
template <class Step, class Job>
static int life3d_take_steps(engine_call *call, const life3d_launch &launch, void (*kernel)(Step, Job), Job job)
{
    const engine_buffer *cells = engine_field_buffer(call, 0);
    const uint64_t *extent = cells->shape->extent;
    uint32_t current = call->current;
    for (uint64_t i = 0; i < call->steps; i++, current ^= 1) {
        Step step = {};
        static_cast<life3d_step &>(step) = {(const uint8_t *) cells->origin[current],
                                            (uint8_t *) cells->origin[current ^ 1],
                                            cells->row_stride,
                                            cells->plane_stride,
                                            (int64_t) extent[0],
                                            (int64_t) extent[1],
                                            (int64_t) extent[2]};
        life3d_set_edges(&step, call->plan);
        const cudaError_t error = life3d_enqueue(launch, engine_cuda_stream(call), kernel, step, job);
        if (error != cudaSuccess)
            return (i < 2 ? 1 : -1) * CUDA_FAIL(call->host, error, "launch of blocks of %u x %u x %u threads",
                                                launch.threads.x, launch.threads.y, launch.threads.z);
    }
    call->result = current;
    return 0;
}

/* The same by the kernel of the torus, or that of grids with dead edges. */
template <class Job>
static int life3d_take_steps(engine_call *call, const life3d_launch &launch, void (*torus)(life3d_step, Job),
                             void (*dead)(life3d_dead_step, Job), Job job)
{
    return life_dead_axes(call->plan) ? life3d_take_steps(call, launch, dead, job)
                                      : life3d_take_steps(call, launch, torus, job);
}

#endif
