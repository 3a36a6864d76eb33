/* Makes the tree of a machine. What it remembers is a node of the tree; equal memories after equally many inputs are
 * one node. */
#include "machine.h"
#include "diagram.h"

#include <stdlib.h>
#include <string.h>

enum { MACHINE_BYTES_MAX = 1 << 27 }; /* of the memories after one input */

/* Returns the number of a memory; UINT32_MAX: there is no room. */
static uint32_t number_of(struct keys *level, uint64_t seen)
{
    const uint32_t words[2] = {(uint32_t) seen, (uint32_t) (seen >> 32)};
    return keys_number(level, words, 2);
}

static uint64_t memory_at(const struct keys *level, uint32_t number)
{
    uint32_t count;
    const uint32_t *words = keys_words(level, number, &count);
    return words[0] | (uint64_t) words[1] << 32;
}

/* The memories before an input, and the children of each. A child is a number in the next level or, after the last
 * input, a state. */
struct level {
    struct keys *memories;
    uint32_t *children; /* one for each state */
};

/* Finds the children of a memory. Many states leave the same one, so few are looked up. */
static bool find_children(const struct machine *machine, uint32_t k, uint64_t before, struct keys *next,
                          uint32_t *children)
{
    uint64_t seen[RULE_STATES_MAX];
    uint32_t found[RULE_STATES_MAX], count = 0;
    for (uint32_t state = 0; state < machine->states; state++) {
        uint32_t i = 0;
        seen[count] = machine->read(machine, before, k, state);
        while (seen[i] != seen[count])
            i++;
        if (i == count) {
            found[count] = next ? number_of(next, seen[count]) : machine->next(machine, seen[count]);
            if (found[count++] == UINT32_MAX)
                return false;
        }
        children[state] = found[i];
    }
    return true;
}

static bool fill_level(const struct machine *machine, uint32_t k, struct level *level, struct keys *next)
{
    const uint64_t count = keys_count(level->memories), numbers = count * machine->states;
    bool good =
        numbers <= RULE_NODES_MAX && (level->children = (uint32_t *) malloc(numbers * sizeof *level->children)) != NULL;
    for (uint64_t i = 0; good && i < count; i++)
        good = find_children(machine, k, memory_at(level->memories, (uint32_t) i), next,
                             level->children + i * machine->states);
    return good;
}

static bool fill_levels(const struct machine *machine, struct level *levels)
{
    bool good = true;
    for (uint32_t k = 0; k < machine->inputs; k++)
        good = (levels[k].memories = keys_open(MACHINE_BYTES_MAX)) != NULL && good;
    good = good && number_of(levels[0].memories, 0) == 0;
    for (uint32_t k = 0; good && k < machine->inputs; k++)
        good = fill_level(machine, k, &levels[k], k + 1 < machine->inputs ? levels[k + 1].memories : NULL);
    return good;
}

/* The last level comes first in the tree. */
static bool write_tree(const struct machine *machine, const struct level *levels, struct rule *rule)
{
    const uint32_t states = machine->states;
    uint64_t nodes = 0;
    for (uint32_t k = 0; k < machine->inputs; k++)
        nodes += keys_count(levels[k].memories);
    if (nodes * states > RULE_NODES_MAX)
        return false;
    rule->tree = (uint32_t *) malloc(nodes * states * sizeof *rule->tree);
    rule->depth = (uint8_t *) malloc(nodes);
    if (!rule->tree || !rule->depth)
        return false;
    for (uint32_t k = machine->inputs, behind = 0; k-- > 0;) {
        const uint32_t first = rule->nodes, count = keys_count(levels[k].memories);
        for (uint32_t i = 0; i < count * states; i++)
            rule->tree[(size_t) first * states + i] = behind + levels[k].children[i];
        memset(rule->depth + first, (int) (machine->inputs - k), count);
        rule->nodes += count;
        behind = first;
    }
    return true;
}

bool machine_unfold(const struct machine *machine, bool whole, struct rule *rule)
{
    struct level levels[RULE_INPUTS_MAX] = {0};
    *rule = (struct rule){.states = machine->states, .inputs = machine->inputs, .coloured = machine->colours != NULL};
    memcpy(rule->place, machine->place, sizeof rule->place);
    if (machine->colours)
        memcpy(rule->colours, machine->colours, machine->states * sizeof rule->colours[0]);
    const bool good = !whole || (fill_levels(machine, levels) && write_tree(machine, levels, rule));
    for (uint32_t k = 0; k < machine->inputs; k++) {
        keys_close(levels[k].memories);
        free(levels[k].children);
    }
    return good;
}

enum machine_found machine_rule(const char *name, bool whole, struct rule *rule, struct rule_error *error)
{
    *rule = (struct rule){0};
    *error = (struct rule_error){0};
    const enum machine_found found = machine_jvn(name, whole, rule, error);
    return found == MACHINE_UNKNOWN ? machine_life(name, whole, rule, error) : found;
}
