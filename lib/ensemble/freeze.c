#include "ensemble/freeze.h"
#include "base/machine.h"
#include "base/xxh.h"
#include "files/plan_config.h"
#include "files/replace.h"
#include "files/run_folder.h"
#include "plan/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char identity_line[] = "; identity ";

enum { IDENTITY = 33, CONFIG_BYTES_MAX = 1 << 24 };

/* ---- Paths ------------------------------------------------------------------------------------------------------ */

/* A configuration, and the plugins of the run and of its analysis, whose parameters may be paths. Members cannot have
 * other plugins. */
struct paths {
    const struct context *context;
    const struct config *config;
    const struct plugin *plugins[2]; /* NULL: none, or it cannot be loaded, which the plan of a member reports */
};

static struct paths find_plugins(const struct config *config, struct registry *registry)
{
    const char *const names[2] = {config_get(config, "run", "plugin"), config_get(config, "analyse", "plugin")};
    struct paths paths = {.context = registry_context(registry), .config = config};
    struct engine_error ignored;
    struct plan_search search;
    plan_search_open(&search, config, registry, &ignored);
    for (int i = 0; i < 2; i++)
        if (!names[i] || !*names[i] || registry_find(search.registry, names[i], &paths.plugins[i], &ignored) != 0)
            paths.plugins[i] = NULL;
    plan_search_close(&search);
    return paths;
}

/* The attributes that "section.key" has for either plugin. */
static uint32_t flags_of(const struct paths *paths, const char *name)
{
    uint32_t flags = 0;
    for (int i = 0; i < 2; i++)
        flags |= plugin_name_flags(paths->context, paths->plugins[i] ? &paths->plugins[i]->about : NULL, name);
    return flags;
}

/* Writes the absolute path of a file that the configuration names. */
static void make_absolute(const struct config *config, const char *given, char out[SETTINGS_PATH_MAX])
{
    char path[SETTINGS_PATH_MAX];
    config_resolve(config, given, path, sizeof path);
    char *whole = realpath(path, NULL);
    snprintf(out, SETTINGS_PATH_MAX, "%s", whole ? whole : path);
    free(whole);
}

static int set_path(const struct paths *paths, struct config *copy, const char *section, const char *key,
                    const char *given, struct engine_error *error)
{
    char path[SETTINGS_PATH_MAX];
    make_absolute(paths->config, given, path);
    return config_put(copy, section, key, path, error);
}

enum { NAME = 2 * CONFIG_NAME_MAX + 2 }; /* two names, "." and the end */

static const char *name_of(const char *section, const char *key, char name[NAME])
{
    snprintf(name, NAME, "%s.%s", section, key);
    return name;
}

static int freeze_keys(const struct paths *paths, struct config *copy, struct engine_error *error)
{
    const struct config *config = paths->config;
    const char *section, *key;
    char name[NAME];
    for (uint32_t i = 0; (section = config_section_at(config, i)); i++)
        for (uint32_t k = 0; (key = config_key_at(config, section, k)); k++) {
            const char *given = config_get(config, section, key);
            if (*given && flags_of(paths, name_of(section, key, name)) & KEY_PATH &&
                set_path(paths, copy, section, key, given, error) != 0)
                return error->status;
        }
    return 0;
}

/* A default such as "." means another folder once the configuration is in the folder of the ensemble. */
static int freeze_defaults(const struct paths *paths, const struct sweeps *sweeps, struct config *copy,
                           struct engine_error *error)
{
    for (int i = 0; i < 2; i++)
        for (uint32_t k = 0; paths->plugins[i] && k < paths->plugins[i]->about.params.count; k++) {
            const char *section = paths->plugins[i]->about.name;
            const struct engine_param *param = &paths->plugins[i]->about.params.at[k];
            const char *given = config_get(copy, section, param->name);
            char name[NAME];
            name_of(section, param->name, name);
            if ((param->flags & ENGINE_PARAM_PATH) && param->initial && *param->initial && !(given && *given) &&
                !sweeps_key(sweeps, name) && set_path(paths, copy, section, param->name, param->initial, error) != 0)
                return error->status;
        }
    return 0;
}

