#include "base/convert.h"
#include "formats/patterns/mc_tree.h"
#include "run/state_hash.h"
#include "tiles/section_tiles.h"
#include "tree/tree.h"

#include <stdlib.h>
#include <string.h>

/* ---- The map of tiles ---------------------------------------------------------------------------------------------- */

static int places(struct tile_map *map, int64_t (**out)[3], uint64_t *count, struct tile_nodes *nodes,
                  struct engine_error *error)
{
    struct tree *tree = map->kept;
    free(tree->atlas);
    tree->atlas = NULL;
    if (tree_flush(tree, error) != 0)
        return error->status;
    const int status = tree_places(tree, out, count, error);
    return status == ENGINE_STATUS_OUTPUT ? tree_atlas(tree, out, count, nodes, error) : status;
}

static int join(struct tile_map *map, int64_t (*places)[3], uint64_t count, const struct tile_nodes *nodes,
                struct engine_error *error)
{
    return tree_flush(map->kept, error) != 0 ? error->status : tree_atlas_join(map->kept, places, count, nodes, error);
}

static void read(const struct tile_map *map, const int64_t place[3], uint64_t begin, uint64_t count, uint8_t *out)
{
    const struct tree *tree = map->kept;
    uint8_t cells[TREE_BLOCK * TREE_BLOCK];
    const struct tree_box box = {{place[0], place[1]}, {place[0] + TREE_BLOCK, place[1] + TREE_BLOCK}};
    if (tree->atlas)
        tree_block_bytes(tree, tree_atlas_block(tree, place), cells);
    else
        tree_read(tree, &box, cells);
    memcpy(out, cells + begin, count);
}

static int take(struct tile_map *map, struct engine_error *error)
{
    struct tree *tree = map->kept;
    if (tree_flush(tree, error) != 0)
        return error->status;
    tree->written = true; /* there will be more */
    return 0;
}

/* The tiles that are written next are all that there is. */
static void forget(struct tile_map *map)
{
    struct tree *tree = map->kept;
    tree_plain_root(tree, 0, &tree->root); /* which is made already */
    tree->written = true;
}

static int bounds(struct tile_map *map, uint64_t begin[3], uint64_t end[3], struct engine_error *error)
{
    struct tree *tree = map->kept;
    struct tree_box box;
    if (tree_flush(tree, error) != 0)
        return error->status;
    tree_check_facts(tree);
    if (tree_find_box(tree, &box, error) != 0)
        return error->status;
    if (box.begin[0] == box.end[0])
        box = (struct tree_box){{0, 0}, {1, 1}};
    begin[2] = 0, end[2] = 1;
    for (int axis = 0; axis < 2; axis++) {
        const int64_t middle = (int64_t) plan_middle(map->plan, axis);
        if (box.begin[axis] < -middle || box.end[axis] > middle)
            return error_set(error, ENGINE_STATUS_OUTPUT,
                             "the pattern reaches beyond cell %lld along %c; files and pictures need a region",
                             (long long) (box.begin[axis] < -middle ? -middle : middle - 1), "xy"[axis]);
        begin[axis] = (uint64_t) (box.begin[axis] + middle);
        end[axis] = (uint64_t) (box.end[axis] + middle);
    }
    return 0;
}

static struct tree_box box_at(const struct plan *plan, uint64_t x, uint64_t y, uint64_t width, uint64_t height)
{
    const int64_t begin[2] = {(int64_t) x - (int64_t) plan_middle(plan, 0),
                              (int64_t) y - (int64_t) plan_middle(plan, 1)};
    return (struct tree_box){{begin[0], begin[1]}, {begin[0] + (int64_t) width, begin[1] + (int64_t) height}};
}

