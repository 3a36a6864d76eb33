#include "bytes.h"

#include <engine/layout.h>

enum { LEAF = 1 << STORE_LEAF_LEVEL, BLOCK = 1 << ENGINE_TREE_BLOCK };

int hashlife_bytes_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    const struct engine_shape *shape = engine_field_shape(plan, 0);
    const uint64_t unbounded = UINT64_C(1) << 29;
    if (shape->extent[0] == unbounded && shape->extent[1] == unbounded)
        return 0;
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "it takes unbounded grids alone; set [grid] edges = unbounded");
}

int hashlife_bytes_advance(void *self, struct engine_call *call)
{
    (void) self;
    return ENGINE_FAIL(call->host, ENGINE_UNSUPPORTED, "it takes unbounded grids alone");
}

struct hashlife *hashlife_bytes_new(const struct engine_call *call, uint64_t bytes, struct hashlife_bytes *rule,
                                    const struct hashlife_kernel *kernel)
{
    struct hashlife *life = hashlife_new(call, kernel, bytes, 1024, "run.memory");
    if (life)
        life->rules = rule;
    return life;
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
