#include "files/snapshot_stream.h"

enum { ROWS = 8 }; /* of a band */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

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
    return least(stream->bytes - index * stream->block, stream->block);
}

bool stream_blocks_are_disjoint(const struct snapshot_stream *stream, const struct engine_file_array *field,
                                const struct snapshot_cells *cells)
{
    if (cells->geometry.layout.pack)
        return false;
    return !in_columns(field) || stream->block % field->shape.extent[0] == 0;
}

/* ---- Blocks --------------------------------------------------------------------------------------------------- */

static void copy(const struct snapshot_cells *cells, bool columns, uint64_t begin, uint64_t count, uint8_t *out,
                 const uint8_t *in)
{
    if (columns && out)
        geometry_read_columns(&cells->geometry, cells->memory, begin, count, out);
    else if (columns)
        geometry_write_columns(&cells->geometry, cells->memory, begin, count, in);
    else if (out)
        geometry_read(&cells->geometry, cells->memory, begin, count, out);
    else
        geometry_write(&cells->geometry, cells->memory, begin, count, in);
}

/* Whole bands of a plane, or columns of one band. */
struct piece {
    uint64_t first;       /* element */
    uint64_t width, rows; /* cells */
    uint64_t bytes;       /* of the stream */
};

/* The piece that begins at byte `at` of the stream. It has `left` bytes of it at most. */
static struct piece piece_at(const struct engine_file_array *field, uint64_t at, uint64_t left)
{
    const uint64_t width = field->shape.extent[0], height = field->shape.extent[1], bands = (height + ROWS - 1) / ROWS;
    const uint64_t x = at % width, band = at / width % bands, plane = at / width / bands;
    const uint64_t fit = least(SNAPSHOT_PIECE / (ROWS * width), left / width);
    const bool whole = x == 0 && fit > 0;
    const uint64_t count = whole ? least(fit, bands - band) : 1,
                   cells = whole ? width : least(least(SNAPSHOT_PIECE / ROWS, left), width - x);
    return (struct piece){(plane * height + ROWS * band) * width + x, cells, least(ROWS * count, height - ROWS * band),
                          count * cells};
}

/* Whole rows follow one another in the canonical array. */
static int move_rows(const struct engine_file_array *field, const struct snapshot_cells *cells,
                     const struct piece *piece, uint8_t *out, const uint8_t *in, struct engine_error *error)
{
    const uint64_t width = field->shape.extent[0], at_once = piece->width == width ? piece->rows : 1;
    for (uint64_t row = 0; row < piece->rows; row += at_once) {
        const uint64_t done = row * piece->width;
        if (cells->move(cells->self, piece->first + row * width, at_once * piece->width, out ? out + done : NULL,
                        in ? in + done : NULL, error) != 0)
            return error->status;
    }
    return 0;
}

/* Copies a piece by way of `memory`. */
static int move_piece(const struct engine_file_array *field, const struct snapshot_cells *cells,
                      const struct piece *piece, void *memory, uint8_t *out, const uint8_t *in,
                      struct engine_error *error)
{
    const struct engine_field about = {.name = field->name, .kind = ENGINE_GRID, .values = field->values};
    const struct engine_layout layout = {.size = sizeof layout};
    const struct engine_shape shape = {sizeof shape, field->shape.type, 1, 2, {piece->width, piece->rows, 1}};
    struct snapshot_cells here = {.memory = memory};
    if (geometry_make(&about, &shape, &layout, &here.geometry, error) != 0 ||
        (out && move_rows(field, cells, piece, memory, NULL, error) != 0))
        return error->status;
    copy(&here, true, 0, piece->bytes, out, in);
    return out ? 0 : move_rows(field, cells, piece, NULL, memory, error);
}

int stream_move(const struct snapshot_stream *stream, const struct engine_file_array *field,
                const struct snapshot_cells *cells, uint64_t index, void *memory, uint8_t *out, const uint8_t *in,
                struct engine_error *error)
{
    const uint64_t begin = index * stream->block, bytes = stream_block_bytes(stream, index),
                   size = in_columns(field) ? 1 : type_bytes(field->shape.type);
    if (cells->memory) {
        copy(cells, in_columns(field), begin / size, bytes / size, out, in);
        return 0;
    }
    if (!in_columns(field))
        return cells->move(cells->self, begin / size, bytes / size, out, in, error);
    struct piece piece;
    for (uint64_t done = 0; done < bytes; done += piece.bytes) {
        piece = piece_at(field, begin + done, bytes - done);
        if (move_piece(field, cells, &piece, memory, out ? out + done : NULL, in ? in + done : NULL, error) != 0)
            return error->status;
    }
    return 0;
}

/* ---- Elements --------------------------------------------------------------------------------------------------- */

/* Returns where the band of an element begins, or the element. */
static uint64_t place_of(const struct engine_file_array *field, uint64_t element)
{
    const uint64_t width = field->shape.extent[0], height = field->shape.extent[1], row = element / width,
                   bands = (height + ROWS - 1) / ROWS;
    return in_columns(field) ? (row / height * bands + row % height / ROWS) * width
                             : element * type_bytes(field->shape.type);
}

/* Returns where the band of the element before ends, or that element. */
static uint64_t place_behind(const struct engine_file_array *field, uint64_t element)
{
    return element == 0 ? 0
                        : place_of(field, element - 1) +
                              (in_columns(field) ? field->shape.extent[0] : type_bytes(field->shape.type));
}

uint64_t stream_block_from(const struct snapshot_stream *stream, const struct engine_file_array *field,
                           uint64_t element)
{
    return (place_behind(field, element) + stream->block - 1) / stream->block;
}

void stream_blocks_of(const struct snapshot_stream *stream, const struct engine_file_array *field, uint64_t begin,
                      uint64_t end, uint64_t *first, uint64_t *last)
{
    *first = place_of(field, begin) / stream->block;
    *last = stream_block_from(stream, field, end);
}

uint64_t stream_elements_end(const struct snapshot_stream *stream, const struct engine_file_array *field,
                             uint64_t index)
{
    const uint64_t width = field->shape.extent[0], height = field->shape.extent[1], bands = (height + ROWS - 1) / ROWS,
                   at = least(index * stream->block, stream->bytes), band = (at + width - 1) / width;
    return in_columns(field) ? (band / bands * height + least(band % bands * ROWS, height)) * width
                             : at / type_bytes(field->shape.type);
}
