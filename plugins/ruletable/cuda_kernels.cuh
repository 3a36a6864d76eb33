/* The kernel of `cuda`. tables.h explains the look-ups.
 *
 * A warp takes a strip of 128 columns down a band of rows; a lane has four of the columns, the bytes of a word. In each
 * row a lane looks up the classes of its four columns, and gets those of the columns beside them from its neighbours:
 *
 *     lane 0        lane 1        …    lane 30       lane 31
 *     columns       columns            columns       columns
 *     -4 … -1       0 … 3              116 … 119     120 … 123
 *     (halo)        results 0 … 3      … 119         (halo)
 *
 * The first and the last lane have no results, so strips overlap by eight columns. The tables are in shared memory if
 * they fit, because a look-up there serves 32 lanes at different addresses; otherwise the caches hold them. */
#ifndef RULETABLE_CUDA_KERNELS_CUH
#define RULETABLE_CUDA_KERNELS_CUH

#include <stdint.h>

namespace ruletable
{

enum {
    LANES = 32,
    LANE_COLUMNS = 4,
    STRIP = (LANES - 2) * LANE_COLUMNS,
    ROWS_AHEAD = 2 /* that a warp reads before it needs them */
};

/* The tables, in words of 32 bits: pair, then column, join and next, each at its offset. A wide column takes two words. */
struct job {
    const uint8_t *from;
    uint8_t *to;
    int64_t pitch;
    int64_t width, height;
    int32_t band; /* rows of a warp */
    const uint32_t *tables;
    uint32_t words; /* of all tables */
    uint32_t column_at, join_at, next_at;
    uint32_t states, bits, middle_at, right_at;
};

/* What a lane keeps while it marches. */
template <typename WORD> struct lane {
    const uint32_t *tables;
    const WORD *column;
    const uint32_t *join;
    const uint8_t *next;
    uint32_t most;                /* the largest state, in each byte: padding may hold anything */
    uint32_t upper[LANE_COLUMNS]; /* of each column, the states in the row above and in this one */
};

/* Each byte of a, but at most that of b. */
__device__ __forceinline__ uint32_t least_bytes(uint32_t a, uint32_t b)
{
#ifdef __CUDA_ARCH__
    return __vminu4(a, b);
#else
    uint32_t least = 0;
    for (int at = 0; at < 32; at += 8)
        least |= ((a >> at & 0xff) < (b >> at & 0xff) ? a >> at & 0xff : b >> at & 0xff) << at;
    return least;
#endif
}

/* Copies the tables to shared memory. All threads of the block take part. */
__device__ __forceinline__ void copy_tables(const job &job, uint32_t *shared)
{
    for (uint32_t i = threadIdx.y * LANES + threadIdx.x; i < job.words; i += LANES * blockDim.y)
        shared[i] = job.tables[i];
}

template <bool DIRECT, typename WORD>
__device__ __forceinline__ WORD look_up(const job &job, lane<WORD> &own, int column, uint32_t below)
{
    const uint32_t upper = own.upper[column];
    own.upper[column] = (upper << job.bits | below) & ((1u << 2 * job.bits) - 1);
    if (DIRECT)
        return own.column[upper << job.bits | below];
    return own.column[own.tables[upper] | below];
}

/* The lane's cells: where they are in a row of the grid. The last word of a row may have fewer than four. */
struct columns {
    int64_t x;      /* the first one */
    bool reads;     /* has the row a cell there, or a ghost cell? */
    int32_t writes; /* results of the lane */

