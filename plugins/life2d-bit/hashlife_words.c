/* Makes the tree of a grid, and writes a tree to a grid, by blocks of 64 x 64 cells. */
#include "hashlife.h"

#include <string.h>

enum { BLOCK = 1 << HASHLIFE_BLOCK_LEVEL, LEAF = 1 << STORE_LEAF_LEVEL };

/* A square of the tree: its first cell and its level. */
struct square {
    uint64_t x, y;
    unsigned level;
};

static struct square quarter_of(struct square square, int i)
{
    const uint64_t half = (uint64_t) 1 << square.level >> 1;
    return (struct square){square.x + (i & 1 ? half : 0), square.y + (i & 2 ? half : 0), square.level - 1};
}

/* Which leaf of a block holds piece i of row y: child leaf % 4 of the block's child leaf / 4. */
static unsigned leaf_of(unsigned i, unsigned y)
{
    return y / 32 * 8 + i / 2 * 4 + y / LEAF % 2 * 2 + i % 2;
}

/* ---- From words ------------------------------------------------------------------------------------------------ */

/* A word of a row. A narrow torus fills it with copies of the row; the cells beyond a dead edge are dead. */
static uint64_t word_at(const struct hashlife *life, struct hashlife_rows rows, uint64_t x, uint64_t y)
{
    if (life->dead[1] && y >= life->height)
        return 0;
    const uint64_t row = life->dead[1] ? y : y & (life->height - 1), left = life->width - x;
    uint64_t word = rows.words[(int64_t) row * rows.stride + (int64_t) (x / 64)];
    if (left < BLOCK)
        word &= ((uint64_t) 1 << left) - 1;
    for (uint64_t width = left; width < BLOCK && !life->dead[0]; width *= 2)
        word |= word << width;
    return word;
}

/* The walls of the leaf whose first cell is at x, y. */
static store_walls walls_at(const struct hashlife *life, uint64_t x, uint64_t y)
{
    unsigned walls = 0;
    for (unsigned i = 0; i < 4; i++)
        if ((life->dead[0] && x + i % 2 * (LEAF / 2) >= life->width) ||
            (life->dead[1] && y + i / 2 * (LEAF / 2) >= life->height))
            walls |= 1u << i;
    return (store_walls) walls;
}

uint32_t hashlife_block(struct hashlife *life, const uint64_t rows[64], const store_walls walls[16])
{
    struct store_leaf leaves[16];
    uint32_t ids[4][4], nodes[4];
    for (unsigned y = 0; y < BLOCK; y++)
        for (unsigned i = 0; i < 4; i++)
            leaves[leaf_of(i, y)].row[y % LEAF] = (uint16_t) (rows[y] >> (LEAF * i));
    store_leaves(&life->workers[0], 16, leaves, walls, ids[0]);
    store_nodes(&life->workers[0], 4, ids[0], nodes);
    return store_node(&life->workers[0], nodes);
}

/* The node of a block; 0: there is no memory. */
static uint32_t read_block(struct hashlife *life, struct hashlife_rows rows, struct square at)
{
    uint64_t words[BLOCK];
    store_walls walls[16];
    for (uint64_t y = 0; y < BLOCK; y++)
        words[y] = word_at(life, rows, at.x, at.y + y);
    for (unsigned y = 0; y < BLOCK; y += LEAF)
        for (unsigned i = 0; i < 4; i++)
            walls[leaf_of(i, y)] = walls_at(life, at.x + LEAF * i, at.y + y);
    return store_reserve(&life->workers[0]) ? hashlife_block(life, words, walls) : 0;
}

/* Finds the blocks with live cells: row by row, which is much faster than block by block. */
static void find_alive(struct hashlife *life, struct hashlife_rows rows)
{
    const uint64_t columns = hashlife_blocks(life->width);
    memset(life->alive, 0, columns * hashlife_blocks(life->height) * sizeof *life->alive);
    for (uint64_t y = 0; y < life->height; y++) {
        uint64_t *alive = life->alive + y / BLOCK * columns;
        const uint64_t *row = rows.words + (int64_t) y * rows.stride;
        for (uint64_t i = 0; i < columns; i++)
            alive[i] |= row[i];
    }
}

/* Does the square end behind a dead edge? */
static bool meets_wall(const struct hashlife *life, struct square square)
{
    const uint64_t side = (uint64_t) 1 << square.level;
    return (life->dead[0] && square.x + side > life->width) || (life->dead[1] && square.y + side > life->height);
}

