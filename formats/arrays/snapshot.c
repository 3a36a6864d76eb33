/* Snapshots as a file format: to start a run from, and to convert from and to other formats. */
#include "files/file.h"
#include "files/snapshot_file.h"
#include "files/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 20 }; /* elements that are copied at a time */

/* Allocates memory for a field: bits where it has two values, otherwise the canonical array. */
static int open_cells(const struct engine_file_array *array, struct snapshot_cells *cells, struct engine_error *error)
{
    const struct engine_field field = {.name = array->name, .kind = ENGINE_GRID, .values = array->values};
    const bool bits = geometry_has_columns(&array->shape, array->values);
    const struct engine_layout layout = {.size = sizeof layout, .cell_bits = bits, .word_bytes = bits ? 8 : 0};
    const uint64_t there = (uint64_t) sysconf(_SC_PHYS_PAGES) * (uint64_t) sysconf(_SC_PAGESIZE);
    if (geometry_make(&field, &array->shape, &layout, &cells->geometry, error) != 0)
        return error->status;
    cells->memory = cells->geometry.bytes <= there ? calloc(1, cells->geometry.bytes) : NULL;
    return cells->memory ? 0 : error_memory(error, cells->geometry.bytes, "a field");
}

/* ---- Reading ------------------------------------------------------------------------------------------------ */

/* Memory holds the field that was read last. */
struct reading {
    struct snapshot_file *file;
    uint32_t array;
    struct snapshot_cells cells; /* cells.memory is NULL before the first field */
    struct engine_file_array arrays[IO_ARRAYS_MAX];
    struct engine_file_pattern place;
};

static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    (void) name;
    (void) bytes;
    return text_file_begins(begin, count, "engine snapshot ");
}

static int load(struct reading *reading, uint32_t array, struct engine_error *error)
{
    if (reading->cells.memory && reading->array == array)
        return 0;
    free(reading->cells.memory);
    reading->cells.memory = NULL;
    reading->array = array;
    int status = open_cells(&snapshot_file_header(reading->file)->fields[array], &reading->cells, error);
    if (status == 0)
        status = snapshot_file_read(reading->file, array, &reading->cells, (uint32_t) omp_get_num_procs(), error);
    if (status != 0) {
        free(reading->cells.memory);
        reading->cells.memory = NULL;
    }
    return status;
}

static int read_elements(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                         uint64_t count, void *out)
{
    struct reading *reading = self;
    struct engine_error error;
    (void) number;
    if (load(reading, array, &error) != 0)
        return file_keep(file, &error);
    geometry_read(&reading->cells.geometry, reading->cells.memory, begin, count, out);
    return 0;
}

static void close_snapshot(const struct engine_file *file, void *self)
{
    struct reading *reading = self; /* NULL after writing */
    (void) file;
    if (reading == NULL)
        return;
    snapshot_file_close(reading->file);
    free(reading->cells.memory);
}

/* A snapshot does not tell which fields are particles: the field position is one, and so are those of one axis with as
 * many rows. */
static void find_particles(struct engine_file_array *arrays, uint32_t count)
{
    uint64_t rows = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct engine_shape *shape = &arrays[i].shape;
        if (strcmp(arrays[i].name, "position") == 0 && shape->rank == 1 && shape->components == 3)
            rows = shape->extent[0];
    }
    for (uint32_t i = 0; rows > 0 && i < count; i++)
        if (arrays[i].kind != ENGINE_BINS && arrays[i].shape.rank == 1 && arrays[i].shape.extent[0] == rows)
            arrays[i].kind = ENGINE_PARTICLES;
}

static void describe(struct reading *reading, struct engine_file_content *content)
{
    const struct snapshot_header *header = snapshot_file_header(reading->file);
    memcpy(reading->arrays, header->fields, sizeof reading->arrays);
    find_particles(reading->arrays, header->count);
    content->arrays = (struct engine_file_array_array){reading->arrays, header->count, sizeof reading->arrays[0]};
    content->rule = header->rule;
    content->skipped = header->config && *header->config ? "the configuration" : NULL;
    /* A snapshot holds the whole grid, not a pattern on it. */
    reading->place = (struct engine_file_pattern){.placed = 1};
    memcpy(reading->place.grid, header->fields[0].shape.extent, sizeof reading->place.grid);
    content->pattern = &reading->place;
}

