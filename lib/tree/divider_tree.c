/* Plans of grids that have no edges, or that lie in tiles: a tree where the implementation keeps one. */
#include "base/text.h"
#include "config/config.h"
#include "files/file_self.h"
#include "files/source_files.h"
#include "formats/patterns/mc_tree.h"
#include "parts/available.h"
#include "plan/divider.h"
#include "plan/edges.h"
#include "tree/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The functions of an implementation that keeps the grid; NULL: it lies in tiles. */
static const struct engine_tree *table_of(struct plan *plan, const struct engine_impl *impl)
{
    const struct engine_plugin *about = &plan->plugin->about;
    const struct engine_field *field = &about->fields.at[0];
    char name[sizeof ENGINE_TREE("") + CONFIG_NAME_MAX];
    if (!plan_is_unbounded(plan) || !about->extension || about->fields.count != 1 || field->rank != 2 ||
        field->type != ENGINE_U8 || field->components > 1)
        return NULL;
    snprintf(name, sizeof name, ENGINE_TREE("%s"), impl->name);
    host_enter(&plan->host, "extension");
    const struct engine_tree *table = about->extension(name, 1);
    host_leave(&plan->host);
    return table && table->size >= sizeof *table && (table->cell_bits == 8 || plan->described[0].values == 2) ? table
                                                                                                              : NULL;
}

static int check(struct plan *plan, struct engine_error *error)
{
    return tiles_divider.check(plan, error);
}

static bool has_neither(const struct plan *plan)
{
    (void) plan;
    return false;
}

static const struct io_document *document_of(const struct plan *plan)
{
    const struct source_files *files = source_files_of(plan);
    return plan->found.pattern && files ? files->pattern : NULL;
}

static const struct mc *file_of(const struct plan *plan)
{
    const struct io_document *pattern = document_of(plan);
    return pattern ? file_self(pattern, &mc_file_format) : NULL;
}

/* NULL unless the file is a macrocell file that states no bounded grid, and the configuration gives no [init] at. */
const struct mc *tree_pattern(const struct plan *plan)
{
    const struct mc *mc = file_of(plan);
    return mc && mc_is_tree(mc, plan->described[0].values) && !plan->settings.at_given &&
                   mc->pattern.header.place.placed && mc->pattern.header.place.grid[0] == 0
               ? mc
               : NULL;
}

/* Can the pattern be written cell by cell? */
static bool is_narrow(const struct plan *plan)
{
    const struct io_document *pattern = document_of(plan);
    const struct mc *mc = file_of(plan);
    bool narrow = !mc || !mc->wide;
    for (int axis = 0; pattern && axis < 2; axis++)
        narrow = narrow && pattern->arrays[0].shape.extent[axis] <= plan->shapes[0].extent[axis];
    return narrow;
}

/* The bytes that the tiles of a macrocell file take, at least: two buffers for each block with live cells. */
static uint64_t bytes_in_tiles(const struct plan *plan)
{
    const struct mc *mc = plan_is_unbounded(plan) ? file_of(plan) : NULL;
    const uint64_t block = plan->described[0].values == 2 ? TREE_BLOCK * TREE_BLOCK / 8 : TREE_BLOCK * TREE_BLOCK;
    uint64_t bytes;
    return !mc ? 0 : multiply(mc_count(mc, ENGINE_TREE_BLOCK), 2 * block, &bytes) ? bytes : UINT64_MAX;
}

static struct plan_verdict judge_tiles(struct plan *plan, const struct engine_impl *impl)
{
    const uint64_t bytes = bytes_in_tiles(plan),
                   most = plan->settings.memory > 0 ? plan->settings.memory : available_memory() / 2;
    char reason[160], need[32], have[32];
    if (bytes <= most)
        return tiles_divider.judge(plan, impl);
    snprintf(reason, sizeof reason, "the tiles of the pattern take at least %sB, and may take %sB ([run] memory)",
             text_si((double) bytes, need), text_si((double) most, have));
    return plan_refused(reason);
}

static struct plan_verdict judge(struct plan *plan, const struct engine_impl *impl)
{
    if (plan_is_unbounded(plan) && !is_narrow(plan) && !(table_of(plan, impl) && tree_pattern(plan)))
        return plan_refused(
            "the pattern is wider than the tiles of an unbounded grid; a tree takes it from a macrocell "
            "file, without [init] at");
    if (!table_of(plan, impl))
        return judge_tiles(plan, impl);
    return plan_is_strip(plan) ? plan_refused("it keeps a tree, and the grid has edges along an axis")
                               : plan_judge_undivided(plan, impl);
}

static int lay_out(struct plan *plan, struct engine_error *error)
{
    const struct engine_tree *table = table_of(plan, plan->impl);
    if (!table) {
        const int status = tiles_divider.lay_out(plan, error);
        const uint64_t bytes = bytes_in_tiles(plan);
        plan->bytes += bytes;
        plan->device_bytes += plan->impl->memory == ENGINE_HOST_MEMORY ? bytes : 0;
        return status;
    }
    struct tiling *tiling = plan->tiling = calloc(1, sizeof *tiling);
    if (!tiling)
        return error_memory(error, sizeof *tiling, "the tree of the grid");
    *tiling = (struct tiling){.side = {TREE_BLOCK, TREE_BLOCK, 1}, .tree = table, .memory = plan->settings.memory};
    plan->most_steps = UINT64_MAX;
    plan->bytes = plan->device_bytes = 0;
    if (tiling_make_geometry(plan, 0, &tiling->geometry[0], error) != 0)
        return error->status;
    plan->fields[0].bytes = tiling->geometry[0].bytes;
    return 0;
}

static void close(struct plan *plan)
{
    tiles_divider.close(plan);
}

const struct divider tree_divider = {.check = check,
                                     .has_margins = has_neither,
                                     .has_transport = has_neither,
                                     .judge = judge,
                                     .lay_out = lay_out,
                                     .close = close};
