#include "base/text.h"
#include "formats/patterns/rle.h"

#include <stdio.h>
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
    int64_t length, shift;           /* length 0: it is infinite */
    const char *at;                  /* where it begins */
    const char *twist_at, *shift_at; /* NULL: there is none */
};

static const char *parse_side(const char **at, struct side *side)
{
    *side = (struct side){.at = *at};
    if (**at < '0' || **at > '9' || !text_number(at, &side->length))
        return "expected a number of cells";
    if (**at == '*')
        side->twist_at = (*at)++;
    if (**at != '+' && **at != '-')
        return NULL;
    side->shift_at = *at;
    return text_number(at, &side->shift) ? NULL : "expected a number of cells after the sign";
}

/* Only :T and :P may have infinite sides, and such a grid has no shift. */
static const char *check_infinite(char letter, const struct side sides[2], const char **at)
{
    if (sides[0].length != 0 && sides[1].length != 0)
        return NULL;
    if (strchr("TP", letter) == NULL)
        return *at = sides[sides[0].length != 0].at, "only a torus (T) and a plane (P) have an infinite side";
    if (sides[0].shift != 0 || sides[1].shift != 0)
        return *at = sides[sides[0].shift == 0].shift_at, "a grid with an infinite side has no shift";
    return NULL;
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
        if (sides[axis].length == 0)
            place->edges[axis] = ENGINE_EDGE_UNBOUNDED;
        else
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
    if ((wrong = check_infinite(letter, sides, at)) != NULL ||
        (wrong = find_edges(letter, sides, &header->place, at)) != NULL)
        return wrong;
    if (!io_size_fits((uint64_t) sides[0].length + (sides[0].length == 0),
                      (uint64_t) sides[1].length + (sides[1].length == 0)))
        return *at = begin + 1, "expected at most 2^48 cells";
    for (int axis = 0; axis < 2; axis++)
        header->place.grid[axis] = sides[axis].length != 0 ? (uint64_t) sides[axis].length : RLE_INFINITE;
    header->place.grid[2] = 1;
    return NULL;
}

/* A rule ends at the first blank, and the name of a rule at the end of the line: `Day & Night`. */
static size_t rule_length(const char *at)
{
    const size_t word = strcspn(at, " \t"), slash = strcspn(at, "/");
    size_t whole = strlen(at);
    while (whole > 0 && strchr(" \t", at[whole - 1]) != NULL)
        whole--;
    return slash < word || (word > 0 && at[word - 1] == ',') ? word : whole;
}

