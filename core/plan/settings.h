/* The typed values of the sections of the core, [run] [grid] [particles] [matrix] [init], and the settings of the other
 * components, which the core keeps for them. */
#ifndef CORE_PLAN_SETTINGS_H
#define CORE_PLAN_SETTINGS_H

#include "config/config.h"
#include "config/keys.h"
#include "plugin/registry.h"

enum {
    SETTINGS_PATH_MAX = 4096,
    SETTINGS_FIELDS_MAX = 16,
    SETTINGS_SECTIONS_MAX = 8 /* of components */
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

struct settings {
    /* [run] */
    const char *implementation; /* auto, cpu, cuda, or a name */
    uint64_t steps;
    uint64_t until_every; /* steps between two looks at the conditions; 0: not given */
    uint32_t threads;     /* at least 1 */
    int32_t device;
    uint32_t devices; /* at least 1 */
    uint32_t parts;   /* 1: the run is not divided; else at least as many as devices */
    bool parts_given; /* false: there is a part for each device or process */
    enum transport transport;
    uint64_t margin;                /* 0: parts/parts.c chooses */
    double patience;                /* seconds */
    uint64_t memory;                /* the most bytes of tiles or of a tree; 0: not given */
    char output[SETTINGS_PATH_MAX]; /* folder */

    /* [grid] size, [particles] count and box, [matrix] rows, columns, batch and element; 0 where not given */
    uint32_t grid_rank;
    uint64_t grid[3];
    uint32_t edge_count; /* [grid] edges: 0 where not given, 1 for all axes, or one for each */
    uint32_t edges[3];   /* ENGINE_EDGE_… */
    int64_t edge_shift[2];
    uint32_t edge_value_count; /* [grid] edge_value */
    double edge_values[SETTINGS_FIELDS_MAX];
    uint64_t universes; /* [grid] batch or [particles] batch; at least 1 */
    uint64_t particles;
    double box[6];
    bool box_given; /* [particles] box */
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
    bool unit; /* source = random-unit: random positions are in the unit cube, and not in the box */
    uint64_t seed;

    /* What the readers of other sections have made. */
    uint32_t section_count;
    struct {
        const struct section *section;
        void *own;
    } sections[SETTINGS_SECTIONS_MAX];
};

/* The plugin's name: [run] plugin. ENGINE_STATUS_USAGE. */
int settings_plugin(const struct config *config, const struct context *context, const char **name,
                    struct engine_error *error);

/* Reads all sections except those of plugins, and refuses a section that is neither the engine's nor named after a
 * plugin. The plugin has at most SETTINGS_FIELDS_MAX fields. The texts in the settings live as long as the
 * configuration. ENGINE_STATUS_USAGE. */
int settings_read(const struct config *config, const struct registry *registry, const struct plugin *plugin,
                  struct settings *settings, struct engine_error *error);
void settings_release(struct settings *settings);

/* Makes the settings of a run's analysis: those of the run, except the initial state. They are not released, and the
 * settings of the components are those of the run. */
void settings_of_analysis(const struct settings *run, struct settings *settings);

/* The settings that the reader of that section has made; NULL: it is not a section of the context. */
void *settings_section(const struct settings *settings, const struct section *section);

#endif
