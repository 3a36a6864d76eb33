/* The plan of a run: a configuration checked against a plugin, an implementation chosen, everything sized. Nothing has
 * been allocated on a device or written yet. A state does not change its plan.
 *
 * plan_open.c opens and closes plans, lib/parts/parts.c those of the parts of a divided run, plan_shapes.c finds the
 * shapes of the fields, plan_checks.c checks what the configuration asks of them, plan_choose.c chooses the
 * implementation and lays out the fields. */
#ifndef CORE_PLAN_PLAN_H
#define CORE_PLAN_PLAN_H

#include "base/text.h"
#include "plan/search.h"
#include "plan/settings.h"
#include "plugin/host.h"

#include <engine/format.h>

struct source;

enum { PLAN_FIELDS_MAX = SETTINGS_FIELDS_MAX, PLAN_ADVICE = 200, PLAN_HEADER_MAX = 512, PLAN_UNBOUNDED = 58 };

/* A field as the chosen implementation lays it out. A shape may follow the parity of the step (a matrix that is
 * transposed at every step), so there is a geometry for each parity.
 *
 * The geometry of a batch has one axis more than the field: universe u of a grid of two axes is plane u. So memory,
 * files, hashes and checkpoints treat a batch as one array. `shape` is that of one universe, which plugins see. */
struct plan_field {
    const struct engine_field *about;
    struct engine_shape shape[2];
    struct geometry geometry[2];
    uint64_t bytes;   /* of one buffer: the larger geometry's */
    uint32_t buffers; /* of its own: 1 or 2; 0 where it is absent, or bound to a field of the run */
    bool absent;      /* an optional input that nothing was given for */
    bool converted;   /* a copy of a field of the run, perhaps in another type, made for each frame */
};

/* Where a field gets its initial values from, or a field of an analysis its values. */
struct plan_source {
    bool given;                     /* by a file */
    bool elsewhere;                 /* by a file that another process reads; it writes the cells to this one */
    const struct plan_field *bound; /* the field of the run that a field of an analysis reads; NULL: it reads none */
};

/* What the source of the initial state (plan/source.h) says of the run, which the configuration then need not say. A
 * number that is 0 is not said. */
struct plan_found {
    bool file;                  /* there is [init] file */
    bool pattern;               /* which is a pattern for a grid, and not arrays for fields */
    uint64_t grid[3], cells[3]; /* the sizes of the grid, and of the pattern */
    struct engine_edges edges;  /* of the grid */
    uint64_t particles;
    bool has_matrix;
    struct engine_shape matrix;
    double box[6];                    /* of the first frame */
    struct engine_name_array symbols; /* of species, of the first frame */
    struct {
        const char *format; /* of the first file of particles; NULL: there is none */
        uint32_t stated;    /* the unit of lengths that its format states */
    } lengths;
};

/* Whether an implementation can run this configuration here, and why not. */
struct plan_verdict {
    bool usable;
    char reason[512]; /* where it is not */
};

/* The rows or planes of the whole grid that a part of a divided run owns (parts/parts.h). */
struct plan_slab {
    uint32_t axis;          /* of a part of a batch: the one behind those of a universe */
    uint64_t first, count;  /* of the whole grid's; count = 0: the plan is not about such a part */
    uint64_t margin;        /* rows or planes on each side that belong to others, if there are so many */
    uint64_t before, after; /* their numbers: as many as the margin, or fewer near an edge of a grid that is no torus */
    uint64_t steps;         /* for which the margins last; UINT64_MAX: no limit */
    double efficiency;      /* predicted: the rate of a device, compared with that without margins; 0: not known */
    bool swaps;             /* the extents may swap from step to step, so each step has a cut of its own (parts_slab);
                               first = count = 0 */
};

