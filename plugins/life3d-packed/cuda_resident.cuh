/* The resident form of 3D Life: the grid stays in shared memory for all steps of a call.
 *
 * A block owns a tile: some rows along y, some planes along z, all of x, with a halo of one row around it and two
 * states. Only the tile's border needs the halo, and only the border is in other blocks' halos. So the work is divided:
 *
 *                 y ->                        border warps, every step:
 *         h h h h h h h h h h                   1 poll the slots of the halo (cuda_halo.cuh), write it to shared memory
 *     z   h B B B B B B B B h                   2 make the new border B and send it to the blocks around
 *     |   h B i i i i i i B h                 inner warps, at the same time:
 *     v   h B i i i i i i B h                   make the inner rows i, which need no halo
 *         h B B B B B B B B h                 then all: barrier, swap the states
 *         h h h h h h h h h h
 *
 * A strip holds one row, a lane for each group of 128 cells, and marches over `march` rows along z with the sums of
 * three rows in registers; strips of the border at z = 0 and at the last z march along y. Rates: cuda_kernels.cuh.
 *
 * This file, cuda_tile.cuh and cuda_halo.cuh have the torus whose rows are whole groups of 128 cells.
 * cuda_resident_edges.cuh has what other grids add: a row that ends within a group, and dead edges. */
#ifndef LIFE3D_PACKED_CUDA_RESIDENT_CUH
#define LIFE3D_PACKED_CUDA_RESIDENT_CUH

#include "cuda_halo.cuh"

/* ---- Marches --------------------------------------------------------------------------------- */

/* Reads three rows that lie side by side across the march. */
template <class LANE> __device__ __forceinline__ void read_rows(uint32_t (&row)[3][4], uint32_t at, const LANE &l)
{
    for (int i = 0; i < 3; i++)
        read_shared(row[i], at + i * l.across);
}

template <class LANE>
__device__ __forceinline__ void add_plane(plane_sums (&sums)[4], const uint32_t (&row)[3][4], const LANE &l)
{
    const life_by_logic k;
    const column_sums c = add_rows(row[0], row[1], row[2], k);
    const uint32_t one = l.edges.last(c.one), two = l.edges.last(c.two);
    uint32_t left[2] = {__shfl_sync(~0u, one, l.left), __shfl_sync(~0u, two, l.left)};
    uint32_t right[2] = {__shfl_sync(~0u, c.one[0], l.right), __shfl_sync(~0u, c.two[0], l.right)};
    l.edges.clear_sides(left, right);
    add_columns(sums, c, left, right, k);
}

/* Writes row k of a lane's march to the new state. */
template <class JOB, class LANE>
__device__ __forceinline__ void put_row(const JOB &job, const LANE &l, uint32_t k, uint32_t to, uint32_t (&word)[4])
{
    l.edges.close(job, word, l.right);
    write_shared(to, word, k < l.count);
}

/* The march of a strip of the border, a row at a time, from one state to the other. It sends the rows unless `slots` is
 * NULL. */
template <class JOB, class LANE, class RULE>
__device__ __forceinline__ void march_border(const JOB &job, const resident_tile &t, const LANE &l, uint32_t from,
                                             uint32_t to, uint32_t step, ulonglong2 *slots, const RULE &rule)
{
    plane_sums a[4], b[4], c[4];
    uint32_t near[3][4], far[3][4], at = l.at + from, out = l.at + to + l.along + l.across;
    const uint32_t end = at + (l.count + 1) * l.along;
    read_rows(near, at, l);
    read_rows(far, at += l.along, l);
    add_plane(a, near, l);
    add_plane(b, far, l);
#pragma unroll 1
    for (uint32_t k = 0; k < job.border_march; k++) {
        uint32_t word[4];
        read_rows(near, at = min(at + l.along, end), l);
        add_plane(c, near, l);
        for (int i = 0; i < 4; i++) {
            word[i] = rule.next(count_space(add_planes(a[i], b[i]), c[i], life_by_logic()), far[1][i]);
            far[1][i] = near[1][i];
            a[i] = b[i], b[i] = c[i];
        }
        put_row(job, l, k, out, word);
        out += l.along;
        if (slots)
            send_row(job, t, l, k, word, step, slots);
    }
}

