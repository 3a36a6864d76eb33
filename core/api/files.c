/* The functions of engine.h for file formats. */
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
    const struct engine_format filled = {.size = format->size,
                                         .name = found->name,
                                         .help = found->help,
                                         .reads = found->open != NULL,
                                         .writes = found->write != NULL};
    memcpy(format, &filled, format->size < sizeof filled ? format->size : sizeof filled);
    return 1;
}

/* Finds the number of values of a cell. Some formats of bytes do not store it; then the largest cell decides, so that
 * cells of 0 and 1 become a pattern or a black-and-white picture. */
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

/* Refuses huge patterns. Converting looks at every cell, and a pattern of a few bytes can declare cells for hours of
 * work. Arrays cannot: their files hold every cell. */
static int check_size(const char *in, const struct io_document *document, struct engine_error *error)
{
    const struct io_array *cells = &document->arrays[0];
    uint64_t count;
    if (cells->values != 2 || (shape_elements(&cells->shape, &count) && count <= (uint64_t) 1 << 38))
        return 0;
    return error_set(error, ENGINE_STATUS_INPUT,
                     "%s: the pattern has %llu x %llu x %llu cells; the converter takes at most 2^38", in,
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
                     format ? "this format is only read" : "its ending is not the name of a format", hint);
}

int engine_convert(struct engine_context *context, const char *in, const char *out,
                   const struct engine_conversion *conversion, struct engine_error *error)
{
    API_NUMBERS;
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
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s: already exists; give another name, or --force", out);
    if (count_values(in, &values, error) != 0 || io_open(in, &document, error) != 0)
        return error->status;
    int status = check_size(in, document, error);
    document->arrays[0].values = values;
    if (status == 0)
        status = io_write(format, out, document, &options, error);
    document->close(document);
    return status;
}
