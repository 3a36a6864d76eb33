/* Each pair once: what i does to j is what j does to i, turned round.
 *
 * Bodies are in sets of R rows of 32, and the sets in a ring; every set meets those behind it, up to half way round, so
 * that every two meet once. A team of warps lets one set, its own, meet others: each warp has all of the own bodies, R
 * a lane, and takes every TEAM-th row of the others. A row lies in shared memory; lane l reads number l + k (mod 32) in
 * round k, and their sums pass from lane to lane after each round: only these three numbers move, and 32 rounds bring
 * them home. In the end the team adds up what its warps have for the own bodies, in their order. A set meets itself
 * from both sides.
 *
 * Where masses are few, bodies of one mass stand together (cuda_species.cu), and most sets have one mass: what two of
 * these do to each other is added up without masses, and multiplied by them in the end.
 *
 * Sets, and which of them one team lets meet, follow from the bodies' number and masses alone, as does every partial
 * sum. */
#ifndef NBODY_CUDA_PAIRS_CUH
#define NBODY_CUDA_PAIRS_CUH

#include "cuda_force.cuh"

/* What a warp knows of the own set, R bodies a lane. */
template <class T, int R> struct nbody_own {
    nbody_body<T> body[R];
    nbody_vector<T> sum[R];
};

/* A warp's shared memory: 32 bodies twice, for two meetings in turn; at the end, its sums. */
template <class T, int R> union nbody_desk {
    nbody_body<T> tile[2][64];
    T sums[R][3][32];

    __device__ nbody_desk()
    {
    }
};

/* Who a warp is. */
struct nbody_seat {
    uint32_t lane, warp; /* of the team */
    uint32_t team;       /* of the block */
};

/* What a team does: a set meets those `begin` to `end` behind it, at least one. */
template <class T> struct nbody_task {
    uint32_t sets; /* in the ring */
    uint32_t set, begin, end;
    T mass, others; /* NBODY_SPECIES: of each body of the set, and of those that it meets */
};

template <int TEAM> static __device__ inline nbody_seat nbody_take_seat()
{
    const uint32_t warp = __shfl_sync(~0u, threadIdx.x / 32, 0); /* the compiler then knows that lanes agree */
    return {threadIdx.x % 32, warp % TEAM, warp / TEAM};
}

template <int TEAM> static __device__ inline void nbody_wait_for_team(uint32_t team)
{
    asm volatile("bar.sync %0, %1;" : : "r"(team + 1), "n"(32 * TEAM) : "memory");
}

/* ---- One pair --------------------------------------------------------------------------------------------------- */

/* Weights for both sides. KIND says what the sums are short of: nothing (NBODY_ANY), the body's own mass that they have
 * too much (NBODY_POSITIVE: one weight for both sides, which spares the register file), or the mass that all bodies on
 * the other side have (NBODY_SPECIES: both sets are of one mass). */
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

/* Of a sum for a body of mass `own` over bodies of mass `others`. */
template <nbody_masses KIND, class T> static __device__ inline T nbody_missing(T own, T others)
{
    return KIND == NBODY_ANY ? T(1) : KIND == NBODY_SPECIES ? others : T(1) / own;
}

/* The order of these six is the one that the register file takes best; see the head of cuda.cu. */
template <class T>
static __device__ inline void nbody_exchange(nbody_vector<T> &here, nbody_vector<T> &there, const nbody_vector<T> &d,
                                             T a, T b)
{
    here.x = fma(a, d.x, here.x);
    there.x = fma(-b, d.x, there.x);
    there.y = fma(-b, d.y, there.y);
    here.y = fma(a, d.y, here.y);
    here.z = fma(a, d.z, here.z);
    there.z = fma(-b, d.z, there.z);
}

/* ---- Two sets --------------------------------------------------------------------------------------------------- */

