/* Finds a short network of three-input operations for a function of up to seven bits: so a rule of Life becomes
 * instructions when a run starts.
 *
 * Networks of up to three nodes are found by trying all of them (life/network_few.h). A longer network is a Shannon
 * expansion: a signal s chooses between two halves. Half f1 gives the result where s = 1, and half f0 where s = 0:
 *
 *     f = s ? f1 : f0            one node with the inputs s, f1, f0
 *
 * Each half is a function with don't-cares: its values where the other half gives the result do not matter. It may use
 * nodes of the other half, and it is found in the same way. The search tries all signals and both orders of the halves,
 * and keeps the shortest network. The recursion ends because a half depends on one signal less. */
#ifndef LIFE_NETWORK_H
#define LIFE_NETWORK_H

#include <life/network_few.h>

/* Is a signal already the function or its complement? Any signal is, if the function is constant. */
static inline bool life_find_known(struct life_search *s, struct life_function f)
{
    for (s->found = 0; s->found < life_signals(s); s->found++) {
        const life_table signal = s->signal[s->found];
        if (!life_mixed(f) || !((f.one & ~signal) | (f.zero & signal)) || !((f.one & signal) | (f.zero & ~signal)))
            return true;
    }
    return false;
}

static inline bool life_find_expansion(struct life_search *s, struct life_function f, int most);

/* Finds or makes a signal that is the function or its complement, with at most `most` new nodes. */
static inline bool life_find_any(struct life_search *s, struct life_function f, int most)
{
    return life_find_known(s, f) || life_find_few(s, f, most) || life_find_expansion(s, f, most);
}

/* Expands f by a signal, with at most `most` new nodes: makes the half where the signal is `first`, then the other
 * half, and a last node that chooses between them. */
static inline bool life_expand_by(struct life_search *s, struct life_function f, int by, int first, int most)
{
    const life_table where = life_literal(s->signal[by], first);
    const struct life_function half[2] = {life_where(f, where), life_where(f, ~where)};
    const int before = s->net.count;
    if (!(half[0].one | half[0].zero) || !(half[1].one | half[1].zero) || !life_find_any(s, half[0], most - 1))
        return false;
    const int one = s->found;
    if (!life_find_any(s, half[1], most - 1 - (s->net.count - before)))
        return false;
    life_add_node(s, life_final_lut(s, f, by, one, s->found), by, one, s->found);
    return true;
}

/* Keeps the shortest expansion by any signal, in both orders. Each attempt must be shorter than the best before it. */
static inline bool life_find_expansion(struct life_search *s, struct life_function f, int most)
{
    const struct life_search start = *s;
    struct life_search best = start;
    for (int i = 0; most >= 4 && i < 2 * life_signals(&start); i++) {
        struct life_search attempt = start;
        if (!life_expand_by(&attempt, f, i / 2, i % 2, most))
            continue;
        best = attempt;
        most = attempt.net.count - start.net.count - 1;
    }
    *s = best;
    return best.net.count > start.net.count;
}

/* A search whose only signals are the inputs. Bit i of a truth table is for the inputs' value i, so input k is 1 in the
 * bits i that have bit k set. */
static inline struct life_search life_start_search(int inputs)
{
    struct life_search s;
    s.net.inputs = inputs;
    s.net.count = s.found = 0;
    for (int input = 0; input < inputs; input++) {
        s.signal[input] = 0;
        for (int i = 0; i < 1 << LIFE_NETWORK_INPUTS; i++)
            s.signal[input] |= (life_table) (i >> input & 1) << i;
    }
    return s;
}

/* Returns the shortest network found for a function of three to seven inputs. If three nodes are not enough, each of
 * the `hints` is tried as the first node; a caller knows which functions of the inputs are likely to be useful. Six
 * inputs take up to a tenth of a second of one core. */
static inline struct life_network life_find_network(int inputs, struct life_function f, const struct life_node *hints,
                                                    int hint_count)
{
    struct life_search best = life_start_search(inputs);
    if (life_find_few(&best, f, 3))
        return best.net;
    life_find_expansion(&best, f, LIFE_NETWORK_NODES);
    for (int i = 0; i < hint_count; i++) {
        struct life_search s = life_start_search(inputs);
        const struct life_node *hint = &hints[i];
        const int most = best.net.count - 2;
        life_add_node(&s, hint->lut, hint->input[0], hint->input[1], hint->input[2]);
        if (life_find_few(&s, f, most < 3 ? most : 3) || life_find_expansion(&s, f, most))
            best = s;
    }
    return best.net;
}

/* Evaluates a network, where the inputs are the bits of `inputs`. */
static inline int life_network_result(const struct life_network *net, unsigned inputs)
{
    uint64_t signal = inputs;
    for (int i = 0; i < net->count; i++) {
        const struct life_node *n = &net->node[i];
        const uint64_t at =
            (signal >> n->input[0] & 1) * 4 | (signal >> n->input[1] & 1) * 2 | (signal >> n->input[2] & 1);
        signal |= (uint64_t) (n->lut >> at & 1) << (net->inputs + i);
    }
    return (int) (signal >> (net->inputs + net->count - 1) & 1);
}

#endif
