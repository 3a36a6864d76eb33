/* cuda: all pairs that may be in range, in one launch. What it adds to cuda-shared:
 *
 *   tiles            A warp takes 256 particles i, eight a lane in registers, and 16 to 256 particles j, which pass
 *                    through shared memory (cuda_pair_loop.h).
 *   no root          No correctly rounded root, no division, and no conflict between the lanes of a warp for a counter
 *                    (cuda_bin.h, cuda_pair_loop.h).
 *   queue            A warp that has finished takes the next item of work. Items differ: those of a tile with itself
 *                    take longer, so with fixed shares many warps would be idle at the end.
 *   sorted tiles     Particles are sorted so that tiles are compact (cuda_grid.h). Pairs of tiles that are out of range
 *                    are left out (cuda_tile_list.h): with a short r_max the time grows with the number of particles.
 *   fewer images     For the other tiles, interval arithmetic tells for each particle j whether any i is in range, and
 *                    along which axes another image may be nearer (cuda_bounds.h). The particles j are sorted by these
 *                    axes, and each group runs through a pair loop that searches along no other.
 *
 * Sorting pays in a periodic box, and in open space with many particles: docs/lab/rdf.md has the rates. */
#include "cuda_pair_loop.h"
#include "cuda_tile_list.h"
#include "cuda_tiles.h"

constexpr uint32_t WARPS = 8, BLOCKS = 3 /* a multiprocessor */, THREADS = 32 * WARPS;

/* Pairs of tiles that a warp may take: then no 32-bit counter of its block overflows. */
constexpr uint32_t PAIRS_MAX = UINT32_MAX / (WARPS * RDF_TILE * RDF_TILE);

/* A pair of tiles is up to 2^SPLIT_MAX items of work. If pairs are split, the first LARGE sixteenths have half as many
 * items: items have a cost of their own, and at the end small ones let all warps end at the same time. */
constexpr uint32_t SPLIT_MAX = 4, LARGE = 14;
static_assert(PAIRS_MAX <= UINT32_MAX >> SPLIT_MAX, "a warp's number of items must fit into 32 bits");

/* Particles j that an iteration of the loop for whole tiles in open space takes: divides 32. Without sorting, there are
 * few particles and small items, and sixteen are slower than eight. */
template <bool SORTED> constexpr uint32_t TOGETHER = SORTED ? 16 : 8;

/* ---- Sorting particles j by axes --------------------------------------------------------------------------------- */

/* The class of a particle j: the axes along which it and a particle of the tile may have a nearer image (RDF_X | RDF_Y
 * | RDF_Z), or OUT_OF_RANGE of the whole tile. An item has one class for all its particles j, or PER_PARTICLE. */
constexpr uint32_t OUT_OF_RANGE = RDF_ALL_AXES + 1, PER_PARTICLE = RDF_ALL_AXES + 2;

/* Particles j that are sorted at a time. */
constexpr uint32_t WINDOW = RDF_TILE;

/* A warp's shared memory: registers are for pairs. */
struct rdf_workspace {
    float4 staged[32];               /* particles j of the pair loop, x and y swapped */
    uint8_t order[WINDOW];           /* numbers in the window of the particles j in range, sorted by class */
    const float4 *i_group, *j_group; /* particles of the two groups */
    const rdf_bounds *bounds;        /* of the tile of particles i */
    uint32_t axes;                   /* class of all particles j, or PER_PARTICLE */
    rdf_item item;
    uint32_t items, large, split; /* of the whole launch: items, 2^split of them to a pair of tiles. The first `large`
                                     are twice as large as the others */
};

/* The class of one particle by the bounds of the tile. */
template <uint32_t FORM> static __device__ uint32_t classify(const rdf_view &view, const rdf_bounds &tile, float4 other)
{
    rdf_box box = view.box;
    box.form = FORM;
    const float low[3] = {tile.low[0] - other.x, tile.low[1] - other.y, tile.low[2] - other.z};
    const float high[3] = {tile.high[0] - other.x, tile.high[1] - other.y, tile.high[2] - other.z};
    const rdf_range range = rdf_range_of(&box, low, high);
    return range.nearest < view.bins.end ? range.axes : OUT_OF_RANGE;
}

/* Particle j, with w = the number of particles i of the tile that it is paired with: on the diagonal those before
 * it. */
