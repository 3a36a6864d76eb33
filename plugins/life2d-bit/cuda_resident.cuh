/*
 * Resident: a grid that stays in registers for all steps.
 *
 * A block owns a band of rows and holds `depth` more on each side. It takes `depth` steps on its own, the rows that are
 * right shrinking to the band, and then sends the edges of the band to the blocks above and below. A strip, one or more
 * to a warp, holds ROWS rows of the whole width in registers and hands its first and last row to the strips beside
 * through shared memory every step. Between blocks rows travel as letters with the number of their exchange
 * (life/cuda_words.cuh).
 */
#ifndef LIFE2D_RESIDENT_CUH
#define LIFE2D_RESIDENT_CUH

#include "cuda_group.cuh"
#include "cuda_word.cuh"

struct resident_job {
    const uint4 *source;
    uint4 *result;
    uint32_t groups, tail, height;
    uint32_t pitch;   /* in groups */
    uint32_t depth;   /* at most the rows of the lowest band */
    uint32_t columns; /* lanes of a strip: groups, and 2 more if the last one is not full */
    uint64_t steps;
    ulonglong2 *mail; /* 2 * blocks * 2 * depth * columns * 2 of them, zeros */
};

/* Where a lane stands. Rows are counted from `depth` above the block's band. */
struct resident_lane {
    uint32_t row;                /* the first that the strip holds */
    uint32_t warp_row, warp_end; /* those the warp's strips hold */
    uint32_t first, rows;        /* the band, in the grid */
    uint32_t position;           /* in the strip; at least `columns`: the lane has no part */
    uint32_t column, other;      /* what it holds: columns of the grid */
    seam join;
    chosen_lanes lanes;
    uint32_t edge; /* place in a plane of strips' edges */
};

template <int ROWS, int WARPS> __device__ __forceinline__ resident_lane place_resident(const resident_job &job)
{
    const uint32_t lane = threadIdx.x & 31, strips = 32 / job.columns;
    const uint32_t warp = __shfl_sync(~0u, threadIdx.x >> 5, 0); /* known to be the same for all lanes */
    const uint32_t in_warp = min(lane / job.columns, strips - 1), base = in_warp * job.columns;
    const int32_t ghosts = job.columns > job.groups;
    resident_lane l;
    l.row = (warp * strips + in_warp) * ROWS;
    l.warp_row = warp * strips * ROWS, l.warp_end = l.warp_row + strips * ROWS;
    l.first = (uint32_t) ((uint64_t) job.height * blockIdx.x / gridDim.x);
    l.rows = (uint32_t) ((uint64_t) job.height * (blockIdx.x + 1) / gridDim.x) - l.first;
    l.position = lane - base;
    const uint32_t inside = min(l.position, job.columns - 1);
    l.column = column_sources((int32_t) inside - ghosts, job.groups, job.tail, &l.other, &l.join);
    l.lanes.left = (int32_t) (base + (inside ? inside - 1 : job.columns - 1));
    l.lanes.right = (int32_t) (base + (inside + 1 < job.columns ? inside + 1 : 0));
    l.edge = (warp * strips + in_warp + 1) * job.columns + inside;
    if (l.position >= job.columns)
        l.edge = (WARPS + 2 + warp) * 32 + lane; /* where nobody looks, and nobody else writes */
    return l;
}

template <int ROWS>
__device__ __forceinline__ void load_strip(uint32_t (&strip)[ROWS][4], const resident_job &job, const resident_lane &l)
{
    const uint32_t above = l.first + job.height - job.depth % job.height;
    for (int r = 0; r < ROWS; r++) {
        const uint4 *row = job.source + (uint64_t) ((above + l.row + r) % job.height) * job.pitch;
        read_group(strip[r], row[l.column]);
        if (job.tail < 128) {
            uint32_t second[4];
            read_group(second, row[l.other]);
            join_groups(strip[r], second, l.join);
        }
    }
}

template <int ROWS>
__device__ __forceinline__ void store_strip(const uint32_t (&strip)[ROWS][4], const resident_job &job,
                                            const resident_lane &l)
{
    const uint32_t ghosts = job.columns > job.groups, column = l.position - ghosts;
    for (int r = 0; r < ROWS; r++)
        if (l.row + r - job.depth < l.rows && column < job.groups)
            job.result[(uint64_t) (l.first + l.row + r - job.depth) * job.pitch + column] = make_group(strip[r]);
}

