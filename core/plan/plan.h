/* The plan of a run: a configuration checked against a plugin, an implementation chosen, everything sized. Nothing has
 * been allocated or written yet. */
#ifndef CORE_PLAN_PLAN_H
#define CORE_PLAN_PLAN_H

#include "plan/settings.h"
#include "plan/source.h"
#include "plugin/host.h"
#include "plugin/registry.h"

enum { PLAN_FIELDS_MAX = 16 };

/* A field as the chosen implementation lays it out. A shape may follow the parity of the step (a matrix that is
 * transposed at every step), so there is a geometry for each. */
struct plan_field {
    const struct engine_field *about;
    struct geometry geometry[2];
    uint64_t bytes;   /* of one buffer: the larger geometry's */
    uint32_t buffers; /* of its own: 1 or 2; 0 where it is absent, or bound to a field of the run */
    bool absent;      /* an optional input that nothing was given for */
};

/* Why an implementation can, or cannot, run this configuration here. */
struct plan_verdict {
    bool usable;
    char reason[512]; /* when not */
};

struct plan {
    const struct context *context;
    const struct config *config;
    const struct plugin *plugin;
    const struct plan *run; /* of an analysis: the run that it looks at; NULL: this is a run */
    struct settings settings;
    struct host host;          /* of the plan phase */
    struct engine_plan shared; /* what the plugin sees; lives as long as the plan */
    struct engine_value *values;
    struct engine_shape *shapes; /* at even steps, in plugin order */
    struct io_document *pattern; /* [init] file, open at its first cell; or NULL */
    struct source sources[PLAN_FIELDS_MAX];
    uint64_t frames; /* of those files that a step takes one of each; 1: they hold where the run starts */

    /* After plan_choose: */
    const struct engine_impl *impl;
    struct device *device;
    struct plan_field fields[PLAN_FIELDS_MAX];
    uint64_t most_steps; /* a call, by the ghosts; UINT64_MAX: no limit */
    uint64_t bytes;      /* of all buffers */
    struct engine_work work;
    char work_unit[64];
};

/* Checks the configuration: settings, parameters, input file's header, shapes. The registry and the configuration must
 * outlive the plan. */
int plan_open(const struct config *config, struct registry *registry, struct plan **plan, struct engine_error *error);

/* With another plugin than the configuration's, which its name says; NULL: the configuration's. */
int plan_open_with(const struct config *config, struct registry *registry, const char *plugin, struct plan **plan,
                   struct engine_error *error);

/* The plan of the analysis that [analyse] of the run's configuration says. The run's implementation has been chosen;
 * its plan must outlive this one. */
int plan_open_analysis(const struct plan *run, struct registry *registry, struct plan **plan,
                       struct engine_error *error);
void plan_close(struct plan *plan);

/* Chooses the implementation of that name, or for "auto", "cpu" or "cuda" where none has that very name: the usable one
 * of highest rank (of that kind of memory), and lays out its fields. May be called again to choose another. */
int plan_choose(struct plan *plan, const char *name, struct engine_error *error);

/* Can this implementation run the plan? */
struct plan_verdict plan_judge(struct plan *plan, const struct engine_impl *impl);

/* The shape of a field at a step: the configuration's, adjusted by the plugin, and checked. */
int plan_shape_at(struct plan *plan, uint32_t field, uint64_t step, struct engine_shape *shape,
                  struct engine_error *error);

/* Gives the plugin the box of the files' frame, unless the configuration has one, or that of the run to an analysis,
 * and lets it check a new one. */
int plan_change_box(struct plan *plan, struct engine_error *error);

/* The text that a file's header should have for the parameter with this file_key ("rule"), or "". */
const char *plan_header_text(const struct plan *plan, const char *file_key);

#endif
