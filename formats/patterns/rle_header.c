#include "base/text.h"
#include "formats/patterns/rle.h"

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

/* ---- The bounded grid of a rule: `:T30,20` and the like ------------------------------------------------------------
 *
 * The functions return NULL, or what is wrong; then *at is the place. */

/* One side of a bounded grid: its length, and what its edges along this side are: twisted with `*`, shifted with `+n`
 * or `-n`. The places are those of `*` and of the shift. */
struct side {
    int64_t length, shift;
    const char *twist_at, *shift_at; /* NULL: there is none */
};

static const char *parse_side(const char **at, struct side *side)
{
    *side = (struct side){0};
    const char *length = *at;
    if (*length < '0' || *length > '9' || !text_number(at, &side->length))
        return "expected a number of cells";
    if (side->length == 0) {
        *at = length;
        return "the grid is infinite along this axis; in place of the 0, write a size that the pattern does not "
               "outgrow "
               "in the run";
    }
    if (**at == '*')
        side->twist_at = (*at)++;
    if (**at != '+' && **at != '-')
        return NULL;
    side->shift_at = *at;
    return text_number(at, &side->shift) ? NULL : "expected a number of cells after the sign";
}

/* The edges of a Klein bottle. A shift of an odd side changes nothing, and all shifts of an even side are the same. */
static const char *twist(const struct side sides[2], struct engine_file_pattern *place, const char **at)
{
    const int twisted = sides[0].twist_at ? 0 : 1; /* without a `*`, Golly twists the left and right edges */
    if (sides[0].twist_at && sides[1].twist_at) {
        *at = sides[1].twist_at;
        return "a Klein bottle (K) is twisted along one side; a cross-surface (C) along both";
    }
    if (sides[!twisted].shift != 0) {
        *at = sides[!twisted].shift_at;
        return "a Klein bottle (K) has its shift on the twisted side, behind the '*'";
    }
    place->edges[!twisted] = ENGINE_EDGE_TWISTED; /* the top edge is a side along x */
    place->shift[twisted] = sides[twisted].shift != 0 && sides[twisted].length % 2 == 0;
    return NULL;
}

/* The first of two places; NULL: there is none. */
static const char *first_of(const char *a, const char *b)
{
    return a ? a : b;
}

static const char *find_edges(char letter, const struct side sides[2], struct engine_file_pattern *place,
                              const char **at)
{
    static const uint32_t kinds[] = {ENGINE_EDGE_TORUS, ENGINE_EDGE_DEAD, ENGINE_EDGE_TWISTED, ENGINE_EDGE_SPHERE};
    if (letter == 'K')
        return twist(sides, place, at);
    const char *wrong;
    if ((wrong = first_of(sides[0].twist_at, sides[1].twist_at)) != NULL)
        return *at = wrong, "only a Klein bottle (K) has a '*'";
    if (letter != 'T' && (wrong = first_of(sides[0].shift_at, sides[1].shift_at)) != NULL)
        return *at = wrong, "only a torus (T) and a Klein bottle (K) have a shift";
    if (sides[0].shift != 0 && sides[1].shift != 0)
        return *at = sides[1].shift_at, "a torus (T) has one shift";
    place->edges[0] = place->edges[1] = kinds[strchr("TPCS", letter) - "TPCS"];
    for (int axis = 0; axis < 2; axis++)
        place->shift[axis] = (sides[axis].shift % sides[axis].length + sides[axis].length) % sides[axis].length;
    return NULL;
}

/* Reads what follows the colon of a rule. */
static const char *parse_bounded(const char **at, struct pattern_header *header)
{
    const char letter = **at >= 'a' ? (char) (**at - 'a' + 'A') : **at;
    struct side sides[2];
    const char *wrong, *begin = *at;
    if (letter == '\0' || strchr("TPKCS", letter) == NULL)
        return "expected T (torus), P (plane), K (Klein bottle), C (cross-surface) or S (sphere)";
    ++*at;
    if ((wrong = parse_side(at, &sides[0])) != NULL)
        return wrong;
    sides[1] = (struct side){.length = sides[0].length};
    if (**at == ',' && letter != 'S' && (++*at, (wrong = parse_side(at, &sides[1])) != NULL))
        return wrong;
    if (**at != '\0')
        return "unexpected text; examples are T30,20 and K30*,20";
    if ((wrong = find_edges(letter, sides, &header->place, at)) != NULL)
        return wrong;
    if (!io_size_fits((uint64_t) sides[0].length, (uint64_t) sides[1].length))
        return *at = begin + 1, "expected at most 2^48 cells";
    header->place.grid[0] = (uint64_t) sides[0].length;
    header->place.grid[1] = (uint64_t) sides[1].length;
    header->place.grid[2] = 1;
    return NULL;
}

int rle_parse_rule(const struct text_file *text, const char *at, struct pattern_header *header)
{
    size_t length = strcspn(at, " \t");
    if (at[length + strspn(at + length, " \t")] != '\0')
        return text_file_error(text, "unexpected text after the rule: '%.40s'", at + length);
    if (length > 0 && at[length - 1] == ',')
        length--;
    if (pattern_take_rule(text, at, length, header) != 0)
        return ENGINE_INVALID;
    char *suffix = strchr(header->rule, ':');
    if (suffix == NULL)
        return 0;
    const char *place = suffix + 1, *wrong = parse_bounded(&place, header);
    if (wrong && *place)
        return text_file_error(text, "the rule's bounded grid '%.60s': at character %d, '%c': %s", suffix,
                               (int) (place - suffix) + 1, *place, wrong);
    if (wrong)
        return text_file_error(text, "the rule's bounded grid '%.60s' ends too early: %s", suffix, wrong);
    *suffix = '\0';
    return 0;
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
        io_note_skipped(prologue->header.skipped, "the comments");
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
    struct pattern_header *header = &prologue->header;
    const uint64_t size[2] = {prologue->width, prologue->height};
    if (header->place.grid[0] == 0)
        return 0;
    if (size[0] > header->place.grid[0] || size[1] > header->place.grid[1])
        return text_file_error(text, "the pattern of %llu x %llu cells is larger than its grid of %llu x %llu",
                               (unsigned long long) size[0], (unsigned long long) size[1],
                               (unsigned long long) header->place.grid[0], (unsigned long long) header->place.grid[1]);
    for (int axis = 0; prologue->positioned && axis < 2; axis++) {
        int64_t first = -(int64_t) (header->place.grid[axis] / 2);
        int64_t last = first + (int64_t) (header->place.grid[axis] - size[axis]);
        if (prologue->position[axis] < first || prologue->position[axis] > last)
            return text_file_error(text,
                                   "Pos=%lld,%lld puts the pattern outside its grid; expected %c from %lld to %lld",
                                   (long long) prologue->position[0], (long long) prologue->position[1], "xy"[axis],
                                   (long long) first, (long long) last);
        header->place.at[axis] = prologue->position[axis] - first;
    }
    header->place.placed = prologue->positioned;
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
