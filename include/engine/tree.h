/* engine/tree.h - a grid without edges that an implementation keeps as a tree of squares, since 1.15.
 *
 * The cells of such a grid lie in no buffer. Equal squares are one node of the tree, so that a large pattern with much
 * order needs little memory. A block is a node of level 6: 64 x 64 cells. A node of level n + 1 consists of four nodes of
 * level n. Equal nodes have the same identifier.
 *
 * The engine reads and makes nodes. So it needs nothing else from the implementation for files, pictures, metrics of
 * regions, hashes and checkpoints. */
#ifndef ENGINE_TREE_H
#define ENGINE_TREE_H

#include <engine/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An extension (engine_plugin.extension), version 1. The plugin has one field: a grid of two axes, whose cells are
 * numbers of 8 bits. On a grid without edges, [grid] edges = unbounded, the engine then calls these functions in place of create,
 * advance, measure and destroy. */
#define ENGINE_TREE(implementation) "engine.tree/" implementation

enum {
    ENGINE_TREE_BLOCK = 6, /* the level of a block, and the least of a root */
    ENGINE_TREE_MOST = 62  /* the largest level of a root */
};

/* A state: the middle of the root is cell 0 0. All cells around it have the value `background`. */
struct engine_tree_root {
    uint32_t node, level, background;
};

struct engine_tree {
    uint32_t size;      /* sizeof(struct engine_tree) */
    uint32_t cell_bits; /* of the cells of a block: 1 if the field has two values, or 8 */

    /* The same as create and destroy of an implementation. call->buffers is empty. `bytes`: the most memory that the
     * nodes may take, [run] memory; 0: the implementation chooses. */
    int (*open)(const struct engine_call *call, uint64_t bytes, void **self);
    void (*close)(void *self);

    /* Return the node with these cells, or with these quarters: north-west, north-east, south-west and south-east. 0: there
     * is no memory. They remove no node. One thread calls them at a time. The cells of a block are 64 rows, one after the
     * other: uint64_t, of which bit x is cell x, or 64 bytes. */
    uint32_t (*block)(void *self, const void *cells);
    uint32_t (*node)(void *self, const uint32_t child[4]);

    /* What a node consists of. Several threads may call them, but none while another one calls another function. */
    void (*cells)(void *self, uint32_t block, void *cells);
    void (*children)(void *self, uint32_t node, uint32_t child[4]);

    /* Sets the nodes that are kept, with all that they consist of. `advance` and `collect` may remove others. */
    int (*keep)(void *self, const uint32_t *nodes, uint32_t count);

    /* Removes the nodes that are not kept. */
    void (*collect)(void *self);

    /* The number of times that nodes were removed. As long as it is the same, each identifier means the same node. */
    uint64_t (*removals)(void *self);

    /* Takes call->steps steps from a root that is kept, and replaces it by the result. After an error the root is as
     * before. */
    int (*advance)(void *self, const struct engine_call *call, struct engine_tree_root *root);

    /* The same as measure of an implementation, for a root. */
    int (*measure)(void *self, const struct engine_call *call, const struct engine_tree_root *root, double *values);
};

#ifdef __cplusplus
}
#endif

#endif
