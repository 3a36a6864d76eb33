/* Prints the configuration of a run: a copy of the configuration, with what else the plan knows set in it. */
#include "files/plan_config.h"
#include "base/text.h"
#include "files/plan_use.h"
#include "plan/edges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The copy ----------------------------------------------------------------------------------------------- */

/* Sets a key that is not given, or empty. */
static int set_missing(struct config *copy, const char *section, const char *key, const char *text,
                       struct engine_error *error)
{
    const char *given = config_get(copy, section, key);
    return given && *given ? 0 : config_put(copy, section, key, text, error);
}

static bool is_used(const struct plan *plan, const char *section, const char *key)
{
    const struct engine_section *init = &keys_sections[KEYS_INIT];
    if (keys_flags(plan->context, section, key) & KEY_SEVERAL)
        return false;
    for (uint32_t i = 0; strcmp(section, init->name) == 0 && i < KEYS_OF_INIT; i++)
        if (strcmp(key, init->keys.at[i].name) == 0)
            return plan_uses_init(plan, i);
    return true;
}

/* Leaves out keys that an option has made useless; in a file they would be errors. */
static int copy_keys(const struct plan *plan, struct config *copy, struct engine_error *error)
{
    const struct config *config = plan->config;
    const char *section, *key;
    for (uint32_t i = 0; (section = config_section_at(config, i)); i++)
        for (uint32_t k = 0; (key = config_key_at(config, section, k)); k++)
            if (is_used(plan, section, key) &&
                config_put(copy, section, key, config_get(config, section, key), error) != 0)
                return error->status;
    return 0;
}

/* ---- What the plan knows besides ---------------------------------------------------------------------------- */

static int set_path(struct config *copy, const char *section, const char *key, const char *path,
                    struct engine_error *error)
{
    char *whole = realpath(path, NULL);
    const int status = config_put(copy, section, key, whole ? whole : path, error);
    free(whole);
    return status;
}

static int set_paths(const struct plan *plan, struct config *copy, struct engine_error *error)
{
    const struct engine_field_array *fields = &plan->plugin->about.fields;
    const char *plugins = config_get(plan->config, "run", "plugins");
    char path[SETTINGS_PATH_MAX];
    if (plugins && *plugins &&
        set_path(copy, "run", "plugins", config_resolve(plan->config, plugins, path, sizeof path), error) != 0)
        return error->status;
    if (*plan->settings.file && set_path(copy, "init", "file", plan->settings.file, error) != 0)
        return error->status;
    const char *molecules = config_get(plan->config, "frames", "molecules");
    if (molecules && *molecules &&
        set_path(copy, "frames", "molecules", config_resolve(plan->config, molecules, path, sizeof path), error) != 0)
        return error->status;
    for (uint32_t i = 0; plan->settings.arrays && i < fields->count; i++)
        if (*plan->settings.arrays[i] &&
            set_path(copy, "init", fields->at[i].name,
                     config_resolve(plan->config, plan->settings.arrays[i], path, sizeof path), error) != 0)
            return error->status;
    return 0;
}

static int hide_folder(struct config *copy, const char *section, const char *key, struct engine_error *error)
{
    const char *path = config_get(copy, section, key), *slash = path ? strrchr(path, '/') : NULL;
    char *name = slash ? strdup(slash + 1) : NULL; /* the text of a key ends when the key is set */
    const int status = name ? config_put(copy, section, key, name, error) : 0;
    free(name);
    return slash && !name ? error_memory(error, strlen(slash), "a file's name") : status;
}

int plan_config_hide_folders(const struct plan *plan, struct config *copy, struct engine_error *error)
{
    const struct engine_plugin *about = &plan->plugin->about;
    if (hide_folder(copy, "init", "file", error) != 0 || hide_folder(copy, "frames", "molecules", error) != 0)
        return error->status;
    for (uint32_t i = 0; plan->settings.arrays && i < about->fields.count; i++)
        if (*plan->settings.arrays[i] && hide_folder(copy, "init", about->fields.at[i].name, error) != 0)
            return error->status;
    for (uint32_t i = 0; i < about->params.count; i++)
        if (plan->paths[i] && hide_folder(copy, about->name, about->params.at[i].name, error) != 0)
            return error->status;
    return plan->run ? plan_config_hide_folders(plan->run, copy, error) : 0;
}

