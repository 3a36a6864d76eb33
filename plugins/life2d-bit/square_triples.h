/* What the search for networks (square_search.c) computes with: truth tables of signals, and the question which three
 * signals make a function. */
#ifndef LIFE2D_SQUARE_TRIPLES_H
#define LIFE2D_SQUARE_TRIPLES_H

#include "square_network.h"

#include <common/vector.h>

/* The truth table of a signal: a bit for each square. */
typedef uint64_t table __attribute__((vector_size(LIFE_SQUARES / 8), may_alias));

enum {
    WORDS = LIFE_SQUARES / 64,
    HINTS = 10,
    GIVEN = LIFE2D_SQUARE_INPUTS + HINTS, /* signals that exist at the start */
    NODES = LIFE2D_SQUARE_NODES - HINTS,  /* a choice by all cells in turn needs 127 at most */
    SIGNALS = GIVEN + NODES,
    SETS = (SIGNALS + 63) / 64,
    OBSTACLES = 24
};

/* A network of the search. Signals are the cells, the line functions, the hints, and then the nodes. */
struct network {
    int count, result;
    struct life_node node[NODES];
    table signal[SIGNALS];
};

/* A function with don't-cares: the squares for which it must be 1, and those for which it must be 0. */
struct function {
    table one, zero;
};

/* ---- Truth tables ------------------------------------------------------------------------------------------- */

INLINE bool any(const table *t)
{
    uint64_t bits = 0;
    for (int w = 0; w < WORDS; w++)
        bits |= (*t)[w];
    return bits != 0;
}

static inline bool is_mixed(const struct function *f)
{
    return any(&f->one) && any(&f->zero);
}

static inline struct function part_of(const struct function *f, const table *where)
{
    const struct function part = {f->one & *where, f->zero & *where};
    return part;
}

static inline int squares_of(const struct function *f)
{
    int squares = 0;
    for (int w = 0; w < WORDS; w++)
        squares += __builtin_popcountll(f->one[w] | f->zero[w]);
    return squares;
}

/* The squares for which a, b and c have the value i. */
INLINE table minterm(const table *a, const table *b, const table *c, int i)
{
    return (i & 4 ? *a : ~*a) & (i & 2 ? *b : ~*b) & (i & 1 ? *c : ~*c);
}

static inline void apply_lut(table *result, int lut, const table *a, const table *b, const table *c)
{
    table ones = {0};
    for (int i = 0; i < 8; i++)
        if (lut >> i & 1)
            ones |= minterm(a, b, c, i);
    *result = ones;
}

/* Returns the lut with which three signals make f. -1: there is none. */
static inline int fitting_lut(const struct network *net, const struct function *f, const uint8_t *abc)
{
    int lut = 0;
    for (int i = 0; i < 8; i++) {
        const table where = minterm(&net->signal[abc[0]], &net->signal[abc[1]], &net->signal[abc[2]], i);
        const struct function part = part_of(f, &where);
        if (is_mixed(&part))
            return -1;
        lut |= any(&part.one) << i;
    }
    return lut;
}

static inline int add_node(struct network *net, int lut, const uint8_t *abc)
{
    const struct life_node node = {(uint8_t) lut, {abc[0], abc[1], abc[2]}};
    const int signal = GIVEN + net->count;
    net->node[net->count++] = node;
    apply_lut(&net->signal[signal], lut, &net->signal[abc[0]], &net->signal[abc[1]], &net->signal[abc[2]]);
    return signal;
}

/* ---- Triples ------------------------------------------------------------------------------------------------ */

/* A set of candidates: bit c % 64 of word c / 64 for candidate c. */
struct set {
    uint64_t word[SETS];
};

/* The first 64 squares, in a scattered order, for which a function is wanted. `one` and `zero` have bit k for square k;
 * high[k] is the set of candidates that are 1 there. */
struct sample {
    uint64_t one, zero;
    struct set high[64];
};

static inline uint64_t bit_of(const table *t, uint32_t square)
{
    return (*t)[square / 64] >> square % 64 & 1;
}

static inline void take_sample(struct sample *sample, const struct network *net, const struct function *f,
                               const uint8_t *candidate, int count)
{
    memset(sample, 0, sizeof *sample);
    for (uint32_t i = 0, k = 0; i < LIFE_SQUARES && k < 64; i++) {
        const uint32_t square = (i * 197 + 31) % LIFE_SQUARES;
        const uint64_t one = bit_of(&f->one, square), zero = bit_of(&f->zero, square);
        if (!(one | zero))
            continue;
        sample->one |= one << k;
        sample->zero |= zero << k;
        for (int c = 0; c < count; c++)
            sample->high[k].word[c / 64] |= bit_of(&net->signal[candidate[c]], square) << c % 64;
        k++;
    }
}

