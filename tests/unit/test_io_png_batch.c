/* Pictures of batches. The mosaics are drawn by hand; png_files.h reads the pictures back. */
#include "formats/pictures/png_batch.h"
#include "particle_files.h"
#include "png_files.h"

#include <math.h>
#include <stdlib.h>

static uint8_t pixels[4200 * 4200];

static void draw(struct io_document *document, const struct io_options *options, png_uint_32 format, uint32_t width,
                 uint32_t height)
{
    struct engine_error error = {0};
    if (io_write(io_format_named("png"), path_of("out.png"), document, options, &error) != 0)
        fail_msg("%s", error.text);
    const struct png_size size = read_png(path_of("out.png"), format, pixels, sizeof pixels);
    assert_int_equal(size.width, width);
    assert_int_equal(size.height, height);
}

/* A batch of grids of two axes or, if the height is 0, of one. */
static void add_batch(struct io_document *document, uint32_t type, uint64_t width, uint64_t height, uint64_t universes,
                      uint32_t components, const void *elements)
{
    add_memory(document, "cells", type, 1, components, elements);
    struct engine_file_array *array = &document->arrays[document->count - 1];
    array->batch = true;
    array->values = type == ENGINE_U8 ? 2 : 0;
    array->shape.rank = height > 0 ? 3 : 2;
    array->shape.extent[0] = width;
    array->shape.extent[1] = height > 0 ? height : universes;
    array->shape.extent[2] = height > 0 ? universes : 1;
}

/* Compares with rows of characters: '#' is white, '.' black, '|' the gap. */
static void expect_picture(const char *drawing, uint64_t bytes)
{
    for (uint64_t i = 0; drawing[i]; i++)
        for (uint64_t c = 0; c < bytes; c++) {
            const int wanted = drawing[i] == '#' ? 255 : drawing[i] == '|' ? 80 : 0;
            if (pixels[bytes * i + c] != wanted)
                fail_msg("pixel %d is %d, expected %d", (int) i, pixels[bytes * i + c], wanted);
        }
}

/* Universe u of 3 x 2 cells. Two tiles in a row make 7 x 8 pixels; one would make 3 x 14, and three 11 x 5. */
static const uint8_t five[5][2][3] = {{{1, 0, 0}, {0, 0, 0}},
                                      {{0, 1, 0}, {0, 0, 0}},
                                      {{0, 0, 1}, {0, 0, 0}},
                                      {{0, 0, 0}, {1, 1, 0}},
                                      {{1, 1, 1}, {0, 0, 1}}};

static void universes_are_tiles(void **state)
{
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory};
    (void) state;
    add_batch(&document, ENGINE_U8, 3, 2, 5, 1, five);
    draw(&document, &(struct io_options){.scale = 1}, PNG_FORMAT_GRAY, 7, 8);
    expect_picture("#..|.#."
                   "...|..."
                   "|||||||"
                   "..#|..."
                   "...|##."
                   "|||||||"
                   "###||||"
                   "..#||||",
                   1);
    draw(&document, &(struct io_options){0}, PNG_FORMAT_GRAY, 7 * 128, 8 * 128); /* enlarged to at most 1024 */
    assert_true(pixels[0] == 255 && pixels[127] == 255 && pixels[128] == 0 && pixels[3 * 128] == 80);
}

static void one_universe_can_be_chosen(void **state)
{
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory};
    struct engine_error error = {0};
    (void) state;
    add_batch(&document, ENGINE_U8, 3, 2, 5, 1, five);
    draw(&document, &(struct io_options){.scale = 1, .universe = 4}, PNG_FORMAT_GRAY, 3, 2);
    expect_picture("..."
                   "##.",
                   1);
    const struct io_options none = {.universe = 6};
    assert_int_equal(io_write(io_format_named("png"), path_of("x.png"), &document, &none, &error),
                     ENGINE_STATUS_OUTPUT);
    assert_non_null(strstr(error.text, "there is no universe 5: the batch has 5, counted from 0"));
}

/* Universes of one axis are the rows of the picture. */
static void lines_are_rows(void **state)
{
    static const uint8_t lines[3][4] = {{1, 0, 0, 0}, {0, 1, 1, 0}, {0, 0, 0, 1}};
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory};
    (void) state;
    add_batch(&document, ENGINE_U8, 4, 0, 3, 1, lines);
    draw(&document, &(struct io_options){.scale = 1}, PNG_FORMAT_GRAY, 4, 3);
    expect_picture("#..."
                   ".##."
                   "...#",
                   1);
    draw(&document, &(struct io_options){.scale = 1, .universe = 2}, PNG_FORMAT_GRAY, 4, 1);
    expect_picture(".##.", 1);
}

