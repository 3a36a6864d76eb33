// clang-format off
/*
 * Resident: a grid that stays in shared memory for all steps.
 *
 * A block owns a tile of rows, some along y and some along z, whole along x, and a halo of one row around it. Its last
 * warps take the tile's rim: each step they wait for the halo, make the new rim and send it to the blocks around. The
 * other warps make the rest meanwhile, which no halo reaches, so that rows travel while they compute. A strip of lanes,
 * one or more to a warp, holds a row and marches: along z, or where a rim faces z along y, which is the same with y and
 * z exchanged.
 *
 * Steps of B6/S5..7, in calls of 2048, medians on one NVIDIA H200, CUDA 13.0, 2026-11-20; 22 logic operations a word, at
 * 16.4 T of them a second, would make 24 T cells a second:
 *
 *   size              tile      marches   a step    rate     streamed
 *   256^3             16 x 32    4, 1     1.6 us    10.5 T    2.5 us
 *   256 x 512 x 256   16 x 64    8, 2     2.5 us    13.5 T    3.5 us
 *   384^3             12 x 96   12, 3     4.1 us    13.8 T    4.9 us
 *   448^3             32 x 50   24, 3     7.1 us    12.6 T    7.7 us   126 blocks; 512^3 does not fit
 *   128^3             16 x 8     4, 1     1.2 us     1.8 T    1.2 us   a letter's way, for the most part
 *
 * Tried and left out, at 256^3: all warps alike, which wait for the halo before a step, one, two or four tiles a
 * multiprocessor (+30%); a rim of two rows a strip (+10%); to hold the other warps up while the rim computes (+25%);
 * barriers at which either side waits for the other alone (+5%); multiplications in the place of logic operations
 * (+11%). 512^3 in place, one state and a barrier every other plane, took 11.5 us; steps alone, 9.7.
 */
// clang-format on
#ifndef LIFE3D_PACKED_CUDA_RESIDENT_CUH
#define LIFE3D_PACKED_CUDA_RESIDENT_CUH

#include "cuda_mail.cuh"

/* ---- Marches --------------------------------------------------------------------------------- */

/* Three rows across the march. */
__device__ __forceinline__ void read_rows(uint32_t (&row)[3][4], uint32_t at, const resident_lane &l)
{
    for (int i = 0; i < 3; i++)
        read_shared(row[i], at + i * l.across);
}

template <bool SEAM>
__device__ __forceinline__ void add_plane(plane_sums (&sums)[4], const uint32_t (&row)[3][4], const resident_lane &l)
{
    const life_by_logic k;
    const column_sums c = add_rows(row[0], row[1], row[2], k);
    const uint32_t one = SEAM && l.shifted ? c.one[2] : c.one[3], two = SEAM && l.shifted ? c.two[2] : c.two[3];
    const uint32_t left[2] = {__shfl_sync(~0u, one, l.left), __shfl_sync(~0u, two, l.left)};
    const uint32_t right[2] = {__shfl_sync(~0u, c.one[0], l.right), __shfl_sync(~0u, c.two[0], l.right)};
    add_columns(sums, c, left, right, k);
}

/* Puts row k of a lane's march into the new state. */
template <bool SEAM>
__device__ __forceinline__ void put_row(const resident_job &job, const resident_lane &l, uint32_t k, uint32_t to,
                                        uint32_t (&word)[4])
{
    if (SEAM)
        close_seam(word, l.seam, __shfl_sync(~0u, word[0], l.right));
    write_shared(to, word, k < l.count);
}

/* The rim's march, a row at a time; `from` and `to` are the states. Sends the rows if `mail` is not NULL. */
template <bool SEAM, class RULE>
__device__ __forceinline__ void march_rim(const resident_job &job, const resident_tile &t, const resident_lane &l,
                                          uint32_t from, uint32_t to, uint32_t step, ulonglong2 *mail, const RULE &rule)
{
    plane_sums a[4], b[4], c[4];
    uint32_t near[3][4], far[3][4], at = l.at + from, out = l.at + to + l.along + l.across;
    const uint32_t end = at + (l.count + 1) * l.along;
    read_rows(near, at, l);
    read_rows(far, at += l.along, l);
    add_plane<SEAM>(a, near, l);
    add_plane<SEAM>(b, far, l);
#pragma unroll 1
    for (uint32_t k = 0; k < job.rim_march; k++) {
        uint32_t word[4];
        read_rows(near, at = min(at + l.along, end), l);
        add_plane<SEAM>(c, near, l);
        for (int i = 0; i < 4; i++) {
            word[i] = rule.next(count_space(add_planes(a[i], b[i]), c[i], life_by_logic()), far[1][i]);
            far[1][i] = near[1][i];
            a[i] = b[i], b[i] = c[i];
        }
        put_row<SEAM>(job, l, k, out, word);
        out += l.along;
        if (mail)
            send_row(job, t, l, k, word, step, mail);
    }
}

