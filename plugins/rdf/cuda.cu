/* cuda: the whole problem in one launch.
 *
 * What it adds to cuda-shared:
 *   - a warp takes tiles of 256 x `chunk` pairs, one after another: a lane keeps eight particles i in
 *     registers, and the particles j go through shared memory, where one load serves the eight
 *   - within a group, tile t of the i meets the tiles t, t + 1, … half way around the ring of tiles: all
 *     pairs once, and the same work for every t; tiles with themselves and incomplete ones have a test a pair
 *   - no root and no division: cuda_fast.h, a multiply-add, and one instruction that asks whether it was enough
 *   - 16384 counters in shared memory: as many copies of the histogram side by side, 32 of up to 512 bins, so that no
 *     two lanes of a warp meet in a count or a bank; a last slot holds what is out of range, so that no pair branches
 *   - warps take items as they come: those on the diagonal take longer
 *
 * A pair, open: 3 subtractions, a multiplication and 2 multiply-adds for d^2, the root, the multiply-add for the slot,
 * the question, mask and column, shift and base, addition in shared memory: 12 instructions, and 5 more for eight
 * pairs; orthorhombic 18, triclinic 24. 132 multiprocessors of 4 schedulers at 1.98 GHz start 33.4 x 10^12 instructions
 * a warp's lane a second. 10^9 pairs a second (NVIDIA H200, CUDA 13.0, 2026-11-21), all within r_max, or half the box:
 *
 *                                          44028             262144
 *                                     open   in a box    open   in a box
 *   two multiply-adds, shift, mask     1500    1160      1640     1240    14 and 20 instructions; a slot above and one
 *   and base an instruction each                                          below were compared
 *   one instruction less for each      1700    1280      1890     1390
 *   items as they come, d^2 again      1820    1370      2090     1520    fewer registers: four particles j at a time
 *   where it is needed                                                    without spills
 *
 * Tried and left out: 16 pairs to a question, with three blocks a multiprocessor (-5%) or two (-7%); blocks of 384. */
#include "cuda_solver.h"
#include "cuda_tiles.h"

constexpr uint32_t WARPS = 8, BLOCKS = 3 /* a multiprocessor */, THREADS = 32 * WARPS, OWN = RDF_TILE / 32;

