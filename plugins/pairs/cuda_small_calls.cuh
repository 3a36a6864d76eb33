/* Which systems cuda_small.cuh and cuda_middle.cuh take, and their launches. */
#ifndef PAIRS_CUDA_SMALL_CALLS_CUH
#define PAIRS_CUDA_SMALL_CALLS_CUH

#include "cuda_middle.cuh"

#include <common/cuda.cuh>

/* Steps of a launch, at most. Afterwards, particles may be far from where they were sorted. */
constexpr uint64_t SMALL_STEPS = 1000;

/* Particles of a system that is alone, at most, for a cluster: docs/lab/pairs.md. */
constexpr uint64_t SMALL_ALONE = 640;

/* The launches of an instance. */
struct small_launches {
    small_job job;
    uint32_t lanes;    /* LANES of the kernel; 0: the instance takes its steps in another way */
    uint32_t clusters; /* of a launch */
    size_t bytes;      /* shared memory of a block */
    bool differ;       /* systems have rules and boxes of their own */
    bool middle;       /* the kernel is middle_steps, with job.blocks blocks and no clusters */
    middle_world world;
    unsigned long long *lost_here;
};

/* Calls work(kernel) with the kernel for a rule. */
template <class Rule, class Work> cudaError_t small_with_kernel(const small_launches &launches, const Work &work)
{
    if (launches.differ)
        return launches.lanes == 4 ? work(small_steps<4, true, Rule>) : work(small_steps<8, true, Rule>);
    return launches.lanes == 4 ? work(small_steps<4, false, Rule>) : work(small_steps<8, false, Rule>);
}

inline cudaLaunchConfig_t small_config(const small_launches &launches, cudaLaunchAttribute *cluster,
                                       cudaStream_t stream)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(launches.clusters * launches.job.blocks);
    config.blockDim = dim3(SMALL_THREADS);
    config.dynamicSmemBytes = launches.bytes;
    config.stream = stream;
    cluster->id = cudaLaunchAttributeClusterDimension;
    cluster->val.clusterDim.x = launches.job.blocks;
    cluster->val.clusterDim.y = cluster->val.clusterDim.z = 1;
    config.attrs = cluster;
    config.numAttrs = launches.job.blocks > 1 ? 1 : 0;
    return config;
}

/* Divides systems among clusters of `blocks` blocks. Sets how many clusters the device can run at the same time, which
 * may be none. */
template <class Rule> cudaError_t small_try(small_launches *out, uint32_t blocks)
{
    small_job &job = out->job;
    small_memory memory;
    int device, most, clusters = 0, processors;
    job.blocks = blocks;
    job.each = (uint32_t) engine_divide_up(job.space.count, blocks);
    out->bytes = small_divide(nullptr, job.space.count, job.each, &memory);
    if (out->differ)
        out->bytes = (size_t) (small_own<Rule>(nullptr, out->bytes) + 1);
    out->clusters = 0;
    ENGINE_CUDA_TRY(cudaGetDevice(&device));
    ENGINE_CUDA_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    ENGINE_CUDA_TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    if (out->bytes > (size_t) most)
        return cudaSuccess;
    return small_with_kernel<Rule>(*out, [&](auto kernel) {
        /* The attribute is that of all instances, whose launches need different sizes. */
        ENGINE_CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
        if (blocks == 1) {
            ENGINE_CUDA_TRY(
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&clusters, kernel, SMALL_THREADS, out->bytes));
            clusters *= processors;
        } else {
            cudaLaunchAttribute cluster;
            out->clusters = 1;
            const cudaLaunchConfig_t config = small_config(*out, &cluster, nullptr);
            if (blocks > 8)
                ENGINE_CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
            ENGINE_CUDA_TRY(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config));
        }
        out->clusters = (uint32_t) clusters < job.systems ? (uint32_t) clusters : job.systems;
        return cudaSuccess;
    });
}

/* About how long a step of all systems takes. A cluster of twice as many blocks takes a little more than half as long,
 * and two blocks of a multiprocessor take 1.7 times as long as one: docs/lab/pairs.md. */
inline double small_cost(const small_launches &launches, uint32_t processors)
{
    const small_job &job = launches.job;
    const double rounds = (double) engine_divide_up(job.systems, launches.clusters);
    return rounds * (1.0 / job.blocks + 0.03) * (launches.clusters * job.blocks > processors ? 1.7 : 1);
}

/* Chooses lanes and the size of a cluster, of up to 16 blocks of 32 particles and more. lanes = 0: no cluster is large
 * enough. */
