/* The section @TREE: a decision tree whose equal branches are stored once. */
#include "rule_text.h"

#include <stdlib.h>

/* The order of the inputs, which the format fixes. */
static const struct rule_place four[] = {{0, -1}, {-1, 0}, {1, 0}, {0, 1}, {0, 0}};
static const struct rule_place eight[] = {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}, {0, -1}, {-1, 0}, {1, 0}, {0, 1}, {0, 0}};

struct tree {
    struct rule *rule;
    uint32_t neighbours, expected; /* num_neighbors, num_nodes; 0: not given yet */
};

/* Reads "num_states = 8". Returns true if the line is one of these. */
static bool read_number(struct rule_text *text, struct tree *tree, bool *good)
{
    struct rule *rule = tree->rule;
    const struct {
        const char *name;
        uint32_t *to, least, most;
    } known[] = {{"num_states", &rule->states, 2, RULE_STATES_MAX},
                 {"num_neighbors", &tree->neighbours, 4, 8},
                 {"num_nodes", &tree->expected, 5, RULE_NODES_MAX / 2}};
    const char *at = text->line;
    const struct rule_word name = rule_next_word(text, &at, " \t=");
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (!rule_word_is(&name, known[i].name))
            continue;
        const struct rule_word number = rule_next_word(text, &at, " \t=");
        *good = rule_number(&number, known[i].to) && *known[i].to >= known[i].least && *known[i].to <= known[i].most;
        if (*good && known[i].to == &tree->neighbours && tree->neighbours != 4 && tree->neighbours != 8)
            *good = false;
        if (!*good)
            *good = RULE_WRONG(text, number.begin, "'%.*s' is not a value of %s; expected %s", RULE_SHOW(number),
                               known[i].name,
                               i == 0   ? "2 to 256"
                               : i == 1 ? "4 or 8"
                                        : "the number of nodes");
        else if (tree->rule->depth)
            *good = RULE_WRONG(text, text->line, "%s comes after the first node; expected it before all nodes",
                               known[i].name);
        return true;
    }
    return false;
}

static bool begin_nodes(struct rule_text *text, struct tree *tree)
{
    struct rule *rule = tree->rule;
    if (rule->states == 0 || tree->neighbours == 0 || tree->expected == 0)
        return RULE_WRONG(text, text->line, "num_states, num_neighbors or num_nodes is missing before the first node");
    const uint64_t numbers = (uint64_t) tree->expected * rule->states;
    if (numbers > RULE_NODES_MAX)
        return RULE_WRONG(text, text->line, "%u nodes of %u states are %llu numbers; this plugin takes %d at most",
                          tree->expected, rule->states, (unsigned long long) numbers, RULE_NODES_MAX);
    if (numbers > (uint64_t) (text->end - text->line))
        return RULE_WRONG(text, text->line, "num_nodes is %u, but the rest of the file is too short for them",
                          tree->expected);
    rule->tree = (uint32_t *) malloc(numbers * sizeof *rule->tree);
    rule->depth = (uint8_t *) malloc(tree->expected);
    if (!rule->tree || !rule->depth)
        return RULE_WRONG(text, NULL, "there is no memory for %u nodes", tree->expected);
    rule->inputs = tree->neighbours + 1;
    memcpy(rule->place, tree->neighbours == 4 ? four : eight, rule->inputs * sizeof rule->place[0]);
    return true;
}

/* Checks a number of a node's line: a state, or a node that is one level below. */
static bool check_child(const struct rule_text *text, const struct tree *tree, const struct rule_word *word,
                        uint32_t depth, uint32_t child)
{
    const struct rule *rule = tree->rule;
    if (depth == 1)
        return child < rule->states ||
               RULE_WRONG(text, word->begin, "%u is not a state; expected 0 to %u", child, rule->states - 1);
    if (child >= rule->nodes)
        return RULE_WRONG(text, word->begin, "node %u is not yet defined; expected 0 to %d", child,
                          (int) rule->nodes - 1);
    return rule->depth[child] == depth - 1 || RULE_WRONG(text, word->begin, "node %u has depth %u; expected depth %u",
                                                         child, rule->depth[child], depth - 1);
}

static bool read_node(struct rule_text *text, struct tree *tree)
{
    struct rule *rule = tree->rule;
    const char *at = text->line;
    const struct rule_word first = rule_next_word(text, &at, " \t");
    uint32_t depth, child;
    if (!rule_number(&first, &depth) || depth < 1 || depth > rule->inputs)
        return RULE_WRONG(text, first.begin, "'%.*s' is not the depth of a node; expected 1 to %u", RULE_SHOW(first),
                          rule->inputs);
    if (rule->nodes == tree->expected)
        return RULE_WRONG(text, first.begin, "there are more nodes than num_nodes, %u", tree->expected);
    for (uint32_t i = 0; i < rule->states; i++) {
        const struct rule_word word = rule_next_word(text, &at, " \t");
        if (!rule_number(&word, &child))
            return RULE_WRONG(text, word.begin, "'%.*s' is not a number; expected %u numbers after the depth",
                              RULE_SHOW(word), rule->states);
        if (!check_child(text, tree, &word, depth, child))
            return false;
        rule->tree[(size_t) rule->nodes * rule->states + i] = child;
    }
    const struct rule_word rest = rule_next_word(text, &at, " \t");
    if (rest.begin < rest.end)
        return RULE_WRONG(text, rest.begin, "'%.*s' is too much; expected %u numbers after the depth", RULE_SHOW(rest),
                          rule->states);
    rule->depth[rule->nodes++] = (uint8_t) depth;
    return true;
}

static bool read_line(struct rule_text *text, struct tree *tree)
{
    bool good = true;
    if (text->line == text->stop || *text->line == '#' || read_number(text, tree, &good))
        return good;
    return (tree->rule->depth || begin_nodes(text, tree)) && read_node(text, tree);
}

bool rule_read_tree(struct rule_text *text, struct rule *rule)
{
    struct tree tree = {.rule = rule};
    bool good = true;
    while (good && rule_next_line(text) && (text->line == text->stop || *text->line != '@'))
        good = read_line(text, &tree);
    if (good && rule->nodes < tree.expected)
        good =
            RULE_WRONG(text, text->line, "the tree has %u nodes; expected num_nodes, %u", rule->nodes, tree.expected);
    else if (good && rule->nodes == 0)
        good = RULE_WRONG(text, NULL, "the tree has no nodes");
    else if (good && rule->depth[rule->nodes - 1] != rule->inputs)
        good = RULE_WRONG(text, text->line, "the last node has depth %u; expected the root, of depth %u",
                          rule->depth[rule->nodes - 1], rule->inputs);
    return good;
}
