/* Where every cell of a field lies in memory: an implementation's layout, applied to a shape.
 *
 * This is the only place that knows bits, words, strides and ghosts. Everything else of the core sees the canonical
 * dense array through geometry_read and geometry_write. */
#ifndef CORE_MEMORY_LAYOUT_H
#define CORE_MEMORY_LAYOUT_H

#include "base/error.h"
#include "base/type.h"

struct geometry {
    struct engine_shape shape;
    struct engine_layout layout; /* defaults filled in; ghosts of axes that the implementation wraps are 0 */
    uint32_t element_bytes;      /* of the canonical element */
    int64_t row_stride, plane_stride, component_stride; /* bytes */
    uint64_t origin;                                    /* bytes from the buffer's start to cell (0, 0, 0) */
    uint64_t bytes;                                     /* of the buffer */
};

/* The layout that an implementation gets to change: canonical elements, ghosts of the field's reach. */
struct engine_layout layout_default(const struct engine_field *field);

/* Checks a layout and works out its geometry. The error says what in the layout is wrong: ENGINE_STATUS_PLUGIN, or
 * ENGINE_STATUS_DEVICE where its size overflows. */
int geometry_make(const struct engine_field *field, const struct engine_shape *shape,
                  const struct engine_layout *layout, struct geometry *geometry, struct engine_error *error);

/* The most steps that ghosts of this depth allow in one call; UINT64_MAX: no limit. */
uint64_t geometry_most_steps(const struct engine_field *field, const struct geometry *geometry);

/* Moves elements [begin, begin + count) of the canonical array out of, or into, a host buffer. Cells of two values are
 * bytes 0 and 1. Different ranges may be read at the same time; written, where they are of different rows. */
void geometry_read(const struct geometry *geometry, const void *buffer, uint64_t begin, uint64_t count,
                   void *canonical);
void geometry_write(const struct geometry *geometry, void *buffer, uint64_t begin, uint64_t count,
                    const void *canonical);

/* The cells of a grid of two values as columns of bits: byte (z * ceil(height / 8) + b) * width + x holds the cells
 * (x, 8 b … 8 b + 7) of plane z, the first at its lowest bit, and 0 where the plane has no more rows. Moves bytes
 * [begin, begin + count) out of, or into, a host buffer. Different ranges may be read at the same time; written, where
 * they are of different bands of eight rows. */
bool geometry_has_columns(const struct engine_shape *shape, uint32_t values);
uint64_t geometry_columns(const struct engine_shape *shape);
void geometry_read_columns(const struct geometry *geometry, const void *buffer, uint64_t begin, uint64_t count,
                           uint8_t *columns);
void geometry_write_columns(const struct geometry *geometry, void *buffer, uint64_t begin, uint64_t count,
                            const uint8_t *columns);

/* Fills the ghosts of a host buffer: periodic along every axis, corners included, also where they are deeper than the
 * grid is wide. */
void geometry_wrap(const struct geometry *geometry, void *buffer, uint32_t threads);

#endif