/* The march of other strips, two rows at a time, four a turn so that sums need not move from register to register. */
template <bool SEAM, class RULE> struct inner_march {
    const resident_job &job;
    const resident_lane &l;
    const RULE &rule;
    uint32_t at, end, out; /* of rows to read next, to read last, and to write */
    uint32_t near[3][4], far[3][4], cell[4];

    __device__ __forceinline__ void read()
    {
        read_rows(near, min(at, end), l);
        read_rows(far, min(at + l.along, end), l);
        at += 2 * l.along;
    }

    /* Rows k and k + 1. a, b: the sums of planes k - 1 and k; c, d: of the two after. */
    __device__ __forceinline__ void two(const plane_sums (&a)[4], const plane_sums (&b)[4], plane_sums (&c)[4],
                                        plane_sums (&d)[4], uint32_t k, bool more)
    {
        uint32_t first[4], second[4];
        add_plane<SEAM>(c, near, l);
        add_plane<SEAM>(d, far, l);
        for (int i = 0; i < 4; i++) {
            const double_sums both = add_planes(b[i], c[i]);
            first[i] = rule.next(count_space(both, a[i], life_by_logic()), cell[i]);
            second[i] = rule.next(count_space(both, d[i], life_by_logic()), near[1][i]);
            cell[i] = far[1][i];
        }
        if (more)
            read();
        put_row<SEAM>(job, l, k, out, first);
        put_row<SEAM>(job, l, k + 1, out + l.along, second);
        out += 2 * l.along;
    }

    __device__ __forceinline__ void run(uint32_t from, uint32_t to)
    {
        plane_sums a[4], b[4], c[4], d[4];
        at = l.at + from, end = at + (l.count + 1) * l.along, out = l.at + to + l.along + l.across;
        read();
        add_plane<SEAM>(a, near, l);
        add_plane<SEAM>(b, far, l);
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

/* ---- The rim's warps ------------------------------------------------------------------------- */

/* The rim's strips: those of y = 0 and of the last y by turns, along z; then those of z = 0 and of the last z, along y,
 * without their ends. */
__device__ __forceinline__ resident_lane place_rim(const resident_job &job, const resident_tile &t, uint32_t warp,
                                                   uint32_t *strip, bool *idle)
{
    resident_lane l;
    *strip = place_strip(l, *idle, job, warp);
    const uint32_t pair = *strip / 2, along_z = (job.planes + job.rim_march - 1) / job.rim_march;
    const uint32_t here = blockIdx.x % job.blocks_y, before = blockIdx.x / job.blocks_y;
    const bool high = *strip & 1, turned = pair >= along_z;
    if (turned) {
        l.y = 1 + (pair - along_z) * job.rim_march, l.z = high ? t.planes - 1 : 0;
        l.count = l.y < t.rows - 1 ? min(job.rim_march, t.rows - 1 - l.y) : 0;
        l.slot = mail_slot(job, here, block_beside(before, job.blocks_z, high), (high ? 0 : job.rows) + l.y, l.group);
    } else {
        l.y = high ? t.rows - 1 : 0, l.z = pair * job.rim_march;
        l.count = l.z < t.planes ? min(job.rim_march, t.planes - l.z) : 0;
        l.slot = mail_slot(job, block_beside(here, job.blocks_y, high), before,
                           2 * job.rows + (high ? 0 : job.planes) + l.z, l.group);
    }
    if (*idle || l.count == 0)
        l.y = l.z = l.count = 0;
    l.at = row_address(job, l.group, l.y - 1, l.z - 1);
    l.across = turned ? plane_bytes(job) : row_bytes(job);
    l.along = turned ? row_bytes(job) : plane_bytes(job);
    return l;
}

__device__ __forceinline__ void wait_for_rim(const resident_job &job)
{
    asm volatile("bar.sync 1, %0;" ::"r"(job.rim_warps * 32) : "memory");
}

template <bool SEAM, class RULE>
__device__ __forceinline__ void take_rim_steps(const resident_job &job, const resident_tile &t, uint32_t warp,
                                               const RULE &rule)
{
    uint32_t strip;
    bool idle;
    const resident_lane l = place_rim(job, t, warp, &strip, &idle);
    resident_inbox inbox;
    inbox.start(job, t, l.group, strip, idle);
    const uint32_t other = state_bytes(job);
    uint32_t state = 0;
    for (uint32_t k = 0; k < l.count; k++) {
        uint32_t word[4];
        read_shared(word, l.at + l.across + (k + 1) * l.along);
        send_row(job, t, l, k, word, 1, mail_of(job, 1));
    }
    __syncwarp();
#pragma unroll 1
    for (uint64_t n = 1; n <= job.steps; n++) {
        const uint32_t next = (uint32_t) n + 1;
        inbox.receive(job, (uint32_t) n, state);
        __syncwarp();
        wait_for_rim(job);
        march_rim<SEAM>(job, t, l, state, other - state, next, n < job.steps ? mail_of(job, next) : NULL, rule);
        state = other - state;
        __syncthreads();
    }
}

/* ---- The other warps ------------------------------------------------------------------------- */

template <bool SEAM, class RULE>
__device__ __forceinline__ void take_inner_steps(const resident_job &job, const resident_tile &t, uint32_t warp,
                                                 const RULE &rule)
{
    resident_lane l;
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
    inner_march<SEAM, RULE> march = {job, l, rule};
    uint32_t state = 0;
#pragma unroll 1
    for (uint64_t n = 1; n <= job.steps; n++) {
        if (any)
            march.run(state, other - state);
        state = other - state;
        __syncthreads();
    }
}

template <bool SEAM, class RULE>
__device__ __forceinline__ void stay_resident(const resident_job &job, const RULE &rule)
{
    const resident_tile t = place_tile(job);
    const uint32_t warp = __shfl_sync(~0u, threadIdx.x >> 5, 0); /* known to be the same for all lanes */
    const uint32_t others = (blockDim.x >> 5) - job.rim_warps;
    move_tile<true>(job, t, 0);
    __syncthreads();
    if (warp < others)
        take_inner_steps<SEAM>(job, t, warp, rule);
    else
        take_rim_steps<SEAM>(job, t, warp - others, rule);
    __syncthreads(); /* those of the branches do; but compute-sanitizer does not see that they are the same */
    move_tile<false>(job, t, job.steps & 1 ? state_bytes(job) : 0);
}

#endif