template <class Rule> cudaError_t small_choose(small_launches *out)
{
    small_launches launches = *out;
    double least = INFINITY;
    int device, clusters, processors;
    ENGINE_CUDA_TRY(cudaGetDevice(&device));
    ENGINE_CUDA_TRY(cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device));
    ENGINE_CUDA_TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    const uint32_t most = clusters ? SMALL_CLUSTER : 1, count = launches.job.space.count;
    for (uint32_t blocks = 1; blocks <= most && (blocks == 1 || 32 * blocks <= count); blocks *= 2) {
        launches.lanes = blocks == 1 || count / blocks >= 128 ? 4 : 8;
        ENGINE_CUDA_TRY(small_try<Rule>(&launches, blocks));
        if (launches.clusters == 0 || small_cost(launches, (uint32_t) processors) >= least)
            continue;
        least = small_cost(launches, (uint32_t) processors);
        *out = launches;
    }
    return cudaSuccess;
}

template <class Rule> cudaError_t small_launch(const small_launches &launches, const Rule &rule, cudaStream_t stream)
{
    cudaLaunchAttribute cluster;
    const cudaLaunchConfig_t config = small_config(launches, &cluster, stream);
    return small_with_kernel<Rule>(
        launches, [&](auto kernel) { return cudaLaunchKernelEx(&config, kernel, rule, launches.job); });
}

/* ---- Systems of middle size --------------------------------------------------------------------------------------- */

/* About how many tiles a block sees: those that meet the lists of a cube of particles. */
inline double middle_sees(const small_job &job)
{
    const double *const edge = job.space.edge;
    const double particle = edge[0] * edge[1] * edge[2] / job.space.count;
    const double side = cbrt(job.each * particle) + 2 * sqrt(job.space.list2) + 1.5 * cbrt(32 * particle);
    return fmin(side * side * side / (32 * particle), small_tiles(job.space.count));
}

/* Particles of a block, at most: with more of them, the kernels of large systems are faster (docs/lab/pairs.md). */
template <class Rule> constexpr uint32_t MIDDLE_EACH = Rule::one && !Rule::langevin ? 256 : 128;

/* Divides a system among all multiprocessors. lanes = 0: it is too large. */
template <class Rule> cudaError_t middle_choose(small_launches *out)
{
    small_job &job = out->job;
    small_memory memory;
    middle_memory more;
    const uint32_t tiles = small_tiles(job.space.count);
    int device, most, processors;
    ENGINE_CUDA_TRY(cudaGetDevice(&device));
    ENGINE_CUDA_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    ENGINE_CUDA_TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    most -= 64; /* for the variables of the kernel */
    job.each = 32 * (uint32_t) engine_divide_up(tiles, (uint64_t) processors);
    job.blocks = (uint32_t) engine_divide_up(job.space.count, job.each);
    out->middle = true;
    for (out->world.most = tiles; out->world.most > 0; out->world.most--) {
        out->bytes = middle_divide(nullptr, job, out->world.most, &memory, &more);
        if (out->bytes <= (size_t) most)
            break;
    }
    const bool fits = out->world.most >= middle_sees(job) && job.each <= MIDDLE_EACH<Rule>;
    out->lanes = fits ? MIDDLE_LANES : 0;
    return fits ? cudaFuncSetAttribute(middle_steps<Rule>, cudaFuncAttributeMaxDynamicSharedMemorySize, most)
                : cudaSuccess;
}

inline int middle_allocate(const engine_call *call, small_launches *out)
{
    const engine_host *host = call->host;
    middle_world &world = out->world;
    const uint64_t tiles = small_tiles(out->job.space.count), bytes = 2 * 32 * tiles * sizeof *world.places;
    world.places = (small_seen *) host->scratch(host, bytes, ENGINE_CUDA_MEMORY);
    world.id = (uint32_t *) host->scratch(host, (32 + 3 + 3) * tiles * sizeof *world.id, ENGINE_CUDA_MEMORY);
    world.arrived = (uint32_t *) host->scratch(host, 4 * sizeof *world.arrived, ENGINE_CUDA_MEMORY);
    if (!world.places || !world.id || !world.arrived)
        return ENGINE_NO_MEMORY;
    world.low = world.id + 32 * tiles;
    world.length = world.low + 3 * tiles;
    ENGINE_CUDA_CHECK(host, cudaMemsetAsync(world.places, 0, bytes, engine_cuda_stream(call)));
    return 0;
}