static __device__ float4 fetch(const rdf_workspace &space, uint32_t j)
{
    const rdf_item &item = space.item;
    float4 other = space.j_group[min(j, item.j_end - 1)];
    const uint32_t end = item.diagonal ? min(item.i_end, j) : item.i_end;
    other.w = __uint_as_float(end > item.i ? end - item.i : 0);
    return other;
}

/* The class of particle j; a class that has no loop of its own becomes RDF_ALL_AXES. */
template <uint32_t FORM, bool PARTIAL>
static __device__ uint32_t class_of(const rdf_view &view, const rdf_workspace &space, uint32_t j)
{
    if (j >= space.item.j_end)
        return OUT_OF_RANGE;
    const uint32_t axes =
        space.axes == PER_PARTICLE ? classify<FORM>(view, *space.bounds, space.j_group[j]) : space.axes;
    return axes == OUT_OF_RANGE || has_loop<FORM, PARTIAL>(axes) ? axes : RDF_ALL_AXES;
}

/* The classes of the lane's particles j, every 32nd of the window: 4 bits each. */
template <uint32_t FORM, bool PARTIAL>
static __device__ uint32_t classify_window(const rdf_view &view, const rdf_workspace &space, uint32_t window,
                                           uint32_t chunks)
{
    uint32_t classes = 0;
#pragma unroll 2
    for (uint32_t c = 0; c < chunks; c++)
        classes |= class_of<FORM, PARTIAL>(view, space, window + 32 * c + threadIdx.x % 32) << 4 * c;
    return classes;
}

/* Sorts the particles j of a window by class, into space.order. A ballot for each class and chunk of 32 tells each lane
 * how many members are before its own. Returns in lane a where class a ends; it begins where the class before ends.
 *
 *     number in window    0  1  2  3  4  5  6 ...          `-`: out of range
 *     class               7  -  0  1  0  7  - ...
 *     order               2  4  3  0  5                    class 0 ends at 2, class 1 at 3, class 7 at 5 */
template <uint32_t FORM, bool PARTIAL>
static __device__ uint32_t sort_window(const rdf_view &view, rdf_workspace &space, uint32_t window)
{
    const uint32_t chunks = (min(space.item.j_end - window, WINDOW) + 31) / 32, lane = threadIdx.x % 32;
    const uint32_t classes = classify_window<FORM, PARTIAL>(view, space, window, chunks), before = (1u << lane) - 1;
    uint32_t begin = 0, ends = 0;
    __syncwarp();
#pragma unroll 1
    for (uint32_t axes = 0; axes < OUT_OF_RANGE; axes++) {
#pragma unroll 2
        for (uint32_t c = 0; has_loop<FORM, PARTIAL>(axes) && c < chunks; c++) {
            const bool member = (classes >> 4 * c) % 16 == axes;
            const uint32_t members = __ballot_sync(~0u, member);
            if (member)
                space.order[begin + __popc(members & before)] = (uint8_t) (32 * c + lane);
            begin += __popc(members);
        }
        ends = lane == axes ? begin : ends;
    }
    return ends;
}

/* ---- Counting an item -------------------------------------------------------------------------------------------- */

/* Counts the tile with `count` staged particles j of one class, `axes`. */
template <uint32_t FORM, bool PARTIAL>
static __device__ void count_staged(const rdf_view &view, const rdf_tiles &tiles, const rdf_counter &counter,
                                    const float4 (&own)[PER_LANE], const rdf_workspace &space, uint32_t axes,
                                    uint32_t count)
{
    constexpr uint32_t most = FORM == RDF_OPEN ? 0 : RDF_ALL_AXES;
    const uint32_t uncertain =
        dispatch_axes<FORM, PARTIAL, most>(axes, view.box, tiles, counter, own, space.staged, count);
    correct_uncertain<FORM>(view.box, tiles, counter, space.i_group + space.item.i, space.staged, count, uncertain);
}

/* Counts the tile with the particles j of a window that are in range, class after class. */
template <uint32_t FORM, bool PARTIAL>
static __device__ void count_window(const rdf_view &view, const rdf_tiles &tiles, const rdf_counter &counter,
                                    const float4 (&own)[PER_LANE], rdf_workspace &space, uint32_t window)
{
    const uint32_t lane = threadIdx.x % 32, ends = sort_window<FORM, PARTIAL>(view, space, window);
    uint32_t at = 0;
#pragma unroll 1
    for (uint32_t axes = 0; axes < OUT_OF_RANGE; axes++) {
        const uint32_t end = __shfl_sync(~0u, ends, axes);
#pragma unroll 1
        for (; at < end; at += min(end - at, 32u)) {
            __syncwarp();
            if (lane < end - at)
                space.staged[lane] = swap_xy(fetch(space, window + space.order[at + lane]));
            __syncwarp();
            count_staged<FORM, PARTIAL>(view, tiles, counter, own, space, axes, min(end - at, 32u));
        }
    }
}

