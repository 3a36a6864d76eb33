/* A tile of 2D Life for cuda_settled.cuh: 12 steps of its cells, and where they have changed.
 *
 * A warp takes the steps of a tile in a window of 128 x 128 cells. A lane holds four rows of it. Each step makes one
 * more cell at the edges of the window wrong:
 *
 *     x       0 ... 15   16 ... 111   112 ... 127      A tile has up to three bytes of a word, which are 32 cells each,
 *     y       0 ... 11   12 ... 115   116 ... 127      so no other tile has the same byte, and up to 104 rows. */
#ifndef LIFE2D_CUDA_TILE_CUH
#define LIFE2D_CUDA_TILE_CUH

#include "cuda_seam.cuh"
#include "cuda_settled.h"
#include "cuda_word.cuh"

enum {
    SETTLED_ROWS = 4,                             /* of a lane */
    SETTLED_LEFT = 16,                            /* cells of a window before those of its tile */
    SETTLED_SLOT = 34,                            /* groups for one row of each lane: no bank conflicts, see row_slot */
    SETTLED_WINDOW = SETTLED_ROWS * SETTLED_SLOT, /* groups of shared memory for a window */
    SETTLED_ENTRIES = 12288                       /* tiles that a block lists together */
};

/* Shared memory: a window for each warp, the list of needed tiles, and how many tiles each warp has found. */
enum {
    SETTLED_LIST = SETTLED_WARPS * SETTLED_WINDOW, /* in groups */
    SETTLED_COUNTS = SETTLED_LIST + SETTLED_ENTRIES * 2 / 16,
    SETTLED_SHARED = (SETTLED_COUNTS + SETTLED_WARPS * 4 / 16) * 16 /* bytes */
};

/* ---- Between blocks -------------------------------------------------------------------------- */

#ifdef __CUDACC__
/* Other blocks write what these read, so the caches of a multiprocessor do not help. */
__device__ __forceinline__ uint32_t read_now(const uint32_t *from)
{
    return __ldcg(from);
}

__device__ __forceinline__ uint4 read_now(const uint4 *from)
{
    return __ldcg(from);
}

/* Waits until all blocks have called it, and sees what they have written. The highest bit of `arrived` changes when the
 * last block arrives: block 0 adds what the others lack. */
__device__ __forceinline__ void wait_for_grid(uint32_t *arrived)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        const uint32_t add = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1;
        uint32_t before, now;
        asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], %2;"
                     : "=r"(before)
                     : "l"(arrived), "r"(add)
                     : "memory");
        do
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(arrived) : "memory");
        while (((before ^ now) & 0x80000000u) == 0);
    }
    __syncthreads();
}
#else /* a test that computes kernels on the host */
static uint32_t read_now(const uint32_t *from)
{
    return *from;
}
static uint4 read_now(const uint4 *from)
{
    return *from;
}
static void wait_for_grid(uint32_t *arrived);
#endif

/* ---- Tiles ----------------------------------------------------------------------------------- */

/* A tile: where it begins, in bytes of 32 cells and rows, and its size. */
struct settled_tile {
    uint32_t column, line; /* among the tiles */
    uint32_t byte, bytes;
    uint32_t row, rows;
    uint32_t cells; /* along x, of which the last byte may have fewer than 32 */
};

__device__ __forceinline__ uint32_t settled_begin(const settled_axis &axis, uint32_t tile)
{
    return tile * axis.edge + min(tile, axis.longer);
}

__device__ __forceinline__ settled_tile settled_tile_of(const settled_job &job, uint32_t column, uint32_t line)
{
    settled_tile t;
    t.column = column, t.line = line;
    t.byte = settled_begin(job.x, column);
    t.bytes = job.x.edge + (column < job.x.longer);
    t.row = settled_begin(job.y, line);
    t.rows = job.y.edge + (line < job.y.longer);
    t.cells = min(t.bytes * 32, job.width - t.byte * 32);
    return t;
}

/* number / divisor.by: the product is less than the quotient by less than 1. */
__device__ __forceinline__ uint32_t settled_divide(uint32_t number, const settled_divisor &divisor)
{
    const uint32_t quotient = (uint32_t) ((uint64_t) number * divisor.inverse >> 32);
    return quotient + (number - quotient * divisor.by >= divisor.by);
}

/* Tiles have numbers, line by line. A place has one tile of each team, and the teams take turns at random, so that each
 * has its share of a line of changes in any direction. */
