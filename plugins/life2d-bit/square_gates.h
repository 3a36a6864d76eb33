/* Networks of two-input gates, for processors without an operation of three inputs: each node of a network
 * (square_network.h) becomes one to four gates.
 *
 * All gates give 0 for inputs of 0, so a node whose lut gives 1 there is computed as its complement, and the nodes that
 * read it take this into account. */
#ifndef LIFE2D_SQUARE_GATES_H
#define LIFE2D_SQUARE_GATES_H

#include "square_network.h"

/* The last byte of the opcodes of vpand, vpandn, vpor and vpxor. vpandn is ~first & second. */
enum { GATE_AND = 0xdb, GATE_ANDN = 0xdf, GATE_OR = 0xeb, GATE_XOR = 0xef };

enum { GATES = 230, RECIPE_GATES = 4 };

/* Signals as in struct life2d_square_network. A gate has its kind in `lut`, and its second input twice. */
struct gates {
    int count;
    bool inverted; /* the last gate gives the complement of the next state */
    struct life_node gate[GATES];
};

/* The gates for a lut. Values 0 to 2 are the inputs of the node, and value 3 + i is the result of gate i. */
struct recipe {
    int count;
    struct {
        uint8_t kind, first, second;
    } gate[RECIPE_GATES];
};

static inline uint8_t gate_result(int kind, uint8_t first, uint8_t second)
{
    return kind == GATE_AND    ? first & second
           : kind == GATE_ANDN ? (uint8_t) ~first & second
           : kind == GATE_OR   ? first | second
                               : first ^ second;
}

/* Tries all sequences of `most` gates that begin with those of `start`, and notes those that make a lut without recipe.
 * value[i] is the lut of value i. */
static inline void find_recipes(struct recipe *recipes, struct recipe *start, uint8_t *value, int most)
{
    static const uint8_t kinds[4] = {GATE_AND, GATE_ANDN, GATE_OR, GATE_XOR};
    const int values = 3 + start->count;
    for (int first = 0; first < values; first++)
        for (int second = 0; second < values; second++)
            for (int k = 0; k < 4; k++) {
                if (kinds[k] != GATE_ANDN && (first > second || (first == second && most > 1)))
                    continue;
                value[values] = gate_result(kinds[k], value[first], value[second]);
                start->gate[start->count].kind = kinds[k];
                start->gate[start->count].first = (uint8_t) first;
                start->gate[start->count++].second = (uint8_t) second;
                if (start->count < most)
                    find_recipes(recipes, start, value, most);
                else if (recipes[value[values]].count == 0)
                    recipes[value[values]] = *start;
                start->count--;
            }
}

/* The lut with its input i complemented. */
static inline uint8_t lut_of_complement(uint8_t lut, int i)
{
    static const uint8_t on[3] = {0xf0, 0xcc, 0xaa};
    const int by = 4 >> i;
    return (uint8_t) ((lut & on[i]) >> by | (lut & ~on[i]) << by);
}

/* Adds the gates of a recipe for a node. Returns the signal of the result. */
static inline uint8_t add_gates(struct gates *gates, const struct recipe *recipe, const uint8_t *input)
{
    uint8_t value[3 + RECIPE_GATES] = {input[0], input[1], input[2]};
    for (int i = 0; i < recipe->count; i++) {
        const uint8_t second = value[recipe->gate[i].second];
        const struct life_node gate = {recipe->gate[i].kind, {value[recipe->gate[i].first], second, second}};
        value[3 + i] = (uint8_t) (LIFE2D_SQUARE_INPUTS + gates->count);
        gates->gate[gates->count++] = gate;
    }
    return value[2 + recipe->count];
}

/* Returns false if the network needs more than GATES. */
static inline bool make_gates(struct gates *gates, const struct life2d_square_network *net)
{
    struct recipe recipes[256] = {{.count = 0}}, none = {.count = 0};
    uint8_t value[3 + RECIPE_GATES] = {0xf0, 0xcc, 0xaa}, signal[LIFE2D_SQUARE_INPUTS + LIFE2D_SQUARE_NODES];
    bool inverted[LIFE2D_SQUARE_INPUTS + LIFE2D_SQUARE_NODES] = {false};
    for (int most = 1; most <= RECIPE_GATES; most++)
        find_recipes(recipes, &none, value, most);
    for (int i = 0; i < LIFE2D_SQUARE_INPUTS; i++)
        signal[i] = (uint8_t) i;
    gates->count = 0;
    for (int i = 0; i < net->count; i++) {
        const struct life_node *n = &net->node[i];
        uint8_t lut = n->lut, input[3];
        for (int k = 0; k < 3; k++) {
            input[k] = signal[n->input[k]];
            lut = inverted[n->input[k]] ? lut_of_complement(lut, k) : lut;
        }
        inverted[LIFE2D_SQUARE_INPUTS + i] = lut & 1;
        lut = lut & 1 ? (uint8_t) ~lut : lut;
        if (recipes[lut].count == 0 || gates->count + RECIPE_GATES > GATES)
            return false;
        signal[LIFE2D_SQUARE_INPUTS + i] = add_gates(gates, &recipes[lut], input);
    }
    gates->inverted = inverted[LIFE2D_SQUARE_INPUTS + net->count - 1];
    return true;
}

#endif
