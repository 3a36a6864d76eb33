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
                      struct unpacker *unpacker, uint8_t *content, struct engine_error *error)
{
    const struct snapshot_block *block = &file->blocks[number];
    const uint64_t bytes = stream_block_bytes(&file->streams[field], index);
    if (read_member(file, number, unpacker, error) != 0)
        return error->status;
    if (XXH3_64bits(unpacker->member, block->bytes) == block->check &&
        member_unpack(unpacker->inflater, unpacker->member, block->bytes, content, bytes) &&
        within_values(&file->header.fields[field], content, bytes))
        return 0;
    return error_set(error, ENGINE_STATUS_INPUT,
                     "%s: block %llu of field %s is damaged; use an older file, or create it again", file->path,
                     (unsigned long long) index, file->header.fields[field].name);
}

/* ---- Fields ------------------------------------------------------------------------------------------------- */

/* The field that several threads read. */
struct reading {
    struct snapshot_file *file;
    uint32_t field;
    const struct snapshot_cells *cells;
    uint64_t number; /* of the field's first block in the file */
    uint32_t threads;
    bool disjoint;     /* threads may write blocks to the cells at the same time */
    uint8_t *contents; /* of all blocks that are read at the same time; NULL: each thread writes its own to the cells */
    omp_lock_t lock;   /* for writing to the cells where they may not, and for an error */
};

static int place_block(struct reading *reading, uint64_t index, void *piece, const uint8_t *content,
                       struct engine_error *error)
{
    return stream_move(&reading->file->streams[reading->field], &reading->file->header.fields[reading->field],
                       reading->cells, index, piece, NULL, content, error);
}

/* Reads a block to its place, which is in `contents` or in the cells' memory. */
static int take_block(struct reading *reading, uint64_t first, uint64_t i, struct unpacker *unpacker,
                      struct engine_error *error)
{
    const uint64_t index = first + i;
    uint8_t *content = reading->contents ? reading->contents + i * SNAPSHOT_BLOCK : unpacker->content;
    if (read_block(reading->file, reading->field, index, reading->number + index, unpacker, content, error) != 0)
        return error->status;
    if (reading->contents)
        return 0;
    if (!reading->disjoint)
        omp_set_lock(&reading->lock);
    place_block(reading, index, NULL, content, error);
    if (!reading->disjoint)
        omp_unset_lock(&reading->lock);
    return 0;
}

/* The blocks that one thread reads, of [first, first + count). */
static int take_blocks_of_thread(struct reading *reading, uint64_t first, uint64_t count, struct engine_error *error)
{
    struct unpacker unpacker = {.inflater = malloc(sizeof *unpacker.inflater), .content = malloc(SNAPSHOT_BLOCK)};
    const bool allocated = unpacker.inflater && unpacker.content;
    int status = allocated ? 0 : error_memory(error, SNAPSHOT_BLOCK, "reading a snapshot");
#pragma omp for schedule(dynamic, 1)
    for (uint64_t i = 0; i < count; i++)
        if (status == 0)
            status = take_block(reading, first, i, &unpacker, error);
    free(unpacker.inflater);
    free(unpacker.content);
    free(unpacker.member);
    return status;
}

static int take_blocks(struct reading *reading, uint64_t first, uint64_t count, struct engine_error *error)
{
    int status = 0;
#pragma omp parallel num_threads((int) reading->threads) if (reading->threads > 1 && count > 1)
    {
        struct engine_error own;
        const int result = take_blocks_of_thread(reading, first, count, &own);
        omp_set_lock(&reading->lock);
        if (result != 0)
            *error = own, status = result;
        omp_unset_lock(&reading->lock);
    }
    return status;
}

/* Only the thread that calls this function calls `move`. */
static int move_blocks(struct reading *reading, uint64_t first, uint64_t last, struct engine_error *error)
{
    void *piece = malloc(SNAPSHOT_PIECE);
    int status = 0;
    reading->contents = malloc((uint64_t) reading->threads * SNAPSHOT_BLOCK);
    if (!piece || !reading->contents)
        status = error_memory(error, SNAPSHOT_PIECE, "reading a snapshot");
    for (uint64_t count; status == 0 && first < last; first += count) {
        count = last - first < reading->threads ? last - first : reading->threads;
        status = take_blocks(reading, first, count, error);
        for (uint64_t i = 0; status == 0 && i < count; i++)
            status = place_block(reading, first + i, piece, reading->contents + i * SNAPSHOT_BLOCK, error);
    }
    free(piece);
    free(reading->contents);
    return status;
}

int snapshot_file_read_range(struct snapshot_file *file, uint32_t field, uint64_t begin, uint64_t end,
                             const struct snapshot_cells *cells, uint32_t threads, struct engine_error *error)
{
    const struct engine_file_array *array = &file->header.fields[field];
    const struct snapshot_stream *stream = &file->streams[field];
    struct reading reading = {.file = file,
                              .field = field,
                              .cells = cells,
                              .threads = threads > 0 ? threads : 1,
                              .disjoint = stream_blocks_are_disjoint(stream, array, cells)};
    uint64_t first, last;
    stream_blocks_of(stream, array, begin, end, &first, &last);
    for (uint32_t i = 0; i < field; i++)
        reading.number += file->streams[i].blocks;
    omp_init_lock(&reading.lock);
    const int status =
        cells->memory ? take_blocks(&reading, first, last - first, error) : move_blocks(&reading, first, last, error);
    omp_destroy_lock(&reading.lock);
    return status;
}

int snapshot_file_read(struct snapshot_file *file, uint32_t field, const struct snapshot_cells *cells, uint32_t threads,
                       struct engine_error *error)
{
    uint64_t count;
    shape_elements(&file->header.fields[field].shape, &count);
    return snapshot_file_read_range(file, field, 0, count, cells, threads, error);
}