/* The march of an inner strip, two rows at a time. Its loop is unrolled over four rows: the four sets of sums a, b, c,
 * d then change roles by name, and nothing moves from register to register. */
template <class JOB, class LANE, class RULE> struct inner_march {
    const JOB &job;
    const LANE &l;
    const RULE &rule;
    uint32_t at, end, out; /* addresses of the row to read next, of the last row, and of the row to write */
    uint32_t near[3][4], far[3][4], cell[4];

    __device__ __forceinline__ inner_march(const JOB &job, const LANE &l, const RULE &rule) : job(job), l(l), rule(rule)
    {
    }

    __device__ __forceinline__ void read()
    {
        read_rows(near, min(at, end), l);
        read_rows(far, min(at + l.along, end), l);
        at += 2 * l.along;
    }

    /* Makes rows k and k + 1. a and b are the sums of planes k - 1 and k; it fills c and d, those of the next two. */
    __device__ __forceinline__ void two(const plane_sums (&a)[4], const plane_sums (&b)[4], plane_sums (&c)[4],
                                        plane_sums (&d)[4], uint32_t k, bool more)
    {
        uint32_t first[4], second[4];
        add_plane(c, near, l);
        add_plane(d, far, l);
        for (int i = 0; i < 4; i++) {
            const double_sums both = add_planes(b[i], c[i]);
            first[i] = rule.next(count_space(both, a[i], life_by_logic()), cell[i]);
            second[i] = rule.next(count_space(both, d[i], life_by_logic()), near[1][i]);
            cell[i] = far[1][i];
        }
        if (more)
            read();
        put_row(job, l, k, out, first);
        put_row(job, l, k + 1, out + l.along, second);
        out += 2 * l.along;
    }

    __device__ __forceinline__ void run(uint32_t from, uint32_t to)
    {
        plane_sums a[4], b[4], c[4], d[4];
        at = l.at + from, end = at + (l.count + 1) * l.along, out = l.at + to + l.along + l.across;
        read();
        add_plane(a, near, l);
        add_plane(b, far, l);
        for (int i = 0; i < 4; i++)
            cell[i] = far[1][i];
        read();
#pragma unroll 1
        for (uint32_t k = 0; k < job.march; k += 4) {
            two(a, b, c, d, k, true);
            two(c, d, a, b, k + 2, k + 4 < job.march);
        }
    }
};

/* ---- Border warps ------------------------------------------------------------------------------- */

/* Places a strip of the border. Even strips lie at the low side and odd ones at the high side: first those at y = 0 and
 * at the last y, which march along z; then those at z = 0 and at the last z, which march along y without the corners.
 */
template <class EDGES, class JOB>
__device__ __forceinline__ resident_lane<EDGES> place_border(const JOB &job, const resident_tile &t, uint32_t warp,
                                                             uint32_t *strip, bool *idle)
{
    resident_lane<EDGES> l;
    *strip = place_strip(l, *idle, job, warp);
    const uint32_t pair = *strip / 2, along_z = (job.planes + job.border_march - 1) / job.border_march;
    const uint32_t here = blockIdx.x % job.blocks_y, before = blockIdx.x / job.blocks_y;
    const bool high = *strip & 1, along_y = pair >= along_z;
    if (along_y) {
        l.y = 1 + (pair - along_z) * job.border_march, l.z = high ? t.planes - 1 : 0;
        l.count = l.y < t.rows - 1 ? min(job.border_march, t.rows - 1 - l.y) : 0;
        l.slot = halo_slot(job, here, block_beside(before, job.blocks_z, high), (high ? 0 : job.rows) + l.y, l.group);
    } else {
        l.y = high ? t.rows - 1 : 0, l.z = pair * job.border_march;
        l.count = l.z < t.planes ? min(job.border_march, t.planes - l.z) : 0;
        l.slot = halo_slot(job, block_beside(here, job.blocks_y, high), before,
                           2 * job.rows + (high ? 0 : job.planes) + l.z, l.group);
    }
    if (*idle || l.count == 0)
        l.y = l.z = l.count = 0;
    l.at = row_address(job, l.group, l.y - 1, l.z - 1);
    l.across = along_y ? plane_bytes(job) : row_bytes(job);
    l.along = along_y ? row_bytes(job) : plane_bytes(job);
    return l;
}

