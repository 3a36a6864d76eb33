/* Writes a grid as a quadtree in which equal squares stand once. The grid is read row by row. Two rows of squares of
 * one level, one below the other, become a row of squares of twice the side. So each level keeps one row, of its
 * squares with live cells alone, and memory grows with the live cells and the different squares, never with the
 * grid. */
#include "files/file.h"
#include "files/file_stream.h"
#include "formats/patterns/golly.h"
#include "formats/patterns/mc_writer.h"
#include "formats/patterns/rle.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- Rows --------------------------------------------------------------------------------------------------- */

static int add_square(const struct mc_writer *writer, struct mc_row *row, uint64_t x, uint64_t value)
{
    if (row->count == row->capacity) {
        struct mc_square *grown = io_grow(writer->file, row->at, &row->capacity, sizeof *grown);
        if (grown == NULL)
            return ENGINE_NO_MEMORY;
        row->at = grown;
    }
    row->at[row->count++] = (struct mc_square){x, value};
    return 0;
}

/* Takes the squares at 2x and 2x + 1 from a row, of which the next one is at *next. */
static void take_pair(const struct mc_row *row, uint64_t *next, uint64_t x, uint64_t pair[2])
{
    for (; *next < row->count && row->at[*next].x / 2 == x; ++*next)
        pair[row->at[*next].x % 2] = row->at[*next].value;
}

/* Joins two rows to a row of the level above. */
static int join_rows(struct mc_writer *writer, uint32_t level, const struct mc_row *upper, const struct mc_row *lower,
                     struct mc_row *joined)
{
    joined->count = 0;
    for (uint64_t i = 0, k = 0; i < upper->count || k < lower->count;) {
        const uint64_t above = i < upper->count ? upper->at[i].x / 2 : UINT64_MAX;
        const uint64_t below = k < lower->count ? lower->at[k].x / 2 : UINT64_MAX;
        const uint64_t x = above < below ? above : below;
        uint64_t quarters[4] = {0}, value;
        take_pair(upper, &i, x, quarters);
        take_pair(lower, &k, x, quarters + 2);
        if (mc_join(writer, level, quarters, &value) != 0 || add_square(writer, joined, x, value) != 0)
            return ENGINE_INVALID;
    }
    return 0;
}

static const struct mc_row none;

static int push(struct mc_writer *writer, uint32_t level, uint64_t y, struct mc_row *row);

/* Joins two rows of a level and takes the result, row y of the level above. */
static int push_joined(struct mc_writer *writer, uint32_t level, uint64_t y, const struct mc_row *upper,
                       const struct mc_row *lower)
{
    struct mc_row *joined = &writer->levels[level + 1].joined;
    if (join_rows(writer, level + 1, upper, lower, joined) != 0)
        return ENGINE_INVALID;
    return level + 1 < writer->root ? push(writer, level + 1, y, joined) : 0;
}

/* Joins the row that waits with a row of dead cells below it. */
static int flush(struct mc_writer *writer, uint32_t level)
{
    struct mc_level *at = &writer->levels[level];
    if (!at->waits)
        return 0;
    at->waits = false;
    return push_joined(writer, level, at->y / 2, &at->upper, &none);
}

/* Takes row y of a level below the root. Rows come in order, and those without live cells are left out. The content of
 * `row` is lost. */
static int push(struct mc_writer *writer, uint32_t level, uint64_t y, struct mc_row *row)
{
    struct mc_level *at = &writer->levels[level];
    if (at->waits && at->y / 2 != y / 2 && flush(writer, level) != 0)
        return ENGINE_INVALID;
    if (y % 2 == 1) {
        const struct mc_row *upper = at->waits ? &at->upper : &none;
        at->waits = false;
        return push_joined(writer, level, y / 2, upper, row);
    }
    const struct mc_row old = at->upper;
    at->upper = *row;
    *row = old;
    at->y = y;
    at->waits = true;
    return 0;
}

/* ---- Cells -------------------------------------------------------------------------------------------------- */

/* Where the array is in the root. */
struct place {
    uint64_t width, x, y; /* of the array; of its first cell, from the first cell of the root */
};

/* Returns the index of the first cell that is not 0, or count. */
static uint64_t skip_dead(const uint8_t *cells, uint64_t count)
{
    uint64_t at = 0, eight;
    for (; at + 8 <= count; at += 8) {
        memcpy(&eight, cells + at, 8);
        if (eight != 0)
            break;
    }
    while (at < count && cells[at] == 0)
        at++;
    return at;
}

/* The cells that are taken. */
struct taking {
    struct mc_writer *writer;
    struct place place;
    struct mc_row row; /* the live cells of the last row y, which the next range may continue */
    uint64_t y;
};