/* Older engines wrote rules of any length into snapshots. Other files do not hold them. */
static int check_rule(const struct engine_file *file, const char *rule)
{
    const size_t length = strlen(rule);
    for (size_t i = 0; i < length; i++)
        if (rule[i] < ' ' || rule[i] > '~')
            return ENGINE_FAIL_FILE(file, "character %zu of the rule is not printable ASCII", i + 1);
    return length < IO_RULE_MAX
               ? 0
               : ENGINE_FAIL_FILE(file, "the rule has %zu characters; the limit is %d", length, IO_RULE_MAX - 1);
}

static int open_snapshot(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    struct reading *reading = file->allocate(file, sizeof *reading);
    struct engine_error error;
    if (reading == NULL)
        return ENGINE_NO_MEMORY;
    *reading = (struct reading){.array = 0};
    if (snapshot_file_open(file->path, &reading->file, &error) != 0)
        return file_keep(file, &error);
    const int code = check_rule(file, snapshot_file_header(reading->file)->rule);
    if (code != 0) {
        snapshot_file_close(reading->file);
        return code;
    }
    describe(reading, content);
    *self = reading;
    return 0;
}

static int read_frame(const struct engine_file *file, void *self, uint64_t number, struct engine_file_frame *frame)
{
    const struct snapshot_header *header = snapshot_file_header(((struct reading *) self)->file);
    (void) file;
    (void) number;
    frame->has = ENGINE_HAS_STEP | ENGINE_HAS_BOX;
    frame->step = header->step;
    memcpy(frame->box, header->box, sizeof frame->box);
    return 0;
}

/* ---- Writing what a document says --------------------------------------------------------------------------- */

static int holds(const struct engine_file_array *array)
{
    return type_bytes(array->shape.type) != 0;
}

static int fill_cells(const struct engine_file *file, uint32_t array, const struct engine_file_array *field,
                      struct snapshot_cells *cells)
{
    uint64_t total;
    struct engine_error error;
    if (open_cells(field, cells, &error) != 0)
        return file_keep(file, &error);
    shape_elements(&cells->geometry.shape, &total);
    void *piece = file->allocate(file, (uint64_t) PIECE * cells->geometry.element_bytes);
    int code = piece ? 0 : ENGINE_NO_MEMORY;
    for (uint64_t begin = 0; code == 0 && begin < total; begin += PIECE) {
        const uint64_t count = total - begin < PIECE ? total - begin : PIECE;
        code = file->get(file, array, begin, count, piece);
        if (code == 0)
            geometry_write(&cells->geometry, cells->memory, begin, count, piece);
    }
    file->release(file, piece);
    return code;
}

static int write_cells(const struct engine_file *file, struct snapshot_header *header,
                       const struct snapshot_cells *cells)
{
    struct engine_error error;
    const int out = open(file->path, O_RDWR | O_CLOEXEC);
    if (out < 0)
        return ENGINE_FAIL_FILE(file, "cannot be written: %s", strerror(errno));
    const int status = snapshot_file_write(out, header, cells, SNAPSHOT_DEFLATE, (uint32_t) file->threads, &error);
    close(out);
    return status == 0 ? 0 : file_keep(file, &error);
}

static int write_snapshot(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    const struct engine_file_array_array *arrays = &frame->content->arrays;
    struct snapshot_cells cells[IO_ARRAYS_MAX] = {{.memory = NULL}};
    struct snapshot_header header = {.rule = frame->content->rule, .step = frame->step, .count = arrays->count};
    int code = 0;
    (void) self;
    memcpy(header.box, frame->box, sizeof header.box);
    memcpy(header.fields, arrays->at, arrays->count * sizeof *arrays->at);
    for (uint32_t i = 0; code == 0 && i < arrays->count; i++)
        code = fill_cells(file, i, &arrays->at[i], &cells[i]);
    if (code == 0)
        code = write_cells(file, &header, cells);
    for (uint32_t i = 0; i < arrays->count; i++)
        free(cells[i].memory);
    return code;
}

const struct engine_file_format snapshot_file_format = {
    ENGINE_FILE_FORMAT("snapshot", "1.0", "whole state, compressed, with its configuration", ".snapshot"),
    .flags = ENGINE_FORMAT_BATCHES | ENGINE_FORMAT_RANGES,
    .keeps = ENGINE_HAS_STEP | ENGINE_HAS_BOX | ENGINE_HAS_RULE,
    .probe = probe,
    .open = open_snapshot,
    .frame = read_frame,
    .read = read_elements,
    .create = io_keep_nothing,
    .write = write_snapshot,
    .close = close_snapshot,
    .holds = holds,
    .bytes = ENGINE_SIZE_COMPRESSED,
};
