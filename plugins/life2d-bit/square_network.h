/* A network of three-input operations for any function of the nine cells of a square: so a rule that no counting of
 * neighbours can give becomes operations on words of cells when a run starts.
 *
 * The network is a binary decision diagram. Three cells are left at its bottom, so that what remains of the rule for
 * each value of the other six is one operation on these three. Above them, a cell chooses between two functions:
 *
 *     f = s ? f1 : f0            one node with the inputs s, f1, f0
 *
 * Equal functions, and functions that are each other's complement, are one node: the node that reads it has the
 * complement in its table. A node of two inputs takes in the node below it where that has two inputs too. The order of
 * the cells determines the size; the search swaps cells of the order as long as the network gets shorter. */
#ifndef LIFE2D_SQUARE_NETWORK_H
#define LIFE2D_SQUARE_NETWORK_H

#include <life/network.h>
#include <life/rule.h>

enum { LIFE2D_SQUARE_CELLS = 9, LIFE2D_SQUARE_NODES = 128, LIFE2D_NO_INPUT = 255 };

/* Signal b < 9 is bit b of a square (life/neighbourhoods.h); signal 9 + i is the result of node i. An input that does not
 * matter is a signal too. The last node gives the next state. */
struct life2d_square_network {
    int count;
    struct life_node node[LIFE2D_SQUARE_NODES];
};

/* A signal or its complement, or a constant: signal LIFE2D_NO_INPUT is 0. */
struct life2d_literal {
    uint8_t signal, inverted;
};

static const uint8_t life2d_input_luts[3] = {0xf0, 0xcc, 0xaa};

/* The lut with its input i replaced by a literal's complement, or by a constant. */
static inline uint32_t life2d_inverted_lut(uint32_t lut, int i)
{
    const uint32_t on = life2d_input_luts[i], by = 4u >> i;
    return (lut & on) >> by | (lut & ~on) << by;
}

static inline bool life2d_lut_needs(uint32_t lut, int i)
{
    return ((lut ^ life2d_inverted_lut(lut, i)) & 0xff) != 0;
}

/* The value of a lut for inputs that are bits 2, 1, 0 of i. */
static inline uint32_t life2d_lut_at(uint32_t lut, uint32_t i)
{
    return lut >> i & 1;
}

/* Moves the inputs that matter to the front, each once. Returns their number. */
static inline int life2d_reduce_node(struct life_node *n)
{
    struct life_node r = {0, {LIFE2D_NO_INPUT, LIFE2D_NO_INPUT, LIFE2D_NO_INPUT}};
    int from[3] = {0, 0, 0}, count = 0;
    for (int i = 0; i < 3; i++)
        if (n->input[i] != LIFE2D_NO_INPUT && life2d_lut_needs(n->lut, i)) {
            from[count] = i;
            r.input[count++] = n->input[i];
        }
    for (uint32_t value = 0; value < 8; value++) {
        uint32_t at = 0;
        for (int i = 0; i < count; i++)
            at |= (value >> (2 - i) & 1) << (2 - from[i]);
        r.lut |= (uint8_t) (life2d_lut_at(n->lut, at) << value);
    }
    *n = r;
    return count;
}

/* Returns the literal of a node, which it adds unless there is one. Its lut is 0 for inputs of 0: of a function and its
 * complement, this one stays. */
