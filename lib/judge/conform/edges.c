/* What lies beyond the edges of a grid is what the configuration says: a grid with such edges computes the same as the
 * middle of a larger torus whose outer cells are set to those of the edges before each step. */
#include "judge/conform/cells.h"
#include "judge/conform/properties.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 5 };

/* The kinds of each axis; a fixed edge has the value 1. */
struct case_of_edges {
    const char *words[3]; /* [grid] edges for one, two and three axes; NULL: leave it out */
    uint32_t kind[3];
};

static const struct case_of_edges cases[] = {
    {{"dead", "dead", "dead"}, {ENGINE_EDGE_DEAD, ENGINE_EDGE_DEAD, ENGINE_EDGE_DEAD}},
    {{"fixed", "fixed", "fixed"}, {ENGINE_EDGE_FIXED, ENGINE_EDGE_FIXED, ENGINE_EDGE_FIXED}},
    {{"mirror", "mirror", "mirror"}, {ENGINE_EDGE_MIRROR, ENGINE_EDGE_MIRROR, ENGINE_EDGE_MIRROR}},
    {{NULL, "torus dead", "torus dead torus"}, {ENGINE_EDGE_TORUS, ENGINE_EDGE_DEAD, ENGINE_EDGE_TORUS}},
    {{NULL, "dead torus", "dead torus dead"}, {ENGINE_EDGE_DEAD, ENGINE_EDGE_TORUS, ENGINE_EDGE_DEAD}},
    {{NULL, "dead fixed", "dead fixed mirror"}, {ENGINE_EDGE_DEAD, ENGINE_EDGE_FIXED, ENGINE_EDGE_MIRROR}},
    {{NULL, "fixed mirror", "fixed mirror torus"}, {ENGINE_EDGE_FIXED, ENGINE_EDGE_MIRROR, ENGINE_EDGE_TORUS}},
};

/* Moves a coordinate into the grid, edge by edge. Returns false where the edge has a value of its own. */
static bool come_in(uint32_t kind, int64_t extent, int64_t *at)
{
    while (*at < 0 || *at >= extent) {
        if (kind == ENGINE_EDGE_DEAD || kind == ENGINE_EDGE_FIXED)
            return false;
        if (kind == ENGINE_EDGE_TORUS)
            *at += *at < 0 ? extent : -extent;
        else
            *at = *at < 0 ? -*at - 1 : 2 * extent - 1 - *at;
    }
    return true;
}

/* The cells that a step reads beyond each edge, of any field. */
static void find_frame(const struct test *test, uint64_t frame[3])
{
    const struct engine_field_array *fields = &test->plugin->fields;
    memset(frame, 0, 3 * sizeof *frame);
    for (uint32_t i = 0; i < fields->count; i++)
        for (int axis = 0; axis < 3; axis++)
            if (fields->at[i].reach[axis] > frame[axis])
                frame[axis] = fields->at[i].reach[axis];
}

static void set_to_one(uint32_t type, uint8_t *element)
{
    memset(element, 0, type_bytes(type));
    set_number(element, type == ENGINE_C64 ? ENGINE_F32 : type == ENGINE_C128 ? ENGINE_F64 : type, 1);
}

/* Sets a cell of the larger torus, at (x, y, z) of the grid, to what the edges say. */
static void frame_cell(const struct case_of_edges *edges, const struct engine_shape *grid, const uint8_t *cells,
                       const int64_t at[3], uint8_t *cell)
{
    const uint64_t bytes = type_bytes(grid->type);
    int64_t from[3] = {at[0], at[1], at[2]};
    bool inside = true, fixed = false, dead = false;
    for (int axis = 2; axis >= 0 && inside; axis--) {
        inside = come_in(edges->kind[axis], (int64_t) grid->extent[axis], &from[axis]);
        fixed = !inside && edges->kind[axis] == ENGINE_EDGE_FIXED;
        dead = !inside && !fixed;
    }
    const uint64_t place =
        inside ? ((uint64_t) from[2] * grid->extent[1] + (uint64_t) from[1]) * grid->extent[0] + (uint64_t) from[0] : 0;
    for (uint32_t c = 0; c < grid->components; c++)
        if (dead)
            memset(cell + c * bytes, 0, bytes);
        else if (fixed)
            set_to_one(grid->type, cell + c * bytes);
        else
            memcpy(cell + c * bytes, cells + (place * grid->components + c) * bytes, bytes);
}