/* All blocks run at the same time, because they wait for each other. */
template <class Rule> cudaError_t middle_launch(const small_launches &launches, const Rule &rule, cudaStream_t stream)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute together;
    config.gridDim = dim3(launches.job.blocks);
    config.blockDim = dim3(MIDDLE_THREADS);
    config.dynamicSmemBytes = launches.bytes;
    config.stream = stream;
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    config.attrs = &together;
    config.numAttrs = 1;
    ENGINE_CUDA_TRY(cudaMemsetAsync(launches.world.arrived, 0, 4 * sizeof *launches.world.arrived, stream));
    return cudaLaunchKernelEx(&config, middle_steps<Rule>, rule, launches.job, launches.world);
}

/* ---- Systems of both sizes ---------------------------------------------------------------------------------------- */

/* Sets where the fields of all systems are. */
inline void small_bind(small_job *job, const engine_call *call)
{
    job->fields = engine_neighbours_fields_of(call, call->current);
    for (uint32_t field = 0; field < 5; field++)
        job->apart[field] = (uint64_t) engine_field_buffer(call, field)->row_stride;
}

/* Prepares the launches, if the systems, which have no bonds, are small enough. `room` is that of engine_space_set. All
 * of *out is 0 but the numbers of particles and systems, and whether systems differ. */
template <class Rule>
int small_prepare(const engine_call *call, const Rule &rule, const double *box, uint32_t room, small_launches *out)
{
    const engine_host *host = call->host;
    small_job &job = out->job;
    if (job.space.count > SMALL_MOST || call->plan->part.count > 1)
        return 0;
    const int status = engine_space_set(&job.space, host, box, rule.reach, rule.skin, room);
    if (status != 0)
        return status;
    job.room = (uint32_t) engine_divide_up(job.space.room, 32) * 32;
    if (job.systems > 1 || job.space.count <= SMALL_ALONE)
        ENGINE_CUDA_CHECK(host, small_choose<Rule>(out));
    else
        ENGINE_CUDA_CHECK(host, middle_choose<Rule>(out));
    if (out->lanes == 0)
        return 0;
    job.lost = (unsigned long long *) host->scratch(host, job.systems * sizeof *job.lost, ENGINE_CUDA_MEMORY);
    out->lost_here = (unsigned long long *) host->scratch(host, job.systems * sizeof *job.lost, ENGINE_HOST_MEMORY);
    if (!job.lost || !out->lost_here)
        return ENGINE_NO_MEMORY;
    if (out->middle)
        return middle_allocate(call, out);
    const uint64_t lists = (uint64_t) out->clusters * job.blocks * job.each;
    job.lists = (small_entries *) host->scratch(host, lists * job.room * sizeof(uint16_t), ENGINE_CUDA_MEMORY);
    return job.lists ? 0 : ENGINE_NO_MEMORY;
}

/* Takes the steps of a call, as engine_neighbours::advance does. *system: of the lost particle. */
template <class Rule>
int small_advance(small_launches *launches, const engine_call *call, const Rule &rule, uint64_t *system, uint64_t *lost,
                  uint64_t *step)
{
    small_job &job = launches->job;
    const cudaStream_t stream = engine_cuda_stream(call);
    const size_t bytes = job.systems * sizeof *job.lost;
    *lost = UINT64_MAX;
    job.first_step = call->first_step;
    ENGINE_CUDA_CHECK(call->host, cudaMemsetAsync(job.lost, 0xff, bytes, stream));
    for (uint64_t taken = 0; taken < call->steps && *lost == UINT64_MAX; taken += job.steps) {
        job.taken = (uint32_t) taken;
        job.steps = (uint32_t) (call->steps - taken < SMALL_STEPS ? call->steps - taken : SMALL_STEPS);
        const cudaError_t error =
            launches->middle ? middle_launch(*launches, rule, stream) : small_launch(*launches, rule, stream);
        if (error != cudaSuccess)
            return ENGINE_CUDA_FAIL(call->host, -ENGINE_DEVICE, error,
                                    launches->middle ? "launch of middle_steps" : "launch of small_steps");
        /* A copy to pageable memory that waits for a kernel keeps other threads from launching theirs. */
        ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
        ENGINE_CUDA_CHECK(call->host,
                          cudaMemcpyAsync(launches->lost_here, job.lost, bytes, cudaMemcpyDeviceToHost, stream));
        ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
        for (uint32_t s = 0; s < job.systems; s++)
            if (launches->lost_here[s] < *lost) {
                *lost = launches->lost_here[s];
                *system = s;
            }
    }
    *step = call->first_step + (*lost >> 32);
    *lost = *lost == UINT64_MAX ? *lost : *lost & UINT32_MAX;
    return 0;
}

#endif
