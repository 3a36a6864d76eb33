/* MCell patterns (.mcl), as Golly reads them (gollybase/readpattern.cpp, readmcell).
 *
 *     #MCell 4.00
 *     #GAME Generations
 *     #RULE 2/13/21                      survivals / births / states, as Golly writes rules too
 *     #BOARD 200x200
 *     #WRAP 1                            1: the board is a torus; 0: cells outside the board are dead
 *     #D comment
 *     #L 3A.B$5.aC                       runs of cells; '$' ends a row
 *
 *     state   0    1 … 24     25 … 48     …   241 … 255
 *     tag     .    A … X      aA … aX     …   jA … jO
 *
 * The engine takes the smallest grid that contains the live cells, and puts it where MCell and Golly do: in the middle
 * of the board. */
#include "base/text.h"
#include "formats/patterns/rle.h"

#include <stdio.h>
#include <string.h>

/* Cells of one row and one state. */
struct run {
    uint64_t x, y, count;
    uint8_t state;
};

struct mcl {
    struct pattern pattern;
    struct run *runs; /* in reading order */
    uint64_t count, capacity;
    uint64_t next;        /* reading: the first run that does not end before the range */
    uint64_t x, y;        /* parsing: position of the next cells */
    uint64_t left, right; /* columns of live cells, `right` exclusive */
    int64_t from[2];      /* reading: column and row where the array begins */
    uint8_t largest;      /* state */
    int64_t board[2];     /* 0 0: not given */
    bool wraps;           /* the board is a torus */
    bool named;           /* the game is one whose #RULE Golly and the engine read, */
    bool golly;           /* or the line #GOLLY has the name of the rule */
    char game[64];
    char rule[IO_RULE_MAX];
    char line[1 << 16];
};

/* ---- Lines that begin with # -------------------------------------------------------------------------------- */

/* The games whose #RULE is a rule. A "Rules table" has a name in the line #GOLLY. */
static const char *const games[] = {"Life", "Generations", "Larger than Life", "Margolus"};

static int take_game(const struct text_file *text, const char *value, struct mcl *mcl)
{
    snprintf(mcl->game, sizeof mcl->game, "%s", value);
    mcl->named = false;
    for (size_t i = 0; i < sizeof games / sizeof games[0]; i++)
        mcl->named = mcl->named || strcmp(value, games[i]) == 0;
    return text_file_check_printable(text, mcl->game, "the game");
}

/* The rule may continue on more lines, if it is no table of numbers. */
static int take_rule(const struct text_file *text, const char *value, struct mcl *mcl)
{
    const size_t length = strcspn(value, " \t"), old = strlen(mcl->rule);
    if (length == 0 || old + length >= sizeof mcl->rule)
        return text_file_error(text, "expected a rule of 1 to %zu characters", sizeof mcl->rule - 1);
    memcpy(mcl->rule + old, value, length);
    return 0;
}

static int take_board(const struct text_file *text, const char *value, struct mcl *mcl)
{
    const bool width = text_number(&value, &mcl->board[0]) && *value++ == 'x';
    if (!width || !text_number(&value, &mcl->board[1]) || mcl->board[0] < 0 || mcl->board[1] < 0 ||
        value[strspn(value, " \t")] != '\0' || !io_size_fits((uint64_t) mcl->board[0], (uint64_t) mcl->board[1]))
        return text_file_error(text, "expected the size of a board of 1 to 2^48 cells, '#BOARD <width>x<height>'");
    return 0;
}

static int take_line(const struct text_file *text, const char *line, struct mcl *mcl)
{
    const size_t key = strcspn(line, " \t");
    const char *value = line + key + strspn(line + key, " \t");
    if (key == 4 && strncmp(line, "GAME", key) == 0)
        return take_game(text, value, mcl);
    if (key == 5 && strncmp(line, "GOLLY", key) == 0) {
        mcl->golly = true;
        memset(mcl->rule, 0, sizeof mcl->rule);
        return take_rule(text, value, mcl);
    }
    if (key == 4 && strncmp(line, "RULE", key) == 0)
        return mcl->named && !mcl->golly ? take_rule(text, value, mcl) : 0;
    if (key == 5 && strncmp(line, "BOARD", key) == 0)
        return take_board(text, value, mcl);
    if (key == 4 && strncmp(line, "WRAP", key) == 0)
        mcl->wraps = *value == '1';
    else if (*line == 'D' && key <= 1)
        return pattern_take_note(text, PATTERN_COMMENT, line + 1 + (line[1] == ' '), &mcl->pattern.header);
    else if (strncmp(line, "MCell", 5) != 0)
        io_note_skipped(mcl->pattern.header.skipped, key == 1 ? "the comments" : "the settings of MCell");
    return 0;
}

/* ---- Cells -------------------------------------------------------------------------------------------------- */

/* Is it the end of a line, or of the file? */
static bool is_end(int byte)
{
    return byte == '\n' || byte == '\r' || byte == -1;
}

