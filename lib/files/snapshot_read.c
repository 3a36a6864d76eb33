/* Reading the fields of a snapshot. Threads read, check and unpack blocks at the same time. */
#include "base/convert.h"
#include "base/xxh.h"
#include "files/snapshot_open.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* ---- Blocks ------------------------------------------------------------------------------------------------- */

/* The memory of one thread. */
struct unpacker {
    struct inflate_state *inflater;
    uint8_t *content, *member;
    size_t capacity; /* of member */
};

static int read_member(struct snapshot_file *file, uint64_t number, struct unpacker *unpacker,
                       struct engine_error *error)
{
    const struct snapshot_block *block = &file->blocks[number];
    if (block->bytes > unpacker->capacity) {
        free(unpacker->member);
        unpacker->member = malloc(block->bytes);
        unpacker->capacity = unpacker->member ? block->bytes : 0;
        if (!unpacker->member)
            return error_memory(error, block->bytes, "reading a snapshot");
    }
    return snapshot_read_at(file, file->begins[number], block->bytes, unpacker->member, error);
}

/* Does the block contain allowed values only? Plugins rely on that, and a checksum does not tell who wrote the file. */
static bool within_values(const struct engine_file_array *field, const void *content, uint64_t bytes)
{
    if (field->values == 0 || geometry_has_columns(&field->shape, field->values))
        return true;
    const uint64_t count = bytes / type_bytes(field->shape.type);
    return convert_within(field->shape.type, content, count, field->values - 1) == count;
}

/* Reads and unpacks block `index` of a field, which is block `number` of the file. */
static int read_block(struct snapshot_file *file, uint32_t field, uint64_t index, uint64_t number,
                      struct unpacker *unpacker, struct engine_error *error)
{
    const struct snapshot_block *block = &file->blocks[number];
    const uint64_t bytes = stream_block_bytes(&file->streams[field], index);
    if (read_member(file, number, unpacker, error) != 0)
        return error->status;
    if (XXH3_64bits(unpacker->member, block->bytes) == block->check &&
        member_unpack(unpacker->inflater, unpacker->member, block->bytes, unpacker->content, bytes) &&
        within_values(&file->header.fields[field], unpacker->content, bytes))
        return 0;
    return error_set(error, ENGINE_STATUS_INPUT,
                     "%s: block %llu of field %s is damaged; use an older file, or create it again", file->path,
                     (unsigned long long) index, file->header.fields[field].name);
}

/* The field that several threads read. */
struct reading {
    struct snapshot_file *file;
    uint32_t field;
    const struct snapshot_cells *cells;
    uint64_t first;  /* number of the field's first block */
    bool disjoint;   /* threads may write blocks to the cells at the same time */
    omp_lock_t lock; /* for writing to the cells where they may not, and for the first error */
};

static int place_block(struct reading *reading, uint64_t index, struct unpacker *unpacker, struct engine_error *error)
{
    const struct snapshot_stream *stream = &reading->file->streams[reading->field];
    const struct engine_file_array *array = &reading->file->header.fields[reading->field];
    if (read_block(reading->file, reading->field, index, reading->first + index, unpacker, error) != 0)
        return error->status;
    if (!reading->disjoint)
        omp_set_lock(&reading->lock);
    stream_write(stream, array, reading->cells, index, unpacker->content);
    if (!reading->disjoint)
        omp_unset_lock(&reading->lock);
    return 0;
}

/* The blocks that one thread reads. */
static int place_blocks_of_thread(struct reading *reading, struct engine_error *error)
{
    const int64_t blocks = (int64_t) reading->file->streams[reading->field].blocks;
    struct unpacker unpacker = {.inflater = malloc(sizeof *unpacker.inflater), .content = malloc(SNAPSHOT_BLOCK)};
    const bool allocated = unpacker.inflater && unpacker.content;
    int status = allocated ? 0 : error_memory(error, SNAPSHOT_BLOCK, "reading a snapshot");
#pragma omp for schedule(dynamic, 1)
    for (int64_t i = 0; i < blocks; i++)
        if (status == 0)
            status = place_block(reading, (uint64_t) i, &unpacker, error);
    free(unpacker.inflater);
    free(unpacker.content);
    free(unpacker.member);
    return status;
}

/* ---- Piece by piece ----------------------------------------------------------------------------------------- */

/* The bytes of a stream that were read from the file, but not moved into the field yet. */
struct pieces {
    uint8_t *bytes;
    uint64_t held, at; /* `at`: the place of the first one in the stream */
    void *elements;    /* of a window */
};

/* Reads the next `count` blocks at the same time. Each is shorter than SNAPSHOT_BLOCK, or as long. */
static int read_blocks(struct reading *reading, struct pieces *pieces, uint64_t index, uint64_t count,
                       struct engine_error *error)
{
    const struct snapshot_stream *stream = &reading->file->streams[reading->field];
    int status = 0;
#pragma omp parallel for num_threads((int) count)
    for (int64_t i = 0; i < (int64_t) count; i++) {
        struct engine_error own;
        struct unpacker unpacker = {.inflater = malloc(sizeof *unpacker.inflater),
                                    .content = pieces->bytes + pieces->held + (uint64_t) i * stream->block};
        const uint64_t block = index + (uint64_t) i;
        const int result = unpacker.inflater ? read_block(reading->file, reading->field, block, reading->first + block,
                                                          &unpacker, &own)
                                             : error_memory(&own, sizeof *unpacker.inflater, "reading a snapshot");
        free(unpacker.inflater);
        free(unpacker.member);
        omp_set_lock(&reading->lock);
        if (result != 0 && status == 0)
            *error = own, status = result;
        omp_unset_lock(&reading->lock);
    }
    for (uint64_t i = 0; i < count; i++)
        pieces->held += stream_block_bytes(stream, index + i);
    return status;
}

