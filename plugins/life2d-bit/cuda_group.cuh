/* Groups of 128 cells of 2D Life in memory and in shared memory. life/cuda_words.cuh explains their order. */
#ifndef LIFE2D_GROUP_CUH
#define LIFE2D_GROUP_CUH

#include <life/cuda_words.cuh>

__device__ __forceinline__ void read_group(uint32_t (&word)[4], uint4 from)
{
    word[0] = from.x, word[1] = from.y, word[2] = from.z, word[3] = from.w;
}

__device__ __forceinline__ uint4 make_group(const uint32_t (&word)[4])
{
    return make_uint4(word[0], word[1], word[2], word[3]);
}

#ifdef __CUDACC__ /* a test that computes kernels on the host defines it */
extern __shared__ uint4 life2d_shared[];
#endif

__device__ __forceinline__ void write_shared(uint32_t shared, const uint32_t (&word)[4])
{
#ifdef __CUDACC__
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(shared), "r"(word[0]), "r"(word[1]), "r"(word[2]),
                 "r"(word[3])
                 : "memory");
#else
    life_host_write(shared, word);
#endif
}

#endif
