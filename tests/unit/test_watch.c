/* Pictures for a terminal: compares shades with counts by hand, and characters with the Unicode chart and ECMA-48. */
#include "cli/watch_text.h"
#include "record/preview_batch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A state in memory. */
struct held {
    struct io_document document;
    const void *elements;
    uint64_t bytes; /* an element */
    uint64_t reads, elements_read;
};

static int read_held(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                     struct engine_error *error)
{
    struct held *held = document->context;
    (void) array, (void) error;
    memcpy(out, (const char *) held->elements + begin * held->bytes, count * held->bytes);
    held->reads++;
    held->elements_read += count;
    return 0;
}

static void hold(struct held *held, const void *elements, uint32_t type, uint32_t values, uint32_t rank, uint64_t x,
                 uint64_t y, uint64_t z)
{
    *held = (struct held){.elements = elements, .bytes = type_bytes(type)};
    held->document.count = 1;
    held->document.arrays[0] = (struct engine_file_array){
        .name = "cells", .values = values, .shape = {sizeof(struct engine_shape), type, 1, rank, {x, y, z}}};
    held->document.read = read_held;
    held->document.context = held;
}

static void look(struct preview *preview, struct held *held, uint64_t columns, uint64_t rows)
{
    const struct preview_space space = {columns, rows, 2 * columns, 2 * rows};
    struct engine_error error;
    assert_int_equal(preview_take(preview, &held->document, &space, &error), 0);
}

/* ---- Shades --------------------------------------------------------------------------------------------------- */

static void a_shade_is_the_logarithm_of_the_living(void **state)
{
    (void) state;
    static uint8_t cells[8][8];
    struct held held;
    struct preview preview = {0};
    memset(cells, 0, sizeof cells);
    cells[1][2] = 1;            /* one of the 16 above on the left */
    for (int y = 4; y < 8; y++) /* all below on the right */
        memset(&cells[y][4], 1, 4);
    hold(&held, cells, ENGINE_U8, 2, 2, 8, 8, 1);
    look(&preview, &held, 2, 2);
    assert_true(preview.columns == 2 && preview.rows == 2 && preview.scale == 1 && !preview.exact);
    assert_int_equal(preview.shades[0], 62); /* 255 log 2 / log 17 = 62.4 */
    assert_int_equal(preview.shades[1], 0);
    assert_int_equal(preview.shades[2], 0);
    assert_int_equal(preview.shades[3], 255);
    preview_release(&preview);
}

static void small_grids_are_enlarged_cell_by_cell(void **state)
{
    (void) state;
    static const uint8_t cells[2][3] = {{1, 0, 0}, {0, 0, 1}};
    struct held held;
    struct preview preview = {0};
    hold(&held, cells, ENGINE_U8, 2, 2, 3, 2, 1);
    look(&preview, &held, 20, 9);
    assert_true(preview.columns == 3 && preview.rows == 2 && preview.scale == 4 && preview.exact);
    assert_true(preview.shades[0] == 255 && preview.shades[1] == 0 && preview.shades[5] == 255);
    preview_release(&preview);
}

static void a_volume_is_looked_at_along_each_axis(void **state)
{
    (void) state;
    static uint8_t cells[2][3][4]; /* z y x */
    static const struct {
        uint32_t axis;
        uint64_t columns, rows, at; /* the cell x = 3, y = 1, z = 0 */
    } views[] = {{0, 4, 3, 1 * 4 + 3}, {1, 4, 2, 0 * 4 + 3}, {2, 3, 2, 0 * 3 + 1}};
    struct held held;
    cells[0][1][3] = 1;
    hold(&held, cells, ENGINE_U8, 2, 3, 4, 3, 2);
    for (int i = 0; i < 3; i++) {
        struct preview preview = {.how.axis = views[i].axis};
        look(&preview, &held, 4, 4);
        assert_true(preview.columns == views[i].columns && preview.rows == views[i].rows);
        for (uint64_t at = 0; at < preview.columns * preview.rows; at++)
            assert_int_equal(preview.shades[at] != 0, at == views[i].at);
        preview_release(&preview);
    }
}

