/* The lines of a macrocell file: mc.c explains the format. */
#include "formats/patterns/mc.h"
#include "formats/patterns/rle.h"

#include <string.h>

enum { LEVEL_MAX = 1 << 20 };

static int add_node(const struct text_file *text, struct mc *mc, const struct mc_node *node, bool empty)
{
    if (mc->count + 1 >= mc->capacity) {
        uint64_t capacity = mc->capacity;
        mc->nodes = io_grow(text->file, mc->nodes, &capacity, sizeof *mc->nodes);
        mc->empty = io_grow(text->file, mc->empty, &mc->capacity, sizeof *mc->empty);
        if (mc->nodes == NULL || mc->empty == NULL)
            return ENGINE_NO_MEMORY;
    }
    mc->nodes[++mc->count] = *node;
    mc->empty[mc->count] = empty;
    mc->highest = node->level > mc->highest ? node->level : mc->highest;
    return 0;
}

/* Every file has leaves of one kind. */
static int take_leaf(const struct text_file *text, struct mc *mc, uint32_t level)
{
    if (mc->leaf == 0)
        mc->leaf = level;
    return mc->leaf == level
               ? 0
               : text_file_error(
                     text, "the file has squares of 8 x 8 cells of two states and squares of 2 x 2 cells of many; "
                           "expected squares of one kind");
}

/* `$$..*$...*$.***$`: dead cells at the end of a row and rows at the end of the square may be left out. */
static int parse_raster(const struct text_file *text, const char *line, struct mc *mc)
{
    struct mc_node node = {.level = MC_LEAF_TWO};
    unsigned x = 0, y = 0;
    for (const char *at = line; *at != '\0'; at++) {
        if (*at == '$') {
            y++;
            x = 0;
            continue;
        }
        if (*at != '.' && *at != '*')
            return text_file_error(text, "a square of 8 x 8 cells has a byte 0x%02X; expected '.', '*' and '$'",
                                   (unsigned char) *at);
        if (x > 7 || y > 7)
            return text_file_error(text, "the square has more than 8 x 8 cells");
        if (*at == '*')
            node.child[y / 4] |= UINT32_C(1) << (y % 4 * 8 + x);
        x++;
    }
    if (y > 8)
        return text_file_error(text, "the square has more than 8 x 8 cells");
    if (take_leaf(text, mc, MC_LEAF_TWO) != 0)
        return ENGINE_INVALID;
    return add_node(text, mc, &node, node.child[0] == 0 && node.child[1] == 0);
}

static int take_states(const struct text_file *text, struct mc_node *node, const uint64_t numbers[4], struct mc *mc)
{
    bool empty = true;
    if (take_leaf(text, mc, MC_LEAF_MANY) != 0)
        return ENGINE_INVALID;
    for (int i = 0; i < 4; i++) {
        if (numbers[i] > UINT8_MAX)
            return text_file_error(text, "state %llu of a cell; expected 0 to 255", (unsigned long long) numbers[i]);
        node->child[i] = (uint32_t) numbers[i];
        empty = empty && numbers[i] == 0;
        mc->largest = numbers[i] > mc->largest ? (uint8_t) numbers[i] : mc->largest;
    }
    return add_node(text, mc, node, empty);
}

static int take_quarters(const struct text_file *text, struct mc_node *node, const uint64_t numbers[4], struct mc *mc)
{
    bool empty = true;
    for (int i = 0; i < 4; i++) {
        if (numbers[i] > mc->count)
            return text_file_error(text, "the square has the quarter %llu; expected 0 or an earlier square, 1 to %llu",
                                   (unsigned long long) numbers[i], (unsigned long long) mc->count);
        if (numbers[i] != 0 && mc->nodes[numbers[i]].level != node->level - 1)
            return text_file_error(text, "the square of level %u has the quarter %llu of level %u; expected level %u",
                                   node->level, (unsigned long long) numbers[i], mc->nodes[numbers[i]].level,
                                   node->level - 1);
        const bool dead = numbers[i] == 0 || mc->empty[numbers[i]];
        node->child[i] = dead ? 0 : (uint32_t) numbers[i];
        empty = empty && dead;
    }
    return add_node(text, mc, node, empty);
}

