/* Which slice of a periodic axis each ghost slice copies. The host and the CUDA kernels share the rule. */
#ifndef CORE_MEMORY_WRAP_H
#define CORE_MEMORY_WRAP_H

#include <stdint.h>

#ifdef __CUDACC__
#define WRAP_FUNCTION static __host__ __device__ inline
#else
#define WRAP_FUNCTION static inline
#endif

/* The ghosts of an axis are numbered 0 … 2 ghost - 1. Ghost i lies in the slice *to of [-ghost, 0) and
 * [extent, extent + ghost). Returns the slice of [0, extent) that it is a copy of. */
WRAP_FUNCTION int64_t wrap_source(uint64_t i, uint64_t ghost, uint64_t extent, int64_t *to)
{
    *to = i < ghost ? (int64_t) i - (int64_t) ghost : (int64_t) (extent + i - ghost);
    return i < ghost ? (int64_t) ((extent - (ghost - i) % extent) % extent) : (int64_t) ((i - ghost) % extent);
}

#endif
