/* Each pair once: the force of i on j is the force of j on i, reversed.
 *
 * Bodies are cut into tiles of R rows of 32 bodies. The tiles form a ring. Each tile is paired with itself, from both
 * sides, and with the tiles up to half way around behind it (nbody_tile_offsets): so each pair of tiles comes once.
 *
 * A group of warps takes a tile, its own, and pairs it with several others. Each warp has all own bodies in registers,
 * R a lane. Of the other tiles it takes every WARPS-th row, which lies in shared memory. In round k lane l reads body
 * (l + k) mod 32 of the row. Only the row's sums move: after each round a lane hands its sum to the lane on its left.
 * With 4 lanes instead of 32:
 *
 *     round    lane 0    lane 1    lane 2    lane 3
 *       0        j0        j1        j2        j3         A lane pairs its R bodies with one body j of the row. It adds
 *       1        j1        j2        j3        j0         to their sums in registers and to the sum of j.
 *       2        j2        j3        j0        j1
 *       3        j3        j0        j1        j2         Then the sums are back: lane l has the sum of j_l.
 *
 * In the end the group adds up the sums that its warps have for the own bodies, in the order of the warps. If there are
 * few masses, most tiles have one mass (cuda_species.cu). Sums of two such tiles are multiplied by a mass at the end.
 *
 * Tiles, and how they are shared among groups, follow from the bodies' number and masses alone; so does every sum. */
#ifndef NBODY_CUDA_PAIRS_CUH
#define NBODY_CUDA_PAIRS_CUH

#include "cuda_force.cuh"

/* A lane's part of the own tile. */
template <class T, int R> struct nbody_own {
    nbody_body<T> body[R];
    nbody_vector<T> sum[R];
};

/* A warp's shared memory: two rows in turn, each stored twice so that l + k needs no modulo; at the end, its sums. */
template <class T, int R> union nbody_warp_memory {
    nbody_body<T> row[2][64];
    T sums[R][3][32];

    __device__ nbody_warp_memory()
    {
    }
};

struct nbody_warp {
    uint32_t lane;
    uint32_t warp;  /* number in its group */
    uint32_t group; /* number in the block */
};

/* What a group does: it pairs tile `tile` with the tiles `begin` to `end` behind it, at least one. */
template <class T> struct nbody_task {
    uint32_t tiles; /* in the ring */
    uint32_t tile, begin, end;
    T mass, other_mass; /* NBODY_SPECIES: of each body of the tile, and of each body of the others */
};

template <int WARPS> static __device__ inline nbody_warp nbody_this_warp()
{
    const uint32_t warp = __shfl_sync(~0u, threadIdx.x / 32, 0); /* tells the compiler that all lanes agree */
    return {threadIdx.x % 32, warp % WARPS, warp / WARPS};
}

/* ---- One pair --------------------------------------------------------------------------------------------------- */

/* The weights of a pair for the sums of both bodies, by what the masses allow:
 *
 *                       weight on the own side    on the other side    a sum is multiplied at the end by
 *     NBODY_ANY         cube * other              cube * mass          1
 *     NBODY_POSITIVE    cube * mass * other       the same             1 / the body's own mass
 *     NBODY_SPECIES     cube                      the same             the mass of the bodies on the other side
 *
 * where cube = square^(-3/2). In the last two rows both sides have the same weight, and the multiplication at the end
 * of a sum corrects the mass. So the additions for a pair read one weight from the register file instead of two, and
 * the register file is the limit of this loop. */
template <nbody_masses KIND, class T>
static __device__ inline void nbody_weights(T square, T mass, T other, T *here, T *there)
{
    if (KIND == NBODY_ANY) {
        const T cube = nbody_inverse_cube(square);
        *here = cube * other, *there = cube * mass;
    } else {
        *here = *there = KIND == NBODY_SPECIES ? nbody_inverse_cube(square) : nbody_inverse_cube(square, mass * other);
    }
}

/* The factor of the last column for a body of mass `own` and bodies of mass `others` on the other side. */
template <nbody_masses KIND, class T> static __device__ inline T nbody_sum_factor(T own, T others)
{
    return KIND == NBODY_ANY ? T(1) : KIND == NBODY_SPECIES ? others : T(1) / own;
}

/* Adds a pair to the sums of both bodies. The orders of the six lines give the fewest conflicts of register banks. */
template <nbody_masses KIND, class T>
static __device__ inline void nbody_accumulate_both(nbody_vector<T> &here, nbody_vector<T> &there,
                                                    const nbody_vector<T> &d, T a, T b)
{
    if (KIND == NBODY_POSITIVE) {
        there.z = fma(-b, d.z, there.z);
        there.x = fma(-b, d.x, there.x);
        here.x = fma(a, d.x, here.x);
        here.z = fma(a, d.z, here.z);
        here.y = fma(a, d.y, here.y);
        there.y = fma(-b, d.y, there.y);
    } else if (sizeof(T) == 8) {
        here.y = fma(a, d.y, here.y);
        here.x = fma(a, d.x, here.x);
        there.z = fma(-b, d.z, there.z);
        there.x = fma(-b, d.x, there.x);
        there.y = fma(-b, d.y, there.y);
        here.z = fma(a, d.z, here.z);
    } else {
        here.x = fma(a, d.x, here.x);
        there.x = fma(-b, d.x, there.x);
        there.y = fma(-b, d.y, there.y);
        here.y = fma(a, d.y, here.y);
        here.z = fma(a, d.z, here.z);
        there.z = fma(-b, d.z, there.z);
    }
}

