/* What the CPU implementations of three-dimensional Life with a byte a cell share: the grid, and loops over rows that
 * the compiler turns into vector instructions. */
#ifndef LIFE_CPU3D_H
#define LIFE_CPU3D_H

#include <common/isa.h>
#include <engine/plugin.h>
#include <life/ranges3d.h>

/* The grid of one step: rows of bytes along x, each 0 or 1. */
struct life3d_grid {
    const uint8_t *source; /* cell (0, 0, 0) */
    uint8_t *result;
    int64_t row_stride, plane_stride; /* in bytes, of both buffers */
    int64_t extent[3];
    int dead[3];             /* are the cells beyond the edges of an axis dead? Otherwise it is a torus */
    const uint8_t *dead_row; /* extent[0] cells, all 0, beyond dead edges */
    struct life3d_ranges rule;
};

/* A box of cells: x, y, z. */
struct life3d_box {
    int64_t begin[3], end[3];
};

/* A kernel compiled for one instruction set. */
struct life3d_kernel {
    struct isa_kernel isa;
    void (*take)(const struct life3d_grid *grid, const struct life3d_box *box, uint8_t *workspace);
};

/* No ghosts: the kernels wrap around the edges themselves. */
static inline int life3d_cpu_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                                    struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->row_align = 64;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y | ENGINE_AXIS_Z;
    return 0;
}

/* The grid of the call's first step. The caller keeps the dead row. */
static inline struct life3d_grid life3d_grid_of(const struct engine_call *call, struct life3d_rule rule,
                                                const uint8_t *dead_row)
{
    const struct engine_buffer *cells = engine_field_buffer(call, 0);
    const uint64_t *extent = cells->shape->extent;
    struct life3d_grid grid = {
        .source = (const uint8_t *) cells->origin[call->current],
        .result = (uint8_t *) cells->origin[call->current ^ 1],
        .row_stride = cells->row_stride,
        .plane_stride = cells->plane_stride,
        .extent = {(int64_t) extent[0], (int64_t) extent[1], (int64_t) extent[2]},
        .dead_row = dead_row,
        .rule = life3d_rule_ranges(rule),
    };
    for (uint32_t axis = 0; axis < 3; axis++)
        grid.dead[axis] = engine_plan_edge(call->plan, axis) == ENGINE_EDGE_DEAD;
    return grid;
}

/* The result becomes the source of the next step. */
static inline void life3d_swap(struct life3d_grid *grid)
{
    uint8_t *source = (uint8_t *) (uintptr_t) grid->source;
    grid->source = grid->result;
    grid->result = source;
}

#ifdef KERNEL_ISA /* only in the source of a kernel, which is compiled once for each instruction set */

/* Wraps a coordinate that is at most one beyond an edge. */
static inline int64_t life3d_around(int64_t at, int64_t extent)
{
    return at < 0 ? extent - 1 : at == extent ? 0 : at;
}

/* Is a coordinate beyond a dead edge of an axis? */
static inline int life3d_is_dead(const struct life3d_grid *grid, int axis, int64_t at)
{
    return grid->dead[axis] && (at < 0 || at >= grid->extent[axis]);
}

static inline const uint8_t *life3d_row(const struct life3d_grid *grid, int64_t y, int64_t z)
{
    if (life3d_is_dead(grid, 1, y) || life3d_is_dead(grid, 2, z))
        return grid->dead_row;
    return grid->source + life3d_around(z, grid->extent[2]) * grid->plane_stride +
           life3d_around(y, grid->extent[1]) * grid->row_stride;
}

/* sums = a + b + c, for each of `count` bytes. */
static inline void life3d_add_rows(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *restrict sums,
                                   int64_t count)
{
#pragma omp simd
    for (int64_t x = 0; x < count; x++)
        sums[x] = (uint8_t) (a[x] + b[x] + c[x]);
}

/* Is `count` in a range? One comparison is enough: a count below the range wraps around to a large number. */
static inline uint8_t life3d_in_range(uint8_t count, struct life3d_range range)
{
    return (uint8_t) (count - range.first) < (uint8_t) (range.last + 1 - range.first);
}

/* Does range i of the rule give a live cell? `count` includes the cell itself. */
static inline uint8_t life3d_lives(const struct life3d_ranges *rule, uint32_t i, uint8_t count, uint8_t cell)
{
    const uint8_t born = life3d_in_range(count, rule->birth[i]), stays = life3d_in_range(count, rule->survive[i]);
    return cell ? stays : born;
}

/* Makes the next cells of a row from the counts a + b + c. */
static inline void life3d_next_row(const struct life3d_ranges *rule, const uint8_t *a, const uint8_t *b,
                                   const uint8_t *c, const uint8_t *cells, uint8_t *restrict next, int64_t count)
{
#pragma omp simd
    for (int64_t x = 0; x < count; x++)
        next[x] = life3d_lives(rule, 0, (uint8_t) (a[x] + b[x] + c[x]), cells[x]);
    for (uint32_t i = 1; i < rule->count; i++)
#pragma omp simd
        for (int64_t x = 0; x < count; x++)
            next[x] |= life3d_lives(rule, i, (uint8_t) (a[x] + b[x] + c[x]), cells[x]);
}

#endif
#endif
