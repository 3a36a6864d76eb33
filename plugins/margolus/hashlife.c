/* HashLife (hashlife/bytes.h), which also computes unbounded grids. The middle of a tree is the cell 0 0, and all
 * squares of the tree begin at even cells. So the blocks of even steps lie alike in all squares. Two steps, of which
 * the first is even, are the same for all squares at all times, and so are 4, 8, …. Single steps have two kinds, which
 * the tree remembers apart (struct hashlife, `kinds`). */
#include "margolus.h"

#include <hashlife/bytes.h>

enum { SIDE = HASHLIFE_SIDE, LEAF = 1 << STORE_LEAF_LEVEL };

struct form {
    struct margolus_rule rule;
    uint32_t odd; /* is the first step of the results odd? */
};

/* Blocks begin at cell `first` of the square. */
static void take_step(const struct margolus_rule *rule, uint8_t cells[SIDE][SIDE], uint32_t first)
{
    for (uint32_t y = first; y + 1 < SIDE; y += 2)
        for (uint32_t x = first; x + 1 < SIDE; x += 2) {
            uint8_t *upper = &cells[y][x], *lower = &cells[y + 1][x];
            const unsigned to = rule->to[upper[0] | upper[1] << 1 | lower[0] << 2 | lower[1] << 3];
            upper[0] = to & 1;
            upper[1] = to >> 1 & 1;
            lower[0] = to >> 2 & 1;
            lower[1] = to >> 3 & 1;
        }
}

static void middle_of(void *rule, const struct store_leaf *const quarters[4], const store_walls walls[4],
                      unsigned steps, struct store_leaf *middle)
{
    const struct form *form = (const struct form *) rule;
    uint8_t cells[SIDE][SIDE];
    (void) walls;
    for (int y = 0; y < SIDE; y++)
        for (int i = 0; i < 2; i++)
            memcpy(cells[y] + LEAF * i, quarters[y / LEAF * 2 + i]->row[y % LEAF], LEAF);
    for (unsigned step = 0; step < steps; step++)
        take_step(&form->rule, cells, (form->odd + step) & 1);
    for (int y = 0; y < LEAF; y++)
        memcpy(middle->row[y], cells[y + LEAF / 2] + LEAF / 2, LEAF);
}

static uint32_t population(const struct store_leaf *leaf, uint32_t metric)
{
    uint32_t count = 0;
    (void) metric;
    for (int i = 0; i < LEAF * LEAF; i++)
        count += leaf->row[i / LEAF][i % LEAF];
    return count;
}

static int open_tree(const struct engine_call *call, uint64_t bytes, void **self)
{
    static const struct hashlife_kernel kernel = {middle_of, population, 1};
    struct form *form = (struct form *) call->host->scratch(call->host, sizeof *form, ENGINE_HOST_MEMORY);
    if (!form)
        return ENGINE_NO_MEMORY;
    *form = (struct form){.rule = margolus_plan_rule(call->plan)};
    struct hashlife *life = hashlife_new(
        call, &kernel, bytes, (uint64_t) engine_param_integer(call->plan, MARGOLUS_MEMORY), "margolus.memory");
    if (!life)
        return ENGINE_NO_MEMORY;
    life->rules = form;
    life->kinds = 2;
    *self = life;
    return 0;
}

int margolus_hashlife_create(const struct engine_call *call, void **self)
{
    return open_tree(call, 0, self);
}

static int open_plane(const struct engine_call *call, uint64_t bytes, void **self)
{
    const struct margolus_rule rule = margolus_plan_rule(call->plan);
    const uint8_t empty = rule.to[0], full = rule.to[15];
    if ((empty != 0 && empty != 15) || (empty == 15 && full != 0 && full != 15))
        return ENGINE_FAIL(
            call->host, ENGINE_INVALID,
            "[grid] edges: the rule makes block %d of block %d, so that empty space does not stay alike, and "
            "the grid is unbounded; give the grid a size",
            empty == 15 ? full : empty, empty == 15 ? 15 : 0);
    return open_tree(call, bytes, self);
}

/* Begins the steps of a call: an odd step is taken alone. Returns their number. */
static uint64_t begin_at(struct hashlife *life, const struct engine_call *call)
{
    life->kind = call->first_step & 1;
    ((struct form *) life->rules)->odd = life->kind;
    return life->kind ? 1 : call->steps;
}

int margolus_hashlife_advance(void *self, struct engine_call *call)
{
    struct engine_call some = *call;
    int status = 0;
    for (uint64_t left = call->steps; status == 0 && left > 0; left -= some.steps) {
        some.steps = left;
        some.steps = begin_at((struct hashlife *) self, &some);
        status = hashlife_bytes_advance(self, &some);
        some.first_step += some.steps;
        some.flags &= ~(uint32_t) ENGINE_CALL_FRESH;
    }
    return status;
}

static int advance_plane(void *self, const struct engine_call *call, struct engine_tree_root *root)
{
    struct engine_tree_root after = *root;
    struct engine_call some = *call;
    int status = 0;
    for (uint64_t left = call->steps; status == 0 && left > 0; left -= some.steps) {
        some.steps = left;
        some.steps = begin_at((struct hashlife *) self, &some);
        status = hashlife_tree_advance(self, &some, &after);
        some.first_step += some.steps;
    }
    if (status == 0)
        *root = after;
    return status;
}

const struct engine_tree margolus_tree = {.size = sizeof(struct engine_tree),
                                          .cell_bits = 8,
                                          .open = open_plane,
                                          .close = hashlife_close,
                                          .block = hashlife_bytes_block,
                                          .node = hashlife_tree_node,
                                          .cells = hashlife_bytes_cells,
                                          .children = hashlife_tree_children,
                                          .keep = hashlife_tree_keep,
                                          .collect = hashlife_tree_collect,
                                          .removals = hashlife_tree_removals,
                                          .advance = advance_plane,
                                          .measure = hashlife_tree_measure};
