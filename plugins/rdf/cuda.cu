/* cuda: the whole problem in one launch.
 *
 * What it adds to cuda-shared:
 *   - a warp takes tiles of 256 x `chunk` pairs, one after another: a lane keeps eight particles i in
 *     registers, and the particles j go through shared memory, where one load serves the eight
 *   - within a group, tile t of the i meets the tiles t, t + 1, … half way around the ring of tiles: all
 *     pairs once, and the same work for every t; tiles with themselves and incomplete ones have a test a pair
 *   - no root and no division: cuda_fast.h, two multiply-adds and a comparison for eight pairs
 *   - as many copies of the histogram in shared memory as fit, up to one a lane, side by side: no two lanes
 *     of a warp meet in a count or a bank; a last slot holds what is out of range, so that no pair branches
 *
 * A pair, open: 3 subtractions, a multiplication and 2 multiply-adds for d^2, the root, 2 multiply-adds, xor-or of the
 * two, shift, mask, base, addition in shared memory: 14 instructions; orthorhombic 20, triclinic 26. 132
 * multiprocessors of 4 schedulers at 1.98 GHz issue 33.4 x 10^12 a second: at most 2390, 1670 and 1290 x 10^9 pairs a
 * second on an H200. Not measured yet; a prototype of 12 instructions reached 2019 to 2154 (open) and 1446 to 1520
 * (orthorhombic).
 */
#include "cuda_solver.h"
#include "cuda_tiles.h"

constexpr uint32_t WARPS = 8, THREADS = 32 * WARPS, OWN = RDF_TILE / 32;

/* What a launch is told besides. */
struct rdf_tiles {
    rdf_fast fast;
    const float *thresholds;
    unsigned long long *counts; /* of the row */
    rdf_row row;
    uint32_t chunk;      /* particles j of an item: 32 to RDF_TILE, a divisor of it */
    uint32_t columns;    /* copies of the histogram, a power of two up to 32 */
    uint32_t first, end; /* items of this launch */
};

/* ---- Pairs ------------------------------------------------------------------------------------------------------- */

static __device__ float root_of(float square)
{
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(square));
    return root;
}

template <uint32_t FORM> static __device__ float square_of(const rdf_box &box, float4 a, float4 b)
{
    rdf_box known = box;
    known.form = FORM;
    return rdf_square(&known, a.x - b.x, a.y - b.y, a.z - b.z);
}

/* Where the counts of a lane are: address in shared memory and how bits of v become bytes there. */
struct rdf_counter {
    uint32_t base, shift, mask;
};

static __device__ rdf_counter counter_of(const rdf_tiles &tiles, const uint32_t *histogram)
{
    const uint32_t bytes = 4 * tiles.columns, lane = threadIdx.x % tiles.columns;
    rdf_counter counter;
    counter.base = (uint32_t) __cvta_generic_to_shared(histogram) + 4 * lane;
    counter.shift = tiles.fast.fraction - (31 - __clz(bytes));
    counter.mask = (2 * tiles.fast.slots - 1) * bytes;
    return counter;
}

static __device__ void count_at(rdf_counter counter, uint32_t offset)
{
    asm volatile("red.shared.add.u32 [%0], 1;" : : "r"(counter.base + offset) : "memory");
}

/* The lane's eight particles with one other. With PARTIAL, those of [first, end) alone: lane l has l, l + 32, …. */
template <uint32_t FORM, bool PARTIAL>
static __device__ void count_eight(const rdf_box &box, const rdf_tiles &tiles, rdf_counter counter,
                                   const float4 (&own)[OWN], float4 other, uint32_t end)
{
    float square[OWN];
    uint32_t low[OWN], doubt = 0;
#pragma unroll
    for (uint32_t r = 0; r < OWN; r++) {
        square[r] = square_of<FORM>(box, own[r], other);
        const float root = root_of(square[r]);
        low[r] = rdf_fast_bits(root, tiles.fast.scale, tiles.fast.low);
        doubt |= low[r] ^ rdf_fast_bits(root, tiles.fast.scale, tiles.fast.high);
    }
    if (rdf_fast_doubt(tiles.fast, doubt))
#pragma unroll
        for (uint32_t r = 0; r < OWN; r++)
            low[r] = rdf_fast_settle(tiles.fast, low[r], square[r], tiles.thresholds) << tiles.fast.fraction;
#pragma unroll
    for (uint32_t r = 0; r < OWN; r++)
        if (!PARTIAL || 32 * r < end)
            count_at(counter, low[r] >> counter.shift & counter.mask);
}

