/* Where each cell of a field lies in memory: the layout of an implementation, applied to a shape.
 *
 * Only this module knows bits, words, strides and ghosts. The rest of the core sees the canonical dense array through
 * geometry_read and geometry_write. */
#ifndef CORE_MEMORY_LAYOUT_H
#define CORE_MEMORY_LAYOUT_H

#include "base/error.h"
#include "base/thread_pool.h"
#include "base/type.h"
#include "memory/edges.h"

struct geometry {
    struct engine_shape shape;
    struct engine_layout layout; /* with defaults filled in; no ghosts on axes that the implementation wraps itself */
    uint32_t element_bytes;      /* of the canonical element */
    int64_t row_stride, plane_stride, component_stride; /* bytes */
    uint64_t origin;                                    /* bytes from the buffer's start to cell (0, 0, 0) */
    uint64_t bytes;                                     /* of the buffer */
    struct edges edges;                                 /* from geometry_make: those of a torus */
};

/* The layout that an implementation may change: canonical elements, with ghosts of the field's reach. */
struct engine_layout layout_default(const struct engine_field *field);

/* Checks a layout and computes its geometry. ENGINE_STATUS_PLUGIN with a sentence about the layout, or
 * ENGINE_STATUS_DEVICE where the size overflows. */
int geometry_make(const struct engine_field *field, const struct engine_shape *shape,
                  const struct engine_layout *layout, struct geometry *geometry, struct engine_error *error);

/* Returns the number of steps that the depth of the ghosts allows in one call; UINT64_MAX: no limit. Ghosts beyond an
 * edge that is not that of a torus last for one step. */
uint64_t geometry_most_steps(const struct engine_field *field, const struct geometry *geometry);

/* Copy elements [begin, begin + count) of the canonical array out of a host buffer, or into it. Cells of two values are
 * bytes 0 and 1. Threads may read different ranges at the same time, and write ranges of different rows. */
void geometry_read(const struct geometry *geometry, const void *buffer, uint64_t begin, uint64_t count,
                   void *canonical);
void geometry_write(const struct geometry *geometry, void *buffer, uint64_t begin, uint64_t count,
                    const void *canonical);

/* Rows of a grid of two axes, or planes of one of three, as they lie in memory: slabs. Do two buffers order the cells
 * of a slab alike, so that slabs can be copied as bytes? */
bool geometry_slabs_alike(const struct geometry *a, const struct geometry *b);
/* The bytes of a slab, and the offset of a slab in a buffer. The slabs of a planar layout lie in `arrays` arrays of one
 * component each, those of others, and the universes of a batch of particles, in one. */
uint64_t geometry_slab_arrays(const struct geometry *geometry);
uint64_t geometry_slab_bytes(const struct geometry *geometry);
uint64_t geometry_slab_offset(const struct geometry *geometry, uint64_t array, uint64_t slab);

/* Has a field one row of cells that are not packed, as particles have? Then some of its cells can be copied as bytes:
 * they lie in the arrays of geometry_slab_arrays, each at a pitch of geometry_cell_pitch bytes, from origin + array *
 * component_stride on. geometry_of_cells returns the geometry of a buffer that holds `cells` of them alone, array after
 * array. */
bool geometry_is_one_row(const struct geometry *geometry);
uint64_t geometry_cell_pitch(const struct geometry *geometry);
struct geometry geometry_of_cells(const struct geometry *geometry, uint64_t cells);

/* A grid of two values as columns of eight cells: byte (z * ceil(height / 8) + b) * width + x holds the cells (x, 8 b …
 * 8 b + 7) of plane z. The first cell is the lowest bit; bits beyond the last row are 0. geometry_read_columns and
 * geometry_write_columns copy bytes [begin, begin + count) out of a host buffer, or into it. Threads may read different
 * ranges at the same time, and write ranges of different bands of eight rows. */
bool geometry_has_columns(const struct engine_shape *shape, uint32_t values);
uint64_t geometry_columns(const struct engine_shape *shape);
void geometry_read_columns(const struct geometry *geometry, const void *buffer, uint64_t begin, uint64_t count,
                           uint8_t *columns);
void geometry_write_columns(const struct geometry *geometry, void *buffer, uint64_t begin, uint64_t count,
                            const uint8_t *columns);

/* Gives a geometry other edges than those of a torus. */
void geometry_set_edges(struct geometry *geometry, const struct edges *edges);

/* Fills the ghosts of a host buffer as the edges say, on up to `threads` threads of a pool, which may be NULL. Corners
 * are filled too. Ghosts may be deeper than the grid is wide. */
void geometry_wrap(const struct geometry *geometry, void *buffer, struct thread_pool *pool, uint32_t threads);

#endif
