/* The steps of `hashlife` (R. W. Gosper, "Exploiting regularities in large cellular spaces", Physica 10D, 1984). The
 * result of a node is its middle, half as wide, some steps later. It consists of results of smaller nodes:
 *
 *     . . . . . . . .     A node of level n, in squares of level n - 3. Nine nodes of level n - 1 overlap by half; their
 *     . a a b b c c .     results are the squares a to i of level n - 2.
 *     . a a b b c c .
 *     . d d e e f f .     Two ways lead to the middle: the four nodes abde, bcef, degh and efhi have results too, after
 *     . d d e e f f .     twice as many steps in all; or the middles of the four are taken as they are.
 *     . g g h h i i .
 *     . g g h h i i .     A node remembers its results. Equal nodes are the same entry of the store, so what happens at
 *     . . . . . . . .     many places or again and again is computed once.
 *
 * Results take 2^exponent steps, and those of nodes that are too small for that as many as they can, a fourth of their
 * width. The kernel computes results of the smallest nodes, 32 x 32 cells.
 *
 * Beyond a dead edge there are walls, squares whose cells are dead at all times (store_walls). */
#include "hashlife.h"

static uint32_t result_of(struct hashlife *life, uint32_t id, unsigned level);

static bool takes_all_it_can(const struct hashlife *life, unsigned level)
{
    return level - 2 <= life->exponent;
}

/* The walls of the middle of four leaves side by side. */
static store_walls middle_of_walls(const struct store *store, const uint32_t four[4])
{
    unsigned walls = 0;
    for (int i = 0; i < 4; i++)
        walls |= (store->walls[four[i]] >> (3 - i) & 1u) << i;
    return (store_walls) walls;
}

/* The result of a node of 32 x 32 cells. */
static uint32_t result_by_kernel(struct hashlife *life, uint32_t id)
{
    const union store_entry *entries = life->store.entries;
    const uint32_t *child = entries[id].node.child;
    const struct store_leaf *quarters[4];
    store_walls walls[4];
    struct store_leaf middle;
    for (int i = 0; i < 4; i++) {
        quarters[i] = &entries[child[i]].leaf;
        walls[i] = life->store.walls[child[i]];
    }
    life->kernel->advance(life->rule, quarters, walls,
                          takes_all_it_can(life, 5) ? HASHLIFE_KERNEL_STEPS : 1u << life->exponent, &middle);
    return store_leaf(&life->store, &middle, middle_of_walls(&life->store, child));
}

/* The nine nodes that overlap by half in a node, row by row. */
static void find_nine(struct store *store, uint32_t id, uint32_t nine[9])
{
    const union store_entry *entries = store->entries;
    const struct store_node node = entries[id].node, nw = entries[node.child[0]].node, ne = entries[node.child[1]].node,
                            sw = entries[node.child[2]].node, se = entries[node.child[3]].node;
    const uint32_t between[5][4] = {
        {nw.child[1], ne.child[0], nw.child[3], ne.child[2]}, /* north */
        {nw.child[2], nw.child[3], sw.child[0], sw.child[1]}, /* west */
        {nw.child[3], ne.child[2], sw.child[1], se.child[0]}, /* middle */
        {ne.child[2], ne.child[3], se.child[0], se.child[1]}, /* east */
        {sw.child[1], se.child[0], sw.child[3], se.child[2]}, /* south */
    };
    uint32_t found[5];
    store_nodes(store, 5, between[0], found);
    const uint32_t ids[9] = {node.child[0], found[0],      node.child[1], found[1],     found[2],
                             found[3],      node.child[2], found[4],      node.child[3]};
    for (int i = 0; i < 9; i++)
        nine[i] = ids[i];
}

/* The middle of four leaves side by side. */
static struct store_leaf middle_of_leaves(const union store_entry *entries, const uint32_t four[4])
{
    const uint16_t *row[4];
    struct store_leaf middle;
    for (int i = 0; i < 4; i++)
        row[i] = entries[four[i]].leaf.row;
    for (int y = 0; y < 8; y++) {
        middle.row[y] = (uint16_t) (row[0][y + 8] >> 8 | row[1][y + 8] << 8);
        middle.row[y + 8] = (uint16_t) (row[2][y] >> 8 | row[3][y] << 8);
    }
    return middle;
}

