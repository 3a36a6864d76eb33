/* Life 1.05: blocks of rows of '.' and '*'. The line "#P x y" before a block gives the position of its first cell. */
#include "base/text.h"
#include "io/format.h"
#include "io/points.h"

#include <string.h>

/* Reads "#N" (Conway's rule), "#R survivals/births" and "#P x y". Other lines are comments. */
static int parse_directive(const struct text_file *text, const char *line, struct points *points, struct point *corner,
                           struct engine_error *error)
{
    const char *at = line + 2 + strspn(line[1] != '\0' ? line + 2 : "", " \t");
    points->comments = points->comments || line[1] == 'D' || line[1] == 'C';
    if (line[1] == 'N')
        strcpy(points->rule, "B3/S23");
    if (line[1] == 'R') {
        size_t length = strcspn(at, " \t");
        if (length == 0 || length >= sizeof points->rule)
            return text_file_error(text, error, "expected a rule after #R");
        memcpy(points->rule, at, length);
        points->rule[length] = '\0';
        if (text_file_check_printable(text, points->rule, "the rule", error) != 0)
            return error->status;
    }
    if (line[1] != 'P' || *at == '\0')
        return 0;
    bool first = text_number(&at, &corner->x);
    at += strspn(at, " \t");
    if (!first || !text_number(&at, &corner->y) || at[strspn(at, " \t")] != '\0')
        return text_file_error(text, error, "expected the coordinates '<x> <y>' of a block after #P");
    return 0;
}

static int parse_row(struct text_file *text, int byte, struct points *points, const struct point *corner,
                     struct engine_error *error)
{
    int status = 0;
    int64_t x;
    for (x = corner->x; status == 0 && byte != '\n' && byte != -1; byte = text_file_get(text)) {
        if (byte == '*')
            status = points_add(points, text, x, corner->y, error);
        else if (byte != '.' && byte != ' ' && byte != '\t')
            return text_file_error(text, error, "expected '.' or '*'");
        if (x == INT64_MAX)
            return text_file_error(text, error, "a coordinate is further than 2^60 from 0");
        x++;
    }
    return status;
}

static int parse(struct text_file *text, struct points *points, struct engine_error *error)
{
    char line[1024];
    int byte, status = 0;
    struct point corner = {0, 0};
    while (status == 0 && (byte = text_file_get(text)) != -1) {
        if (byte == '#') {
            line[0] = '#';
            if (text_file_line(text, line + 1, sizeof line - 1))
                status = parse_directive(text, line, points, &corner, error);
        } else if (byte != '\n') {
            status = parse_row(text, byte, points, &corner, error);
            if (corner.y < INT64_MAX)
                corner.y++;
        }
    }
    return status;
}

static int open_life105(const char *path, struct io_document **document, struct engine_error *error)
{
    return points_open(path, parse, document, error);
}

static const struct engine_file_format about = {
    ENGINE_FILE_FORMAT("life105", "1.0", "blocks of '.' and '*', Life 1.05", ".lif .life .lif.gz .life.gz"),
};

static const struct io_own own = {
    .open = open_life105,
};

const struct io_format io_life105 = {.about = &about, .own = &own};
