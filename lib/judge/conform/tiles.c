/* A grid in tiles equals the same grid in an array, to the last bit. */
#include "judge/conform/cells.h"
#include "judge/conform/properties.h"

#include <engine/tiles.h>
#include <stdio.h>

enum { SEED = 71, LEAST = 8 };

/* Steps of the calls: a round of one step, rounds of a few steps, and rounds that skip tiles. */
static const uint64_t counts[] = {1, 7, 40};

/* The least side of a tile: a step reaches no cell beyond its neighbours. */
static uint64_t side_of(const struct test *test)
{
    uint64_t side = LEAST;
    for (uint32_t i = 0; i < test->plugin->fields.count; i++)
        for (int axis = 0; axis < 3; axis++)
            if (test->plugin->fields.at[i].reach[axis] > side)
                side = test->plugin->fields.at[i].reach[axis];
    return side;
}

static void compare_metrics(struct test *test, const struct fixture *tiles, const struct fixture *array)
{
    double is[METRICS_MAX] = {0}, should[METRICS_MAX] = {0};
    if (!fixture_measure(tiles, is) || !fixture_measure(array, should))
        return;
    for (uint32_t m = 0; m < test->plugin->metrics.count; m++)
        REQUIRE(test, metrics_agree(test, is[m], should[m]), "%s in tiles is %.17g, and %.17g in an array",
                test->plugin->metrics.at[m].name, is[m], should[m]);
}

void tiles_equal_the_array(struct test *test)
{
    static const uint64_t tiles_of_axis[] = {2, 3, 1};
    const struct engine_field_array *fields = &test->plugin->fields;
    const uint64_t side = side_of(test);
    struct setup setup = fixture_middle(test), tiled;
    char set[64];
    SKIP_UNLESS(test, test->impl->flags & ENGINE_UNIFORM, "does not state that its grid may lie in tiles");
    SKIP_UNLESS(test, !test->given[0].extent[0], "the configuration gives the size of the grid");
    for (uint32_t axis = 0; axis < fields->at[0].rank; axis++)
        setup.extent[axis] = side * tiles_of_axis[axis];
    tiled = setup;
    snprintf(set, sizeof set, "tiles.side=%llu", (unsigned long long) side);
    tiled.set = set;
    struct fixture *array = cells_run(test, test->impl, setup, SEED);
    SKIP_UNLESS(test, array, "takes no grid of %s: %s", SIZE_TEXT(test, &setup), test->refusal);
    struct fixture *tiles = cells_run(test, test->impl, tiled, SEED);
    REQUIRE(test, tiles, "size %s: refuses tiles: %s", SIZE_TEXT(test, &setup), test->refusal);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        fixture_advance(array, counts[i]);
        fixture_advance(tiles, counts[i]);
        struct cells is = cells_read(tiles), should = cells_read(array);
        cells_compare(&is, &should, 0, "%s in tiles of %llu after %llu steps, compared with an array",
                      SIZE_TEXT(test, &setup), (unsigned long long) side,
                      (unsigned long long) engine_run_step(tiles->run));
        cells_free(&is), cells_free(&should);
        compare_metrics(test, tiles, array);
    }
    fixture_close(tiles);
    fixture_close(array);
}