/* ---- A tile and a row ------------------------------------------------------------------------------------------- */

/* The own tile with a row of another tile. Returns the sum of body `lane` of the row. */
template <nbody_masses KIND, class T, int R>
static __device__ inline nbody_vector<T> nbody_interact(nbody_own<T, R> &own, const nbody_body<T> *row, T softening,
                                                        uint32_t lane)
{
    constexpr int ROUNDS = R > 4 ? 2 : 4; /* unrolled; more take more registers, and copies between them */
    nbody_vector<T> there = {};
#pragma unroll ROUNDS
    for (uint32_t k = 0; k < 32; k++) {
        const nbody_body<T> other = row[lane + k];
#pragma unroll
        for (int r = 0; r < R; r++) {
            const nbody_vector<T> d = nbody_between(own.body[r], other);
            T a, b;
            nbody_weights<KIND>(nbody_square(d, softening), own.body[r].mass, other.mass, &a, &b);
            nbody_accumulate_both<KIND>(own.sum[r], there, d, a, b);
        }
        there.x = __shfl_sync(~0u, there.x, lane + 1);
        there.y = __shfl_sync(~0u, there.y, lane + 1);
        there.z = __shfl_sync(~0u, there.z, lane + 1);
    }
    return there;
}

/* The own tile with row `number` of itself, from one side. A body's term with itself is 0. */
template <nbody_masses KIND, class T, int R>
static __device__ inline void nbody_interact_own(nbody_own<T, R> &own, const nbody_body<T> *row, T softening,
                                                 uint32_t lane, uint32_t number)
{
#pragma unroll 2
    for (uint32_t k = 0; k < 32; k++) {
        const nbody_body<T> other = row[k];
#pragma unroll
        for (int r = 0; r < R; r++) {
            const nbody_vector<T> d = nbody_between(own.body[r], other);
            T a, b;
            nbody_weights<KIND>(nbody_square(d, softening), own.body[r].mass, other.mass, &a, &b);
            nbody_accumulate(own.sum[r], r == (int) number && k == lane ? T(0) : a, d);
        }
    }
}

/* Adds the sums that the group's warps have for the own tile to those of the field. */
template <nbody_masses KIND, int WARPS, class T, int R>
static __device__ inline void nbody_add_own(const nbody_field<T> &field, const nbody_own<T, R> &own,
                                            nbody_warp_memory<T, R> *memory, const nbody_warp &id,
                                            const nbody_task<T> &task)
{
    __syncwarp();
#pragma unroll
    for (int r = 0; r < R; r++) {
        memory[id.warp].sums[r][0][id.lane] = own.sum[r].x;
        memory[id.warp].sums[r][1][id.lane] = own.sum[r].y;
        memory[id.warp].sums[r][2][id.lane] = own.sum[r].z;
    }
    nbody_sync_group<WARPS>(id.group);
    for (uint32_t r = id.warp; r < R; r += WARPS) {
        const uint32_t body = 32 * (R * task.tile + r) + id.lane;
        nbody_vector<T> sum = {};
        for (int w = 0; w < WARPS; w++) {
            sum.x += memory[w].sums[r][0][id.lane];
            sum.y += memory[w].sums[r][1][id.lane];
            sum.z += memory[w].sums[r][2][id.lane];
        }
        if (body < field.count)
            nbody_add(field, body, sum, nbody_sum_factor<KIND>(field.mass_unit * field.mass[body], task.other_mass));
    }
}

/* ---- Tiles ------------------------------------------------------------------------------------------------------ */

/* The tile that is `offset` behind a tile in the ring. */
static __device__ inline uint32_t nbody_tile_behind(uint32_t tile, uint32_t offset, uint32_t tiles)
{
    return tile + offset < tiles ? tile + offset : tile + offset - tiles;
}

/* The number of tiles that a tile is paired with, itself included. Of two tiles half way around the ring from each
 * other the one with the lower number takes the pair. */
static __device__ inline uint32_t nbody_tile_offsets(uint32_t tile, uint32_t tiles)
{
    return 1 + (tiles - 1) / 2 + (tiles % 2 == 0 && tile < tiles / 2);
}

