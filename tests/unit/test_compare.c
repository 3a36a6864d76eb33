/* Comparing arrays: the first element that differs, the number of such elements, and the size of the difference. */
#include "judge/compare.h"
#include "tests/library/runs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct comparison compared(bool numbers, uint32_t type, const void *is, const void *should, uint64_t count)
{
    struct comparison comparison;
    struct engine_error error;
    assert_int_equal(comparison_open(&comparison, numbers, &error), 0);
    comparison_add(&comparison, type, is, should, count);
    return comparison;
}

static void equal_arrays_do_not_differ(void **state)
{
    (void) state;
    const uint8_t cells[] = {0, 1, 1, 0};
    const struct comparison c = compared(false, ENGINE_U8, cells, cells, 4);
    assert_int_equal(c.elements, 4);
    assert_int_equal(c.differing, 0);
}

static void the_first_difference_is_named_across_pieces(void **state)
{
    (void) state;
    const uint16_t is[] = {1, 2, 3, 4, 5, 6}, should[] = {1, 2, 3, 9, 5, 7};
    struct comparison c = compared(false, ENGINE_U16, is, should, 2);
    comparison_add(&c, ENGINE_U16, is + 2, should + 2, 4);
    char text[2][64];
    assert_int_equal(c.elements, 6);
    assert_int_equal(c.differing, 2);
    assert_int_equal(c.first.element, 3);
    difference_texts(ENGINE_U16, &c.first, text[0], text[1]);
    assert_string_equal(text[0], "4");
    assert_string_equal(text[1], "9");
}

static void bits_that_mean_the_same_number_differ(void **state)
{
    (void) state;
    const float is[] = {0.0f}, should[] = {-0.0f};
    struct comparison c = compared(true, ENGINE_F32, is, should, 1);
    assert_int_equal(c.differing, 1);
    assert_true(comparison_deviation(&c).max == 0);
    comparison_close(&c);
}

static void errors_are_relative_to_the_largest_value(void **state)
{
    (void) state;
    const double should[] = {1, -8, 2, 4}, is[] = {1, -8, 3, 4}; /* one error of 1, the largest value is 8 */
    struct comparison c = compared(true, ENGINE_F64, is, should, 4);
    const struct deviation d = comparison_deviation(&c);
    assert_true(d.max == 0.125);
    assert_true(fabs(d.rms - 0.0625) < 1e-15); /* sqrt(1 / 4) / 8 */
    assert_true(d.median == 0);
    comparison_close(&c);
}

static void quantiles_are_near_and_never_too_small(void **state)
{
    (void) state;
    static float is[10000], should[10000]; /* errors 1, 2, … 10000 on a largest value of 2^20 */
    for (int i = 0; i < 10000; i++) {
        should[i] = 1048576;
        is[i] = 1048576 + (float) ((i * 7919) % 10000 + 1);
    }
    struct comparison c = compared(true, ENGINE_F32, is, should, 10000);
    const struct deviation d = comparison_deviation(&c);
    assert_true(d.max == 10000 / 1048576.0);
    assert_true(d.median >= 5000 / 1048576.0 && d.median <= 5000 / 1048576.0 * 1.016);
    assert_true(d.p999 >= 9990 / 1048576.0 && d.p999 <= d.max);
    comparison_close(&c);
}

static void what_is_no_number_is_an_infinite_error(void **state)
{
    (void) state;
    const float should[] = {1, 2, INFINITY, NAN}, same[] = {1, 2, INFINITY, NAN}, is[] = {1, NAN, INFINITY, NAN};
    struct comparison c = compared(true, ENGINE_F32, same, should, 4);
    assert_true(comparison_deviation(&c).max == 0);
    comparison_close(&c);
    c = compared(true, ENGINE_F32, is, should, 4);
    assert_true(isinf(comparison_deviation(&c).max));
    comparison_close(&c);
}

static void an_error_where_all_should_be_zero_is_infinite(void **state)
{
    (void) state;
    const int32_t should[] = {0, 0}, is[] = {0, 1};
    struct comparison c = compared(true, ENGINE_I32, is, should, 2);
    assert_true(isinf(comparison_deviation(&c).max));
    comparison_close(&c);
}

static void complex_numbers_have_two_parts(void **state)
{
    (void) state;
    const float should[] = {3, -4, 0, 0}, is[] = {3, -5, 0, 0};
    struct comparison c = compared(true, ENGINE_C64, is, should, 2);
    char text[2][64];
    assert_int_equal(c.elements, 2);
    assert_int_equal(c.differing, 1);
    assert_true(comparison_deviation(&c).max == 0.25);
    difference_texts(ENGINE_C64, &c.first, text[0], text[1]);
    assert_string_equal(text[0], "3-5i");
    comparison_close(&c);
}

/* The texts of two elements: is, then should. */
static void texts_of(uint32_t type, const void *is, const void *should, char text[2][64])
{
    struct comparison c = compared(false, type, is, should, 1);
    assert_int_equal(c.differing, 1);
    difference_texts(type, &c.first, text[0], text[1]);
}