/* Colours of a map, and of the plugin. The gaps are grey. */
static void mosaics_have_colours(void **state)
{
    static const float numbers[2][1][2] = {{{0, 1}}, {{1, 0}}};
    static const uint8_t own[256][3] = {{1, 2, 3}, {40, 50, 60}};
    static const uint8_t viridis[] = {0x44, 0x01, 0x54, 0xfd, 0xe7, 0x25}; /* its ends, by matplotlib */
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory};
    (void) state;
    add_batch(&document, ENGINE_F32, 2, 1, 2, 1, numbers); /* one above the other: 2 x 3 pixels */
    draw(&document, &(struct io_options){.scale = 1, .colours = IO_VIRIDIS}, PNG_FORMAT_RGB, 2, 3);
    assert_memory_equal(pixels, viridis, 6);
    assert_true(pixels[6] == 80 && pixels[8] == 80 && pixels[11] == 80);
    assert_memory_equal(pixels + 12, viridis + 3, 3);
    draw(&document, &(struct io_options){.scale = 1}, PNG_FORMAT_GRAY, 2, 3);
    expect_picture(".#||#.", 1);

    document.count = 0;
    add_batch(&document, ENGINE_U8, 3, 2, 5, 1, five);
    document.looks[0].colours = own;
    draw(&document, &(struct io_options){.scale = 1, .colours = IO_AUTO}, PNG_FORMAT_RGB, 7, 8);
    assert_memory_equal(pixels, own[1], 3);
    assert_memory_equal(pixels + 3, own[0], 3);
    assert_true(pixels[9] == 80 && pixels[11] == 80);
    assert_memory_equal(pixels + 15, own[1], 3);
}

static void a_component_is_shown(void **state)
{
    static const float pairs[2][1][2][2] = {{{{0, 1}, {0, 0}}}, {{{0, 0}, {0, 1}}}};
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory};
    (void) state;
    add_batch(&document, ENGINE_F32, 2, 1, 2, 2, pairs);
    draw(&document, &(struct io_options){.scale = 1, .component = 2}, PNG_FORMAT_GRAY, 2, 3);
    expect_picture("#.||.#", 1);
}

/* 400 universes of 301 x 203 cells, of which every third one lives, and in the others the last cell alone. 16 tiles in
 * a row are 16 * 302 - 1 cells wide. With blocks of 2 x 2, which are smaller at the right and below, 16 tiles are 16 *
 * 152 - 1 samples wide, and 25 rows 25 * 103 - 1 high. */
static void many_universes_are_reduced(void **state)
{
    enum { X = 301, Y = 203, N = 400 };
    uint8_t *cells = calloc(N, X * Y);
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory};
    (void) state;
    for (int u = 0; u < N; u++)
        memset(cells + (u + 1) * X * Y - (u % 3 ? 1 : X * Y), 1, u % 3 ? 1 : X * Y);
    add_batch(&document, ENGINE_U8, X, Y, N, 1, cells);
    draw(&document, &(struct io_options){0}, PNG_FORMAT_GRAY, 2431, 2574);
    for (uint64_t y = 0; y < 2574; y++)
        for (uint64_t x = 0; x < 2431; x++) {
            const uint64_t u = y / 103 * 16 + x / 152;
            const bool gap = y % 103 == 102 || x % 152 == 151, last = y % 103 == 101 && x % 152 == 150;
            if (pixels[y * 2431 + x] != (gap ? 80 : u % 3 == 0 || last ? 255 : 0))
                fail_msg("pixel %d, %d is %d", (int) x, (int) y, pixels[y * 2431 + x]);
        }
    free(cells);
}

/* No other number of tiles in a row makes the longer side much shorter, and no picture has more than 4096 samples along
 * an axis unless each universe is one sample. */
static void mosaics_are_nearly_square(void **state)
{
    static const uint64_t sizes[][3] = {{1, 1, 2},         {1, 1, 1000000}, {64, 64, 65536}, {64, 48, 23},
                                        {1000, 3, 7},      {3, 1000, 50},   {5000, 10, 2},   {17, 13, 1000},
                                        {4096, 4096, 300}, {2, 2, 30000000}};
    (void) state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint64_t *size = sizes[i], universes = size[2];
        struct engine_file_array array = {.batch = true, .shape = {.rank = 3, .extent = {size[0], size[1], universes}}};
        const struct mosaic mosaic = batch_lay_out(&array, &(struct io_options){0});
        assert_true(mosaic.across * mosaic.down >= universes && mosaic.across * (mosaic.down - 1) < universes);
        assert_true(mosaic.columns == (size[0] + mosaic.block - 1) / mosaic.block);
        const uint64_t wide = mosaic.columns + mosaic.gap, high = mosaic.rows + mosaic.gap;
        assert_true(mosaic.width == mosaic.across * wide - mosaic.gap &&
                    mosaic.height == mosaic.down * high - mosaic.gap);
        const uint64_t longer = mosaic.width > mosaic.height ? mosaic.width : mosaic.height;
        assert_true(longer <= 4096 || (mosaic.columns == 1 && mosaic.rows == 1));
        for (uint64_t across = 1; across <= universes && across < 10000; across++) {
            const uint64_t down = (universes + across - 1) / across;
            const uint64_t other = across * wide > down * high ? across * wide : down * high;
            assert_true(other + mosaic.gap >= longer);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(universes_are_tiles),
        cmocka_unit_test(one_universe_can_be_chosen),
        cmocka_unit_test(lines_are_rows),
        cmocka_unit_test(mosaics_have_colours),
        cmocka_unit_test(a_component_is_shown),
        cmocka_unit_test(many_universes_are_reduced),
        cmocka_unit_test(mosaics_are_nearly_square),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
