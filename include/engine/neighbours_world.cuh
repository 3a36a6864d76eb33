/* engine/neighbours_world.cuh - particles on a GPU, and how threads go through the lists of neighbours and sum.
 *
 * engine/neighbours_lists.cuh includes it; see engine/neighbours.cuh. */
#ifndef ENGINE_NEIGHBOURS_WORLD_CUH
#define ENGINE_NEIGHBOURS_WORLD_CUH

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
    uint32_t states, places;       /* depths of messages; order_members finds them */
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
    int64_t *sums; /* [particle][sum], of the last step */
    uint32_t own;  /* the first of the blocks of THREADS particles whose lists this part of the run has */
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

/* ---- Neighbours -------------------------------------------------------------------------------------------------- */

/* Calls visit(j, seen) for particles begin to end without i. Reads several of them ahead, so that the reads
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
        const int z =
            NEIGHBOURS_AXES == 3 ? cell_near(space, NEIGHBOURS_AXES - 1, at[NEIGHBOURS_AXES - 1], kz, open) : 0;
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
    visit_rows(world, i, SOMETIMES_OPEN,
               [&](uint32_t begin, uint32_t end) { visit_range(world, i, begin, end, visit); });
}

/* Where entry `entry` of the list of particle i is in memory: LANES lanes read LANES entries of a particle at a time,
 * and a warp those of GROUPS particles. Entries that a particle's lanes read together are near each other in memory,
 * because lists are in the order of cells. */
static __device__ __forceinline__ size_t entry_at(const world &world, uint32_t i, uint32_t entry)
{
    return ((size_t) (i / GROUPS) * world.rows + entry / LANES) * 32 + i % GROUPS * LANES + entry % LANES;
}

/* Calls visit(j, seen) for the entries of the list of particle i, every LANES-th one from `lane` on. The particle
 * itself is an entry too, and the list ends with more of it, up to a multiple of FULL. */
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

/* Does the same without the particle itself. If that has no list, lane 0 takes the particles of the cells near it. */
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
/* Sets the sums of particle i, added by `lane`, with 32 bits and without a branch. The sum of the sizes of all factors,
 * times the reach, bounds every sum. Returns false if the particle has no list or a sum might not fit into 32 bits. */
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

/* The sums of the particle of each thread of a block of THREADS, of which particle `begin` is the first. In turn, the
 * lanes of a group share the list of one particle. All threads of the block call it. */
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

} // namespace engine_neighbours

#endif
