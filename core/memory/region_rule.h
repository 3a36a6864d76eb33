/* What becomes of the cells of a block. The host and the CUDA kernels share the rules, so that they give the same bits:
 *
 *   any     1 if an element is not 0, else 0; NaN is not 0
 *   count   the number of elements that are not 0
 *   max     the largest element; NaN if one is NaN
 *   mean    the sum of the sums of rows, in the order of rows, divided by the number of elements; each row adds its
 *           elements in the order of x. Everything is double precision, but rows of integers of up to 32 bits are added
 *           as integers. */
#ifndef CORE_MEMORY_REGION_RULE_H
#define CORE_MEMORY_REGION_RULE_H

#include <engine/plugin.h>

#ifdef __CUDACC__
#define REGION_FUNCTION static __host__ __device__ inline
#else
#define REGION_FUNCTION static inline
#endif

enum region_reduce { REGION_FIRST, REGION_ANY, REGION_MEAN, REGION_MAX, REGION_COUNT };

/* The element types that can be reduced: the type, that in which a row is added up, and that in which maxima are
 * compared. */
#define REGION_TYPES(DO) \
    DO(ENGINE_U8, uint8_t, int64_t, int64_t) \
    DO(ENGINE_I8, int8_t, int64_t, int64_t) \
    DO(ENGINE_U16, uint16_t, int64_t, int64_t) \
    DO(ENGINE_I16, int16_t, int64_t, int64_t) \
    DO(ENGINE_U32, uint32_t, int64_t, int64_t) \
    DO(ENGINE_I32, int32_t, int64_t, int64_t) \
    DO(ENGINE_U64, uint64_t, double, uint64_t) \
    DO(ENGINE_I64, int64_t, double, int64_t) \
    DO(ENGINE_F32, float, double, double) \
    DO(ENGINE_F64, double, double, double)

/* The larger of the largest element so far and the next one. */
#define REGION_LARGER(most, next) ((next) <= (most) || (most) != (most) ? (most) : (next))

/* Is the mean of this type single precision? Otherwise it is double precision. */
REGION_FUNCTION int region_mean_is_single(uint32_t type)
{
    return type <= ENGINE_I16 || type == ENGINE_F32;
}

#endif
