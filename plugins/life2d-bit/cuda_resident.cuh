/* The resident form of 2D Life: the grid stays in registers for all steps of a call.
 *
 * A block owns a band of rows and holds `halo` more rows above and below it. It takes `halo` steps on its own. Each
 * step makes one more row at either end wrong, until only the band is right. Then the blocks exchange halos:
 *
 *     rows          ---------------------------------->
 *     block b - 1   b b b b b b B B B B h h h h                  b, B: its band; it sends the rows B
 *                               | | | | ^ ^ ^ ^                  h: its halo, 4 rows here
 *                               v v v v | | | |
 *     block b                   h h h h B B B B b b B B B B h h h h
 *                                                   | | | | ^ ^ ^ ^
 *     block b + 1                                   v v v v | | | |
 *
 * In a block, a strip is one lane for each group of 128 cells of a row; a warp has one strip or more. A lane holds ROWS
 * rows of its group in registers. Every step, a strip publishes the sums of its first and last row in shared memory for
 * the strips above and below, and gets neighbours in its own rows by shuffles. The exchange between blocks is that of
 * life/cuda_words.cuh. The ladder is in cuda_kernels.cuh.
 *
 * This file has the torus whose rows are whole groups of 128 cells. Read it from top to bottom, beside the sums and the
 * rule of B3/S23 in cuda_word.cuh. cuda_resident_edges.cuh has what other grids add: a row that ends within a group,
 * and dead edges. */
#ifndef LIFE2D_RESIDENT_CUH
#define LIFE2D_RESIDENT_CUH

#include "cuda_group.cuh"
#include "cuda_word.cuh"

/* What a lane knows of the edges of its grid. These are of the torus of whole groups: a strip has a lane for each group
 * of the row, and the row goes on at its other end. The functions that are empty here have work to do in the classes of
 * cuda_resident_edges.cuh. */
template <class LANES> struct resident_whole {
    LANES lanes; /* those that hold the groups beside the lane's own */

    /* Columns of a strip before the first group of the row. */
    template <class JOB> static __device__ __forceinline__ int32_t ghosts(const JOB &)
    {
        return 0;
    }
    /* The cells of the last group; if they are less than 128, columns are joined from two groups. */
    template <class JOB> static __device__ __forceinline__ uint32_t tail(const JOB &)
    {
        return 128;
    }
    /* The group at a column of the row. */
    template <class JOB> __device__ __forceinline__ uint32_t find_group(const JOB &, int32_t column)
    {
        return (uint32_t) column;
    }
    /* Lane `inside` of a strip whose first row is `row`, counted from `halo` rows above the grid. */
    template <int ROWS, class JOB> __device__ __forceinline__ void find_edges(const JOB &, uint32_t, uint32_t)
    {
    }
    /* Joins the second group of the column to the one in `word`, which comes from `row`. */
    __device__ __forceinline__ void join(uint32_t (&)[4], const uint4 *) const
    {
    }
    /* Copies the cells of the row again to the ghost columns; `first` is the strip's first lane. */
    template <int ROWS> __device__ __forceinline__ void refresh(uint32_t (&)[ROWS][4], uint32_t, uint32_t) const
    {
    }
    /* Clears the cells beyond dead edges. */
    template <int ROWS> __device__ __forceinline__ void clear(uint32_t (&)[ROWS][4]) const
    {
    }
};

struct resident_launch {
    typedef resident_whole<chosen_lanes> edges;
    static constexpr bool DEAD = false;
    const uint4 *source;
    uint4 *result;
    uint32_t groups, tail, height;
    uint32_t pitch;   /* in groups */
    uint32_t halo;    /* rows above and below a band, and steps between exchanges; no band has fewer rows */
    uint32_t columns; /* lanes of a strip: groups, and 2 more if the last one is not full */
    uint64_t steps;
    ulonglong2 *slots; /* of the exchange: 2 * blocks * 2 * halo * columns * 2 of them, all zero at the start */
};

/* What a lane holds. Row 0 is `halo` rows above the block's band. */
template <class EDGES> struct resident_lane {
    uint32_t row;                /* the strip's first row */
    uint32_t warp_row, warp_end; /* the rows of all strips of the warp */
    uint32_t first, rows;        /* the band: its first row in the grid, and its height */
    uint32_t position;           /* the lane's number in the strip; from `columns` on, the lane is idle */
    uint32_t column;             /* the group of the row that it holds */
    uint32_t edge;               /* its index in a plane of strip_edges */
    EDGES edges;
};

