/* Finds a short network for a rule (square_network.h), in two parts.
 *
 *   first networks   A Shannon expansion: a signal s chooses between two halves, as in life/network.h. A half that is
 *                    wanted for few squares is one operation on three signals that exist already, if any three fit. The
 *                    signals are tried in random orders, and the shortest network stays.
 *   improvement      Each node is wanted for those squares whose result changes with it. The search takes a random node
 *                    and looks for three other signals that give its value for these squares. If so, the node reads
 *                    them. Nodes that nothing reads any more drop out. A change that makes the network no longer stays,
 *                    because it may allow the next one.
 *
 * Both parts know the hints, sums that many rules need, and take those that help. They run once with the line functions
 * and the hints and once with the cells alone, which is better for rules without symmetry. The search is counted in
 * trials and not in seconds, so that a rule has the same network on every machine. */
#include "square_triples.h"

enum {
    ROUNDS = 12,
    FEW_SQUARES = 24 /* for more squares, three signals hardly ever fit */
};

/* What a part of the search may try, in pairs of signals. A pair takes 20 ns. */
#define FIRST_TRIALS   10000
#define IMPROVE_TRIALS 150000
#define LAST_TRIALS    800000
#define NETWORK_TRIALS 400 /* the cost of a network's other work */

struct search {
    struct function wanted;
    bool hints;      /* may the network read line functions and hints? */
    int64_t trials;  /* that are left */
    uint64_t random; /* the state of the generator */
    struct network net, attempt;
};

/* Sums of the lines, and of the eight neighbours, and of the four neighbours beside the cell. LINE(f, l) is function f
 * of line l. */
#define LINE(function, line) (LIFE2D_SQUARE_CELLS + 3 * (function) + (line))
static const struct life_node hints[HINTS] = {
    {0x96, {LINE(0, 0), LINE(0, 1), LINE(0, 2)}},
    {0xe8, {LINE(0, 0), LINE(0, 1), LINE(0, 2)}},
    {0x96, {LINE(1, 0), LINE(1, 1), LINE(1, 2)}},
    {0xe8, {LINE(1, 0), LINE(1, 1), LINE(1, 2)}},
    {0x96, {LINE(0, 0), LINE(2, 1), LINE(0, 2)}},
    {0xe8, {LINE(0, 0), LINE(2, 1), LINE(0, 2)}},
    {0x96, {LINE(1, 0), LINE(3, 1), LINE(1, 2)}},
    {0xe8, {LINE(1, 0), LINE(3, 1), LINE(1, 2)}},
    {0x96, {1, LINE(2, 1), 7}},
    {0xe8, {1, LINE(2, 1), 7}},
};

static uint32_t random_below(struct search *s, uint32_t limit)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (uint32_t) (s->random >> 20) % limit;
}

static void shuffle(struct search *s, uint8_t *signal, int count)
{
    for (int i = count - 1; i > 0; i--) {
        const uint32_t with = random_below(s, (uint32_t) i + 1);
        const uint8_t other = signal[with];
        signal[with] = signal[i];
        signal[i] = other;
    }
}

/* The signals of a network that a node may read. Returns their number. */
static int list_candidates(const struct search *s, const struct network *net, uint8_t *candidate)
{
    int count = 0;
    for (int i = 0; i < GIVEN + net->count; i++)
        if (s->hints || i < LIFE2D_SQUARE_CELLS || i >= GIVEN)
            candidate[count++] = (uint8_t) i;
    return count;
}

/* ---- First networks ----------------------------------------------------------------------------------------- */

/* Is a candidate f, or its complement? Any candidate is, if f is constant. Returns it, or -1. */
static int find_known(const struct network *net, const struct function *f, const uint8_t *candidate, int count)
{
    if (!is_mixed(f))
        return candidate[0];
    for (int i = 0; i < count; i++) {
        const table *signal = &net->signal[candidate[i]];
        const table unlike = (f->one & ~*signal) | (f->zero & *signal),
                    like = (f->one & *signal) | (f->zero & ~*signal);
        if (!any(&unlike) || !any(&like))
            return candidate[i];
    }
    return -1;
}

/* The order in which signals divide functions. */
struct order {
    uint8_t signal[GIVEN];
    int count;
};

