/* A network of three-input operations for any function of the nine cells of a square: so a rule that no counting of
 * neighbours can give becomes operations on words of cells when a run starts.
 *
 * A square has three lines of three cells. A kernel that marches across the lines computes a function of a line once
 * and uses it for the three squares that have this line. So the network may read four functions of each line beside the
 * cells:
 *
 *     line function   of cells a b c     lut
 *     0               a ^ b ^ c          0x96    the sum of the line, low bit
 *     1               majority           0xe8    the sum of the line, high bit
 *     2               a ^ c              0x5a    the sum without the middle cell
 *     3               a & c              0xa0
 *
 * square_search.c finds the network. */
#ifndef LIFE2D_SQUARE_NETWORK_H
#define LIFE2D_SQUARE_NETWORK_H

#include <life/network.h>
#include <life/rule.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    LIFE2D_SQUARE_CELLS = 9,
    LIFE2D_LINE_FUNCTIONS = 4,
    LIFE2D_SQUARE_INPUTS = LIFE2D_SQUARE_CELLS + 3 * LIFE2D_LINE_FUNCTIONS,
    LIFE2D_SQUARE_NODES = 138
};

/* Signal b < 9 is bit b of a square (life/neighbourhoods.h): line b / 3 is a row, from the lowest one up. Signal
 * 9 + 3 f + l is function f of line l, and signal 21 + i is the result of node i. An input that does not matter is a
 * signal too. The last node gives the next state. */
struct life2d_square_network {
    int count;
    struct life_node node[LIFE2D_SQUARE_NODES];
};

static inline uint8_t life2d_line_lut(int function)
{
    static const uint8_t luts[LIFE2D_LINE_FUNCTIONS] = {0x96, 0xe8, 0x5a, 0xa0};
    return luts[function];
}

/* The line functions that a network reads: bit f for function f. */
static inline uint32_t life2d_lines_read(const struct life2d_square_network *net)
{
    uint32_t read = 0;
    for (int i = 0; i < net->count; i++)
        for (int k = 0; k < 3; k++) {
            const int input = net->node[i].input[k] - LIFE2D_SQUARE_CELLS;
            if (input >= 0 && input < 3 * LIFE2D_LINE_FUNCTIONS)
                read |= 1u << input / 3;
        }
    return read;
}

/* The operations for a word of cells: the nodes, and the line functions once. */
static inline int life2d_square_operations(const struct life2d_square_network *net)
{
    return net->count + (int) life_bits(life2d_lines_read(net));
}

/* Finds a short network for a rule; the same rule always gets the same one. It takes about a tenth of a second of one
 * core. */
struct life2d_square_network life2d_find_square_network(const struct life_rule *rule);

/* Mirrors a rule at the diagonal, so that the columns of its squares become the lines. */
static inline struct life_rule life2d_transposed_rule(const struct life_rule *rule)
{
    struct life_rule transposed = *rule;
    memset(transposed.table, 0, sizeof transposed.table);
    for (uint32_t square = 0; square < LIFE_SQUARES; square++) {
        uint32_t mirrored = 0;
        for (uint32_t b = 0; b < LIFE2D_SQUARE_CELLS; b++)
            mirrored |= (square >> b & 1) << (b % 3 * 3 + b / 3);
        if (life_rule_next(rule, square))
            life_rule_set(&transposed, mirrored);
    }
    return transposed;
}

/* Evaluates a network for a square. */
static inline uint32_t life2d_square_result(const struct life2d_square_network *net, uint32_t square)
{
    uint8_t signal[LIFE2D_SQUARE_INPUTS + LIFE2D_SQUARE_NODES];
    for (uint32_t i = 0; i < LIFE2D_SQUARE_CELLS; i++)
        signal[i] = square >> i & 1;
    for (int i = 0; i < 3 * LIFE2D_LINE_FUNCTIONS; i++)
        signal[LIFE2D_SQUARE_CELLS + i] = life2d_line_lut(i / 3) >> (square >> i % 3 * 3 & 7) & 1;
    for (int i = 0; i < net->count; i++) {
        const struct life_node *n = &net->node[i];
        const uint32_t at = signal[n->input[0]] * 4u + signal[n->input[1]] * 2u + signal[n->input[2]];
        signal[LIFE2D_SQUARE_INPUTS + i] = n->lut >> at & 1;
    }
    return signal[LIFE2D_SQUARE_INPUTS + net->count - 1];
}

#ifdef __cplusplus
}
#endif

#endif
