#include "judge/compare.h"
#include "base/error.h"
#include "base/type.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE = 1 << 20, /* bytes of a canonical array handled at a time */
    /* A class is given by the top bits of a double: its exponent and the first bits after the point. */
    CLASS_BITS = 6,
    CLASS_SHIFT = 52 - CLASS_BITS,
    CLASSES = 1 << (11 + CLASS_BITS) /* the sign bit is always 0 */
};

/* ---- Numbers ------------------------------------------------------------------------------------------------ */

uint32_t element_numbers(uint32_t type)
{
    return type == ENGINE_C64 || type == ENGINE_C128 ? 2 : 1;
}

double element_number(uint32_t type, const void *array, uint64_t index)
{
    switch (type) {
#define GET(id, ctype) \
    case id: \
        return (double) ((const ctype *) array)[index];
        GET(ENGINE_U8, uint8_t)
        GET(ENGINE_I8, int8_t)
        GET(ENGINE_U16, uint16_t)
        GET(ENGINE_I16, int16_t)
        GET(ENGINE_U32, uint32_t)
        GET(ENGINE_I32, int32_t)
        GET(ENGINE_U64, uint64_t)
        GET(ENGINE_I64, int64_t)
    case ENGINE_C64:
        GET(ENGINE_F32, float)
    default:
        return ((const double *) array)[index];
#undef GET
    }
}

static uint32_t class_of(double error)
{
    uint64_t bits;
    memcpy(&bits, &error, sizeof bits);
    return (uint32_t) (bits >> CLASS_SHIFT);
}

/* The largest number of a class, so that no quantile is reported too small. 0 shares its class with numbers that are as
 * good as 0. */
static double class_top(uint32_t class)
{
    uint64_t bits = ((uint64_t) class + 1) << CLASS_SHIFT;
    double top;
    memcpy(&top, &bits, sizeof top);
    return class == 0 ? 0 : isfinite(top) ? top : INFINITY;
}

/* Adds one number. Returns its error. */
static double measure_number(struct comparison *comparison, double is, double should)
{
    const bool same = is == should || (isnan(is) && isnan(should));
    const double error = same ? 0 : isfinite(is) && isfinite(should) ? fabs(is - should) : INFINITY;
    const double magnitude = isfinite(should) ? fabs(should) : 0;
    comparison->largest = magnitude > comparison->largest ? magnitude : comparison->largest;
    comparison->max = error > comparison->max ? error : comparison->max;
    comparison->squares += error * error;
    comparison->histogram[class_of(error)]++;
    return error;
}

static void keep_difference(struct difference *difference, uint64_t element, uint32_t type, const void *is,
                            const void *should, uint64_t index)
{
    const uint32_t bytes = type_bytes(type);
    difference->element = element;
    memcpy(difference->is, (const unsigned char *) is + index * bytes, bytes);
    memcpy(difference->should, (const unsigned char *) should + index * bytes, bytes);
}

/* Adds a cell or particle: all its components, and their real and imaginary parts, are one vector. */
static void measure_vector(struct comparison *comparison, uint32_t type, const void *is, const void *should,
                           uint64_t first, uint64_t numbers)
{
    double errors = 0, magnitudes = 0;
    for (uint64_t i = first; i < first + numbers; i++) {
        const double reference = element_number(type, should, i), before = comparison->max;
        errors = hypot(errors, measure_number(comparison, element_number(type, is, i), reference));
        magnitudes = hypot(magnitudes, isfinite(reference) ? reference : 0);
        if (comparison->max > before) {
            const uint64_t index = i / element_numbers(type);
            keep_difference(&comparison->worst, comparison->elements + index, type, is, should, index);
        }
    }
    comparison->own_relative[class_of(errors == 0 ? 0 : errors / magnitudes)]++; /* infinite where should is 0 */
}

/* ---- Bits --------------------------------------------------------------------------------------------------- */

static void count_differing(struct comparison *comparison, uint32_t type, const void *is, const void *should,
                            uint64_t count)
{
    const uint32_t bytes = type_bytes(type);
    const unsigned char *a = is, *b = should;
    if (memcmp(a, b, count * bytes) == 0)
        return;
    for (uint64_t i = 0; i < count; i++)
        if (memcmp(a + i * bytes, b + i * bytes, bytes) != 0 && comparison->differing++ == 0)
            keep_difference(&comparison->first, comparison->elements + i, type, is, should, i);
}

void comparison_add(struct comparison *comparison, uint32_t type, const void *is, const void *should, uint64_t count)
{
    count_differing(comparison, type, is, should, count);
    if (comparison->histogram) {
        const uint64_t numbers = count * element_numbers(type);
        const uint64_t of_vector = (uint64_t) comparison->components * element_numbers(type);
        for (uint64_t i = 0; i < numbers; i += of_vector)
            measure_vector(comparison, type, is, should, i, of_vector);
        comparison->numbers += numbers;
        comparison->vectors += count / comparison->components;
    }
    comparison->elements += count;
}