template <int ROWS, int WARPS, class JOB>
__device__ __forceinline__ resident_lane<typename JOB::edges> place_resident(const JOB &job)
{
    const uint32_t lane = threadIdx.x & 31, strips = 32 / job.columns;
    const uint32_t warp =
        __shfl_sync(~0u, threadIdx.x >> 5, 0); /* the compiler then knows that it is the same in all lanes */
    const uint32_t in_warp = min(lane / job.columns, strips - 1), base = in_warp * job.columns;
    const int32_t ghosts = JOB::edges::ghosts(job);
    resident_lane<typename JOB::edges> l;
    l.row = (warp * strips + in_warp) * ROWS;
    l.warp_row = warp * strips * ROWS, l.warp_end = l.warp_row + strips * ROWS;
    l.first = (uint32_t) ((uint64_t) job.height * blockIdx.x / gridDim.x);
    l.rows = (uint32_t) ((uint64_t) job.height * (blockIdx.x + 1) / gridDim.x) - l.first;
    l.position = lane - base;
    const uint32_t inside = min(l.position, job.columns - 1);
    l.column = l.edges.find_group(job, (int32_t) inside - ghosts);
    l.edges.lanes.left = (int32_t) (base + (inside ? inside - 1 : job.columns - 1));
    l.edges.lanes.right = (int32_t) (base + (inside + 1 < job.columns ? inside + 1 : 0));
    l.edges.template find_edges<ROWS>(job, inside, l.first + l.row);
    l.edge = (warp * strips + in_warp + 1) * job.columns + inside;
    if (l.position >= job.columns)
        l.edge = (WARPS + 2 + warp) * 32 + lane; /* a place of its own, which no lane reads */
    return l;
}

template <int ROWS, class JOB>
__device__ __forceinline__ void load_strip(uint32_t (&strip)[ROWS][4], const JOB &job,
                                           const resident_lane<typename JOB::edges> &l)
{
    const uint32_t above = l.first + job.height - job.halo % job.height;
    for (int r = 0; r < ROWS; r++) {
        const uint4 *row = job.source + (uint64_t) ((above + l.row + r) % job.height) * job.pitch;
        read_group(strip[r], row[l.column]);
        if (l.edges.tail(job) < 128)
            l.edges.join(strip[r], row);
    }
    l.edges.clear(strip);
}

template <int ROWS, class EDGES>
__device__ __forceinline__ void store_strip(const uint32_t (&strip)[ROWS][4], const resident_launch &job,
                                            const resident_lane<EDGES> &l)
{
    const uint32_t column = l.position - (uint32_t) l.edges.ghosts(job);
    for (int r = 0; r < ROWS; r++)
        if (l.row + r - job.halo < l.rows && column < job.groups)
            job.result[(uint64_t) (l.first + l.row + r - job.halo) * job.pitch + column] = make_group(strip[r]);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* The rows of a strip with their sums. */
template <int ROWS> struct summed_strip {
    cells row[ROWS];
    sums sum[ROWS];

    template <class EDGES>
    __device__ __forceinline__ void set(int r, const uint32_t (&word)[4], const resident_lane<EDGES> &l)
    {
        row[r] = with_sides(word, l.edges.lanes);
        sum[r] = row_sums(row[r], life_by_logic());
    }
};

/* The sums of the strips' first and last rows in shared memory, for even and for odd steps:
 *
 *     plane 0    low words of the first rows      PLANE bytes: for each strip, a group a lane
 *     plane 1    high words of the first rows
 *     plane 2    low words of the last rows
 *     plane 3    high words of the last rows
 *
 * A plane also has room for a strip before the first and after the last, which nobody writes, and for idle lanes.
 * WARPS is the most that a block has. */
template <int WARPS> struct strip_edges {
    enum { PLANE = (2 * WARPS + 2) * 32 * 16, STATE = 4 * PLANE, BYTES = 2 * STATE };

    uint32_t own, above, below; /* addresses in plane 0 to write: of this strip and of those above and below it */
    uint32_t other;             /* the distance from there to the planes of the step before */

    template <class EDGES>
    __device__ __forceinline__ void start(const resident_launch &job, const resident_lane<EDGES> &l)
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

    /* The sums of the rows just above and below the strip, as they were published last. */
    __device__ __forceinline__ void read(sums &row_above, sums &row_below) const
    {
        read_shared(row_above.low, above + other + 2 * PLANE);
        read_shared(row_above.high, above + other + 3 * PLANE);
        read_shared(row_below.low, below + other);
        read_shared(row_below.high, below + other + PLANE);
    }
};

/* One step of a strip. The loads from shared memory start first; the inner rows, which do not need them, follow; the
 * first and last row come last. PUBLISH is false before an exchange, which changes these rows again. */
template <bool PUBLISH, int ROWS, int WARPS, class EDGES, class RULE>
__device__ __forceinline__ void step_strip(summed_strip<ROWS> &strip, strip_edges<WARPS> &edges,
                                           const resident_lane<EDGES> &l, const RULE &rule)
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
    l.edges.clear(word);
    strip.set(0, word[0], l);
    if (ROWS > 1)
        strip.set(ROWS - 1, word[ROWS - 1], l);
    if (PUBLISH)
        edges.publish(strip.sum[0], strip.sum[ROWS - 1]);
    for (int r = 1; r < ROWS - 1; r++)
        strip.set(r, word[r], l);
}

