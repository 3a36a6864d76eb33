/* A rule as a decision diagram. Its inputs come in the order of columns: the left column from the top, the middle one,
 * the right one. Equal parts are stored once, so equal numbers mean equal functions. */
#ifndef RULETABLE_DIAGRAM_H
#define RULETABLE_DIAGRAM_H

#include "rule.h"

enum { DIAGRAM_BYTES_MAX = 1 << 28 }; /* memory that it may take */

/* A hash table of keys of any length. */
struct keys;

struct diagram {
    uint32_t states, inputs;
    uint8_t column[RULE_INPUTS_MAX], row[RULE_INPUTS_MAX]; /* of each input, 0 … 2 */
    uint32_t root;
    struct keys *nodes; /* {input, children …} */
};

/* Builds the diagram. False: it would take more than DIAGRAM_BYTES_MAX, or there is no memory. diagram_free frees it in
 * both cases. */
bool diagram_make(const struct rule *rule, struct diagram *diagram);
void diagram_free(struct diagram *diagram);

/* The node to which a state of the node's input leads, or the next state behind the last input. */
uint32_t diagram_child(const struct diagram *diagram, uint32_t node, uint32_t state);

/* ---- Numbers for keys -------------------------------------------------------------------------------------------- */

/* Keys are sequences of words. Each new key gets the next number, from 0 on. */
struct keys *keys_open(uint64_t bytes_most);
void keys_close(struct keys *keys);
uint32_t keys_count(const struct keys *keys);

/* Returns the number of a key; UINT32_MAX: there is no room. */
uint32_t keys_number(struct keys *keys, const uint32_t *words, uint32_t count);

/* The words of a key, valid until the next key is added. */
const uint32_t *keys_words(const struct keys *keys, uint32_t number, uint32_t *count);

#endif
