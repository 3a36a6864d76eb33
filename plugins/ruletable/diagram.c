/* Builds the decision diagram of a table or of a tree.
 *
 * The diagram is built from the top. A part of it is a function of the inputs that are not given yet: for a table, the
 * list of the transitions that may still match; for a tree, a tree in which the given inputs are missing. A function
 * that was seen before is not built again, and on the way back nodes with equal children become one. */
#include "diagram.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct builder {
    const struct rule *rule;
    struct diagram *diagram;
    uint32_t order[RULE_INPUTS_MAX]; /* which input of the rule is input k of the diagram */
    struct keys *functions;
    uint32_t *node_of; /* the node of each function; NONE: not known yet */
    uint32_t node_room;

    /* alike[k][s]: the first state that input k does not tell from state s. */
    uint8_t alike[RULE_INPUTS_MAX][RULE_STATES_MAX];

    /* Tables. Behind the transitions of the rule come one for each state that keeps it, and one for each state that
     * always matches. A function is the number of given inputs and a list of transitions. */
    uint8_t *last;  /* for each transition, the number of given inputs after which it matches whatever the rest is */
    uint32_t *list; /* a new function */

    /* Trees. A function is {input, children …}. */
    struct keys *given; /* (function, input, value), of which given_tree holds the result */
    uint32_t *given_tree;
    uint32_t given_room;
};

static void order_inputs(struct builder *builder)
{
    const struct rule *rule = builder->rule;
    uint32_t count = 0;
    for (int x = -1; x <= 1; x++)
        for (int y = -1; y <= 1; y++)
            for (uint32_t i = 0; i < rule->inputs; i++)
                if (rule->place[i].x == x && rule->place[i].y == y) {
                    builder->diagram->column[count] = (uint8_t) (x + 1);
                    builder->diagram->row[count] = (uint8_t) (y + 1);
                    builder->order[count++] = i;
                }
}

/* Makes room for number `index` in an array of numbers, the new ones NONE. */
static bool make_room(uint32_t **array, uint32_t *room, uint32_t index)
{
    if (index < *room)
        return true;
    const uint32_t larger = index < 512 ? 1024 : 2 * index;
    uint32_t *more = (uint32_t *) realloc(*array, larger * sizeof *more);
    if (!more)
        return false;
    memset(more + *room, 0xff, (larger - *room) * sizeof *more);
    *array = more;
    *room = larger;
    return true;
}

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

static uint32_t keeping(const struct builder *builder, uint32_t state)
{
    return builder->rule->transitions + state;
}

static uint32_t always(const struct builder *builder, uint32_t state)
{
    return builder->rule->transitions + builder->rule->states + state;
}

static uint32_t next_of(const struct builder *builder, uint32_t t)
{
    const struct rule *rule = builder->rule;
    return t < rule->transitions ? rule->transition[t].next : (t - rule->transitions) % rule->states;
}

/* Does the transition take this state at input k of the diagram? The table's input 0 is the cell itself. */
static bool takes(const struct builder *builder, uint32_t t, uint32_t k, uint32_t state)
{
    const struct rule *rule = builder->rule;
    if (t < rule->transitions)
        return rule_set_has(&rule->set[rule->transition[t].input[builder->order[k]]], state);
    return t >= always(builder, 0) || builder->order[k] != 0 || t == keeping(builder, state);
}

/* Fills in `last`. */
static void find_last(struct builder *builder, const bool *whole)
{
    const struct rule *rule = builder->rule;
    for (uint32_t t = 0; t < always(builder, 0); t++)
        for (uint32_t k = 0; k < rule->inputs; k++) {
            const uint32_t input = builder->order[k];
            if (t < rule->transitions ? !whole[rule->transition[t].input[input]] : input == 0)
                builder->last[t] = (uint8_t) (k + 1);
        }
}

/* Fills in alike[k]. Two states are alike if each set that a transition has at the input holds both or none. The cell's
 * own states all differ, because a cell may keep its state. */