static int set_number(struct config *copy, const char *section, const char *key, uint64_t number,
                      struct engine_error *error)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long) number);
    return number > 0 ? set_missing(copy, section, key, text, error) : 0;
}

static int set_grid(const struct plan *plan, struct config *copy, struct engine_error *error)
{
    const struct engine_field *field = &plan->plugin->about.fields.at[0];
    char text[96];
    int used = 0;
    if (field->kind != ENGINE_GRID || plan->found.grid[0] == 0)
        return 0;
    for (uint32_t axis = 0; axis < field->rank; axis++)
        used += snprintf(text + used, sizeof text - (size_t) used, "%s%llu", axis ? " " : "",
                         plan->open >> axis & 1 ? 0 : (unsigned long long) plan->found.grid[axis]);
    if (set_missing(copy, "grid", "size", text, error) != 0)
        return error->status;
    char edges[EDGES_TEXT];
    if (*edges_text(plan, edges) && set_missing(copy, "grid", "edges", edges, error) != 0)
        return error->status;
    return *edges_shift_text(plan, edges) ? set_missing(copy, "grid", "edge_shift", edges, error) : 0;
}

static int set_matrix(const struct plan *plan, struct config *copy, struct engine_error *error)
{
    static const char *const keys[] = {"columns", "rows", "batch"};
    const struct engine_shape *held = plan->found.has_matrix ? &plan->found.matrix : NULL;
    for (int axis = 0; held && axis < 3; axis++)
        if (set_number(copy, "matrix", keys[axis], held->extent[axis], error) != 0)
            return error->status;
    return held ? set_missing(copy, "matrix", "element", type_name(held->type), error) : 0;
}

/* Frames have boxes of their own. */
static int set_box(const struct plan *plan, struct config *copy, struct engine_error *error)
{
    const double *box = plan->found.box;
    char text[192];
    if (plan->frames > 1 || !(box[0] > 0 || box[1] > 0 || box[2] > 0))
        return 0;
    snprintf(text, sizeof text, "%.17g %.17g %.17g %.17g %.17g %.17g", box[0], box[1], box[2], box[3], box[4], box[5]);
    return set_missing(copy, "particles", "box", text, error);
}

/* Sets all parameters, at their defaults or as the input file's header gave them, so that a plugin with other defaults
 * repeats the run too. */
static int set_params(const struct plan *plan, struct config *copy, struct engine_error *error)
{
    const struct engine_plugin *about = &plan->plugin->about;
    for (uint32_t i = 0; i < about->params.count; i++)
        if (plan->paths[i] && set_path(copy, about->name, about->params.at[i].name, plan->paths[i], error) != 0)
            return error->status;
    for (uint32_t i = 0; i < about->params.count; i++)
        if (*plan->values[i].text &&
            set_missing(copy, about->name, about->params.at[i].name, plan->values[i].text, error) != 0)
            return error->status;
    return 0;
}

/* Sets what the random numbers of the initial state depend on. */
static int set_random(const struct plan *plan, struct config *copy, struct engine_error *error)
{
    const struct settings *settings = &plan->settings;
    const struct engine_field_array *fields = &plan->plugin->about.fields;
    char text[32];
    if (settings->source != INIT_RANDOM && settings->source != INIT_GENERATOR)
        return 0;
    snprintf(text, sizeof text, "%llu", (unsigned long long) settings->seed);
    if (set_missing(copy, "init", "seed", text, error) != 0)
        return error->status;
    snprintf(text, sizeof text, "%.17g", settings->density);
    for (uint32_t i = 0; settings->source == INIT_RANDOM && i < fields->count; i++)
        if (fields->at[i].role == ENGINE_STATE && fields->at[i].values > 0)
            return set_missing(copy, "init", "density", text, error);
    return 0;
}

