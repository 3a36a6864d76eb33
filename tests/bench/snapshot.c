/* Measures the speed of the parts of a snapshot on one core, and how far they compress a grid of bits:
 *
 *     build/tests/bench/snapshot FILE.snapshot [REPEATS]
 *
 * It uses the first field of the file, which is a grid of two values. MB/s count its bits and the time of the core
 * itself, the best of the repeats. tools/bench-snapshot makes such a file and runs this program. */
#include "base/xxh.h"
#include "files/snapshot_header.h"
#include "files/snapshot_member.h"
#include "files/snapshot_stream.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum { ZLIB_BLOCK = 1 << 20 };

struct work {
    struct snapshot_header header;
    struct snapshot_cells cells;
    struct snapshot_stream stream;
    uint8_t *columns; /* the whole stream */
    uint8_t *members; /* each with room for the longest */
    uint8_t *content; /* of one block */
    struct snapshot_block *blocks;
    struct isal_zstream deflater;
    struct inflate_state inflater;
    char path[64];
};

static void stop(const char *text)
{
    fprintf(stderr, "snapshot: %s\n", text);
    exit(1);
}

static void *memory(size_t bytes)
{
    void *got = calloc(1, bytes);
    if (!got)
        stop("no memory");
    return got;
}

/* ---- What is measured: each returns the bytes that it made ----------------------------------------------------- */

static uint8_t *member_of(struct work *work, uint64_t index)
{
    return work->members + index * member_bound(work->stream.block);
}

static uint64_t gzip_rows(struct work *work)
{
    static uint8_t out[2 * ZLIB_BLOCK];
    uint8_t *rows = work->cells.memory;
    z_stream stream = {.next_in = rows, .avail_in = 0};
    if (deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        stop("no memory");
    for (uint64_t done = 0; done < work->cells.geometry.bytes; done += ZLIB_BLOCK) {
        const uint64_t left = work->cells.geometry.bytes - done;
        stream.avail_in = (unsigned) (left < ZLIB_BLOCK ? left : ZLIB_BLOCK);
        stream.next_out = out;
        stream.avail_out = sizeof out;
        deflate(&stream, left <= ZLIB_BLOCK ? Z_FINISH : Z_NO_FLUSH);
    }
    const uint64_t bytes = stream.total_out;
    deflateEnd(&stream);
    return bytes;
}

static uint64_t deflate_columns(struct work *work)
{
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < work->stream.blocks; i++) {
        struct snapshot_block *block = &work->blocks[i];
        block->bytes = (uint32_t) member_make(&work->deflater, work->columns + i * work->stream.block,
                                              stream_block_bytes(&work->stream, i), member_of(work, i));
        bytes += block->bytes;
    }
    return bytes;
}

static uint64_t press(struct work *work, struct isal_zstream *deflater)
{
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < work->stream.blocks; i++) {
        struct snapshot_block *block = &work->blocks[i];
        stream_move(&work->stream, &work->header.fields[0], &work->cells, i, NULL, work->content, NULL, NULL);
        block->bytes =
            (uint32_t) member_make(deflater, work->content, stream_block_bytes(&work->stream, i), member_of(work, i));
        block->check = XXH3_64bits(member_of(work, i), block->bytes);
        bytes += block->bytes;
    }
    return bytes;
}

static uint64_t store_blocks(struct work *work)
{
    return press(work, NULL);
}

static uint64_t deflate_blocks(struct work *work)
{
    return press(work, &work->deflater);
}

