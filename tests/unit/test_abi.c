/* The binary interface: the frozen numbers of abi_layout.h, and the macros and accessors of plugin.h. This test is
 * compiled with ENGINE_MINOR = ENGINE_ABI_MINOR. tests/abi compiles the numbers for every minor version. */
#include <engine/format.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "abi_layout.h"
#include "format_layout.h"

VALUE(ENGINE_ABI_MINOR, 16);

static int advance(void *self, struct engine_call *call)
{
    (void) self, (void) call;
    return ENGINE_OK;
}

static const char *const words[] = {"one", "two", NULL};

static const struct engine_param params[] = {
    {ENGINE_INTEGER_PARAM("a", "an integer", "1", -2, 3), .unit = "cells", .flags = ENGINE_PARAM_TUNING},
    {ENGINE_REAL_PARAM("b", "a real", "1.5", 0.5, 2.5)},
    {ENGINE_FLAG_PARAM("c", "a flag", "no")},
    {ENGINE_TEXT_PARAM("d", "a text", "B3/S23"), .file_key = "rule"},
    {ENGINE_CHOICE_PARAM("e", "a choice", "two", words)},
};

static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("cells", "a grid", ENGINE_STATE, ENGINE_F32, 2), .reach = {1, 2, 0}, .range = {0, 5}},
    {ENGINE_PARTICLE_FIELD("position", "particles", ENGINE_INPUT, ENGINE_F64, 3)},
    {ENGINE_MATRIX_FIELD("matrix", "a matrix", ENGINE_STATE, ENGINE_CONFIGURED)},
    {ENGINE_BIN_FIELD("counts", "bins", ENGINE_U64), .reduction = ENGINE_REDUCE_SUM},
};

static const struct engine_metric metrics[] = {{ENGINE_METRIC("energy", "J", "a metric")}};
static const struct engine_generator generators[] = {{ENGINE_GENERATOR("square", "a generator")}};

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "on the host", 10, ENGINE_EXACT | ENGINE_REFERENCE), .advance = advance},
    {ENGINE_CUDA_IMPL("cuda", "on a device", 20, ENGINE_EXACT), .batch = 8, .advance = advance},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("test", "0.1", "of the test"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .generators = ENGINE_ARRAY(generators),
    .impls = ENGINE_ARRAY(impls),
};

/* The first 20 bytes of every descriptor, of any major version. */
static void descriptor_starts_with_magic_and_versions(void **state)
{
    (void) state;
    static const uint8_t expected[] = {'E', 'N', 'G', 'P', 'L', 'U', 'G', 0, 1, 0, 16, 0, 184, 0, 0, 0, 8, 0, 0, 0};
    assert_memory_equal(&engine_plugin, expected, sizeof expected);
}

static void arrays_say_count_and_element_size(void **state)
{
    (void) state;
    assert_ptr_equal(engine_plugin.impls.at, impls);
    assert_int_equal(engine_plugin.impls.count, 2);
    assert_int_equal(engine_plugin.impls.item_size, 112);
    assert_int_equal(engine_plugin.fields.count, 4);
    assert_int_equal(engine_plugin.fields.item_size, 88);
}

static void assert_param(const struct engine_param *param, uint32_t type, const char *initial, double min, double max)
{
    assert_int_equal(param->type, type);
    assert_string_equal(param->initial, initial);
    assert_true(param->min == min && param->max == max);
    assert_non_null(param->help);
}

static void initialisers_of_parameters_set_their_members_and_no_others(void **state)
{
    (void) state;
    assert_param(&params[0], ENGINE_PARAM_INTEGER, "1", -2, 3);
    assert_param(&params[1], ENGINE_PARAM_REAL, "1.5", 0.5, 2.5);
    assert_param(&params[2], ENGINE_PARAM_FLAG, "no", 0, 0);
    assert_param(&params[3], ENGINE_PARAM_TEXT, "B3/S23", 0, 0);
    assert_param(&params[4], ENGINE_PARAM_CHOICE, "two", 0, 0);
    assert_ptr_equal(params[4].choices, words);
    assert_string_equal(params[0].name, "a");
    assert_string_equal(params[0].unit, "cells");
    assert_int_equal(params[0].flags, ENGINE_PARAM_TUNING);
    assert_true(params[1].flags == 0 && !params[1].unit && !params[1].choices && !params[1].check);
    assert_true(params[3].file_key && !params[4].file_key);
}

static void initialisers_of_fields_set_kind_role_type_components_and_rank(void **state)
{
    (void) state;
    static const uint32_t expected[4][5] = {{ENGINE_GRID, ENGINE_STATE, ENGINE_F32, 1, 2},
                                            {ENGINE_PARTICLES, ENGINE_INPUT, ENGINE_F64, 3, 0},
                                            {ENGINE_MATRIX, ENGINE_STATE, ENGINE_CONFIGURED, 1, 0},
                                            {ENGINE_BINS, ENGINE_OUTPUT, ENGINE_U64, 1, 0}};
    for (size_t i = 0; i < 4; i++) {
        const uint32_t found[] = {fields[i].kind, fields[i].role, fields[i].type, fields[i].components, fields[i].rank};
        assert_memory_equal(found, expected[i], sizeof found);
    }
    assert_true(fields[0].reach[1] == 2 && fields[0].range[1] == 5 && fields[0].values == 0);
    assert_int_equal(fields[3].reduction, ENGINE_REDUCE_SUM);
}

