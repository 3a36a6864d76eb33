/* Finds the shapes of the fields from the configuration, the files and the plugin. */
#include "base/text.h"
#include "plan/edges.h"
#include "plan/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int missing(const struct plan *plan, const char *section, const char *key, const char *example,
                   struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_USAGE, "%s: [%s] %s is missing%s; give it, as in %s",
                     config_place(plan->config, section, key), section, key,
                     plan->found.file ? ", and the input file does not give it" : "", example);
}

static const char *const size_examples[] = {"", "size = 1000", "size = 512 384", "size = 64 64 64"};

/* Names also the size of the pattern, which the grid must hold. */
static int missing_size(const struct plan *plan, const struct engine_field *field, struct engine_error *error)
{
    char example[256];
    const uint64_t *extent = plan->found.cells[0] ? plan->found.cells : NULL;
    int used = snprintf(example, sizeof example, "%s%s", size_examples[field->rank],
                        extent ? ", at least as large as the pattern, which is " : "");
    for (uint32_t axis = 0; extent && axis < field->rank; axis++)
        used += snprintf(example + used, sizeof example - (size_t) used, "%s%llu", axis ? " x " : "",
                         (unsigned long long) extent[axis]);
    return missing(plan, "grid", "size", example, error);
}

/* Finds the axes along which the grid has no edges: those of size 0, or those that the file states. */
static void find_open_axes(struct plan *plan)
{
    const struct settings *settings = &plan->settings;
    const uint32_t *kinds = plan->found.edges.kind, kind = settings->edge_count == 1 ? settings->edges[0] : 0;
    plan->open = 0;
    for (uint32_t axis = 0; axis < 3; axis++)
        if (settings->grid_rank > 0 ? axis < settings->grid_rank && settings->grid[axis] == 0
                                    : kind == ENGINE_EDGE_UNBOUNDED || kinds[axis] == ENGINE_EDGE_UNBOUNDED)
            plan->open |= 1u << axis;
}

static int grid_shape(const struct plan *plan, const struct engine_field *field, struct engine_shape *shape,
                      struct engine_error *error)
{
    const struct settings *settings = &plan->settings;
    const uint64_t *size = settings->grid_rank > 0 ? settings->grid : plan->found.grid;
    char count[64];
    if (settings->grid_rank == 0 && !plan_is_unbounded(plan)) {
        if (!plan->found.grid[0])
            return missing_size(plan, field, error);
        memcpy(shape->extent, plan->found.grid, sizeof shape->extent);
        for (uint32_t axis = field->rank; plan_is_batch(plan) && axis < 3; axis++)
            shape->extent[axis] = 1; /* the file holds a batch */
        return 0;
    }
    if (settings->grid_rank > 0 && settings->grid_rank != field->rank)
        return error_set(error, ENGINE_STATUS_USAGE, "%s: [grid] size has %s; %s of %s is a grid of %u ax%s, as in %s",
                         config_place(plan->config, "grid", "size"), text_count(settings->grid_rank, "number", count),
                         field->name, plan_about(plan)->name, field->rank, field->rank == 1 ? "is" : "es",
                         size_examples[field->rank]);
    for (uint32_t axis = 0; axis < field->rank; axis++)
        shape->extent[axis] = plan->open >> axis & 1 ? UINT64_C(1) << PLAN_UNBOUNDED / field->rank : size[axis];
    return 0;
}

static int matrix_shape(const struct plan *plan, const struct engine_field *field, struct engine_shape *shape,
                        struct engine_error *error)
{
    static const char *const keys[] = {"columns", "rows"};
    static const char *const examples[] = {"columns = 1000, or name a file in [init] file",
                                           "rows = 1000, or name a file in [init] file"};
    const struct settings *settings = &plan->settings;
    const struct engine_shape *held = plan->found.has_matrix ? &plan->found.matrix : NULL;
    const uint64_t said[] = {settings->columns, settings->rows, settings->batch};
    for (int axis = 0; axis < 3; axis++)
        shape->extent[axis] = said[axis] ? said[axis] : held ? held->extent[axis] : axis == 2;
    for (int axis = 1; axis >= 0; axis--)
        if (shape->extent[axis] == 0)
            return missing(plan, "matrix", keys[axis], examples[axis], error);
    if (field->type == ENGINE_CONFIGURED && !settings->element_given && !held)
        return missing(plan, "matrix", "element", "element = float32", error);
    if (field->type == ENGINE_CONFIGURED && !settings->element_given)
        shape->type = held->type;
    shape->rank = shape->extent[2] > 1 ? 3 : 2;
    return 0;
}

