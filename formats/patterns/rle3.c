/* RLE3: run-length encoded patterns of three axes and two states, as Golly's script 3D.lua reads and writes them (its
 * Help: RLE3 file format).
 *
 *     3D version=1 size=40 pos=19,18,18
 *     # comments
 *     x=2 y=4 z=4 rule=3D4,7/5,8
 *     $bo$bo/bo$bo$bo$oo/oo$bo$bo$bo/$bo$bo!
 *
 * Golly's grids are cubes with a side of `size` cells. `pos` is the pattern's first cell, counted from the first cell
 * of the grid. Golly ignores unknown keywords, so the engine states a grid that is not a cube as `grid=x,y,z`, and its
 * longest side as `size`. */
#include "base/text.h"
#include "formats/patterns/rle.h"

#include <stdio.h>
#include <string.h>

/* Written where the rule is not known, because Golly reads no file without a rule. It is Golly's default. */
static const char default_rule[] = "3D5..7/6";

/* ---- Reading ------------------------------------------------------------------------------------------------ */

/* Reads one or three whole numbers, with commas between them, up to the next blank or the end. A single number is not
 * negative. */
static bool parse_numbers(const char *at, int64_t *numbers, int count)
{
    for (int i = 0; i < count; i++)
        if ((i > 0 && *at++ != ',') || !text_number(&at, &numbers[i]))
            return false;
    return (count > 1 || numbers[0] >= 0) && strchr(" \t", *at) != NULL;
}

/* The keywords of the first line. Unknown keywords are ignored, as in Golly. */
struct keywords {
    int64_t version, size, step;
    int64_t at[3];
    int64_t grid[3];
};

static int parse_keyword(const struct text_file *text, const char *word, struct keywords *keywords)
{
    const struct {
        const char *name, *expected;
        int64_t *to;
        int count;
    } known[] = {
        {"version=", "version=1", &keywords->version, 1},
        {"size=", "size=<cells along an axis>", &keywords->size, 1},
        {"gen=", "gen=<n> with a whole number below 2^63", &keywords->step, 1},
        {"pos=", "pos=<x>,<y>,<z>", keywords->at, 3},
        {"grid=", "grid=<x>,<y>,<z>", keywords->grid, 3},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        size_t length = strlen(known[i].name);
        if (strncmp(word, known[i].name, length) != 0)
            continue;
        if (!parse_numbers(word + length, known[i].to, known[i].count))
            return text_file_error(text, "expected %s, not '%.*s'", known[i].expected, (int) strcspn(word, " \t"),
                                   word);
    }
    return 0;
}

/* Fills in the torus, where the keywords state one. */
static int take_grid(const struct text_file *text, const struct keywords *keywords, struct pattern_header *header)
{
    const bool cube = keywords->grid[0] == 0 && keywords->grid[1] == 0 && keywords->grid[2] == 0;
    int64_t longest = 0;
    for (int axis = 0; axis < 3; axis++) {
        header->place.grid[axis] = (uint64_t) (cube ? keywords->size : keywords->grid[axis]);
        longest = keywords->grid[axis] > longest ? keywords->grid[axis] : longest;
    }
    if (cube && keywords->size == 0)
        return 0;
    if (!rle_fits(header->place.grid))
        return text_file_error(text, "the grid is %lld x %lld x %lld; expected 1 to 2^48 cells",
                               (long long) header->place.grid[0], (long long) header->place.grid[1],
                               (long long) header->place.grid[2]);
    if (!cube && keywords->size != 0 && keywords->size != longest)
        return text_file_error(text, "size=%lld is not the longest side of grid=%lld,%lld,%lld; correct one of them",
                               (long long) keywords->size, (long long) keywords->grid[0], (long long) keywords->grid[1],
                               (long long) keywords->grid[2]);
    header->place.placed = true;
    return 0;
}

/* `3D version=1 size=40 pos=19,18,18 gen=7` */
static int parse_first_line(const struct text_file *text, const char *line, struct pattern_header *header)
{
    struct keywords keywords = {.version = 1};
    if (text->cut)
        return text_file_error(text, "the line is too long; expected '3D version=1 size=<n>'");
    if (strncmp(line, "3D", 2) != 0 || strchr(" \t", line[2]) == NULL)
        return text_file_error(text, "the first line does not begin with 3D; expected '3D version=1 size=<n>'");
    for (line += 2; *(line += strspn(line, " \t")) != '\0'; line += strcspn(line, " \t"))
        if (parse_keyword(text, line, &keywords) != 0)
            return ENGINE_INVALID;
    if (keywords.version != 1)
        return text_file_error(text, "the file has version %lld; expected version=1", (long long) keywords.version);
    memcpy(header->place.at, keywords.at, sizeof header->place.at);
    header->step = (uint64_t) keywords.step;
    return take_grid(text, &keywords, header);
}