static bool has_paths(const struct paths *paths, const struct sweep *sweep)
{
    for (uint32_t k = 0; k < sweep->key_count; k++)
        if (flags_of(paths, sweep->keys[k]) & KEY_PATH)
            return true;
    return false;
}

/* Prints a sweep with absolute paths. */
static void print_sweep(FILE *to, const struct paths *paths, const struct sweep *sweep)
{
    fprintf(to, "%s=", sweep->name);
    for (uint32_t i = 0; i < sweep->count; i++) {
        const char *value = sweep->values[i];
        for (uint32_t k = 0; k < sweep->key_count; k++) {
            const int length = (int) (sweep->key_count > 1 ? strcspn(value, ":") : strlen(value));
            const bool is_path = flags_of(paths, sweep->keys[k]) & KEY_PATH;
            char given[SETTINGS_PATH_MAX], path[SETTINGS_PATH_MAX];
            snprintf(given, sizeof given, "%.*s", length, value);
            if (is_path)
                make_absolute(paths->config, given, path);
            fprintf(to, "%s%s", k ? ":" : i ? "," : "", is_path ? path : given);
            value += length + 1;
        }
    }
}

static int freeze_sweeps(const struct paths *paths, const struct sweeps *sweeps, struct config *copy,
                         struct engine_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    for (uint32_t i = 0; to && i < sweeps->count; i++) {
        fputs(i ? " and " : "", to);
        if (has_paths(paths, &sweeps->at[i]))
            print_sweep(to, paths, &sweeps->at[i]);
        else
            fputs(sweeps->at[i].given, to);
    }
    const int status = to && text_stream_close(to, &text) ? config_put(copy, "ensemble", "sweep", text, error)
                                                          : error_memory(error, bytes, "the sweeps");
    free(text);
    return status;
}

int ensemble_freeze(const struct config *config, const struct sweeps *sweeps, struct registry *registry,
                    struct config **copy, struct engine_error *error)
{
    const struct paths paths = find_plugins(config, registry);
    if (config_clone(config, copy, error) != 0)
        return error->status;
    if (freeze_keys(&paths, *copy, error) == 0 && freeze_defaults(&paths, sweeps, *copy, error) == 0 &&
        freeze_sweeps(&paths, sweeps, *copy, error) == 0)
        return 0;
    config_close(*copy);
    *copy = NULL;
    return error->status;
}

/* ---- Changes of a resumed ensemble ----------------------------------------------------------------------------- */

/* Are all implementations that a word of [run] implementation can mean exact? */
static bool is_exact(const struct plugin *plugin, const char *word)
{
    const struct engine_impl *named = plugin_impl(plugin, word);
    bool exact = true;
    for (uint32_t i = 0; i < plugin->about.impls.count; i++) {
        const struct engine_impl *impl = &plugin->about.impls.at[i];
        if (named ? impl == named : plugin_impl_is_of(impl, word))
            exact = exact && impl->flags & ENGINE_EXACT;
    }
    return exact;
}

/* Do the implementations before and after the changes give the same bits? The plan reports a plugin that is missing. */
static bool keeps_bits(const struct paths *changed, const struct config *before, const char *section)
{
    const struct plugin *plugin = changed->plugins[strcasecmp(section, "analyse") == 0];
    const char *was = config_get(before, section, "implementation");
    return !plugin || (is_exact(plugin, was ? was : "auto") &&
                       is_exact(plugin, config_get(changed->config, section, "implementation")));
}

static int check_change(const struct paths *changed, const struct config *before, const struct context *context,
                        const char *section, const char *key, struct engine_error *error)
{
    char name[NAME], words[CONTEXT_WORDS], clause[CONTEXT_WORDS];
    const uint32_t flags = flags_of(changed, name_of(section, key, name));
    if (flags & KEY_FREE || (flags & KEY_IMPLEMENTATION && keeps_bits(changed, before, section)))
        return 0;
    return error_set(
        error, ENGINE_STATUS_USAGE,
        "%s: a resumed ensemble cannot change this key, because the members that are done would differ from "
        "the others%s",
        context_words(context, ENGINE_WORDS_KEY, name, words),
        context_clause(context, ENGINE_WORDS_CHANGES, "ensemble", clause));
}

