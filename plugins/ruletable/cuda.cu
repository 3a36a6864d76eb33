/* The implementation `cuda`. cuda_kernels.cuh and cuda_settled.cuh explain the kernels. */
#include "cuda_settled.cuh"
#include "ruletable.h"

#include <common/cuda.cuh>

#include <cstring>
#include <vector>

namespace
{

using ruletable::job;

/* Takes a step with the tables in shared memory, which `shared` has room for, or where they are. If it may leave out
 * settled tiles, the other kernel may take it. */
template <bool SHARED, bool DIRECT, typename WORD>
__global__ void __maxnreg__(32)
    by_bands(const __grid_constant__ job job, const __grid_constant__ ruletable::settled_job settled)
{
    extern __shared__ uint4 shared[];
    if (settled.state && ruletable::goes_by_tiles(settled, ruletable::known_before(settled)))
        return;
    if (SHARED) {
        ruletable::copy_tables(job, (uint32_t *) shared);
        __syncthreads();
    }
    ruletable::take_step<DIRECT, WORD>(job, SHARED ? (const uint32_t *) shared : job.tables);
}

/* Takes a step but for the settled tiles. */
template <bool SHARED, bool DIRECT, typename WORD>
__global__ void __maxnreg__(40)
    by_tiles(const __grid_constant__ job job, const __grid_constant__ ruletable::settled_job settled)
{
    extern __shared__ uint4 shared[];
    __shared__ ruletable::settled_list list;
    ruletable::take_settled_step<SHARED, DIRECT, WORD>(job, settled, (uint32_t *) shared, &list);
}

struct kind {
    bool direct, narrow;
    const void *bands[2], *tiles[2]; /* with tables in caches and in shared memory */
};

#define KIND(DIRECT, WORD) \
    {DIRECT, \
     sizeof(WORD) == 4, \
     {(const void *) by_bands<false, DIRECT, WORD>, (const void *) by_bands<true, DIRECT, WORD>}, \
     {(const void *) by_tiles<false, DIRECT, WORD>, (const void *) by_tiles<true, DIRECT, WORD>}},
const kind kinds[] = {RULETABLE_FOR_KINDS(KIND)};
#undef KIND

struct instance {
    job tables;                /* of a launch, without the fields that belong to a call */
    const void *bands, *tiles; /* the kernels */
    uint32_t shared;           /* bytes */
    uint32_t warps;            /* of a block */
    uint64_t resident;         /* blocks of bands that run at the same time */
    unsigned long long *live;
    ruletable::settled_job
        settled;      /* without the fields that belong to a call; its state is NULL if nothing is skipped */
    uint8_t *maps[2]; /* of the states in the two buffers */
    ruletable::settled_state *account; /* host memory */
};

/* The launch of a step: strips of 120 columns, and bands of rows for the warps. */
struct shape {
    uint64_t strips, blocks; /* blocks along y */
    int32_t band;
};

/* Blocks that run at the same time take a turn. With more turns, the last one has fewer idle blocks, but bands are
 * shorter, and each costs the time of some rows. */
shape shape_of(const instance *own, const uint64_t *extent)
{
    const uint64_t least = 16, most = 512, begin = 8, turns = 16;
    const uint64_t strips = engine_divide_up(extent[0], ruletable::STRIP), resident = own->resident;
    shape best = {strips, engine_divide_up(extent[1], most * own->warps), (int32_t) most};
    uint64_t time = UINT64_MAX;
    for (uint64_t turn = 1; turn <= turns; turn++) {
        const uint64_t blocks = turn * resident / strips > 0 ? turn * resident / strips : 1;
        const uint64_t fit = engine_divide_up(extent[1], blocks * own->warps), band = fit < least ? least : fit;
        if (band > most || turn * (band + begin) >= time)
            continue;
        time = turn * (band + begin);
        best = {strips, engine_divide_up(extent[1], band * own->warps), (int32_t) band};
    }
    return best;
}

/* The blocks of the other kernel: a thread for each tile, but a group for each block if these run at the same time. */
unsigned blocks_of_tiles(const instance *own)
{
    const uint64_t tiles = (uint64_t) own->settled.strips * own->settled.lines;
    const uint64_t least = engine_divide_up(tiles, (uint64_t) ruletable::LANES * own->warps);
    const uint64_t most = engine_divide_up(tiles, ruletable::GROUP);
    const uint64_t wanted = most < own->resident ? most : own->resident;
    return (unsigned) (wanted > least ? wanted : least);
}

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

/* Lets a kernel have that much shared memory beside its own. The limit is never lowered, because another instance may
 * use the kernel with larger tables. */
cudaError_t prepare_kernel(const void *kernel, uint32_t shared)
{
    cudaFuncAttributes about;
    ENGINE_CUDA_TRY(cudaFuncGetAttributes(&about, kernel));
    const int most = about.maxDynamicSharedSizeBytes > (int) shared ? about.maxDynamicSharedSizeBytes : (int) shared;
    if (shared + about.sharedSizeBytes > 48 << 10)
        ENGINE_CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    return cudaSuccess;
}

/* Larger tables get larger blocks, which share them. */
cudaError_t find_kernels(instance *own, const kind &kind)
{
    int device, most, multiprocessors, blocks;
    ENGINE_CUDA_TRY(cudaGetDevice(&device));
    ENGINE_CUDA_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    ENGINE_CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    const uint64_t bytes = (uint64_t) own->tables.words * sizeof(uint32_t);
    const bool shared = bytes + sizeof(ruletable::settled_list) <= (uint64_t) most;
    own->bands = kind.bands[shared], own->tiles = kind.tiles[shared];
    own->shared = shared ? (uint32_t) bytes : 0;
    own->warps = own->shared <= 24 << 10 ? 8 : own->shared <= 48 << 10 ? 16 : 32;
    ENGINE_CUDA_TRY(prepare_kernel(own->bands, own->shared));
    ENGINE_CUDA_TRY(prepare_kernel(own->tiles, own->shared));
    ENGINE_CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, own->bands,
                                                                  (int) (ruletable::LANES * own->warps), own->shared));
    own->resident = (uint64_t) multiprocessors * (uint64_t) (blocks > 0 ? blocks : 1);
    return cudaSuccess;
}

