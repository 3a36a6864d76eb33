/* Rules that are no files: a name describes them. A machine reads the states of a cell's inputs, one after the other,
 * and then tells the next state of the cell. machine.c makes a tree of it, so a rule is data for the implementations
 * whatever its family is. */
#ifndef RULETABLE_MACHINE_H
#define RULETABLE_MACHINE_H

#include "rule.h"

struct machine {
    uint32_t states, inputs;
    struct rule_place place[RULE_INPUTS_MAX]; /* input 0 is the cell */
    const uint8_t (*colours)[3];              /* NULL: the rule has none */
    const void *data;                         /* of the family */

    /* What the machine remembers of the inputs that it has seen, after one more. Before the first it is 0. */
    uint64_t (*read)(const struct machine *machine, uint64_t seen, uint32_t input, uint32_t state);
    uint32_t (*next)(const struct machine *machine, uint64_t seen); /* state of the cell, after all inputs */
};

/* Makes the rule, with its tree if it shall be whole. False: the tree would be too large, or there is no memory.
 * rule_free frees the rule in both cases. */
bool machine_unfold(const struct machine *machine, bool whole, struct rule *rule);

/* How the name of a rule ended up. */
enum machine_found { MACHINE_MADE, MACHINE_UNKNOWN, MACHINE_WRONG };

/* Makes the rule of a name that belongs to a family. MACHINE_WRONG: it belongs to one, but is no rule of it; the error
 * says why. */
enum machine_found machine_rule(const char *name, bool whole, struct rule *rule, struct rule_error *error);

/* The families. */
enum machine_found machine_life(const char *name, bool whole, struct rule *rule, struct rule_error *error);
enum machine_found machine_jvn(const char *name, bool whole, struct rule *rule, struct rule_error *error);

#endif
