/* What makes the fate of 32 cells of a count and the cells, in the two forms of a rule that is known when the run
 * starts. */
#ifndef LIFE3D_PACKED_CUDA_NETWORK_CUH
#define LIFE3D_PACKED_CUDA_NETWORK_CUH

#include "cuda_network.h"
#include "cuda_sum.cuh"

/* The comment becomes the rule's own operations before the driver compiles the PTX. */
struct rule_written_later {
    __device__ __forceinline__ uint32_t next(const space_count &t, uint32_t cell) const
    {
        uint32_t fate;
        asm("// LIFE_RULE %0 %1 %2 %3 %4 %5 %6 %7"
            : "=r"(fate)
            : "r"(t.bit0), "r"(t.bit1), "r"(t.four), "r"(t.more), "r"(t.eight), "r"(t.carry), "r"(cell));
        return fate;
    }
};

/* 28 multiplications, which run beside the logic operations, and 31 of these. */
struct rule_numbers {
    life3d_numbers numbers;

    __device__ __forceinline__ uint32_t next(const space_count &t, uint32_t cell) const
    {
        const uint32_t two = t.four & t.more;
        const uint32_t factor[LIFE3D_COUNT_BITS] = {cell, t.bit1, t.four ^ t.more, xor3(t.eight, t.carry, two),
                                                    maj3(t.eight, t.carry, two)};
        uint32_t term[LIFE3D_TERMS];
#pragma unroll
        for (int i = 0; i < LIFE3D_TERMS; i++)
            term[i] = t.bit0 * numbers.change[i] + numbers.even[i];
#pragma unroll
        for (int f = 0; f < LIFE3D_COUNT_BITS; f++)
#pragma unroll
            for (int i = 0; i + (1 << f) < LIFE3D_TERMS; i += 2 << f)
                term[i] = lut3<0x78>(term[i], factor[f], term[i + (1 << f)]);
        return term[0];
    }
};

#endif
