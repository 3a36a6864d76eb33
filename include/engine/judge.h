/* engine/judge.h - compares and times the implementations of plugins, checks plugins, audits runs, and has what programs
 * need to do the same in their own way. engine/engine.h includes it at its end, and explains statuses, objects, texts and
 * structures. */
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
    uint32_t seconds;  /* conform: for each property; bench with `isolated`: for each answer of a process, of which the
                          reference takes at most half to repeat the steps of a row; 0: 120 */
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

    /* conform: verify so many drawn configurations, with the numbers seed, seed + 1, …, in place of the properties. A
     * number stands for the same configuration on every machine. Keys of `sweeps` take one of their values. 0: none. */
    uint64_t draws, seed;
    /* bench: starts a program that calls engine_judge_serve with one end of a pair of stream sockets, and returns the
     * other end and the number of the process, a child of this one. The bench closes the socket, and ends the process
     * and waits for it. NULL: the library starts no process. */
    int (*start)(void *user, int *socket, int64_t *process, struct engine_error *error);
    uint64_t draw;      /* bench with `isolated`: the number from which everything follows that is drawn; 0: draw one */
    uint64_t memory;    /* bench with `isolated`, conform: the most bytes that a process may have in memory; 0: nine
                          tenths of what the machine has */
    uint32_t isolated;  /* bench, not 0: each implementation runs in a process of its own, which `start` starts; without
                          `start`, the bench sends a warning and works in this process */
    uint32_t reserved2; /* 0 */
    const char *properties; /* conform: parts of names with commas between them: check only the properties whose name
                               contains one of them, and that the plugin loads and takes a step; NULL: all */
};

/* Serves a judge in another process: loads plugins, takes steps and answers, until the judge closes its end of the
 * socket. `hooks` gives the words of messages; NULL: the library's own. ENGINE_STATUS_INPUT: the other end is no judge
 * of the same build. */
ENGINE_EXPORT int engine_judge_serve(int socket, const struct engine_hooks *hooks, struct engine_error *error);

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

/* Prints the times. form: ENGINE_TEXT (the heading and a table), ENGINE_JSON, ENGINE_CSV, ENGINE_SVG, ENGINE_HEADING,
 * ENGINE_ROOFLINE, in which rows have no place whose `limit` is NULL.
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
    const char *reason;   /* why it is broken or was not checked, one line; "" if it holds. Of draws that hold: how many
                             configurations were verified, and how many were refused */

    /* The smallest configuration that fails, if draws found one, besides trial->config and the assignments. */
    uint64_t draw;               /* the number of the configuration that was drawn */
    uint64_t steps;              /* for engine_trial; impl is the implementation. 0: there is none */
    const char *const *settings; /* "section.key=value" */
    uint32_t setting_count;
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

/* ---- Audits ---------------------------------------------------------------------------------------------------- */

/* How engine_audit works. A member that is 0 has its default. */
struct engine_audit {
    uint32_t size;     /* the caller sets sizeof(struct engine_audit) */
    uint32_t all;      /* not 0: check every segment */
    uint64_t segments; /* the number to draw; 0: 60 */
    uint64_t seed;     /* of the draw; 0: that of the interrupted audit that goes on, else one that nobody can guess */
    const char *impl;  /* the implementation that takes the steps; NULL: an exact one, and not that of the run */
    const char *const *assignments; /* "section.key=value", such as other paths of the input files */
    uint32_t assignment_count;
    uint32_t reserved;
    const char *progress; /* a file from which the same audit of the same record goes on if it is interrupted, or NULL.
                             It must be the caller's own: whoever writes it decides what is not checked */

    /* Receives lines of text, or NULL: first what the audit will do and how long that will take, then each difference
     * as soon as it is found, and the result. */
    void (*print)(void *user, const char *text);
    void *user;
};

/* Audits the run in a folder, as `engine audit FOLDER` does (docs/explain/auditing.md). A segment lies between two states
 * that the run has kept. The function draws segments, takes their steps again, and compares the hashes, the metrics and
 * the states that are recorded. It writes nothing into the folder. `audit` may be NULL. *json becomes the result as one
 * JSON object, which the caller frees; NULL after an error, and `json` may be NULL. The file `progress` is removed at the
 * end. Returns 0 if nothing differs, and ENGINE_STATUS_UNVERIFIED, with *json, if something differs; *error has the first
 * difference. ENGINE_STATUS_USAGE: no implementation can check the run;
 * ENGINE_STATUS_INPUT: the folder holds no run, or nothing to compare; 128 + the number that the hook `stop` returned.
 */
ENGINE_EXPORT int engine_audit(struct engine_context *context, const char *folder, const struct engine_audit *audit,
                               char **json, struct engine_error *error);

/* Finds the first row in which the hashes of two runs differ. form: ENGINE_TEXT, ENGINE_JSON. Only steps that have a row
 * in both folders are compared. Returns ENGINE_STATUS_UNVERIFIED, with *text, if a row differs. ENGINE_STATUS_INPUT: a
 * folder holds no run or no hashes, or there is no step with a row in both. */
ENGINE_EXPORT int engine_audit_compare(const char *folder, const char *other, int form, char **text,
                                       struct engine_error *error);

