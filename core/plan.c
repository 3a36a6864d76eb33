#include "plan.h"
#include "binding.h"
#include "param.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct engine_plugin *about(const struct plan *plan)
{
    return &plan->plugin->about;
}

/* "life2d-bit: shape", for messages about a function of the plugin. */
static int plugin_error(struct plan *plan, int code, const char *function, struct error *error)
{
    char who[160];
    snprintf(who, sizeof who, "%s: %s", about(plan)->name, function);
    return host_error(&plan->host, code, who, error);
}

/* ---- Parameters --------------------------------------------------------------------------------------------- */

/* Parameters that the input file's header sets: those with a file_key that the configuration leaves out. */
static int header_params(struct plan *plan, struct error *error)
{
    const struct engine_param_array *params = &about(plan)->params;
    for (uint32_t i = 0; i < params->count; i++) {
        const struct engine_param *param = &params->at[i];
        if (!param->file_key || strcmp(param->file_key, "rule") != 0 || !plan->pattern->header.rule[0] ||
            config_get(plan->config, about(plan)->name, param->name))
            continue;
        if (param_parse(param, plan->pattern->header.rule, &plan->host.table, &plan->values[i], error) != 0) {
            error->status = STATUS_INPUT;
            return error_prefix(error, "%s: %s in its header: ", plan->settings.file, param->file_key);
        }
    }
    return 0;
}

static int read_params(struct plan *plan, struct error *error)
{
    const struct engine_param_array *params = &about(plan)->params;
    plan->values = calloc(params->count + 1, sizeof *plan->values);
    if (!plan->values)
        return error_memory(error, params->count, "parameters");
    plan->shared.params = (struct engine_value_array){plan->values, params->count, sizeof *plan->values};
    return param_read_shared(plan->config, about(plan)->name, params, settings_keys(about(plan)->name),
                             &plan->host.table, plan->values, error);
}

const char *plan_header_text(const struct plan *plan, const char *file_key)
{
    const struct engine_param_array *params = &about(plan)->params;
    for (uint32_t i = 0; i < params->count; i++)
        if (params->at[i].file_key && strcmp(params->at[i].file_key, file_key) == 0)
            return plan->values[i].text;
    return "";
}

/* ---- Shapes ------------------------------------------------------------------------------------------------- */

static int missing(const struct plan *plan, const char *section, const char *key, const char *example,
                   struct error *error)
{
    return error_set(error, STATUS_USAGE, "%s: [%s] %s is missing%s; expected as in %s",
                     config_place(plan->config, section, key), section, key,
                     plan->pattern ? ", and the input file does not state it" : "", example);
}

static const char *const size_examples[] = {"", "size = 1000", "size = 512 384", "size = 64 64 64"};

/* With the size of a pattern, which the grid has to hold. */
static int missing_size(const struct plan *plan, const struct engine_field *field, struct error *error)
{
    char example[256];
    const struct io_array *pattern = plan->pattern ? &plan->pattern->arrays[0] : NULL;
    const uint64_t *extent = pattern && pattern->values != 0 ? pattern->shape.extent : NULL;
    int used = snprintf(example, sizeof example, "%s%s", size_examples[field->rank],
                        extent ? ", at least as large as the pattern, which is " : "");
    for (uint32_t axis = 0; extent && axis < field->rank; axis++)
        used += snprintf(example + used, sizeof example - (size_t) used, "%s%llu", axis ? " x " : "",
                         (unsigned long long) extent[axis]);
    return missing(plan, "grid", "size", example, error);
}

static int grid_shape(const struct plan *plan, const struct engine_field *field, struct engine_shape *shape,
                      struct error *error)
{
    const struct settings *settings = &plan->settings;
    if (settings->grid_rank == 0 && plan->pattern && plan->pattern->header.grid[0]) {
        memcpy(shape->extent, plan->pattern->header.grid, sizeof shape->extent);
        return 0;
    }
    if (settings->grid_rank == 0)
        return missing_size(plan, field, error);
    if (settings->grid_rank != field->rank)
        return error_set(
            error, STATUS_USAGE, "%s: [grid] size has %u number%s; %s of %s is a grid of %u ax%s, as in %s",
            config_place(plan->config, "grid", "size"), settings->grid_rank, settings->grid_rank == 1 ? "" : "s",
            field->name, about(plan)->name, field->rank, field->rank == 1 ? "is" : "es", size_examples[field->rank]);
    for (uint32_t axis = 0; axis < field->rank; axis++)
        shape->extent[axis] = settings->grid[axis];
    return 0;
}

