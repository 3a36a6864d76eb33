/* Pictures of particles. Pixels and their shades are computed by hand: a disc covers a pixel by radius + 1/2 - distance
 * of their centres, from 0 to 1; the level 1 has a fixed shade, and larger levels follow their logarithm.
 * png_files.h reads the pictures back. */
#include "formats/pictures/brightness.h"
#include "formats/pictures/discs.h"
#include "particle_files.h"
#include "png_files.h"
#include "record/view.h"

#include <math.h>
#include <stdlib.h>

enum { SIDE_MAX = 1024 };
static uint8_t pixels[SIDE_MAX * SIDE_MAX * 3];

/* The shade of one particle: 255 * 0.4 in a picture of the density, 255 * 0.7, rounded up, where it is a disc. */
enum { ONE = 102, DISC = 179 };

/* In shades of grey. */
static struct png_size drawn(struct io_document *document, const struct io_options *options)
{
    struct engine_error error = {0};
    struct io_options grey = *options;
    grey.colours = IO_GREY;
    if (io_write(io_format_named("png"), path_of("out.png"), document, &grey, &error) != 0)
        fail_msg("%s", error.text);
    return read_png(path_of("out.png"), PNG_FORMAT_GRAY, pixels, sizeof pixels);
}

/* In a row of the picture, or all of it. */
static uint64_t lit(const uint8_t *from, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += from[i] != 0;
    return sum;
}

/* Bounds 0 … 8 by 0 … 4 on 16 x 8 pixels: two pixels per unit, with the second axis upwards. The discs are 1.4 pixels
 * wide. One on the centre of a pixel covers this pixel, and a fifth of each of the four next to it. */
static void particles_fall_on_their_pixels(void **state)
{
    static const float position[] = {0.25f, 0.25f, 9,                     /* the lower left pixel */
                                     7.75f, 3.75f, 9,                     /* the upper right one */
                                     2.75f, 1.25f, 9, 2.75f,    1.25f, 9, /* two on column 5, row 2 from below */
                                     9,     1,     9, 1,        5,     9, -1,     1,     9, 1, -1, 9, /* outside */
                                     NAN,   1,     9, INFINITY, 1,     9, -1e30f, 1e30f, 9};
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory};
    (void) state;
    add_memory(&document, "position", ENGINE_F32, 11, 3, position);
    const struct io_options options = {.bounds = {0, 8, 0, 4}, .pixels = 16, .white = 8};
    const struct png_size size = drawn(&document, &options);
    assert_int_equal(size.width, 16);
    assert_int_equal(size.height, 8);
    assert_int_equal(lit(pixels, 16 * 8), 3 + 3 + 5);
    assert_int_equal(pixels[7 * 16 + 0], ONE);
    assert_int_equal(pixels[7 * 16 + 1], 20); /* 102 / 5 */
    assert_int_equal(pixels[6 * 16 + 0], 20);
    assert_int_equal(pixels[0 * 16 + 15], ONE);
    assert_int_equal(pixels[5 * 16 + 5], 153); /* two: 255 * (0.4 + 0.6 ln 2 / ln 8) */
    assert_int_equal(pixels[5 * 16 + 4], 41);  /* two fifths */
}

/* One particle at x = 1.5, y = 3.5, z = 5.5, and bounds 0 … 8 along both axes of the picture. */
static void the_axis_of_view_is_chosen(void **state)
{
    static const double position[] = {1.5, 3.5, 5.5};
    static const struct {
        uint32_t axis;
        uint64_t column, row;                      /* the row from below */
    } views[] = {{0, 1, 3}, {1, 1, 5}, {2, 3, 5}}; /* along z, y, x */
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory};
    (void) state;
    add_memory(&document, "position", ENGINE_F64, 1, 3, position);
    for (size_t i = 0; i < 3; i++) {
        const struct io_options options = {.bounds = {0, 8, 0, 8}, .pixels = 8, .axis = views[i].axis};
        drawn(&document, &options);
        assert_int_equal(lit(pixels, 64), 5);
        assert_int_equal(pixels[(7 - views[i].row) * 8 + views[i].column], ONE);
    }
}

/* ---- Discs ------------------------------------------------------------------------------------------------------ */

