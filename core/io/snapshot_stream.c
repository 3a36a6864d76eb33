#include "io/snapshot_stream.h"

static bool in_columns(const struct io_array *field)
{
    return geometry_has_columns(&field->shape, field->values);
}

/* A block of columns is a number of whole bands of eight rows, where a band is no longer than a block. Then threads can
 * write cells from different blocks at the same time. */
bool stream_of(const struct io_array *field, struct snapshot_stream *stream)
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

void stream_read(const struct snapshot_stream *stream, const struct io_array *field, const struct snapshot_cells *cells,
                 uint64_t index, uint8_t *out)
{
    const uint64_t begin = index * stream->block, bytes = stream_block_bytes(stream, index);
    const uint32_t size = cells->geometry.element_bytes;
    if (in_columns(field))
        geometry_read_columns(&cells->geometry, cells->memory, begin, bytes, out);
    else
        geometry_read(&cells->geometry, cells->memory, begin / size, bytes / size, out);
}

void stream_write(const struct snapshot_stream *stream, const struct io_array *field,
                  const struct snapshot_cells *cells, uint64_t index, const uint8_t *in)
{
    const uint64_t begin = index * stream->block, bytes = stream_block_bytes(stream, index);
    const uint32_t size = cells->geometry.element_bytes;
    if (in_columns(field))
        geometry_write_columns(&cells->geometry, cells->memory, begin, bytes, in);
    else
        geometry_write(&cells->geometry, cells->memory, begin / size, bytes / size, in);
}

bool stream_blocks_are_disjoint(const struct snapshot_stream *stream, const struct io_array *field,
                                const struct snapshot_cells *cells)
{
    if (cells->geometry.layout.pack)
        return false;
    return !in_columns(field) || stream->block % field->shape.extent[0] == 0;
}
