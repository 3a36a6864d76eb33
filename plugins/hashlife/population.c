/* Counts the live cells of a tree. A square of an ordered pattern is at many places, and at many steps: it is counted
 * once, as long as the cache of the counts has it. A cache that is smaller than the tree would let the time double with each
 * level, so it grows if many squares lose their places to others. */
#include "hashlife.h"

#include <stdlib.h>

enum { WAYS = 8 };

static bool is_narrower(const struct hashlife *life, uint32_t axis, uint64_t side)
{
    return !life->dead[axis] && side > (axis == 0 ? life->width : life->height);
}

/* A leaf of a narrow torus has several copies of the grid. */
static uint64_t of_leaf(const struct hashlife *life, uint32_t metric, uint32_t leaf)
{
    const uint64_t side = (uint64_t) 1 << STORE_LEAF_LEVEL,
                   columns = is_narrower(life, 0, side) ? side / life->width : 1,
                   rows = is_narrower(life, 1, side) ? side / life->height : 1;
    return life->kernel->population(&life->store.table.entries[leaf].leaf, metric) / (columns * rows);
}

/* The places in which the count of a square may be. */
static struct hashlife_count *set_of(const struct hashlife *life, uint32_t metric, uint32_t node)
{
    return &life->counts[(node + metric) % (life->count_places / WAYS) * WAYS];
}

/* Makes a cache of twice the size, without the counts of the old one. If there is no memory, the old one stays. */
static void grow(struct hashlife *life)
{
    const uint64_t places = 2 * life->count_places, bytes = places * sizeof *life->counts;
    struct hashlife_count *counts = bytes <= (life->memory << 20) / 4 ? calloc(places, sizeof *counts) : NULL;
    life->counts_made = 0;
    if (!counts)
        return;
    free(life->grown_counts);
    life->counts = life->grown_counts = counts;
    life->count_places = places;
}

static void remember(struct hashlife *life, uint32_t metric, uint32_t node, hashlife_cells cells)
{
    if (life->counts_made++ > 2 * life->count_places)
        grow(life);
    set_of(life, metric, node)[life->counts_made % WAYS] = (struct hashlife_count){node, metric, cells};
}

/* The halves of a square that is larger than the torus are equal along this axis, so one of them counts. */
static hashlife_cells of_node(struct hashlife *life, uint32_t metric, uint32_t node, unsigned level)
{
    if (level == STORE_LEAF_LEVEL)
        return of_leaf(life, metric, node);
    const struct hashlife_count *set = set_of(life, metric, node);
    for (int i = 0; i < WAYS; i++)
        if (set[i].node == node && set[i].metric == metric)
            return set[i].cells;
    const uint64_t side = (uint64_t) 1 << level;
    const int equal = (is_narrower(life, 0, side) ? 1 : 0) | (is_narrower(life, 1, side) ? 2 : 0);
    hashlife_cells cells = 0;
    for (int i = 0; i < 4; i++)
        if (!(i & equal))
            cells += of_node(life, metric, life->store.table.entries[node].node.child[i], level - 1);
    remember(life, metric, node, cells);
    return cells;
}

/* After a collection, other squares may have the numbers of those that were counted. */
hashlife_cells hashlife_population(struct hashlife *life, uint32_t metric)
{
    if (life->counted != life->store.collections)
        for (uint64_t i = 0; i < life->count_places; i++)
            life->counts[i].node = 0;
    life->counted = life->store.collections;
    life->counts_made = 0;
    return of_node(life, metric, life->state, life->level);
}