static bool find_alike(struct builder *builder, uint32_t k, bool *used, uint32_t *key)
{
    const struct rule *rule = builder->rule;
    const uint32_t words = (rule->sets + 31) / 32;
    uint8_t first[RULE_STATES_MAX];
    struct keys *keys = keys_open(DIAGRAM_BYTES_MAX);
    memset(used, 0, rule->sets * sizeof *used);
    for (uint32_t t = 0; t < rule->transitions; t++)
        used[rule->transition[t].input[builder->order[k]]] = true;
    for (uint32_t state = 0; keys && state < rule->states; state++) {
        memset(key, 0, (words + 1) * sizeof *key);
        key[words] = builder->order[k] == 0 ? state : 0;
        for (uint32_t set = 0; set < rule->sets; set++)
            if (used[set] && rule_set_has(&rule->set[set], state))
                key[set / 32] |= 1u << set % 32;
        const uint32_t count = keys_count(keys), number = keys_number(keys, key, words + 1);
        if (number == count)
            first[number] = (uint8_t) state;
        builder->alike[k][state] = number == NONE ? (uint8_t) state : first[number];
    }
    keys_close(keys);
    return keys != NULL;
}

static bool prepare_table(struct builder *builder)
{
    const struct rule *rule = builder->rule;
    const uint32_t count = always(builder, rule->states);
    bool *whole = (bool *) calloc(rule->sets, sizeof *whole);
    uint32_t *key = (uint32_t *) malloc((rule->sets / 32 + 2) * sizeof *key);
    builder->last = (uint8_t *) calloc(count, 1);
    builder->list = (uint32_t *) malloc((count + 1) * sizeof *builder->list);
    bool good = whole && key && builder->last && builder->list;
    for (uint32_t k = 0; good && k < rule->inputs; k++)
        good = find_alike(builder, k, whole, key);
    for (uint32_t set = 0; good && set < rule->sets; set++) {
        whole[set] = true;
        for (uint32_t state = 0; state < rule->states; state++)
            whole[set] = whole[set] && rule_set_has(&rule->set[set], state);
    }
    if (good)
        find_last(builder, whole);
    free(whole);
    free(key);
    return good;
}

/* Adds a transition to the new function, of which `given` inputs are given. False: it ends the list, because it always
 * matches. Those just before it that have its next state make no difference. */
static bool append(struct builder *builder, uint32_t *count, uint32_t t, uint32_t given)
{
    const uint32_t next = next_of(builder, t);
    if (builder->last[t] > given) {
        builder->list[++*count] = t;
        return true;
    }
    while (*count > 0 && next_of(builder, builder->list[*count]) == next)
        --*count;
    builder->list[++*count] = always(builder, next);
    return false;
}

static uint32_t first_of_table(struct builder *builder)
{
    uint32_t count = 0;
    builder->list[0] = 0;
    for (uint32_t t = 0; t < always(builder, 0) && append(builder, &count, t, 0); t++)
        ;
    return keys_number(builder->functions, builder->list, count + 1);
}

/* Returns the function in which input k has this state. */
static uint32_t step_table(struct builder *builder, uint32_t function, uint32_t k, uint32_t state)
{
    uint32_t there, count = 0;
    const uint32_t *list = keys_words(builder->functions, function, &there);
    builder->list[0] = k + 1;
    for (uint32_t i = 1; i < there; i++)
        if (takes(builder, list[i], k, state) && !append(builder, &count, list[i], k + 1))
            break;
    return keys_number(builder->functions, builder->list, count + 1);
}

/* ---- Trees ------------------------------------------------------------------------------------------------------- */

enum { LEAF = 1 << 30 }; /* added to a state, so that it is not taken for a function */

/* Gives each node of the rule's tree a number as a function. Returns that of the root. */
static uint32_t first_of_tree(struct builder *builder)
{
    const struct rule *rule = builder->rule;
    uint32_t *number = (uint32_t *) malloc(rule->nodes * sizeof *number), key[RULE_STATES_MAX + 1], root = NONE;
    for (uint32_t node = 0; number && node < rule->nodes; node++) {
        const uint32_t *child = rule->tree + (size_t) node * rule->states;
        key[0] = rule->inputs - rule->depth[node];
        for (uint32_t i = 0; i < rule->states; i++)
            key[1 + i] = rule->depth[node] == 1 ? LEAF | child[i] : number[child[i]];
        root = number[node] = keys_number(builder->functions, key, rule->states + 1);
        if (root == NONE)
            break;
    }
    free(number);
    return root;
}