/* One item by one warp. `desk`: room for 32 particles. */
template <uint32_t FORM, bool PARTIAL>
static __device__ void count_item(const rdf_view &view, const rdf_tiles &tiles, rdf_counter counter, float4 *desk,
                                  const rdf_item &item)
{
    const uint32_t lane = threadIdx.x % 32;
    const float4 *rows = view.place + view.census->begin[tiles.row.a];
    const float4 *columns = view.place + view.census->begin[tiles.row.b];
    float4 own[OWN];
#pragma unroll
    for (uint32_t r = 0; r < OWN; r++)
        own[r] = rows[PARTIAL ? min(item.i + 32 * r + lane, item.i_end - 1) : item.i + 32 * r + lane];
    for (uint32_t j = item.j; j < item.j_end; j += 32) {
        const uint32_t count = min(item.j_end - j, 32u);
        __syncwarp();
        desk[lane] = columns[j + min(lane, count - 1)];
        __syncwarp();
#pragma unroll 2
        for (uint32_t k = 0; k < count; k++) {
            /* own[r] counts while it is before the other: i + 32 r + lane < end */
            const uint32_t end = item.diagonal ? min(item.i_end, j + k) : item.i_end;
            count_eight<FORM, PARTIAL>(view.box, tiles, counter, own, desk[k],
                                       end > item.i + lane ? end - item.i - lane : 0);
        }
    }
}