int freeze_check_changes(const struct config *before, const struct config *after, const char *const *assignments,
                         uint32_t count, const char *folder, struct registry *registry, struct engine_error *error)
{
    const struct paths changed = find_plugins(after, registry);
    const struct context *context = registry_context(registry);
    char words[CONTEXT_WORDS];
    for (uint32_t i = 0; i < count; i++) {
        char section[CONFIG_NAME_MAX + 1] = "", key[CONFIG_NAME_MAX + 1] = "";
        sscanf(assignments[i], " %64[^. ] . %64[^= ]", section, key);
        if (strcasecmp(section, "run") == 0 && strcasecmp(key, "output") == 0)
            return error_set(error, ENGINE_STATUS_USAGE,
                             "%s: a resumed ensemble goes on in its own folder; to continue it in another one, copy or "
                             "move the folder "
                             "%s",
                             context_words(context, ENGINE_WORDS_KEY, "run.output", words), folder);
        if (check_change(&changed, before, context, section, key, error) != 0)
            return error->status;
    }
    return 0;
}

/* ---- Identity --------------------------------------------------------------------------------------------------- */

/* The hash of all keys on which results may depend, as 32 hexadecimal digits. It does not ask the plugins. */
static int identify(const struct config *config, const struct context *context, char text[IDENTITY],
                    struct engine_error *error)
{
    const char *section, *key;
    char *all = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&all, &bytes);
    for (uint32_t i = 0; to && (section = config_section_at(config, i)); i++)
        for (uint32_t k = 0; (key = config_key_at(config, section, k)); k++)
            if (!(keys_flags(context, section, key) & KEY_FREE))
                fprintf(to, "%s.%s=%s\n", section, key, config_get(config, section, key));
    if (!to || !text_stream_close(to, &all))
        return error_memory(error, bytes, "the configuration");
    const XXH128_hash_t digest = XXH3_128bits(all, bytes);
    free(all);
    snprintf(text, IDENTITY, "%016llx%016llx", (unsigned long long) digest.high64, (unsigned long long) digest.low64);
    return 0;
}

int freeze_write(const struct config *frozen, const struct plan *plan, const struct folder *folder,
                 struct engine_error *error)
{
    const struct engine_plugin *about = &plan->plugin->about;
    char identity[IDENTITY], *config, *text;
    if (identify(frozen, plan->context, identity, error) != 0 || plan_config_text(frozen, &config, error) != 0)
        return error->status;
    int status = asprintf(&text, "; The ensemble in this folder: %s %s by engine %s\n%s%s\n\n%s", about->name,
                          about->version, machine_version(), identity_line, identity, config);
    if (status < 0) {
        text = NULL;
        status = error_memory(error, strlen(config), "the configuration");
    } else
        status = replace_text(folder, FOLDER_CONFIG, text, error);
    free(text);
    free(config);
    return status;
}

int freeze_is_ensemble(const struct folder *folder, bool *found, struct engine_error *error)
{
    char *text;
    size_t bytes;
    if (folder_read(folder, FOLDER_CONFIG, CONFIG_BYTES_MAX, &text, &bytes, error) != 0)
        return error->status;
    *found = strstr(text, identity_line) != NULL;
    free(text);
    return 0;
}

int freeze_check(const struct config *config, const struct folder *folder, const struct context *context,
                 struct engine_error *error)
{
    char identity[IDENTITY], *text;
    size_t bytes;
    if (identify(config, context, identity, error) != 0 ||
        folder_read(folder, FOLDER_CONFIG, CONFIG_BYTES_MAX, &text, &bytes, error) != 0)
        return error->status;
    const char *line = strstr(text, identity_line);
    const bool same = line && strncmp(line + strlen(identity_line), identity, IDENTITY - 1) == 0;
    free(text);
    return same ? 0
                : error_set(error, ENGINE_STATUS_USAGE,
                            "%s/" FOLDER_CONFIG
                            ": was changed since the ensemble began, so its members would differ; put "
                            "the ensemble's own file back, or start a new ensemble",
                            folder->path);
}
