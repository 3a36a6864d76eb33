#include "files/snapshot_stream.h"

#include <string.h>

static bool in_columns(const struct engine_file_array *field)
{
    return geometry_has_columns(&field->shape, field->values);
}

/* A block of columns is a number of whole bands of eight rows, where a band is no longer than a block. Then threads can
 * write cells from different blocks at the same time. */
bool stream_of(const struct engine_file_array *field, struct snapshot_stream *stream)
{
    uint64_t bytes;
    if (!shape_bytes(&field->shape, &bytes))
        return false;
    *stream = (struct snapshot_stream){bytes, SNAPSHOT_BLOCK, 0};
    if (in_columns(field)) {
        const uint64_t width = field->shape.extent[0];
        stream->bytes = geometry_columns(&field->shape);
        stream->block = width > SNAPSHOT_BLOCK ? SNAPSHOT_BLOCK : SNAPSHOT_BLOCK / width * width;
    }
    stream->blocks = (stream->bytes - 1) / stream->block + 1;
    return true;
}

uint64_t stream_block_bytes(const struct snapshot_stream *stream, uint64_t index)
{
    const uint64_t left = stream->bytes - index * stream->block;
    return left < stream->block ? left : stream->block;
}

void stream_read(const struct snapshot_stream *stream, const struct engine_file_array *field,
                 const struct snapshot_cells *cells, uint64_t index, uint8_t *out)
{
    const uint64_t begin = index * stream->block, bytes = stream_block_bytes(stream, index);
    const uint32_t size = cells->geometry.element_bytes;
    if (in_columns(field))
        geometry_read_columns(&cells->geometry, cells->memory, begin, bytes, out);
    else
        geometry_read(&cells->geometry, cells->memory, begin / size, bytes / size, out);
}

void stream_write(const struct snapshot_stream *stream, const struct engine_file_array *field,
                  const struct snapshot_cells *cells, uint64_t index, const uint8_t *in)
{
    const uint64_t begin = index * stream->block, bytes = stream_block_bytes(stream, index);
    const uint32_t size = cells->geometry.element_bytes;
    if (in_columns(field))
        geometry_write_columns(&cells->geometry, cells->memory, begin, bytes, in);
    else
        geometry_write(&cells->geometry, cells->memory, begin / size, bytes / size, in);
}

bool stream_blocks_are_disjoint(const struct snapshot_stream *stream, const struct engine_file_array *field,
                                const struct snapshot_cells *cells)
{
    if (cells->geometry.layout.pack)
        return false;
    return !in_columns(field) || stream->block % field->shape.extent[0] == 0;
}

/* ---- Windows ------------------------------------------------------------------------------------------------ */

struct snapshot_window stream_window(const struct snapshot_stream *stream, const struct engine_file_array *field,
                                     uint64_t at)
{
    const uint64_t width = field->shape.extent[0], height = field->shape.extent[1],
                   size = type_bytes(field->shape.type);
    if (!in_columns(field)) {
        const uint64_t left = (stream->bytes - at) / size, count = left < SNAPSHOT_WINDOW ? left : SNAPSHOT_WINDOW;
        return (struct snapshot_window){at / size, count, count * size};
    }
    const uint64_t bands = (height + 7) / 8, plane = at / width / bands, first = at / width % bands;
    const uint64_t fit = SNAPSHOT_WINDOW / (8 * width), left = (stream->bytes - at + width - 1) / width;
    const uint64_t most = fit == 0 ? 1 : fit < left ? fit : left;
    const uint64_t count = bands - first < most ? bands - first : most, row = 8 * first;
    const uint64_t rows = height - row < 8 * count ? height - row : 8 * count;
    return (struct snapshot_window){(plane * height + row) * width, rows * width, count * width};
}

/* Returns where the band of an element begins, or the element. */
static uint64_t place_of(const struct engine_file_array *field, uint64_t element)
{
    const uint64_t width = field->shape.extent[0], height = field->shape.extent[1], row = element / width;
    return in_columns(field) ? (row / height * ((height + 7) / 8) + row % height / 8) * width
                             : element * type_bytes(field->shape.type);
}

void stream_bytes_of(const struct engine_file_array *field, uint64_t begin, uint64_t end, uint64_t *first,
                     uint64_t *last)
{
    *first = place_of(field, begin);
    *last = place_of(field, end - 1) + (in_columns(field) ? field->shape.extent[0] : type_bytes(field->shape.type));
}

/* The first element of the band, or the element, that begins at byte `at`. */
static uint64_t element_at(const struct snapshot_stream *stream, const struct engine_file_array *field, uint64_t at)
{
    uint64_t all;
    if (at < stream->bytes)
        return stream_window(stream, field, at).begin;
    shape_elements(&field->shape, &all);
    return all;
}

uint64_t stream_window_begin(const struct snapshot_stream *stream, const struct engine_file_array *field,
                             uint64_t index)
{
    const uint64_t at = index * stream->block;
    return in_columns(field) ? at - at % field->shape.extent[0] : at;
}

uint64_t stream_first_element(const struct snapshot_stream *stream, const struct engine_file_array *field,
                              uint64_t index)
{
    return element_at(stream, field, stream_window_begin(stream, field, index));
}

uint64_t stream_elements_end(const struct snapshot_stream *stream, const struct engine_file_array *field,
                             uint64_t index)
{
    const uint64_t at = index * stream->block, width = in_columns(field) ? field->shape.extent[0] : 1;
    return element_at(stream, field, (at + width - 1) / width * width);
}

/* The geometry of the elements of a window of bands. */
static int window_geometry(const struct engine_file_array *array, const struct snapshot_window *window,
                           struct geometry *geometry, struct engine_error *error)
{
    const struct engine_field field = {.name = array->name, .kind = ENGINE_GRID, .values = array->values};
    const struct engine_layout layout = {.size = sizeof layout};
    struct engine_shape shape = array->shape;
    shape.rank = 2;
    shape.extent[1] = window->count / shape.extent[0];
    shape.extent[2] = 1;
    return geometry_make(&field, &shape, &layout, geometry, error);
}

int stream_pack(const struct engine_file_array *field, const struct snapshot_window *window, const void *elements,
                uint8_t *out, struct engine_error *error)
{
    struct geometry geometry;
    if (!in_columns(field)) {
        memcpy(out, elements, window->bytes);
        return 0;
    }
    if (window_geometry(field, window, &geometry, error) != 0)
        return error->status;
    geometry_read_columns(&geometry, elements, 0, window->bytes, out);
    return 0;
}

int stream_unpack(const struct engine_file_array *field, const struct snapshot_window *window, const uint8_t *in,
                  void *elements, struct engine_error *error)
{
    struct geometry geometry;
    if (!in_columns(field)) {
        memcpy(elements, in, window->bytes);
        return 0;
    }
    if (window_geometry(field, window, &geometry, error) != 0)
        return error->status;
    geometry_write_columns(&geometry, elements, 0, window->bytes, in);
    return 0;
}
