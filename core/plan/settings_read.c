/* Reading the settings: all sections in order. */
#include "base/context.h"
#include "base/modules.h"
#include "base/nearest.h"
#include "plan/section.h"

#include <stdlib.h>
#include <string.h>

/* The sections' names, then those of the plugins. */
static const char *section_name_at(const void *list, uint32_t index)
{
    const struct registry *registry = list;
    const struct engine_section *section = keys_section_at(registry_context(registry), 0);
    uint32_t count = 0;
    while (count < index && section)
        section = keys_section_at(registry_context(registry), ++count);
    return section ? section->name : registry_name_at(registry, index - count);
}

static int refuse_unknown_sections(const struct config *config, const struct registry *registry,
                                   struct engine_error *error)
{
    const char *section, *known;
    for (uint32_t i = 0; (section = config_section_at(config, i)); i++) {
        bool found = false;
        for (uint32_t k = 0; !found && (known = section_name_at(registry, k)); k++)
            found = strcmp(section, known) == 0;
        char hint[128];
        if (!found)
            return error_set(error, ENGINE_STATUS_USAGE, "%s: unknown section [%s]%s",
                             config_place(config, section, NULL), section,
                             nearest_hint(hint, section, section_name_at, registry));
    }
    return 0;
}

int settings_plugin(const struct config *config, const struct context *context, const char **name,
                    struct engine_error *error)
{
    char clause[CONTEXT_WORDS];
    *name = config_get(config, "run", "plugin");
    if (!*name || !**name)
        return error_set(error, ENGINE_STATUS_USAGE, "%s: [run] plugin is missing%s",
                         config_place(config, "run", "plugin"),
                         context_clause(context, ENGINE_WORDS_PLUGINS, "", clause));
    return 0;
}

/* Reads a section of a component. */
static int read_section(const struct reading *reading, const struct section *section)
{
    struct settings *settings = reading->settings;
    struct engine_value values[SECTION_KEYS_MAX];
    if (section_values(reading, &section->about, values) != 0)
        return reading->error->status;
    if (!section->read)
        return 0;
    void *own = calloc(1, section->bytes);
    if (!own)
        return error_memory(reading->error, section->bytes, "settings");
    settings->sections[settings->section_count].section = section;
    settings->sections[settings->section_count++].own = own;
    return section->read(reading, values, own);
}

int settings_read(const struct config *config, const struct registry *registry, const struct plugin *plugin,
                  struct settings *settings, struct engine_error *error)
{
    static int (*const readers[KEYS_SECTIONS])(const struct reading *) = {
        [KEYS_RUN] = section_read_run,       [KEYS_GRID] = section_read_grid, [KEYS_PARTICLES] = section_read_particles,
        [KEYS_MATRIX] = section_read_matrix, [KEYS_INIT] = section_read_init,
    };
    const struct context *context = registry_context(registry);
    const struct section *const *section = context && context->modules ? context->modules->sections : NULL;
    const struct reading reading = {config, plugin, settings, error, context};
    memset(settings, 0, sizeof *settings);
    if (refuse_unknown_sections(config, registry, error) != 0)
        return error->status;
    for (size_t i = 0; i < KEYS_SECTIONS; i++)
        if (readers[i](&reading) != 0)
            return error->status;
    for (; section && *section; section++)
        if (read_section(&reading, *section) != 0)
            return error->status;
    return 0;
}

void *settings_section(const struct settings *settings, const struct section *section)
{
    for (uint32_t i = 0; i < settings->section_count; i++)
        if (settings->sections[i].section == section)
            return settings->sections[i].own;
    return NULL;
}

void settings_release(struct settings *settings)
{
    free(settings->arrays);
    settings->arrays = NULL;
    while (settings->section_count > 0)
        free(settings->sections[--settings->section_count].own);
}

void settings_of_analysis(const struct settings *run, struct settings *settings)
{
    *settings = *run;
    settings->source = INIT_DEFAULTS;
    settings->devices = settings->parts = 1;
    settings->file[0] = '\0';
    settings->arrays = NULL;
}
