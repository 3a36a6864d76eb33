#include "files/file_stream.h"
#include "formats/patterns/rle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_LENGTH = 70 };

/* Live cells of one row and one state; y counts the rows of all planes. */
struct run {
    uint64_t x, y, length;
    uint8_t state;
};

struct rle_writer {
    const struct engine_file *file;
    const struct rle_style *style;
    uint64_t width, height; /* of a plane */
    uint8_t largest;        /* state that the format can hold */
    bool many;              /* states 0 and 1 are '.' and 'A'; otherwise 'b' and 'o' */
    uint64_t x, y;          /* position of the next tag's cells */
    struct run run;
    uint32_t column, filled; /* of the line, of the buffer */
    char buffer[1 << 16];
};

static int flush(struct rle_writer *writer)
{
    unsigned size = writer->filled;
    writer->filled = 0;
    return size == 0 ? 0 : writer->file->write(writer->file, writer->buffer, size);
}

/* Begins a line. The buffer has room for it. */
static void put_prefix(struct rle_writer *writer)
{
    const size_t length = strlen(writer->style->line);
    memcpy(writer->buffer + writer->filled, writer->style->line, length);
    writer->filled += (uint32_t) length;
}

/* Writes a count and its tag. A new line begins where this one would become too long. */
static int put(struct rle_writer *writer, uint64_t count, const char *tag)
{
    char text[32];
    uint32_t at = (uint32_t) (sizeof text - strlen(tag));
    memcpy(text + at, tag, sizeof text - at);
    for (uint64_t rest = count; count > 1 && rest > 0; rest /= 10)
        text[--at] = (char) ('0' + rest % 10);
    uint32_t length = (uint32_t) sizeof text - at;
    if (writer->filled + length + 8 > sizeof writer->buffer && flush(writer) != 0)
        return ENGINE_INVALID;
    if (writer->column + length > LINE_MAX_LENGTH) {
        writer->buffer[writer->filled++] = '\n';
        writer->column = 0;
        put_prefix(writer);
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
        tag[0] = (char) ((unsigned) writer->style->first + (state - 25) / 24);
        tag[1] = letter;
    }
}

