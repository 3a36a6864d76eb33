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

/* Finds the memories before each input. */
static bool find_levels(const struct machine *machine, struct keys *levels[RULE_INPUTS_MAX])
{
    bool good = true;
    for (uint32_t k = 0; k < machine->inputs; k++)
        good = (levels[k] = keys_open(MACHINE_BYTES_MAX)) != NULL && good;
    good = good && number_of(levels[0], 0) == 0;
    for (uint32_t k = 0; good && k + 1 < machine->inputs; k++)
        for (uint32_t i = 0; good && i < keys_count(levels[k]); i++)
            for (uint32_t state = 0; good && state < machine->states; state++)
                good =
                    number_of(levels[k + 1], machine->read(machine, memory_at(levels[k], i), k, state)) != UINT32_MAX;
    return good;
}

/* Writes the nodes of a level. Those of the level behind it begin at `behind`. */
static void write_level(const struct machine *machine, struct keys *const levels[RULE_INPUTS_MAX], uint32_t k,
                        uint32_t behind, struct rule *rule)
{
    for (uint32_t i = 0; i < keys_count(levels[k]); i++) {
        for (uint32_t state = 0; state < machine->states; state++) {
            const uint64_t seen = machine->read(machine, memory_at(levels[k], i), k, state);
            rule->tree[(size_t) rule->nodes * machine->states + state] =
                k + 1 == machine->inputs ? machine->next(machine, seen) : behind + number_of(levels[k + 1], seen);
        }
        rule->depth[rule->nodes++] = (uint8_t) (machine->inputs - k);
    }
}

static bool write_tree(const struct machine *machine, struct keys *const levels[RULE_INPUTS_MAX], struct rule *rule)
{
    uint64_t nodes = 0;
    for (uint32_t k = 0; k < machine->inputs; k++)
        nodes += keys_count(levels[k]);
    if (nodes * machine->states > RULE_NODES_MAX)
        return false;
    rule->tree = (uint32_t *) malloc(nodes * machine->states * sizeof *rule->tree);
    rule->depth = (uint8_t *) malloc(nodes);
    if (!rule->tree || !rule->depth)
        return false;
    for (uint32_t k = machine->inputs, behind = 0; k-- > 0;) {
        const uint32_t first = rule->nodes;
        write_level(machine, levels, k, behind, rule);
        behind = first;
    }
    return true;
}

bool machine_unfold(const struct machine *machine, struct rule *rule)
{
    struct keys *levels[RULE_INPUTS_MAX] = {NULL};
    *rule = (struct rule){.states = machine->states, .inputs = machine->inputs, .coloured = machine->colours != NULL};
    memcpy(rule->place, machine->place, sizeof rule->place);
    if (machine->colours)
        memcpy(rule->colours, machine->colours, machine->states * sizeof rule->colours[0]);
    const bool good = find_levels(machine, levels) && write_tree(machine, levels, rule);
    for (uint32_t k = 0; k < machine->inputs; k++)
        keys_close(levels[k]);
    return good;
}

enum machine_found machine_rule(const char *name, struct rule *rule, struct rule_error *error)
{
    *rule = (struct rule){0};
    *error = (struct rule_error){0};
    const enum machine_found found = machine_jvn(name, rule, error);
    return found == MACHINE_UNKNOWN ? machine_life(name, rule, error) : found;
}
