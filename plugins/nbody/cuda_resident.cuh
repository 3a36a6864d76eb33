/* All steps of a call in one kernel, for few bodies. Each group of warps has one pair of tiles or a few and keeps
 * them for all steps. Blocks wait for each other once a step, when all forces are added:
 *
 *     block 0    moves its tiles, pairs them |     | moves its tiles, pairs them |     | ...
 *     block 1    moves its tiles, pairs them | all | moves its tiles, pairs them | all | ...
 *     block 2    moves its tiles, pairs them |     | moves its tiles, pairs them |     | ...
 *
 * A tile belongs to many groups, and each moves its own copy of the tile's bodies, all in the same way. That takes less
 * time than to wait until one of them has moved the bodies and the others have read them.
 *
 * The unit of the sums follows from the extent of all positions (cuda_bodies.cuh), which a group knows only after the
 * blocks have waited. So the groups use the extent of the step before. If it was another one, which is rare, all groups
 * try the step again with the right extent. A try adds to one of three sets of sums, while the second is read, and the
 * third is cleared. */
#ifndef NBODY_CUDA_RESIDENT_CUH
#define NBODY_CUDA_RESIDENT_CUH

#include "cuda_pairs.cuh"
#include "cuda_steps.cuh"

/* Two tiles that a group pairs. */
template <class T> struct nbody_pair {
    nbody_task<T> task;
    bool mixed; /* NBODY_SPECIES: a tile has several masses */
};

/* A group's shared memory. Of each of its PAIRS pairs a thread keeps ROWS bodies of the own tile, then as many of the
 * other one: position, velocity and mass, in the user's units. */
template <class T, int R, int WARPS, int PAIRS> struct nbody_group {
    static constexpr int ROWS = R / WARPS;
    nbody_warp_memory<T, R> warp[WARPS];
    T tile[4][32 * R]; /* the own tile, in the kernel's units: all x, all y, all z, all masses */
    T kept[PAIRS][2 * ROWS][7][32 * WARPS];
    nbody_pair<T> pair[PAIRS];
};

/* The numbers of a body that a thread keeps. */
template <class T, int WARPS> struct nbody_kept {
    T (*numbers)[32 * WARPS];
    uint32_t body;

    __device__ T &operator[](uint32_t k) const
    {
        return numbers[k][threadIdx.x % (32 * WARPS)];
    }
};

/* The thread's body k of pair p. */
template <class T, int R, int WARPS, int PAIRS>
static __device__ inline nbody_kept<T, WARPS> nbody_kept_body(nbody_group<T, R, WARPS, PAIRS> *group, uint32_t p,
                                                              uint32_t k)
{
    constexpr uint32_t ROWS = R / WARPS;
    const nbody_task<T> &task = group->pair[p].task;
    const uint32_t tile = k < ROWS ? task.tile : nbody_tile_behind(task.tile, task.begin, task.tiles);
    return {group->kept[p][k], 32 * (R * tile + WARPS * (k % ROWS)) + threadIdx.x % (32 * WARPS)};
}

/* ---- Start ------------------------------------------------------------------------------------------------------ */

template <nbody_masses KIND, class T>
static __device__ inline nbody_pair<T> nbody_find_pair(const nbody_run *runs, uint32_t number, uint32_t tiles)
{
    nbody_pair<T> pair = {nbody_task_of<T>(number, tiles, 1), false};
    nbody_task<T> &task = pair.task;
    if (KIND == NBODY_SPECIES) {
        const nbody_run own = runs[task.tile], other = runs[nbody_tile_behind(task.tile, task.begin, tiles)];
        pair.mixed = own.tiles == 0 || other.tiles == 0;
        task.mass = (T) own.mass, task.other_mass = (T) other.mass;
    }
    return pair;
}

/* Fills the memory of a group for its first `pairs` pairs. */
template <nbody_masses KIND, class T, int R, int WARPS, int PAIRS>
static __device__ inline void nbody_fill_group(const nbody_field<T> &field, nbody_group<T, R, WARPS, PAIRS> *group,
                                               const nbody_warp &id, uint32_t number, uint32_t next, uint32_t tiles,
                                               uint32_t pairs)
{
    for (uint32_t p = 0; p < pairs; p++) {
        if (id.warp == 0 && id.lane == 0)
            group->pair[p] = nbody_find_pair<KIND, T>(field.runs, number + p * next, tiles);
        nbody_sync_group<WARPS>(id.group);
        for (uint32_t k = 0; k < 2 * (R / WARPS); k++) {
            const nbody_kept<T, WARPS> kept = nbody_kept_body(group, p, k);
            for (uint32_t c = 0; c < 3 && kept.body < field.count; c++) {
                kept[c] = field.position[kept.body + c * field.stride];
                kept[3 + c] = field.velocity[kept.body + c * field.stride];
            }
            kept[6] = kept.body < field.count ? field.mass_unit * field.mass[kept.body] : T(0);
        }
    }
}