static int matrix_shape(const struct plan *plan, const struct engine_field *field, struct engine_shape *shape,
                        struct error *error)
{
    static const char *const keys[] = {"columns", "rows"};
    static const char *const examples[] = {"columns = 1000, or a file by [init] file",
                                           "rows = 1000, or a file by [init] file"};
    const struct settings *settings = &plan->settings;
    const struct engine_shape *held = source_matrix(plan);
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
                            struct error *error)
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
        shape->extent[0] = plan->settings.particles ? plan->settings.particles : source_particles(plan);
        return shape->extent[0] ? 0
                                : missing(plan, "particles", "count", "count = 4096, or a file by [init] file", error);
    default:
        return 0;
    }
}

static int check_size(const struct plan *plan, const struct engine_field *field, const struct engine_shape *shape,
                      struct error *error)
{
    static const struct {
        const char *section, *key;
    } sources[] = {{"grid", "size"}, {"particles", "count"}, {"matrix", "rows"}, {"run", "plugin"}};
    const uint64_t *extent = shape->extent;
    uint64_t bytes;
    const bool fits = shape_bytes(shape, &bytes);
    if (fits && bytes > 0)
        return 0;
    return error_set(error, STATUS_USAGE, "%s: field %s of %llu x %llu x %llu is %s",
                     config_place(plan->config, sources[field->kind].section, sources[field->kind].key), field->name,
                     (unsigned long long) extent[0], (unsigned long long) extent[1], (unsigned long long) extent[2],
                     fits ? "empty" : "too large");
}

int plan_shape_at(struct plan *plan, uint32_t index, uint64_t step, struct engine_shape *shape, struct error *error)
{
    const struct engine_field *field = &about(plan)->fields.at[index];
    if ((plan->run ? binding_shape(plan, index, step, shape, error) : configured_shape(plan, field, shape, error)) != 0)
        return error->status;
    if (about(plan)->shape) {
        host_clear(&plan->host);
        int code = about(plan)->shape(&plan->host.table, &plan->shared, index, step, shape);
        if (code != 0)
            return plugin_error(plan, code, "shape", error);
    }
    if (type_bytes(shape->type) == 0 || shape->components == 0 || shape->rank < 1 || shape->rank > 3)
        return error_set(error, STATUS_PLUGIN, "%s: its shape for field %s is none", about(plan)->name, field->name);
    if (check_size(plan, field, shape, error) != 0)
        return error->status;
    return binding_check_shape(plan, index, step, shape, error);
}

static int make_shapes(struct plan *plan, struct error *error)
{
    const uint32_t count = about(plan)->fields.count;
    plan->shapes = calloc(count, sizeof *plan->shapes);
    if (!plan->shapes)
        return error_memory(error, count, "shapes");
    for (uint32_t i = 0; i < count; i++) {
        plan->shared.shapes = (struct engine_shape_array){plan->shapes, i, sizeof *plan->shapes};
        if (plan_shape_at(plan, i, 0, &plan->shapes[i], error) != 0)
            return error->status;
    }
    plan->shared.shapes.count = count;
    return 0;
}

/* ---- What the configuration asks of the fields -------------------------------------------------------------- */

/* The pattern goes into the first state; it must fit there. */
static int check_pattern(const struct plan *plan, struct error *error)
{
    const struct engine_field *field = &about(plan)->fields.at[0];
    const struct engine_shape *grid = &plan->shapes[0], *pattern = &plan->pattern->arrays[0].shape;
    const char *file = plan->settings.file;
    if (plan->pattern->count != 1 || field->role != ENGINE_STATE || field->kind != ENGINE_GRID)
        return error_set(error, STATUS_INPUT, "%s: %s does not start from a pattern file", file, about(plan)->name);
    if (pattern->type != grid->type || pattern->components != grid->components)
        return error_set(error, STATUS_INPUT, "%s: holds %s of %u components; field %s is %s of %u", file,
                         type_name(pattern->type), pattern->components, field->name, type_name(grid->type),
                         grid->components);
    if (pattern->rank > grid->rank)
        return error_set(error, STATUS_INPUT, "%s: has %u axes; field %s has %u", file, pattern->rank, field->name,
                         grid->rank);
    for (int axis = 0; axis < 3; axis++) {
        const unsigned long long wanted = pattern->extent[axis], there = grid->extent[axis];
        if (wanted > there)
            return error_set(error, STATUS_INPUT,
                             "%s: the pattern is %llu cells along %c, the grid %llu; give a larger [grid] size", file,
                             wanted, "xyz"[axis], there);
    }
    return 0;
}