/* ---- Judges of your own ---------------------------------------------------------------------------------------- */

/* engine_verify, engine_bench and engine_conform are made of these functions and of those of engine/engine.h. */

/* Plans a run that takes steps and does nothing else, to compare or to time implementations. The run has a copy of the
 * configuration. `plugin` is the name of another plugin than that of the configuration, or NULL. Analysis, outputs,
 * checkpoints and [run] until have no effect, and engine_run_execute refuses the run. Keys that nothing uses are no
 * error; engine_run_check_init looks for those of [init]. The run has no implementation yet: call engine_run_choose,
 * and then engine_run_start. Before engine_run_choose, call no other functions than engine_run_missing,
 * engine_run_about, engine_run_plugin, engine_run_seen, engine_run_size, engine_run_shape, engine_run_field,
 * engine_run_steps, engine_run_check_init and engine_run_close; the others that return a status refuse the run with
 * ENGINE_STATUS_USAGE. The function returns the errors of engine_run_plan. */
ENGINE_EXPORT int engine_run_plan_steps(const struct engine_config *config, const char *plugin, struct engine_run **run,
                                        struct engine_error *error);

/* Returns why an implementation of the run's plugin cannot run the run's configuration on this machine, or NULL if it
 * can. The text is error->text, so it is valid as long as *error is unchanged. */
ENGINE_EXPORT const char *engine_run_missing(struct engine_run *run, const struct engine_impl *impl,
                                             struct engine_error *error);

/* Chooses the implementation of a run of engine_run_plan_steps. `name` is a value of [run] implementation; the value in
 * the configuration has no effect. Call this function before engine_run_prepare and engine_run_start. It may be called
 * again until then. If it fails until then, the run has no implementation. ENGINE_STATUS_USAGE, ENGINE_STATUS_PLUGIN,
 * ENGINE_STATUS_DEVICE. */
ENGINE_EXPORT int engine_run_choose(struct engine_run *run, const char *name, struct engine_error *error);

/* Returns an error if a key of [init] has no effect, and sends a warning if the configuration does not say how the
 * initial state is made. engine_run_plan returns this error, too, and engine_run_execute sends this warning;
 * engine_run_plan_steps does neither. ENGINE_STATUS_USAGE. */
ENGINE_EXPORT int engine_run_check_init(const struct engine_run *run, struct engine_error *error);

/* Sets *host and *plan to what the plugin's functions of the plan phase get, so that a program can call these functions
 * itself. Both are valid while the run is open. */
ENGINE_EXPORT void engine_run_seen(struct engine_run *run, const struct engine_host **host,
                                   const struct engine_plan **plan);

/* Takes `steps` steps and waits for their end. A call of the plugin takes at most `most` steps (0: no limit), and at
 * most as many as the ghost cells allow. This function is for measurements: between the calls it calls no hook and no
 * analysis, and reads no frame. It returns the errors of engine_run_advance. */
ENGINE_EXPORT int engine_run_take(struct engine_run *run, uint64_t steps, uint64_t most, struct engine_error *error);

/* Measures the seconds that the exchange of margins adds to each step of a divided run. *seconds is 0 if the run
 * exchanges no margins. The state stays as it is. ENGINE_STATUS_DEVICE, ENGINE_STATUS_USAGE. */
ENGINE_EXPORT int engine_run_time_exchange(struct engine_run *run, double *seconds, struct engine_error *error);

/* Sets *cost to the cost of a unit of work, as the chosen implementation declares it, or to zeros if it declares none
 * or if none is chosen. The caller sets cost->size. */
ENGINE_EXPORT void engine_run_cost(const struct engine_run *run, struct engine_cost *cost);

/* Returns the name of a kind of operation, ENGINE_OPS_LOGIC …: "logic"; NULL after the last. */
ENGINE_EXPORT const char *engine_operation_name(uint32_t operation);

/* The highest rates that were measured on a device, per second; 0: not known. */
struct engine_limits {
    uint32_t size; /* the caller sets sizeof(struct engine_limits) */
    uint32_t reserved;
    double copy;        /* bytes read and written by a copy that is much larger than the caches */
    double logic;       /* operations as ENGINE_OPS_LOGIC counts them */
    double fma;         /* single-precision multiply-adds */
    double fma64;       /* the same in double precision */
    const char *device; /* the name of the device; lives as long as the context */
};

/* Measures the limits of a device in about a second. `memory` ENGINE_HOST_MEMORY is the host, which computes with
 * `threads` threads; ENGINE_CUDA_MEMORY is the CUDA device `number`. If `threads` is 0, the function measures nothing
 * and gives the name alone. ENGINE_STATUS_DEVICE. */
ENGINE_EXPORT int engine_machine_limits(struct engine_context *context, uint32_t memory, int32_t number,
                                        uint32_t threads, struct engine_limits *limits, struct engine_error *error);

/* Returns how often plugins of the context have broken the interface so far: a function returned an error without a
 * reason, or `layout` returned an impossible layout. */
ENGINE_EXPORT uint32_t engine_breaches(const struct engine_context *context);

#ifdef __cplusplus
}
#endif

#endif
