/* The engine's own sections of a configuration, typed: [run] [grid] [particles] [matrix] [init] [analyse] [output]
 * [checkpoint]. settings_read also checks [bench] and [ensemble], which judge/ and ensemble/ read. */
#ifndef CORE_PLAN_SETTINGS_H
#define CORE_PLAN_SETTINGS_H

#include "config/config.h"
#include "config/keys.h"
#include "io/io.h"
#include "plan/selection.h"
#include "plugin/registry.h"

enum {
    SETTINGS_FORMATS_MAX = 16,
    SETTINGS_PATH_MAX = 4096,
    SETTINGS_LIST_MAX = 1024,
    SETTINGS_UNTIL_MAX = 16,  /* conditions of [run] until */
    SETTINGS_ERRORS_MAX = 64, /* metrics whose relative change a condition may compare */
    SETTINGS_FIELDS_MAX = IO_ARRAYS_MAX
};

enum init_source {
    INIT_DEFAULTS, /* every field at its own initial value */
    INIT_FILE,
    INIT_RANDOM,
    INIT_ARRAYS,   /* one file for each field */
    INIT_GENERATOR /* one of the plugin's own */
};

/* What carries margins between processes, in the order of the words of [run] transport. */
enum transport { TRANSPORT_AUTO, TRANSPORT_PEER, TRANSPORT_NCCL, TRANSPORT_HOST };

enum until_kind { UNTIL_METRIC, UNTIL_REPEATS, UNTIL_UNCHANGED };
enum until_comparison { UNTIL_BELOW, UNTIL_AT_MOST, UNTIL_ABOVE, UNTIL_AT_LEAST, UNTIL_EQUAL, UNTIL_OTHER };

/* One condition of [run] until. */
struct until_condition {
    enum until_kind kind;
    char text[96];   /* the condition as it stands in the configuration */
    uint32_t metric; /* UNTIL_METRIC: its index in the plugin's table */
    bool error;      /* its relative change since the start is compared, as in energy_error > 1e-3 */
    enum until_comparison comparison;
    double number; /* with which the metric is compared */
};

struct settings {
    /* [run] */
    const char *implementation; /* auto, cpu, cuda, or a name */
    uint64_t steps;
    uint32_t until_count;
    struct until_condition until[SETTINGS_UNTIL_MAX]; /* any of them ends the run */
    uint64_t until_every;                             /* steps between two looks at the conditions; at least 1 */
    uint32_t threads;                                 /* at least 1 */
    int32_t device;
    uint32_t devices; /* at least 1 */
    uint32_t parts;   /* 1: the run is not divided; else at least as many as devices */
    bool parts_given; /* false: there is a part for each device or process */
    enum transport transport;
    uint64_t margin;                /* 0: plan/parts.c chooses */
    double patience;                /* seconds */
    char output[SETTINGS_PATH_MAX]; /* folder */

    /* [grid] size, [particles] count and box, [matrix] rows, columns, batch and element; 0 where not given */
    uint32_t grid_rank;
    uint64_t grid[3];
    uint32_t edge_count; /* [grid] edges: 0 where not given, 1 for all axes, or one for each */
    uint32_t edges[3];   /* ENGINE_EDGE_… */
    int64_t edge_shift[2];
    uint32_t edge_value_count; /* [grid] edge_value */
    double edge_values[SETTINGS_FIELDS_MAX];
    uint64_t universes; /* [grid] batch; at least 1 */
    uint64_t particles;
    double box[6];
    uint64_t rows, columns, batch;
    bool shift_given; /* [grid] edge_shift */
    bool element_given;
    uint32_t element; /* ENGINE_U8 … */

    /* [init] */
    enum init_source source;
    uint32_t generator;           /* INIT_GENERATOR: its index */
    char file[SETTINGS_PATH_MAX]; /* INIT_FILE */
    uint64_t frames[3];           /* of a trajectory: first, end (exclusive), stride; 0 0 0: not given */
    const char **arrays;          /* INIT_ARRAYS: a path for each field, relative to the configuration, or "" */
    uint32_t length;              /* the unit of lengths, ENGINE_NANOMETRE …; 0: as in the file */
    bool at_given;                /* the key `at` is given */
    bool centred;                 /* at = center: the pattern is in the middle of the grid */
    uint32_t at_count;            /* otherwise the number of coordinates in `at` */
    int64_t at[3];
    double density;
    uint64_t seed;

    /* [analyse] */
    struct {
        const char *plugin; /* "": there is no analysis */
        const char *implementation;
        uint64_t from, every; /* first step to analyse; steps to the next; every = 0: the final state only */
    } analyse;

    /* [output] */
    uint64_t every;         /* 0: only the final state */
    uint64_t metrics_every; /* 0: a row at each output */
    uint32_t format_count;
    const struct io_format *formats[SETTINGS_FORMATS_MAX];
    char fields[SETTINGS_LIST_MAX]; /* names of the states and outputs that are written; "": all */
    struct selection selection;     /* the part of each grid that is written */
    const char *probes;             /* "": none; plan/probes.h */
    struct io_options how;          /* how the files are written */

    /* [checkpoint] */
    struct {
        uint64_t every; /* steps; 0: not by steps */
        double seconds; /* 0: not by time */
        bool compressed;
        int signal;    /* a further signal that stops the run; 0: none */
        bool any_bits; /* a resumed run may compute other bits than the run would have */
    } checkpoint;
};

/* The plugin's name: [run] plugin. ENGINE_STATUS_USAGE. */
int settings_plugin(const struct config *config, const struct context *context, const char **name,
                    struct engine_error *error);

/* The values of [bench]: KEY_BENCH_… of config/keys.h. ENGINE_STATUS_USAGE. */
int settings_bench(const struct config *config, struct engine_value values[KEYS_OF_BENCH], struct engine_error *error);

/* The values of [ensemble]: KEY_ENSEMBLE_…. ENGINE_STATUS_USAGE. */
int settings_ensemble(const struct config *config, struct engine_value values[KEYS_OF_ENSEMBLE],
                      struct engine_error *error);

/* Reads all sections except those of plugins, and refuses a section that is neither the engine's nor named after a
 * plugin. The plugin has at most SETTINGS_FIELDS_MAX fields. The texts in the settings live as long as the
 * configuration. ENGINE_STATUS_USAGE. */
int settings_read(const struct config *config, const struct registry *registry, const struct plugin *plugin,
                  struct settings *settings, struct engine_error *error);
void settings_release(struct settings *settings);

/* Makes the settings of a run's analysis: those of the run, except the implementation and the initial state. */
void settings_of_analysis(const struct settings *run, struct settings *settings);

/* The number of steps among 0 … last at which the analysis is due. */
uint64_t settings_frames(const struct settings *settings, uint64_t last);

#endif
