/* Grids without edges: the state is a tree that the engine holds (engine/tree.h), and no array.
 *
 * All cells around the root have one value, the background. With B0 it changes. `plain` are the squares of background,
 * one for each level. */
#include "hashlife.h"

#include <string.h>

enum { LEVELS = ENGINE_TREE_MOST + 1 };

/* ---- Nodes ----------------------------------------------------------------------------------------------------- */

bool hashlife_tree_reserve(struct hashlife *life)
{
    life->store.never_collects = true;
    life->store.is_full = false;
    const bool reserved = store_reserve(&life->workers[0]);
    life->store.never_collects = false;
    return reserved;
}

uint32_t hashlife_tree_node(void *self, const uint32_t child[4])
{
    struct hashlife *life = (struct hashlife *) self;
    return hashlife_tree_reserve(life) ? store_node(&life->workers[0], child) : 0;
}

void hashlife_tree_children(void *self, uint32_t node, uint32_t child[4])
{
    memcpy(child, ((struct hashlife *) self)->store.table.entries[node].node.child, 4 * sizeof *child);
}

int hashlife_tree_keep(void *self, const uint32_t *nodes, uint32_t count)
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

void hashlife_tree_collect(void *self)
{
    struct hashlife *life = (struct hashlife *) self;
    push_kept(life);
    store_collect(&life->store);
}

uint64_t hashlife_tree_removals(void *self)
{
    return ((struct hashlife *) self)->store.collections;
}

/* ---- Steps ----------------------------------------------------------------------------------------------------- */

static bool make_plain(struct hashlife *life, uint32_t background, unsigned level, uint32_t *plain)
{
    const struct store_leaf leaf = leaf_plain(background);
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
    return leaf_value(&life->store.table.entries[square].leaf);
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

int hashlife_tree_advance(void *self, const struct engine_call *call, struct engine_tree_root *root)
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
            made = k < ENGINE_TREE_MOST && leap(life, &after, node, k);
            if (k >= ENGINE_TREE_MOST || after.level > ENGINE_TREE_MOST)
                return ENGINE_FAIL(call->host, ENGINE_UNSUPPORTED,
                                   "the pattern would leave a square of 2^%d cells a side", ENGINE_TREE_MOST);
        }
    life->shared_calls += life->has_shared;
    if (!made)
        return hashlife_fail(life, call);
    after.node = *node;
    *root = after;
    hashlife_note(life);
    return 0;
}

/* If the cells around the pattern are alive, the cells are those of the torus on which other implementations compute: 2^58. The
 * sums may exceed 64 bits, but not their difference. */
int hashlife_tree_measure(void *self, const struct engine_call *call, const struct engine_tree_root *root,
                          double *values)
{
    struct hashlife *life = (struct hashlife *) self;
    const struct engine_shape *shape = engine_field_shape(call->plan, 0);
    const struct store_leaf around = leaf_plain(root->background);
    const uint64_t all = shape->extent[0] * shape->extent[1],
                   square = root->level < 32 ? UINT64_C(1) << 2 * root->level : 0;
    life->state = root->node;
    life->level = root->level;
    for (uint32_t i = 0; i < life->kernel->metrics; i++) {
        const hashlife_cells cells = hashlife_population(life, i);
        values[i] +=
            life->kernel->population(&around, i) > 0 ? (double) ((uint64_t) cells + all - square) : (double) cells;
    }
    return 0;
}
