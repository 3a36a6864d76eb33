/* engine/judge.h - compares and times the implementations of plugins, and checks plugins. engine/engine.h includes it
 * at its end, and explains statuses, objects, texts and structures. */
#ifndef ENGINE_JUDGE_H
#define ENGINE_JUDGE_H

#include <engine/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

struct engine_verification;
struct engine_bench;

/* What engine_verify, engine_bench and engine_conform try. A member that is 0 has its default. */
struct engine_trial {
    uint32_t size;             /* the caller sets sizeof(struct engine_trial) */
    uint32_t repeats;          /* bench: of each row; 0: [bench] repeats */
    const char *impls;         /* names with commas between them; NULL: all that can run here. bench also takes
                                  plugin:implementation */
    const char *const *sweeps; /* "section.key=v1,v2"; every combination is tried */
    uint32_t sweep_count;
    uint32_t seconds;  /* conform: for each property; 0: 120 */
    uint64_t steps;    /* verify: the most; 0: 100. bench: of one repeat; 0: [bench] steps or, if that is not given,
                          as many as take half a second */
    uint32_t position; /* conform: not 0: the rule depends on the place of a cell */
    uint32_t reserved; /* 0 */

    /* verify: receives the text about each combination as soon as it is known, or NULL. */
    void (*print)(void *user, const char *text);
    void *user;

    /* conform: the initial state, box, sizes and parameters to try, or NULL. The function chooses the sizes that this
     * configuration does not give. */
    const struct engine_config *config;
};

/* Compares every implementation with the plugin's reference, as `engine verify` does. A mistake of an implementation is
 * a result and not an error of this function. The message hook also receives each implementation that fails and each
 * combination that cannot be tried, with the level ENGINE_LOG_ERROR. The configuration does not change.
 * ENGINE_STATUS_USAGE. */
ENGINE_EXPORT int engine_verify(const struct engine_config *config, const struct engine_trial *trial,
                                struct engine_verification **verification, struct engine_error *error);
ENGINE_EXPORT void engine_verification_close(struct engine_verification *verification);

/* Returns 0 if every promise of exactness or tolerance holds, ENGINE_STATUS_UNVERIFIED if one does not hold, and
 * otherwise the status of the first failure, with its sentence in *error. An implementation that cannot run is a
 * failure if trial->impls names it. */
ENGINE_EXPORT int engine_verification_status(const struct engine_verification *verification,
                                             struct engine_error *error);

/* Prints the results of all combinations. form: ENGINE_TEXT, ENGINE_JSON. */
ENGINE_EXPORT int engine_verification_print(const struct engine_verification *verification, int form, char **text,
                                            struct engine_error *error);

/* Times implementations side by side, as `engine bench` does. A member of `trial` that is 0 has the value of its key in
 * [bench]. If no combination can be configured, the function returns the error of the first one. */
ENGINE_EXPORT int engine_bench(const struct engine_config *config, const struct engine_trial *trial,
                               struct engine_bench **bench, struct engine_error *error);
ENGINE_EXPORT void engine_bench_close(struct engine_bench *bench);

/* One implementation with one combination of swept values. */
struct engine_bench_row {
    uint32_t size; /* the caller sets sizeof(struct engine_bench_row) */
    uint32_t reserved;
    const char *impl;  /* "cuda", or "plugin:cuda" if trial->impls names it so */
    const char *error; /* a sentence if it did not run or its state differs; otherwise NULL */
    int status;        /* of that error; otherwise 0 */
    uint32_t repeats;
    const double *seconds; /* of each repeat, in the order they were run */
    uint64_t steps;        /* of one repeat */
    double rate;           /* units of work done a second, by the median; NaN: not known */
    const char *unit;      /* of work, plural */
    const char *limit;     /* the hardware limit that the rate is closest to: "copy", "logic", …; NULL: not known */
    double share;          /* the rate as a share of that limit; 1: all of it */
    double speedup;        /* compared with the first row of the same problem */
    double effective;      /* the rate that also counts work that was skipped because its result was known */
};

/* Copies row `index` to *row and returns 1; returns 0 after the last. The row's pointers live as long as the bench. */
ENGINE_EXPORT int engine_bench_row(const struct engine_bench *bench, uint32_t index, struct engine_bench_row *row);

/* Returns ENGINE_STATUS_UNVERIFIED if states differ; the status of the first error, with its sentence in *error, if no
 * row ran; otherwise 0. */
ENGINE_EXPORT int engine_bench_status(const struct engine_bench *bench, struct engine_error *error);

/* Prints the times. form: ENGINE_TEXT (the heading and a table), ENGINE_JSON, ENGINE_CSV, ENGINE_SVG, ENGINE_HEADING.
 * The text names `command` as the command that repeats the figures; NULL: it names none. */
ENGINE_EXPORT int engine_bench_print(const struct engine_bench *bench, int form, const char *command, char **text,
                                     struct engine_error *error);

enum { ENGINE_HOLDS = 0, ENGINE_BROKEN = 1, ENGINE_NOT_APPLICABLE = 2 };

/* One property of one implementation. */
struct engine_property {
    const char *plugin;   /* its name */
    const char *impl;     /* NULL: of the plugin as a whole */
    const char *property; /* "equals the reference, whatever the steps of a call" */
    int outcome;          /* ENGINE_HOLDS … */
    const char *reason;   /* why it is broken or was not checked, one line; "" if it holds */
};

/* Checks a plugin against every rule of the interface, as `engine conform` does. `plugin` is a file, such as
 * "./my-rule.so", or a name. The function checks each property in a process of its own, which it makes with fork. So
 * the caller must have only one thread and must not have used a device. Every configuration that the function tries is
 * a copy of trial->config with `assignments` ("section.key=value") added. The function calls `report` for each property
 * as soon as the outcome is known. It passes each message of the plugin to the message hook once. A broken property is
 * not an error of this function. If the plugin does not load, or if no implementation takes a step, a property is
 * broken. ENGINE_STATUS_USAGE or ENGINE_STATUS_INPUT if the engine refuses the configuration, ENGINE_STATUS_USAGE if
 * trial->impls names an implementation that the plugin does not have. */
ENGINE_EXPORT int engine_conform(struct engine_context *context, const char *plugin, const struct engine_trial *trial,
                                 const char *const *assignments, uint32_t count,
                                 void (*report)(void *user, const struct engine_property *property), void *user,
                                 struct engine_error *error);

#ifdef __cplusplus
}
#endif

#endif
