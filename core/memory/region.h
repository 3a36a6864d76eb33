/* A region: a box of a grid, cut into blocks of cells, each of which becomes one cell. Grids of one to three axes,
 * particles and bins have regions; axes that a shape does not have hold one cell. */
#ifndef CORE_MEMORY_REGION_H
#define CORE_MEMORY_REGION_H

#include "base/error.h"
#include "base/type.h"
#include "memory/region_rule.h"

struct region {
    uint64_t begin[3], end[3]; /* cells [begin, end) along x, y and z */
    uint64_t block[3];         /* cells of a block; those at the far edges may have fewer */
    enum region_reduce reduce; /* REGION_FIRST: a block becomes its first cell */
};

/* The shape of what a region of that shape becomes. */
struct engine_shape region_shape(const struct region *region, const struct engine_shape *shape);

/* The number of cells of a block that no edge cuts. */
uint64_t region_block_cells(const struct region *region);

/* Reads elements [begin, begin + count) of the canonical array of the whole. */
typedef int region_source(void *context, uint64_t begin, uint64_t count, void *out, struct engine_error *error);

/* Makes rows [row, row + rows) of a region of that shape, from elements that `source` reads in the order of the array.
 * Rows are counted through all planes. Returns the errors of `source`, or ENGINE_STATUS_DEVICE: no memory. */
int region_make_rows(const struct region *region, const struct engine_shape *shape, uint64_t row, uint64_t rows,
                     region_source *source, void *context, void *out, struct engine_error *error);

#endif