/* Makes a signal that is f or its complement, of the network and new nodes. -1: it has too many. */
static int make_signal(struct search *s, struct network *net, const struct function *f, const struct order *order)
{
    uint8_t candidate[SIGNALS], abc[3];
    const int count = list_candidates(s, net, candidate);
    const int known = find_known(net, f, candidate, count);
    if (known >= 0)
        return known;
    if (squares_of(f) <= FEW_SQUARES) {
        const int lut = find_triple(net, f, candidate, count, abc, &s->trials);
        if (lut >= 0)
            return net->count < NODES ? add_node(net, lut, abc) : -1;
    }
    for (int i = 0; i < order->count; i++) {
        const table on = net->signal[order->signal[i]], off = ~on;
        const struct function one = part_of(f, &on), zero = part_of(f, &off);
        if (squares_of(&one) == 0 || squares_of(&zero) == 0)
            continue;
        const int first = make_signal(s, net, &one, order);
        const int second = first < 0 ? -1 : make_signal(s, net, &zero, order);
        if (second < 0 || net->count == NODES)
            return -1;
        abc[0] = order->signal[i], abc[1] = (uint8_t) first, abc[2] = (uint8_t) second;
        return add_node(net, fitting_lut(net, f, abc), abc);
    }
    return -1; /* the cells are in the order, so one of them divides any mixed function */
}

/* Makes the signals that exist at the start. */
static void start_network(struct network *net)
{
    memset(net->signal, 0, sizeof net->signal);
    net->count = 0;
    for (uint32_t square = 0; square < LIFE_SQUARES; square++)
        for (uint32_t i = 0; i < LIFE2D_SQUARE_CELLS; i++)
            net->signal[i][square / 64] |= (uint64_t) (square >> i & 1) << square % 64;
    for (int i = 0; i < 3 * LIFE2D_LINE_FUNCTIONS; i++) {
        const table *cells = &net->signal[(size_t) (i % 3) * 3];
        apply_lut(&net->signal[LIFE2D_SQUARE_CELLS + i], life2d_line_lut(i / 3), &cells[2], &cells[1], &cells[0]);
    }
    for (int i = 0; i < HINTS; i++)
        apply_lut(&net->signal[LIFE2D_SQUARE_INPUTS + i], hints[i].lut, &net->signal[hints[i].input[0]],
                  &net->signal[hints[i].input[1]], &net->signal[hints[i].input[2]]);
}

/* Makes a node give the result. A node that make_signal made last for the wanted function already does; a signal that
 * existed before may be its complement. */
static void set_result(struct search *s, struct network *net, int signal)
{
    const uint8_t abc[3] = {(uint8_t) signal, 0, 1};
    net->result = signal < GIVEN ? add_node(net, fitting_lut(net, &s->wanted, abc), abc) : signal;
}

/* ---- Improvement -------------------------------------------------------------------------------------------- */

/* Marks what the result needs. Returns the operations. */
static int mark_read(const struct network *net, bool *read)
{
    int operations = 0;
    memset(read, 0, SIGNALS * sizeof *read);
    read[net->result] = true;
    for (int i = GIVEN + net->count - 1; i >= LIFE2D_SQUARE_INPUTS; i--) {
        const struct life_node *n = i < GIVEN ? &hints[i - LIFE2D_SQUARE_INPUTS] : &net->node[i - GIVEN];
        operations += read[i];
        for (int k = 0; k < 3 && read[i]; k++)
            read[n->input[k]] = true;
    }
    for (int f = 0; f < LIFE2D_LINE_FUNCTIONS; f++)
        operations += read[LINE(f, 0)] || read[LINE(f, 1)] || read[LINE(f, 2)];
    return operations;
}

static int operations_of(const struct network *net)
{
    bool read[SIGNALS];
    return mark_read(net, read);
}

/* Copies the nodes that a node needs and that are not copied yet, and then itself, so that each reads earlier ones. */
static uint8_t copy_node(struct network *to, const struct network *from, int signal, uint8_t *copied)
{
    if (signal >= GIVEN && copied[signal] == 0) {
        const struct life_node n = from->node[signal - GIVEN];
        uint8_t abc[3];
        for (int k = 0; k < 3; k++)
            abc[k] = copy_node(to, from, n.input[k], copied);
        copied[signal] = (uint8_t) add_node(to, n.lut, abc);
    }
    return signal < GIVEN ? (uint8_t) signal : copied[signal];
}

/* Copies what the result needs. `to` has the signals that exist at the start. */
static void copy_network(struct network *to, const struct network *from)
{
    uint8_t copied[SIGNALS] = {0};
    to->count = 0;
    to->result = copy_node(to, from, from->result, copied);
}

/* Finds where the value of a node matters, and marks the signals that depend on it. */
static struct function needed_of(const struct search *s, const struct network *net, int signal, bool *depends)
{
    table other[NODES];
    memset(depends, 0, SIGNALS * sizeof *depends);
    depends[signal] = true;
    other[signal - GIVEN] = ~net->signal[signal];
    for (int i = signal - GIVEN + 1; i < net->count; i++) {
        const table *abc[3];
        for (int k = 0; k < 3; k++) {
            const int input = net->node[i].input[k];
            abc[k] = depends[input] ? &other[input - GIVEN] : &net->signal[input];
            depends[GIVEN + i] |= depends[input];
        }
        if (depends[GIVEN + i])
            apply_lut(&other[i], net->node[i].lut, abc[0], abc[1], abc[2]);
    }
    const table matters = (other[net->result - GIVEN] ^ net->signal[net->result]) & (s->wanted.one | s->wanted.zero);
    const struct function f = {net->signal[signal] & matters, ~net->signal[signal] & matters};
    return f;
}