static int refuse_cell(struct text_file *text, int byte)
{
    static const char expected[] = "expected '.', 'A' to 'X', 'aA' to 'jO' or '$', with a count before it or without";
    if (is_end(byte))
        return text_file_error(text, "the line ends within a cell; %s", expected);
    text_file_get(text); /* records that a byte is NUL */
    if (byte > ' ' && byte < 127)
        return text_file_error(text, "'%c' is not a cell; %s", byte, expected);
    return text_file_error(text, "byte 0x%02X is not a cell; %s", (unsigned) byte, expected);
}

/* Moves a coordinate forward. */
static int move(const struct text_file *text, uint64_t *at, uint64_t count)
{
    *at += count;
    return *at <= IO_CELLS_MAX ? 0 : text_file_error(text, "the pattern spans more than 2^48 cells");
}

static int add_run(const struct text_file *text, struct mcl *mcl, uint64_t count, int state)
{
    if (mcl->count == mcl->capacity) {
        struct run *grown = io_grow(text->file, mcl->runs, &mcl->capacity, sizeof *grown);
        if (grown == NULL)
            return ENGINE_NO_MEMORY;
        mcl->runs = grown;
    }
    mcl->runs[mcl->count++] = (struct run){mcl->x, mcl->y, count, (uint8_t) state};
    mcl->left = mcl->x < mcl->left ? mcl->x : mcl->left;
    mcl->largest = state > mcl->largest ? (uint8_t) state : mcl->largest;
    const int status = move(text, &mcl->x, count);
    mcl->right = mcl->x > mcl->right ? mcl->x : mcl->right;
    return status;
}

/* Reads a tag of one or two bytes. */
static int take_live(struct text_file *text, struct mcl *mcl, uint64_t count)
{
    int state = 0, letter = text_file_peek(text);
    if (letter >= 'a' && letter <= 'j') {
        state = 24 * (text_file_get(text) - 'a' + 1);
        letter = text_file_peek(text);
    }
    state += letter - 'A' + 1;
    if (letter < 'A' || letter > 'X' || state > 255)
        return refuse_cell(text, letter);
    text_file_get(text);
    return add_run(text, mcl, count, state);
}

/* Reads a count; 1 where there is none. */
static int take_count(struct text_file *text, uint64_t *count)
{
    bool counted = false;
    *count = 0;
    for (int byte; (byte = text_file_peek(text)) >= '0' && byte <= '9'; counted = true) {
        *count = *count * 10 + (uint64_t) (text_file_get(text) - '0');
        if (*count > IO_CELLS_MAX)
            return text_file_error(text, "the count is more than 2^48");
    }
    if (counted && *count == 0)
        return text_file_error(text, "the count is 0");
    *count += !counted;
    return 0;
}

static int skip_blanks(struct text_file *text)
{
    while (text_file_peek(text) == ' ' || text_file_peek(text) == '\t')
        text_file_get(text);
    return text_file_peek(text);
}

/* Reads the cells of a line `#L …`, which may have any length. */
static int take_cells(struct text_file *text, struct mcl *mcl)
{
    int status = 0;
    while (status == 0 && !is_end(skip_blanks(text))) {
        uint64_t count;
        status = take_count(text, &count);
        if (status != 0)
            return status;
        const int tag = text_file_peek(text);
        if (tag == '$') {
            text_file_get(text);
            mcl->x = 0;
            status = move(text, &mcl->y, count);
        } else if (tag == '.') {
            text_file_get(text);
            status = move(text, &mcl->x, count);
        } else
            status = take_live(text, mcl, count);
    }
    return status;
}

/* ---- The document ------------------------------------------------------------------------------------------- */

static int read_cells(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                      uint64_t count, void *out)
{
    (void) file;
    (void) number;
    (void) array;
    struct mcl *mcl = self;
    const uint64_t *extent = mcl->pattern.array.shape.extent, end = begin + count;
    memset(out, 0, count);
    for (; mcl->next < mcl->count; mcl->next++) {
        const struct run *run = &mcl->runs[mcl->next];
        const int64_t x = (int64_t) run->x - mcl->from[0], y = (int64_t) run->y - mcl->from[1];
        const int64_t after = x + (int64_t) run->count, width = (int64_t) extent[0];
        if (y < 0 || y >= (int64_t) extent[1] || after <= 0 || x >= width)
            continue;
        const uint64_t row = (uint64_t) y * extent[0], first = row + (uint64_t) (x > 0 ? x : 0);
        const uint64_t last = row + (uint64_t) (after < width ? after : width);
        const uint64_t from = first > begin ? first : begin, to = last < end ? last : end;
        if (from < to)
            memset((uint8_t *) out + (from - begin), run->state, to - from);
        if (last > end)
            return 0;
    }
    return 0;
}

/* Reads a line behind '#'. */
static int parse_line(struct text_file *text, struct mcl *mcl)
{
    if (text_file_peek(text) == 'L') {
        text_file_get(text);
        return take_cells(text, mcl);
    }
    text_file_line(text, mcl->line, sizeof mcl->line);
    return take_line(text, mcl->line, mcl);
}

