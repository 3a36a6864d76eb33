/* The core alone: this program links libengine-core.a and no other part of libengine, gives its context no module, and
 * runs a plugin. */
#include "api/handles.h"
#include "base/modules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 16, STEPS = 100 };

/* A glider, with its upper left corner at cell (left, top) of a torus. */
static void draw_glider(uint8_t cells[SIDE][SIDE], unsigned left, unsigned top)
{
    static const char *const rows[] = {".o.", "..o", "ooo"};
    memset(cells, 0, SIDE * SIDE);
    for (unsigned y = 0; y < 3; y++)
        for (unsigned x = 0; x < 3; x++)
            cells[(top + y) % SIDE][(left + x) % SIDE] = rows[y][x] == 'o';
}

static struct engine_config *configure(struct engine_context *context, const char *const *assignments)
{
    struct engine_config *config;
    struct engine_error error;
    assert_int_equal(engine_config_open(context, NULL, &config, &error), 0);
    for (; *assignments; assignments++)
        assert_int_equal(engine_config_set(config, *assignments, &error), 0);
    return config;
}

static struct engine_context *open_context(void)
{
    static const struct modules none;
    struct engine_context *context;
    struct engine_error error;
    char folder[4096];
    const char *const build = getenv("BUILD"), *const folders[] = {folder};
    snprintf(folder, sizeof folder, "%s/plugins", build ? build : "build");
    const struct engine_hooks hooks = {.size = sizeof hooks, .plugin_folder_count = 1, .plugin_folders = folders};
    assert_int_equal(api_open(&hooks, &none, &context, &error), 0);
    return context;
}

/* A glider moves by one cell along both axes in four steps, so by 25 in 100. */
static void a_glider_takes_a_hundred_steps(void **state)
{
    static const char *const assignments[] = {"run.plugin=life2d-bit", "run.implementation=cpu", "grid.size=16 16",
                                              NULL};
    struct engine_context *context = open_context();
    struct engine_config *config = configure(context, assignments);
    struct engine_run *run;
    struct engine_error error = {0};
    uint8_t start[SIDE][SIDE], end[SIDE][SIDE], expected[SIDE][SIDE];
    uint64_t taken = 0;
    (void) state;
    draw_glider(start, 2, 3);
    draw_glider(expected, 2 + 25, 3 + 25);
    assert_int_equal(engine_run_plan(config, &run, &error), 0);
    assert_int_equal(engine_run_start(run, &error), 0);
    assert_int_equal(engine_run_write(run, 0, NULL, start, sizeof start, &error), 0);
    assert_int_equal(engine_run_advance(run, STEPS, &taken, NULL, &error), 0);
    assert_int_equal(engine_run_read(run, 0, NULL, end, sizeof end, &error), 0);
    assert_int_equal(taken, STEPS);
    assert_int_equal(engine_run_step(run), STEPS);
    assert_memory_equal(end, expected, sizeof end);
    engine_run_close(run);
    engine_config_close(config);
    engine_close(context);
}

/* What only a module can do is refused. */
static void files_are_refused(void **state)
{
    static const char *const assignments[] = {"run.plugin=life2d-bit", "grid.size=16 16", "init.file=glider.rle", NULL};
    struct engine_context *context = open_context();
    struct engine_config *config = configure(context, assignments);
    struct engine_run *run;
    struct engine_error error = {0};
    (void) state;
    assert_int_equal(engine_run_plan(config, &run, &error), ENGINE_STATUS_USAGE);
    assert_string_equal(error.text, "[init] source: this program reads no files");
    engine_config_close(config);
    engine_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_glider_takes_a_hundred_steps),
        cmocka_unit_test(files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