static int check_start(const struct plan *plan, struct error *error)
{
    if (plan->pattern && !source_is_arrays(plan))
        return check_pattern(plan, error);
    return source_check_all(plan, error);
}

static bool field_is_written(const struct plan *plan, const struct io_format *format)
{
    for (uint32_t i = 0; i < about(plan)->fields.count; i++) {
        const struct engine_field *field = &about(plan)->fields.at[i];
        struct io_array array = {.values = field->values, .bins = field->kind == ENGINE_BINS, .shape = plan->shapes[i]};
        snprintf(array.name, sizeof array.name, "%s", field->name);
        if ((field->role == ENGINE_STATE || field->role == ENGINE_OUTPUT) && format->writes(&array))
            return true;
    }
    return false;
}

/* By the plan itself, or where it is an analysis by the run's. */
static bool is_written(const struct plan *plan, const struct io_format *format)
{
    return format->write && (field_is_written(plan, format) || (plan->run && field_is_written(plan->run, format)));
}

static int refuse_format(const struct plan *plan, const struct io_format *refused, struct error *error)
{
    const struct io_format *format;
    error_set(error, STATUS_USAGE, "%s: [output] formats: %s cannot hold any field of %s; expected some of",
              config_place(plan->config, "output", "formats"), refused->name, about(plan)->name);
    for (uint32_t i = 0; (format = io_format_at(i)); i++) {
        const size_t length = strlen(error->text);
        if (is_written(plan, format))
            snprintf(error->text + length, sizeof error->text - length, " %s", format->name);
    }
    return error->status;
}

/* Where there is an analysis, its plan looks at the formats of both. */
static int check_formats(const struct plan *plan, struct error *error)
{
    if (!plan->run && *plan->settings.analyse.plugin)
        return 0;
    for (uint32_t i = 0; i < plan->settings.format_count; i++)
        if (!is_written(plan, plan->settings.formats[i]))
            return refuse_format(plan, plan->settings.formats[i], error);
    return 0;
}

/* A slice that is not there would be found out only when the first picture is due. */
static int check_slice(const struct plan *plan, struct error *error)
{
    const struct io_options *how = &plan->settings.how;
    for (uint32_t i = 0; how->view == IO_SLICE && i < about(plan)->fields.count; i++) {
        const uint64_t there = plan->shapes[i].extent[2 - how->axis];
        if (plan->shapes[i].rank == 3 && how->slice != IO_MIDDLE && (uint64_t) how->slice >= there)
            return error_set(error, STATUS_USAGE, "%s: [output] slice = %lld: %s has %llu cells along %c, 0 to %llu",
                             config_place(plan->config, "output", "slice"), (long long) how->slice,
                             about(plan)->fields.at[i].name, (unsigned long long) there, "zyx"[how->axis],
                             (unsigned long long) there - 1);
    }
    return 0;
}

static int check_by_plugin(struct plan *plan, struct error *error)
{
    if (!about(plan)->check)
        return 0;
    host_clear(&plan->host);
    int code = about(plan)->check(&plan->host.table, &plan->shared);
    return code == 0 ? 0 : plugin_error(plan, code, "check", error);
}

/* ---- Opening ------------------------------------------------------------------------------------------------ */

/* The run's, of an analysis; else the configuration's, or the file's. */
static void set_box(struct plan *plan)
{
    const double *box = plan->run ? plan->run->shared.box : plan->settings.box[0] > 0 ? NULL : source_box(plan);
    memcpy(plan->shared.box, box ? box : plan->settings.box, sizeof plan->shared.box);
}

int plan_change_box(struct plan *plan, struct error *error)
{
    double before[6];
    bool same = true;
    memcpy(before, plan->shared.box, sizeof before);
    set_box(plan);
    for (int i = 0; i < 6; i++)
        same = same && before[i] == plan->shared.box[i];
    return same ? 0 : check_by_plugin(plan, error);
}

