#include "base/text.h"
#include "io/rle.h"

#include <string.h>

static void skip_blanks(const char **at)
{
    *at += strspn(*at, " \t");
}

bool rle_take_key(const char **at, const char *name)
{
    const char *next = *at + strspn(*at, " \t,");
    if (strncmp(next, name, strlen(name)) != 0)
        return false;
    next += strlen(name);
    skip_blanks(&next);
    if (*next != '=')
        return false;
    next++;
    skip_blanks(&next);
    *at = next;
    return true;
}

/* One side of a bounded grid: its length, and what its edges along this side are: twisted with `*`, shifted with `+n`
 * or `-n`. */
struct side {
    int64_t length, shift;
    bool twisted;
};

static bool parse_side(const char **at, struct side *side)
{
    *side = (struct side){0, 0, false};
    if (**at == '-' || **at == '+' || !text_number(at, &side->length))
        return false;
    if (**at == '*') {
        side->twisted = true;
        (*at)++;
    }
    return (**at != '+' && **at != '-') || text_number(at, &side->shift);
}

/* The edges of a Klein bottle. A shift of an odd side changes nothing, and all shifts of an even side are the same. */
static bool twist(struct side sides[2], struct edges *edges)
{
    const int twisted = sides[0].twisted ? 0 : 1; /* without a `*`, Golly twists the left and right edges */
    if ((sides[0].twisted && sides[1].twisted) || sides[!twisted].shift != 0)
        return false;
    edges->kind[!twisted] = ENGINE_EDGE_TWISTED; /* the top edge is a side along x */
    edges->shift[twisted] = sides[twisted].shift != 0 && sides[twisted].length % 2 == 0;
    return true;
}

static bool find_edges(char letter, struct side sides[2], struct edges *edges)
{
    const bool plain = !sides[0].twisted && !sides[1].twisted, shifted = sides[0].shift != 0 || sides[1].shift != 0;
    const char *at = strchr("TPCS", letter);
    static const uint32_t kinds[] = {ENGINE_EDGE_TORUS, ENGINE_EDGE_DEAD, ENGINE_EDGE_TWISTED, ENGINE_EDGE_SPHERE};
    if (letter == 'K')
        return twist(sides, edges);
    if (!at || !plain || (shifted && letter != 'T') || (sides[0].shift != 0 && sides[1].shift != 0) ||
        (letter == 'S' && sides[0].length != sides[1].length))
        return false;
    edges->kind[0] = edges->kind[1] = kinds[at - "TPCS"];
    for (int axis = 0; axis < 2; axis++)
        edges->shift[axis] = (sides[axis].shift % sides[axis].length + sides[axis].length) % sides[axis].length;
    return true;
}

/* Reads what follows the colon of a rule: `T30,20` and the like. Returns false for anything else. */
static bool parse_bounded(const char *at, struct io_header *header)
{
    const char letter = *at >= 'a' ? (char) (*at - 'a' + 'A') : *at;
    struct side sides[2];
    if (*at == '\0' || (at++, !parse_side(&at, &sides[0])))
        return false;
    sides[1] = (struct side){sides[0].length, 0, false};
    if (*at == ',' && (at++, !parse_side(&at, &sides[1])))
        return false;
    if (*at != '\0' || !io_size_fits((uint64_t) sides[0].length, (uint64_t) sides[1].length) ||
        !find_edges(letter, sides, &header->edges))
        return false;
    header->grid[0] = (uint64_t) sides[0].length;
    header->grid[1] = (uint64_t) sides[1].length;
    header->grid[2] = 1;
    return true;
}

static bool is_zero(const char *at)
{
    int64_t length;
    return text_number(&at, &length) && length == 0;
}

/* Is a side of a bounded grid such as `:T0,68` infinite? */
static bool is_infinite(const char *suffix)
{
    const char *comma = strchr(suffix, ',');
    return (suffix[1] != '\0' && is_zero(suffix + 2)) || (comma != NULL && is_zero(comma + 1));
}

int rle_parse_rule(const struct text_file *text, const char *at, struct io_header *header)
{
    size_t length = strcspn(at, " \t");
    if (at[length + strspn(at + length, " \t")] != '\0')
        return text_file_error(text, "unexpected text after the rule: '%.40s'", at + length);
    if (length > 0 && at[length - 1] == ',')
        length--;
    if (length >= sizeof header->rule)
        return text_file_error(text, "the rule has %zu characters; the limit is %zu", length, sizeof header->rule - 1);
    memcpy(header->rule, at, length);
    header->rule[length] = '\0';
    if (text_file_check_printable(text, header->rule, "the rule") != 0)
        return ENGINE_INVALID;
    char *suffix = strchr(header->rule, ':');
    if (suffix == NULL)
        return 0;
    if (parse_bounded(suffix + 1, header)) {
        *suffix = '\0';
        return 0;
    }
    if (is_infinite(suffix))
        return text_file_error(text,
                               "the rule's bounded grid '%.60s' is infinite along an axis; edit the file: in place of "
                               "the size 0, write a size that the pattern does not outgrow in the run",
                               suffix);
    return text_file_error(
        text,
        "the rule's bounded grid '%.60s' is not one of ':T<width>,<height>', ':P…', ':K…', ':C…' and ':S<side>' of "
        "finite size, as Golly writes them",
        suffix);
}