/* A particle alone is 1024 / 64 = 16 pixels wide. Its centre is the corner of four pixels, at (512, 512). */
static void a_disc_has_a_smooth_edge(void **state)
{
    static const float position[] = {5, 6, 7};
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory};
    struct io_options options = {0};
    struct engine_error error = {0};
    (void) state;
    add_memory(&document, "position", ENGINE_F32, 1, 3, position);
    assert_int_equal(view_fix_bounds(&document, &options, &error), 0);
    assert_true(options.bounds[0] == 4 && options.bounds[1] == 6 && options.bounds[2] == 5 && options.bounds[3] == 7);
    drawn(&document, &options);
    assert_int_equal(pixels[511 * 1024 + 512], DISC);
    assert_int_equal(pixels[511 * 1024 + 520], 0);  /* 8.5 to the right: 8.5 - sqrt(8.5^2 + 0.5^2) < 0 */
    assert_int_equal(pixels[508 * 1024 + 519], 40); /* 178.5 * (8.5 - sqrt(7.5^2 + 3.5^2)) = 39.9 */
    assert_int_equal(pixels[508 * 1024 + 504], 40); /* its mirror images */
    assert_int_equal(pixels[515 * 1024 + 519], 40);
    assert_in_range(lit(pixels, 1024 * 1024), 201, 227); /* between the areas of the radii 8 and 8.5 */

    const struct io_options colours = {.colours = IO_AUTO};
    static const uint8_t inferno[3] = {245, 125, 21}; /* matplotlib's at 0.7; the background is 0 0 4 */
    assert_int_equal(io_write(io_format_named("png"), path_of("a.png"), &document, &colours, &error), 0);
    read_png(path_of("a.png"), PNG_FORMAT_RGB, pixels, sizeof pixels);
    for (int c = 0; c < 3; c++) {
        const int ground = c == 2 ? 4 : 0, edge = ground + (inferno[c] - ground) * 40 / 179;
        assert_int_equal(pixels[c], ground);
        assert_in_range(pixels[3 * (511 * 1024 + 512) + c], inferno[c] - 7, inferno[c] + 7);
        assert_in_range(pixels[3 * (508 * 1024 + 519) + c] + 3, edge, edge + 6);
    }
}

/* 4096 particles lie 16 pixels apart and are discs of half as many; the shade of one particle is that of a disc. If
 * there are 65536, sixteen on each of these places, they are 2 pixels wide and the picture shows the density. */
static void few_particles_are_discs_and_many_a_density(void **state)
{
    static float position[65536 * 3];
    (void) state;
    for (uint32_t i = 0; i < 65536; i++) {
        position[3 * i] = (float) (i % 64) * 16 + 8.5f;
        position[3 * i + 1] = (float) (i / 64 % 64) * 16 + 8.5f;
    }
    for (int many = 0; many < 2; many++) {
        struct memory memory = {{0}};
        struct io_document document = {.context = &memory};
        const struct io_options options = {.bounds = {0, 1024, 0, 1024}, .pixels = 1024, .white = 256};
        add_memory(&document, "position", ENGINE_F32, many ? 65536 : 4096, 3, position);
        drawn(&document, &options);
        assert_int_equal(lit(pixels + 1024 * 1015, 1024), 64 * (many ? 3 : 9)); /* the row of 8.5 from below */
        assert_int_equal(pixels[1015 * 1024 + 8], many ? 179 : DISC); /* 255 * (0.4 + 0.6 / 2) for 16 of 256 */
        assert_int_equal(pixels[1015 * 1024 + 9], many ? 159 : DISC); /* half of it: 0.4 + 0.6 ln 8 / ln 256 */
    }
}

/* ---- The brightest shade -------------------------------------------------------------------------------------- */

/* 995 levels of 2 and five of 100 = 2^6 (1 + 9/16). Five of a thousand may be brighter than the brightest shade. */
static void the_brightest_levels_do_not_decide(void **state)
{
    static float levels[1200];
    const struct discs discs = {.width = 40, .height = 30, .levels = levels};
    (void) state;
    for (int i = 0; i < 1000; i++)
        levels[i] = i % 200 == 7 ? 100 : 2;
    levels[1100] = 0.4f; /* the edge of a disc does not count */
    assert_true(discs_level(&discs, 0.005) == 2 * (1 + 1 / 16.0));
    assert_true(discs_level(&discs, 0.004) == 64 * (1 + 10 / 16.0));
    memset(levels, 0, sizeof levels);
    assert_true(discs_level(&discs, 0.005) == 0);
}

