/* Pictures: libpng reads them back, and the test compares them pixel by pixel. */
#include "files/io.h"
#include "folder.h"

#include <dirent.h>
#include <fcntl.h>
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

static struct decoded decode_as(const char *path, int color_type)
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
    assert_int_equal(png_get_color_type(decoded.png, decoded.info), color_type);
    fclose(file);
    return decoded;
}

static struct decoded decode(const char *path)
{
    return decode_as(path, PNG_COLOR_TYPE_GRAY);
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
                        struct engine_error *error)
{
    struct drawing *drawing = document->context;
    uint64_t width = document->arrays[array].shape.extent[0];
    assert_int_equal(begin, drawing->next);
    drawing->next += count;
    for (uint64_t i = 0; i < count; i++)
        ((uint8_t *) out)[i] = drawing->cell((begin + i) % width, (begin + i) / width);
    return drawing->fails ? error_set(error, ENGINE_STATUS_INPUT, "source:3: broken") : 0;
}

/* `colours` of 256 values, or NULL */
static int write_coloured(const char *path, uint8_t (*cell)(uint64_t x, uint64_t y), const uint8_t (*colours)[3],
                          uint32_t values, uint64_t width, uint64_t height, uint32_t scale, struct engine_error *error)
{
    struct drawing drawing = {.cell = cell};
    drawing.document.count = 1;
    drawing.document.arrays[0] = (struct engine_file_array){
        .name = "cells", .values = values, .shape = {sizeof(struct engine_shape), ENGINE_U8, 1, 2, {width, height, 1}}};
    drawing.document.looks[0].colours = colours;
    drawing.document.header.frame.step = 1200;
    strcpy(drawing.document.header.rule, "B3/S23");
    drawing.document.read = read_drawing;
    drawing.document.context = &drawing;
    const struct io_options options = {.scale = scale, .colours = colours ? IO_AUTO : IO_GREY};
    return io_write(io_format_named("png"), path, &drawing.document, &options, error);
}

static int write_drawing(const char *path, uint8_t (*cell)(uint64_t x, uint64_t y), uint32_t values, uint64_t width,
                         uint64_t height, uint32_t scale, struct engine_error *error)
{
    return write_coloured(path, cell, NULL, values, width, height, scale, error);
}

