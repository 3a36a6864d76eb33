/* Conversion of elements from one type to another: from the type of a file to that of a field. */
#ifndef CORE_BASE_CONVERT_H
#define CORE_BASE_CONVERT_H

#include "base/type.h"

/* Can elements be converted? A type converts to itself, an integer type to every type but complex numbers, and a
 * floating-point type to another. */
bool convert_possible(uint32_t from, uint32_t to);

/* Converts `count` elements between types for which convert_possible is true. Floating-point numbers are rounded to the
 * nearest; infinity and NaN are kept. Returns the index of the first element that the type cannot hold, or `count`. */
uint64_t convert_elements(uint32_t from, const void *in, uint64_t count, uint32_t to, void *out);

/* Returns the index of the first element of an integer type that is not in 0 … most, most < 2^63; `count` where there
 * is none. */
uint64_t convert_within(uint32_t type, const void *elements, uint64_t count, uint64_t most);

#endif
