/* Each pair once: what i does to j is what j does to i, turned round.
 *
 * Bodies are in sets of 32 R, and the sets in a ring; every set meets those behind it, up to half way round, so that
 * every two meet once. A team of R warps lets one set, its own, meet another: each warp has all of the own bodies, R a
 * lane, and 32 of the other's. These lie in shared memory; lane l reads number l + k (mod 32) in round k, and their
 * sums pass from lane to lane after each round: only these three numbers move, and 32 rounds bring them home. In the
 * end the team adds up what its warps have for the own bodies, in their order. A set meets itself from both sides.
 *
 * Sets, and which of them one team lets meet, follow from the number of bodies alone, as does every partial sum. */
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

template <int R> static __device__ inline nbody_seat nbody_take_seat()
{
    const uint32_t warp = __shfl_sync(~0u, threadIdx.x / 32, 0); /* the compiler then knows that lanes agree */
    return {threadIdx.x % 32, warp % R, warp / R};
}

template <int R> static __device__ inline void nbody_wait_for_team(uint32_t team)
{
    asm volatile("bar.sync %0, %1;" : : "r"(team + 1), "n"(32 * R) : "memory");
}

/* ---- One pair --------------------------------------------------------------------------------------------------- */

/* Weights for both sides. KIND says what the sums are short of: nothing (NBODY_ANY), the body's own mass that they have
 * too much (NBODY_POSITIVE: one weight for both sides, which spares the register file), or the mass that all have
 * (NBODY_EQUAL). */
template <nbody_masses KIND, class T>
static __device__ inline void nbody_weights(T square, T mass, T other, T *here, T *there)
{
    if (KIND == NBODY_ANY) {
        const T cube = nbody_inverse_cube(square);
        *here = cube * other, *there = cube * mass;
    } else {
        *here = *there = KIND == NBODY_EQUAL ? nbody_inverse_cube(square) : nbody_inverse_cube(square, mass * other);
    }
}

template <nbody_masses KIND, class T> static __device__ inline T nbody_missing(T mass)
{
    return KIND == NBODY_ANY ? T(1) : KIND == NBODY_EQUAL ? mass : T(1) / mass;
}

/* The order of these six spares registers' ports; see the head of cuda.cu. */
template <class T>
static __device__ inline void nbody_exchange(nbody_vector<T> &here, nbody_vector<T> &there, const nbody_vector<T> &d,
                                             T a, T b)
{
#ifndef ORDER
#define ORDER 3
#endif
#if ORDER == 3
    here.x = fma(a, d.x, here.x);
    there.x = fma(-b, d.x, there.x);
    there.y = fma(-b, d.y, there.y);
    here.y = fma(a, d.y, here.y);
    here.z = fma(a, d.z, here.z);
    there.z = fma(-b, d.z, there.z);
#elif ORDER == 1
    here.x = fma(a, d.x, here.x);
    here.y = fma(a, d.y, here.y);
    here.z = fma(a, d.z, here.z);
    there.z = fma(-b, d.z, there.z);
    there.y = fma(-b, d.y, there.y);
    there.x = fma(-b, d.x, there.x);
#elif ORDER == 2
    here.x = fma(a, d.x, here.x);
    there.x = fma(b, -d.x, there.x);
    here.y = fma(a, d.y, here.y);
    there.y = fma(b, -d.y, there.y);
    here.z = fma(a, d.z, here.z);
    there.z = fma(b, -d.z, there.z);
#else
    here.x = fma(a, d.x, here.x);
    here.y = fma(a, d.y, here.y);
    here.z = fma(a, d.z, here.z);
    there.x = fma(b, -d.x, there.x);
    there.y = fma(b, -d.y, there.y);
    there.z = fma(b, -d.z, there.z);
#endif
}

/* ---- Two sets --------------------------------------------------------------------------------------------------- */

#ifndef LAG
#define LAG 1
#endif
#ifndef UNROLL
#define UNROLL 4
#endif

constexpr int NBODY_UNROLLED = UNROLL;

/* All own bodies with one other, the exchange LAG bodies behind the distance that it needs. */
template <nbody_masses KIND, class T, int R>
static __device__ inline void nbody_meet_one(nbody_own<T, R> &own, const nbody_body<T> &other, T softening,
                                             nbody_vector<T> &there)
{
    nbody_vector<T> d[R];
    T a[R], b[R];
#pragma unroll
    for (int r = 0; r < R + LAG; r++) {
        if (r < R) {
            d[r] = nbody_between(own.body[r], other);
            nbody_weights<KIND>(nbody_square(d[r], softening), own.body[r].mass, other.mass, &a[r], &b[r]);
        }
        if (r >= LAG)
            nbody_exchange(own.sum[r - LAG], there, d[r - LAG], a[r - LAG], b[r - LAG]);
    }
}