static inline struct life2d_literal life2d_add(struct life2d_square_network *net, struct life_node n)
{
    struct life2d_literal found = {LIFE2D_NO_INPUT, 0};
    int inputs = life2d_reduce_node(&n);
    if (inputs == 2)
        for (int i = 0; i < 2; i++) {
            if (n.input[i] < LIFE2D_SQUARE_CELLS)
                continue;
            const struct life_node below = net->node[n.input[i] - LIFE2D_SQUARE_CELLS];
            if (below.input[2] != LIFE2D_NO_INPUT)
                continue;
            struct life_node joined = {0, {n.input[1 - i], below.input[0], below.input[1]}};
            if (joined.input[0] == joined.input[1] || joined.input[0] == joined.input[2])
                continue;
            for (uint32_t value = 0; value < 8; value++) {
                const uint32_t inner = life2d_lut_at(below.lut, (value & 3) << 1), outer = value >> 2;
                const uint32_t at = i == 0 ? inner << 2 | outer << 1 : outer << 2 | inner << 1;
                joined.lut |= (uint8_t) (life2d_lut_at(n.lut, at) << value);
            }
            n = joined;
            inputs = life2d_reduce_node(&n);
            break;
        }
    found.inverted = n.lut & 1;
    if (n.lut & 1)
        n.lut = (uint8_t) ~n.lut;
    if (inputs == 0)
        return found;
    found.signal = n.input[0];
    if (inputs == 1)
        return found;
    for (int i = 0; i < net->count; i++)
        if (memcmp(&net->node[i], &n, sizeof n) == 0) {
            found.signal = (uint8_t) (LIFE2D_SQUARE_CELLS + i);
            return found;
        }
    found.signal = (uint8_t) (LIFE2D_SQUARE_CELLS + net->count);
    net->node[net->count++] = n;
    return found;
}

/* s ? one : zero */
static inline struct life2d_literal life2d_choice(struct life2d_square_network *net, int s, struct life2d_literal one,
                                                  struct life2d_literal zero)
{
    const struct life2d_literal data[2] = {one, zero};
    struct life_node n = {0, {(uint8_t) s, one.signal, zero.signal}};
    if (one.signal == zero.signal && one.inverted == zero.inverted)
        return one;
    uint32_t lut = 0xca;
    for (int i = 0; i < 2; i++)
        if (data[i].inverted)
            lut = life2d_inverted_lut(lut, i + 1);
    n.lut = (uint8_t) lut;
    for (uint32_t value = 0; one.signal == zero.signal && value < 8; value++) /* the two inputs are equal */
        if ((value >> 1 & 1) != (value & 1))
            n.lut = (uint8_t) ((n.lut & ~(1u << value)) | life2d_lut_at(lut, (value & 6) | (value >> 1 & 1)) << value);
    for (int i = 1; i < 3; i++) /* a constant, or the second of two equal inputs */
        if (n.input[i] == LIFE2D_NO_INPUT || (i == 2 && one.signal == zero.signal)) {
            const uint32_t on = life2d_input_luts[i], by = 4u >> i;
            if (n.input[i] == LIFE2D_NO_INPUT)
                n.lut = (uint8_t) ((n.lut & ~on) | (n.lut & ~on) << by);
            n.input[i] = LIFE2D_NO_INPUT;
        }
    return life2d_add(net, n);
}

/* Builds the network for an order of the cells: the first six choose, in this order; the last three remain. */
static inline void life2d_build(struct life2d_square_network *net, const struct life_rule *rule, const uint8_t *order)
{
    struct life2d_literal level[64];
    net->count = 0;
    for (uint32_t i = 0; i < 64; i++) {
        struct life_node n = {0, {order[6], order[7], order[8]}};
        for (uint32_t value = 0; value < 8; value++) {
            uint32_t square = 0;
            for (int k = 0; k < LIFE2D_SQUARE_CELLS; k++)
                square |= ((i << 3 | value) >> (8 - k) & 1) << order[k];
            n.lut |= (uint8_t) (life_rule_next(rule, square) << value);
        }
        level[i] = life2d_add(net, n);
    }
    for (int k = 5; k >= 0; k--)
        for (uint32_t i = 0; i < 1u << k; i++)
            level[i] = life2d_choice(net, order[k], level[2 * i + 1], level[2 * i]);
    struct life_node last = {0xf0, {level[0].signal, LIFE2D_NO_INPUT, LIFE2D_NO_INPUT}};
    if (level[0].inverted || level[0].signal != LIFE2D_SQUARE_CELLS + net->count - 1) {
        if (level[0].signal == LIFE2D_NO_INPUT)
            last.lut = 0, last.input[0] = 0;
        last.lut = level[0].inverted ? (uint8_t) ~last.lut : last.lut;
        if (net->count > 0 && level[0].signal == LIFE2D_SQUARE_CELLS + net->count - 1)
            net->node[net->count - 1].lut = (uint8_t) ~net->node[net->count - 1].lut;
        else
            net->node[net->count++] = last;
    }
}

