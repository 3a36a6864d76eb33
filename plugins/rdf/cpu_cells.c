/* Chooses cells, sorts particles into them, and finds neighbouring cells. */
#include "cpu_cells.h"

#include <string.h>

int rdf_cells_make(const struct engine_host *host, const struct rdf_plan *plan, struct rdf_cells *cells)
{
    const uint64_t count = plan->particles;
    cells->most = 1 + 2 * count / plan->group_count;
    for (int i = 0; i < 6; i++) {
        float **const array = i < 3 ? &cells->wrapped[i] : &cells->shuffled[i - 3];
        if (!(*array = (float *) host->scratch(host, (count + RDF_PADDING) * sizeof(float), ENGINE_HOST_MEMORY)))
            return ENGINE_NO_MEMORY;
    }
    uint32_t **const arrays[] = {&cells->begin, &cells->part, &cells->sorted_cell};
    const uint64_t lengths[] = {plan->group_count * cells->most + 1, count, count};
    for (int i = 0; i < 3; i++)
        if (!(*arrays[i] = (uint32_t *) host->scratch(host, lengths[i] * sizeof(uint32_t), ENGINE_HOST_MEMORY)))
            return ENGINE_NO_MEMORY;
    return 0;
}

/* ---- The grid ---------------------------------------------------------------------------------------------------- */

/* The position of a particle along the edges of a triclinic box, as lengths; in any other box x, y and z. */
static void skewed_position(const struct rdf_plan *plan, const struct rdf_frame *frame, uint64_t i, double out[3])
{
    const struct rdf_box *box = &plan->box;
    for (int axis = 0; axis < 3; axis++)
        out[axis] = (double) frame->wrapped[axis][i];
    if (box->form != RDF_TRICLINIC)
        return;
    const double c = box->periodic[2] ? out[2] / (double) box->edge[2] : 0;
    out[1] -= c * (double) box->yz;
    const double b = box->periodic[1] ? out[1] / (double) box->edge[1] : 0;
    out[0] -= c * (double) box->xz + b * (double) box->xy;
}

/* The extent along each axis: the box's edge, or that of the particles. */
static void find_extents(const struct rdf_plan *plan, const struct rdf_frame *frame, double low[3], double high[3])
{
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = plan->box.periodic[axis] ? 0 : INFINITY;
        high[axis] = plan->box.periodic[axis] ? (double) plan->box.edge[axis] : -INFINITY;
    }
    const int closed = plan->box.periodic[0] && plan->box.periodic[1] && plan->box.periodic[2];
    for (uint64_t i = 0; !closed && i < plan->particles; i++) {
        double at[3];
        skewed_position(plan, frame, i, at);
        for (int axis = 0; axis < 3; axis++)
            if (!plan->box.periodic[axis]) {
                low[axis] = at[axis] < low[axis] ? at[axis] : low[axis];
                high[axis] = at[axis] > high[axis] ? at[axis] : high[axis];
            }
    }
}

/* The thickness of a cell over its edge along an axis: 1, or less where the cell is skewed. */
static double thickness(const struct rdf_box *box, int axis)
{
    if (box->form != RDF_TRICLINIC)
        return 1;
    const double y = box->periodic[1] ? (double) box->edge[1] : 1, z = box->periodic[2] ? (double) box->edge[2] : 1;
    const double xy = (double) box->xy / y, yz = (double) box->yz / z, xz = (double) box->xz / z;
    if (axis == 2)
        return 1;
    if (axis == 1)
        return 1 / sqrt(1 + yz * yz);
    return 1 / sqrt(1 + xy * xy + (xz - xy * yz) * (xz - xy * yz));
}

/* The least edge of a cell: r_max, and a margin for the rounding of positions and differences. */
static double least_edge(const struct rdf_plan *plan, int axis)
{
    const struct rdf_box *box = &plan->box;
    double edges = 0;
    for (int other = 0; other < 3; other++)
        if (box->periodic[other])
            edges += (double) box->edge[other];
    return (sqrt((double) plan->bins.end) * 1.00001 + 2e-6 * edges) / thickness(box, axis);
}

static uint64_t product(const uint64_t count[3])
{
    return count[0] * count[1] * count[2];
}

static void choose_counts(const struct rdf_plan *plan, const double extent[3], struct rdf_cells *cells)
{
    enum { MOST = 1 << 10 };
    for (int axis = 0; axis < 3; axis++) {
        const double fit = extent[axis] / least_edge(plan, axis);
        cells->count[axis] = plan->cells == RDF_CELLS_NO || !(fit >= 1) ? 1 : fit < MOST ? (uint64_t) fit : MOST;
    }
    while (product(cells->count) > cells->most)
        for (int axis = 0; axis < 3; axis++)
            cells->count[axis] = (cells->count[axis] + 1) / 2;
    for (int axis = 0; axis < 3; axis++)
        if (plan->box.periodic[axis] && cells->count[axis] < 3)
            cells->count[axis] = 1;
}

