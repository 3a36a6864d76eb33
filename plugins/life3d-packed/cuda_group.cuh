/* Groups of 128 cells of 3D Life in shared memory. */
#ifndef LIFE3D_PACKED_CUDA_GROUP_CUH
#define LIFE3D_PACKED_CUDA_GROUP_CUH

#include "cuda_sum.cuh"

extern __shared__ uint4 packed_shared[];

__device__ __forceinline__ void write_shared(uint32_t shared, const uint32_t (&word)[4], bool enabled)
{
#ifdef __CUDACC__
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0;\n@p st.shared.v4.u32 [%0], {%1, %2, %3, %4}; }" ::"r"(shared),
                 "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3]), "r"((uint32_t) enabled)
                 : "memory");
#else
    if (enabled)
        life_host_write(shared, word);
#endif
}

#endif
