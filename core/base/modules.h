/* What stands on the kernel, in tables: whoever opens a context gives them, and the kernel calls what it finds there. A
 * program that links the kernel alone gives none. Tables outlive their contexts. */
#ifndef CORE_BASE_MODULES_H
#define CORE_BASE_MODULES_H

#include <engine/engine.h>

struct context;
struct device_kind;
struct divider;
struct plan;
struct recorder;
struct registry;
struct section;
struct source;
struct state;
struct stepper;
struct store;

struct modules {
    /* Joins the other processes that share the runs of a context, when it has its hooks, and leaves them. `leave` may be
     * called without `join`. NULL: there are no others. */
    int (*join)(struct context *context, struct engine_error *error);
    void (*leave)(struct context *context);

    /* Opens what stands on the plugins of a context, and closes it, also if it is not open. NULL: nothing does. */
    int (*open)(struct context *context, const struct registry *registry, struct engine_error *error);
    void (*close)(struct context *context);

    /* Refuses, or warns of, keys that a run and its analysis, or NULL, do not use. NULL: nobody looks. */
    int (*check_use)(const struct plan *run, const struct plan *analysis, struct engine_error *error);

    const struct section *const *sections; /* config/keys.h: besides those of the kernel, ended by NULL; NULL: none */
    const struct device_kind *devices;     /* memory/devices.h: besides the host; NULL: none */
    const struct source *files;      /* plan/source.h: of [init] source = file and arrays; NULL: they are refused */
    const struct recorder *recorder; /* run/run.h; NULL: nothing stands on runs */
    const struct divider *divider;   /* plan/divider.h; NULL: runs are not divided */
    const struct store *divided;     /* run/store.h: that of divided runs */

    /* run/stepper.h: opens the stepper of a state. NULL: each has stepper_whole. */
    int (*open_stepper)(struct state *state, struct stepper **stepper, struct engine_error *error);
};

#endif
