/* Reading [run], [analyse], [checkpoint] and [bench]. */
#include "plan/section.h"

#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* ---- [run] -------------------------------------------------------------------------------------------------- */

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
    const uint32_t number = link_host_rank(reading->link);
    settings->device += (int32_t) (given && *given ? number % settings->devices : number);
    settings->devices = 1;
}

int section_read_run(const struct reading *reading)
{
    struct engine_value values[KEYS_OF_RUN];
    struct settings *settings = reading->settings;
    if (section_values(reading, KEYS_RUN, values) != 0)
        return reading->error->status;
    settings->implementation = values[KEY_RUN_IMPLEMENTATION].text;
    settings->steps = (uint64_t) values[KEY_RUN_STEPS].integer;
    settings->until_every = (uint64_t) values[KEY_RUN_UNTIL_EVERY].integer;
    if (section_read_until(reading, values[KEY_RUN_UNTIL].text) != 0)
        return reading->error->status;
    settings->threads = (uint32_t) values[KEY_RUN_THREADS].integer;
    const uint32_t processors = link_processors(reading->link);
    if (settings->threads == 0)
        settings->threads = processors ? processors : (uint32_t) omp_get_num_procs();
    settings->device = (int32_t) values[KEY_RUN_DEVICE].integer;
    settings->devices = (uint32_t) values[KEY_RUN_DEVICES].integer;
    if (link_ranks(reading->link) > 1)
        find_own_device(reading);
    settings->parts = (uint32_t) values[KEY_RUN_PARTS].integer;
    settings->parts_given = settings->parts > 0;
    settings->patience = values[KEY_RUN_PATIENCE].real;
    if (settings->parts == 0)
        settings->parts = settings->devices > 1 ? settings->devices : link_ranks(reading->link);
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

/* ---- [analyse] ---------------------------------------------------------------------------------------------- */

int section_read_analyse(const struct reading *reading)
{
    struct engine_value values[KEYS_OF_ANALYSE];
    char clause[CONTEXT_WORDS];
    struct settings *settings = reading->settings;
    if (section_values(reading, KEYS_ANALYSE, values) != 0)
        return reading->error->status;
    settings->analyse.plugin = values[KEY_ANALYSE_PLUGIN].text;
    settings->analyse.implementation = values[KEY_ANALYSE_IMPLEMENTATION].text;
    settings->analyse.from = (uint64_t) values[KEY_ANALYSE_FROM].integer;
    settings->analyse.every = (uint64_t) values[KEY_ANALYSE_EVERY].integer;
    if (!*settings->analyse.plugin && config_key_at(reading->config, "analyse", 0))
        return REFUSE(reading, "analyse", "plugin", "this key is missing%s",
                      context_clause(reading->context, ENGINE_WORDS_PLUGINS, "", clause));
    return 0;
}

/* ---- [checkpoint] ------------------------------------------------------------------------------------------- */

/* In the order of the words in config/keys.c: signals that batch systems send before they end a job. */
static const int signal_numbers[] = {0, SIGUSR1, SIGUSR2, SIGHUP, SIGXCPU};

int section_read_checkpoint(const struct reading *reading)
{
    struct engine_value values[KEYS_OF_CHECKPOINT];
    struct settings *settings = reading->settings;
    if (section_values(reading, KEYS_CHECKPOINT, values) != 0)
        return reading->error->status;
    settings->checkpoint.every = (uint64_t) values[KEY_CHECKPOINT_EVERY].integer;
    settings->checkpoint.seconds = values[KEY_CHECKPOINT_SECONDS].real;
    settings->checkpoint.compressed = values[KEY_CHECKPOINT_COMPRESSION].integer == 0;
    settings->checkpoint.signal = signal_numbers[values[KEY_CHECKPOINT_SIGNAL].integer];
    settings->checkpoint.any_bits = values[KEY_CHECKPOINT_BITS].integer == 1;
    return 0;
}

/* ---- [bench] ------------------------------------------------------------------------------------------------ */

int settings_bench(const struct config *config, struct engine_value values[KEYS_OF_BENCH], struct engine_error *error)
{
    const struct engine_section *bench = &keys_sections[KEYS_BENCH];
    return param_read_section(config, bench->name, &bench->keys, NULL, NULL, values, error);
}

int section_read_bench(const struct reading *reading)
{
    struct engine_value values[KEYS_OF_BENCH];
    return settings_bench(reading->config, values, reading->error);
}

/* ---- [ensemble] --------------------------------------------------------------------------------------------- */

int settings_ensemble(const struct config *config, struct engine_value values[KEYS_OF_ENSEMBLE],
                      struct engine_error *error)
{
    const struct engine_section *ensemble = &keys_sections[KEYS_ENSEMBLE];
    return param_read_section(config, ensemble->name, &ensemble->keys, NULL, NULL, values, error);
}

int section_read_ensemble(const struct reading *reading)
{
    struct engine_value values[KEYS_OF_ENSEMBLE];
    return settings_ensemble(reading->config, values, reading->error);
}