/* `auto` skips nothing on smaller grids: there the second launch of a step takes too large a share of its time. */
const uint64_t LEAST_CELLS = UINT64_C(1) << 26;

/* Allocates the state and the maps of settled tiles, if the plan allows to leave out some. */
int open_settled(const engine_call *call, instance *own)
{
    ruletable::settled_job *settled = &own->settled;
    const uint64_t *extent = engine_field_shape(call->plan, RULETABLE_CELLS)->extent;
    const uint64_t strips = engine_divide_up(extent[0], ruletable::STRIP);
    const uint64_t lines = engine_divide_up(extent[1], ruletable::TILE_ROWS), tiles = strips * lines;
    settled->always = strcmp(engine_param_text(call->plan, RULETABLE_SETTLED), "yes") == 0;
    if (!ruletable_may_skip(call->plan) || tiles >> 31 || (!settled->always && extent[0] * extent[1] < LEAST_CELLS))
        return 0;
    settled->strips = (uint32_t) strips, settled->lines = (uint32_t) lines;
    for (int i = 0; i < 2; i++)
        settled->torus[i] = engine_plan_edge(call->plan, i) == ENGINE_EDGE_TORUS;
    const auto take = [call](uint64_t bytes, uint32_t memory) {
        return call->host->scratch(call->host, bytes, memory);
    };
    own->account = (ruletable::settled_state *) take(sizeof *own->account, ENGINE_HOST_MEMORY);
    for (uint8_t *&map : own->maps)
        map = (uint8_t *) take(tiles, ENGINE_CUDA_MEMORY);
    settled->state = (ruletable::settled_state *) take(sizeof *own->account, ENGINE_CUDA_MEMORY);
    if (!own->account || !own->maps[0] || !own->maps[1] || !settled->state)
        return ENGINE_NO_MEMORY;
    ENGINE_CUDA_CHECK(call->host, cudaMemsetAsync(settled->state, 0, sizeof *own->account, engine_cuda_stream(call)));
    return 0;
}

