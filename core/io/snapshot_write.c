/* Writing snapshots: threads compress blocks, and append them in order. */
#include "base/xxh.h"
#include "io/snapshot_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HASH_PIECE = 1 << 14, WRITE_MAX = 1 << 30 };

struct writer {
    int file;
    uint64_t offset; /* of the file's end */
    struct snapshot_header *header;
    const struct snapshot_cells *cells;
    enum snapshot_compression compression;
    struct stream streams[IO_ARRAYS_MAX];
    struct block *blocks;
    uint64_t count;             /* of blocks */
    struct engine_error *error; /* the first one */
};

/* What a thread works with. */
struct press {
    struct isal_zstream *deflater;
    uint8_t *content, *member;
};

static void press_close(struct press *press)
{
    free(press->deflater);
    free(press->content);
    free(press->member);
}

/* For contents of so many bytes; false: no memory, which is recorded. */
static bool press_open(struct press *press, size_t bytes, struct engine_error *error)
{
    *press = (struct press){malloc(sizeof *press->deflater), malloc(bytes), malloc(member_bound(bytes))};
    if (press->deflater && press->content && press->member)
        return true;
    press_close(press);
    error_memory(error, bytes, "compressing a snapshot");
    return false;
}

static int append(struct writer *writer, const void *data, uint64_t bytes, struct engine_error *error)
{
    for (const char *at = data; bytes > 0;) {
        const ssize_t put = write(writer->file, at, bytes < WRITE_MAX ? bytes : WRITE_MAX);
        if (put < 0 && errno != EINTR)
            return error_set(error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno));
        at += put > 0 ? put : 0;
        bytes -= put > 0 ? (uint64_t) put : 0;
        writer->offset += put > 0 ? (uint64_t) put : 0;
    }
    return 0;
}

/* ---- Header, index, end ------------------------------------------------------------------------------------- */

/* A member of its own; *bytes and *check tell of it. */
static int append_text(struct writer *writer, const char *text, uint64_t *bytes, uint64_t *check)
{
    struct press press;
    const size_t length = strlen(text);
    if (!press_open(&press, length, writer->error))
        return writer->error->status;
    *bytes = member_make(press.deflater, text, length, press.member);
    *check = XXH3_64bits(press.member, *bytes);
    const int status = append(writer, press.member, *bytes, writer->error);
    press_close(&press);
    return status;
}

static int append_header(struct writer *writer, struct end *end)
{
    char *text = header_print(writer->header, writer->error);
    if (!text)
        return writer->error->status;
    int status = 0;
    if (strlen(text) > SNAPSHOT_HEADER_MAX)
        status = error_set(writer->error, ENGINE_STATUS_OUTPUT, "its header would be longer than %d bytes",
                           SNAPSHOT_HEADER_MAX);
    else
        status = append_text(writer, text, &end->header_bytes, &end->header_check);
    free(text);
    return status;
}

static int append_index(struct writer *writer, struct end *end)
{
    const size_t size = INDEX_HASH + writer->count * INDEX_LINE + 1;
    char *text = malloc(size);
    if (!text)
        return error_memory(writer->error, size, "a snapshot's index");
    index_print(writer->header->hash, writer->blocks, writer->count, text);
    end->index_begin = writer->offset;
    const int status = append_text(writer, text, &end->index_bytes, &end->index_check);
    free(text);
    return status;
}

static int append_end(struct writer *writer, const struct end *end)
{
    uint8_t bytes[END_BYTES];
    end_make(end, bytes);
    return append(writer, bytes, sizeof bytes, writer->error);
}

/* ---- Blocks ------------------------------------------------------------------------------------------------- */

static int hash_field(const struct snapshot_cells *cells, XXH3_state_t *hash, struct engine_error *error)
{
    uint64_t count, bytes = cells->geometry.element_bytes;
    void *piece = malloc(HASH_PIECE);
    if (!piece)
        return error_memory(error, HASH_PIECE, "hashing");
    shape_elements(&cells->geometry.shape, &count);
    for (uint64_t begin = 0; begin < count;) {
        const uint64_t n = count - begin < HASH_PIECE / bytes ? count - begin : HASH_PIECE / bytes;
        geometry_read(&cells->geometry, cells->memory, begin, n, piece);
        XXH3_128bits_update(hash, piece, n * bytes);
        begin += n;
    }
    free(piece);
    return 0;
}