/* Looks at the rest of the cell's row, and then at the rows below. */
static int seek(struct tile_map *map, const struct region *region, uint64_t cell[3], struct engine_error *error)
{
    const struct tree *tree = map->kept;
    const uint64_t x = region->begin[0], y = cell[1] + 1;
    const struct tree_box row = box_at(map->plan, cell[0], cell[1], region->end[0] - cell[0], 1),
                          rows = box_at(map->plan, x, y, region->end[0] - x, region->end[1] - y);
    int64_t at[2];
    if (tree_flush(map->kept, error) != 0)
        return error->status;
    if (!tree_seek(tree, &row, at) && !tree_seek(tree, &rows, at)) {
        cell[2] = region->end[2];
        return 0;
    }
    for (int axis = 0; axis < 2; axis++)
        cell[axis] = (uint64_t) (at[axis] + (int64_t) plan_middle(map->plan, axis));
    return 0;
}

/* Counts the cells first, because nodes are counted once. */
static int list(struct tile_map *map, uint64_t most, struct live_cells *cells, struct engine_error *error)
{
    struct tree *tree = map->kept;
    struct tree_count count = {0};
    if (tree_flush(tree, error) != 0)
        return error->status;
    const int64_t half = INT64_C(1) << (tree->root.level - 1);
    const struct tree_box all = {{-half, -half}, {half, half}};
    tree_check_facts(tree);
    if (tree->root.background == 0 && tree_count(tree, &all, &count, error) != 0)
        return error->status;
    cells->count = count.cells > (double) most ? most + 1 : 0;
    return cells->count > 0 ? 0 : tree_list(tree, most, cells, error);
}

static const struct tile_keeper keeper = {.places = places,
                                          .read = read,
                                          .forget = forget,
                                          .take = take,
                                          .join = join,
                                          .bounds = bounds,
                                          .seek = seek,
                                          .list = list};

/* ---- Opening -------------------------------------------------------------------------------------------------------- */

static int open_tree(struct state *state, struct engine_error *error)
{
    struct tile_map *map;
    const int status = tile_map_open(state->plan, &map, error);
    state->own = map;
    if (status != 0)
        return status;
    map->keeper = &keeper;
    return tree_open(state, map, error);
}

static void close_tree(struct state *state)
{
    if (state->own)
        tree_close(tree_of(state));
    tile_map_close(state->own);
}

/* Takes a macrocell file as a tree, if that is possible. */
static int plant(struct tree *tree, bool *planted, struct engine_error *error)
{
    const struct mc *mc = tree_pattern(tree->state->plan);
    struct engine_tree_root root;
    *planted = mc && mc_plant(mc, tree->table, tree->self, &root);
    return *planted ? tree_set_root(tree, root, error) : 0;
}

static int initialise(struct state *state, int (*make)(struct state *, struct engine_error *),
                      struct engine_error *error)
{
    struct tree *tree = tree_of(state);
    tile_map_clear(tree->map);
    tree->written = false;
    struct engine_tree_root root;
    bool planted = false;
    tree_plain_root(tree, 0, &root); /* which is made already */
    if (tree_set_root(tree, root, error) != 0 || plant(tree, &planted, error) != 0 ||
        (!planted && make(state, error) != 0))
        return error->status;
    return tree_flush(tree, error);
}

/* ---- Cells ---------------------------------------------------------------------------------------------------------- */

/* Calls tree_flush, if cells were written. */
static int flush(struct tree *tree, struct engine_error *error)
{
    pthread_mutex_lock(&tree->lock);
    const int status = tree_flush(tree, error);
    pthread_mutex_unlock(&tree->lock);
    return status;
}

