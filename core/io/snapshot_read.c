/* Reading snapshots. The sizes in header and index are compared with the size of the file before memory is taken for
 * them. */
#include "base/convert.h"
#include "base/xxh.h"
#include "io/bytes.h"
#include "io/snapshot_header.h"
#include "io/snapshot_member.h"
#include "io/snapshot_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MEMBER_MAX = 2 * SNAPSHOT_BLOCK };

struct snapshot_file {
    char *path;
    int file;
    struct snapshot_header header;
    struct json_object *json; /* owns the texts of the header, */
    char *config;             /* and this the configuration */
    struct snapshot_stream streams[IO_ARRAYS_MAX];
    struct snapshot_block *blocks;
    uint64_t *begins;       /* offset of every block's member */
    uint64_t count;         /* number of blocks */
    atomic_bool unreadable; /* the system could not read it */
};

/* ---- Bytes -------------------------------------------------------------------------------------------------- */

static int damaged(const struct snapshot_file *file, const char *what, struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_INPUT,
                     "%s: %s: the file is cut short or damaged; use an older one, or create it again", file->path,
                     what);
}

static int unreadable(struct snapshot_file *file, struct engine_error *error)
{
    atomic_store(&file->unreadable, true);
    return error_set(error, ENGINE_STATUS_INPUT, "%s: cannot be read: %s", file->path, strerror(errno));
}

static int read_at(struct snapshot_file *file, uint64_t begin, uint64_t bytes, void *out, struct engine_error *error)
{
    if (bytes_read(file->file, out, bytes, begin))
        return 0;
    return errno != 0 ? unreadable(file, error) : damaged(file, "its end is missing", error);
}

/* Reads the text of a member as a string, which the caller frees. */
static int read_text(struct snapshot_file *file, uint64_t begin, uint64_t bytes, uint64_t check, uint64_t most,
                     char **text, uint64_t *length, const char *what, struct engine_error *error)
{
    *text = NULL;
    *length = 0;
    if (bytes > member_bound(most))
        return damaged(file, what, error);
    struct inflate_state *inflater = malloc(sizeof *inflater);
    uint8_t *member = malloc(bytes + 1); /* malloc(0) may return NULL */
    int status = inflater && member ? read_at(file, begin, bytes, member, error) : error_memory(error, bytes, what);
    if (status == 0 && XXH3_64bits(member, bytes) != check)
        status = damaged(file, what, error);
    *length = status == 0 ? member_content(member, bytes) : 0;
    if (status == 0 && (*length > most || *length > bytes * SNAPSHOT_EXPANSION))
        status = damaged(file, what, error);
    if (status == 0 && !(*text = calloc(1, *length + 1)))
        status = error_memory(error, *length, what);
    if (status == 0 && !member_unpack(inflater, member, bytes, *text, *length))
        status = damaged(file, what, error);
    free(member);
    free(inflater);
    return status;
}

/* ---- End, header, index ------------------------------------------------------------------------------------- */

static int read_end(struct snapshot_file *file, uint64_t *file_bytes, struct snapshot_end *end,
                    struct engine_error *error)
{
    struct stat info;
    uint8_t bytes[SNAPSHOT_END_BYTES];
    if (TEMP_FAILURE_RETRY(fstat(file->file, &info)) != 0)
        return unreadable(file, error);
    if (!S_ISREG(info.st_mode))
        return error_set(error, ENGINE_STATUS_INPUT, "%s: is not a regular file, expected a snapshot", file->path);
    *file_bytes = (uint64_t) info.st_size;
    if (*file_bytes < SNAPSHOT_END_BYTES)
        return damaged(file, "its end is missing", error);
    const uint64_t begin = *file_bytes - SNAPSHOT_END_BYTES;
    if (read_at(file, begin, SNAPSHOT_END_BYTES, bytes, error) != 0)
        return error->status;
    if (!end_parse(bytes, end) || end->index_begin > begin || end->index_bytes != begin - end->index_begin ||
        end->header_bytes > end->index_begin)
        return damaged(file, "its last bytes are not the end of a snapshot", error);
    return 0;
}

