/* Life 1.05 and 1.06: patterns that list live cells in any order. A file of 1.06 has a line "#Life 1.06", and then a line
 * with the coordinates of each live cell. A file of 1.05 has blocks of rows of '.' and '*'; the line "#P x y" before a
 * block gives the position of its first cell. */
#include "base/text.h"
#include "formats/patterns/rle.h"

#include <stdlib.h>
#include <string.h>

/* Beyond every pattern, and so small that differences of coordinates fit into 64 bits. */
#define COORDINATE_MAX (INT64_C(1) << 60)

struct point {
    int64_t x, y;
};

struct points {
    struct pattern pattern;
    struct point *at;
    uint64_t count, capacity;
    uint64_t next;     /* reading: the first cell that was not read yet */
    int64_t left, top; /* reading: the array's first cell */
    uint64_t width;
    bool placed; /* the coordinates are those of the plane */
};

/* Adds a cell, which may be listed already. `text` gives the line for errors. */
static int add_point(struct points *points, const struct text_file *text, int64_t x, int64_t y)
{
    if (x < -COORDINATE_MAX || x > COORDINATE_MAX || y < -COORDINATE_MAX || y > COORDINATE_MAX)
        return text_file_error(text, "a coordinate is further than 2^60 from 0");
    if (points->count == points->capacity) {
        struct point *grown = io_grow(text->file, points->at, &points->capacity, sizeof *grown);
        if (grown == NULL)
            return ENGINE_NO_MEMORY;
        points->at = grown;
    }
    points->at[points->count++] = (struct point){x, y};
    return 0;
}

/* Takes a line with #. "#D" is a description. */
static int take_comment(const struct text_file *text, const char *line, struct points *points)
{
    if (line[1] == 'D')
        return pattern_take_note(text, PATTERN_COMMENT, line + 2 + (line[2] == ' '), &points->pattern.header);
    return pattern_take_comment(text, line, &points->pattern.header);
}

/* ---- Life 1.05 -------------------------------------------------------------------------------------------------- */

/* Reads "#N" (Conway's rule), "#R survivals/births" and "#P x y". Other lines are comments. */
static int parse_directive(const struct text_file *text, const char *line, struct points *points, struct point *corner)
{
    const char *at = line + 2 + strspn(line[1] != '\0' ? line + 2 : "", " \t");
    if (strchr("DCO", line[1]) != NULL && line[1] != '\0')
        return take_comment(text, line, points);
    if (line[1] == 'N')
        strcpy(points->pattern.header.rule, "B3/S23");
    if (line[1] == 'R') {
        if (*at == '\0')
            return text_file_error(text, "expected a rule after #R");
        if (rle_parse_rule(text, at, &points->pattern.header) != 0)
            return ENGINE_INVALID;
    }
    if (line[1] != 'P' || *at == '\0')
        return 0;
    bool first = text_number(&at, &corner->x);
    at += strspn(at, " \t");
    if (!first || !text_number(&at, &corner->y) || at[strspn(at, " \t")] != '\0')
        return text_file_error(text, "expected the coordinates '<x> <y>' of a block after #P");
    points->placed = true;
    return 0;
}

static int parse_row(struct text_file *text, int byte, struct points *points, const struct point *corner)
{
    int status = 0;
    int64_t x;
    for (x = corner->x; status == 0 && byte != '\n' && byte != -1; byte = text_file_get(text)) {
        if (byte == '*')
            status = add_point(points, text, x, corner->y);
        else if (byte != '.' && byte != ' ' && byte != '\t')
            return text_file_error(text,
                                   byte > ' ' && byte < 0x7F ? "'%c' is not a cell; expected '.' or '*'"
                                                             : "byte 0x%02X is not a cell; expected '.' or '*'",
                                   (unsigned) byte);
        if (x == INT64_MAX)
            return text_file_error(text, "a coordinate is further than 2^60 from 0");
        x++;
    }
    return status;
}

