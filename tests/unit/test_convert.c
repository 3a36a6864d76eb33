/* Conversion of elements to another type: values that fit, values that are rounded, and values that are refused. The
 * limits are those of the types. */
#include "base/convert.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 1000 }; /* more than are handled at a time */

static void test_what_is_possible(void **state)
{
    assert_true(convert_possible(ENGINE_U8, ENGINE_F64));
    assert_true(convert_possible(ENGINE_I64, ENGINE_U8));
    assert_true(convert_possible(ENGINE_F64, ENGINE_F32));
    assert_true(convert_possible(ENGINE_C64, ENGINE_C64));
    assert_false(convert_possible(ENGINE_F32, ENGINE_I64));
    assert_false(convert_possible(ENGINE_F64, ENGINE_C128));
    assert_false(convert_possible(ENGINE_C64, ENGINE_F32));
    assert_false(convert_possible(ENGINE_C64, ENGINE_C128));
}

static void test_doubles_are_rounded_to_nearest(void **state)
{
    const double in[] = {0.1, -1.5, 16777217.0, 16777219.0, 3.4028234663852886e38, 1e-60, -0.0};
    const float should[] = {0.1f, -1.5f, 16777216.0f, 16777220.0f, 3.4028234663852886e38f, 0.0f, -0.0f};
    float out[7];
    assert_int_equal(convert_elements(ENGINE_F64, in, 7, ENGINE_F32, out), 7);
    assert_memory_equal(out, should, sizeof out);
}

static void test_a_double_beyond_floats_is_found(void **state)
{
    static double in[MANY];
    static float out[MANY];
    in[777] = 3.5e38;
    assert_int_equal(convert_elements(ENGINE_F64, in, MANY, ENGINE_F32, out), 777);
    in[300] = -1e39;
    assert_int_equal(convert_elements(ENGINE_F64, in, MANY, ENGINE_F32, out), 300);
}

static void test_infinity_and_nan_stay(void **state)
{
    const double in[] = {INFINITY, -INFINITY, NAN};
    float out[3];
    assert_int_equal(convert_elements(ENGINE_F64, in, 3, ENGINE_F32, out), 3);
    assert_true(isinf(out[0]) && out[0] > 0);
    assert_true(isinf(out[1]) && out[1] < 0);
    assert_true(isnan(out[2]));
}

static void test_integers_fit_or_do_not(void **state)
{
    const int64_t in[] = {0, 255, -128, 127, INT64_MAX, INT64_MIN, 256};
    const uint64_t most = UINT64_MAX;
    uint8_t u8;
    int8_t i8;
    int64_t i64;
    uint64_t u64;
    double f64;
    assert_int_equal(convert_elements(ENGINE_I64, in + 1, 1, ENGINE_U8, &u8), 1);
    assert_int_equal(u8, 255);
    assert_int_equal(convert_elements(ENGINE_I64, in + 6, 1, ENGINE_U8, &u8), 0);
    assert_int_equal(convert_elements(ENGINE_I64, in + 2, 1, ENGINE_U8, &u8), 0);
    assert_int_equal(convert_elements(ENGINE_I64, in + 2, 1, ENGINE_I8, &i8), 1);
    assert_int_equal(i8, -128);
    assert_int_equal(convert_elements(ENGINE_I64, in + 4, 1, ENGINE_U64, &u64), 1);
    assert_true(u64 == (uint64_t) INT64_MAX);
    assert_int_equal(convert_elements(ENGINE_U64, &most, 1, ENGINE_I64, &i64), 0);
    assert_int_equal(convert_elements(ENGINE_U64, &most, 1, ENGINE_U64, &u64), 1);
    assert_true(u64 == UINT64_MAX);
    assert_int_equal(convert_elements(ENGINE_I64, in + 5, 1, ENGINE_F64, &f64), 1);
    assert_true(f64 == -9223372036854775808.0);
}

static void test_values_within_a_limit(void **state)
{
    const uint8_t bytes[] = {0, 1, 3, 2, 1};
    const int32_t with_negative[] = {0, 2, -1};
    assert_int_equal(convert_within(ENGINE_U8, bytes, 5, 3), 5);
    assert_int_equal(convert_within(ENGINE_U8, bytes, 5, 2), 2);
    assert_int_equal(convert_within(ENGINE_I32, with_negative, 3, 2), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_possible),
        cmocka_unit_test(test_doubles_are_rounded_to_nearest),
        cmocka_unit_test(test_a_double_beyond_floats_is_found),
        cmocka_unit_test(test_infinity_and_nan_stay),
        cmocka_unit_test(test_integers_fit_or_do_not),
        cmocka_unit_test(test_values_within_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
