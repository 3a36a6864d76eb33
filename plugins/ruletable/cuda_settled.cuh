/* The settled regions of a grid on a CUDA device: a step leaves out the tiles that repeat the state of two steps ago,
 * as cpu_settled.c explains. Here a map has a byte for each tile: where it has changed.
 *
 *     step t      reads map 0, which tells where the state t differs from t - 2, and computes the tiles beside these
 *                 changes; compares each with what it overwrites, the state t - 1, and writes map 1
 *     step t + 1  reads map 1 and writes map 0
 *
 * A tile has up to 16 rows of a strip of 120 cells. Groups of eight tiles, one below the other, are dealt to the blocks
 * in turn, so that each has its share of a busy region:
 *
 *     tiles       0 … 7   8 … 15   …   8 n - 8 … 8 n - 1   8 n … 8 n + 7   …
 *     of block    0       1        …   n - 1               0               …
 *
 * A thread looks at the nine tiles around one of the block's tiles. The warps then take the needed ones.
 *
 * If many tiles have changed, steps go band by band, as without tiles, until it is time for a trial. The host does not
 * know the state. So it launches the kernel of bands and this kernel for each step. Both find how the step goes, and
 * one of them has nothing to do. The first thread of this kernel tells the next step what is known. */
#ifndef RULETABLE_CUDA_SETTLED_CUH
#define RULETABLE_CUDA_SETTLED_CUH

#include "cuda_kernels.cuh"

#include <common/settled.h>

namespace ruletable
{

enum {
    TILE_ROWS = 16,   /* at most */
    GROUP = 8,        /* tiles */
    MOST_MOVING = 30, /* percent of the tiles; if more have changed, it is faster to compute all cells band by band */
    FIRST_WAIT = 64,  /* steps between two trials. A trial takes a step */
    LONGEST_WAIT = 1024
};

/* What is known before a step. */
struct settled_step {
    uint32_t known;          /* does the buffer that it writes hold the state of one step ago? */
    uint32_t mapped;         /* does the map of the state that it reads say what has changed? */
    uint32_t turn;           /* the index in `moving` of the changes in this map */
    uint32_t wait, interval; /* steps until the next trial, and between the last one and it */
};

/* In device memory. The host clears what follows `computed` if the state of the grid has changed from outside. */
struct settled_state {
    unsigned long long taken, computed; /* tiles so far, and those of them that were computed */
    settled_step step[2];               /* a step that reads buffer i reads step[i], and writes the other one */
    uint32_t moving[3];                 /* changed tiles; a step reads one, adds to the next, and clears the third */
};

struct settled_job {
    settled_state *state;
    const uint8_t *before; /* the map of the state that the step reads: for each strip, the tiles from top to bottom */
    uint8_t *after;
    uint32_t strips, lines; /* tiles along x and y; fewer than 2^31 in all */
    uint32_t from;          /* the buffer that the step reads */
    bool torus[2];
    bool always; /* are tiles left out even if this is slower? */
};

/* ---- Needed tiles -------------------------------------------------------------------------------- */

/* What a map says of the tile `right` and `down` of a tile, or 0 if there is no such tile. */
__device__ __forceinline__ unsigned moving_at(const settled_job &s, uint32_t strip, uint32_t line, int right, int down)
{
    const bool ends_x = right < 0 ? strip == 0 : right > 0 && strip + 1 == s.strips;
    const bool ends_y = down < 0 ? line == 0 : down > 0 && line + 1 == s.lines;
    if ((ends_x && !s.torus[0]) || (ends_y && !s.torus[1]))
        return 0;
    const uint32_t i = !ends_x ? strip + (uint32_t) right : right < 0 ? s.strips - 1 : 0;
    const uint32_t j = !ends_y ? line + (uint32_t) down : down < 0 ? s.lines - 1 : 0;
    return s.before[(uint64_t) i * s.lines + j];
}

/* Has a cell of the tile, or one beside it, changed? */
__device__ __forceinline__ bool is_needed(const settled_job &s, uint32_t strip, uint32_t line)
{
    bool needed = false;
#pragma unroll
    for (int down = -1; down <= 1; down++)
#pragma unroll
        for (int right = -1; right <= 1; right++) {
            const unsigned facing = SETTLED_CHANGED |
                                    (right < 0   ? SETTLED_HIGH(0)
                                     : right > 0 ? SETTLED_LOW(0)
                                                 : 0) |
                                    (down < 0   ? SETTLED_HIGH(1)
                                     : down > 0 ? SETTLED_LOW(1)
                                                : 0);
            needed = needed || (moving_at(s, strip, line, right, down) & facing) == facing;
        }
    return needed;
}

/* ---- Tiles --------------------------------------------------------------------------------------- */

/* Results that are compared with what they overwrite. */
struct compared_results {
    int64_t pitch;
    int32_t row, rows;         /* of the tile: the next one, and their number */
    uint32_t old[ROWS_AHEAD];  /* cells of the next rows */
    uint32_t all, first, last; /* in which bits have the rows changed, the first and the last one? */

