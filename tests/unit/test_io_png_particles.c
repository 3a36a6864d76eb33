/* Pictures of particles. The pixel of a particle and its shade are computed by hand. libpng's simplified reader, which
 * the engine does not use, reads the pictures back. */
#include "io/png_particles.h"
#include "particle_files.h"

#include <math.h>
#include <png.h>

enum { SIDE_MAX = 2048 };
static uint8_t pixels[SIDE_MAX * SIDE_MAX];

struct size {
    uint32_t width, height;
};

static struct size drawn(struct io_document *document, const struct io_options *options)
{
    struct engine_error error = {0};
    png_image image = {.version = PNG_IMAGE_VERSION};
    const char *path = path_of("out.png");
    if (io_write(io_format_named("png"), path, document, options, &error) != 0)
        fail_msg("%s", error.text);
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_GRAY;
    assert_true(PNG_IMAGE_SIZE(image) <= sizeof pixels);
    assert_true(png_image_finish_read(&image, NULL, pixels, 0, NULL));
    return (struct size){image.width, image.height};
}

static uint64_t lit(struct size size)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < (uint64_t) size.width * size.height; i++)
        count += pixels[i] != 0;
    return count;
}

/* Bounds 0 … 8 by 0 … 4 on 16 x 8 pixels: two pixels per unit, with the second axis upwards. */
static void test_where_particles_fall(void **state)
{
    static const float position[] = {0,    0,    9,                    /* the lower left pixel */
                                     7.9f, 3.9f, 9,                    /* the upper right one */
                                     2.6f, 1.2f, 9, 2.9f,     1.4f, 9, /* two on column 5, row 2 from below */
                                     8,    1,    9, 1,        4,    9, -0.1f,  1,     9, 1, -0.1f, 9, /* outside */
                                     NAN,  1,    9, INFINITY, 1,    9, -1e30f, 1e30f, 9};
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory};
    add_memory(&document, "position", ENGINE_F32, 11, 3, position);
    const struct io_options options = {.bounds = {0, 8, 0, 4}, .pixels = 16};
    const struct size size = drawn(&document, &options);
    assert_int_equal(size.width, 16);
    assert_int_equal(size.height, 8);
    assert_int_equal(lit(size), 3);
    assert_int_equal(pixels[7 * 16 + 0], 80);
    assert_int_equal(pixels[0 * 16 + 15], 80);
    /* White is 256 * 11 / 128 = 22 particles: 80 + 175 * ln 2 / ln 22 = 119.2. */
    assert_int_equal(pixels[5 * 16 + 5], 119);
}

/* One particle at x = 1, y = 3, z = 5, and bounds 0 … 8 along both axes of the picture. */
static void test_axes(void **state)
{
    static const double position[] = {1, 3, 5};
    static const struct {
        uint32_t axis;
        uint64_t column, row;                      /* the row from below */
    } views[] = {{0, 1, 3}, {1, 1, 5}, {2, 3, 5}}; /* along z, y, x */
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory};
    add_memory(&document, "position", ENGINE_F64, 1, 3, position);
    for (size_t i = 0; i < 3; i++) {
        const struct io_options options = {.bounds = {0, 8, 0, 8}, .pixels = 8, .axis = views[i].axis};
        const struct size size = drawn(&document, &options);
        assert_int_equal(lit(size), 1);
        assert_int_equal(pixels[(7 - views[i].row) * 8 + views[i].column], 80);
    }
}

/* Many particles on one pixel: white is at least 8 particles, and more particles are white too. */
static void test_white(void **state)
{
    static float position[3 * 10000];
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory};
    const struct io_options options = {.bounds = {-1, 1, -1, 1}, .pixels = 1000};
    add_memory(&document, "position", ENGINE_F32, 8, 3, position);
    drawn(&document, &options);
    assert_int_equal(pixels[499 * 1000 + 500], 255);
    document.arrays[0].shape.extent[0] = 7; /* a dot: 170 + 85 * ln 7 / ln 8 = 249.5 */
    drawn(&document, &options);
    assert_int_equal(pixels[499 * 1000 + 500], 250);
    document.arrays[0].shape.extent[0] = 10000;
    drawn(&document, &options);
    assert_int_equal(pixels[499 * 1000 + 500], 255);
}

/* Coordinates 0 … 3999 along x, half of that along y, with one far out: the middle 95 % reach from 100 to 3899, so that
 * the square is 1.5 times that wide around 1999.5, and around half of that. */
static void test_bounds_are_chosen(void **state)
{
    static float position[3 * 4000];
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory};
    struct io_options options = {0};
    struct engine_error error = {0};
    for (int i = 0; i < 4000; i++) {
        const int place = i * 7 % 4000; /* in no order */
        position[3 * i] = (float) place;
        position[3 * i + 1] = (float) place / 2;
    }
    position[3 * 2857] = 1e9f; /* that of place 3999 */
    add_memory(&document, "position", ENGINE_F32, 4000, 3, position);
    assert_int_equal(io_fix_bounds(&document, &options, &error), 0);
    const double half = 0.75 * (3899 - 100);
    assert_true(options.bounds[0] == 1999.5 - half && options.bounds[1] == 1999.5 + half);
    assert_true(options.bounds[2] == 999.75 - half && options.bounds[3] == 999.75 + half);
    const struct io_options before = options;
    position[0] = 1e8f;
    assert_int_equal(io_fix_bounds(&document, &options, &error), 0);
    assert_memory_equal(&options, &before, sizeof before);
    const struct size size = drawn(&document, &(struct io_options){0});
    assert_int_equal(size.width, 1024);
    assert_int_equal(size.height, 1024);
}

static void test_a_single_particle(void **state)
{
    static const float position[] = {5, 6, 7};
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory};
    struct io_options options = {0};
    struct engine_error error = {0};
    add_memory(&document, "position", ENGINE_F32, 1, 3, position);
    assert_int_equal(io_fix_bounds(&document, &options, &error), 0);
    assert_true(options.bounds[0] == 4 && options.bounds[1] == 6 && options.bounds[2] == 5 && options.bounds[3] == 7);
    const int dot = lit(drawn(&document, &options)); /* 1024 / 128 = 8 pixels wide: an area of 50 */
    assert_in_range(dot, 45, 56);
    options.pixels = 255; /* less than twice 128 */
    assert_int_equal(lit(drawn(&document, &options)), 1);
}

/* 4096 particles far apart on 1024 x 1024 pixels are dots of 4 x 4 pixels without the corners, sqrt(1024 * 1024 / (16 *
 * 4096)) = 4 wide; 65536 particles are single pixels. */
static void test_few_particles_are_dots(void **state)
{
    static float position[65536 * 3];
    for (uint32_t i = 0; i < 65536; i++) {
        position[3 * i] = (float) (i % 64) * 16 + 8.5f;
        position[3 * i + 1] = (float) (i / 64 % 64) * 16 + 8.5f;
    }
    for (int many = 0; many < 2; many++) {
        struct memory memory = {{0}};
        struct io_document document = {.context = &memory};
        const struct io_options options = {.bounds = {0, 1024, 0, 1024}, .pixels = 1024};
        add_memory(&document, "position", ENGINE_F32, many ? 65536 : 4096, 3, position);
        assert_int_equal(lit(drawn(&document, &options)), many ? 4096 : 4096 * 12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_where_particles_fall),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_white),
        cmocka_unit_test(test_bounds_are_chosen),
        cmocka_unit_test(test_few_particles_are_dots),
        cmocka_unit_test(test_a_single_particle),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