/* What a launch is told besides. */
struct rdf_tiles {
    rdf_fast fast;
    const float *thresholds;
    unsigned long long *counts; /* of the row */
    rdf_row row;
    uint32_t chunk;      /* particles j of an item: 32 to RDF_TILE, a divisor of it */
    uint32_t columns;    /* copies of the histogram */
    uint32_t first, end; /* items of this launch */
    uint32_t *taken;     /* of them, so far */
    uint32_t most;       /* that a warp may take: no counter of its block then reaches 2^32 */
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

/* Where the counts of a lane are: its copy of the histogram as bits of v, and where that begins. */
struct rdf_counter {
    uint32_t mask, column, histogram;
};

static __device__ rdf_counter counter_of(const rdf_tiles &tiles, const uint32_t *histogram)
{
    rdf_counter counter;
    counter.mask = (2 * tiles.fast.slots - 1) << tiles.fast.fraction;
    counter.column = threadIdx.x % tiles.columns << (RDF_COUNTER_SHIFT + 2);
    counter.histogram = (uint32_t) __cvta_generic_to_shared(histogram);
    return counter;
}

static __device__ void count_bits(const rdf_counter &counter, uint32_t bits)
{
    const uint32_t at = counter.histogram + (((bits & counter.mask) | counter.column) >> RDF_COUNTER_SHIFT);
    asm volatile("red.shared.add.u32 [%0], 1;" : : "r"(at) : "memory");
}

/* Is rdf_fast_sure true of all eight? One instruction for each. */
static __device__ bool all_sure(const rdf_fast &fast, const uint32_t (&bits)[OWN])
{
    uint32_t sure;
    asm("{\n.reg .pred p;\n.reg .b32 left;\n"
        "setp.eq.u32 p, 0, 0;\n"
        "lop3.and.b32 left|p, %1, %9, 0, 0x0c, p;\n"
        "lop3.and.b32 left|p, %2, %9, 0, 0x0c, p;\n"
        "lop3.and.b32 left|p, %3, %9, 0, 0x0c, p;\n"
        "lop3.and.b32 left|p, %4, %9, 0, 0x0c, p;\n"
        "lop3.and.b32 left|p, %5, %9, 0, 0x0c, p;\n"
        "lop3.and.b32 left|p, %6, %9, 0, 0x0c, p;\n"
        "lop3.and.b32 left|p, %7, %9, 0, 0x0c, p;\n"
        "lop3.and.b32 left|p, %8, %9, 0, 0x0c, p;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(sure)
        : "r"(bits[0]), "r"(bits[1]), "r"(bits[2]), "r"(bits[3]), "r"(bits[4]), "r"(bits[5]), "r"(bits[6]),
          "r"(bits[7]), "r"(fast.end));
    return sure;
}

/* The bits of v for the lane's eight particles with one other. Where a slot was in doubt they are its own. */
template <uint32_t FORM>
static __device__ void find_bits(const rdf_box &box, const rdf_tiles &tiles, const float4 (&own)[OWN], float4 other,
                                 uint32_t (&bits)[OWN])
{
#pragma unroll
    for (uint32_t r = 0; r < OWN; r++)
        bits[r] = rdf_fast_bits(tiles.fast, root_of(square_of<FORM>(box, own[r], other)));
    if (all_sure(tiles.fast, bits))
        return;
#pragma unroll
    for (uint32_t r = 0; r < OWN; r++)
        if (!rdf_fast_sure(tiles.fast, bits[r])) {
            const float square = square_of<FORM>(box, own[r], other);
            bits[r] = rdf_fast_settle(tiles.fast, bits[r], square, tiles.thresholds) << tiles.fast.fraction;
        }
}

/* With PARTIAL, only those whose number in the tile, 32 r + lane, is less than `end`. */
template <uint32_t FORM, bool PARTIAL>
static __device__ void count_eight(const rdf_box &box, const rdf_tiles &tiles, const rdf_counter &counter,
                                   const float4 (&own)[OWN], float4 other, uint32_t end)
{
    uint32_t bits[OWN];
    find_bits<FORM>(box, tiles, own, other, bits);
#pragma unroll
    for (uint32_t r = 0; r < OWN; r++)
        if (!PARTIAL || 32 * r + threadIdx.x % 32 < end)
            count_bits(counter, bits[r]);
}

/* One item by one warp. `desk`: room for 32 particles. */
template <uint32_t FORM, bool PARTIAL>
static __device__ void count_item(const rdf_view &view, const rdf_tiles &tiles, const rdf_counter &counter,
                                  float4 *desk, const rdf_item &item)
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
#pragma unroll 4
        for (uint32_t k = 0; k < count; k++) {
            /* On the diagonal a particle meets those before it. */
            const uint32_t end = item.diagonal ? min(item.i_end, j + k) : item.i_end;
            count_eight<FORM, PARTIAL>(view.box, tiles, counter, own, desk[k], end > item.i ? end - item.i : 0);
        }
    }
}

/* The number of an item that no other warp has: those on the diagonal take longer, and come first. */
static __device__ uint32_t take_item(const rdf_tiles &tiles)
{
    uint32_t number = 0;
    if (threadIdx.x % 32 == 0)
        number = tiles.first + atomicAdd(tiles.taken, 1);
    return __shfl_sync(~0u, number, 0);
}

