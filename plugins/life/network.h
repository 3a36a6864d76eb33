/*
 * A function of up to seven bits as a short network of three-input operations: how a rule of Life becomes instructions
 * when a run starts.
 *
 * One node is a lut that no two inputs with different results share. Two nodes are F(g(a, b, c), d, e): there is such a
 * g if the eight values of a, b and c can be parted in two so that, for each value of d and e, no part holds both a 0
 * and a 1. Three nodes are two after any one; all of these are tried, so that networks of up to three nodes are the
 * shortest. Longer ones choose by a signal between two halves, which share what they can and of which each has the
 * other's half for don't-cares (Shannon's expansion); of all signals and both orders the shortest is taken. That always
 * ends: a half depends on one signal less.
 */
#ifndef LIFE_NETWORK_H
#define LIFE_NETWORK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LIFE_NETWORK_INPUTS = 7, LIFE_NETWORK_NODES = 31 };

/* A value for each of 2^7 inputs. */
__extension__ typedef unsigned __int128 life_bits;

/* Signal inputs + i is what node i makes; the last node's is the result. */
struct life_node {
    uint8_t lut, input[3]; /* bit 4a + 2b + c of the lut for inputs a, b, c */
};

struct life_network {
    int inputs, count;
    struct life_node node[LIFE_NETWORK_NODES];
};

/* Bit i: where the inputs are the bits of i, the function has to be 1, or 0; where neither, it does not matter. */
struct life_function {
    life_bits one, zero;
};

/* What is known so far: the inputs and the nodes made of them; which signal is, or is the inverse of, what was asked
 * for last. */
struct life_search {
    struct life_network net;
    life_bits signal[LIFE_NETWORK_INPUTS + LIFE_NETWORK_NODES];
    int found;
};

static inline int life_signals(const struct life_search *s)
{
    return s->net.inputs + s->net.count;
}

static inline life_bits life_literal(life_bits signal, int on)
{
    return on ? signal : ~signal;
}

static inline life_bits life_minterm(const struct life_search *s, int a, int b, int c, int i)
{
    return life_literal(s->signal[a], i & 4) & life_literal(s->signal[b], i & 2) & life_literal(s->signal[c], i & 1);
}

static inline struct life_function life_where(struct life_function f, life_bits where)
{
    f.one &= where;
    f.zero &= where;
    return f;
}

static inline bool life_mixed(struct life_function f)
{
    return f.one && f.zero;
}

/* ---- Up to three nodes --------------------------------------------------------------------------------------- */

static inline void life_push(struct life_search *s, int lut, int a, int b, int c)
{
    struct life_node *node = &s->net.node[s->net.count];
    life_bits signal = 0;
    for (int i = 0; i < 8; i++)
        signal |= lut >> i & 1 ? life_minterm(s, a, b, c, i) : 0;
    node->lut = (uint8_t) lut;
    node->input[0] = (uint8_t) a, node->input[1] = (uint8_t) b, node->input[2] = (uint8_t) c;
    s->found = life_signals(s);
    s->signal[s->found] = signal;
    s->net.count++;
}

/* The lut that makes the function of three signals; -1: none does. */
static inline int life_final_lut(const struct life_search *s, struct life_function f, int a, int b, int c)
{
    int lut = 0;
    for (int i = 0; i < 8; i++) {
        const struct life_function at = life_where(f, life_minterm(s, a, b, c, i));
        if (life_mixed(at))
            return -1;
        lut |= (at.one != 0) << i;
    }
    return lut;
}

/* Parts the eight values so that neighbours in the graph fall apart: the lut of one part; -1: impossible. */
static inline int life_two_parts(const uint8_t apart[8])
{
    unsigned part[2] = {0, 0};
    for (int i = 0; i < 8; i++) {
        if ((part[0] | part[1]) >> i & 1)
            continue;
        part[1] |= 1u << i;
        for (unsigned before = 0; before != (part[0] | part[1]);) {
            before = part[0] | part[1];
            for (int j = 0; j < 8; j++)
                for (int p = 0; p < 2; p++)
                    if (part[p] >> j & 1)
                        part[1 - p] |= apart[j];
        }
    }
    return part[0] & part[1] ? -1 : (int) part[1];
}

/* The lut of g(a, b, c) such that f is a function of g, d and e; -1: there is none. */
static inline int life_inner_lut(const struct life_search *s, struct life_function f, const int abc[3], int d, int e)
{
    uint8_t apart[8] = {0};
    for (int k = 0; k < 4; k++) {
        const life_bits where = life_literal(s->signal[d], k & 2) & life_literal(s->signal[e], k & 1);
        unsigned ones = 0, zeros = 0;
        for (int i = 0; i < 8; i++) {
            const struct life_function at = life_where(f, where & life_minterm(s, abc[0], abc[1], abc[2], i));
            ones |= (unsigned) (at.one != 0) << i;
            zeros |= (unsigned) (at.zero != 0) << i;
        }
        if (ones & zeros)
            return -1;
        for (int i = 0; i < 8; i++)
            apart[i] |= (uint8_t) ((ones >> i & 1 ? zeros : 0) | (zeros >> i & 1 ? ones : 0));
    }
    return life_two_parts(apart);
}

