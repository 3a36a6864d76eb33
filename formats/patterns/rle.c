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
    bool headed;                   /* there is a header line */
    uint64_t width, height, depth; /* of the array; depth 1 with two axes */
    int64_t from[2];               /* column and row of the file's cells where the array begins */
    uint64_t x, y, z;              /* position of the next tag's cells */
    uint64_t begin, end;           /* indices of the run of live cells that was parsed last */
    uint8_t state;                 /* of that run */
    bool done;                     /* '!' was parsed, or the end of the file */
    /* What the first reading finds: */
    uint64_t extent[3]; /* of the live cells, from the first column and row on */
    uint8_t largest;    /* state */
    bool coloured;      /* there are tags such as 'x' and 'y' */
    bool cut;           /* there is no '!' */
    bool comments;      /* there are comments between the cells */
    bool followed;      /* there is text behind '!' */
};

/* Coordinates stop here, beyond every pattern. */
#define FAR_AWAY (2 * IO_CELLS_MAX)

/* Returns the state of a tag that begins with this byte, and reads the second byte of a tag that has two. 0: dead. -1:
 * not a cell; then *second is the second byte, or 0 if none was read. Some collections have 'x', 'y' and 'z' for live
 * cells of several colours; Golly takes a letter from 'p' to 'y' without a second one for state 1. */
static int state_of(struct rle *rle, int tag, int *second)
{
    *second = 0;
    if (tag == 'b' || tag == '.')
        return 0;
    if (tag == 'o')
        return 1;
    if (tag >= 'A' && tag <= 'X')
        return tag - 'A' + 1;
    if (tag < 'p' || tag > 'z' || rle->planes)
        return -1;
    const int next = tag < 'z' ? text_file_peek(rle->text) : 0;
    if (next < 'A' || next > 'Z') {
        rle->coloured = true;
        return 1;
    }
    *second = text_file_get(rle->text);
    const int state = 24 * (tag - 'p' + 1) + *second - 'A' + 1;
    return *second <= 'X' && state <= 255 ? state : -1;
}

static int refuse_tag(const struct rle *rle, int tag, int second)
{
    const char *header = rle->headed ? "" : "; there is no header line 'x = <width>, y = <height>, rule = <rule>'";
    if (second != 0)
        return text_file_error(rle->text,
                               "'%c%c' is not a cell; '%c' begins the tag of a state from 25 to 255: 'pA' to 'yO'%s",
                               tag, second, tag, header);
    const char *expected =
        rle->planes ? "'b', 'o', '$', '/' or '!'" : "'b', 'o', '.', 'A' to 'X', 'pA' to 'yO', '$' or '!'";
    if (tag > ' ' && tag < 127)
        return text_file_error(rle->text, "'%c' is not a cell; expected %s%s", tag, expected, header);
    return text_file_error(rle->text, "byte 0x%02X is not a cell; expected %s%s", (unsigned) tag, expected, header);
}

/* Takes the end of the file for '!'. */
static int end_early(struct rle *rle, bool counted, int *tag)
{
    *tag = '!';
    rle->cut = true;
    return counted ? text_file_error(rle->text, "the file ends behind a count: it may be cut short")
                   : text_file_check(rle->text);
}

/* Reads the next tag and its count. White space may be anywhere, and line ends also within a count. */
static int next_tag(struct rle *rle, int *tag, uint64_t *count)
{
    bool counted = false, first = rle->text->line_begins;
    *count = 0;
    for (;; first = rle->text->line_begins || (first && (*tag == ' ' || *tag == '\t'))) {
        *tag = text_file_get(rle->text);
        if (*tag >= '0' && *tag <= '9') {
            counted = true;
            *count = *count * 10 + (uint64_t) (*tag - '0');
            if (*count > IO_CELLS_MAX)
                return text_file_error(rle->text, "the count is more than 2^48");
        } else if (first && *tag == '#') {
            rle->comments = true;
            text_file_skip_line(rle->text);
        } else if (*tag != ' ' && *tag != '\n' && *tag != '\t')
            break;
    }
    if (*tag == -1)
        return end_early(rle, counted, tag);
    if (first && *tag == 'x' && strchr(" \t=", text_file_peek(rle->text)) != NULL)
        return text_file_error(rle->text, "a second header line 'x = …'; expected one pattern per file");
    if (counted && *count == 0)
        return text_file_error(rle->text, "the count is 0");
    *count += !counted;
    return 0;
}

/* Moves a coordinate forward. */
static void move(uint64_t *at, uint64_t count)
{
    *at = *at + count < FAR_AWAY ? *at + count : FAR_AWAY;
}

