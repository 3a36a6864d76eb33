/* engine/format_cell.h - helpers for formats of particles: cells of any orientation.
 *
 * The box of the engine has its first edge along x and its second in the plane of x and y. A file may give a cell by three
 * vectors that lie otherwise. Its reader turns the cell, and with it the positions, velocities and forces. This changes
 * no distance.
 *
 * Optional inline code for engine/format.h, not a part of the binary interface. */
#ifndef ENGINE_FORMAT_CELL_H
#define ENGINE_FORMAT_CELL_H

#include <engine/format.h>

#include <math.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A reader that turns the cell of its first frame puts this into `remarks`. */
#define ENGINE_CELL_TURNED \
    "the first vector of the cell is not along x, or the second not in the plane of x and y, so the engine rotates " \
    "the cell, positions, velocities and forces"

/* A reader whose cell has lengths along open axes puts this into `skipped`. */
#define ENGINE_CELL_DROPPED "the bounds of open axes"

struct engine_cell {
    double box[6];    /* Lx Ly Lz xy xz yz, 0 along open axes */
    double turn[9];   /* three rows: the axes of the box, as unit vectors in the file */
    double corner[3]; /* where the box begins in the file: 0 0 0, unless the third vector was reversed */
    int turned;       /* 0: the vectors lie as those of a box, and nothing has to be turned */
    int dropped;      /* 1: vectors of open axes are not 0, and the box does not have them */
};

static inline double engine_cell_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void engine_cell_cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Makes out the part of `a` that is perpendicular to a unit vector. */
static inline void engine_cell_reject(const double a[3], const double unit[3], double out[3])
{
    const double along = engine_cell_dot(a, unit);
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - along * unit[i];
}

/* Scales to length 1. Returns 0 for a vector that is no longer than `least`. */
static inline int engine_cell_scale(double a[3], double least)
{
    const double length = sqrt(engine_cell_dot(a, a));
    for (int i = 0; i < 3 && length > least; i++)
        a[i] /= length;
    return length > least;
}

/* Replaces the vectors of open axes by vectors that are perpendicular to those of the periodic ones. Returns 0 if the
 * vectors of two periodic axes lie on one line. */
static inline int engine_cell_close(double v[3][3], const int open[3], double least)
{
    const int count = open[0] + open[1] + open[2];
    for (int i = 0; i < 3; i++) {
        const int next = (i + 1) % 3, last = (i + 2) % 3;
        if (count == 1 && open[i]) {
            engine_cell_cross(v[next], v[last], v[i]);
            return engine_cell_scale(v[i], least * least);
        }
        if (count == 2 && !open[i]) {
            double unit[3], axis[3] = {0, 0, 0};
            memcpy(unit, v[i], sizeof unit);
            engine_cell_scale(unit, 0);
            axis[fabs(unit[next]) < 0.9 ? next : last] = 1;
            engine_cell_reject(axis, unit, v[next]);
            engine_cell_scale(v[next], 0);
            engine_cell_cross(unit, v[next], v[last]);
        }
    }
    return 1;
}

/* Do the vectors lie as those of a box, except for rounding? */
static inline int engine_cell_lies(double v[3][3])
{
    const double tolerance = 1e-9;
    return fabs(v[0][1]) <= tolerance * v[0][0] && fabs(v[0][2]) <= tolerance * v[0][0] &&
           fabs(v[1][2]) <= tolerance * v[1][1] && v[1][1] > 0 && v[2][2] > 0;
}

/* Makes the box of a cell of three vectors, one after the other, which are finite. Axes are periodic, except those of
 * vectors 0 0 0 and those with open[axis], which may be NULL. Returns 0 if the vectors of periodic axes lie in a plane. */
