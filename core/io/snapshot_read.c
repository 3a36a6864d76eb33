/* Reading snapshots: what header and index say is held against the file's size before anything is made of it. */
#include "base/convert.h"
#include "base/xxh.h"
#include "io/snapshot_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_MAX = 1 << 30, MEMBER_MAX = 2 * SNAPSHOT_BLOCK };

struct snapshot_file {
    char *path;
    int file;
    struct snapshot_header header;
    struct json_object *json; /* what its texts live in, */
    char *config;             /* and the configuration */
    struct stream streams[IO_ARRAYS_MAX];
    struct block *blocks;
    uint64_t *begins; /* of every block's member */
    uint64_t count;   /* of blocks */
};

/* ---- Bytes -------------------------------------------------------------------------------------------------- */

static int damaged(const struct snapshot_file *file, const char *what, struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_INPUT,
                     "%s: %s: the file is cut short or damaged; take an older one, or make it again", file->path, what);
}

static int read_at(const struct snapshot_file *file, uint64_t begin, uint64_t bytes, void *out,
                   struct engine_error *error)
{
    for (char *at = out; bytes > 0;) {
        const ssize_t got = pread(file->file, at, bytes < READ_MAX ? bytes : READ_MAX, (off_t) begin);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(error, ENGINE_STATUS_INPUT, "%s: %s", file->path, strerror(errno));
        if (got == 0)
            return damaged(file, "its end is missing", error);
        at += got, begin += (uint64_t) got, bytes -= (uint64_t) got;
    }
    return 0;
}

/* The content of a member of text, as a string that the caller frees. */
static int read_text(const struct snapshot_file *file, uint64_t begin, uint64_t bytes, uint64_t check, uint64_t most,
                     char **text, uint64_t *length, const char *what, struct engine_error *error)
{
    *text = NULL;
    struct inflate_state *inflater = malloc(sizeof *inflater);
    uint8_t *member = malloc(bytes + 1); /* one more, so that none is no lack of memory */
    int status = inflater && member ? read_at(file, begin, bytes, member, error) : error_memory(error, bytes, what);
    if (status == 0 && XXH3_64bits(member, bytes) != check)
        status = damaged(file, what, error);
    *length = status == 0 ? member_content(member, bytes) : 0;
    if (status == 0 && (*length > most || *length > bytes * SNAPSHOT_EXPANSION))
        status = damaged(file, what, error);
    if (status == 0 && !(*text = calloc(1, *length + 1)))
        status = error_memory(error, *length, what);
    if (status == 0 && !member_take(inflater, member, bytes, *text, *length))
        status = damaged(file, what, error);
    free(member);
    free(inflater);
    return status;
}

/* ---- End, header, index ------------------------------------------------------------------------------------- */

static int read_end(const struct snapshot_file *file, uint64_t *file_bytes, struct end *end, struct engine_error *error)
{
    struct stat info;
    uint8_t bytes[END_BYTES];
    if (fstat(file->file, &info) != 0)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: %s", file->path, strerror(errno));
    *file_bytes = (uint64_t) info.st_size;
    if (*file_bytes < END_BYTES)
        return damaged(file, "its end is missing", error);
    const uint64_t begin = *file_bytes - END_BYTES;
    if (read_at(file, begin, END_BYTES, bytes, error) != 0)
        return error->status;
    if (!end_take(bytes, end) || end->index_begin > begin || end->index_bytes != begin - end->index_begin ||
        end->header_bytes > end->index_begin)
        return damaged(file, "its last bytes are no snapshot's end", error);
    return 0;
}

static int read_header(struct snapshot_file *file, const struct end *end, struct engine_error *error)
{
    char *text;
    uint64_t length;
    int status = read_text(file, 0, end->header_bytes, end->header_check, SNAPSHOT_HEADER_MAX, &text, &length,
                           "its header cannot be read", error);
    if (status == 0 && header_parse(text, length, &file->header, &file->json, &file->config, error) != 0)
        status = error->status == ENGINE_STATUS_INPUT ? error_prefix(error, "%s: ", file->path) : error->status;
    free(text);
    return status;
}

