/* The section @TABLE: transitions with variables, and symmetries that stand for further transitions. All of them are
 * unfolded here. The order of the transitions decides which one counts, and is that of Golly: line by line; in a line,
 * the values of the variables that occur several times, where the variable whose name comes first in the alphabet
 * changes fastest. */
#include "rule_text.h"

#include <stdlib.h>
#include <strings.h>

/* ---- Neighbourhoods and symmetries ------------------------------------------------------------------------------- */

enum { PERMUTE = -1 };

/* The neighbours form a ring, in the order of the inputs. A symmetry rotates it by multiples of `step`. */
struct symmetry {
    const char *name;
    int step; /* or PERMUTE */
    bool reflect;
};

struct neighbourhood {
    const char *name;
    uint32_t ring; /* neighbours */
    struct rule_place place[RULE_INPUTS_MAX];
    struct symmetry symmetries[8];
};

static const struct neighbourhood neighbourhoods[] = {
    {"vonNeumann",
     4,
     {{0, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, 0}},
     {{"none", 4, false},
      {"rotate4", 1, false},
      {"rotate4reflect", 1, true},
      {"reflect_horizontal", 4, true},
      {"permute", PERMUTE, false}}},
    {"Moore",
     8,
     {{0, 0}, {0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}},
     {{"none", 8, false},
      {"rotate4", 2, false},
      {"rotate8", 1, false},
      {"rotate4reflect", 2, true},
      {"rotate8reflect", 1, true},
      {"reflect_horizontal", 8, true},
      {"permute", PERMUTE, false}}},
    {"hexagonal",
     6,
     {{0, 0}, {0, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}},
     {{"none", 6, false},
      {"rotate2", 3, false},
      {"rotate3", 2, false},
      {"rotate6", 1, false},
      {"rotate6reflect", 1, true},
      {"permute", PERMUTE, false}}},
    {"oneDimensional",
     2,
     {{0, 0}, {-1, 0}, {1, 0}},
     {{"none", 2, false}, {"reflect", 1, false}, {"permute", PERMUTE, false}}},
};
enum { NEIGHBOURHOODS = sizeof neighbourhoods / sizeof neighbourhoods[0] };

/* ---- The state of the reader ------------------------------------------------------------------------------------- */

struct variable {
    struct rule_word name;
    uint16_t set;
    uint16_t count; /* of its states, in the order of the file */
    uint8_t states[RULE_STATES_MAX];
};

struct table {
    struct rule *rule;
    const struct neighbourhood *neighbourhood; /* NULL: not given yet */
    const struct symmetry *symmetry;
    struct variable *variables;
    uint32_t count; /* of variables */
    uint32_t room;  /* for transitions */
    bool begun;     /* there was a variable or a transition */
};

/* What stands at a place of a transition. */
struct entry {
    const struct variable *variable; /* or NULL: a state */
    uint8_t state;
};

static const char separators[] = ", \t";

static const struct variable *find_variable(const struct table *table, const struct rule_word *word)
{
    const size_t length = (size_t) (word->end - word->begin);
    for (uint32_t i = 0; i < table->count; i++) {
        const struct variable *variable = &table->variables[i];
        if ((size_t) (variable->name.end - variable->name.begin) == length &&
            memcmp(variable->name.begin, word->begin, length) == 0)
            return variable;
    }
    return NULL;
}

static bool read_state(const struct rule_text *text, const struct table *table, const struct rule_word *word,
                       uint8_t *state)
{
    uint32_t number;
    if (!rule_number(word, &number))
        return RULE_WRONG(text, word->begin,
                          "'%.*s' is neither a state nor a variable; expected 0 to %u, or the name of "
                          "a variable that is defined before",
                          RULE_SHOW(*word), table->rule->states - 1);
    if (number >= table->rule->states)
        return RULE_WRONG(text, word->begin, "state %u is too large; n_states:%u has the states 0 to %u", number,
                          table->rule->states, table->rule->states - 1);
    *state = (uint8_t) number;
    return true;
}

/* ---- Descriptors ------------------------------------------------------------------------------------------------- */

static bool read_states(struct rule_text *text, struct table *table, struct rule_word *value)
{
    uint32_t *states = &table->rule->states;
    return (rule_number(value, states) && *states >= 2 && *states <= RULE_STATES_MAX) ||
           RULE_WRONG(text, value->begin, "'%.*s' is not a number of states; expected 2 to 256", RULE_SHOW(*value));
}