static int take_rule(const struct text_file *text, const char *rule, struct pattern_header *header)
{
    size_t length = strlen(rule);
    while (length > 0 && strchr(" \t", rule[length - 1]) != NULL)
        length--;
    return pattern_take_rule(text, rule, length, header);
}

/* Golly writes a grid without live cells with size 0 0 0. */
static int take_extent(const struct text_file *text, const int64_t size[3], struct rle_prologue *prologue)
{
    const bool empty = size[0] == 0 && size[1] == 0 && size[2] == 0;
    uint64_t extent[3];
    for (int axis = 0; axis < 3; axis++)
        extent[axis] = empty ? 1 : (uint64_t) size[axis];
    if (size[0] < 0 || size[1] < 0 || size[2] < 0 || !rle_fits(extent))
        return text_file_error(text, "the header states x=%lld y=%lld z=%lld; expected 1 to 2^48 cells",
                               (long long) size[0], (long long) size[1], (long long) size[2]);
    prologue->headed = true;
    memcpy(prologue->stated, size, sizeof prologue->stated);
    prologue->width = extent[0];
    prologue->height = extent[1];
    prologue->depth = extent[2];
    return 0;
}

/* `x=2 y=4 z=4 rule=3D5..7/6` */
static int parse_size(const struct text_file *text, const char *line, struct rle_prologue *prologue)
{
    static const char expected[] = "expected the header line 'x=<width> y=<height> z=<depth> rule=<rule>'";
    int64_t size[3];
    if (text->cut)
        return text_file_error(text, "the line is too long; %s", expected);
    if (!rle_take_key(&line, "x"))
        return text_file_error(text, "%s before the cells", expected);
    if (!text_number(&line, &size[0]) || !rle_take_key(&line, "y") || !text_number(&line, &size[1]) ||
        !rle_take_key(&line, "z") || !text_number(&line, &size[2]))
        return text_file_error(text, "%s with whole numbers for x, y and z", expected);
    if (take_extent(text, size, prologue) != 0)
        return ENGINE_INVALID;
    if (rle_take_key(&line, "rule"))
        return take_rule(text, line, &prologue->header);
    line += strspn(line, " \t,");
    return *line == '\0' ? 0 : text_file_error(text, "expected 'rule=<rule>', not '%.40s'", line);
}

static int check_place(const struct text_file *text, struct rle_prologue *prologue)
{
    const struct pattern_header *header = &prologue->header;
    const uint64_t size[3] = {prologue->width, prologue->height, prologue->depth};
    for (int axis = 0; header->place.placed && axis < 3; axis++)
        if (size[axis] > header->place.grid[axis] || header->place.at[axis] < 0 ||
            (uint64_t) header->place.at[axis] > header->place.grid[axis] - size[axis])
            return text_file_error(
                text,
                "pos=%lld,%lld,%lld puts the pattern outside its grid: along %c the pattern has %llu cells and the "
                "grid has %llu",
                (long long) header->place.at[0], (long long) header->place.at[1], (long long) header->place.at[2],
                "xyz"[axis], (unsigned long long) size[axis], (unsigned long long) header -> place.grid[axis]);
    return 0;
}

static int take_comment(const struct text_file *text, const char *line, struct pattern_header *header)
{
    return pattern_take_note(text, PATTERN_COMMENT, line + 1 + (line[1] == ' '), header);
}

static int parse_prologue(struct text_file *text, struct rle_prologue *prologue)
{
    char line[2048];
    bool first = true;
    while (text_file_line(text, line, sizeof line)) {
        const bool comment = line[0] == '#' && !first;
        if (comment && take_comment(text, line, &prologue->header) != 0)
            return ENGINE_INVALID;
        if (comment || line[strspn(line, " \t")] == '\0')
            continue;
        int status = first ? parse_first_line(text, line, &prologue->header) : parse_size(text, line, prologue);
        if (status != 0)
            return status;
        if (!first)
            return 0;
        first = false;
    }
    return text_file_error(text, "the file ends before its header line 'x=… y=… z=… rule=…'");
}

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    static const struct rle_head head = {parse_prologue, check_place};
    return rle_open(file, content, self, &head);
}

