/* An unbounded grid that an implementation keeps as a tree of squares (engine/tree.h), and no array or tiles.
 *
 * The store has a map of tiles, too, whose tiles are blocks: cells that are written go there, and into the tree before
 * anything else happens to the state (tree_flush).
 *
 * Coordinates are cells from the middle of the grid. Elements of a state, and so all outputs, are those of a square of
 * 2^29 x 2^29 cells. The tree may be larger. */
#ifndef LIB_TREE_TREE_H
#define LIB_TREE_TREE_H

#include "files/squares.h"
#include "plugin/host.h"
#include "run/stepper.h"
#include "tiles/block_sum.h"
#include "tiles/tile_cells.h"
#include "tiles/tile_map.h"

#include <engine/tree.h>

/* Chooses tiles, or a tree for an implementation that keeps one. */
extern const struct divider tree_divider;

extern const struct store store_tree;

int stepper_tree_open(struct state *state, struct stepper **stepper, struct engine_error *error);

/* Describes the squares of a grid that lies in a tree. *given = false: it lies in none, the cells around the pattern are not 0, or
 * the pattern is small: then a file of its cells is the same as that of a grid in tiles. The squares live until the state
 * changes. */
int tree_squares(const struct state *state, struct io_squares *squares, bool *given, struct engine_error *error);

/* ---- For the files of this folder -------------------------------------------------------------------------------- */

enum { TREE_BLOCK = 1 << ENGINE_TREE_BLOCK, TREE_CELLS_LISTED = 1 << 24 };

/* The cells of a block: rows of bits, or of bytes. */
union tree_cells {
    uint64_t rows[TREE_BLOCK];
    uint8_t bytes[TREE_BLOCK][TREE_BLOCK];
};

struct tree_count {
    double cells, sum; /* those that are not 0, and the sum of their values */
    uint32_t most;     /* the largest value */
};

/* Cells [begin, end) along x and y. */
struct tree_box {
    int64_t begin[2], end[2];
};

/* What is known of a node. */
enum { FACT_COUNT = 1, FACT_SUM = 2, FACT_BOX = 4 };
struct tree_fact {
    uint32_t node;  /* 0: none */
    uint32_t known; /* FACT_… */
    struct tree_count count;
    struct block_sum sum;
    struct tree_box box; /* from its first cell */
};

struct tree_kept {
    struct tree *tree; /* NULL: it was closed */
    struct engine_tree_root root;
    struct tree_kept *next;
};

struct tree {
    const struct state *state;
    const struct engine_tree *table;
    void *self;
    struct host host;
    struct engine_tree_root root;
    uint32_t *plain[256]; /* squares of cells of a value, one for each level; NULL: not made */
    struct tile_map *map;
    bool written;            /* tiles of the map are not in the tree */
    uint32_t *atlas;         /* the different blocks, for a snapshot of a tree that is too large for tiles; or NULL */
    struct tree_kept *kept;  /* a list */
    struct tree_fact *facts; /* a table of 2^fact_bits places */
    uint64_t fact_count, removals;
    uint32_t fact_bits, fact_background;
    pthread_mutex_t lock; /* for everything but reading */
};

struct tree *tree_of(const struct state *state);

/* divider_tree.c: the macrocell file from which the tree is built without visiting single cells, or NULL. */
struct mc;
const struct mc *tree_pattern(const struct plan *plan);

/* Opens and closes the tree of a state that has a map of tiles. */
int tree_open(const struct state *state, struct tile_map *map, struct engine_error *error);
void tree_close(struct tree *tree);

/* The call that functions of the plugin get. */
struct engine_call tree_call(struct tree *tree, uint64_t steps);

/* Replaces the root. Tells the plugin which nodes are kept. */
int tree_set_root(struct tree *tree, struct engine_tree_root root, struct engine_error *error);

/* Makes a root of cells of a value. False: no memory. */
bool tree_plain_root(struct tree *tree, uint32_t background, struct engine_tree_root *root);

/* Puts background around a root until it has this level. False: no memory. tree_no_memory records the error. */
bool tree_widen(const struct tree *tree, struct engine_tree_root *root, uint32_t level);
int tree_no_memory(const struct tree *tree, struct engine_error *error);

/* Puts the written tiles into the tree. */
int tree_flush(struct tree *tree, struct engine_error *error);

/* tree_read.c: the cells of a block, and those of row y as bytes. */
union tree_cells tree_block(const struct tree *tree, uint32_t block);
void tree_row(const struct tree *tree, const union tree_cells *cells, int64_t y, uint8_t out[TREE_BLOCK]);

/* tree_read.c: all cells of a block as bytes, row by row. */
void tree_block_bytes(const struct tree *tree, uint32_t block, uint8_t out[TREE_BLOCK * TREE_BLOCK]);

/* tree_read.c: copies the cells of a box, row by row, to bytes. */
void tree_read(const struct tree *tree, const struct tree_box *box, uint8_t *out);

/* Finds the first cell of a box, in reading order, in a block that is not background. */
bool tree_seek(const struct tree *tree, const struct tree_box *box, int64_t at[2]);

/* Adds the cells that are not background to a list, until it has more than `most`. */
int tree_list(const struct tree *tree, uint64_t most, struct live_cells *cells, struct engine_error *error);

/* Lists the first cells of all blocks that are not background, behind a first entry for a block of background.
 * ENGINE_STATUS_OUTPUT: there are too many. */
int tree_places(const struct tree *tree, int64_t (**places)[3], uint64_t *count, struct engine_error *error);

/* tree_atlas.c: the same for a tree that is too large for that: lists its different blocks in tree->atlas, and gives them
 * places side by side, and its squares. The caller frees both. ENGINE_STATUS_OUTPUT, ENGINE_STATUS_DEVICE. */
int tree_atlas(struct tree *tree, int64_t (**places)[3], uint64_t *count, struct tile_nodes *nodes,
               struct engine_error *error);

/* tree_atlas.c: the block of the atlas at a place. */
uint32_t tree_atlas_block(const struct tree *tree, const int64_t place[3]);

/* tree_atlas.c: replaces a tree that consists of the blocks of an atlas. ENGINE_STATUS_INPUT, ENGINE_STATUS_DEVICE. */
int tree_atlas_join(struct tree *tree, int64_t (*places)[3], uint64_t count, const struct tile_nodes *nodes,
                    struct engine_error *error);

/* tree_read.c: makes tiles of all blocks of a root that are not background, for another tree. ENGINE_STATUS_OUTPUT: there are too many. */
int tree_fill(const struct tree *tree, struct engine_tree_root root, struct tile_map *map, struct engine_error *error);

/* tree_facts.c: counts the cells of a box; the sums of the whole tree for its hash; the least box with all cells
 * other than the background, which ends where it begins if there are none. */
int tree_count(struct tree *tree, const struct tree_box *box, struct tree_count *count, struct engine_error *error);
int tree_sum(struct tree *tree, struct block_sum *sum, struct engine_error *error);
int tree_find_box(struct tree *tree, struct tree_box *box, struct engine_error *error);

/* Forgets what is known, if nodes were removed since. */
void tree_check_facts(struct tree *tree);

#endif