static int configured_shape(const struct plan *plan, const struct engine_field *field, struct engine_shape *shape,
                            struct engine_error *error)
{
    *shape = (struct engine_shape){.size = sizeof *shape,
                                   .type = field->type == ENGINE_CONFIGURED ? plan->settings.element : field->type,
                                   .components = field->components,
                                   .rank = field->kind == ENGINE_GRID ? field->rank : 1,
                                   .extent = {1, 1, 1}};
    switch (field->kind) {
    case ENGINE_GRID:
        return grid_shape(plan, field, shape, error);
    case ENGINE_MATRIX:
        return matrix_shape(plan, field, shape, error);
    case ENGINE_PARTICLES:
        shape->extent[0] = plan->settings.particles ? plan->settings.particles : plan->found.particles;
        return shape->extent[0]
                   ? 0
                   : missing(plan, "particles", "count", "count = 4096, or name a file in [init] file", error);
    default:
        return 0;
    }
}

static int check_size(const struct plan *plan, const struct engine_field *field, const struct engine_shape *shape,
                      struct engine_error *error)
{
    static const struct {
        const char *section, *key;
    } sources[] = {{"grid", "size"}, {"particles", "count"}, {"matrix", "rows"}, {"run", "plugin"}};
    const uint64_t *extent = shape->extent;
    uint64_t bytes;
    const bool fits = shape_bytes(shape, &bytes);
    if (fits && bytes > 0)
        return 0;
    return error_set(error, ENGINE_STATUS_USAGE, "%s: field %s of %llu x %llu x %llu is %s",
                     config_place(plan->config, sources[field->kind].section, sources[field->kind].key), field->name,
                     (unsigned long long) extent[0], (unsigned long long) extent[1], (unsigned long long) extent[2],
                     fits ? "empty" : "too large");
}

static int shape_by_plugin(struct plan *plan, uint32_t index, uint64_t step, struct engine_shape *shape,
                           struct engine_error *error)
{
    host_enter(&plan->host, "shape");
    const int code = plan_about(plan)->shape(&plan->host.table, &plan->for_plugin, index, step, shape);
    host_leave(&plan->host);
    char who[160];
    snprintf(who, sizeof who, "%s: shape", plan_about(plan)->name);
    return code == 0 ? 0 : host_error(&plan->host, code, who, error);
}

/* Leaves the rows that the part of the plan has at this step, or the matrices. */
static void take_share(const struct plan *plan, struct engine_shape *shape)
{
    const struct engine_part *part = &plan->for_plugin.part;
    uint64_t *extent = &shape->extent[plan->slab.axis];
    *extent = engine_share_begin(part->index + 1, part->count, *extent) -
              engine_share_begin(part->index, part->count, *extent);
}

int plan_shape_at(struct plan *plan, uint32_t index, uint64_t step, struct engine_shape *shape,
                  struct engine_error *error)
{
    const struct engine_field *field = &plan_about(plan)->fields.at[index];
    const struct source *source = plan->source;
    if ((source && source->shape ? source->shape(plan, index, step, shape, error)
                                 : configured_shape(plan, field, shape, error)) != 0)
        return error->status;
    if (plan_about(plan)->shape && shape_by_plugin(plan, index, step, shape, error) != 0)
        return error->status;
    if (type_bytes(shape->type) == 0 || shape->components == 0 || shape->rank < 1 || shape->rank > 3)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s: its shape for field %s is not valid", plan_about(plan)->name,
                         field->name);
    if (plan->slab.swaps)
        take_share(plan, shape);
    if (check_size(plan, field, shape, error) != 0)
        return error->status;
    return source && source->check_shape ? source->check_shape(plan, index, step, shape, error) : 0;
}

