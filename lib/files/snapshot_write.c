/* Writing snapshots. */
#include "base/hash.h"
#include "base/values.h"
#include "base/xxh.h"
#include "files/bytes.h"
#include "files/snapshot_header.h"
#include "files/snapshot_pack.h"
#include "files/snapshot_stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HASH_PIECE = 1 << 16 }; /* bytes of a canonical array; on the stack of a thread */

struct writer {
    int file;
    uint64_t offset; /* of the file's end */
    struct snapshot_header *header;
    const struct snapshot_cells *cells;
    enum snapshot_compression compression;
    uint32_t threads;
    struct snapshot_stream streams[IO_ARRAYS_MAX];
    struct snapshot_block *blocks;
    uint64_t count; /* blocks */
    struct engine_error *error;
};

static int append(void *self, const void *data, uint64_t bytes, struct engine_error *error)
{
    struct writer *writer = self;
    if (!bytes_write(writer->file, data, bytes))
        return error_set(error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno));
    writer->offset += bytes;
    return 0;
}

/* ---- Header, index, end ------------------------------------------------------------------------------------- */

/* Appends a text as a member, and gives the member's bytes and checksum. */
static int append_text(struct writer *writer, const char *text, uint64_t *bytes, uint64_t *check)
{
    const size_t length = strlen(text);
    struct isal_zstream *deflater = malloc(sizeof *deflater);
    uint8_t *member = malloc(member_bound(length));
    int status = deflater && member ? 0 : error_memory(writer->error, length, "compressing a snapshot");
    if (status == 0) {
        *bytes = member_make(deflater, text, length, member);
        *check = XXH3_64bits(member, *bytes);
        status = append(writer, member, *bytes, writer->error);
    }
    free(deflater);
    free(member);
    return status;
}

static int append_header(struct writer *writer, struct snapshot_end *end)
{
    char *text = snapshot_header_print(writer->header, writer->error);
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

static int append_index(struct writer *writer, struct snapshot_end *end)
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

static int append_end(struct writer *writer, const struct snapshot_end *end)
{
    uint8_t bytes[SNAPSHOT_END_BYTES];
    end_make(end, bytes);
    return append(writer, bytes, sizeof bytes, writer->error);
}

/* ---- The hash ----------------------------------------------------------------------------------------------- */

/* Reduces a piece of a field in memory. Returns its bytes. */
static uint64_t reduce_piece(const struct engine_file_array *field, const struct snapshot_cells *cells, uint64_t place,
                             uint64_t begin, uint64_t count, void *reduced, struct engine_error *error)
{
    uint8_t piece[HASH_PIECE];
    const struct geometry *geometry = &cells->geometry;
    geometry_read(geometry, cells->memory, begin, count, piece);
    if (geometry->layout.cell_bits != 1 && error->status == 0)
        values_check(field, begin, count, piece, error);
    hash_reduce(place + begin * geometry->element_bytes, piece, count * geometry->element_bytes, 0, reduced);
    return count * geometry->element_bytes;
}

/* Adds a field in memory to the hash. Threads reduce pieces at the same time, and add them in order, several at a time
 * because a thread may have to sleep until it is its turn. */
static int hash_field(const struct engine_file_array *field, const struct snapshot_cells *cells, uint32_t threads,
                      struct hash *hash, struct engine_error *error)
{
    enum { AT_ONCE = 16, REDUCED = HASH_PIECE / (HASH_BLOCK / HASH_STRIPE) + HASH_EXCESS };
    const uint64_t each = HASH_PIECE / cells->geometry.element_bytes, place = hash->bytes;
    uint64_t count;
    shape_elements(&cells->geometry.shape, &count);
#pragma omp parallel for num_threads((int) threads) ordered schedule(dynamic, 1)
    for (uint64_t begin = 0; begin < count; begin += AT_ONCE * each) {
        uint8_t reduced[AT_ONCE][REDUCED];
        uint64_t bytes[AT_ONCE], n = 0;
        struct engine_error own = {.status = 0};
        for (uint64_t at = begin; n < AT_ONCE && at < count; at += each, n++)
            bytes[n] = reduce_piece(field, cells, place, at, count - at < each ? count - at : each, reduced[n], &own);
#pragma omp ordered
        {
            for (uint64_t i = 0; i < n; i++)
                hash_add_reduced(hash, reduced[i], bytes[i]);
            if (own.status != 0 && error->status == 0)
                *error = own;
        }
    }
    return error->status;
}

/* Computes the same hash as state_hash: that of the canonical arrays of all states and outputs. The caller knows the
 * hash of cells that are not in memory. */
static int hash_fields(const struct writer *writer)
{
    struct hash hash;
    hash_begin(&hash);
    for (uint32_t i = 0; i < writer->header->count; i++) {
        if (!writer->cells[i].memory)
            return 0;
        if (writer->header->roles[i] != ENGINE_INPUT &&
            hash_field(&writer->header->fields[i], &writer->cells[i], writer->threads, &hash, writer->error) != 0)
            return writer->error->status;
    }
    hash_print(&hash, writer->header->hash);
    return 0;
}

/* ---- Fields ------------------------------------------------------------------------------------------------- */

/* The caller and other processes write the blocks of a field. */
static int append_elsewhere(struct writer *writer, const struct snapshot_cells *cells, struct snapshot_block *blocks,
                            uint64_t count)
{
    if (cells->write(cells->self, writer->offset, blocks, writer->error) != 0)
        return writer->error->status;
    for (uint64_t i = 0; i < count; i++)
        writer->offset += blocks[i].bytes;
    return lseek(writer->file, (off_t) writer->offset, SEEK_SET) >= 0
               ? 0
               : error_set(writer->error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno));
}

