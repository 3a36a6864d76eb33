/* Run-length encoded patterns of up to 256 states, as Golly reads and writes them (Golly Help: File Formats, Extended
 * RLE, and Bounded Grids). This file reads cells, rle_header.c reads the lines before them, and rle_write.c writes
 * patterns. rle3.c is the variant with three axes and two states.
 *
 *     state     0      1      2 … 24     25 … 48     …   241 … 255
 *     tag     b .    o A       B … X     pA … pX     …     yA … yO     */
#include "io/rle.h"
#include "io/format.h"
#include "io/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rle {
    struct text_file *text;
    bool planes;                   /* three axes: '/' ends a plane */
    uint64_t width, height, depth; /* depth 1 with two axes */
    uint64_t x, y, z;              /* position of the next tag's cells */
    uint64_t begin, end;           /* indices of the run of live cells that was parsed last */
    uint8_t state;                 /* of that run */
    bool done;                     /* '!' was parsed */
};

/* Returns the state of a tag that begins with this byte, and reads the second byte of a tag that has two. 0: dead. -1:
 * not a cell; then *second is the second byte, or 0 if none was read. */
static int state_of(struct text_file *text, int tag, int *second)
{
    *second = 0;
    if (tag == 'b' || tag == '.')
        return 0;
    if (tag == 'o')
        return 1;
    if (tag >= 'A' && tag <= 'X')
        return tag - 'A' + 1;
    if (tag < 'p' || tag > 'y')
        return -1;
    *second = text_file_get(text);
    const int state = 24 * (tag - 'p' + 1) + *second - 'A' + 1;
    return *second >= 'A' && *second <= 'X' && state <= 255 ? state : -1;
}

static int refuse_tag(const struct rle *rle, int tag, int second, struct engine_error *error)
{
    if (tag == 'x' && (second == '=' || second == ' ' || second == '\t'))
        return text_file_error(rle->text, error, "a second header line 'x = …'; expected one pattern per file");
    if (tag >= 'p' && tag <= 'y' && !rle->planes)
        return text_file_error(rle->text, error,
                               second > ' ' && second < 127
                                   ? "'%c%c' is not a cell; '%c' begins the tag of a state from 25 to 255: 'pA' to 'yO'"
                                   : "'%c' is not a cell; it begins the tag of a state from 25 to 255: 'pA' to 'yO'",
                               tag, second, tag);
    const char *expected =
        rle->planes ? "'b', 'o', '$', '/' or '!'" : "'b', 'o', '.', 'A' to 'X', 'pA' to 'yO', '$' or '!'";
    if (tag > ' ' && tag < 127)
        return text_file_error(rle->text, error, "'%c' is not a cell; expected %s", tag, expected);
    return text_file_error(rle->text, error, "byte 0x%02X is not a cell; expected %s", (unsigned) tag, expected);
}

/* Reads the next tag and its count. White space may be anywhere, and line ends also within a count. */
static int next_tag(struct rle *rle, int *tag, uint64_t *count, struct engine_error *error)
{
    bool counted = false;
    *count = 0;
    for (;;) {
        bool first = rle->text->line_begins;
        int byte = text_file_get(rle->text);
        if (byte >= '0' && byte <= '9') {
            counted = true;
            *count = *count * 10 + (uint64_t) (byte - '0');
            if (*count > IO_CELLS_MAX)
                return text_file_error(rle->text, error, "the count is more than 2^48");
        } else if (first && byte == '#') {
            text_file_skip_line(rle->text);
        } else if (byte != ' ' && byte != '\n' && byte != '\t') {
            *tag = byte;
            break;
        }
    }
    if (*tag == -1)
        return text_file_error(rle->text, error, "the file ends without '!': it may be cut short");
    if (counted && *count == 0)
        return text_file_error(rle->text, error, "the count is 0");
    *count += !counted;
    return 0;
}

static int refuse_outside(const struct rle *rle, struct engine_error *error)
{
    char depth[32] = "";
    if (rle->planes)
        snprintf(depth, sizeof depth, " x %llu", (unsigned long long) rle->depth);
    return text_file_error(
        rle->text, error,
        "live cells outside the %llu x %llu%s of the header: %s in the header is too small, or the cells are "
        "damaged",
        (unsigned long long) rle->width, (unsigned long long) rle->height, depth, rle->planes ? "x, y or z" : "x or y");
}

static int take_live(struct rle *rle, uint64_t count, int state, struct engine_error *error)
{
    if (rle->planes && state > 1)
        return text_file_error(rle->text, error,
                               "cell of state %d; an RLE3 file has only the states 0 and 1 ('b' and 'o')", state);
    if (rle->z >= rle->depth || rle->y >= rle->height || count > rle->width - rle->x)
        return refuse_outside(rle, error);
    rle->begin = (rle->z * rle->height + rle->y) * rle->width + rle->x;
    rle->end = rle->begin + count;
    rle->state = (uint8_t) state;
    rle->x += count;
    return 0;
}

