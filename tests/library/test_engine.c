/* libengine through engine/engine.h alone, as a program that embeds the engine uses it. The expected values are counts
 * by hand, the same run through other calls, and other implementations. */
#include "tests/library/runs.h"

#include <dirent.h>
#include <fenv.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct engine_context *context;
static char folder[] = "/tmp/test_engine-XXXXXX";

/* What the hooks have seen. */
static struct {
    uint32_t messages, reports, stop_after;
    bool reading; /* stop as long as no temporary file is in the folder */
    char last[256];
    uint64_t step;
} seen;

static void take_message(void *user, int level, const char *source, const char *text)
{
    assert_ptr_equal(user, &seen);
    assert_in_range(level, ENGINE_LOG_DEBUG, ENGINE_LOG_ERROR);
    seen.messages++;
    snprintf(seen.last, sizeof seen.last, "%s: %s", source, text);
}

static void take_progress(void *user, const struct engine_progress *progress)
{
    assert_ptr_equal(user, &seen);
    seen.reports++;
    seen.step = progress->step;
}

static bool has_temporary(void)
{
    DIR *files = opendir(folder);
    bool found = false;
    for (const struct dirent *file; (file = readdir(files));)
        found = found || strncmp(file->d_name, ".tmp.", 5) == 0;
    closedir(files);
    return found;
}

/* Stops at the stop_after-th question; never where that is 0. */
static int ask_to_stop(void *user)
{
    (void) user;
    if (seen.reading)
        return has_temporary() ? 0 : 42;
    return seen.stop_after != 0 && --seen.stop_after == 0 ? 42 : 0;
}

static int open_context(void **state)
{
    (void) state;
    const struct engine_hooks hooks = {
        .user = &seen, .message = take_message, .progress = take_progress, .stop = ask_to_stop};
    struct engine_error error;
    if (!mkdtemp(folder) || open_built_context(hooks, &context, &error) != 0)
        return -1;
    return 0;
}

