/* Compares order statistics with counts by hand. The quartiles are those that numpy.percentile gives for the same
 * numbers. */
#include "files/statistics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void one_value_is_all_of_them(void **state)
{
    (void) state;
    double values[] = {3.5};
    const struct statistics s = statistics_of(values, 1);
    assert_true(s.min == 3.5 && s.first_quartile == 3.5 && s.median == 3.5 && s.third_quartile == 3.5 && s.max == 3.5);
}

static void the_middle_of_an_odd_number(void **state)
{
    (void) state;
    double values[] = {5, 1, 4, 2, 3};
    const struct statistics s = statistics_of(values, 5);
    assert_true(s.min == 1 && s.first_quartile == 2 && s.median == 3 && s.third_quartile == 4 && s.max == 5);
}

static void between_the_middle_two_of_an_even_number(void **state)
{
    (void) state;
    double values[] = {10, 40, 20, 30};
    const struct statistics s = statistics_of(values, 4);
    assert_true(s.median == 25 && s.first_quartile == 17.5 && s.third_quartile == 32.5);
}

static void one_slow_run_does_not_move_the_median(void **state)
{
    (void) state;
    double values[] = {1, 1, 1000, 1, 1};
    const struct statistics s = statistics_of(values, 5);
    assert_true(s.median == 1 && s.third_quartile == 1 && s.max == 1000);
}

static void the_ends_are_quantiles_too(void **state)
{
    (void) state;
    const double sorted[] = {1, 2, 4};
    assert_true(quantile_of(sorted, 3, 0) == 1 && quantile_of(sorted, 3, 1) == 4);
    assert_true(quantile_of(sorted, 3, 0.75) == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_value_is_all_of_them),
        cmocka_unit_test(the_middle_of_an_odd_number),
        cmocka_unit_test(between_the_middle_two_of_an_even_number),
        cmocka_unit_test(one_slow_run_does_not_move_the_median),
        cmocka_unit_test(the_ends_are_quantiles_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
