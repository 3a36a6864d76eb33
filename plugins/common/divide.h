/* Division that rounds up, for host code in C and in CUDA. */
#ifndef COMMON_DIVIDE_H
#define COMMON_DIVIDE_H

#include <stdint.h>

/* How many pieces of size b cover a. It does not overflow. */
static inline uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

#endif