int prepare(const engine_call *call, const tables &tables, instance *own)
{
    const std::vector<uint32_t> words = pack(tables, &own->tables);
    uint32_t *uploaded;
    int status = cuda_upload(call, words.data(), words.size(), &uploaded);
    own->tables.tables = uploaded;
    if (status == 0)
        status = open_settled(call, own);
    if (status != 0)
        return status;
    for (const kind &kind : kinds)
        if (kind.direct == (tables.pair == nullptr) && kind.narrow == tables.narrow)
            ENGINE_CUDA_CHECK(call->host, find_kernels(own, kind));
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

/* What is known of tiles is wrong if the state has changed from outside. */
static cudaError_t forget(const instance *own, const engine_call *call)
{
    const size_t kept = offsetof(ruletable::settled_state, step);
    if (!own->settled.state || !(call->flags & ENGINE_CALL_FRESH))
        return cudaSuccess;
    return cudaMemsetAsync((char *) own->settled.state + kept, 0, sizeof(ruletable::settled_state) - kept,
                           engine_cuda_stream(call));
}

/* Launches one of the kernels. */
static cudaError_t launch(const void *kernel, dim3 blocks, const instance *own, const engine_call *call, job *job,
                          ruletable::settled_job *settled)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = dim3(ruletable::LANES, own->warps);
    config.dynamicSmemBytes = own->shared;
    config.stream = engine_cuda_stream(call);
    void *arguments[] = {job, settled};
    return cudaLaunchKernelExC(&config, kernel, arguments);
}

int ruletable_cuda_advance(void *self, engine_call *call)
{
    const instance *own = (const instance *) self;
    const engine_buffer *cells = engine_field_buffer(call, RULETABLE_CELLS);
    const uint64_t *extent = cells->shape->extent;
    const shape shape = shape_of(own, extent);
    if (shape.strips > ENGINE_CUDA_BLOCKS_X || shape.blocks > ENGINE_CUDA_BLOCKS_YZ)
        return ENGINE_FAIL(call->host, ENGINE_UNSUPPORTED,
                           "the grid is too large for a GPU; choose a smaller one, or cpu");
    ENGINE_CUDA_CHECK(call->host, forget(own, call));
    job job = own->tables;
    job.from = (const uint8_t *) cells->origin[call->current];
    job.to = (uint8_t *) cells->origin[call->result];
    job.pitch = cells->row_stride;
    job.width = (int64_t) extent[0], job.height = (int64_t) extent[1], job.band = shape.band;
    ruletable::settled_job settled = own->settled;
    settled.before = own->maps[call->current], settled.after = own->maps[call->result], settled.from = call->current;
    if (!settled.state || !settled.always)
        ENGINE_CUDA_CHECK(call->host, launch(own->bands, dim3((unsigned) shape.strips, (unsigned) shape.blocks), own,
                                             call, &job, &settled));
    if (settled.state)
        ENGINE_CUDA_CHECK(call->host, launch(own->tiles, dim3(blocks_of_tiles(own)), own, call, &job, &settled));
    return 0;
}

/* Notes the share of the tiles that were skipped. */
static int note_settled(const instance *own, const engine_call *call)
{
    const cudaStream_t stream = engine_cuda_stream(call);
    if (!own->settled.state)
        return 0;
    ENGINE_CUDA_CHECK(call->host, cudaMemcpyAsync(own->account, own->settled.state, sizeof *own->account,
                                                  cudaMemcpyDeviceToHost, stream));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
    const unsigned long long taken = own->account->taken, skipped = taken - own->account->computed;
    if (skipped > 0)
        call->host->note(call->host, "settled", "%.3f %% of the work was skipped",
                         100.0 * (double) skipped / (double) taken);
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
    return note_settled(own, call);
}
