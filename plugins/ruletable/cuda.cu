/* The implementation `cuda`. cuda_kernels.cuh explains the kernel. */
#include "cuda_kernels.cuh"
#include "ruletable.h"

#include <common/cuda.cuh>

#include <cstring>
#include <vector>

namespace
{

using ruletable::job;

/* Takes a step with the tables in shared memory, which `shared` has room for, or where they are. */
template <bool DIRECT, typename WORD>
__global__ void __launch_bounds__(1024) from_shared(const __grid_constant__ job job)
{
    extern __shared__ uint4 shared[];
    uint32_t *tables = (uint32_t *) shared;
    for (uint32_t i = threadIdx.y * ruletable::LANES + threadIdx.x; i < job.words; i += ruletable::LANES * blockDim.y)
        tables[i] = job.tables[i];
    __syncthreads();
    ruletable::take_step<DIRECT, WORD>(job, tables);
}

template <bool DIRECT, typename WORD>
__global__ void __launch_bounds__(1024) from_caches(const __grid_constant__ job job)
{
    ruletable::take_step<DIRECT, WORD>(job, job.tables);
}

struct kind {
    bool direct, narrow;
    const void *shared, *caches;
};

#define KIND(DIRECT, WORD) \
    {DIRECT, sizeof(WORD) == 4, (const void *) from_shared<DIRECT, WORD>, (const void *) from_caches<DIRECT, WORD>},
const kind kinds[] = {RULETABLE_FOR_KINDS(KIND)};
#undef KIND

struct instance {
    job tables; /* of a launch, without the fields that belong to a call */
    const void *kernel;
    uint32_t shared;  /* bytes */
    uint32_t warps;   /* of a block */
    int64_t resident; /* warps that run at the same time */
    unsigned long long *live;
};

/* Writes the tables one after the other, each at a multiple of 16 bytes, and their offsets into `job`. */
std::vector<uint32_t> pack(const tables &tables, job *job)
{
    std::vector<uint32_t> words;
    const auto put = [&words](const void *from, uint64_t bytes) {
        const size_t at = words.size();
        words.resize(at + (size_t) engine_divide_up(bytes, 16) * 4);
        if (bytes > 0)
            memcpy(&words[at], from, (size_t) bytes);
        return (uint32_t) at;
    };
    std::vector<uint32_t> narrow(tables.column, tables.column + (tables.narrow ? tables.columns : 0));
    *job = {};
    put(tables.pair, tables.pairs * sizeof *tables.pair);
    job->column_at = tables.narrow ? put(narrow.data(), narrow.size() * sizeof narrow[0])
                                   : put(tables.column, tables.columns * sizeof *tables.column);
    job->join_at = put(tables.join, tables.joins * sizeof *tables.join);
    job->next_at = put(tables.next, tables.nexts);
    job->words = (uint32_t) words.size();
    job->states = tables.states, job->bits = tables.bits;
    job->middle_at = tables.middle_at, job->right_at = tables.right_at;
    return words;
}

/* Larger tables get larger blocks, which share them. */
cudaError_t find_kernel(instance *own, const kind &kind)
{
    int device, most, multiprocessors, blocks;
    ENGINE_CUDA_TRY(cudaGetDevice(&device));
    ENGINE_CUDA_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    ENGINE_CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    const uint64_t bytes = (uint64_t) own->tables.words * sizeof(uint32_t);
    own->kernel = bytes <= (uint64_t) most ? kind.shared : kind.caches;
    own->shared = bytes <= (uint64_t) most ? (uint32_t) bytes : 0;
    own->warps = own->shared <= 24 << 10 ? 8 : own->shared <= 48 << 10 ? 16 : 32;
    if (own->shared > 48 << 10)
        ENGINE_CUDA_TRY(
            cudaFuncSetAttribute(own->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) own->shared));
    ENGINE_CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, own->kernel,
                                                                  (int) (ruletable::LANES * own->warps), own->shared));
    own->resident = (int64_t) multiprocessors * (blocks > 0 ? blocks : 1) * own->warps;
    return cudaSuccess;
}

