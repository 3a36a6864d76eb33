/* cuda: all pairs that may be in range, in one launch.
 *
 * What it adds to cuda-shared:
 *   - a warp takes tiles of 256 x 32 to 256 pairs, one after another: a lane keeps eight particles i in registers, and
 *     the particles j go through shared memory, where one load serves the eight
 *   - within a group, tile t of the i meets the tiles t, t + 1, … half way around the ring of tiles: all pairs once,
 *     and the same work for every t; tiles with themselves and incomplete ones have a test a pair
 *   - no root and no division: cuda_fast.h, a multiply-add, and one instruction that asks whether it was enough
 *   - 16384 counters in shared memory: as many copies of the histogram side by side, 32 of up to 512 bins, so that no
 *     two lanes of a warp meet in a count or a bank; a last slot holds what is out of range, so that no pair branches
 *   - warps take items as they come: those on the diagonal take longer
 *   - particles sorted so that tiles are compact (cuda_grid.h), and pairs of tiles that are out of range left out
 *     (cuda_pairs.h): with a short r_max the time grows with the number of particles
 *   - in the others, a lane asks for each particle j whether it meets the tile at all, and along which axes another
 *     image may be nearer (cuda_reach.h); those with the same axes are counted together, and search along no other
 *
 * A pair, open: 3 subtractions, a multiplication and 2 multiply-adds for d^2, the root, the multiply-add for the slot,
 * the question, mask and column, shift and base, addition in shared memory: 12 instructions, and 5 more for eight
 * pairs. In an orthorhombic box 2 more an axis that is searched; in a triclinic one 3 along x, 4 along y, 5 along z.
 * The question takes 0.4. Sorted, the loops are short (cuda_meet.h), and a pair takes one more. Uniform particles in an
 * orthorhombic box, counted by a program from the headers:
 *
 *                                            44028               262144
 *   r_max, in edges of the box            1/2   0.3   0.2      1/2   0.3   0.2
 *   particles j that meet a tile           89    34    15       75    22     8 %
 *   of them by no other image              32    57    68       42    63    72 %
 *   and by another along one axis          47    35    28       45    33    26 %
 *
 * 132 multiprocessors of 4 schedulers at 1.98 GHz start 33.4 x 10^12 instructions a warp's lane a second. 10^9 pairs a
 * second of all there are (NVIDIA H200, CUDA 13.0, 2026-11-22), all within r_max, or half the box:
 *
 *                                          44028             262144
 *                                     open   in a box    open   in a box
 *   two multiply-adds, shift, mask     1500    1160      1640     1240    14 and 20 instructions; a slot above and one
 *   and base an instruction each                                          below were compared
 *   one instruction less for each      1700    1280      1890     1390
 *   items as they come, d^2 again      1830    1420      2040     1540    fewer registers: four particles j at a time
 *   where it is needed                                                    without spills
 *   sorted                             1670    1560      1950     2170    triclinic 1000 and 1060 -> 1260 and 1800
 *   unasked where all is in range      1750              2020
 *
 * With r_max a twentieth of the box, 262144 in it: 127000.
 *
 * Tried and left out: loops for all eight sets of axes, four particles j at a time, with what is in doubt in each: they
 * do not fit the caches of instructions (r_max half the box: 490 with 44028, 790 with 262144; with two at a time 790
 * and 1470); two blocks a multiprocessor for triclinic boxes, sorted (-17%); 16 pairs to a question, with three blocks
 * a multiprocessor (-5%) or two (-7%); blocks of 384. */
#include "cuda_meet.h"
#include "cuda_pairs.h"
#include "cuda_tiles.h"

constexpr uint32_t WARPS = 8, BLOCKS = 3 /* a multiprocessor */, THREADS = 32 * WARPS;

/* Pairs of tiles that a warp may take: no counter of its block then reaches 2^32. Items are such, or parts of them. */
constexpr uint32_t MOST = UINT32_MAX / (WARPS * RDF_TILE * RDF_TILE), MOST_SPLIT = 3;

/* ---- Items ------------------------------------------------------------------------------------------------------- */