static int close_context(void **state)
{
    (void) state;
    char command[128];
    engine_close(context);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static int forget(void **state)
{
    (void) state;
    memset(&seen, 0, sizeof seen);
    return 0;
}

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* ---- Helpers ---------------------------------------------------------------------------------------------------- */

/* A configuration of assignments with ';' between them. */
static struct engine_config *configured(const char *assignments)
{
    struct engine_config *config;
    struct engine_error error;
    char text[1024], *rest = NULL;
    snprintf(text, sizeof text, "%s", assignments);
    assert_int_equal(engine_config_open(context, NULL, &config, &error), 0);
    for (char *word = strtok_r(text, ";", &rest); word; word = strtok_r(NULL, ";", &rest))
        if (engine_config_set(config, word, &error) != 0)
            fail_msg("%s", error.text);
    return config;
}

static struct engine_run *started(const struct engine_config *config)
{
    struct engine_run *run;
    struct engine_error error;
    if (engine_run_plan(config, &run, &error) != 0 || engine_run_start(run, &error) != 0)
        fail_msg("%s", error.text);
    return run;
}

static void advance(struct engine_run *run, uint64_t steps)
{
    struct engine_error error;
    uint64_t taken;
    int lost = -1;
    if (engine_run_advance(run, steps, &taken, &lost, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(taken, steps);
    assert_int_equal(lost, 0);
}

static const char *hash_of(const struct engine_run *run)
{
    static char hashes[4][ENGINE_HASH_SIZE];
    static int next;
    struct engine_error error;
    char *hash = hashes[next++ % 4];
    assert_int_equal(engine_run_hash(run, hash, &error), 0);
    assert_int_equal(strlen(hash), ENGINE_HASH_SIZE - 1);
    return hash;
}

/* life2d-bit on a grid of 67 x 31 cells, with further assignments. */
static struct engine_config *life_with(const char *assignments)
{
    char text[512];
    snprintf(text, sizeof text, "run.plugin=life2d-bit;run.implementation=%s;run.threads=1;grid.size=67 31;%s",
             tested_implementation(), assignments);
    return configured(text);
}

static struct engine_config *empty_life(void)
{
    return life_with("");
}

static struct engine_config *soup(void)
{
    return life_with("init.source=random;init.seed=5");
}

/* ---- Errors ----------------------------------------------------------------------------------------------------- */

static void an_error_is_a_status_and_a_sentence(void **state)
{
    (void) state;
    struct engine_config *config = configured("run.plugin=life2d-bt");
    struct engine_run *run = (void *) &seen;
    struct engine_error error;
    assert_int_equal(engine_run_plan(config, &run, &error), ENGINE_STATUS_PLUGIN);
    assert_int_equal(error.status, ENGINE_STATUS_PLUGIN);
    assert_non_null(strstr(error.text, "did you mean 'life2d-bit'?"));
    assert_null(run);
    engine_config_close(config);
    assert_int_equal(engine_config_open(context, "/no/such.ini", &config, &error), ENGINE_STATUS_USAGE);
    assert_null(config);
}

static void a_folder_that_does_not_exist_is_refused(void **state)
{
    (void) state;
    const char *const folders[] = {"/no/such/folder"};
    const struct engine_hooks hooks = {.size = sizeof hooks, .plugin_folder_count = 1, .plugin_folders = folders};
    struct engine_context *other = (void *) &seen;
    struct engine_error error;
    assert_int_equal(engine_open(&hooks, &other, &error), ENGINE_STATUS_USAGE);
    assert_null(other);
    const struct engine_hooks path = {.size = sizeof path, .plugin_path = "/no/such/folder"};
    assert_int_equal(engine_open(&path, &other, &error), 0);
    engine_close(other);
}

/* A program that was compiled with a shorter structure does not give what came later. */
static void members_beyond_the_callers_size_are_not_read(void **state)
{
    (void) state;
    const char *const folders[] = {"/no/such/folder"};
    struct engine_hooks hooks = {.plugin_folder_count = 1, .plugin_folders = folders};
    struct engine_context *other;
    struct engine_error error;
    hooks.size = sizeof hooks.size;
    assert_int_equal(engine_open(&hooks, &other, &error), 0);
    engine_close(other);
}

static void what_has_not_started_has_no_state(void **state)
{
    (void) state;
    struct engine_config *config = empty_life();
    struct engine_run *run;
    struct engine_error error;
    struct engine_view view = {.size = sizeof view};
    char hash[ENGINE_HASH_SIZE];
    double population;
    assert_int_equal(engine_run_plan(config, &run, &error), 0);
    assert_int_equal(engine_run_hash(run, hash, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_advance(run, 1, NULL, NULL, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_view(run, 0, &view, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_measure(run, &population, 1, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_save(run, path_of("x.snapshot"), &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_start(run, &error), 0);
    assert_int_equal(engine_run_start(run, &error), ENGINE_STATUS_USAGE);
    engine_run_close(run);
    engine_config_close(config);
}

/* ---- The caller's numbers, and the plugin that runs -------------------------------------------------------------- */

static struct engine_context *unruly;
static char running[64];

static void note_running(void *user, int level, const char *source, const char *text)
{
    const char *function, *plugin = engine_running(unruly, &function);
    (void) user, (void) level, (void) source, (void) text;
    snprintf(running, sizeof running, "%s %s, rounding %d", plugin ? plugin : "none", plugin ? function : "",
             fegetround() == FE_TONEAREST);
}

/* The plugin sends a message from each call of advance. */
static void the_plugin_that_runs_is_known_and_the_callers_rounding_is_kept(void **state)
{
    (void) state;
    char plugins[4096];
    const char *const build = getenv("BUILD"), *const folders[] = {plugins}, *function;
    const struct engine_hooks hooks = {
        .size = sizeof hooks, .plugin_folder_count = 1, .plugin_folders = folders, .message = note_running};
    const struct engine_param real = {.name = "real", .type = ENGINE_PARAM_REAL, .initial = "1", .min = 0, .max = 1};
    struct engine_config *config;
    struct engine_run *run;
    struct engine_value value;
    struct engine_error error;
    snprintf(plugins, sizeof plugins, "%s/tests/bad", build ? build : "build");
    assert_int_equal(fesetround(FE_UPWARD), 0);
    const locale_t locale = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t) 0), before = uselocale(locale);
    assert_int_equal(engine_open(&hooks, &unruly, &error), 0);
    assert_int_equal(engine_config_open(unruly, NULL, &config, &error), 0);
    assert_int_equal(engine_config_set(config, "run.plugin=unruly", &error), 0);
    assert_int_equal(engine_config_set(config, "grid.size=8 8", &error), 0);
    assert_int_equal(engine_run_plan(config, &run, &error), 0);
    assert_int_equal(engine_run_start(run, &error), 0);
    assert_null(engine_running(unruly, &function));
    assert_int_equal(engine_run_advance(run, 1, NULL, NULL, &error), 0);
    assert_string_equal(running, "unruly advance, rounding 1");
    assert_null(engine_running(unruly, &function));
    assert_int_equal(engine_parse(&real, "0.1", &value, &error), 0); /* 0.1 and 0.3 are rounded in different ways */
    assert_true(value.real == 0x1.999999999999ap-4);
    assert_int_equal(engine_parse(&real, "0.3", &value, &error), 0);
    assert_true(value.real == 0x1.3333333333333p-2);
    engine_run_close(run);
    engine_config_close(config);
    engine_close(unruly);
    assert_int_equal(fegetround(), FE_UPWARD);
    assert_ptr_equal(uselocale(before), locale);
    fesetround(FE_TONEAREST);
    if (locale)
        freelocale(locale);
}

/* ---- Plugins and configurations --------------------------------------------------------------------------------- */

static void plugins_are_listed_and_described(void **state)
{
    (void) state;
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct engine_error error;
    const char *name;
    char *json;
    uint32_t count = 0;
    for (; (name = engine_plugin_name(context, count)); count++)
        assert_int_equal(engine_plugin_find(context, name, &plugin, &error), 0);
    assert_int_equal(count, 17);
    assert_int_equal(engine_plugin_find(context, "nbody", &plugin, &error), 0);
    assert_string_equal(plugin.about->name, "nbody");
    assert_non_null(strstr(plugin.path, "/nbody.so"));
    assert_true(plugin.reference->flags & ENGINE_REFERENCE);
    assert_null(engine_impl_missing(context, plugin.reference, &error));
    assert_int_equal(engine_plugin_json(context, "nbody", &json, &error), 0);
    assert_non_null(strstr(json, "\"name\":\"nbody\""));
    free(json);
}

/* `auto` takes the highest rank, and each plugin has a reference that always runs. */
static void auto_never_chooses_the_kernel_of_a_text(void **state)
{
    (void) state;
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct engine_error error;
    const char *name;
    uint32_t found = 0;
    for (uint32_t i = 0; (name = engine_plugin_name(context, i)); i++) {
        assert_int_equal(engine_plugin_find(context, name, &plugin, &error), 0);
        for (uint32_t k = 0; k < plugin.about->impls.count; k++)
            if (strcmp(plugin.about->impls.at[k].name, "cuda-text") == 0) {
                assert_true(plugin.about->impls.at[k].rank < plugin.reference->rank);
                found++;
            }
    }
    assert_int_equal(found, 4);
}

static void a_key_is_set_and_read(void **state)
{
    (void) state;
    struct engine_config *config = configured("run.steps=7");
    struct engine_error error;
    assert_string_equal(engine_config_get(config, "run", "steps"), "7");
    assert_null(engine_config_get(config, "run", "output"));
    assert_int_equal(engine_config_set(config, "run.steps", &error), ENGINE_STATUS_USAGE);
    engine_config_close(config);
    const struct engine_section *section;
    uint32_t count = 0, keys = 0;
    for (; (section = engine_section_at(count)); count++)
        keys += section->keys.count;
    assert_true(count >= 9 && keys >= 40);
}

static void a_value_is_put_as_it_is(void **state)
{
    (void) state;
    struct engine_config *config = configured("run.steps=7");
    struct engine_error error;
    assert_int_equal(engine_config_put(config, "Init", "FILE", " a.b=c;d#e\t", &error), 0);
    assert_string_equal(engine_config_get(config, "init", "file"), "a.b=c;d#e");
    assert_int_equal(engine_config_put(config, "run", "steps=8", "9", &error), ENGINE_STATUS_USAGE);
    assert_non_null(strstr(error.text, "key 'steps=8': expected 1 to 64 letters"));
    assert_int_equal(engine_config_put(config, "run.steps", "a", "9", &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_config_put(config, "run", "steps", "8\n9", &error), ENGINE_STATUS_USAGE);
    assert_string_equal(error.text, "run.steps: the value holds a control character");
    assert_string_equal(engine_config_get(config, "run", "steps"), "7");
    engine_config_close(config);
}

static void a_plan_is_printed(void **state)
{
    (void) state;
    struct engine_config *config = empty_life();
    struct engine_run *run;
    struct engine_error error;
    char *text;
    assert_int_equal(engine_run_plan(config, &run, &error), 0);
    assert_int_equal(engine_run_print_plan(run, ENGINE_TEXT, &text, &error), 0);
    assert_non_null(strstr(text, "cells: 67 x 31 uint8"));
    free(text);
    assert_int_equal(engine_run_print_plan(run, ENGINE_JSON, &text, &error), 0);
    char expected[64];
    snprintf(expected, sizeof expected, "\"implementation\":\"%s\"", tested_implementation());
    assert_non_null(strstr(text, expected));
    free(text);
    assert_int_equal(engine_run_check_room(run, &error), 0);
    engine_run_close(run);
    engine_config_close(config);
}

/* ---- State ------------------------------------------------------------------------------------------------------ */

/* Boxes at the seams and in the middle, of words and of parts of words, hold what the whole array holds there. */
static void a_box_is_a_part_of_the_whole(void **state)
{
    (void) state;
    enum { WIDTH = 67, HEIGHT = 31 };
    static const struct engine_box boxes[] = {{{0, 0, 0}, {67, 31, 1}},   {{0, 0, 0}, {1, 1, 1}},
                                              {{66, 30, 0}, {67, 31, 1}}, {{3, 5, 0}, {64, 6, 1}},
                                              {{63, 0, 0}, {66, 31, 1}},  {{0, 7, 0}, {67, 20, 1}}};
    static uint8_t whole[HEIGHT][WIDTH], part[HEIGHT * WIDTH];
    struct engine_config *config = soup();
    struct engine_run *run = started(config);
    struct engine_error error;
    assert_int_equal(engine_run_read(run, 0, NULL, whole, sizeof whole, &error), 0);
    for (size_t i = 0; i < sizeof boxes / sizeof boxes[0]; i++) {
        const uint64_t *begin = boxes[i].begin, *end = boxes[i].end, width = end[0] - begin[0];
        const uint64_t bytes = width * (end[1] - begin[1]);
        assert_int_equal(engine_run_read(run, 0, &boxes[i], part, bytes, &error), 0);
        for (uint64_t y = begin[1]; y < end[1]; y++)
            assert_memory_equal(part + (y - begin[1]) * width, &whole[y][begin[0]], width);
        for (uint64_t k = 0; k < bytes; k++)
            part[k] ^= 1;
        assert_int_equal(engine_run_write(run, 0, &boxes[i], part, bytes, &error), 0);
        for (uint64_t y = begin[1]; y < end[1]; y++)
            for (uint64_t x = begin[0]; x < end[0]; x++)
                whole[y][x] ^= 1;
        static uint8_t now[HEIGHT][WIDTH];
        assert_int_equal(engine_run_read(run, 0, NULL, now, sizeof now, &error), 0);
        assert_memory_equal(now, whole, sizeof now);
    }
    engine_run_close(run);
    engine_config_close(config);
}

static void a_box_of_a_volume_with_components(void **state)
{
    (void) state;
    struct engine_config *config =
        configured("run.plugin=life3d-naive;run.implementation=cpu;run.threads=1;grid.size=9 7 5;"
                   "init.source=random;init.seed=3");
    struct engine_run *run = started(config);
    static uint8_t whole[5][7][9], part[2][3][4];
    const struct engine_box box = {{2, 1, 3}, {6, 4, 5}};
    struct engine_error error;
    assert_int_equal(engine_run_read(run, 0, NULL, whole, sizeof whole, &error), 0);
    assert_int_equal(engine_run_read(run, 0, &box, part, sizeof part, &error), 0);
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            assert_memory_equal(part[z][y], &whole[3 + z][1 + y][2], 4);
    engine_run_close(run);
    engine_config_close(config);
    config =
        configured("run.plugin=nbody;run.implementation=cpu;run.threads=1;particles.count=100;init.source=plummer");
    run = started(config);
    static float all[100][3], some[4][3];
    const struct engine_box four = {{30, 0, 0}, {34, 1, 1}};
    uint32_t position;
    assert_int_equal(engine_run_field(run, "position", &position, &error), 0);
    assert_int_equal(engine_run_read(run, position, NULL, all, sizeof all, &error), 0);
    assert_int_equal(engine_run_read(run, position, &four, some, sizeof some, &error), 0);
    assert_memory_equal(some, all[30], sizeof some);
    assert_int_equal(engine_run_field(run, "positon", &position, &error), ENGINE_STATUS_USAGE);
    assert_non_null(strstr(error.text, "did you mean 'position'?"));
    engine_run_close(run);
    engine_config_close(config);
}

static void a_field_has_a_shape(void **state)
{
    (void) state;
    struct engine_config *config = empty_life();
    struct engine_run *run = started(config);
    struct engine_shape shape = {.size = sizeof shape};
    engine_run_shape(run, 0, &shape);
    assert_int_equal(shape.size, sizeof shape);
    assert_int_equal(shape.type, ENGINE_U8);
    assert_int_equal(shape.components, 1);
    assert_true(shape.rank == 2 && shape.extent[0] == 67 && shape.extent[1] == 31 && shape.extent[2] == 1);
    struct engine_shape shorter = {.size = offsetof(struct engine_shape, extent)};
    engine_run_shape(run, 0, &shorter);
    assert_true(shorter.rank == 2 && shorter.extent[0] == 0); /* what a shorter structure lacks is not written */
    engine_run_close(run);
    engine_config_close(config);
}

static void a_box_or_an_array_of_the_wrong_size_is_refused(void **state)
{
    (void) state;
    static const struct engine_box boxes[] = {
        {{0, 0, 0}, {68, 31, 1}}, {{0, 0, 0}, {0, 31, 1}}, {{5, 0, 0}, {4, 31, 1}}, {{0, 0, 1}, {67, 31, 2}}};
    struct engine_config *config = empty_life();
    struct engine_run *run = started(config);
    static uint8_t cells[68 * 31];
    struct engine_error error;
    for (size_t i = 0; i < sizeof boxes / sizeof boxes[0]; i++)
        assert_int_equal(engine_run_read(run, 0, &boxes[i], cells, sizeof cells, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_read(run, 0, NULL, cells, 67 * 31 - 1, &error), ENGINE_STATUS_USAGE);
    assert_non_null(strstr(error.text, "has 2076 bytes, expected 2077"));
    assert_int_equal(engine_run_read(run, 1, NULL, cells, sizeof cells, &error), ENGINE_STATUS_USAGE);
    engine_run_close(run);
    engine_config_close(config);
}

/* Cells of Life are 0 or 1. A box with another value is refused as a whole. */
static void a_value_that_the_field_does_not_take_is_refused(void **state)
{
    (void) state;
    static const struct engine_box box = {{60, 3, 0}, {65, 4, 1}};
    static const uint8_t wrong[] = {1, 1, 1, 2, 0}, right[] = {1, 1, 1, 1, 0};
    struct engine_config *config = empty_life();
    struct engine_run *run = started(config);
    struct engine_error error;
    uint8_t cells[5] = {9, 9, 9, 9, 9};
    assert_int_equal(engine_run_write(run, 0, &box, right, sizeof right, &error), 0);
    assert_int_equal(engine_run_write(run, 0, &box, wrong, sizeof wrong, &error), ENGINE_STATUS_USAGE);
    assert_string_equal(error.text, "field cells: element 3 of the array is not one of its values, 0 to 1");
    assert_int_equal(engine_run_read(run, 0, &box, cells, sizeof cells, &error), 0);
    assert_memory_equal(cells, right, sizeof cells);
    engine_run_close(run);
    engine_config_close(config);
}

/* A block lives for ever and has 4 cells; its neighbours see it across the seam. */
static void metrics_are_measured(void **state)
{
    (void) state;
    static const uint8_t block[] = {1, 1}, row[] = {1};
    static const struct engine_box boxes[] = {
        {{65, 30, 0}, {67, 31, 1}}, {{65, 0, 0}, {67, 1, 1}}, {{10, 10, 0}, {11, 11, 1}}};
    struct engine_config *config = empty_life();
    struct engine_run *run = started(config);
    struct engine_error error;
    double population = -1;
    assert_int_equal(engine_run_write(run, 0, &boxes[0], block, 2, &error), 0);
    assert_int_equal(engine_run_write(run, 0, &boxes[1], block, 2, &error), 0);
    assert_int_equal(engine_run_write(run, 0, &boxes[2], row, 1, &error), 0);
    assert_int_equal(engine_run_measure(run, &population, 1, &error), 0);
    assert_true(population == 5);
    advance(run, 100); /* the single cell dies */
    assert_int_equal(engine_run_measure(run, &population, 1, &error), 0);
    assert_true(population == 4);
    assert_int_equal(engine_run_measure(run, &population, 0, &error), ENGINE_STATUS_USAGE);
    engine_run_close(run);
    engine_config_close(config);
}

/* The elements of a view lie where its strides say. */
static void a_view_shows_the_field_where_it_lies(void **state)
{
    (void) state;
    struct engine_config *config = configured("run.plugin=life3d-naive;run.implementation=cpu-serial;grid.size=9 7 5;"
                                              "init.source=random;init.seed=3");
    struct engine_run *run = started(config);
    struct engine_view view = {.size = sizeof view};
    static uint8_t whole[5][7][9];
    struct engine_error error;
    for (int step = 0; step < 2; step++) {
        assert_int_equal(engine_run_read(run, 0, NULL, whole, sizeof whole, &error), 0);
        assert_int_equal(engine_run_view(run, 0, &view, &error), 0);
        assert_int_equal(view.memory, ENGINE_HOST_MEMORY);
        assert_null(view.stream);
        assert_int_equal(view.buffer.layout->cell_bits, 0);
        for (int64_t z = 0; z < 5; z++)
            for (int64_t y = 0; y < 7; y++)
                assert_memory_equal((const char *) view.origin + y * view.buffer.row_stride +
                                        z * view.buffer.plane_stride,
                                    whole[z][y], 9);
        advance(run, 1);
    }
    memset(view.origin, 0, 1); /* either buffer: a cell of the state, once the run knows */
    engine_run_changed(run);
    engine_run_close(run);
    engine_config_close(config);
}

/* A box and a write may cross the parts of a divided run; no single buffer has its cells. */
static void a_divided_run_is_read_and_written_as_a_whole(void **state)
{
    (void) state;
    enum { W = 67, H = 31 };
    static const struct engine_box box = {{60, 8, 0},
                                          {67, 23, 1}}; /* of all three parts, which begin at 0, 11 and 21 */
    static uint8_t block[15][7], cells[2][H][W];
    struct engine_view view = {.size = sizeof view};
    struct engine_error error;
    char hashes[2][ENGINE_HASH_SIZE];
    for (int divided = 0; divided < 2; divided++) {
        struct engine_config *config =
            configured(divided ? "run.plugin=life2d-bit;run.implementation=cpu;grid.size=67 31;init.source=random;"
                                 "run.parts=3"
                               : "run.plugin=life2d-bit;run.implementation=cpu;grid.size=67 31;init.source=random");
        struct engine_run *run = started(config);
        advance(run, 9);
        assert_int_equal(engine_run_read(run, 0, &box, block, sizeof block, &error), 0);
        for (int y = 0; y < 15; y++)
            for (int x = 0; x < 7; x++)
                block[y][x] ^= 1;
        assert_int_equal(engine_run_write(run, 0, &box, block, sizeof block, &error), 0);
        advance(run, 9);
        assert_int_equal(engine_run_read(run, 0, NULL, cells[divided], sizeof cells[divided], &error), 0);
        assert_int_equal(engine_run_hash(run, hashes[divided], &error), 0);
        assert_int_equal(engine_run_view(run, 0, &view, &error), divided ? ENGINE_STATUS_USAGE : 0);
        engine_run_close(run);
        engine_config_close(config);
    }
    assert_non_null(strstr(error.text, "divided into 3 parts"));
    assert_memory_equal(cells[0], cells[1], sizeof cells[0]);
    assert_string_equal(hashes[0], hashes[1]);
}

/* A view of the field tells where it lies, and its addresses stay. */
static void a_view_stays_where_it_is(void **state)
{
    (void) state;
    struct engine_config *config = soup();
    struct engine_run *run = started(config);
    struct engine_view before = {.size = sizeof before}, after = {.size = sizeof after};
    struct engine_error error;
    const bool cuda = engine_run_impl(run)->memory == ENGINE_CUDA_MEMORY;
    assert_int_equal(engine_run_view(run, 0, &before, &error), 0);
    assert_int_equal(before.memory, engine_run_impl(run)->memory);
    assert_true((before.stream != NULL) == cuda);
    assert_true(before.buffer.bytes >= 67 * 31 / 8);
    advance(run, 5);
    assert_int_equal(engine_run_view(run, 0, &after, &error), 0);
    assert_ptr_equal(before.buffer.origin[0], after.buffer.origin[0]);
    assert_ptr_equal(before.buffer.origin[1], after.buffer.origin[1]);
    assert_true(after.origin == after.buffer.origin[0] || after.origin == after.buffer.origin[1]);
    engine_run_close(run);
    engine_config_close(config);
}

/* Work on other streams: 1 is the legacy default stream, 2 that of the thread. The host has none, so nothing is asked
 * there. */
static void the_streams_of_a_device_are_waited_for(void **state)
{
    (void) state;
    struct engine_config *config = soup();
    struct engine_run *run = started(config), *planned;
    struct engine_error error;
    for (uintptr_t stream = 0; stream < 3; stream++)
        assert_int_equal(engine_run_wait(run, (void *) stream, &error), 0);
    assert_int_equal(engine_run_plan(config, &planned, &error), 0);
    assert_int_equal(engine_run_wait(planned, NULL, &error), ENGINE_STATUS_USAGE);
    engine_run_close(planned);
    engine_run_close(run);
    engine_config_close(config);
}

/* ---- Several runs ----------------------------------------------------------------------------------------------- */

static void runs_in_turns_do_not_disturb_each_other(void **state)
{
    (void) state;
    struct engine_config *configs[] = {
        soup(),
        configured("run.plugin=life2d-lut;run.implementation=cpu;grid.size=67 31;"
                   "init.source=random;init.seed=5"),
        configured("run.plugin=nbody;run.implementation=cpu;particles.count=64;init.source=plummer")};
    struct engine_run *runs[] = {started(configs[0]), started(configs[1]), started(configs[2])};
    assert_string_equal(hash_of(runs[0]), hash_of(runs[1]));
    for (int turn = 0; turn < 10; turn++)
        for (int i = 0; i < 3; i++)
            advance(runs[i], 7);
    assert_string_equal(hash_of(runs[0]), hash_of(runs[1]));
    struct engine_run *alone = started(configs[2]);
    advance(alone, 70);
    assert_string_equal(hash_of(alone), hash_of(runs[2]));
    engine_run_close(alone);
    for (int i = 0; i < 3; i++) {
        engine_run_close(runs[i]);
        engine_config_close(configs[i]);
    }
}

static void a_snapshot_is_taken_up_by_another_implementation(void **state)
{
    (void) state;
    struct engine_config *fast = soup(), *serial = soup();
    struct engine_error error;
    assert_int_equal(engine_config_set(serial, "run.implementation=cpu-serial", &error), 0);
    struct engine_run *first = started(fast), *second = started(serial);
    advance(first, 40);
    assert_int_equal(engine_run_save(first, path_of("state.snapshot"), &error), 0);
    assert_int_equal(engine_run_restore(second, path_of("state.snapshot"), &error), 0);
    assert_int_equal(engine_run_step(second), 40);
    assert_string_equal(engine_run_impl(second)->name, "cpu-serial");
    advance(first, 33);
    advance(second, 33);
    assert_string_equal(hash_of(first), hash_of(second));
    assert_int_equal(engine_run_restore(second, path_of("none.snapshot"), &error), ENGINE_STATUS_INPUT);
    engine_run_close(first);
    engine_run_close(second);
    engine_config_close(fast);
    engine_config_close(serial);
}

/* ---- Hooks ------------------------------------------------------------------------------------------------------ */

static void a_run_stops_when_it_is_asked_to(void **state)
{
    (void) state;
    struct engine_config *config = configured("run.plugin=life3d-naive;run.implementation=cpu-serial;grid.size=9 7 5");
    struct engine_run *run = started(config);
    struct engine_error error;
    uint64_t taken;
    seen.stop_after = 4;
    assert_int_equal(engine_run_advance(run, 1000, &taken, NULL, &error), 0);
    assert_true(taken < 1000);
    assert_int_equal(engine_run_step(run), taken);
    assert_true(seen.reports > 0);
    assert_int_equal(seen.step, taken);
    advance(run, 1000 - taken);
    engine_run_close(run);
    engine_config_close(config);
}

/* ---- Whole runs ------------------------------------------------------------------------------------------------- */

static struct engine_config *soup_into(const char *name)
{
    struct engine_config *config = soup();
    struct engine_error error;
    char output[300];
    snprintf(output, sizeof output, "run.output=%s/%s", folder, name);
    assert_int_equal(engine_config_set(config, output, &error), 0);
    assert_int_equal(engine_config_set(config, "output.formats=npy png", &error), 0);
    return config;
}

static void an_execution_writes_files_and_a_summary(void **state)
{
    (void) state;
    struct engine_config *config = soup_into("whole");
    struct engine_run *run;
    struct engine_result result = {.size = sizeof result};
    struct engine_error error;
    char *text, *summary;
    assert_int_equal(engine_config_set(config, "run.steps=50", &error), 0);
    assert_int_equal(engine_run_plan(config, &run, &error), 0);
    assert_int_equal(engine_run_print_summary(run, ENGINE_TEXT, &text, &error), ENGINE_STATUS_USAGE);
    assert_int_equal(engine_run_execute(run, NULL, &result, &error), 0);
    assert_int_equal(result.stopped, 0);
    assert_int_equal(result.step, 50);
    assert_int_equal(access(path_of("whole/cells-0000000050.png"), R_OK), 0);
    sleep(1); /* the summary tells when the run ended, and not when it is printed */
    assert_int_equal(engine_run_print_summary(run, ENGINE_JSON, &summary, &error), 0);
    assert_non_null(strstr(summary, hash_of(run)));
    struct engine_config *same = soup();
    struct engine_run *by_calls = started(same);
    advance(by_calls, 50);
    assert_string_equal(hash_of(by_calls), hash_of(run));
    assert_int_equal(engine_run_write_file(by_calls, path_of("whole.npy"), &error), 0);
    engine_run_close(by_calls);
    engine_config_close(same);
    engine_run_close(run);
    engine_config_close(config);
    struct engine_run *again;
    assert_int_equal(engine_run_resume(context, path_of("whole"), NULL, 0, &again, &text, &error), 0);
    assert_null(again);
    assert_non_null(strstr(text, "\"step\":50"));
    assert_string_equal(text, summary);
    free(text);
    free(summary);
    assert_int_equal(engine_report(context, path_of("whole"), &error), 0);
    assert_int_equal(access(path_of("whole/report.html"), R_OK), 0);
}

static void a_stopped_execution_is_resumed(void **state)
{
    (void) state;
    struct engine_config *config = soup_into("stopped"), *same = soup();
    struct engine_run *run = NULL;
    struct engine_result result = {.size = sizeof result};
    struct engine_error error;
    char *text;
    assert_int_equal(engine_config_set(config, "run.steps=100000", &error), 0);
    assert_int_equal(engine_run_plan(config, &run, &error), 0);
    seen.stop_after = 3;
    assert_int_equal(engine_run_execute(run, NULL, &result, &error), 0);
    assert_int_equal(result.stopped, 42);
    assert_true(result.step < 100000);
    assert_int_equal(result.saved, result.step);
    engine_run_close(run);
    engine_config_close(config);
    assert_int_equal(engine_run_resume(context, path_of("stopped"), NULL, 0, &run, &text, &error), 0);
    assert_null(text);
    assert_non_null(strstr(seen.last, "continues from step"));
    assert_int_equal(engine_run_execute(run, NULL, &result, &error), 0);
    assert_int_equal(result.step, 100000);
    struct engine_run *whole = started(same);
    advance(whole, 100000);
    assert_string_equal(hash_of(whole), hash_of(run));
    engine_run_close(whole);
    engine_run_close(run);
    engine_config_close(same);
}

/* A glider on a torus of 20 x 21 cells: it is back after 4 * 20 * 21 steps. */
static struct engine_config *gliding(const char *name)
{
    struct engine_config *config = configured("run.plugin=life2d-bit;run.steps=100000;run.until=repeats;"
                                              "run.until_every=1;grid.size=20 21;init.source=file");
    struct engine_error error;
    char text[300];
    FILE *file = fopen(path_of("glider.rle"), "w");
    assert_non_null(file);
    fputs("x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n", file);
    assert_int_equal(fclose(file), 0);
    snprintf(text, sizeof text, "init.file=%s", path_of("glider.rle"));
    assert_int_equal(engine_config_set(config, text, &error), 0);
    snprintf(text, sizeof text, "run.output=%s/%s", folder, name);
    assert_int_equal(engine_config_set(config, text, &error), 0);
    return config;
}

/* Executes the run, and resumes it if it is stopped. Returns the step at which it ended. */
static uint64_t glide(const char *name, uint32_t stop_after, bool stops)
{
    struct engine_config *config = gliding(name);
    struct engine_run *run;
    struct engine_result result = {.size = sizeof result};
    struct engine_error error;
    char *summary;
    assert_int_equal(engine_run_plan(config, &run, &error), 0);
    assert_null(engine_run_ended(run));
    seen.stop_after = stop_after;
    assert_int_equal(engine_run_execute(run, NULL, &result, &error), 0);
    assert_int_equal(result.stopped, stops ? 42 : 0);
    if (stops) {
        assert_null(engine_run_ended(run));
        engine_run_close(run);
        assert_int_equal(engine_run_resume(context, path_of(name), NULL, 0, &run, &summary, &error), 0);
        assert_int_equal(engine_run_execute(run, NULL, &result, &error), 0);
    }
    assert_int_equal(result.stopped, 0);
    assert_string_equal(engine_run_ended(run), "repeats: period 1680, first seen at step 0");
    assert_int_equal(engine_run_print_summary(run, ENGINE_JSON, &summary, &error), 0);
    assert_non_null(strstr(summary, "\"ended\":\"repeats: period 1680, first seen at step 0\""));
    free(summary);
    engine_run_close(run);
    engine_config_close(config);
    return result.step;
}

/* The last questions are asked while the cycle is looked for, when the state was seen again. */
static void a_condition_ends_an_execution_that_is_stopped_anywhere(void **state)
{
    (void) state;
    const uint32_t many = 1u << 30;
    const uint64_t whole = glide("glide", many, false);
    const uint32_t questions = many - seen.stop_after;
    assert_true(questions > whole + 3);
    for (uint32_t back = 0; back < 6; back++) {
        char name[32];
        snprintf(name, sizeof name, "glide-%u", back);
        assert_int_equal(glide(name, back < 4 ? questions - back : questions / back, true), whole);
    }
}

static void an_execution_without_files_leaves_no_folder(void **state)
{
    (void) state;
    struct engine_config *config = soup_into("nowhere");
    const struct engine_execution execution = {.size = sizeof execution, .flags = ENGINE_RUN_NO_FILES};
    struct engine_run *run, *by_calls;
    struct engine_result result = {.size = sizeof result};
    struct engine_error error;
    char *summary;
    assert_int_equal(engine_config_set(config, "run.steps=50", &error), 0);
    assert_int_equal(engine_config_set(config, "output.every=5", &error), 0);
    assert_int_equal(engine_config_set(config, "checkpoint.every=10", &error), 0);
    assert_int_equal(engine_run_plan(config, &run, &error), 0);
    if (engine_run_execute(run, &execution, &result, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(result.step, 50);
    assert_true(result.saved == UINT64_MAX);
    assert_int_equal(access(path_of("nowhere"), F_OK), -1);
    assert_int_equal(engine_run_print_summary(run, ENGINE_JSON, &summary, &error), 0);
    assert_non_null(strstr(summary, hash_of(run)));
    free(summary);
    struct engine_config *same = soup();
    by_calls = started(same);
    advance(by_calls, 50);
    assert_string_equal(hash_of(by_calls), hash_of(run));
    engine_run_close(by_calls);
    engine_config_close(same);
    engine_run_close(run);
    engine_config_close(config);
}

/* ---- Ensembles -------------------------------------------------------------------------------------------------- */

/* Executes a member in the test's own context and records it. */
static void execute_member(struct engine_ensemble *ensemble, uint64_t member)
{
    struct engine_result result = {.size = sizeof result};
    struct engine_run *run;
    struct engine_error error;
    if (engine_ensemble_member(ensemble, member, context, &run, &error) != 0 ||
        engine_run_execute(run, NULL, &result, &error) != 0 ||
        engine_ensemble_record(ensemble, member, run, NULL, &error) != 0)
        fail_msg("%s", error.text);
    engine_run_close(run);
}

static void an_ensemble_knows_its_members(void **state)
{
    (void) state;
    struct engine_config *config = soup_into("ensemble");
    struct engine_ensemble *ensemble;
    struct engine_ensemble_info about = {.size = sizeof about};
    struct engine_error error, why = {ENGINE_STATUS_PLUGIN, "it was \"tried\", in vain"};
    char *text;
    assert_int_equal(engine_ensemble_plan(config, &ensemble, &error), 0);
    assert_null(ensemble);
    assert_int_equal(engine_config_set(config, "output.formats=", &error), 0);
    assert_int_equal(engine_config_set(config, "ensemble.sweep=init.seed=7..9 and run.steps=10,20", &error), 0);
    if (engine_ensemble_plan(config, &ensemble, &error) != 0 || engine_ensemble_open(ensemble, 0, &error) != 0)
        fail_msg("%s", error.text);
    engine_config_close(config);
    engine_ensemble_about(ensemble, &about);
    assert_int_equal(about.members, 6);
    assert_string_equal(about.folder, path_of("ensemble"));
    assert_int_equal(engine_ensemble_missing(ensemble, 0), 1);
    execute_member(ensemble, 2);
    execute_member(ensemble, 1);
    assert_int_equal(engine_ensemble_record(ensemble, 3, NULL, &why, &error), 0);
    assert_int_equal(engine_ensemble_missing(ensemble, 0), 3);
    assert_int_equal(engine_ensemble_missing(ensemble, 6), 0);
    engine_ensemble_close(ensemble); /* as after a kill */

    assert_int_equal(engine_ensemble_resume(context, path_of("ensemble"), NULL, 0, &ensemble, &error), 0);
    assert_non_null(ensemble);
    engine_ensemble_about(ensemble, &about);
    assert_int_equal(about.found, 2);
    assert_int_equal(engine_ensemble_record(ensemble, 3, NULL, &why, &error), 0);
    for (uint64_t member = 3; (member = engine_ensemble_missing(ensemble, member));)
        execute_member(ensemble, member);
    if (engine_ensemble_finish(ensemble, &error) != 0 ||
        engine_ensemble_print(ensemble, ENGINE_JSON, &text, &error) != 0)
        fail_msg("%s", error.text);
    engine_ensemble_close(ensemble);
    assert_non_null(strstr(text, "\"done\":5"));
    assert_non_null(strstr(text, "\"error\":\"it was \\\"tried\\\", in vain\""));
    for (int member = 1; member <= 6; member++) { /* each has the hash of the single run */
        char seed[48], row[64];
        snprintf(seed, sizeof seed, "init.seed=%d", 7 + (member - 1) / 2);
        snprintf(row, sizeof row, "\"member\":%d,", member);
        struct engine_config *one = soup();
        assert_int_equal(engine_config_set(one, seed, &error), 0);
        struct engine_run *single = started(one);
        advance(single, member % 2 ? 10 : 20);
        const char *found = strstr(text, row), *hash = strstr(found, hash_of(single));
        assert_true(member == 3 ? !hash : hash && hash < strchr(found, '}'));
        engine_run_close(single);
        engine_config_close(one);
    }
    free(text);
}

static void members_run_in_batches(void **state)
{
    (void) state;
    struct engine_config *config = soup_into("batches");
    struct engine_ensemble *ensemble;
    struct engine_batch *batch;
    struct engine_ensemble_info about = {.size = sizeof about};
    struct engine_error error;
    uint64_t member, taken = 0;
    int64_t ended;
    int more;
    char *text;
    assert_int_equal(engine_config_set(config, "output.formats=", &error), 0);
    assert_int_equal(engine_config_set(config, "ensemble.sweep=init.seed=7..15", &error), 0);
    assert_int_equal(engine_config_set(config, "ensemble.at_once=1", &error), 0);
    assert_int_equal(engine_config_set(config, "ensemble.batch=4", &error), 0);
    assert_int_equal(engine_config_set(config, "run.steps=10", &error), 0);
    if (engine_ensemble_plan(config, &ensemble, &error) != 0 || engine_ensemble_open(ensemble, 0, &error) != 0 ||
        engine_batch_open(ensemble, context, &batch, &error) != 0)
        fail_msg("%s", error.text);
    engine_config_close(config);
    engine_ensemble_about(ensemble, &about);
    assert_int_equal(about.together, 4);
    assert_int_equal(engine_batch_room(batch), 4);
    do {
        while (engine_batch_room(batch) > 0 && (member = engine_ensemble_take(ensemble, &more)))
            engine_batch_add(batch, member), taken++;
        engine_batch_advance(batch);
        assert_int_equal(engine_batch_member(batch), 0);
        ended = engine_batch_record(batch, &error);
        assert_true(ended >= 0);
    } while (ended > 0);
    assert_int_equal(taken, 9);
    engine_batch_close(batch);
    if (engine_ensemble_finish(ensemble, &error) != 0 ||
        engine_ensemble_print(ensemble, ENGINE_JSON, &text, &error) != 0)
        fail_msg("%s", error.text);
    engine_ensemble_close(ensemble);
    for (int number = 1; number <= 9; number++) { /* each has the hash of the single run */
        char seed[48], row[64];
        snprintf(seed, sizeof seed, "init.seed=%d", 6 + number);
        snprintf(row, sizeof row, "\"member\":%d,", number);
        struct engine_config *one = soup();
        assert_int_equal(engine_config_set(one, seed, &error), 0);
        struct engine_run *single = started(one);
        advance(single, 10);
        const char *found = strstr(text, row), *hash = strstr(found, hash_of(single));
        assert_true(hash && hash < strchr(found, '}'));
        engine_run_close(single);
        engine_config_close(one);
    }
    free(text);
}

static void a_run_tells_its_conditions(void **state)
{
    (void) state;
    struct engine_config *config = soup();
    struct engine_condition condition = {.size = sizeof condition};
    struct engine_run *run;
    struct engine_error error;
    assert_int_equal(engine_config_set(config, "run.until=population < 10 or repeats", &error), 0);
    assert_int_equal(engine_config_set(config, "run.until_every=12", &error), 0);
    assert_int_equal(engine_run_plan(config, &run, &error), 0);
    assert_int_equal(engine_run_condition(run, 0, &condition), 1);
    assert_int_equal(condition.kind, ENGINE_UNTIL_METRIC);
    assert_string_equal(condition.text, "population < 10");
    assert_int_equal(engine_run_condition(run, 1, &condition), 1);
    assert_int_equal(condition.kind, ENGINE_UNTIL_REPEATS);
    assert_int_equal(condition.every, 12);
    assert_int_equal(engine_run_condition(run, 2, &condition), 0);
    engine_run_close(run);
    engine_config_close(config);
}

/* ---- Comparing and timing --------------------------------------------------------------------------------------- */

static void implementations_are_verified(void **state)
{
    (void) state;
    struct engine_config *config = soup();
    const char *const sweeps[] = {"grid.size=1 1,65 5"};
    const struct engine_trial trial = {
        .size = sizeof trial, .impls = "cpu-serial,cpu", .steps = 7, .sweeps = sweeps, .sweep_count = 1};
    struct engine_verification *verification;
    struct engine_error error;
    char *text;
    assert_int_equal(engine_verify(config, &trial, &verification, &error), 0);
    assert_int_equal(engine_verification_status(verification, &error), 0);
    assert_int_equal(engine_verification_print(verification, ENGINE_TEXT, &text, &error), 0);
    assert_non_null(strstr(text, "bit-equal after 1, 2, 7 steps"));
    free(text);
    engine_verification_close(verification);
    engine_config_close(config);
}

static void implementations_are_timed(void **state)
{
    (void) state;
    struct engine_config *config = soup();
    const struct engine_trial trial = {.size = sizeof trial, .impls = "cpu-serial,cpu", .steps = 8, .repeats = 3};
    struct engine_bench *bench;
    struct engine_bench_row row = {.size = sizeof row};
    struct engine_error error;
    char *text;
    assert_int_equal(engine_bench(config, &trial, &bench, &error), 0);
    assert_int_equal(engine_bench_status(bench, &error), 0);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(engine_bench_row(bench, i, &row));
        assert_string_equal(row.impl, i ? "cpu" : "cpu-serial");
        assert_null(row.error);
        assert_int_equal(row.repeats, 3);
        assert_int_equal(row.steps, 8);
        assert_true(row.rate > 0 && row.seconds[0] > 0 && row.seconds[2] > 0);
        assert_string_equal(row.unit, "cell updates");
    }
    assert_false(engine_bench_row(bench, 2, &row));
    for (int form = ENGINE_TEXT; form <= ENGINE_ROOFLINE; form++) {
        assert_int_equal(engine_bench_print(bench, form, "the command", &text, &error), 0);
        assert_non_null(strstr(text, form == ENGINE_CSV ? "cpu-serial" : "the command"));
        free(text);
        assert_int_equal(engine_bench_print(bench, form, NULL, &text, &error), 0);
        assert_null(strstr(text, "command  "));
        assert_null(strstr(text, "(null)"));
        free(text);
    }
    engine_bench_close(bench);
    engine_config_close(config);
}

/* The program has no hook that starts processes, so the bench works in this one and says so. */
static void nothing_is_isolated_without_a_hook(void **state)
{
    (void) state;
    struct engine_config *config = soup();
    const struct engine_trial trial = {
        .size = sizeof trial, .impls = "cpu-serial,cpu", .steps = 8, .repeats = 1, .isolated = 1};
    struct engine_bench *bench;
    struct engine_bench_row row = {.size = sizeof row};
    struct engine_error error;
    assert_int_equal(engine_bench(config, &trial, &bench, &error), 0);
    assert_string_equal(seen.last, "engine: the implementations are not isolated: the program has no hook that starts "
                                   "processes");
    assert_true(engine_bench_row(bench, 1, &row));
    assert_true(row.rate > 0);
    assert_int_equal(row.steps, 8);
    engine_bench_close(bench);
    engine_config_close(config);
}

static uint32_t outcomes[3];

static void count_property(void *user, const struct engine_property *property)
{
    assert_ptr_equal(user, outcomes);
    assert_string_equal(property->plugin, "life2d-lut");
    outcomes[property->outcome]++;
}

static void a_plugin_is_examined(void **state)
{
    (void) state;
    const struct engine_trial trial = {.size = sizeof trial, .impls = "cpu-serial"};
    struct engine_error error;
    assert_int_equal(engine_conform(context, "life2d-lut", &trial, NULL, 0, count_property, outcomes, &error), 0);
    assert_true(outcomes[ENGINE_HOLDS] > 10);
    assert_int_equal(outcomes[ENGINE_BROKEN], 0);
}

/* The configuration gives size, initial state and parameters; a key that nobody knows is refused before anything
 * runs. */
static void a_plugin_is_examined_with_a_configuration(void **state)
{
    (void) state;
    struct engine_config *config = NULL;
    struct engine_error error;
    const char *const wrong[] = {"grid.sizes=5 5"};
    memset(outcomes, 0, sizeof outcomes);
    assert_int_equal(engine_config_open(context, NULL, &config, &error), 0);
    assert_int_equal(engine_config_set(config, "grid.size=40 24", &error), 0);
    assert_int_equal(engine_config_set(config, "init.source=random", &error), 0);
    const struct engine_trial trial = {.size = sizeof trial, .impls = "cpu-serial", .config = config};
    assert_int_equal(engine_conform(context, "life2d-lut", &trial, NULL, 0, count_property, outcomes, &error), 0);
    assert_true(outcomes[ENGINE_HOLDS] > 10);
    assert_int_equal(outcomes[ENGINE_BROKEN], 0);
    assert_int_equal(engine_conform(context, "life2d-lut", &trial, wrong, 1, count_property, outcomes, &error),
                     ENGINE_STATUS_USAGE);
    assert_non_null(strstr(error.text, "grid.sizes"));
    engine_config_close(config);
}

/* ---- Files, pictures, words ------------------------------------------------------------------------------------- */

static void files_are_converted(void **state)
{
    (void) state;
    struct engine_format format = {.size = sizeof format};
    struct engine_error error;
    char npy[256], png[256];
    uint32_t count = 0, writes = 0;
    for (; engine_format_at(count, &format); count++)
        writes += format.writes != 0;
    assert_true(count > 10 && writes > 5 && writes < count);
    snprintf(npy, sizeof npy, "%s", path_of("whole.npy"));
    snprintf(png, sizeof png, "%s", path_of("whole.png"));
    const struct engine_conversion conversion = {.size = sizeof conversion, .scale = 2};
    assert_int_equal(engine_convert(context, npy, png, &conversion, &error), 0);
    assert_int_equal(access(png, R_OK), 0);
    assert_int_equal(engine_convert(context, npy, png, NULL, &error), ENGINE_STATUS_OUTPUT);
    assert_int_equal(engine_convert(context, npy, path_of("x.unknown"), NULL, &error), ENGINE_STATUS_USAGE);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* A large file takes minutes to read, before anything is written. */
static void a_conversion_that_reads_can_be_stopped(void **state)
{
    (void) state;
    static const struct {
        const char *name, *text;
    } inputs[] = {{"read.rle", "x = 3, y = 1\n3o!\n"},
                  {"read.cells", "!\n.OOO.\n"},
                  {"read.lif", "#Life 1.06\n0 0\n1 0\n"},
                  {"read.xyz", "1\n\nA 0 0 0\n1\n\nA 1 0 0\n"},
                  {"whole.npy", NULL}}; /* cells of bytes, which are read for their values first */
    struct engine_error error;
    char in[256], out[256];
    snprintf(out, sizeof out, "%s", path_of("stopped.npy"));
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        snprintf(in, sizeof in, "%s", path_of(inputs[i].name));
        if (inputs[i].text)
            write_text(in, inputs[i].text);
        seen.reading = true;
        assert_int_equal(engine_convert(context, in, out, NULL, &error), 128 + 42);
        assert_non_null(strstr(error.text, "stopped by signal 42; "));
        assert_int_not_equal(access(out, F_OK), 0);
        seen.reading = false;
        assert_int_equal(engine_convert(context, in, out, NULL, &error), 0);
        unlink(out);
    }
}

/* A program that was compiled with an earlier engine.h has no members after `range`. */
static void members_beyond_the_size_are_not_read(void **state)
{
    (void) state;
    struct engine_conversion conversion = {.frames = "not a range", .component = 7, .force = 1};
    struct engine_error error;
    char npy[256], png[256];
    snprintf(npy, sizeof npy, "%s", path_of("whole.npy"));
    snprintf(png, sizeof png, "%s", path_of("whole.png"));
    conversion.size = offsetof(struct engine_conversion, frames);
    assert_int_equal(engine_convert(context, npy, png, &conversion, &error), 0);
    conversion.size = sizeof conversion;
    assert_int_equal(engine_convert(context, npy, png, &conversion, &error), ENGINE_STATUS_USAGE);
    struct engine_format format = {.size = offsetof(struct engine_format, endings), .frames = -1};
    assert_int_equal(engine_format_at(0, &format), 1);
    assert_string_equal(format.name, "rle");
    assert_int_equal(format.frames, -1);
}

static void a_picture_shows_each_cell(void **state)
{
    (void) state;
    struct engine_config *config = soup();
    struct engine_run *run = started(config);
    struct engine_picture picture = {.size = sizeof picture, .most_columns = 70, .most_rows = 40};
    static uint8_t cells[31][67];
    struct engine_error error;
    assert_int_equal(engine_run_picture(run, &picture, &error), 0);
    assert_int_equal(engine_run_read(run, 0, NULL, cells, sizeof cells, &error), 0);
    assert_int_equal(picture.columns, 67);
    assert_int_equal(picture.rows, 31);
    assert_true(picture.exact && picture.scale == 1);
    for (size_t i = 0; i < sizeof cells; i++)
        assert_int_equal(picture.shades[i], cells[i / 67][i % 67] ? 255 : 0);
    engine_picture_release(&picture);
    engine_run_close(run);
    engine_config_close(config);
}

static const char *colour_at(const void *list, uint32_t index)
{
    static const char *const colours[] = {"red", "green", NULL};
    (void) list;
    return colours[index];
}

static void words_are_formed(void **state)
{
    (void) state;
    static const struct engine_param count = {
        .name = "count", .type = ENGINE_PARAM_INTEGER, .initial = "1", .min = 1, .max = 9};
    struct engine_value value;
    struct engine_error error;
    char hint[128], si[32], command[64] = "engine run";
    assert_string_equal(engine_nearest(hint, "gren", colour_at, NULL), ", did you mean 'green'?");
    assert_string_equal(engine_nearest(hint, "blue", colour_at, NULL), "");
    assert_string_equal(engine_si(1234567, si), "1.23 M");
    engine_quote(command, sizeof command, "a file.ini");
    engine_quote(command, sizeof command, "b's");
    engine_quote(command, sizeof command, "");
    engine_quote(command, sizeof command, "c.ini");
    assert_string_equal(command, "engine run 'a file.ini' 'b'\\''s' '' c.ini");
    assert_int_equal(engine_parse(&count, "7", &value, &error), 0);
    assert_int_equal(value.integer, 7);
    assert_int_equal(engine_parse(&count, "10", &value, &error), ENGINE_STATUS_USAGE);
    assert_string_equal(engine_type_name(ENGINE_F32), "float32");
    assert_int_equal(strncmp(engine_version(), ENGINE_VERSION, strlen(ENGINE_VERSION)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_plugin_is_examined, forget), /* first: it forks, and later tests start threads */
        cmocka_unit_test_setup(a_plugin_is_examined_with_a_configuration, forget), /* this one forks, too */
        cmocka_unit_test_setup(an_error_is_a_status_and_a_sentence, forget),
        cmocka_unit_test_setup(a_folder_that_does_not_exist_is_refused, forget),
        cmocka_unit_test_setup(members_beyond_the_callers_size_are_not_read, forget),
        cmocka_unit_test_setup(what_has_not_started_has_no_state, forget),
        cmocka_unit_test_setup(the_plugin_that_runs_is_known_and_the_callers_rounding_is_kept, forget),
        cmocka_unit_test_setup(plugins_are_listed_and_described, forget),
        cmocka_unit_test_setup(auto_never_chooses_the_kernel_of_a_text, forget),
        cmocka_unit_test_setup(a_key_is_set_and_read, forget),
        cmocka_unit_test_setup(a_value_is_put_as_it_is, forget),
        cmocka_unit_test_setup(a_plan_is_printed, forget),
        cmocka_unit_test_setup(a_box_is_a_part_of_the_whole, forget),
        cmocka_unit_test_setup(a_box_of_a_volume_with_components, forget),
        cmocka_unit_test_setup(a_field_has_a_shape, forget),
        cmocka_unit_test_setup(a_box_or_an_array_of_the_wrong_size_is_refused, forget),
        cmocka_unit_test_setup(a_value_that_the_field_does_not_take_is_refused, forget),
        cmocka_unit_test_setup(metrics_are_measured, forget),
        cmocka_unit_test_setup(a_view_shows_the_field_where_it_lies, forget),
        cmocka_unit_test_setup(a_divided_run_is_read_and_written_as_a_whole, forget),
        cmocka_unit_test_setup(a_view_stays_where_it_is, forget),
        cmocka_unit_test_setup(the_streams_of_a_device_are_waited_for, forget),
        cmocka_unit_test_setup(runs_in_turns_do_not_disturb_each_other, forget),
        cmocka_unit_test_setup(a_snapshot_is_taken_up_by_another_implementation, forget),
        cmocka_unit_test_setup(a_run_stops_when_it_is_asked_to, forget),
        cmocka_unit_test_setup(an_execution_writes_files_and_a_summary, forget),
        cmocka_unit_test_setup(a_stopped_execution_is_resumed, forget),
        cmocka_unit_test_setup(an_execution_without_files_leaves_no_folder, forget),
        cmocka_unit_test_setup(an_ensemble_knows_its_members, forget),
        cmocka_unit_test_setup(members_run_in_batches, forget),
        cmocka_unit_test_setup(a_run_tells_its_conditions, forget),
        cmocka_unit_test_setup(a_condition_ends_an_execution_that_is_stopped_anywhere, forget),
        cmocka_unit_test_setup(implementations_are_verified, forget),
        cmocka_unit_test_setup(implementations_are_timed, forget),
        cmocka_unit_test_setup(nothing_is_isolated_without_a_hook, forget),
        cmocka_unit_test_setup(files_are_converted, forget),
        cmocka_unit_test_setup(a_conversion_that_reads_can_be_stopped, forget),
        cmocka_unit_test_setup(members_beyond_the_size_are_not_read, forget),
        cmocka_unit_test_setup(a_picture_shows_each_cell, forget),
        cmocka_unit_test_setup(words_are_formed, forget),
    };
    return cmocka_run_group_tests_name("libengine", tests, open_context, close_context);
}