/* Makes the tile of a block that is not background, because a part of it is written. */
static int make_tile(struct tree *tree, uint64_t x, uint64_t y, struct engine_error *error)
{
    const uint64_t at[3] = {x / TREE_BLOCK, y / TREE_BLOCK, 0};
    const struct tree_box box =
        box_at(tree->state->plan, at[0] * TREE_BLOCK, at[1] * TREE_BLOCK, TREE_BLOCK, TREE_BLOCK);
    uint8_t cells[TREE_BLOCK * TREE_BLOCK];
    if (tree->root.node == tree->plain[tree->root.background][tree->root.level] || tile_map_find(tree->map, at))
        return 0;
    tree_read(tree, &box, cells);
    if (cells[0] == tree->root.background && memcmp(cells, cells + 1, sizeof cells - 1) == 0)
        return 0;
    struct tile *tile = tile_map_make(tree->map, at, error);
    if (!tile)
        return error->status;
    geometry_write(&tree->map->tiling->geometry[0], tile->memory[0][tile->current], 0, sizeof cells, cells);
    return 0;
}

static int write_row(struct tree *tree, uint64_t x, uint64_t y, uint64_t count, const void *in,
                     struct engine_error *error)
{
    int status = 0;
    pthread_mutex_lock(&tree->lock);
    tree->written = true;
    for (uint64_t at = x / TREE_BLOCK * TREE_BLOCK; status == 0 && at < x + count; at += TREE_BLOCK)
        status = make_tile(tree, at, y, error);
    if (status == 0)
        status = tile_map_write_row(tree->map, 0, x, y, 0, count, in, error);
    pthread_mutex_unlock(&tree->lock);
    return status;
}