static int read_header(struct snapshot_file *file, const struct snapshot_end *end, struct engine_error *error)
{
    char *text;
    uint64_t length;
    int status = read_text(file, 0, end->header_bytes, end->header_check, SNAPSHOT_HEADER_MAX, &text, &length,
                           "its header cannot be read", error);
    if (status == 0 && snapshot_header_parse(text, length, &file->header, &file->json, &file->config, error) != 0)
        status = error->status == ENGINE_STATUS_INPUT ? error_prefix(error, "%s: ", file->path) : error->status;
    free(text);
    return status;
}

/* Counts the blocks of the fields. A file of this size cannot hold more than SNAPSHOT_EXPANSION times its bytes. */
static int count_blocks(struct snapshot_file *file, uint64_t file_bytes, struct engine_error *error)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < file->header.count; i++) {
        const struct io_array *field = &file->header.fields[i];
        if (!stream_of(field, &file->streams[i]) || file->streams[i].bytes / SNAPSHOT_EXPANSION > file_bytes ||
            (total += file->streams[i].bytes) / SNAPSHOT_EXPANSION > file_bytes)
            return error_set(
                error, ENGINE_STATUS_INPUT,
                "%s: states %llu x %llu x %llu elements of field %s, more than a file of %llu bytes can hold",
                file->path, (unsigned long long) field->shape.extent[0], (unsigned long long) field->shape.extent[1],
                (unsigned long long) field->shape.extent[2], field->name, (unsigned long long) file_bytes);
        file->count += file->streams[i].blocks;
    }
    return 0;
}

/* Finds the offset of every block's member. The members fill the file from the header to the index. */
static int place_blocks(struct snapshot_file *file, const struct snapshot_end *end, struct engine_error *error)
{
    uint64_t begin = end->header_bytes;
    for (uint64_t i = 0; i < file->count && begin <= end->index_begin; i++) {
        file->begins[i] = begin;
        begin += file->blocks[i].bytes;
        if (file->blocks[i].bytes > MEMBER_MAX)
            return damaged(file, "its index states a block that is too long", error);
    }
    return begin == end->index_begin ? 0 : damaged(file, "its index does not match its length", error);
}

static int read_index(struct snapshot_file *file, const struct snapshot_end *end, struct engine_error *error)
{
    char *text;
    uint64_t length;
    const uint64_t wanted = INDEX_HASH + file->count * INDEX_LINE;
    int status = read_text(file, end->index_begin, end->index_bytes, end->index_check, wanted, &text, &length,
                           "its index cannot be read", error);
    if (status == 0 && length != wanted)
        status = damaged(file, "its index does not have a line for each block", error);
    if (status == 0) {
        file->blocks = calloc(file->count, sizeof *file->blocks);
        file->begins = calloc(file->count, sizeof *file->begins);
        if (!file->blocks || !file->begins)
            status = error_memory(error, file->count * sizeof *file->blocks, "a snapshot's index");
    }
    if (status == 0 && !index_parse(text, file->header.hash, file->blocks, file->count))
        status = damaged(file, "its index is not valid", error);
    free(text);
    return status == 0 ? place_blocks(file, end, error) : status;
}

static int read_parts(struct snapshot_file *file, struct engine_error *error)
{
    struct snapshot_end end = {0};
    uint64_t bytes = 0;
    if (read_end(file, &bytes, &end, error) != 0 || read_header(file, &end, error) != 0 ||
        count_blocks(file, bytes, error) != 0)
        return error->status;
    return read_index(file, &end, error);
}

/* ---- The interface ------------------------------------------------------------------------------------------ */

