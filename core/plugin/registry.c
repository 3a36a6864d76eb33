#include "plugin/registry.h"
#include "base/context.h"
#include "base/list.h"
#include "base/nearest.h"
#include "plugin/descriptor.h"
#include "plugin/foreign.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

/* A list that owns its texts. */
struct texts {
    char **at;
    uint32_t count;
};

struct registry {
    const struct context *context;
    struct registry *keeper; /* of the loaded plugins: another registry, or this one */
    struct texts folders;    /* in the order in which they are searched */
    struct texts names;      /* sorted, each once */
    struct texts formats;    /* names of file formats, sorted, each once */
    struct plugin **plugins;
    uint32_t plugin_count;
};

static int no_memory(struct engine_error *error)
{
    return error_memory(error, sizeof(struct registry), "the list of plugins");
}

static int add_text(struct texts *texts, const char *text, size_t length, struct engine_error *error)
{
    char *copy = strndup(text, length);
    char **list = copy ? list_grow(texts->at, texts->count, sizeof *list) : NULL;
    if (!list) {
        free(copy);
        return no_memory(error);
    }
    texts->at = list;
    texts->at[texts->count++] = copy;
    return 0;
}

static void free_texts(struct texts *texts)
{
    for (uint32_t i = 0; i < texts->count; i++)
        free(texts->at[i]);
    free(texts->at);
}

/* ---- The search path ---------------------------------------------------------------------------------------- */

static int add_given(struct registry *registry, const char *folder, struct engine_error *error)
{
    struct stat about;
    if (TEMP_FAILURE_RETRY(stat(folder, &about)))
        return error_set(error, ENGINE_STATUS_USAGE, "%s: %s, expected a folder of plugins", folder, strerror(errno));
    if (!S_ISDIR(about.st_mode))
        return error_set(error, ENGINE_STATUS_USAGE, "%s: this is not a folder, expected a folder of plugins", folder);
    return add_text(&registry->folders, folder, strlen(folder), error);
}

/* Adds the folders of a list separated by colons. An empty part is ignored; it does not mean the working folder. */
static int add_list(struct registry *registry, const char *list, struct engine_error *error)
{
    int status = 0;
    while (list && *list && status == 0) {
        size_t length = strcspn(list, ":");
        if (length > 0)
            status = add_text(&registry->folders, list, length, error);
        list += length + (list[length] == ':');
    }
    return status;
}

/* Finds the folder of the file that holds this code: the shared library's, or else the program's. *shared tells which.
 * Returns false where the system does not say. */
static bool own_folder(char folder[PATH_SIZE], bool *shared)
{
    const struct link_map *map = NULL;
    char path[PATH_SIZE];
    Dl_info about;
    static const char here = 0;
    if (!dladdr1(&here, &about, (void **) &map, RTLD_DL_LINKMAP) || !map)
        return false;
    *shared = *map->l_name != '\0';
    const ssize_t length = *shared ? -1 : readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    if (*shared && !realpath(map->l_name, path))
        return false;
    const char *slash = strrchr(path, '/');
    if (slash)
        snprintf(folder, PATH_SIZE, "%.*s", (int) (slash - path), path);
    return slash != NULL;
}

/* Adds the folders whose place follows from that of the library or the program. `make` defines the folder of libraries
 * relative to that of the program. */
#ifndef ENGINE_LIBDIR
#define ENGINE_LIBDIR "../lib"
#endif
static int add_own(struct registry *registry, struct engine_error *error)
{
    char own[PATH_SIZE], folder[PATH_SIZE + 128];
    bool shared;
    if (!own_folder(own, &shared))
        return 0;
    const char *const places[] = {"plugins", shared ? "engine/plugins" : ENGINE_LIBDIR "/engine/plugins"};
    int status = 0;
    for (size_t i = 0; i < sizeof places / sizeof places[0] && status == 0; i++) {
        snprintf(folder, sizeof folder, "%s/%s", own, places[i]);
        status = add_text(&registry->folders, folder, strlen(folder), error);
    }
    return status;
}

/* ---- Names -------------------------------------------------------------------------------------------------- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *) a, *(char *const *) b);
}

/* Finds the name of a plugin or a format from that of its file; false: it is not the file of one. */
static bool name_of_file(const char *file, const char *ending, char name[256])
{
    const size_t length = strlen(file), end = strlen(ending);
    if (length <= end || strcmp(file + length - end, ending) != 0)
        return false;
    snprintf(name, 256, "%.*s", (int) (length - end), file);
    return descriptor_is_plugin_name(name);
}