/* Makes the ghost cells of the seam agree with the row again. */
template <int ROWS>
__device__ __forceinline__ void refresh_seam(uint32_t (&strip)[ROWS][4], const resident_job &job,
                                             const resident_lane &l)
{
    const int base = (int) ((threadIdx.x & 31) - l.position) + 1;
    for (int r = 0; r < ROWS; r++) {
        uint32_t second[4];
        for (int i = 0; i < 4; i++) {
            second[i] = __shfl_sync(~0u, strip[r][i], base + (int) l.other);
            strip[r][i] = __shfl_sync(~0u, strip[r][i], base + (int) l.column);
        }
        join_groups(strip[r], second, l.join);
    }
}

/* The rows of a strip with their sums. */
template <int ROWS> struct summed_strip {
    cells row[ROWS];
    sums sum[ROWS];

    __device__ __forceinline__ void set(int r, const uint32_t (&word)[4], const resident_lane &l)
    {
        row[r] = with_sides(word, l.lanes);
        sum[r] = row_sums(row[r], life_by_logic());
    }
};

/* The sums of the edges of strips in shared memory: planes of a group a lane, with room for a strip at each end, for
 * even and odd states, and for lanes without a part. WARPS: at most. */
template <int WARPS> struct strip_edges {
    enum { PLANE = (2 * WARPS + 2) * 32 * 16, STATE = 4 * PLANE, BYTES = 2 * STATE };

    uint32_t own, above, below; /* addresses in the planes of the state to write: of the strip and those beside it */
    uint32_t other;             /* from there to the planes of the state before */

    __device__ __forceinline__ void start(const resident_job &job, const resident_lane &l)
    {
        own = (uint32_t) __cvta_generic_to_shared(life2d_shared) + l.edge * 16;
        above = own - job.columns * 16, below = own + job.columns * 16;
        other = STATE;
    }

    __device__ __forceinline__ void flip()
    {
        own += other, above += other, below += other;
        other = 0u - other;
    }

    __device__ __forceinline__ void publish(const sums &first, const sums &last)
    {
        write_shared(own, first.low);
        write_shared(own + PLANE, first.high);
        write_shared(own + 2 * PLANE, last.low);
        write_shared(own + 3 * PLANE, last.high);
        flip();
    }

    /* Of the row above the strip, and below it, as published last. */
    __device__ __forceinline__ void read(sums &row_above, sums &row_below) const
    {
        read_shared(row_above.low, above + other + 2 * PLANE);
        read_shared(row_above.high, above + other + 3 * PLANE);
        read_shared(row_below.low, below + other);
        read_shared(row_below.high, below + other + PLANE);
    }
};

/* One step of a strip: the rows inside, which need nothing from shared memory, while that is on its way; the edges, and
 * unless they are to change before the next step their publication; the sums of the rows inside. */
template <bool PUBLISH, int ROWS, int WARPS, class RULE>
__device__ __forceinline__ void step_strip(summed_strip<ROWS> &strip, strip_edges<WARPS> &edges, const resident_lane &l,
                                           const RULE &rule)
{
    uint32_t word[ROWS][4];
    sums above, below;
    edges.read(above, below);
    for (int n = 0; n < ROWS; n++) {
        const int r = n < ROWS - 2 ? n + 1 : n == ROWS - 2 ? 0 : ROWS - 1;
        for (int i = 0; i < 4; i++)
            word[r][i] = rule.next(around_word(strip.row[r], r > 0 ? strip.sum[r > 0 ? r - 1 : 0] : above, strip.sum[r],
                                               r < ROWS - 1 ? strip.sum[r < ROWS - 1 ? r + 1 : r] : below, i));
    }
    strip.set(0, word[0], l);
    if (ROWS > 1)
        strip.set(ROWS - 1, word[ROWS - 1], l);
    if (PUBLISH)
        edges.publish(strip.sum[0], strip.sum[ROWS - 1]);
    for (int r = 1; r < ROWS - 1; r++)
        strip.set(r, word[r], l);
}

__device__ __forceinline__ ulonglong2 *mail_slot(const resident_job &job, const resident_lane &l, uint32_t number,
                                                 uint32_t block, uint32_t side, uint32_t row)
{
    const uint32_t box = ((number & 1) * gridDim.x + block) * 2 + side;
    return job.mail + ((uint64_t) (box * job.depth + row) * job.columns + l.position) * 2;
}

