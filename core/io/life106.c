/* Life 1.06: a line "#Life 1.06", then a line with the coordinates of each live cell, in any order. */
#include "base/text.h"
#include "io/format.h"
#include "io/points.h"

#include <string.h>

static int parse_line(const struct text_file *text, const char *at, struct points *points, struct engine_error *error)
{
    int64_t x, y;
    at += strspn(at, " \t");
    points->comments = points->comments || *at == '#';
    if (*at == '\0' || *at == '#')
        return 0;
    if (text->cut || !text_number(&at, &x) || (*at != ' ' && *at != '\t'))
        return text_file_error(text, error, "expected the coordinates '<x> <y>' of a live cell");
    at += strspn(at, " \t");
    if (!text_number(&at, &y) || at[strspn(at, " \t")] != '\0')
        return text_file_error(text, error, "expected the coordinates '<x> <y>' of a live cell and nothing after them");
    return points_add(points, text, x, y, error);
}

static int parse(struct text_file *text, struct points *points, struct engine_error *error)
{
    char line[256];
    if (!text_file_line(text, line, sizeof line) || strncmp(line, "#Life 1.06", 10) != 0)
        return text_file_error(text, error, "expected the first line '#Life 1.06' or '#Life 1.05'");
    int status = 0;
    while (status == 0 && text_file_line(text, line, sizeof line))
        status = parse_line(text, line, points, error);
    return status;
}

static int open_life106(const char *path, struct io_document **document, struct engine_error *error)
{
    return points_open(path, parse, document, error);
}

static const struct engine_file_format about = {
    ENGINE_FILE_FORMAT("life106", "1.0", "list of live cells, Life 1.06", ".life .lif .life.gz .lif.gz"),
};

static const struct io_own own = {
    .open = open_life106,
};

const struct io_format io_life106 = {.about = &about, .own = &own};