static void a_slice_shows_one_plane(void **state)
{
    (void) state;
    static uint8_t cells[3][2][2];
    struct held held;
    struct preview preview = {.how = {.view = IO_SLICE, .slice = IO_MIDDLE}};
    cells[0][0][0] = cells[1][1][1] = cells[2][0][1] = 1;
    hold(&held, cells, ENGINE_U8, 2, 3, 2, 2, 3);
    look(&preview, &held, 2, 2);
    assert_true(preview.shades[0] == 0 && preview.shades[1] == 0 && preview.shades[2] == 0 && preview.shades[3] == 255);
    preview_release(&preview);
}

/* ---- Grids on a device ---------------------------------------------------------------------------------------- */

static int read_all(void *context, uint64_t begin, uint64_t count, void *out, struct engine_error *error)
{
    return read_held(context, 0, begin, count, out, error);
}

static int make_region(struct io_document *document, uint32_t array, const struct region *region, uint64_t begin,
                       uint64_t count, void *out, struct engine_error *error)
{
    const struct engine_shape *shape = &document->arrays[array].shape, made = region_shape(region, shape);
    assert_true(begin == 0 && count == made.extent[0] * made.extent[1] * made.extent[2]);
    return region_make_rows(region, shape, 0, made.extent[1] * made.extent[2], read_all, document, out, error);
}

static int read_nothing(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                        struct engine_error *error)
{
    (void) document, (void) array, (void) begin, (void) count, (void) out, (void) error;
    fail_msg("cells of a device are copied");
    return 0;
}

/* The same picture where blocks of cells are added up for it, of bits and of numbers, along each axis. */
static void regions_of_a_device_give_the_same_picture(void **state)
{
    (void) state;
    enum { X = 13, Y = 11, Z = 7 };
    static uint8_t cells[X * Y * Z];
    static float numbers[X * Y * Z];
    for (int i = 0; i < X * Y * Z; i++) {
        cells[i] = (uint8_t) (i * i % 7 % 3 == 0);
        numbers[i] = (float) (i * 37 % 101);
    }
    for (int i = 0; i < 24; i++) {
        struct held held, device;
        const bool bits = i % 2;
        const struct io_options how = {
            .axis = (uint32_t) i / 2 % 3, .view = i / 6 % 2 ? IO_SLICE : IO_PROJECTION, .slice = 2};
        struct preview there = {.how = how}, here = {.how = how};
        hold(&held, bits ? (void *) cells : (void *) numbers, bits ? ENGINE_U8 : ENGINE_F32, bits ? 2 : 0, 3, X, Y, Z);
        hold(&device, held.elements, bits ? ENGINE_U8 : ENGINE_F32, bits ? 2 : 0, 3, X, Y, Z);
        device.document.read = read_nothing;
        device.document.read_region = make_region;
        look(&here, &held, i < 12 ? 4 : 40, 5);
        look(&there, &device, i < 12 ? 4 : 40, 5);
        assert_true(there.columns == here.columns && there.rows == here.rows);
        for (uint64_t at = 0; at < here.columns * here.rows; at++) /* means are rounded to single precision */
            assert_true(abs(there.shades[at] - here.shades[at]) <= !bits);
        preview_release(&here);
        preview_release(&there);
    }
}

/* ---- Batches -------------------------------------------------------------------------------------------------- */