__device__ __forceinline__ uint32_t turn_of(const settled_job &job, uint32_t place)
{
    return (place * 2654435761u >> 16) * job.teams.by >> 16;
}

/* Sets the bit of a tile. */
__device__ __forceinline__ void mark_needed(const settled_job &job, uint32_t *needed, uint32_t column, uint32_t line)
{
    const uint32_t number = line * job.x.tiles + column, place = settled_divide(number, job.teams);
    const uint32_t sum = number - place * job.teams.by + turn_of(job, place);
    const uint32_t team = sum < job.teams.by ? sum : sum - job.teams.by;
    atomicOr(&needed[team * job.words + place / 32], 1u << place % 32);
}

/* ---- Windows --------------------------------------------------------------------------------- */

/* A lane's four rows. */
struct settled_rows {
    uint32_t word[SETTLED_ROWS][4];
};

/* Where a warp keeps row y of a window in shared memory, in groups. Writers are the lanes with the same row of their
 * four; readers are four lanes a row, eight rows at a time. Neither meet in a bank. */
__device__ __forceinline__ uint32_t row_slot(uint32_t y)
{
    return y % SETTLED_ROWS * SETTLED_SLOT + y / SETTLED_ROWS;
}

/* 128 cells of a row, from cell x on, across the seam: the rest of a group, the one after it, and group 0 if that one
 * is the last group and short. */
__device__ __forceinline__ void read_across_seam(uint32_t (&word)[4], const uint4 *row, uint32_t x,
                                                 const settled_job &job)
{
    uint32_t next[4];
    const uint32_t group = x / 128, from = x % 128, kept = min(128u, job.width - 128 * group) - from;
    const uint32_t other = group + 1 < job.groups ? group + 1 : 0;
    const uint32_t both = kept + min(128u, job.width - 128 * other);
    read_group(word, read_now(row + group));
    read_group(next, read_now(row + other));
    join_groups(word, next, {from, kept, kept});
    if (both < 128) {
        read_group(next, read_now(row));
        join_groups(word, next, {0, both, both});
    }
}

/* The row of the grid that is `rows` rows after row y of it. */
__device__ __forceinline__ uint32_t row_after(uint32_t y, uint32_t rows, uint32_t height)
{
    return y + rows < height ? y + rows : y + rows - height;
}

/* Reads the window of a tile. At the seam, rows go through shared memory, so that there is little code. */
__device__ __forceinline__ void read_settled_window(settled_rows &rows, const settled_job &job, const uint4 *source,
                                                    const settled_tile &tile, uint4 *window)
{
    const uint32_t first = tile.byte * 32, x = first >= SETTLED_LEFT ? first - SETTLED_LEFT : job.width - SETTLED_LEFT;
    const uint32_t top = tile.row >= SETTLED_STEPS ? tile.row - SETTLED_STEPS : tile.row + job.height - SETTLED_STEPS;
    const uint32_t lane = threadIdx.x & 31, y = row_after(top, SETTLED_ROWS * lane, job.height);
    if (x + 128 > job.width) {
#pragma unroll 1
        for (uint32_t r = 0; r < SETTLED_ROWS; r++) {
            uint32_t word[4];
            read_across_seam(word, source + (uint64_t) row_after(y, r, job.height) * job.pitch, x, job);
            window[r * SETTLED_SLOT + lane] = make_group(word);
        }
#pragma unroll
        for (int r = 0; r < SETTLED_ROWS; r++)
            read_group(rows.word[r], window[r * SETTLED_SLOT + lane]);
        return;
    }
    uint4 a[SETTLED_ROWS], b[SETTLED_ROWS];
#pragma unroll
    for (int r = 0; r < SETTLED_ROWS; r++) {
        const uint4 *row = source + (uint64_t) row_after(y, (uint32_t) r, job.height) * job.pitch + x / 128;
        a[r] = read_now(row), b[r] = read_now(row + 1);
    }
    const uint32_t shift = x % 128 / 4;
#pragma unroll
    for (int r = 0; r < SETTLED_ROWS; r++) {
        rows.word[r][0] = __funnelshift_r(a[r].x, b[r].x, shift);
        rows.word[r][1] = __funnelshift_r(a[r].y, b[r].y, shift);
        rows.word[r][2] = __funnelshift_r(a[r].z, b[r].z, shift);
        rows.word[r][3] = __funnelshift_r(a[r].w, b[r].w, shift);
    }
}

