/* engine/neighbours_lists.cuh - sorts particles by cells on a GPU and makes their lists of neighbours.
 *
 * engine/neighbours.cuh includes it; see there.
 *
 * Particles are sorted by counting: those of each cell are counted and numbered, a scan of the counts gives the first
 * particle of each cell, and each particle is written to its place. The number of a particle within its cell depends on
 * the order in which threads come, so the order of particles may differ from run to run. No result depends on it. The
 * parts of a divided run need the same order, see order_members. */
#ifndef ENGINE_NEIGHBOURS_LISTS_CUH
#define ENGINE_NEIGHBOURS_LISTS_CUH

#include <engine/neighbours_world.cuh>

namespace engine_neighbours
{

constexpr int SEARCH = 8; /* candidates that a thread reads at a time; a power of two */

/* ---- Loading and sorting ----------------------------------------------------------------------------------------- */

static __global__ void load_particles(const __grid_constant__ world world,
                                      const __grid_constant__ engine_neighbours_fields fields)
{
    const uint32_t i = blockIdx.x * OTHERS + threadIdx.x, count = world.space.count;
    if (i >= count)
        return;
    const engine_particle particle = engine_particle_get(&fields, i);
    keep_particle(world, i, particle);
    NEIGHBOURS_INPUTS(ENGINE_NEIGHBOURS_WRITE)
    world.now.id[i] = i;
    kept_seen kept;
    kept.seen = engine_seen_of(&world.space, &particle);
    world.seen[i] = kept;
    if (!engine_particle_has_place(&particle)) {
        world.report->lost = 1;
        atomicMin(&world.report->first_lost, (unsigned long long) i);
    }
}

/* A float as an integer with the same order, and back. */
static __host__ __device__ inline uint32_t ordered(uint32_t bits)
{
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

static inline double from_ordered(uint32_t number)
{
    return (double) engine_place_float(number >> 31 ? number & 0x7fffffffu : ~number);
}

static __global__ void find_bounds(const __grid_constant__ world world)
{
    const uint32_t i = blockIdx.x * OTHERS + threadIdx.x;
    for (int c = 0; c < NEIGHBOURS_AXES && i < world.space.count; c++)
        if (!(world.space.edge[c] > 0)) {
            const uint32_t place = ordered(world.seen[i].seen.place[c]);
            if (place < world.report->low[c])
                atomicMin(&world.report->low[c], place);
            if (place > world.report->high[c])
                atomicMax(&world.report->high[c], place);
        }
}

/* Counts the particles of each cell, and numbers them. */
static __global__ void count_particles(const __grid_constant__ world world, uint32_t *cell, uint32_t *rank,
                                       uint32_t *counts)
{
    const uint32_t i = blockIdx.x * OTHERS + threadIdx.x;
    if (i >= world.space.count)
        return;
    const engine_seen self = world.seen[i].seen;
    cell[i] = engine_cell_of(&world.space, self.place);
    rank[i] = atomicAdd(&counts[cell[i]], 1u);
}

/* The sum of all threads' numbers before this thread's, in a block of OTHERS threads. *all is the sum of all. */
static __device__ uint32_t sum_before(uint32_t number, uint32_t *all)
{
    __shared__ uint32_t warps[OTHERS / 32];
    uint32_t sum = number;
    for (unsigned apart = 1; apart < 32; apart *= 2) {
        const uint32_t other = __shfl_up_sync(~0u, sum, apart);
        if (threadIdx.x % 32 >= apart)
            sum += other;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 31)
        warps[threadIdx.x / 32] = sum;
    __syncthreads();
    uint32_t before = 0;
    *all = 0;
    for (unsigned w = 0; w < OTHERS / 32; w++) {
        before += w < threadIdx.x / 32 ? warps[w] : 0;
        *all += warps[w];
    }
    return before + sum - number;
}

/* The particles of each block of cells. */
static __global__ void add_cells(const uint32_t *counts, uint32_t cells, uint32_t *blocks)
{
    uint32_t number = 0, all;
    for (uint32_t c = blockIdx.x * SCAN_CELLS + threadIdx.x; c < (blockIdx.x + 1) * SCAN_CELLS && c < cells;
         c += OTHERS)
        number += counts[c];
    sum_before(number, &all);
    if (threadIdx.x == 0)
        blocks[blockIdx.x] = all;
}

/* The first particle of each cell, and behind the last cell the number of all. */
static __global__ void find_first(const uint32_t *counts, uint32_t cells, const uint32_t *blocks, uint32_t *first)
{
    uint32_t before = 0, all;
    for (uint32_t b = threadIdx.x; b < blockIdx.x; b += OTHERS)
        before += blocks[b];
    sum_before(before, &all);
    uint32_t at = all;
    for (uint32_t part = 0; part < SCAN_CELLS / OTHERS; part++) {
        const uint32_t c = blockIdx.x * SCAN_CELLS + part * OTHERS + threadIdx.x;
        const uint32_t number = c < cells ? counts[c] : 0;
        const uint32_t begin = at + sum_before(number, &all);
        if (c < cells)
            first[c] = begin;
        if (c + 1 == cells)
            first[cells] = begin + number;
        at += all;
    }
}

/* Particles begin to end. */
struct range {
    uint32_t begin, end;
};

/* Writes the particles in the order of cells. Writes the states only of particles whose new index is in `own`. */
static __global__ void sort_particles(const __grid_constant__ world world, particles to, kept_seen *seen,
                                      const uint32_t *cell, const uint32_t *rank, range own)
{
    const uint32_t i = blockIdx.x * OTHERS + threadIdx.x, count = world.space.count;
    if (i >= count)
        return;
    const uint32_t at = world.first[cell[i]] + rank[i];
    const kept_seen kept = world.seen[i];
    seen[at] = kept;
    for (uint32_t c = 0; c < NEIGHBOURS_AXES; c++)
        world.built[c * (size_t) count + at] = kept.seen.place[c];
    to.id[at] = world.now.id[i];
#define ENGINE_NEIGHBOURS_SORT(type, name, components) \
    for (uint32_t c = 0; c < (components); c++) \
        to.name[c * (size_t) count + at] = world.now.name[c * (size_t) count + i];
    NEIGHBOURS_INPUTS(ENGINE_NEIGHBOURS_SORT)
    if (at < own.begin || at >= own.end)
        return;
    NEIGHBOURS_PARTICLE(ENGINE_NEIGHBOURS_SORT)
}

/* A list that grows: where its next entry goes, and its length, which may be larger than the room. */
struct growing {
    uint32_t *next;
    uint32_t length, room;
};

static __device__ __forceinline__ void append(growing *list, uint32_t j)
{
    if (list->length < list->room)
        *list->next = j;
    list->next += list->length % LANES == LANES - 1 ? 33 - LANES : 1;
    list->length++;
}

/* Appends those of the particles [begin, end) that are near. It first finds out, without a branch, which of 32
 * particles are near. It reads up to SEARCH particles behind the last. */
template <bool OPEN>
__device__ __forceinline__ void append_range(const world &world, const engine_seen &self, uint32_t begin, uint32_t end,
                                             growing *list)
{
#pragma unroll 1
    for (; begin < end; begin += 32) {
        const uint32_t count = end - begin < 32 ? end - begin : 32;
        uint32_t near = 0;
#pragma unroll 1
        for (uint32_t k = 0; k < count; k += SEARCH) {
            kept_seen others[SEARCH];
            uint32_t some = 0;
#pragma unroll
            for (int u = 0; u < SEARCH; u++)
                others[u] = world.seen[begin + k + u];
#pragma unroll
            for (int u = 0; u < SEARCH; u++) {
                float d[NEIGHBOURS_AXES];
                const float square = engine_apart(&world.space, self.place, others[u].seen.place, d, OPEN);
                some |= square < world.space.list2 ? 1u << u : 0;
            }
            near |= some << k;
        }
        for (near &= ~0u >> (32 - count); near != 0; near &= near - 1)
            append(list, begin + (uint32_t) __ffs((int) near) - 1);
    }
}

/* Makes the list of each particle. It contains the particle itself, which saves a comparison. With a lower bound of 1
 * for the blocks, code of nvcc 13.0 takes more registers and reads more candidates before it uses them. */
template <bool OPEN> __global__ __launch_bounds__(THREADS, 1) void make_lists(const __grid_constant__ world world)
{
    const uint32_t i = (world.own + blockIdx.x) * THREADS + threadIdx.x, count = world.space.count;
    if (i >= count)
        return;
    const engine_seen self = world.seen[i].seen;
    growing list = {world.list + entry_at(world, i, 0), 0, world.rows * LANES};
    visit_rows(world, i, OPEN,
               [&](uint32_t begin, uint32_t end) { append_range<OPEN>(world, self, begin, end, &list); });
    while (list.length % FULL != 0 && list.length < list.room)
        append(&list, i);
    world.length[i] = list.length <= list.room ? list.length : ENGINE_NEIGHBOURS_NO_LIST;
}

} // namespace engine_neighbours

#endif
