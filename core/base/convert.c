#include "base/convert.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 256 }; /* elements that are converted at a time, through long double, which holds them all */

_Static_assert(LDBL_MANT_DIG >= 64, "long double holds every 64-bit integer");

static bool is_float(uint32_t type)
{
    return type == ENGINE_F32 || type == ENGINE_F64;
}

bool convert_possible(uint32_t from, uint32_t to)
{
    if (from == to)
        return true;
    if (from > ENGINE_F64 || to > ENGINE_F64)
        return false;
    return !is_float(from) || is_float(to);
}

#define EACH_INTEGER(DO) \
    DO(ENGINE_U8, uint8_t, 0, UINT8_MAX) \
    DO(ENGINE_I8, int8_t, INT8_MIN, INT8_MAX) \
    DO(ENGINE_U16, uint16_t, 0, UINT16_MAX) \
    DO(ENGINE_I16, int16_t, INT16_MIN, INT16_MAX) \
    DO(ENGINE_U32, uint32_t, 0, UINT32_MAX) \
    DO(ENGINE_I32, int32_t, INT32_MIN, INT32_MAX) \
    DO(ENGINE_U64, uint64_t, 0, UINT64_MAX) \
    DO(ENGINE_I64, int64_t, INT64_MIN, INT64_MAX)
#define EACH_TYPE(DO) \
    EACH_INTEGER(DO) \
    DO(ENGINE_F32, float, -FLT_MAX, FLT_MAX) \
    DO(ENGINE_F64, double, -DBL_MAX, DBL_MAX)

static void widen(uint32_t type, const void *in, uint64_t begin, uint64_t count, long double *out)
{
    switch (type) {
#define WIDEN(id, ctype, low, high) \
    case id: \
        for (uint64_t i = 0; i < count; i++) \
            out[i] = (long double) ((const ctype *) in)[begin + i]; \
        break;
        EACH_TYPE(WIDEN)
#undef WIDEN
    default:
        break;
    }
}

/* Returns the index of the first element that does not fit, or `count`. */
static uint64_t narrow(const long double *in, uint64_t count, uint32_t type, uint64_t begin, void *out)
{
    switch (type) {
#define NARROW(id, ctype, low, high) \
    case id: \
        for (uint64_t i = 0; i < count; i++) { \
            if (isfinite(in[i]) && !(in[i] >= (long double) (low) && in[i] <= (long double) (high))) \
                return i; \
            ((ctype *) out)[begin + i] = (ctype) in[i]; \
        } \
        break;
        EACH_TYPE(NARROW)
#undef NARROW
    default:
        break;
    }
    return count;
}

uint64_t convert_elements(uint32_t from, const void *in, uint64_t count, uint32_t to, void *out)
{
    long double block[BLOCK];
    if (from == to) {
        memcpy(out, in, count * type_bytes(to));
        return count;
    }
    for (uint64_t begin = 0; begin < count; begin += BLOCK) {
        const uint64_t n = count - begin < BLOCK ? count - begin : BLOCK;
        widen(from, in, begin, n, block);
        const uint64_t fit = narrow(block, n, to, begin, out);
        if (fit < n)
            return begin + fit;
    }
    return count;
}

/* Negative elements are large as unsigned ones. Each block is compared to its end, so that the loop is vectorised. */
#define WITHIN(bits) \
    static uint64_t within_##bits(const void *array, uint64_t count, uint64_t most) \
    { \
        const uint##bits##_t *elements = array, highest = (uint##bits##_t) most; \
        uint##bits##_t wrong = 0; \
        uint64_t at = 0; \
        while (at + BLOCK <= count && !wrong) { \
            _Pragma("omp simd reduction(| : wrong)") for (uint64_t i = at; i < at + BLOCK; i++) wrong |= \
                elements[i] > highest; \
            at += wrong ? 0 : BLOCK; \
        } \
        while (at < count && elements[at] <= highest) \
            at++; \
        return at; \
    }
WITHIN(8)
WITHIN(16)
WITHIN(32)
WITHIN(64)
#undef WITHIN

uint64_t convert_within(uint32_t type, const void *elements, uint64_t count, uint64_t most)
{
    static uint64_t (*const within[])(const void *, uint64_t, uint64_t) = {within_8, within_16, within_32, within_64};
    if (type > ENGINE_I64)
        return count;
    const uint64_t highest = UINT64_MAX >> (64 - 8 * type_bytes(type)) >> type % 2; /* odd types are signed */
    return within[type / 2](elements, count, most < highest ? most : highest);
}
