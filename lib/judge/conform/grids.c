/* Properties of grids: a rule that does not depend on the place computes the same everywhere on the torus. */
#include "judge/conform/cells.h"
#include "judge/conform/properties.h"

#include <stdlib.h>
#include <string.h>

static uint64_t wrapped(uint64_t x, int64_t by, uint64_t n)
{
    return (uint64_t) (((int64_t) x + by) % (int64_t) n + (int64_t) n) % n;
}

static void *rotate_field(const void *array, const struct engine_shape *shape, const int64_t by[3])
{
    const uint64_t *n = shape->extent, bytes = (uint64_t) type_bytes(shape->type) * shape->components;
    uint8_t *out = malloc(n[0] * n[1] * n[2] * bytes);
    for (uint64_t z = 0; z < n[2]; z++)
        for (uint64_t y = 0; y < n[1]; y++)
            for (uint64_t x = 0; x < n[0]; x++) {
                const uint64_t from = (z * n[1] + y) * n[0] + x;
                const uint64_t to =
                    (wrapped(z, by[2], n[2]) * n[1] + wrapped(y, by[1], n[1])) * n[0] + wrapped(x, by[0], n[0]);
                memcpy(out + to * bytes, (const uint8_t *) array + from * bytes, bytes);
            }
    return out;
}

static void rotate(struct cells *cells, const int64_t by[3])
{
    for (uint32_t i = 0; i < cells->count; i++) {
        if (!cells->at[i] || cells->test->plugin->fields.at[i].kind != ENGINE_GRID)
            continue;
        void *rotated = rotate_field(cells->at[i], &cells->shape[i], by);
        free(cells->at[i]);
        cells->at[i] = rotated;
    }
}

/* Keeps a few cells around the middle and sets the others to 0. */
static void keep_middle(struct cells *cells)
{
    for (uint32_t i = 0; i < cells->count; i++) {
        const struct engine_shape *shape = &cells->shape[i];
        const uint64_t *n = shape->extent, bytes = (uint64_t) type_bytes(shape->type) * shape->components;
        if (!cells->at[i] || cells->test->plugin->fields.at[i].role != ENGINE_STATE)
            continue;
        for (uint64_t cell = 0; cell < n[0] * n[1] * n[2]; cell++) {
            const uint64_t x = cell % n[0], y = cell / n[0] % n[1], z = cell / n[0] / n[1];
            if (x < n[0] / 2 || x > n[0] / 2 + 3 || y < n[1] / 2 || y > n[1] / 2 + 3 || z < n[2] / 2 ||
                z > n[2] / 2 + 3)
                memset((uint8_t *) cells->at[i] + cell * bytes, 0, bytes);
        }
    }
}

static void compare_rotated(struct test *test, struct setup setup, bool alone, const int64_t by[3], uint64_t steps)
{
    struct fixture *fixture = fixture_open(test, test->impl, setup);
    struct cells start = cells_start(fixture, 77);
    fixture_close(fixture);
    if (alone)
        keep_middle(&start);
    struct cells should = cells_after(test, test->impl, setup, &start, 0, steps);
    rotate(&start, by), rotate(&should, by);
    struct cells is = cells_after(test, test->impl, setup, &start, 0, steps);
    char words[CONTEXT_WORDS];
    cells_compare(&is, &should, test->impl->tolerance,
                  "%s moved by %lld %lld %lld, %llu steps (if the rule depends on the position of a cell, give %s)",
                  SIZE_TEXT(test, &setup), (long long) by[0], (long long) by[1], (long long) by[2],
                  (unsigned long long) steps, context_words(test->caller, ENGINE_WORDS_OPTION, "position", words));
    cells_free(&is), cells_free(&should), cells_free(&start);
}

/* Moves a pattern along each axis from the middle to the first cell, to the last one, or not at all: to all edges and
 * corners. */
static void compare_corners(struct test *test, struct setup setup)
{
    const uint64_t *n = setup.extent;
    for (int corner = 0; corner < 27; corner++) {
        const int place[3] = {corner % 3, corner / 3 % 3, corner / 9};
        int64_t by[3];
        bool used = true;
        for (int a = 0; a < 3; a++) {
            const int64_t half = (int64_t) n[a] / 2;
            by[a] = place[a] == 0 ? 0 : place[a] == 1 ? -half - 1 : half - 2;
            used = used && (place[a] == 0 || n[a] > 1);
        }
        if (used)
            compare_rotated(test, setup, true, by, 12);
    }
}

void translations_commute(struct test *test)
{
    for (uint32_t i = 0; i < test->plugin->fields.count; i++)
        SKIP_UNLESS(test, test->plugin->fields.at[i].kind == ENGINE_GRID, "not all its fields are grids");
    SKIP_UNLESS(test, !test->position, "its rule depends on where a cell lies");
    const struct setup middle = fixture_middle(test);
    static const int64_t moves[][3] = {{1, 0, 0}, {0, 1, 0}, {-1, -1, -1}, {5, 3, 2}, {17, 31, 7}, {101, 30, 6}};
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++)
        compare_rotated(test, middle, false, moves[i], 7);
    compare_corners(test, middle);
    for (const struct setup *setup = fixture_sizes(test); setup->extent[0]; setup++) {
        struct fixture *fixture = fixture_open(test, test->impl, *setup);
        if (!fixture)
            continue;
        fixture_close(fixture);
        compare_rotated(test, *setup, false, (const int64_t[3]){1, 2, 1}, 5);
    }
}