static inline bool life_try_two(struct life_search *s, struct life_function f, const int abc[3], int d, int e)
{
    const int lut = life_inner_lut(s, f, abc, d, e);
    if (lut < 0)
        return false;
    life_push(s, lut, abc[0], abc[1], abc[2]);
    life_push(s, life_final_lut(s, f, s->found, d, e), s->found, d, e);
    return true;
}

/* Three of `count` signals, four or five, go into g; the others beside it; of four, one of the three as well. */
static inline bool life_try_subset(struct life_search *s, struct life_function f, const int *signal, int count)
{
    for (int d = 0; d < count; d++)
        for (int e = count == 5 ? d + 1 : 0; e < count; e++) {
            int abc[5], n = 0;
            for (int i = 0; i < count; i++)
                if (i != d && (i != e || count == 4))
                    abc[n++] = signal[i];
            if (d != e && life_try_two(s, f, abc, signal[d], signal[e]))
                return true;
        }
    return false;
}

/* Three or four signals, and the parts of the inputs where these are the same but the function is not. One signal more
 * makes it a function of all these if it tells the 1s from the 0s of each part. */
struct life_subset {
    int signal[5], count, parts;
    struct life_function part[16];
};

enum { LIFE_SUBSET_SIGNALS = 9, LIFE_SUBSETS = 84 + 126 };

static inline void life_find_parts(const struct life_search *s, struct life_function f, struct life_subset *subset)
{
    subset->part[0] = f;
    subset->parts = life_mixed(f);
    for (int i = 0; i < subset->count; i++) {
        struct life_function part[16];
        int parts = 0;
        for (int j = 0; j < 2 * subset->parts; j++) {
            part[parts] = life_where(subset->part[j / 2], life_literal(s->signal[subset->signal[i]], j % 2));
            parts += life_mixed(part[parts]);
        }
        memcpy(subset->part, part, sizeof part);
        subset->parts = parts;
    }
}

static inline int life_list_subsets(const struct life_search *s, struct life_function f, struct life_subset *subsets)
{
    const int n = life_signals(s) < LIFE_SUBSET_SIGNALS ? life_signals(s) : LIFE_SUBSET_SIGNALS;
    int listed = 0;
    for (int d = 2; d < n; d++)
        for (int c = 1; c < d; c++)
            for (int b = 0; b < c; b++)
                for (int a = -1; a < b; a++) {
                    struct life_subset *subset = &subsets[listed++];
                    subset->signal[0] = d, subset->signal[1] = c, subset->signal[2] = b, subset->signal[3] = a;
                    subset->count = a < 0 ? 3 : 4;
                    life_find_parts(s, f, subset);
                }
    return listed;
}

/* Does a signal beside those of the subset decide the function? */
static inline bool life_completes(life_bits signal, const struct life_subset *subset)
{
    for (int i = 0; i < subset->parts; i++)
        if (life_mixed(life_where(subset->part[i], signal)) || life_mixed(life_where(subset->part[i], ~signal)))
            return false;
    return true;
}

/* Two nodes that use the signal, and lower ones. */
static inline bool life_two_with(struct life_search *s, struct life_function f, struct life_subset *subsets, int listed,
                                 int signal)
{
    for (int i = 0; i < listed; i++) {
        struct life_subset *subset = &subsets[i];
        if (subset->signal[0] >= signal || !life_completes(s->signal[signal], subset))
            continue;
        subset->signal[subset->count] = signal;
        if (life_try_subset(s, f, subset->signal, subset->count + 1))
            return true;
    }
    return false;
}

static inline bool life_find_one(struct life_search *s, struct life_function f)
{
    for (int c = 2; c < life_signals(s); c++)
        for (int b = 1; b < c; b++)
            for (int a = 0; a < b; a++) {
                const int lut = life_final_lut(s, f, a, b, c);
                if (lut >= 0) {
                    life_push(s, lut, a, b, c);
                    return true;
                }
            }
    return false;
}

/* Tries a node of each lut, then two more. The complement of a node is as good as itself. */
static inline bool life_three_of(struct life_search *s, struct life_function f, struct life_subset *subsets, int listed,
                                 const int abc[3])
{
    const int n = life_signals(s);
    life_bits made[128] = {0};
    for (int lut = 1; lut < 128; lut++) {
        int first = 0;
        while (!(lut >> first & 1))
            first++;
        made[lut] = made[lut & (lut - 1)] | life_minterm(s, abc[0], abc[1], abc[2], first);
        int i = 0;
        while (i < listed && !life_completes(made[lut], &subsets[i]))
            i++;
        if (i == listed)
            continue;
        life_push(s, lut, abc[0], abc[1], abc[2]);
        if (life_two_with(s, f, subsets, listed, n))
            return true;
        s->net.count--;
    }
    return false;
}

