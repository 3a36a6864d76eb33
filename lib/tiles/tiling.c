#include "tiles/tiling.h"
#include "base/context.h"
#include "base/text.h"
#include "memory/devices.h"
#include "parts/available.h"
#include "parts/link.h"
#include "parts/parts.h"
#include "parts/reach.h"
#include "plan/edges.h"
#include "tiles/section_tiles.h"

#include <engine/tiles.h>
#include <engine/tree.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ACROSS = 1 << 16 }; /* cells of a tile along an axis that is not cut */

static const struct engine_field_array *fields_of(const struct plan *plan)
{
    return &plan->plugin->about.fields;
}

/* ---- The keys ----------------------------------------------------------------------------------------------- */

static int refuse(const struct plan *plan, struct engine_error *error)
{
    const bool unbounded = plan_is_unbounded(plan) && tiling_side(plan) == 0;
    const char *section = unbounded ? "grid" : "tiles", *key = !unbounded                     ? "side"
                                                               : plan->settings.grid_rank > 0 ? "size"
                                                                                              : "edges";
    error->status = ENGINE_STATUS_USAGE;
    return error_prefix(error, "%s: [%s] %s: ", config_place(plan->config, section, key), section, key);
}

#define REFUSE_TILES(plan, error, ...) (error_set(error, ENGINE_STATUS_USAGE, __VA_ARGS__), refuse(plan, error))

static int check_fields(const struct plan *plan, struct engine_error *error)
{
    const struct engine_field_array *fields = fields_of(plan);
    for (uint32_t i = 0; i < fields->count; i++)
        if (fields->at[i].kind != ENGINE_GRID || fields->at[i].role != ENGINE_STATE ||
            fields->at[i].rank != fields->at[0].rank)
            return REFUSE_TILES(
                plan, error, "tiles hold the states of grids with the same number of axes; field %s of %s is not one",
                fields->at[i].name, plan->plugin->about.name);
    return 0;
}

/* What needs the grid as a whole. */
static int check_keys(const struct plan *plan, struct engine_error *error)
{
    const struct settings *settings = &plan->settings;
    const struct engine_edges *edges = &plan->for_plugin.edges;
    if (plan_is_unbounded(plan) && settings->source != INIT_DEFAULTS && !plan->found.pattern)
        return REFUSE_TILES(plan, error, "an unbounded grid starts from a pattern, [init] file");
    if (plan_is_batch(plan) || settings->parts > 1 || settings->devices > 1)
        return REFUSE_TILES(plan, error, "a grid in tiles takes no [grid] batch, [run] parts and [run] devices");
    if (link_ranks(plan->context->link) > 1)
        return REFUSE_TILES(plan, error, "a grid in tiles lies in one process");
    if (!edges_are_usual(plan) && !plan_is_unbounded(plan))
        return REFUSE_TILES(plan, error, "tiles take a grid that is a torus, or unbounded");
    for (int axis = 0; axis < 3; axis++)
        if ((edges->kind[axis] != ENGINE_EDGE_TORUS && edges->kind[axis] != ENGINE_EDGE_DEAD &&
             edges->kind[axis] != ENGINE_EDGE_MIRROR) ||
            (axis < 2 && edges->shift[axis]))
            return REFUSE_TILES(plan, error,
                                "a grid that is unbounded along an axis has edges of a torus, dead or mirror edges "
                                "along the others, and no shift");
    return config_get(plan->config, "analyse", "plugin")
               ? REFUSE_TILES(plan, error, "an analysis takes no grid in tiles; write outputs, and analyse them")
               : 0;
}

static bool has_bits(const struct plan *plan)
{
    return fields_of(plan)->at[0].values == 2;
}

/* How an implementation computes small grids. NULL: none is chosen yet. */
enum way { BY_HOST, TOGETHER, IN_TURN };

static enum way way_of(const struct engine_impl *impl)
{
    return !impl || impl->memory == ENGINE_HOST_MEMORY ? BY_HOST : impl->flags & ENGINE_BATCH ? TOGETHER : IN_TURN;
}