static int parse(struct text_file *text, struct mcl *mcl)
{
    int status = 0;
    for (int byte; status == 0 && (byte = skip_blanks(text)) != -1;) {
        text_file_get(text);
        if (byte == '#')
            status = parse_line(text, mcl);
        else if (!is_end(byte))
            status = text_file_error(text, "expected a line that begins with '#', such as '#L 3A.B$'");
    }
    return status != 0 ? status : text_file_check(text);
}

/* Makes the rule as Golly writes it, with the board as the bounded grid: a torus (T) or a plane (P). */
static int find_rule(const struct text_file *text, const struct mcl *mcl, struct pattern_header *header)
{
    char rule[IO_RULE_MAX + 64];
    if (!mcl->named && !mcl->golly)
        return text_file_error(text,
                               "the game is '%s', whose rule the engine does not read; expected Life, Generations or "
                               "Larger than Life, or a line '#GOLLY <rule>' with the name of the rule",
                               mcl->game);
    int length = snprintf(rule, sizeof rule, "%s", mcl->rule);
    if (mcl->board[0] > 0)
        snprintf(rule + length, sizeof rule - (size_t) length, ":%c%lld,%lld", "PT"[mcl->wraps],
                 (long long) mcl -> board[0], (long long) mcl -> board[1]);
    return rle_parse_rule(text, rule, header);
}

/* MCell and Golly put a pattern into the middle of the board; of two cells in the middle, to the right one. */
static int place(const struct text_file *text, const struct mcl *mcl, struct rle_prologue *prologue)
{
    const int64_t size[2] = {(int64_t) prologue->width, (int64_t) prologue->height};
    prologue->positioned = mcl->count > 0 && mcl->board[0] > 0;
    for (int axis = 0; axis < 2; axis++) {
        const int64_t margin = (mcl->board[axis] + 1 - size[axis]) / 2;
        prologue->position[axis] = (margin > 0 ? margin : 0) - mcl->board[axis] / 2;
    }
    return rle_place(text, prologue);
}

/* Finds the smallest grid that contains the live cells. */
static int find_size(const struct text_file *text, struct mcl *mcl, struct rle_prologue *prologue)
{
    prologue->width = prologue->height = 1;
    if (mcl->count == 0) {
        pattern_remark_empty(&prologue->header);
        return 0;
    }
    prologue->width = mcl->right - mcl->left;
    prologue->height = mcl->runs[mcl->count - 1].y - mcl->runs[0].y + 1;
    mcl->from[0] = (int64_t) mcl->left;
    mcl->from[1] = (int64_t) mcl->runs[0].y;
    return io_size_fits(prologue->width, prologue->height)
               ? 0
               : text_file_error(text, "the live cells span %llu x %llu; the limit is 2^48 cells",
                                 (unsigned long long) prologue->width, (unsigned long long) prologue->height);
}

static int describe(const struct text_file *text, struct mcl *mcl, struct engine_file_content *content)
{
    struct rle_prologue prologue = {.header = mcl->pattern.header};
    if (find_size(text, mcl, &prologue) != 0 || find_rule(text, mcl, &prologue.header) != 0 ||
        place(text, mcl, &prologue) != 0)
        return ENGINE_INVALID;
    mcl->from[0] += prologue.from[0];
    mcl->from[1] += prologue.from[1];
    mcl->pattern.header = prologue.header;
    pattern_describe(&mcl->pattern, (uint64_t[3]){prologue.width, prologue.height, 0}, mcl->largest + 1u, content);
    return 0;
}

static int open_file(const struct engine_file *file, struct engine_file_content *content, void **self)
{
    struct text_file *text;
    struct mcl *mcl = *self = io_new(file, sizeof *mcl);
    if (mcl == NULL)
        return ENGINE_NO_MEMORY;
    mcl->named = true;
    mcl->left = UINT64_MAX;
    int code = text_file_open(&text, file);
    if (code == 0)
        code = parse(text, mcl);
    return code == 0 ? describe(text, mcl, content) : code;
}

static int probe(const char *name, const unsigned char *begin, uint64_t count, uint64_t bytes)
{
    (void) name;
    (void) bytes;
    return text_file_begins(begin, count, "#MCell");
}

const struct engine_file_format mcl_file_format = {
    ENGINE_FILE_FORMAT("mcl", "1.0",
                       "MCell pattern of Life, Generations, Larger than Life or Margolus, or of a named rule",
                       ".mcl .mcl.gz"),
    .flags = ENGINE_FORMAT_PACKED | ENGINE_FORMAT_RANGES | ENGINE_FORMAT_NOTES | ENGINE_FORMAT_SPARSE,
    .keeps = ENGINE_HAS_RULE | ENGINE_HAS_GRID,
    .probe = probe,
    .open = open_file,
    .frame = pattern_frame,
    .read = read_cells,
    .create = io_keep_nothing,
    .write = mcl_write_frame,
    .holds = pattern_holds,
    .bytes = ENGINE_SIZE_COMPRESSED,
};