template <nbody_masses KIND, class T, int R>
static __device__ inline nbody_vector<T> nbody_meet(nbody_own<T, R> &own, const nbody_body<T> *tile, T softening,
                                                    uint32_t lane)
{
    constexpr int ROUNDS = R > 4 ? 2 : 4; /* at a stretch: more take more registers, and copies of them */
    nbody_vector<T> there = {};
#pragma unroll ROUNDS
    for (uint32_t k = 0; k < 32; k++) {
        const nbody_body<T> other = tile[lane + k];
#pragma unroll
        for (int r = 0; r < R; r++) {
            const nbody_vector<T> d = nbody_between(own.body[r], other);
            T a, b;
            nbody_weights<KIND>(nbody_square(d, softening), own.body[r].mass, other.mass, &a, &b);
            nbody_exchange(own.sum[r], there, d, a, b);
        }
        there.x = __shfl_sync(~0u, there.x, lane + 1);
        there.y = __shfl_sync(~0u, there.y, lane + 1);
        there.z = __shfl_sync(~0u, there.z, lane + 1);
    }
    return there;
}

/* Row `row` of the own set, from one side alone. */
template <nbody_masses KIND, class T, int R>
static __device__ inline void nbody_meet_own(nbody_own<T, R> &own, const nbody_body<T> *tile, T softening,
                                             uint32_t lane, uint32_t row)
{
#pragma unroll 2
    for (uint32_t k = 0; k < 32; k++) {
        const nbody_body<T> other = tile[k];
#pragma unroll
        for (int r = 0; r < R; r++) {
            const nbody_vector<T> d = nbody_between(own.body[r], other);
            T a, b;
            nbody_weights<KIND>(nbody_square(d, softening), own.body[r].mass, other.mass, &a, &b);
            nbody_gather(own.sum[r], r == (int) row && k == lane ? T(0) : a, d);
        }
    }
}

/* Adds what the team's warps have for the own set. */
template <nbody_masses KIND, int TEAM, class T, int R>
static __device__ inline void nbody_add_own(const nbody_field<T> &field, const nbody_own<T, R> &own,
                                            nbody_desk<T, R> *desks, const nbody_seat &seat, const nbody_task<T> &task)
{
    __syncwarp();
#pragma unroll
    for (int r = 0; r < R; r++) {
        desks[seat.warp].sums[r][0][seat.lane] = own.sum[r].x;
        desks[seat.warp].sums[r][1][seat.lane] = own.sum[r].y;
        desks[seat.warp].sums[r][2][seat.lane] = own.sum[r].z;
    }
    nbody_wait_for_team<TEAM>(seat.team);
    for (uint32_t r = seat.warp; r < R; r += TEAM) {
        const uint32_t body = 32 * (R * task.set + r) + seat.lane;
        nbody_vector<T> sum = {};
        for (int w = 0; w < TEAM; w++) {
            sum.x += desks[w].sums[r][0][seat.lane];
            sum.y += desks[w].sums[r][1][seat.lane];
            sum.z += desks[w].sums[r][2][seat.lane];
        }
        if (body < field.count)
            nbody_add(field, body, sum, nbody_missing<KIND>(field.mass_unit * field.mass[body], task.others));
    }
}

/* Number of the set `offset` behind a set. */
static __device__ inline uint32_t nbody_behind(uint32_t set, uint32_t offset, uint32_t sets)
{
    return set + offset < sets ? set + offset : set + offset - sets;
}

/* Offsets 0 to half way; where two sets are half way from each other, the first meets the second. */
static __device__ inline uint32_t nbody_offsets(uint32_t set, uint32_t sets)
{
    return 1 + (sets - 1) / 2 + (sets % 2 == 0 && set < sets / 2);
}