static bool read_neighbourhood(struct rule_text *text, struct table *table, struct rule_word *value)
{
    for (int i = 0; i < NEIGHBOURHOODS; i++)
        if (rule_word_is(value, neighbourhoods[i].name)) {
            table->neighbourhood = &neighbourhoods[i];
            table->symmetry = NULL;
            table->rule->inputs = neighbourhoods[i].ring + 1;
            memcpy(table->rule->place, neighbourhoods[i].place, sizeof table->rule->place);
            return true;
        }
    return RULE_WRONG(text, value->begin,
                      "'%.*s' is not a neighbourhood; expected vonNeumann, Moore, hexagonal or oneDimensional",
                      RULE_SHOW(*value));
}

static bool read_symmetries(struct rule_text *text, struct table *table, struct rule_word *value)
{
    char known[160] = "";
    if (!table->neighbourhood)
        return RULE_WRONG(text, text->line, "symmetries stands before neighborhood; expected neighborhood first");
    for (const struct symmetry *s = table->neighbourhood->symmetries; s->name; s++) {
        if (rule_word_is(value, s->name)) {
            table->symmetry = s;
            return true;
        }
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", *known ? ", " : "", s->name);
    }
    return RULE_WRONG(text, value->begin, "'%.*s' is not a symmetry of %s; expected %s", RULE_SHOW(*value),
                      table->neighbourhood->name, known);
}

/* Reads "n_states:8". Returns true if the line is a descriptor. */
static bool read_descriptor(struct rule_text *text, struct table *table, bool *good)
{
    static const struct {
        const char *name;
        bool (*read)(struct rule_text *, struct table *, struct rule_word *);
    } known[] = {{"n_states", read_states}, {"neighborhood", read_neighbourhood}, {"symmetries", read_symmetries}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const size_t length = strlen(known[i].name);
        if ((size_t) (text->stop - text->line) < length || strncasecmp(text->line, known[i].name, length) != 0)
            continue;
        const char *at = text->line + length;
        while (at < text->stop && (*at == ' ' || *at == '\t'))
            at++;
        if (at == text->stop || *at != ':')
            continue;
        at++;
        struct rule_word value = rule_next_word(text, &at, " \t");
        *good = !table->begun ||
                RULE_WRONG(text, text->line, "%s comes after a variable or transition; expected it before all of them",
                           known[i].name);
        *good = *good && known[i].read(text, table, &value);
        return true;
    }
    return false;
}

/* Makes the sets of single states, when the first variable or transition comes. */
static bool begin(const struct rule_text *text, struct table *table)
{
    struct rule *rule = table->rule;
    if (rule->states == 0 || !table->neighbourhood || !table->symmetry)
        return RULE_WRONG(text, text->line, "%s is missing; expected it before the first variable or transition",
                          rule->states == 0       ? "n_states"
                          : !table->neighbourhood ? "neighborhood"
                                                  : "symmetries");
    rule->set = (struct rule_set *) calloc(rule->states, sizeof *rule->set);
    if (!rule->set)
        return RULE_WRONG(text, NULL, "there is no memory for %u states", rule->states);
    for (uint32_t state = 0; state < rule->states; state++)
        rule->set[state].word[state / 64] = UINT64_C(1) << state % 64;
    rule->sets = rule->states;
    table->begun = true;
    return true;
}

/* ---- Variables --------------------------------------------------------------------------------------------------- */

/* Returns the index of a set, which is added where it is new; RULE_SETS_MAX: there is no room. */
static uint32_t find_set(struct rule *rule, const struct rule_set *set)
{
    for (uint32_t i = 0; i < rule->sets; i++)
        if (memcmp(&rule->set[i], set, sizeof *set) == 0)
            return i;
    struct rule_set *sets =
        rule->sets < RULE_SETS_MAX ? (struct rule_set *) realloc(rule->set, (rule->sets + 1) * sizeof *sets) : NULL;
    if (!sets)
        return RULE_SETS_MAX;
    rule->set = sets;
    rule->set[rule->sets] = *set;
    return rule->sets++;
}

/* Adds a state to a variable that does not have it yet: a second one would change nothing. */
static void add_state(struct variable *variable, struct rule_set *set, uint8_t state)
{
    if (rule_set_has(set, state))
        return;
    set->word[state / 64] |= UINT64_C(1) << state % 64;
    variable->states[variable->count++] = state;
}