static void shades_follow_the_logarithm(void **state)
{
    const struct brightness brightness = {.one = 0.4, .white = 16};
    (void) state;
    assert_int_equal(brightness_shade(&brightness, 0), 0);
    assert_int_equal(brightness_shade(&brightness, 0.5), 51);
    assert_int_equal(brightness_shade(&brightness, 1), 102);
    assert_int_equal(brightness_shade(&brightness, 2), 140); /* 0.4 + 0.6 / 4 = 0.55 */
    assert_int_equal(brightness_shade(&brightness, 4), 179); /* 178.5 */
    assert_int_equal(brightness_shade(&brightness, 16), 255);
    assert_int_equal(brightness_shade(&brightness, 1e9), 255);
}

/* The first picture of a series has 40 particles on one pixel. The shade of two particles is the same in all
 * pictures. */
static void a_series_keeps_its_scale(void **state)
{
    static float position[100 * 3];
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory};
    struct io_options options = {.bounds = {0, 32, 0, 32}, .pixels = 32}, fresh = options;
    struct engine_error error = {0};
    (void) state;
    for (int i = 0; i < 100; i++) {
        const int place = i < 40 ? 0 : i - 38; /* two particles on place 2 */
        position[3 * i] = (float) (place % 8) * 4 + 2.5f;
        position[3 * i + 1] = (float) (place / 8) * 3 + 2.5f;
    }
    memcpy(position + 3 * 41, position + 3 * 40, 3 * sizeof *position);
    add_memory(&document, "position", ENGINE_F32, 100, 3, position);
    assert_int_equal(view_fix_white(&document, &options, &error), 0);
    assert_true(options.white == 42); /* 40 = 2^5 (1 + 4/16), and the upper end of that sixteenth is 42 */
    drawn(&document, &options);
    const uint8_t two = pixels[(31 - 2) * 32 + 10];
    assert_int_equal(two, 130);  /* 255 * (0.4 + 0.6 ln 2 / ln 42) */
    for (int i = 0; i < 40; i++) /* the crowd is gone */
        position[3 * i] = -10;
    assert_int_equal(view_fix_white(&document, &options, &error), 0);
    drawn(&document, &options);
    assert_int_equal(pixels[(31 - 2) * 32 + 10], two);
    drawn(&document, &fresh); /* and alone the picture has another scale */
    assert_true(pixels[(31 - 2) * 32 + 10] > two);
}

/* Where all levels are 1, up to 17/16, the brightest shade is left for particles that crowd later: 16 * 17/16. */
static void an_even_picture_leaves_room_for_crowds(void **state)
{
    static float position[64 * 3];
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory};
    struct io_options options = {.bounds = {0, 32, 0, 32}, .pixels = 32},
                      empty = {.bounds = {90, 91, 0, 1}, .pixels = 32};
    struct engine_error error = {0};
    (void) state;
    for (int i = 0; i < 64; i++) {
        position[3 * i] = (float) (i % 8) * 4 + 2.5f;
        position[3 * i + 1] = (float) (i / 8) * 3 + 2.5f;
    }
    add_memory(&document, "position", ENGINE_F32, 64, 3, position);
    assert_int_equal(view_fix_white(&document, &options, &error), 0);
    assert_true(options.white == 17);
    assert_int_equal(view_fix_white(&document, &empty, &error), 0);
    assert_true(empty.white == 4);
}

/* ---- Masses ----------------------------------------------------------------------------------------------------- */

/* Masses 1 and 3: half of the mean, and one and a half. */
static void masses_can_be_shown(void **state)
{
    static const float position[] = {0.25f, 0.25f, 0, 4.25f, 0.25f, 0};
    static const double mass[] = {1, 3};
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory};
    struct io_options options = {.bounds = {0, 8, 0, 4}, .pixels = 16, .white = 8};
    (void) state;
    add_memory(&document, "position", ENGINE_F32, 2, 3, position);
    drawn(&document, &options);
    assert_true(pixels[7 * 16] == ONE && pixels[7 * 16 + 8] == ONE);
    options.weigh = true;
    drawn(&document, &options); /* without masses all are the same */
    assert_true(pixels[7 * 16] == ONE && pixels[7 * 16 + 8] == ONE);
    add_memory(&document, "mass", ENGINE_F64, 2, 1, mass);
    drawn(&document, &options);
    assert_int_equal(pixels[7 * 16], 51);
    assert_int_equal(pixels[7 * 16 + 8], 132); /* 255 * (0.4 + 0.6 ln 1.5 / ln 8) */
    options.weigh = false;
    drawn(&document, &options);
    assert_true(pixels[7 * 16] == ONE && pixels[7 * 16 + 8] == ONE);
}