/* Returns the function in which an input, counted as in the file, has this state. The inputs above it stay. */
static uint32_t give(struct builder *builder, uint32_t function, uint32_t input, uint32_t state)
{
    const uint32_t question[3] = {function, input, state}, states = builder->rule->states;
    uint32_t key[RULE_STATES_MAX + 1], count;
    const uint32_t *words = keys_words(builder->functions, function, &count);
    if (words[0] == input)
        return words[1 + state];
    const uint32_t known = keys_number(builder->given, question, 3);
    if (known == NONE || !make_room(&builder->given_tree, &builder->given_room, known))
        return NONE;
    if (builder->given_tree[known] != NONE)
        return builder->given_tree[known];
    memcpy(key, words, (states + 1) * sizeof *key);
    for (uint32_t i = 1; i <= states; i++) {
        key[i] = i > 1 && words[i] == words[i - 1] ? key[i - 1] : give(builder, words[i], input, state);
        if (key[i] == NONE)
            return NONE;
        words = keys_words(builder->functions, function, &count); /* new functions may have moved them */
    }
    return builder->given_tree[known] = keys_number(builder->functions, key, states + 1);
}

/* ---- Both -------------------------------------------------------------------------------------------------------- */

static uint32_t step(struct builder *builder, uint32_t function, uint32_t k, uint32_t state)
{
    if (builder->rule->tree)
        return give(builder, function, builder->order[k], state);
    return step_table(builder, function, k, state);
}

/* Behind the last input a function is a state. */
static uint32_t state_of(const struct builder *builder, uint32_t function)
{
    uint32_t count;
    if (builder->rule->tree)
        return function & (LEAF - 1);
    return next_of(builder, keys_words(builder->functions, function, &count)[1]);
}

/* Returns the node of a function of the inputs from k on. */
static uint32_t build(struct builder *builder, uint32_t function, uint32_t k)
{
    const struct rule *rule = builder->rule;
    uint32_t key[RULE_STATES_MAX + 1];
    if (function == NONE || k == rule->inputs)
        return function == NONE ? NONE : state_of(builder, function);
    if (!make_room(&builder->node_of, &builder->node_room, function))
        return NONE;
    if (builder->node_of[function] != NONE)
        return builder->node_of[function];
    key[0] = k;
    for (uint32_t state = 0; state < rule->states; state++) {
        const uint32_t alike = builder->alike[k][state];
        key[1 + state] = alike < state ? key[1 + alike] : build(builder, step(builder, function, k, state), k + 1);
        if (key[1 + state] == NONE)
            return NONE;
    }
    return builder->node_of[function] = keys_number(builder->diagram->nodes, key, rule->states + 1);
}

bool diagram_make(const struct rule *rule, struct diagram *diagram)
{
    struct builder builder = {.rule = rule, .diagram = diagram};
    *diagram = (struct diagram){.states = rule->states, .inputs = rule->inputs, .root = NONE};
    order_inputs(&builder);
    for (uint32_t k = 0; k < rule->inputs; k++)
        for (uint32_t state = 0; state < rule->states; state++)
            builder.alike[k][state] = (uint8_t) state;
    diagram->nodes = keys_open(DIAGRAM_BYTES_MAX);
    builder.functions = keys_open(DIAGRAM_BYTES_MAX);
    builder.given = keys_open(DIAGRAM_BYTES_MAX);
    if (diagram->nodes && builder.functions && builder.given && (rule->tree || prepare_table(&builder)))
        diagram->root = build(&builder, (rule->tree ? first_of_tree : first_of_table)(&builder), 0);
    keys_close(builder.functions);
    keys_close(builder.given);
    free(builder.node_of);
    free(builder.given_tree);
    free(builder.last);
    free(builder.list);
    return diagram->root != NONE;
}

void diagram_free(struct diagram *diagram)
{
    keys_close(diagram->nodes);
    diagram->nodes = NULL;
}

uint32_t diagram_child(const struct diagram *diagram, uint32_t node, uint32_t state)
{
    uint32_t count;
    return keys_words(diagram->nodes, node, &count)[1 + state];
}
