/* engine/neighbours_space.h - places and cells of particles, which the CPU and the GPU share.
 *
 * engine/neighbours.h includes it; see there. */
#ifndef ENGINE_NEIGHBOURS_SPACE_H
#define ENGINE_NEIGHBOURS_SPACE_H

#include <engine/plugin.h>

#include <math.h>
#include <string.h>

#define ENGINE_NEIGHBOURS_FAR 1e15 /* positions are below */

/* A list reaches so many cells far. Small cells have fewer particles in vain. */
#ifndef NEIGHBOURS_SIDE
#define NEIGHBOURS_SIDE 2
#endif
enum {
    ENGINE_NEIGHBOURS_SIDE = NEIGHBOURS_SIDE,
    ENGINE_NEIGHBOURS_NEAR = 2 * NEIGHBOURS_SIDE + 1, /* cells along an axis that are near a cell */
    ENGINE_NEIGHBOURS_ROWS =
        NEIGHBOURS_AXES == 3 ? ENGINE_NEIGHBOURS_NEAR * ENGINE_NEIGHBOURS_NEAR : ENGINE_NEIGHBOURS_NEAR
};
#define ENGINE_NEIGHBOURS_NO_LIST UINT32_MAX /* the length of a list that has no room */

/* The box, and the cells in which particles are sorted. NEIGHBOURS_SIDE of them are at least as wide as a list
 * reaches. */
struct engine_space {
    uint32_t count; /* of particles */
    uint32_t cells[3];
    uint32_t room;             /* of a list */
    double edge[3];            /* of the box; 0: open */
    double low[3], inverse[3]; /* open axes: begin of the first cell, and 1 / width of a cell */
    float scale[3];            /* periodic axes: length of a unit of places */
    float reach2, list2;       /* squares of the reach, and of that of lists */
    float moved2;              /* a list is good until the square of a particle's way is larger than this */
    double width;              /* the least width of a cell */
};

/* Does a coordinate have a place? */
ENGINE_INLINE int engine_space_has(double x)
{
    return fabs(x) < ENGINE_NEIGHBOURS_FAR;
}

ENGINE_INLINE uint32_t engine_place_of(const struct engine_space *space, int axis, double x)
{
    if (space->edge[axis] > 0) {
        const double part = x / space->edge[axis];
        return (uint32_t) (uint64_t) ((part - floor(part)) * 0x1p32);
    }
    const float near = (float) x;
    uint32_t bits;
    memcpy(&bits, &near, sizeof bits);
    return bits;
}

ENGINE_INLINE float engine_place_float(uint32_t place)
{
    float x;
    memcpy(&x, &place, sizeof x);
    return x;
}

/* The way from place b to place a along an axis. `open` is a constant: whether any axis is open. */
ENGINE_INLINE float engine_way(const struct engine_space *space, int axis, uint32_t a, uint32_t b, int open)
{
    if (open && !(space->edge[axis] > 0))
        return engine_place_float(a) - engine_place_float(b);
    return space->scale[axis] * (float) (int32_t) (a - b);
}

/* Sets d to the vector from b to a, and returns the square of its length. */
ENGINE_INLINE float engine_apart(const struct engine_space *space, const uint32_t *a, const uint32_t *b, float *d,
                                 int open)
{
    float square = 0;
    for (int c = 0; c < NEIGHBOURS_AXES; c++) {
        d[c] = engine_way(space, c, a[c], b[c], open);
        square = c == 0 ? d[c] * d[c] : square + d[c] * d[c];
    }
    return square;
}

/* The cell of a place along an axis. */
ENGINE_INLINE uint32_t engine_cell_along(const struct engine_space *space, int axis, uint32_t place)
{
    if (space->edge[axis] > 0)
        return (uint32_t) ((uint64_t) place * space->cells[axis] >> 32);
    const double at = ((double) engine_place_float(place) - space->low[axis]) * space->inverse[axis];
    const double last = (double) (space->cells[axis] - 1);
    return at > 0 ? at < last ? (uint32_t) at : (uint32_t) last : 0;
}

ENGINE_INLINE uint32_t engine_cell_of(const struct engine_space *space, const uint32_t *place)
{
    uint32_t cell = 0;
    for (int c = NEIGHBOURS_AXES - 1; c >= 0; c--)
        cell = cell * space->cells[c] + engine_cell_along(space, c, place[c]);
    return cell;
}

/* The cells of a place along each axis. */
ENGINE_INLINE void engine_cells_of(const struct engine_space *space, const uint32_t *place, uint32_t *cells)
{
    for (int c = 0; c < NEIGHBOURS_AXES; c++)
        cells[c] = engine_cell_along(space, c, place[c]);
}