/* Is the grid cut into several tiles along this axis? A tile of a strip has all cells along an axis with a size, and the
 * implementation computes the edges. */
static bool is_cut(const struct plan *plan, uint32_t axis)
{
    return !plan_is_unbounded(plan) || plan->open >> axis & 1;
}

/* The cells of a tile along each axis that is cut, a multiple of the blocks of the hash. On the host: large enough that the
 * margins are a small part, and small enough that a tile in the cache has room for the others. Tiles of bits are copied
 * fast, so small ones with wide margins pay: fewer cells of background are computed. On a device: large enough that a step
 * of a small grid takes as long as a launch, or as a block computes in its own memory. */
static uint64_t side_of(const struct plan *plan, const struct engine_impl *impl)
{
    static const uint64_t usual[][4] = {{0, 1 << 14, 256, 64}, {0, 1 << 14, 512, 256}, {0, 1 << 14, 2048, 256}};
    const uint64_t given = tiling_side(plan), side = usual[way_of(impl)][plan->shapes[0].rank];
    return given ? given : side == 256 && plan->shapes[0].rank == 2 && has_bits(plan) ? 128 : side;
}

static int check_side(const struct plan *plan, struct engine_error *error)
{
    const struct engine_shape *grid = &plan->shapes[0];
    const unsigned long long side = side_of(plan, NULL), block = tiling_block(grid->rank);
    if (plan_is_unbounded(plan) && (side % block != 0 || (side & (side - 1)) != 0))
        return REFUSE_TILES(plan, error, "%llu: expected a power of 2 from %llu up on an unbounded grid", side, block);
    for (uint32_t axis = 0; axis < grid->rank; axis++) {
        if (!is_cut(plan, axis) && grid->extent[axis] > MOST_ACROSS)
            return REFUSE_TILES(plan, error, "a grid that is unbounded along an axis has at most %d cells along others",
                                MOST_ACROSS);
        if (!is_cut(plan, axis))
            continue;
        if (grid->extent[axis] % side != 0)
            return REFUSE_TILES(plan, error, "the grid has %llu cells along %c, which is not a multiple of %llu",
                                (unsigned long long) grid->extent[axis], "xyz"[axis], side);
        if (parts_reach(plan, axis) > side)
            return REFUSE_TILES(plan, error, "a step of %s reads cells that are %llu away; give at least as many",
                                plan->plugin->about.name, (unsigned long long) parts_reach(plan, axis));
    }
    return 0;
}

static int check(struct plan *plan, struct engine_error *error)
{
    return check_fields(plan, error) != 0 || check_keys(plan, error) != 0 ? error->status : check_side(plan, error);
}

/* ---- Small grids -------------------------------------------------------------------------------------------- */

/* The plan of a batch of small grids with a margin. */
static int fill_plan(const struct plan *whole, const uint64_t margin[3], uint64_t count, struct plan *plan,
                     struct engine_error *error)
{
    const struct tiling *tiling = whole->tiling;
    struct settings *settings = &plan->settings;
    settings->grid_rank = whole->shapes[0].rank;
    settings->universes = plan->for_plugin.universes = count;
    for (uint32_t axis = 0; axis < 3; axis++) {
        const uint64_t all = whole->shapes[0].extent[axis];
        settings->grid[axis] = tiling->side[axis] + 2 * margin[axis];
        plan->for_plugin.part.offset[axis] = (all - margin[axis] % all) % all;
    }
    if (plan_make_shapes(plan, error) != 0 || plan_check_batch(plan, error) != 0)
        return error->status;
    for (uint32_t i = 0; i < fields_of(plan)->count; i++)
        if (memcmp(plan->shapes[i].extent, plan->shapes[0].extent, sizeof plan->shapes[i].extent) != 0)
            return error_set(error, ENGINE_STATUS_PLUGIN,
                             "field %s has another shape than the configuration gives, so it cannot lie in tiles",
                             fields_of(plan)->at[i].name);
    return 0;
}

