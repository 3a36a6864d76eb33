/* Counts and sums of nodes. A node is at many places of an ordered pattern, and is counted once. */
#include "memory/layout.h"
#include "tree/tree.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BITS = 10 };

/* ---- The table ---------------------------------------------------------------------------------------------------- */

static struct tree_fact *place_of(struct tree_fact *facts, uint32_t bits, uint32_t node)
{
    uint64_t at = node * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits);
    while (facts[at].node && facts[at].node != node)
        at = (at + 1) & ((UINT64_C(1) << bits) - 1);
    return &facts[at];
}

void tree_check_facts(struct tree *tree)
{
    const uint64_t removals = tree->table->removals(tree->self);
    if (tree->facts && (removals != tree->removals || tree->fact_background != tree->root.background)) {
        memset(tree->facts, 0, sizeof *tree->facts << tree->fact_bits);
        tree->fact_count = 0;
    }
    tree->removals = removals;
    tree->fact_background = tree->root.background;
}

static bool grow(struct tree *tree)
{
    const uint32_t bits = tree->facts ? tree->fact_bits + 1 : FIRST_BITS;
    struct tree_fact *facts = calloc(UINT64_C(1) << bits, sizeof *facts);
    if (!facts)
        return false;
    for (uint64_t i = 0; tree->facts && i < UINT64_C(1) << tree->fact_bits; i++)
        if (tree->facts[i].node)
            *place_of(facts, bits, tree->facts[i].node) = tree->facts[i];
    free(tree->facts);
    tree->facts = facts;
    tree->fact_bits = bits;
    return true;
}

/* What is known of a node, to be completed; NULL: no memory. The next call may move it. */
static struct tree_fact *fact_of(struct tree *tree, uint32_t node)
{
    if ((!tree->facts || 2 * tree->fact_count >= UINT64_C(1) << tree->fact_bits) && !grow(tree))
        return NULL;
    struct tree_fact *fact = place_of(tree->facts, tree->fact_bits, node);
    tree->fact_count += !fact->node;
    fact->node = node;
    return fact;
}

/* ---- Counts ------------------------------------------------------------------------------------------------------- */

/* Adds `number` cells of a value. */
static void add_cells(struct tree_count *count, uint32_t value, double number)
{
    count->cells += value ? number : 0;
    count->sum += value * number;
    count->most = value > count->most ? value : count->most;
}

static void add_count(struct tree_count *count, const struct tree_count *other)
{
    count->cells += other->cells;
    count->sum += other->sum;
    count->most = other->most > count->most ? other->most : count->most;
}

static struct tree_count count_block(const struct tree *tree, uint32_t block, const int64_t low[2],
                                     const int64_t high[2])
{
    const union tree_cells cells = tree_block(tree, block);
    const uint64_t mask = (high[0] < 64 ? (UINT64_C(1) << high[0]) - 1 : UINT64_MAX) & UINT64_MAX << low[0];
    struct tree_count count = {0, 0, 0};
    for (int64_t y = low[1]; y < high[1]; y++)
        if (tree->table->cell_bits == 1 && cells.rows[y] & mask)
            add_cells(&count, 1, __builtin_popcountll(cells.rows[y] & mask));
        else if (tree->table->cell_bits == 8)
            for (int64_t x = low[0]; x < high[0]; x++)
                add_cells(&count, cells.bytes[y][x], 1);
    return count;
}

/* Adds the cells of a square in a box, which begins at cell 0 0 of the square if its numbers are. False: no memory. */
static bool count_in(struct tree *tree, uint32_t node, uint32_t level, const struct tree_box *box,
                     struct tree_count *count)
{
    const int64_t side = INT64_C(1) << level;
    int64_t low[2], high[2];
    for (int i = 0; i < 2; i++) {
        low[i] = box->begin[i] > 0 ? box->begin[i] : 0;
        high[i] = box->end[i] < side ? box->end[i] : side;
        if (low[i] >= high[i])
            return true;
    }
    if (node == tree->plain[tree->root.background][level]) {
        add_cells(count, tree->root.background, (double) (high[0] - low[0]) * (double) (high[1] - low[1]));
        return true;
    }
    const bool whole = low[0] == 0 && low[1] == 0 && high[0] == side && high[1] == side;
    struct tree_fact *fact = whole ? fact_of(tree, node) : NULL;
    if (whole && !fact)
        return false;
    if (whole && fact->known & FACT_COUNT) {
        add_count(count, &fact->count);
        return true;
    }
    struct tree_count sum = {0, 0, 0};
    if (level == ENGINE_TREE_BLOCK) {
        sum = count_block(tree, node, low, high);
    } else {
        uint32_t child[4];
        tree->table->children(tree->self, node, child);
        for (int i = 0; i < 4; i++) {
            const int64_t x = i & 1 ? side / 2 : 0, y = i & 2 ? side / 2 : 0;
            const struct tree_box part = {{low[0] - x, low[1] - y}, {high[0] - x, high[1] - y}};
            if (!count_in(tree, child[i], level - 1, &part, &sum))
                return false;
        }
    }
    if (whole && (fact = fact_of(tree, node))) {
        fact->count = sum;
        fact->known |= FACT_COUNT;
    }
    add_count(count, &sum);
    return true;
}