template <uint32_t FORM>
static __device__ void count_items(const rdf_view &view, const rdf_tiles &tiles, const uint32_t *histogram,
                                   float4 *desk)
{
    const rdf_counter counter = counter_of(tiles, histogram);
    const uint32_t same = tiles.row.a == tiles.row.b;
    const uint32_t rows = view.census->sizes[tiles.row.a], columns = view.census->sizes[tiles.row.b];
    rdf_item item;
    uint32_t number = take_item(tiles);
    for (uint32_t k = 1; number < tiles.end; k++) {
        const uint32_t next = k < tiles.most ? take_item(tiles) : tiles.end; /* arrives while this one is counted */
        if (rdf_find_item(rows, columns, same, tiles.chunk, number, &item)) {
            if (item.partial)
                count_item<FORM, true>(view, tiles, counter, desk, item);
            else
                count_item<FORM, false>(view, tiles, counter, desk, item);
        }
        number = next;
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
static __global__ void __launch_bounds__(THREADS, FORM == RDF_TRICLINIC ? 2 : BLOCKS)
    count_tiles(const __grid_constant__ rdf_view view, const __grid_constant__ rdf_tiles tiles)
{
    extern __shared__ float4 shared[];
    float4 *desks = shared;
    uint32_t *histogram = (uint32_t *) (shared + WARPS * 32);
    for (uint32_t k = threadIdx.x; k < RDF_COUNTERS + tiles.columns; k += THREADS)
        histogram[k] = 0;
    __syncthreads();
    count_items<FORM>(view, tiles, histogram, desks + threadIdx.x / 32 * 32);
    __syncthreads();
    add_histogram(view, tiles, histogram);
}

/* ---- Launches ---------------------------------------------------------------------------------------------------- */

/* Three blocks fit on a multiprocessor of an H200. */
constexpr size_t SHARED_BYTES =
    sizeof(float4) * WARPS * 32 + sizeof(uint32_t) * (RDF_COUNTERS + RDF_COUNTERS / RDF_SLOTS_MIN);

typedef void (*rdf_kernel_pointer)(rdf_view, rdf_tiles);

static const rdf_kernel_pointer kernels[] = {count_tiles<RDF_OPEN>, count_tiles<RDF_ORTHORHOMBIC>,
                                             count_tiles<RDF_TRICLINIC>};

/* Items small enough that every warp gets several. */
static uint32_t choose_chunk(uint64_t tile_pairs, uint64_t warps)
{
    uint32_t chunk = RDF_TILE;
    while (chunk > 32 && tile_pairs * (RDF_TILE / chunk) < 32 * warps)
        chunk /= 2;
    return chunk;
}

/* Sizes of groups are known on the device alone: as many items as if each had all particles. */
static cudaError_t count(const rdf_solver *solver, const rdf_view &view, uint32_t row, cudaStream_t stream)
{
    const uint64_t side = rdf_tile_count(view.particles), blocks = BLOCKS * (uint64_t) solver->multiprocessors;
    rdf_tiles tiles = {};
    tiles.fast = solver->fast;
    tiles.thresholds = solver->thresholds;
    tiles.taken = &view.census->taken;
    tiles.counts = view.counts + (uint64_t) row * view.bins.count;
    tiles.row = solver->plan.rows[row];
    tiles.columns = RDF_COUNTERS / tiles.fast.slots;
    const uint64_t tile_pairs = side * rdf_tile_offsets(view.particles, tiles.row.a == tiles.row.b);
    tiles.chunk = choose_chunk(tile_pairs, blocks * WARPS);
    const uint64_t items = tile_pairs * (RDF_TILE / tiles.chunk);
    tiles.most = UINT32_MAX / (WARPS * RDF_TILE * tiles.chunk);
    const uint64_t most = tiles.most * blocks * WARPS;
    for (uint64_t first = 0; first < items; first += most) {
        tiles.first = (uint32_t) first;
        tiles.end = (uint32_t) (items - first < most ? items : first + most);
        RDF_TRY(cudaMemsetAsync(tiles.taken, 0, sizeof *tiles.taken, stream));
        kernels[view.box.form]<<<(uint32_t) blocks, THREADS, SHARED_BYTES, stream>>>(view, tiles);
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
        const uint32_t seen = rdf_fast_bits(fast, root);
        const uint32_t slot = rdf_fast_sure(fast, seen) ? (uint32_t) rdf_fast_slot(fast, seen)
                                                        : rdf_fast_settle(fast, seen, square, thresholds);
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
        RDF_CHECK(host, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) SHARED_BYTES));
    return choose_guard(host, solver);
}

/* Issue slots that single-precision arithmetic takes: as many operations, its unit does one a slot. */
int rdf_cuda_cost(const engine_host *host, const engine_plan *plan, engine_cost *cost)
{
    static const double slots[] = {12, 18, 24};
    struct rdf_plan read;
    const int status = rdf_plan_read(host, plan, &read);
    cost->operation = ENGINE_OPS_FMA;
    cost->operations = slots[read.box.form];
    return status;
}