/* Reads "var a = {1, 2, b}". */
static bool read_variable(struct rule_text *text, struct table *table, const char *at)
{
    static const char in_braces[] = "= {,}\t";
    struct variable made = {.name = rule_next_word(text, &at, in_braces)};
    struct rule_set set = {{0}};
    struct rule_word word = rule_next_word(text, &at, in_braces);
    if (made.name.begin == made.name.end || word.begin == word.end)
        return RULE_WRONG(text, text->line, "a variable has no states; expected a line such as var a={1,2}");
    for (; word.begin < word.end; word = rule_next_word(text, &at, in_braces)) {
        const struct variable *other = find_variable(table, &word);
        uint8_t state;
        for (uint32_t i = 0; other && i < other->count; i++)
            add_state(&made, &set, other->states[i]);
        if (!other && !read_state(text, table, &word, &state))
            return false;
        if (!other)
            add_state(&made, &set, state);
    }
    const uint32_t index = find_set(table->rule, &set);
    struct variable *variable = (struct variable *) (uintptr_t) find_variable(table, &made.name);
    if (!variable) {
        struct variable *more =
            (struct variable *) realloc(table->variables, (table->count + 1) * sizeof *table->variables);
        table->variables = more ? more : table->variables;
        variable = more ? &more[table->count++] : NULL;
    }
    if (index == RULE_SETS_MAX || !variable)
        return RULE_WRONG(text, text->line, "there is no memory for so many variables");
    made.set = (uint16_t) index;
    *variable = made;
    return true;
}

/* ---- Transitions ------------------------------------------------------------------------------------------------- */

static bool add_transition(const struct rule_text *text, struct table *table, const struct rule_transition *transition)
{
    struct rule *rule = table->rule;
    if (rule->transitions == RULE_TRANSITIONS_MAX)
        return RULE_WRONG(text, text->line,
                          "variables and symmetries unfold this line and those before it to more than %d transitions, "
                          "the most that this plugin takes",
                          RULE_TRANSITIONS_MAX);
    if (rule->transitions == table->room) {
        const uint32_t room = table->room ? 2 * table->room : 256;
        struct rule_transition *more =
            (struct rule_transition *) realloc(rule->transition, room * sizeof *rule->transition);
        if (!more)
            return RULE_WRONG(text, NULL, "there is no memory for %u transitions", room);
        rule->transition = more;
        table->room = room;
    }
    rule->transition[rule->transitions++] = *transition;
    return true;
}

/* Is this transition among those from `first` on? */
static bool is_there(const struct rule *rule, uint32_t first, const struct rule_transition *transition)
{
    for (uint32_t i = first; i < rule->transitions; i++)
        if (memcmp(rule->transition[i].input, transition->input, rule->inputs * sizeof transition->input[0]) == 0)
            return true;
    return false;
}

/* Moves numbers to their next order in the alphabetical list of all orders. False: this was the last one. */
static bool next_order(uint16_t *numbers, uint32_t count)
{
    uint32_t i = count - 1, k = count - 1;
    while (i > 0 && numbers[i - 1] >= numbers[i])
        i--;
    if (i == 0)
        return false;
    while (numbers[k] <= numbers[i - 1])
        k--;
    const uint16_t pivot = numbers[i - 1];
    numbers[i - 1] = numbers[k], numbers[k] = pivot;
    for (uint32_t a = i, b = count - 1; a < b; a++, b--) {
        const uint16_t swapped = numbers[a];
        numbers[a] = numbers[b], numbers[b] = swapped;
    }
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    return (int) *(const uint16_t *) a - (int) *(const uint16_t *) b;
}

/* Adds a transition and those that the symmetries make of it. All of them have one next state, so their order does not
 * matter. */
static bool add_symmetric(const struct rule_text *text, struct table *table, const struct rule_transition *transition)
{
    const uint32_t ring = table->neighbourhood->ring, first = table->rule->transitions;
    struct rule_transition made = *transition;
    if (table->symmetry->step == PERMUTE) {
        qsort(made.input + 1, ring, sizeof made.input[0], compare_numbers);
        do
            if (!add_transition(text, table, &made))
                return false;
        while (next_order(made.input + 1, ring));
        return true;
    }
    for (int mirror = 0; mirror <= table->symmetry->reflect; mirror++)
        for (uint32_t shift = 0; shift < ring; shift += (uint32_t) table->symmetry->step) {
            for (uint32_t i = 0; i < ring; i++)
                made.input[1 + i] = transition->input[1 + ((mirror ? ring - i : i) + shift) % ring];
            if (!is_there(table->rule, first, &made) && !add_transition(text, table, &made))
                return false;
        }
    return true;
}

/* The variables of a line that occur several times, in the order of their names. */
struct bound {
    const struct variable *variable[RULE_INPUTS_MAX + 1];
    uint32_t count, at[RULE_INPUTS_MAX + 1]; /* the index of the present state */
};

static int compare_names(const struct variable *a, const struct variable *b)
{
    const size_t m = (size_t) (a->name.end - a->name.begin), n = (size_t) (b->name.end - b->name.begin);
    const int order = memcmp(a->name.begin, b->name.begin, m < n ? m : n);
    return order != 0 ? order : m < n ? -1 : m > n;
}