template <uint32_t FORM>
static __device__ void count_items(const rdf_view &view, const rdf_tiles &tiles, const uint32_t *histogram,
                                   float4 *desk)
{
    const rdf_counter counter = counter_of(tiles, histogram);
    const uint32_t same = tiles.row.a == tiles.row.b;
    const uint32_t rows = view.census->sizes[tiles.row.a], columns = view.census->sizes[tiles.row.b];
    rdf_item item;
    for (uint32_t number = tiles.first + blockIdx.x + gridDim.x * (threadIdx.x / 32); number < tiles.end;
         number += gridDim.x * WARPS) {
        if (!rdf_find_item(rows, columns, same, tiles.chunk, number, &item))
            continue;
        if (item.partial)
            count_item<FORM, true>(view, tiles, counter, desk, item);
        else
            count_item<FORM, false>(view, tiles, counter, desk, item);
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

template <uint32_t FORM>
static __global__ void __launch_bounds__(THREADS, FORM == RDF_TRICLINIC ? 2 : 3)
    count_tiles(const __grid_constant__ rdf_view view, const __grid_constant__ rdf_tiles tiles)
{
    extern __shared__ float4 shared[];
    float4 *desks = shared;
    uint32_t *histogram = (uint32_t *) (shared + WARPS * 32);
    const uint32_t counters = (tiles.fast.slots + 1) * tiles.columns;
    for (uint32_t k = threadIdx.x; k < counters; k += THREADS)
        histogram[k] = 0;
    __syncthreads();
    count_items<FORM>(view, tiles, histogram, desks + threadIdx.x / 32 * 32);
    __syncthreads();
    add_histogram(view, tiles, histogram);
}

/* ---- Launches ---------------------------------------------------------------------------------------------------- */

constexpr uint32_t SHARED_MOST = 72 << 10; /* three blocks a multiprocessor on an H200 */

static size_t shared_bytes(uint32_t slots, uint32_t columns)
{
    return sizeof(float4) * WARPS * 32 + sizeof(uint32_t) * (slots + 1) * columns;
}

typedef void (*rdf_kernel_pointer)(rdf_view, rdf_tiles);

static const rdf_kernel_pointer kernels[] = {count_tiles<RDF_OPEN>, count_tiles<RDF_ORTHORHOMBIC>,
                                             count_tiles<RDF_TRICLINIC>};

/* Items small enough that every warp gets several. */
static uint32_t choose_chunk(uint64_t tile_pairs, uint64_t warps)
{
    uint32_t chunk = RDF_TILE;
    while (chunk > 32 && tile_pairs * (RDF_TILE / chunk) < 16 * warps)
        chunk /= 2;
    return chunk;
}

/* Items of a launch, so many that no counter of a block reaches 2^32 whatever the pairs. */
static uint64_t most_items(uint32_t chunk, uint64_t warps)
{
    return ((uint64_t) 1 << 31) / (WARPS * RDF_TILE * chunk) * warps;
}

/* Sizes of groups are known on the device alone: as many items as if each had all particles. */
static cudaError_t count(const rdf_solver *solver, const rdf_view &view, uint32_t row, cudaStream_t stream)
{
    const uint64_t side = rdf_tile_count(view.particles), blocks = 3 * (uint64_t) solver->multiprocessors;
    rdf_tiles tiles = {};
    tiles.fast = solver->fast;
    tiles.thresholds = solver->thresholds;
    tiles.counts = view.counts + (uint64_t) row * view.bins.count;
    tiles.row = solver->plan.rows[row];
    for (tiles.columns = 32; shared_bytes(tiles.fast.slots, tiles.columns) > SHARED_MOST;)
        tiles.columns /= 2;
    const size_t bytes = shared_bytes(tiles.fast.slots, tiles.columns);
    const uint64_t tile_pairs = side * rdf_tile_offsets(view.particles, tiles.row.a == tiles.row.b);
    tiles.chunk = choose_chunk(tile_pairs, blocks * WARPS);
    const uint64_t items = tile_pairs * (RDF_TILE / tiles.chunk), most = most_items(tiles.chunk, blocks * WARPS);
    for (uint64_t first = 0; first < items; first += most) {
        tiles.first = (uint32_t) first;
        tiles.end = (uint32_t) (items - first < most ? items : first + most);
        kernels[view.box.form]<<<(uint32_t) blocks, THREADS, bytes, stream>>>(view, tiles);
        RDF_TRY(cudaGetLastError());
    }
    return cudaSuccess;
}

/* ---- The start --------------------------------------------------------------------------------------------------- */

/* Block k - 1: the floats around edge k. */
static __global__ void check_around(rdf_bins bins, rdf_fast fast, const float *thresholds, uint32_t *wrong)
{
    const uint32_t edge = blockIdx.x + 1;
    float begin, end;
    rdf_fast_around(fast, edge, thresholds[edge], &begin, &end);
    for (uint32_t bits = __float_as_uint(begin) + threadIdx.x; bits <= __float_as_uint(end); bits += blockDim.x) {
        const float square = __uint_as_float(bits), root = root_of(square);
        const uint32_t low = rdf_fast_bits(root, fast.scale, fast.low);
        const uint32_t high = rdf_fast_bits(root, fast.scale, fast.high);
        const uint32_t slot = rdf_fast_doubt(fast, low ^ high) ? rdf_fast_settle(fast, low, square, thresholds)
                                                               : (uint32_t) rdf_fast_slot(fast, low);
        if (min(slot, bins.count) != rdf_bin(&bins, square))
            atomicAdd(wrong, 1);
    }
}

static int count_wrong(const engine_host *host, const rdf_solver *solver, uint32_t *wrong)
{
    uint32_t *on_device = &solver->census->lost;
    RDF_CHECK(host, cudaMemset(on_device, 0, sizeof *on_device));
    check_around<<<solver->plan.bins.count, 128>>>(solver->plan.bins, solver->fast, solver->thresholds, on_device);
    RDF_CHECK(host, cudaGetLastError());
    RDF_CHECK(host, cudaMemcpy(wrong, on_device, sizeof *wrong, cudaMemcpyDeviceToHost));
    return 0;
}

/* The smallest guard that is right for these bins on this device. */
static int choose_guard(const engine_host *host, rdf_solver *solver)
{
    for (uint32_t guard = 1; guard <= RDF_GUARD_MAX; guard *= 2) {
        uint32_t wrong = 0;
        solver->fast = rdf_fast_form(&solver->plan.bins, guard);
        const int status = count_wrong(host, solver, &wrong);
        if (status || wrong == 0) {
            host->note(host, "guard", "%u", guard);
            return status;
        }
    }
    return ENGINE_FAIL(host, ENGINE_INTERNAL, "this device's approximate root is off by more than its manual says");
}

int rdf_cuda_create(const engine_call *call, void **self)
{
    const engine_host *host = call->host;
    rdf_solver *solver = nullptr;
    const int status = rdf_cuda_open(call, &solver);
    *self = solver;
    if (status)
        return status;
    solver->count = count;
    for (const rdf_kernel_pointer kernel : kernels)
        RDF_CHECK(host, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) SHARED_MOST));
    return choose_guard(host, solver);
}

/* Issue slots that single-precision arithmetic takes: as many operations, its unit does one a slot. */
int rdf_cuda_cost(const engine_host *host, const engine_plan *plan, engine_cost *cost)
{
    static const double slots[] = {14, 20, 26};
    struct rdf_plan read;
    const int status = rdf_plan_read(host, plan, &read);
    cost->operation = ENGINE_OPS_FMA;
    cost->operations = slots[read.box.form];
    return status;
}