static int take_first_line(struct text_file *text, const char *expected)
{
    char line[256];
    return text_file_line(text, line, sizeof line) && strncmp(line, expected, strlen(expected)) == 0
               ? 0
               : text_file_error(text, "expected the first line '#Life 1.06' or '#Life 1.05'");
}

static int parse_105(struct text_file *text, struct points *points)
{
    char line[4096];
    int byte, status = take_first_line(text, "#Life 1.05");
    struct point corner = {0, 0};
    while (status == 0 && (byte = text_file_get(text)) != -1) {
        if (byte == '#') {
            line[0] = '#';
            if (text_file_line(text, line + 1, sizeof line - 1))
                status = parse_directive(text, line, points, &corner);
        } else if (byte != '\n') {
            status = parse_row(text, byte, points, &corner);
            if (corner.y < INT64_MAX)
                corner.y++;
        }
    }
    return status;
}

/* ---- Life 1.06 -------------------------------------------------------------------------------------------------- */

static int parse_line(const struct text_file *text, const char *at, struct points *points)
{
    int64_t x, y;
    at += strspn(at, " \t");
    if (*at == '#')
        return take_comment(text, at, points);
    if (*at == '\0')
        return 0;
    if (text->cut || !text_number(&at, &x) || (*at != ' ' && *at != '\t'))
        return text_file_error(text, "expected the coordinates '<x> <y>' of a live cell");
    at += strspn(at, " \t");
    if (!text_number(&at, &y) || at[strspn(at, " \t")] != '\0')
        return text_file_error(text, "expected the coordinates '<x> <y>' of a live cell and nothing after them");
    return add_point(points, text, x, y);
}

static int parse_106(struct text_file *text, struct points *points)
{
    char line[4096];
    int status = take_first_line(text, "#Life 1.06");
    points->placed = true;
    while (status == 0 && text_file_line(text, line, sizeof line))
        status = parse_line(text, line, points);
    return status;
}

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

static int in_reading_order(const void *first, const void *second)
{
    const struct point *a = first, *b = second;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    return (a->x > b->x) - (a->x < b->x);
}

/* Sorts the cells and finds their bounding box. */
static int arrange(struct points *points, const struct text_file *text, uint64_t *height)
{
    points->width = *height = 1;
    if (points->count == 0) {
        pattern_remark_empty(&points->pattern.header);
        return 0;
    }
    qsort(points->at, points->count, sizeof *points->at, in_reading_order);
    int64_t right = points->at[0].x;
    points->left = right;
    points->top = points->at[0].y;
    for (uint64_t i = 0; i < points->count; i++) {
        if (points->at[i].x < points->left)
            points->left = points->at[i].x;
        if (points->at[i].x > right)
            right = points->at[i].x;
    }
    points->width = (uint64_t) (right - points->left) + 1;
    *height = (uint64_t) (points->at[points->count - 1].y - points->top) + 1;
    if (!io_size_fits(points->width, *height))
        return ENGINE_FAIL_FILE(text->file, "the cells span %llu x %llu; the limit is 2^48 cells",
                                (unsigned long long) points->width, (unsigned long long) *height);
    return 0;
}

/* Moves to the first cell of the grid from element `begin` on. Returns its element, or UINT64_MAX. */
static uint64_t next_element(struct points *points, uint64_t begin)
{
    for (; points->next < points->count; points->next++) {
        const struct point *point = &points->at[points->next];
        const int64_t x = point->x - points->left, y = point->y - points->top;
        const uint64_t element = (uint64_t) y * points->width + (uint64_t) x;
        if (y >= 0 && x >= 0 && x < (int64_t) points->width && element >= begin)
            return element;
    }
    return UINT64_MAX;
}

static int read_cells(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                      uint64_t count, void *out)
{
    (void) file;
    (void) number;
    (void) array;
    struct points *points = self;
    memset(out, 0, count);
    for (uint64_t at; (at = next_element(points, begin)) < begin + count; points->next++)
        ((uint8_t *) out)[at - begin] = 1;
    return 0;
}

