/* Particles sorted into cells, so that only pairs in neighbouring cells need to be looked at. */
#ifndef RDF_CPU_CELLS_H
#define RDF_CPU_CELLS_H

#include "cpu_kernel.h"

/* The cells: count[0] x count[1] x count[2] parallelepipeds at least r_max thick, so that pairs in range are in
 * neighbouring cells. They cut the box; along an open axis, the extent of the particles. A periodic axis has 1 cell or
 * at least 3. Particles are sorted by group, then by cell with x fastest. Cell c of group g has the particles from
 * begin[g * cells + c] to the next begin. Cells with many particles are cut into parts, and sorted by part, so that
 * consecutive particles are close together. The caller owns the arrays. */
struct rdf_cells {
    uint64_t count[3], cells;   /* cells: of a group */
    uint64_t cut[3], parts;     /* parts of a cell along each axis, and their product */
    int wraps[3];               /* cells at the two ends of this axis are neighbours */
    double origin[3], scale[3]; /* (a skewed coordinate - origin) * scale is the number of its part along an axis */
    float *wrapped[3];          /* wrapped positions, sorted; RDF_PADDING more behind the last particle */
    float *shuffled[3];         /* the same, each whole RDF_CHUNK in another order */
    uint32_t *begin;            /* groups * cells + 1 */
    uint32_t *part;             /* (group * cells + cell) * parts + part of each particle, in the order of the input */
    uint32_t *sorted_cell;      /* group * cells + cell of each particle, in sorted order */
    uint64_t most;              /* parts of all cells of a group that there is memory for */
};

/* Start. ENGINE_NO_MEMORY. */
int rdf_cells_make(const struct engine_host *host, const struct rdf_plan *plan, struct rdf_cells *cells);

/* Run. Chooses cells for a frame and sorts its particles. */
void rdf_cells_sort(const struct rdf_plan *plan, const struct rdf_frame *frame, struct rdf_cells *cells);

/* Consecutive sorted particles. */
struct rdf_run {
    uint64_t begin, end;
};

enum { RDF_RUNS_MAX = 18 };

/* Sets `runs` to the particles of `group` in a cell and its neighbours, and returns their number. `half`: only in the
 * neighbours that follow the cell, and not in the cell itself, so that each pair of cells comes once. */
uint32_t rdf_cells_around(const struct rdf_cells *cells, uint32_t group, uint64_t cell, int half,
                          struct rdf_run runs[RDF_RUNS_MAX]);

#endif