template <nbody_masses KIND, class T, int R>
static __device__ inline nbody_vector<T> nbody_meet(nbody_own<T, R> &own, const nbody_body<T> *tile, T softening,
                                                    uint32_t lane)
{
    nbody_vector<T> there = {};
#pragma unroll NBODY_UNROLLED
    for (uint32_t k = 0; k < 32; k++) {
        const nbody_body<T> other = tile[lane + k];
        nbody_meet_one<KIND>(own, other, softening, there);
        there.x = __shfl_sync(~0u, there.x, lane + 1);
        there.y = __shfl_sync(~0u, there.y, lane + 1);
        there.z = __shfl_sync(~0u, there.z, lane + 1);
    }
    return there;
}

/* Bodies 32 * warp to 32 * warp + 31 of the own set, from one side alone. */
template <nbody_masses KIND, class T, int R>
static __device__ inline void nbody_meet_own(nbody_own<T, R> &own, const nbody_body<T> *tile, T softening,
                                             const nbody_seat &seat)
{
#pragma unroll 2
    for (uint32_t k = 0; k < 32; k++) {
        const nbody_body<T> other = tile[k];
#pragma unroll
        for (int r = 0; r < R; r++) {
            const nbody_vector<T> d = nbody_between(own.body[r], other);
            T a, b;
            nbody_weights<KIND>(nbody_square(d, softening), own.body[r].mass, other.mass, &a, &b);
            nbody_gather(own.sum[r], r == (int) seat.warp && k == seat.lane ? T(0) : a, d);
        }
    }
}

/* Adds what the team's warps have for the own bodies; warp w does so for those number w of each lane. */
template <nbody_masses KIND, class T, int R>
static __device__ inline void nbody_add_own(const nbody_field<T> &field, const nbody_own<T, R> &own,
                                            nbody_desk<T, R> *desks, const nbody_seat &seat, uint32_t first)
{
    const uint32_t lane = seat.lane, warp = seat.warp;
    __syncwarp();
#pragma unroll
    for (int r = 0; r < R; r++) {
        desks[warp].sums[r][0][lane] = own.sum[r].x;
        desks[warp].sums[r][1][lane] = own.sum[r].y;
        desks[warp].sums[r][2][lane] = own.sum[r].z;
    }
    nbody_wait_for_team<R>(seat.team);
    nbody_vector<T> sum = {};
    for (int w = 0; w < R; w++) {
        sum.x += desks[w].sums[warp][0][lane];
        sum.y += desks[w].sums[warp][1][lane];
        sum.z += desks[w].sums[warp][2][lane];
    }
    const uint32_t body = first + 32 * warp + lane;
    if (body < field.count)
        nbody_add(field, body, sum, nbody_missing<KIND>(field.mass_unit * field.mass[body]));
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

/* A team lets a set meet those `begin` to `end` behind it; at least one. `desks`: the team's. */
template <nbody_masses KIND, class T, int R>
static __device__ inline void nbody_meet_sets(const nbody_field<T> &field, int extent, nbody_desk<T, R> *desks,
                                              const nbody_seat &seat, uint32_t sets, uint32_t set, uint32_t begin,
                                              uint32_t end)
{
    const nbody_reader<T> read(field, extent);
    const uint32_t mine = 32 * seat.warp + seat.lane;
    uint32_t other = nbody_behind(set, begin, sets);
    nbody_body<T> next = read(32 * R * other + mine);
    nbody_own<T, R> own = {};
#pragma unroll
    for (int r = 0; r < R; r++)
        own.body[r] = read(32 * (R * set + r) + seat.lane);
    for (uint32_t offset = begin; offset < end; offset++) {
        nbody_body<T> *tile = desks[seat.warp].tile[offset % 2];
        const uint32_t body = 32 * R * other + mine;
        const T mass = next.mass;
        tile[seat.lane] = tile[seat.lane + 32] = next;
        __syncwarp();
        other = nbody_behind(other, 1, sets);
        if (offset + 1 < end)
            next = read(32 * R * other + mine);
        if (offset == 0)
            nbody_meet_own<KIND>(own, tile, read.softening, seat);
        else
            nbody_add(field, body, nbody_meet<KIND>(own, tile, read.softening, seat.lane), nbody_missing<KIND>(mass));
    }
    nbody_add_own<KIND>(field, own, desks, seat, 32 * R * set);
}

/* Blocks are teams: number b lets set b % sets meet part b / sets of the sets behind it. */
template <class T, int R, nbody_masses KIND, int BLOCKS>
static __global__ void __launch_bounds__(32 * R, BLOCKS)
    nbody_pairs(const __grid_constant__ nbody_field<T> field, uint32_t sets, uint32_t parts)
{
    __shared__ nbody_desk<T, R> desks[R];
    const uint32_t set = blockIdx.x % sets, part = blockIdx.x / sets;
    const uint32_t offsets = nbody_offsets(set, sets);
    const uint32_t begin = (uint32_t) ((uint64_t) offsets * part / parts);
    const uint32_t end = (uint32_t) ((uint64_t) offsets * (part + 1) / parts);
    if (begin < end)
        nbody_meet_sets<KIND>(field, field.scale->extent, desks, nbody_take_seat<R>(), sets, set, begin, end);
}

#endif
