/* Counts the live cells of a tree. A square of an ordered pattern is at many places, and at many steps: it is counted
 * once, as long as the cache of the counts has it. */
#include "hashlife.h"

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

/* The halves of a square that is larger than the torus are equal along this axis, so one of them counts. */
static uint64_t of_node(struct hashlife *life, uint32_t metric, uint32_t node, unsigned level)
{
    if (level == STORE_LEAF_LEVEL)
        return of_leaf(life, metric, node);
    struct hashlife_count *count = &life->counts[(node + metric) % HASHLIFE_COUNTS];
    if (count->node == node && count->metric == metric)
        return count->cells;
    const uint64_t side = (uint64_t) 1 << level;
    const int equal = (is_narrower(life, 0, side) ? 1 : 0) | (is_narrower(life, 1, side) ? 2 : 0);
    uint64_t cells = 0;
    for (int i = 0; i < 4; i++)
        if (!(i & equal))
            cells += of_node(life, metric, life->store.table.entries[node].node.child[i], level - 1);
    *count = (struct hashlife_count){node, metric, cells};
    return cells;
}

/* After a collection, other squares may have the numbers of those that were counted. */
uint64_t hashlife_population(struct hashlife *life, uint32_t metric)
{
    if (life->counted != life->store.collections)
        for (uint32_t i = 0; i < HASHLIFE_COUNTS; i++)
            life->counts[i].node = 0;
    life->counted = life->store.collections;
    return of_node(life, metric, life->state, life->level);
}