/* ---- Moves ------------------------------------------------------------------------------------------------------ */

/* The low words of the sums of a thread's kept bodies. */
template <int ROWS> struct nbody_low_words {
    unsigned long long of[2 * ROWS][3];
};

template <class T, int R, int WARPS, int PAIRS>
static __device__ inline nbody_low_words<R / WARPS> nbody_read_low(const nbody_field<T> &field,
                                                                   nbody_group<T, R, WARPS, PAIRS> *group, uint32_t p)
{
    nbody_low_words<R / WARPS> low = {};
#pragma unroll
    for (uint32_t k = 0; k < 2 * (R / WARPS); k++) {
        const uint32_t body = nbody_kept_body(group, p, k).body;
#pragma unroll
        for (uint32_t c = 0; c < 3; c++)
            low.of[k][c] = body < field.count ? field.low[(uint64_t) c * field.count + body] : 0;
    }
    return low;
}

/* Moves the kept bodies of a pair. `last`: stores those of a tile that is paired with itself. */
template <class T, int R, int WARPS, int PAIRS>
static __device__ inline void nbody_move_kept(const nbody_step<T> &step, const nbody_field<T> &field,
                                              nbody_group<T, R, WARPS, PAIRS> *group, uint32_t p,
                                              const nbody_low_words<R / WARPS> &low, const nbody_scale &now, bool last)
{
    const nbody_stages stages = nbody_after_forces(step.integrator, true, last);
    const bool store = last && group->pair[p].task.begin == 0;
    const int extent = nbody_extent(field, now.extent);
#pragma unroll
    for (uint32_t k = 0; k < 2 * (R / WARPS); k++) {
        const nbody_kept<T, WARPS> kept = nbody_kept_body(group, p, k);
#pragma unroll
        for (uint32_t c = 0; c < 3 && kept.body < field.count; c++) {
            const uint64_t number = (uint64_t) c * field.count + kept.body;
            const double sum = nbody_sum(field, number, low.of[k][c], now.flags.large != 0);
            const T a = nbody_acceleration(step, sum, extent, now.flags.overflow != 0);
            nbody_kick_and_drift(step, stages, a, &kept[3 + c], &kept[c]);
            if (store && k < R / WARPS) {
                const int64_t at = kept.body + c * field.stride;
                field.acceleration[at] = a, field.velocity[at] = kept[3 + c], field.position[at] = kept[c];
            }
        }
    }
}

/* ---- Forces ----------------------------------------------------------------------------------------------------- */

/* A kept body in the kernel's units. */
template <class T, int WARPS>
static __device__ inline nbody_body<T> nbody_scaled(const nbody_reader<T> &read, const nbody_kept<T, WARPS> &kept)
{
    if (kept.body >= read.field.count)
        return read(kept.body);
    return {read.unit * kept[0], read.unit * kept[1], read.unit * kept[2], kept[6]};
}

/* Makes the own tile and the warps' rows of the other one ready. A tile that is paired with itself raises the
 * extent of the set to its own. */
template <class T, int R, int WARPS, int PAIRS>
static __device__ inline void nbody_stage(const nbody_reader<T> &read, nbody_group<T, R, WARPS, PAIRS> *group,
                                          uint32_t p, const nbody_warp &id)
{
    constexpr uint32_t ROWS = R / WARPS;
    int exponent = -NBODY_BIAS;
    nbody_sync_group<WARPS>(id.group); /* a warp may still add up sums of the pair before */
    for (uint32_t k = 0; k < ROWS; k++) {
        const nbody_kept<T, WARPS> kept = nbody_kept_body(group, p, k);
        const nbody_body<T> body = nbody_scaled(read, kept);
        const uint32_t at = 32 * (WARPS * k + id.warp) + id.lane;
        group->tile[0][at] = body.x, group->tile[1][at] = body.y, group->tile[2][at] = body.z;
        group->tile[3][at] = body.mass;
        for (uint32_t c = 0; c < 3 && kept.body < read.field.count; c++)
            exponent = max(exponent, nbody_exponent_above(kept[c]));
        nbody_body<T> *row = group->warp[id.warp].row[k];
        row[id.lane] = row[id.lane + 32] = nbody_scaled(read, nbody_kept_body(group, p, ROWS + k));
    }
    const uint32_t most = __reduce_max_sync(~0u, (uint32_t) (exponent + NBODY_BIAS));
    if (group->pair[p].task.begin == 0 && id.lane == 0)
        atomicMax(&read.field.scale->extent, most);
    nbody_sync_group<WARPS>(id.group);
}

