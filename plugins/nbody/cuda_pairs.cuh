/* Each pair once: what i does to j is what j does to i, turned round.
 *
 * Bodies are in sets of 32 R; a warp owns one, R bodies a lane, and meets the sets behind it, up to half way round the
 * ring of all sets, so that every two sets meet once. It meets 32 bodies of another set at a time: they lie in shared
 * memory, lane l reads number l + k (mod 32) in round k, and their sums pass from lane to lane after each round: only
 * these three numbers move, and 32 rounds bring them home. A set meets itself from both sides.
 *
 * The way is cut into chunks for as many warps as are needed. Sets and chunks follow the number of bodies alone, as does
 * every partial sum with them. */
#ifndef NBODY_CUDA_PAIRS_CUH
#define NBODY_CUDA_PAIRS_CUH

#include "cuda_force.cuh"

/* The sets that one warp owns and meets. */
template <class T> struct nbody_ring {
    nbody_field<T> field;
    uint32_t sets, chunks;
};

/* What a warp owns, R bodies a lane. */
template <class T, int R> struct nbody_own {
    nbody_body<T> body[R];
    nbody_vector<T> sum[R];
};

/* Weights of one pair, for both sides. KIND says what the sums are short of: nothing (NBODY_ANY), the body's own mass
 * that they have too much (NBODY_POSITIVE: one weight for both, and fewer registers to read), or the mass that all have
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

template <nbody_masses KIND, class T, int R>
static __device__ inline void nbody_meet(nbody_own<T, R> &own, const nbody_body<T> *ring, T softening, uint32_t lane,
                                         nbody_vector<T> &there)
{
    nbody_body<T> next = ring[lane];
#pragma unroll 1
    for (uint32_t k = 0; k < 32; k++) {
        const nbody_body<T> other = next;
        next = ring[lane + k + 1 & 63];
#pragma unroll
        for (int r = 0; r < R; r++) {
            const nbody_vector<T> d = nbody_between(own.body[r], other);
            T a, b;
            nbody_weights<KIND>(nbody_square(d, softening), own.body[r].mass, other.mass, &a, &b);
            own.sum[r].x = fma(a, d.x, own.sum[r].x), there.x = fma(-b, d.x, there.x);
            own.sum[r].y = fma(a, d.y, own.sum[r].y), there.y = fma(-b, d.y, there.y);
            own.sum[r].z = fma(a, d.z, own.sum[r].z), there.z = fma(-b, d.z, there.z);
        }
        there.x = __shfl_sync(~0u, there.x, lane + 1);
        there.y = __shfl_sync(~0u, there.y, lane + 1);
        there.z = __shfl_sync(~0u, there.z, lane + 1);
    }
}

/* Bodies of the own set, from the own side alone; the first of them is number `first`. */
template <nbody_masses KIND, class T, int R>
static __device__ inline void nbody_meet_own(nbody_own<T, R> &own, const nbody_body<T> *ring, T softening,
                                             uint32_t lane, uint32_t first)
{
#pragma unroll 2
    for (uint32_t k = 0; k < 32; k++) {
        const nbody_body<T> other = ring[k];
#pragma unroll
        for (int r = 0; r < R; r++) {
            const nbody_vector<T> d = nbody_between(own.body[r], other);
            T a, b;
            nbody_weights<KIND>(nbody_square(d, softening), own.body[r].mass, other.mass, &a, &b);
            nbody_gather(own.sum[r], first + k == 32 * r + lane ? T(0) : a, d);
        }
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

/* A block is a warp: chunk blockIdx.x / sets of what set blockIdx.x % sets meets. */
template <class T, int R, nbody_masses KIND, int WARPS>
static __global__ void __launch_bounds__(32, WARPS) nbody_pairs(const __grid_constant__ nbody_ring<T> ring)
{
    __shared__ nbody_body<T> tile[2][64];
    const uint32_t lane = threadIdx.x, set = blockIdx.x % ring.sets, chunk = blockIdx.x / ring.sets;
    const uint32_t offsets = nbody_offsets(set, ring.sets);
    const uint32_t begin = (uint32_t) ((uint64_t) offsets * chunk / ring.chunks) * R;
    const uint32_t end = (uint32_t) ((uint64_t) offsets * (chunk + 1) / ring.chunks) * R;
    const nbody_reader<T> read(ring.field);
    nbody_own<T, R> own = {};
    if (begin == end)
        return;
#pragma unroll
    for (int r = 0; r < R; r++)
        own.body[r] = read(32 * (set * R + r) + lane);
    uint32_t first = 32 * R * nbody_behind(set, begin / R, ring.sets);
    nbody_body<T> next = read(first + lane);
    for (uint32_t at = begin; at < end; at++) {
        nbody_body<T> *here = tile[at % 2];
        here[lane] = here[lane + 32] = next;
        __syncwarp();
        const uint32_t body = first + lane;
        first = first + 32 < 32 * R * ring.sets ? first + 32 : 0;
        if (at + 1 < end)
            next = read(first + lane);
        if (at < R) {
            nbody_meet_own<KIND>(own, here, read.softening, lane, 32 * at);
        } else {
            nbody_vector<T> there = {};
            nbody_meet<KIND>(own, here, read.softening, lane, there);
            nbody_add(ring.field, body, there, nbody_missing<KIND>(here[lane].mass));
        }
    }
#pragma unroll
    for (int r = 0; r < R; r++)
        nbody_add(ring.field, 32 * (set * R + r) + lane, own.sum[r], nbody_missing<KIND>(own.body[r].mass));
}

#endif