/* A group pairs its tile with those of a task. `memory`: the group's. */
template <nbody_masses KIND, int WARPS, class T, int R>
static __device__ inline void nbody_pair_tiles(const nbody_field<T> &field, uint32_t extent,
                                               nbody_warp_memory<T, R> *memory, const nbody_warp &id,
                                               const nbody_task<T> &task)
{
    constexpr uint32_t ROWS = R / WARPS; /* of each tile that a warp takes */
    const nbody_reader<T> read(field, extent);
    const uint32_t mine = 32 * id.warp + id.lane;
    uint32_t body = 32 * R * nbody_tile_behind(task.tile, task.begin, task.tiles) + mine;
    nbody_body<T> next = read(body);
    nbody_own<T, R> own = {};
#pragma unroll
    for (int r = 0; r < R; r++)
        own.body[r] = read(32 * (R * task.tile + r) + id.lane);
    nbody_sync_group<WARPS>(id.group); /* a warp may still add up sums of the task before */
    for (uint32_t n = ROWS * task.begin; n < ROWS * task.end; n++) {
        nbody_body<T> *row = memory[id.warp].row[n % 2];
        const uint32_t kept = body;
        const T mass = next.mass;
        row[id.lane] = row[id.lane + 32] = next;
        __syncwarp();
        body = body + 32 * WARPS < 32 * R * task.tiles ? body + 32 * WARPS : mine;
        if (n + 1 < ROWS * task.end)
            next = read(body);
        if (n < ROWS) { /* offset 0: the own tile */
            nbody_interact_own<KIND>(own, row, read.softening, id.lane, WARPS * n + id.warp);
        } else {
            const nbody_vector<T> sum = nbody_interact<KIND>(own, row, read.softening, id.lane);
            const uint32_t before = body >= 32 * WARPS ? body - 32 * WARPS : 32 * R * task.tiles - 32 * WARPS + mine;
            const uint32_t here = R > 4 ? before : kept; /* computed again where registers are short */
            nbody_add(field, here, sum, nbody_sum_factor<KIND>(mass, task.mass));
        }
    }
    nbody_add_own<KIND, WARPS>(field, own, memory, id, task);
}

/* The same for the first part of a task, and returns where the next part begins. NBODY_SPECIES divides a task: a part
 * is a run of tiles in which all bodies have one mass. Tiles with several masses are paired by NBODY_ANY, and two tiles
 * without mass are skipped. The other kinds take the whole task. */
template <nbody_masses KIND, int WARPS, class T, int R>
static __device__ inline uint32_t nbody_pair_run(const nbody_field<T> &field, uint32_t extent,
                                                 nbody_warp_memory<T, R> *memory, const nbody_warp &id,
                                                 const nbody_run *runs, nbody_task<T> task)
{
    if constexpr (KIND == NBODY_SPECIES) {
        const nbody_run own = runs[task.tile], others = runs[nbody_tile_behind(task.tile, task.begin, task.tiles)];
        if (own.tiles > 0 && others.tiles > 0) {
            task.end = min(task.end, task.begin + others.tiles);
            task.mass = (T) own.mass, task.other_mass = (T) others.mass;
            if (task.mass > 0 || task.other_mass > 0)
                nbody_pair_tiles<KIND, WARPS>(field, extent, memory, id, task);
        } else {
            task.end = own.tiles > 0 ? task.begin + 1 : task.end;
            nbody_pair_tiles<NBODY_ANY, WARPS>(field, extent, memory, id, task);
        }
    } else {
        nbody_pair_tiles<KIND, WARPS>(field, extent, memory, id, task);
    }
    return task.end;
}

/* ---- Tasks ------------------------------------------------------------------------------------------------------ */

/* A task pairs a tile with up to `part` tiles behind it. First come the tasks of all tiles that begin with offset 0,
 * then those that begin with offset `part`, and so on. So the shorter tasks come last. */
static inline uint32_t nbody_task_count(uint32_t tiles, uint32_t part)
{
    const uint32_t offsets = 1 + (tiles - 1) / 2; /* half of an even number of tiles have one more */
    return tiles * ((offsets + part - 1) / part) + (tiles % 2 == 0 && offsets % part == 0 ? tiles / 2 : 0);
}

template <class T> static __device__ inline nbody_task<T> nbody_task_of(uint32_t number, uint32_t tiles, uint32_t part)
{
    nbody_task<T> task = {tiles, number % tiles};
    task.begin = number / tiles * part;
    task.end = min(task.begin + part, nbody_tile_offsets(task.tile, tiles));
    return task;
}

/* A block is one group and has one task. */
template <class T, int R, nbody_masses KIND, int WARPS, int BLOCKS>
static __global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    nbody_pairs(const __grid_constant__ nbody_field<T> field, uint32_t tiles, uint32_t part)
{
    __shared__ nbody_warp_memory<T, R> memory[WARPS];
    nbody_task<T> task = nbody_task_of<T>(blockIdx.x * field.shares + field.share, tiles, part);
    const nbody_warp id = nbody_this_warp<WARPS>();
    while (task.begin < task.end)
        task.begin = nbody_pair_run<KIND, WARPS>(field, field.scale->extent, memory, id, field.runs, task);
}

#endif
