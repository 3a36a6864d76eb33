/* Whole numbers of any type of the engine. */
#ifndef FORMATS_COMMON_INTEGERS_H
#define FORMATS_COMMON_INTEGERS_H

#include <engine/format.h>

#include <stdbool.h>
#include <string.h>

/* Returns element i of an array of whole numbers, which may lie anywhere. */
static inline int64_t integer_of(uint32_t type, const unsigned char *elements, uint64_t i)
{
    static const unsigned char bytes[] = {[ENGINE_U8] = 1,  [ENGINE_I8] = 1,  [ENGINE_U16] = 2, [ENGINE_I16] = 2,
                                          [ENGINE_U32] = 4, [ENGINE_I32] = 4, [ENGINE_U64] = 8, [ENGINE_I64] = 8};
    const bool is_signed = type == ENGINE_I8 || type == ENGINE_I16 || type == ENGINE_I32 || type == ENGINE_I64;
    const unsigned size = bytes[type], bits = 8 * size;
    uint64_t number = 0;
    memcpy(&number, elements + i * size, size); /* little-endian */
    if (is_signed && bits < 64 && number >> (bits - 1))
        number |= UINT64_MAX << bits;
    return (int64_t) number;
}

#endif