/* Reads `#CXRLE Pos=x,y Gen=n`. Other keys are ignored. */
static int parse_extension(const struct text_file *text, const char *at, struct rle_prologue *prologue)
{
    while (skip_blanks(&at), *at != '\0') {
        int64_t step = 0;
        if (rle_take_key(&at, "Pos")) {
            prologue->positioned = true;
            if (!text_number(&at, &prologue->position[0]) || *at++ != ',' || !text_number(&at, &prologue->position[1]))
                return text_file_error(text, "expected 'Pos=<x>,<y>' with two whole numbers after #CXRLE");
        } else if (rle_take_key(&at, "Gen")) {
            if (!text_number(&at, &step) || step < 0)
                return text_file_error(text, "expected 'Gen=<n>' with a whole number below 2^63 after #CXRLE");
            prologue->header.step = (uint64_t) step;
        } else {
            at += strcspn(at, " \t");
        }
    }
    return 0;
}

static int parse_comment(const struct text_file *text, const char *line, struct rle_prologue *prologue)
{
    if (strncmp(line, "#CXRLE", 6) == 0)
        return parse_extension(text, line + 6, prologue);
    if (line[1] != 'r' || prologue->header.rule[0] != '\0') {
        io_note_skipped(&prologue->header, "the comments");
        return 0;
    }
    line += 2;
    skip_blanks(&line);
    return rle_parse_rule(text, line, &prologue->header);
}

/* Reads `x = m, y = n, rule = …`. */
static int parse_size(const struct text_file *text, const char *line, struct rle_prologue *prologue)
{
    static const char expected[] = "expected the header line 'x = <width>, y = <height>, rule = <rule>'";
    int64_t size[2];
    if (text->cut)
        return text_file_error(text, "the line is too long; %s", expected);
    if (!rle_take_key(&line, "x"))
        return text_file_error(text, "%s before the cells", expected);
    if (!text_number(&line, &size[0]) || !rle_take_key(&line, "y") || !text_number(&line, &size[1]))
        return text_file_error(text, "%s with whole numbers for x and y", expected);
    if (size[0] == 0 || size[1] == 0)
        return text_file_error(text, "the pattern is empty: its header states x = %lld, y = %lld", (long long) size[0],
                               (long long) size[1]);
    if (size[0] < 0 || size[1] < 0 || !io_size_fits((uint64_t) size[0], (uint64_t) size[1]))
        return text_file_error(text, "the header states x = %lld, y = %lld; expected 1 to 2^48 cells",
                               (long long) size[0], (long long) size[1]);
    prologue->width = (uint64_t) size[0];
    prologue->height = (uint64_t) size[1];
    if (rle_take_key(&line, "rule"))
        return rle_parse_rule(text, line, &prologue->header);
    line += strspn(line, " \t,");
    return *line == '\0' ? 0 : text_file_error(text, "expected 'rule = <rule>', not '%.40s'", line);
}

int rle_place(const struct text_file *text, struct rle_prologue *prologue)
{
    struct io_header *header = &prologue->header;
    const uint64_t size[2] = {prologue->width, prologue->height};
    if (header->grid[0] == 0)
        return 0;
    if (size[0] > header->grid[0] || size[1] > header->grid[1])
        return text_file_error(text, "the pattern of %llu x %llu cells is larger than its grid of %llu x %llu",
                               (unsigned long long) size[0], (unsigned long long) size[1],
                               (unsigned long long) header->grid[0], (unsigned long long) header->grid[1]);
    for (int axis = 0; prologue->positioned && axis < 2; axis++) {
        int64_t first = -(int64_t) (header->grid[axis] / 2);
        int64_t last = first + (int64_t) (header->grid[axis] - size[axis]);
        if (prologue->position[axis] < first || prologue->position[axis] > last)
            return text_file_error(text,
                                   "Pos=%lld,%lld puts the pattern outside its grid; expected %c from %lld to %lld",
                                   (long long) prologue->position[0], (long long) prologue->position[1], "xy"[axis],
                                   (long long) first, (long long) last);
        header->at[axis] = prologue->position[axis] - first;
    }
    header->placed = prologue->positioned;
    return 0;
}

int rle_parse_prologue(struct text_file *text, struct rle_prologue *prologue)
{
    char line[2048];
    int status = 0;
    while (status == 0 && text_file_line(text, line, sizeof line)) {
        if (line[0] == '#')
            status = parse_comment(text, line, prologue);
        else if (line[strspn(line, " \t")] != '\0') {
            status = parse_size(text, line, prologue);
            return status != 0 ? status : rle_place(text, prologue);
        }
    }
    return status != 0 ? status : text_file_error(text, "the file ends before its header line 'x = …, y = …'");
}
