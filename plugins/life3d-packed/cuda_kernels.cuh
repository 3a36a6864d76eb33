/*
 * Kernels of 3D Life, one bit a cell, on a torus of any size.
 */
#ifndef LIFE3D_PACKED_CUDA_KERNELS_CUH
#define LIFE3D_PACKED_CUDA_KERNELS_CUH

#include "cuda_network.cuh"
#include "cuda_resident.cuh"
#include "cuda_stream.cuh"

/* Streaming: steps a launch, is there a seam, warps of a block at most, stages of the ring; most steps first. */
#define PACKED_FOR_STREAM_FORMS(FORM) FORM(2, 0, 12, 4) FORM(2, 1, 12, 4) FORM(1, 0, 16, 3) FORM(1, 1, 16, 3)

/* Resident: is there a seam. */
#define PACKED_FOR_RESIDENT_FORMS(FORM) FORM(0) FORM(1)

template <int LEVELS, int SEAM, int WARPS, int RING, class RULE>
__global__ void __launch_bounds__(32 * WARPS, 1)
    packed_stream(const __grid_constant__ stream_job job, const __grid_constant__ RULE rule)
{
    stream_levels<LEVELS, WARPS, RING, SEAM>(job, rule);
}

template <int SEAM, class RULE>
__global__ void __launch_bounds__(32 * RESIDENT_WARPS, 1)
    packed_resident(const __grid_constant__ resident_job job, const __grid_constant__ RULE rule)
{
    stay_resident<SEAM>(job, rule);
}

#endif
