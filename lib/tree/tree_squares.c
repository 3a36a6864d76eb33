/* The tree of a grid as squares of files/squares.h. */
#include "tiles/section_tiles.h"
#include "tree/tree.h"

#include <string.h>

static uint32_t number_of(const struct tree *tree, uint32_t node, uint32_t level)
{
    return node == tree->plain[0][level] ? 0 : node;
}

static void show_quarters(const void *context, uint32_t square, uint32_t level, uint32_t quarters[4])
{
    const struct tree *tree = context;
    tree->table->children(tree->self, square, quarters);
    for (int i = 0; i < 4; i++)
        quarters[i] = number_of(tree, quarters[i], level - 1);
}

static void show_cells(const void *context, uint32_t square, uint8_t *cells)
{
    tree_block_bytes(context, square, cells);
}

/* A pattern in the first row of the root gets a root of twice the side. */
static int make_room(struct tree *tree, const struct tree_box *box, struct engine_error *error)
{
    struct engine_tree_root root = tree->root;
    if (box->begin[0] == box->end[0] || box->begin[1] > -(INT64_C(1) << (root.level - 1)))
        return 0;
    return tree_widen(tree, &root, root.level + 1) ? tree_set_root(tree, root, error) : tree_no_memory(tree, error);
}

static int describe(struct tree *tree, struct io_squares *squares, struct engine_error *error)
{
    const int64_t middle = (int64_t) plan_middle(tree->state->plan, 0);
    struct tree_box box;
    if (tree_flush(tree, error) != 0)
        return error->status;
    tree_check_facts(tree);
    if (tree_find_box(tree, &box, error) != 0 || make_room(tree, &box, error) != 0)
        return error->status;
    *squares = (struct io_squares){.context = tree,
                                   .root = number_of(tree, tree->root.node, tree->root.level),
                                   .level = tree->root.level,
                                   .above = true,
                                   .block = ENGINE_TREE_BLOCK,
                                   .begin = {box.begin[0], box.begin[1]},
                                   .end = {box.end[0], box.end[1]},
                                   .quarters = show_quarters,
                                   .cells = show_cells};
    for (int axis = 0; axis < 2; axis++)
        squares->wide = squares->wide || box.begin[axis] < -middle || box.end[axis] > middle;
    return 0;
}

int tree_squares(const struct state *state, struct io_squares *squares, bool *given, struct engine_error *error)
{
    struct tile_map *map = state->own;
    struct tree *tree = map->keeper ? map->kept : NULL;
    *given = false;
    if (!tree)
        return 0;
    pthread_mutex_lock(&tree->lock);
    int status = describe(tree, squares, error);
    struct tree_count count = {0};
    const int64_t half = INT64_C(1) << (tree->root.level - 1);
    const struct tree_box all = {{-half, -half}, {half, half}};
    if (status == 0)
        status = tree_count(tree, &all, &count, error);
    *given = status == 0 && tree->root.background == 0 && (squares->wide || count.cells > TREE_CELLS_LISTED);
    pthread_mutex_unlock(&tree->lock);
    return status;
}
