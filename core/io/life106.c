/* Life 1.06: a line "#Life 1.06", then a line with the coordinates of each live cell, in any order. */
#include "base/text.h"
#include "io/points.h"

#include <string.h>

static int parse_line(const struct text_file *text, const char *at, struct points *points)
{
    int64_t x, y;
    at += strspn(at, " \t");
    points->comments = points->comments || *at == '#';
    if (*at == '\0' || *at == '#')
        return 0;
    if (text->cut || !text_number(&at, &x) || (*at != ' ' && *at != '\t'))
        return text_file_error(text, "expected the coordinates '<x> <y>' of a live cell");
    at += strspn(at, " \t");
    if (!text_number(&at, &y) || at[strspn(at, " \t")] != '\0')
        return text_file_error(text, "expected the coordinates '<x> <y>' of a live cell and nothing after them");
    return points_add(points, text, x, y);
}

static int parse(struct text_file *text, struct points *points)
{
    char line[256];
    if (!text_file_line(text, line, sizeof line) || strncmp(line, "#Life 1.06", 10) != 0)
        return text_file_error(text, "expected the first line '#Life 1.06' or '#Life 1.05'");
    int status = 0;
    while (status == 0 && text_file_line(text, line, sizeof line))
        status = parse_line(text, line, points);
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
    return text_file_begins(begin, count, "#Life 1.06");
}

const struct engine_file_format life106_file_format = {
    ENGINE_FILE_FORMAT("life106", "1.0", "list of live cells, Life 1.06", ".life .lif .life.gz .lif.gz"),
    .flags = ENGINE_FORMAT_PACKED | ENGINE_FORMAT_RANGES,
    .probe = probe,
    .open = open_file,
    .frame = pattern_frame,
    .read = points_read,
    .close = points_close,
};
