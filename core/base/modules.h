/* What stands on the kernel, in tables: whoever opens a context gives them, and the kernel calls what it finds there. A
 * program that links the kernel alone gives none. Tables outlive their contexts. */
#ifndef CORE_BASE_MODULES_H
#define CORE_BASE_MODULES_H

#include <engine/engine.h>

struct divider;
struct recorder;
struct source;
struct state;
struct stepper;
struct store;

struct modules {
    const struct source *files;      /* plan/source.h: of [init] source = file and arrays; NULL: they are refused */
    const struct recorder *recorder; /* run/run.h; NULL: nothing stands on runs */
    const struct divider *divider;   /* plan/divider.h; NULL: runs are not divided */
    const struct store *divided;     /* run/store.h: that of divided runs */

    /* run/stepper.h: opens the stepper of a state. NULL: each has stepper_here_open. */
    int (*open_stepper)(struct state *state, struct stepper **stepper, struct engine_error *error);
};

#endif