/* The number of particles in the files; 0: there are none. */
static uint64_t particles_in_files(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++)
        if (plan->plugin->about.fields.at[i].kind == ENGINE_PARTICLES && plan->sources[i].given)
            return plan->shapes[i].extent[0];
    return 0;
}

static int resolve(const struct plan *plan, struct config *copy, struct engine_error *error)
{
    static int (*const parts[])(const struct plan *, struct config *, struct engine_error *) = {
        set_paths, set_grid, set_matrix, set_box, set_random, set_params};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i](plan, copy, error) != 0)
            return error->status;
    if (set_missing(copy, "run", "output", plan->settings.output, error) != 0 ||
        set_number(copy, "particles", "count", particles_in_files(plan), error) != 0)
        return error->status;
    return plan->frames > 1 ? set_number(copy, "run", "steps", plan->settings.steps, error) : 0;
}

/* ---- The text ----------------------------------------------------------------------------------------------- */

/* The quotes are there where the text would be misread as a comment or a quote. */
int plan_config_key(FILE *out, const char *section, const char *key, const char *text, struct engine_error *error)
{
    const size_t length = strlen(text);
    const bool plain = !strpbrk(text, ";#\"'") && (length == 0 || text[length - 1] != '\\');
    const char *quote = plain ? "" : !strchr(text, '"') ? "\"" : !strchr(text, '\'') ? "'" : NULL;
    if (!quote)
        return error_set(error, ENGINE_STATUS_USAGE,
                         "[%s] %s: '%.200s' cannot be written to a file: it contains both kinds of quotes", section,
                         key, text);
    if (fprintf(out, "%s = %s%s%s\n", key, quote, text, quote) > CONFIG_LINE_MAX)
        return error_set(error, ENGINE_STATUS_USAGE, "[%s] %s: '%.200s…' cannot be written to a file: it is too long",
                         section, key, text);
    return 0;
}

static int print_sections(FILE *out, const struct config *config, struct engine_error *error)
{
    const char *section, *key;
    for (uint32_t i = 0; (section = config_section_at(config, i)); i++) {
        fprintf(out, "%s[%s]\n", i > 0 ? "\n" : "", section);
        for (uint32_t k = 0; (key = config_key_at(config, section, k)); k++)
            if (plan_config_key(out, section, key, config_get(config, section, key), error) != 0)
                return error->status;
    }
    return 0;
}

int plan_config_text(const struct config *config, char **text, struct engine_error *error)
{
    size_t bytes = 0;
    FILE *out = open_memstream(text, &bytes);
    if (!out)
        return error_memory(error, bytes, "a configuration's text");
    int status = print_sections(out, config, error);
    if (!text_stream_close(out, text) && status == 0)
        status = error_memory(error, bytes, "a configuration's text");
    if (status != 0) {
        free(*text);
        *text = NULL;
    }
    return status;
}

int plan_config_copy(const struct plan *plan, struct config **copy, struct engine_error *error)
{
    if (config_open(NULL, copy, error) != 0)
        return error->status;
    plan = plan->run ? plan->run : plan;
    int status = copy_keys(plan, *copy, error);
    if (status == 0)
        status = resolve(plan, *copy, error);
    if (status == 0 && plan->analysis)
        status = set_params(plan->analysis, *copy, error);
    if (status != 0) {
        config_close(*copy);
        *copy = NULL;
    }
    return status;
}

int plan_config(const struct plan *plan, char **text, struct engine_error *error)
{
    struct config *copy;
    *text = NULL;
    if (plan_config_copy(plan, &copy, error) != 0)
        return error->status;
    const int status = plan_config_text(copy, text, error);
    config_close(copy);
    return status;
}
