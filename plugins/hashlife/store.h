/* The quadtrees of the implementation `hashlife`. Equal squares of cells are one entry of the store, so that two
 * squares are equal if their identifiers are.
 *
 *     leaf   the smallest square: 16 x 16 bits or 4 x 4 bytes (leaf.h)
 *     node   level n: 2^n x 2^n cells, as four entries of level n - 1:   child[0] child[1]
 *                                                                        child[2] child[3]
 *     memo   results of a node for steps of several sizes
 *
 * All entries have 32 bytes and stand in one array. An identifier is an index of it; 0 means none. A hash table finds
 * the leaves and nodes. Its lines are cache lines of twelve tags, parts of the hash, and twelve identifiers. So a
 * look-up waits for memory once if the entry is new, and twice if it exists. Callers look up many entries in one call,
 * which then wait at the same time.
 *
 * Entries are kept until the array is full. Then the store keeps what can be reached from the roots of its workers, and
 * frees the rest (store_reserve). Identifiers of entries that are kept do not change.
 *
 * Several threads may make entries at the same time. They find entries without locks. To insert one, a thread locks the
 * line of the table, looks again, writes the entry, and then its tag. */
#ifndef HASHLIFE_STORE_H
#define HASHLIFE_STORE_H

#include "leaf.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    STORE_MEMO_SIZES = 6, /* sizes of steps in a memo */
    STORE_ROOTS = 16384,  /* entries that a computation holds at the same time */
    STORE_BATCH = 80,     /* look-ups at the same time */
    STORE_RESERVE = 96    /* entries that store_reserve guarantees */
};

/* The quarters of a leaf that lie beyond a dead edge of the grid: bit i for quarter i, in the order of the children of
 * a node. Leaves of bytes have none. Their cells are dead at all times. Leaves with the same cells and other walls are different. */
typedef uint8_t store_walls;
enum { STORE_ALL_WALLS = 15 };