static int append_fields(struct writer *writer)
{
    struct snapshot_block *blocks = writer->blocks;
    int status = hash_fields(writer);
    for (uint32_t i = 0; status == 0 && i < writer->header->count; i++) {
        const struct snapshot_cells *cells = &writer->cells[i];
        const struct packing packing = {&writer->header->fields[i], cells, writer->compression, writer->threads};
        const uint64_t count = writer->streams[i].blocks;
        status = !cells->memory && cells->write
                     ? append_elsewhere(writer, cells, blocks, count)
                     : blocks_pack(&packing, 0, count, blocks, append, writer, writer->error);
        blocks += count;
    }
    return status;
}

/* ---- All of it ---------------------------------------------------------------------------------------------- */

static int write_parts(struct writer *writer)
{
    struct snapshot_end end = {0};
    for (uint32_t i = 0; i < writer->header->count; i++) {
        if (!stream_of(&writer->header->fields[i], &writer->streams[i]))
            return error_set(writer->error, ENGINE_STATUS_OUTPUT, "field %s is larger than an address space",
                             writer->header->fields[i].name);
        writer->count += writer->streams[i].blocks;
    }
    writer->blocks = calloc(writer->count + 1, sizeof *writer->blocks);
    if (!writer->blocks)
        return error_memory(writer->error, writer->count * sizeof *writer->blocks, "a snapshot's index");
    if (append_header(writer, &end) != 0 || append_fields(writer) != 0 || append_index(writer, &end) != 0 ||
        append_end(writer, &end) != 0)
        return writer->error->status;
    return 0;
}

int snapshot_file_write(int file, struct snapshot_header *header, const struct snapshot_cells *cells,
                        enum snapshot_compression compression, uint32_t threads, struct engine_error *error)
{
    *error = (struct engine_error){0};
    struct writer writer = {.file = file,
                            .header = header,
                            .cells = cells,
                            .compression = compression,
                            .threads = threads > 0 ? threads : 1,
                            .error = error};
    const int status = write_parts(&writer);
    free(writer.blocks);
    return status;
}
