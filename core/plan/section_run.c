/* Reading [run]. */
#include "base/context.h"
#include "plan/section.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

/* The default folder: out/ and the name of the configuration file without its ending. */
static void default_output(const struct config *config, char out[SETTINGS_PATH_MAX])
{
    const char *path = config_path(config);
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path ? path : "run";
    size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".ini") == 0)
        length -= 4;
    snprintf(out, SETTINGS_PATH_MAX, "out/%.*s", (int) length, name);
}

/* Each of the processes that share a run computes on one device. Those of a host take its devices from `device` on, one
 * each, or in turn as many as [run] devices says. */
static void find_own_device(const struct reading *reading)
{
    struct settings *settings = reading->settings;
    const char *given = config_get(reading->config, "run", "devices");
    const uint32_t number = reading->context->processes.of_host;
    settings->device += (int32_t) (given && *given ? number % settings->devices : number);
    settings->devices = 1;
}

int section_read_run(const struct reading *reading)
{
    struct engine_value values[KEYS_OF_RUN];
    struct settings *settings = reading->settings;
    if (section_values(reading, &keys_sections[KEYS_RUN], values) != 0)
        return reading->error->status;
    settings->implementation = values[KEY_RUN_IMPLEMENTATION].text;
    settings->steps = (uint64_t) values[KEY_RUN_STEPS].integer;
    settings->until_every = (uint64_t) values[KEY_RUN_UNTIL_EVERY].integer;
    settings->threads = (uint32_t) values[KEY_RUN_THREADS].integer;
    const struct processes *processes = reading->context ? &reading->context->processes : &(struct processes){0};
    const uint32_t processors = processes->processors;
    if (settings->threads == 0)
        settings->threads = processors ? processors : (uint32_t) omp_get_num_procs();
    settings->device = (int32_t) values[KEY_RUN_DEVICE].integer;
    settings->devices = (uint32_t) values[KEY_RUN_DEVICES].integer;
    if (processes->count > 1)
        find_own_device(reading);
    settings->parts = (uint32_t) values[KEY_RUN_PARTS].integer;
    settings->parts_given = settings->parts > 0;
    settings->memory = (uint64_t) values[KEY_RUN_MEMORY].integer << 20;
    settings->patience = values[KEY_RUN_PATIENCE].real;
    if (settings->parts == 0)
        settings->parts = settings->devices > 1 ? settings->devices : processes->count > 1 ? processes->count : 1;
    if (settings->parts < settings->devices)
        return REFUSE(reading, "run", "parts", "fewer than the %u devices of [run] devices; leave the key out",
                      settings->devices);
    settings->transport = (enum transport) values[KEY_RUN_TRANSPORT].integer;
    settings->margin = (uint64_t) values[KEY_RUN_MARGIN].integer;
    const char *output = values[KEY_RUN_OUTPUT].text;
    if (strlen(output) >= SETTINGS_PATH_MAX - 64)
        return REFUSE(reading, "run", "output", "longer than %d characters", SETTINGS_PATH_MAX - 64);
    if (*output)
        snprintf(settings->output, sizeof settings->output, "%s", output);
    else
        default_output(reading->config, settings->output);
    return 0;
}
