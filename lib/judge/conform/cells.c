#include "judge/conform/cells.h"
#include "base/convert.h"
#include "judge/compare.h"
#include "judge/conform/calls.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXTREME_PIECE = 29 }; /* numbers that follow each other and are equal */

uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t z = a * UINT64_C(0xd1342543de82ef95) + b * UINT64_C(0x9e3779b97f4a7c15) + 1;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* ---- Filling ------------------------------------------------------------------------------------------------ */

static uint64_t elements(const struct test *test, const struct engine_shape *shape)
{
    uint64_t count = 0;
    REQUIRE(test, shape_elements(shape, &count), "a field is too large");
    return count;
}

/* Zeroed arrays for the fields that are not absent. */
static struct cells cells_make(const struct fixture *fixture)
{
    struct cells cells = {.test = fixture->test, .count = fixture->test->plugin->fields.count};
    for (uint32_t i = 0; i < cells.count; i++) {
        cells.shape[i].size = sizeof cells.shape[i];
        engine_run_shape(fixture->run, i, &cells.shape[i]);
        if (!fixture_lacks(fixture, i))
            cells.at[i] = calloc(elements(fixture->test, &cells.shape[i]), type_bytes(cells.shape[i].type));
    }
    return cells;
}

struct cells cells_read(const struct fixture *fixture)
{
    struct cells cells = cells_make(fixture);
    struct engine_error error;
    for (uint32_t i = 0; i < cells.count; i++)
        if (cells.at[i])
            REQUIRE(fixture->test,
                    engine_run_fetch(fixture->run, i, 0, elements(fixture->test, &cells.shape[i]), cells.at[i],
                                     &error) == 0,
                    "%s", error.text);
    calls_check(fixture->test, "unpack");
    return cells;
}

void cells_write(struct fixture *fixture, const struct cells *cells)
{
    struct engine_error error;
    for (uint32_t i = 0; i < cells->count; i++)
        if (cells->at[i])
            REQUIRE(fixture->test,
                    engine_run_feed(fixture->run, i, 0, elements(fixture->test, &cells->shape[i]), cells->at[i],
                                    &error) == 0,
                    "%s", error.text);
    calls_check(fixture->test, "pack");
}

void set_number(void *element, uint32_t type, double value)
{
    const int64_t whole = (int64_t) value;
    const bool is_real = type == ENGINE_F32 || type == ENGINE_F64;
    if (type == ENGINE_U8 && whole >= 0 && whole <= UINT8_MAX)
        *(uint8_t *) element = (uint8_t) whole; /* the usual type, without the detour */
    else if (type == ENGINE_F32 && isfinite(value))
        *(float *) element = (float) value;
    else
        convert_elements(is_real ? ENGINE_F64 : ENGINE_I64, is_real ? (const void *) &value : &whole, 1, type, element);
}

/* The number of values that cells take in this configuration; 0: every one of the type. */
static uint32_t values_of(const struct fixture *fixture, uint32_t field)
{
    const struct engine_plugin *plugin = fixture->test->plugin;
    uint32_t values = plugin->fields.at[field].values;
    if (plugin->values)
        plugin->values(fixture->host, fixture->plan, field, &values);
    return values;
}

/* Between 0 and 1 where the type is real or complex, else one of the values. */
static double random_value(uint32_t values, uint32_t type, uint64_t bits, bool extreme)
{
    const bool is_real = type >= ENGINE_F32 && type < TYPE_COUNT;
    values = values ? values : type <= ENGINE_I8 ? 100 : 1000;
    if (extreme)
        return (double) (bits % 2 * (is_real ? 1 : values - 1));
    return is_real ? (double) (bits >> 40) * 0x1p-24 : (double) (bits % values);
}

/* The edge of the box along a component of positions; 1 for others, and where the box is open. */
static double edge_of(const struct fixture *fixture, uint32_t field, uint64_t component)
{
    const struct engine_field *about = &fixture->test->plugin->fields.at[field];
    const bool placed = about->kind == ENGINE_PARTICLES && strcmp(about->name, "position") == 0 && component < 3;
    const double edge = placed ? fixture->plan->box[component] : 0;
    return edge > 0 ? edge : 1;
}

