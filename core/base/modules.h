/* The components that are built on the core, in tables. The caller that opens a context passes them, and the core calls
 * their functions. A program that links the core alone passes none. Tables outlive their contexts. */
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
    /* `join` joins the other processes that share the runs of a context. The context has its hooks by then. `leave` may
     * be called without `join`. NULL: there are no other processes. */
    int (*join)(struct context *context, struct engine_error *error);
    void (*leave)(struct context *context);

    /* `open` opens components that use the registry. `close` may be called without `open`. NULL: there are none. */
    int (*open)(struct context *context, const struct registry *registry, struct engine_error *error);
    void (*close)(struct context *context);

    /* Refuses keys that a run and its analysis, which may be NULL, do not use, or warns. NULL: nothing is checked. */
    int (*check_use)(const struct plan *run, const struct plan *analysis, struct engine_error *error);

    const struct section *const *sections; /* config/keys.h: those of components, ended by NULL; NULL: none */
    const struct device_kind *devices;     /* memory/devices.h: other than the host; NULL: none */
    const struct source *files;      /* plan/source.h: for [init] source = file and arrays; NULL: they are refused */
    const struct recorder *recorder; /* run/run.h; NULL: runs have none */
    /* plan/divider.h, run/store.h: those of a plan; NULL, also as a result: it is not divided. */
    const struct divider *(*divider)(const struct plan *plan);
    const struct store *(*store)(const struct plan *plan);

    /* run/stepper.h: opens the stepper of a state. NULL: each has stepper_whole. */
    int (*open_stepper)(struct state *state, struct stepper **stepper, struct engine_error *error);
};

#endif