/* ---- Exchange -------------------------------------------------------------------------------- */

/* The slot of a row of a block's halo above (side 0) or below it (side 1). Even and odd exchanges have slots of their
 * own, so no slot is overwritten before it was read: before a block writes the slots of exchange n + 2, it has received
 * exchange n + 1 from the same neighbour, which sent it after it had read exchange n. */
template <class EDGES>
__device__ __forceinline__ ulonglong2 *halo_slot(const resident_launch &job, const resident_lane<EDGES> &l,
                                                 uint32_t number, uint32_t block, uint32_t side, uint32_t row)
{
    const uint32_t half = ((number & 1) * gridDim.x + block) * 2 + side;
    return job.slots + ((uint64_t) (half * job.halo + row) * job.columns + l.position) * 2;
}

template <int ROWS, class EDGES>
__device__ __forceinline__ void send_rows(const uint32_t (&word)[ROWS][4], uint32_t number, const resident_launch &job,
                                          const resident_lane<EDGES> &l)
{
    const uint32_t up = (blockIdx.x + gridDim.x - 1) % gridDim.x, down = (blockIdx.x + 1) % gridDim.x;
    for (int r = 0; r < ROWS; r++) {
        const uint32_t row = l.row + r;
        if (row - job.halo < job.halo)
            send_group(halo_slot(job, l, number, up, 1, row - job.halo), word[r], number);
        if (row - l.rows < job.halo)
            send_group(halo_slot(job, l, number, down, 0, row - l.rows), word[r], number);
    }
}

/* Polls the slots of all rows until all have the number of this exchange. */
template <int ROWS, class EDGES>
__device__ __forceinline__ void receive_rows(uint32_t (&word)[ROWS][4], uint32_t number, const resident_launch &job,
                                             const resident_lane<EDGES> &l)
{
    const uint32_t end = job.halo + l.rows;
    tagged_group received[ROWS];
    bool all;
    do {
        all = true;
        for (int r = 0; r < ROWS; r++) {
            const uint32_t row = l.row + r;
            if (row < job.halo || row - end < job.halo)
                received[r].poll(halo_slot(job, l, number, blockIdx.x, row >= end, row >= end ? row - end : row));
        }
        for (int r = 0; r < ROWS; r++) {
            const uint32_t row = l.row + r;
            if (row < job.halo || row - end < job.halo)
                all = all && received[r].has_tag(number);
        }
    } while (!all);
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < 4; i++)
            if (l.row + r < job.halo || l.row + r - end < job.halo)
                word[r][i] = (uint32_t) received[r].part[i];
}

/* Every `halo` steps: sends the band's first and last rows, and waits for those of the neighbours. */
template <int ROWS, class JOB>
__device__ __forceinline__ void exchange(summed_strip<ROWS> &strip, uint32_t number, const JOB &job,
                                         const resident_lane<typename JOB::edges> &l)
{
    uint32_t word[ROWS][4];
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < 4; i++)
            word[r][i] = strip.row[r].word[i];
    if (l.edges.tail(job) < 128)
        l.edges.refresh(word, (threadIdx.x & 31) - l.position, l.column);
    if (l.position < job.columns) {
        send_rows(word, number, job, l);
        receive_rows(word, number, job, l);
    }
    __syncwarp();
    l.edges.clear(word);
    for (int r = 0; r < ROWS; r++)
        strip.set(r, word[r], l);
}

/* Takes steps 1 … count after an exchange. From step `limit` on, all rows of the warp are wrong and nobody needs them:
 * the warp then only takes part in the barriers. */
template <int ROWS, int WARPS, class EDGES, class RULE>
__device__ __forceinline__ void take_steps(summed_strip<ROWS> &strip, strip_edges<WARPS> &edges, uint32_t count,
                                           uint32_t limit, const resident_lane<EDGES> &l, const RULE &rule)
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

template <int ROWS, int WARPS, class JOB, class RULE>
__device__ __forceinline__ void stay_resident(const JOB &job, const RULE &rule)
{
    const resident_lane<typename JOB::edges> l = place_resident<ROWS, WARPS>(job);
    const uint32_t rows = l.rows + 2 * job.halo;
    const uint32_t limit = min(l.warp_end, rows - min(l.warp_row, rows));
    /* The warp sends and receives nothing if all its rows are in the band and none is among those that are sent. */
    const bool inside = l.edges.tail(job) == 128 && l.warp_row >= 2 * job.halo && l.warp_end <= l.rows;
    strip_edges<WARPS> edges;
    summed_strip<ROWS> strip;
    uint32_t word[ROWS][4];
    edges.start(job, l);
    load_strip(word, job, l);
    for (int r = 0; r < ROWS; r++)
        strip.set(r, word[r], l);
    uint64_t left = job.steps;
    for (uint32_t number = 1;; number++) {
        const uint32_t count = (uint32_t) min(left, (uint64_t) job.halo);
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