int rle_parse_rule(const struct text_file *text, const char *at, struct pattern_header *header)
{
    size_t length = rule_length(at);
    const bool ended = length > 0 && at[length - 1] == ',';
    if (!ended && at[length + strspn(at + length, " \t")] != '\0')
        return text_file_error(text, "unexpected text after the rule: '%.40s'", at + length);
    if (pattern_take_rule(text, at, length - ended, header) != 0)
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

/* Takes a generation. Programs that count further than the engine write longer numbers. */
static int take_generation(const struct text_file *text, const char **at, struct pattern_header *header)
{
    const size_t digits = strspn(*at, "0123456789");
    int64_t step;
    if (digits == 0)
        return text_file_error(text, "expected 'Gen=<n>' with a whole number after #CXRLE");
    if (text_number(at, &step))
        header->step = (uint64_t) step;
    else {
        io_note_skipped(header->skipped, "the generation");
        *at += digits;
    }
    return 0;
}

/* Takes a position. One beyond every pattern is skipped. */
static int take_position(const struct text_file *text, const char **at, struct rle_prologue *prologue)
{
    int64_t position[2];
    if (!text_number(at, &position[0]) || *(*at)++ != ',' || !text_number(at, &position[1]))
        return text_file_error(text, "expected 'Pos=<x>,<y>' with two whole numbers after #CXRLE");
    for (int axis = 0; axis < 2; axis++)
        if (position[axis] < -RLE_POSITION_MAX || position[axis] > RLE_POSITION_MAX) {
            io_note_skipped(prologue->header.skipped, "the position");
            return 0;
        }
    memcpy(prologue->position, position, sizeof position);
    prologue->positioned = true;
    return 0;
}

/* Reads `#CXRLE Pos=x,y Gen=n`. Other keys are ignored. */
static int parse_extension(const struct text_file *text, const char *at, struct rle_prologue *prologue)
{
    int code = 0;
    while (skip_blanks(&at), code == 0 && *at != '\0') {
        if (rle_take_key(&at, "Pos"))
            code = take_position(text, &at, prologue);
        else if (rle_take_key(&at, "Gen"))
            code = take_generation(text, &at, &prologue->header);
        else
            at += strcspn(at, " \t");
    }
    return code;
}

static int parse_comment(const struct text_file *text, const char *line, struct rle_prologue *prologue)
{
    if (strncmp(line, "#CXRLE", 6) == 0)
        return parse_extension(text, line + 6, prologue);
    if (line[1] != 'r' || prologue->header.rule[0] != '\0')
        return pattern_take_comment(text, line, &prologue->header);
    line += 2;
    skip_blanks(&line);
    return rle_parse_rule(text, line, &prologue->header);
}

/* Reads `rule = …`. The header may have other keys before it, such as `h = -4`, but none that looks like a misspelt
 * rule. */
static int parse_keys(const struct text_file *text, const char *line, struct rle_prologue *prologue)
{
    char name[32];
    while (*(line += strspn(line, " \t,")) != '\0') {
        if (rle_take_key(&line, "rule"))
            return rle_parse_rule(text, line, &prologue->header);
        const size_t length = strspn(line, "abcdefghijklmnopqrstuvwxyz");
        snprintf(name, sizeof name, "%.*s", (int) length, line);
        if (length == 0 || length >= sizeof name || *line == 'r' || !rle_take_key(&line, name))
            return text_file_error(text, "expected 'rule = <rule>', not '%.40s'", line);
        io_remark(prologue->header.remarks, "the key %s of its header line is not read", name);
        line += strcspn(line, " \t,");
    }
    return 0;
}

/* Reads `x = m, y = n, rule = …`. */
static int parse_size(const struct text_file *text, const char *line, struct rle_prologue *prologue)
{
    static const char expected[] = "expected the header line 'x = <width>, y = <height>, rule = <rule>'";
    int64_t *size = prologue->stated;
    if (text->cut)
        return text_file_error(text, "the line is too long; %s", expected);
    if (!rle_take_key(&line, "x") || !text_number(&line, &size[0]) || !rle_take_key(&line, "y") ||
        !text_number(&line, &size[1]))
        return text_file_error(text, "%s with whole numbers for x and y", expected);
    prologue->width = size[0] > 0 ? (uint64_t) size[0] : 0;
    prologue->height = size[1] > 0 ? (uint64_t) size[1] : 0;
    if (prologue->width > 0 && prologue->height > 0 && !io_size_fits(prologue->width, prologue->height))
        return text_file_error(text, "the header states x = %lld, y = %lld; expected 1 to 2^48 cells",
                               (long long) size[0], (long long) size[1]);
    if (prologue->headed)
        io_remark(prologue->header.remarks, "there are two header lines; the last one counts");
    prologue->headed = true;
    return parse_keys(text, line, prologue);
}

/* The tag 'x' of a cell is not followed by a blank. */
static bool is_header(const char *line)
{
    return *line == 'x' && strchr(" \t=", line[1]) != NULL && line[1] != '\0';
}

int rle_parse_prologue(struct text_file *text, struct rle_prologue *prologue)
{
    char line[4096];
    struct text_place place = text_file_tell(text);
    for (int code; text_file_line(text, line, sizeof line); place = text_file_tell(text)) {
        const char *at = line + strspn(line, " \t");
        if (*at == '#')
            code = parse_comment(text, at, prologue);
        else if (is_header(at))
            code = parse_size(text, at, prologue);
        else if (*at == '\0')
            continue;
        else
            return text_file_seek(text, &place);
        if (code != 0)
            return code;
    }
    return prologue->headed ? text_file_check(text)
                            : text_file_error(text, "the file ends before its header line 'x = …, y = …'");
}

/* ---- The place -------------------------------------------------------------------------------------------------- */

/* Golly puts the middle of a pattern whose size is stated into the middle of its grid, and other patterns into the top
 * left corner. If this would cut a pattern that fits the grid, its own middle goes into the middle of the grid. */
static void find_position(struct rle_prologue *prologue)
{
    const uint64_t *grid = prologue->header.place.grid, size[2] = {prologue->width, prologue->height};
    const int64_t *stated = prologue->stated;
    const bool right = stated[0] == (int64_t) size[0] && stated[1] == (int64_t) size[1];
    const bool fits =
        stated[0] > 0 && stated[1] > 0 && stated[0] <= (int64_t) grid[0] && stated[1] <= (int64_t) grid[1];
    const bool infinite = grid[0] == RLE_INFINITE || grid[1] == RLE_INFINITE;
    if (prologue->positioned || grid[0] == 0 || (right && fits && !infinite))
        return;
    prologue->positioned = true;
    for (int axis = 0; axis < 2; axis++) {
        const int64_t middle = fits ? -stated[axis] / 2 : grid[axis] == RLE_INFINITE ? 0 : -(int64_t) grid[axis] / 2;
        const bool cut = (uint64_t) (middle + (int64_t) (grid[axis] / 2)) + size[axis] > grid[axis];
        prologue->position[axis] = cut && size[axis] <= grid[axis] ? -(int64_t) (size[axis] / 2) : middle;
    }
}

int rle_place(const struct text_file *text, struct rle_prologue *prologue)
{
    (void) text;
    struct engine_file_pattern *place = &prologue->header.place;
    uint64_t *size[2] = {&prologue->width, &prologue->height};
    const unsigned long long before[2] = {*size[0], *size[1]};
    bool inside = true;
    find_position(prologue);
    place->placed = prologue->positioned;
    for (int axis = 0; place->placed && axis < 2; axis++) {
        const int64_t grid = (int64_t) place->grid[axis], at = prologue->position[axis] + grid / 2;
        int64_t begin = at, end = at + (int64_t) *size[axis];
        if (grid != 0) {
            begin = at < 0 ? 0 : at < grid ? at : grid - 1;
            end = end > grid ? grid : end > begin ? end : begin + 1;
        }
        inside = inside && begin == at && end == at + (int64_t) *size[axis];
        place->at[axis] = begin;
        prologue->from[axis] = begin - at;
        *size[axis] = (uint64_t) (end - begin);
    }
    if (!inside)
        io_remark(
            prologue->header.remarks,
            "the pattern of %llu x %llu cells is not inside its grid of %llu x %llu%s; the cells outside are left "
            "out",
            before[0], before[1], (unsigned long long) place->grid[0] % RLE_INFINITE,
            (unsigned long long) place->grid[1] % RLE_INFINITE,
            place->grid[0] == RLE_INFINITE || place->grid[1] == RLE_INFINITE ? ", where 0 is infinite" : "");
    return 0;
}