int snapshot_file_take(int descriptor, const char *path, struct snapshot_file **out, bool *is_unreadable,
                       struct engine_error *error)
{
    struct snapshot_file *file = calloc(1, sizeof *file);
    *out = NULL;
    *is_unreadable = false;
    if (!file || !(file->path = strdup(path))) {
        free(file);
        close(descriptor);
        return error_memory(error, sizeof *file, "reading a snapshot");
    }
    file->file = descriptor;
    const int status = read_parts(file, error);
    if (status != 0) {
        *is_unreadable = snapshot_file_is_unreadable(file);
        snapshot_file_close(file);
        return status;
    }
    *out = file;
    return 0;
}

int snapshot_file_open(const char *path, struct snapshot_file **file, struct engine_error *error)
{
    bool ignored;
    const int descriptor =
        (int) TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)); /* a pipe would wait */
    *file = NULL;
    return descriptor < 0 ? error_set(error, ENGINE_STATUS_INPUT, "%s: %s", path, strerror(errno))
                          : snapshot_file_take(descriptor, path, file, &ignored, error);
}

void snapshot_file_close(struct snapshot_file *file)
{
    if (!file)
        return;
    close(file->file);
    json_object_put(file->json);
    free(file->config);
    free(file->blocks);
    free(file->begins);
    free(file->path);
    free(file);
}

const struct snapshot_header *snapshot_file_header(const struct snapshot_file *file)
{
    return &file->header;
}

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
    return read_at(file, file->begins[number], block->bytes, unpacker->member, error);
}

/* Does the block contain allowed values only? Plugins rely on that, and a checksum does not tell who wrote the file. */
static bool within_values(const struct io_array *field, const void *content, uint64_t bytes)
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
    const struct io_array *array = &reading->file->header.fields[reading->field];
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

/* Moves all windows of which all bytes are held into the field. */
static int move_windows(struct reading *reading, struct pieces *pieces, struct engine_error *error)
{
    const struct snapshot_stream *stream = &reading->file->streams[reading->field];
    const struct io_array *field = &reading->file->header.fields[reading->field];
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

static int read_pieces(struct reading *reading, uint32_t threads, struct engine_error *error)
{
    const struct snapshot_stream *stream = &reading->file->streams[reading->field];
    const struct io_array *field = &reading->file->header.fields[reading->field];
    const struct snapshot_window window = stream_window(stream, field, 0);
    const uint64_t room = (uint64_t) threads * SNAPSHOT_BLOCK + window.bytes,
                   held = window.count * type_bytes(field->shape.type);
    struct pieces pieces = {.bytes = malloc(room), .elements = malloc(held)};
    int status = pieces.bytes && pieces.elements ? 0 : error_memory(error, room + held, "reading a snapshot");
    for (uint64_t n, index = 0; status == 0 && index < stream->blocks; index += n) {
        n = stream->blocks - index < threads ? stream->blocks - index : threads;
        status = read_blocks(reading, &pieces, index, n, error);
        if (status == 0)
            status = move_windows(reading, &pieces, error);
    }
    free(pieces.bytes);
    free(pieces.elements);
    return status;
}

int snapshot_file_read(struct snapshot_file *file, uint32_t field, const struct snapshot_cells *cells, uint32_t threads,
                       struct engine_error *error)
{
    struct reading reading = {
        .file = file,
        .field = field,
        .cells = cells,
        .disjoint =
            cells->memory && stream_blocks_are_disjoint(&file->streams[field], &file->header.fields[field], cells)};
    const bool several = threads > 1 && file->streams[field].blocks > 1;
    int status = 0;
    for (uint32_t i = 0; i < field; i++)
        reading.first += file->streams[i].blocks;
    omp_init_lock(&reading.lock);
    if (!cells->memory) {
        status = read_pieces(&reading, threads > 0 ? threads : 1, error);
        omp_destroy_lock(&reading.lock);
        return status;
    }
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

bool snapshot_file_is_unreadable(const struct snapshot_file *file)
{
    return atomic_load(&file->unreadable);
}