/* Counts the tile with all particles j of the item, and searches for images along all axes. */
template <uint32_t FORM, bool SORTED, bool PARTIAL>
static __device__ void count_unsorted(const rdf_view &view, const rdf_tiles &tiles, const rdf_counter &counter,
                                      const float4 (&own)[PER_LANE], rdf_workspace &space)
{
    constexpr uint32_t MANY = FORM == RDF_OPEN && !PARTIAL ? TOGETHER<SORTED> : 1;
    const uint32_t lane = threadIdx.x % 32;
    for (uint32_t j = space.item.j; j < space.item.j_end; j += 32) {
        const uint32_t left = min(space.item.j_end - j, 32u), count = (left + MANY - 1) / MANY * MANY;
        __syncwarp();
        space.staged[lane] = lane < left ? swap_xy(fetch(space, j + lane)) : no_particle();
        __syncwarp();
        const uint32_t uncertain =
            count_along<FORM, RDF_ALL_AXES, PARTIAL, MANY>(view.box, tiles, counter, own, space.staged, count);
        correct_uncertain<FORM>(view.box, tiles, counter, space.i_group + space.item.i, space.staged, count, uncertain);
    }
}

/* One item by one warp. */
template <uint32_t FORM, bool SORTED, bool PARTIAL>
static __device__ void count_item(const rdf_view &view, const rdf_tiles &tiles, const rdf_counter &counter,
                                  rdf_workspace &space)
{
    const uint32_t i = space.item.i + threadIdx.x % 32;
    float4 own[PER_LANE];
#pragma unroll
    for (uint32_t r = 0; r < PER_LANE; r++)
        own[r] = space.i_group[PARTIAL ? min(i + 32 * r, space.item.i_end - 1) : i + 32 * r];
    /* in open space a pair of tiles that is wholly in range needs no classes */
    const bool whole = !SORTED || (FORM == RDF_OPEN && space.axes != PER_PARTICLE);
    if (whole)
        return count_unsorted<FORM, SORTED, PARTIAL>(view, tiles, counter, own, space);
    if constexpr (SORTED)
        for (uint32_t j = space.item.j; j < space.item.j_end; j += WINDOW)
            count_window<FORM, PARTIAL>(view, tiles, counter, own, space, j);
}

/* ---- The queue of items ------------------------------------------------------------------------------------------ */

/* In lane 0 the number of an item that no other warp has. Items on the diagonal take longer, and come first. */
static __device__ uint32_t take_item(const rdf_tiles &tiles)
{
    return threadIdx.x % 32 == 0 ? atomicAdd(&tiles.queue->taken, 1) : 0;
}

/* The log2 of the items of a pair of tiles. Every warp gets many items, larger ones where particles j are sorted. */
template <bool SORTED> static __device__ uint32_t choose_split(uint32_t pairs)
{
    uint32_t split = 0;
    while (split < SPLIT_MAX && pairs << split < (SORTED ? 32 : 64) * WARPS * gridDim.x)
        split++;
    return split;
}

/* Fills the workspace for an item. 0: the item is empty. */
static __device__ int load_item(const rdf_view &view, const rdf_tiles &tiles, uint32_t number, rdf_workspace &space)
{
    constexpr uint32_t TILES = 1 << RDF_TILE_BITS;
    static const uint32_t axes[] = {PER_PARTICLE, 0, RDF_ALL_AXES}; /* by RDF_TEST_EACH … */
    const bool large = number < space.large;
    const uint32_t split = space.split - large, at = large ? number : number + space.large;
    const uint32_t entry = tiles.list[at >> split], same = tiles.row.a == tiles.row.b;
    const uint32_t begin = rdf_begin_of(view, tiles.row.a), t = entry % TILES, u = (entry >> RDF_TILE_BITS) % TILES;
    const rdf_tile_pair pair = {t, u, same && t == u};
    rdf_item item;
    if (!rdf_find_item(&pair, rdf_size_of(view, tiles.row.a), rdf_size_of(view, tiles.row.b), RDF_TILE >> split,
                       at % (1u << split), &item))
        return 0;
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        space.item = item;
        space.i_group = view.wrapped + begin;
        space.j_group = view.wrapped + rdf_begin_of(view, tiles.row.b);
        space.bounds = view.bounds + rdf_tiles_begin(tiles.row.a, begin) + t;
        space.axes = axes[entry >> 2 * RDF_TILE_BITS];
    }
    __syncwarp();
    return 1;
}

