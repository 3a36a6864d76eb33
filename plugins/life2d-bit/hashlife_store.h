/* The quadtrees of the implementation `hashlife`. Equal squares of cells are one entry of the store, so that two squares
 * are equal if their identifiers are.
 *
 *     leaf   level 4: 16 x 16 cells
 *     node   level n > 4: 2^n x 2^n cells, as four entries of level n - 1:   child[0] child[1]
 *                                                                            child[2] child[3]
 *     memo   results of a node for steps of several sizes
 *
 * All entries have 32 bytes and stand in one array. An identifier is an index of it; 0 means none. A hash table finds
 * the leaves and nodes. Its lines are cache lines of twelve tags, parts of the hash, and twelve identifiers. So a
 * look-up waits for memory once if the entry is new, and twice if it exists.
 *
 * Entries are kept until the array is full. Then the store keeps what can be reached from its roots, and frees the
 * rest (store_reserve). Identifiers of entries that are kept do not change. */
#ifndef LIFE2D_HASHLIFE_STORE_H
#define LIFE2D_HASHLIFE_STORE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    STORE_LEAF_LEVEL = 4,
    STORE_MEMO_SIZES = 6, /* sizes of steps in a memo */
    STORE_ROOTS = 4096,   /* entries that a computation holds at the same time */
    STORE_RESERVE = 24    /* entries that store_reserve guarantees */
};

struct store_leaf {
    uint16_t row[16]; /* bit x of row[y] */
};

/* The quarters of a leaf that lie beyond a dead edge of the grid: bit i for quarter i, 8 x 8 cells, in the order of the
 * children of a node. Their cells are dead at all times. Leaves with the same cells and other walls are different. */
typedef uint8_t store_walls;
enum { STORE_ALL_WALLS = 15 };

struct store_node {
    uint32_t child[4];
    uint32_t result; /* the node's middle, half as wide, after as many steps as its width / 4; 0: not known */
    uint32_t memo;   /* its results after other numbers of steps; 0: none */
    uint32_t is_memo;
    uint32_t reserved;
};

struct store_memo {
    uint32_t result[STORE_MEMO_SIZES]; /* after 2^k, 2^(k + 1), … steps; k = 0 for the first memo of a node */
    uint32_t is_memo;                  /* where a node has it */
    uint32_t next;                     /* the memo that goes on with k + STORE_MEMO_SIZES */
};

union store_entry {
    struct store_leaf leaf;
    struct store_node node;
    struct store_memo memo;
};

struct store_line;

struct store {
    union store_entry *entries;
    struct store_line *lines;
    uint64_t *is_leaf;           /* a bit for each entry */
    store_walls *walls;          /* of each leaf */
    uint64_t *is_kept;           /* a bit for each entry below `end` that the last collection kept */
    uint64_t capacity;           /* entries that the array has room for */
    uint64_t end;                /* entries from here on were never used */
    uint64_t next;               /* entries below are in use; from here to `end`, those that were kept */
    uint64_t used;               /* entries in use */
    uint64_t spare;              /* entries that can be made before the next store_reserve */
    uint64_t hashed;             /* entries in the table */
    uint64_t line_count;         /* lines of the table now */
    uint64_t line_most;          /* lines that fit */
    uint64_t collections;        /* since store_open */
    uint32_t roots[STORE_ROOTS]; /* a stack of the entries that a collection keeps; 0 is allowed */
    uint32_t root_count;
    void *memory;
};

/* Allocates `bytes` of memory, of which the system provides what is used. False: there is no memory, or so little that
 * not even the smallest tree fits. */
bool store_open(struct store *store, uint64_t bytes);
void store_close(struct store *store);

/* Guarantees that STORE_RESERVE entries can be made. If there is no room, it collects what cannot be reached from
 * `roots`: first it keeps known results of what can be reached, and then only the entries themselves. False: there is
 * still no room. */
bool store_collect(struct store *store);
static inline bool store_reserve(struct store *store)
{
    return store->spare >= STORE_RESERVE || store_collect(store);
}

/* The entry with this content, which is made if there is none. Every call takes at most one of the entries that
 * store_reserve guaranteed. */
uint32_t store_leaf(struct store *store, const struct store_leaf *leaf, store_walls walls);
uint32_t store_node(struct store *store, const uint32_t child[4]);

/* The same for `count` nodes or leaves, at most 16; `child` has four entries for each node. The look-ups wait for memory
 * at the same time. */
void store_nodes(struct store *store, uint32_t count, const uint32_t *child, uint32_t *ids);
void store_leaves(struct store *store, uint32_t count, const struct store_leaf *leaf, const store_walls *walls,
                  uint32_t *ids);

/* The result of a node after 2^k steps that was stored by store_set_memo; 0: none. */
uint32_t store_memo(const struct store *store, uint32_t node, unsigned k);

/* Stores it. Takes at most k / STORE_MEMO_SIZES + 1 of the entries that store_reserve guaranteed. */
void store_set_memo(struct store *store, uint32_t node, unsigned k, uint32_t result);

#endif