static int put_cells(void *context, uint64_t begin, const uint8_t *cells, uint64_t count)
{
    struct taking *taking = context;
    struct mc_writer *writer = taking->writer;
    const struct place *place = &taking->place;
    for (uint64_t i = skip_dead(cells, count); i < count; i += 1 + skip_dead(cells + i + 1, count - i - 1)) {
        const uint64_t cell_x = (begin + i) % place->width, cell_y = (begin + i) / place->width;
        if (!writer->many && cells[i] > 1)
            return ENGINE_FAIL_FILE(writer->file, "cell %llu %llu is %u; the grid should have only 0 and 1",
                                    (unsigned long long) cell_x, (unsigned long long) cell_y, cells[i]);
        if (taking->row.count > 0 && taking->y != cell_y + place->y) {
            if (push(writer, 0, taking->y, &taking->row) != 0)
                return ENGINE_INVALID;
            taking->row.count = 0;
        }
        taking->y = cell_y + place->y;
        if (add_square(writer, &taking->row, cell_x + place->x, cells[i]) != 0)
            return ENGINE_INVALID;
    }
    return 0;
}

static int put_array(struct mc_writer *writer, const struct engine_shape *shape, const struct place *place)
{
    struct taking taking = {.writer = writer, .place = *place};
    int status = pattern_each(writer->file, shape, true, put_cells, &taking);
    if (status == 0 && taking.row.count > 0)
        status = push(writer, 0, taking.y, &taking.row);
    for (uint32_t level = 0; status == 0 && level < writer->root; level++)
        status = flush(writer, level);
    return status;
}

/* ---- The file ----------------------------------------------------------------------------------------------- */

/* Finds the smallest root. Its middle is between the rows 0 and 1 and the columns -1 and 0 of Golly's coordinates. */
static void find_root(struct mc_writer *writer, const struct engine_file_content *content, struct place *place)
{
    const uint64_t *extent = content->arrays.at[0].shape.extent;
    const int64_t begin[2] = {rle_position(content, 0), rle_position(content, 1)};
    const int64_t end[2] = {begin[0] + (int64_t) extent[0], begin[1] + (int64_t) extent[1]};
    writer->root = mc_root_level(writer->many, begin, end);
    const int64_t half = INT64_C(1) << (writer->root - 1);
    *place = (struct place){extent[0], (uint64_t) (begin[0] + half), (uint64_t) (begin[1] - 1 + half)};
}

static int put_header(FILE *stream, const struct engine_file_frame *frame)
{
    const struct engine_file_content *content = frame->content;
    int written = fprintf(stream, "[M2] (engine)\n");
    if (written > 0 && content->rule != NULL) {
        written = fprintf(stream, "#R ");
        if (written > 0)
            written = rle_put_rule(stream, content);
        if (written > 0)
            written = fprintf(stream, "\n");
    }
    if (written > 0 && frame->step > 0)
        written = fprintf(stream, "#G %llu\n", (unsigned long long) frame->step);
    return written > 0 ? pattern_put_notes(content, stream, pattern_put_comment) : written;
}

/* Writes the squares of a document that has some, and otherwise its cells. */
static int put_squares(struct mc_writer *writer, const struct engine_file_content *content)
{
    const struct io_squares *squares = file_document(writer->file)->squares;
    struct place place;
    int status;
    if (squares != NULL)
        writer->root = mc_root_level(writer->many, squares->begin, squares->end);
    if (squares != NULL && mc_takes_squares(writer, squares))
        status = mc_put_squares(writer, squares);
    else {
        find_root(writer, content, &place);
        status = put_array(writer, &content->arrays.at[0].shape, &place);
    }
    if (status == 0 && writer->count == 0 && fprintf(writer->stream, "%u 0 0 0 0\n", writer->root) <= 0)
        status = mc_write_error(writer);
    return status;
}

static int put_all(struct mc_writer *writer, const struct engine_file_frame *frame)
{
    writer->many = frame->content->arrays.at[0].values != 2 || !golly_is_life(frame->content->rule);
    writer->stream = file_stream_open(writer->file);
    if (writer->stream == NULL)
        return ENGINE_NO_MEMORY;
    const int code =
        put_header(writer->stream, frame) > 0 ? put_squares(writer, frame->content) : mc_write_error(writer);
    return file_stream_close(writer->file, writer->stream, code);
}

int mc_write(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    (void) self;
    struct mc_writer *writer = io_new(file, sizeof *writer);
    if (writer == NULL)
        return ENGINE_NO_MEMORY;
    writer->file = file;
    return put_all(writer, frame);
}