template <uint32_t FORM, bool SORTED>
static __device__ void count_items(const rdf_view &view, const rdf_tiles &tiles, const uint32_t *histogram,
                                   rdf_workspace &space)
{
    const rdf_counter counter = counter_of(tiles, histogram);
    const uint32_t pairs = tiles.queue->listed, split = choose_split<SORTED>(pairs);
    if (threadIdx.x % 32 == 0) {
        space.split = split;
        space.large = split > 0 ? pairs * LARGE / 16 << (split - 1) : 0;
        space.items = (pairs << split) - space.large;
    }
    __syncwarp();
    uint32_t number = __shfl_sync(~0u, take_item(tiles), 0);
    for (uint32_t left = PAIRS_MAX << split; number < space.items; left--) {
        const uint32_t next = left > 1 ? take_item(tiles) : UINT32_MAX; /* arrives while this item is counted */
        if (load_item(view, tiles, number, space)) {
            if (space.item.partial)
                count_item<FORM, SORTED, true>(view, tiles, counter, space);
            else
                count_item<FORM, SORTED, false>(view, tiles, counter, space);
        }
        number = __shfl_sync(~0u, next, 0);
    }
}

/* Adds all copies of a bin. Thread k begins with another copy than its neighbours, so that they read different
 * banks. */
static __device__ void add_histogram(const rdf_view &view, const rdf_tiles &tiles, const uint32_t *histogram)
{
    for (uint32_t k = threadIdx.x; k < view.bins.count; k += THREADS) {
        unsigned long long sum = 0;
        for (uint32_t c = 0; c < tiles.copies; c++)
            sum += histogram[k * tiles.copies + (k + c) % tiles.copies];
        if (sum > 0)
            atomicAdd(&tiles.counts[k], sum);
    }
}

template <uint32_t FORM, bool SORTED>
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    count_tiles(const __grid_constant__ rdf_view view, const __grid_constant__ rdf_tiles tiles)
{
    extern __shared__ rdf_workspace workspaces[];
    uint32_t *histogram = (uint32_t *) (workspaces + WARPS) + tiles.copies; /* behind slot -1 */
    for (uint32_t k = threadIdx.x; k < RDF_COUNTERS + tiles.copies; k += THREADS)
        histogram[k] = 0;
    __syncthreads();
    count_items<FORM, SORTED>(view, tiles, histogram, workspaces[threadIdx.x / 32]);
    __syncthreads();
    add_histogram(view, tiles, histogram);
}

/* ---- Launches ---------------------------------------------------------------------------------------------------- */

/* Three blocks of this size fit on a multiprocessor of an H200. */
constexpr size_t SHARED_BYTES =
    sizeof(rdf_workspace) * WARPS + sizeof(uint32_t) * (RDF_COUNTERS + 2 * RDF_COUNTERS / RDF_SLOTS_MIN);

typedef void (*rdf_kernel_pointer)(rdf_view, rdf_tiles);

static const rdf_kernel_pointer kernels[][2] = {
    {count_tiles<RDF_OPEN, false>, count_tiles<RDF_OPEN, true>},
    {count_tiles<RDF_ORTHORHOMBIC, false>, count_tiles<RDF_ORTHORHOMBIC, true>},
    {count_tiles<RDF_TRICLINIC, false>, count_tiles<RDF_TRICLINIC, true>}};

static uint32_t blocks_of(const rdf_solver *solver)
{
    return BLOCKS * (uint32_t) solver->multiprocessors;
}

/* Pairs of tiles of a launch: as many as the list has room for, and as its warps may take. */
static uint64_t batch_of(const rdf_solver *solver)
{
    const uint64_t taken = (uint64_t) blocks_of(solver) * WARPS * PAIRS_MAX;
    return taken < RDF_LIST_MAX ? taken : RDF_LIST_MAX;
}