/* Instead of axes: of a particle that meets nothing, and of a pair of tiles whose particles are to be asked. */
constexpr uint32_t OUT_OF_RANGE = RDF_ALL_AXES + 1, ASK_EACH = RDF_ALL_AXES + 2;

/* Particles j that are put in the order of their axes at a time. */
constexpr uint32_t WINDOW = RDF_TILE;

/* What a warp works on, in shared memory: registers are for pairs. */
struct rdf_desk {
    float4 others[32];
    uint8_t order[WINDOW];        /* where in the window those are that meet the tile, by their axes */
    const float4 *rows, *columns; /* particles of the two groups */
    const rdf_bounds *bounds;     /* of the tile of the rows */
    uint32_t axes;                /* of all pairs; or ASK_EACH */
    rdf_item item;
    uint32_t items, split; /* of the whole launch: items, and 2^split of them to a pair of tiles */
};

/* Axes of one particle with all of a tile. */
template <uint32_t FORM> static __device__ uint32_t ask(const rdf_view &view, const rdf_bounds &tile, float4 other)
{
    rdf_box box = view.box;
    box.form = FORM;
    const float low[3] = {tile.low[0] - other.x, tile.low[1] - other.y, tile.low[2] - other.z};
    const float high[3] = {tile.high[0] - other.x, tile.high[1] - other.y, tile.high[2] - other.z};
    const rdf_reach reach = rdf_reach_of(&box, low, high);
    return reach.nearest < view.bins.end ? reach.axes : OUT_OF_RANGE;
}

/* Particle j, with the end of those of the tile that it meets in w. On the diagonal they are before it. */
static __device__ float4 fetch(const rdf_desk &desk, uint32_t j)
{
    const rdf_item &item = desk.item;
    float4 other = desk.columns[min(j, item.j_end - 1)];
    const uint32_t end = item.diagonal ? min(item.i_end, j) : item.i_end;
    other.w = __uint_as_float(end > item.i ? end - item.i : 0);
    return other;
}

/* Of particle j with the tile: those that have a loop. */
template <uint32_t FORM, bool PARTIAL>
static __device__ uint32_t axes_of(const rdf_view &view, const rdf_desk &desk, uint32_t j)
{
    if (j >= desk.item.j_end)
        return OUT_OF_RANGE;
    const uint32_t axes = desk.axes == ASK_EACH ? ask<FORM>(view, *desk.bounds, desk.columns[j]) : desk.axes;
    return axes == OUT_OF_RANGE || has_loop<FORM, PARTIAL>(axes) ? axes : RDF_ALL_AXES;
}

/* Of the lane's particles j of a window, every 32nd: 4 bits each. */
template <uint32_t FORM, bool PARTIAL>
static __device__ uint32_t ask_window(const rdf_view &view, const rdf_desk &desk, uint32_t window, uint32_t chunks)
{
    uint32_t axes = 0;
#pragma unroll 2
    for (uint32_t c = 0; c < chunks; c++)
        axes |= axes_of<FORM, PARTIAL>(view, desk, window + 32 * c + threadIdx.x % 32) << 4 * c;
    return axes;
}

/* Orders the particles j of a window. Where those of axes a end, in lane a; they begin where the ones before end. */
template <uint32_t FORM, bool PARTIAL>
static __device__ uint32_t order_window(const rdf_view &view, rdf_desk &desk, uint32_t window)
{
    const uint32_t chunks = (min(desk.item.j_end - window, WINDOW) + 31) / 32, lane = threadIdx.x % 32;
    const uint32_t axes = ask_window<FORM, PARTIAL>(view, desk, window, chunks), before = (1u << lane) - 1;
    uint32_t begin = 0, ends = 0;
    __syncwarp();
#pragma unroll 1
    for (uint32_t these = 0; these < OUT_OF_RANGE; these++) {
#pragma unroll 2
        for (uint32_t c = 0; has_loop<FORM, PARTIAL>(these) && c < chunks; c++) {
            const bool member = (axes >> 4 * c) % 16 == these;
            const uint32_t members = __ballot_sync(~0u, member);
            if (member)
                desk.order[begin + __popc(members & before)] = (uint8_t) (32 * c + lane);
            begin += __popc(members);
        }
        ends = lane == these ? begin : ends;
    }
    return ends;
}