/* Keeps a window in shared memory. */
__device__ __forceinline__ void keep_window(uint4 *window, const settled_rows &rows)
{
#pragma unroll
    for (int r = 0; r < SETTLED_ROWS; r++)
        window[r * SETTLED_SLOT + (threadIdx.x & 31)] = make_group(rows.word[r]);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* A row without neighbours beyond the window. */
__device__ __forceinline__ cells window_cells(const uint32_t (&word)[4])
{
    return {{word[0], word[1], word[2], word[3]}, word[3] << 1, word[0] >> 1};
}

/* One step of a window: for rules that count neighbours, lanes exchange the sums of their first and last rows. */
template <class RULE>
__device__ __forceinline__ void step_settled(settled_rows &rows, const life_factors &k, const RULE &rule)
{
    cells row[SETTLED_ROWS];
    sums sum[SETTLED_ROWS + 2]; /* with those of the lanes beside */
    for (int r = 0; r < SETTLED_ROWS; r++) {
        row[r] = window_cells(rows.word[r]);
        sum[r + 1] = row_sums(row[r], k);
    }
    for (int i = 0; i < 4; i++) {
        sum[0].low[i] = __shfl_up_sync(~0u, sum[SETTLED_ROWS].low[i], 1);
        sum[0].high[i] = __shfl_up_sync(~0u, sum[SETTLED_ROWS].high[i], 1);
        sum[SETTLED_ROWS + 1].low[i] = __shfl_down_sync(~0u, sum[1].low[i], 1);
        sum[SETTLED_ROWS + 1].high[i] = __shfl_down_sync(~0u, sum[1].high[i], 1);
    }
    for (int r = 0; r < SETTLED_ROWS; r++)
        for (int i = 0; i < 4; i++)
            rows.word[r][i] = rule.next(around_word(row[r], sum[r], sum[r + 1], sum[r + 2], i));
}

/* The same for a rule that does not: they exchange the rows. */
__device__ __forceinline__ void step_settled(settled_rows &rows, const life_factors &k, const rule_of_squares &rule)
{
    line at[SETTLED_ROWS + 2];
    uint32_t above[4], below[4];
    for (int i = 0; i < 4; i++) {
        above[i] = __shfl_up_sync(~0u, rows.word[SETTLED_ROWS - 1][i], 1);
        below[i] = __shfl_down_sync(~0u, rows.word[0][i], 1);
    }
    at[0] = make_line(window_cells(above), k);
    at[SETTLED_ROWS + 1] = make_line(window_cells(below), k);
    for (int r = 0; r < SETTLED_ROWS; r++)
        at[r + 1] = make_line(window_cells(rows.word[r]), k);
    for (int r = 0; r < SETTLED_ROWS; r++)
        for (int i = 0; i < 4; i++)
            rows.word[r][i] = rule.next(at[r], at[r + 1], at[r + 2], i);
}

/* ---- Changes --------------------------------------------------------------------------------- */

/* The bits of word `word` of a window that are cells of the tile. */
__device__ __forceinline__ uint32_t own_bits(const settled_tile &tile, uint32_t word)
{
    return ((1u << (tile.cells + 3 - word) / 4) - 1) << SETTLED_LEFT / 4;
}

/* What the changed bits of all words tell: bit 0: a cell has changed; bit 1: one near the left end of the tile, bit 2:
 * one near its right end. Near is within 12 cells; some cells may be counted that are three cells farther away. */
__device__ __forceinline__ uint32_t where_along(const settled_tile &tile, uint32_t changed)
{
    const uint32_t left = ((1u << SETTLED_STEPS / 4) - 1) << SETTLED_LEFT / 4;
    const uint32_t right = ~0u << (SETTLED_LEFT + tile.cells - SETTLED_STEPS) / 4;
    return (changed ? 1 : 0) | (changed & left ? 2 : 0) | (changed & right ? 4 : 0);
}

/* Compares the rows of all lanes with the window that they have in shared memory. Returns where the tile has changed:
 * bit 3 i + j, where j says: 0 anywhere, 1 near the left, 2 near the right end, and i: 0 anywhere, 1 near the first
 * row, 2 near the last row. */
__device__ __forceinline__ uint32_t compare_window(const uint4 *window, const settled_rows &rows,
                                                   const settled_tile &tile)
{
    uint32_t own[4], all = 0, first = 0, last = 0;
#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
        own[i] = own_bits(tile, i);
#pragma unroll
    for (uint32_t r = 0; r < SETTLED_ROWS; r++) {
        const uint32_t lane = threadIdx.x & 31, y = SETTLED_ROWS * lane + r - SETTLED_STEPS; /* large above the tile */
        uint32_t was[4], changed = 0;
        read_group(was, window[r * SETTLED_SLOT + lane]);
#pragma unroll
        for (int i = 0; i < 4; i++)
            changed |= (was[i] ^ rows.word[r][i]) & own[i];
        changed = y < tile.rows ? changed : 0;
        all |= changed;
        first |= y < SETTLED_STEPS ? changed : 0;
        last |= y + SETTLED_STEPS >= tile.rows ? changed : 0;
    }
    return where_along(tile, __reduce_or_sync(~0u, all)) | where_along(tile, __reduce_or_sync(~0u, first)) << 3 |
           where_along(tile, __reduce_or_sync(~0u, last)) << 6;
}

/* Stores one or two bytes. */
__device__ __forceinline__ void store_bytes(uint8_t *to, uint32_t bytes, uint32_t value)
{
    if (bytes == 2)
        *(uint16_t *) (void *) to = (uint16_t) value;
    else if (bytes == 1)
        *to = (uint8_t) value;
}

/* Stores the tile of a window in shared memory. Four lanes have a row, each a word, of which up to three bytes are the
 * tile's. Two that begin at an even place are stored together. */
__device__ __forceinline__ void store_window(const settled_job &job, const uint4 *window, const settled_tile &tile,
                                             uint4 *result)
{
    const uint32_t word = threadIdx.x & 3, lane_row = threadIdx.x / 4 & 7;
    const uint32_t bytes = tile.byte % 2 == 0 && tile.bytes > 1 ? 2 : 1, more = tile.bytes - bytes;
    const uint32_t next = tile.byte + bytes, down = 8 * 16 * job.pitch;
    uint8_t *row = (uint8_t *) (result + (uint64_t) (tile.row + lane_row) * job.pitch) + word * 4;
    uint8_t *to = row + tile.byte / 4 * 16 + tile.byte % 4, *then = row + next / 4 * 16 + next % 4;
#pragma unroll
    for (uint32_t i = 0; i < SETTLED_LINES / 8; i++, to += down, then += down) {
        const uint32_t y = 8 * i + lane_row;
        if (y >= tile.rows)
            continue;
        const uint32_t value = ((const uint32_t *) window)[row_slot(y + SETTLED_STEPS) * 4 + word] >> SETTLED_LEFT / 4;
        store_bytes(to, bytes, value);
        store_bytes(then, more, value >> 8 * bytes);
    }
}

/* Takes the steps of a tile. Returns to all lanes where it has changed. With a result, stores the new cells there. */
template <class RULE>
__device__ __forceinline__ uint32_t take_tile(const settled_job &job, const settled_tile &tile, const uint4 *source,
                                              uint4 *result, const RULE &rule)
{
    uint4 *window = life2d_shared + (threadIdx.x >> 5) * SETTLED_WINDOW;
    settled_rows rows;
    read_settled_window(rows, job, source, tile, window);
    keep_window(window, rows);
#pragma unroll 1
    for (int i = 0; i < SETTLED_STEPS; i++)
        step_settled(rows, job.factors, rule);
    const uint32_t where = compare_window(window, rows, tile);
    if (result) {
        keep_window(window, rows);
        __syncwarp();
        store_window(job, window, tile, result);
        __syncwarp();
    }
    return where;
}

/* Marks the tiles around a change. Nine lanes have one each. */
__device__ __forceinline__ void mark_around(const settled_job &job, uint32_t *needed, const settled_tile &tile,
                                            uint32_t where)
{
    const uint32_t lane = threadIdx.x & 31, i = lane / 3, j = lane % 3;
    if (lane >= 9 || !(where >> lane & 1))
        return;
    const uint32_t column = j == 0   ? tile.column
                            : j == 1 ? (tile.column > 0 ? tile.column : job.x.tiles) - 1
                                     : (tile.column + 1 < job.x.tiles ? tile.column + 1 : 0);
    const uint32_t line = i == 0   ? tile.line
                          : i == 1 ? (tile.line > 0 ? tile.line : job.y.tiles) - 1
                                   : (tile.line + 1 < job.y.tiles ? tile.line + 1 : 0);
    mark_needed(job, needed, column, line);
}

#endif