struct plan {
    struct plan_search search; /* of an analysis: that of the run */
    const struct context *context;
    const struct config *config;
    const struct plugin *plugin;
    const struct plan *run;      /* of an analysis: the run that it reads; NULL: this is a run */
    const struct plan *analysis; /* of a run: its analysis; NULL: it has none, or none is open */
    struct settings settings;
    struct host host;              /* of the plan phase */
    struct engine_plan for_plugin; /* what the plugin sees; a state has a copy, with the box of its frame */
    struct engine_value *values;
    char **paths; /* the texts of parameters with ENGINE_PARAM_PATH, by the index of the parameter; NULL: others */
    struct engine_shape *shapes; /* at even steps, in plugin order; of a batch those of one universe */
    const struct source *source; /* plan/source.h; NULL: it has none */
    void *source_own;            /* what the source keeps */
    struct plan_found found;
    struct plan_source sources[PLAN_FIELDS_MAX];
    double edge_values[PLAN_FIELDS_MAX];  /* for_plugin.edges.value */
    const struct engine_name_array *told; /* the symbols that rank 0 has read; NULL: this process reads the files */
    uint64_t frames; /* of a trajectory: each step reads one; 1: the input holds the initial state */
    uint32_t open;   /* 1 << axis: the grid has no edges along it, and 2^(PLAN_UNBOUNDED / rank) cells */

    /* After plan_choose: */
    const struct engine_impl *impl;
    struct device *device;
    struct engine_field described[PLAN_FIELDS_MAX]; /* the plugin's table, with the `values` of this configuration */
    struct plan_field fields[PLAN_FIELDS_MAX];
    uint8_t (*colours[PLAN_FIELDS_MAX])[3]; /* 256 of each field to which the plugin gives colours; NULL: others */
    uint64_t most_steps;                    /* in one call, limited by the depth of the ghosts; UINT64_MAX: no limit */
    uint64_t bytes;        /* of all buffers of this process, which a divided run has in its parts alone */
    uint64_t device_bytes; /* of the buffers on one device, the largest number */
    struct plan **parts;   /* of a divided run, settings.parts of them; NULL: it is not divided */
    struct tiling *tiling; /* of a run whose grid lies in tiles and has no buffers (tiles/tiling.h); or NULL */
    struct plan_slab slab;
    char (*advice)
        [PLAN_ADVICE]; /* for each implementation what it says about the initial state, or ""; NULL: nobody asked */
    struct engine_work work;
    char work_unit[64];
};

/* Checks the configuration: settings, parameters, the input file's header, shapes. The registry and the configuration
 * must outlive the plan. */
int plan_open(const struct config *config, struct registry *registry, struct plan **plan, struct engine_error *error);

/* Checks all keys, as plan_open does first. Sizes and files may be missing. ENGINE_STATUS_USAGE, ENGINE_STATUS_PLUGIN. */
int plan_check_keys(const struct config *config, struct registry *registry, struct engine_error *error);

/* The same as plan_open for the plugin of that name, or with NULL for the configuration's plugin. A rank that does not
 * read the input files gets the symbols of rank 0, which outlive the plan; NULL: this process reads them. */
int plan_open_told(const struct config *config, struct registry *registry, const char *plugin,
                   const struct engine_name_array *symbols, struct plan **plan, struct engine_error *error);

/* Opens the plan of an analysis of a run by that plugin; `source` binds its inputs to fields of the run. The run's
 * implementation has been chosen; its plan must outlive this one. */
int plan_open_analysis(const struct plan *run, const struct source *source, const char *plugin, struct plan **plan,
                       struct engine_error *error);
void plan_close(struct plan *plan);

/* Chooses the implementation of that name. If no implementation has the name, and the name is "auto", "cpu" or "cuda",
 * chooses the usable implementation of highest rank (of that kind of memory). Lays out its fields. May be called again
 * to choose another. */
int plan_choose(struct plan *plan, const char *name, struct engine_error *error);

/* Can this implementation run the plan? */
struct plan_verdict plan_judge(struct plan *plan, const struct engine_impl *impl);

/* Keys that something must use. A table of them ends with one whose keys are NULL. An unused key of [init] or [analyse]
 * is an error, because the run would compute something else than the configuration describes. The keys of other
 * sections give a warning, because one file may have the sections of several plugins. */
struct key_use {
    const char *section, *keys;                                           /* separated by spaces */
    bool (*is_used)(const struct plan *run, const struct plan *analysis); /* `analysis` may be NULL */
    const char *why;                                                      /* it is not used */
    const char *by[2];   /* keys of the same section that decide whether it is used */
    uint32_t attributes; /* the keys of the section that have one of these belong to `keys`, too (config/keys.h) */
};