/* Masses 0, 1, 8 and 10^6 among many: the mean is 1. A disc of the mean mass is 16 pixels wide on 1024. */
static void heavy_particles_are_larger_discs(void **state)
{
    enum { COUNT = 4 };
    static const float position[] = {100.5f, 100.5f, 0, 300.5f, 100.5f, 0, 500.5f, 100.5f, 0, 800.5f, 100.5f, 0};
    static const float mass[][COUNT] = {{0, 1, 8, -5}, {0, 0, 0, NAN}, {0, 1, 1e30f, 1}};
    /* The mean of the first row is 9/4: radii 8 cbrt(4/9) = 6.10 and 8 cbrt(32/9) = 12.21, least 0.7. In the last row
     * the heaviest would have 8 cbrt(4) = 12.70. A row has the pixels within radius + 1/2 of the centre. */
    static const uint64_t wide[][COUNT] = {{3, 13, 25, 3}, {3, 3, 3, 3}, {3, 3, 27, 3}};
    struct io_options options = {.bounds = {0, 1024, 0, 1024}, .pixels = 1024, .size_by_mass = true};
    (void) state;
    for (int i = 0; i < 3; i++) {
        struct memory memory = {{0}};
        struct io_document document = {.context = &memory};
        add_memory(&document, "position", ENGINE_F32, COUNT, 3, position);
        add_memory(&document, "mass", ENGINE_F32, COUNT, 1, mass[i]);
        drawn(&document, &options);
        for (int p = 0; p < COUNT; p++)
            assert_int_equal(lit(pixels + (1023 - 100) * 1024 + (int) position[3 * p] - 60, 120), wide[i][p]);
        assert_int_equal(pixels[(1023 - 100) * 1024 + 500], DISC); /* a large disc is no brighter */
    }
}

/* ---- Depth ------------------------------------------------------------------------------------------------------ */

/* With depth, the shade is 255 for the nearest particles and 255 * 0.2 = 51 for the farthest. On 64 x 64 pixels, discs
 * of four pixels, a sixteenth, lie on centres of pixels. A pixel to the left, a quarter of the disc's area lies inside,
 * and the shade is 1 - 0.4 / 4 = 0.9 of it. */
static void near_particles_hide_far_ones(void **state)
{
    static const float position[] = {10.5f, 20.5f, 30, 10.5f, 20.5f, 10, /* one behind another, the nearest first, */
                                     40.5f, 50.5f, 10, 40.5f, 50.5f, 20, /* or last */
                                     60.5f, 5.5f,  31, 30.5f, 5.5f,  9}; /* beyond the range */
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory};
    struct io_options options = {.bounds = {0, 64, 0, 64}, .pixels = 64, .deep = true, .depth = {10, 30}};
    (void) state;
    add_memory(&document, "position", ENGINE_F32, 6, 3, position);
    drawn(&document, &options);
    const uint8_t *first = pixels + (63 - 20) * 64 + 10, *second = pixels + (63 - 50) * 64 + 40;
    assert_int_equal(first[0], 255);
    assert_in_range(first[-1], 229, 230); /* 229.5 */
    assert_int_equal(second[0], 153);     /* 255 * (0.2 + 0.8 / 2) */
    assert_int_equal(second[-1], 138);    /* 137.7 */
    assert_int_equal(pixels[(63 - 5) * 64 + 60], 255);
    assert_int_equal(pixels[(63 - 5) * 64 + 30], 51);
    options.slab = true;
    drawn(&document, &options);
    assert_int_equal(first[0], 255);
    assert_int_equal(lit(pixels + (63 - 8) * 64, 8 * 64), 0);
}

/* The nearest particle along z and x has the largest coordinate, and along y the smallest: x points to the right and z
 * up. The range follows from the box with its margin, a fiftieth. */
static void the_viewer_has_a_side(void **state)
{
    static const double position[] = {1, 2, 3, 9, 8, 7};
    static const struct {
        uint32_t axis;
        uint64_t column, row; /* of the first particle, in halves of a unit, the row from below */
        double nearness;      /* of the first particle */
    } views[] = {{0, 2, 4, 3.2 / 10.4}, {1, 2, 6, 1 - 2.2 / 10.4}, {2, 4, 6, 1.2 / 10.4}}; /* along z, y, x */
    (void) state;
    for (size_t i = 0; i < 3; i++) {
        struct memory memory = {{0}};
        struct io_document document = {.context = &memory, .header.frame.box = {10, 10, 10}};
        const struct io_options options = {
            .bounds = {0, 64, 0, 64}, .pixels = 128, .axis = views[i].axis, .deep = true};
        add_memory(&document, "position", ENGINE_F64, 2, 3, position);
        drawn(&document, &options);
        /* The centre is a corner of four pixels: 0.4 of 1/2 of the square of the radius, 4, are lost. */
        const double shade = 255 * (0.2 + 0.8 * views[i].nearness) * (1 - 0.4 * 0.5 / 16);
        const uint8_t is = pixels[(127 - views[i].row) * 128 + views[i].column];
        assert_true(fabs(is - shade) < 1);
    }
}