static int seek_cell(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                     uint64_t *at)
{
    (void) file;
    (void) number;
    (void) array;
    *at = next_element(self, begin);
    return 0;
}

/* Finds the place on the plane, or on the bounded grid that a rule of Life 1.05 has. */
static int place(struct points *points, const struct text_file *text, uint64_t *height)
{
    struct pattern_header *header = &points->pattern.header;
    struct rle_prologue prologue = {.width = points->width,
                                    .height = *height,
                                    .positioned = points->count > 0,
                                    .position = {points->left, points->top},
                                    .header = *header};
    if (header->place.grid[0] == 0) {
        header->place.placed = points->placed && points->count > 0;
        memcpy(header->place.at, prologue.position, sizeof prologue.position);
        return 0;
    }
    const int code = rle_place(text, &prologue);
    *header = prologue.header;
    points->left += prologue.from[0];
    points->top += prologue.from[1];
    points->width = prologue.width;
    *height = prologue.height;
    return code;
}

static int fill(struct points *points, struct text_file *text, struct engine_file_content *content,
                int (*parse)(struct text_file *text, struct points *points))
{
    uint64_t size[3] = {0};
    int code = parse(text, points);
    if (code == 0)
        code = text_file_check(text);
    if (code == 0)
        code = arrange(points, text, &size[1]);
    if (code == 0)
        code = place(points, text, &size[1]);
    size[0] = points->width;
    if (code == 0)
        pattern_describe(&points->pattern, size, 2, content);
    return code;
}

static int open_points(const struct engine_file *file, struct engine_file_content *content, void **self,
                       int (*parse)(struct text_file *text, struct points *points))
{
    struct text_file *text;
    struct points *points = *self = io_new(file, sizeof *points);
    if (points == NULL)
        return ENGINE_NO_MEMORY;
    const int code = text_file_open(&text, file);
    return code == 0 ? fill(points, text, content, parse) : code;
}

static int open_105(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    return open_points(file, content, self, parse_105);
}

static int probe_105(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    (void) name;
    (void) bytes;
    return text_file_begins(begin, count, "#Life 1.05");
}

static int open_106(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    return open_points(file, content, self, parse_106);
}

static int probe_106(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    (void) name;
    (void) bytes;
    return text_file_begins(begin, count, "#Life 1.06");
}

const struct engine_file_format life105_file_format = {
    ENGINE_FILE_FORMAT("life105", "1.0", "blocks of '.' and '*', Life 1.05", ".lif .lif.gz"),
    .flags = ENGINE_FORMAT_PACKED | ENGINE_FORMAT_RANGES | ENGINE_FORMAT_NOTES,
    .keeps = ENGINE_HAS_RULE | ENGINE_HAS_PLACE | ENGINE_HAS_GRID,
    .probe = probe_105,
    .open = open_105,
    .frame = pattern_frame,
    .read = read_cells,
    .seek = seek_cell,
    .create = io_keep_nothing,
    .write = life105_write_frame,
    .holds = pattern_holds_two,
    .bytes = ENGINE_SIZE_TREE,
};
const struct engine_file_format life106_file_format = {
    ENGINE_FILE_FORMAT("life106", "1.0", "list of live cells, Life 1.06", ".life .life.gz"),
    .flags = ENGINE_FORMAT_PACKED | ENGINE_FORMAT_RANGES | ENGINE_FORMAT_SPARSE,
    .keeps = ENGINE_HAS_PLACE,
    .probe = probe_106,
    .open = open_106,
    .frame = pattern_frame,
    .read = read_cells,
    .seek = seek_cell,
    .create = io_keep_nothing,
    .write = life106_write_frame,
    .holds = pattern_holds_two,
    .bytes = ENGINE_SIZE_TREE,
};
