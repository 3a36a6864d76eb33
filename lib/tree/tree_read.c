/* Cells of a tree. */
#include "tiles/section_tiles.h"
#include "tree/tree.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TILES = 1 << 21, MOST_PLACES = 1 << 26 }; /* which take about 3 GB, and 2 GB */

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A square of the tree: its first cell. */
struct square {
    uint32_t node, level;
    int64_t x, y;
};

static struct square quarter_of(const struct square *square, const uint32_t child[4], int i)
{
    const int64_t half = INT64_C(1) << (square->level - 1);
    return (struct square){child[i], square->level - 1, square->x + (i & 1 ? half : 0), square->y + (i & 2 ? half : 0)};
}

static bool is_apart(const struct square *square, const struct tree_box *box)
{
    const int64_t side = INT64_C(1) << square->level;
    return square->x >= box->end[0] || square->y >= box->end[1] || square->x + side <= box->begin[0] ||
           square->y + side <= box->begin[1];
}

/* Visits the blocks in a box that are not plain squares of this background. */
struct walk {
    const struct tree *tree;
    const uint32_t *plain;
    struct tree_box box;
    void (*visit)(struct walk *walk, const struct square *block);
    uint8_t *out;         /* of tree_read */
    struct tile_map *map; /* of tree_fill */
    int64_t (*places)[3]; /* of tree_places; NULL: they are counted */
    uint64_t count;
    struct live_cells *cells; /* of tree_list */
    uint64_t most;
    int64_t at[2]; /* of tree_seek: the first cell found. No square is of interest that begins behind it */
    struct engine_error *error;
};

/* The first cell of a square in the box. */
static void first_cell(const struct walk *walk, const struct square *square, int64_t at[2])
{
    at[0] = larger(square->x, walk->box.begin[0]);
    at[1] = larger(square->y, walk->box.begin[1]);
}

static bool is_behind(const struct walk *walk, const struct square *square)
{
    int64_t at[2];
    first_cell(walk, square, at);
    return at[1] > walk->at[1] || (at[1] == walk->at[1] && at[0] >= walk->at[0]);
}

/* Ends a walk. */
static void stop(struct walk *walk)
{
    walk->at[1] = INT64_MIN;
}

static void walk_square(struct walk *walk, const struct square *square)
{
    uint32_t child[4];
    if (square->node == walk->plain[square->level] || is_apart(square, &walk->box) || is_behind(walk, square))
        return;
    if (square->level == ENGINE_TREE_BLOCK) {
        walk->visit(walk, square);
        return;
    }
    walk->tree->table->children(walk->tree->self, square->node, child);
    for (int i = 0; i < 4; i++) {
        const struct square quarter = quarter_of(square, child, i);
        walk_square(walk, &quarter);
    }
}

static struct walk walk_of(const struct tree *tree, struct engine_tree_root root, const struct tree_box *box,
                           void (*visit)(struct walk *walk, const struct square *block))
{
    return (struct walk){
        .tree = tree, .plain = tree->plain[root.background], .box = *box, .visit = visit, .at = {INT64_MAX, INT64_MAX}};
}

static void walk_root(struct walk *walk, struct engine_tree_root root)
{
    const int64_t half = INT64_C(1) << (root.level - 1);
    walk_square(walk, &(struct square){root.node, root.level, -half, -half});
}

/* ---- Reading ------------------------------------------------------------------------------------------------------ */

/* Eight bits become eight bytes. */
static uint64_t bytes_of(uint64_t bits)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), apart = (bits & 255) * ones & UINT64_C(0x8040201008040201);
    return (apart + 127 * ones) >> 7 & ones;
}

union tree_cells tree_block(const struct tree *tree, uint32_t block)
{
    union tree_cells cells;
    tree->table->cells(tree->self, block, &cells);
    return cells;
}

void tree_row(const struct tree *tree, const union tree_cells *cells, int64_t y, uint8_t out[TREE_BLOCK])
{
    uint64_t bytes;
    if (tree->table->cell_bits == 8)
        memcpy(out, cells->bytes[y], TREE_BLOCK);
    else
        for (int i = 0; i < TREE_BLOCK; i += 8) {
            bytes = bytes_of(cells->rows[y] >> i);
            memcpy(out + i, &bytes, sizeof bytes);
        }
}

void tree_block_bytes(const struct tree *tree, uint32_t block, uint8_t out[TREE_BLOCK * TREE_BLOCK])
{
    const union tree_cells cells = tree_block(tree, block);
    for (int y = 0; y < TREE_BLOCK; y++)
        tree_row(tree, &cells, y, out + (ptrdiff_t) y * TREE_BLOCK);
}

static void copy_block(struct walk *walk, const struct square *block)
{
    const struct tree_box *box = &walk->box;
    const union tree_cells cells = tree_block(walk->tree, block->node);
    uint8_t row[TREE_BLOCK];
    const int64_t first = larger(block->x, box->begin[0]), last = smaller(block->x + TREE_BLOCK, box->end[0]);
    for (int64_t y = larger(block->y, box->begin[1]); y < smaller(block->y + TREE_BLOCK, box->end[1]); y++) {
        tree_row(walk->tree, &cells, y - block->y, row);
        memcpy(walk->out + (y - box->begin[1]) * (box->end[0] - box->begin[0]) + (first - box->begin[0]),
               row + (first - block->x), (size_t) (last - first));
    }
}

