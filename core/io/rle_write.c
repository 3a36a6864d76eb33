#include "io/gzip.h"
#include "io/rle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { LINE_MAX_LENGTH = 70, CHUNK = 1 << 18 };

/* Live cells of one row and one state; y counts the rows of all planes. */
struct run {
    uint64_t x, y, length;
    uint8_t state;
};

struct rle_writer {
    FILE *file;
    uint64_t width, height; /* of a plane */
    uint8_t largest;        /* state that the format can hold */
    bool many;              /* states 0 and 1 are '.' and 'A'; otherwise 'b' and 'o' */
    uint64_t x, y;          /* position of the next tag's cells */
    struct run run;
    uint32_t column, filled; /* of the line, of the buffer */
    char buffer[1 << 16];
};

bool rle_writes(const struct io_array *array)
{
    return array->shape.type == ENGINE_U8 && array->shape.components == 1 && array->shape.rank <= 2 &&
           array->shape.extent[2] == 1;
}

static int write_error(struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno != 0 ? errno : EIO));
}

static int flush(struct rle_writer *writer, struct engine_error *error)
{
    unsigned size = writer->filled;
    writer->filled = 0;
    return size == 0 || fwrite(writer->buffer, 1, size, writer->file) == size ? 0 : write_error(error);
}

/* Writes a count and its tag. A new line begins where this one would become too long. */
static int put(struct rle_writer *writer, uint64_t count, const char *tag, struct engine_error *error)
{
    char text[32];
    uint32_t at = (uint32_t) (sizeof text - strlen(tag));
    memcpy(text + at, tag, sizeof text - at);
    for (uint64_t rest = count; count > 1 && rest > 0; rest /= 10)
        text[--at] = (char) ('0' + rest % 10);
    uint32_t length = (uint32_t) sizeof text - at;
    if (writer->filled + length + 2 > sizeof writer->buffer && flush(writer, error) != 0)
        return error->status;
    if (writer->column + length > LINE_MAX_LENGTH) {
        writer->buffer[writer->filled++] = '\n';
        writer->column = 0;
    }
    memcpy(writer->buffer + writer->filled, text + at, length);
    writer->filled += length;
    writer->column += length;
    return 0;
}

/* The tag of a state: rle.c has the table. */
static void tag_of(const struct rle_writer *writer, unsigned state, char tag[3])
{
    const char letter = (char) ('A' + (state + 23) % 24);
    memset(tag, '\0', 3);
    if (state <= 1)
        tag[0] = writer->many ? ".A"[state] : "bo"[state];
    else if (state <= 24)
        tag[0] = letter;
    else {
        tag[0] = (char) ('p' + (state - 25) / 24);
        tag[1] = letter;
    }
}

/* Writes the pending run. Dead cells, row ends and plane ends are written only before live cells, never at the end. */
static int put_run(struct rle_writer *writer, struct engine_error *error)
{
    const struct run *run = &writer->run;
    const uint64_t planes = run->y / writer->height - writer->y / writer->height;
    char tag[3];
    int status = 0;
    if (run->length == 0)
        return 0;
    if (planes > 0) {
        status = put(writer, planes, "/", error);
        writer->y = run->y - run->y % writer->height;
        writer->x = 0;
    }
    if (status == 0 && run->y > writer->y) {
        status = put(writer, run->y - writer->y, "$", error);
        writer->x = 0;
    }
    tag_of(writer, 0, tag);
    if (status == 0 && run->x > writer->x)
        status = put(writer, run->x - writer->x, tag, error);
    tag_of(writer, run->state, tag);
    if (status == 0)
        status = put(writer, run->length, tag, error);
    writer->x = run->x + run->length;
    writer->y = run->y;
    return status;
}

/* Returns how many of the first cells have this value. */
static uint64_t span(const uint8_t *cells, uint64_t count, uint8_t value)
{
    uint64_t done = 0, eight, pattern = value * UINT64_C(0x0101010101010101);
    for (; done + 8 <= count; done += 8) {
        memcpy(&eight, cells + done, 8);
        if (eight != pattern)
            break;
    }
    while (done < count && cells[done] == value)
        done++;
    return done;
}

static int refuse_cell(const struct rle_writer *writer, uint64_t x, uint64_t y, uint8_t value,
                       struct engine_error *error)
{
    char plane[32] = "";
    const uint64_t z = y / writer->height;
    if (z > 0)
        snprintf(plane, sizeof plane, " of plane %llu", (unsigned long long) z);
    return error_set(error, ENGINE_STATUS_OUTPUT, "cell %llu %llu%s is %u; the format holds only 0 and 1",
                     (unsigned long long) x, (unsigned long long) (y % writer->height), plane, value);
}

/* Writes cells [begin, begin + count) of the array. The last run stays pending in writer->run, because the next range
 * may extend it. */
static int put_cells(struct rle_writer *writer, uint64_t begin, const uint8_t *cells, uint64_t count,
                     struct engine_error *error)
{
    for (uint64_t done = 0; done < count;) {
        done += span(cells + done, count - done, 0);
        if (done == count)
            break;
        uint64_t x = (begin + done) % writer->width, y = (begin + done) / writer->width;
        uint64_t rest = writer->width - x < count - done ? writer->width - x : count - done;
        const uint8_t state = cells[done];
        if (state > writer->largest)
            return refuse_cell(writer, x, y, state, error);
        uint64_t live = span(cells + done, rest, state);
        done += live;
        struct run *run = &writer->run;
        if (run->length > 0 && run->state == state && run->y == y && run->x + run->length == x)
            run->length += live;
        else if (put_run(writer, error) == 0)
            *run = (struct run){x, y, live, state};
        else
            return error->status;
    }
    return 0;
}