/* A team lets a set meet those of a task. `desks`: the team's. NBODY_SPECIES: the task says their masses. */
template <nbody_masses KIND, int TEAM, class T, int R>
static __device__ inline void nbody_meet_sets(const nbody_field<T> &field, uint32_t extent, nbody_desk<T, R> *desks,
                                              const nbody_seat &seat, const nbody_task<T> &task)
{
    constexpr uint32_t TURNS = R / TEAM; /* of a warp with one set */
    const nbody_reader<T> read(field, extent);
    const uint32_t mine = 32 * seat.warp + seat.lane;
    uint32_t body = 32 * R * nbody_behind(task.set, task.begin, task.sets) + mine;
    nbody_body<T> next = read(body);
    nbody_own<T, R> own = {};
#pragma unroll
    for (int r = 0; r < R; r++)
        own.body[r] = read(32 * (R * task.set + r) + seat.lane);
    nbody_wait_for_team<TEAM>(seat.team); /* who may still add up what lies on the desks */
    for (uint32_t turn = TURNS * task.begin; turn < TURNS * task.end; turn++) {
        nbody_body<T> *tile = desks[seat.warp].tile[turn % 2];
        const uint32_t kept = body;
        const T mass = next.mass;
        tile[seat.lane] = tile[seat.lane + 32] = next;
        __syncwarp();
        body = body + 32 * TEAM < 32 * R * task.sets ? body + 32 * TEAM : mine;
        if (turn + 1 < TURNS * task.end)
            next = read(body);
        if (turn < TURNS) {
            nbody_meet_own<KIND>(own, tile, read.softening, seat.lane, TEAM * turn + seat.warp);
        } else {
            const nbody_vector<T> sum = nbody_meet<KIND>(own, tile, read.softening, seat.lane);
            const uint32_t before = body >= 32 * TEAM ? body - 32 * TEAM : 32 * R * task.sets - 32 * TEAM + mine;
            nbody_add(field, R > 4 ? before : kept, sum, nbody_missing<KIND>(mass, task.mass)); /* or a register more */
        }
    }
    nbody_add_own<KIND, TEAM>(field, own, desks, seat, task);
}

/* The same for as many of these as it meets in one way; returns where they end. Two sets without mass do nothing. */
template <nbody_masses KIND, int TEAM, class T, int R>
static __device__ inline uint32_t nbody_meet_run(const nbody_field<T> &field, uint32_t extent, nbody_desk<T, R> *desks,
                                                 const nbody_seat &seat, const nbody_run *runs, nbody_task<T> task)
{
    if constexpr (KIND == NBODY_SPECIES) {
        const nbody_run own = runs[task.set], others = runs[nbody_behind(task.set, task.begin, task.sets)];
        if (own.sets > 0 && others.sets > 0) {
            task.end = min(task.end, task.begin + others.sets);
            task.mass = (T) own.mass, task.others = (T) others.mass;
            if (task.mass > 0 || task.others > 0)
                nbody_meet_sets<KIND, TEAM>(field, extent, desks, seat, task);
        } else {
            task.end = own.sets > 0 ? task.begin + 1 : task.end;
            nbody_meet_sets<NBODY_ANY, TEAM>(field, extent, desks, seat, task);
        }
    } else {
        nbody_meet_sets<KIND, TEAM>(field, extent, desks, seat, task);
    }
    return task.end;
}

/* Blocks are teams: number b lets set b % sets meet part b / sets of the sets behind it. */
template <class T, int R, nbody_masses KIND, int TEAM, int BLOCKS>
static __global__ void __launch_bounds__(32 * TEAM, BLOCKS)
    nbody_pairs(const __grid_constant__ nbody_field<T> field, uint32_t sets, uint32_t parts)
{
    __shared__ nbody_desk<T, R> desks[TEAM];
    const uint32_t set = blockIdx.x % sets, part = blockIdx.x / sets;
    const uint32_t offsets = nbody_offsets(set, sets);
    nbody_task<T> task = {sets, set};
    task.begin = (uint32_t) ((uint64_t) offsets * part / parts);
    task.end = (uint32_t) ((uint64_t) offsets * (part + 1) / parts);
    const nbody_seat seat = nbody_take_seat<TEAM>();
    while (task.begin < task.end)
        task.begin = nbody_meet_run<KIND, TEAM>(field, field.scale->extent, desks, seat, field.runs, task);
}

#endif
