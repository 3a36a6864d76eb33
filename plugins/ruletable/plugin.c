/* ruletable: the descriptor. */
#include "ruletable.h"

#include <common/cost.h>
#include <hashlife/bytes.h>
#include <inttypes.h>
#include <string.h>

static int check_rule(const struct engine_host *host, const struct engine_value *value)
{
    return *value->text ? 0 : ENGINE_FAIL(host, ENGINE_INVALID, "expected the name of a rule, such as WireWorld");
}

static int values(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint32_t *values)
{
    struct rule rule;
    char path[RULETABLE_PATH_MAX];
    (void) field;
    const int status = ruletable_load(host, plan, false, &rule, path);
    if (status == 0)
        *values = rule.states;
    rule_free(&rule);
    return status;
}

static int colours(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                   uint8_t (*colours)[3], uint32_t *count)
{
    struct rule rule;
    char path[RULETABLE_PATH_MAX];
    (void) field;
    const int status = ruletable_load(host, plan, false, &rule, path);
    if (status == 0 && rule.coloured) {
        memcpy(colours, rule.colours, rule.states * sizeof rule.colours[0]);
        *count = rule.states;
    }
    rule_free(&rule);
    return status;
}

/* Says which file was taken, and notes its checksum for checkpoints. */
static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    struct rule rule;
    char path[RULETABLE_PATH_MAX];
    const int status = ruletable_load(host, plan, false, &rule, path);
    if (status == 0)
        host->note(host, "checksum of the rule", "%016" PRIx64, rule.checksum);
    if (status == 0 && plan->part.index == 0)
        host->message(host, ENGINE_LOG_INFO, "rule %s, %u states, from %s", engine_param_text(plan, RULETABLE_RULE),
                      rule.states, path);
    rule_free(&rule);
    return status;
}

/* Do the cells beyond the edges depend on those near the same edge, or, on a torus, near the opposite edge alone? */
static bool has_plain_edges(const struct engine_plan *plan)
{
    const struct engine_edges *edges = engine_plan_edges(plan);
    if (!edges)
        return true;
    return edges->kind[0] <= ENGINE_EDGE_MIRROR && edges->kind[1] <= ENGINE_EDGE_MIRROR && edges->shift[0] == 0 &&
           edges->shift[1] == 0;
}

bool ruletable_may_skip(const struct engine_plan *plan)
{
    return strcmp(engine_param_text(plan, RULETABLE_SETTLED), "no") != 0 && plan->part.count == 1 &&
           has_plain_edges(plan);
}

int ruletable_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                     struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->ghost[0] = layout->ghost[1] = 1;
    layout->row_align = 64;
    return 0;
}

int ruletable_measure(void *self, const struct engine_call *call, double *values)
{
    (void) self;
    const struct engine_buffer *cells = engine_field_buffer(call, RULETABLE_CELLS);
    uint64_t live = 0;
    for (uint64_t y = call->begin[1]; y < call->end[1]; y++) {
        const uint8_t *row = (const uint8_t *) engine_row(cells, call->current, (int64_t) y, 0);
        for (uint64_t x = call->begin[0]; x < call->end[0]; x++)
            live += row[x] != 0;
    }
    values[RULETABLE_LIVE] += (double) live;
    return 0;
}

static const char *const settled_words[] = {"auto", "yes", "no", NULL};

static const struct engine_param params[] = {
    [RULETABLE_RULE] = {ENGINE_TEXT_PARAM(
                            "rule",
                            "name of a rule whose file is in `folder` or in Golly's folder of rules, a name of a "
                            "family such as JvN29 or B3/S23History, or a path that ends with .rule, .table or .tree",
                            "WireWorld"),
                        .check = check_rule, .file_key = "rule", .spell = ruletable_spell},
    [RULETABLE_FOLDER] = {ENGINE_TEXT_PARAM("folder",
                                            "folder of rules, relative to the configuration; or a pattern file, "
                                            "with rules behind its cells or beside it",
                                            "."),
                          .flags = ENGINE_PARAM_PATH},
    [RULETABLE_SETTLED] = {ENGINE_CHOICE_PARAM(
                               "settled",
                               "skip tiles that have the same cells as two steps before: yes or no; auto is "
                               "yes where this saves time",
                               "auto", settled_words),
                           .flags = ENGINE_PARAM_TUNING},
    [RULETABLE_MEMORY] = HASHLIFE_MEMORY_PARAM,
};

static const struct engine_field fields[] = {
    [RULETABLE_CELLS] = {ENGINE_GRID_FIELD("cells", "a state of the rule", ENGINE_STATE, ENGINE_U8, 2),
                         .values = RULE_STATES_MAX, .reach = {1, 1, 0}},
};

static const struct engine_metric metrics[] = {
    [RULETABLE_LIVE] = {ENGINE_METRIC("live", "cells", "cells that are not in state 0")},
};

static const void *extension(const char *name, uint32_t version)
{
    static const struct engine_colours table = {.size = sizeof table, .colours = colours};
    if (version != 1)
        return NULL;
    return strcmp(name, ENGINE_COLOURS) == 0            ? (const void *) &table
           : strcmp(name, ENGINE_TREE("hashlife")) == 0 ? &ruletable_tree
                                                        : NULL;
}

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu-serial",
                      "one thread, looks through the transitions or the tree for each cell: the reference", 1,
                      ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_SERIAL | ENGINE_DIVISIBLE | ENGINE_UNIFORM),
     .layout = ruletable_layout, .create = ruletable_serial_create, .advance = ruletable_serial_advance,
     .measure = ruletable_measure, .destroy = ruletable_serial_destroy, .cost = cost_of_bytes},
    {ENGINE_HOST_IMPL("cpu", "tables of classes of columns, rows on all threads", 10,
                      ENGINE_EXACT | ENGINE_DIVISIBLE | ENGINE_UNIFORM),
     .probe = ruletable_probe, .layout = ruletable_layout, .create = ruletable_cpu_create,
     .advance = ruletable_cpu_advance, .measure = ruletable_measure, .destroy = ruletable_cpu_destroy,
     .cost = ruletable_cpu_cost},
    {ENGINE_HOST_IMPL("hashlife",
                      "all threads, computes equal squares of cells once: for regular patterns and very many steps", 0,
                      ENGINE_EXACT | ENGINE_IN_PLACE),
     .batch = 1 << 14, .probe = ruletable_hashlife_probe, .layout = hashlife_bytes_layout,
     .create = ruletable_hashlife_create, .advance = hashlife_bytes_advance, .measure = ruletable_measure,
     .destroy = ruletable_hashlife_destroy},
    {
        ENGINE_CUDA_IMPL("cuda", "tables of classes of columns in shared memory", 20,
                         ENGINE_EXACT | ENGINE_ENQUEUES | ENGINE_DIVISIBLE | ENGINE_UNIFORM),
#ifdef ENGINE_WITH_CUDA
        .probe = ruletable_probe,
        .layout = ruletable_layout,
        .create = ruletable_cuda_create,
        .advance = ruletable_cuda_advance,
        .measure = ruletable_cuda_measure,
        .cost = ruletable_cpu_cost,
#endif
    },
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("ruletable", "0.1.0", "2D cellular automata whose rules are Golly's .rule files"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
    .check = check,
    .values = values,
    .extension = extension,
};