/* How many blocks the fields have, which can be no more than the file has room for. */
static int count_blocks(struct snapshot_file *file, uint64_t file_bytes, struct engine_error *error)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < file->header.count; i++) {
        const struct io_array *field = &file->header.fields[i];
        if (!stream_of(field, &file->streams[i]) || file->streams[i].bytes / SNAPSHOT_EXPANSION > file_bytes ||
            (total += file->streams[i].bytes) / SNAPSHOT_EXPANSION > file_bytes)
            return error_set(
                error, ENGINE_STATUS_INPUT,
                "%s: says that it holds %llu x %llu x %llu of field %s, more than a file of %llu bytes can", file->path,
                (unsigned long long) field->shape.extent[0], (unsigned long long) field->shape.extent[1],
                (unsigned long long) field->shape.extent[2], field->name, (unsigned long long) file_bytes);
        file->count += file->streams[i].blocks;
    }
    return 0;
}

/* The members lie one behind the other, from the header's end to the index. */
static int place_blocks(struct snapshot_file *file, const struct end *end, struct engine_error *error)
{
    uint64_t begin = end->header_bytes;
    for (uint64_t i = 0; i < file->count && begin <= end->index_begin; i++) {
        file->begins[i] = begin;
        begin += file->blocks[i].bytes;
        if (file->blocks[i].bytes > MEMBER_MAX)
            return damaged(file, "its index says of a block that it is longer than any", error);
    }
    return begin == end->index_begin ? 0 : damaged(file, "its index does not match its length", error);
}

static int read_index(struct snapshot_file *file, const struct end *end, struct engine_error *error)
{
    char *text;
    uint64_t length;
    const uint64_t wanted = INDEX_HASH + file->count * INDEX_LINE;
    int status = read_text(file, end->index_begin, end->index_bytes, end->index_check, wanted, &text, &length,
                           "its index cannot be read", error);
    if (status == 0 && length != wanted)
        status = damaged(file, "its index has not a line for each block", error);
    if (status == 0) {
        file->blocks = calloc(file->count, sizeof *file->blocks);
        file->begins = calloc(file->count, sizeof *file->begins);
        if (!file->blocks || !file->begins)
            status = error_memory(error, file->count * sizeof *file->blocks, "a snapshot's index");
    }
    if (status == 0 && !index_parse(text, file->header.hash, file->blocks, file->count))
        status = damaged(file, "its index is none", error);
    free(text);
    return status == 0 ? place_blocks(file, end, error) : status;
}

static int read_parts(struct snapshot_file *file, struct engine_error *error)
{
    struct end end = {0};
    uint64_t bytes = 0;
    if (read_end(file, &bytes, &end, error) != 0 || read_header(file, &end, error) != 0 ||
        count_blocks(file, bytes, error) != 0)
        return error->status;
    return read_index(file, &end, error);
}

/* ---- The interface ------------------------------------------------------------------------------------------ */

int snapshot_file_open(const char *path, struct snapshot_file **out, struct engine_error *error)
{
    struct snapshot_file *file = calloc(1, sizeof *file);
    *out = NULL;
    if (!file || !(file->path = strdup(path))) {
        free(file);
        return error_memory(error, sizeof *file, "reading a snapshot");
    }
    file->file = open(path, O_RDONLY | O_CLOEXEC);
    const int status = file->file < 0 ? error_set(error, ENGINE_STATUS_INPUT, "%s: %s", path, strerror(errno))
                                      : read_parts(file, error);
    if (status != 0) {
        snapshot_file_close(file);
        return status;
    }
    *out = file;
    return 0;
}

