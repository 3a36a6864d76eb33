/* Writing snapshots. Threads compress blocks at the same time, and append them in order. */
#include "base/hash.h"
#include "base/values.h"
#include "base/xxh.h"
#include "files/bytes.h"
#include "files/snapshot_header.h"
#include "files/snapshot_pack.h"

#include <errno.h>
#include <omp.h>
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
    struct snapshot_stream streams[IO_ARRAYS_MAX];
    struct snapshot_block *blocks;
    uint64_t count, done;       /* blocks; those that are written, where not all are in memory */
    struct engine_error *error; /* the first one */
    omp_lock_t lock;            /* for the first error */
};

/* The memory of one thread. */
struct packer {
    struct isal_zstream *deflater;
    uint8_t *content, *member;
};

static void packer_close(struct packer *packer)
{
    free(packer->deflater);
    free(packer->content);
    free(packer->member);
}

/* Allocates memory for contents of so many bytes. Returns false, with an error recorded, where there is none. */
static bool packer_open(struct packer *packer, size_t bytes, struct engine_error *error)
{
    *packer = (struct packer){malloc(sizeof *packer->deflater), malloc(bytes), malloc(member_bound(bytes))};
    if (packer->deflater && packer->content && packer->member)
        return true;
    packer_close(packer);
    error_memory(error, bytes, "compressing a snapshot");
    return false;
}

static int append(struct writer *writer, const void *data, uint64_t bytes, struct engine_error *error)
{
    if (!bytes_write(writer->file, data, bytes))
        return error_set(error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno));
    writer->offset += bytes;
    return 0;
}

/* ---- Header, index, end ------------------------------------------------------------------------------------- */

