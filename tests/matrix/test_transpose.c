/* transpose: compares every implementation that can run here, for elements of every size, with a loop that exchanges
 * two indices. */
#include "config/param.h"
#include "tests/candidate.h"
#include "tests/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct matrix {
    uint64_t rows, columns, batch;
};

static const struct matrix sizes[] = {
    {1, 1, 1},     {1, 7, 1},     {7, 1, 1},       {1, 1000, 1},    {1000, 1, 2},    {2, 2, 1},     {17, 33, 1},
    {33, 17, 3},   {64, 64, 1},   {65, 63, 2},     {129, 127, 1},   {3, 5000, 1},    {5000, 3, 1},  {128, 1024, 1},
    {1024, 64, 1}, {257, 515, 1}, {1025, 1031, 1}, {1030, 1030, 2}, {1111, 1025, 3}, {2050, 70, 1}, {300, 300, 1},
};

static struct registry *registry;

static int open_registry(void **state)
{
    (void) state;
    struct engine_error error;
    return open_built_plugins(&registry, &error);
}

static int close_registry(void **state)
{
    (void) state;
    registry_close(registry);
    return 0;
}

static struct config *configure(const struct matrix *size, const char *element)
{
    struct config *config;
    struct engine_error error;
    char text[4][64];
    snprintf(text[0], sizeof text[0], "matrix.rows=%llu", (unsigned long long) size->rows);
    snprintf(text[1], sizeof text[1], "matrix.columns=%llu", (unsigned long long) size->columns);
    snprintf(text[2], sizeof text[2], "matrix.batch=%llu", (unsigned long long) size->batch);
    snprintf(text[3], sizeof text[3], "matrix.element=%s", element);
    assert_int_equal(config_open(NULL, &config, &error), 0);
    assert_int_equal(config_set(config, "run.plugin=transpose", &error), 0);
    assert_int_equal(config_set(config, "run.threads=3", &error), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(config_set(config, text[i], &error), 0);
    return config;
}

/* Bytes that hardly repeat. */
static void fill(uint8_t *bytes, uint64_t count)
{
    uint32_t x = 12345;
    for (uint64_t i = 0; i < count; i++) {
        x = x * 1664525 + 1013904223;
        bytes[i] = (uint8_t) (x >> 24);
    }
}

/* What a matrix becomes: the definition. */
static void turn(const struct matrix *size, uint64_t element, const uint8_t *from, uint8_t *to)
{
    for (uint64_t z = 0; z < size->batch; z++)
        for (uint64_t y = 0; y < size->rows; y++)
            for (uint64_t x = 0; x < size->columns; x++)
                memcpy(to + ((z * size->columns + x) * size->rows + y) * element,
                       from + ((z * size->rows + y) * size->columns + x) * element, element);
}

/* A run of 1 step and 2 more: turned after the first, and after all three. `straight`, `turned`: what it starts from,
 * and what it should become. */
static void check_run(struct candidate *candidate, const uint8_t *straight, const uint8_t *turned, uint64_t elements,
                      uint64_t bytes, const char *what)
{
    struct engine_error error;
    uint8_t *is = malloc(bytes);
    assert_int_equal(state_write(candidate->state, 0, 0, elements, straight, &error), 0);
    for (uint64_t steps = 1; steps <= 2; steps++) {
        assert_int_equal(candidate_advance(candidate, steps, UINT64_MAX, &error), 0);
        memset(is, 0x5a, bytes);
        assert_int_equal(state_read(candidate->state, 0, 0, elements, is, &error), 0);
        if (memcmp(is, turned, bytes) != 0)
            fail_msg("%s: wrong after step %llu", what, (unsigned long long) candidate->state->step);
    }
    free(is);
}

static uint32_t check_size(const char *impl, const struct matrix *size, const char *element, uint64_t element_bytes)
{
    struct config *config = configure(size, element);
    struct candidate candidate;
    struct engine_error error;
    char what[160];
    const uint64_t elements = size->rows * size->columns * size->batch, bytes = elements * element_bytes;
    snprintf(what, sizeof what, "%s, %llu x %llu x %llu %s", impl, (unsigned long long) size->rows,
             (unsigned long long) size->columns, (unsigned long long) size->batch, element);
    const bool runs = candidate_open(config, registry, impl, &candidate, &error) == 0;
    if (runs) {
        uint8_t *straight = malloc(bytes), *turned = malloc(bytes);
        fill(straight, bytes);
        turn(size, element_bytes, straight, turned);
        check_run(&candidate, straight, turned, elements, bytes, what);
        candidate_close(&candidate);
        free(straight), free(turned);
    } else if (!strstr(error.text, "not compiled") && !strstr(error.text, "works in place") &&
               !strstr(error.text, "driver") && !strstr(error.text, "device"))
        fail_msg("%s: %s", what, error.text);
    config_close(config);
    return runs;
}

static void check_element(const char *element, uint64_t bytes)
{
    static const char *const impls[] = {"cpu-serial", "cpu",  "cpu-in-place", "cuda-naive",
                                        "cuda-tiled", "cuda", "cuda-in-place"};
    for (size_t i = 0; i < sizeof impls / sizeof impls[0]; i++) {
        uint32_t runs = 0;
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            runs += check_size(impls[i], &sizes[s], element, bytes);
        if (strncmp(impls[i], "cpu", 3) == 0)
            assert_int_equal(runs, strstr(impls[i], "in-place") ? 5 : sizeof sizes / sizeof sizes[0]);
    }
}

static void turns_bytes(void **state)
{
    (void) state;
    check_element("uint8", 1);
}

static void turns_two_bytes(void **state)
{
    (void) state;
    check_element("int16", 2);
}

static void turns_four_bytes(void **state)
{
    (void) state;
    check_element("float32", 4);
}

static void turns_eight_bytes(void **state)
{
    (void) state;
    check_element("complex64", 8);
}

static void turns_sixteen_bytes(void **state)
{
    (void) state;
    check_element("complex128", 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_bytes),       cmocka_unit_test(turns_two_bytes),     cmocka_unit_test(turns_four_bytes),
        cmocka_unit_test(turns_eight_bytes), cmocka_unit_test(turns_sixteen_bytes),
    };
    return cmocka_run_group_tests_name("transpose", tests, open_registry, close_registry);
}