/* ---- Whole fields ------------------------------------------------------------------------------------------- */

int comparison_open(struct comparison *comparison, bool numbers, struct engine_error *error)
{
    *comparison = (struct comparison){.components = 1};
    if (!numbers)
        return 0;
    comparison->histogram = calloc((size_t) 2 * CLASSES, sizeof *comparison->histogram);
    if (!comparison->histogram)
        return error_memory(error, (uint64_t) 2 * CLASSES * sizeof *comparison->histogram, "a comparison");
    comparison->own_relative = comparison->histogram + CLASSES;
    return 0;
}

void comparison_close(struct comparison *comparison)
{
    free(comparison->histogram);
    comparison->histogram = comparison->own_relative = NULL;
}

/* The box of at most `most` cells that begins at a cell of a box of cells and is contiguous in it: whole planes, whole
 * rows, or a part of a row. Where the box of cells is not the whole array, it is contiguous in the array too. Returns
 * the number of its cells. */
static uint64_t next_box(const struct engine_box *all, bool whole, uint64_t cell, uint64_t most, struct engine_box *box)
{
    uint64_t cells = 1, stride = 1; /* of the axes before */
    for (int axis = 0; axis < 3; axis++) {
        const uint64_t extent = all->end[axis] - all->begin[axis];
        const uint64_t begin = cell / stride % extent, left = extent - begin;
        const uint64_t fit = most / stride > 1 && (whole || axis == 0) ? most / stride : 1, n = fit < left ? fit : left;
        box->begin[axis] = all->begin[axis] + begin;
        box->end[axis] = box->begin[axis] + n;
        cells *= n;
        stride *= extent;
    }
    return cells;
}

/* Finds the cells that may differ: those of grids in tiles lie in the boxes of both, and the cell before these is
 * background. */
static int find_cells(const struct engine_run *is, const struct engine_run *should, uint32_t field,
                      struct engine_box *all, struct engine_error *error)
{
    struct engine_box other;
    if (engine_run_bounds(is, field, all, error) != 0 || engine_run_bounds(should, field, &other, error) != 0)
        return error->status;
    for (int axis = 0; axis < 3; axis++) {
        all->begin[axis] = other.begin[axis] < all->begin[axis] ? other.begin[axis] : all->begin[axis];
        all->end[axis] = other.end[axis] > all->end[axis] ? other.end[axis] : all->end[axis];
        all->begin[axis] -= all->begin[axis] > 0;
    }
    return 0;
}

static bool is_whole(const struct engine_box *box, const struct engine_shape *shape)
{
    bool whole = true;
    for (int axis = 0; axis < 3; axis++)
        whole = whole && box->begin[axis] == 0 && box->end[axis] == shape->extent[axis];
    return whole;
}

static int add_pieces(struct comparison *comparison, const struct engine_run *is, const struct engine_run *should,
                      uint32_t field, unsigned char *pieces, struct engine_error *error)
{
    struct engine_shape shape = {.size = sizeof shape}, part;
    struct engine_box all, box;
    uint64_t cells, begin = 0;
    engine_run_shape(should, field, &shape);
    if (find_cells(is, should, field, &all, error) != 0)
        return error->status;
    const bool whole = is_whole(&all, &shape);
    const uint64_t cell_bytes = (uint64_t) shape.components * type_bytes(shape.type), *extent = shape.extent;
    part = shape;
    for (int axis = 0; axis < 3; axis++)
        part.extent[axis] = all.end[axis] - all.begin[axis];
    shape_cells(&part, &cells);
    comparison->components = shape.components;
    for (uint64_t n; begin < cells; begin += n) {
        n = next_box(&all, whole, begin, PIECE / cell_bytes, &box);
        if (engine_run_read(is, field, &box, pieces, n * cell_bytes, error) != 0 ||
            engine_run_read(should, field, &box, pieces + PIECE, n * cell_bytes, error) != 0)
            return error->status;
        if (!whole) /* the number of the first element */
            comparison->elements =
                ((box.begin[2] * extent[1] + box.begin[1]) * extent[0] + box.begin[0]) * shape.components;
        comparison_add(comparison, shape.type, pieces, pieces + PIECE, n * shape.components);
    }
    comparison->elements = whole ? comparison->elements : cells * shape.components;
    return 0;
}

