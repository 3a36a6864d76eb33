/* Writes a grid as a quadtree in which equal squares stand once. The grid is read row by row. Two rows of squares of
 * one level, one below the other, become a row of squares of twice the side. So each level keeps one row, of its
 * squares with live cells alone, and memory grows with the live cells and the different squares, never with the
 * grid. */
#include "files/file_stream.h"
#include "formats/patterns/golly.h"
#include "formats/patterns/mc.h"
#include "formats/patterns/rle.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LEVELS = 64 };

/* A square with live cells, in a row of squares of its level. Up to the level of leaves its value is its content, above
 * it is the number of the square in the file. */
struct square {
    uint64_t x;
    uint64_t value;
};

struct row {
    struct square *at; /* by ascending x */
    uint64_t count, capacity;
};

/* Squares that were written. A slot without number is free. */
struct known {
    uint64_t content[2];
    uint32_t level, number;
};

struct mc_writer {
    const struct engine_file *file;
    FILE *stream; /* that writes to it */
    bool many;    /* more than two states */
    struct known *known;
    uint64_t slots; /* a power of 2 */
    uint32_t count; /* of squares in the file */
    struct level {
        struct row upper; /* the row that waits for the one below it */
        uint64_t y;       /* its place */
        bool waits;
        struct row joined; /* what became of two rows of the level below */
    } levels[LEVELS];
    uint32_t root; /* level of the root */
};

static int write_error(const struct mc_writer *writer)
{
    return ENGINE_FAIL_FILE(writer->file, "cannot be written: %s", strerror(errno != 0 ? errno : EIO));
}

/* ---- Squares ------------------------------------------------------------------------------------------------ */

static uint64_t slot_of(const struct mc_writer *writer, const uint64_t content[2], uint32_t level)
{
    uint64_t mixed = (content[0] ^ level) * UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ mixed >> 29 ^ content[1]) * UINT64_C(0xBF58476D1CE4E5B9);
    uint64_t slot = (mixed ^ mixed >> 32) & (writer->slots - 1);
    for (;; slot = (slot + 1) & (writer->slots - 1)) {
        const struct known *known = &writer->known[slot];
        if (known->number == 0 ||
            (known->level == level && known->content[0] == content[0] && known->content[1] == content[1]))
            return slot;
    }
}

/* Keeps at least half of the slots free. */
static int make_room(struct mc_writer *writer)
{
    if (writer->slots > 2 * (uint64_t) writer->count)
        return 0;
    const struct mc_writer old = *writer;
    writer->slots = old.slots != 0 ? 2 * old.slots : 1024;
    writer->known = io_new(writer->file, writer->slots * sizeof *writer->known);
    if (writer->known == NULL)
        return ENGINE_NO_MEMORY;
    for (uint64_t i = 0; i < old.slots; i++)
        if (old.known[i].number != 0)
            writer->known[slot_of(writer, old.known[i].content, old.known[i].level)] = old.known[i];
    writer->file->release(writer->file, old.known);
    return 0;
}

/* Writes the 8 x 8 cells without the dead ones at the ends of rows, and without empty rows at the end. */
static int put_raster(FILE *file, uint64_t bits)
{
    char line[80];
    size_t length = 0;
    for (; bits != 0; bits >>= 8) {
        for (unsigned row = bits & 0xFF; row != 0; row >>= 1)
            line[length++] = (row & 1) != 0 ? '*' : '.';
        line[length++] = '$';
    }
    line[length++] = '\n';
    return fwrite(line, 1, length, file) == length ? 1 : -1;
}

/* Returns the number of the square with this content, which it writes if it is new; 0 after an error. */
static uint32_t number_of(struct mc_writer *writer, const uint64_t content[2], uint32_t level)
{
    if (make_room(writer) != 0)
        return 0;
    struct known *known = &writer->known[slot_of(writer, content, level)];
    if (known->number != 0)
        return known->number;
    if (writer->count == UINT32_MAX - 1) {
        ENGINE_FAIL_FILE(writer->file, "the pattern has more than 2^32 different squares");
        return 0;
    }
    const int written =
        level == MC_LEAF_TWO && !writer->many
            ? put_raster(writer->stream, content[0])
            : fprintf(writer->stream, "%u %u %u %u %u\n", level, (uint32_t) content[0], (uint32_t) (content[0] >> 32),
                      (uint32_t) content[1], (uint32_t) (content[1] >> 32));
    if (written <= 0) {
        write_error(writer);
        return 0;
    }
    *known = (struct known){{content[0], content[1]}, level, ++writer->count};
    return known->number;
}

/* Makes a square of this level of four quarters. Below the leaves of two states, a square is a raster with rows of 8
 * bits. */
static int join(struct mc_writer *writer, uint32_t level, const uint64_t quarters[4], uint64_t *value)
{
    const unsigned half = 1u << (level - 1);
    uint64_t content[2] = {quarters[0] | quarters[1] << 32, quarters[2] | quarters[3] << 32};
    if (!writer->many && level <= MC_LEAF_TWO) {
        content[0] = quarters[0] | quarters[1] << half | quarters[2] << 8 * half | quarters[3] << 9 * half;
        content[1] = 0;
    }
    *value = content[0];
    if (!writer->many && level < MC_LEAF_TWO)
        return 0;
    *value = number_of(writer, content, level);
    return *value != 0 ? 0 : ENGINE_INVALID;
}