    __device__ __forceinline__ columns(const job &job, uint32_t strip)
    {
        x = (int64_t) strip * STRIP + ((int64_t) threadIdx.x - 1) * LANE_COLUMNS;
        reads = x <= job.width;
        const int64_t left = threadIdx.x > 0 && threadIdx.x < LANES - 1 && reads ? job.width - x : 0;
        writes = left < LANE_COLUMNS ? (int32_t) left : (int32_t) LANE_COLUMNS;
    }
};

__device__ __forceinline__ void store(uint8_t *to, int32_t count, uint32_t cells)
{
    if (count == LANE_COLUMNS)
        *(uint32_t *) to = cells;
    else
#pragma unroll
        for (int i = 0; i < LANE_COLUMNS - 1; i++)
            if (i < count)
                to[i] = (uint8_t) (cells >> 8 * i);
}

/* Takes the rows [first, first + rows) of a strip. `results` sees and writes the cells of the lanes that have results. */
template <bool DIRECT, typename WORD, class RESULTS>
__device__ __forceinline__ void take_rows(const job &job, lane<WORD> &own, const columns &columns, int64_t first,
                                          int32_t rows, RESULTS &results)
{
    const uint32_t left_mask = (1u << job.middle_at) - 1, middle_mask = (1u << (job.right_at - job.middle_at)) - 1;
    const uint8_t *from = job.from + (first - 1) * job.pitch + columns.x;
    uint8_t *to = job.to + first * job.pitch + columns.x;
    const auto read = [&](bool exists) {
        const uint32_t cells = exists ? least_bytes(*(const uint32_t *) from, own.most) : 0;
        from += job.pitch;
        return cells;
    };
    const uint32_t above = read(columns.reads), here = read(columns.reads);
    uint32_t below[ROWS_AHEAD + 1]; /* rows below this one */
#pragma unroll
    for (int i = 0; i < ROWS_AHEAD; i++)
        below[i] = read(columns.reads && i < rows);
    for (int i = 0; i < LANE_COLUMNS; i++)
        own.upper[i] = (above >> 8 * i & 0xff) << job.bits | (here >> 8 * i & 0xff);
    for (int32_t row = 0; row < rows; row++) {
        below[ROWS_AHEAD] = read(columns.reads && row + ROWS_AHEAD < rows);
        uint32_t left[LANE_COLUMNS + 1], right[LANE_COLUMNS + 1], middle[LANE_COLUMNS];
#pragma unroll
        for (int i = 0; i < LANE_COLUMNS; i++) {
            const WORD classes = look_up<DIRECT>(job, own, i, below[0] >> 8 * i & 0xff);
            left[i + 1] = (uint32_t) classes & left_mask;
            middle[i] = (uint32_t) (classes >> job.middle_at) & middle_mask;
            right[i] = (uint32_t) (classes >> job.right_at);
        }
        left[0] = __shfl_up_sync(~0u, left[LANE_COLUMNS], 1);
        right[LANE_COLUMNS] = __shfl_down_sync(~0u, right[0], 1);
        uint32_t cells = 0;
#pragma unroll
        for (int i = 0; i < LANE_COLUMNS; i++)
            cells |= (uint32_t) own.next[own.join[left[i] + middle[i]] + right[i + 1]] << 8 * i;
        if (columns.writes > 0)
            results.write(to, columns.writes, cells);
        to += job.pitch;
#pragma unroll
        for (int i = 0; i < ROWS_AHEAD; i++)
            below[i] = below[i + 1];
    }
}

/* Results that are written and nothing else. */
struct plain_results {
    __device__ __forceinline__ void write(uint8_t *to, int32_t count, uint32_t cells)
    {
        store(to, count, cells);
    }
};

/* The first row of the warp's band. */
__device__ __forceinline__ int64_t band_of_warp(const job &job)
{
    return ((int64_t) blockIdx.y * blockDim.y + threadIdx.y) * job.band;
}

template <typename WORD> __device__ __forceinline__ lane<WORD> lane_of(const job &job, const uint32_t *tables)
{
    return {tables,
            (const WORD *) (tables + job.column_at),
            tables + job.join_at,
            (const uint8_t *) (tables + job.next_at),
            (job.states - 1) * 0x01010101u,
            {}};
}

/* Bands go down with blockIdx.y and the warps of a block, strips across with blockIdx.x. `tables` is a copy of
 * job.tables, or the same. */
template <bool DIRECT, typename WORD> __device__ __forceinline__ void take_step(const job &job, const uint32_t *tables)
{
    const int64_t first = band_of_warp(job), left = job.height - first;
    lane<WORD> own = lane_of<WORD>(job, tables);
    plain_results results;
    if (left > 0)
        take_rows<DIRECT>(job, own, columns(job, blockIdx.x), first, left < job.band ? (int32_t) left : job.band,
                          results);
}

/* The sets of tables for which there are kernels: without and with `pair`, narrow and wide. */
#define RULETABLE_FOR_KINDS(kind) kind(true, uint32_t) kind(false, uint32_t) kind(true, uint64_t) kind(false, uint64_t)

} // namespace ruletable

#endif
