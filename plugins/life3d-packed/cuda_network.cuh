/* The network that makes the fate of 32 cells of the five bits of T and the cells, in the two forms of a rule that is
 * known when the run starts. */
#ifndef LIFE3D_PACKED_CUDA_NETWORK_CUH
#define LIFE3D_PACKED_CUDA_NETWORK_CUH

#include "cuda_network.h"
#include "cuda_sum.cuh"

/* The comment becomes the rule's own operations before the driver compiles the PTX. */
struct network_written_later {
    __device__ __forceinline__ uint32_t operator()(uint32_t b0, uint32_t b1, uint32_t b2, uint32_t b3, uint32_t b4,
                                                   uint32_t cell) const
    {
        uint32_t next;
        asm("// LIFE_RULE %0 %1 %2 %3 %4 %5 %6" : "=r"(next) : "r"(b0), "r"(b1), "r"(b2), "r"(b3), "r"(b4), "r"(cell));
        return next;
    }
};

/* 28 multiplications, which run beside the logic operations, and 27 of these. */
struct network_of_numbers {
    life3d_numbers numbers;

    __device__ __forceinline__ uint32_t operator()(uint32_t b0, uint32_t b1, uint32_t b2, uint32_t b3, uint32_t b4,
                                                   uint32_t cell) const
    {
        const uint32_t factor[LIFE3D_COUNT_BITS] = {cell, b1, b2, b3, b4};
        uint32_t term[LIFE3D_TERMS];
#pragma unroll
        for (int i = 0; i < LIFE3D_TERMS; i++)
            term[i] = b0 * numbers.change[i] + numbers.even[i];
#pragma unroll
        for (int f = 0; f < LIFE3D_COUNT_BITS; f++)
#pragma unroll
            for (int i = 0; i + (1 << f) < LIFE3D_TERMS; i += 2 << f)
                term[i] = lut3<0x78>(term[i], factor[f], term[i + (1 << f)]);
        return term[0];
    }
};

#endif