/* Reads a number of decimal digits, at most UINT32_MAX. */
static bool take_number(const char **at, uint64_t *number)
{
    if (**at < '0' || **at > '9')
        return false;
    for (*number = 0; **at >= '0' && **at <= '9' && *number <= UINT32_MAX; ++*at)
        *number = *number * 10 + (uint64_t) (**at - '0');
    return *number <= UINT32_MAX;
}

/* `level nw ne sw se` */
static int parse_square(const struct text_file *text, const char *line, struct mc *mc)
{
    uint64_t level = 0, numbers[4] = {0};
    bool whole = take_number(&line, &level);
    for (int i = 0; i < 4; i++) {
        whole = whole && *line == ' ';
        line += strspn(line, " ");
        whole = whole && take_number(&line, &numbers[i]);
    }
    if (!whole || line[strspn(line, " \t")] != '\0')
        return text_file_error(text, "expected a square, '<level> <nw> <ne> <sw> <se>' or rows of '.', '*' and '$'");
    struct mc_node node = {.level = (uint32_t) level};
    if (level == MC_LEAF_MANY)
        return take_states(text, &node, numbers, mc);
    if (mc->leaf == 0)
        mc->leaf = level > MC_LEAF_TWO ? MC_LEAF_TWO : MC_LEAF_MANY; /* without leaves, all is empty */
    if (level <= mc->leaf || level > LEVEL_MAX)
        return text_file_error(text, "the square has level %llu; expected %u to %u", (unsigned long long) level,
                               mc->leaf + 1, LEVEL_MAX);
    return take_quarters(text, &node, numbers, mc);
}

/* `#R rule`, `#G generation` or a comment */
static int parse_comment(const struct text_file *text, const char *line, struct pattern_header *header)
{
    const char *value = line + 2 + strspn(line[1] != '\0' ? line + 2 : "", " \t");
    uint64_t step = 0;
    if (line[1] == 'R' && header->rule[0] == '\0')
        return rle_parse_rule(text, value, header);
    if (line[1] != 'G')
        return pattern_take_comment(text, line, header);
    while (*value >= '0' && *value <= '9' && step < UINT64_MAX / 20)
        step = step * 10 + (uint64_t) (*value++ - '0');
    if (*value >= '0' && *value <= '9')
        io_note_skipped(header->skipped, "the generation"); /* of more than 64 bits */
    else if (value[strspn(value, " \t")] != '\0')
        return text_file_error(text, "expected '#G <n>' with a whole number");
    else
        header->step = step;
    return 0;
}

int mc_parse(struct text_file *text, struct mc *mc, struct pattern_header *header)
{
    char line[2048];
    int status = 0;
    if (!text_file_line(text, line, sizeof line) || strncmp(line, "[M2]", 4) != 0)
        return text_file_error(text, "expected the first line '[M2] (golly <version>)'");
    while (status == 0 && text_file_line(text, line, sizeof line)) {
        if (text->cut && (line[0] != '#' || line[1] == 'R'))
            status = text_file_error(text, "the line is longer than %zu characters", sizeof line - 1);
        else if (line[0] == '#')
            status = parse_comment(text, line, header);
        else if (strchr(".*$", line[0]) != NULL && line[0] != '\0')
            status = parse_raster(text, line, mc);
        else if (line[strspn(line, " \t")] != '\0')
            status = parse_square(text, line, mc);
        if (mc->count == UINT32_MAX - 1)
            status = text_file_error(text, "the file has more than 2^32 squares");
    }
    if (status == 0)
        status = text_file_check(text);
    if (status != 0)
        return status;
    if (mc->count > 0 && (mc->nodes[mc->count].level != mc->highest || mc->highest == mc->leaf))
        return text_file_error(
            text, "the last square is not larger than all others, as the root has to be: the file may be cut "
                  "short");
    return 0;
}