/* Writes the pending run. Dead cells, row ends and plane ends are written only before live cells, never at the end. */
static int put_run(struct rle_writer *writer)
{
    const struct run *run = &writer->run;
    const uint64_t planes = run->y / writer->height - writer->y / writer->height;
    char tag[3];
    int status = 0;
    if (run->length == 0)
        return 0;
    if (planes > 0) {
        status = put(writer, planes, "/");
        writer->y = run->y - run->y % writer->height;
        writer->x = 0;
    }
    if (status == 0 && run->y > writer->y) {
        status = put(writer, run->y - writer->y, "$");
        writer->x = 0;
    }
    tag_of(writer, 0, tag);
    if (status == 0 && run->x > writer->x)
        status = put(writer, run->x - writer->x, tag);
    tag_of(writer, run->state, tag);
    if (status == 0)
        status = put(writer, run->length, tag);
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

static int refuse_cell(const struct rle_writer *writer, uint64_t x, uint64_t y, uint8_t value)
{
    char plane[32] = "";
    const uint64_t z = y / writer->height;
    if (z > 0)
        snprintf(plane, sizeof plane, " of plane %llu", (unsigned long long) z);
    return ENGINE_FAIL_FILE(writer->file, "cell %llu %llu%s is %u; the format holds only 0 and 1",
                            (unsigned long long) x, (unsigned long long) (y % writer->height), plane, value);
}

/* Writes cells [begin, begin + count) of the array. The last run stays pending in writer->run, because the next range
 * may extend it. */
static int put_cells(void *context, uint64_t begin, const uint8_t *cells, uint64_t count)
{
    struct rle_writer *writer = context;
    for (uint64_t done = 0; done < count;) {
        done += span(cells + done, count - done, 0);
        if (done == count)
            break;
        uint64_t x = (begin + done) % writer->width, y = (begin + done) / writer->width;
        uint64_t rest = writer->width - x < count - done ? writer->width - x : count - done;
        const uint8_t state = cells[done];
        if (state > writer->largest)
            return refuse_cell(writer, x, y, state);
        uint64_t live = span(cells + done, rest, state);
        done += live;
        struct run *run = &writer->run;
        if (run->length > 0 && run->state == state && run->y == y && run->x + run->length == x)
            run->length += live;
        else if (put_run(writer) == 0)
            *run = (struct run){x, y, live, state};
        else
            return ENGINE_INVALID;
    }
    return 0;
}

static int put_cells_and_end(struct rle_writer *writer, const struct engine_shape *shape)
{
    put_prefix(writer);
    int code = pattern_each(writer->file, shape, true, put_cells, writer);
    if (code == 0)
        code = put_run(writer);
    if (code == 0)
        code = put(writer, 1, writer->style->end);
    if (code == 0) {
        writer->buffer[writer->filled++] = '\n';
        code = flush(writer);
    }
    return code;
}

/* The lines before the cells go through a stream, which errors end; file->write records the reason. */
static int put_lines(const struct engine_file *file, const struct engine_file_frame *frame,
                     int (*put_header)(FILE *stream, const struct rle_state *state))
{
    const struct rle_state state = {frame->content, frame->step};
    FILE *stream = file_stream_open(file);
    if (stream == NULL)
        return ENGINE_NO_MEMORY;
    const int written = put_header(stream, &state);
    const int code = file_stream_close(file, stream, 0);
    return code != 0 || written > 0 ? code : ENGINE_FAIL_FILE(file, "cannot be written: %s", strerror(EIO));
}

const struct rle_style rle_style = {.line = "", .end = "!", .first = 'p'};

int rle_write_file(const struct engine_file *file, const struct engine_file_frame *frame, uint8_t largest,
                   const struct rle_style *style, int (*put_header)(FILE *stream, const struct rle_state *state))
{
    const struct engine_file_array *array = frame->content->arrays.at;
    struct rle_writer *writer = file->allocate(file, sizeof *writer);
    if (writer == NULL)
        return ENGINE_NO_MEMORY;
    memset(writer, 0, sizeof *writer);
    writer->file = file;
    writer->style = style;
    writer->largest = largest;
    writer->many = style->many || array->values > 2;
    writer->width = array->shape.extent[0];
    writer->height = array->shape.extent[1];
    const int code = put_lines(file, frame, put_header);
    return code != 0 ? code : put_cells_and_end(writer, &array->shape);
}

/* ---- Two axes ---------------------------------------------------------------------------------------------- */

long long rle_position(const struct engine_file_content *content, int axis)
{
    const struct engine_file_pattern *pattern = content->pattern;
    if (pattern != NULL && pattern->placed != 0)
        return (long long) pattern->at[axis] - (long long) (pattern->grid[axis] / 2);
    return -(long long) (content->arrays.at[0].shape.extent[axis] / 2);
}

/* Writes the suffix of a bounded grid as Golly spells it. It has none for fixed and mirrored edges and for strips. An
 * axis without edges has the length 0. */
int rle_put_bounded(FILE *file, const struct engine_file_content *content)
{
    const struct engine_file_pattern *pattern = content->pattern;
    if (pattern == NULL || pattern->grid[0] == 0)
        return 1;
    const bool open[] = {pattern->edges[0] == ENGINE_EDGE_UNBOUNDED, pattern->edges[1] == ENGINE_EDGE_UNBOUNDED};
    const uint32_t x = pattern->edges[open[0]], y = pattern->edges[!open[1]];
    const long long shift[] = {pattern->shift[0], pattern->shift[1]};
    const unsigned long long width = open[0] ? 0 : pattern->grid[0], height = open[1] ? 0 : pattern->grid[1];
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

int rle_put_rule(FILE *stream, const struct engine_file_content *content)
{
    const int written = fprintf(stream, "%s", content->rule);
    return written > 0 ? rle_put_bounded(stream, content) : written;
}

static int put_prologue(FILE *stream, const struct rle_state *state)
{
    const struct engine_file_content *content = state->content;
    const struct engine_shape *shape = &content->arrays.at[0].shape;
    int written = fprintf(stream, "#CXRLE Pos=%lld,%lld Gen=%llu\n", rle_position(content, 0), rle_position(content, 1),
                          (unsigned long long) state->step);
    if (written > 0)
        written = pattern_put_notes(content, stream, pattern_put_comment);
    if (written > 0)
        written = fprintf(stream, "x = %llu, y = %llu", (unsigned long long) shape->extent[0],
                          (unsigned long long) shape->extent[1]);
    if (written > 0 && content->rule != NULL)
        written = fprintf(stream, ", rule = ");
    if (written > 0 && content->rule != NULL)
        written = rle_put_rule(stream, content);
    return written > 0 ? fprintf(stream, "\n") : written;
}

int rle_write(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    (void) self;
    return rle_write_file(file, frame, UINT8_MAX, &rle_style, put_prologue);
}