const char *plan_size_text(const struct plan *plan, uint32_t index, char text[SHAPE_TEXT])
{
    struct engine_shape shape = plan->shapes[index];
    if (plan_is_unbounded(plan) && !plan_is_strip(plan))
        return strcpy(text, "unbounded");
    for (int axis = 0; axis < 3; axis++)
        shape.extent[axis] *= !(plan->open >> axis & 1);
    shape_text(&plan_about(plan)->fields.at[index], &shape, text);
    const size_t length = strlen(text);
    if (plan_is_batch(plan))
        snprintf(text + length, SHAPE_TEXT - length, ", batch of %llu", (unsigned long long) plan->settings.universes);
    return text;
}

/* Finds how many values the cells of a field take. */
static int describe(struct plan *plan, uint32_t index, struct engine_error *error)
{
    struct engine_field *field = &plan->described[index];
    *field = plan_about(plan)->fields.at[index];
    if (!plan_about(plan)->values)
        return 0;
    const uint32_t most = field->values;
    char who[160];
    snprintf(who, sizeof who, "%s: values", plan_about(plan)->name);
    host_enter(&plan->host, "values");
    const int code = plan_about(plan)->values(&plan->host.table, &plan->for_plugin, index, &field->values);
    host_leave(&plan->host);
    if (code != 0)
        return host_error(&plan->host, code, who, error);
    if (field->values != most && (field->values < 2 || field->values > most || field->initial >= field->values))
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s %u for field %s; expected 2 to %u, and more than its default",
                         who, field->values, field->name, most);
    return 0;
}

static int ask_colours(struct plan *plan, uint32_t index, struct engine_error *error)
{
    uint32_t count = 0;
    char who[160];
    plan->colours[index] = calloc(256, sizeof *plan->colours[index]);
    if (!plan->colours[index])
        return error_memory(error, 256 * sizeof *plan->colours[index], "colours");
    snprintf(who, sizeof who, "%s: colours", plan_about(plan)->name);
    host_enter(&plan->host, "colours");
    const int code =
        plan_about(plan)->colours(&plan->host.table, &plan->for_plugin, index, plan->colours[index], &count);
    host_leave(&plan->host);
    if (code != 0)
        return host_error(&plan->host, code, who, error);
    if (count > 256)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s: %u colours; expected 0 to 256", who, count);
    if (count == 0) {
        free(plan->colours[index]);
        plan->colours[index] = NULL;
    }
    return 0;
}

int plan_ask_colours(struct plan *plan, struct engine_error *error)
{
    for (uint32_t i = 0; plan_about(plan)->colours && i < plan_about(plan)->fields.count; i++)
        if (plan_about(plan)->fields.at[i].type == ENGINE_U8 && ask_colours(plan, i, error) != 0)
            return error->status;
    return 0;
}

int plan_describe_fields(struct plan *plan, struct engine_error *error)
{
    for (uint32_t i = 0; i < plan_about(plan)->fields.count; i++)
        if (describe(plan, i, error) != 0)
            return error->status;
    return 0;
}

int plan_make_shapes(struct plan *plan, struct engine_error *error)
{
    const uint32_t count = plan_about(plan)->fields.count;
    find_open_axes(plan);
    plan->shapes = calloc(count, sizeof *plan->shapes);
    if (!plan->shapes)
        return error_memory(error, count, "shapes");
    for (uint32_t i = 0; i < count; i++) {
        plan->for_plugin.shapes = (struct engine_shape_array){plan->shapes, i, sizeof *plan->shapes};
        if (plan_shape_at(plan, i, 0, &plan->shapes[i], error) != 0)
            return error->status;
    }
    plan->for_plugin.shapes.count = count;
    return 0;
}

struct engine_file_array plan_array(const struct plan *plan, uint32_t index)
{
    const struct engine_field *field = &plan->described[index];
    return (struct engine_file_array){.name = field->name,
                                      .kind = field->kind,
                                      .values = field->values,
                                      .batch = plan_is_batch(plan),
                                      .shape = plan_whole_shape(plan, index)};
}
