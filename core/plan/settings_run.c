/* [run], [analyse], [checkpoint] and [bench]: what runs, for how long, and what looks at it or saves it. */
#include "plan/settings_sections.h"

#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* ---- [run] -------------------------------------------------------------------------------------------------- */

enum { RUN_PLUGIN, RUN_IMPLEMENTATION, RUN_STEPS, RUN_THREADS, RUN_DEVICE, RUN_OUTPUT };
static const struct engine_param run_keys[] = {
    [RUN_PLUGIN] = TEXT("plugin", "", "name of the plugin; `engine list` shows them"),
    [RUN_IMPLEMENTATION] = TEXT("implementation", "auto", "auto, cpu, cuda, or a name that `engine list` shows"),
    [RUN_STEPS] = INTEGER("steps", "1", 0, 1e18, "steps to take"),
    [RUN_THREADS] = INTEGER("threads", "0", 0, 4096, "threads of the processor; 0: one for each core"),
    [RUN_DEVICE] = INTEGER("device", "0", 0, 1023, "number of the CUDA device"),
    [RUN_OUTPUT] = TEXT("output", "", "folder for the output; by default out/<name of the configuration>"),
};

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

static int read_run(const struct reading *reading)
{
    struct engine_value values[sizeof run_keys / sizeof run_keys[0]];
    struct settings *settings = reading->settings;
    if (READ_SECTION(reading, "run", run_keys, values) != 0)
        return reading->error->status;
    settings->implementation = values[RUN_IMPLEMENTATION].text;
    settings->steps = (uint64_t) values[RUN_STEPS].integer;
    settings->threads = (uint32_t) values[RUN_THREADS].integer;
    if (settings->threads == 0)
        settings->threads = (uint32_t) omp_get_num_procs();
    settings->device = (int32_t) values[RUN_DEVICE].integer;
    const char *output = values[RUN_OUTPUT].text;
    if (strlen(output) >= SETTINGS_PATH_MAX - 64)
        return REFUSE(reading, "run", "output", "longer than %d characters", SETTINGS_PATH_MAX - 64);
    if (*output)
        snprintf(settings->output, sizeof settings->output, "%s", output);
    else
        default_output(reading->config, settings->output);
    return 0;
}

const struct section section_run = {{"run", "what runs, and for how long", ENGINE_ARRAY(run_keys)}, read_run};

/* ---- [analyse] ---------------------------------------------------------------------------------------------- */

enum { ANALYSE_PLUGIN, ANALYSE_IMPLEMENTATION, ANALYSE_FROM, ANALYSE_EVERY };
static const struct engine_param analyse_keys[] = {
    [ANALYSE_PLUGIN] = TEXT("plugin", "", "name of the plugin that looks at the run's fields"),
    [ANALYSE_IMPLEMENTATION] = TEXT("implementation", "auto", "auto, or a name that `engine list` shows"),
    [ANALYSE_FROM] = INTEGER("from", "0", 0, 1e18, "the first step that it looks at"),
    [ANALYSE_EVERY] = INTEGER("every", "0", 0, 1e18, "steps from there to the next; 0: the final state only"),
};

static int read_analyse(const struct reading *reading)
{
    struct engine_value values[sizeof analyse_keys / sizeof analyse_keys[0]];
    struct settings *settings = reading->settings;
    if (READ_SECTION(reading, "analyse", analyse_keys, values) != 0)
        return reading->error->status;
    settings->analyse.plugin = values[ANALYSE_PLUGIN].text;
    settings->analyse.implementation = values[ANALYSE_IMPLEMENTATION].text;
    settings->analyse.from = (uint64_t) values[ANALYSE_FROM].integer;
    settings->analyse.every = (uint64_t) values[ANALYSE_EVERY].integer;
    if (!*settings->analyse.plugin && config_key_at(reading->config, "analyse", 0))
        return REFUSE(reading, "analyse", "plugin", "is missing; `engine list` shows the plugins");
    return 0;
}

const struct section section_analyse = {
    {"analyse", "another plugin that looks at the run's fields", ENGINE_ARRAY(analyse_keys)}, read_analyse};

/* ---- [checkpoint] ------------------------------------------------------------------------------------------- */

/* Signals that batch systems send ahead of the end. */
static const char *const signal_words[] = {"none", "USR1", "USR2", "HUP", "XCPU", NULL};
static const int signal_numbers[] = {0, SIGUSR1, SIGUSR2, SIGHUP, SIGXCPU};

static const char *const compression_words[] = {[SNAPSHOT_DEFLATE] = "deflate", [SNAPSHOT_STORE] = "none", NULL};

enum { CHECKPOINT_EVERY, CHECKPOINT_SECONDS, CHECKPOINT_COMPRESSION, CHECKPOINT_SIGNAL };
static const struct engine_param checkpoint_keys[] = {
    [CHECKPOINT_EVERY] = INTEGER("every", "0", 0, 1e18, "steps from one checkpoint to the next; 0: none by steps"),
    [CHECKPOINT_SECONDS] = REAL("seconds", "0", 0, 1e9, "seconds from one checkpoint to the next; 0: none by time"),
    [CHECKPOINT_COMPRESSION] =
        CHOICE("compression", "deflate", compression_words, "none: larger files, written with less work"),
    [CHECKPOINT_SIGNAL] =
        CHOICE("signal", "none", signal_words, "signal that saves and stops the run, as SIGINT and SIGTERM do"),
};

static int read_checkpoint(const struct reading *reading)
{
    struct engine_value values[sizeof checkpoint_keys / sizeof checkpoint_keys[0]];
    struct settings *settings = reading->settings;
    if (READ_SECTION(reading, "checkpoint", checkpoint_keys, values) != 0)
        return reading->error->status;
    settings->checkpoint.every = (uint64_t) values[CHECKPOINT_EVERY].integer;
    settings->checkpoint.seconds = values[CHECKPOINT_SECONDS].real;
    settings->checkpoint.compression = (enum snapshot_compression) values[CHECKPOINT_COMPRESSION].integer;
    settings->checkpoint.signal = signal_numbers[values[CHECKPOINT_SIGNAL].integer];
    return 0;
}

const struct section section_checkpoint = {
    {"checkpoint", "what a run that was stopped continues from", ENGINE_ARRAY(checkpoint_keys)}, read_checkpoint};

/* ---- [bench] ------------------------------------------------------------------------------------------------ */

static const struct engine_param bench_keys[] = {
    [SETTINGS_BENCH_IMPL] = TEXT("impl", "", "bench: implementations, as --impl"),
    [SETTINGS_BENCH_SWEEP] =
        TEXT("sweep", "", "bench: section.key=v1,v2, as --sweep; several: with ' and ' between them"),
    [SETTINGS_BENCH_REPEATS] = INTEGER("repeats", "5", 1, 10000, "bench: times each row is measured"),
    [SETTINGS_BENCH_STEPS] = INTEGER("steps", "0", 0, 1e15, "bench: steps of a repeat; 0: as without --steps"),
};

int settings_bench(const struct config *config, struct engine_value values[SETTINGS_BENCH_KEYS],
                   struct engine_error *error)
{
    const struct engine_param_array table = {bench_keys, SETTINGS_BENCH_KEYS, sizeof *bench_keys};
    return param_read_section(config, "bench", &table, NULL, values, error);
}

static int read_bench(const struct reading *reading)
{
    struct engine_value values[SETTINGS_BENCH_KEYS];
    return settings_bench(reading->config, values, reading->error);
}

const struct section section_bench = {{"bench", "for `engine bench`, as its options", ENGINE_ARRAY(bench_keys)},
                                      read_bench};
