/* The levels of the streaming form of 2D Life (cuda_stream.cuh) for rules that do not count neighbours. */
#ifndef LIFE2D_STREAM_SQUARES_CUH
#define LIFE2D_STREAM_SQUARES_CUH

#include "cuda_stream.cuh"

/* One step of the march. */
struct square_level {
    line at[2]; /* the row that came last and the row above it; at[ODD] of `step` is the row above */

    __device__ __forceinline__ void clear()
    {
        const cells dead = {{0, 0, 0, 0}, 0, 0};
        at[0] = at[1] = make_line(dead, {1, 0});
    }

    template <int ODD, class LANES, class RULE>
    __device__ __forceinline__ void step(uint32_t (&word)[4], const LANES &lanes, const life_factors &k,
                                         const RULE &rule)
    {
        const line below = make_line(with_sides(word, lanes), k);
        for (int i = 0; i < 4; i++)
            word[i] = rule.next(at[ODD], at[1 - ODD], below, i);
        at[ODD] = below;
    }
};

template <> struct level_of<rule_of_squares> {
    typedef square_level type;
};

#endif
