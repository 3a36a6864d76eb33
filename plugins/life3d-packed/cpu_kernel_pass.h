/* Several steps of a tile, a strip of rows of some planes, on the way from one grid to the other.
 *
 * Planes enter in batches, from `levels` before the tile's first plane to `levels` after its last one. Then level t
 * takes a step on the batch together with the two planes that the batch before left to it. Its result is one plane
 * behind that of level t - 1. For a batch of four, with two levels:
 *
 *     loaded                             8   9  10  11
 *     left by the batch before   6   7
 *     level 1 makes                  7   8   9  10           from planes 6 … 11; it leaves 10 and 11 for the next batch
 *     level 2 makes              6   7   8   9               from planes 5 … 10 of level 1; they go to the other grid
 *
 * So 2 * levels + batch planes stay in the second-level cache, and the grid is read and written once. Each level clears
 * the planes and rows beyond dead edges, because it may have cells born there. */
#ifndef LIFE3D_PACKED_CPU_KERNEL_PASS_H
#define LIFE3D_PACKED_CPU_KERNEL_PASS_H

#include "cpu_kernel_plane.h"

#define BLOCK_ROWS     20 /* the sums of so many rows, and six planes of them, stay in the first-level cache */
#define MAX_LEVELS     16
#define ALIGNED(bytes) (((bytes) + 4095) & ~(uint64_t) 4095)

struct tile {
    struct strip strip;
    struct area area;
    uint64_t levels;
    uint64_t depth; /* of the grid, in planes */
    uint64_t first_plane, planes;
    int dead_z; /* are the planes beyond the grid dead? Otherwise it is a torus along z */
    struct nine (*sums)[2];
    vec *memory;
    ptrdiff_t *slots[2];
    step_batch_fn *step_batch;
};

static struct area make_area(uint64_t columns, uint64_t rows, int dead_x)
{
    const uint64_t blocks = (rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
    return (struct area){(ptrdiff_t) columns, (ptrdiff_t) rows, (ptrdiff_t) ((rows + blocks - 1) / blocks),
                         dead_x ? DEAD : JOINED};
}

static uint64_t vectors_of_plane(uint64_t columns, uint64_t rows)
{
    return (columns + 2) * (rows + 3);
}

static uint64_t workspace_of_tile(uint64_t columns, uint64_t rows, uint64_t planes)
{
    return ALIGNED(BLOCK_ROWS * sizeof(struct nine[2])) + 2 * ALIGNED(columns * sizeof(ptrdiff_t)) +
           ALIGNED(planes * vectors_of_plane(columns, rows) * sizeof(vec));
}

static void place_tile(struct tile *t, char *workspace)
{
    t->sums = (struct nine(*)[2])(void *) workspace;
    workspace += ALIGNED(BLOCK_ROWS * sizeof(struct nine[2]));
    for (int i = 0; i < 2; i++, workspace += ALIGNED(t->strip.columns * sizeof(ptrdiff_t)))
        t->slots[i] = (ptrdiff_t *) (void *) workspace;
    t->memory = (vec *) (void *) workspace;
}

static vec *plane_memory(const struct tile *t, uint64_t number)
{
    return t->memory + number * vectors_of_plane(t->strip.columns, (uint64_t) t->area.rows);
}

/* The frame of planes that come from the grid. */
static struct frame first_frame(const struct tile *t)
{
    const ptrdiff_t stride = t->area.rows + 3, columns = t->area.columns;
    struct frame f = {t->slots[0], {columns * stride, (columns + 1) * stride}, 2};
    for (ptrdiff_t i = 0; i < columns; i++)
        f.slot[i] = i * stride;
    return f;
}

static uint64_t *grid_plane(const struct tile *t, uint64_t *grid, uint64_t z)
{
    return grid + z % t->depth * t->strip.height * t->strip.columns;
}

/* Is plane `number` of those that the pass reads beside a dead edge, beyond it? Planes further away do not matter,
 * because no cell of the grid is near them. Number 0 is `levels` before the tile. */
static int is_dead(const struct tile *t, uint64_t number)
{
    const uint64_t plane = t->first_plane + number + 1;
    return t->dead_z && (plane == t->levels || plane == t->levels + t->depth + 1);
}

static void clear_plane(const struct tile *t, vec *plane)
{
    memset(plane, 0, vectors_of_plane(t->strip.columns, (uint64_t) t->area.rows) * sizeof *plane);
}

/* Loads planes number … number + count - 1 of those that the pass reads. Number 0 is `levels` before the tile. */
static void load_batch(const struct tile *t, uint64_t *grid, struct batch *b, uint64_t number, uint64_t count)
{
    b->to = first_frame(t);
    const uint64_t before = t->levels % t->depth;
    for (uint64_t p = 0; p < count; p++)
        if (is_dead(t, number + p))
            clear_plane(t, b->planes[p + 2]);
        else
            load_plane(&t->strip, &t->area, grid_plane(t, grid, t->first_plane + t->depth - before + number + p),
                       b->planes[p + 2], &b->to);
}

/* The first plane of a batch that is right at `level`. Each step makes one more plane wrong. */
static uint64_t first_right(uint64_t number, uint64_t level)
{
    return 2 * level > number ? 2 * level - number : 0;
}

static void store_batch(const struct tile *t, uint64_t *grid, const struct batch *b, uint64_t number, uint64_t count)
{
    for (uint64_t p = first_right(number, t->levels); p < count; p++)
        store_plane(&t->strip, &t->area, grid_plane(t, grid, t->first_plane + number + p - 2 * t->levels),
                    b->planes[p + 2], &b->to);
}

/* Takes the step to `level`, with the two planes that the batch before left there. */
static void step_level(const struct tile *t, struct batch *b, uint64_t number, uint64_t level, vec *left[2],
                       const struct rule *rule)
{
    b->planes[0] = left[0], b->planes[1] = left[1];
    b->from = b->to;
    b->to.slot = t->slots[level % 2];
    next_frame(&b->from, &b->to, t->area.columns);
    b->first = (ptrdiff_t) (first_right(number, level) & ~(uint64_t) 3);
    if (b->first < b->count)
        t->step_batch(b, &t->area, t->sums, rule);
    for (ptrdiff_t p = b->first; p < b->count; p++)
        if (is_dead(t, number + (uint64_t) p - level))
            clear_plane(t, b->planes[p]);
        else
            refresh_ghosts(&t->strip, &t->area, b->planes[p], &b->to);
    left[0] = b->planes[b->count], left[1] = b->planes[b->count + 1];
    memmove(b->planes + 2, b->planes, (size_t) b->count * sizeof b->planes[0]);
}

static void run_tile(const struct tile *t, uint64_t *from, uint64_t *to, const struct rule *rule)
{
    const uint64_t input = t->planes + 2 * t->levels;
    vec *left[MAX_LEVELS][2];
    struct batch b;
    for (uint64_t i = 0; i < 2 * t->levels; i++)
        left[i / 2][i % 2] = plane_memory(t, i);
    for (uint64_t i = 0; i < BATCH; i++)
        b.planes[i + 2] = plane_memory(t, 2 * t->levels + i);
    for (uint64_t number = 0; number < input; number += BATCH) {
        const uint64_t count = smaller(input - number, BATCH);
        b.count = (ptrdiff_t) ((count + 3) & ~(uint64_t) 3);
        load_batch(t, from, &b, number, count);
        for (uint64_t level = 1; level <= t->levels; level++)
            step_level(t, &b, number, level, left[level - 1], rule);
        store_batch(t, to, &b, number, count);
    }
}

#endif