static void find_bound(const struct entry *entries, uint32_t count, struct bound *bound)
{
    *bound = (struct bound){.count = 0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t before = 0, same = 0, at = bound->count;
        for (uint32_t k = 0; entries[i].variable && k < count; k++) {
            same += entries[k].variable == entries[i].variable;
            before += k < i && entries[k].variable == entries[i].variable;
        }
        if (same < 2 || before > 0)
            continue;
        for (; at > 0 && compare_names(entries[i].variable, bound->variable[at - 1]) < 0; at--)
            bound->variable[at] = bound->variable[at - 1];
        bound->variable[at] = entries[i].variable;
        bound->count++;
    }
}

/* Moves to the next values of the bound variables. False: there are no more. */
static bool next_values(struct bound *bound)
{
    for (uint32_t i = 0; i < bound->count; i++) {
        if (++bound->at[i] < bound->variable[i]->count)
            return true;
        bound->at[i] = 0;
    }
    return false;
}

/* The state that an entry stands for; -1: a set. */
static int state_of(const struct entry *entry, const struct bound *bound)
{
    for (uint32_t i = 0; i < bound->count; i++)
        if (entry->variable == bound->variable[i])
            return entry->variable->states[bound->at[i]];
    if (!entry->variable)
        return entry->state;
    return entry->variable->count == 1 ? entry->variable->states[0] : -1;
}

static bool unfold(const struct rule_text *text, struct table *table, const struct entry *entries)
{
    const uint32_t inputs = table->rule->inputs;
    struct bound bound;
    find_bound(entries, inputs + 1, &bound);
    if (state_of(&entries[inputs], &bound) < 0)
        return RULE_WRONG(text, text->line,
                          "the next state is a variable that occurs only here; expected a state, or a variable of the "
                          "inputs");
    do {
        struct rule_transition transition = {.next = (uint8_t) state_of(&entries[inputs], &bound)};
        for (uint32_t i = 0; i < inputs; i++) {
            const int state = state_of(&entries[i], &bound);
            transition.input[i] = state >= 0 ? (uint16_t) state : entries[i].variable->set;
        }
        if (!add_symmetric(text, table, &transition))
            return false;
    } while (next_values(&bound));
    return true;
}

/* The short form is one digit for each entry, without commas. */
static bool read_transition(struct rule_text *text, struct table *table)
{
    const uint32_t count = table->rule->inputs + 1;
    const bool digits =
        table->rule->states <= 10 && table->count == 0 && !memchr(text->line, ',', (size_t) (text->stop - text->line));
    struct entry entries[RULE_INPUTS_MAX + 1];
    const char *at = text->line;
    for (uint32_t i = 0; i < count; i++) {
        struct rule_word word = {at, at < text->stop ? at + 1 : at};
        if (digits)
            at = word.end;
        else
            word = rule_next_word(text, &at, separators);
        if (word.begin == word.end)
            return RULE_WRONG(text, word.begin,
                              "the line has %u entries; expected %u: the cell, its %u neighbours and the next state", i,
                              count, count - 2);
        entries[i] = (struct entry){.variable = find_variable(table, &word)};
        if (!entries[i].variable && !read_state(text, table, &word, &entries[i].state))
            return false;
    }
    return unfold(text, table, entries);
}

static bool read_line(struct rule_text *text, struct table *table)
{
    bool good = true;
    if (text->line == text->stop || read_descriptor(text, table, &good))
        return good;
    if (!table->begun && !begin(text, table))
        return false;
    if (text->stop - text->line > 4 && strncasecmp(text->line, "var", 3) == 0 &&
        (text->line[3] == ' ' || text->line[3] == '\t'))
        return read_variable(text, table, text->line + 4);
    return read_transition(text, table);
}

/* Leaves out a comment, and white space on both sides. Columns still count from the begin of the file's line. */
static struct rule_text without_comment(const struct rule_text *text)
{
    struct rule_text line = *text;
    const char *comment = (const char *) memchr(line.line, '#', (size_t) (line.stop - line.line));
    line.stop = comment ? comment : line.stop;
    while (line.stop > line.line && (line.stop[-1] == ' ' || line.stop[-1] == '\t'))
        line.stop--;
    return line;
}

bool rule_read_table(struct rule_text *text, struct rule *rule)
{
    struct table table = {.rule = rule};
    bool good = true;
    while (good && rule_next_line(text) && (text->line == text->stop || *text->line != '@')) {
        struct rule_text line = without_comment(text);
        while (line.line < line.stop && (*line.line == ' ' || *line.line == '\t'))
            line.line++;
        good = read_line(&line, &table);
        if (!good && text->error->column > 0)
            text->error->column += (uint32_t) (line.line - text->line);
    }
    if (good && !table.begun)
        good = begin(text, &table);
    free(table.variables);
    return good;
}