/* Particles j, at most 32, of the same axes. */
template <uint32_t FORM, bool PARTIAL>
static __device__ void count_some(const rdf_view &view, const rdf_tiles &tiles, const rdf_counter &counter,
                                  const float4 (&own)[OWN], const rdf_desk &desk, uint32_t axes, uint32_t some)
{
    constexpr uint32_t most = FORM == RDF_OPEN ? 0 : RDF_ALL_AXES;
    const uint32_t doubt = count_desk<FORM, PARTIAL, most>(axes, view.box, tiles, counter, own, desk.others, some);
    count_doubt<FORM, PARTIAL>(view.box, tiles, counter, own, desk.others, some, doubt);
}

/* Those of a window that meet the tile, in the order of their axes. */
template <uint32_t FORM, bool PARTIAL>
static __device__ void count_window(const rdf_view &view, const rdf_tiles &tiles, const rdf_counter &counter,
                                    const float4 (&own)[OWN], rdf_desk &desk, uint32_t window)
{
    const uint32_t lane = threadIdx.x % 32, ends = order_window<FORM, PARTIAL>(view, desk, window);
    uint32_t at = 0;
#pragma unroll 1
    for (uint32_t axes = 0; axes < OUT_OF_RANGE; axes++) {
        const uint32_t end = __shfl_sync(~0u, ends, axes);
#pragma unroll 1
        for (; at < end; at += min(end - at, 32u)) {
            __syncwarp();
            if (lane < end - at)
                desk.others[lane] = fetch(desk, window + desk.order[at + lane]);
            __syncwarp();
            count_some<FORM, PARTIAL>(view, tiles, counter, own, desk, axes, min(end - at, 32u));
        }
    }
}

/* All particles j, by whatever image. */
template <uint32_t FORM, bool PARTIAL>
static __device__ void count_columns(const rdf_view &view, const rdf_tiles &tiles, const rdf_counter &counter,
                                     const float4 (&own)[OWN], rdf_desk &desk)
{
    for (uint32_t j = desk.item.j; j < desk.item.j_end; j += 32) {
        __syncwarp();
        desk.others[threadIdx.x % 32] = fetch(desk, j + threadIdx.x % 32);
        __syncwarp();
        count_all<FORM, PARTIAL>(view.box, tiles, counter, own, desk.others, min(desk.item.j_end - j, 32u));
    }
}

/* One item by one warp. */
template <uint32_t FORM, bool SORTED, bool PARTIAL>
static __device__ void count_item(const rdf_view &view, const rdf_tiles &tiles, const rdf_counter &counter,
                                  rdf_desk &desk)
{
    const uint32_t i = desk.item.i + threadIdx.x % 32;
    float4 own[OWN];
#pragma unroll
    for (uint32_t r = 0; r < OWN; r++)
        own[r] = desk.rows[PARTIAL ? min(i + 32 * r, desk.item.i_end - 1) : i + 32 * r];
    /* in open space pairs of tiles that are in range as a whole are counted without a question */
    const bool whole = !SORTED || (FORM == RDF_OPEN && desk.axes != ASK_EACH);
    if (whole)
        return count_columns<FORM, PARTIAL>(view, tiles, counter, own, desk);
    if constexpr (SORTED)
        for (uint32_t j = desk.item.j; j < desk.item.j_end; j += WINDOW)
            count_window<FORM, PARTIAL>(view, tiles, counter, own, desk, j);
}

/* The number of an item that no other warp has, in lane 0: those on the diagonal take longer, and come first. */
static __device__ uint32_t take_item(const rdf_tiles &tiles)
{
    return threadIdx.x % 32 == 0 ? atomicAdd(&tiles.work->taken, 1) : 0;
}

/* So that every warp gets several items; larger ones where their particles are put in order. */
template <bool SORTED> static __device__ uint32_t choose_split(uint32_t pairs)
{
    uint32_t split = 0;
    while (split < MOST_SPLIT && pairs << split < (SORTED ? 16 : 32) * WARPS * gridDim.x)
        split++;
    return split;
}