struct store_node {
    uint32_t child[4];
    uint32_t result; /* the node's middle, half as wide, after as many steps as its width / 4; 0: not known */
    uint32_t memo;   /* its results after other numbers of steps; 0: none */
    uint32_t is_memo;
    uint32_t is_busy; /* a thread computes a result */
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
struct store;

/* Entries that a thread may make: those of [next, end) that are not kept. */
struct store_range {
    uint64_t next, end;
};

/* A thread that makes entries. It claims free entries of the store, some thousand at a time, so that threads seldom
 * meet. */
struct store_worker {
    struct store *store;
    struct store_range now, later; /* what it has claimed */
    uint64_t spare;                /* free entries in both */
    uint64_t memos;                /* that it made since it last claimed entries */
    uint32_t root_count;
    uint32_t roots[STORE_ROOTS]; /* a stack of the entries that a collection keeps; 0 is allowed */
};

/* What look-ups read. It does not change while entries are made, so they keep it in registers. */
struct store_table {
    union store_entry *entries;
    store_walls *walls; /* of each leaf */
    struct store_line *lines;
    uint64_t line_count; /* now */
};

struct store {
    struct store_table table;
    uint64_t *is_leaf;     /* a bit for each entry */
    uint64_t *is_kept;     /* a bit for each entry below `end` or `claimed` that the last collection kept */
    uint64_t capacity;     /* entries that the array has room for; a multiple of 64 */
    uint64_t end;          /* no entry from here on was kept */
    uint64_t claimed;      /* entries below were kept or claimed; a multiple of 64 */
    uint64_t used;         /* entries that were kept or claimed */
    uint64_t hashed;       /* entries in the table, and those that may come into it by claims */
    uint64_t line_most;    /* lines that fit */
    uint64_t collections;  /* since store_open */
    uint64_t alone;        /* claims that one thread may make before it asks for others */
    bool asks_for_others;  /* it has made them: store_reserve returned false */
    bool is_shared;        /* several threads make entries; only store_share and store_unshare change it */
    bool is_full;          /* a collection found too little room */
    bool never_collects;   /* the store is full when all entries are used up */
    bool is_done;          /* one of the threads has the result */
    uint32_t active;       /* threads between store_enter and store_leave */
    uint32_t waiting;      /* of these, threads that wait for a collection */
    uint64_t round;        /* counts the ends of such waiting */
    pthread_mutex_t mutex; /* for claims, and for all members from `claimed` on */
    pthread_cond_t changed;
    struct store_worker *workers;
    uint32_t worker_count;
    void *memory;
};

/* Allocates `bytes` of memory, of which the system provides what is used. The caller keeps the workers until
 * store_close. False: there is no memory, or so little that not even the smallest tree fits. */
bool store_open(struct store *store, uint64_t bytes, struct store_worker *workers, uint32_t worker_count);
void store_close(struct store *store);

/* The entries in use. */
uint64_t store_used(const struct store *store);

/* The walls of a leaf. */
static inline store_walls store_walls_of(struct store_table table, uint32_t leaf)
{
    return LEAF_HAS_WALLS ? table.walls[leaf] : 0;
}

/* Guarantees that STORE_RESERVE entries can be made. If there is no room, it waits until all active threads are here,
 * and one of them collects what cannot be reached from the roots of all workers: first it keeps known results of what
 * can be reached, and then only the entries themselves. False: there is still no room, or another thread has the
 * result, or `alone` is used up. */
bool store_refill(struct store_worker *worker);
static inline bool store_reserve(struct store_worker *worker)
{
    return worker->spare >= STORE_RESERVE || store_refill(worker);
}

/* Collects what cannot be reached from the roots of all workers, and ends all claims. No threads share the store. */
void store_collect(struct store *store);

/* Several threads make entries between these two calls, each with a worker of its own. */
void store_share(struct store *store);
void store_unshare(struct store *store);

/* A thread calls these before it makes entries, and afterwards. store_enter returns false if another thread has the
 * result already, or if there is no room. */
bool store_enter(struct store *store);
void store_leave(struct store *store, bool has_result);

/* The entry with this content, which is made if there is none. Every call takes at most one of the entries that
 * store_reserve guaranteed. */
uint32_t store_leaf(struct store_worker *worker, const struct store_leaf *leaf, store_walls walls);
uint32_t store_node(struct store_worker *worker, const uint32_t child[4]);

/* The same for `count` nodes or leaves, at most STORE_BATCH; `child` has four entries for each node. The look-ups wait for
 * memory at the same time. */
void store_nodes(struct store_worker *worker, uint32_t count, const uint32_t *child, uint32_t *ids);
void store_leaves(struct store_worker *worker, uint32_t count, const struct store_leaf *leaf, const store_walls *walls,
                  uint32_t *ids);

/* The result of a node after as many steps as its width / 4; 0: not known. */
static inline uint32_t store_result(const struct store *store, uint32_t node)
{
    return __atomic_load_n(&store->table.entries[node].node.result, __ATOMIC_ACQUIRE);
}

static inline void store_set_result(struct store *store, uint32_t node, uint32_t result)
{
    __atomic_store_n(&store->table.entries[node].node.result, result, __ATOMIC_RELEASE);
}

/* Does a thread compute a result of this node? A hint, for threads that share the work. */
static inline bool store_is_busy(const struct store *store, uint32_t node)
{
    return __atomic_load_n(&store->table.entries[node].node.is_busy, __ATOMIC_RELAXED);
}

static inline void store_set_busy(struct store *store, uint32_t node, bool busy)
{
    __atomic_store_n(&store->table.entries[node].node.is_busy, busy, __ATOMIC_RELAXED);
}

/* The result of a node after 2^k steps that was stored by store_set_memo; 0: none. */
uint32_t store_memo(const struct store *store, uint32_t node, unsigned k);

/* Stores it. Takes at most k / STORE_MEMO_SIZES + 1 of the entries that store_reserve guaranteed. */
void store_set_memo(struct store_worker *worker, uint32_t node, unsigned k, uint32_t result);

#endif