/* As state_hash does. */
static int hash_cells(const struct writer *writer, struct engine_error *error)
{
    struct snapshot_header *header = writer->header;
    XXH3_state_t *hash = XXH3_createState();
    int status = hash ? 0 : error_memory(error, sizeof(XXH128_hash_t), "hashing");
    if (status == 0)
        XXH3_128bits_reset(hash);
    for (uint32_t i = 0; status == 0 && i < header->count; i++)
        if (header->roles[i] != ENGINE_INPUT)
            status = hash_field(&writer->cells[i], hash, error);
    if (status == 0) {
        const XXH128_hash_t digest = XXH3_128bits_digest(hash);
        snprintf(header->hash, sizeof header->hash, "%016llx%016llx", (unsigned long long) digest.high64,
                 (unsigned long long) digest.low64);
    }
    XXH3_freeState(hash);
    return status;
}

/* Makes the member of block `number`, counted over all fields. */
static void press_block(struct writer *writer, uint64_t number, struct press *press)
{
    uint32_t field = 0;
    uint64_t index = number;
    for (; index >= writer->streams[field].blocks; field++)
        index -= writer->streams[field].blocks;
    const struct stream *stream = &writer->streams[field];
    struct block *block = &writer->blocks[number];
    stream_read(stream, &writer->header->fields[field], &writer->cells[field], index, press->content);
    struct isal_zstream *deflater = writer->compression == SNAPSHOT_DEFLATE ? press->deflater : NULL;
    block->bytes = (uint32_t) member_make(deflater, press->content, stream_block(stream, index), press->member);
    block->check = XXH3_64bits(press->member, block->bytes);
}

/* The first error counts. */
static void keep_error(struct writer *writer, const struct engine_error *error)
{
#pragma omp critical(snapshot_write)
    if (writer->error->status == 0)
        *writer->error = *error;
}

/* A thread's share of the blocks; what is pressed at the same time is appended in order. */
static void append_blocks_of_thread(struct writer *writer, struct press *press, struct engine_error *error)
{
    const int64_t count = (int64_t) writer->count;
#pragma omp for ordered schedule(dynamic, 1)
    for (int64_t number = 0; number < count; number++) {
        if (error->status == 0)
            press_block(writer, (uint64_t) number, press);
#pragma omp ordered
        if (error->status == 0 && writer->error->status == 0 &&
            append(writer, press->member, writer->blocks[number].bytes, error) != 0)
            keep_error(writer, error);
    }
}

/* One thread begins with the hash, the others with blocks. */
static int append_blocks(struct writer *writer, uint32_t threads)
{
#pragma omp parallel num_threads((int) threads)
    {
        struct press press;
        struct engine_error error = {0};
        const bool open = press_open(&press, SNAPSHOT_BLOCK, &error);
        if (!open)
            keep_error(writer, &error);
#pragma omp single nowait
        if (error.status == 0 && hash_cells(writer, &error) != 0)
            keep_error(writer, &error);
        append_blocks_of_thread(writer, &press, &error);
        if (open)
            press_close(&press);
    }
    return writer->error->status;
}

/* ---- All of it ---------------------------------------------------------------------------------------------- */

static int write_parts(struct writer *writer, uint32_t threads)
{
    struct end end = {0};
    for (uint32_t i = 0; i < writer->header->count; i++) {
        if (!stream_of(&writer->header->fields[i], &writer->streams[i]))
            return error_set(writer->error, ENGINE_STATUS_OUTPUT, "field %s is larger than an address space",
                             writer->header->fields[i].name);
        writer->count += writer->streams[i].blocks;
    }
    writer->blocks = calloc(writer->count + 1, sizeof *writer->blocks);
    if (!writer->blocks)
        return error_memory(writer->error, writer->count * sizeof *writer->blocks, "a snapshot's index");
    if (append_header(writer, &end) != 0 || append_blocks(writer, threads) != 0 || append_index(writer, &end) != 0 ||
        append_end(writer, &end) != 0)
        return writer->error->status;
    return fsync(writer->file) == 0
               ? 0
               : error_set(writer->error, ENGINE_STATUS_OUTPUT, "cannot be brought to its medium: %s", strerror(errno));
}

int snapshot_file_write(const char *path, struct snapshot_header *header, const struct snapshot_cells *cells,
                        enum snapshot_compression compression, uint32_t threads, struct engine_error *error)
{
    *error = (struct engine_error){0};
    struct writer writer = {.header = header, .cells = cells, .compression = compression, .error = error};
    writer.file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (writer.file < 0)
        return error_set(error, ENGINE_STATUS_OUTPUT, "cannot be made: %s", strerror(errno));
    int status = write_parts(&writer, threads > 0 ? threads : 1);
    if (close(writer.file) != 0 && status == 0)
        status = error_set(error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno));
    free(writer.blocks);
    return status;
}
