/* census: gliders are removed only if nothing can meet them. Gliders meet another one or a block of another tile, and what
 * they leave is compared with a plain loop. Patterns that grow have the names that apgsearch gives them. */
#include <census/haul.h>
#include <census/soup.h>
#include <census/worker.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const struct plane_kernel plane_kernel_plain;

enum { SIDE = 160, BORDER = 24, HEIGHT = 104, LEFT = 8, STEPS = 400, MARGIN = 4 };

typedef uint8_t grid[SIDE][SIDE];

static void step(grid cells, grid next)
{
    memset(next, 0, sizeof(grid));
    for (int y = 1; y < SIDE - 1; y++)
        for (int x = 1; x < SIDE - 1; x++) {
            int around = 0;
            for (int k = 0; k < 9; k++)
                around += k == 4 ? 0 : cells[y + k / 3 - 1][x + k % 3 - 1];
            next[y][x] = around == 3 || (around == 2 && cells[y][x]);
        }
}

/* A glider that moves to larger x and y, and its reflection far below, which begins `right` cells further. */
static void put_gliders(uint64_t rows[], int right)
{
    static const uint64_t glider[3] = {2, 4, 7};
    memset(rows, 0, HEIGHT * sizeof *rows);
    for (int y = 0; y < 3; y++) {
        rows[y] |= glider[y] << LEFT;
        rows[HEIGHT - 1 - y] |= glider[y] << (LEFT + right);
    }
}

/* The population in the end. Returns false if cells still move, or have come near the edge. */
static bool end_of(const uint64_t rows[], uint64_t *population)
{
    static grid cells, next, before;
    memset(cells, 0, sizeof cells);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < 64; x++)
            cells[y + BORDER][x + BORDER] = rows[y] >> x & 1;
    for (int k = 0; k < STEPS; k += 2) {
        step(cells, next);
        step(next, cells);
    }
    memcpy(before, cells, sizeof cells);
    step(cells, next);
    step(next, cells);
    *population = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            *population += cells[y][x];
            if (cells[y][x] && (x < MARGIN || y < MARGIN || x >= SIDE - MARGIN || y >= SIDE - MARGIN))
                return false;
        }
    return memcmp(before, cells, sizeof cells) == 0;
}

/* The cells of all objects that have been counted: still lifes and blinkers. */
static uint64_t cells_of(const struct names *names)
{
    uint64_t cells = 0;
    for (uint32_t i = 1; i < names->count; i++) {
        const struct name *name = &names->at[i];
        if (name->count == 0)
            continue;
        if (strcmp(name->code, "xp2_7") == 0)
            cells += 3 * name->count;
        else if (strncmp(name->code, "xs", 2) == 0)
            cells += strtoull(name->code + 2, NULL, 10) * name->count;
        else
            fail_msg("there is a %s", name->code);
    }
    return cells;
}

/* Compares a soup with the plain loop, if the loop finds its end. */
static int compare(const uint64_t rows[])
{
    struct worker worker;
    uint64_t population;
    if (!end_of(rows, &population))
        return 0;
    assert_int_equal(soups_open(&worker, &plane_kernel_plain, 1 << 3, 1 << 2 | 1 << 3, 30000), 0);
    assert_int_equal(soups_take(&worker, 0, rows, HEIGHT), 0);
    assert_int_equal(cells_of(&worker.names), population);
    soups_close(&worker);
    return 1;
}

static void gliders_meet(void **state)
{
    int compared = 0;
    (void) state;
    for (int right = -4; right <= 4; right++) {
        uint64_t rows[HEIGHT];
        put_gliders(rows, right);
        compared += compare(rows);
    }
    assert_true(compared >= 4);
}

/* After 60 steps, the glider is in the corner of a tile, and the block in the next one. */
static void gliders_meet_blocks(void **state)
{
    int compared = 0;
    (void) state;
    for (int right = 0; right <= 4; right++)
        for (int down = 0; down <= 4; down++) {
            uint64_t rows[HEIGHT] = {2 << 4, 4 << 4, 7 << 4};
            rows[17 + down] = rows[18 + down] = UINT64_C(3) << (22 + right);
            compared += compare(rows);
        }
    assert_true(compared >= 4);
}

/* Runs a pattern for at most `limit` steps, and expects an object of a name. */
static void expect_name(const uint64_t rows[], uint32_t count, uint64_t limit, const char *code)
{
    struct worker worker;
    assert_int_equal(soups_open(&worker, &plane_kernel_plain, 1 << 3, 1 << 2 | 1 << 3, limit), 0);
    assert_int_equal(soups_take(&worker, 0, rows, count), 0);
    const uint32_t number = names_look(&worker.names, code);
    if (!number || worker.names.at[number].count != 1)
        fail_msg("there is no %s", code);
    soups_close(&worker);
}

static void growing_patterns_have_names(void **state)
{
    /* The ten cells of a block-laying switch engine, and Gosper's glider gun. */
    static const uint64_t engine[] = {0x40, 0xd0, 0x50, 0x10, 0x04, 0x05};
    static const uint64_t gun[] = {0x1000000, 0x1400000, 0xc00303000, 0xc00308800, 0x310403,
                                   0x1434403, 0x1010400, 0x8800,      0x3000};
    static const char engine_code[] = "yl144_1_16_afb5f3db909e60548f086e22ee3353ac";
    uint64_t rows[SOUP_SIDE];
    struct soup soup;
    (void) state;
    expect_name(engine, 6, 30000, engine_code);
    expect_name(engine, 6, 11000, HAUL_GIVEN_UP);
    expect_name(gun, 9, 30000, "yl30_1_5_74055a5f5e513fd2e62fb8d6117d3f03");
    /* A glider-producing switch engine among other objects. */
    soup_make("l_census30717", 13, 0, &soup);
    for (int y = 0; y < SOUP_SIDE; y++)
        rows[y] = soup.rows[y];
    expect_name(rows, SOUP_SIDE, 30000, "yl384_1_59_7aeb1999980c43b4945fb7fcdb023326");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gliders_meet), cmocka_unit_test(gliders_meet_blocks),
                                       cmocka_unit_test(growing_patterns_have_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
