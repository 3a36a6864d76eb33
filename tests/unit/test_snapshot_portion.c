/* A snapshot whose blocks several writers make and place, each a portion of them, and one of cells that are moved piece
 * by piece, have the bytes of one that is written from memory: with blocks that hold several planes, bands that are
 * longer than blocks, and more blocks than a round, whether members are kept or made again. Cells that are moved piece
 * by piece out of the file are those that were written. */
#include "files/bytes.h"
#include "files/snapshot_portion.h"
#include "files/snapshot_stream.h"
#include "folder.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { WRITERS = 3 };

/* A field in memory, and how it is written. */
struct field {
    struct engine_file_array array;
    struct snapshot_cells cells;
    enum snapshot_compression compression;
    uint32_t threads;
    uint64_t room; /* of a writer */
    char hash[HASH_TEXT];
    int file;
};

/* Cells in clusters, and numbers that grow: some blocks are compressed, and some are stored. */
static void fill(struct field *field)
{
    uint64_t count, draw = 7;
    shape_elements(&field->array.shape, &count);
    for (uint64_t i = 0; i < count; i++) {
        draw = draw * 6364136223846793005u + 1442695040888963407u;
        if (field->array.shape.type == ENGINE_U8)
            ((uint8_t *) field->cells.memory)[i] = i / 100000 % 2 && draw >> 63;
        else
            ((uint32_t *) field->cells.memory)[i] = i / 1000000 % 3 ? (uint32_t) (i / 7) : (uint32_t) (draw >> 32);
    }
}

static struct field field_of(uint32_t type, uint64_t x, uint64_t y, uint64_t z)
{
    const struct engine_field about = {.name = "cells",
                                       .kind = ENGINE_GRID,
                                       .type = type,
                                       .components = 1,
                                       .rank = 3,
                                       .values = type == ENGINE_U8 ? 2 : 0};
    const struct engine_shape shape = {sizeof shape, type, 1, 3, {x, y, z}};
    const struct engine_layout plain = {.size = sizeof plain};
    struct field field = {.array = {.name = "cells", .values = about.values, .shape = shape}};
    struct engine_error error;
    assert_int_equal(geometry_make(&about, &shape, &plain, &field.cells.geometry, &error), 0);
    assert_non_null(field.cells.memory = malloc(field.cells.geometry.bytes));
    fill(&field);
    return field;
}

static int move(void *self, uint64_t begin, uint64_t count, void *out, const void *in, struct engine_error *error)
{
    const struct field *field = self;
    if (out)
        geometry_read(&field->cells.geometry, field->cells.memory, begin, count, out);
    else
        geometry_write(&field->cells.geometry, field->cells.memory, begin, count, in);
    return 0;
}

/* Each writer has the blocks from edges[i] to edges[i + 1]. */
static int write_by_portions(void *self, uint64_t offset, struct snapshot_block *blocks, struct engine_error *error)
{
    struct field *field = self;
    struct snapshot_stream stream;
    struct snapshot_cells cells = {.geometry = field->cells.geometry, .move = move, .self = field};
    assert_true(stream_of(&field->array, &stream));
    const uint64_t edges[WRITERS + 1] = {0, stream.blocks / 4, stream.blocks - 1, stream.blocks};
    for (int i = 0; i < WRITERS; i++) {
        struct portion portion = {.packing = {&field->array, &cells, field->compression, field->threads},
                                  .first = edges[i],
                                  .count = edges[i + 1] - edges[i],
                                  .room = field->room};
        assert_int_equal(portion_open(&portion, error), 0);
        for (uint64_t r = 0; portion_round(portion.count, r) > 0; r++)
            assert_int_equal(portion_pack(&portion, r, blocks + edges[i] + r * PORTION_ROUND, error), 0);
        for (uint64_t r = 0, done = edges[i]; portion_round(portion.count, r) > 0; r++) {
            assert_int_equal(portion_place(&portion, r, field->file, offset, error), 0);
            for (uint64_t k = 0; k < portion_round(portion.count, r); k++)
                offset += blocks[done++].bytes;
        }
        portion_close(&portion);
    }
    return 0;
}

enum way { MEMORY, PIECES, PORTIONS };

