/* The kernel of `cuda`: one bit a cell, LEVELS steps in a launch, everything in registers.
 *
 * A warp marches down a strip of 32 words of a row. At each step of its march it loads the next two rows, takes a step
 * of this pair, and then a step of each pair that has become complete. So each step of a launch is a level, which keeps
 * one row from one step of the march to the next. Blocks of odd steps begin one row higher:
 *
 *     level 0    rows  y, y + 1                  from memory
 *     level 1    rows  y - 1, y                  y - 1 was kept
 *     level 2    rows  y - 2, y - 1              y - 2 was kept
 *
 * Blocks of odd steps also begin at odd columns. Then the words of a lane are those one bit to the right, which takes a
 * shuffle and a shift, so that a block is always in one word. Each shift costs a bit at an end of the strip. So the
 * words of the first and the last lane are not written. After the last level, words are where they were.
 *
 * A step of two words takes 2 x 2 operations for the shifts, 2 x 3 for the neighbours in the row, and 31 for the next
 * values (struct margolus_form), whose 32 coefficients are constants of the launch: 41 for 64 cells. */
#ifndef MARGOLUS_CUDA_KERNELS_CUH
#define MARGOLUS_CUDA_KERNELS_CUH

#include "margolus.h"

namespace margolus
{

constexpr int LANES = 32, WRITTEN = LANES - 2, WARPS = 4;
constexpr uint32_t EVEN = 0x55555555;

struct job {
    const uint32_t *now;
    uint32_t *next;
    int64_t pitch;         /* words from a row to the next */
    int64_t width, height; /* cells */
    int64_t first;         /* the row at which pairs of the last level begin, 0 or 1 */
    int64_t pairs, each;   /* pairs of rows that are written, and those of a warp */
    margolus_form form;
};

/* The 32 cells of a row from column x on, which is less than the width. The row goes round. */
static __device__ uint32_t cells_at(const uint32_t *row, int64_t x, int64_t width)
{
    if (x + LANES <= width && x % LANES == 0)
        return row[x / LANES];
    uint32_t word = 0;
    for (int64_t have = 0; have < LANES;) {
        const int64_t here = width - x < LANES - x % LANES ? width - x : LANES - x % LANES;
        word |= (row[x / LANES] >> (x % LANES) & (here < LANES ? (1u << here) - 1 : ~0u)) << have;
        have += here;
        x = x + here < width ? x + here : 0;
    }
    return word;
}

static __device__ uint32_t neighbours(uint32_t cells)
{
    return (cells >> 1 & EVEN) | (cells << 1 & ~EVEN);
}

/* The next values of the cells `a`, which have the neighbours n in the row, and b and d in the other one. */
static __device__ uint32_t next_of(const uint32_t (&c)[4][4], uint32_t a, uint32_t n, uint32_t b, uint32_t d)
{
    uint32_t f[4];
    const uint32_t both = a & n;
#pragma unroll
    for (int i = 0; i < 4; i++)
        f[i] = c[i][0] ^ (a & c[i][1]) ^ (n & c[i][2]) ^ (both & c[i][3]);
    const uint32_t low = (b & f[1]) | (~b & f[0]), high = (b & f[3]) | (~b & f[2]);
    return (d & high) | (~d & low);
}

/* The word one bit further to the right, or to the left, of the strip. */
static __device__ uint32_t moved(uint32_t word, bool right)
{
    return right ? __funnelshift_r(word, __shfl_down_sync(~0u, word, 1), 1)
                 : __funnelshift_l(__shfl_up_sync(~0u, word, 1), word, 1);
}

/* FIRST: the column at which blocks of the first step begin. */
template <int LEVELS, int FIRST> static __global__ void __launch_bounds__(WARPS *LANES) take_steps(job job)
{
    const int lane = (int) threadIdx.x % LANES;
    const int64_t words = (job.width + LANES - 1) / LANES, at = (int64_t) blockIdx.x * WRITTEN + lane - 1;
    const int64_t begin = ((int64_t) blockIdx.y * WARPS + (int64_t) threadIdx.x / LANES) * job.each;
    if (begin >= job.pairs)
        return;
    const int64_t count = job.pairs - begin < job.each ? job.pairs - begin : job.each;
    const int64_t x = ((at * LANES) % job.width + job.width) % job.width;
    const bool writes = lane > 0 && lane < LANES - 1 && at < words;
    int64_t y = ((job.first + 2 * begin - (LEVELS - 1)) % job.height + job.height) % job.height;
    int64_t out = (job.first + 2 * begin) % job.height;
    uint32_t kept[LEVELS] = {0}, row[2], ahead[2] = {0}; /* the next rows are loaded while a pair is computed */
    for (int64_t i = -1; i < count + LEVELS - 1; i++) {
        for (int k = 0; k < 2; k++) {
            row[k] = ahead[k];
            ahead[k] = cells_at(job.now + y * job.pitch, x, job.width);
            y = y + 1 < job.height ? y + 1 : 0;
        }
        if (i < 0)
            continue;
#pragma unroll
        for (int level = 0; level < LEVELS; level++) {
            if (level > 0 || FIRST)
                for (int k = 0; k < 2; k++)
                    row[k] = moved(row[k], (FIRST + level) % 2);
            if (level > 0) {
                const uint32_t lower = row[1];
                row[1] = row[0];
                row[0] = kept[level];
                kept[level] = lower;
            }
            const uint32_t beside[2] = {neighbours(row[0]), neighbours(row[1])};
            const uint32_t upper = next_of(job.form.c[0], row[0], beside[0], row[1], beside[1]);
            row[1] = next_of(job.form.c[1], row[1], beside[1], row[0], beside[0]);
            row[0] = upper;
        }
        for (int k = 0; k < 2 && (FIRST + LEVELS - 1) % 2; k++)
            row[k] = moved(row[k], false);
        for (int k = 0; k < 2 && i >= LEVELS - 1; k++) {
            if (writes)
                job.next[out * job.pitch + at] = row[k];
            out = out + 1 < job.height ? out + 1 : 0;
        }
    }
}

} // namespace margolus

#endif