/* Cell k, from 0 on, of those near cell `at` of an axis, or -1. A cell occurs once, however few there are. */
ENGINE_INLINE int64_t engine_cell_near(const struct engine_space *space, int axis, uint32_t at, int k)
{
    const int64_t cells = space->cells[axis], cell = (int64_t) at + k - ENGINE_NEIGHBOURS_SIDE;
    if (cells < ENGINE_NEIGHBOURS_NEAR)
        return k < cells ? k : -1;
    if (cell >= 0 && cell < cells)
        return cell;
    return space->edge[axis] > 0 ? (cell < 0 ? cell + cells : cell - cells) : -1;
}

/* The first cell of row `index` of the cells near a cell, or -1. A row runs along x. */
ENGINE_INLINE int64_t engine_row_near(const struct engine_space *space, const uint32_t *at, int index)
{
    const int64_t y = engine_cell_near(space, 1, at[1], index % ENGINE_NEIGHBOURS_NEAR);
#if NEIGHBOURS_AXES == 3
    const int64_t z = engine_cell_near(space, 2, at[2], index / ENGINE_NEIGHBOURS_NEAR);
    return y < 0 || z < 0 ? -1 : (z * space->cells[1] + y) * space->cells[0];
#else
    return y < 0 ? -1 : y * space->cells[0];
#endif
}

/* The cells of each row near a cell: from first[r] up to last[r], in one range or two. Returns how many. */
ENGINE_INLINE int engine_columns_near(const struct engine_space *space, uint32_t x, uint32_t first[2], uint32_t last[2])
{
    const uint32_t cells = space->cells[0], side = ENGINE_NEIGHBOURS_SIDE;
    first[0] = first[1] = 0;
    last[0] = last[1] = cells;
    if (cells < ENGINE_NEIGHBOURS_NEAR)
        return 1;
    first[0] = x > side ? x - side : 0;
    last[0] = x + side + 1 < cells ? x + side + 1 : cells;
    if (x < side)
        first[1] = cells - (side - x);
    else
        last[1] = x + side + 1 - cells;
    return space->edge[0] > 0 && (x < side || x + side >= cells) ? 2 : 1;
}

static inline int engine_space_open(const struct engine_space *space)
{
    int open = 0;
    for (int c = 0; c < NEIGHBOURS_AXES; c++)
        open = open || !(space->edge[c] > 0);
    return open;
}

/* The largest number of cells that `count` particles get. */
static inline uint32_t engine_space_cells_max(uint64_t count)
{
    return (uint32_t) (count < 0x3fffffff ? count : 0x3fffffff) + 64;
}

/* Chooses the cells; low and high bound the particles along open axes. */
static inline void engine_space_divide(struct engine_space *space, const double *low, const double *high)
{
    double width = space->width, all;
    do {
        all = 1;
        for (int c = 0; c < NEIGHBOURS_AXES; c++) {
            const int open = !(space->edge[c] > 0);
            const double extent = open ? high[c] - low[c] : space->edge[c], cells = extent / width;
            const double whole = cells < 1 ? 1 : cells < 1e6 ? floor(cells) : 1e6;
            space->cells[c] = (uint32_t) whole;
            space->low[c] = open ? low[c] : 0;
            space->inverse[c] = open ? 1 / width : 0;
            all *= whole;
        }
        width *= 1.25;
    } while (all > (double) engine_space_cells_max(space->count));
}

/* Sets the space for a box and a rule. Cells of open axes follow by engine_space_divide. */
static inline int engine_space_set(struct engine_space *space, const struct engine_host *host, const double *box,
                                   double reach, double skin, uint32_t room)
{
    const double list = reach + skin;
    double volume = 1,
           ball = NEIGHBOURS_AXES == 3 ? 4.18879020478639 * list * list * list : 3.14159265358979 * list * list;
    double origin[3] = {0, 0, 0};
    if (!(reach > 0) || !(reach < 1e15) || !(skin >= 0))
        return ENGINE_FAIL(host, ENGINE_INVALID, "neighbours reach %g; expected a number above 0", reach);
    for (int c = 0; c < NEIGHBOURS_AXES; c++) {
        space->edge[c] = box[c];
        space->scale[c] = (float) (box[c] * 0x1p-32);
        volume *= box[c];
        if (box[c] > 0 && reach > box[c] / 2 * (1 + 1e-6))
            return ENGINE_FAIL(
                host, ENGINE_INVALID,
                "the edge of the box along %c is %g; expected at least twice the reach of neighbours, %g", "xyz"[c],
                box[c], 2 * reach);
    }
    space->reach2 = (float) reach * (float) reach;
    space->list2 = (float) list * (float) list;
    space->moved2 = (float) (0.4999 * skin) * (float) (0.4999 * skin);
    space->width = list / NEIGHBOURS_SIDE * (1 + 1e-6);
    if (room == 0) {
        const double mean = volume > 0 ? 2 * (double) space->count * ball / volume : 128;
        room = (uint32_t) (mean < 64 ? 64 : mean < 1024 ? mean : 1024);
    }
    space->room = room < space->count ? room : space->count;
    engine_space_divide(space, origin, origin);
    return 0;
}

#endif