static int move(const struct state *state, uint64_t step, uint32_t field, uint64_t begin, uint64_t count, void *out,
                const void *in, struct engine_error *error)
{
    struct tree *tree = tree_of(state);
    const uint64_t width = state->plan->shapes[field].extent[0];
    (void) step;
    if (out && flush(tree, error) != 0)
        return error->status;
    for (uint64_t done = 0, n; done < count; done += n) {
        const uint64_t x = (begin + done) % width, y = (begin + done) / width, left = width - x;
        n = left < count - done ? left : count - done;
        const struct tree_box box = box_at(state->plan, x, y, n, 1);
        if (out)
            tree_read(tree, &box, (uint8_t *) out + done);
        else if (write_row(tree, x, y, n, (const char *) in + done, error) != 0)
            return error->status;
    }
    return 0;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* One row of results. */
static int make_row(struct tree *tree, const struct region *region, const struct engine_shape *made, uint64_t row,
                    void *out, struct engine_error *error)
{
    const struct plan *plan = tree->state->plan;
    const uint64_t y = region->begin[1] + row * region->block[1];
    const uint64_t height = smaller(y + region->block[1], region->end[1]) - y;
    for (uint64_t i = 0; i < made->extent[0]; i++) {
        const uint64_t x = region->begin[0] + i * region->block[0];
        const uint64_t width = smaller(x + region->block[0], region->end[0]) - x;
        const bool first = region->reduce == REGION_FIRST;
        const struct tree_box box = box_at(plan, x, y, first ? 1 : width, first ? 1 : height);
        struct tree_count count;
        if (tree_count(tree, &box, &count, error) != 0)
            return error->status;
        const double number = region->reduce == REGION_ANY    ? count.cells > 0
                              : region->reduce == REGION_MAX  ? count.most
                              : region->reduce == REGION_MEAN ? count.sum / ((double) width * (double) height)
                              : first                         ? count.sum
                                                              : count.cells;
        convert_elements(ENGINE_F64, &number, 1, made->type, (char *) out + i * type_bytes(made->type));
    }
    return 0;
}

static int make_rows(const struct state *state, uint32_t field, const struct region *region, uint64_t row,
                     uint64_t rows, void *out, struct engine_error *error)
{
    struct tree *tree = tree_of(state);
    const struct engine_shape made = region_shape(region, &state->plan->shapes[field]);
    int status = flush(tree, error);
    if (status == 0 && region_block_cells(region) == 1) {
        const struct tree_box box = box_at(state->plan, region->begin[0], region->begin[1] + row, made.extent[0], rows);
        tree_read(tree, &box, out);
        return 0;
    }
    pthread_mutex_lock(&tree->lock);
    tree_check_facts(tree);
    for (uint64_t i = 0; status == 0 && i < rows; i++)
        status =
            make_row(tree, region, &made, row + i, (char *) out + i * made.extent[0] * type_bytes(made.type), error);
    pthread_mutex_unlock(&tree->lock);
    return status;
}

static int hash(const struct state *state, uint32_t roles, struct hash *chain, struct engine_error *error)
{
    struct tree *tree = tree_of(state);
    struct block_sum sum;
    if (!(roles & 1u << ENGINE_STATE))
        return 0;
    pthread_mutex_lock(&tree->lock);
    int status = tree_flush(tree, error);
    if (status == 0) {
        tree_check_facts(tree);
        status = tree_sum(tree, &sum, error);
    }
    pthread_mutex_unlock(&tree->lock);
    if (status != 0)
        return status;
    hash_add(chain, tree->map->background[0], 1);
    hash_add(chain, sum.of, sizeof sum.of);
    return 0;
}

/* ---- Copies --------------------------------------------------------------------------------------------------------- */

static void drop(void *own)
{
    struct tree_kept *kept = own, **at = kept->tree ? &kept->tree->kept : NULL;
    struct engine_error ignored;
    while (at && *at != kept)
        at = &(*at)->next;
    if (at) {
        *at = kept->next;
        tree_set_root(kept->tree, kept->tree->root, &ignored);
    }
    free(kept);
}

static int keep(const struct state *state, void **out, struct engine_error *error)
{
    struct tree *tree = tree_of(state);
    struct tree_kept *kept = malloc(sizeof *kept);
    *out = NULL;
    if (!kept)
        return error_memory(error, sizeof *kept, "a copy of a state");
    if (tree_flush(tree, error) != 0) {
        free(kept);
        return error->status;
    }
    *kept = (struct tree_kept){.tree = tree, .root = tree->root, .next = tree->kept};
    tree->kept = kept;
    if (tree_set_root(tree, tree->root, error) != 0) {
        tree->kept = kept->next;
        free(kept);
        return error->status;
    }
    *out = kept;
    return 0;
}

/* Another tree gets the blocks. */
static int back(struct state *state, const void *own, struct engine_error *error)
{
    const struct tree_kept *kept = own;
    struct tree *tree = tree_of(state);
    struct engine_tree_root root;
    tile_map_clear(tree->map);
    tree->written = false;
    if (kept->tree == tree)
        return tree_set_root(tree, kept->root, error);
    if (!kept->tree)
        return error_set(error, ENGINE_STATUS_USAGE, "the run that was kept is closed");
    tree_plain_root(tree, 0, &root); /* which is made already */
    if (tree_set_root(tree, root, error) != 0 || tree_fill(kept->tree, kept->root, tree->map, error) != 0)
        return error->status;
    memset(tree->map->background[0], (int) kept->root.background, tile_map_width(tree->map, 0));
    tree->written = true;
    return tree_flush(tree, error);
}

/* ---- What a tree has not ---------------------------------------------------------------------------------------------- */

static int refuse(const struct state *state, uint32_t field, struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_USAGE, "field %s lies in a tree, and not in one buffer",
                     state->plan->fields[field].about->name);
}

static int copy(const struct state *state, uint32_t field, void *out, const void *in, struct engine_error *error)
{
    (void) out, (void) in;
    return refuse(state, field, error);
}

static int view(const struct state *state, uint32_t field, struct engine_view *view, struct engine_error *error)
{
    (void) view;
    return refuse(state, field, error);
}

static int synchronise(const struct state *state, struct engine_error *error)
{
    (void) state, (void) error;
    return 0;
}

const struct store store_tree = {
    .open = open_tree,
    .close = close_tree,
    .move = move,
    .copy = copy,
    .keep = keep,
    .back = back,
    .drop = drop,
    .rows = make_rows,
    .hash = hash,
    .view = view,
    .synchronise = synchronise,
    .initialise = initialise,
};
