/* What the kernel of a batch of 2D Life (cuda_batch.cuh) adds for dead edges. Along x, a shift takes the place of a
 * rotation. Along y, masks clear what the first and the last lane of a universe get. */
#ifndef LIFE2D_BATCH_EDGES_CUH
#define LIFE2D_BATCH_EDGES_CUH

#include "cuda_batch.cuh"

template <int WORDS> __device__ __forceinline__ void clear_line(batch_line<WORDS> &line, uint32_t keep)
{
    for (int i = 0; i < WORDS; i++)
        line.low[i] &= keep, line.high[i] &= keep;
}

template <int X> struct batch_dead : batch_torus {
    uint32_t keep_above, keep_below; /* 0 if no lane has the rows above, or below; else ~0 */

    static __device__ __forceinline__ uint32_t beyond(uint32_t other_end)
    {
        return X ? 0 : other_end;
    }
    /* `part` is the lane's number in its universe. */
    template <class JOB> __device__ __forceinline__ void find(const JOB &job, uint32_t part)
    {
        keep_above = (job.dead & LIFE_DEAD_Y) && part == 0 ? 0 : ~0u;
        keep_below = (job.dead & LIFE_DEAD_Y) && part + 1 == job.lanes ? 0 : ~0u;
    }
    template <int WORDS> __device__ __forceinline__ batch_line<WORDS> line_below(const batch_line<WORDS> &first) const
    {
        batch_line<WORDS> line = batch_torus::line_below(first);
        clear_line(line, keep_below);
        return line;
    }
    template <int WORDS> __device__ __forceinline__ batch_line<WORDS> line_above(const batch_line<WORDS> &last) const
    {
        batch_line<WORDS> line = batch_torus::line_above(last);
        clear_line(line, keep_above);
        return line;
    }
};

/* The job of grids with dead edges, along x or not. */
template <int X> struct dead_batch_job : batch_job {
    typedef batch_dead<X> lanes_type;
    static constexpr bool DEAD = true;
    uint32_t dead; /* LIFE_DEAD_X, LIFE_DEAD_Y */
};

#endif
