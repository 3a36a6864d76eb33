/* Grids without edges: the state is a tree that the engine holds (engine/tree.h), and no array.
 *
 * All cells around the root have one value, the background. With B0 it changes. `plain` are the squares of background,
 * one for each level. */
#include "life2d.h"

#include "hashlife.h"

#include <string.h>

enum { LEVELS = ENGINE_TREE_MOST + 1 };

/* ---- Nodes ----------------------------------------------------------------------------------------------------- */

int life2d_tree_open(const struct engine_call *call, uint64_t bytes, void **self)
{
    struct hashlife *life = hashlife_new(call, 1, bytes);
    if (!life)
        return ENGINE_NO_MEMORY;
    life->dead[0] = life->dead[1] = false;
    life->width = life->height = UINT64_C(1) << ENGINE_TREE_MOST; /* so the population is that of the whole tree */
    *self = life;
    return 0;
}

/* Makes room for a few entries without a collection: the engine has not kept what it builds. */
static bool reserve(struct hashlife *life)
{
    life->store.never_collects = true;
    life->store.is_full = false;
    const bool reserved = store_reserve(&life->workers[0]);
    life->store.never_collects = false;
    return reserved;
}

uint32_t life2d_tree_block(void *self, const uint64_t rows[64])
{
    static const store_walls none[16];
    struct hashlife *life = (struct hashlife *) self;
    return reserve(life) ? hashlife_block(life, rows, none) : 0;
}

uint32_t life2d_tree_node(void *self, const uint32_t child[4])
{
    struct hashlife *life = (struct hashlife *) self;
    return reserve(life) ? store_node(&life->workers[0], child) : 0;
}

void life2d_tree_rows(void *self, uint32_t block, uint64_t rows[64])
{
    const union store_entry *entries = ((struct hashlife *) self)->store.table.entries;
    for (unsigned y = 0; y < 64; y++) {
        rows[y] = 0;
        for (unsigned i = 0; i < 4; i++) {
            const uint32_t quarter = entries[block].node.child[y / 32 * 2 + i / 2];
            const uint32_t leaf = entries[quarter].node.child[y / 16 % 2 * 2 + i % 2];
            rows[y] |= (uint64_t) entries[leaf].leaf.row[y % 16] << 16 * i;
        }
    }
}

void life2d_tree_children(void *self, uint32_t node, uint32_t child[4])
{
    memcpy(child, ((struct hashlife *) self)->store.table.entries[node].node.child, 4 * sizeof *child);
}

int life2d_tree_keep(void *self, const uint32_t *nodes, uint32_t count)
{
    struct hashlife *life = (struct hashlife *) self;
    if (count > HASHLIFE_KEPT)
        return ENGINE_FAIL(life->host, ENGINE_NO_MEMORY, "it keeps at most %d states", HASHLIFE_KEPT);
    memcpy(life->kept, nodes, count * sizeof *nodes);
    life->kept_count = count;
    return 0;
}

static void push_kept(struct hashlife *life)
{
    life->workers[0].root_count = 0;
    memcpy(hashlife_push(&life->workers[0], life->kept_count), life->kept, life->kept_count * sizeof *life->kept);
}

void life2d_tree_collect(void *self)
{
    struct hashlife *life = (struct hashlife *) self;
    push_kept(life);
    store_collect(&life->store);
}

uint64_t life2d_tree_removals(void *self)
{
    return ((struct hashlife *) self)->store.collections;
}

/* ---- Steps ----------------------------------------------------------------------------------------------------- */

static bool make_plain(struct hashlife *life, uint32_t background, unsigned level, uint32_t *plain)
{
    struct store_leaf leaf;
    memset(&leaf, background ? 0xff : 0, sizeof leaf);
    for (unsigned n = STORE_LEAF_LEVEL; n <= level; n++) {
        if (!store_reserve(&life->workers[0]))
            return false;
        plain[n] =
            n == STORE_LEAF_LEVEL
                ? store_leaf(&life->workers[0], &leaf, 0)
                : store_node(&life->workers[0], (uint32_t[]){plain[n - 1], plain[n - 1], plain[n - 1], plain[n - 1]});
    }
    return true;
}

