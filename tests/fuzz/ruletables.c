/* Files of rules. The tables that are made of an accepted rule give the next states that its transitions or its tree
 * give. */
#include "fuzz.h"

#include <ruletable/tables.h>

#include <stdlib.h>
#include <string.h>

enum { TRIES = 64, MOST_TRANSITIONS = 2000, MOST_STATES = 8 };

static uint32_t next_by_rule(const struct rule *rule, const uint32_t (*cells)[3])
{
    uint32_t node = rule->nodes - 1;
    for (uint32_t i = 0; rule->tree && i < rule->inputs; i++)
        node = rule->tree[node * rule->states + cells[1 + rule->place[i].y][1 + rule->place[i].x]];
    if (rule->tree)
        return node;
    for (uint32_t t = 0; t < rule->transitions; t++) {
        bool matches = true;
        for (uint32_t i = 0; i < rule->inputs; i++)
            matches = matches && rule_set_has(&rule->set[rule->transition[t].input[i]],
                                              cells[1 + rule->place[i].y][1 + rule->place[i].x]);
        if (matches)
            return rule->transition[t].next;
    }
    return cells[1][1];
}

static uint64_t column_of(const struct tables *tables, const uint32_t (*cells)[3], int x)
{
    const uint32_t pair = cells[0][x] << tables->bits | cells[1][x];
    return tables->column[(tables->pair ? tables->pair[pair] : pair << tables->bits) | cells[2][x]];
}

static uint32_t next_by_tables(const struct tables *tables, const uint32_t (*cells)[3])
{
    const uint64_t left = column_of(tables, cells, 0) & (((uint64_t) 1 << tables->middle_at) - 1);
    const uint64_t middle = column_of(tables, cells, 1) >> tables->middle_at &
                            (((uint64_t) 1 << (tables->right_at - tables->middle_at)) - 1);
    return tables->next[tables->join[left + middle] + (column_of(tables, cells, 2) >> tables->right_at)];
}

static void check_rule(const struct rule *rule)
{
    fuzz_expect(rule->states >= 2 && rule->states <= RULE_STATES_MAX, "%u states", rule->states);
    fuzz_expect(rule->inputs >= 3 && rule->inputs <= RULE_INPUTS_MAX, "%u inputs", rule->inputs);
    for (uint32_t t = 0; t < rule->transitions; t++) {
        fuzz_expect(rule->transition[t].next < rule->states, "a transition to state %u", rule->transition[t].next);
        for (uint32_t i = 0; i < rule->inputs; i++)
            fuzz_expect(rule->transition[t].input[i] < rule->sets, "set %u", rule->transition[t].input[i]);
    }
}

/* Large rules take too long for a fuzzer. */
static void check_tables(const struct rule *rule)
{
    struct tables tables;
    char reason[200];
    uint32_t random = 1;
    if (rule->transitions > MOST_TRANSITIONS || rule->states > MOST_STATES)
        return;
    if (!tables_make(rule, &tables, reason))
        for (int i = 0; i < TRIES; i++) {
            uint32_t cells[3][3];
            for (int k = 0; k < 9; k++) {
                random = random * 1664525 + 1013904223;
                cells[k / 3][k % 3] = (random >> 8) % rule->states;
            }
            fuzz_expect(next_by_tables(&tables, (const uint32_t(*)[3]) cells) ==
                            next_by_rule(rule, (const uint32_t(*)[3]) cells),
                        "the tables give another state");
        }
    tables_free(&tables);
}

static bool try_kind(const char *text, size_t size, enum rule_kind kind)
{
    struct rule rule;
    struct rule_error error;
    const bool good = rule_parse(text, size, kind, &rule, &error);
    fuzz_expect(good || error.text[0] != '\0', "a refusal without a text");
    if (good) {
        check_rule(&rule);
        check_tables(&rule);
    }
    rule_free(&rule);
    return good;
}

bool fuzz_ruletables(const struct fuzz_target *target, const uint8_t *bytes, size_t size)
{
    char *text = malloc(size ? size : 1); /* of exactly its size, so that the sanitizer finds a read behind its end */
    (void) target;
    fuzz_expect(text != NULL, "no memory");
    memcpy(text, bytes, size);
    const bool rule = try_kind(text, size, RULE_FILE), table = try_kind(text, size, RULE_TABLE),
               tree = try_kind(text, size, RULE_TREE);
    free(text);
    return rule || table || tree;
}
