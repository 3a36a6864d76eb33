/* A macrocell file becomes a tree of engine/tree.h or of files/squares.h, without a visit to its cells. */
#include "formats/patterns/mc_tree.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << ENGINE_TREE_BLOCK, WORDS_MAX = 8, FIRST_BITS = 10 };

/* A square becomes another one when all cells move down by a row: its first row is the last one of the square above. */
struct moved {
    uint32_t above, here, node; /* here = 0: none */
};

struct planting {
    const struct mc *mc;
    const struct engine_tree *table;
    void *tree;
    uint32_t *nodes; /* of the squares of the file */
    uint32_t plain[ENGINE_TREE_MOST + 1];
    struct moved *moved; /* a table of 2^bits places */
    uint64_t count;
    uint32_t bits;
};

/* ---- Squares that have moved ----------------------------------------------------------------------------------- */

static struct moved *place_of(struct moved *moved, uint32_t bits, uint32_t above, uint32_t here)
{
    uint64_t at = ((uint64_t) above << 32 ^ here * UINT64_C(0xd6e8feb86659fd93)) * UINT64_C(0x9e3779b97f4a7c15);
    for (at >>= 64 - bits; moved[at].here && (moved[at].above != above || moved[at].here != here);)
        at = (at + 1) & ((UINT64_C(1) << bits) - 1);
    return &moved[at];
}

static bool grow(struct planting *planting)
{
    const uint32_t bits = planting->moved ? planting->bits + 1 : FIRST_BITS;
    struct moved *moved = calloc(UINT64_C(1) << bits, sizeof *moved);
    for (uint64_t i = 0; moved && planting->moved && i < UINT64_C(1) << planting->bits; i++)
        if (planting->moved[i].here)
            *place_of(moved, bits, planting->moved[i].above, planting->moved[i].here) = planting->moved[i];
    if (!moved)
        return false;
    free(planting->moved);
    planting->moved = moved;
    planting->bits = bits;
    return true;
}

static uint32_t move_down(struct planting *planting, uint32_t above, uint32_t here, uint32_t level);

static uint32_t make_moved(struct planting *planting, uint32_t above, uint32_t here, uint32_t level)
{
    const struct engine_tree *table = planting->table;
    if (level == ENGINE_TREE_BLOCK) {
        uint64_t rows[2 * BLOCK * WORDS_MAX];
        const uint32_t words = table->cell_bits; /* of a row */
        table->cells(planting->tree, above, rows);
        table->cells(planting->tree, here, rows + (size_t) BLOCK * words);
        return table->block(planting->tree, rows + (size_t) (BLOCK - 1) * words);
    }
    uint32_t a[4], h[4], child[4];
    table->children(planting->tree, above, a);
    table->children(planting->tree, here, h);
    const uint32_t pairs[4][2] = {{a[2], h[0]}, {a[3], h[1]}, {h[0], h[2]}, {h[1], h[3]}};
    for (int i = 0; i < 4; i++)
        if (!(child[i] = move_down(planting, pairs[i][0], pairs[i][1], level - 1)))
            return 0;
    return table->node(planting->tree, child);
}

/* 0: no memory, as below. */
static uint32_t move_down(struct planting *planting, uint32_t above, uint32_t here, uint32_t level)
{
    const uint32_t plain = planting->plain[level];
    if (above == plain && here == plain)
        return plain;
    if ((!planting->moved || 2 * planting->count >= UINT64_C(1) << planting->bits) && !grow(planting))
        return 0;
    const struct moved *known = place_of(planting->moved, planting->bits, above, here);
    if (known->here)
        return known->node;
    const uint32_t node = make_moved(planting, above, here, level);
    if (node) {
        *place_of(planting->moved, planting->bits, above, here) = (struct moved){above, here, node};
        planting->count++;
    }
    return node;
}

/* ---- The file -------------------------------------------------------------------------------------------------- */