static inline bool life_find_three(struct life_search *s, struct life_function f, struct life_subset *subsets,
                                   int listed)
{
    for (int c = 2; c < life_signals(s) && life_signals(s) <= LIFE_SUBSET_SIGNALS; c++)
        for (int b = 1; b < c; b++)
            for (int a = 0; a < b; a++) {
                const int abc[3] = {a, b, c};
                if (life_three_of(s, f, subsets, listed, abc))
                    return true;
            }
    return false;
}

/* At most `most` nodes, and no more than three. */
static inline bool life_find_few(struct life_search *s, struct life_function f, int most)
{
    struct life_subset subsets[LIFE_SUBSETS];
    if (most < 1)
        return false;
    if (life_find_one(s, f))
        return true;
    if (most < 2)
        return false;
    const int listed = life_list_subsets(s, f, subsets);
    for (int i = 3; i < life_signals(s); i++)
        if (life_two_with(s, f, subsets, listed, i))
            return true;
    return most >= 3 && life_find_three(s, f, subsets, listed);
}

/* ---- More ---------------------------------------------------------------------------------------------------- */

/* A signal that there is already, or its inverse; any, where the function is constant. */
static inline bool life_find_known(struct life_search *s, struct life_function f)
{
    for (s->found = 0; s->found < life_signals(s); s->found++) {
        const life_bits signal = s->signal[s->found];
        if (!life_mixed(f) || !((f.one & ~signal) | (f.zero & signal)) || !((f.one & signal) | (f.zero & ~signal)))
            return true;
    }
    return false;
}

static inline bool life_find_halves(struct life_search *s, struct life_function f, int most);

/* Finds a signal that is the function or its inverse, with at most `most` new nodes. */
static inline bool life_find_half(struct life_search *s, struct life_function f, int most)
{
    return life_find_known(s, f) || life_find_few(s, f, most) || life_find_halves(s, f, most);
}

/* Chooses by a signal between two halves, the one where it is `first` before the other. */
static inline bool life_choose_by(struct life_search *s, struct life_function f, int by, int first, int most)
{
    const life_bits where = life_literal(s->signal[by], first);
    const struct life_function half[2] = {life_where(f, where), life_where(f, ~where)};
    const int before = s->net.count;
    if (!(half[0].one | half[0].zero) || !(half[1].one | half[1].zero) || !life_find_half(s, half[0], most - 1))
        return false;
    const int one = s->found;
    if (!life_find_half(s, half[1], most - 1 - (s->net.count - before)))
        return false;
    life_push(s, life_final_lut(s, f, by, one, s->found), by, one, s->found);
    return true;
}

/* The shortest of those that choose by a signal. Each is shorter than the one before. */
static inline bool life_find_halves(struct life_search *s, struct life_function f, int most)
{
    const struct life_search start = *s;
    struct life_search best = start;
    for (int i = 0; most >= 4 && i < 2 * life_signals(&start); i++) {
        struct life_search attempt = start;
        if (!life_choose_by(&attempt, f, i / 2, i % 2, most))
            continue;
        best = attempt;
        most = attempt.net.count - start.net.count - 1;
    }
    *s = best;
    return best.net.count > start.net.count;
}

static inline struct life_search life_start_search(int inputs)
{
    struct life_search s;
    s.net.inputs = inputs;
    s.net.count = s.found = 0;
    for (int input = 0; input < inputs; input++) {
        s.signal[input] = 0;
        for (int i = 0; i < 1 << LIFE_NETWORK_INPUTS; i++)
            s.signal[input] |= (life_bits) (i >> input & 1) << i;
    }
    return s;
}

/* The shortest network found for a function of three to seven inputs. `hints` are first nodes to try where three nodes
 * do not do: those that are known to mean something. Six inputs take up to a tenth of a second of one core. */
static inline struct life_network life_find_network(int inputs, struct life_function f, const struct life_node *hints,
                                                    int hint_count)
{
    struct life_search best = life_start_search(inputs);
    if (life_find_few(&best, f, 3))
        return best.net;
    life_find_halves(&best, f, LIFE_NETWORK_NODES);
    for (int i = 0; i < hint_count; i++) {
        struct life_search s = life_start_search(inputs);
        const struct life_node *hint = &hints[i];
        const int most = best.net.count - 2;
        life_push(&s, hint->lut, hint->input[0], hint->input[1], hint->input[2]);
        if (life_find_few(&s, f, most < 3 ? most : 3) || life_find_halves(&s, f, most))
            best = s;
    }
    return best.net;
}

/* What a network makes of bits of inputs. */
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
