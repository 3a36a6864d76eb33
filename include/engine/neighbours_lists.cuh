/* engine/neighbours_lists.cuh - sorts particles by cells on a GPU, makes their lists of neighbours, and goes through them.
 *
 * engine/neighbours.cuh includes it; see there.
 *
 * Particles are sorted by counting: those of each cell are counted and numbered, a scan of the counts gives the first particle
 * of each cell, and each particle is written to its place. The number of a particle within its cell depends on the order in
 * which threads come, so the order of particles may differ from run to run. No result depends on it. */
#ifndef ENGINE_NEIGHBOURS_LISTS_CUH
#define ENGINE_NEIGHBOURS_LISTS_CUH

#include <engine/cuda.h>
#include <engine/neighbours.h>

/* Threads of a block: of the launch that sums, and of others. */
#ifndef NEIGHBOURS_THREADS
#define NEIGHBOURS_THREADS 128
#endif

/* Neighbours that a thread reads at a time. */
#ifndef NEIGHBOURS_AHEAD
#define NEIGHBOURS_AHEAD 4
#endif

/* Lanes that share the list of a particle: 1, 2, 4, 8, …, 32. */
#ifndef NEIGHBOURS_LANES
#define NEIGHBOURS_LANES 4
#endif

namespace engine_neighbours
{

constexpr unsigned THREADS = NEIGHBOURS_THREADS, OTHERS = 256;
constexpr unsigned SERIES = 64;       /* launches between two looks of the host, at most */
constexpr unsigned SCAN_CELLS = 1024; /* cells of a block */
constexpr int AHEAD = NEIGHBOURS_AHEAD;
constexpr uint32_t LANES = NEIGHBOURS_LANES, GROUPS = 32 / LANES; /* groups of lanes in a warp */
constexpr uint32_t FULL = LANES * AHEAD;                          /* lengths of lists are multiples of it */
#ifdef NEIGHBOURS_CLOSED /* a plugin with NEIGHBOURS_OWN_CUDA gives boxes without open axes alone */
constexpr bool SOMETIMES_OPEN = false;
#else
constexpr bool SOMETIMES_OPEN = true;
#endif
#ifdef NEIGHBOURS_BEGIN
constexpr bool BEGIN = true;
#else
constexpr bool BEGIN = false;
#endif

/* The sorted particles: component c of a member of particle i is element c * count + i of its array. */
struct particles {
#define ENGINE_NEIGHBOURS_ARRAY(type, name, components) type *name;
    NEIGHBOURS_PARTICLE(ENGINE_NEIGHBOURS_ARRAY)
    NEIGHBOURS_INPUTS(ENGINE_NEIGHBOURS_ARRAY)
    uint32_t *id;
};

/* A particle as its neighbours see it, in memory: what 16 bytes hold takes one access. */
constexpr size_t SEEN_ALIGN = sizeof(engine_seen) > 8 ? 16 : 8;
struct alignas(SEEN_ALIGN) kept_seen {
    engine_seen seen;
};

/* What the launches tell the host. */
struct report {
    uint32_t stale[SERIES + 1];    /* stale[q]: launch q of the series finds lists that are too old */
    uint32_t lost;                 /* a particle has no place */
    unsigned long long first_lost; /* step << 32 | its number */
    uint32_t low[3], high[3];      /* bounds of places along open axes, as ordered integers */
};

/* What the kernels read and write. */
struct world {
    engine_space space;
    particles now;
    kept_seen *seen, *next_seen;
    uint32_t *built; /* [axis][particle]: the places for which lists were made */
    uint32_t *first; /* of each cell: its first particle */
    uint32_t *list, *length,
        rows;      /* rows: the entries of a list for which there is room, divided by LANES; see entry_at */
    int64_t *sums;    /* [particle][sum], of the last step */
    uint32_t own;     /* the first of the blocks of THREADS particles whose lists this part of the run has */
    struct report *report;
};

static __device__ __forceinline__ engine_particle particle_at(const world &world, uint32_t i)
{
    engine_particle particle = {};
    const uint32_t count = world.space.count;
#define ENGINE_NEIGHBOURS_READ(type, name, components) \
    for (uint32_t c = 0; c < (components); c++) \
        particle.name[c] = world.now.name[c * (size_t) count + i];
    NEIGHBOURS_PARTICLE(ENGINE_NEIGHBOURS_READ)
    NEIGHBOURS_INPUTS(ENGINE_NEIGHBOURS_READ)
    return particle;
}

/* Inputs stay as they are. */
static __device__ __forceinline__ void keep_particle(const world &world, uint32_t i, const engine_particle &particle)
{
    const uint32_t count = world.space.count;
#define ENGINE_NEIGHBOURS_WRITE(type, name, components) \
    for (uint32_t c = 0; c < (components); c++) \
        world.now.name[c * (size_t) count + i] = particle.name[c];
    NEIGHBOURS_PARTICLE(ENGINE_NEIGHBOURS_WRITE)
}

/* ---- Neighbours --------------------------------------------------------------------------------------------------- */

/* Calls visit(j, seen) for particles begin to end without i. Reads several of them ahead, so that their ways from memory
 * overlap. */
template <class Visit>
__device__ __forceinline__ void visit_range(const world &world, uint32_t i, uint32_t begin, uint32_t end,
                                            const Visit &visit)
{
#pragma unroll 1
    for (uint32_t j = begin; j < end; j += AHEAD) {
        kept_seen others[AHEAD];
#pragma unroll
        for (int u = 0; u < AHEAD; u++)
            others[u] = world.seen[j + u < end ? j + u : i];
#pragma unroll
        for (int u = 0; u < AHEAD; u++)
            if (j + u < end && j + u != i)
                visit(j + u, others[u].seen);
    }
}

/* engine_cell_near with numbers of 32 bits. `open`: there are open axes. */
static __device__ __forceinline__ int cell_near(const engine_space &space, int axis, uint32_t at, int k, bool open)
{
    const int cells = (int) space.cells[axis], cell = (int) at + k - ENGINE_NEIGHBOURS_SIDE;
    if (cells < ENGINE_NEIGHBOURS_NEAR)
        return k < cells ? k : -1;
    if (cell >= 0 && cell < cells)
        return cell;
    if (open && !(space.edge[axis] > 0))
        return -1;
    return cell < 0 ? cell + cells : cell - cells;
}

/* Calls visit(begin, end) for the ranges of particles of the cells near particle i where its list was made. */
template <class Visit>
__device__ __forceinline__ void visit_rows(const world &world, uint32_t i, bool open, const Visit &visit)
{
    constexpr int NEAR = ENGINE_NEIGHBOURS_NEAR;
    const engine_space &space = world.space;
    uint32_t place[NEIGHBOURS_AXES], at[NEIGHBOURS_AXES], first[2], last[2];
    for (uint32_t c = 0; c < NEIGHBOURS_AXES; c++)
        place[c] = world.built[c * (size_t) space.count + i];
    engine_cells_of(&space, place, at);
    const bool both = engine_columns_near(&space, at[0], first, last) == 2;
    const uint32_t first0 = first[0], last0 = last[0], first1 = first[1], last1 = last[1];
#pragma unroll 1
    for (int kz = 0; kz < ENGINE_NEIGHBOURS_ROWS / NEAR; kz++) {
        const int z = NEIGHBOURS_AXES == 3 ? cell_near(space, NEIGHBOURS_AXES - 1, at[NEIGHBOURS_AXES - 1], kz, open) : 0;
#pragma unroll 1
        for (int ky = 0; ky < NEAR && z >= 0; ky++) {
            const int y = cell_near(space, 1, at[1], ky, open);
            if (y < 0)
                continue;
            const uint32_t *const row =
                world.first + ((uint32_t) z * space.cells[1] + (uint32_t) y) * space.cells[0]; /* it runs along x */
            visit(row[first0], row[last0]);
            if (both)
                visit(row[first1], row[last1]);
        }
    }
}

/* Calls visit(j, seen) for the particles of these cells without i. */
template <class Visit> __device__ __forceinline__ void visit_cells(const world &world, uint32_t i, const Visit &visit)
{
    visit_rows(world, i, SOMETIMES_OPEN, [&](uint32_t begin, uint32_t end) { visit_range(world, i, begin, end, visit); });
}

/* Where entry `entry` of the list of particle i is in memory: LANES lanes read LANES entries of a particle at a time, and a warp
 * those of GROUPS particles. Entries that a particle's lanes read together are near each other in memory, because lists are
 * in the order of cells. */
static __device__ __forceinline__ size_t entry_at(const world &world, uint32_t i, uint32_t entry)
{
    return ((size_t) (i / GROUPS) * world.rows + entry / LANES) * 32 + i % GROUPS * LANES + entry % LANES;
}

/* Calls visit(j, seen) for the entries of the list of particle i, every LANES-th one from `lane` on. The particle itself is an
 * entry too, and the list ends with more of it, up to a multiple of FULL. */
template <class Visit>
__device__ __forceinline__ void visit_list(const world &world, uint32_t i, uint32_t lane, uint32_t length,
                                           const Visit &visit)
{
    const uint32_t *entry = world.list + entry_at(world, i, lane);
    const int rows = (int) (length / LANES);
    uint32_t next[AHEAD];
#pragma unroll
    for (int u = 0; u < AHEAD; u++)
        next[u] = rows > 0 ? entry[u * 32] : i;
#pragma unroll 1
    for (int row = 0; row < rows; row += AHEAD) {
        uint32_t now[AHEAD];
        kept_seen others[AHEAD];
        entry += AHEAD * 32;
#pragma unroll
        for (int u = 0; u < AHEAD; u++) {
            now[u] = next[u];
            others[u] = world.seen[now[u]];
        }
        if (row + AHEAD < rows)
#pragma unroll
            for (int u = 0; u < AHEAD; u++)
                next[u] = entry[u * 32];
#pragma unroll
        for (int u = 0; u < AHEAD; u++)
            visit(now[u], others[u].seen);
    }
}

/* The same without the particle itself. If it has no list, lane 0 takes the particles of the cells near it. */
template <class Visit>
__device__ __forceinline__ void visit_neighbours(const world &world, uint32_t i, uint32_t lane, const Visit &visit)
{
    const uint32_t length = world.length[i];
    if (length != ENGINE_NEIGHBOURS_NO_LIST)
        visit_list(world, i, lane, length, [&](uint32_t j, const engine_seen &other) {
            if (j != i)
                visit(j, other);
        });
    else if (lane == 0)
        visit_cells(world, i, visit);
}

/* The sums of particle i, added by `lane`. */
template <bool OPEN, class Rule>
__device__ __forceinline__ engine_sums sums_of_lane(const Rule &rule, const world &world, uint32_t i, uint32_t lane)
{
    const engine_seen self = world.seen[i].seen;
    engine_sums sums = {};
    visit_neighbours(world, i, lane, [&](uint32_t, const engine_seen &other) {
        float d[NEIGHBOURS_AXES];
        const float square = engine_apart(&world.space, self.place, other.place, d, OPEN);
        if (square < world.space.reach2)
#ifdef NEIGHBOURS_CENTRAL
            engine_add_fixed(sums.NEIGHBOURS_CENTRAL, factor_of(&rule, &self, &other, square), d);
#else
            meet(&rule, &self, &other, d, square, &sums);
#endif
    });
    return sums;
}

#ifdef NEIGHBOURS_CENTRAL
/* Sets the sums of particle i, added by `lane`, with 32 bits and without a branch. The sum of the sizes of all factors, times
 * the reach, bounds every sum. Returns false if the particle has no list or a sum might not fit into 32 bits. */
template <bool OPEN, class Rule>
__device__ __forceinline__ bool narrow_sums_of_lane(const Rule &rule, const world &world, uint32_t i, uint32_t lane,
                                                    engine_sums *out)
{
    const engine_seen self = world.seen[i].seen;
    const uint32_t length = world.length[i];
    int32_t sums[NEIGHBOURS_AXES] = {};
    float size = 0;
    visit_list(world, i, lane, length == ENGINE_NEIGHBOURS_NO_LIST ? 0 : length,
               [&](uint32_t, const engine_seen &other) {
                   float d[NEIGHBOURS_AXES];
                   const float square = engine_apart(&world.space, self.place, other.place, d, OPEN);
                   const float factor = factor_of(&rule, &self, &other, square);
                   size += fabsf(factor);
#pragma unroll
                   for (uint32_t c = 0; c < NEIGHBOURS_AXES; c++)
                       sums[c] += __float2int_rn(factor * d[c]);
               });
    for (uint32_t apart = LANES / 2; apart > 0; apart /= 2)
        size += __shfl_xor_sync(~0u, size, (int) apart);
    for (uint32_t c = 0; c < NEIGHBOURS_AXES; c++)
        out->NEIGHBOURS_CENTRAL[c] = sums[c];
    return length != ENGINE_NEIGHBOURS_NO_LIST && size * rule.reach < 0x1.fp30f;
}
#endif

/* The sums of the particle of each thread of a block of THREADS, of which particle `begin` is the first. In turn, the lanes
 * of a group share the list of one particle. All threads of the block call it. */
template <bool OPEN, class Rule>
__device__ __forceinline__ engine_sums sums_of_block(const Rule &rule, const world &world, uint32_t begin)
{
    __shared__ int64_t all[ENGINE_NEIGHBOURS_SUMS][THREADS];
    const uint32_t lane = threadIdx.x % LANES;
    engine_sums sums;
    int64_t *const numbers = (int64_t *) &sums;
#pragma unroll 1
    for (uint32_t own = threadIdx.x / LANES; own < THREADS; own += THREADS / LANES) {
        const uint32_t i = begin + own < world.space.count ? begin + own : world.space.count - 1;
#ifdef NEIGHBOURS_CENTRAL
        if (!narrow_sums_of_lane<OPEN>(rule, world, i, lane, &sums))
#endif
            sums = sums_of_lane<OPEN>(rule, world, i, lane);
#pragma unroll
        for (uint32_t k = 0; k < ENGINE_NEIGHBOURS_SUMS; k++) {
            for (uint32_t apart = LANES / 2; apart > 0; apart /= 2)
                numbers[k] += __shfl_xor_sync(~0u, (long long) numbers[k], (int) apart);
            if (lane == 0)
                all[k][own] = numbers[k];
        }
    }
    __syncthreads();
#pragma unroll
    for (uint32_t k = 0; k < ENGINE_NEIGHBOURS_SUMS; k++)
        numbers[k] = all[k][threadIdx.x];
    return sums;
}

/* ---- Loading and sorting ------------------------------------------------------------------------------------------- */

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

/* Moves the particles to their places in the order of cells. */
static __global__ void sort_particles(const __grid_constant__ world world, particles to, kept_seen *seen,
                                      const uint32_t *cell, const uint32_t *rank)
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
    NEIGHBOURS_PARTICLE(ENGINE_NEIGHBOURS_SORT)
    NEIGHBOURS_INPUTS(ENGINE_NEIGHBOURS_SORT)
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

/* Appends those of the particles [begin, end) that are near. First it finds out which of 32 particles are, without a branch.
 * It reads up to AHEAD particles behind the last. */
template <bool OPEN>
__device__ __forceinline__ void append_range(const world &world, const engine_seen &self, uint32_t begin, uint32_t end,
                                             growing *list)
{
    static_assert(32 % AHEAD == 0, "NEIGHBOURS_AHEAD is a power of two");
#pragma unroll 1
    for (; begin < end; begin += 32) {
        const uint32_t count = end - begin < 32 ? end - begin : 32;
        uint32_t near = 0;
#pragma unroll 1
        for (uint32_t k = 0; k < count; k += AHEAD) {
            kept_seen others[AHEAD];
            uint32_t some = 0;
#pragma unroll
            for (int u = 0; u < AHEAD; u++)
                others[u] = world.seen[begin + k + u];
#pragma unroll
            for (int u = 0; u < AHEAD; u++) {
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

/* Makes the list of each particle. It contains the particle itself, which saves a comparison. */
template <bool OPEN> __global__ __launch_bounds__(THREADS) void make_lists(const __grid_constant__ world world)
{
    const uint32_t i = (world.own + blockIdx.x) * THREADS + threadIdx.x, count = world.space.count;
    if (i >= count)
        return;
    const engine_seen self = world.seen[i].seen;
    growing list = {world.list + entry_at(world, i, 0), 0, world.rows * LANES};
    visit_rows(world, i, OPEN, [&](uint32_t begin, uint32_t end) { append_range<OPEN>(world, self, begin, end, &list); });
    while (list.length % FULL != 0 && list.length < list.room)
        append(&list, i);
    world.length[i] = list.length <= list.room ? list.length : ENGINE_NEIGHBOURS_NO_LIST;
}

} // namespace engine_neighbours

#endif