/* Five universes of 3 x 2 cells, whose first row has the bits of the universe's number. */
static void universes_are_tiles(void **state)
{
    (void) state;
    static const struct {
        uint64_t columns, rows;                   /* the space */
        uint64_t wide, high, scale, across, down; /* the picture, and its tiles */
    } spaces[] = {{7, 8, 7, 8, 1, 2, 3}, {15, 5, 11, 5, 1, 3, 2}, {27, 16, 13, 14, 2, 2, 3}, {7, 5, 7, 5, 1, 2, 2}};
    uint8_t cells[5][2][3] = {{{0}}};
    for (int u = 0; u < 5; u++)
        for (int bit = 0; bit < 3; bit++)
            cells[u][0][bit] = (uint8_t) (u >> bit & 1);
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        const struct preview_space space = {spaces[i].columns, spaces[i].rows, 0, 0};
        struct held held;
        struct preview preview = {.how.colours = IO_AUTO};
        struct engine_error error;
        hold(&held, cells, ENGINE_U8, 2, 3, 3, 2, 5);
        held.document.arrays[0].batch = true;
        assert_int_equal(preview_batch_take(&preview, &held.document, &space, &error), 0);
        assert_true(preview.columns == spaces[i].wide && preview.rows == spaces[i].high && preview.scale == 1);
        const uint64_t scale = spaces[i].scale;
        for (uint64_t y = 0; y < preview.rows; y++)
            for (uint64_t x = 0; x < preview.columns; x++) {
                const uint64_t tile = y / (2 * scale + 1) * spaces[i].across + x / (3 * scale + 1);
                const bool gap = y % (2 * scale + 1) == 2 * scale || x % (3 * scale + 1) == 3 * scale || tile > 4;
                const uint8_t *universe = &cells[tile % 5][0][0];
                assert_int_equal(preview.shades[y * preview.columns + x],
                                 gap ? 80
                                     : 255 * universe[y % (2 * scale + 1) / scale * 3 + x % (3 * scale + 1) / scale]);
            }
        preview_release(&preview);
    }
}

static void one_universe_can_be_chosen(void **state)
{
    (void) state;
    uint8_t cells[5][2][3] = {{{0}}};
    struct held held;
    struct preview preview = {.how.universe = 4};
    struct engine_error error;
    cells[3][1][2] = 1;
    hold(&held, cells, ENGINE_U8, 2, 3, 3, 2, 5);
    held.document.arrays[0].batch = true;
    assert_int_equal(preview_batch_take(&preview, &held.document, &(struct preview_space){3, 2, 0, 0}, &error), 0);
    assert_true(preview.columns == 3 && preview.rows == 2);
    for (int i = 0; i < 6; i++)
        assert_int_equal(preview.shades[i], i == 5 ? 255 : 0);
    preview_release(&preview);
}

/* The shades of numbers follow the smallest and the largest of all universes. */
static void tiles_have_one_scale(void **state)
{
    (void) state;
    static const float numbers[3][1][1] = {{{2}}, {{1}}, {{5}}};
    struct held held;
    struct preview preview = {0};
    struct engine_error error;
    hold(&held, numbers, ENGINE_F32, 0, 3, 1, 1, 3);
    held.document.arrays[0].batch = true;
    assert_int_equal(preview_batch_take(&preview, &held.document, &(struct preview_space){5, 1, 0, 0}, &error), 0);
    assert_int_equal(preview.columns, 5);
    assert_true(preview.shades[0] == 64 && preview.shades[2] == 0 && preview.shades[4] == 255); /* 255 / 4 = 63.75 */
    preview_release(&preview);
}

/* A universe of 640 x 480 is reduced to no less than 8 pixels. Of a thousand, the first ones are shown. */
static void the_first_of_many_universes_are_shown(void **state)
{
    (void) state;
    uint8_t *cells = calloc(1000, 640 * 480);
    struct held held;
    struct preview preview = {0};
    struct engine_error error;
    memset(cells + 640 * 480, 1, 640 * 480);
    hold(&held, cells, ENGINE_U8, 2, 3, 640, 480, 1000);
    held.document.arrays[0].batch = true;
    assert_int_equal(preview_batch_take(&preview, &held.document, &(struct preview_space){79, 44, 0, 0}, &error), 0);
    assert_true(preview.columns == 8 * 9 - 1 && preview.rows == 6 * 7 - 1);
    assert_true(preview.shades[0] == 0 && preview.shades[8] == 80 && preview.shades[9] == 255 &&
                preview.shades[18] == 0);
    preview_release(&preview);
    free(cells);
}

/* The four cells of each universe are one pixel: one lives in the first universe, and two values in the second. The
 * tint is the mean colour of the living over that of value 0, with the weight log (1 + living) / log (1 + 4). */
