/* A rule as its file states it: a table of transitions or a tree, and colours. Golly's Help (File Formats) describes
 * the files. rule_parse.c reads the sections, rule_table.c @TABLE and rule_tree.c @TREE. */
#ifndef RULETABLE_RULE_H
#define RULETABLE_RULE_H

#ifndef __cplusplus
#include <stdbool.h>
#endif
#include <stddef.h>
#include <stdint.h>

enum {
    RULE_STATES_MAX = 256,
    RULE_INPUTS_MAX = 9,
    RULE_TRANSITIONS_MAX = 1 << 18, /* after variables and symmetries are unfolded */
    RULE_NODES_MAX = 1 << 24,       /* numbers in the lines of a tree */
    RULE_SETS_MAX = 1 << 16
};

/* A set of states: state s is bit s % 64 of word s / 64. */
struct rule_set {
    uint64_t word[4];
};

static inline bool rule_set_has(const struct rule_set *set, uint32_t state)
{
    return set->word[state / 64] >> state % 64 & 1;
}

/* Where an input lies, seen from the cell. y grows downwards. */
struct rule_place {
    int8_t x, y;
};

/* A neighbourhood matches if the state of each input is in its set. */
struct rule_transition {
    uint16_t input[RULE_INPUTS_MAX]; /* indices of sets */
    uint8_t next;
};

struct rule {
    uint32_t states; /* 2 … 256 */
    uint32_t inputs; /* 3 … 9, one of which is the cell itself */
    struct rule_place place[RULE_INPUTS_MAX];

    /* A table: the first transition that matches gives the next state; if none does, the cell keeps its state. The
     * first `states` sets hold one state each. */
    struct rule_set *set;
    uint32_t sets;
    struct rule_transition *transition;
    uint32_t transitions;

    /* A tree: node i has the children tree[i * states …], which are nodes or, in the last level, states. Input 0
     * chooses a child of the root, the last node. NULL: the rule is a table. */
    uint32_t *tree;
    uint8_t *depth; /* of each node: 1 for the last input, and that of the root for input 0 */
    uint32_t nodes;

    uint64_t checksum; /* of the file; rule_parse leaves it 0 */
    bool coloured;     /* the file has colours */
    uint8_t colours[RULE_STATES_MAX][3];
};

/* What is wrong with a file, and where. Line 0: the file as a whole. */
struct rule_error {
    uint32_t line, column;
    char text[200];
};

/* How a file begins: with the sections of a .rule, or at once with the lines of @TABLE or @TREE. */
enum rule_kind { RULE_FILE, RULE_TABLE, RULE_TREE };

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a rule from `length` bytes. Returns false if they are not a rule, or if there is no memory. rule_free frees the
 * rule in both cases. */
bool rule_parse(const char *text, size_t length, enum rule_kind kind, struct rule *rule, struct rule_error *error);
void rule_free(struct rule *rule);

#ifdef __cplusplus
}
#endif

#endif