/* Lays out an item. 0: it is empty. */
static __device__ int set_desk(const rdf_view &view, const rdf_tiles &tiles, uint32_t number, rdf_desk &desk)
{
    constexpr uint32_t TILES = 1 << RDF_TILE_BITS;
    static const uint32_t axes[] = {ASK_EACH, 0, RDF_ALL_AXES};
    const uint32_t entry = tiles.list[number >> desk.split], same = tiles.row.a == tiles.row.b;
    const uint32_t begin = rdf_begin_of(view, tiles.row.a), t = entry % TILES, u = (entry >> RDF_TILE_BITS) % TILES;
    const rdf_tile_pair pair = {t, u, same && t == u};
    rdf_item item;
    if (!rdf_find_item(&pair, rdf_size_of(view, tiles.row.a), rdf_size_of(view, tiles.row.b), RDF_TILE >> desk.split,
                       number % (1u << desk.split), &item))
        return 0;
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        desk.item = item;
        desk.rows = view.place + begin;
        desk.columns = view.place + rdf_begin_of(view, tiles.row.b);
        desk.bounds = view.bounds + rdf_tiles_begin(tiles.row.a, begin) + t;
        desk.axes = axes[entry >> 2 * RDF_TILE_BITS];
    }
    __syncwarp();
    return 1;
}

template <uint32_t FORM, bool SORTED>
static __device__ void count_items(const rdf_view &view, const rdf_tiles &tiles, const uint32_t *histogram,
                                   rdf_desk &desk)
{
    const rdf_counter counter = counter_of(tiles, histogram);
    const uint32_t pairs = tiles.work->found, split = choose_split<SORTED>(pairs);
    if (threadIdx.x % 32 == 0)
        desk.split = split, desk.items = pairs << split;
    __syncwarp();
    uint32_t number = __shfl_sync(~0u, take_item(tiles), 0);
    for (uint32_t left = MOST << split; number < desk.items; left--) {
        const uint32_t next = left > 1 ? take_item(tiles) : UINT32_MAX; /* arrives while this one is counted */
        if (set_desk(view, tiles, number, desk)) {
            if (desk.item.partial)
                count_item<FORM, SORTED, true>(view, tiles, counter, desk);
            else
                count_item<FORM, SORTED, false>(view, tiles, counter, desk);
        }
        number = __shfl_sync(~0u, next, 0);
    }
}

/* Adds all columns of a bin, each thread from another one on, so that they read different banks. */
static __device__ void add_histogram(const rdf_view &view, const rdf_tiles &tiles, const uint32_t *histogram)
{
    for (uint32_t k = threadIdx.x; k < view.bins.count; k += THREADS) {
        unsigned long long sum = 0;
        for (uint32_t c = 0; c < tiles.columns; c++)
            sum += histogram[k * tiles.columns + (k + c) % tiles.columns];
        if (sum > 0)
            atomicAdd(&tiles.counts[k], sum);
    }
}

template <uint32_t FORM, bool SORTED>
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    count_tiles(const __grid_constant__ rdf_view view, const __grid_constant__ rdf_tiles tiles)
{
    extern __shared__ rdf_desk desks[];
    uint32_t *histogram = (uint32_t *) (desks + WARPS);
    for (uint32_t k = threadIdx.x; k < RDF_COUNTERS + tiles.columns; k += THREADS)
        histogram[k] = 0;
    __syncthreads();
    count_items<FORM, SORTED>(view, tiles, histogram, desks[threadIdx.x / 32]);
    __syncthreads();
    add_histogram(view, tiles, histogram);
}

/* ---- Launches ---------------------------------------------------------------------------------------------------- */

/* Three blocks fit on a multiprocessor of an H200. */
constexpr size_t SHARED_BYTES =
    sizeof(rdf_desk) * WARPS + sizeof(uint32_t) * (RDF_COUNTERS + RDF_COUNTERS / RDF_SLOTS_MIN);

typedef void (*rdf_kernel_pointer)(rdf_view, rdf_tiles);

