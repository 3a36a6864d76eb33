#include "bytes.h"

#include <engine/layout.h>

enum { LEAF = 1 << STORE_LEAF_LEVEL, BLOCK = 1 << ENGINE_TREE_BLOCK };

int hashlife_bytes_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    const uint64_t *extent = engine_field_shape(plan, 0)->extent;
    for (int axis = 0; axis < 2; axis++)
        if (extent[axis] < BLOCK || (extent[axis] & (extent[axis] - 1)) != 0)
            return ENGINE_FAIL(host, ENGINE_UNSUPPORTED,
                               "it takes powers of two from %d on along each axis, not %llu x %llu", BLOCK,
                               (unsigned long long) extent[0], (unsigned long long) extent[1]);
    return 0;
}

int hashlife_bytes_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                          struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y;
    return 0;
}

/* ---- The smallest squares ---------------------------------------------------------------------------------------- */

void hashlife_bytes_middle(void *rule, const struct store_leaf *const quarters[4], const store_walls walls[4],
                           unsigned steps, struct store_leaf *middle)
{
    const struct hashlife_bytes *bytes = (const struct hashlife_bytes *) rule;
    uint8_t cells[2][HASHLIFE_SIDE * HASHLIFE_SIDE] = {{0}}; /* so that the edges are states, too */
    unsigned now = 0;
    (void) walls;
    for (int y = 0; y < HASHLIFE_SIDE; y++)
        for (int i = 0; i < 2; i++)
            memcpy(cells[0] + y * HASHLIFE_SIDE + LEAF * i, quarters[y / LEAF * 2 + i]->row[y % LEAF], LEAF);
    for (; steps > 0; steps--, now = 1 - now)
        bytes->step(bytes->rule, cells[now], cells[1 - now]);
    for (int y = 0; y < LEAF; y++)
        memcpy(middle->row[y], cells[now] + (y + LEAF / 2) * HASHLIFE_SIDE + LEAF / 2, LEAF);
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

/* Makes the node of a square of a block; 0: there is no memory. */
static uint32_t make_square(struct hashlife *life, const uint8_t *cells, unsigned level)
{
    struct store_worker *worker = &life->workers[0];
    const unsigned half = 1u << level >> 1;
    struct store_leaf leaf;
    uint32_t child[4];
    for (unsigned i = 0; i < 4 && level > STORE_LEAF_LEVEL; i++)
        if (!(child[i] = make_square(life, cells + i / 2 * half * BLOCK + i % 2 * half, level - 1)))
            return 0;
    if (!hashlife_tree_reserve(life))
        return 0;
    if (level > STORE_LEAF_LEVEL)
        return store_node(worker, child);
    for (int y = 0; y < LEAF; y++)
        memcpy(leaf.row[y], cells + y * BLOCK, LEAF);
    return store_leaf(worker, &leaf, 0);
}

uint32_t hashlife_bytes_block(void *self, const void *cells)
{
    return make_square((struct hashlife *) self, (const uint8_t *) cells, ENGINE_TREE_BLOCK);
}

static void read_square(const union store_entry *entries, uint32_t id, unsigned level, uint8_t *cells)
{
    const unsigned half = 1u << level >> 1;
    for (int y = 0; y < LEAF && level == STORE_LEAF_LEVEL; y++)
        memcpy(cells + y * BLOCK, entries[id].leaf.row[y], LEAF);
    for (unsigned i = 0; i < 4 && level > STORE_LEAF_LEVEL; i++)
        read_square(entries, entries[id].node.child[i], level - 1, cells + i / 2 * half * BLOCK + i % 2 * half);
}

void hashlife_bytes_cells(void *self, uint32_t block, void *cells)
{
    read_square(((struct hashlife *) self)->store.table.entries, block, ENGINE_TREE_BLOCK, (uint8_t *) cells);
}

/* ---- A torus ------------------------------------------------------------------------------------------------------ */

/* Makes the node of a square of a grid that begins in the grid; 0: there is no memory. Quarters beyond the grid repeat
 * those inside. */
static uint32_t read_grid(struct hashlife *life, const struct engine_buffer *cells, uint32_t buffer, int64_t x,
                          int64_t y, unsigned level)
{
    const uint64_t *extent = cells->shape->extent;
    const int64_t half = INT64_C(1) << level >> 1;
    uint8_t block[BLOCK * BLOCK];
    uint32_t child[4];
    if (level == ENGINE_TREE_BLOCK) {
        for (int row = 0; row < BLOCK; row++)
            memcpy(block + row * BLOCK, (const uint8_t *) engine_row(cells, buffer, y + row, 0) + x, BLOCK);
        return hashlife_bytes_block(life, block);
    }
    for (int i = 0; i < 4; i++) {
        const int64_t left = x + i % 2 * half, top = y + i / 2 * half;
        const int same = i & ~((uint64_t) left >= extent[0] ? 1 : 0) & ~((uint64_t) top >= extent[1] ? 2 : 0);
        child[i] = same != i ? child[same] : read_grid(life, cells, buffer, left, top, level - 1);
        if (!child[i])
            return 0;
    }
    return hashlife_tree_node(life, child);
}

/* Writes the blocks of a square that are not those of `before`, which the grid holds. */
static void write_grid(const struct hashlife *life, uint32_t before, uint32_t after, const struct engine_buffer *cells,
                       uint32_t buffer, int64_t x, int64_t y, unsigned level)
{
    const union store_entry *entries = life->store.table.entries;
    const int64_t half = INT64_C(1) << level >> 1;
    uint8_t block[BLOCK * BLOCK];
    if (before == after || (uint64_t) x >= cells->shape->extent[0] || (uint64_t) y >= cells->shape->extent[1])
        return;
    if (level == ENGINE_TREE_BLOCK) {
        read_square(entries, after, level, block);
        for (int row = 0; row < BLOCK; row++)
            memcpy((uint8_t *) engine_row(cells, buffer, y + row, 0) + x, block + row * BLOCK, BLOCK);
        return;
    }
    for (int i = 0; i < 4; i++)
        write_grid(life, entries[before].node.child[i], entries[after].node.child[i], cells, buffer, x + i % 2 * half,
                   y + i / 2 * half, level - 1);
}

int hashlife_bytes_advance(void *self, struct engine_call *call)
{
    struct hashlife *life = (struct hashlife *) self;
    const struct engine_buffer *cells = engine_field_buffer(call, 0);
    const uint64_t *extent = cells->shape->extent;
    hashlife_begin(life, call);
    for (life->level = ENGINE_TREE_BLOCK;
         UINT64_C(1) << life->level < extent[0] || UINT64_C(1) << life->level < extent[1];)
        life->level++;
    uint32_t *state = hashlife_push(&life->workers[0], 1);
    *state = call->flags & ENGINE_CALL_FRESH ? 0 : life->state;
    if (!*state && !(*state = read_grid(life, cells, call->current, 0, 0, life->level))) {
        store_collect(&life->store);
        *state = read_grid(life, cells, call->current, 0, 0, life->level);
    }
    const uint32_t after = *state ? hashlife_step(life, *state, call->steps) : 0;
    life->state = *state;
    life->shared_calls += life->has_shared;
    if (!after)
        return hashlife_fail(life, call);
    write_grid(life, *state, after, cells, call->current, 0, 0, life->level);
    life->state = after;
    hashlife_note(life);
    return 0;
}
