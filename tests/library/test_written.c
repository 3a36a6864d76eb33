/* life2d-bit leaves out regions that repeat themselves (`settled`). What a program writes into such a region is
 * computed. The reference, cpu-serial, gets the same cells. TEST_IMPLEMENTATION names another implementation than
 * cpu. */
#include "tests/library/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 1000, HEIGHT = 520, CELLS = WIDTH * HEIGHT, REFERENCE = 0, SETTLED = 1, RUNS = 2 };

static struct engine_context *context;
static struct engine_config *config[RUNS];
static struct engine_run *run[RUNS];
static uint8_t *cells, *again;

static int open_one(int i, const char *implementation, struct engine_error *error)
{
    char chosen[80];
    snprintf(chosen, sizeof chosen, "run.implementation=%s", implementation);
    const char *const settings[] = {"run.plugin=life2d-bit", chosen, "grid.size=1000 520", "life2d-bit.settled=yes",
                                    NULL};
    return start_run(context, settings, &config[i], &run[i], error);
}

static int open_runs(void **state)
{
    (void) state;
    struct engine_error error;
    cells = calloc(CELLS, 1);
    again = calloc(CELLS, 1);
    if (!cells || !again || open_built_context((struct engine_hooks){0}, &context, &error) != 0)
        return -1;
    return open_one(REFERENCE, "cpu-serial", &error) != 0 || open_one(SETTLED, tested_implementation(), &error) != 0
               ? -1
               : 0;
}

static int close_runs(void **state)
{
    (void) state;
    close_all(context, config, run, RUNS);
    free(cells);
    free(again);
    return 0;
}

static void write_cells(void)
{
    struct engine_error error;
    for (int i = 0; i < RUNS; i++)
        assert_int_equal(engine_run_write(run[i], 0, NULL, cells, CELLS, &error), 0);
}

/* Leaves the cells of the reference in `cells`. */
static void advance_and_compare(uint64_t steps)
{
    struct engine_error error;
    for (int i = 0; i < RUNS; i++)
        if (engine_run_advance(run[i], steps, NULL, NULL, &error) != 0)
            fail_msg("%s", error.text);
    assert_int_equal(engine_run_read(run[REFERENCE], 0, NULL, cells, CELLS, &error), 0);
    assert_int_equal(engine_run_read(run[SETTLED], 0, NULL, again, CELLS, &error), 0);
    assert_memory_equal(cells, again, CELLS);
}

static void set_cells(int x, int y, const char *rows)
{
    int column = x;
    for (; *rows; rows++)
        if (*rows == '/')
            column = x, y++;
        else
            cells[y * WIDTH + column++] = *rows == 'o';
}

/* Blocks and blinkers all over the grid, whose tiles are left out after some calls. */
static void fill_with_ash(void)
{
    memset(cells, 0, CELLS);
    for (int y = 8; y < HEIGHT - 8; y += 16)
        for (int x = 8; x < WIDTH - 8; x += 16)
            set_cells(x, y, (x + y) % 32 == 16 ? "oo/oo" : "ooo");
}

static void a_glider_in_ash_is_computed(void **state)
{
    (void) state;
    fill_with_ash();
    write_cells();
    advance_and_compare(480);
    set_cells(481, 257, ".o./..o/ooo");
    write_cells();
    advance_and_compare(480);
}

static void a_removed_block_is_removed(void **state)
{
    (void) state;
    fill_with_ash();
    write_cells();
    advance_and_compare(720);
    set_cells(24, 8, "../..");
    set_cells(WIDTH - 24, HEIGHT - 16, "...");
    write_cells();
    advance_and_compare(12);
    advance_and_compare(240);
}

static void the_same_cells_again_change_nothing(void **state)
{
    (void) state;
    fill_with_ash();
    write_cells();
    advance_and_compare(481);
    write_cells();
    advance_and_compare(240);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_glider_in_ash_is_computed),
        cmocka_unit_test(a_removed_block_is_removed),
        cmocka_unit_test(the_same_cells_again_change_nothing),
    };
    return cmocka_run_group_tests_name("written", tests, open_runs, close_runs);
}
