/* Run-length encoded patterns of up to 256 states, as Golly reads and writes them (Golly Help: File Formats, Extended
 * RLE, and Bounded Grids). This file reads cells, rle_header.c reads the lines before them, and rle_write.c writes
 * patterns. rle3.c is the variant with three axes and two states.
 *
 *     state     0      1      2 … 24     25 … 48     …   241 … 255
 *     tag     b .    o A       B … X     pA … pX     …     yA … yO     */
#include "formats/patterns/rle.h"

#include <stdio.h>
#include <string.h>

struct rle {
    struct pattern pattern;
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

static int refuse_tag(const struct rle *rle, int tag, int second)
{
    if (tag == 'x' && (second == '=' || second == ' ' || second == '\t'))
        return text_file_error(rle->text, "a second header line 'x = …'; expected one pattern per file");
    if (tag >= 'p' && tag <= 'y' && !rle->planes)
        return text_file_error(rle->text,
                               second > ' ' && second < 127
                                   ? "'%c%c' is not a cell; '%c' begins the tag of a state from 25 to 255: 'pA' to 'yO'"
                                   : "'%c' is not a cell; it begins the tag of a state from 25 to 255: 'pA' to 'yO'",
                               tag, second, tag);
    const char *expected =
        rle->planes ? "'b', 'o', '$', '/' or '!'" : "'b', 'o', '.', 'A' to 'X', 'pA' to 'yO', '$' or '!'";
    if (tag > ' ' && tag < 127)
        return text_file_error(rle->text, "'%c' is not a cell; expected %s", tag, expected);
    return text_file_error(rle->text, "byte 0x%02X is not a cell; expected %s", (unsigned) tag, expected);
}

/* Reads the next tag and its count. White space may be anywhere, and line ends also within a count. */
static int next_tag(struct rle *rle, int *tag, uint64_t *count)
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
                return text_file_error(rle->text, "the count is more than 2^48");
        } else if (first && byte == '#') {
            text_file_skip_line(rle->text);
        } else if (byte != ' ' && byte != '\n' && byte != '\t') {
            *tag = byte;
            break;
        }
    }
    if (*tag == -1)
        return text_file_error(rle->text, "the file ends without '!': it may be cut short");
    if (counted && *count == 0)
        return text_file_error(rle->text, "the count is 0");
    *count += !counted;
    return 0;
}

static int refuse_outside(const struct rle *rle)
{
    char depth[32] = "";
    if (rle->planes)
        snprintf(depth, sizeof depth, " x %llu", (unsigned long long) rle->depth);
    return text_file_error(
        rle->text,
        "live cells outside the %llu x %llu%s of the header: %s in the header is too small, or the cells are "
        "damaged",
        (unsigned long long) rle->width, (unsigned long long) rle->height, depth, rle->planes ? "x, y or z" : "x or y");
}

static int take_live(struct rle *rle, uint64_t count, int state)
{
    if (rle->planes && state > 1)
        return text_file_error(rle->text, "cell of state %d; an RLE3 file has only the states 0 and 1 ('b' and 'o')",
                               state);
    if (rle->z >= rle->depth || rle->y >= rle->height || count > rle->width - rle->x)
        return refuse_outside(rle);
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
static int next_run(struct rle *rle)
{
    for (;;) {
        int tag = 0, second;
        uint64_t count;
        int status = next_tag(rle, &tag, &count);
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
            return text_file_drain(rle->text);
        }
        const int state = state_of(rle->text, tag, &second);
        if (state > 0)
            return take_live(rle, count, state);
        if (state < 0)
            return refuse_tag(rle, tag, second);
        move(&rle->x, count, rle->width);
    }
}

/* Memory holds one run of the pattern, however large the header says that the pattern is. */
int rle_read(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
             uint64_t count, void *out)
{
    (void) number;
    (void) array;
    struct rle *rle = self;
    uint64_t end = begin + count;
    rle->text->file = file;
    memset(out, 0, count);
    for (;;) {
        uint64_t from = rle->begin > begin ? rle->begin : begin;
        uint64_t to = rle->end < end ? rle->end : end;
        if (from < to)
            memset((uint8_t *) out + (from - begin), rle->state, to - from);
        if (rle->done || rle->end > end)
            return 0;
        const int code = next_run(rle);
        if (code != 0)
            return code;
    }
}

/* Returns the number of states: one more than the largest state of the cells, at least 2. It refuses no tag, because
 * the cells are read again. */
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

/* Reads the lines before the cells. The header of two axes does not state the number of states: the file is read
 * twice. */
static int parse_twice(struct text_file *text, struct rle_prologue *prologue, uint32_t *states,
                       int (*parse)(struct text_file *text, struct rle_prologue *prologue))
{
    int code = parse(text, prologue);
    *states = 2;
    if (code != 0 || prologue->depth != 0)
        return code;
    *states = count_states(text);
    *prologue = (struct rle_prologue){0};
    code = text_file_check(text);
    if (code == 0)
        code = text_file_rewind(text);
    return code == 0 ? parse(text, prologue) : code;
}

static int describe(struct text_file *text, const struct rle_prologue *prologue, uint32_t states,
                    struct engine_file_content *content, void **self)
{
    struct rle *rle = text->file->allocate(text->file, sizeof *rle);
    if (rle == NULL)
        return ENGINE_NO_MEMORY;
    *rle = (struct rle){.pattern = {.header = prologue->header},
                        .text = text,
                        .planes = prologue->depth > 0,
                        .width = prologue->width,
                        .height = prologue->height,
                        .depth = prologue->depth > 0 ? prologue->depth : 1};
    pattern_describe(&rle->pattern, (uint64_t[3]){prologue->width, prologue->height, prologue->depth}, states, content);
    *self = rle;
    return 0;
}

int rle_open(const struct engine_file *file, struct engine_file_content *content, void **self,
             int (*parse)(struct text_file *text, struct rle_prologue *prologue))
{
    struct text_file *text;
    struct rle_prologue prologue = {0};
    uint32_t states = 2;
    int code = text_file_open(&text, file);
    if (code != 0)
        return code;
    code = parse_twice(text, &prologue, &states, parse);
    return code == 0 ? describe(text, &prologue, states, content, self) : code;
}

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    return rle_open(file, content, self, rle_parse_prologue);
}

/* Other formats of text begin with '#', too. */
static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    (void) name;
    (void) bytes;
    return text_file_begins(begin, count, "x ") || text_file_begins(begin, count, "x\t") ||
           text_file_begins(begin, count, "x=") ||
           (text_file_begins(begin, count, "#") && !text_file_begins(begin, count, "#Life 1.05") &&
            !text_file_begins(begin, count, "#Life 1.06") && !text_file_begins(begin, count, "#MCell"));
}

const struct engine_file_format rle_file_format = {
    ENGINE_FILE_FORMAT("rle", "1.0", "run-length encoded pattern, for grids of up to 256 states and two axes",
                       ".rle .rle.gz"),
    .flags = ENGINE_FORMAT_PACKED | ENGINE_FORMAT_RANGES | ENGINE_FORMAT_NOTES,
    .keeps = ENGINE_HAS_STEP | ENGINE_HAS_RULE,
    .probe = probe,
    .open = open_file,
    .frame = pattern_frame,
    .read = rle_read,
    .create = io_keep_nothing,
    .write = rle_write,
    .holds = pattern_holds,
    .bytes = ENGINE_SIZE_COMPRESSED,
};