void snapshot_file_close(struct snapshot_file *file)
{
    if (!file)
        return;
    if (file->file >= 0)
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

/* What a thread works with. */
struct taker {
    struct inflate_state *inflater;
    uint8_t *content, *member;
    size_t room; /* of member */
};

static int taker_open(struct taker *taker, struct engine_error *error)
{
    *taker = (struct taker){.inflater = malloc(sizeof *taker->inflater), .content = malloc(SNAPSHOT_BLOCK)};
    return taker->inflater && taker->content ? 0 : error_memory(error, SNAPSHOT_BLOCK, "reading a snapshot");
}

static void taker_close(struct taker *taker)
{
    free(taker->inflater);
    free(taker->content);
    free(taker->member);
}

static int read_member(const struct snapshot_file *file, uint64_t number, struct taker *taker,
                       struct engine_error *error)
{
    const struct block *block = &file->blocks[number];
    if (block->bytes > taker->room) {
        free(taker->member);
        taker->member = malloc(block->bytes);
        taker->room = taker->member ? block->bytes : 0;
        if (!taker->member)
            return error_memory(error, block->bytes, "reading a snapshot");
    }
    return read_at(file, file->begins[number], block->bytes, taker->member, error);
}

/* A plugin may count on its cells to have no other values, and a block's checksum says nothing of who wrote it. */
static bool within_values(const struct io_array *field, const void *content, uint64_t bytes)
{
    if (field->values == 0 || geometry_has_columns(&field->shape, field->values))
        return true;
    const uint64_t count = bytes / type_bytes(field->shape.type);
    return convert_within(field->shape.type, content, count, field->values - 1) == count;
}

/* Block `index` of a field, which is block `number` of the file. */
static int take_block(const struct snapshot_file *file, uint32_t field, uint64_t index, uint64_t number,
                      struct taker *taker, struct engine_error *error)
{
    const struct block *block = &file->blocks[number];
    const uint64_t bytes = stream_block(&file->streams[field], index);
    if (read_member(file, number, taker, error) != 0)
        return error->status;
    if (XXH3_64bits(taker->member, block->bytes) == block->check &&
        member_take(taker->inflater, taker->member, block->bytes, taker->content, bytes) &&
        within_values(&file->header.fields[field], taker->content, bytes))
        return 0;
    return error_set(error, ENGINE_STATUS_INPUT,
                     "%s: block %llu of field %s is damaged; take an older file, or make it again", file->path,
                     (unsigned long long) index, file->header.fields[field].name);
}

/* What the threads that read a field share. */
struct taking {
    const struct snapshot_file *file;
    uint32_t field;
    const struct snapshot_cells *cells;
    uint64_t first; /* number of the field's first block */
    bool apart;     /* blocks may be written into cells at the same time */
};

static int place_block(const struct taking *taking, uint64_t index, struct taker *taker, struct engine_error *error)
{
    const struct stream *stream = &taking->file->streams[taking->field];
    const struct io_array *array = &taking->file->header.fields[taking->field];
    if (take_block(taking->file, taking->field, index, taking->first + index, taker, error) != 0)
        return error->status;
    if (taking->apart)
        stream_write(stream, array, taking->cells, index, taker->content);
    else
#pragma omp critical(snapshot_cells)
        stream_write(stream, array, taking->cells, index, taker->content);
    return 0;
}

/* A thread's share of the blocks. */
static int place_blocks_of_thread(const struct taking *taking, struct engine_error *error)
{
    const int64_t blocks = (int64_t) taking->file->streams[taking->field].blocks;
    struct taker taker;
    int status = taker_open(&taker, error);
#pragma omp for schedule(dynamic, 1)
    for (int64_t i = 0; i < blocks; i++)
        if (status == 0)
            status = place_block(taking, (uint64_t) i, &taker, error);
    taker_close(&taker);
    return status;
}

int snapshot_file_read(struct snapshot_file *file, uint32_t field, const struct snapshot_cells *cells, uint32_t threads,
                       struct engine_error *error)
{
    struct taking taking = {file, field, cells, 0,
                            stream_apart(&file->streams[field], &file->header.fields[field], cells)};
    const bool several = threads > 1 && file->streams[field].blocks > 1;
    int status = 0;
    for (uint32_t i = 0; i < field; i++)
        taking.first += file->streams[i].blocks;
#pragma omp parallel num_threads((int) threads) if (several)
    {
        struct engine_error own;
        const int mine = place_blocks_of_thread(&taking, &own);
        if (mine != 0)
#pragma omp critical(snapshot_read)
        {
            *error = own;
            status = mine;
        }
    }
    return status;
}