/* Moves all windows of which all bytes are held into the field, up to the end of `stream`. */
static int move_windows(struct reading *reading, const struct snapshot_stream *stream, struct pieces *pieces,
                        struct engine_error *error)
{
    const struct engine_file_array *field = &reading->file->header.fields[reading->field];
    uint64_t done = 0;
    while (pieces->at < stream->bytes) {
        const struct snapshot_window window = stream_window(stream, field, pieces->at);
        if (pieces->held - done < window.bytes)
            break;
        if (stream_unpack(field, &window, pieces->bytes + done, pieces->elements, error) != 0 ||
            reading->cells->move(reading->cells->self, window.begin, window.count, NULL, pieces->elements, error) != 0)
            return error->status;
        done += window.bytes;
        pieces->at += window.bytes;
    }
    pieces->held -= done;
    memmove(pieces->bytes, pieces->bytes + done, pieces->held);
    return 0;
}

/* Reads the blocks that hold bytes [first, last) of the stream, where windows begin and end. */
static int read_pieces(struct reading *reading, uint64_t first, uint64_t last, uint32_t threads,
                       struct engine_error *error)
{
    const struct snapshot_stream *whole = &reading->file->streams[reading->field];
    const struct snapshot_stream stream = {last, whole->block, (last - 1) / whole->block + 1};
    const struct engine_file_array *field = &reading->file->header.fields[reading->field];
    const struct snapshot_window window = stream_window(whole, field, 0); /* none has more */
    const uint64_t room = (uint64_t) threads * SNAPSHOT_BLOCK + window.bytes + SNAPSHOT_BLOCK,
                   held = window.count * type_bytes(field->shape.type);
    struct pieces pieces = {.bytes = malloc(room), .elements = malloc(held), .at = first};
    int status = pieces.bytes && pieces.elements ? 0 : error_memory(error, room + held, "reading a snapshot");
    uint64_t before = first % whole->block; /* bytes of the first block that are not wanted */
    for (uint64_t n, index = first / whole->block; status == 0 && index < stream.blocks; index += n) {
        n = stream.blocks - index < threads ? stream.blocks - index : threads;
        status = read_blocks(reading, &pieces, index, n, error);
        pieces.held -= before;
        memmove(pieces.bytes, pieces.bytes + before, before > 0 ? pieces.held : 0);
        before = 0;
        if (status == 0)
            status = move_windows(reading, &stream, &pieces, error);
    }
    free(pieces.bytes);
    free(pieces.elements);
    return status;
}

static struct reading reading_of(struct snapshot_file *file, uint32_t field, const struct snapshot_cells *cells)
{
    struct reading reading = {
        .file = file,
        .field = field,
        .cells = cells,
        .disjoint =
            cells->memory && stream_blocks_are_disjoint(&file->streams[field], &file->header.fields[field], cells)};
    for (uint32_t i = 0; i < field; i++)
        reading.first += file->streams[i].blocks;
    return reading;
}

static int read_bytes(struct snapshot_file *file, uint32_t field, const struct snapshot_cells *cells, uint64_t first,
                      uint64_t last, uint32_t threads, struct engine_error *error)
{
    struct reading reading = reading_of(file, field, cells);
    omp_init_lock(&reading.lock);
    const int status = read_pieces(&reading, first, last, threads > 0 ? threads : 1, error);
    omp_destroy_lock(&reading.lock);
    return status;
}

int snapshot_file_read_range(struct snapshot_file *file, uint32_t field, uint64_t begin, uint64_t end,
                             const struct snapshot_cells *cells, uint32_t threads, struct engine_error *error)
{
    uint64_t first, last;
    stream_bytes_of(&file->header.fields[field], begin, end, &first, &last);
    return read_bytes(file, field, cells, first, last, threads, error);
}

int snapshot_file_read(struct snapshot_file *file, uint32_t field, const struct snapshot_cells *cells, uint32_t threads,
                       struct engine_error *error)
{
    const bool several = threads > 1 && file->streams[field].blocks > 1;
    int status = 0;
    if (!cells->memory)
        return read_bytes(file, field, cells, 0, file->streams[field].bytes, threads, error);
    struct reading reading = reading_of(file, field, cells);
    omp_init_lock(&reading.lock);
#pragma omp parallel num_threads((int) threads) if (several)
    {
        struct engine_error own;
        const int result = place_blocks_of_thread(&reading, &own);
        omp_set_lock(&reading.lock);
        if (result != 0)
            *error = own, status = result;
        omp_unset_lock(&reading.lock);
    }
    omp_destroy_lock(&reading.lock);
    return status;
}