static struct decoded drawn(uint8_t (*cell)(uint64_t x, uint64_t y), uint32_t values, uint64_t width, uint64_t height,
                            uint32_t scale)
{
    struct engine_error error = {0};
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

static uint8_t three(uint64_t x, uint64_t y)
{
    return (uint8_t) ((x + 2 * y) % 3);
}

static void large_grids_in_colour_are_reduced_to_the_mean_colour(void **state)
{
    (void) state;
    static const uint8_t colours[256][3] = {{0, 10, 255}, {200, 20, 0}, {101, 31, 7}};
    static const uint64_t width = 4099, height = 5; /* blocks of 2 x 2, smaller ones at the right and below */
    struct engine_error error = {0};
    if (write_coloured(path_of("a.png"), three, colours, 3, width, height, 0, &error) != 0)
        fail_msg("%s", error.text);
    struct decoded decoded = decode_as(path_of("a.png"), PNG_COLOR_TYPE_RGB);
    assert_int_equal(decoded.width, 2050);
    assert_int_equal(decoded.height, 3);
    for (uint64_t y = 0; y < 3; y++)
        for (uint64_t x = 0; x < 2050; x++)
            for (int c = 0; c < 3; c++) {
                double sum = 0;
                int cells = 0;
                for (uint64_t v = 2 * y; v < 2 * y + 2 && v < height; v++)
                    for (uint64_t u = 2 * x; u < 2 * x + 2 && u < width; u++, cells++)
                        sum += colours[three(u, v)][c];
                assert_int_equal(decoded.rows[y][3 * x + (uint64_t) c], (int) (sum / cells + 0.5));
            }
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
    struct engine_error error = {0};
    struct drawing drawing = {.cell = two};
    const struct io_format *png = io_format_named("png");
    struct io_options options = {.scale = 1};
    drawing.document.count = 1;
    struct engine_file_array *array = &drawing.document.arrays[0];
    *array = (struct engine_file_array){
        .name = "cells", .values = 2, .shape = {sizeof(struct engine_shape), ENGINE_U8, 1, 2, {300, 200, 1}}};
    drawing.document.read = read_drawing;
    drawing.document.context = &drawing;
    assert_int_equal(file_write(png, open("/dev/full", O_WRONLY), &drawing.document, &options, &error),
                     ENGINE_STATUS_OUTPUT);
    assert_string_equal(error.text, "cannot be written: No space left on device");
    drawing.next = 0;
    drawing.cell = many;
    array->values = 0;
    array->shape.extent[1] = 2000; /* more than stdio holds back: found while rows are written */
    assert_int_equal(file_write(png, open("/dev/full", O_WRONLY), &drawing.document, &options, &error),
                     ENGINE_STATUS_OUTPUT);
    assert_string_equal(error.text, "cannot be written: No space left on device");
    drawing.next = 0;
    assert_int_equal(io_write(png, path_of("none/a.png"), &drawing.document, &options, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "none/a.png: its folder cannot be opened: No such file or directory"));
    drawing.next = 0;
    drawing.fails = true;
    assert_int_equal(io_write(png, path_of("b.png"), &drawing.document, &options, &error), ENGINE_STATUS_INPUT);
    assert_string_equal(error.text, "source:3: broken");
    assert_int_equal(access(path_of("b.png"), F_OK), -1);
    assert_int_equal(write_drawing(path_of("b.png"), two, 2, 1000000, 2, 4000, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "1000000 x 2 cells at scale 4000 are more pixels than a PNG file holds"));
}

/* ---- Volumes ------------------------------------------------------------------------------------------------ */

struct volume {
    struct io_document document;
    uint8_t (*cell)(uint64_t x, uint64_t y, uint64_t z);
    uint64_t next;
};

static int read_volume(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                       struct engine_error *error)
{
    struct volume *volume = document->context;
    const uint64_t *extent = document->arrays[array].shape.extent;
    (void) error;
    assert_int_equal(begin, volume->next);
    volume->next += count;
    for (uint64_t i = begin; i < begin + count; i++)
        ((uint8_t *) out)[i - begin] =
            volume->cell(i % extent[0], i / extent[0] % extent[1], i / extent[0] / extent[1]);
    return 0;
}

static int write_volume(uint8_t (*cell)(uint64_t x, uint64_t y, uint64_t z), uint32_t values, uint64_t width,
                        uint64_t height, uint64_t depth, const struct io_options *options, struct engine_error *error)
{
    struct volume volume = {.cell = cell};
    volume.document.count = 1;
    volume.document.arrays[0] =
        (struct engine_file_array){.name = "cells",
                                   .values = values,
                                   .shape = {sizeof(struct engine_shape), ENGINE_U8, 1, 3, {width, height, depth}}};
    volume.document.read = read_volume;
    volume.document.context = &volume;
    return io_write(io_format_named("png"), path_of("v.png"), &volume.document, options, error);
}

static struct decoded view_of(uint8_t (*cell)(uint64_t x, uint64_t y, uint64_t z), uint32_t values, uint64_t width,
                              uint64_t height, uint64_t depth, const struct io_options *options)
{
    struct engine_error error = {0};
    if (write_volume(cell, values, width, height, depth, options, &error) != 0)
        fail_msg("%s", error.text);
    return decode(path_of("v.png"));
}

/* x + y cells of the seven of column (x, y) live. */
static uint8_t rising(uint64_t x, uint64_t y, uint64_t z)
{
    return z * 5 % 7 < x + y;
}

static uint8_t mixed(uint64_t x, uint64_t y, uint64_t z)
{
    return (uint8_t) ((x * x + 3 * y + x * y + z * (x + 2 * y + 1)) % 7 < 3);
}

static uint8_t three_of(uint64_t x, uint64_t y, uint64_t z)
{
    (void) y;
    (void) z;
    return (uint8_t) (x * 3);
}

/* With 7 cells in a column log(1 + n) / log(1 + 7) is 0, 1/3, 2/3 and 1 at n = 0, 1, 3 and 7. */
static void a_projection_adds_up_live_cells_on_a_scale_of_logarithms(void **state)
{
    (void) state;
    const struct io_options options = {.scale = 1};
    struct decoded decoded = view_of(rising, 2, 6, 3, 7, &options);
    assert_int_equal(decoded.bits, 8);
    assert_int_equal(decoded.width, 6);
    assert_int_equal(decoded.height, 3);
    static const int grey[8] = {0, 85, -1, 170, -1, -1, -1, 255};
    for (uint64_t y = 0; y < 3; y++)
        for (uint64_t x = 0; x < 6; x++) {
            assert_true(grey[x + y] < 0 || pixel(&decoded, x, y) == grey[x + y]);
            assert_true(x == 0 || pixel(&decoded, x - 1, y) < pixel(&decoded, x, y));
        }
    forget(&decoded);
    /* Of four values the highest is one live cell. */
    decoded = view_of(three_of, 4, 2, 2, 7, &options);
    assert_true(pixel(&decoded, 0, 1) == 0 && pixel(&decoded, 1, 1) == 255);
    forget(&decoded);
}

static uint8_t first_planes(uint64_t x, uint64_t y, uint64_t z)
{
    return x == 0 || y == 4 || z == 0;
}

static uint8_t last_planes(uint64_t x, uint64_t y, uint64_t z)
{
    return x == 4 || y == 0 || z == 4;
}

static uint8_t falling_to_the_right(uint64_t x, uint64_t y, uint64_t z)
{
    (void) y;
    return z >= x;
}

static uint8_t falling_downwards(uint64_t x, uint64_t y, uint64_t z)
{
    (void) x;
    return z >= y;
}

static uint8_t rising_to_the_right(uint64_t x, uint64_t y, uint64_t z)
{
    (void) y;
    return z >= 4 - x;
}

static uint8_t bright_behind_dark(uint64_t x, uint64_t y, uint64_t z)
{
    (void) x, (void) y;
    return z == 0 ? 1 : z == 2 ? 2 : z == 4 ? 3 : 0;
}

/* The shade is 255 (0.2 + 0.8 n) (0.2 + 0.8 c): n falls from 1 at the nearest of five planes to 0 at the farthest, and c
 * is the cosine of the angle to the light (-1, -1, 2). It is 2 / sqrt(6) for a plane that faces the viewer, 1 / sqrt(12)
 * for one that falls by a cell to the right or downwards, and 3 / sqrt(12) for one that rises to the right. */
static void a_volume_with_depth_shows_the_nearest_cells(void **state)
{
    (void) state;
    static const struct {
        uint8_t (*cell)(uint64_t x, uint64_t y, uint64_t z);
        uint32_t values, axis;
        double from, to;
        int shade;
    } views[] = {
        {first_planes, 2, 0, 0, 0, 218},         {first_planes, 2, 1, 0, 0, 218},
        {first_planes, 2, 2, 0, 0, 218},         {last_planes, 2, 0, 0, 0, 44},
        {last_planes, 2, 1, 0, 0, 44},           {last_planes, 2, 2, 0, 0, 44},
        {first_planes, 2, 0, 0.5, 9, 0},         {last_planes, 2, 0, -3, 3, 0},
        {falling_to_the_right, 2, 0, 0, 0, 66},  {falling_downwards, 2, 0, 0, 0, 66},
        {rising_to_the_right, 2, 0, 0, 0, 137},  {bright_behind_dark, 4, 0, 0, 0, 131},
        {bright_behind_dark, 4, 0, 2, 4, 218},   {bright_behind_dark, 4, 0, 3, 4, 44},
        {bright_behind_dark, 4, 0, 3.5, 3.9, 0},
    };
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
        const struct io_options options = {.scale = 1,
                                           .axis = views[i].axis,
                                           .deep = true,
                                           .slab = views[i].from < views[i].to,
                                           .depth = {views[i].from, views[i].to}};
        struct decoded decoded = view_of(views[i].cell, views[i].values, 5, 5, 5, &options);
        if (pixel(&decoded, 2, 2) != views[i].shade)
            fail_msg("view %zu: shade %d, expected %d", i, pixel(&decoded, 2, 2), views[i].shade);
        forget(&decoded);
    }
}