/* Writes the field, and returns the file's bytes. Only where the cells are in memory the hash need not be told. */
static uint8_t *write_field(struct field *field, enum way way, uint64_t *bytes)
{
    struct snapshot_header header = {
        .engine = "1", .plugin = "p", .config = "", .count = 1, .roles = {ENGINE_STATE}, .fields = {field->array}};
    struct snapshot_cells cells = {.geometry = field->cells.geometry,
                                   .move = move,
                                   .write = way == PORTIONS ? write_by_portions : NULL,
                                   .self = field};
    struct engine_error error;
    memcpy(header.hash, field->hash, HASH_TEXT);
    field->file = open(path_of("a.snapshot"), O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (snapshot_file_write(field->file, &header, way == MEMORY ? &field->cells : &cells, field->compression,
                            field->threads, &error) != 0)
        fail_msg("%s", error.text);
    memcpy(field->hash, header.hash, HASH_TEXT);
    *bytes = (uint64_t) lseek(field->file, 0, SEEK_END);
    uint8_t *content = malloc(*bytes);
    assert_true(content && bytes_read(field->file, content, *bytes, 0));
    close(field->file);
    return content;
}

static void compare(struct field field, enum snapshot_compression compression, uint32_t threads, uint64_t room)
{
    uint64_t bytes, others;
    field.compression = compression;
    field.threads = 1;
    uint8_t *const whole = write_field(&field, MEMORY, &bytes);
    field.threads = threads;
    field.room = room;
    for (enum way way = MEMORY; way <= PORTIONS; way++) {
        uint8_t *const same = write_field(&field, way, &others);
        assert_int_equal(others, bytes);
        assert_memory_equal(same, whole, bytes);
        free(same);
    }
    free(whole);
}

/* Reads elements [begin, end) of the file that was written last, and perhaps some more, into cells that had none. */
static void read_range(const struct field *written, uint32_t threads, uint64_t begin, uint64_t end)
{
    struct engine_error error;
    struct snapshot_file *file;
    struct field field = *written;
    const uint64_t size = type_bytes(field.array.shape.type);
    assert_non_null(field.cells.memory = calloc(1, field.cells.geometry.bytes));
    const struct snapshot_cells cells = {.geometry = field.cells.geometry, .move = move, .self = &field};
    assert_int_equal(snapshot_file_open(path_of("a.snapshot"), &file, &error), 0);
    if (snapshot_file_read_range(file, 0, begin, end, &cells, threads, &error) != 0)
        fail_msg("%s", error.text);
    assert_memory_equal((uint8_t *) field.cells.memory + begin * size, (uint8_t *) written->cells.memory + begin * size,
                        (end - begin) * size);
    snapshot_file_close(file);
    free(field.cells.memory);
}

static void read_back(const struct field *written)
{
    uint64_t count;
    shape_elements(&written->array.shape, &count);
    read_range(written, 2, 0, count);
    for (uint64_t tenth = 0; tenth < 10; tenth++)
        read_range(written, 1 + tenth % 3, tenth * count / 10 + tenth, (tenth + 1) * count / 10);
    read_range(written, 1, count / 2, count / 2 + 1);
}

static void blocks_of_several_planes(void **state)
{
    (void) state;
    struct field field = field_of(ENGINE_U8, 3000, 203, 67);
    compare(field, SNAPSHOT_DEFLATE, 2, UINT64_MAX);
    compare(field, SNAPSHOT_STORE, 3, 0);
    read_back(&field);
    free(field.cells.memory);
}

static void bands_longer_than_a_block(void **state)
{
    (void) state;
    struct field field = field_of(ENGINE_U8, 1500001, 21, 1);
    compare(field, SNAPSHOT_DEFLATE, 2, 0);
    compare(field, SNAPSHOT_DEFLATE, 1, UINT64_MAX);
    read_back(&field);
    free(field.cells.memory);
}

static void several_rounds(void **state)
{
    (void) state;
    struct field field = field_of(ENGINE_U32, 1 << 18, 93, 1); /* 93 blocks */
    compare(field, SNAPSHOT_DEFLATE, 2, (uint64_t) 20 << 20);
    read_back(&field);
    free(field.cells.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_several_planes),
        cmocka_unit_test(bands_longer_than_a_block),
        cmocka_unit_test(several_rounds),
    };
    return cmocka_run_group_tests_name("portions", tests, make_folder, remove_folder);
}