/* Pairs of squares, with 1 wanted in one and 0 in the other, that few candidates distinguish: by[i] is the set of those
 * for pair i. Each pair needs one of its set among the three signals, so the sets leave few triples to try. */
struct obstacles {
    int count, size[OBSTACLES];
    struct set by[OBSTACLES];
};

static inline int bits_of(uint64_t v)
{
    v -= v >> 1 & UINT64_C(0x5555555555555555);
    v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
    return (int) (((v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * UINT64_C(0x0101010101010101) >> 56);
}

/* Inserts a pair where its size belongs, if it is among the smallest. */
static inline void insert_pair(struct obstacles *o, const struct set *by, int size)
{
    int at = o->count < OBSTACLES ? o->count++ : OBSTACLES - 1;
    for (; at > 0 && o->size[at - 1] > size; at--) {
        o->size[at] = o->size[at - 1];
        o->by[at] = o->by[at - 1];
    }
    o->size[at] = size;
    o->by[at] = *by;
}

static inline void find_obstacles(struct obstacles *o, const struct sample *sample)
{
    o->count = 0;
    for (uint64_t ones = sample->one; ones; ones &= ones - 1)
        for (uint64_t zeros = sample->zero; zeros; zeros &= zeros - 1) {
            const struct set *a = &sample->high[__builtin_ctzll(ones)], *b = &sample->high[__builtin_ctzll(zeros)];
            struct set by;
            int size = 0;
            for (int w = 0; w < SETS; w++) {
                by.word[w] = a->word[w] ^ b->word[w];
                size += bits_of(by.word[w]);
            }
            if (o->count < OBSTACLES || size < o->size[OBSTACLES - 1])
                insert_pair(o, &by, size);
        }
}

static inline bool has(const struct set *set, int candidate)
{
    return set->word[candidate / 64] >> candidate % 64 & 1;
}

/* The candidates that distinguish all pairs which neither a nor b distinguishes. */
static inline struct set third_of(const struct obstacles *o, const struct set *all, int a, int b)
{
    struct set set = *all;
    for (int i = 0; i < o->count; i++)
        if (!has(&o->by[i], a) && !has(&o->by[i], b))
            for (int w = 0; w < SETS; w++)
                set.word[w] &= o->by[i].word[w];
    return set;
}

/* The first pair that a candidate does not distinguish: its set, or all candidates if there is none. */
static const struct set *second_of(const struct obstacles *o, const struct set *all, int a)
{
    for (int i = 0; i < o->count; i++)
        if (!has(&o->by[i], a))
            return &o->by[i];
    return all;
}

/* The first member of a set, which it leaves. -1: the set is empty. */
static inline int take_member(struct set *set)
{
    for (int w = 0; w < SETS; w++)
        if (set->word[w]) {
            const int member = 64 * w + __builtin_ctzll(set->word[w]);
            set->word[w] &= set->word[w] - 1;
            return member;
        }
    return -1;
}

/* Looks for three of the candidates that make f. Returns the lut, or -1. Each pair that it tries takes one from the
 * trials. */
static inline int find_triple(const struct network *net, const struct function *f, const uint8_t *candidate, int count,
                              uint8_t *abc, int64_t *trials)
{
    struct sample sample;
    struct obstacles o;
    struct set all = {{0}};
    for (int c = 0; c < count; c++)
        all.word[c / 64] |= (uint64_t) 1 << c % 64;
    take_sample(&sample, net, f, candidate, count);
    find_obstacles(&o, &sample);
    struct set first = o.count > 0 ? o.by[0] : all;
    for (int a; (a = take_member(&first)) >= 0;) {
        struct set second = *second_of(&o, &all, a);
        for (int b; (b = take_member(&second)) >= 0;) {
            struct set third = third_of(&o, &all, a, b);
            --*trials;
            for (int c; (c = take_member(&third)) >= 0;) {
                abc[0] = candidate[a], abc[1] = candidate[b], abc[2] = candidate[c];
                const int lut = fitting_lut(net, f, abc);
                *trials -= 5;
                if (lut >= 0)
                    return lut;
            }
        }
    }
    return -1;
}

#endif