/* Looked along z, y and x the picture is x by y, x by z and y by z. */
static void a_slice_is_the_plane_that_was_chosen(void **state)
{
    (void) state;
    static const uint64_t extent[3] = {11, 6, 9}, wide[3] = {0, 0, 1}, high[3] = {1, 2, 2};
    for (uint32_t axis = 0; axis < 3; axis++)
        for (int64_t slice = IO_MIDDLE; slice < (int64_t) extent[2 - axis]; slice++) {
            const struct io_options options = {.scale = 2, .view = IO_SLICE, .axis = axis, .slice = slice};
            struct decoded decoded = view_of(mixed, 2, extent[0], extent[1], extent[2], &options);
            assert_int_equal(decoded.bits, 1);
            assert_int_equal(decoded.width, 2 * extent[wide[axis]]);
            assert_int_equal(decoded.height, 2 * extent[high[axis]]);
            for (uint64_t v = 0; v < decoded.height; v++)
                for (uint64_t u = 0; u < decoded.width; u++) {
                    uint64_t at[3];
                    at[2 - axis] = slice == IO_MIDDLE ? extent[2 - axis] / 2 : (uint64_t) slice;
                    at[wide[axis]] = u / 2;
                    at[high[axis]] = v / 2;
                    assert_int_equal(pixel(&decoded, u, v), mixed(at[0], at[1], at[2]));
                }
            forget(&decoded);
        }
}

