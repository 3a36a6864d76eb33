/* Element types and shapes: sizes, names, products with a check for overflow, and quotients that are rounded up. */
#ifndef CORE_BASE_TYPE_H
#define CORE_BASE_TYPE_H

#include <engine/plugin.h>
#include <stdbool.h>

enum { TYPE_COUNT = ENGINE_C128 + 1 };

/* Returns the bytes of one element; 0 where there is no such type. */
uint32_t type_bytes(uint32_t type);

/* Returns the name as NumPy has it: "uint8", "float32", … */
const char *type_name(uint32_t type);

/* Finds the type of that name. Returns false where there is none. */
bool type_from_name(const char *name, uint32_t *type);

/* Returns element i of an array of an integer type. A uint64 above INT64_MAX keeps its bits and becomes negative. */
int64_t integer_at(uint32_t type, const void *elements, uint64_t i);

/* Sets *product = a * b. Returns false where that is more than INT64_MAX. */
bool multiply(uint64_t a, uint64_t b, uint64_t *product);

/* Divides, and rounds up. */
static inline uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* Compute the cells (or particles, or bins) of a shape, the elements (cells * components) and the bytes of its
 * canonical array. Return false where that is more than INT64_MAX. */
bool shape_cells(const struct engine_shape *shape, uint64_t *cells);
bool shape_elements(const struct engine_shape *shape, uint64_t *elements);
bool shape_bytes(const struct engine_shape *shape, uint64_t *bytes);

/* The section of a configuration whose key `batch` says how many universes of the plugin's fields there are. */
static inline const char *batch_section(const struct engine_plugin *about)
{
    return about->fields.at[0].kind == ENGINE_PARTICLES ? "particles" : "grid";
}

/* Writes the sizes along the axes as people write them: those of a grid as x, y and z, "512 x 384"; those of a matrix
 * as rows and columns, after the number of matrices if there are several. Returns text. */
enum { SHAPE_TEXT = 80 };
const char *shape_text(const struct engine_field *field, const struct engine_shape *shape, char text[SHAPE_TEXT]);

#endif
