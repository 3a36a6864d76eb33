/* A tile of 2D Life for cuda_settled.cuh: 12 steps of its cells, and where they have changed.
 *
 * A warp takes the steps of a tile in a window of 128 x 128 cells. A lane holds four rows of it. Each step makes one more
 * cell at the edges of the window wrong:
 *
 *     x       0 ... 15   16 ... 111   112 ... 127      A tile has up to three bytes of a word, which are 32 cells each,
 *     y       0 ... 11   12 ... 115   116 ... 127      so no other tile has the same byte, and up to 104 rows. */
#ifndef LIFE2D_CUDA_TILE_CUH
#define LIFE2D_CUDA_TILE_CUH

#include "cuda_group.cuh"
#include "cuda_settled.h"
#include "cuda_word.cuh"

enum {
    SETTLED_ROWS = 4,                             /* of a lane */
    SETTLED_LEFT = 16,                            /* cells of a window before those of its tile */
    SETTLED_SLOT = 34,                            /* groups for one row of each lane: no bank conflicts, see row_slot */
    SETTLED_WINDOW = SETTLED_ROWS * SETTLED_SLOT, /* groups of shared memory for a window */
    SETTLED_WORDS = 256                           /* of a bitmap that a block looks at together */
};

/* Shared memory: two windows for each warp, the list of needed tiles, and its length. */
enum {
    SETTLED_LIST = SETTLED_WARPS * 2 * SETTLED_WINDOW, /* in groups */
    SETTLED_COUNT = SETTLED_LIST + SETTLED_WORDS * 32 * 2 / 16,
    SETTLED_SHARED = (SETTLED_COUNT + 1) * 16 /* bytes */
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

/* Tiles have numbers, line by line. A place has one tile of each block, and the blocks take turns at random, so that each
 * has its share of a line of changes in any direction. */
__device__ __forceinline__ uint32_t turn_of(uint32_t place)
{
    return (place * 2654435761u >> 16) % gridDim.x;
}

/* Sets the bit of a tile. */
__device__ __forceinline__ void mark_needed(const settled_job &job, uint32_t *needed, uint32_t column, uint32_t line)
{
    const uint32_t number = line * job.x.tiles + column;
    const uint32_t place = number / gridDim.x, block = (number + turn_of(place)) % gridDim.x;
    atomicOr(&needed[block * job.words + place / 32], 1u << place % 32);
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

/* 128 cells of a row, from cell x on, across the seam: the rest of a group, the one after it, and group 0 if that one is
 * the last group and short. */
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

/* The bits of a window's word that are cells of the tile: all, and those within 12 cells of its left and right end, which
 * may be some too many. */
struct settled_masks {
    uint32_t own, left, right;
};

__device__ __forceinline__ settled_masks masks_of(const settled_tile &tile, uint32_t word)
{
    const uint32_t bits = (tile.cells + 3 - word) / 4, last = (tile.cells - SETTLED_STEPS) / 4;
    settled_masks m;
    m.own = ((1u << bits) - 1) << SETTLED_LEFT / 4;
    m.left = m.own & ((1u << SETTLED_STEPS / 4) - 1) << SETTLED_LEFT / 4;
    m.right = m.own & ~0u << (SETTLED_LEFT / 4 + last);
    return m;
}

/* Where cells have changed: bit 3 i + j, where j says: 0 anywhere, 1 near the left, 2 near the right end, and i: 0 anywhere, 1
 * near the first row, 2 near the last row. */
__device__ __forceinline__ uint32_t where_changed(uint32_t changed, const settled_masks &m, uint32_t y, uint32_t rows)
{
    const uint32_t along = (changed & m.own ? 1 : 0) | (changed & m.left ? 2 : 0) | (changed & m.right ? 4 : 0);
    return along | (y < SETTLED_STEPS ? along << 3 : 0) | (y + SETTLED_STEPS >= rows ? along << 6 : 0);
}

/* Stores the bytes of a word that belong to the tile, two at a time if they are at an even place. */
__device__ __forceinline__ void store_bytes(uint8_t *row, uint32_t word, uint32_t byte, uint32_t bytes, uint32_t value)
{
    for (uint32_t end = byte + bytes; byte < end;) {
        uint8_t *to = row + byte / 4 * 16 + word * 4 + byte % 4;
        if (byte % 2 == 0 && end - byte >= 2) {
            *(uint16_t *) (void *) to = (uint16_t) value;
            value >>= 16, byte += 2;
        } else {
            *to = (uint8_t) value;
            value >>= 8, byte++;
        }
    }
}

/* Compares the tile in two windows, which the warp has in shared memory: returns where it has changed. With a result, it
 * also stores the new cells there. Four lanes have a row. */
__device__ __forceinline__ uint32_t compare_windows(const settled_job &job, const uint4 *before, const uint4 *after,
                                                    const settled_tile &tile, uint4 *result)
{
    const uint32_t word = threadIdx.x & 3;
    const settled_masks masks = masks_of(tile, word);
    uint32_t where = 0;
    for (uint32_t y = threadIdx.x / 4 & 7; y < tile.rows; y += 8) {
        const uint32_t at = row_slot(y + SETTLED_STEPS) * 4 + word;
        const uint32_t was = ((const uint32_t *) before)[at], is = ((const uint32_t *) after)[at];
        where |= where_changed(was ^ is, masks, y, tile.rows);
        if (result)
            store_bytes((uint8_t *) (result + (uint64_t) (tile.row + y) * job.pitch), word, tile.byte, tile.bytes,
                        is >> SETTLED_LEFT / 4);
    }
    return __reduce_or_sync(~0u, where);
}

/* Takes the steps of a tile. Returns where it has changed; to all lanes. */
template <class RULE>
__device__ __forceinline__ uint32_t take_tile(const settled_job &job, const settled_tile &tile, const uint4 *source,
                                              uint4 *result, const RULE &rule)
{
    uint4 *before = life2d_shared + (threadIdx.x >> 5) * 2 * SETTLED_WINDOW, *after = before + SETTLED_WINDOW;
    settled_rows rows;
    read_settled_window(rows, job, source, tile, before);
    keep_window(before, rows);
#pragma unroll 1
    for (int i = 0; i < SETTLED_STEPS; i++)
        step_settled(rows, job.factors, rule);
    keep_window(after, rows);
    __syncwarp();
    const uint32_t where = compare_windows(job, before, after, tile, result);
    __syncwarp();
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
