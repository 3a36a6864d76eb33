/* Division that rounds up, for C and for CUDA's host code. (engine_divide_up of engine/cuda.h is for CUDA alone.) */
#ifndef COMMON_DIVIDE_H
#define COMMON_DIVIDE_H

#include <stdint.h>

/* The number of pieces of size b that cover a. It never overflows; b is not 0. */
static inline uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

#endif