/* The middles of four groups of four entries of `level` each. */
static void find_middles(struct store *store, const uint32_t four[4][4], unsigned level, uint32_t middles[4])
{
    const union store_entry *entries = store->entries;
    if (level == STORE_LEAF_LEVEL) {
        struct store_leaf leaves[4];
        store_walls walls[4];
        for (int i = 0; i < 4; i++) {
            leaves[i] = middle_of_leaves(entries, four[i]);
            walls[i] = middle_of_walls(store, four[i]);
        }
        store_leaves(store, 4, leaves, walls, middles);
        return;
    }
    uint32_t inner[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            inner[i][j] = entries[four[i][j]].node.child[3 - j];
    store_nodes(store, 4, inner[0], middles);
}

/* The result of a node above the smallest. `frame`, 13 zeros on the stack of the store, holds what must be kept. */
static uint32_t result_of_parts(struct hashlife *life, uint32_t id, unsigned level, uint32_t frame[13])
{
    struct store *store = &life->store;
    uint32_t *nine = frame, *quarters = frame + 9;
    find_nine(store, id, nine);
    for (int i = 0; i < 9; i++)
        if (!(nine[i] = result_of(life, nine[i], level - 1)))
            return 0;
    const uint32_t four[4][4] = {{nine[0], nine[1], nine[3], nine[4]},
                                 {nine[1], nine[2], nine[4], nine[5]},
                                 {nine[3], nine[4], nine[6], nine[7]},
                                 {nine[4], nine[5], nine[7], nine[8]}};
    if (!store_reserve(store))
        return 0;
    if (takes_all_it_can(life, level)) {
        store_nodes(store, 4, four[0], quarters);
        for (int i = 0; i < 4; i++)
            if (!(quarters[i] = result_of(life, quarters[i], level - 1)))
                return 0;
    } else {
        find_middles(store, four, level - 2, quarters);
    }
    return store_reserve(store) ? store_node(store, quarters) : 0;
}

static uint32_t compute_result(struct hashlife *life, uint32_t id, unsigned level)
{
    if (!store_reserve(&life->store))
        return 0;
    if (level == STORE_LEAF_LEVEL + 1)
        return result_by_kernel(life, id);
    const uint32_t result = result_of_parts(life, id, level, hashlife_push(life, 13));
    hashlife_pop(life, 13);
    return result;
}

/* The result of a node, or 0 if there is no memory. The caller keeps the node on the stack of the store. */
static uint32_t result_of(struct hashlife *life, uint32_t id, unsigned level)
{
    struct store *store = &life->store;
    const bool all = takes_all_it_can(life, level);
    const uint32_t known = all ? store->entries[id].node.result : store_memo(store, id, life->exponent);
    if (known)
        return known;
    const uint32_t result = compute_result(life, id, level);
    if (result && all)
        store->entries[id].node.result = result;
    else if (result)
        store_set_memo(store, id, life->exponent, result);
    return result;
}

/* What lies at column x and row y of a square of four by four quarters of the tree, in whose middle the tree is: a quarter
 * of the tree itself, as on a torus, or a wall. */
static uint32_t around(const struct hashlife *life, uint32_t tree, unsigned x, unsigned y)
{
    const bool beyond = (life->dead[0] && (x == 0 || x == 3)) || (life->dead[1] && (y == 0 || y == 3));
    return beyond ? life->wall : life->store.entries[tree].node.child[(y + 1) % 2 * 2 + (x + 1) % 2];
}

/* The tree 2^k steps later, at most half its width. It is the result of a node of twice its width, which has it in the
 * middle. */
static uint32_t leap(struct hashlife *life, uint32_t tree, unsigned k)
{
    struct store *store = &life->store;
    uint32_t parts[4][4], quarters[4];
    if (!store_reserve(store))
        return 0;
    for (unsigned i = 0; i < 16; i++) {
        const unsigned x = i / 4 % 2 * 2 + i % 2, y = i / 8 * 2 + i % 4 / 2;
        parts[i / 4][i % 4] = around(life, tree, x, y);
    }
    store_nodes(store, 4, parts[0], quarters);
    uint32_t *frame = hashlife_push(life, 1);
    frame[0] = store_node(store, quarters);
    life->exponent = k;
    const uint32_t result = result_of(life, frame[0], life->level + 1);
    hashlife_pop(life, 1);
    return result;
}

/* The tree 2^k steps later, for any k: larger numbers of steps are two halves, and the tree remembers its results. So
 * once the grid has been at all states of a period, each doubling of the steps costs two look-ups. */
static uint32_t double_leap(struct hashlife *life, uint32_t tree, unsigned k)
{
    struct store *store = &life->store;
    if (k < life->level)
        return leap(life, tree, k);
    uint32_t result = store_memo(store, tree, k);
    if (result)
        return result;
    uint32_t *frame = hashlife_push(life, 2);
    frame[0] = tree;
    frame[1] = double_leap(life, tree, k - 1);
    result = frame[1] ? double_leap(life, frame[1], k - 1) : 0;
    frame[1] = result;
    if (result && store_reserve(store))
        store_set_memo(store, tree, k, result);
    hashlife_pop(life, 2);
    return result;
}

static uint32_t take_steps(struct hashlife *life, uint32_t tree, uint64_t steps)
{
    uint32_t *frame = hashlife_push(life, 1);
    frame[0] = tree;
    for (unsigned k = 64; k-- > 0 && frame[0];)
        if (steps >> k & 1)
            frame[0] = double_leap(life, frame[0], k);
    tree = frame[0];
    hashlife_pop(life, 1);
    return tree;
}

uint32_t hashlife_step(struct hashlife *life, uint32_t tree, uint64_t steps)
{
    uint32_t *walls = hashlife_push(life, life->level);
    const bool made = hashlife_make_plain(life, STORE_ALL_WALLS, life->level - 1, walls);
    life->wall = walls[life->level - 1];
    const uint32_t result = made ? take_steps(life, tree, steps) : 0;
    hashlife_pop(life, life->level);
    return result;
}
