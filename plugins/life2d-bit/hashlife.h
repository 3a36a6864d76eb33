/* The implementation `hashlife`: an instance, and the parts that it is made of. */
#ifndef LIFE2D_HASHLIFE_H
#define LIFE2D_HASHLIFE_H

#include "hashlife_kernel.h"
#include "hashlife_store.h"

/* The grid as a tree is a square of 2^level cells a side. Along an axis with the edges of a torus it holds as many
 * copies of a narrower grid side by side as needed; along an axis with dead edges, walls lie behind the grid. */
enum {
    HASHLIFE_BLOCK_LEVEL = 6,  /* the least: a square of 64 x 64 cells, whose rows are words */
    HASHLIFE_THREADS = 256,    /* the most */
    HASHLIFE_COUNTS = 1 << 14, /* in the cache of hashlife_population.c */
    HASHLIFE_KEPT = 512        /* nodes that the engine keeps, at most */
};

struct hashlife_count {
    uint32_t node; /* 0: none */
    uint64_t cells;
};

struct hashlife {
    struct store store;
    struct store_worker *workers; /* one for each thread; the first is that of the caller */
    const struct hashlife_kernel *kernel;
    char *rules;                    /* the kernel's form of the rule, for each thread */
    const struct engine_host *host; /* for its threads, in a call */
    uint32_t threads;
    uint64_t rest, resting; /* calls in which one thread works after memory was full: the last time, and from now on */
    uint64_t shared_calls, lone_calls; /* calls that threads shared, and those of them in which memory was full */
    bool has_shared;                   /* threads have shared this call */
    uint64_t width, height;            /* of the grid: powers of two, or multiples of 8 along axes with dead edges */
    bool dead[2];                      /* the edges along x and y are dead; else the grid is a torus along this axis */
    unsigned level;                    /* of the grid's tree */
    unsigned exponent;                 /* the steps of results are at most 2^exponent now */
    uint32_t wall;  /* a square a level below the tree's, all wall; of the present call of hashlife_step */
    uint32_t state; /* the tree of what is in the buffer; 0: not known */
    uint32_t kept_count, kept[HASHLIFE_KEPT]; /* on a grid without edges: the nodes that the engine keeps */
    uint64_t *alive; /* for each block of the grid, row by row: the bitwise or of its rows, for hashlife_read */
    struct hashlife_count *counts; /* live cells of nodes, as far as they lie in the grid */
    uint64_t counted;              /* the store's collections when they were counted */
    uint64_t memory;               /* the most MiB of the nodes */
    const char *memory_key;        /* that says so */
};

/* Rows of a grid: row y begins at words + y * stride. Cell x is bit x % 64 of word x / 64. */
struct hashlife_rows {
    uint64_t *words;
    int64_t stride;
};

/* The blocks of the grid along an axis of `cells` cells. */
static inline uint64_t hashlife_blocks(uint64_t cells)
{
    return ((cells - 1) >> HASHLIFE_BLOCK_LEVEL) + 1;
}

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

/* hashlife.c: an instance with room for so many blocks in `alive`, but without the size of its grid. `bytes`: the most
 * memory of its nodes; 0: life2d-bit.memory. NULL: there is no memory. */
struct hashlife *hashlife_new(const struct engine_call *call, uint64_t blocks, uint64_t bytes);

/* hashlife.c: begins a call of advance; the error of a call for which memory was too small; notes what is used. */
void hashlife_begin(struct hashlife *life, const struct engine_call *call);
int hashlife_fail(const struct hashlife *life, const struct engine_call *call);
void hashlife_note(const struct hashlife *life);

/* hashlife_step.c: the tree after `steps` steps, or 0 if there is no memory. */
uint32_t hashlife_step(struct hashlife *life, uint32_t tree, uint64_t steps);

/* hashlife_result.c: the middle of a node, half as wide, after 2^exponent steps, or fewer if the node is too small for
 * them; 0 if there is no memory. The caller keeps the node on the stack of the first worker. */
uint32_t hashlife_result(struct hashlife *life, uint32_t node, unsigned level);

/* hashlife_words.c: makes the squares of levels STORE_LEAF_LEVEL to `level` that consist of equal leaves: dead cells
 * with these walls. `squares`, one for each level, are on the stack of the store. False: there is no memory. */
bool hashlife_make_plain(struct hashlife *life, store_walls walls, unsigned level, uint32_t *squares);

/* hashlife_words.c: the node of a block with these rows of cells, and the walls of its leaves in the order of the nodes.
 * store_reserve has guaranteed its entries. */
uint32_t hashlife_block(struct hashlife *life, const uint64_t rows[64], const store_walls walls[16]);

/* hashlife_words.c: the tree of a grid, or 0 if there is no memory. */
uint32_t hashlife_read(struct hashlife *life, struct hashlife_rows rows);

/* hashlife_words.c: writes the squares of `tree` that are not those of `before`, which the grid holds. */
void hashlife_write(const struct hashlife *life, uint32_t before, uint32_t tree, struct hashlife_rows rows);

/* hashlife_population.c: the live cells of life->state. */
uint64_t hashlife_population(struct hashlife *life);

#endif
