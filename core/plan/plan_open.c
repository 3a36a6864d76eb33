/* Opens and closes plans: settings, parameters, input files, shapes, checks. */
#include "base/context.h"
#include "base/modules.h"
#include "base/text.h"
#include "plan/divider.h"
#include "plan/edges.h"
#include "plan/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Parameters --------------------------------------------------------------------------------------------- */

/* Reads the parameters that the source gives, as the header of a file: those with a file_key that the configuration does not
 * set. */
static int header_params(struct plan *plan, struct engine_error *error)
{
    const struct engine_param_array *params = &plan_about(plan)->params;
    const struct param_checker checker = host_param_checker(&plan->host);
    for (uint32_t i = 0; i < params->count; i++) {
        const struct engine_param *param = &params->at[i];
        const char *text = param->file_key ? plan->source->text(plan, param->file_key) : "";
        if (!*text || config_get(plan->config, plan_about(plan)->name, param->name))
            continue;
        if (param_parse(param, text, &checker, &plan->values[i], error) != 0) {
            error->status = ENGINE_STATUS_INPUT;
            return error_prefix(error, "%s: in its header: ", plan->settings.file);
        }
    }
    return 0;
}

/* Makes paths of the names that are relative to the configuration. */
static int resolve_paths(struct plan *plan, struct engine_error *error)
{
    const struct engine_param_array *params = &plan_about(plan)->params;
    char path[SETTINGS_PATH_MAX];
    plan->paths = calloc(params->count + 1, sizeof *plan->paths);
    for (uint32_t i = 0; plan->paths && i < params->count; i++) {
        const char *text = plan->values[i].text;
        if (!(params->at[i].flags & ENGINE_PARAM_PATH) || !*text)
            continue;
        plan->paths[i] = strdup(strcmp(text, ".") == 0 ? config_folder(plan->config)
                                                       : config_resolve(plan->config, text, path, sizeof path));
        if (!plan->paths[i])
            return error_memory(error, strlen(text), "a path");
        plan->values[i].text = plan->paths[i];
    }
    return plan->paths ? 0 : error_memory(error, params->count, "paths");
}

/* Checks that the headers of pattern files hold the values that they give. */
static int check_header_texts(const struct plan *plan, struct engine_error *error)
{
    const struct engine_param_array *params = &plan_about(plan)->params;
    for (uint32_t i = 0; i < params->count; i++)
        if (params->at[i].file_key && strlen(plan->values[i].text) >= PLAN_HEADER_MAX)
            return error_set(error, ENGINE_STATUS_USAGE,
                             "%s: [%s] %s has %zu characters; the limit is %d, because the headers of pattern files "
                             "hold no more",
                             config_place(plan->config, plan_about(plan)->name, params->at[i].name),
                             plan_about(plan)->name, params->at[i].name, strlen(plan->values[i].text),
                             PLAN_HEADER_MAX - 1);
    return 0;
}

static int read_params(struct plan *plan, struct engine_error *error)
{
    const struct engine_param_array *params = &plan_about(plan)->params;
    plan->values = calloc(params->count + 1, sizeof *plan->values);
    if (!plan->values)
        return error_memory(error, params->count, "parameters");
    plan->for_plugin.params = (struct engine_value_array){plan->values, params->count, sizeof *plan->values};
    const struct param_checker checker = host_param_checker(&plan->host);
    if (param_read_section(plan->config, plan_about(plan)->name, params, keys_of_plugin(plan_about(plan)->name),
                           &checker, plan->values, error) != 0 ||
        check_header_texts(plan, error) != 0)
        return error->status;
    return resolve_paths(plan, error);
}

/* ---- Opening ------------------------------------------------------------------------------------------------ */

/* Sets the box and the symbols of species that the plugin sees: for an analysis the run's. On another rank than 0 the
 * symbols are those of rank 0. */
static void set_found(struct plan *plan)
{
    const double *own = plan->settings.box_given ? plan->settings.box : plan->found.box;
    memcpy(plan->for_plugin.box, plan->run ? plan->run->for_plugin.box : own, sizeof plan->for_plugin.box);
    plan->for_plugin.symbols = plan->run    ? plan->run->for_plugin.symbols
                               : plan->told ? *plan->told
                                            : plan->found.symbols;
}

static int find_plugin(struct plan *plan, const char *name, struct engine_error *error)
{
    if (name)
        return registry_find(plan->search.registry, name, &plan->plugin, error);
    if (settings_plugin(plan->config, plan->context, &name, error) != 0)
        return error->status;
    if (registry_find(plan->search.registry, name, &plan->plugin, error) != 0)
        return error_prefix(error, "%s: ", config_place(plan->config, "run", "plugin"));
    return 0;
}

static int open_source(struct plan *plan, struct engine_error *error)
{
    const struct source *source = plan->source;
    if (!source && plan_starts_from_files(plan))
        return error_set(error, ENGINE_STATUS_USAGE, "[init] source: this program reads no files");
    if (source && source->open(plan, error) != 0)
        return error->status;
    return source && source->text ? header_params(plan, error) : 0;
}

/* Each step reads a frame. Without [run] steps all frames are read. */
static int match_steps(struct plan *plan, struct engine_error *error)
{
    struct settings *settings = &plan->settings;
    char frames[64], steps[64];
    if (plan->frames == 1)
        return 0;
    if (!config_get(plan->config, "run", "steps"))
        settings->steps = plan->frames;
    if (settings->steps <= plan->frames)
        return 0;
    return error_set(error, ENGINE_STATUS_USAGE, "%s: [run] steps: the input has %s for %s; each step reads one frame",
                     config_place(plan->config, "run", "steps"), text_count(plan->frames, "frame", frames),
                     text_count(settings->steps, "step", steps));
}