    __device__ __forceinline__ compared_results(const job &job, const columns &columns, int64_t y, int32_t count)
        : pitch(job.pitch), row(0), rows(count), all(0), first(0), last(0)
    {
#pragma unroll
        for (int i = 0; i < ROWS_AHEAD; i++)
            old[i] = i < rows && columns.writes > 0 ? *(const uint32_t *) (job.to + (y + i) * pitch + columns.x) : 0;
    }
    __device__ __forceinline__ void write(uint8_t *to, int32_t count, uint32_t cells)
    {
        const uint32_t changed = old[0] ^ cells;
#pragma unroll
        for (int i = 1; i < ROWS_AHEAD; i++)
            old[i - 1] = old[i];
        if (row + ROWS_AHEAD < rows)
            old[ROWS_AHEAD - 1] = *(const uint32_t *) (to + ROWS_AHEAD * pitch);
        store(to, count, cells);
        first = row == 0 ? changed : first;
        all |= changed, last = changed;
        row++;
    }
};

/* Where the tile has changed, as settled_found takes it, from what the lane's columns have. */
__device__ __forceinline__ unsigned where_changed(const job &job, const columns &columns, const compared_results &r)
{
    const uint32_t mine = columns.writes > 0 ? ~0u >> 8 * (LANE_COLUMNS - columns.writes) : 0; /* the bits of results */
    if (!(r.all & mine))
        return 0;
    const bool begins = threadIdx.x == 1, ends = threadIdx.x == LANES - 2 || columns.x + columns.writes == job.width;
    const uint32_t lowest = begins ? 0xffu : 0, highest = ends ? 0xffu << 8 * (columns.writes - 1) : 0;
    return SETTLED_CHANGED | (r.all & lowest ? SETTLED_LOW(0) : 0) | (r.all & highest ? SETTLED_HIGH(0) : 0) |
           (r.first & mine ? SETTLED_LOW(1) : 0) | (r.last & mine ? SETTLED_HIGH(1) : 0);
}

/* A warp takes the step of a tile. Returns where it has changed. */
template <bool DIRECT, typename WORD>
__device__ __forceinline__ unsigned take_tile(const job &job, const uint32_t *tables, uint32_t strip, uint32_t line)
{
    const columns columns(job, strip);
    const int64_t first = (int64_t) line * TILE_ROWS, left = job.height - first;
    const int32_t rows = left < TILE_ROWS ? (int32_t) left : TILE_ROWS;
    lane<WORD> own = lane_of<WORD>(job, tables);
    compared_results results(job, columns, first, rows);
    take_rows<DIRECT>(job, own, columns, first, rows, results);
    return __reduce_or_sync(~0u, where_changed(job, columns, results));
}

/* ---- Steps --------------------------------------------------------------------------------------- */

/* What is known before this step, and whether it waits for a trial. All blocks find the same. */
__device__ __forceinline__ settled_step known_before(const settled_job &s)
{
    settled_step now = s.state->step[s.from];
    const uint64_t tiles = (uint64_t) s.strips * s.lines;
    if (now.mapped && !s.always && s.state->moving[now.turn] * UINT64_C(100) > tiles * MOST_MOVING) {
        now.mapped = 0;
        now.wait = now.interval > 0 ? now.interval : (uint32_t) FIRST_WAIT;
        now.interval = 2 * now.wait < LONGEST_WAIT ? 2 * now.wait : (uint32_t) LONGEST_WAIT;
    }
    return now;
}

/* Does the step go by tiles? The first one after a change from outside could compare with nothing. */
__device__ __forceinline__ bool goes_by_tiles(const settled_job &s, const settled_step &now)
{
    return s.always || (now.known && now.wait == 0);
}

/* Tells the next step what is known. */
__device__ __forceinline__ void tell_next(const settled_job &s, const settled_step &now)
{
    const unsigned long long tiles = (unsigned long long) s.strips * s.lines;
    const bool by_tiles = goes_by_tiles(s, now);
    const uint32_t turn = now.turn < 2 ? now.turn + 1 : 0;
    s.state->step[1 - s.from] = {1, by_tiles && now.known, turn, now.wait > 0 ? now.wait - 1 : 0, now.interval};
    s.state->moving[turn < 2 ? turn + 1 : 0] = 0;
    s.state->taken += tiles;
    if (!by_tiles)
        s.state->computed += tiles;
}

/* A block's needed tiles, in shared memory: the threads that looked at them. */
struct settled_list {
    uint32_t count, moving;
    uint16_t thread[1024];
};

/* The number of the tile that a thread of the block looks at. It may be too large. */
__device__ __forceinline__ uint64_t tile_of_thread(uint32_t thread)
{
    return ((uint64_t) (thread / GROUP) * gridDim.x + blockIdx.x) * GROUP + thread % GROUP;
}

/* Lists the needed tiles, and writes what the map says of the others. */
__device__ __forceinline__ void list_tiles(const settled_job &s, bool all, settled_list *list)
{
    const uint32_t thread = threadIdx.y * LANES + threadIdx.x;
    const uint64_t tile = tile_of_thread(thread);
    const bool exists = tile < (uint64_t) s.strips * s.lines;
    const uint32_t strip = (uint32_t) tile / s.lines, line = (uint32_t) tile - strip * s.lines;
    const bool needed = exists && (all || is_needed(s, strip, line));
    if (thread == 0)
        list->count = list->moving = 0;
    __syncthreads();
    if (needed)
        list->thread[atomicAdd(&list->count, 1u)] = (uint16_t) thread;
    else if (exists)
        s.after[tile] = 0;
    __syncthreads();
}

/* Takes a step of the needed tiles: all of them, if the map is not known. A block without needed tiles does not copy
 * the tables. */
template <bool SHARED, bool DIRECT, typename WORD>
__device__ __forceinline__ void take_tiles(const job &job, const settled_job &s, bool all, uint32_t *shared,
                                           settled_list *list)
{
    list_tiles(s, all, list);
    const uint32_t count = list->count;
    if (count == 0)
        return;
    if (SHARED) {
        copy_tables(job, shared);
        __syncthreads();
    }
    for (uint32_t i = threadIdx.y; i < count; i += blockDim.y) {
        const uint32_t tile = (uint32_t) tile_of_thread(list->thread[i]), strip = tile / s.lines;
        const unsigned where =
            take_tile<DIRECT, WORD>(job, SHARED ? shared : job.tables, strip, tile - strip * s.lines);
        if (threadIdx.x == 0) {
            s.after[tile] = (uint8_t) where;
            atomicAdd(&list->moving, where != 0 ? 1u : 0u);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        const uint32_t turn = s.state->step[s.from].turn;
        atomicAdd(&s.state->computed, (unsigned long long) count);
        atomicAdd(&s.state->moving[turn < 2 ? turn + 1 : 0], list->moving);
    }
}

/* Takes a step by tiles, unless it goes band by band. `shared` has room for the tables, if they are to be copied there. */
template <bool SHARED, bool DIRECT, typename WORD>
__device__ __forceinline__ void take_settled_step(const job &job, const settled_job &s, uint32_t *shared,
                                                  settled_list *list)
{
    const settled_step now = known_before(s);
    if (blockIdx.x == 0 && threadIdx.x == 0 && threadIdx.y == 0)
        tell_next(s, now);
    if (goes_by_tiles(s, now))
        take_tiles<SHARED, DIRECT, WORD>(job, s, !now.known || !now.mapped, shared, list);
}

} // namespace ruletable

#endif
