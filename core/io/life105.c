/* Life 1.05: blocks of rows of '.' and '*'. The line "#P x y" before a block gives the position of its first cell. */
#include "base/text.h"
#include "io/points.h"

#include <string.h>

/* Reads "#N" (Conway's rule), "#R survivals/births" and "#P x y". Other lines are comments. */
static int parse_directive(const struct text_file *text, const char *line, struct points *points, struct point *corner)
{
    const char *at = line + 2 + strspn(line[1] != '\0' ? line + 2 : "", " \t");
    points->comments = points->comments || line[1] == 'D' || line[1] == 'C';
    if (line[1] == 'N')
        strcpy(points->pattern.header.rule, "B3/S23");
    if (line[1] == 'R') {
        size_t length = strcspn(at, " \t");
        if (length == 0 || length >= sizeof points->pattern.header.rule)
            return text_file_error(text, "expected a rule after #R");
        if (pattern_take_rule(text, at, length, &points->pattern.header) != 0)
            return ENGINE_INVALID;
    }
    if (line[1] != 'P' || *at == '\0')
        return 0;
    bool first = text_number(&at, &corner->x);
    at += strspn(at, " \t");
    if (!first || !text_number(&at, &corner->y) || at[strspn(at, " \t")] != '\0')
        return text_file_error(text, "expected the coordinates '<x> <y>' of a block after #P");
    return 0;
}

static int parse_row(struct text_file *text, int byte, struct points *points, const struct point *corner)
{
    int status = 0;
    int64_t x;
    for (x = corner->x; status == 0 && byte != '\n' && byte != -1; byte = text_file_get(text)) {
        if (byte == '*')
            status = points_add(points, text, x, corner->y);
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

static int parse(struct text_file *text, struct points *points)
{
    char line[1024];
    int byte, status = 0;
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

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    return points_open(file, content, self, parse);
}

static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    (void) name;
    (void) bytes;
    return text_file_begins(begin, count, "#Life 1.05");
}

const struct engine_file_format life105_file_format = {
    ENGINE_FILE_FORMAT("life105", "1.0", "blocks of '.' and '*', Life 1.05", ".lif .life .lif.gz .life.gz"),
    .flags = ENGINE_FORMAT_PACKED | ENGINE_FORMAT_RANGES,
    .probe = probe,
    .open = open_file,
    .frame = pattern_frame,
    .read = points_read,
    .close = points_close,
};