static void initialisers_of_the_other_tables_set_their_members(void **state)
{
    (void) state;
    assert_string_equal(engine_plugin.name, "test");
    assert_string_equal(engine_plugin.version, "0.1");
    assert_string_equal(engine_plugin.summary, "of the test");
    assert_string_equal(metrics[0].name, "energy");
    assert_string_equal(metrics[0].unit, "J");
    assert_string_equal(generators[0].help, "a generator");
    assert_int_equal(impls[0].memory, ENGINE_HOST_MEMORY);
    assert_int_equal(impls[1].memory, ENGINE_CUDA_MEMORY);
    assert_int_equal(impls[0].flags, ENGINE_EXACT | ENGINE_REFERENCE);
    assert_true(impls[1].rank == 20 && impls[1].batch == 8 && impls[1].tolerance == 0 && !impls[1].probe);
}

/* A host of a later minor version has larger elements: accessors step by the size that the array states. */
static void accessors_step_by_the_stated_element_size(void **state)
{
    (void) state;
    static char memory[3 * 200];
    struct engine_plan plan = {.params = {(const void *) memory, 3, 200}, .shapes = {(const void *) memory, 3, 200}};
    struct engine_call call = {.buffers = {(const void *) memory, 3, 200}};
    assert_ptr_equal(engine_param_value(&plan, 2), memory + 400);
    assert_ptr_equal(engine_field_shape(&plan, 1), memory + 200);
    assert_ptr_equal(engine_field_buffer(&call, 2), memory + 400);
}

static void typed_accessors_give_the_parameter_in_its_type(void **state)
{
    (void) state;
    static const struct engine_value values[] = {
        {INT64_MIN, -9.2e18, "-9223372036854775808"}, {0, 2.5, "2.5"}, {1, 1, "yes"}, {0, 0, "B36/S23"}, {1, 1, "two"}};
    const struct engine_plan plan = {.params = ENGINE_ARRAY(values)};
    assert_true(engine_param_integer(&plan, 0) == INT64_MIN);
    assert_true(engine_param_real(&plan, 1) == 2.5);
    assert_int_equal(engine_param_flag(&plan, 2), 1);
    assert_string_equal(engine_param_text(&plan, 3), "B36/S23");
    assert_int_equal(engine_param_choice(&plan, 4), 1);
}

/* No plan has such a parameter: a number that nobody takes for a value, and no memory behind the table. */
static void given_no_such_parameter_when_read_then_it_is_no_number(void **state)
{
    (void) state;
    static const struct engine_value values[] = {{1, 1, "1"}, {2, 2, "2"}};
    const struct engine_plan plan = {.params = {values, 1, sizeof values[0]}};
    for (uint32_t index = 1; index < 3; index++) {
        assert_true(isnan(engine_param_real(&plan, index)));
        assert_true(engine_param_integer(&plan, index) == INT64_MIN);
        assert_string_equal(engine_param_text(&plan, index), "");
    }
}

static void rows_are_strides_away_from_the_origin_and_ghost_rows_before_it(void **state)
{
    (void) state;
    static uint16_t planes[2][5][6][8]; /* which, z, y, x; the origin is at (1, 2, 2) */
    const struct engine_buffer buffer = {.origin = {&planes[0][2][2][1], &planes[1][2][2][1]},
                                         .row_stride = sizeof planes[0][0][0],
                                         .plane_stride = sizeof planes[0][0]};
    assert_ptr_equal(engine_row(&buffer, 0, 0, 0), &planes[0][2][2][1]);
    assert_ptr_equal(engine_row(&buffer, 1, 3, 1), &planes[1][3][5][1]);
    assert_ptr_equal(engine_row(&buffer, 0, -2, -1), &planes[0][1][0][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptor_starts_with_magic_and_versions),
        cmocka_unit_test(arrays_say_count_and_element_size),
        cmocka_unit_test(initialisers_of_parameters_set_their_members_and_no_others),
        cmocka_unit_test(initialisers_of_fields_set_kind_role_type_components_and_rank),
        cmocka_unit_test(initialisers_of_the_other_tables_set_their_members),
        cmocka_unit_test(accessors_step_by_the_stated_element_size),
        cmocka_unit_test(typed_accessors_give_the_parameter_in_its_type),
        cmocka_unit_test(given_no_such_parameter_when_read_then_it_is_no_number),
        cmocka_unit_test(rows_are_strides_away_from_the_origin_and_ghost_rows_before_it),
    };
    return cmocka_run_group_tests_name("the binary interface", tests, NULL, NULL);
}