static int put_array(struct rle_writer *writer, struct io_document *document, uint32_t index,
                     struct engine_error *error)
{
    uint64_t total;
    if (!shape_cells(&document->arrays[index].shape, &total))
        return error_set(error, ENGINE_STATUS_OUTPUT, "the grid has more than 2^63 cells");
    uint8_t *cells = malloc(CHUNK);
    if (cells == NULL)
        return error_memory(error, CHUNK, "writing a pattern");
    int status = 0;
    for (uint64_t begin = 0; status == 0 && begin < total; begin += CHUNK) {
        uint64_t count = total - begin < CHUNK ? total - begin : CHUNK;
        status = document->read(document, index, begin, count, cells, error);
        if (status == 0)
            status = put_cells(writer, begin, cells, count, error);
    }
    free(cells);
    return status != 0 ? status : put_run(writer, error);
}

static int put_cells_and_end(struct rle_writer *writer, struct io_document *document, const struct io_array *array,
                             struct engine_error *error)
{
    int status = put_array(writer, document, (uint32_t) (array - document->arrays), error);
    if (status == 0)
        status = put(writer, 1, "!", error);
    if (status == 0) {
        writer->buffer[writer->filled++] = '\n';
        status = flush(writer, error);
    }
    return status;
}

int rle_write_file(int file, bool gzip, uint8_t largest, struct io_document *document,
                   bool (*writes)(const struct io_array *array),
                   int (*put_header)(FILE *file, const struct io_header *header, const struct io_array *array),
                   struct engine_error *error)
{
    const struct io_array *array = io_first_written(document, writes);
    struct rle_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return error_memory(error, sizeof *writer, "writing a pattern");
    writer->largest = largest;
    writer->many = array->values > 2;
    writer->width = array->shape.extent[0];
    writer->height = array->shape.extent[1];
    writer->file = gzip_stream(file, gzip);
    int status = writer->file != NULL && put_header(writer->file, &document->header, array) > 0
                     ? put_cells_and_end(writer, document, array, error)
                     : write_error(error);
    if (writer->file != NULL && fclose(writer->file) != 0 && status == 0)
        status = write_error(error);
    free(writer);
    return status;
}

/* ---- Two axes ---------------------------------------------------------------------------------------------- */

long long rle_position(const struct io_header *header, const struct io_array *array, int axis)
{
    if (header->placed)
        return (long long) header->at[axis] - (long long) (header->grid[axis] / 2);
    return -(long long) (array->shape.extent[axis] / 2);
}

static int put_note(void *file, const char *key, const char *line, int length)
{
    return fprintf(file, "#C %s: %.*s\n", key, length, line);
}

/* Writes the suffix of a bounded grid as Golly spells it. It has none for fixed and mirrored edges and for strips. */
static int put_bounded(FILE *file, const struct io_header *header)
{
    const uint32_t x = header->edges.kind[0], y = header->edges.kind[1];
    const long long shift[] = {header->edges.shift[0], header->edges.shift[1]};
    const unsigned long long width = header->grid[0], height = header->grid[1];
    const char *across = y == ENGINE_EDGE_TWISTED ? "*" : "", *down = x == ENGINE_EDGE_TWISTED ? "*" : "";
    char letter = '\0', right[24] = "", below[24] = "";
    if (x == ENGINE_EDGE_TWISTED && y == ENGINE_EDGE_TWISTED)
        letter = 'C', across = down = "";
    else if ((x == ENGINE_EDGE_TWISTED && y == ENGINE_EDGE_TORUS) ||
             (x == ENGINE_EDGE_TORUS && y == ENGINE_EDGE_TWISTED))
        letter = 'K';
    else if (x == y)
        letter = x == ENGINE_EDGE_TORUS ? 'T' : x == ENGINE_EDGE_DEAD ? 'P' : x == ENGINE_EDGE_SPHERE ? 'S' : '\0';
    if (letter == '\0')
        return 1;
    if (shift[0] != 0)
        snprintf(right, sizeof right, "+%lld", shift[0]);
    if (shift[1] != 0)
        snprintf(below, sizeof below, "+%lld", shift[1]);
    return letter == 'S' ? fprintf(file, ":S%llu", width)
                         : fprintf(file, ":%c%llu%s%s,%llu%s%s", letter, width, across, right, height, down, below);
}

int rle_put_rule(FILE *file, const struct io_header *header)
{
    const int written = fprintf(file, "%s", header->rule);
    return written > 0 && header->grid[0] != 0 ? put_bounded(file, header) : written;
}

static int put_prologue(FILE *file, const struct io_header *header, const struct io_array *array)
{
    int written = fprintf(file, "#CXRLE Pos=%lld,%lld Gen=%llu\n", rle_position(header, array, 0),
                          rle_position(header, array, 1), (unsigned long long) header->step);
    if (written > 0)
        written = io_put_notes(header, file, put_note);
    if (written > 0)
        written = fprintf(file, "x = %llu, y = %llu", (unsigned long long) array->shape.extent[0],
                          (unsigned long long) array->shape.extent[1]);
    if (written > 0 && header->rule[0] != '\0')
        written = fprintf(file, ", rule = ");
    if (written > 0 && header->rule[0] != '\0')
        written = rle_put_rule(file, header);
    return written > 0 ? fprintf(file, "\n") : written;
}

int rle_write(int file, struct io_document *document, const struct io_options *options, struct engine_error *error)
{
    return rle_write_file(file, options->gzip, UINT8_MAX, document, rle_writes, put_prologue, error);
}
