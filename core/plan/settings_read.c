/* Reading the settings: all sections in order. */
#include "base/context.h"
#include "base/nearest.h"
#include "plan/section.h"

#include <stdlib.h>
#include <string.h>

/* The sections' names, then those of the plugins. */
static const char *section_name_at(const void *registry, uint32_t index)
{
    return index < KEYS_SECTIONS ? keys_sections[index].name : registry_name_at(registry, index - KEYS_SECTIONS);
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

int settings_read(const struct config *config, const struct registry *registry, const struct plugin *plugin,
                  struct settings *settings, struct engine_error *error)
{
    static int (*const readers[KEYS_SECTIONS])(const struct reading *) = {
        [KEYS_RUN] = section_read_run,
        [KEYS_GRID] = section_read_grid,
        [KEYS_PARTICLES] = section_read_particles,
        [KEYS_MATRIX] = section_read_matrix,
        [KEYS_INIT] = section_read_init,
        [KEYS_ANALYSE] = section_read_analyse,
        [KEYS_OUTPUT] = section_read_output,
        [KEYS_CHECKPOINT] = section_read_checkpoint,
        [KEYS_BENCH] = section_read_bench,
        [KEYS_ENSEMBLE] = section_read_ensemble,
    };
    const struct context *context = registry_context(registry);
    const struct reading reading = {config, plugin, settings, error, context ? context->link : NULL, context};
    memset(settings, 0, sizeof *settings);
    if (refuse_unknown_sections(config, registry, error) != 0)
        return error->status;
    for (size_t i = 0; i < KEYS_SECTIONS; i++)
        if (readers[i](&reading) != 0)
            return error->status;
    return 0;
}

void settings_release(struct settings *settings)
{
    free(settings->arrays);
    settings->arrays = NULL;
}

void settings_of_analysis(const struct settings *run, struct settings *settings)
{
    *settings = *run;
    settings->implementation = run->analyse.implementation;
    settings->source = INIT_DEFAULTS;
    settings->devices = settings->parts = 1;
    settings->file[0] = '\0';
    settings->arrays = NULL;
}

uint64_t settings_frames(const struct settings *settings, uint64_t last)
{
    const uint64_t from = settings->analyse.from, every = settings->analyse.every;
    if (every == 0)
        return 1;
    return last < from ? 0 : (last - from) / every + 1;
}