/* ---- Rows --------------------------------------------------------------------------------------------------- */

static int add_square(const struct mc_writer *writer, struct row *row, uint64_t x, uint64_t value)
{
    if (row->count == row->capacity) {
        struct square *grown = io_grow(writer->file, row->at, &row->capacity, sizeof *grown);
        if (grown == NULL)
            return ENGINE_NO_MEMORY;
        row->at = grown;
    }
    row->at[row->count++] = (struct square){x, value};
    return 0;
}

/* Takes the squares at 2x and 2x + 1 from a row, of which the next one is at *next. */
static void take_pair(const struct row *row, uint64_t *next, uint64_t x, uint64_t pair[2])
{
    for (; *next < row->count && row->at[*next].x / 2 == x; ++*next)
        pair[row->at[*next].x % 2] = row->at[*next].value;
}

/* Joins two rows to a row of the level above. */
static int join_rows(struct mc_writer *writer, uint32_t level, const struct row *upper, const struct row *lower,
                     struct row *joined)
{
    joined->count = 0;
    for (uint64_t i = 0, k = 0; i < upper->count || k < lower->count;) {
        const uint64_t above = i < upper->count ? upper->at[i].x / 2 : UINT64_MAX;
        const uint64_t below = k < lower->count ? lower->at[k].x / 2 : UINT64_MAX;
        const uint64_t x = above < below ? above : below;
        uint64_t quarters[4] = {0}, value;
        take_pair(upper, &i, x, quarters);
        take_pair(lower, &k, x, quarters + 2);
        if (join(writer, level, quarters, &value) != 0 || add_square(writer, joined, x, value) != 0)
            return ENGINE_INVALID;
    }
    return 0;
}

static const struct row none;

static int push(struct mc_writer *writer, uint32_t level, uint64_t y, struct row *row);

/* Joins two rows of a level and takes the result, row y of the level above. */
static int push_joined(struct mc_writer *writer, uint32_t level, uint64_t y, const struct row *upper,
                       const struct row *lower)
{
    struct row *joined = &writer->levels[level + 1].joined;
    if (join_rows(writer, level + 1, upper, lower, joined) != 0)
        return ENGINE_INVALID;
    return level + 1 < writer->root ? push(writer, level + 1, y, joined) : 0;
}

/* Joins the row that waits with a row of dead cells below it. */
static int flush(struct mc_writer *writer, uint32_t level)
{
    struct level *at = &writer->levels[level];
    if (!at->waits)
        return 0;
    at->waits = false;
    return push_joined(writer, level, at->y / 2, &at->upper, &none);
}

/* Takes row y of a level below the root. Rows come in order, and those without live cells are left out. The content of
 * `row` is lost. */
static int push(struct mc_writer *writer, uint32_t level, uint64_t y, struct row *row)
{
    struct level *at = &writer->levels[level];
    if (at->waits && at->y / 2 != y / 2 && flush(writer, level) != 0)
        return ENGINE_INVALID;
    if (y % 2 == 1) {
        const struct row *upper = at->waits ? &at->upper : &none;
        at->waits = false;
        return push_joined(writer, level, y / 2, upper, row);
    }
    const struct row old = at->upper;
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
    struct row row; /* the live cells of the last row y, which the next range may continue */
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
    if (status == 0 && writer->count == 0 && fprintf(writer->stream, "%u 0 0 0 0\n", writer->root) <= 0)
        status = write_error(writer);
    return status;
}

/* ---- The file ----------------------------------------------------------------------------------------------- */

/* Finds the smallest root. Its middle is between the rows 0 and 1 and the columns -1 and 0 of Golly's coordinates. */
static void find_root(struct mc_writer *writer, const struct engine_file_content *content, struct place *place)
{
    const int64_t first[2] = {rle_position(content, 0), rle_position(content, 1) - 1};
    const uint64_t *extent = content->arrays.at[0].shape.extent;
    writer->root = (writer->many ? MC_LEAF_MANY : MC_LEAF_TWO) + 1;
    int64_t half = (int64_t) 1 << (writer->root - 1);
    for (; - first[0] > half || -first[1] > half || first[0] + (int64_t) extent[0] > half ||
           first[1] + (int64_t) extent[1] > half;
         half *= 2)
        writer->root++;
    *place = (struct place){extent[0], (uint64_t) (first[0] + half), (uint64_t) (first[1] + half)};
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

static int put_all(struct mc_writer *writer, const struct engine_file_frame *frame)
{
    const struct engine_file_array *array = frame->content->arrays.at;
    struct place place;
    writer->many = array->values != 2 || !golly_is_life(frame->content->rule);
    find_root(writer, frame->content, &place);
    writer->stream = file_stream_open(writer->file);
    if (writer->stream == NULL)
        return ENGINE_NO_MEMORY;
    const int code =
        put_header(writer->stream, frame) > 0 ? put_array(writer, &array->shape, &place) : write_error(writer);
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