/* Puts background around the root until it has this level. */
static bool widen(struct hashlife *life, struct engine_tree_root *root, uint32_t *node, unsigned level,
                  const uint32_t *plain)
{
    for (; root->level < level; root->level++) {
        const uint32_t *child = life->store.table.entries[*node].node.child, none = plain[root->level - 1];
        const uint32_t around[4][4] = {{none, none, none, child[0]},
                                       {none, none, child[1], none},
                                       {none, child[2], none, none},
                                       {child[3], none, none, none}};
        uint32_t quarters[4];
        if (!store_reserve(&life->workers[0]))
            return false;
        store_nodes(&life->workers[0], 4, around[0], quarters);
        *node = store_node(&life->workers[0], quarters);
    }
    return true;
}

/* Leaves out background around the middle of the root. */
static bool narrow(struct hashlife *life, struct engine_tree_root *root, uint32_t *node, const uint32_t *plain)
{
    while (root->level > ENGINE_TREE_BLOCK + 1) {
        const union store_entry *entries = life->store.table.entries;
        uint32_t middle[4];
        for (unsigned i = 0; i < 4; i++) {
            const uint32_t *quarter = entries[entries[*node].node.child[i]].node.child;
            middle[i] = quarter[3 - i];
            for (unsigned j = 0; j < 4; j++)
                if (j != 3 - i && quarter[j] != plain[root->level - 2])
                    return true;
        }
        if (!store_reserve(&life->workers[0]))
            return false;
        *node = store_node(&life->workers[0], middle);
        root->level--;
    }
    return true;
}

/* The value of the cells of a plain square. */
static uint32_t value_of(const struct hashlife *life, uint32_t square, unsigned level)
{
    for (; level > STORE_LEAF_LEVEL; level--)
        square = life->store.table.entries[square].node.child[0];
    return life->store.table.entries[square].leaf.row[0] & 1;
}

/* 2^k steps: `node`, on the stack of the store, becomes the middle of a square that is so large that nothing leaves the
 * middle. */
static bool leap(struct hashlife *life, struct engine_tree_root *root, uint32_t *node, unsigned k)
{
    const unsigned level = (root->level > k + 1 ? root->level : k + 1) + 2;
    uint32_t *plain = hashlife_push(&life->workers[0], LEVELS + 2);
    if (!make_plain(life, root->background, level, plain) || !widen(life, root, node, level, plain))
        return false;
    life->exponent = k;
    const uint32_t result = hashlife_result(life, *node, level);
    if (!result)
        return false;
    *node = result;
    root->level--;
    const uint32_t around = hashlife_result(life, plain[level], level);
    if (!around)
        return false;
    root->background = value_of(life, around, level - 1);
    const bool made = make_plain(life, root->background, level, plain) && narrow(life, root, node, plain);
    hashlife_pop(&life->workers[0], LEVELS + 2);
    return made;
}

int life2d_tree_advance(void *self, const struct engine_call *call, struct engine_tree_root *root)
{
    struct hashlife *life = (struct hashlife *) self;
    struct engine_tree_root after = *root;
    hashlife_begin(life, call);
    push_kept(life);
    uint32_t *node = hashlife_push(&life->workers[0], 1);
    *node = root->node;
    bool made = true;
    for (unsigned k = 64; k-- > 0 && made;)
        if (call->steps >> k & 1) {
            if (after.level + 2 > ENGINE_TREE_MOST || k + 3 > ENGINE_TREE_MOST)
                return ENGINE_FAIL(call->host, ENGINE_UNSUPPORTED,
                                   "the pattern would leave a square of 2^%d cells a side", ENGINE_TREE_MOST - 2);
            made = leap(life, &after, node, k);
        }
    life->shared_calls += life->has_shared;
    if (!made)
        return hashlife_fail(life, call);
    after.node = *node;
    *root = after;
    hashlife_note(life);
    return 0;
}

/* The population is that of the torus on which other implementations compute: 2^58 cells. The sums may exceed 64 bits,
 * but not their difference. */
int life2d_tree_measure(void *self, const struct engine_call *call, const struct engine_tree_root *root, double *values)
{
    struct hashlife *life = (struct hashlife *) self;
    const struct engine_shape *shape = engine_field_shape(call->plan, LIFE2D_CELLS);
    const uint64_t all = shape->extent[0] * shape->extent[1],
                   square = root->level < 32 ? UINT64_C(1) << 2 * root->level : 0;
    life->state = root->node;
    life->level = root->level;
    const uint64_t live = hashlife_population(life);
    values[0] += (double) (live + (root->background ? all - square : 0));
    return 0;
}