static int open_plan(const struct plan *whole, const uint64_t margin[3], uint64_t count, struct plan **out,
                     struct engine_error *error)
{
    struct plan *plan = parts_copy_plan(whole, error);
    *out = NULL;
    if (!plan)
        return error->status;
    if (fill_plan(whole, margin, count, plan, error) != 0) {
        parts_close_plan(plan);
        return error_prefix(error, "a tile: ");
    }
    *out = plan;
    return 0;
}

/* ---- The tiles ---------------------------------------------------------------------------------------------- */

/* Numbers of steps with many divisors, because a tile whose cells repeat after one of them need not be computed. 30 is
 * the period of the most usual guns, too. A device takes more: each round copies the tiles to it and back. */
static uint64_t steps_of(const struct plan *plan, enum way way, uint64_t side)
{
    static const uint64_t steps[] = {60, 48, 30, 24, 12, 6, 4, 2, 1};
    const bool flat = plan->shapes[0].rank == 2;
    const uint64_t share = way != BY_HOST ? (flat ? 10 : 8) : flat && has_bits(plan) ? 4 : 8;
    uint64_t reach = 0;
    for (uint32_t axis = 0; axis < 3; axis++)
        reach = parts_reach(plan, axis) > reach ? parts_reach(plan, axis) : reach;
    int i = way == BY_HOST ? 2 : 0;
    while (steps[i] > 1 && share * steps[i] * reach > side)
        i++;
    return steps[i];
}

/* The cells beside a tile. On a device, words of cells of a small grid are words of its tiles. */
static uint64_t margin_of(const struct plan *plan, enum way way, uint32_t axis, uint64_t side, uint64_t steps)
{
    enum { WORD = 64 };
    const uint64_t least = steps * parts_reach(plan, axis);
    const bool words = way != BY_HOST && axis == 0 && has_bits(plan) && side % WORD == 0;
    return words ? (least + WORD - 1) / WORD * WORD : least;
}

/* The most small grids of a batch with so many cells each. A batch of grids of three axes is not possible. */
static uint64_t most_of(const struct plan *plan, enum way way, uint64_t cells)
{
    const uint64_t most = way == BY_HOST ? 1 << 23 : has_bits(plan) ? 1 << 27 : 1 << 24;
    return plan->shapes[0].rank == 3                ? 1
           : way == BY_HOST && !plan_is_strip(plan) ? UINT64_MAX
           : cells < most                           ? most / cells
                                                    : 1;
}

static void measure_out(const struct plan *plan, const struct engine_impl *impl, struct tiling *tiling)
{
    const uint64_t many = 8 * (uint64_t) plan->settings.threads;
    const uint64_t counts[][TILING_BATCHES] = {
        {many > 64 ? many : 64, 64, 8, 4, 1}, {256, 64, 16, 1, 1}, {1, 1, 1, 1, 1}};
    const enum way way = way_of(impl);
    const uint32_t rank = plan->shapes[0].rank;
    const uint64_t side = side_of(plan, impl);
    uint64_t cells = 1;
    tiling->steps = steps_of(plan, way, side);
    for (uint32_t axis = 0; axis < 3; axis++) {
        const bool cut = axis < rank && is_cut(plan, axis);
        tiling->side[axis] = axis >= rank ? 1 : cut ? side : plan->shapes[0].extent[axis];
        tiling->margin[axis] = cut ? margin_of(plan, way, axis, side, tiling->steps) : 0;
        cells *= tiling->side[axis] + 2 * tiling->margin[axis];
    }
    const uint64_t most = most_of(plan, way, cells);
    for (int i = 0; i < TILING_BATCHES; i++) {
        const uint64_t count = counts[way][i] < most ? counts[way][i] : most;
        if (tiling->batches == 0 || count < tiling->counts[tiling->batches - 1])
            tiling->counts[tiling->batches++] = count;
    }
}