/* Leaves out the nodes that nothing reads, and gives inputs that do not matter a signal. */
static inline void life2d_clean(struct life2d_square_network *net)
{
    bool read[LIFE2D_SQUARE_CELLS + LIFE2D_SQUARE_NODES] = {false};
    uint8_t moved[LIFE2D_NO_INPUT];
    int kept = 0;
    read[LIFE2D_SQUARE_CELLS + net->count - 1] = true;
    for (int i = net->count - 1; i >= 0; i--)
        for (int k = 0; k < 3 && read[LIFE2D_SQUARE_CELLS + i]; k++)
            if (net->node[i].input[k] != LIFE2D_NO_INPUT)
                read[net->node[i].input[k]] = true;
    for (int i = 0; i < LIFE2D_SQUARE_CELLS; i++)
        moved[i] = (uint8_t) i;
    for (int i = 0; i < net->count; i++) {
        if (!read[LIFE2D_SQUARE_CELLS + i])
            continue;
        struct life_node n = net->node[i];
        for (int k = 0; k < 3; k++)
            n.input[k] = moved[n.input[k] < LIFE2D_NO_INPUT ? n.input[k] : net->node[i].input[0]];
        moved[LIFE2D_SQUARE_CELLS + i] = (uint8_t) (LIFE2D_SQUARE_CELLS + kept);
        net->node[kept++] = n;
    }
    net->count = kept;
}

/* Finds a short network for a rule. It takes some hundredths of a second of one core. */
static inline struct life2d_square_network life2d_find_square_network(const struct life_rule *rule)
{
    enum { STARTS = 12 };
    struct life2d_square_network best, attempt;
    memset(&best, 0, sizeof best);
    uint32_t random = 1;
    for (int start = 0; start < STARTS; start++) {
        uint8_t order[LIFE2D_SQUARE_CELLS] = {4, 8, 0, 6, 2, 7, 1, 5, 3};
        for (uint32_t i = LIFE2D_SQUARE_CELLS - 1; start > 0 && i > 0; i--) {
            random = random * 1664525u + 1013904223u;
            const uint32_t with = (random >> 16) % (i + 1);
            const uint8_t cell = order[i];
            order[i] = order[with], order[with] = cell;
        }
        int shortest = LIFE2D_SQUARE_NODES + 1;
        for (bool improved = true; improved;) {
            improved = false;
            for (int a = 0; a < LIFE2D_SQUARE_CELLS; a++)
                for (int b = a; b < LIFE2D_SQUARE_CELLS; b++) {
                    uint8_t swapped[LIFE2D_SQUARE_CELLS];
                    memcpy(swapped, order, sizeof order);
                    swapped[a] = order[b], swapped[b] = order[a];
                    life2d_build(&attempt, rule, swapped);
                    life2d_clean(&attempt);
                    if (attempt.count < shortest) {
                        shortest = attempt.count, improved = true;
                        memcpy(order, swapped, sizeof order);
                        if (best.count == 0 || shortest < best.count)
                            best = attempt;
                    }
                }
        }
    }
    return best;
}

/* Evaluates a network for a square. */
static inline uint32_t life2d_square_result(const struct life2d_square_network *net, uint32_t square)
{
    uint8_t signal[LIFE2D_SQUARE_CELLS + LIFE2D_SQUARE_NODES];
    for (uint32_t i = 0; i < LIFE2D_SQUARE_CELLS; i++)
        signal[i] = square >> i & 1;
    for (int i = 0; i < net->count; i++) {
        const struct life_node *n = &net->node[i];
        const uint32_t at = signal[n->input[0]] * 4u + signal[n->input[1]] * 2u + signal[n->input[2]];
        signal[LIFE2D_SQUARE_CELLS + i] = n->lut >> at & 1;
    }
    return signal[LIFE2D_SQUARE_CELLS + net->count - 1];
}

#endif