__device__ __forceinline__ void wait_for_border(const resident_job &job)
{
#ifdef __CUDACC__
    asm volatile("bar.sync 1, %0;" ::"r"(job.border_warps * 32) : "memory");
#else
    wait_for_some(job.border_warps * 32);
#endif
}

template <class EDGES, class JOB, class RULE>
__device__ __forceinline__ void take_border_steps(const JOB &job, const resident_tile &t, uint32_t warp,
                                                  const RULE &rule)
{
    uint32_t strip;
    bool idle;
    const resident_lane<EDGES> l = place_border<EDGES>(job, t, warp, &strip, &idle);
    resident_receiver<EDGES> receiver;
    receiver.start(job, t, l.group, strip, idle);
    const uint32_t other = state_bytes(job);
    uint32_t state = 0;
    for (uint32_t k = 0; k < l.count; k++) {
        uint32_t word[4];
        read_shared(word, l.at + l.across + (k + 1) * l.along);
        send_row(job, t, l, k, word, 1, slots_of(job, 1));
    }
    __syncwarp();
#pragma unroll 1
    for (uint64_t n = 1; n <= job.steps; n++) {
        const uint32_t next = (uint32_t) n + 1;
        receiver.receive(job, (uint32_t) n, state);
        __syncwarp();
        wait_for_border(job);
        march_border(job, t, l, state, other - state, next, n < job.steps ? slots_of(job, next) : NULL, rule);
        state = other - state;
        __syncthreads();
    }
}

/* ---- The other warps ------------------------------------------------------------------------- */

template <class EDGES, class JOB, class RULE>
__device__ __forceinline__ void take_inner_steps(const JOB &job, const resident_tile &t, uint32_t warp,
                                                 const RULE &rule)
{
    resident_lane<EDGES> l;
    bool idle;
    const uint32_t strip = place_strip(l, idle, job, warp), across = max(job.rows, 3u) - 2;
    l.y = 1 + strip % across, l.z = 1 + strip / across * job.march;
    l.count = !idle && l.y < t.rows - 1 && l.z < t.planes - 1 ? min(job.march, t.planes - 1 - l.z) : 0;
    if (l.count == 0)
        l.y = l.z = 1;
    const bool any = __any_sync(~0u, l.count > 0);
    l.at = row_address(job, l.group, l.y - 1, l.z - 1);
    l.across = row_bytes(job), l.along = plane_bytes(job);
    const uint32_t other = state_bytes(job);
    inner_march<JOB, resident_lane<EDGES>, RULE> march(job, l, rule);
    uint32_t state = 0;
#pragma unroll 1
    for (uint64_t n = 1; n <= job.steps; n++) {
        if (any)
            march.run(state, other - state);
        state = other - state;
        __syncthreads();
    }
}

template <class EDGES, class JOB, class RULE>
__device__ __forceinline__ void stay_resident(const JOB &job, const RULE &rule)
{
    const resident_tile t = place_tile(job);
    const uint32_t warp =
        __shfl_sync(~0u, threadIdx.x >> 5, 0); /* the compiler then knows that it is the same in all lanes */
    const uint32_t others = (blockDim.x >> 5) - job.border_warps;
    move_tile<true>(job, t, 0);
    __syncthreads();
    if (warp < others)
        take_inner_steps<EDGES>(job, t, warp, rule);
    else
        take_border_steps<EDGES>(job, t, warp - others, rule);
    __syncthreads(); /* the barriers of both branches suffice, but compute-sanitizer does not see that they match */
    move_tile<false>(job, t, job.steps & 1 ? state_bytes(job) : 0);
}

#endif
