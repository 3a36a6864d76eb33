/* Makes the tree of a grid, and writes a tree to a grid, by blocks of 64 x 64 cells. */
#include "hashlife.h"

enum { BLOCK = 1 << HASHLIFE_BLOCK_LEVEL, LEAF = 1 << STORE_LEAF_LEVEL };

/* A square of the torus's tree: its first cell and its level. */
struct square {
    uint64_t x, y;
    unsigned level;
};

static struct square quarter_of(struct square square, int i)
{
    const uint64_t half = (uint64_t) 1 << (square.level - 1);
    return (struct square){square.x + (i & 1 ? half : 0), square.y + (i & 2 ? half : 0), square.level - 1};
}

/* Which leaf of a block holds piece i of row y: child leaf % 4 of the block's child leaf / 4. */
static unsigned leaf_of(unsigned i, unsigned y)
{
    return y / 32 * 8 + i / 2 * 4 + y / LEAF % 2 * 2 + i % 2;
}

/* ---- From words ------------------------------------------------------------------------------------------------ */

/* A word of a row. Narrow grids fill it with copies of the row. */
static uint64_t word_at(const struct hashlife *life, struct hashlife_rows rows, uint64_t x, uint64_t y)
{
    uint64_t word = rows.words[(int64_t) (y & (life->height - 1)) * rows.stride + (int64_t) (x / 64)];
    if (life->width >= BLOCK)
        return word;
    word &= ((uint64_t) 1 << life->width) - 1;
    for (uint64_t width = life->width; width < BLOCK; width *= 2)
        word |= word << width;
    return word;
}

static uint32_t empty_block(struct store *store)
{
    uint32_t id = store_leaf(store, &(struct store_leaf){0});
    for (int level = STORE_LEAF_LEVEL; level < HASHLIFE_BLOCK_LEVEL; level++)
        id = store_node(store, (uint32_t[]){id, id, id, id});
    return id;
}

/* The node of a block; 0: there is no memory. */
static uint32_t read_block(struct hashlife *life, struct hashlife_rows rows, struct square at)
{
    struct store *store = &life->store;
    struct store_leaf leaves[16];
    uint32_t ids[4][4], nodes[4];
    uint64_t words[BLOCK], alive = 0;
    if (!store_reserve(store))
        return 0;
    for (uint64_t y = 0; y < BLOCK; y++)
        alive |= words[y] = word_at(life, rows, at.x, at.y + y);
    if (!alive)
        return empty_block(store);
    for (uint64_t y = 0; y < BLOCK; y++) {
        const uint64_t word = words[y];
        for (unsigned i = 0; i < 4; i++)
            leaves[leaf_of(i, (unsigned) y)].row[y % LEAF] = (uint16_t) (word >> (LEAF * i));
    }
    store_leaves(store, 16, leaves, ids[0]);
    store_nodes(store, 4, ids[0], nodes);
    return store_node(store, nodes);
}

/* The node of a square; 0: there is no memory. Quarters beyond the grid repeat those inside. */
static uint32_t read_square(struct hashlife *life, struct hashlife_rows rows, struct square square)
{
    if (square.level == HASHLIFE_BLOCK_LEVEL)
        return read_block(life, rows, square);
    uint32_t *child = hashlife_push(life, 4), id = 0;
    for (int i = 0; i < 4; i++) {
        const struct square quarter = quarter_of(square, i);
        const int same = i & ~(quarter.x >= life->width ? 1 : 0) & ~(quarter.y >= life->height ? 2 : 0);
        child[i] = same != i ? child[same] : read_square(life, rows, quarter);
        if (!child[i])
            break;
    }
    if (child[3] && store_reserve(&life->store))
        id = store_node(&life->store, child);
    hashlife_pop(life, 4);
    return id;
}

uint32_t hashlife_read(struct hashlife *life, struct hashlife_rows rows)
{
    return read_square(life, rows, (struct square){0, 0, life->level});
}

/* ---- To words -------------------------------------------------------------------------------------------------- */

/* Writes the rows of a block, four leaves side by side at a time. */
static void write_block(const struct hashlife *life, uint32_t block, struct hashlife_rows rows, struct square at)
{
    const union store_entry *entries = life->store.entries;
    uint64_t *word = rows.words + (int64_t) at.y * rows.stride + (int64_t) (at.x / 64);
    for (uint64_t y = 0; y < BLOCK && at.y + y < life->height; y += LEAF) {
        const struct store_leaf *leaves[4];
        for (unsigned i = 0; i < 4; i++) {
            const unsigned place = leaf_of(i, (unsigned) y);
            leaves[i] = &entries[entries[entries[block].node.child[place / 4]].node.child[place % 4]].leaf;
        }
        for (uint64_t i = 0; i < LEAF && at.y + y + i < life->height; i++, word += rows.stride)
            *word = leaves[0]->row[i] | (uint64_t) leaves[1]->row[i] << 16 | (uint64_t) leaves[2]->row[i] << 32 |
                    (uint64_t) leaves[3]->row[i] << 48;
    }
}

static void write_square(const struct hashlife *life, uint32_t before, uint32_t after, struct hashlife_rows rows,
                         struct square square)
{
    if (before == after || square.x >= life->width || square.y >= life->height)
        return;
    if (square.level == HASHLIFE_BLOCK_LEVEL) {
        write_block(life, after, rows, square);
        return;
    }
    for (int i = 0; i < 4; i++)
        write_square(life, before ? life->store.entries[before].node.child[i] : 0,
                     life->store.entries[after].node.child[i], rows, quarter_of(square, i));
}

void hashlife_write(const struct hashlife *life, uint32_t before, uint32_t torus, struct hashlife_rows rows)
{
    write_square(life, before, torus, rows, (struct square){0, 0, life->level});
}
