/* The settled regions of a grid on a CUDA device: a step leaves out the tiles that repeat the state of two steps ago,
 * as cpu_settled.c explains. Here one step is one launch, and a map has a byte for each tile: where it has changed.
 *
 *     step t      reads map 0, which tells where the state t differs from t - 2, and computes the tiles beside these
 *                 changes; compares each with what it overwrites, the state t - 1, and writes map 1
 *     step t + 1  reads map 1 and writes map 0
 *
 * A tile is a piece of a warp's band, at most 16 rows of 120 cells. A lane looks at the nine tiles around one of the
 * band's pieces, so the warp learns at once which pieces are needed. The last block to end tells the next step what is
 * known. */
#ifndef RULETABLE_CUDA_SETTLED_CUH
#define RULETABLE_CUDA_SETTLED_CUH

#include "cuda_kernels.cuh"

#include <common/settled.h>

namespace ruletable
{

enum {
    TILE_ROWS = 16, /* at most */
    COUNT_BITS = 40 /* of `ended` that count tiles; the other bits count blocks */
};

/* In device memory. The host clears what follows `skipped` if the state of the grid has changed from outside. */
struct settled_state {
    unsigned long long taken, skipped; /* tiles so far, and those of them that were skipped */
    unsigned long long ended;          /* blocks that have ended the step, and their needed tiles */
    uint32_t known;                    /* does the buffer that the next step writes hold the state of one step ago? */
    uint32_t mapped;                   /* does the map of the state that it reads say what has changed? */
};

struct settled_job {
    settled_state *state;
    const uint8_t *before; /* the map of the state that the step reads: for each strip, the tiles from top to bottom */
    uint8_t *after;
    uint32_t strips, lines; /* tiles along x and y */
    int32_t pieces, rows;   /* of a band; of a piece, the last of a band may have fewer */
    bool torus[2];
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

enum { ROWS_AHEAD = 4 }; /* for which the old cells are read before they are needed */

/* Results that are compared with what they overwrite. */
struct compared_results {
    int32_t row, rows;         /* of the tile: the next one, and their number */
    uint32_t old[ROWS_AHEAD];  /* cells of the next rows */
    uint32_t all, first, last; /* in which bits have the rows changed, the first and the last one? */