static inline int engine_cell_take(struct engine_cell *cell, const double vectors[9], const int *open)
{
    static const int from[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 0}, {2, 0}, {2, 1}};
    static const int of[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    double v[3][3], longest = 0;
    int is_open[3];
    memset(cell, 0, sizeof *cell);
    memcpy(v, vectors, sizeof v);
    for (int i = 0; i < 3; i++) {
        const int none = v[i][0] == 0 && v[i][1] == 0 && v[i][2] == 0;
        is_open[i] = (open && open[i]) || none;
        cell->dropped |= is_open[i] && !none;
        longest = is_open[i] ? longest : fmax(longest, sqrt(engine_cell_dot(v[i], v[i])));
        cell->turn[4 * i] = 1;
    }
    if (longest == 0)
        return 1;
    if (!engine_cell_close(v, is_open, 1e-9 * longest))
        return 0;
    if (!engine_cell_lies(v)) {
        double x[3], y[3], z[3];
        memcpy(x, v[0], sizeof x);
        if (!engine_cell_scale(x, 1e-9 * longest * (is_open[0] ? 0 : 1)))
            return 0;
        engine_cell_reject(v[1], x, y);
        if (!engine_cell_scale(y, 1e-9 * longest * (is_open[1] ? 0 : 1)))
            return 0;
        engine_cell_cross(x, y, z);
        memcpy(cell->turn, x, sizeof x);
        memcpy(cell->turn + 3, y, sizeof y);
        memcpy(cell->turn + 6, z, sizeof z);
        cell->turned = 1;
        if (engine_cell_dot(v[2], z) < 0) /* left-handed: the third vector, reversed, begins at the other end */
            for (int i = 0; i < 3; i++) {
                cell->corner[i] = v[2][i];
                v[2][i] = -v[2][i];
            }
        if (!is_open[2] && !(engine_cell_dot(v[2], z) > 1e-9 * longest))
            return 0;
    }
    for (int i = 0; i < 6; i++) {
        const int vector = from[i][0], axis = from[i][1];
        if (!is_open[of[i][0]] && !is_open[of[i][1]])
            cell->box[i] = cell->turned ? engine_cell_dot(v[vector], cell->turn + 3 * axis) : v[vector][axis];
    }
    return 1;
}

/* Sets the box of a frame, and its corner, which the file gives as `corner` or not at all. */
static inline void engine_cell_place(const struct engine_cell *cell, const double *corner,
                                     struct engine_file_frame *frame)
{
    double begin[3];
    for (int i = 0; i < 3; i++)
        begin[i] = cell->corner[i] + (corner ? corner[i] : 0);
    for (int i = 0; i < 3; i++) {
        frame->corner[i] = cell->box[i] > 0 ? engine_cell_dot(begin, cell->turn + 3 * i) : 0;
        frame->has |= frame->corner[i] != 0 ? (uint32_t) ENGINE_HAS_CORNER : 0;
        frame->has |= cell->box[i] > 0 ? (uint32_t) ENGINE_HAS_BOX : 0;
    }
    memcpy(frame->box, cell->box, sizeof frame->box);
}

/* Turns `count` vectors of three numbers, ENGINE_F32 or ENGINE_F64, which may lie anywhere. */
static inline void engine_cell_turn(const struct engine_cell *cell, uint32_t type, uint64_t count, void *vectors)
{
    const size_t bytes = 3 * (type == ENGINE_F32 ? sizeof(float) : sizeof(double));
    for (uint64_t i = 0; cell->turned && i < count; i++) {
        unsigned char *at = (unsigned char *) vectors + i * bytes;
        double old[3], turned[3];
        float narrow[3];
        memcpy(type == ENGINE_F32 ? (void *) narrow : (void *) old, at, bytes);
        for (int k = 0; type == ENGINE_F32 && k < 3; k++)
            old[k] = (double) narrow[k];
        for (int k = 0; k < 3; k++) {
            turned[k] = engine_cell_dot(cell->turn + 3 * k, old);
            narrow[k] = (float) turned[k];
        }
        memcpy(at, type == ENGINE_F32 ? (const void *) narrow : (const void *) turned, bytes);
    }
}

#ifdef __cplusplus
}
#endif

#endif
