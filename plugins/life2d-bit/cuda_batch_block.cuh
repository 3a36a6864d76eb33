/* The kernel of 2D Life for batches whose universes have no size of cuda_batch.cuh, but fit in shared memory. A block
 * has one universe, in linear words of 32 cells. With dead edges, each state has a row of dead cells behind its last
 * one. */
#ifndef LIFE2D_BATCH_BLOCK_CUH
#define LIFE2D_BATCH_BLOCK_CUH

#include "cuda_batch.cuh"

struct batch_block_job {
    static constexpr int DEAD = 0;
    const uint32_t *source;
    uint32_t *result;
    uint32_t words, height; /* of a row, in linear order; rows and universes follow each other without gaps */
    uint32_t tail;          /* cells in the last word of a row */
    uint32_t steps;
};

/* The same for grids with dead edges. X says nothing here. */
template <int X> struct dead_batch_block_job : batch_block_job {
    static constexpr int DEAD = 1;
    uint32_t dead; /* LIFE_DEAD_X, LIFE_DEAD_Y */
};

extern __shared__ uint32_t life2d_batch_shared[];

/* A column of words: where the words beside it are, and where the bits that cross the borders come from and go to. */
struct batch_column {
    uint32_t at, before, after; /* indices in a row */
    uint32_t from;              /* the bit of the word before that is the left neighbour of bit 0 */
    uint32_t to;                /* the last bit of the word; bit 0 of the word after is its right neighbour */
    uint32_t mask;
    uint32_t has_left, has_right; /* dead edges: 1 if there are cells on this side, else 0 */
};

template <class JOB> __device__ __forceinline__ batch_column column_at(uint32_t x, const JOB &job)
{
    batch_column c;
    c.at = x;
    c.before = x > 0 ? x - 1 : job.words - 1;
    c.after = x + 1 < job.words ? x + 1 : 0;
    c.from = x > 0 ? 31 : job.tail - 1;
    c.to = x + 1 < job.words ? 31 : job.tail - 1;
    c.mask = ~0u >> (31 - c.to);
    c.has_left = c.has_right = 1;
    if constexpr (JOB::DEAD) {
        c.has_left = !(job.dead & LIFE_DEAD_X) || x > 0;
        c.has_right = !(job.dead & LIFE_DEAD_X) || x + 1 < job.words;
    }
    return c;
}

/* A word of a row with its neighbours, and their sums. */
struct batch_word {
    uint32_t left, cell, right, low, high;
};

template <int DEAD> __device__ __forceinline__ batch_word read_word(const uint32_t *row, const batch_column &c)
{
    batch_word w;
    w.cell = row[c.at];
    w.left = w.cell << 1 | (row[c.before] >> c.from & (DEAD ? c.has_left : 1));
    w.right = w.cell >> 1 | (row[c.after] & (DEAD ? c.has_right : 1)) << c.to;
    w.low = xor3(w.left, w.cell, w.right);
    w.high = maj3(w.left, w.cell, w.right);
    return w;
}

/* Rows [y, end) of a column, from `now` to `next`. */
template <class JOB, class RULE>
__device__ __forceinline__ void next_column(const uint32_t *now, uint32_t *next, uint32_t y, uint32_t end,
                                            const batch_column &c, const JOB &job, const RULE &rule)
{
    uint32_t before = job.height - 1, behind = 0;
    if constexpr (JOB::DEAD)
        if (job.dead & LIFE_DEAD_Y)
            before = behind = job.height;
    batch_word above = read_word<JOB::DEAD>(now + (y > 0 ? y - 1 : before) * job.words, c);
    batch_word here = read_word<JOB::DEAD>(now + y * job.words, c);
    for (; y < end; y++) {
        const batch_word below = read_word<JOB::DEAD>(now + (y + 1 < job.height ? y + 1 : behind) * job.words, c);
        around n;
        n.left = here.left, n.cell = here.cell, n.right = here.right;
        n.above_low = above.low, n.above_high = above.high;
        n.here_low = here.low, n.here_high = here.high;
        n.below_low = below.low, n.below_high = below.high;
        next[y * job.words + c.at] = rule.next(n) & c.mask;
        above = here;
        here = below;
    }
}

/* A thread takes columns of BATCH_ROWS words. */
template <class JOB, class RULE> __device__ __forceinline__ void batch_in_block(const JOB &job, const RULE &rule)
{
    const uint32_t all = job.words * job.height, strips = (job.height + BATCH_ROWS - 1) / BATCH_ROWS;
    const uint64_t first = (uint64_t) blockIdx.x * all;
    uint32_t *now = life2d_batch_shared, *next = now + all + (JOB::DEAD ? job.words : 0);
    if (JOB::DEAD)
        for (uint32_t i = threadIdx.x; i < job.words; i += blockDim.x)
            now[all + i] = next[all + i] = 0;
    for (uint32_t i = threadIdx.x; i < all; i += blockDim.x)
        now[i] = job.source[first + i] & column_at(i % job.words, job).mask;
    __syncthreads();
    for (uint32_t step = 0; step < job.steps; step++) {
        for (uint32_t i = threadIdx.x; i < job.words * strips; i += blockDim.x) {
            const uint32_t y = i / job.words * BATCH_ROWS;
            next_column(now, next, y, min(y + BATCH_ROWS, job.height), column_at(i % job.words, job), job, rule);
        }
        __syncthreads();
        uint32_t *const other = now;
        now = next, next = other;
    }
    for (uint32_t i = threadIdx.x; i < all; i += blockDim.x)
        job.result[first + i] = now[i];
}

#endif
