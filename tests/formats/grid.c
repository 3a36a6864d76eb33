/* A format of grids for tests: a head of numbers of 8 bytes (a magic number, the type, the components, the rank, x, y,
 * z, the first cell, the stride and the number of frames), and then the elements of all frames, each with its step. */
#define ENGINE_FORMAT_NEEDS 1
#include <engine/format.h>

#include <string.h>

enum { WORDS = 14 };
static const uint64_t magic = 0x2d2d444952474d45;

struct grid {
    uint64_t words[WORDS], bytes; /* of a frame */
    struct engine_file_array array;
};

static uint64_t bytes_of(const uint64_t *words)
{
    static const uint64_t bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return words[1] < 10 ? bytes[words[1]] * words[2] * words[4] * words[5] * words[6] : 0;
}

static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    (void) name, (void) bytes;
    return count >= 8 && memcmp(begin, &magic, 8) == 0 ? ENGINE_PROBE_YES : ENGINE_PROBE_NO;
}

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    struct grid *grid = (struct grid *) file->allocate(file, sizeof *grid);
    if (!grid)
        return ENGINE_NO_MEMORY;
    const uint64_t *words = grid->words;
    if (file->read(file, 0, sizeof grid->words, grid->words) != 0)
        return ENGINE_INVALID;
    for (int i = 2; i < 7; i++)
        if (words[i] < 1 || words[i] > file->bytes || words[3] > 3)
            return ENGINE_FAIL_BYTE(file, 8 * (uint64_t) i, "the head has a wrong size");
    for (uint64_t axis = words[3]; axis < 3; axis++)
        if (words[4 + axis] != 1)
            return ENGINE_FAIL_BYTE(file, 32 + 8 * axis, "the head has a size of an axis that the grid does not have");
    grid->bytes = bytes_of(words);
    if (grid->bytes == 0 || words[13] < 1 || words[13] > file->bytes ||
        words[13] * (grid->bytes + 8) != file->bytes - sizeof grid->words)
        return ENGINE_FAIL_BYTE(file, file->bytes, "the file does not have the frames of its head");
    memset(&grid->array, 0, sizeof grid->array);
    grid->array.name = "cells";
    grid->array.kind = ENGINE_GRID;
    grid->array.shape.size = sizeof grid->array.shape;
    grid->array.shape.type = (uint32_t) words[1];
    grid->array.shape.components = (uint32_t) words[2];
    grid->array.shape.rank = (uint32_t) words[3];
    memcpy(grid->array.shape.extent, words + 4, 24);
    content->arrays.at = &grid->array;
    content->arrays.count = 1;
    content->arrays.item_size = sizeof grid->array;
    content->frames = words[13];
    *self = grid;
    return 0;
}

static int frame_of(const struct engine_file *file, void *self, uint64_t number, struct engine_file_frame *frame)
{
    const struct grid *grid = (const struct grid *) self;
    frame->has = ENGINE_HAS_STEP;
    const int code = file->read(file, sizeof grid->words + number * (grid->bytes + 8), 8, &frame->step);
    return code == 0 && frame->step >> 63 ? ENGINE_FAIL_FILE(file, "a step is 2^63 or more") : code;
}

static int read_array(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                      uint64_t count, void *out)
{
    const struct grid *grid = (const struct grid *) self;
    (void) array, (void) begin, (void) count;
    return file->read(file, sizeof grid->words + number * (grid->bytes + 8) + 8, grid->bytes, out);
}

static int create(const struct engine_file *file, const struct engine_file_content *content, void **self)
{
    struct grid *grid = (struct grid *) file->allocate(file, sizeof *grid);
    if (!grid)
        return ENGINE_NO_MEMORY;
    grid->array = content->arrays.at[0];
    const struct engine_shape *shape = &grid->array.shape;
    const uint64_t words[] = {magic, shape->type, shape->components, shape->rank};
    memcpy(grid->words, words, sizeof words);
    memcpy(grid->words + 4, shape->extent, 24);
    memcpy(grid->words + 7, grid->array.first, 24);
    memcpy(grid->words + 10, grid->array.stride, 24);
    grid->words[13] = content->frames;
    grid->bytes = bytes_of(grid->words);
    if (grid->bytes == 0)
        return ENGINE_FAIL_FILE(file, "complex numbers do not fit into the format");
    *self = grid;
    return file->write(file, grid->words, sizeof grid->words);
}

static int write_frame(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    const struct grid *grid = (const struct grid *) self;
    const struct engine_shape *shape = &grid->array.shape;
    const uint64_t elements = shape->components * shape->extent[0] * shape->extent[1] * shape->extent[2];
    void *cells = file->allocate(file, grid->bytes);
    int code = cells ? file->get(file, 0, 0, elements, cells) : ENGINE_NO_MEMORY;
    if (code == 0)
        code = file->write(file, &frame->step, sizeof frame->step);
    if (code == 0)
        code = file->write(file, cells, grid->bytes);
    file->release(file, cells);
    return code;
}

ENGINE_EXPORT const struct engine_file_format engine_file_format = {
    ENGINE_FILE_FORMAT("rawgrid", "0.1.0", "grids as they lie in memory", ".rawgrid"),
    .flags = ENGINE_FORMAT_FRAMES | ENGINE_FORMAT_GRIDS,
    .keeps = ENGINE_HAS_STEP,
    .probe = probe,
    .open = open_file,
    .frame = frame_of,
    .read = read_array,
    .create = create,
    .write = write_frame,
};
