/* Run-length encoded patterns of two states, as Golly reads and writes them (Golly Help: File Formats, Extended RLE,
 * and Bounded Grids). This file reads cells, rle_header.c reads the lines before them, and rle_write.c writes patterns.
 * rle3.c is the variant with three axes. */
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
    bool done;                     /* '!' was parsed */
};

static int refuse_tag(const struct rle *rle, int tag, struct engine_error *error)
{
    if (tag >= 'B' && tag <= 'X')
        return text_file_error(rle->text, error,
                               "cell of state %d ('%c'); only states 0 and 1 ('b' and 'o') are supported",
                               tag - 'A' + 1, tag);
    if (tag >= 'p' && tag <= 'y') {
        int second = text_file_get(rle->text);
        if (second >= 'A' && second <= 'X')
            return text_file_error(rle->text, error,
                                   "cell of state %d ('%c%c'); only states 0 and 1 ('b' and 'o') are supported",
                                   24 * (tag - 'p' + 1) + second - 'A' + 1, tag, second);
        if (tag == 'x' && (second == '=' || second == ' ' || second == '\t'))
            return text_file_error(rle->text, error, "a second header line 'x = …'; expected one pattern per file");
    }
    const char *expected = rle->planes ? "'b', 'o', '$', '/' or '!'" : "'b', 'o', '$' or '!'";
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

static int take_live(struct rle *rle, uint64_t count, struct engine_error *error)
{
    if (rle->z >= rle->depth || rle->y >= rle->height || count > rle->width - rle->x)
        return refuse_outside(rle, error);
    rle->begin = (rle->z * rle->height + rle->y) * rle->width + rle->x;
    rle->end = rle->begin + count;
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
        int tag = 0;
        uint64_t count;
        int status = next_tag(rle, &tag, &count, error);
        if (status != 0)
            return status;
        if (tag == 'o' || tag == 'A')
            return take_live(rle, count, error);
        if (tag == 'b' || tag == '.') {
            move(&rle->x, count, rle->width);
        } else if (tag == '$') {
            move(&rle->y, count, rle->height);
            rle->x = 0;
        } else if (tag == '/' && rle->planes) {
            move(&rle->z, count, rle->depth);
            rle->x = rle->y = 0;
        } else if (tag == '!') {
            rle->done = true;
            return text_file_drain(rle->text, error);
        } else {
            return refuse_tag(rle, tag, error);
        }
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
            memset((uint8_t *) out + (from - begin), 1, to - from);
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

static int make_document(struct text_file *text, const struct rle_prologue *prologue, struct io_document **document,
                         struct engine_error *error)
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
    int status = text_file_open(&text, path, error);
    if (status != 0)
        return status;
    status = parse(text, &prologue, error);
    if (status == 0)
        status = make_document(text, &prologue, document, error);
    if (status != 0)
        text_file_close(text);
    return status;
}

static int open_rle(const char *path, struct io_document **document, struct engine_error *error)
{
    return rle_open(path, rle_parse_prologue, document, error);
}

const struct io_format io_rle = {
    .name = "rle",
    .help = "run-length encoded pattern, for grids of two states and two axes",
    .endings = ".rle .rle.gz",
    .notes = true,
    .keeps = IO_KEEPS_STEP | IO_KEEPS_RULE,
    .writes = rle_writes,
    .open = open_rle,
    .write = rle_write,
};
