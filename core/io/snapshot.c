/* Snapshots as a file format: to start a run from, and to convert from and to other formats. */
#include "io/format.h"
#include "io/snapshot_file.h"
#include "io/text_file.h"

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
};

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

static int read_elements(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                         struct engine_error *error)
{
    struct reading *reading = document->context;
    if (load(reading, array, error) != 0)
        return error->status;
    geometry_read(&reading->cells.geometry, reading->cells.memory, begin, count, out);
    return 0;
}

static void close_document(struct io_document *document)
{
    struct reading *reading = document->context;
    snapshot_file_close(reading->file);
    free(reading->cells.memory);
    free(reading);
    free(document);
}

/* A snapshot does not tell which fields are particles: the field position is one, and so are those of one axis with as
 * many rows. */
static void find_particles(struct io_document *document)
{
    uint64_t rows = 0;
    for (uint32_t i = 0; i < document->count; i++) {
        const struct engine_shape *shape = &document->arrays[i].shape;
        if (strcmp(document->arrays[i].name, "position") == 0 && shape->rank == 1 && shape->components == 3)
            rows = shape->extent[0];
    }
    for (uint32_t i = 0; rows > 0 && i < document->count; i++) {
        struct engine_file_array *array = &document->arrays[i];
        if (array->kind != ENGINE_BINS && array->shape.rank == 1 && array->shape.extent[0] == rows)
            array->kind = ENGINE_PARTICLES;
    }
}

static void describe(struct io_document *document, const struct snapshot_header *header)
{
    document->count = header->count;
    memcpy(document->arrays, header->fields, sizeof document->arrays);
    find_particles(document);
    snprintf(document->header.rule, sizeof document->header.rule, "%s", header->rule);
    document->header.step = header->step;
    if (header->config && *header->config)
        io_note_skipped(&document->header, "the configuration");
    memcpy(document->header.box, header->box, sizeof document->header.box);
    /* A snapshot holds the whole grid, not a pattern on it. */
    memcpy(document->header.grid, header->fields[0].shape.extent, sizeof document->header.grid);
    document->header.placed = true;
}

/* Older engines wrote rules of any length into snapshots. Other files do not hold them. */
static int check_rule(const char *path, const struct snapshot_header *header, struct engine_error *error)
{
    const size_t length = strlen(header->rule);
    return length < IO_RULE_MAX
               ? 0
               : error_set(error, ENGINE_STATUS_INPUT, "%s: the rule has %zu characters; the limit is %d", path, length,
                           IO_RULE_MAX - 1);
}

static int open_snapshot(const char *path, struct io_document **out, struct engine_error *error)
{
    struct io_document *document = calloc(1, sizeof *document);
    struct reading *reading = calloc(1, sizeof *reading);
    int status = document && reading ? snapshot_file_open(path, &reading->file, error)
                                     : error_memory(error, sizeof *document, "reading a snapshot");
    *out = NULL;
    if (status == 0 && check_rule(path, snapshot_file_header(reading->file), error) != 0) {
        snapshot_file_close(reading->file);
        status = error->status;
    }
    if (status != 0) {
        free(document);
        free(reading);
        return status;
    }
    document->read = read_elements;
    document->close = close_document;
    document->context = reading;
    describe(document, snapshot_file_header(reading->file));
    *out = document;
    return 0;
}

/* ---- Writing what a document says --------------------------------------------------------------------------- */

static bool writes(const struct engine_file_array *array)
{
    return type_bytes(array->shape.type) != 0;
}

static int fill_cells(struct io_document *document, uint32_t array, struct snapshot_cells *cells,
                      struct engine_error *error)
{
    uint64_t total;
    shape_elements(&cells->geometry.shape, &total);
    void *piece = malloc((uint64_t) PIECE * cells->geometry.element_bytes);
    int status = piece ? 0 : error_memory(error, PIECE, "a field");
    for (uint64_t begin = 0; status == 0 && begin < total; begin += PIECE) {
        const uint64_t count = total - begin < PIECE ? total - begin : PIECE;
        status = document->read(document, array, begin, count, piece, error);
        if (status == 0)
            geometry_write(&cells->geometry, cells->memory, begin, count, piece);
    }
    free(piece);
    return status;
}

static int write_snapshot(int file, struct io_document *document, const struct io_options *options,
                          struct engine_error *error)
{
    struct snapshot_cells cells[IO_ARRAYS_MAX] = {{.memory = NULL}};
    struct snapshot_header header = {
        .rule = document->header.rule, .step = document->header.step, .count = document->count};
    int status = 0;
    memcpy(header.box, document->header.box, sizeof header.box);
    memcpy(header.fields, document->arrays, sizeof header.fields);
    for (uint32_t i = 0; status == 0 && i < document->count; i++) {
        status = open_cells(&document->arrays[i], &cells[i], error);
        if (status == 0)
            status = fill_cells(document, i, &cells[i], error);
    }
    const uint32_t threads = options->threads ? options->threads : (uint32_t) omp_get_num_procs();
    if (status == 0)
        status = snapshot_file_write(file, &header, cells, SNAPSHOT_DEFLATE, threads, error);
    for (uint32_t i = 0; i < document->count; i++)
        free(cells[i].memory);
    return status;
}

static bool begins(const unsigned char *at, const unsigned char *end)
{
    return text_file_begins(at, (uint64_t) (end - at), "engine snapshot ");
}

static const struct engine_file_format about = {
    ENGINE_FILE_FORMAT("snapshot", "1.0", "whole state, compressed, with its configuration", ".snapshot"),
    .flags = ENGINE_FORMAT_BATCHES,
    .keeps = ENGINE_HAS_STEP | ENGINE_HAS_BOX | ENGINE_HAS_RULE,
    .bytes = ENGINE_SIZE_COMPRESSED,
};

static const struct io_own own = {
    .whole = true,
    .begins = begins,
    .writes = writes,
    .open = open_snapshot,
    .write = write_snapshot,
};

const struct io_format io_snapshot = {.about = &about, .own = &own};