/* A pair costs more with cells than without: they pay if they leave out a third of the pairs. */
static int is_worthwhile(const struct rdf_cells *cells)
{
    double left = 1;
    for (int axis = 0; axis < 3; axis++)
        left *= cells->count[axis] > 3 ? 3 / (double) cells->count[axis] : 1;
    return left < 0.67;
}

/* Cuts cells into parts, as cubic as possible, with about PART particles each. Bins that are narrow against the
 * distance of neighbours leave few couples, and then the order of the input is better: it scatters the pairs over the
 * bins. */
static void choose_parts(const struct rdf_plan *plan, const double extent[3], struct rdf_cells *cells)
{
    enum { PART = 64 };
    const double all = (double) plan->particles / (double) (plan->group_count * PART);
    int axes = 0;
    double volume = 1;
    for (int axis = 0; axis < 3; axis++)
        if (extent[axis] > 0 && extent[axis] < INFINITY)
            volume *= extent[axis], axes++;
    const double edge = axes > 0 ? pow(volume / all, 1 / (double) axes) : INFINITY;
    const int narrow = RDF_COUPLE_NEAR * (double) plan->bins.width < 0.3 * edge; /* 1.2 of 4 particles along an edge */
    for (int axis = 0; axis < 3; axis++) {
        const double fit = extent[axis] / (double) cells->count[axis] / edge;
        cells->cut[axis] = !narrow && fit >= 1 && fit < (double) plan->particles ? (uint64_t) fit : 1;
    }
    while (product(cells->count) * product(cells->cut) > cells->most)
        for (int axis = 0; axis < 3; axis++)
            cells->cut[axis] = (cells->cut[axis] + 1) / 2;
    cells->parts = product(cells->cut);
}

static void choose_cells(const struct rdf_plan *plan, const struct rdf_frame *frame, struct rdf_cells *cells)
{
    double low[3], high[3], extent[3];
    find_extents(plan, frame, low, high);
    for (int axis = 0; axis < 3; axis++)
        extent[axis] = high[axis] - low[axis];
    choose_counts(plan, extent, cells);
    if (plan->cells == RDF_CELLS_AUTO && !is_worthwhile(cells))
        cells->count[0] = cells->count[1] = cells->count[2] = 1;
    cells->cells = product(cells->count);
    choose_parts(plan, extent, cells);
    for (int axis = 0; axis < 3; axis++) {
        const uint64_t parts = cells->count[axis] * cells->cut[axis];
        cells->origin[axis] = low[axis];
        cells->wraps[axis] = plan->box.periodic[axis] && cells->count[axis] > 1;
        cells->scale[axis] = parts > 1 ? (double) parts / extent[axis] : 0;
    }
}

/* ---- Sorting ----------------------------------------------------------------------------------------------------- */

/* The number of the part of a coordinate that is given in units of parts. Wrapped positions lie in the cuboid Lx x Ly x
 * Lz. The faces of a skewed box cut through it, and a particle beyond a face is in a cell at the opposite face. */
static uint64_t number_along(double part, uint64_t count, int periodic)
{
    if (part >= 0 && part < (double) count)
        return (uint64_t) part;
    int64_t number = (int64_t) floor(part);
    if (periodic)
        number = (number % (int64_t) count + (int64_t) count) % (int64_t) count;
    return number < 0 ? 0 : number < (int64_t) count ? (uint64_t) number : count - 1; /* rounding */
}

/* cell * parts + part of a particle. */
static uint64_t part_of(const struct rdf_plan *plan, const struct rdf_frame *frame, const struct rdf_cells *cells,
                        uint64_t i)
{
    double at[3];
    uint64_t cell = 0, part = 0;
    skewed_position(plan, frame, i, at);
    for (int axis = 2; axis >= 0; axis--) {
        const uint64_t number = number_along((at[axis] - cells->origin[axis]) * cells->scale[axis],
                                             cells->count[axis] * cells->cut[axis], (int) plan->box.periodic[axis]);
        cell = cell * cells->count[axis] + number / cells->cut[axis];
        part = part * cells->cut[axis] + number % cells->cut[axis];
    }
    return cell * cells->parts + part;
}

static void copy_particle(const struct rdf_frame *frame, uint64_t i, uint64_t to, struct rdf_cells *cells)
{
    for (int axis = 0; axis < 3; axis++)
        cells->wrapped[axis][to] = frame->wrapped[axis][i];
    cells->sorted_cell[to] = (uint32_t) (cells->part[i] / cells->parts);
}

