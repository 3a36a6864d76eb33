/* Grids without edges, whose state is a tree: blocks of bits. */
#include "life2d.h"

#include "hashlife.h"

static int open_tree(const struct engine_call *call, uint64_t bytes, void **self)
{
    *self = life2d_hashlife_new(call, bytes);
    return *self ? 0 : ENGINE_NO_MEMORY;
}

static uint32_t block(void *self, const void *cells)
{
    static const store_walls none[16];
    struct hashlife *life = (struct hashlife *) self;
    return hashlife_tree_reserve(life) ? hashlife_block(life, (const uint64_t *) cells, none) : 0;
}

static void read_block(void *self, uint32_t node, void *cells)
{
    const union store_entry *entries = ((struct hashlife *) self)->store.table.entries;
    uint64_t *rows = (uint64_t *) cells;
    for (unsigned y = 0; y < 64; y++) {
        rows[y] = 0;
        for (unsigned i = 0; i < 4; i++) {
            const uint32_t quarter = entries[node].node.child[y / 32 * 2 + i / 2];
            const uint32_t leaf = entries[quarter].node.child[y / 16 % 2 * 2 + i % 2];
            rows[y] |= (uint64_t) entries[leaf].leaf.row[y % 16] << 16 * i;
        }
    }
}

const struct engine_tree life2d_tree = {HASHLIFE_TREE,     .cell_bits = 1,
                                        .open = open_tree, .close = life2d_hashlife_close,
                                        .block = block,    .cells = read_block};