static int cannot_list(const char *folder, int reason, struct engine_error *error)
{
    return error_set(error, reason == ENOMEM ? ENGINE_STATUS_DEVICE : ENGINE_STATUS_PLUGIN,
                     "%s: cannot list this folder: %s", folder, strerror(reason));
}

/* Adds the names of the plugins and formats in a folder. A missing folder has none. */
static int add_names(struct registry *registry, const char *folder, struct engine_error *error)
{
    DIR *listing;
    const struct dirent *entry;
    char name[256];
    int status = 0;
    do
        listing = opendir(folder);
    while (!listing && errno == EINTR);
    if (!listing)
        return errno == ENOENT || errno == ENOTDIR ? 0 : cannot_list(folder, errno, error);
    while (status == 0 && (errno = 0, entry = readdir(listing)))
        if (name_of_file(entry->d_name, REGISTRY_FORMAT_ENDING, name))
            status = add_text(&registry->formats, name, strlen(name), error);
        else if (name_of_file(entry->d_name, ".so", name))
            status = add_text(&registry->names, name, strlen(name), error);
    if (status == 0 && errno)
        status = cannot_list(folder, errno, error);
    closedir(listing);
    return status;
}

static void sort_names(struct texts *names)
{
    uint32_t kept = 0;
    if (names->count > 0)
        qsort(names->at, names->count, sizeof names->at[0], compare_texts);
    for (uint32_t i = 0; i < names->count; i++) {
        if (kept > 0 && strcmp(names->at[kept - 1], names->at[i]) == 0)
            free(names->at[i]);
        else
            names->at[kept++] = names->at[i];
    }
    names->count = kept;
}

/* ---- Opening ------------------------------------------------------------------------------------------------ */

static int fill(struct registry *registry, const char *folder, struct engine_error *error)
{
    const struct engine_hooks *hooks = registry->context ? &registry->context->hooks : NULL;
    int status = 0;
    for (uint32_t i = 0; hooks && i < hooks->plugin_folder_count && status == 0; i++)
        status = add_given(registry, hooks->plugin_folders[i], error);
    if (status == 0 && folder)
        status = add_given(registry, folder, error);
    if (status == 0 && hooks)
        status = add_list(registry, hooks->plugin_path, error);
    if (status == 0)
        status = add_own(registry, error);
    for (uint32_t i = 0; i < registry->folders.count && status == 0; i++)
        status = add_names(registry, registry->folders.at[i], error);
    sort_names(&registry->names);
    sort_names(&registry->formats);
    return status;
}

int registry_open_with(const struct context *context, const char *folder, struct registry *keeper,
                       struct registry **result, struct engine_error *error)
{
    *result = NULL;
    struct registry *registry = calloc(1, sizeof *registry);
    if (!registry)
        return no_memory(error);
    registry->context = context;
    registry->keeper = keeper ? keeper : registry;
    if (fill(registry, folder, error) == 0)
        *result = registry;
    else
        registry_close(registry);
    return *result ? 0 : error->status;
}

int registry_open(const struct context *context, struct registry **registry, struct engine_error *error)
{
    return registry_open_with(context, NULL, NULL, registry, error);
}

const struct context *registry_context(const struct registry *registry)
{
    return registry->context;
}

void registry_close(struct registry *registry)
{
    if (!registry)
        return;
    for (uint32_t i = 0; i < registry->plugin_count; i++)
        plugin_free(registry->plugins[i]);
    free(registry->plugins);
    free_texts(&registry->folders);
    free_texts(&registry->names);
    free_texts(&registry->formats);
    free(registry);
}

const char *registry_name_at(const struct registry *registry, uint32_t index)
{
    if (index < registry->names.count)
        return registry->names.at[index];
    index -= registry->names.count;
    for (uint32_t i = 0; i < registry->keeper->plugin_count; i++)
        if (!*registry->keeper->plugins[i]->path && index-- == 0)
            return registry->keeper->plugins[i]->about.name;
    return NULL;
}

const char *registry_format_at(const struct registry *registry, uint32_t index)
{
    return index < registry->formats.count ? registry->formats.at[index] : NULL;
}

/* ---- Finding ------------------------------------------------------------------------------------------------ */

static const char *name_at(const void *list, uint32_t index)
{
    return registry_name_at(list, index);
}

/* Prints "a, b, c", cut where the space ends. */
static const char *print_texts(const struct texts *texts, char *out, size_t size)
{
    size_t used = 0;
    snprintf(out, size, "none");
    for (uint32_t i = 0; i < texts->count && used + 1 < size; i++) {
        int length = snprintf(out + used, size - used, "%s%s", i ? ", " : "", texts->at[i]);
        used += length > 0 ? (size_t) length : 0;
    }
    if (used + 1 > size)
        memcpy(out + size - 4, "…", 4);
    return out;
}

