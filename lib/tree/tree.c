#include "tree/tree.h"

#include <stdlib.h>
#include <string.h>

struct tree *tree_of(const struct state *state)
{
    return ((struct tile_map *) state->own)->kept;
}

int tree_no_memory(const struct tree *tree, struct engine_error *error)
{
    const struct plan *plan = tree->state->plan;
    return error_set(error, ENGINE_STATUS_DEVICE,
                     "%s/%s has no memory for the nodes of these cells; give it more, or take another implementation",
                     plan->plugin->about.name, plan->impl->name);
}

/* ---- Opening ------------------------------------------------------------------------------------------------------ */

struct engine_call tree_call(struct tree *tree, uint64_t steps)
{
    const struct state *state = tree->state;
    struct engine_call call = {.size = sizeof call,
                               .host = &tree->host.table,
                               .plan = &state->for_plugin,
                               .first_step = state->step,
                               .steps = steps};
    memcpy(call.end, state->plan->shapes[0].extent, sizeof call.end);
    return call;
}

static bool make_plain(struct tree *tree, uint32_t value)
{
    union tree_cells cells;
    uint32_t *plain = calloc(ENGINE_TREE_MOST + 1, sizeof *plain);
    memset(&cells, tree->table->cell_bits == 1 && value ? 0xff : (int) value, sizeof cells);
    bool made = plain && (plain[ENGINE_TREE_BLOCK] = tree->table->block(tree->self, &cells)) != 0;
    for (int n = ENGINE_TREE_BLOCK + 1; n <= ENGINE_TREE_MOST && made; n++)
        made = (plain[n] = tree->table->node(
                    tree->self, (uint32_t[]){plain[n - 1], plain[n - 1], plain[n - 1], plain[n - 1]})) != 0;
    if (made)
        tree->plain[value] = plain;
    else
        free(plain);
    return made;
}

bool tree_plain_root(struct tree *tree, uint32_t background, struct engine_tree_root *root)
{
    const uint32_t level = ENGINE_TREE_BLOCK + 1; /* so that blocks begin at multiples of their side */
    if (!tree->plain[background] && !make_plain(tree, background))
        return false;
    *root = (struct engine_tree_root){tree->plain[background][level], level, background};
    return true;
}

int tree_open(const struct state *state, struct tile_map *map, struct engine_error *error)
{
    const struct plan *plan = state->plan;
    struct tree *tree = map->kept = calloc(1, sizeof *tree);
    if (!tree)
        return error_memory(error, sizeof *tree, "the tree of the grid");
    tree->state = state;
    tree->map = map;
    tree->table = plan->tiling->tree;
    pthread_mutex_init(&tree->lock, NULL);
    host_init(&tree->host, plan->context, plan->plugin->about.name, plan->for_plugin.threads, plan->device);
    const struct engine_call call = tree_call(tree, 0);
    host_enter(&tree->host, "open");
    const int code = tree->table->open(&call, plan->tiling->memory, &tree->self);
    host_leave(&tree->host);
    if (code != 0)
        return host_error(&tree->host, code, plan->plugin->about.name, error);
    return tree_plain_root(tree, 0, &tree->root) ? tree_set_root(tree, tree->root, error) : tree_no_memory(tree, error);
}

void tree_close(struct tree *tree)
{
    if (!tree)
        return;
    for (struct tree_kept *kept = tree->kept; kept; kept = kept->next)
        kept->tree = NULL;
    if (tree->self)
        tree->table->close(tree->self);
    host_release(&tree->host);
    pthread_mutex_destroy(&tree->lock);
    for (int i = 0; i < 256; i++)
        free(tree->plain[i]);
    free(tree->facts);
    free(tree->atlas);
    free(tree);
}

/* ---- The root ----------------------------------------------------------------------------------------------------- */

/* Tells the plugin to keep a root, the plain squares and the copies. */
static int keep(const struct tree *tree, uint32_t root, struct engine_error *error)
{
    uint32_t count = 257;
    for (const struct tree_kept *kept = tree->kept; kept; kept = kept->next)
        count++;
    uint32_t *nodes = malloc(count * sizeof *nodes);
    if (!nodes)
        return error_memory(error, count * sizeof *nodes, "the tree of the grid");
    nodes[0] = root;
    count = 1;
    for (int i = 0; i < 256; i++)
        if (tree->plain[i])
            nodes[count++] = tree->plain[i][ENGINE_TREE_MOST];
    for (const struct tree_kept *kept = tree->kept; kept; kept = kept->next)
        nodes[count++] = kept->root.node;
    const int code = tree->table->keep(tree->self, nodes, count);
    free(nodes);
    return code != 0 ? host_error(&tree->host, code, tree->state->plan->plugin->about.name, error) : 0;
}

/* A background that is new gets its plain squares. */
int tree_set_root(struct tree *tree, struct engine_tree_root root, struct engine_error *error)
{
    if (keep(tree, root.node, error) != 0)
        return error->status;
    if (!tree->plain[root.background]) {
        if (!make_plain(tree, root.background)) {
            tree->table->collect(tree->self);
            if (!make_plain(tree, root.background))
                return tree_no_memory(tree, error);
        }
        if (keep(tree, root.node, error) != 0)
            return error->status;
    }
    tree->root = root;
    memset(tree->map->background[0], (int) root.background, tile_map_width(tree->map, 0));
    return 0;
}

