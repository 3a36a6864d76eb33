#include "ensemble/freeze.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"
#include "base/xxh.h"
#include "config/keys.h"
#include "ensemble/words.h"
#include "files/replace.h"
#include "files/run_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char identity_line[] = "; identity ";

enum { IDENTITY = 33, CONFIG_BYTES_MAX = 1 << 24, PATH_MOST = 4096, NAME_MOST = 64 };

/* ---- Paths ------------------------------------------------------------------------------------------------------ */

/* A configuration, and the plugins of the run and of its analysis, whose parameters may be paths. Members cannot have
 * other plugins. */
struct paths {
    const struct engine_config *config;
    const struct engine_plugin *plugins[2]; /* NULL: none, or it cannot be loaded, which the plan of a member reports */
};

static struct paths find_plugins(const struct engine_config *config)
{
    const char *const names[2] = {engine_config_get(config, "run", "plugin"),
                                  engine_config_get(config, "analyse", "plugin")};
    struct paths paths = {.config = config};
    for (int i = 0; i < 2; i++) {
        struct engine_plugin_info info = {.size = sizeof info};
        struct engine_error ignored;
        if (names[i] && *names[i] && engine_config_plugin(config, names[i], &info, &ignored) == 0)
            paths.plugins[i] = info.about;
    }
    return paths;
}

uint32_t freeze_flags(const struct engine_plugin *about, const char *name)
{
    char section[NAME_MOST + 1];
    const size_t length = strcspn(name, ".");
    snprintf(section, sizeof section, "%.*s", (int) length, name);
    return engine_key_flags(about, section, name + length + (name[length] == '.'));
}

/* The attributes of a key for either plugin. */
static uint32_t flags_of(const struct paths *paths, const char *section, const char *key)
{
    return engine_key_flags(paths->plugins[0], section, key) | engine_key_flags(paths->plugins[1], section, key);
}

static bool is_path(const struct paths *paths, const char *name)
{
    return (freeze_flags(paths->plugins[0], name) | freeze_flags(paths->plugins[1], name)) & KEY_PATH;
}

/* Writes the absolute path of a file that the configuration names. */
static void make_absolute(const struct engine_config *config, const char *given, char out[PATH_MOST])
{
    char path[PATH_MOST];
    engine_config_resolve(config, given, path, sizeof path);
    char *whole = realpath(path, NULL);
    snprintf(out, PATH_MOST, "%s", whole ? whole : path);
    free(whole);
}

static int set_path(const struct paths *paths, struct engine_config *copy, const char *section, const char *key,
                    const char *given, struct engine_error *error)
{
    char path[PATH_MOST];
    make_absolute(paths->config, given, path);
    return engine_config_put(copy, section, key, path, error);
}

static int freeze_keys(const struct paths *paths, struct engine_config *copy, struct engine_error *error)
{
    const char *section, *key;
    for (uint32_t i = 0; engine_config_at(paths->config, i, &section, &key); i++) {
        const char *given = engine_config_get(paths->config, section, key);
        if (*given && flags_of(paths, section, key) & KEY_PATH &&
            set_path(paths, copy, section, key, given, error) != 0)
            return error->status;
    }
    return 0;
}

/* A default such as "." means another folder once the configuration is in the folder of the ensemble. */
static int freeze_defaults(const struct paths *paths, const struct sweeps *sweeps, struct engine_config *copy,
                           struct engine_error *error)
{
    for (int i = 0; i < 2; i++)
        for (uint32_t k = 0; paths->plugins[i] && k < paths->plugins[i]->params.count; k++) {
            const char *section = paths->plugins[i]->name;
            const struct engine_param *param = &paths->plugins[i]->params.at[k];
            const char *given = engine_config_get(copy, section, param->name);
            char name[2 * NAME_MOST + 2];
            snprintf(name, sizeof name, "%s.%s", section, param->name);
            if ((param->flags & ENGINE_PARAM_PATH) && param->initial && *param->initial && !(given && *given) &&
                !sweeps_key(sweeps, name) && set_path(paths, copy, section, param->name, param->initial, error) != 0)
                return error->status;
        }
    return 0;
}

static bool has_paths(const struct paths *paths, const struct sweep *sweep)
{
    for (uint32_t k = 0; k < sweep->key_count; k++)
        if (is_path(paths, sweep->keys[k]))
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
            const bool absolute = is_path(paths, sweep->keys[k]);
            char given[PATH_MOST], path[PATH_MOST];
            snprintf(given, sizeof given, "%.*s", length, value);
            if (absolute)
                make_absolute(paths->config, given, path);
            fprintf(to, "%s%s", k ? ":" : i ? "," : "", absolute ? path : given);
            value += length + 1;
        }
    }
}

static int freeze_sweeps(const struct paths *paths, const struct sweeps *sweeps, struct engine_config *copy,
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
    const int status = to && text_stream_close(to, &text) ? engine_config_put(copy, "ensemble", "sweep", text, error)
                                                          : error_memory(error, bytes, "the sweeps");
    free(text);
    return status;
}