/* Lets a random node read other signals, if any three fit. The network does not become longer. */
static void change_node(struct search *s)
{
    struct network *net = &s->net;
    uint8_t all[SIGNALS], candidate[SIGNALS], abc[3];
    bool depends[SIGNALS];
    const int node = (int) random_below(s, (uint32_t) net->count), listed = list_candidates(s, net, all);
    const struct function f = needed_of(s, net, GIVEN + node, depends);
    int count = 0;
    for (int i = 0; i < listed; i++)
        if (!depends[all[i]])
            candidate[count++] = all[i];
    shuffle(s, candidate, count);
    s->trials -= NETWORK_TRIALS;
    const int lut = find_triple(net, &f, candidate, count, abc, &s->trials);
    if (lut < 0)
        return;
    const int before = operations_of(net);
    const struct life_node old = net->node[node], changed = {(uint8_t) lut, {abc[0], abc[1], abc[2]}};
    net->node[node] = changed;
    copy_network(&s->attempt, net);
    if (operations_of(&s->attempt) > before) {
        net->node[node] = old;
        return;
    }
    copy_network(net, &s->attempt);
}

/* ---- The search --------------------------------------------------------------------------------------------- */

/* A random order of the signals. Hints come first in every other one. */
static struct order make_order(struct search *s, bool hints_first)
{
    struct order order;
    order.count = s->hints ? GIVEN : LIFE2D_SQUARE_CELLS;
    for (int i = 0; i < order.count; i++)
        order.signal[i] = (uint8_t) i;
    if (s->hints && hints_first) {
        for (int i = 0; i < GIVEN; i++)
            order.signal[i] = (uint8_t) (i < HINTS ? LIFE2D_SQUARE_INPUTS + i : i - HINTS);
        shuffle(s, order.signal, HINTS);
        shuffle(s, order.signal + HINTS, LIFE2D_SQUARE_INPUTS);
    } else {
        shuffle(s, order.signal, order.count);
    }
    return order;
}

/* Keeps the shortest first network in s->net. Returns whether there is one: always, without the hints. */
static bool find_first(struct search *s)
{
    int best = 0;
    s->trials = FIRST_TRIALS;
    for (int i = 0; s->trials > 0; i++) {
        const struct order order = make_order(s, i % 2);
        s->attempt.count = 0;
        s->trials -= NETWORK_TRIALS;
        const int signal = make_signal(s, &s->attempt, &s->wanted, &order);
        if (signal < 0 || s->attempt.count == NODES)
            continue;
        set_result(s, &s->attempt, signal);
        const int operations = operations_of(&s->attempt);
        if (best == 0 || operations < best) {
            best = operations;
            copy_network(&s->net, &s->attempt);
        }
    }
    return best > 0;
}

static void improve(struct search *s, int64_t trials)
{
    for (s->trials = trials; s->trials > 0;)
        change_node(s);
}

/* The network with the hints that it reads as its first nodes. */
static struct life2d_square_network finished(const struct network *net)
{
    struct life2d_square_network result = {.count = 0};
    uint8_t place[SIGNALS];
    bool read[SIGNALS];
    mark_read(net, read);
    for (int i = 0; i < GIVEN + net->count; i++) {
        place[i] = (uint8_t) i;
        if (i < LIFE2D_SQUARE_INPUTS || !read[i])
            continue;
        place[i] = (uint8_t) (LIFE2D_SQUARE_INPUTS + result.count);
        struct life_node *node = &result.node[result.count++];
        *node = i < GIVEN ? hints[i - LIFE2D_SQUARE_INPUTS] : net->node[i - GIVEN];
        for (int k = 0; k < 3; k++)
            node->input[k] = place[node->input[k]];
    }
    return result;
}

/* Searches several times, with the hints and without them, and improves the shortest network further. */
struct life2d_square_network life2d_find_square_network(const struct life_rule *rule)
{
    struct search s = {.random = UINT64_C(88172645463325252)}, best;
    for (uint32_t square = 0; square < LIFE_SQUARES; square++) {
        table *to = life_rule_next(rule, square) ? &s.wanted.one : &s.wanted.zero;
        (*to)[square / 64] |= (uint64_t) 1 << square % 64;
    }
    start_network(&s.net);
    start_network(&s.attempt);
    best = s;
    for (int round = 0; round < ROUNDS; round++) {
        s.hints = round % 3 != 2;
        if (!find_first(&s))
            continue;
        improve(&s, IMPROVE_TRIALS);
        if (best.net.count == 0 || operations_of(&s.net) < operations_of(&best.net))
            best = s;
    }
    improve(&best, LAST_TRIALS);
    return finished(&best.net);
}