static const rdf_kernel_pointer kernels[][2] = {
    {count_tiles<RDF_OPEN, false>, count_tiles<RDF_OPEN, true>},
    {count_tiles<RDF_ORTHORHOMBIC, false>, count_tiles<RDF_ORTHORHOMBIC, true>},
    {count_tiles<RDF_TRICLINIC, false>, count_tiles<RDF_TRICLINIC, true>}};

static uint32_t blocks_of(const rdf_solver *solver)
{
    return BLOCKS * (uint32_t) solver->multiprocessors;
}

/* Pairs of tiles of a launch: there is room to list them, and its warps may take them all. */
static uint64_t part_of(const rdf_solver *solver)
{
    const uint64_t taken = (uint64_t) blocks_of(solver) * WARPS * MOST;
    return taken < RDF_PART_MAX ? taken : RDF_PART_MAX;
}

/* Pairs of tiles in all. Sizes of groups are known on the device alone: as many as if each had all particles. */
static uint64_t pairs_of(uint64_t particles, bool same)
{
    return (uint64_t) rdf_tile_count((uint32_t) particles) * rdf_tile_offsets((uint32_t) particles, same);
}

static rdf_tiles tiles_of(const rdf_solver *solver, const rdf_view &view, uint32_t row)
{
    rdf_tiles tiles = {};
    tiles.fast = solver->fast;
    tiles.thresholds = solver->thresholds;
    tiles.counts = view.counts + (uint64_t) row * view.bins.count;
    tiles.row = solver->plan.rows[row];
    tiles.columns = RDF_COUNTERS / tiles.fast.slots;
    tiles.list = solver->list;
    tiles.work = &view.census->work;
    return tiles;
}

static cudaError_t count(const rdf_solver *solver, const rdf_view &view, uint32_t row, cudaStream_t stream)
{
    const rdf_tiles tiles = tiles_of(solver, view, row);
    const uint64_t pairs = pairs_of(view.particles, tiles.row.a == tiles.row.b), part = part_of(solver);
    const rdf_kernel_pointer kernel = kernels[view.box.form][view.bounds != nullptr];
    for (uint64_t first = 0; first < pairs; first += part) {
        const uint64_t end = pairs - first < part ? pairs : first + part;
        if (row > 0 || first > 0) /* at first it is as clean as the census */
            RDF_TRY(cudaMemsetAsync(tiles.work, 0, sizeof *tiles.work, stream));
        RDF_TRY(rdf_list_pairs(view, tiles.row, (uint32_t) first, (uint32_t) end, solver->list, stream));
        kernel<<<blocks_of(solver), THREADS, SHARED_BYTES, stream>>>(view, tiles);
        RDF_TRY(cudaGetLastError());
    }
    return cudaSuccess;
}

/* ---- The start --------------------------------------------------------------------------------------------------- */

/* Sorting takes some ten microseconds a frame: what it saves in a box of so many particles, and 3 % of the time of so
 * many in open space, where it may be that all are in range. */
static bool is_sorted(const struct rdf_plan &plan)
{
    static const uint64_t least[] = {65536, 16000, 16000};
    return plan.cells == RDF_CELLS_YES || (plan.cells == RDF_CELLS_AUTO && plan.particles >= least[plan.box.form]);
}

static int make_list(const engine_host *host, rdf_solver *solver)
{
    const uint64_t all = pairs_of(solver->plan.particles, false), part = part_of(solver);
    solver->list = (uint32_t *) host->scratch(host, (all < part ? all : part) * sizeof(uint32_t), ENGINE_CUDA_MEMORY);
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
    for (const rdf_kernel_pointer kernel : kernels[solver->plan.box.form])
        RDF_CHECK(host, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) SHARED_BYTES));
    return rdf_choose_guard(host, solver);
}

/* Issue slots that single-precision arithmetic takes: as many operations, its unit does one a slot. Where pairs are
 * left out it is not known how many. */
int rdf_cuda_cost(const engine_host *host, const engine_plan *plan, engine_cost *cost)
{
    static const double slots[] = {12, 18, 24};
    struct rdf_plan read;
    const int status = rdf_plan_read(host, plan, &read);
    if (status == 0 && !is_sorted(read))
        cost->operation = ENGINE_OPS_FMA, cost->operations = slots[read.box.form];
    return status;
}
