/* Canonical arrays: filling, reading, comparing. */
#include "judge/conform/conform.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t z = a * UINT64_C(0xd1342543de82ef95) + b * UINT64_C(0x9e3779b97f4a7c15) + 1;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static bool is_real(uint32_t type)
{
    return type >= ENGINE_F32 && type < TYPE_COUNT;
}

/* Numbers an element consists of: two for complex ones. */
static uint32_t parts(uint32_t type)
{
    return type == ENGINE_C64 || type == ENGINE_C128 ? 2 : 1;
}

double element_value(const void *array, uint32_t type, uint64_t index)
{
    switch (type) {
    case ENGINE_U8:
        return ((const uint8_t *) array)[index];
    case ENGINE_I8:
        return ((const int8_t *) array)[index];
    case ENGINE_U16:
        return ((const uint16_t *) array)[index];
    case ENGINE_I16:
        return ((const int16_t *) array)[index];
    case ENGINE_U32:
        return ((const uint32_t *) array)[index];
    case ENGINE_I32:
        return ((const int32_t *) array)[index];
    case ENGINE_U64:
        return (double) ((const uint64_t *) array)[index];
    case ENGINE_I64:
        return (double) ((const int64_t *) array)[index];
    case ENGINE_F32:
    case ENGINE_C64:
        return (double) ((const float *) array)[index];
    default:
        return ((const double *) array)[index];
    }
}

void element_set(void *array, uint32_t type, uint64_t index, double value)
{
    const uint32_t bytes = type_bytes(type) / parts(type);
    const uint64_t whole = is_real(type) ? 0 : (uint64_t) (int64_t) value; /* machine order: the low bytes come first */
    const float single = (float) value;
    uint8_t *at = (uint8_t *) array + index * bytes;
    memcpy(at,
           !is_real(type) ? (const void *) &whole
           : bytes == 4   ? (const void *) &single
                          : (const void *) &value,
           bytes);
}

/* ---- Filling ------------------------------------------------------------------------------------------------ */

static uint64_t elements(const struct engine_shape *shape)
{
    uint64_t count = 0;
    REQUIRE(shape_elements(shape, &count), "a field is too large");
    return count;
}

/* Empty arrays for the fields that are there. */
static struct cells cells_make(const struct rig *rig)
{
    struct cells cells = {.count = rig->plan->plugin->about.fields.count};
    for (uint32_t i = 0; i < cells.count; i++) {
        cells.shape[i] = state_geometry(rig->state, i)->shape;
        if (rig->plan->fields[i].buffers)
            cells.at[i] = calloc(elements(&cells.shape[i]), type_bytes(cells.shape[i].type));
    }
    return cells;
}

/* Between 0 and 1, or one of the field's values. */
static double random_value(const struct engine_field *field, uint32_t type, uint64_t bits)
{
    if (is_real(type))
        return (double) (bits >> 40) * 0x1p-24;
    const uint64_t values = field->values ? field->values : type <= ENGINE_I8 ? 100 : 1000;
    return (double) (bits % values);
}

struct cells cells_random(const struct rig *rig, uint64_t seed)
{
    struct cells cells = cells_make(rig);
    for (uint32_t i = 0; i < cells.count; i++) {
        const struct engine_field *field = rig->plan->fields[i].about;
        const uint32_t type = cells.shape[i].type;
        if (field->role == ENGINE_OUTPUT || !cells.at[i])
            continue;
        for (uint64_t e = 0; e < elements(&cells.shape[i]) * parts(type); e++)
            element_set(cells.at[i], type, e, random_value(field, type, mix(seed + i, e)));
    }
    return cells;
}

struct cells cells_read(const struct rig *rig)
{
    struct cells cells = cells_make(rig);
    struct engine_error error;
    for (uint32_t i = 0; i < cells.count; i++)
        if (cells.at[i])
            REQUIRE(state_read(rig->state, i, 0, elements(&cells.shape[i]), cells.at[i], &error) == 0, "%s",
                    error.text);
    return cells;
}

void cells_write(struct rig *rig, const struct cells *cells)
{
    struct engine_error error;
    for (uint32_t i = 0; i < cells->count; i++)
        if (cells->at[i])
            REQUIRE(state_write(rig->state, i, 0, elements(&cells->shape[i]), cells->at[i], &error) == 0, "%s",
                    error.text);
}

void cells_free(struct cells *cells)
{
    for (uint32_t i = 0; i < cells->count; i++)
        free(cells->at[i]);
    *cells = (struct cells){0};
}

/* ---- Comparing ---------------------------------------------------------------------------------------------- */

double tolerance_of(const struct engine_impl *impl)
{
    return impl->flags & ENGINE_EXACT ? 0 : impl->tolerance;
}

static const char *name_of(uint32_t field)
{
    return subject.plugin->about.fields.at[field].name;
}

static double largest(const void *array, uint32_t type, uint64_t count)
{
    double most = 0;
    for (uint64_t i = 0; i < count; i++)
        most = fmax(most, fabs(element_value(array, type, i)));
    return most;
}

/* The first element that differs, or `count`. */
static uint64_t find_difference(const void *is, const void *should, uint32_t type, uint64_t count, double tolerance)
{
    const double allowed = tolerance > 0 ? tolerance * largest(should, type, count) : 0;
    const uint32_t bytes = type_bytes(type) / parts(type);
    for (uint64_t i = 0; i < count; i++) {
        const double error = fabs(element_value(is, type, i) - element_value(should, type, i));
        const bool same_bits =
            memcmp((const uint8_t *) is + i * bytes, (const uint8_t *) should + i * bytes, bytes) == 0;
        if (!same_bits && !(tolerance > 0 && error <= allowed))
            return i;
    }
    return count;
}

static void compare_field(const struct cells *is, const struct cells *should, uint32_t field, double tolerance,
                          const char *what)
{
    const struct engine_shape *shape = &is->shape[field];
    REQUIRE(memcmp(shape->extent, should->shape[field].extent, sizeof shape->extent) == 0, "%s: %s has another shape",
            what, name_of(field));
    const uint64_t count = elements(shape) * parts(shape->type);
    const uint64_t i = find_difference(is->at[field], should->at[field], shape->type, count, tolerance);
    if (i == count)
        return;
    const uint64_t cell = i / shape->components / parts(shape->type), width = shape->extent[0],
                   height = shape->extent[1];
    property_fails("%s: %s at %llu %llu %llu is %.9g, expected %.9g", what, name_of(field),
                   (unsigned long long) (cell % width), (unsigned long long) (cell / width % height),
                   (unsigned long long) (cell / width / height), element_value(is->at[field], shape->type, i),
                   element_value(should->at[field], shape->type, i));
}

void cells_compare(const struct cells *is, const struct cells *should, double tolerance, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    for (uint32_t i = 0; i < is->count; i++)
        if (is->at[i] && plan_is_result(&subject.plugin->about.fields.at[i]))
            compare_field(is, should, i, tolerance, what);
}