/* Sets a cell of a block of dead cells. */
static void set_cell(const struct planting *planting, unsigned x, unsigned y, uint32_t state, uint64_t *rows)
{
    if (planting->table->cell_bits == 1)
        rows[y] |= (uint64_t) state << x;
    else
        ((uint8_t *) rows)[y * BLOCK + x] = (uint8_t) state;
}

/* Sets those of a square of the file in a block, from its cell x y on. */
static void gather(const struct planting *planting, uint32_t number, unsigned x, unsigned y, uint64_t *rows)
{
    const struct mc *mc = planting->mc;
    const struct mc_node *node = &mc->nodes[number];
    const unsigned half = 1u << (node->level - 1);
    const bool is_raster = node->level == MC_LEAF_TWO && mc->leaf == MC_LEAF_TWO;
    for (unsigned i = 0; i < 8 && is_raster && planting->table->cell_bits == 1; i++)
        rows[y + i] |= (uint64_t) (node->child[i / 4] >> i % 4 * 8 & 255) << x;
    for (unsigned i = 0; i < 64 && is_raster && planting->table->cell_bits != 1; i++)
        set_cell(planting, x + i % 8, y + i / 8, node->child[i / 32] >> i % 32 & 1, rows);
    for (unsigned i = 0; i < 4 && node->level == MC_LEAF_MANY; i++)
        set_cell(planting, x + i % 2, y + i / 2, node->child[i], rows);
    for (unsigned i = 0; i < 4 && node->level > mc->leaf; i++)
        if (node->child[i] != 0)
            gather(planting, node->child[i], x + (i % 2 ? half : 0), y + (i / 2 ? half : 0), rows);
}

static uint32_t make_square(struct planting *planting, uint32_t number)
{
    const struct mc_node *node = &planting->mc->nodes[number];
    uint32_t child[4];
    if (node->level == ENGINE_TREE_BLOCK) {
        uint64_t rows[BLOCK * WORDS_MAX] = {0};
        gather(planting, number, 0, 0, rows);
        return planting->table->block(planting->tree, rows);
    }
    for (int i = 0; i < 4; i++)
        child[i] = node->child[i] ? planting->nodes[node->child[i]] : planting->plain[node->level - 1];
    return planting->table->node(planting->tree, child);
}

static bool make_plain(struct planting *planting)
{
    static const uint64_t none[BLOCK * WORDS_MAX];
    uint32_t *plain = planting->plain;
    bool made = (plain[ENGINE_TREE_BLOCK] = planting->table->block(planting->tree, none)) != 0;
    for (uint32_t n = ENGINE_TREE_BLOCK + 1; made && n <= ENGINE_TREE_MOST; n++)
        made = (plain[n] = planting->table->node(
                    planting->tree, (uint32_t[]){plain[n - 1], plain[n - 1], plain[n - 1], plain[n - 1]})) != 0;
    return made;
}

/* The middle of the root of a file is between the rows 0 and 1, and that of the tree between the rows -1 and 0. */
static bool make_root(struct planting *planting, struct engine_tree_root *root)
{
    const struct mc *mc = planting->mc;
    const struct mc_node *last = &mc->nodes[mc->count];
    uint32_t child[4], node = 0;
    bool made = make_plain(planting);
    for (uint64_t i = 1; made && i <= mc->count; i++)
        if (mc->nodes[i].level >= ENGINE_TREE_BLOCK)
            made = (planting->nodes[i] = make_square(planting, (uint32_t) i)) != 0;
    for (int i = 0; made && i < 4; i++) { /* a root of twice the side, because cells may move out of this one */
        uint32_t of[4];
        for (int k = 0; k < 4; k++)
            of[k] = k == 3 - i && last->child[i] ? planting->nodes[last->child[i]] : planting->plain[last->level - 1];
        made = (child[i] = planting->table->node(planting->tree, of)) != 0;
    }
    made = made && (node = planting->table->node(planting->tree, child)) != 0;
    *root = (struct engine_tree_root){.level = last->level + 1};
    return made && (root->node = move_down(planting, planting->plain[root->level], node, root->level)) != 0;
}