static void universes_have_the_colours_of_their_values(void **state)
{
    (void) state;
    static const uint8_t colours[256][3] = {{0, 0, 40}, {200, 100, 0}, {100, 0, 250}};
    static const uint8_t cells[2][2][2] = {{{0, 1}, {0, 0}}, {{1, 0}, {0, 2}}};
    struct held held;
    struct preview preview = {.how.colours = IO_AUTO};
    struct engine_error error;
    hold(&held, cells, ENGINE_U8, 3, 3, 2, 2, 2);
    held.document.arrays[0].batch = true;
    held.document.looks[0].colours = colours;
    assert_int_equal(preview_batch_take(&preview, &held.document, &(struct preview_space){3, 1, 0, 0}, &error), 0);
    static const uint8_t expected[3][3] = {{86, 43, 23}, {80, 80, 80}, {102, 34, 98}}; /* weights 0.43068, 0.68261 */
    assert_non_null(preview.tints);
    assert_true(preview.columns == 3 && preview.rows == 1);
    assert_memory_equal(preview.tints, expected, sizeof expected);
    preview_release(&preview);
}

static void of_a_tall_grid_few_rows_are_read(void **state)
{
    (void) state;
    enum { WIDTH = 16, HEIGHT = 100000 };
    uint8_t *cells = malloc(WIDTH * HEIGHT);
    struct held held;
    struct preview preview = {0};
    memset(cells, 1, WIDTH * HEIGHT);
    hold(&held, cells, ENGINE_U8, 2, 2, WIDTH, HEIGHT, 1);
    look(&preview, &held, 80, 50);
    assert_true(held.reads >= 50 && held.reads <= 1024);
    for (uint64_t i = 0; i < preview.columns * preview.rows; i++)
        assert_int_equal(preview.shades[i], 255); /* every shade saw some of its rows */
    preview_release(&preview);
    free(cells);
}

static void of_a_large_volume_few_cells_are_read(void **state)
{
    (void) state;
    enum { SIDE = 200 };
    uint8_t *cells = calloc(SIDE * SIDE, SIDE);
    struct held held;
    hold(&held, cells, ENGINE_U8, 2, 3, SIDE, SIDE, SIDE);
    for (uint32_t axis = 0; axis < 3; axis++) {
        struct preview preview = {.how.axis = axis};
        held.elements_read = 0;
        look(&preview, &held, 100, 100);
        assert_true(held.elements_read <= 1 << 21);
        preview_release(&preview);
    }
    free(cells);
}

static void numbers_keep_the_range_that_was_seen(void **state)
{
    (void) state;
    static const float first[4] = {0, 1, 2, 4}, second[4] = {2, 2, 2, NAN};
    struct held held;
    struct preview preview = {0};
    hold(&held, first, ENGINE_F32, 0, 2, 2, 2, 1);
    look(&preview, &held, 2, 2);
    assert_true(preview.shades[0] == 0 && preview.shades[1] == 64 && preview.shades[2] == 128 &&
                preview.shades[3] == 255);
    hold(&held, second, ENGINE_F32, 0, 2, 2, 2, 1);
    look(&preview, &held, 2, 2);
    assert_true(preview.shades[0] == 128 && preview.shades[3] == 0);
    preview_release(&preview);
}

static void bins_stand_as_columns(void **state)
{
    (void) state;
    static const uint64_t counts[3] = {0, 5, 10};
    struct held held;
    struct preview preview = {0};
    hold(&held, counts, ENGINE_U64, 0, 1, 3, 1, 1);
    held.document.arrays[0].kind = ENGINE_BINS;
    look(&preview, &held, 8, 4);
    static const uint8_t expected[4][3] = {{0, 0, 255}, {0, 0, 255}, {0, 255, 255}, {0, 255, 255}};
    assert_true(preview.columns == 3 && preview.rows == 4);
    assert_memory_equal(preview.shades, expected, sizeof expected);
    preview_release(&preview);
}

/* ---- Text ----------------------------------------------------------------------------------------------------- */

