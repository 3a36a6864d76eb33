/* Pictures, read back with libpng and compared pixel by pixel. */
#include "core/io/io.h"
#include "folder.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <png.h>

/* A picture in memory: a byte a pixel, 0 or 1 where it has 1 bit. */
struct decoded {
    png_structp png;
    png_infop info;
    uint32_t width, height, bits;
    png_bytepp rows;
};

static struct decoded decode(const char *path)
{
    struct decoded decoded = {0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    decoded.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    decoded.info = png_create_info_struct(decoded.png);
    png_init_io(decoded.png, file);
    png_read_png(decoded.png, decoded.info, PNG_TRANSFORM_IDENTITY, NULL);
    decoded.width = png_get_image_width(decoded.png, decoded.info);
    decoded.height = png_get_image_height(decoded.png, decoded.info);
    decoded.bits = png_get_bit_depth(decoded.png, decoded.info);
    decoded.rows = png_get_rows(decoded.png, decoded.info);
    assert_int_equal(png_get_color_type(decoded.png, decoded.info), PNG_COLOR_TYPE_GRAY);
    fclose(file);
    return decoded;
}

static uint8_t pixel(const struct decoded *decoded, uint64_t x, uint64_t y)
{
    if (decoded->bits == 8)
        return decoded->rows[y][x];
    return (uint8_t) (decoded->rows[y][x / 8] >> (7 - x % 8) & 1);
}

static void forget(struct decoded *decoded)
{
    png_destroy_read_struct(&decoded->png, &decoded->info, NULL);
}

/* Given by (x, y) → cell. */
struct drawing {
    struct io_document document;
    uint8_t (*cell)(uint64_t x, uint64_t y);
    uint64_t next;
    bool fails;
};

static int read_drawing(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                        struct error *error)
{
    struct drawing *drawing = document->context;
    uint64_t width = document->arrays[array].shape.extent[0];
    assert_int_equal(begin, drawing->next);
    drawing->next += count;
    for (uint64_t i = 0; i < count; i++)
        ((uint8_t *) out)[i] = drawing->cell((begin + i) % width, (begin + i) / width);
    return drawing->fails ? error_set(error, STATUS_INPUT, "source:3: broken") : 0;
}

static int write_drawing(const char *path, uint8_t (*cell)(uint64_t x, uint64_t y), uint32_t values, uint64_t width,
                         uint64_t height, uint32_t scale, struct error *error)
{
    struct drawing drawing = {.cell = cell};
    drawing.document.count = 1;
    drawing.document.arrays[0] =
        (struct io_array){"cells", values, {sizeof(struct engine_shape), ENGINE_U8, 1, 2, {width, height, 1}}};
    drawing.document.header.step = 1200;
    strcpy(drawing.document.header.rule, "B3/S23");
    drawing.document.read = read_drawing;
    drawing.document.context = &drawing;
    return io_write(io_format_named("png"), path, &drawing.document, &(struct io_options){scale}, error);
}

static struct decoded drawn(uint8_t (*cell)(uint64_t x, uint64_t y), uint32_t values, uint64_t width, uint64_t height,
                            uint32_t scale)
{
    struct error error = {0};
    if (write_drawing(path_of("a.png"), cell, values, width, height, scale, &error) != 0)
        fail_msg("%s", error.text);
    return decode(path_of("a.png"));
}

static uint8_t two(uint64_t x, uint64_t y)
{
    return (uint8_t) ((x * x + 3 * y + x * y) % 7 < 3);
}

static uint8_t many(uint64_t x, uint64_t y)
{
    return (uint8_t) (x * 31 + y * 17);
}

static uint8_t four(uint64_t x, uint64_t y)
{
    return (uint8_t) ((x + y) % 4);
}

static uint8_t full(uint64_t x, uint64_t y)
{
    (void) x;
    (void) y;
    return 1;
}

static uint8_t left(uint64_t x, uint64_t y)
{
    (void) y;
    return x < 4097;
}

static void two_states_take_a_bit_and_live_is_white(void **state)
{
    (void) state;
    static const uint64_t widths[] = {1, 7, 8, 9, 64, 101};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        struct decoded decoded = drawn(two, 2, widths[i], 13, 1);
        assert_int_equal(decoded.bits, 1);
        assert_int_equal(decoded.width, widths[i]);
        assert_int_equal(decoded.height, 13);
        for (uint64_t y = 0; y < 13; y++)
            for (uint64_t x = 0; x < widths[i]; x++)
                assert_int_equal(pixel(&decoded, x, y), two(x, y));
        forget(&decoded);
    }
}