bool mc_is_tree(const struct mc *mc, uint32_t states)
{
    return mc->count > 0 && mc->largest < states && mc->highest > ENGINE_TREE_BLOCK && mc->highest < ENGINE_TREE_MOST;
}

bool mc_plant(const struct mc *mc, const struct engine_tree *table, void *tree, struct engine_tree_root *root)
{
    struct planting planting = {.mc = mc, .table = table, .tree = tree};
    planting.nodes = calloc(mc->count + 1, sizeof *planting.nodes);
    const bool made = planting.nodes && make_root(&planting, root);
    free(planting.nodes);
    free(planting.moved);
    return made;
}

/* ---- Squares ----------------------------------------------------------------------------------------------------- */

enum { SQUARE = 3 }; /* the level of the smallest squares that are shown: 8 x 8 cells */

static void show_quarters(const void *context, uint32_t square, uint32_t level, uint32_t quarters[4])
{
    const struct mc *mc = context;
    (void) level;
    memcpy(quarters, mc->nodes[square].child, sizeof mc->nodes[square].child);
}

/* Sets the cells of a square in rows of 8 bytes. */
static void show_leaf(const struct mc *mc, uint32_t number, uint8_t *cells)
{
    const struct mc_node *node = &mc->nodes[number];
    for (int i = 0; i < 64 && mc->leaf == MC_LEAF_TWO; i++)
        cells[i] = node->child[i / 32] >> i % 32 & 1;
    for (int i = 0; i < 4 && mc->leaf != MC_LEAF_TWO; i++) {
        uint8_t *to = cells + (i / 2 * 8 + i % 2) * (1 << (node->level - 1));
        if (node->level == MC_LEAF_MANY)
            *to = (uint8_t) node->child[i];
        else if (node->child[i] != 0)
            show_leaf(mc, node->child[i], to);
    }
}

static void show_cells(const void *context, uint32_t square, uint8_t *cells)
{
    memset(cells, 0, 64);
    show_leaf(context, square, cells);
}

bool mc_squares(const struct mc *mc, struct io_squares *squares)
{
    *squares = (struct io_squares){.context = mc,
                                   .root = (uint32_t) mc->count,
                                   .level = mc->highest,
                                   .block = SQUARE,
                                   .wide = mc->wide,
                                   .quarters = show_quarters,
                                   .cells = show_cells};
    for (int axis = 0; axis < 2; axis++) {
        squares->begin[axis] = mc->position[axis];
        squares->end[axis] = mc->position[axis] + (int64_t) mc->span[axis];
    }
    return mc->placed && mc->count > 0 && mc->highest > SQUARE;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t count_leaf(const struct mc *mc, const struct mc_node *node)
{
    uint64_t count = 0;
    for (int i = 0; i < 4; i++)
        count += mc->leaf == MC_LEAF_TWO ? (uint64_t) __builtin_popcount(node->child[i]) : node->child[i] != 0;
    return count;
}

uint64_t mc_count(const struct mc *mc, uint32_t level)
{
    uint64_t *counts = calloc(mc->count + 1, sizeof *counts);
    for (uint64_t i = 1; counts && i <= mc->count; i++) {
        const struct mc_node *node = &mc->nodes[i];
        if (node->level <= level || node->level == mc->leaf)
            counts[i] = mc->empty[i] ? 0 : node->level <= level ? 1 : count_leaf(mc, node);
        else
            for (int k = 0; k < 4; k++)
                counts[i] = add(counts[i], counts[node->child[k]]);
    }
    const uint64_t count = counts ? counts[mc->count] : UINT64_MAX;
    free(counts);
    return count;
}
