/* Snapshots of trees that are too large for tiles. Each different block is written once, as a tile at a place that means
 * nothing, and each different square above it as the numbers of its quarters. So the size of the snapshot grows with the
 * number of nodes. */
#include "base/list.h"
#include "tree/tree.h"

#include <stdlib.h>
#include <string.h>

enum { ATLAS_WIDTH = 1 << 14, ATLAS_MOST = 1 << 26 }; /* blocks side by side, and in all */

/* The number of each node. Blocks and larger squares are counted apart, from 0. */
struct numbered {
    uint32_t node, number; /* node 0: a free place */
};

struct atlas {
    const struct tree *tree;
    struct numbered *table; /* of `room` places, a power of 2 */
    uint64_t room, count;
    uint32_t *blocks, block_count;
    struct tile_nodes nodes;
};

static struct numbered *place_of(const struct atlas *atlas, uint32_t node)
{
    uint64_t at = node * UINT64_C(0x9E3779B97F4A7C15);
    for (at ^= at >> 32;; at++) {
        struct numbered *place = &atlas->table[at & (atlas->room - 1)];
        if (place->node == 0 || place->node == node)
            return place;
    }
}

/* Keeps half of the places free. */
static bool make_room(struct atlas *atlas)
{
    if (atlas->room > 2 * atlas->count)
        return true;
    const struct atlas old = *atlas;
    atlas->room = old.room ? 2 * old.room : 1024;
    atlas->table = calloc(atlas->room, sizeof *atlas->table);
    for (uint64_t i = 0; i < old.room && atlas->table; i++)
        if (old.table[i].node)
            *place_of(atlas, old.table[i].node) = old.table[i];
    free(old.table);
    return atlas->table;
}

static bool add_block(struct atlas *atlas, uint32_t node)
{
    uint32_t *blocks = list_grow(atlas->blocks, atlas->block_count, sizeof *blocks);
    if (!blocks)
        return false;
    blocks[atlas->block_count++] = node;
    atlas->blocks = blocks;
    return true;
}

static bool add_square(struct atlas *atlas, uint32_t level, const uint32_t quarters[4])
{
    uint32_t(*squares)[5] = list_grow(atlas->nodes.at, (uint32_t) atlas->nodes.count, sizeof *squares);
    if (!squares)
        return false;
    uint32_t *square = squares[atlas->nodes.count++];
    square[0] = level;
    memcpy(square + 1, quarters, 4 * sizeof *quarters);
    atlas->nodes.at = squares;
    return true;
}

/* Numbers a node after all that it consists of. False: no memory. */
static bool number(struct atlas *atlas, uint32_t node, uint32_t level, uint32_t *out)
{
    uint32_t child[4], quarters[4] = {0};
    if (!make_room(atlas))
        return false;
    const struct numbered *known = place_of(atlas, node);
    if (known->node) {
        *out = known->number;
        return true;
    }
    if (level > ENGINE_TREE_BLOCK) {
        atlas->tree->table->children(atlas->tree->self, node, child);
        for (int i = 0; i < 4; i++)
            if (!number(atlas, child[i], level - 1, &quarters[i]))
                return false;
    }
    const bool is_block = level == ENGINE_TREE_BLOCK;
    *out = is_block ? atlas->block_count : (uint32_t) atlas->nodes.count;
    if (!make_room(atlas) || !(is_block ? add_block(atlas, node) : add_square(atlas, level, quarters)))
        return false;
    *place_of(atlas, node) = (struct numbered){node, *out};
    atlas->count++;
    return true;
}

/* The first tile is the background. */
static bool place_blocks(const struct atlas *atlas, int64_t (**places)[3])
{
    *places = calloc(atlas->block_count, sizeof **places);
    for (uint64_t i = 1; i < atlas->block_count && *places; i++) {
        (*places)[i][0] = (int64_t) ((i - 1) % ATLAS_WIDTH * TREE_BLOCK);
        (*places)[i][1] = (int64_t) ((i - 1) / ATLAS_WIDTH * TREE_BLOCK);
    }
    return *places;
}

