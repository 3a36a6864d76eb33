/* Opening, closing, setting and reading a configuration. */
#include "config/config_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *folder_of(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (!slash)
        return strdup(".");
    return strndup(path, slash == path ? 1 : (size_t) (slash - path));
}

int config_open(const char *path, struct config **result, struct engine_error *error)
{
    *result = NULL;
    struct config *config = calloc(1, sizeof *config);
    if (!config)
        return config_no_memory(error);
    config->folder = folder_of(path);
    config->path = path ? strdup(path) : NULL;
    int status = 0;
    if (!config->folder || (path && !config->path))
        status = config_no_memory(error);
    if (status == 0 && path)
        status = config_read_file(config, error);
    if (status == 0)
        *result = config;
    else
        config_close(config);
    return status;
}

/* A copy of a text that may be NULL. Clears *whole where memory fails. */
static char *copy_text(const char *text, bool *whole)
{
    char *copy = text ? strdup(text) : NULL;
    *whole = *whole && (copy || !text);
    return copy;
}

static bool copy_section(struct config *copy, const struct config_section *from)
{
    bool whole = true;
    struct config_section *section = config_add_section(copy, from->name, copy_text(from->place, &whole));
    for (uint32_t k = 0; section && whole && k < from->count; k++) {
        const struct config_entry *entry = &from->entries[k];
        struct config_entry *to = config_add_entry(copy, section, entry->key);
        if (!to)
            return false;
        to->text = copy_text(entry->text, &whole);
        to->place = copy_text(entry->place, &whole);
        to->set_place = copy_text(entry->set_place, &whole);
        to->line = entry->line;
    }
    return section && whole;
}

int config_clone(const struct config *config, struct config **result, struct engine_error *error)
{
    struct config *copy = calloc(1, sizeof *copy);
    bool whole = copy != NULL;
    *result = NULL;
    if (copy) {
        copy->context = config->context;
        copy->path = copy_text(config->path, &whole);
        copy->folder = copy_text(config->folder, &whole);
    }
    for (uint32_t i = 0; whole && i < config->count; i++)
        whole = copy_section(copy, &config->sections[i]);
    if (whole)
        *result = copy;
    else
        config_close(copy);
    return whole ? 0 : config_no_memory(error);
}

void config_set_context(struct config *config, const struct context *context)
{
    config->context = context;
}

void config_close(struct config *config)
{
    for (uint32_t i = 0; config && i < config->count; i++) {
        struct config_section *section = &config->sections[i];
        for (uint32_t k = 0; k < section->count; k++) {
            struct config_entry *entry = &section->entries[k];
            free(entry->key), free(entry->text), free(entry->place), free(entry->set_place);
        }
        free(section->name), free(section->place), free(section->entries);
    }
    if (config)
        free(config->path), free(config->folder), free(config->sections);
    free(config);
}

/* The caller's words for the assignment of a key. */
static const char *place_of(const struct config *config, const char *const part[2], char words[CONTEXT_WORDS])
{
    char key[2 * CONFIG_NAME_MAX + 2];
    snprintf(key, sizeof key, "%s.%s", part[0], part[1]);
    const char *said = context_words(config->context, ENGINE_WORDS_KEY, key, words);
    return said == key ? strcpy(words, key) : said;
}

/* Checks section, key and value, which a message calls `assignment`. */
static int check_parts(const struct config *config, const char *assignment, const char *const part[3],
                       struct engine_error *error)
{
    char words[CONTEXT_WORDS];
    for (int i = 0; i < 2; i++)
        if (!config_is_name(part[i]))
            return error_set(error, ENGINE_STATUS_USAGE,
                             "%.200s: %s '%.80s': expected 1 to %d letters, digits, '_' or '-'",
                             context_words(config->context, ENGINE_WORDS_KEY, assignment, words), i ? "key" : "section",
                             part[i], CONFIG_NAME_MAX);
    const char *control = config_find_control(part[2], strlen(part[2]));
    if (control || strlen(part[2]) > CONFIG_LINE_MAX)
        return error_set(error, ENGINE_STATUS_USAGE, "%s: the value %s", place_of(config, part, words),
                         control ? "holds a control character" : "is longer than a line of a file can be");
    return 0;
}

static int assign(struct config *config, const char *assignment, const char *const part[3], struct engine_error *error)
{
    char words[CONTEXT_WORDS];
    if (check_parts(config, assignment, part, error) != 0)
        return error->status;
    char *text = strdup(part[2]);
    char *place = config_print_copy("%s", place_of(config, part, words));
    struct config_entry *entry = config_find_entry(config, part[0], part[1]);
    if (!entry && text && place) {
        struct config_section *section = config_add_section(config, part[0], config_print_copy("%s", place));
        entry = section ? config_add_entry(config, section, part[1]) : NULL;
    }
    if (!entry || !text || !place) {
        free(text), free(place);
        return config_no_memory(error);
    }
    free(entry->text);
    entry->text = text;
    if (entry->set_place)
        free(place);
    else
        entry->set_place = place;
    return 0;
}

int config_set(struct config *config, const char *assignment, struct engine_error *error)
{
    char words[CONTEXT_WORDS], *text = strdup(assignment);
    char *dot = text ? strchr(text, '.') : NULL, *equals = text ? strchr(text, '=') : NULL;
    int status;
    if (!text)
        return config_no_memory(error);
    if (!dot || !equals || dot > equals)
        status = error_set(error, ENGINE_STATUS_USAGE, "%.200s: expected section.key=value, as in run.steps=100",
                           context_words(config->context, ENGINE_WORDS_KEY, assignment, words));
    else {
        *dot = *equals = '\0';
        const char *const part[3] = {config_trim(text), config_trim(dot + 1), config_trim(equals + 1)};
        status = assign(config, assignment, part, error);
    }
    free(text);
    return status;
}

int config_put(struct config *config, const char *section, const char *key, const char *value,
               struct engine_error *error)
{
    char *text = strdup(value);
    const int status = text ? assign(config, section, (const char *const[3]){section, key, config_trim(text)}, error)
                            : config_no_memory(error);
    free(text);
    return status;
}

const char *config_get(const struct config *config, const char *section, const char *key)
{
    const struct config_entry *entry = config_find_entry(config, section, key);
    return entry ? entry->text : NULL;
}

bool config_is_assigned(const struct config *config, const char *section, const char *key)
{
    const struct config_entry *entry = config_find_entry(config, section, key);
    return entry && entry->set_place;
}

const char *config_place(const struct config *config, const char *section, const char *key)
{
    const struct config_section *header = config_find_section(config, section);
    const struct config_entry *entry = key ? config_find_entry(config, section, key) : NULL;
    if (entry)
        return entry->set_place ? entry->set_place : entry->place;
    if (!key && header)
        return header->place;
    return config->path ? config->path : "configuration";
}

const char *config_section_at(const struct config *config, uint32_t index)
{
    return index < config->count ? config->sections[index].name : NULL;
}

const char *config_key_at(const struct config *config, const char *section_name, uint32_t index)
{
    const struct config_section *section = config_find_section(config, section_name);
    return section && index < section->count ? section->entries[index].key : NULL;
}

const char *config_path(const struct config *config)
{
    return config->path;
}

const char *config_folder(const struct config *config)
{
    return config->folder;
}

const char *config_resolve(const struct config *config, const char *path, char *out, size_t bytes)
{
    if (path[0] == '/')
        snprintf(out, bytes, "%s", path);
    else
        snprintf(out, bytes, "%s/%s", config->folder, path);
    return out;
}
