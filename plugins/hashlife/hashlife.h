/* HashLife: squares of cells that were seen before are not computed again. This folder has what plugins share; a plugin
 * links the sources for one kind of cells (leaf.h), and brings a kernel.
 *
 *   store.h       equal squares are one entry: the quadtree, its hash table, and bounded memory
 *   result.c      results of squares that are remembered, by one or several threads
 *   step.c        steps of a grid that is an array, from results of squares
 *   tree.c        grids without edges: the tree without an array
 *   population.c  the live cells of a tree
 *   instance.c    what one run has
 *   bytes.c       the smallest squares of cells that are bytes */
#ifndef HASHLIFE_H
#define HASHLIFE_H

#include "store.h"

#include <engine/tree.h>

enum {
    HASHLIFE_THREADS = 256,    /* the most */
    HASHLIFE_COUNTS = 1 << 14, /* in the cache of population.c, at first */
    HASHLIFE_KEPT = 512        /* nodes that the engine keeps, at most */
};

/* What computes the smallest squares. */
struct hashlife_kernel {
    /* Four leaves side by side become the leaf in their middle, after 2^(STORE_LEAF_LEVEL - 1) steps or fewer. `rule` is
     * that of the thread. */
    void (*advance)(void *rule, const struct store_leaf *const quarters[4], const store_walls walls[4], unsigned steps,
                    struct store_leaf *middle);

    /* The cells of a leaf that count for a metric of the plugin, which has so many. */
    uint32_t (*population)(const struct store_leaf *leaf, uint32_t metric);
    uint32_t metrics;
};

/* A root of 2^62 cells a side has up to 2^124. */
__extension__ typedef unsigned __int128 hashlife_cells;

struct hashlife_count {
    uint32_t node; /* 0: none */
    uint32_t metric;
    hashlife_cells cells;
};

struct hashlife {
    struct store store;
    struct store_worker *workers; /* one for each thread; the first is that of the caller */
    const struct hashlife_kernel *kernel;
    void *rules;                    /* the form of the rule for the kernel, by the plugin */
    uint64_t rule_bytes;            /* to that of the next thread; 0: all threads use the same one */
    const struct engine_host *host; /* for its threads, in a call */
    uint32_t threads;
    uint64_t rest,
        resting; /* calls in which one thread takes one node at a time, after memory was full: the last time, and from now on */
    uint64_t shared_calls, lone_calls; /* calls that threads shared, and those of them in which memory was full */
    bool has_shared;                   /* threads have shared this call */
    uint64_t width, height;            /* of the grid: powers of two, or multiples of 8 along axes with dead edges */
    bool dead[2];                      /* the edges along x and y are dead; else the grid is a torus along this axis */
    unsigned level;                    /* of the grid's tree */
    unsigned exponent;                 /* the steps of results are at most 2^exponent now */
    unsigned kinds; /* of single steps, which have results of their own; 0: one. More steps begin with kind 0 */
    unsigned kind;  /* of the next single step */
    uint32_t wall;  /* a square a level below the tree's, all wall; of the present call of hashlife_step */
    uint32_t state; /* the tree of what is in the buffer; 0: not known */
    uint32_t kept_count, kept[HASHLIFE_KEPT]; /* on a grid without edges: the nodes that the engine keeps */
    uint64_t *alive; /* for each block of the grid, row by row: the bitwise or of its rows, for hashlife_read */
    struct hashlife_count *counts;       /* live cells of nodes, as far as they lie in the grid */
    struct hashlife_count *grown_counts; /* that, if it was allocated; else NULL */
    uint64_t count_places, counts_made;  /* the places there; the squares that this count put into them */
    uint64_t counted;                    /* the store's collections when they were counted */
    uint64_t memory;                     /* the most MiB of the nodes */
    const char *memory_key;              /* that says so */
};

/* The stack of entries that the store keeps: pushes `count` zeros, and pops them. */
static inline uint32_t *hashlife_push(struct store_worker *worker, uint32_t count)
{
    uint32_t *frame = worker->roots + worker->root_count;
    for (uint32_t i = 0; i < count; i++)
        frame[i] = 0;
    worker->root_count += count;
    return frame;
}

static inline void hashlife_pop(struct store_worker *worker, uint32_t count)
{
    worker->root_count -= count;
}

/* instance.c: an instance for a grid without edges and without a rule. `bytes`: the most memory of its nodes, [run]
 * memory; 0: `memory` MiB, by this key. NULL: there is no memory. */
struct hashlife *hashlife_new(const struct engine_call *call, const struct hashlife_kernel *kernel, uint64_t bytes,
                              uint64_t memory, const char *memory_key);
void hashlife_close(void *self);

/* instance.c: begins a call of advance; the error of a call for which memory was too small; notes what is used. */
void hashlife_begin(struct hashlife *life, const struct engine_call *call);
int hashlife_fail(const struct hashlife *life, const struct engine_call *call);
void hashlife_note(const struct hashlife *life);

/* result.c: the middle of a node, half as wide, after 2^exponent steps, or fewer if the node is too small for them; 0 if
 * there is no memory. The caller keeps the node on the stack of the first worker. */
uint32_t hashlife_result(struct hashlife *life, uint32_t node, unsigned level);

/* step.c: on a torus, or a grid with dead edges that has walls: the tree after `steps` steps, or 0 if there is no memory. */
uint32_t hashlife_step(struct hashlife *life, uint32_t tree, uint64_t steps);

/* step.c: makes the squares of levels STORE_LEAF_LEVEL to `level` that consist of equal leaves: dead cells
 * with these walls. `squares`, one for each level, are on the stack of the store. False: there is no memory. */
bool hashlife_make_plain(struct hashlife *life, store_walls walls, unsigned level, uint32_t *squares);

/* population.c: what the kernel counts in life->state. */
hashlife_cells hashlife_population(struct hashlife *life, uint32_t metric);

/* tree.c: grids without edges, whose state is a tree that the engine holds. hashlife_tree_reserve makes room for a few
 * entries without a collection, because the engine has not kept what it builds. */
bool hashlife_tree_reserve(struct hashlife *life);
uint32_t hashlife_tree_node(void *self, const uint32_t child[4]);
void hashlife_tree_children(void *self, uint32_t node, uint32_t child[4]);
int hashlife_tree_keep(void *self, const uint32_t *nodes, uint32_t count);
void hashlife_tree_collect(void *self);
uint64_t hashlife_tree_removals(void *self);
int hashlife_tree_advance(void *self, const struct engine_call *call, struct engine_tree_root *root);
int hashlife_tree_measure(void *self, const struct engine_call *call, const struct engine_tree_root *root,
                          double *values);

/* The members of struct engine_tree that know neither the cells nor the rule. */
#define HASHLIFE_TREE \
    .size = sizeof(struct engine_tree), .node = hashlife_tree_node, .children = hashlife_tree_children, \
    .keep = hashlife_tree_keep, .collect = hashlife_tree_collect, .removals = hashlife_tree_removals, \
    .advance = hashlife_tree_advance, .measure = hashlife_tree_measure

#endif