/* All pairs of tiles. The host does not know the sizes of the groups, so it assumes that each has all particles. */
static uint64_t pairs_of(uint64_t particles, bool same)
{
    return (uint64_t) rdf_tile_count((uint32_t) particles) * rdf_tile_offsets((uint32_t) particles, same);
}

static rdf_tiles tiles_of(const rdf_solver *solver, const rdf_view &view, uint32_t row)
{
    rdf_tiles tiles = {};
    tiles.binning = solver->binning;
    tiles.thresholds = solver->thresholds;
    tiles.counts = view.counts + (uint64_t) row * view.bins.count;
    tiles.row = solver->plan.rows[row];
    tiles.copies = RDF_COUNTERS / tiles.binning.slots;
    tiles.slot_mask = (4 * tiles.binning.slots - 1) << tiles.binning.fraction;
    tiles.list = solver->list;
    tiles.queue = &view.census->queue;
    return tiles;
}

static cudaError_t count(const rdf_solver *solver, const rdf_view &view, uint32_t row, cudaStream_t stream)
{
    const rdf_tiles tiles = tiles_of(solver, view, row);
    const uint64_t pairs = pairs_of(view.particles, tiles.row.a == tiles.row.b), batch = batch_of(solver);
    const rdf_kernel_pointer kernel = kernels[view.box.form][view.bounds != nullptr];
    for (uint64_t first = 0; first < pairs; first += batch) {
        const uint64_t end = pairs - first < batch ? pairs : first + batch;
        if (row > 0 || first > 0) /* the first time it has been cleared with the census */
            ENGINE_CUDA_TRY(cudaMemsetAsync(tiles.queue, 0, sizeof *tiles.queue, stream));
        ENGINE_CUDA_TRY(rdf_list_tile_pairs(view, tiles.row, (uint32_t) first, (uint32_t) end, solver->list, stream));
        kernel<<<blocks_of(solver), THREADS, SHARED_BYTES, stream>>>(view, tiles);
        ENGINE_CUDA_TRY(cudaGetLastError());
    }
    return cudaSuccess;
}

/* ---- The start --------------------------------------------------------------------------------------------------- */

/* Sorting saves more time than it takes from 16000 particles in a box on. In open space, where all pairs may be in range
 * and nothing is saved, it is a small share of the time of 65536 particles (docs/lab/rdf.md). */
static bool is_sorted(const struct rdf_plan &plan)
{
    static const uint64_t least[] = {65536, 16000, 16000};
    return plan.cells == RDF_CELLS_YES || (plan.cells == RDF_CELLS_AUTO && plan.particles >= least[plan.box.form]);
}

static int make_list(const engine_host *host, rdf_solver *solver)
{
    const uint64_t all = pairs_of(solver->plan.particles, false), batch = batch_of(solver);
    solver->list = (uint32_t *) host->scratch(host, (all < batch ? all : batch) * sizeof(uint32_t), ENGINE_CUDA_MEMORY);
    return solver->list ? 0 : ENGINE_NO_MEMORY;
}

int rdf_cuda_create(const engine_call *call, void **self)
{
    const engine_host *host = call->host;
    struct rdf_plan plan;
    rdf_solver *solver = nullptr;
    int status = rdf_plan_read(host, call->plan, &plan);
    if (status == 0)
        status = rdf_cuda_open(call, is_sorted(plan), &solver);
    *self = solver;
    if (status == 0)
        status = make_list(host, solver);
    if (status)
        return status;
    solver->count = count;
    const bool sorted = solver->order.bounds != nullptr;
    for (const rdf_kernel_pointer *of_form : kernels) /* the box of a later frame may have another form */
        ENGINE_CUDA_CHECK(host, cudaFuncSetAttribute(of_form[sorted], cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                     (int) SHARED_BYTES));
    status = rdf_choose_guard(host, solver);
    return status ? status : rdf_cuda_open_answer(host, solver);
}

/* Issue slots of a pair, in units of single-precision operations, of which the arithmetic unit does one a slot. Sorted,
 * the number of pairs that are left out is not known beforehand. */
int rdf_cuda_cost(const engine_host *host, const engine_plan *plan, engine_cost *cost)
{
    static const double slots[] = {12, 18, 24};
    struct rdf_plan read;
    const int status = rdf_plan_read(host, plan, &read);
    if (status == 0 && !is_sorted(read))
        cost->operation = ENGINE_OPS_FMA, cost->operations = slots[read.box.form];
    return status;
}