static uint64_t write_file(struct work *work, enum snapshot_compression compression)
{
    struct engine_error error;
    const int written = open(work->path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (snapshot_file_write(written, &work->header, &work->cells, compression, 1, &error) != 0)
        stop(error.text);
    if (fsync(written) != 0 || close(written) != 0)
        stop("cannot write");
    FILE *file = fopen(work->path, "rb");
    fseek(file, 0, SEEK_END);
    const long bytes = ftell(file);
    fclose(file);
    return (uint64_t) bytes;
}

static uint64_t write_stored(struct work *work)
{
    return write_file(work, SNAPSHOT_STORE);
}

static uint64_t write_deflated(struct work *work)
{
    return write_file(work, SNAPSHOT_DEFLATE);
}

static uint64_t inflate_blocks(struct work *work)
{
    for (uint64_t i = 0; i < work->stream.blocks; i++)
        if (!member_unpack(&work->inflater, member_of(work, i), work->blocks[i].bytes, work->content,
                           stream_block_bytes(&work->stream, i)))
            stop("a block is not what was written");
    return 0;
}

static uint64_t take_blocks(struct work *work)
{
    for (uint64_t i = 0; i < work->stream.blocks; i++) {
        const struct snapshot_block *block = &work->blocks[i];
        if (XXH3_64bits(member_of(work, i), block->bytes) != block->check ||
            !member_unpack(&work->inflater, member_of(work, i), block->bytes, work->content,
                           stream_block_bytes(&work->stream, i)))
            stop("a block is not what was written");
        stream_move(&work->stream, &work->header.fields[0], &work->cells, i, NULL, NULL, work->content, NULL);
    }
    return 0;
}

static const struct {
    const char *name;
    uint64_t (*pass)(struct work *);
} passes[] = {
    {"gzip -6 of the rows of bits", gzip_rows},
    {"blocks stored: columns, CRC-32, XXH3", store_blocks},
    {"the whole file, stored, with the hash of all cells", write_stored},
    {"blocks deflated: columns, deflate, CRC-32, XXH3", deflate_blocks},
    {"of that, deflate and CRC-32", deflate_columns},
    {"the whole file, deflated, with the hash of all cells", write_deflated},
    {"blocks read back into rows: XXH3, inflate, CRC-32, columns", take_blocks},
    {"of that, inflate and CRC-32", inflate_blocks},
};

/* ---- Measuring -------------------------------------------------------------------------------------------------- */

static double core_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

static void measure(struct work *work, size_t index, int repeats)
{
    const double bytes = (double) work->stream.bytes;
    double best = 1e99;
    uint64_t made = 0;
    for (int i = 0; i < repeats; i++) {
        const double begin = core_seconds();
        made = passes[index].pass(work);
        const double seconds = core_seconds() - begin;
        best = seconds < best ? seconds : best;
    }
    printf("%-60s ", passes[index].name);
    if (made > 0)
        printf("%6.2f ", bytes / (double) made);
    else
        printf("%6s ", "");
    printf("%8.0f\n", bytes / best / 1e6);
}

static void read_field(const char *path, struct work *work)
{
    struct engine_error error;
    struct snapshot_file *file;
    if (snapshot_file_open(path, &file, &error) != 0)
        stop(error.text);
    work->header = (struct snapshot_header){.count = 1};
    work->header.fields[0] = snapshot_file_header(file)->fields[0];
    const struct engine_file_array *array = &work->header.fields[0];
    const struct engine_field field = {.name = array->name, .kind = ENGINE_GRID, .values = array->values};
    const struct engine_layout layout = {.size = sizeof layout, .cell_bits = 1, .word_bytes = 8};
    if (!geometry_has_columns(&array->shape, array->values))
        stop("its first field is no grid of two values; make a snapshot of one");
    if (geometry_make(&field, &array->shape, &layout, &work->cells.geometry, &error) != 0)
        stop(error.text);
    work->cells.memory = memory(work->cells.geometry.bytes);
    if (snapshot_file_read(file, 0, &work->cells, 1, &error) != 0)
        stop(error.text);
    snapshot_file_close(file);
}

static void make_room(struct work *work)
{
    if (!stream_of(&work->header.fields[0], &work->stream))
        stop("it is larger than memory");
    work->columns = memory(work->stream.bytes);
    work->content = memory(work->stream.block);
    work->members = memory(work->stream.blocks * member_bound(work->stream.block));
    work->blocks = memory(work->stream.blocks * sizeof *work->blocks);
    for (uint64_t i = 0; i < work->stream.blocks; i++)
        stream_move(&work->stream, &work->header.fields[0], &work->cells, i, NULL,
                    work->columns + i * work->stream.block, NULL, NULL);
}

int main(int count, char **words)
{
    struct work *work = memory(sizeof *work);
    const int repeats = count > 2 ? atoi(words[2]) : 5;
    if (count < 2 || count > 3 || repeats < 1)
        stop("which file, how often? Say snapshot FILE.snapshot [REPEATS]");
    snprintf(work->path, sizeof work->path, "/tmp/bench-snapshot-%ld", (long) getpid());
    read_field(words[1], work);
    make_room(work);
    printf("%-60s %6s %8s\n", "", "ratio", "MB/s");
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++)
        measure(work, i, repeats);
    unlink(work->path);
    free(work->columns);
    free(work->content);
    free(work->members);
    free(work->blocks);
    free(work->cells.memory);
    free(work);
    return 0;
}