/* Moves a coordinate forward, at most to `extent`, which is just outside. */
static void move(uint64_t *at, uint64_t count, uint64_t extent)
{
    *at = count < extent - *at ? *at + count : extent;
}

/* Parses up to the next run of live cells, or '!'. Dead cells may extend beyond the size that the header states. */
static int next_run(struct rle *rle, struct engine_error *error)
{
    for (;;) {
        int tag = 0, second;
        uint64_t count;
        int status = next_tag(rle, &tag, &count, error);
        if (status != 0)
            return status;
        if (tag == '$') {
            move(&rle->y, count, rle->height);
            rle->x = 0;
            continue;
        }
        if (tag == '/' && rle->planes) {
            move(&rle->z, count, rle->depth);
            rle->x = rle->y = 0;
            continue;
        }
        if (tag == '!') {
            rle->done = true;
            return text_file_drain(rle->text, error);
        }
        const int state = state_of(rle->text, tag, &second);
        if (state > 0)
            return take_live(rle, count, state, error);
        if (state < 0)
            return refuse_tag(rle, tag, second, error);
        move(&rle->x, count, rle->width);
    }
}

/* Memory holds one run of the pattern, however large the header says that the pattern is. */
static int read_cells(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                      struct engine_error *error)
{
    (void) array;
    struct rle *rle = document->context;
    uint64_t end = begin + count;
    memset(out, 0, count);
    for (;;) {
        uint64_t from = rle->begin > begin ? rle->begin : begin;
        uint64_t to = rle->end < end ? rle->end : end;
        if (from < to)
            memset((uint8_t *) out + (from - begin), rle->state, to - from);
        if (rle->done || rle->end > end)
            return 0;
        int status = next_run(rle, error);
        if (status != 0)
            return status;
    }
}

static void close_document(struct io_document *document)
{
    struct rle *rle = document->context;
    text_file_close(rle->text);
    free(rle);
    free(document);
}

/* Returns the number of states: one more than the largest state of the cells, at least 2. It refuses no tag, because the
 * cells are read again. */
static uint32_t count_states(struct text_file *text)
{
    int largest = 1;
    for (;;) {
        const bool first = text->line_begins;
        const int byte = text_file_get(text);
        int second;
        if (byte == -1 || byte == '!')
            return (uint32_t) largest + 1;
        if (first && byte == '#') {
            text_file_skip_line(text);
            continue;
        }
        const int state = byte >= 'A' ? state_of(text, byte, &second) : 0;
        largest = state > largest ? state : largest;
    }
}

static int make_document(struct text_file *text, const struct rle_prologue *prologue, uint32_t states,
                         struct io_document **document, struct engine_error *error)
{
    struct rle *rle = calloc(1, sizeof *rle);
    struct io_document *made = io_new_grid(prologue->width, prologue->height, error);
    if (rle == NULL || made == NULL) {
        free(rle);
        free(made);
        return error_memory(error, sizeof *rle, "reading a pattern");
    }
    *rle = (struct rle){.text = text,
                        .planes = prologue->depth > 0,
                        .width = prologue->width,
                        .height = prologue->height,
                        .depth = prologue->depth > 0 ? prologue->depth : 1};
    made->arrays[0].values = states;
    made->arrays[0].shape.rank = rle->planes ? 3 : 2;
    made->arrays[0].shape.extent[2] = rle->depth;
    made->header = prologue->header;
    made->read = read_cells;
    made->close = close_document;
    made->context = rle;
    *document = made;
    return 0;
}

int rle_open(const char *path,
             int (*parse)(struct text_file *text, struct rle_prologue *prologue, struct engine_error *error),
             struct io_document **document, struct engine_error *error)
{
    *document = NULL;
    struct text_file *text;
    struct rle_prologue prologue = {0};
    uint32_t states = 2;
    int status = text_file_open(&text, path, error);
    if (status != 0)
        return status;
    status = parse(text, &prologue, error);
    if (status == 0 &&
        prologue.depth == 0) { /* the header does not state the number of states: the file is read twice */
        states = count_states(text);
        prologue = (struct rle_prologue){0};
        status = text_file_check(text, error);
        if (status == 0)
            status = text_file_rewind(text, error);
        if (status == 0)
            status = parse(text, &prologue, error);
    }
    if (status == 0)
        status = make_document(text, &prologue, states, document, error);
    if (status != 0)
        text_file_close(text);
    return status;
}

static int open_rle(const char *path, struct io_document **document, struct engine_error *error)
{
    return rle_open(path, rle_parse_prologue, document, error);
}

static const struct engine_file_format about = {
    ENGINE_FILE_FORMAT("rle", "1.0", "run-length encoded pattern, for grids of up to 256 states and two axes", ".rle .rle.gz"),
    .flags = ENGINE_FORMAT_NOTES,
    .keeps = ENGINE_HAS_STEP | ENGINE_HAS_RULE,
    .bytes = ENGINE_SIZE_COMPRESSED,
};

static const struct io_own own = {
    .writes = rle_writes,
    .open = open_rle,
    .write = rle_write,
};

const struct io_format io_rle = {.about = &about, .own = &own};