    __device__ __forceinline__ void begin(const job &job, int64_t x, int64_t y, int32_t count)
    {
        row = 0, rows = count, all = first = last = 0;
#pragma unroll
        for (int i = 0; i < ROWS_AHEAD; i++)
            old[i] = i < rows ? *(const uint32_t *) (job.to + (y + i) * job.pitch + x) : 0;
    }
    __device__ __forceinline__ void write(const job &job, int64_t x, int64_t y, uint32_t cells)
    {
        const uint32_t changed = old[0] ^ cells;
#pragma unroll
        for (int i = 1; i < ROWS_AHEAD; i++)
            old[i - 1] = old[i];
        if (row + ROWS_AHEAD < rows)
            old[ROWS_AHEAD - 1] = *(const uint32_t *) (job.to + (y + ROWS_AHEAD) * job.pitch + x);
        store(job, x, y, cells);
        first = row == 0 ? changed : first;
        all |= changed, last = changed;
        row++;
    }
};

/* Where the tile has changed, as settled_found takes it, from what the lane's columns have; they begin at `x`. */
__device__ __forceinline__ unsigned where_changed(const job &job, int64_t x, const compared_results &r)
{
    const int64_t begin = (int64_t) blockIdx.x * STRIP, end = begin + STRIP < job.width ? begin + STRIP : job.width;
    unsigned where = 0;
#pragma unroll
    for (int i = 0; i < LANE_COLUMNS; i++) {
        const uint32_t byte = x + i >= begin && x + i < end ? 0xffu << 8 * i : 0;
        if (r.all & byte)
            where |= SETTLED_CHANGED | (x + i == begin ? SETTLED_LOW(0) : 0) |
                     (x + i == end - 1 ? SETTLED_HIGH(0) : 0) | (r.first & byte ? SETTLED_LOW(1) : 0) |
                     (r.last & byte ? SETTLED_HIGH(1) : 0);
    }
    return where;
}

/* The warp's pieces that are needed: a bit for each. */
__device__ __forceinline__ uint32_t find_pieces(const job &job, const settled_job &s, bool all)
{
    const int64_t band = band_of_warp(job), first = band + (int64_t) threadIdx.x * s.rows;
    const bool exists = (int32_t) threadIdx.x < s.pieces && first < job.height;
    const uint32_t line = (uint32_t) (band / job.band) * (uint32_t) s.pieces + threadIdx.x;
    return __ballot_sync(~0u, exists && (all || is_needed(s, blockIdx.x, line)));
}

/* Takes the step of the warp's needed pieces, and writes what the map says of all its pieces. */
template <bool DIRECT, typename WORD>
__device__ __forceinline__ void take_pieces(const job &job, const settled_job &s, const uint32_t *tables,
                                            uint32_t needed, bool known)
{
    const int64_t band = band_of_warp(job), end = band + job.band < job.height ? band + job.band : job.height;
    const int64_t x = column_of_lane();
    const bool writes = threadIdx.x > 0 && threadIdx.x < LANES - 1 && x < job.width;
    lane<WORD> own = lane_of<WORD>(job, tables);
    unsigned mine = 0;
    for (uint32_t left = needed; left; left &= left - 1) {
        const int piece = __ffs((int) left) - 1;
        const int64_t first = band + (int64_t) piece * s.rows, last = first + s.rows < end ? first + s.rows : end;
        compared_results results;
        results.begin(job, x, first, writes ? (int32_t) (last - first) : 0);
        take_rows<DIRECT>(job, own, x, first, last, results);
        const unsigned where = known ? __reduce_or_sync(~0u, where_changed(job, x, results)) : (unsigned) SETTLED_ALL;
        mine = (int) threadIdx.x == piece ? where : mine;
    }
    if ((int32_t) threadIdx.x < s.pieces && band + (int64_t) threadIdx.x * s.rows < job.height)
        s.after[(uint64_t) blockIdx.x * s.lines + (uint32_t) (band / job.band) * (uint32_t) s.pieces + threadIdx.x] =
            (uint8_t) mine;
}

/* ---- Steps --------------------------------------------------------------------------------------- */

/* Tells the next step what is known. `needed` tiles were computed. */
__device__ __forceinline__ void end_step(const settled_job &s, uint64_t needed)
{
    const uint64_t tiles = (uint64_t) s.strips * s.lines;
    settled_state *state = s.state;
    state->taken += tiles, state->skipped += tiles - needed;
    state->known = state->mapped = 1, state->ended = 0;
}

/* The block has taken its part of a step, with so many needed tiles. The last block ends the step. All threads have read
 * the state before. */
__device__ __forceinline__ void end_block(const settled_job &s, uint32_t needed)
{
    const unsigned long long one = 1ull << COUNT_BITS;
    const unsigned long long before = atomicAdd(&s.state->ended, one + needed);
    if ((before >> COUNT_BITS) + 1 == (unsigned long long) gridDim.x * gridDim.y)
        end_step(s, (before & (one - 1)) + needed);
}

/* Takes a step, and leaves out tiles. `shared` has room for the tables, or is NULL: then they are read where they
 * are. A block without needed tiles does not read them. `total` is one number of the block. */
template <bool DIRECT, typename WORD>
__device__ __forceinline__ void take_settled_step(const job &job, const settled_job &s, uint32_t *shared,
                                                  uint32_t *total)
{
    const bool known = s.state->known;
    const uint32_t pieces = find_pieces(job, s, !s.state->mapped);
    if (threadIdx.x == 0 && threadIdx.y == 0)
        *total = 0;
    if (__syncthreads_or(pieces != 0) && shared) {
        copy_tables(job, shared);
        __syncthreads();
    }
    take_pieces<DIRECT, WORD>(job, s, shared ? shared : job.tables, pieces, known);
    if (threadIdx.x == 0 && pieces)
        atomicAdd(total, (uint32_t) __popc(pieces));
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0)
        end_block(s, *total);
}

} // namespace ruletable

#endif
