/* engine_config_of_pattern: the configuration that starts a run from a pattern file. It asks plugins whether they take
 * the file. */
#include "api/handles.h"
#include "files/formats.h"

#include <engine/files.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rule of files that state none, as in Golly. */
static const char usual_rule[] = "B3/S23";

/* A parameter `folder`, where a plugin looks for rules, gets the path of the file: rules may stand in it, or beside it. */
static int put_folder(struct engine_config *config, const char *whole, const struct engine_plugin *about,
                      struct engine_error *error)
{
    for (uint32_t i = 0; i < about->params.count; i++)
        if (about->params.at[i].flags & ENGINE_PARAM_PATH && strcmp(about->params.at[i].name, "folder") == 0)
            return engine_config_put(config, about->name, "folder", whole, error);
    return 0;
}

/* Returns the parameter that the rule of a pattern file sets, if the plugin starts from such a pattern; else NULL. */
static const struct engine_param *rule_of(const struct engine_plugin *about, const struct io_document *pattern)
{
    const struct engine_field *first = about->fields.at;
    if (about->fields.count == 0 || first->role != ENGINE_STATE || first->kind != ENGINE_GRID ||
        first->rank != pattern->arrays[0].shape.rank)
        return NULL;
    for (uint32_t i = 0; i < about->params.count; i++)
        if (about->params.at[i].file_key && strcmp(about->params.at[i].file_key, "rule") == 0)
            return &about->params.at[i];
    return NULL;
}

/* The cells that a grid has beside the pattern along an axis, half of them before it: an even number, for the cells of a
 * triangular grid. */
static uint64_t room_of(uint64_t extent)
{
    return extent > 64 ? (extent + 3) / 4 * 4 : 64;
}

/* A grid that the file does not state has room around the pattern. */
static int put_size(struct engine_config *config, const struct engine_shape *shape, struct engine_error *error)
{
    char size[96];
    int used = 0;
    for (uint32_t axis = 0; axis < shape->rank; axis++)
        used += snprintf(size + used, sizeof size - (size_t) used, "%s%llu", axis ? " " : "",
                         (unsigned long long) (shape->extent[axis] + room_of(shape->extent[axis])));
    return engine_config_put(config, "grid", "size", size, error);
}

/* Plans the run on an unbounded grid, where a torus around a large pattern is too large. */
static int plan_unbounded(const struct engine_config *config, struct engine_run **run, struct engine_error *error)
{
    struct engine_config *copy;
    if (engine_config_copy(config, &copy, error) != 0)
        return error->status;
    int status = engine_config_put(copy, "grid", "size", "", error);
    if (status == 0)
        status = engine_config_put(copy, "grid", "edges", "unbounded", error);
    if (status == 0)
        status = engine_run_plan(copy, run, error);
    engine_config_close(copy);
    return status;
}

/* Makes the configuration, and plans its run. */
static int try_plugin(struct engine_context *context, const char *whole, const struct engine_plugin *about,
                      const struct io_document *pattern, struct engine_config **config, struct engine_error *error)
{
    const struct engine_param *rule = rule_of(about, pattern);
    const bool states_rule = *pattern->header.rule != '\0', states_grid = pattern->header.pattern.grid[0] != 0;
    struct engine_run *run = NULL;
    if (!rule)
        return ENGINE_STATUS_PLUGIN;
    if (engine_config_open(context, NULL, config, error) != 0)
        return error->status;
    int status = engine_config_put(*config, "run", "plugin", about->name, error);
    if (status == 0)
        status = engine_config_put(*config, "init", "file", whole, error);
    if (status == 0 && !states_grid)
        status = put_size(*config, &pattern->arrays[0].shape, error);
    if (status == 0 && !states_rule && pattern->arrays[0].shape.rank == 2 && strcmp(rule->initial, usual_rule) != 0)
        status = engine_config_put(*config, about->name, rule->name, usual_rule, error);
    if (status == 0)
        status = put_folder(*config, whole, about, error);
    if (status == 0 && (status = engine_run_plan(*config, &run, error)) != 0 && !states_grid)
        status = plan_unbounded(*config, &run, error);
    engine_run_close(run);
    if (status == 0)
        return 0;
    engine_config_close(*config);
    *config = NULL;
    return status;
}

static int try_plugins(struct engine_context *context, const char *path, const char *only,
                       const struct io_document *pattern, struct engine_config **config, struct engine_error *error)
{
    const char *name;
    char *whole = realpath(path, NULL);
    bool found = false;
    for (uint32_t i = 0; whole && !found && (name = registry_name_at(context->registry, i)); i++) {
        const struct plugin *plugin;
        struct engine_error why;
        found = (!only || strcmp(only, name) == 0) && registry_find(context->registry, name, &plugin, &why) == 0 &&
                try_plugin(context, whole, &plugin->about, pattern, config, &why) == 0;
    }
    free(whole);
    return found ? 0
                 : error_set(error, ENGINE_STATUS_PLUGIN, "%s: %s takes this pattern%s%s", path,
                             only ? "the plugin is not one that" : "no plugin",
                             *pattern->header.rule ? " of the rule " : "", pattern->header.rule);
}

int engine_config_of_pattern(struct engine_context *context, const char *path, const char *plugin,
                             struct engine_config **config, struct engine_error *error)
{
    API_NUMBERS;
    struct io_document *pattern;
    *config = NULL;
    if (formats_read(&context->context, path, false, &pattern, NULL, error) != 0)
        return error->status;
    const bool is_pattern = pattern->arrays[0].kind == ENGINE_GRID && pattern->arrays[0].values > 0;
    const int status = is_pattern ? try_plugins(context, path, plugin, pattern, config, error)
                                  : error_set(error, ENGINE_STATUS_INPUT, "%s: is no pattern for a grid", path);
    pattern->close(pattern);
    return status;
}