static int check_field_count(const struct plan *plan, struct error *error)
{
    const uint32_t count = about(plan)->fields.count;
    return count <= PLAN_FIELDS_MAX ? 0
                                    : error_set(error, STATUS_PLUGIN, "%s has %u fields; this engine takes %d",
                                                about(plan)->name, count, PLAN_FIELDS_MAX);
}

static int find_plugin(struct plan *plan, struct registry *registry, const char *name, struct error *error)
{
    if (name)
        return registry_find(registry, name, &plan->plugin, error);
    if (plan->run)
        name = plan->run->settings.analyse.plugin;
    else if (settings_plugin(plan->config, &name, error) != 0)
        return error->status;
    if (registry_find(registry, name, &plan->plugin, error) != 0)
        return error_prefix(error, "%s: ", config_place(plan->config, plan->run ? "analyse" : "run", "plugin"));
    return 0;
}

static int read_settings(struct plan *plan, struct registry *registry, struct error *error)
{
    if (!plan->run)
        return settings_read(plan->config, registry, plan->plugin, &plan->settings, error);
    settings_of_analysis(&plan->run->settings, &plan->settings);
    return 0;
}

static int find_sources(struct plan *plan, struct error *error)
{
    if (plan->run)
        return binding_find_all(plan, error);
    if (source_open_all(plan, error) != 0)
        return error->status;
    return plan->pattern ? header_params(plan, error) : 0;
}

/* A step takes a frame; without a number of steps all are taken. */
static int match_steps(struct plan *plan, struct error *error)
{
    struct settings *settings = &plan->settings;
    if (plan->frames == 1)
        return 0;
    if (!config_get(plan->config, "run", "steps"))
        settings->steps = plan->frames;
    if (settings->steps <= plan->frames)
        return 0;
    return error_set(error, STATUS_USAGE, "%s: [run] steps: there are %llu frames for %llu steps",
                     config_place(plan->config, "run", "steps"), (unsigned long long) plan->frames,
                     (unsigned long long) settings->steps);
}

static int open_steps(struct plan *plan, struct registry *registry, const char *plugin, struct error *error)
{
    if (find_plugin(plan, registry, plugin, error) != 0 || check_field_count(plan, error) != 0 ||
        read_settings(plan, registry, error) != 0)
        return error->status;
    host_init(&plan->host, plan->settings.threads, NULL);
    plan->shared = (struct engine_plan){.size = sizeof plan->shared,
                                        .threads = plan->settings.threads,
                                        .device = plan->settings.device,
                                        .seed = plan->settings.seed};
    if (read_params(plan, error) != 0 || find_sources(plan, error) != 0 || match_steps(plan, error) != 0)
        return error->status;
    set_box(plan);
    if (make_shapes(plan, error) != 0 || check_start(plan, error) != 0 || binding_check_names(plan, error) != 0)
        return error->status;
    if (check_formats(plan, error) != 0 || check_slice(plan, error) != 0)
        return error->status;
    return check_by_plugin(plan, error);
}

static int open_plan(const struct config *config, const struct plan *run, struct registry *registry, const char *plugin,
                     struct plan **out, struct error *error)
{
    struct plan *plan = calloc(1, sizeof *plan);
    *out = NULL;
    if (!plan)
        return error_memory(error, sizeof *plan, "the plan");
    plan->config = config;
    plan->run = run;
    plan->frames = 1;
    if (open_steps(plan, registry, plugin, error) != 0) {
        plan_close(plan);
        return error->status;
    }
    *out = plan;
    return 0;
}

int plan_open_with(const struct config *config, struct registry *registry, const char *plugin, struct plan **plan,
                   struct error *error)
{
    return open_plan(config, NULL, registry, plugin, plan, error);
}

int plan_open(const struct config *config, struct registry *registry, struct plan **plan, struct error *error)
{
    return open_plan(config, NULL, registry, NULL, plan, error);
}

int plan_open_analysis(const struct plan *run, struct registry *registry, struct plan **plan, struct error *error)
{
    return open_plan(run->config, run, registry, NULL, plan, error);
}

void plan_close(struct plan *plan)
{
    if (!plan)
        return;
    source_close_all(plan);
    settings_release(&plan->settings);
    host_release(&plan->host);
    free(plan->shapes);
    free(plan->values);
    free(plan);
}