static void expect_text(const struct engine_picture *picture, const char *expected, uint32_t count)
{
    size_t length = 0;
    uint32_t lines = 0;
    char *text = text_of_picture(picture, &length, &lines);
    assert_non_null(text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
    assert_int_equal(lines, count);
    free(text);
}

/* A glider of 3 x 3, and one cell more in row 4: dots 2 6 / 1..3 in the chart's numbers. */
static void cells_that_fit_as_dots_are_dots(void **state)
{
    (void) state;
    static uint8_t shades[5 * 3] = {0, 255, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 255, 0, 0};
    const struct engine_picture picture = {.columns = 3,
                                           .rows = 5,
                                           .shades = shades,
                                           .scale = 1,
                                           .exact = true,
                                           .most_columns = 2,
                                           .most_rows = 4,
                                           .exact_columns = 4,
                                           .exact_rows = 8};
    /* Dots 3, 4, 6 = U+282C; dots 2, 3 of the second character = U+2806; below, dot 1 = U+2801. */
    expect_text(&picture, "\u282c\u2806\033[K\r\n\u2801\u2800\033[K\r\n", 2);
}

/* Dots 7 and 8, of a fourth row, and all eight: U+2840, U+2880, U+28FF. */
static void the_fourth_row_has_dots_of_its_own(void **state)
{
    (void) state;
    static uint8_t shades[4][6] = {{0, 0, 0, 0, 1, 1}, {0, 0, 0, 0, 1, 1}, {0, 0, 0, 0, 1, 1}, {1, 0, 0, 1, 1, 1}};
    const struct engine_picture picture = {.columns = 6,
                                           .rows = 4,
                                           .shades = shades[0],
                                           .scale = 1,
                                           .exact = true,
                                           .most_columns = 3,
                                           .most_rows = 2,
                                           .exact_columns = 6,
                                           .exact_rows = 4};
    expect_text(&picture, "\u2840\u2880\u28ff\033[K\r\n", 1);
}

static void pixels_are_half_blocks(void **state)
{
    (void) state;
    static uint8_t shades[3 * 2] = {255, 0, 128, 0, 0, 128};
    const struct engine_picture picture = {.columns = 3,
                                           .rows = 2,
                                           .shades = shades,
                                           .scale = 1,
                                           .most_columns = 3,
                                           .most_rows = 2,
                                           .exact_columns = 6,
                                           .exact_rows = 4};
    expect_text(&picture, "\033[48;5;16m\033[38;5;231m\u2580 \033[48;5;244m \033[0m\033[K\r\n", 1);
}

static void an_odd_row_has_black_below(void **state)
{
    (void) state;
    static uint8_t shades[1] = {255};
    const struct engine_picture picture = {.columns = 1,
                                           .rows = 1,
                                           .shades = shades,
                                           .scale = 1,
                                           .most_columns = 3,
                                           .most_rows = 2,
                                           .exact_columns = 6,
                                           .exact_rows = 4};
    expect_text(&picture, "\033[48;5;16m\033[38;5;231m\u2580\033[0m\033[K\r\n", 1);
}

static void a_terminal_keeps_a_line_and_a_column(void **state)
{
    (void) state;
    struct engine_picture picture = {0};
    text_fit(&picture, 80, 24);
    assert_true(picture.most_columns == 79 && picture.most_rows == 44);
    assert_true(picture.exact_columns == 158 && picture.exact_rows == 88);
    text_fit(&picture, 1, 1);
    assert_true(picture.most_columns == 1 && picture.most_rows == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shade_is_the_logarithm_of_the_living),
        cmocka_unit_test(small_grids_are_enlarged_cell_by_cell),
        cmocka_unit_test(a_volume_is_looked_at_along_each_axis),
        cmocka_unit_test(a_slice_shows_one_plane),
        cmocka_unit_test(regions_of_a_device_give_the_same_picture),
        cmocka_unit_test(universes_are_tiles),
        cmocka_unit_test(one_universe_can_be_chosen),
        cmocka_unit_test(tiles_have_one_scale),
        cmocka_unit_test(the_first_of_many_universes_are_shown),
        cmocka_unit_test(universes_have_the_colours_of_their_values),
        cmocka_unit_test(of_a_tall_grid_few_rows_are_read),
        cmocka_unit_test(of_a_large_volume_few_cells_are_read),
        cmocka_unit_test(numbers_keep_the_range_that_was_seen),
        cmocka_unit_test(bins_stand_as_columns),
        cmocka_unit_test(cells_that_fit_as_dots_are_dots),
        cmocka_unit_test(the_fourth_row_has_dots_of_its_own),
        cmocka_unit_test(pixels_are_half_blocks),
        cmocka_unit_test(an_odd_row_has_black_below),
        cmocka_unit_test(a_terminal_keeps_a_line_and_a_column),
    };
    return cmocka_run_group_tests_name("pictures for a terminal", tests, NULL, NULL);
}
