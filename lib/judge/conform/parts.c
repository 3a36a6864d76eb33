/* A run in parts gives the cells and the metrics of the whole, to the last bit. */
#include "parts/parts.h"
#include "api/handles.h"
#include "judge/conform/cells.h"
#include "judge/conform/properties.h"
#include "parts/divided.h"

#include <math.h>
#include <stdio.h>

enum { COMPARISONS = 3 };

/* Steps between two comparisons: within the margins, and after several exchanges of them. */
static const uint64_t counts[COMPARISONS] = {1, 5, 17};

/* What the undivided run of a setup is at each comparison, for all its divisions. */
struct whole {
    bool is_run;
    struct cells cells[COMPARISONS];
    double metrics[COMPARISONS][METRICS_MAX];
};

static void run_whole(struct test *test, struct setup setup, struct whole *whole)
{
    if (whole->is_run)
        return;
    struct fixture *fixture = cells_run(test, test->impl, setup, 61);
    for (int i = 0; i < COMPARISONS; i++) {
        fixture_advance(fixture, counts[i]);
        whole->cells[i] = cells_read(fixture);
        fixture_measure(fixture, whole->metrics[i]);
    }
    fixture_close(fixture);
    whole->is_run = true;
}

static void free_whole(struct whole *whole)
{
    for (int i = 0; i < COMPARISONS; i++)
        cells_free(&whole->cells[i]);
    whole->is_run = false;
}

static void compare_metrics(struct test *test, struct fixture *divided, const double should[METRICS_MAX],
                            const char *what)
{
    const struct engine_metric_array *metrics = &test->plugin->metrics;
    double is[METRICS_MAX] = {0};
    fixture_measure(divided, is);
    for (uint32_t m = 0; m < metrics->count; m++)
        REQUIRE(test, is[m] == should[m] || (isnan(is[m]) && isnan(should[m])),
                "%s: %s is %.17g, and %.17g of the whole", what, metrics->at[m].name, is[m], should[m]);
}

/* Compares the copies that parts have when they share their work. */
static void compare_copies(const struct fixture *divided, const struct cells *should, const char *what)
{
    const struct run *run = divided->run->run;
    for (uint32_t p = 0; plan_has_copies(run->plan) && p < run->plan->settings.parts; p++) {
        struct run inside = {.plan = run->plan->parts[p], .state = state_parts(run->state)[p]};
        struct engine_run of_part = {.run = &inside, .prepared = true};
        struct fixture part = *divided;
        part.run = &of_part;
        struct cells is = cells_read(&part);
        cells_compare(&is, should, 0, "%s, compared with the whole, copy of part %u", what, p + 1);
        cells_free(&is);
    }
}

/* Returns false where the implementation refuses the size or the sizes of its parts. */
static bool compare_parts(struct test *test, struct setup setup, struct whole *whole, uint32_t parts,
                          const char *margin)
{
    struct setup cut = setup;
    cut.parts = parts;
    cut.set = margin;
    struct fixture *divided = cells_run(test, test->impl, cut, 61);
    if (!divided)
        return false;
    run_whole(test, setup, whole);
    for (int i = 0; i < COMPARISONS; i++) {
        fixture_advance(divided, counts[i]);
        char what[160];
        snprintf(what, sizeof what, "%s in %u parts%s%s after %llu step%s", SIZE_TEXT(test, &setup), parts,
                 margin ? ", " : "", margin ? margin : "", (unsigned long long) engine_run_step(divided->run),
                 engine_run_step(divided->run) == 1 ? "" : "s");
        struct cells is = cells_read(divided);
        cells_compare(&is, &whole->cells[i], 0, "%s, compared with the whole", what);
        compare_copies(divided, &whole->cells[i], what);
        cells_free(&is);
        compare_metrics(test, divided, whole->metrics[i], what);
    }
    fixture_close(divided);
    return true;
}

/* Is the run cut? Returns the axis and the reach along it. */
static bool is_cut(struct test *test, uint32_t *axis, uint32_t *reach)
{
    const struct engine_field *field = &test->plugin->fields.at[0];
    if (test->impl->flags & ENGINE_TEAMWORK)
        return false;
    REQUIRE(test, field->kind == ENGINE_GRID || field->kind == ENGINE_MATRIX,
            "states that it can be divided, but %s is neither a grid nor a matrix", field->name);
    *axis = field->kind == ENGINE_GRID ? field->rank - 1 : 1;
    *reach = field->kind == ENGINE_GRID ? field->reach[*axis] : 0;
    return true;
}

void parts_equal_the_whole(struct test *test)
{
    SKIP_UNLESS(test, test->impl->flags & (ENGINE_DIVISIBLE | ENGINE_TEAMWORK | ENGINE_OWN_ROWS),
                "does not state that it can be divided");
    uint32_t axis = 0, reach = 0, compared = 0;
    const bool cut = is_cut(test, &axis, &reach);
    const struct setup middle = fixture_middle(test);
    struct setup dead = middle;
    dead.also = "grid.edges=dead"; /* parts beside an edge have no margin there */
    struct whole whole = {0}, dead_whole = {0};
    char margin[64];
    snprintf(margin, sizeof margin, "run.margin=%u", reach);
    for (uint32_t parts = 2; parts <= 5 && (!cut || parts <= middle.extent[axis]); parts++) {
        compared += compare_parts(test, middle, &whole, parts, NULL);
        compared += reach > 0 && compare_parts(test, middle, &whole, parts, margin);
        if (reach > 0 && parts < 4)
            compared += compare_parts(test, dead, &dead_whole, parts, NULL) +
                        compare_parts(test, dead, &dead_whole, parts, margin);
    }
    free_whole(&whole);
    free_whole(&dead_whole);
    for (const struct setup *setup = fixture_sizes(test); setup->extent[0]; setup++) {
        const uint64_t extent = setup->extent[axis];
        for (uint32_t parts = 2; parts <= 3 && (!cut || parts <= extent); parts++)
            compared += compare_parts(test, *setup, &whole, parts, NULL);
        if (extent > 3 && extent < 10)
            compared += compare_parts(test, *setup, &whole, (uint32_t) extent, NULL);
        free_whole(&whole);
    }
    SKIP_UNLESS(test, compared, "takes no parts of its sizes: %s", test->refusal);
}
