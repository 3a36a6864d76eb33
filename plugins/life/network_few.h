/* Networks of up to three nodes, found by trying all of them, so that they are the shortest. life/network.h says what
 * for.
 *
 *     one node        f = lut(a, b, c): no two inputs with the same a, b, c may have different values of f
 *     two nodes       f = F(g(a, b, c), d, e): life_inner_lut
 *     three nodes     any node, and then two nodes that may use it
 */
#ifndef LIFE_NETWORK_FEW_H
#define LIFE_NETWORK_FEW_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LIFE_NETWORK_INPUTS = 7, LIFE_NETWORK_NODES = 31 };

/* A truth table: a bit for each of the 2^7 values of the inputs. */
__extension__ typedef unsigned __int128 life_table;

/* A three-input operation. Signals 0 … inputs - 1 are the inputs, signal inputs + i is the result of node i, and the
 * last node's result is that of the network. */
struct life_node {
    uint8_t lut, input[3]; /* bit 4a + 2b + c of the lut is the result for inputs a, b, c */
};

struct life_network {
    int inputs, count;
    struct life_node node[LIFE_NETWORK_NODES];
};

/* A function with don't-cares: the inputs for which it must be 1, and those for which it must be 0. */
struct life_function {
    life_table one, zero;
};

/* The state of a search: the network so far, the truth table of each signal, and the signal that was found last. It is
 * the wanted function, or its complement: a later node takes either. */
struct life_search {
    struct life_network net;
    life_table signal[LIFE_NETWORK_INPUTS + LIFE_NETWORK_NODES];
    int found;
};

static inline int life_signals(const struct life_search *s)
{
    return s->net.inputs + s->net.count;
}

/* A signal or its complement. */
static inline life_table life_literal(life_table signal, int on)
{
    return on ? signal : ~signal;
}

/* The inputs for which signals a, b and c have the value i. */
static inline life_table life_minterm(const struct life_search *s, int a, int b, int c, int i)
{
    return life_literal(s->signal[a], i & 4) & life_literal(s->signal[b], i & 2) & life_literal(s->signal[c], i & 1);
}

/* The part of a function with inputs in `where`. */
static inline struct life_function life_where(struct life_function f, life_table where)
{
    f.one &= where;
    f.zero &= where;
    return f;
}

/* Is the function 1 for some inputs and 0 for others? */
static inline bool life_mixed(struct life_function f)
{
    return f.one && f.zero;
}

/* Adds a node to the network. */
static inline void life_add_node(struct life_search *s, int lut, int a, int b, int c)
{
    struct life_node *node = &s->net.node[s->net.count];
    life_table signal = 0;
    for (int i = 0; i < 8; i++)
        signal |= lut >> i & 1 ? life_minterm(s, a, b, c, i) : 0;
    node->lut = (uint8_t) lut;
    node->input[0] = (uint8_t) a, node->input[1] = (uint8_t) b, node->input[2] = (uint8_t) c;
    s->found = life_signals(s);
    s->signal[s->found] = signal;
    s->net.count++;
}

/* Returns the lut that makes the function of three signals. -1: there is none. */
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

/* Colours a graph of eight vertices with two colours, so that no edge joins two of the same colour: the first vertex of
 * each connected part gets colour 1, and the colours of the others follow. apart[i] holds the neighbours of vertex i.
 * Returns the vertices of colour 1, which are the lut. -1: the graph has an odd circle. */
static inline int life_two_colours(const uint8_t apart[8])
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

/* Returns the lut of a g(a, b, c) for which f is a function of g, d and e. -1: there is none.
 *
 * The vertices of the graph are the eight values of (a, b, c). Two of them must have different values of g if, for the
 * same d and e, f is 1 with one and 0 with the other: that is an edge. If f is 1 and 0 with the same a, b, c, d and e,
 * no g helps. */
static inline int life_inner_lut(const struct life_search *s, struct life_function f, const int abc[3], int d, int e)
{
    uint8_t apart[8] = {0};
    for (int k = 0; k < 4; k++) {
        const life_table where = life_literal(s->signal[d], k & 2) & life_literal(s->signal[e], k & 1);
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
    return life_two_colours(apart);
}

/* Adds g(a, b, c) and F(g, d, e), if they make f. */
static inline bool life_try_two(struct life_search *s, struct life_function f, const int abc[3], int d, int e)
{
    const int lut = life_inner_lut(s, f, abc, d, e);
    if (lut < 0)
        return false;
    life_add_node(s, lut, abc[0], abc[1], abc[2]);
    life_add_node(s, life_final_lut(s, f, s->found, d, e), s->found, d, e);
    return true;
}

/* Tries all ways to make f of four or five signals with two nodes: three signals go into g, the others into F beside g.
 * With four signals, F also takes one of the three again. */
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

/* Three or four signals. They divide the inputs into classes, in which they all have the same values. The parts are
 * those classes for which f is both 1 and 0. A further signal makes f a function of all these signals if it separates
 * the 1s from the 0s in each part. This test is quick, and few signals pass it. */
struct life_subset {
    int signal[5], count, parts;
    struct life_function part[16];
};

enum { LIFE_SUBSET_SIGNALS = 9, LIFE_SUBSETS = 84 + 126 };

/* Splits f by one signal after the other, and keeps the mixed parts. */
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

/* Lists all subsets of three and four of the first signals. Returns how many. */
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

/* Does the signal, together with those of the subset, determine the function? */
static inline bool life_completes(life_table signal, const struct life_subset *subset)
{
    for (int i = 0; i < subset->parts; i++)
        if (life_mixed(life_where(subset->part[i], signal)) || life_mixed(life_where(subset->part[i], ~signal)))
            return false;
    return true;
}

/* Looks for two nodes that use the signal and signals before it. */
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
                    life_add_node(s, lut, a, b, c);
                    return true;
                }
            }
    return false;
}

/* Tries one node of each lut on (a, b, c), and then two more that use it. Luts 128 … 255 are complements of the others,
 * and not needed. made[lut] is the truth table of the node. */
static inline bool life_three_of(struct life_search *s, struct life_function f, struct life_subset *subsets, int listed,
                                 const int abc[3])
{
    const int n = life_signals(s);
    life_table made[128] = {0};
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
        life_add_node(s, lut, abc[0], abc[1], abc[2]);
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

/* Looks for a network of at most `most` new nodes, and at most three. */
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

#endif