int tree_count(struct tree *tree, const struct tree_box *box, struct tree_count *count, struct engine_error *error)
{
    const int64_t half = INT64_C(1) << (tree->root.level - 1);
    struct tree_box within = *box;
    double all = 1, inside = 1;
    *count = (struct tree_count){0, 0, 0};
    for (int i = 0; i < 2; i++) {
        const int64_t begin = box->begin[i] > -half ? box->begin[i] : -half,
                      end = box->end[i] < half ? box->end[i] : half;
        all *= (double) (box->end[i] - box->begin[i]);
        inside *= end > begin ? (double) (end - begin) : 0;
        within.begin[i] = begin + half;
        within.end[i] = end + half;
    }
    if (!count_in(tree, tree->root.node, tree->root.level, &within, count))
        return error_memory(error, sizeof(struct tree_fact) << tree->fact_bits, "the counts of a tree");
    if (all > inside)
        add_cells(count, tree->root.background, all - inside);
    return 0;
}

/* ---- Whole squares ------------------------------------------------------------------------------------------------ */

/* What is found of a square from its blocks: of_block finds it of a block, and add adds a quarter at x y. */
struct finding {
    uint32_t fact; /* FACT_… */
    void (*of_block)(const struct tree *tree, uint32_t block, struct tree_fact *fact);
    void (*add)(struct tree_fact *fact, const struct tree_fact *quarter, int64_t x, int64_t y);
};

/* Nothing is known of a square of background, which has no blocks. False: no memory. */
static bool find(struct tree *tree, uint32_t node, uint32_t level, const struct finding *what, struct tree_fact *out)
{
    const int64_t half = INT64_C(1) << (level - 1);
    uint32_t child[4];
    struct tree_fact quarter, *fact;
    *out = (struct tree_fact){.node = node};
    if (node == tree->plain[tree->root.background][level])
        return true;
    if (!(fact = fact_of(tree, node)))
        return false;
    if (fact->known & what->fact) {
        *out = *fact;
        return true;
    }
    if (level == ENGINE_TREE_BLOCK)
        what->of_block(tree, node, out);
    else
        tree->table->children(tree->self, node, child);
    for (int i = 0; i < 4 && level > ENGINE_TREE_BLOCK; i++) {
        if (!find(tree, child[i], level - 1, what, &quarter))
            return false;
        what->add(out, &quarter, i & 1 ? half : 0, i & 2 ? half : 0);
    }
    if (!(fact = fact_of(tree, node)))
        return false;
    fact->known |= what->fact;
    if (what->fact == FACT_SUM)
        fact->sum = out->sum;
    else
        fact->box = out->box;
    return true;
}

/* The same of the root, from cell 0 0 in its middle. */
static int find_of_root(struct tree *tree, const struct finding *what, struct tree_fact *fact,
                        struct engine_error *error)
{
    const int64_t half = INT64_C(1) << (tree->root.level - 1);
    struct tree_fact root;
    *fact = (struct tree_fact){.node = 0};
    if (!find(tree, tree->root.node, tree->root.level, what, &root))
        return error_memory(error, sizeof(struct tree_fact) << tree->fact_bits, "the sums of a tree");
    what->add(fact, &root, -half, -half);
    return 0;
}

static void sum_block(const struct tree *tree, uint32_t block, struct tree_fact *fact)
{
    uint8_t bytes[TREE_BLOCK * TREE_BLOCK];
    tree_block_bytes(tree, block, bytes);
    fact->sum = block_sum_of(bytes, sizeof bytes);
}

static void add_sum(struct tree_fact *fact, const struct tree_fact *quarter, int64_t x, int64_t y)
{
    block_sum_add(&fact->sum, &quarter->sum, (int64_t[]){x / TREE_BLOCK, y / TREE_BLOCK, 0});
}

int tree_sum(struct tree *tree, struct block_sum *sum, struct engine_error *error)
{
    static const struct finding sums = {FACT_SUM, sum_block, add_sum};
    struct tree_fact fact;
    const int status = find_of_root(tree, &sums, &fact, error);
    *sum = fact.sum;
    return status;
}

/* Widens a box, which is empty if it ends where it begins, to that of a quarter. */
static void add_box(struct tree_fact *fact, const struct tree_fact *quarter, int64_t x, int64_t y)
{
    const int64_t moved[2] = {x, y};
    struct tree_box *box = &fact->box;
    const struct tree_box *other = &quarter->box;
    const bool first = box->begin[0] == box->end[0];
    for (int i = 0; i < 2 && other->begin[0] < other->end[0]; i++) {
        const int64_t begin = other->begin[i] + moved[i], end = other->end[i] + moved[i];
        box->begin[i] = first || begin < box->begin[i] ? begin : box->begin[i];
        box->end[i] = first || end > box->end[i] ? end : box->end[i];
    }
}

/* The cells of a row that are not background, as bits. */
static uint64_t others_in(const struct tree *tree, const union tree_cells *cells, int y)
{
    const uint32_t background = tree->root.background;
    uint64_t others = 0;
    if (tree->table->cell_bits == 1)
        return background ? ~cells->rows[y] : cells->rows[y];
    for (int x = 0; x < TREE_BLOCK; x++)
        others |= (uint64_t) (cells->bytes[y][x] != background) << x;
    return others;
}

static void find_box_of_block(const struct tree *tree, uint32_t block, struct tree_fact *fact)
{
    const union tree_cells cells = tree_block(tree, block);
    for (int y = 0; y < TREE_BLOCK; y++) {
        const uint64_t others = others_in(tree, &cells, y);
        struct tree_fact row = {.node = block};
        if (others)
            row.box = (struct tree_box){{__builtin_ctzll(others), y}, {64 - __builtin_clzll(others), y + 1}};
        add_box(fact, &row, 0, 0);
    }
}

int tree_find_box(struct tree *tree, struct tree_box *box, struct engine_error *error)
{
    static const struct finding boxes = {FACT_BOX, find_box_of_block, add_box};
    struct tree_fact fact;
    const int status = find_of_root(tree, &boxes, &fact, error);
    *box = fact.box;
    return status;
}