static void cells_are_enlarged_by_a_whole_number(void **state)
{
    (void) state;
    static const uint32_t values[] = {2, 0};
    for (int i = 0; i < 2; i++) {
        struct decoded decoded = drawn(i == 0 ? two : many, values[i], 19, 11, 3);
        assert_int_equal(decoded.bits, i == 0 ? 1 : 8);
        assert_int_equal(decoded.width, 57);
        assert_int_equal(decoded.height, 33);
        for (uint64_t y = 0; y < 33; y++)
            for (uint64_t x = 0; x < 57; x++)
                assert_int_equal(pixel(&decoded, x, y), (i == 0 ? two : many)(x / 3, y / 3));
        forget(&decoded);
    }
}

static void the_scale_is_chosen_for_small_and_middling_grids(void **state)
{
    (void) state;
    static const uint64_t sizes[][4] = {
        {36, 9, 1008, 252}, {1, 1, 1024, 1024}, {512, 100, 1024, 200}, {513, 1, 513, 1}, {20, 4096, 20, 4096},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct decoded decoded = drawn(two, 2, sizes[i][0], sizes[i][1], 0);
        assert_int_equal(decoded.width, sizes[i][2]);
        assert_int_equal(decoded.height, sizes[i][3]);
        assert_int_equal(decoded.bits, 1);
        forget(&decoded);
    }
}

static void more_states_are_spread_from_black_to_white(void **state)
{
    (void) state;
    struct decoded decoded = drawn(four, 4, 8, 1, 1);
    assert_int_equal(decoded.bits, 8);
    assert_memory_equal(decoded.rows[0], "\x00\x55\xAA\xFF\x00\x55\xAA\xFF", 8);
    forget(&decoded);
}

static void large_grids_are_reduced_to_density(void **state)
{
    (void) state;
    struct decoded decoded = drawn(two, 2, 8192, 8, 0); /* blocks of 2 x 2 */
    assert_int_equal(decoded.bits, 8);
    assert_int_equal(decoded.width, 4096);
    assert_int_equal(decoded.height, 4);
    static const uint8_t quarters[] = {0, 64, 128, 191, 255}; /* 63.75, 127.5, 191.25 rounded */
    for (uint64_t y = 0; y < 4; y++)
        for (uint64_t x = 0; x < 4096; x++) {
            int live = two(2 * x, 2 * y) + two(2 * x + 1, 2 * y) + two(2 * x, 2 * y + 1) + two(2 * x + 1, 2 * y + 1);
            assert_int_equal(pixel(&decoded, x, y), quarters[live]);
        }
    forget(&decoded);
    decoded = drawn(full, 2, 5, 8195, 0); /* blocks of 3 x 3, smaller ones at the right and below, still all live */
    assert_int_equal(decoded.width, 2);
    assert_int_equal(decoded.height, 2732);
    for (uint64_t y = 0; y < 2732; y++)
        assert_true(pixel(&decoded, 0, y) == 255 && pixel(&decoded, 1, y) == 255);
    forget(&decoded);
    decoded =
        drawn(left, 2, 4099, 1, 0); /* the last whole block has one cell of two live; the last, smaller one none */
    assert_int_equal(decoded.width, 2050);
    assert_int_equal(pixel(&decoded, 2047, 0), 255);
    assert_int_equal(pixel(&decoded, 2048, 0), 128);
    assert_int_equal(pixel(&decoded, 2049, 0), 0);
    forget(&decoded);
    decoded = drawn(two, 2, 4100, 3, 1); /* a scale that was asked for is kept */
    assert_int_equal(decoded.width, 4100);
    forget(&decoded);
}

