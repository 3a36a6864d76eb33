/* File formats, and one format turned into another. */
#include "api/handles.h"
#include "base/nearest.h"
#include "io/io.h"

#include <string.h>
#include <sys/stat.h>

int engine_format_at(uint32_t index, struct engine_format *format)
{
    const struct io_format *found = io_format_at(index);
    if (!found)
        return 0;
    *format = (struct engine_format){found->name, found->help, found->open != NULL, found->write != NULL};
    return 1;
}

/* Files of plain bytes do not say how many values a cell takes: the highest there is tells, so that 0 and 1 become a
 * pattern and a black-and-white picture. Reads a document of its own. */
static int count_values(const char *in, uint32_t *values, struct engine_error *error)
{
    enum { PIECE = 1 << 16 };
    struct io_document *document;
    uint8_t cells[PIECE], highest = 1;
    uint64_t count;
    if (io_open(in, &document, error) != 0)
        return error->status;
    *values = document->arrays[0].values;
    bool unknown = *values == 0 && document->arrays[0].shape.type == ENGINE_U8;
    int status = 0;
    if (!unknown || !shape_elements(&document->arrays[0].shape, &count))
        count = 0;
    for (uint64_t begin = 0; status == 0 && begin < count; begin += PIECE) {
        uint64_t n = count - begin < PIECE ? count - begin : PIECE;
        status = document->read(document, 0, begin, n, cells, error);
        for (uint64_t i = 0; status == 0 && i < n; i++)
            highest = cells[i] > highest ? cells[i] : highest;
    }
    document->close(document);
    if (unknown)
        *values = highest + 1u;
    return status;
}

/* Every cell is looked at, and a few bytes of a pattern may state hours of them; arrays hold what they state. */
static int check_size(const char *in, const struct io_document *document, struct engine_error *error)
{
    const struct io_array *cells = &document->arrays[0];
    uint64_t count;
    if (cells->values != 2 || (shape_elements(&cells->shape, &count) && count <= (uint64_t) 1 << 38))
        return 0;
    return error_set(error, ENGINE_STATUS_INPUT,
                     "%s: states a grid of %llu x %llu x %llu cells: patterns of at most 2^38 are converted", in,
                     (unsigned long long) cells->shape.extent[0], (unsigned long long) cells->shape.extent[1],
                     (unsigned long long) cells->shape.extent[2]);
}

static int refuse_ending(const char *out, const struct io_format *format, struct engine_error *error)
{
    const char *ending = strrchr(out, '.');
    char hint[128] = "";
    if (!format && ending)
        nearest_hint(hint, ending + 1, io_written_at, NULL);
    return error_set(error, ENGINE_STATUS_USAGE,
                     "%s: %s%s; `engine convert --help` lists the formats that can be written", out,
                     format ? "this format is only read" : "its ending names no format", hint);
}

int engine_convert(struct engine_context *context, const char *in, const char *out,
                   const struct engine_conversion *conversion, struct engine_error *error)
{
    const struct engine_conversion defaults = {.size = sizeof defaults};
    const struct engine_conversion *how = conversion ? conversion : &defaults;
    const struct io_options options = {.scale = how->scale,
                                       .axis = how->axis,
                                       .view = how->slice ? IO_SLICE : IO_PROJECTION,
                                       .slice = how->plane,
                                       .range = {how->range[0], how->range[1]},
                                       .colours = (enum io_colours) how->colours};
    const struct io_format *format = io_format_of_path(out);
    struct io_document *document;
    struct stat there;
    uint32_t values = 0;
    (void) context;
    if (!format || !format->write)
        return refuse_ending(out, format, error);
    if (!how->force && stat(out, &there) == 0)
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s: is there already; give another name, or --force", out);
    if (count_values(in, &values, error) != 0 || io_open(in, &document, error) != 0)
        return error->status;
    int status = check_size(in, document, error);
    document->arrays[0].values = values;
    if (status == 0)
        status = io_write(format, out, document, &options, error);
    document->close(document);
    return status;
}