int ensemble_freeze(const struct engine_config *config, const struct sweeps *sweeps, struct engine_config **copy,
                    struct engine_error *error)
{
    const struct paths paths = find_plugins(config);
    if (engine_config_copy(config, copy, error) != 0)
        return error->status;
    if (freeze_keys(&paths, *copy, error) == 0 && freeze_defaults(&paths, sweeps, *copy, error) == 0 &&
        freeze_sweeps(&paths, sweeps, *copy, error) == 0)
        return 0;
    engine_config_close(*copy);
    *copy = NULL;
    return error->status;
}

/* ---- Changes of a resumed ensemble ----------------------------------------------------------------------------- */

/* Are all implementations that a word of [run] implementation can mean exact? */
static bool is_exact(const struct engine_plugin *plugin, const char *word)
{
    bool named = false, exact = true;
    for (uint32_t i = 0; i < plugin->impls.count; i++)
        named = named || strcmp(plugin->impls.at[i].name, word) == 0;
    for (uint32_t i = 0; i < plugin->impls.count; i++) {
        const struct engine_impl *impl = &plugin->impls.at[i];
        if (named ? strcmp(impl->name, word) == 0 : engine_impl_is_of(impl, word))
            exact = exact && impl->flags & ENGINE_EXACT;
    }
    return exact;
}

/* Do the implementations before and after the changes give the same bits? The plan reports a plugin that is missing. */
static bool keeps_bits(const struct paths *changed, const struct engine_config *before, const char *section)
{
    const struct engine_plugin *plugin = changed->plugins[strcasecmp(section, "analyse") == 0];
    const char *was = engine_config_get(before, section, "implementation");
    return !plugin || (is_exact(plugin, was ? was : "auto") &&
                       is_exact(plugin, engine_config_get(changed->config, section, "implementation")));
}

static int check_change(const struct paths *changed, const struct engine_config *before, const char *section,
                        const char *key, struct engine_error *error)
{
    const struct engine_context *context = engine_config_context(before);
    char name[2 * NAME_MOST + 2], words[WORDS], text[WORDS];
    const uint32_t flags = flags_of(changed, section, key);
    if (flags & KEY_FREE || (flags & KEY_IMPLEMENTATION && keeps_bits(changed, before, section)))
        return 0;
    snprintf(name, sizeof name, "%s.%s", section, key);
    const char *clause = engine_words(context, ENGINE_WORDS_CHANGES, "ensemble", text, sizeof text);
    return error_set(
        error, ENGINE_STATUS_USAGE,
        "%s: a resumed ensemble cannot change this key, because the members that are done would differ from "
        "the others%s%s",
        words_of(context, ENGINE_WORDS_KEY, name, words), clause ? "; " : "", clause ? clause : "");
}

int freeze_check_changes(const struct engine_config *before, const struct engine_config *after,
                         const char *const *assignments, uint32_t count, const char *folder, struct engine_error *error)
{
    const struct paths changed = find_plugins(after);
    char words[WORDS];
    for (uint32_t i = 0; i < count; i++) {
        char section[NAME_MOST + 1] = "", key[NAME_MOST + 1] = "";
        sscanf(assignments[i], " %64[^. ] . %64[^= ]", section, key);
        if (strcasecmp(section, "run") == 0 && strcasecmp(key, "output") == 0)
            return error_set(error, ENGINE_STATUS_USAGE,
                             "%s: a resumed ensemble goes on in its own folder; to continue it in another one, copy or "
                             "move the folder "
                             "%s",
                             words_of(engine_config_context(before), ENGINE_WORDS_KEY, "run.output", words), folder);
        if (check_change(&changed, before, section, key, error) != 0)
            return error->status;
    }
    return 0;
}

/* ---- Identity --------------------------------------------------------------------------------------------------- */

/* The hash of all keys on which results may depend, as 32 hexadecimal digits. It does not ask the plugins. */
static int identify(const struct engine_config *config, char text[IDENTITY], struct engine_error *error)
{
    const char *section, *key;
    char *all = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&all, &bytes);
    for (uint32_t i = 0; to && engine_config_at(config, i, &section, &key); i++)
        if (!(engine_key_flags(NULL, section, key) & KEY_FREE))
            fprintf(to, "%s.%s=%s\n", section, key, engine_config_get(config, section, key));
    if (!to || !text_stream_close(to, &all))
        return error_memory(error, bytes, "the configuration");
    const XXH128_hash_t digest = XXH3_128bits(all, bytes);
    free(all);
    snprintf(text, IDENTITY, "%016llx%016llx", (unsigned long long) digest.high64, (unsigned long long) digest.low64);
    return 0;
}

int freeze_write(const struct engine_config *frozen, const struct engine_plugin *about, const struct folder *folder,
                 struct engine_error *error)
{
    char identity[IDENTITY], *config, *text;
    if (identify(frozen, identity, error) != 0 || engine_config_print(frozen, &config, error) != 0)
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

int freeze_check(const struct engine_config *config, const struct folder *folder, struct engine_error *error)
{
    char identity[IDENTITY], *text;
    size_t bytes;
    if (identify(config, identity, error) != 0 ||
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
