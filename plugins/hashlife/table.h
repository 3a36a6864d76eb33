/* The hash table of the store: where an entry belongs, and what a line holds. */
#ifndef HASHLIFE_TABLE_H
#define HASHLIFE_TABLE_H

#include "store.h"

#include <common/vector.h>
#include <string.h>

enum {
    LINE_ENTRIES = 12,
    LINE_LOAD = 8 /* entries for each line of the table, on average: then few lines are full */
};
#define LINE_LOCKED (UINT32_C(1) << 31)

/* A thread that finds a tag also finds the entry: the entry is written before its tag, and no tag is ever changed until
 * all threads wait. */
struct store_line {
    uint8_t tag[LINE_ENTRIES]; /* 0: free */
    uint32_t count;            /* of entries; with LINE_LOCKED while a thread adds one */
    uint32_t entry[LINE_ENTRIES];
};

static inline bool bit_of(const uint64_t *bits, uint64_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

static inline void set_bit(uint64_t *bits, uint64_t i, bool on)
{
    bits[i / 64] = (bits[i / 64] & ~((uint64_t) 1 << (i % 64))) | (uint64_t) on << (i % 64);
}

static inline uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Clears the table for `lines` lines. */
static inline void clear_lines(struct store *store, uint64_t lines)
{
    memset(store->table.lines, 0, lines * sizeof *store->table.lines);
    store->table.line_count = lines;
    store->hashed = 0;
}

/* The place of an entry in the table: its line, and its tag, which tells leaves from nodes and is never 0. */
struct place {
    uint64_t line;
    uint8_t tag;
};

static inline uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t hash = (a ^ a >> 31) * UINT64_C(0x9e3779b97f4a7c15) ^ (b ^ b >> 29) * UINT64_C(0xd6e8feb86659fd93);
    hash = (hash ^ hash >> 32) * UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 29;
}

static inline struct place place_of(struct store_table table, uint64_t hash, bool leaf)
{
    const uint8_t part = hash & 127;
    return (struct place){(hash >> 32) * table.line_count >> 32, (uint8_t) ((part ? part : 1) | leaf << 7)};
}

static inline struct place place_of_node(struct store_table table, const uint32_t child[4])
{
    return place_of(table, mixed(child[0] | (uint64_t) child[1] << 32, child[2] | (uint64_t) child[3] << 32), false);
}

static inline struct place place_of_leaf(struct store_table table, const struct store_leaf *leaf, store_walls walls)
{
    uint64_t word[sizeof *leaf / 8];
    memcpy(word, leaf, sizeof word);
    uint64_t hash = mixed(word[0], word[1]);
    if (sizeof word == 32)
        hash = mixed(hash, mixed(word[2], word[3]));
    return place_of(table, hash + walls * UINT64_C(0x9e3779b97f4a7c15), true);
}

typedef uint64_t __attribute__((may_alias)) tags_of_eight;
typedef uint32_t __attribute__((may_alias)) tags_of_four;

/* The entries of a line that may have the tag, as a bit for each: all that have it, and a few others. */
static inline uint32_t candidates(const struct store_line *line, uint8_t tag)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    const uint64_t low = __atomic_load_n((const tags_of_eight *) (const void *) line->tag, __ATOMIC_ACQUIRE);
    const uint32_t high = __atomic_load_n((const tags_of_four *) (const void *) (line->tag + 8), __ATOMIC_ACQUIRE);
    const uint64_t a = low ^ tag * ones, b = (high ^ tag * ones);
    /* a byte of 0 borrows from its top bit; the product gathers the top bits */
    const uint64_t first = ((a - ones) & ~a & tops) >> 7, second = ((b - ones) & ~b & tops) >> 7 & UINT32_MAX;
    const uint64_t gather = UINT64_C(0x0102040810204080);
    return (uint32_t) (first * gather >> 56 | second * gather >> 56 << 8);
}

static inline uint32_t entry_in_line(const struct store_line *line, unsigned i)
{
    return __atomic_load_n(&line->entry[i], __ATOMIC_RELAXED);
}

/* Adds an entry to a line that has room, and unlocks it. Writes tags by the same words that candidates() reads. */
static inline void add_to_line(struct store_line *line, uint32_t count, uint8_t tag, uint32_t id)
{
    tags_of_eight *low = (tags_of_eight *) (void *) line->tag;
    tags_of_four *high = (tags_of_four *) (void *) (line->tag + 8);
    __atomic_store_n(&line->entry[count], id, __ATOMIC_RELAXED);
    if (count < 8)
        __atomic_store_n(low, __atomic_load_n(low, __ATOMIC_RELAXED) | (uint64_t) tag << 8 * count, __ATOMIC_RELEASE);
    else
        __atomic_store_n(high, __atomic_load_n(high, __ATOMIC_RELAXED) | (uint32_t) tag << 8 * (count - 8),
                         __ATOMIC_RELEASE);
    __atomic_store_n(&line->count, count + 1, __ATOMIC_RELEASE);
}

static inline uint64_t line_after(struct store_table table, uint64_t line)
{
    return line + 1 < table.line_count ? line + 1 : 0;
}

/* Goes on to the other range if the first is used up. */
static inline void store_next_range(struct store_worker *worker)
{
    if (worker->now.next == worker->now.end) {
        worker->now = worker->later;
        worker->later = (struct store_range){0, 0};
    }
}

/* How many entries can be claimed now: limited by the array and by the load of the table. */
static inline uint64_t room(const struct store *store)
{
    const uint64_t table = store->table.line_count * LINE_LOAD;
    return least(store->capacity - store->used, table > store->hashed ? table - store->hashed : 0);
}

#endif
