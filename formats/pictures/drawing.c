#include "formats/pictures/drawing.h"
#include "base/convert.h"
#include "base/type.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 1024 };

/* ---- Samples ------------------------------------------------------------------------------------------------ */

uint64_t drawing_white(const struct drawing *drawing, uint64_t count)
{
    return (drawing->array->values > 1 && !drawing->shaded ? drawing->array->values - 1 : 255) * count;
}

uint8_t drawing_grey(const struct drawing *drawing, uint64_t sum, uint64_t count)
{
    uint64_t white = drawing_white(drawing, count);
    return (uint8_t) (sum >= white ? 255 : (sum * 255 + white / 2) / white);
}

uint64_t drawing_area(const struct drawing *drawing, uint64_t column, uint64_t row)
{
    const uint64_t right = drawing->width - column * drawing->block, below = drawing->height - row * drawing->block;
    return (right < drawing->block ? right : drawing->block) * (below < drawing->block ? below : drawing->block);
}

/* ---- Shades ------------------------------------------------------------------------------------------------- */

/* The values of black and white come from the options, else from the field, else from its number of values, else are 0,
 * 1. */
void drawing_plan_shades(struct drawing *drawing)
{
    const struct io_options *options = drawing->scene->options;
    const struct engine_file_array *array = drawing->array;
    const struct engine_file_look *look = &drawing->scene->content->looks[0];
    const double *range = options->range[0] != options->range[1] ? options->range : look->range;
    const bool given = range[0] != range[1];
    drawing->shaded = given || array->shape.type != ENGINE_U8;
    drawing->colours = !drawing->shaded && (array->shape.rank < 3 || array->batch) && options->colours == IO_AUTO
                           ? look->colours
                           : NULL;
    drawing->black = given ? range[0] : 0;
    drawing->white = given ? range[1] : array->values > 1 ? array->values - 1 : 1;
}

/* Values beyond the range are black or white. NaN is black. */
static void shade_elements(const struct drawing *drawing, uint64_t count, uint8_t *cells)
{
    const uint32_t type = drawing->array->shape.type;
    const uint8_t *elements = drawing->elements;
    double values[CHUNK];
    for (uint64_t begin = 0; begin < count; begin += CHUNK) {
        const uint64_t n = count - begin < CHUNK ? count - begin : CHUNK;
        convert_elements(type, elements + begin * type_bytes(type), n, ENGINE_F64, values);
        for (uint64_t i = 0; i < n; i++) {
            const double along = (values[i] - drawing->black) / (drawing->white - drawing->black);
            cells[begin + i] = along >= 1 ? 255 : along > 0 ? (uint8_t) lround(along * 255) : 0;
        }
    }
}

/* Reads elements of the array, or copies those of the band. */
static int read_elements(const struct drawing *drawing, uint64_t begin, uint64_t count, void *out)
{
    const struct engine_file *file = drawing->scene->file;
    const struct band *band = &drawing->band;
    const uint64_t bytes = type_bytes(drawing->array->shape.type);
    if (band->elements == NULL || begin < band->begin || begin + count > band->begin + band->count)
        return file->get(file, 0, begin, count, out);
    memcpy(out, band->elements + (begin - band->begin) * bytes, count * bytes);
    return 0;
}

int drawing_read(const struct drawing *drawing, uint64_t begin, uint64_t count, uint8_t *cells)
{
    const int code = read_elements(drawing, begin, count, drawing->shaded ? drawing->elements : cells);
    if (code == 0 && drawing->shaded)
        shade_elements(drawing, count, cells);
    return code;
}