void tree_read(const struct tree *tree, const struct tree_box *box, uint8_t *out)
{
    struct walk walk = walk_of(tree, tree->root, box, copy_block);
    walk.out = out;
    memset(out, (int) tree->root.background, (size_t) ((box->end[0] - box->begin[0]) * (box->end[1] - box->begin[1])));
    walk_root(&walk, tree->root);
}

static void take_first(struct walk *walk, const struct square *block)
{
    first_cell(walk, block, walk->at);
}

bool tree_seek(const struct tree *tree, const struct tree_box *box, int64_t at[2])
{
    struct walk walk = walk_of(tree, tree->root, box, take_first);
    walk_root(&walk, tree->root);
    memcpy(at, walk.at, sizeof walk.at);
    return at[1] != INT64_MAX;
}

static void list_block(struct walk *walk, const struct square *block)
{
    const union tree_cells cells = tree_block(walk->tree, block->node);
    uint8_t row[TREE_BLOCK];
    for (int64_t y = 0; y < TREE_BLOCK && walk->error->status == 0; y++) {
        const int64_t first[3] = {block->x, block->y + y, 0};
        tree_row(walk->tree, &cells, y, row);
        live_cells_add(walk->cells, first, row, TREE_BLOCK, walk->error);
    }
    if (walk->error->status != 0 || walk->cells->count > walk->most)
        stop(walk);
}

int tree_list(const struct tree *tree, uint64_t most, struct live_cells *cells, struct engine_error *error)
{
    const struct tree_box all = {{INT64_MIN, INT64_MIN}, {INT64_MAX, INT64_MAX}};
    struct walk walk = walk_of(tree, tree->root, &all, list_block);
    walk.cells = cells;
    walk.most = most;
    walk.error = error;
    error->status = 0;
    walk_root(&walk, tree->root);
    return error->status;
}

/* ---- Tiles ------------------------------------------------------------------------------------------------------- */

static void add_place(struct walk *walk, const struct square *block)
{
    const int64_t middle = (int64_t) plan_middle(walk->tree->state->plan, 0);
    if (walk->places)
        memcpy(walk->places[walk->count], (int64_t[3]){block->x, block->y, 0}, sizeof walk->places[0]);
    else if (block->x < -middle || block->y < -middle || block->x >= middle || block->y >= middle)
        error_set(walk->error, ENGINE_STATUS_OUTPUT, "the pattern reaches beyond the cells of snapshots");
    else if (walk->count == MOST_PLACES)
        error_set(walk->error, ENGINE_STATUS_OUTPUT, "a snapshot takes at most %d blocks of 64 x 64 cells",
                  MOST_PLACES);
    walk->count++;
    if (walk->error->status != 0)
        stop(walk);
}

int tree_places(const struct tree *tree, int64_t (**out)[3], uint64_t *count, struct engine_error *error)
{
    const struct tree_box all = {{INT64_MIN, INT64_MIN}, {INT64_MAX, INT64_MAX}};
    struct walk walk = walk_of(tree, tree->root, &all, add_place);
    walk.count = 1;
    walk.error = error;
    error->status = 0;
    walk_root(&walk, tree->root);
    if (error->status != 0)
        return error->status;
    *count = walk.count;
    *out = walk.places = calloc(walk.count, sizeof *walk.places);
    if (!walk.places)
        return error_memory(error, walk.count * sizeof *walk.places, "the places of the blocks");
    walk.count = 1;
    walk_root(&walk, tree->root);
    return 0;
}

static void make_tile(struct walk *walk, const struct square *block)
{
    struct tile_map *map = walk->map;
    const int64_t x = block->x / TREE_BLOCK + (int64_t) map->tiles[0] / 2,
                  y = block->y / TREE_BLOCK + (int64_t) map->tiles[1] / 2;
    if (x < 0 || y < 0 || x >= (int64_t) map->tiles[0] || y >= (int64_t) map->tiles[1])
        error_set(walk->error, ENGINE_STATUS_OUTPUT, "the pattern reaches beyond the cells of a copy");
    else if (map->count == MOST_TILES)
        error_set(walk->error, ENGINE_STATUS_OUTPUT, "a copy takes at most %d blocks of 64 x 64 cells", MOST_TILES);
    struct tile *tile =
        walk->error->status == 0 ? tile_map_make(map, (uint64_t[]){(uint64_t) x, (uint64_t) y, 0}, walk->error) : NULL;
    if (!tile) {
        stop(walk);
        return;
    }
    walk->tree->table->cells(walk->tree->self, block->node, tile->memory[0][tile->current]);
    tile->written = true;
}

int tree_fill(const struct tree *tree, struct engine_tree_root root, struct tile_map *map, struct engine_error *error)
{
    const struct tree_box all = {{INT64_MIN, INT64_MIN}, {INT64_MAX, INT64_MAX}};
    struct walk walk = walk_of(tree, root, &all, make_tile);
    walk.map = map;
    walk.error = error;
    error->status = 0;
    walk_root(&walk, root);
    if (error->status != 0)
        tile_map_clear(map);
    return error->status;
}