/* Parses up to the next run of live cells, which begins at x y z, or to '!'. */
static int next_live(struct rle *rle, uint64_t *count, int *state)
{
    for (;;) {
        int tag = 0, second;
        const int code = next_tag(rle, &tag, count);
        if (code != 0)
            return code;
        if (tag == '$') {
            move(&rle->y, *count);
            rle->x = 0;
        } else if (tag == '/' && rle->planes) {
            move(&rle->z, *count);
            rle->x = rle->y = 0;
        } else if (tag == '!') {
            rle->done = true;
            return 0;
        } else if ((*state = state_of(rle, tag, &second)) < 0)
            return refuse_tag(rle, tag, second);
        else if (*state > 0)
            return 0;
        else
            move(&rle->x, *count);
    }
}

/* Finds the next run that has cells in the array. */
static int next_run(struct rle *rle)
{
    for (;;) {
        uint64_t count;
        int state;
        const int code = next_live(rle, &count, &state);
        if (code != 0)
            return code;
        if (rle->done)
            return text_file_drain(rle->text);
        const int64_t width = (int64_t) rle->width, y = (int64_t) rle->y - rle->from[1];
        int64_t first = (int64_t) rle->x - rle->from[0], last = first + (int64_t) count;
        first = first > 0 ? first : 0;
        last = last < width ? last : width;
        move(&rle->x, count);
        if (first >= last || y < 0 || (uint64_t) y >= rle->height || rle->z >= rle->depth)
            continue;
        const uint64_t row = (rle->z * rle->height + (uint64_t) y) * rle->width;
        rle->begin = row + (uint64_t) first;
        rle->end = row + (uint64_t) last;
        rle->state = (uint8_t) state;
        return 0;
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

int rle_seek(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin, uint64_t *at)
{
    (void) number;
    (void) array;
    struct rle *rle = self;
    rle->text->file = file;
    while (!rle->done && rle->end <= begin) {
        const int code = next_run(rle);
        if (code != 0)
            return code;
    }
    *at = rle->end <= begin ? UINT64_MAX : rle->begin > begin ? rle->begin : begin;
    return 0;
}

/* ---- Opening ------------------------------------------------------------------------------------------------ */

/* Many files have more comments behind the '!'. */
static int find_rest(struct rle *rle)
{
    for (int byte = 0; byte != -1 && !rle->followed; byte = text_file_get(rle->text))
        rle->followed = byte > ' ';
    return text_file_drain(rle->text);
}

/* Reads all cells once, because the number of states is not in the header, and the size there may be wrong. */
static int measure(struct rle *rle)
{
    for (;;) {
        uint64_t count;
        int state;
        const int code = next_live(rle, &count, &state);
        if (code != 0)
            return code;
        if (rle->done)
            return find_rest(rle);
        if (rle->planes && state > 1)
            return text_file_error(rle->text,
                                   "cell of state %d; an RLE3 file has only the states 0 and 1 ('b' and 'o')", state);
        move(&rle->x, count);
        const uint64_t end[3] = {rle->x, rle->y + 1, rle->z + 1};
        for (int axis = 0; axis < 3; axis++)
            rle->extent[axis] = end[axis] > rle->extent[axis] ? end[axis] : rle->extent[axis];
        rle->largest = state > rle->largest ? (uint8_t) state : rle->largest;
    }
}

static const char *size_text(char text[80], const struct rle *rle, int64_t x, int64_t y, int64_t z)
{
    snprintf(text, 80, rle->planes ? "%lld x %lld x %lld" : "%lld x %lld", (long long) x, (long long) y, (long long) z);
    return text;
}

/* Tells what is odd about the file. */
static void remark(const struct rle *rle, struct rle_prologue *prologue, const char *found)
{
    char *remarks = prologue->header.remarks;
    const int64_t *stated = prologue->stated;
    bool outside = false;
    char text[80];
    for (int axis = 0; axis < 2 + rle->planes; axis++)
        outside = outside || (int64_t) rle->extent[axis] > stated[axis];
    if (!rle->headed)
        io_remark(remarks,
                  "there is no header line 'x = <width>, y = <height>, rule = <rule>'; the pattern has %s cells",
                  found);
    else if (outside && rle->extent[0] > 0)
        io_remark(remarks, "the header says %s, the pattern has %s cells",
                  size_text(text, rle, stated[0], stated[1], stated[2]), found);
    if (rle->extent[0] == 0 && stated[0] == 0 && stated[1] == 0)
        pattern_remark_empty(&prologue->header);
    if (rle->coloured)
        io_remark(remarks, "tags such as 'x', 'y' and 'z' are read as live cells");
    if (rle->cut)
        io_remark(remarks, "the file ends without '!': it may be cut short");
    if (rle->comments)
        io_note_skipped(prologue->header.skipped, "the comments between the cells");
    if (rle->followed)
        io_note_skipped(prologue->header.skipped, "the text behind '!'");
}

/* The size of a pattern is the one that the header states, if all live cells are within it. */
static int find_size(const struct rle *rle, struct rle_prologue *prologue)
{
    uint64_t *size[] = {&prologue->width, &prologue->height, &prologue->depth};
    char found[80];
    for (int axis = 0; axis < 2 + rle->planes; axis++) {
        const uint64_t least = rle->extent[axis] > 0 ? rle->extent[axis] : 1;
        *size[axis] = *size[axis] > least ? *size[axis] : least;
    }
    size_text(found, rle, (int64_t) *size[0], (int64_t) *size[1], (int64_t) *size[2]);
    if (!rle_fits((const uint64_t[3]){*size[0], *size[1], rle->planes ? *size[2] : 1}))
        return text_file_error(rle->text, "the pattern has %s cells; the limit is 2^48", found);
    remark(rle, prologue, found);
    return 0;
}

static void describe(struct rle *rle, const struct rle_prologue *prologue, struct engine_file_content *content)
{
    const uint32_t states = rle->largest > 1 ? rle->largest + 1u : 2;
    *rle = (struct rle){.pattern = {.header = prologue->header},
                        .text = rle->text,
                        .planes = rle->planes,
                        .headed = rle->headed,
                        .width = prologue->width,
                        .height = prologue->height,
                        .depth = rle->planes ? prologue->depth : 1,
                        .from = {prologue->from[0], prologue->from[1]}};
    pattern_describe(&rle->pattern, (uint64_t[3]){prologue->width, prologue->height, prologue->depth}, states, content);
}

int rle_open(const struct engine_file *file, struct engine_file_content *content, void **self,
             const struct rle_head *head)
{
    struct rle_prologue prologue = {0};
    struct rle *rle = *self = io_new(file, sizeof *rle);
    int code = rle != NULL ? text_file_open(&rle->text, file) : ENGINE_NO_MEMORY;
    if (code == 0)
        code = head->parse(rle->text, &prologue);
    if (code != 0)
        return code;
    const struct text_place cells = text_file_tell(rle->text);
    rle->planes = prologue.depth > 0;
    rle->headed = prologue.headed;
    code = measure(rle);
    if (code == 0)
        code = find_size(rle, &prologue);
    if (code == 0)
        code = text_file_seek(rle->text, &cells);
    if (code == 0)
        code = head->place(rle->text, &prologue);
    if (code == 0)
        describe(rle, &prologue, content);
    return code;
}

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    static const struct rle_head head = {rle_parse_prologue, rle_place};
    return rle_open(file, content, self, &head);
}

static bool is_of_cells(unsigned char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n' || byte == 'b' || byte == 'o' || byte == '.' ||
           byte == '$' || (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'X') || (byte >= 'p' && byte <= 'z');
}

/* Are there cells without a header line? Plaintext patterns have no '$', and '!' before a comment. */
static bool is_headless(const unsigned char *begin, uint64_t count)
{
    bool rows = false, ended = false;
    uint64_t i = 0;
    for (; i < count && !ended && (is_of_cells(begin[i]) || begin[i] == '!'); i++) {
        rows = rows || begin[i] == '$';
        ended = begin[i] == '!';
    }
    while (ended && i < count && begin[i] <= ' ')
        i++;
    return rows ? ended || i == count : ended && i == count;
}

/* Other formats of text begin with '#', too. */
static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    (void) bytes;
    return text_file_begins(begin, count, "x ") || text_file_begins(begin, count, "x\t") ||
           text_file_begins(begin, count, "x=") || (strstr(name, ".cells") == NULL && is_headless(begin, count)) ||
           (text_file_begins(begin, count, "#") && !text_file_begins(begin, count, "#Life 1.05") &&
            !text_file_begins(begin, count, "#Life 1.06") && !text_file_begins(begin, count, "#MCell"));
}

const struct engine_file_format rle_file_format = {
    ENGINE_FILE_FORMAT("rle", "1.0", "run-length encoded pattern, for grids of up to 256 states and two axes",
                       ".rle .rle.gz"),
    .flags = ENGINE_FORMAT_PACKED | ENGINE_FORMAT_RANGES | ENGINE_FORMAT_NOTES | ENGINE_FORMAT_SPARSE,
    .keeps = ENGINE_HAS_STEP | ENGINE_HAS_RULE | ENGINE_HAS_PLACE | ENGINE_HAS_GRID,
    .probe = probe,
    .open = open_file,
    .frame = pattern_frame,
    .read = rle_read,
    .seek = rle_seek,
    .create = io_keep_nothing,
    .write = rle_write,
    .holds = pattern_holds,
    .bytes = ENGINE_SIZE_COMPRESSED,
};
