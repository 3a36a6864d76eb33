/* The steps of `hashlife`: results of nodes (result.c) whose middle is the grid.
 *
 * Beyond a dead edge there are walls, squares whose cells are dead at all times (store_walls). */
#include "hashlife.h"

/* What lies at column x and row y of a square of four by four quarters of the tree, in whose middle the tree is: a
 * quarter of the tree itself, as on a torus, or a wall. */
static uint32_t around(const struct hashlife *life, uint32_t tree, unsigned x, unsigned y)
{
    const bool beyond = (life->dead[0] && (x == 0 || x == 3)) || (life->dead[1] && (y == 0 || y == 3));
    return beyond ? life->wall : life->store.table.entries[tree].node.child[(y + 1) % 2 * 2 + (x + 1) % 2];
}

/* The tree 2^k steps later, at most half its width. It is the result of a node of twice its width, which has it in the
 * middle. */
static uint32_t leap(struct hashlife *life, uint32_t tree, unsigned k)
{
    struct store_worker *worker = &life->workers[0];
    uint32_t parts[4][4], quarters[4];
    if (!store_reserve(worker))
        return 0;
    for (unsigned i = 0; i < 16; i++) {
        const unsigned x = i / 4 % 2 * 2 + i % 2, y = i / 8 * 2 + i % 4 / 2;
        parts[i / 4][i % 4] = around(life, tree, x, y);
    }
    store_nodes(worker, 4, parts[0], quarters);
    uint32_t *frame = hashlife_push(&life->workers[0], 1);
    frame[0] = store_node(worker, quarters);
    life->exponent = k;
    const uint32_t result = hashlife_result(life, frame[0], life->level + 1);
    hashlife_pop(&life->workers[0], 1);
    return result;
}

/* The tree 2^k steps later, for any k: larger numbers of steps are two halves, and the tree remembers its results. So
 * once the grid has been at all states of a period, each doubling of the steps costs two look-ups. */
static uint32_t double_leap(struct hashlife *life, uint32_t tree, unsigned k)
{
    if (k < life->level)
        return leap(life, tree, k);
    uint32_t result = store_memo(&life->store, tree, k);
    if (result)
        return result;
    uint32_t *frame = hashlife_push(&life->workers[0], 2);
    frame[0] = tree;
    frame[1] = double_leap(life, tree, k - 1);
    result = frame[1] ? double_leap(life, frame[1], k - 1) : 0;
    frame[1] = result;
    if (result && store_reserve(&life->workers[0]))
        store_set_memo(&life->workers[0], tree, k, result);
    hashlife_pop(&life->workers[0], 2);
    return result;
}

static uint32_t take_steps(struct hashlife *life, uint32_t tree, uint64_t steps)
{
    uint32_t *frame = hashlife_push(&life->workers[0], 1);
    frame[0] = tree;
    for (unsigned k = 64; k-- > 0 && frame[0];)
        if (steps >> k & 1)
            frame[0] = double_leap(life, frame[0], k);
    tree = frame[0];
    hashlife_pop(&life->workers[0], 1);
    return tree;
}

bool hashlife_make_plain(struct hashlife *life, store_walls walls, unsigned level, uint32_t *squares)
{
    struct store_worker *worker = &life->workers[0];
    for (unsigned n = STORE_LEAF_LEVEL; n <= level; n++) {
        const uint32_t quarter = squares[n - 1];
        if (!store_reserve(worker))
            return false;
        squares[n] = n == STORE_LEAF_LEVEL ? store_leaf(worker, &(struct store_leaf){0}, walls)
                                           : store_node(worker, (uint32_t[]){quarter, quarter, quarter, quarter});
    }
    return true;
}

uint32_t hashlife_step(struct hashlife *life, uint32_t tree, uint64_t steps)
{
    uint32_t *walls = hashlife_push(&life->workers[0], life->level);
    const bool made = hashlife_make_plain(life, STORE_ALL_WALLS, life->level - 1, walls);
    life->wall = walls[life->level - 1];
    const uint32_t result = made ? take_steps(life, tree, steps) : 0;
    hashlife_pop(&life->workers[0], life->level);
    return result;
}