/* Finds the plugin, and reads all keys. */
static int read_keys(struct plan *plan, const char *plugin, struct engine_error *error)
{
    if (find_plugin(plan, plugin, error) != 0)
        return error->status;
    if (plan_about(plan)->fields.count > PLAN_FIELDS_MAX)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s has %u fields; this engine takes %d", plan_about(plan)->name,
                         plan_about(plan)->fields.count, PLAN_FIELDS_MAX);
    if (plan->run)
        settings_of_analysis(&plan->run->settings, &plan->settings);
    else if (settings_read(plan->config, plan->search.registry, plan->plugin, &plan->settings, error) != 0)
        return error->status;
    host_init(&plan->host, plan->context, plan_about(plan)->name, plan->settings.threads, NULL);
    plan->for_plugin = (struct engine_plan){.size = sizeof plan->for_plugin,
                                            .threads = plan->settings.threads,
                                            .device = plan->settings.device,
                                            .seed = plan->settings.seed,
                                            .universes = plan->settings.universes};
    return read_params(plan, error);
}

static const struct modules *modules_of(const struct plan *plan)
{
    return plan->context ? plan->context->modules : NULL;
}

const struct divider *plan_divider(const struct plan *plan)
{
    const struct modules *modules = modules_of(plan);
    return modules && modules->divider ? modules->divider(plan) : NULL;
}

static int check_parts(struct plan *plan, struct engine_error *error)
{
    const struct divider *divider = plan_divider(plan);
    return divider ? divider->check(plan, error) : 0;
}

static int open_steps(struct plan *plan, const char *plugin, struct engine_error *error)
{
    if (read_keys(plan, plugin, error) != 0 || open_source(plan, error) != 0 || match_steps(plan, error) != 0)
        return error->status;
    set_found(plan);
    if (plan_describe_fields(plan, error) != 0 || plan_make_shapes(plan, error) != 0 || edges_make(plan, error) != 0 ||
        plan_check_batch(plan, error) != 0 || plan_check_fields(plan, error) != 0 || check_parts(plan, error) != 0)
        return error->status;
    plan->for_plugin.part.count = 1;
    memcpy(plan->for_plugin.part.whole, plan->shapes[0].extent, sizeof plan->for_plugin.part.whole);
    if (plan_check_by_plugin(plan, &plan->host, &plan->for_plugin, error) != 0)
        return error->status;
    return plan_ask_colours(plan, error);
}

/* An analysis is found where its run was found. */
static int begin_search(struct plan *plan, struct registry *registry, struct engine_error *error)
{
    if (plan->run)
        plan->search.registry = plan->run->search.registry;
    else if (plan_search_open(&plan->search, plan->config, registry, error) != 0)
        return error->status;
    plan->context = registry_context(plan->search.registry);
    return 0;
}

static int open_plan(const struct config *config, const struct plan *run, const struct source *source,
                     struct registry *registry, const char *plugin, const struct engine_name_array *told,
                     int (*steps)(struct plan *, const char *, struct engine_error *), struct plan **out,
                     struct engine_error *error)
{
    struct plan *plan = calloc(1, sizeof *plan);
    *out = NULL;
    if (!plan)
        return error_memory(error, sizeof *plan, "the plan");
    plan->config = config;
    plan->run = run;
    plan->told = told;
    plan->frames = 1;
    int status = begin_search(plan, registry, error);
    plan->source = source ? source : modules_of(plan) ? modules_of(plan)->files : NULL;
    if (status == 0)
        status = steps(plan, plugin, error);
    if (status != 0) {
        plan_close(plan);
        return error->status;
    }
    *out = plan;
    return 0;
}

int plan_check_keys(const struct config *config, struct registry *registry, struct engine_error *error)
{
    struct plan *plan;
    const int status = open_plan(config, NULL, NULL, registry, NULL, NULL, read_keys, &plan, error);
    plan_close(plan);
    return status;
}

int plan_open_told(const struct config *config, struct registry *registry, const char *plugin,
                   const struct engine_name_array *symbols, struct plan **plan, struct engine_error *error)
{
    return open_plan(config, NULL, NULL, registry, plugin, symbols, open_steps, plan, error);
}

int plan_open(const struct config *config, struct registry *registry, struct plan **plan, struct engine_error *error)
{
    return open_plan(config, NULL, NULL, registry, NULL, NULL, open_steps, plan, error);
}

int plan_open_analysis(const struct plan *run, const struct source *source, const char *plugin, struct plan **plan,
                       struct engine_error *error)
{
    return open_plan(run->config, run, source, NULL, plugin, NULL, open_steps, plan, error);
}

void plan_close(struct plan *plan)
{
    if (!plan)
        return;
    if (plan->parts || plan->tiling)
        plan_divider(plan)->close(plan);
    if (plan->source && plan->source->close)
        plan->source->close(plan);
    if (!plan->run)
        settings_release(&plan->settings);
    host_release(&plan->host);
    for (uint32_t i = 0; plan->paths && i < plan_about(plan)->params.count; i++)
        free(plan->paths[i]);
    for (uint32_t i = 0; i < PLAN_FIELDS_MAX; i++)
        free(plan->colours[i]);
    plan_search_close(&plan->search);
    free(plan->advice);
    free(plan->paths);
    free(plan->shapes);
    free(plan->values);
    free(plan);
}
