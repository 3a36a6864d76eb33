#include "plan/settings.h"
#include "plan/settings_sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of `engine help config`, and of reading: [output] takes the threads of [run]. */
static const struct section *const sections[] = {&section_run,    &section_grid,       &section_particles,
                                                 &section_matrix, &section_init,       &section_analyse,
                                                 &section_output, &section_checkpoint, &section_bench};

enum { SECTIONS = sizeof sections / sizeof sections[0] };

const struct settings_section *settings_section_at(uint32_t index)
{
    return index < SECTIONS ? &sections[index]->about : NULL;
}

static const char *section_name_at(const void *list, uint32_t index)
{
    return index < SECTIONS ? sections[index]->about.name : registry_name_at(list, index - SECTIONS);
}

static int refuse_unknown_sections(const struct reading *reading, const struct registry *registry)
{
    const char *section, *known;
    for (uint32_t i = 0; (section = config_section_at(reading->config, i)); i++) {
        bool found = false;
        for (uint32_t k = 0; !found && (known = section_name_at(registry, k)); k++)
            found = strcmp(section, known) == 0;
        if (found)
            continue;
        char hint[128];
        return error_set(reading->error, ENGINE_STATUS_USAGE, "%s: unknown section [%s]%s",
                         config_place(reading->config, section, NULL), section,
                         nearest_hint(hint, section, section_name_at, registry));
    }
    return 0;
}

int settings_plugin(const struct config *config, const char **name, struct engine_error *error)
{
    *name = config_get(config, "run", "plugin");
    if (!*name || !**name)
        return error_set(error, ENGINE_STATUS_USAGE, "%s: [run] plugin is missing; `engine list` shows the plugins",
                         config_place(config, "run", "plugin"));
    return 0;
}

int settings_read(const struct config *config, const struct registry *registry, const struct plugin *plugin,
                  struct settings *settings, struct engine_error *error)
{
    const struct reading reading = {config, plugin, settings, error};
    memset(settings, 0, sizeof *settings);
    if (refuse_unknown_sections(&reading, registry) != 0)
        return error->status;
    for (size_t i = 0; i < SECTIONS; i++)
        if (sections[i]->read(&reading) != 0)
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
    settings->file[0] = '\0';
    settings->arrays = NULL;
}

const char *settings_path(const struct config *config, const char *path, char out[SETTINGS_PATH_MAX])
{
    if (path[0] == '/')
        snprintf(out, SETTINGS_PATH_MAX, "%s", path);
    else
        snprintf(out, SETTINGS_PATH_MAX, "%s/%s", config_folder(config), path);
    return out;
}

uint64_t settings_frames(const struct settings *settings, uint64_t last)
{
    const uint64_t from = settings->analyse.from, every = settings->analyse.every;
    if (every == 0)
        return 1;
    return last < from ? 0 : (last - from) / every + 1;
}
