/* The sections of a rule's file, and its colours. */
#include "rule_text.h"

#include <stdlib.h>

void rule_free(struct rule *rule)
{
    free(rule->set);
    free(rule->transition);
    free(rule->tree);
    free(rule->depth);
    *rule = (struct rule){0};
}

/* ---- Colours ----------------------------------------------------------------------------------------------------- */

static uint8_t between(uint32_t from, uint32_t to, uint32_t step, uint32_t steps)
{
    return (uint8_t) (from + ((double) to - (double) from) * step / (steps ? steps : 1) + 0.5);
}

/* The colours of the states above 0 go from one to another. */
static void set_gradient(struct rule *rule, const uint32_t from[3], const uint32_t to[3])
{
    for (uint32_t state = 1; state < rule->states; state++)
        for (int c = 0; c < 3; c++)
            rule->colours[state][c] = between(from[c], to[c], state - 1, rule->states - 2);
}

/* Golly's colours of rules that do not state any: dark grey, then red to yellow. */
static void set_default_colours(struct rule *rule)
{
    static const uint32_t red[3] = {255, 0, 0}, yellow[3] = {255, 255, 0};
    memset(rule->colours[0], 48, 3);
    set_gradient(rule, red, yellow);
}

/* Reads the numbers with which the line begins, at most 6. Returns how many there are, 0 if one is no colour. */
static int read_numbers(const struct rule_text *text, uint32_t numbers[6])
{
    const char *at = text->line;
    int count = 0;
    for (; count < 6; count++) {
        const struct rule_word word = rule_next_word(text, &at, " \t");
        if (!rule_number(&word, &numbers[count]))
            break;
        if (numbers[count] > 255)
            return 0;
    }
    return count;
}

/* A line is "state red green blue", or two colours for a gradient. As in Golly, other lines and states that the rule
 * does not have are ignored. */
static void read_colours(struct rule_text *text, struct rule *rule)
{
    uint32_t numbers[6];
    rule->coloured = true;
    set_default_colours(rule);
    while (rule_next_line(text) && (text->line == text->stop || *text->line != '@')) {
        const int count = text->line < text->stop && *text->line == '#' ? 0 : read_numbers(text, numbers);
        if (count == 6)
            set_gradient(rule, numbers, numbers + 3);
        else if (count >= 4 && numbers[0] < rule->states)
            for (int c = 0; c < 3; c++)
                rule->colours[numbers[0]][c] = (uint8_t) numbers[1 + c];
    }
}

/* ---- Sections ---------------------------------------------------------------------------------------------------- */

/* Of several sections with one name, the first counts, and of @TABLE and @TREE the one that comes first. */
static bool read_sections(struct rule_text text, struct rule *rule)
{
    struct rule_text colours = {0};
    bool found = false, line = rule_next_line(&text);
    while (line) {
        const bool table = rule_line_is(&text, "@TABLE"), tree = rule_line_is(&text, "@TREE");
        if (!found && (table || tree)) {
            if (!(table ? rule_read_table : rule_read_tree)(&text, rule))
                return false;
            found = true;
            line = text.line < text.stop && *text.line == '@';
            continue;
        }
        if (!colours.next && rule_line_is(&text, "@COLORS"))
            colours = text;
        line = rule_next_line(&text);
    }
    if (!found)
        return RULE_WRONG(&text, NULL, "there is no section @TABLE or @TREE; such a line begins the transitions");
    if (colours.next)
        read_colours(&colours, rule);
    return true;
}

bool rule_parse(const char *text, size_t length, enum rule_kind kind, struct rule *rule, struct rule_error *error)
{
    struct rule_text whole = {.next = text, .end = text + length, .error = error};
    *rule = (struct rule){0};
    *error = (struct rule_error){0};
    if (kind == RULE_FILE)
        return read_sections(whole, rule);
    return (kind == RULE_TABLE ? rule_read_table : rule_read_tree)(&whole, rule);
}
