/* The next state of 32 cells from the count and the cells, for the two kinds of kernels whose rule is known when the
 * run starts. */
#ifndef LIFE3D_PACKED_CUDA_NETWORK_CUH
#define LIFE3D_PACKED_CUDA_NETWORK_CUH

#include "cuda_network.h"
#include "cuda_sum.cuh"

/* The asm statement is a mark in the PTX text: life/network_ptx.h replaces it by the rule's own operations before the
 * driver compiles the text. */
struct rule_written_later {
    __device__ __forceinline__ uint32_t next(const space_count &t, uint32_t cell) const
    {
        uint32_t next_state;
        asm("// LIFE_RULE %0 %1 %2 %3 %4 %5 %6 %7"
            : "=r"(next_state)
            : "r"(t.bit0), "r"(t.bit1), "r"(t.four), "r"(t.more), "r"(t.eight), "r"(t.carry), "r"(cell));
        return next_state;
    }
};

/* The polynomial of life3d_rule_numbers, by 28 multiply-adds and 31 logic operations beside them. Horner's scheme folds
 * the terms by one factor after the other: 0x78 is a ^ (b & c). */
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