template <int ROWS>
__device__ __forceinline__ void send_rows(const uint32_t (&word)[ROWS][4], uint32_t number, const resident_job &job,
                                          const resident_lane &l)
{
    const uint32_t up = (blockIdx.x + gridDim.x - 1) % gridDim.x, down = (blockIdx.x + 1) % gridDim.x;
    for (int r = 0; r < ROWS; r++) {
        const uint32_t row = l.row + r;
        if (row - job.depth < job.depth)
            post(mail_slot(job, l, number, up, 1, row - job.depth), word[r], number);
        if (row - l.rows < job.depth)
            post(mail_slot(job, l, number, down, 0, row - l.rows), word[r], number);
    }
}

/* Looks for all rows at once until all are there. */
template <int ROWS>
__device__ __forceinline__ void receive_rows(uint32_t (&word)[ROWS][4], uint32_t number, const resident_job &job,
                                             const resident_lane &l)
{
    const uint32_t end = job.depth + l.rows;
    letter letters[ROWS];
    bool all;
    do {
        all = true;
        for (int r = 0; r < ROWS; r++) {
            const uint32_t row = l.row + r;
            if (row < job.depth || row - end < job.depth)
                letters[r].look(mail_slot(job, l, number, blockIdx.x, row >= end, row >= end ? row - end : row));
        }
        for (int r = 0; r < ROWS; r++) {
            const uint32_t row = l.row + r;
            if (row < job.depth || row - end < job.depth)
                all = all && letters[r].arrived(number);
        }
    } while (!all);
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < 4; i++)
            if (l.row + r < job.depth || l.row + r - end < job.depth)
                word[r][i] = (uint32_t) letters[r].part[i];
}

/* After `depth` steps: refreshes the ghost cells of the seam, sends what other blocks need and waits for what they
 * send. */
template <int ROWS>
__device__ __forceinline__ void exchange(summed_strip<ROWS> &strip, uint32_t number, const resident_job &job,
                                         const resident_lane &l)
{
    uint32_t word[ROWS][4];
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < 4; i++)
            word[r][i] = strip.row[r].word[i];
    if (job.tail < 128)
        refresh_seam(word, job, l);
    if (l.position < job.columns) {
        send_rows(word, number, job, l);
        receive_rows(word, number, job, l);
    }
    __syncwarp();
    for (int r = 0; r < ROWS; r++)
        strip.set(r, word[r], l);
}

/* Steps 1 … count after an exchange. From step `limit` on the warp's rows are too far out to be right or of use. */
template <int ROWS, int WARPS, class RULE>
__device__ __forceinline__ void take_steps(summed_strip<ROWS> &strip, strip_edges<WARPS> &edges, uint32_t count,
                                           uint32_t limit, const resident_lane &l, const RULE &rule)
{
    uint32_t step = 1;
    edges.publish(strip.sum[0], strip.sum[ROWS - 1]);
#pragma unroll 1
    for (; step < min(count, limit); step++) {
        __syncthreads();
        step_strip<true>(strip, edges, l, rule);
    }
#pragma unroll 1
    for (; step < count; step++) {
        __syncthreads();
        edges.flip();
    }
    __syncthreads();
    if (count < limit)
        step_strip<false>(strip, edges, l, rule);
}

template <int ROWS, int WARPS, class RULE>
__device__ __forceinline__ void stay_resident(const resident_job &job, const RULE &rule)
{
    const resident_lane l = place_resident<ROWS, WARPS>(job);
    const uint32_t rows = l.rows + 2 * job.depth;
    const uint32_t limit = min(l.warp_end, rows - min(l.warp_row, rows));
    /* Whether the warp's rows are all of the block's own and at no edge of it: it takes no part in exchanges. */
    const bool inside = job.tail == 128 && l.warp_row >= 2 * job.depth && l.warp_end <= l.rows;
    strip_edges<WARPS> edges;
    summed_strip<ROWS> strip;
    uint32_t word[ROWS][4];
    edges.start(job, l);
    load_strip(word, job, l);
    for (int r = 0; r < ROWS; r++)
        strip.set(r, word[r], l);
    uint64_t left = job.steps;
    for (uint32_t number = 1;; number++) {
        const uint32_t count = (uint32_t) min(left, (uint64_t) job.depth);
        take_steps(strip, edges, count, limit, l, rule);
        left -= count;
        if (left == 0)
            break;
        if (!inside)
            exchange(strip, number, job, l);
    }
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < 4; i++)
            word[r][i] = strip.row[r].word[i];
    store_strip(word, job, l);
}

#endif