static int refuse_unknown(const struct registry *registry, const char *name, struct engine_error *error)
{
    char hint[128], names[768], folders[1024], words[CONTEXT_WORDS];
    const char *option = context_said(registry->context, ENGINE_WORDS_FOLDERS, "", words);
    if (*nearest_hint(hint, name, name_at, registry))
        return error_set(error, ENGINE_STATUS_PLUGIN, "unknown plugin '%s'%s", name, hint);
    return error_set(error, ENGINE_STATUS_PLUGIN,
                     "unknown plugin '%s'. Available: %s; searched: %s; %s%s[run] plugins adds a folder", name,
                     print_texts(&registry->names, names, sizeof names),
                     print_texts(&registry->folders, folders, sizeof folders), option ? option : "",
                     option ? " or " : "");
}

/* The newest plugin of that name that was loaded from that file or, if the path is "", was added; NULL: there is
 * none. */
static const struct plugin *find_loaded(const struct registry *keeper, const char *name, const char *path)
{
    const struct plugin *found = NULL;
    char *resolved = *path ? realpath(path, NULL) : strdup("");
    for (uint32_t i = keeper->plugin_count; resolved && i-- > 0 && !found;)
        if (strcmp(keeper->plugins[i]->path, resolved) == 0 && strcmp(keeper->plugins[i]->about.name, name) == 0)
            found = keeper->plugins[i];
    free(resolved);
    return found;
}

int registry_load(struct registry *keeper, const char *name, const char *path, const struct engine_plugin *about,
                  const struct plugin **plugin, struct engine_error *error)
{
    struct plugin *loaded = NULL;
    struct plugin **list = list_grow(keeper->plugins, keeper->plugin_count, sizeof *list);
    if (!list)
        return no_memory(error);
    keeper->plugins = list;
    const struct foreign call = foreign_begin(keeper->context, name, "constructor");
    const int status = plugin_load(keeper->context, path, about, &loaded, error);
    const bool disturbs = foreign_end(&call);
    if (status == 0) {
        loaded->disturbs = disturbs;
        *plugin = keeper->plugins[keeper->plugin_count++] = loaded;
    }
    return status;
}

/* Does the path name a file, or a link, also to nothing? The caller ends its search after an error: a file of that name in
 * a later folder is not the one that was asked for. */
static int is_there(const char *path, bool *found, struct engine_error *error)
{
    struct stat about;
    *found = TEMP_FAILURE_RETRY(lstat(path, &about)) == 0;
    return *found || errno == ENOENT || errno == ENOTDIR
               ? 0
               : error_set(error, ENGINE_STATUS_PLUGIN, "%s: %s", path, strerror(errno));
}

int registry_find(struct registry *registry, const char *name, const struct plugin **plugin, struct engine_error *error)
{
    char clause[CONTEXT_WORDS];
    if (!descriptor_is_plugin_name(name))
        return error_set(error, ENGINE_STATUS_PLUGIN,
                         "plugin '%.100s': expected a name of letters, digits, '-' and '_', never a path%s", name,
                         context_clause(registry->context, ENGINE_WORDS_PLUGINS, "", clause));
    if ((*plugin = find_loaded(registry->keeper, name, "")))
        return 0;
    for (uint32_t i = 0; i < registry->folders.count; i++) {
        char path[8192];
        bool found;
        int length = snprintf(path, sizeof path, "%s/%s.so", registry->folders.at[i], name);
        if (length >= (int) sizeof path)
            continue;
        if (is_there(path, &found, error) != 0)
            return error->status;
        if (found) {
            *plugin = find_loaded(registry->keeper, name, path);
            return *plugin ? 0 : registry_load(registry->keeper, name, path, NULL, plugin, error);
        }
    }
    return refuse_unknown(registry, name, error);
}

int registry_format_file(const struct registry *registry, const char *name, char path[REGISTRY_PATH],
                         struct engine_error *error)
{
    for (uint32_t i = 0; i < registry->folders.count; i++) {
        bool found;
        const int length = snprintf(path, REGISTRY_PATH, "%s/%s" REGISTRY_FORMAT_ENDING, registry->folders.at[i], name);
        if (length >= REGISTRY_PATH)
            continue;
        if (is_there(path, &found, error) != 0)
            return error->status;
        if (found)
            return 0;
    }
    return error_set(error, ENGINE_STATUS_PLUGIN, "format %s: its file was removed", name);
}