bool tree_widen(const struct tree *tree, struct engine_tree_root *root, uint32_t level)
{
    for (; root->level < level; root->level++) {
        uint32_t child[4], quarters[4];
        const uint32_t none = tree->plain[root->background][root->level - 1];
        tree->table->children(tree->self, root->node, child);
        for (int i = 0; i < 4; i++) {
            uint32_t of[4] = {none, none, none, none};
            of[3 - i] = child[i];
            quarters[i] = tree->table->node(tree->self, of);
            if (!quarters[i])
                return false;
        }
        if (!(root->node = tree->table->node(tree->self, quarters)))
            return false;
    }
    return true;
}

/* ---- Written cells ------------------------------------------------------------------------------------------------ */

/* A written block, at its place along the curve that goes through the quarters of each square in their order. */
struct written {
    uint64_t place;
    const void *cells;
};

static int compare(const void *a, const void *b)
{
    const struct written *first = a, *second = b;
    return first->place < second->place ? -1 : first->place > second->place;
}

/* Spreads the lower 32 bits of a number to every other bit. */
static uint64_t spread(uint64_t bits)
{
    static const uint64_t masks[] = {0x0000ffff0000ffff, 0x00ff00ff00ff00ff, 0x0f0f0f0f0f0f0f0f, 0x3333333333333333,
                                     0x5555555555555555};
    for (int i = 0; i < 5; i++)
        bits = (bits | bits << (16 >> i)) & masks[i];
    return bits;
}

/* Returns a node with other blocks; 0: no memory. `list` lies within the node, and its places agree above the level. */
static uint32_t replace(const struct tree *tree, uint32_t node, uint32_t level, const struct written *list,
                        uint64_t count)
{
    uint32_t child[4];
    if (count == 0)
        return node;
    if (level == ENGINE_TREE_BLOCK)
        return tree->table->block(tree->self, list->cells);
    tree->table->children(tree->self, node, child);
    const uint32_t shift = 2 * (level - 1 - ENGINE_TREE_BLOCK);
    for (uint64_t i = 0, begin = 0, end = 0; i < 4; i++, begin = end) {
        while (end < count && (list[end].place >> shift & 3) == i)
            end++;
        if (!(child[i] = replace(tree, child[i], level - 1, list + begin, end - begin)))
            return 0;
    }
    return tree->table->node(tree->self, child);
}

/* The level of a square around the middle that holds the tiles. */
static uint32_t level_of(const struct tile_map *map)
{
    uint32_t level = ENGINE_TREE_BLOCK + 1;
    for (uint64_t i = 0; i < map->count; i++)
        for (int axis = 0; axis < 2; axis++) {
            const int64_t at = (int64_t) map->list[i]->at[axis] - (int64_t) map->tiles[axis] / 2;
            while ((at < 0 ? -at : at + 1) > INT64_C(1) << (level - 1 - ENGINE_TREE_BLOCK))
                level++;
        }
    return level;
}

static uint64_t list_written(const struct tile_map *map, uint32_t level, struct written *list)
{
    const uint64_t half = UINT64_C(1) << (level - 1 - ENGINE_TREE_BLOCK);
    uint64_t count = 0;
    for (uint64_t i = 0; i < map->count; i++) {
        const struct tile *tile = map->list[i];
        const uint64_t x = tile->at[0] - map->tiles[0] / 2 + half, y = tile->at[1] - map->tiles[1] / 2 + half;
        if (tile->written)
            list[count++] = (struct written){spread(x) | spread(y) << 1, tile->memory[0][tile->current]};
    }
    if (count > 0)
        qsort(list, count, sizeof *list, compare);
    return count;
}

static bool put(struct tree *tree, struct written *list, struct engine_tree_root *root)
{
    const uint32_t least = level_of(tree->map), background = tree->map->background[0][0];
    *root = tree->root;
    if (background != root->background && !tree_plain_root(tree, background, root))
        return false;
    const uint32_t level = root->level > least ? root->level : least;
    return tree_widen(tree, root, level) &&
           (root->node = replace(tree, root->node, level, list, list_written(tree->map, level, list))) != 0;
}

int tree_flush(struct tree *tree, struct engine_error *error)
{
    struct engine_tree_root root;
    if (!tree->written)
        return 0;
    struct written *list = malloc((tree->map->count + 1) * sizeof *list);
    if (!list)
        return error_memory(error, tree->map->count * sizeof *list, "the tree of the grid");
    bool made = put(tree, list, &root);
    if (!made) {
        tree->table->collect(tree->self);
        made = put(tree, list, &root);
    }
    free(list);
    if (!made)
        return tree_no_memory(tree, error);
    tree->written = false;
    tile_map_clear(tree->map);
    return tree_set_root(tree, root, error);
}