/* Copies the cells of a grid into the middle of the larger torus, with the frame around them, or back. */
static void move_all(const struct case_of_edges *edges, const uint64_t frame[3], struct cells *small,
                     struct cells *large, bool back)
{
    for (uint32_t i = 0; i < small->count; i++) {
        const struct engine_shape *shape = &small->shape[i];
        const uint64_t *n = large->shape[i].extent, bytes = (uint64_t) type_bytes(shape->type) * shape->components;
        for (uint64_t cell = 0; small->at[i] && cell < n[0] * n[1] * n[2]; cell++) {
            const int64_t at[3] = {(int64_t) (cell % n[0]) - (int64_t) frame[0],
                                   (int64_t) (cell / n[0] % n[1]) - (int64_t) frame[1],
                                   (int64_t) (cell / n[0] / n[1]) - (int64_t) frame[2]};
            uint8_t *there = (uint8_t *) large->at[i] + cell * bytes;
            bool inside = true;
            for (int axis = 0; axis < 3; axis++)
                inside = inside && at[axis] >= 0 && at[axis] < (int64_t) shape->extent[axis];
            if (!back)
                frame_cell(edges, shape, small->at[i], at, there);
            else if (inside)
                memcpy((uint8_t *) small->at[i] +
                           (((uint64_t) at[2] * shape->extent[1] + (uint64_t) at[1]) * shape->extent[0] +
                            (uint64_t) at[0]) *
                               bytes,
                       there, bytes);
        }
    }
}

/* Takes a step of the grid on the larger torus. */
static void step_on_torus(struct test *test, const struct engine_impl *impl, struct setup torus,
                          const struct case_of_edges *edges, const uint64_t frame[3], struct cells *cells,
                          struct cells *large, uint64_t step)
{
    move_all(edges, frame, cells, large, false);
    struct cells after = cells_after(test, impl, torus, large, step, 1);
    move_all(edges, frame, cells, &after, true);
    cells_free(&after);
}

/* The cells of a size as it is opened. Empty where the size is refused. */
static struct cells cells_of(struct test *test, const struct engine_impl *impl, struct setup setup)
{
    struct fixture *fixture = fixture_open(test, impl, setup);
    if (!fixture)
        return (struct cells){0};
    struct cells cells = cells_read(fixture);
    fixture_close(fixture);
    return cells;
}

static uint32_t axes(const struct test *test)
{
    return test->plugin->fields.at[0].rank;
}

/* Returns false where the implementation refuses these edges or one of the sizes. */
static bool compare_case(struct test *test, struct setup setup, const struct case_of_edges *edges)
{
    const struct engine_impl *oracle = test->promise.oracle ? test->promise.oracle : test->impl;
    struct setup torus = setup;
    uint64_t frame[3];
    char set[64];
    find_frame(test, frame);
    for (uint32_t axis = 0; axis < axes(test); axis++)
        torus.extent[axis] += 2 * frame[axis];
    torus.set = "grid.edges=torus";
    snprintf(set, sizeof set, "grid.edges=%s", edges->words[axes(test) - 1]);
    setup.set = set;
    setup.also = strstr(set, "fixed") ? "grid.edge_value=1" : NULL;
    struct cells large = cells_of(test, oracle, torus);
    struct fixture *fixture = large.count ? fixture_open(test, test->impl, setup) : NULL;
    if (!fixture) {
        cells_free(&large);
        return false;
    }
    struct cells should = cells_start(fixture, 61);
    cells_write(fixture, &should);
    fixture_start(fixture);
    const uint64_t steps = test->impl->flags & ENGINE_EXACT ? STEPS : 1;
    char words[CONTEXT_WORDS];
    fixture_advance(fixture, steps);
    for (uint64_t step = 0; step < steps; step++)
        step_on_torus(test, oracle, torus, edges, frame, &should, &large, step);
    struct cells is = cells_read(fixture);
    cells_compare(
        &is, &should, test->impl->tolerance,
        "%s with edges = %s after %llu step%s, compared with a larger torus whose outer cells are set (if the "
        "rule depends on the position of a cell, give %s)",
        SIZE_TEXT(test, &setup), edges->words[axes(test) - 1], (unsigned long long) steps, steps == 1 ? "" : "s",
        context_words(test->caller, ENGINE_WORDS_OPTION, "position", words));
    cells_free(&is), cells_free(&should), cells_free(&large);
    fixture_close(fixture);
    return true;
}

void edges_are_honoured(struct test *test)
{
    const struct engine_field_array *fields = &test->plugin->fields;
    uint32_t compared = 0;
    for (uint32_t i = 0; i < fields->count; i++)
        SKIP_UNLESS(test, fields->at[i].kind == ENGINE_GRID && fields->at[i].rank == axes(test),
                    "not all its fields are grids of one number of axes");
    SKIP_UNLESS(test, !test->position, "its rule depends on where a cell lies");
    SKIP_UNLESS(test, !test->given[0].extent[0], "the configuration gives the size of the grid");
    SKIP_UNLESS(test, !fixture_has_init(test), "a larger grid cannot start from the state that is described");
    const struct setup middle = fixture_middle(test);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!cases[i].words[axes(test) - 1])
            continue;
        compared += compare_case(test, middle, &cases[i]);
        for (const struct setup *setup = fixture_sizes(test); setup->extent[0]; setup++)
            if (setup->extent[0] * setup->extent[1] * setup->extent[2] < 700)
                compared += compare_case(test, *setup, &cases[i]);
    }
    SKIP_UNLESS(test, compared, "takes a torus alone: %s", test->refusal);
}