/* Appends a text as a member, and gives the member's bytes and checksum. */
static int append_text(struct writer *writer, const char *text, uint64_t *bytes, uint64_t *check)
{
    struct packer packer;
    const size_t length = strlen(text);
    if (!packer_open(&packer, length, writer->error))
        return writer->error->status;
    *bytes = member_make(packer.deflater, text, length, packer.member);
    *check = XXH3_64bits(packer.member, *bytes);
    const int status = append(writer, packer.member, *bytes, writer->error);
    packer_close(&packer);
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

/* ---- Blocks ------------------------------------------------------------------------------------------------- */

/* The bytes that are hashed: the canonical arrays of all states and outputs, in pieces. */
struct hashed {
    uint64_t first[IO_ARRAYS_MAX + 1]; /* the number of the first piece of each field, and of all pieces */
    uint64_t place[IO_ARRAYS_MAX];     /* of the field's first byte */
};

static uint64_t elements_of(const struct snapshot_cells *cells)
{
    uint64_t count;
    shape_elements(&cells->geometry.shape, &count);
    return count;
}

static struct hashed hashed_of(const struct writer *writer)
{
    struct hashed hashed = {.first = {0}};
    uint64_t place = 0;
    for (uint32_t i = 0; i < writer->header->count; i++) {
        const uint64_t bytes = writer->header->roles[i] == ENGINE_INPUT
                                   ? 0
                                   : elements_of(&writer->cells[i]) * writer->cells[i].geometry.element_bytes;
        hashed.first[i + 1] = hashed.first[i] + (bytes + HASH_PIECE - 1) / HASH_PIECE;
        hashed.place[i] = place;
        place += bytes;
    }
    return hashed;
}

/* Reduces piece `number` to `reduced`. Returns its bytes. */
static uint64_t reduce_piece(const struct writer *writer, const struct hashed *hashed, uint64_t number, void *piece,
                             void *reduced, struct engine_error *error)
{
    uint32_t field = 0;
    while (number >= hashed->first[field + 1])
        field++;
    const struct geometry *geometry = &writer->cells[field].geometry;
    const uint64_t each = HASH_PIECE / geometry->element_bytes, begin = (number - hashed->first[field]) * each;
    const uint64_t left = elements_of(&writer->cells[field]) - begin, count = left < each ? left : each;
    geometry_read(geometry, writer->cells[field].memory, begin, count, piece);
    if (geometry->layout.cell_bits != 1 && error->status == 0)
        values_check(&writer->header->fields[field], begin, count, piece, error);
    hash_reduce(hashed->place[field] + begin * geometry->element_bytes, piece, count * geometry->element_bytes,
                reduced);
    return count * geometry->element_bytes;
}

/* Computes the same hash as state_hash. Threads reduce pieces at the same time, and add them in order, several at a
 * time because a thread may have to sleep until it is its turn. */
static void hash_by_thread(const struct writer *writer, const struct hashed *hashed, struct hash *hash,
                           struct engine_error *error)
{
    enum { AT_ONCE = 16, REDUCED = HASH_PIECE / (HASH_BLOCK / HASH_STRIPE) + HASH_EXCESS };
    const int64_t count = (int64_t) hashed->first[writer->header->count];
    uint8_t piece[HASH_PIECE], reduced[AT_ONCE][REDUCED];
    uint64_t bytes[AT_ONCE];
#pragma omp for ordered schedule(dynamic, 1) nowait
    for (int64_t number = 0; number < count; number += AT_ONCE) {
        const int64_t n = count - number < AT_ONCE ? count - number : AT_ONCE;
        for (int64_t i = 0; i < n; i++)
            bytes[i] = reduce_piece(writer, hashed, (uint64_t) (number + i), piece, reduced[i], error);
#pragma omp ordered
        for (int64_t i = 0; i < n; i++)
            hash_add_reduced(hash, reduced[i], bytes[i]);
    }
}

/* Makes the member of block `number` of the file. */
static void pack_block(struct writer *writer, uint64_t number, struct packer *packer)
{
    uint32_t field = 0;
    uint64_t index = number;
    for (; index >= writer->streams[field].blocks; field++)
        index -= writer->streams[field].blocks;
    const struct snapshot_stream *stream = &writer->streams[field];
    struct snapshot_block *block = &writer->blocks[number];
    stream_read(stream, &writer->header->fields[field], &writer->cells[field], index, packer->content);
    struct isal_zstream *deflater = writer->compression == SNAPSHOT_DEFLATE ? packer->deflater : NULL;
    block->bytes = (uint32_t) member_make(deflater, packer->content, stream_block_bytes(stream, index), packer->member);
    block->check = XXH3_64bits(packer->member, block->bytes);
}

static void keep_first_error(struct writer *writer, const struct engine_error *error)
{
    omp_set_lock(&writer->lock);
    if (writer->error->status == 0)
        *writer->error = *error;
    omp_unset_lock(&writer->lock);
}

/* The blocks that one thread compresses. Threads compress at the same time, and append in order. */
static void append_blocks_of_thread(struct writer *writer, struct packer *packer, struct engine_error *error)
{
    const int64_t count = (int64_t) writer->count;
#pragma omp for ordered schedule(dynamic, 1)
    for (int64_t number = 0; number < count; number++) {
        if (error->status == 0)
            pack_block(writer, (uint64_t) number, packer);
#pragma omp ordered
        if (error->status == 0 && writer->error->status == 0 &&
            append(writer, packer->member, writer->blocks[number].bytes, error) != 0)
            keep_first_error(writer, error);
    }
}

static int append_blocks(struct writer *writer, uint32_t threads)
{
    const struct hashed hashed = hashed_of(writer);
    struct hash hash;
    hash_begin(&hash);
#pragma omp parallel num_threads((int) threads)
    {
        struct packer packer;
        struct engine_error error = {0};
        const bool open = packer_open(&packer, SNAPSHOT_BLOCK, &error);
        hash_by_thread(writer, &hashed, &hash, &error);
        if (error.status != 0)
            keep_first_error(writer, &error);
        append_blocks_of_thread(writer, &packer, &error);
        if (open)
            packer_close(&packer);
    }
    hash_print(&hash, writer->header->hash);
    return writer->error->status;
}

/* ---- Piece by piece ----------------------------------------------------------------------------------------- */

static int append_packed(struct writer *writer, struct packing *packing)
{
    struct snapshot_block *blocks = &writer->blocks[writer->done];
    uint64_t count;
    if (packing_next(packing, blocks, &count, writer->error) != 0)
        return writer->error->status;
    for (uint64_t i = 0; i < count; i++)
        if (append(writer, packing_member(packing, i), blocks[i].bytes, writer->error) != 0)
            return writer->error->status;
    writer->done += count;
    return 0;
}

static int append_field(struct writer *writer, uint32_t index, struct hash *hash, uint32_t threads)
{
    struct packing packing;
    int status = packing_open(&packing, &writer->header->fields[index], &writer->cells[index], writer->compression,
                              threads, 0, writer->streams[index].blocks, writer->error);
    packing.hash = writer->header->roles[index] != ENGINE_INPUT ? hash : NULL;
    while (status == 0 && packing.next < packing.last)
        status = append_packed(writer, &packing);
    packing_close(&packing);
    return status;
}

static int append_pieces(struct writer *writer, uint32_t threads)
{
    struct hash hash;
    hash_begin(&hash);
    for (uint32_t i = 0; i < writer->header->count; i++)
        if (append_field(writer, i, &hash, threads) != 0)
            return writer->error->status;
    hash_print(&hash, writer->header->hash);
    return 0;
}

/* ---- By several processes ------------------------------------------------------------------------------------- */

/* The caller and other processes write the blocks of each field. */
static int append_elsewhere(struct writer *writer, uint32_t threads)
{
    (void) threads;
    for (uint32_t i = 0; i < writer->header->count; i++) {
        const struct snapshot_cells *cells = &writer->cells[i];
        struct snapshot_block *blocks = &writer->blocks[writer->done];
        if (cells->write(cells->self, writer->offset, blocks, writer->error) != 0)
            return writer->error->status;
        for (uint64_t k = 0; k < writer->streams[i].blocks; k++)
            writer->offset += blocks[k].bytes;
        writer->done += writer->streams[i].blocks;
    }
    return lseek(writer->file, (off_t) writer->offset, SEEK_SET) >= 0
               ? 0
               : error_set(writer->error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno));
}

/* ---- All of it ---------------------------------------------------------------------------------------------- */

static int append_fields(struct writer *writer, uint32_t threads)
{
    const struct snapshot_cells *first = &writer->cells[0];
    if (writer->header->count == 0 || first->memory)
        return append_blocks(writer, threads);
    return (first->write ? append_elsewhere : append_pieces)(writer, threads);
}

static int write_parts(struct writer *writer, uint32_t threads)
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
    if (append_header(writer, &end) != 0 || append_fields(writer, threads) != 0 || append_index(writer, &end) != 0 ||
        append_end(writer, &end) != 0)
        return writer->error->status;
    return 0;
}

int snapshot_file_write(int file, struct snapshot_header *header, const struct snapshot_cells *cells,
                        enum snapshot_compression compression, uint32_t threads, struct engine_error *error)
{
    *error = (struct engine_error){0};
    struct writer writer = {.header = header, .cells = cells, .file = file, .compression = compression, .error = error};
    omp_init_lock(&writer.lock);
    const int status = write_parts(&writer, threads > 0 ? threads : 1);
    omp_destroy_lock(&writer.lock);
    free(writer.blocks);
    return status;
}