static bool is_empty(const struct hashlife *life, struct square block)
{
    return !meets_wall(life, block) && !life->alive[block.y / BLOCK * hashlife_blocks(life->width) + block.x / BLOCK];
}

/* The squares of all levels that are empty, and those that are all wall. */
struct plain {
    const uint32_t *empty, *wall;
};

/* The node of a square that begins in the grid; 0: there is no memory. On a torus, quarters beyond the grid repeat
 * those inside. */
static uint32_t read_square(struct hashlife *life, struct hashlife_rows rows, struct plain plain, struct square square)
{
    if (square.level == HASHLIFE_BLOCK_LEVEL)
        return is_empty(life, square) ? plain.empty[square.level] : read_block(life, rows, square);
    const uint32_t none = plain.empty[square.level - 1];
    struct store_worker *worker = &life->workers[0];
    uint32_t *child = hashlife_push(worker, 4), id = 0;
    for (int i = 0; i < 4; i++) {
        const struct square quarter = quarter_of(square, i);
        const bool beyond[2] = {quarter.x >= life->width, quarter.y >= life->height};
        const int same = i & ~(beyond[0] ? 1 : 0) & ~(beyond[1] ? 2 : 0);
        if ((beyond[0] && life->dead[0]) || (beyond[1] && life->dead[1]))
            child[i] = plain.wall[square.level - 1];
        else
            child[i] = same != i ? child[same] : read_square(life, rows, plain, quarter);
        if (!child[i])
            break;
    }
    if (child[0] == none && child[1] == none && child[2] == none && child[3] == none)
        id = plain.empty[square.level];
    else if (child[3] && store_reserve(worker))
        id = store_node(worker, child);
    hashlife_pop(worker, 4);
    return id;
}

uint32_t hashlife_read(struct hashlife *life, struct hashlife_rows rows)
{
    const uint32_t levels = life->level + 1;
    struct store_worker *worker = &life->workers[0];
    uint32_t *empty = hashlife_push(worker, levels), *wall = hashlife_push(worker, levels), tree = 0;
    find_alive(life, rows);
    if (hashlife_make_plain(life, 0, life->level, empty) &&
        hashlife_make_plain(life, STORE_ALL_WALLS, life->level, wall))
        tree = read_square(life, rows, (struct plain){empty, wall}, (struct square){0, 0, life->level});
    hashlife_pop(worker, 2 * levels);
    return tree;
}

/* ---- To words -------------------------------------------------------------------------------------------------- */

/* Changes up to four rows by the cells that differ: 16 bits of `difference` for each. */
static inline void change_rows(uint64_t *words, int64_t stride, uint64_t difference, unsigned shift, uint64_t count)
{
    for (uint64_t i = 0; i < 4 && i < count; i++)
        words[(int64_t) i * stride] ^= (difference >> (16 * i) & UINT16_MAX) << shift;
}

/* Most leaves change in few rows, so four rows that are as before are left alone. The rows of a narrow torus also hold
 * copies of its cells. */
static void write_leaf(const struct hashlife *life, uint32_t before, uint32_t after, struct hashlife_rows rows,
                       struct square at)
{
    uint64_t old[4], new[4];
    const uint64_t left = life->height - at.y;
    uint64_t *words = rows.words + (int64_t) at.y * rows.stride + (int64_t) (at.x / 64);
    memcpy(old, &life->store.table.entries[before].leaf, sizeof old);
    memcpy(new, &life->store.table.entries[after].leaf, sizeof new);
    for (unsigned i = 0; i < 4 && 4 * i < left; i++)
        if (old[i] != new[i])
            change_rows(words + 4 * i * rows.stride, rows.stride, old[i] ^ new[i], at.x % 64, left - 4 * i);
}

static void write_square(const struct hashlife *life, uint32_t before, uint32_t after, struct hashlife_rows rows,
                         struct square square)
{
    const union store_entry *entries = life->store.table.entries;
    if (before == after || square.x >= life->width || square.y >= life->height)
        return;
    if (square.level == STORE_LEAF_LEVEL)
        write_leaf(life, before, after, rows, square);
    else
        for (int i = 0; i < 4; i++)
            write_square(life, entries[before].node.child[i], entries[after].node.child[i], rows,
                         quarter_of(square, i));
}

void hashlife_write(const struct hashlife *life, uint32_t before, uint32_t tree, struct hashlife_rows rows)
{
    write_square(life, before, tree, rows, (struct square){0, 0, life->level});
}
