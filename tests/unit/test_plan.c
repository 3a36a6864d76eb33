/* The shapes of a plan's fields. A shape holds three extents (engine/plugin.h). */
#include "plan/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct plan plan; /* its settings alone are used */

static void a_batch_is_one_more_axis(void **state)
{
    const struct engine_shape row = {.rank = 1, .extent = {7}}, plane = {.rank = 2, .extent = {7, 5}};
    (void) state;
    plan.settings.universes = 9;
    const struct engine_shape rows = plan_batch_shape(&plan, &row), planes = plan_batch_shape(&plan, &plane);
    assert_int_equal(rows.rank, 2);
    assert_int_equal(rows.extent[1], 9);
    assert_int_equal(planes.rank, 3);
    assert_int_equal(planes.extent[2], 9);
}

static void no_shape_has_four_axes(void **state)
{
    const struct engine_shape volume = {.rank = 3, .extent = {7, 5, 3}};
    (void) state;
    plan.settings.universes = 9;
    const struct engine_shape same = plan_batch_shape(&plan, &volume);
    assert_int_equal(same.rank, 3);
    assert_memory_equal(same.extent, volume.extent, sizeof volume.extent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_one_more_axis),
        cmocka_unit_test(no_shape_has_four_axes),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