/* The shape of a field at a step: the configuration's, adjusted by the plugin, and checked. */
int plan_shape_at(struct plan *plan, uint32_t field, uint64_t step, struct engine_shape *shape,
                  struct engine_error *error);

/* Does the field belong to the result of a run: is it a state or an output? */
static inline bool plan_is_result(const struct engine_field *field)
{
    return field->role == ENGINE_STATE || field->role == ENGINE_OUTPUT;
}

static inline const struct engine_plugin *plan_about(const struct plan *plan)
{
    return &plan->plugin->about;
}

/* Does the initial state come from files? Otherwise every process that has a part of the run can make its own cells. */
static inline bool plan_starts_from_files(const struct plan *plan)
{
    return plan->settings.source == INIT_FILE || plan->settings.source == INIT_ARRAYS;
}

/* Is the grid unbounded along at least one axis? Then cell 0 of all axes is in the middle. */
static inline bool plan_is_unbounded(const struct plan *plan)
{
    return plan->open != 0;
}

/* The number of threads on which the chosen implementation computes. */
static inline uint32_t plan_threads(const struct plan *plan)
{
    return plan->impl->flags & ENGINE_SERIAL ? 1 : plan->settings.threads;
}

/* Is the run a batch, with several universes? */
static inline bool plan_is_batch(const struct plan *plan)
{
    return plan->settings.universes > 1;
}

/* Does a call of the chosen implementation take one universe of a batch, and not all of them? */
static inline bool plan_takes_one_universe(const struct plan *plan)
{
    return plan_is_batch(plan) && !(plan->impl->flags & ENGINE_BATCH);
}

/* The shape of a field in files and in memory: that of a universe or, in a batch, with the batch as its last axis. A
 * shape of three axes stays as it is: plan_check_batch refuses it. */
static inline struct engine_shape plan_batch_shape(const struct plan *plan, const struct engine_shape *universe)
{
    struct engine_shape shape = *universe;
    if (plan_is_batch(plan) && shape.rank < 3)
        shape.extent[shape.rank++] = plan->settings.universes;
    return shape;
}

/* The same for the field of that index at step 0. */
static inline struct engine_shape plan_whole_shape(const struct plan *plan, uint32_t index)
{
    return plan_batch_shape(plan, &plan->shapes[index]);
}

/* Writes the size of the field of that index, as in "64 x 64" or "64 x 64, batch of 1000". Returns text. */
const char *plan_size_text(const struct plan *plan, uint32_t index, char text[SHAPE_TEXT]);

/* Describes the field of that index as an array of files at step 0. */
struct engine_file_array plan_array(const struct plan *plan, uint32_t index);

/* Has the field memory of its own, which checkpoints save? */
static inline bool plan_is_saved(const struct plan_field *field)
{
    return !field->absent && field->buffers > 0 && !field->converted;
}

/* ---- Steps of plan_open ---------------------------------------------------------------------------------------- */

/* Finds how many values the cells of all fields take, and their shapes at step 0. For each shape, the plugin sees those
 * of the fields before it. ENGINE_STATUS_USAGE, ENGINE_STATUS_PLUGIN, or the status of the plugin's code. */
int plan_describe_fields(struct plan *plan, struct engine_error *error);
int plan_make_shapes(struct plan *plan, struct engine_error *error);

/* Checks what the configuration asks of the fields against their shapes: the files that they start from.
 * ENGINE_STATUS_USAGE, ENGINE_STATUS_INPUT. */
int plan_check_fields(const struct plan *plan, struct engine_error *error);

/* Can the plugin's fields be a batch, if the configuration asks for one? ENGINE_STATUS_USAGE. */
int plan_check_batch(const struct plan *plan, struct engine_error *error);

/* Lets the plugin check what it sees of the plan, or of a state of it. */
int plan_check_by_plugin(const struct plan *plan, struct host *host, const struct engine_plan *for_plugin,
                         struct engine_error *error);

/* Asks the plugin for the colours of its fields. ENGINE_STATUS_PLUGIN, or the status of the plugin's code. */
int plan_ask_colours(struct plan *plan, struct engine_error *error);

#endif