static void a_picture_says_what_it_shows(void **state)
{
    (void) state;
    static const char *const expected[][2] = {
        {"Software", "engine"}, {"Title", "cells"}, {"Rule", "B3/S23"}, {"Step", "1200"}};
    struct decoded decoded = drawn(two, 2, 8, 8, 1);
    png_textp texts;
    int count = 0;
    png_get_text(decoded.png, decoded.info, &texts, &count);
    assert_int_equal(count, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(texts[i].key, expected[i][0]);
        assert_string_equal(texts[i].text, expected[i][1]);
    }
    forget(&decoded);
}

static void write_errors_are_told(void **state)
{
    (void) state;
    struct error error = {0};
    struct drawing drawing = {.cell = two};
    const struct io_format *png = io_format_named("png");
    struct io_options options = {1};
    drawing.document.count = 1;
    struct io_array *array = &drawing.document.arrays[0];
    *array = (struct io_array){"cells", 2, {sizeof(struct engine_shape), ENGINE_U8, 1, 2, {300, 200, 1}}};
    drawing.document.read = read_drawing;
    drawing.document.context = &drawing;
    assert_int_equal(png->write("/dev/full", &drawing.document, &options, &error), STATUS_OUTPUT);
    assert_string_equal(error.text, "cannot be written: No space left on device");
    drawing.next = 0;
    drawing.cell = many;
    array->values = 0;
    array->shape.extent[1] = 2000; /* more than stdio holds back: found while rows are written */
    assert_int_equal(png->write("/dev/full", &drawing.document, &options, &error), STATUS_OUTPUT);
    assert_string_equal(error.text, "cannot be written: No space left on device");
    drawing.next = 0;
    assert_int_equal(io_write(png, path_of("none/a.png"), &drawing.document, &options, &error), STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "none/a.png: cannot be made: No such file or directory"));
    drawing.next = 0;
    drawing.fails = true;
    assert_int_equal(io_write(png, path_of("b.png"), &drawing.document, &options, &error), STATUS_INPUT);
    assert_string_equal(error.text, "source:3: broken");
    assert_int_equal(access(path_of("b.png"), F_OK), -1);
    assert_int_equal(write_drawing(path_of("b.png"), two, 2, 1000000, 2, 4000, &error), STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "1000000 x 2 cells at scale 4000 are more pixels than a PNG file holds"));
}

static void only_bytes_in_two_axes_are_written(void **state)
{
    (void) state;
    const struct io_format *png = io_format_named("png");
    struct io_array array = {"cells", 2, {sizeof(struct engine_shape), ENGINE_U8, 1, 2, {3, 3, 1}}};
    assert_true(png->writes(&array));
    array.shape.components = 3;
    assert_false(png->writes(&array));
    array.shape.components = 1;
    array.shape.rank = 3;
    assert_false(png->writes(&array));
    array.shape.rank = 2;
    array.shape.type = ENGINE_F32;
    assert_false(png->writes(&array));
    assert_null(png->open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_states_take_a_bit_and_live_is_white),
        cmocka_unit_test(cells_are_enlarged_by_a_whole_number),
        cmocka_unit_test(the_scale_is_chosen_for_small_and_middling_grids),
        cmocka_unit_test(more_states_are_spread_from_black_to_white),
        cmocka_unit_test(large_grids_are_reduced_to_density),
        cmocka_unit_test(a_picture_says_what_it_shows),
        cmocka_unit_test(write_errors_are_told),
        cmocka_unit_test(only_bytes_in_two_axes_are_written),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