static void values_that_differ_look_different(void **state)
{
    (void) state;
    const uint64_t large = UINT64_MAX, less = UINT64_MAX - 1;
    const float one = 1.0f, more = nextafterf(1.0f, 2.0f);
    const double a = 16.9777819, b = nextafter(a, 17);
    const uint32_t nan = 0x7fc00000, other_nan = 0x7fc00001; /* bits of IEEE 754 */
    char text[2][64];
    texts_of(ENGINE_U64, &large, &less, text);
    assert_string_equal(text[0], "18446744073709551615");
    assert_string_equal(text[1], "18446744073709551614");
    texts_of(ENGINE_F32, &one, &more, text);
    assert_string_not_equal(text[0], text[1]);
    texts_of(ENGINE_F64, &a, &b, text);
    assert_string_not_equal(text[0], text[1]);
    texts_of(ENGINE_F32, &nan, &other_nan, text);
    assert_string_equal(text[0], "nan (0x7fc00000)");
    assert_string_equal(text[1], "nan (0x7fc00001)");
}

static void places_have_the_names_of_their_axes(void **state)
{
    (void) state;
    const struct engine_field grid = {.kind = ENGINE_GRID}, particles = {.kind = ENGINE_PARTICLES},
                              matrix = {.kind = ENGINE_MATRIX};
    const struct engine_shape volume = {.components = 1, .rank = 3, .extent = {10, 20, 30}};
    const struct engine_shape points = {.components = 3, .rank = 1, .extent = {100, 1, 1}};
    const struct engine_shape table = {.components = 1, .rank = 2, .extent = {5, 7, 1}};
    char text[96];
    assert_string_equal(element_place(&grid, &volume, 10 * (20 * 4 + 3) + 2, text), "(x 2, y 3, z 4)");
    assert_string_equal(element_place(&particles, &points, 3 * 41 + 2, text), "(41, component 2)");
    assert_string_equal(element_place(&matrix, &table, 13, text), "(column 3, row 2)");
}

/* A run with one cell that lives. */
static struct engine_run *with_cell(const struct engine_config *config, uint64_t x, uint64_t y, uint64_t z)
{
    struct engine_run *run;
    struct engine_error error;
    const struct engine_box box = {{x, y, z}, {x + 1, y + 1, z + 1}};
    const uint8_t live = 1;
    if (engine_run_plan_steps(config, NULL, &run, &error) != 0 || engine_run_choose(run, "cpu", &error) != 0 ||
        engine_run_start(run, &error) != 0 || engine_run_write(run, 0, &box, &live, 1, &error) != 0)
        fail_msg("%s", error.text);
    return run;
}

/* Fields of more than a MiB are compared piece by piece: pieces of rows, rows, planes. The run with the cell
 * (width - 1, 0, 0) is compared with the one with the last cell. */
static void runs_are_compared_in_pieces(void **state)
{
    (void) state;
    static const struct {
        const char *plugin, *size;
        uint64_t width, height, depth;
    } grids[] = {{"life2d-bit", "grid.size=2500000 2", 2500000, 2, 1},
                 {"life2d-bit", "grid.size=1501 1499", 1501, 1499, 1},
                 {"life3d-packed", "grid.size=1024 1025 2", 1024, 1025, 2},
                 {"life3d-packed", "grid.size=201 149 71", 201, 149, 71}};
    struct engine_context *context;
    struct engine_error error;
    assert_int_equal(open_built_context((struct engine_hooks){0}, &context, &error), 0);
    for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++) {
        const uint64_t width = grids[i].width, height = grids[i].height, depth = grids[i].depth;
        struct engine_config *config;
        struct comparison comparison;
        char plugin[64];
        snprintf(plugin, sizeof plugin, "run.plugin=%s", grids[i].plugin);
        assert_int_equal(engine_config_open(context, NULL, &config, &error), 0);
        assert_int_equal(engine_config_set(config, plugin, &error), 0);
        assert_int_equal(engine_config_set(config, grids[i].size, &error), 0);
        struct engine_run *is = with_cell(config, width - 1, 0, 0);
        struct engine_run *should = with_cell(config, width - 1, height - 1, depth - 1);
        assert_int_equal(comparison_open(&comparison, false, &error), 0);
        assert_int_equal(comparison_add_field(&comparison, is, should, 0, &error), 0);
        assert_int_equal(comparison.elements, width * height * depth);
        assert_int_equal(comparison.differing, 2);
        assert_int_equal(comparison.first.element, width - 1);
        assert_int_equal(comparison.first.is[0], 1);
        comparison_close(&comparison);
        engine_run_close(should);
        engine_run_close(is);
        engine_config_close(config);
    }
    engine_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_arrays_do_not_differ),
        cmocka_unit_test(the_first_difference_is_named_across_pieces),
        cmocka_unit_test(bits_that_mean_the_same_number_differ),
        cmocka_unit_test(errors_are_relative_to_the_largest_value),
        cmocka_unit_test(quantiles_are_near_and_never_too_small),
        cmocka_unit_test(what_is_no_number_is_an_infinite_error),
        cmocka_unit_test(an_error_where_all_should_be_zero_is_infinite),
        cmocka_unit_test(complex_numbers_have_two_parts),
        cmocka_unit_test(values_that_differ_look_different),
        cmocka_unit_test(places_have_the_names_of_their_axes),
        cmocka_unit_test(runs_are_compared_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
