/* Elements of one type as elements of another: what files hold, as fields want it. */
#ifndef CORE_BASE_CONVERT_H
#define CORE_BASE_CONVERT_H

#include "base/type.h"

/* Same types convert, integers to all but complex numbers, floating-point numbers among each other. */
bool convert_possible(uint32_t from, uint32_t to);

/* Converts `count` elements, for types that convert; floating-point numbers are rounded to the nearest. Returns how
 * many fitted before the first that the type cannot hold: `count` where all do. Infinity and NaN stay what they are. */
uint64_t convert_elements(uint32_t from, const void *in, uint64_t count, uint32_t to, void *out);

/* How many elements of an integer type come before the first that is not in 0 … most, most < 2^63: `count` where all
 * are. */
uint64_t convert_within(uint32_t type, const void *elements, uint64_t count, uint64_t most);

#endif
