/* The engine's own sections of a configuration, typed: [run] [grid] [particles] [matrix] [init] [analyse] [output]
 * [checkpoint]. */
#ifndef CORE_PLAN_SETTINGS_H
#define CORE_PLAN_SETTINGS_H

#include "config/config.h"
#include "io/io.h"
#include "plugin/registry.h"

enum { SETTINGS_FORMATS_MAX = 16, SETTINGS_PATH_MAX = 4096 };

enum init_source {
    INIT_DEFAULTS, /* every field at its own initial value */
    INIT_FILE,
    INIT_RANDOM,
    INIT_ARRAYS,   /* one .npy file a field */
    INIT_GENERATOR /* one of the plugin's own */
};

struct settings {
    /* [run] */
    const char *implementation; /* auto, cpu, cuda, or a name */
    uint64_t steps;
    uint32_t threads; /* at least 1 */
    int32_t device;
    char output[SETTINGS_PATH_MAX]; /* folder */

    /* [grid] size, [particles] count and box, [matrix] rows, columns, batch and element; 0 where not
     * given */
    uint32_t grid_rank;
    uint64_t grid[3];
    uint64_t particles;
    double box[6];
    uint64_t rows, columns, batch;
    bool element_given;
    uint32_t element; /* ENGINE_U8 … */

    /* [init] */
    enum init_source source;
    uint32_t generator;           /* INIT_GENERATOR: index */
    char file[SETTINGS_PATH_MAX]; /* INIT_FILE */
    uint64_t frames[3];           /* of a file of them: first, end (the first left out), stride; 0 0 0: not given */
    const char **arrays;          /* INIT_ARRAYS: a path a field, relative to the configuration, or "" */
    bool at_given;                /* a place for the pattern's first cell: */
    bool centred;                 /* in the middle of the grid */
    int64_t at[3];                /* or there */
    double density;
    uint64_t seed;

    /* [analyse] */
    struct {
        const char *plugin; /* "" where there is no analysis */
        const char *implementation;
        uint64_t from, every; /* the first step looked at, and from one to the next; every = 0: the final state alone */
    } analyse;

    /* [output] */
    uint64_t every;         /* 0: only the final state */
    uint64_t metrics_every; /* 0: with the states alone */
    uint32_t format_count;
    const struct io_format *formats[SETTINGS_FORMATS_MAX];
    struct io_options how; /* they are written */

    /* [checkpoint] */
    struct {
        uint64_t every; /* steps; 0: none by steps */
        double seconds; /* 0: none by time */
        enum snapshot_compression compression;
        int signal; /* that stops the run too; 0: none */
    } checkpoint;
};

/* The plugin's name: [run] plugin. */
int settings_plugin(const struct config *config, const char **name, struct engine_error *error);

/* What [bench] says for `engine bench`. ENGINE_STATUS_USAGE. */
enum { SETTINGS_BENCH_IMPL, SETTINGS_BENCH_SWEEP, SETTINGS_BENCH_REPEATS, SETTINGS_BENCH_STEPS, SETTINGS_BENCH_KEYS };
int settings_bench(const struct config *config, struct engine_value values[SETTINGS_BENCH_KEYS],
                   struct engine_error *error);

/* The engine's own sections and their keys, for help and completion; NULL after the last. */
struct settings_section {
    const char *name, *help;
    struct engine_param_array keys;
};
const struct settings_section *settings_section_at(uint32_t index);

/* The engine's own keys in the section of a plugin: those of [matrix] for the plugin of that name, else NULL. */
const struct engine_param_array *settings_keys(const char *plugin);

/* Reads all sections but the plugins' own, and refuses those that are neither the engine's nor named after a plugin.
 * The texts in it live as long as the configuration. ENGINE_STATUS_USAGE. */
int settings_read(const struct config *config, const struct registry *registry, const struct plugin *plugin,
                  struct settings *settings, struct engine_error *error);
void settings_release(struct settings *settings);

/* Those of the analysis of a run: the run's, but for what it starts from and which implementation is asked for. */
void settings_of_analysis(const struct settings *run, struct settings *settings);

/* The number of frames that [analyse] asks for in steps 0 … last. */
uint64_t settings_frames(const struct settings *settings, uint64_t last);

/* `path` as a configuration's reader means it: relative to its file. Returns out. */
const char *settings_path(const struct config *config, const char *path, char out[SETTINGS_PATH_MAX]);

#endif