static uint8_t corner(uint64_t x, uint64_t y, uint64_t z)
{
    return x >= 4096 && y == 0 && z < 3;
}

static void large_volumes_are_reduced_too(void **state)
{
    (void) state;
    /* Blocks of 2 x 2, the last of them 1 x 2 of which one cell of two lives: 3 of 3 planes in the projection. */
    const struct io_options along_z = {0}, slice = {.view = IO_SLICE, .slice = 2};
    struct decoded decoded = view_of(corner, 2, 4097, 2, 3, &along_z);
    assert_int_equal(decoded.width, 2049);
    assert_int_equal(decoded.height, 1);
    assert_int_equal(pixel(&decoded, 2047, 0), 0);
    assert_int_equal(pixel(&decoded, 2048, 0), 169); /* 255 log(1 + 3 / 2) / log 4 = 168.55 */
    forget(&decoded);
    decoded = view_of(corner, 2, 4097, 2, 3, &slice);
    assert_int_equal(decoded.bits, 8);
    assert_int_equal(pixel(&decoded, 2047, 0), 0);
    assert_int_equal(pixel(&decoded, 2048, 0), 128);
    forget(&decoded);
}

static void a_slice_that_is_not_there_is_refused(void **state)
{
    (void) state;
    struct engine_error error = {0};
    const struct io_options options = {.view = IO_SLICE, .axis = 1, .slice = 6};
    assert_int_equal(write_volume(mixed, 2, 11, 6, 9, &options, &error), ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "v.png: there is no slice 6: the grid has 6 cells along y, counted from 0"));
}

static void one_real_number_a_cell_is_drawn(void **state)
{
    (void) state;
    const struct io_format *png = io_format_named("png");
    struct engine_file_array array = {
        .name = "cells", .values = 2, .shape = {sizeof(struct engine_shape), ENGINE_U8, 1, 2, {3, 3, 1}}};
    assert_true(io_writes(png, &array, &(struct io_options){0}));
    array.shape.components = 3;
    assert_false(io_writes(png, &array, &(struct io_options){0}));
    array.shape.components = 1;
    array.shape.rank = 3;
    assert_true(io_writes(png, &array, &(struct io_options){0}));
    array.shape.type = ENGINE_F32;
    assert_true(io_writes(png, &array, &(struct io_options){0}));
    array.shape.type = ENGINE_C64;
    assert_false(io_writes(png, &array, &(struct io_options){0}));
    array.shape.type = ENGINE_U64;
    array.kind = ENGINE_BINS; /* a histogram is no picture */
    assert_false(io_writes(png, &array, &(struct io_options){0}));
    assert_false(io_reads(png));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_states_take_a_bit_and_live_is_white),
        cmocka_unit_test(cells_are_enlarged_by_a_whole_number),
        cmocka_unit_test(the_scale_is_chosen_for_small_and_middling_grids),
        cmocka_unit_test(more_states_are_spread_from_black_to_white),
        cmocka_unit_test(large_grids_are_reduced_to_density),
        cmocka_unit_test(large_grids_in_colour_are_reduced_to_the_mean_colour),
        cmocka_unit_test(a_picture_says_what_it_shows),
        cmocka_unit_test(write_errors_are_told),
        cmocka_unit_test(a_projection_adds_up_live_cells_on_a_scale_of_logarithms),
        cmocka_unit_test(a_volume_with_depth_shows_the_nearest_cells),
        cmocka_unit_test(a_slice_is_the_plane_that_was_chosen),
        cmocka_unit_test(large_volumes_are_reduced_too),
        cmocka_unit_test(a_slice_that_is_not_there_is_refused),
        cmocka_unit_test(one_real_number_a_cell_is_drawn),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