int prepare(const engine_call *call, const tables &tables, instance *own)
{
    const std::vector<uint32_t> words = pack(tables, &own->tables);
    uint32_t *uploaded;
    const int status = cuda_upload(call, words.data(), words.size(), &uploaded);
    own->tables.tables = uploaded;
    if (status != 0)
        return status;
    for (const kind &kind : kinds)
        if (kind.direct == (tables.pair == nullptr) && kind.narrow == tables.narrow)
            ENGINE_CUDA_CHECK(call->host, find_kernel(own, kind));
    call->host->note(call->host, "tables", "%u bytes in %s", own->tables.words * 4,
                     own->shared ? "shared memory" : "caches");
    return 0;
}

/* Counts the cells that are not 0 in rows [first, first + rows). A block takes every gridDim.x-th row. */
__global__ void count(engine_cuda_view<const uint8_t> cells, int64_t first, int64_t rows, unsigned long long *live)
{
    unsigned long long found = 0;
    for (int64_t y = blockIdx.x; y < rows; y += gridDim.x)
        for (int64_t x = threadIdx.x; x < cells.width; x += blockDim.x)
            found += cells.at(x, first + y) != 0;
    for (int lanes = 16; lanes > 0; lanes /= 2)
        found += __shfl_down_sync(~0u, found, lanes);
    if (threadIdx.x % 32 == 0 && found)
        atomicAdd(live, found);
}

} // namespace

int ruletable_cuda_create(const engine_call *call, void **self)
{
    tables tables;
    instance *own = (instance *) call->host->scratch(call->host, sizeof *own, ENGINE_HOST_MEMORY);
    if (!own)
        return ENGINE_NO_MEMORY;
    *own = {};
    own->live = (unsigned long long *) call->host->scratch(call->host, sizeof *own->live, ENGINE_CUDA_MEMORY);
    if (!own->live)
        return ENGINE_NO_MEMORY;
    int status = ruletable_load_tables(call->host, call->plan, &tables);
    if (status == 0)
        status = prepare(call, tables, own);
    tables_free(&tables);
    *self = own;
    return status;
}

/* All warps run at the same time if bands then have at least 16 rows. */
int ruletable_cuda_advance(void *self, engine_call *call)
{
    const instance *own = (const instance *) self;
    const engine_buffer *cells = engine_field_buffer(call, RULETABLE_CELLS);
    const uint64_t width = cells->shape->extent[0], height = cells->shape->extent[1], least = 16, most = 512;
    const uint64_t strips = engine_divide_up(width, ruletable::STRIP);
    uint64_t band = engine_divide_up(height * strips, (uint64_t) own->resident);
    band = band < least ? least : band > most ? most : band;
    const uint64_t rows = engine_divide_up(engine_divide_up(height, band), own->warps);
    if (strips > ENGINE_CUDA_BLOCKS_X || rows > ENGINE_CUDA_BLOCKS_YZ)
        return ENGINE_FAIL(call->host, ENGINE_UNSUPPORTED, "the grid is too large for one launch");
    job job = own->tables;
    job.from = (const uint8_t *) cells->origin[call->current];
    job.to = (uint8_t *) cells->origin[call->result];
    job.pitch = cells->row_stride;
    job.width = (int64_t) width, job.height = (int64_t) height, job.band = (int32_t) band;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned) strips, (unsigned) rows);
    config.blockDim = dim3(ruletable::LANES, own->warps);
    config.dynamicSmemBytes = own->shared;
    config.stream = engine_cuda_stream(call);
    void *arguments[] = {&job};
    ENGINE_CUDA_CHECK(call->host, cudaLaunchKernelExC(&config, own->kernel, arguments));
    return 0;
}

int ruletable_cuda_measure(void *self, const engine_call *call, double *values)
{
    const instance *own = (const instance *) self;
    const cudaStream_t stream = engine_cuda_stream(call);
    const int64_t first = (int64_t) call->begin[1], rows = (int64_t) call->end[1] - first;
    unsigned long long found;
    ENGINE_CUDA_CHECK(call->host, cudaMemsetAsync(own->live, 0, sizeof found, stream));
    count<<<engine_cuda_blocks((uint64_t) rows, 1, 4096), 256, 0, stream>>>(
        engine_cuda_field<const uint8_t>(call, RULETABLE_CELLS, call->current), first, rows, own->live);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, count);
    ENGINE_CUDA_CHECK(call->host, cudaMemcpyAsync(&found, own->live, sizeof found, cudaMemcpyDeviceToHost, stream));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
    values[RULETABLE_LIVE] += (double) found;
    return 0;
}