/* A cell of two values is a bit. */
int tiling_make_geometry(const struct plan *plan, uint32_t index, struct geometry *geometry, struct engine_error *error)
{
    const struct engine_field *field = &plan->described[index];
    struct engine_layout layout = layout_default(field);
    struct engine_shape shape = plan->shapes[index];
    memcpy(shape.extent, plan->tiling->side, sizeof shape.extent);
    layout.wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y | ENGINE_AXIS_Z;
    layout.cell_bits = plan->tiling->tree ? plan->tiling->tree->cell_bits == 1
                                          : field->values == 2 && shape.type == ENGINE_U8 && shape.components == 1;
    layout.word_bytes = layout.cell_bits ? 8 : 0;
    return geometry_make(field, &shape, &layout, geometry, error);
}

static struct plan_verdict judge_plan(const struct plan *whole, const struct engine_impl *impl,
                                      const uint64_t margin[3], uint64_t count)
{
    struct plan *plan;
    struct engine_error error;
    if (open_plan(whole, margin, count, &plan, &error) != 0)
        return plan_refused(error.text);
    const struct plan_verdict verdict = plan_judge_undivided(plan, impl);
    parts_close_plan(plan);
    return verdict;
}

static const uint64_t no_margin[3];

static struct plan_verdict judge(struct plan *whole, const struct engine_impl *impl)
{
    struct tiling tiling = {.steps = 0}, *const before = whole->tiling;
    if (!(impl->flags & ENGINE_UNIFORM))
        return plan_refused("the grid lies in tiles, and the implementation does not state ENGINE_UNIFORM");
    measure_out(whole, impl, &tiling);
    whole->tiling = &tiling;
    struct plan_verdict verdict = judge_plan(whole, impl, tiling.margin, tiling.counts[0]);
    if (verdict.usable)
        verdict = judge_plan(whole, impl, no_margin, tiling.counts[0]);
    whole->tiling = before;
    return verdict;
}

static int lay_out_plan(struct plan *whole, const uint64_t margin[3], uint64_t count, struct plan **out,
                        struct engine_error *error)
{
    if (open_plan(whole, margin, count, out, error) != 0)
        return error->status;
    struct plan *plan = *out;
    if (count == whole->tiling->counts[0] && plan_check_by_plugin(plan, &plan->host, &plan->for_plugin, error) != 0)
        return error_prefix(error, "a tile: ");
    if (devices_find(plan->context, plan->impl->memory, plan->settings.device, &plan->device, error) != 0 ||
        plan_lay_out_undivided(plan, error) != 0)
        return error->status;
    whole->bytes += plan->bytes;
    return 0;
}

static int lay_out(struct plan *plan, struct engine_error *error)
{
    struct tiling *tiling = plan->tiling = calloc(1, sizeof *tiling);
    if (!tiling)
        return error_memory(error, sizeof *tiling, "the tiles");
    measure_out(plan, plan->impl, tiling);
    tiling->memory = plan->settings.memory > 0 ? plan->settings.memory : available_memory() / 2;
    plan->most_steps = UINT64_MAX;
    plan->bytes = 0;
    for (uint32_t i = 0; i < fields_of(plan)->count; i++)
        if (tiling_make_geometry(plan, i, &tiling->geometry[i], error) != 0)
            return error->status;
        else
            plan->fields[i].bytes = tiling->geometry[i].bytes;
    for (int i = 0; i < tiling->batches; i++)
        if (lay_out_plan(plan, tiling->margin, tiling->counts[i], &tiling->padded.of[i], error) != 0 ||
            lay_out_plan(plan, no_margin, tiling->counts[i], &tiling->bare.of[i], error) != 0)
            return error->status;
    plan->device_bytes = plan->bytes;
    return 0;
}

static void close(struct plan *plan)
{
    for (int i = 0; plan->tiling && i < plan->tiling->batches; i++) {
        parts_close_plan(plan->tiling->padded.of[i]);
        parts_close_plan(plan->tiling->bare.of[i]);
    }
    free(plan->tiling);
    plan->tiling = NULL;
}

static bool has_neither(const struct plan *plan)
{
    (void) plan;
    return false;
}

const struct divider tiles_divider = {.check = check,
                                      .has_margins = has_neither,
                                      .has_transport = has_neither,
                                      .judge = judge,
                                      .lay_out = lay_out,
                                      .close = close};
