/* Element types and shapes: sizes, names, and products that cannot overflow unseen. */
#ifndef CORE_BASE_TYPE_H
#define CORE_BASE_TYPE_H

#include <engine/plugin.h>
#include <stdbool.h>

enum { TYPE_COUNT = ENGINE_C128 + 1 }; /* types there are */

/* Bytes of one element; 0 for what is no type. */
uint32_t type_bytes(uint32_t type);

/* "uint8", "float32", …: the names numpy uses. */
const char *type_name(uint32_t type);

/* The type of that name; false: none. */
bool type_from_name(const char *name, uint32_t *type);

/* Element i of an array of an integer type. A uint64 above INT64_MAX keeps its bits, and becomes negative. */
int64_t integer_at(uint32_t type, const void *elements, uint64_t i);

/* *product = a * b; false: it does not fit. */
bool multiply(uint64_t a, uint64_t b, uint64_t *product);

/* Cells, particles, bins of a shape, and elements (cells x components) and bytes of its canonical array; false: more
 * than INT64_MAX. */
bool shape_cells(const struct engine_shape *shape, uint64_t *cells);
bool shape_elements(const struct engine_shape *shape, uint64_t *elements);
bool shape_bytes(const struct engine_shape *shape, uint64_t *bytes);

#endif
