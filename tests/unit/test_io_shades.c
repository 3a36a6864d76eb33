/* Pictures of grids of any real type: shades for a range of values, and colour maps, read back with libpng. */
#include "files/io.h"
#include "folder.h"
#include "png_files.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 7 };

struct source {
    struct io_document document;
    const void *elements;
};

static int read_source(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                       struct engine_error *error)
{
    const struct source *source = document->context;
    const uint32_t bytes = type_bytes(document->arrays[array].shape.type);
    (void) error;
    memcpy(out, (const char *) source->elements + begin * bytes, count * bytes);
    return 0;
}

static struct engine_file_array row_of(uint32_t type, uint32_t values)
{
    return (struct engine_file_array){
        .name = "v", .values = values, .shape = {sizeof(struct engine_shape), type, 1, 2, {WIDTH, 1, 1}}};
}

static double field_range[2]; /* of the array; equal: not given */

/* The picture's first pixels as red, green, blue. */
static void draw(struct engine_file_array array, const void *elements, struct io_options options,
                 uint8_t pixels[WIDTH][3])
{
    struct engine_error error;
    struct source source = {.elements = elements};
    source.document.count = 1;
    source.document.arrays[0] = array;
    memcpy(source.document.looks[0].range, field_range, sizeof field_range);
    source.document.read = read_source;
    source.document.context = &source;
    options.scale = 1;
    assert_int_equal(io_write(io_format_named("png"), path_of("v.png"), &source.document, &options, &error), 0);
    const struct png_size size = read_png(path_of("v.png"), PNG_FORMAT_RGB, pixels[0], WIDTH * sizeof *pixels);
    assert_int_equal(size.width * size.height, array.shape.extent[0] * array.shape.extent[1]);
}

static void expect_greys(struct engine_file_array array, const void *elements, struct io_options options,
                         const uint8_t greys[WIDTH])
{
    uint8_t pixels[WIDTH][3];
    draw(array, elements, options, pixels);
    for (int x = 0; x < WIDTH; x++)
        for (int c = 0; c < 3; c++)
            assert_int_equal(pixels[x][c], greys[x]);
}

static const float some[WIDTH] = {-1, 0, 0.25f, 0.5f, 1, 2, NAN};

static void floats_go_from_zero_to_one_unless_told(void **state)
{
    (void) state;
    struct engine_file_array array = row_of(ENGINE_F32, 0);
    const struct io_options none = {0}, told = {.range = {-1, 1}}, falling = {.range = {1, 0}};
    expect_greys(array, some, none, (const uint8_t[]){0, 0, 64, 128, 255, 255, 0});
    expect_greys(array, some, told, (const uint8_t[]){0, 128, 159, 191, 255, 255, 0});
    expect_greys(array, some, falling, (const uint8_t[]){255, 255, 191, 128, 0, 0, 0});
    field_range[1] = 0.5; /* as the field says; what is told goes before it */
    expect_greys(array, some, none, (const uint8_t[]){0, 0, 128, 255, 255, 255, 0});
    expect_greys(array, some, told, (const uint8_t[]){0, 128, 159, 191, 255, 255, 0});
    field_range[1] = 0;
}

static void integers_go_to_their_highest_value(void **state)
{
    (void) state;
    const int16_t cells[WIDTH] = {0, 1, 2, 3, 4, 5, -1};
    const uint8_t bytes[WIDTH] = {0, 100, 125, 150, 175, 200, 255};
    expect_greys(row_of(ENGINE_I16, 6), cells, (struct io_options){0}, (const uint8_t[]){0, 51, 102, 153, 204, 255, 0});
    expect_greys(row_of(ENGINE_U8, 0), bytes, (struct io_options){.range = {100, 200}},
                 (const uint8_t[]){0, 0, 64, 128, 191, 255, 255});
}

static void large_grids_are_means_of_shades(void **state)
{
    (void) state;
    static double wide[2 * 4100];
    static uint8_t pixels[2 * 4100][3];
    struct engine_file_array array = row_of(ENGINE_F64, 0);
    for (int i = 0; i < 2 * 4100; i++)
        wide[i] = i % 2; /* blocks of 2 x 2, half of each white */
    array.shape.extent[0] = 4100;
    array.shape.extent[1] = 2;
    struct source source = {.elements = wide};
    struct engine_error error;
    source.document.count = 1;
    source.document.arrays[0] = array;
    source.document.read = read_source;
    source.document.context = &source;
    assert_int_equal(
        io_write(io_format_named("png"), path_of("w.png"), &source.document, &(struct io_options){0}, &error), 0);
    assert_int_equal(read_png(path_of("w.png"), PNG_FORMAT_RGB, pixels[0], sizeof pixels).width, 2050);
    assert_int_equal(pixels[1000][0], 128);
}

/* Thirds of the maps, as R's viridisLite prints viridis(4) and inferno(4). */
static void colour_maps_are_the_published_ones(void **state)
{
    (void) state;
    static const struct {
        enum io_colours colours;
        uint8_t rgb[4][3];
    } maps[] = {
        {IO_VIRIDIS, {{0x44, 0x01, 0x54}, {0x31, 0x68, 0x8e}, {0x35, 0xb7, 0x79}, {0xfd, 0xe7, 0x25}}},
        {IO_INFERNO, {{0x00, 0x00, 0x04}, {0x78, 0x1c, 0x6d}, {0xed, 0x69, 0x25}, {0xfc, 0xff, 0xa4}}},
    };
    const uint8_t cells[WIDTH] = {0, 85, 170, 255, 0, 0, 0};
    uint8_t pixels[WIDTH][3];
    for (int i = 0; i < 2; i++) {
        draw(row_of(ENGINE_U8, 0), cells, (struct io_options){.colours = maps[i].colours}, pixels);
        assert_memory_equal(pixels, maps[i].rgb, sizeof maps[i].rgb);
    }
}

/* Between the points of the table straight lines stay within 7 of matplotlib's colours: its 40, 128 and 210. */
static void colours_between_are_near(void **state)
{
    (void) state;
    static const struct {
        int shade;
        uint8_t viridis[3], inferno[3];
    } published[] = {
        {40, {69, 55, 129}, {47, 10, 91}}, {128, {33, 145, 140}, {188, 55, 84}}, {210, {137, 213, 72}, {252, 176, 20}}};
    uint8_t viridis[256][3], inferno[256][3];
    colours_make(IO_VIRIDIS, viridis);
    colours_make(IO_INFERNO, inferno);
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++) {
            assert_in_range(viridis[published[i].shade][c] - published[i].viridis[c] + 7, 0, 14);
            assert_in_range(inferno[published[i].shade][c] - published[i].inferno[c] + 7, 0, 14);
        }
}

static void two_values_stay_black_and_white(void **state)
{
    (void) state;
    const uint8_t cells[WIDTH] = {0, 1, 1, 0, 1, 0, 0};
    expect_greys(row_of(ENGINE_U8, 2), cells, (struct io_options){.colours = IO_VIRIDIS},
                 (const uint8_t[]){0, 255, 255, 0, 255, 0, 0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_go_from_zero_to_one_unless_told),
        cmocka_unit_test(integers_go_to_their_highest_value),
        cmocka_unit_test(large_grids_are_means_of_shades),
        cmocka_unit_test(colour_maps_are_the_published_ones),
        cmocka_unit_test(colours_between_are_near),
        cmocka_unit_test(two_values_stay_black_and_white),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