static struct cells random_cells(const struct fixture *fixture, uint64_t seed)
{
    struct cells cells = cells_make(fixture);
    for (uint32_t i = 0; i < cells.count; i++) {
        const uint32_t values = values_of(fixture, i);
        const uint32_t type = cells.shape[i].type;
        if (fixture->test->plugin->fields.at[i].role == ENGINE_OUTPUT || !cells.at[i])
            continue;
        /* A complex element is two numbers. */
        const uint32_t number_type = type == ENGINE_C64 ? ENGINE_F32 : type == ENGINE_C128 ? ENGINE_F64 : type;
        const uint64_t numbers = elements(fixture->test, &cells.shape[i]) * element_numbers(type);
        const bool extreme = seed >= CELLS_FULL && fixture->test->plugin->fields.at[i].kind == ENGINE_GRID;
        for (uint64_t n = 0; n < numbers; n++) {
            const uint64_t bits = mix(seed + i, extreme ? n / EXTREME_PIECE : n);
            set_number((uint8_t *) cells.at[i] + n * type_bytes(number_type), number_type,
                       random_value(values, type, extreme && seed == CELLS_FULL ? 1 : bits, extreme) *
                           edge_of(fixture, i, n % cells.shape[i].components));
        }
    }
    return cells;
}

/* The initial state that fixture_open fills in, from another seed. */
static struct cells described_cells(const struct fixture *fixture, uint64_t seed)
{
    struct setup setup = fixture->setup;
    setup.seed = seed;
    struct fixture *other = fixture_open(fixture->test, fixture->impl, setup);
    REQUIRE(fixture->test, other, "size %s is refused with another seed: %s", SIZE_TEXT(fixture->test, &setup),
            fixture->test->refusal);
    struct cells cells = cells_read(other);
    fixture_close(other);
    return cells;
}

struct cells cells_start(const struct fixture *fixture, uint64_t seed)
{
    return fixture_has_init(fixture->test) ? described_cells(fixture, seed) : random_cells(fixture, seed);
}

void cells_free(struct cells *cells)
{
    for (uint32_t i = 0; i < cells->count; i++)
        free(cells->at[i]);
    *cells = (struct cells){0};
}

struct cells cells_after(struct test *test, const struct engine_impl *impl, struct setup setup,
                         const struct cells *start, uint64_t first, uint64_t steps)
{
    setup.step = first;
    struct fixture *fixture = fixture_open(test, impl, setup);
    REQUIRE(test, fixture, "%s refuses the size %s", impl->name, SIZE_TEXT(test, &setup));
    cells_write(fixture, start);
    fixture_start(fixture);
    fixture_advance(fixture, steps);
    struct cells cells = cells_read(fixture);
    fixture_close(fixture);
    return cells;
}

struct fixture *cells_run(struct test *test, const struct engine_impl *impl, struct setup setup, uint64_t seed)
{
    struct fixture *fixture = fixture_open(test, impl, setup);
    if (!fixture)
        return NULL;
    struct cells cells = cells_start(fixture, seed);
    cells_write(fixture, &cells);
    cells_free(&cells);
    fixture_start(fixture);
    return fixture;
}

bool cells_are_finite(const struct cells *cells)
{
    bool finite = true;
    for (uint32_t i = 0; i < cells->count; i++) {
        const uint32_t type = cells->shape[i].type;
        const uint64_t numbers = cells->at[i] ? elements(cells->test, &cells->shape[i]) * element_numbers(type) : 0;
        for (uint64_t n = 0; n < numbers; n++)
            finite = finite && isfinite(element_number(type, cells->at[i], n));
    }
    return finite;
}

/* ---- Comparing ------------------------------------------------------------------------------------------------- */

static void compare_field(const struct cells *is, const struct cells *should, uint32_t field, double tolerance,
                          const char *what)
{
    const struct engine_shape *shape = &is->shape[field];
    const struct engine_field *about = &is->test->plugin->fields.at[field];
    struct comparison comparison;
    struct engine_error error;
    REQUIRE(is->test, memcmp(shape->extent, should->shape[field].extent, sizeof shape->extent) == 0,
            "%s: %s has another shape", what, about->name);
    REQUIRE(is->test, comparison_open(&comparison, tolerance > 0, &error) == 0, "%s", error.text);
    comparison.components = shape->components;
    comparison_add(&comparison, shape->type, is->at[field], should->at[field], elements(is->test, shape));
    if (!comparison_holds(&comparison, tolerance)) {
        const struct difference *shown = tolerance > 0 ? &comparison.worst : &comparison.first;
        char place[96], has[64], wanted[64];
        difference_texts(shape->type, shown, has, wanted);
        test_fails(is->test, "%s: %s %s is %s, expected %s", what, about->name,
                   element_place(about, shape, shown->element, place), has, wanted);
    }
    comparison_close(&comparison);
}

void cells_compare(const struct cells *is, const struct cells *should, double tolerance, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    for (uint32_t i = 0; i < is->count; i++)
        if (is->at[i] && is->test->plugin->fields.at[i].role != ENGINE_INPUT)
            compare_field(is, should, i, tolerance, what);
}
