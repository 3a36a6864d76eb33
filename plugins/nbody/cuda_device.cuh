/* What needs instructions or memory that only a GPU has. A test on the host has its own versions
 * (tests/plugins/nbody_resident.cpp). */
#ifndef NBODY_CUDA_DEVICE_CUH
#define NBODY_CUDA_DEVICE_CUH

#include <cstdint>

/* The hardware's approximate 1 / sqrt(square). Its error is up to 1.5 units in the last place of a float; in double it
 * has 20 bits. 0 gives infinity. */
static __device__ inline float nbody_inverse_root(float square)
{
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(square));
    return root;
}

static __device__ inline double nbody_inverse_root(double square)
{
    double root;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(root) : "d"(square));
    return root;
}

/* A barrier of a group of warps. */
template <int WARPS> static __device__ inline void nbody_sync_group(uint32_t group)
{
    asm volatile("bar.sync %0, %1;" : : "r"(group + 1), "n"(32 * WARPS) : "memory");
}

/* Waits until all blocks have arrived `times` times, and makes what each wrote before visible to all. One thread of a
 * block adds 1 and then polls. An addition that returned the sum would take one more round trip to the L2 cache. */
static __device__ inline void nbody_sync_blocks(uint32_t *arrived, uint32_t times)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        uint32_t blocks;
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" : : "l"(arrived) : "memory");
        do
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(blocks) : "l"(arrived) : "memory");
        while ((int32_t) (blocks - times * gridDim.x) < 0);
    }
    __syncthreads();
}

/* The shared memory that the launch of a kernel asks for. */
static __device__ inline void *nbody_dynamic_memory()
{
    extern __shared__ float4 nbody_shared_memory[];
    return nbody_shared_memory;
}

#endif