int tree_atlas(struct tree *tree, int64_t (**places)[3], uint64_t *count, struct tile_nodes *nodes,
               struct engine_error *error)
{
    struct atlas atlas = {.tree = tree};
    uint32_t first;
    *places = NULL;
    const bool made =
        number(&atlas, tree->plain[tree->root.background][ENGINE_TREE_BLOCK], ENGINE_TREE_BLOCK, &first) &&
        number(&atlas, tree->root.node, tree->root.level, &first);
    free(atlas.table);
    error->status = 0;
    if (made && atlas.block_count > ATLAS_MOST)
        error_set(error, ENGINE_STATUS_OUTPUT, "a snapshot takes at most %d different blocks of 64 x 64 cells",
                  ATLAS_MOST);
    else if (!made || !place_blocks(&atlas, places))
        error_memory(error, atlas.count * sizeof *nodes->at, "the squares of the tree");
    if (error->status != 0) {
        free(atlas.blocks);
        free(atlas.nodes.at);
        return error->status;
    }
    tree->atlas = atlas.blocks;
    *count = atlas.block_count;
    *nodes = atlas.nodes;
    return 0;
}

uint32_t tree_atlas_block(const struct tree *tree, const int64_t place[3])
{
    return tree->atlas[1 + place[1] / TREE_BLOCK * ATLAS_WIDTH + place[0] / TREE_BLOCK];
}

/* ---- Reading ------------------------------------------------------------------------------------------------------ */

/* The block of a tree at a place. */
static uint32_t block_at(const struct tree *tree, const int64_t place[3])
{
    const struct engine_tree_root *root = &tree->root;
    const int64_t half = INT64_C(1) << (root->level - 1);
    int64_t x = place[0] + half, y = place[1] + half;
    uint32_t node = root->node;
    if (x < 0 || y < 0 || x >= 2 * half || y >= 2 * half)
        return tree->plain[root->background][ENGINE_TREE_BLOCK];
    for (uint32_t level = root->level; level-- > ENGINE_TREE_BLOCK;) {
        uint32_t child[4];
        tree->table->children(tree->self, node, child);
        node = child[(y >> level & 1) * 2 + (x >> level & 1)];
    }
    return node;
}

/* The quarter of square i with this number; 0: there is none. `made` are the squares before it. */
static uint32_t quarter_of(const struct tree *tree, const int64_t (*places)[3], uint64_t count,
                           const struct tile_nodes *nodes, const uint32_t *made, uint64_t i, uint32_t number)
{
    const uint32_t level = nodes->at[i][0];
    if (level == ENGINE_TREE_BLOCK + 1)
        return number >= count ? 0
               : number > 0    ? block_at(tree, places[number])
                               : tree->plain[tree->root.background][ENGINE_TREE_BLOCK];
    return number < i && nodes->at[number][0] == level - 1 ? made[number] : 0;
}

/* Makes the squares. False: there is no memory, or, with *valid = false, they are no tree. */
static bool make_squares(const struct tree *tree, const int64_t (*places)[3], uint64_t count,
                         const struct tile_nodes *nodes, uint32_t *made, bool *valid)
{
    for (uint64_t i = 0; i < nodes->count; i++) {
        uint32_t quarters[4];
        *valid = nodes->at[i][0] > ENGINE_TREE_BLOCK && nodes->at[i][0] <= ENGINE_TREE_MOST;
        for (int q = 0; q < 4 && *valid; q++)
            *valid = (quarters[q] = quarter_of(tree, places, count, nodes, made, i, nodes->at[i][1 + q])) != 0;
        if (!*valid || !(made[i] = tree->table->node(tree->self, quarters)))
            return false;
    }
    return true;
}

int tree_atlas_join(struct tree *tree, int64_t (*places)[3], uint64_t count, const struct tile_nodes *nodes,
                    struct engine_error *error)
{
    const int64_t(*at)[3] = (const int64_t(*)[3]) places;
    uint32_t *made = malloc((nodes->count + 1) * sizeof *made);
    bool valid = nodes->count > 0;
    if (!made)
        return error_memory(error, nodes->count * sizeof *made, "the squares of the tree");
    bool whole = valid && make_squares(tree, at, count, nodes, made, &valid);
    if (!whole && valid) {
        tree->table->collect(tree->self);
        whole = make_squares(tree, at, count, nodes, made, &valid);
    }
    int status = !valid   ? error_set(error, ENGINE_STATUS_INPUT, "%s: not the squares of a tree", "tile_nodes")
                 : !whole ? tree_no_memory(tree, error)
                          : 0;
    if (status == 0)
        status = tree_set_root(
            tree,
            (struct engine_tree_root){made[nodes->count - 1], nodes->at[nodes->count - 1][0], tree->root.background},
            error);
    free(made);
    return status;
}
