/* Particles sorted into cells, so that only neighbouring ones need to meet. */
#ifndef RDF_CPU_CELLS_H
#define RDF_CPU_CELLS_H

#include "cpu_kernel.h"

/* Cells cut the box, or what an open axis holds, into count[0] x count[1] x count[2] parallelepipeds that are at least
 * r_max thick, so that pairs in range are in neighbouring ones; a periodic axis has 1 or at least 3. Particles are
 * sorted by group, then by cell with x fastest: those of cell c of group g are begin[g * cells + c] to the next. The
 * caller owns the arrays. */
struct rdf_cells {
    uint64_t count[3], cells;   /* cells: of a group */
    int wraps[3];               /* neighbours are found across the ends of this axis */
    double origin[3], scale[3]; /* of an axis: (a skewed coordinate - origin) * scale is the number of its cell */
    float *place[3];            /* sorted; RDF_PADDING more behind the last particle */
    uint32_t *begin;            /* groups * cells + 1 */
    uint32_t *cell;             /* of each particle, in the input's order, and its group: group * cells + cell */
    uint32_t *sorted_cell;      /* the same, sorted */
    uint64_t most;              /* cells there is memory for, in each group */
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

/* The particles of `group` in a cell's neighbours, as runs; with `half`, of the neighbours that come behind the cell
 * alone, so that each pair of cells comes once, and not of the cell itself. */
uint32_t rdf_cells_around(const struct rdf_cells *cells, uint32_t group, uint64_t cell, int half,
                          struct rdf_run runs[RDF_RUNS_MAX]);

#endif