/* Copies the sorted particles; in every whole chunk, the rows of a matrix of RDF_STRIDE rows become its columns. */
static void shuffle(uint64_t particles, struct rdf_cells *cells)
{
    enum { COLUMNS = RDF_CHUNK / RDF_STRIDE };
    for (int axis = 0; axis < 3; axis++) {
        uint64_t begin = 0;
        for (; begin + RDF_CHUNK <= particles; begin += RDF_CHUNK)
            for (uint64_t k = 0; k < RDF_CHUNK; k++)
                cells->shuffled[axis][begin + k] = cells->wrapped[axis][begin + k % COLUMNS * RDF_STRIDE + k / COLUMNS];
    }
}

/* A counting sort: counts the particles of each part, sums up to the end of each part, and fills it from there down. */
void rdf_cells_sort(const struct rdf_plan *plan, const struct rdf_frame *frame, struct rdf_cells *cells)
{
    choose_cells(plan, frame, cells);
    const uint64_t all = plan->group_count * cells->cells, parts = all * cells->parts;
    memset(cells->begin, 0, (parts + 1) * sizeof *cells->begin);
    for (uint64_t i = 0; i < plan->particles; i++) {
        if (frame->group[i] == RDF_NO_GROUP)
            continue;
        const uint64_t first = frame->group[i] * cells->cells * cells->parts;
        cells->part[i] = (uint32_t) (first + part_of(plan, frame, cells, i));
        cells->begin[cells->part[i]]++;
    }
    for (uint64_t c = 1; c <= parts; c++)
        cells->begin[c] += cells->begin[c - 1];
    for (uint64_t i = plan->particles; i-- > 0;)
        if (frame->group[i] != RDF_NO_GROUP)
            copy_particle(frame, i, --cells->begin[cells->part[i]], cells);
    for (uint64_t c = 1; c <= all; c++) /* of parts to those of cells */
        cells->begin[c] = cells->begin[c * cells->parts];
    shuffle(cells->begin[all], cells);
}

/* ---- Neighbours -------------------------------------------------------------------------------------------------- */

/* The runs that rdf_cells_around collects. */
struct around {
    const struct rdf_cells *cells;
    uint64_t base; /* the group's first cell */
    struct rdf_run *runs;
    uint32_t count;
};

/* Adds cells [first, last] of a row of cells. */
static void add_run(struct around *around, uint64_t row, int64_t first, int64_t last)
{
    const uint32_t *begin = around->cells->begin + around->base + row;
    const struct rdf_run run = {begin[first], begin[last + 1]};
    if (run.begin < run.end)
        around->runs[around->count++] = run;
}

static void add_row(struct around *around, uint64_t row, int64_t first, int64_t last)
{
    const int64_t end = (int64_t) around->cells->count[0] - 1;
    if (around->cells->wraps[0] && first < 0)
        add_run(around, row, end, end);
    if (around->cells->wraps[0] && last > end)
        add_run(around, row, 0, 0);
    if (first <= end && last >= 0)
        add_run(around, row, first < 0 ? 0 : first, last > end ? end : last);
}

/* Moves the number of a cell along an axis. 0: there is no such cell. */
static int step_to(const struct rdf_cells *cells, int axis, int64_t offset, int64_t *at)
{
    const int64_t count = (int64_t) cells->count[axis];
    *at += offset;
    if (cells->wraps[axis])
        *at = (*at + count) % count;
    return (offset == 0 || count > 1) && *at >= 0 && *at < count;
}

uint32_t rdf_cells_around(const struct rdf_cells *cells, uint32_t group, uint64_t cell, int half,
                          struct rdf_run runs[RDF_RUNS_MAX])
{
    const int64_t x = (int64_t) (cell % cells->count[0]), range = cells->count[0] > 1;
    struct around around = {cells, group * cells->cells, runs, 0};
    for (int64_t dz = half ? 0 : -1; dz <= 1; dz++)
        for (int64_t dy = half && dz == 0 ? 0 : -1; dy <= 1; dy++) {
            int64_t y = (int64_t) (cell / cells->count[0] % cells->count[1]);
            int64_t z = (int64_t) (cell / cells->count[0] / cells->count[1]);
            if (!step_to(cells, 1, dy, &y) || !step_to(cells, 2, dz, &z))
                continue;
            const uint64_t row = ((uint64_t) z * cells->count[1] + (uint64_t) y) * cells->count[0];
            if (!half || dy != 0 || dz != 0)
                add_row(&around, row, x - range, x + range);
            else if (range)
                add_row(&around, row, x + 1, x + 1);
        }
    return around.count;
}