int comparison_add_field(struct comparison *comparison, const struct engine_run *is, const struct engine_run *should,
                         uint32_t field, struct engine_error *error)
{
    unsigned char *pieces = malloc((size_t) 2 * PIECE);
    int status = pieces ? 0 : error_memory(error, (uint64_t) 2 * PIECE, "a comparison");
    if (status == 0)
        status = add_pieces(comparison, is, should, field, pieces, error);
    free(pieces);
    return status;
}

/* ---- Results --------------------------------------------------------------------------------------------------- */

static double relative(const struct comparison *comparison, double error)
{
    return error == 0 ? 0 : error / comparison->largest; /* infinite where largest is 0 */
}

/* The quantile q of `count` errors. */
static double quantile(const uint64_t *histogram, uint64_t count, double q)
{
    const double wanted = q * (double) count;
    uint64_t below = 0;
    for (uint32_t class = 0; class < CLASSES; class ++) {
        below += histogram[class];
        if (below && (double) below >= wanted)
            return class_top(class);
    }
    return INFINITY;
}

static double number_quantile(const struct comparison *comparison, double q)
{
    return relative(comparison, fmin(quantile(comparison->histogram, comparison->numbers, q), comparison->max));
}

bool comparison_holds(const struct comparison *comparison, double tolerance)
{
    return comparison->differing == 0 || (tolerance > 0 && relative(comparison, comparison->max) <= tolerance);
}

struct deviation comparison_deviation(const struct comparison *comparison)
{
    if (!comparison->histogram || comparison->numbers == 0)
        return (struct deviation){0};
    return (struct deviation){
        .max = relative(comparison, comparison->max),
        .rms = relative(comparison, sqrt(comparison->squares / (double) comparison->numbers)),
        .median = number_quantile(comparison, 0.5),
        .p999 = number_quantile(comparison, 0.999),
        .own_median = quantile(comparison->own_relative, comparison->vectors, 0.5),
        .own_p999 = quantile(comparison->own_relative, comparison->vectors, 0.999),
    };
}

const char *element_place(const struct engine_field *field, const struct engine_shape *shape, uint64_t element,
                          char text[96])
{
    static const char *const grid_axes[] = {"x ", "y ", "z "}, *const matrix_axes[] = {"column ", "row ", "batch "};
    const char *const *axes = field->kind == ENGINE_MATRIX ? matrix_axes : grid_axes;
    uint64_t cell = element / shape->components;
    int length = snprintf(text, 96, "(");
    for (uint32_t axis = 0; axis < shape->rank && axis < 3; cell /= shape->extent[axis++])
        length += snprintf(text + length, 96 - (size_t) length, "%s%s%llu", axis ? ", " : "",
                           shape->rank > 1 ? axes[axis] : "", (unsigned long long) (cell % shape->extent[axis]));
    if (shape->components > 1)
        length += snprintf(text + length, 96 - (size_t) length, ", component %llu",
                           (unsigned long long) (element % shape->components));
    snprintf(text + length, 96 - (size_t) length, ")");
    return text;
}

static void element_text(uint32_t type, const void *element, char text[64])
{
    union {
        unsigned char bytes[ELEMENT_BYTES_MAX];
        double aligned[2];
        int64_t i;
        uint64_t u;
    } copy = {{0}};
    memcpy(copy.bytes, element, type_bytes(type));
    if (type == ENGINE_I64)
        snprintf(text, 64, "%lld", (long long) copy.i);
    else if (type == ENGINE_U64)
        snprintf(text, 64, "%llu", (unsigned long long) copy.u);
    else if (element_numbers(type) == 2)
        snprintf(text, 64, "%.17g%+.17gi", element_number(type, &copy, 0), element_number(type, &copy, 1));
    else
        snprintf(text, 64, "%.*g",
                 type == ENGINE_F64   ? 17
                 : type == ENGINE_F32 ? 9
                                      : 10,
                 element_number(type, &copy, 0));
}

/* Appends the bits of an element's numbers, the highest first. */
static void append_bits(uint32_t type, const unsigned char *element, char text[64])
{
    const uint32_t numbers = element_numbers(type), bytes = type_bytes(type) / numbers;
    size_t length = strlen(text);
    for (uint32_t n = 0; n < numbers; n++) {
        length += (size_t) snprintf(text + length, 64 - length, "%s", n ? " " : " (0x");
        for (uint32_t byte = bytes; byte-- > 0;)
            length += (size_t) snprintf(text + length, 64 - length, "%02x", element[n * bytes + byte]);
    }
    snprintf(text + length, 64 - length, ")");
}

void difference_texts(uint32_t type, const struct difference *difference, char is[64], char should[64])
{
    element_text(type, difference->is, is);
    element_text(type, difference->should, should);
    if (strcmp(is, should) != 0)
        return;
    append_bits(type, difference->is, is);
    append_bits(type, difference->should, should);
}