/* ---- Bounds ----------------------------------------------------------------------------------------------------- */

/* Coordinates 0 … 3999 along x, half of that along y, with one far out: the middle 95 % reach from 100 to 3899, so that
 * the square is 1.5 times that wide around 1999.5, and around half of that. */
static void bounds_are_chosen(void **state)
{
    static float position[3 * 4000];
    struct memory memory = {{0}};
    struct io_document document = {.context = &memory};
    struct io_options options = {0};
    struct engine_error error = {0};
    (void) state;
    for (int i = 0; i < 4000; i++) {
        const int place = i * 7 % 4000; /* in no order */
        position[3 * i] = (float) place;
        position[3 * i + 1] = (float) place / 2;
    }
    position[3 * 2857] = 1e9f; /* that of place 3999 */
    add_memory(&document, "position", ENGINE_F32, 4000, 3, position);
    assert_int_equal(view_fix_bounds(&document, &options, &error), 0);
    const double half = 0.75 * (3899 - 100);
    assert_true(options.bounds[0] == 1999.5 - half && options.bounds[1] == 1999.5 + half);
    assert_true(options.bounds[2] == 999.75 - half && options.bounds[3] == 999.75 + half);
    const struct io_options before = options;
    position[0] = 1e8f;
    assert_int_equal(view_fix_bounds(&document, &options, &error), 0);
    assert_memory_equal(&options, &before, sizeof before);
    const struct png_size size = drawn(&document, &(struct io_options){0});
    assert_int_equal(size.width, 1024);
    assert_int_equal(size.height, 1024);
}

/* A box of 10 x 20 x 40 that begins at -5, 0, 3. A margin of a fiftieth of its longer edge surrounds it. */
static void a_periodic_box_is_shown_whole(void **state)
{
    static const double position[] = {-4, 5, 40, 4.5, 19, 41};
    static const double boxes[][6] = {{10, 20, 40}, {10, 20, 40, 1}, {10, 0, 40}, {1, 1, 40}};
    static const struct io_header header = {.frame.corner = {-5, 0, 3}};
    (void) state;
    for (int i = 0; i < 4; i++) {
        struct memory memory = {{0}};
        struct io_document document = {.context = &memory, .header = header};
        struct io_options along_z = {0}, along_x = {.axis = 2};
        struct engine_error error = {0};
        memcpy(document.header.frame.box, boxes[i], sizeof boxes[i]);
        add_memory(&document, "position", ENGINE_F64, 2, 3, position);
        assert_int_equal(view_fix_bounds(&document, &along_z, &error), 0);
        assert_int_equal(view_fix_bounds(&document, &along_x, &error), 0);
        const double wanted[] = {-5.4, 5.4, -0.4, 20.4}, other[] = {-0.8, 20.8, 2.2, 43.8};
        const bool whole = i == 0; /* not if it is tilted, open, or does not hold the particles */
        for (int k = 0; k < 4; k++) {
            assert_int_equal(fabs(along_z.bounds[k] - wanted[k]) < 1e-12, whole);
            assert_int_equal(fabs(along_x.bounds[k] - other[k]) < 1e-12, whole);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particles_fall_on_their_pixels),
        cmocka_unit_test(the_axis_of_view_is_chosen),
        cmocka_unit_test(a_disc_has_a_smooth_edge),
        cmocka_unit_test(few_particles_are_discs_and_many_a_density),
        cmocka_unit_test(the_brightest_levels_do_not_decide),
        cmocka_unit_test(shades_follow_the_logarithm),
        cmocka_unit_test(a_series_keeps_its_scale),
        cmocka_unit_test(an_even_picture_leaves_room_for_crowds),
        cmocka_unit_test(masses_can_be_shown),
        cmocka_unit_test(heavy_particles_are_larger_discs),
        cmocka_unit_test(near_particles_hide_far_ones),
        cmocka_unit_test(the_viewer_has_a_side),
        cmocka_unit_test(bounds_are_chosen),
        cmocka_unit_test(a_periodic_box_is_shown_whole),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