static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    (void) name;
    (void) bytes;
    return text_file_begins(begin, count, "3D");
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

static int holds(const struct engine_file_array *array)
{
    return array->shape.type == ENGINE_U8 && array->shape.components == 1 && array->shape.rank == 3 &&
           (array->values == 2 || array->values == 0);
}

/* Returns the rule in Golly's notation, which writes B<births>/S<survivals> as 3D<survivals>/<births>. Other rules stay
 * as they are. */
static const char *golly_rule(const char *rule, char out[IO_RULE_MAX + 8])
{
    if (rule == NULL)
        return default_rule;
    const char *slash = strchr(rule, '/');
    if ((rule[0] != 'B' && rule[0] != 'b') || slash == NULL || (slash[1] != 'S' && slash[1] != 's'))
        return rule;
    snprintf(out, IO_RULE_MAX + 8, "3D%s/%.*s", slash + 2, (int) (slash - rule - 1), rule + 1);
    return out;
}

/* Values that are 0 are left out, as Golly does. */
static int put_first_line(FILE *stream, const struct rle_state *state)
{
    const struct engine_file_pattern *pattern = state->content->pattern;
    unsigned long long grid[3], longest = 0;
    for (int axis = 0; axis < 3; axis++) {
        grid[axis] = pattern->grid[axis];
        longest = grid[axis] > longest ? grid[axis] : longest;
    }
    int written = fprintf(stream, "3D version=1");
    if (written > 0 && longest > 0)
        written = fprintf(stream, " size=%llu", longest);
    if (written > 0 && (pattern->at[0] != 0 || pattern->at[1] != 0 || pattern->at[2] != 0))
        written = fprintf(stream, " pos=%lld,%lld,%lld", (long long) pattern->at[0], (long long) pattern->at[1],
                          (long long) pattern->at[2]);
    if (written > 0 && state->step > 0)
        written = fprintf(stream, " gen=%llu", (unsigned long long) state->step);
    if (written > 0 && (grid[0] != longest || grid[1] != longest || grid[2] != longest))
        written = fprintf(stream, " grid=%llu,%llu,%llu", grid[0], grid[1], grid[2]);
    return written > 0 ? fprintf(stream, "\n") : written;
}

static int put_note(void *stream, const char *key, const char *line, int length)
{
    return pattern_note_of(key) == PATTERN_COMMENT ? fprintf(stream, "# %.*s\n", length, line)
                                                   : fprintf(stream, "# %s: %.*s\n", key, length, line);
}

static int put_prologue(FILE *stream, const struct rle_state *state)
{
    char rule[IO_RULE_MAX + 8];
    const uint64_t *extent = state->content->arrays.at[0].shape.extent;
    int written = put_first_line(stream, state);
    if (written > 0)
        written = pattern_put_notes(state->content, stream, put_note);
    if (written > 0)
        written = fprintf(stream, "x=%llu y=%llu z=%llu rule=%s\n", (unsigned long long) extent[0],
                          (unsigned long long) extent[1], (unsigned long long) extent[2],
                          golly_rule(state->content->rule, rule));
    return written;
}

static int write_frame(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    (void) self;
    return rle_write_file(file, frame, 1, &rle_style, put_prologue);
}

const struct engine_file_format rle3_file_format = {
    ENGINE_FILE_FORMAT("rle3", "1.0",
                       "run-length encoded pattern of Golly's 3D.lua, for grids of two states and three axes",
                       ".rle3 .rle3.gz"),
    .flags = ENGINE_FORMAT_PACKED | ENGINE_FORMAT_RANGES | ENGINE_FORMAT_NOTES | ENGINE_FORMAT_SPARSE,
    .keeps = ENGINE_HAS_STEP | ENGINE_HAS_RULE | ENGINE_HAS_PLACE | ENGINE_HAS_GRID,
    .probe = probe,
    .open = open_file,
    .frame = pattern_frame,
    .read = rle_read,
    .seek = rle_seek,
    .create = io_keep_nothing,
    .write = write_frame,
    .holds = holds,
    .bytes = ENGINE_SIZE_COMPRESSED,
};
