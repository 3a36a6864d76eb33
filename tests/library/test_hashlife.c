/* The implementation `hashlife` of life2d-bit keeps a tree of the state between calls. It follows what a program
 * writes, and when memory runs out the state is what it was. The expected values are counts by hand and the program's
 * own copy of the cells. */
#include "tests/library/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 2048, CELLS = SIDE * SIDE };

static struct engine_context *context;
static struct engine_config *config;
static struct engine_run *run;
static uint8_t *cells, *again;

/* An empty grid, and one MiB for the tree: too little for a soup of this size. */
static int open_run(void **state)
{
    (void) state;
    static const char *const settings[] = {"run.plugin=life2d-bit", "run.implementation=hashlife",
                                           "grid.size=2048 2048", "life2d-bit.memory=1", NULL};
    struct engine_error error;
    cells = calloc(CELLS, 1);
    again = calloc(CELLS, 1);
    if (!cells || !again || open_built_context((struct engine_hooks){0}, &context, &error) != 0)
        return -1;
    return start_run(context, settings, &config, &run, &error);
}

static int close_run(void **state)
{
    (void) state;
    engine_run_close(run);
    engine_config_close(config);
    engine_close(context);
    free(cells);
    free(again);
    return 0;
}

static void write_cells(void)
{
    struct engine_error error;
    assert_int_equal(engine_run_write(run, 0, NULL, cells, CELLS, &error), 0);
}

static void cells_are_as_written(void)
{
    struct engine_error error;
    assert_int_equal(engine_run_read(run, 0, NULL, again, CELLS, &error), 0);
    assert_memory_equal(cells, again, CELLS);
}

static void set_cell(int x, int y)
{
    cells[(size_t) (y & (SIDE - 1)) * SIDE + (size_t) (x & (SIDE - 1))] = 1;
}

/* A glider whose box of 3 x 3 cells begins at (x, y). It moves by (1, 1) in four steps. */
static void set_glider(int x, int y)
{
    set_cell(x + 1, y), set_cell(x + 2, y + 1), set_cell(x, y + 2), set_cell(x + 1, y + 2), set_cell(x + 2, y + 2);
}

static void advance(uint64_t steps)
{
    struct engine_error error;
    if (engine_run_advance(run, steps, NULL, NULL, &error) != 0)
        fail_msg("%s", error.text);
}

/* A glider is followed across the seams, then another that the program writes in the middle of the run. */
static void a_written_state_is_followed(void **state)
{
    (void) state;
    memset(cells, 0, CELLS);
    set_glider(SIDE - 2, SIDE - 3);
    write_cells();
    advance(4 * 1000003);
    memset(cells, 0, CELLS);
    set_glider(SIDE - 2 + 1000003, SIDE - 3 + 1000003);
    cells_are_as_written();
    set_glider(500, 1900);
    write_cells();
    advance(4 * 100);
    memset(cells, 0, CELLS);
    set_glider(SIDE - 2 + 1000103, SIDE - 3 + 1000103);
    set_glider(600, 2000);
    cells_are_as_written();
}

/* A soup fills the memory. After the error the soup is whole, and the run continues once the state is a simple one. */
static void without_memory_the_state_is_whole(void **state)
{
    (void) state;
    struct engine_error error;
    uint64_t taken = 9;
    int lost = 9;
    uint32_t random = 1;
    for (size_t i = 0; i < CELLS; i++)
        cells[i] = (random = random * 1664525 + 1013904223) >> 31;
    write_cells();
    const uint64_t step = engine_run_step(run);
    assert_int_equal(engine_run_advance(run, 64, &taken, &lost, &error), ENGINE_STATUS_DEVICE);
    assert_non_null(strstr(error.text, "set life2d-bit.memory to more MiB"));
    assert_int_equal(taken, 0);
    assert_int_equal(lost, 0);
    assert_true(engine_run_step(run) == step);
    cells_are_as_written();
    assert_int_equal(engine_run_advance(run, 1, &taken, &lost, &error), ENGINE_STATUS_DEVICE);
    cells_are_as_written();
    memset(cells, 0, CELLS);
    set_glider(7, 9);
    write_cells();
    advance(4000);
    memset(cells, 0, CELLS);
    set_glider(1007, 1009);
    cells_are_as_written();
}

/* An empty grid has one square on each level of the tree. */
static void a_plan_shows_the_advice(void **state)
{
    (void) state;
    struct engine_error error;
    struct engine_run *planned;
    char *text;
    assert_int_equal(engine_run_plan(config, &planned, &error), 0);
    assert_int_equal(engine_run_print_plan(planned, ENGINE_JSON, &text, &error), 0);
    assert_null(strstr(text, "advice"));
    free(text);
    assert_int_equal(engine_run_advise(planned, &error), 0);
    assert_int_equal(engine_run_print_plan(planned, ENGINE_JSON, &text, &error), 0);
    assert_non_null(strstr(text, "\"advice\":{\n    \"hashlife\":\"would pay"));
    free(text);
    engine_run_close(planned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_shows_the_advice),
        cmocka_unit_test(a_written_state_is_followed),
        cmocka_unit_test(without_memory_the_state_is_whole),
    };
    return cmocka_run_group_tests(tests, open_run, close_run);
}