/* Adds the forces of a pair that is ready, as nbody_pair_tiles does. */
template <nbody_masses KIND, class T, int R, int WARPS, int PAIRS>
static __device__ inline void nbody_pair_ready(const nbody_field<T> &field, T softening,
                                               nbody_group<T, R, WARPS, PAIRS> *group, uint32_t p, const nbody_warp &id)
{
    const nbody_task<T> task = group->pair[p].task;
    nbody_own<T, R> own = {};
#pragma unroll
    for (int r = 0; r < R; r++) {
        const uint32_t at = 32 * r + id.lane; /* four reads, so that the compiler can choose register banks */
        own.body[r] = {group->tile[0][at], group->tile[1][at], group->tile[2][at], group->tile[3][at]};
    }
#pragma unroll 1
    for (uint32_t k = 0; k < R / WARPS; k++) {
        const nbody_body<T> *row = group->warp[id.warp].row[k];
        if (task.begin == 0) {
            nbody_interact_own<KIND>(own, row, softening, id.lane, WARPS * k + id.warp);
        } else {
            const nbody_vector<T> sum = nbody_interact<KIND>(own, row, softening, id.lane);
            nbody_add(field, nbody_kept_body(group, p, R / WARPS + k).body, sum,
                      nbody_sum_factor<KIND>(row[id.lane].mass, task.mass));
        }
    }
    nbody_add_own<KIND, WARPS>(field, own, group->warp, id, task);
}

template <nbody_masses KIND, class T, int R, int WARPS, int PAIRS>
static __device__ inline void nbody_add_forces(const nbody_field<T> &field, const nbody_reader<T> &read,
                                               nbody_group<T, R, WARPS, PAIRS> *group, uint32_t p, const nbody_warp &id)
{
    nbody_stage(read, group, p, id);
    const nbody_pair<T> &pair = group->pair[p];
    if (KIND == NBODY_SPECIES && pair.mixed)
        nbody_pair_ready<NBODY_ANY>(field, read.softening, group, p, id);
    else if (KIND != NBODY_SPECIES || pair.task.mass != 0 || pair.task.other_mass != 0)
        nbody_pair_ready<KIND>(field, read.softening, group, p, id);
}

/* ---- The kernel ------------------------------------------------------------------------------------------------- */

/* The field with a set of sums and its record. */
template <class T> static __device__ inline nbody_field<T> nbody_use_set(const nbody_field<T> &field, uint32_t set)
{
    nbody_field<T> with = field;
    with.low = field.low + (uint64_t) set * 6 * field.count, with.high = with.low + 3 * field.count;
    with.scale = field.scale + 1 + set;
    return with;
}

/* All threads clear a set of sums, and its record. */
template <class T> static __device__ inline void nbody_clear_set(const nbody_field<T> &field, uint32_t set)
{
    const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    const nbody_field<T> old = nbody_use_set(field, set);
    for (uint32_t k = thread; k < 6 * field.count; k += gridDim.x * blockDim.x)
        old.low[k] = 0;
    if (thread == 0)
        *old.scale = {};
}

/* A block is GROUPS groups of WARPS warps. Group g has the pairs of tiles g, g + groups and so on. All sets of sums and
 * their records are 0 at the start. */
template <class T, int R, nbody_masses KIND, int WARPS, int GROUPS, int PAIRS>
static __global__ void __launch_bounds__(32 * WARPS * GROUPS, 1)
    nbody_resident(const __grid_constant__ nbody_step<T> step, uint32_t tiles, uint32_t pairs, uint64_t steps)
{
    const nbody_warp id = nbody_this_warp<WARPS>();
    nbody_group<T, R, WARPS, PAIRS> *group = (nbody_group<T, R, WARPS, PAIRS> *) nbody_dynamic_memory() + id.group;
    const uint32_t number = blockIdx.x + id.group * gridDim.x, groups = GROUPS * gridDim.x;
    const uint32_t own = number < pairs ? (pairs - 1 - number) / groups + 1 : 0;
    nbody_scale *scale = step.field.scale;
    uint32_t extent = scale->extent, tries = 0;
    nbody_fill_group<KIND>(step.field, group, id, number, groups, tiles, own);
    for (uint64_t n = 1; n <= steps;) {
        const uint32_t set = tries % NBODY_TURNS;
        const nbody_field<T> field = nbody_use_set(step.field, set);
        nbody_clear_set(step.field, (tries + 1) % NBODY_TURNS);
        for (uint32_t p = 0; p < own; p++)
            nbody_add_forces<KIND>(field, nbody_reader<T>(field, extent), group, p, id);
        nbody_sync_blocks(&scale->arrived, ++tries);
        nbody_low_words<R / WARPS> low = {};
        if (own > 0)
            low = nbody_read_low(field, group, 0);
        const nbody_scale now = *field.scale; /* arrives with the low words */
        const uint32_t right = now.extent;
        for (uint32_t p = 0; p < own && right == extent; p++) {
            nbody_low_words<R / WARPS> next = low; /* is on its way while the pair is moved */
            if (p + 1 < own)
                next = nbody_read_low(field, group, p + 1);
            nbody_move_kept(step, field, group, p, low, now, n == steps);
            low = next;
        }
        n += right == extent;
        extent = right;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0)
        scale->extent = extent;
}

#endif
