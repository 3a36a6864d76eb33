/* An ensemble: one run, a member, for each combination of the values that [ensemble] sweep lists. This layer knows
 * which members there are and which are missing, opens their runs, and keeps the tables of their results in the
 * ensemble's folder. Its caller executes the runs, in one thread or in several. */
#ifndef LIB_ENSEMBLE_ENSEMBLE_H
#define LIB_ENSEMBLE_ENSEMBLE_H

#include "ensemble/packed_results.h"
#include "ensemble/sweep.h"

#include <engine/engine.h>

enum { ENSEMBLE_PATH_MAX = 4096 }; /* bytes of a path */

struct ensemble {
    struct engine_context *caller;  /* its context */
    struct engine_context *context; /* the same, or one without the other processes: each member runs in one */
    const struct engine_transport *transport; /* to the other processes, or NULL */
    struct engine_config *config;             /* a copy in which all paths are absolute */
    struct sweeps sweeps;
    uint64_t count;           /* of members, which are numbered from 1 */
    bool files;               /* every member has a folder of its own, for its files */
    bool on_host;             /* members run on a CPU, although [run] implementation allows a GPU */
    uint32_t at_once;         /* members that should run at the same time */
    uint32_t threads;         /* of each; 0: as [run] threads says */
    uint32_t batch;           /* [ensemble] batch; 0: the engine chooses */
    uint64_t exchange;        /* [ensemble] exchange: steps; 0: members do not exchange */
    uint32_t energy;          /* the metric that decides exchanges */
    uint32_t team;            /* of members that exchange, those that take steps at the same time */
    uint32_t together;        /* members that are universes of one batch; `at_once` batches run at the same time */
    struct engine_run *first; /* the plan of the first member that can be planned; its folder is the ensemble's */
    struct engine_run_info about;
    struct engine_measured measured[TABLE_SERIES]; /* what members measure: their plugin, and that of their analysis */
    struct folder *folder;                         /* after ensemble_open or ensemble_resume */
    struct tables tables;                          /* the same */
    bool resumed;                                  /* members may have begun before */
    double opened;                                 /* when the tables were opened, on the clock of machine_clock */
    uint64_t found;                                /* the members that were done then */
    uint64_t taken;                                /* the last member that ensemble_take has returned */
    uint64_t done, failed;                         /* members since then */
    uint64_t first_failed;                         /* the lowest number of those that failed, or 0 */
    struct engine_error why;                       /* of that one */
    bool elsewhere; /* the tables are in another process, for which `packed` collects the results */
    struct packed_results packed;
};

/* Does [ensemble] of the configuration ask for an ensemble? */
bool ensemble_is_asked(const struct engine_config *config);

/* Reads the sweeps, and plans the first member that can be planned. If none of the first members can be, returns the
 * error of the first one. The caller calls ensemble_release afterwards, even after an error. ENGINE_STATUS_USAGE and
 * those of engine_run_plan. */
int ensemble_plan(struct ensemble *ensemble, const struct engine_config *config, struct engine_error *error);
void ensemble_release(struct ensemble *ensemble);

/* Checks that memory has room for the members that run at the same time, and the disk for the files of all. */
int ensemble_check_room(const struct ensemble *ensemble, struct engine_error *error);

/* Describes the plan: that of one member, and how many members there are. The caller frees *text. */
int ensemble_print_plan(struct ensemble *ensemble, bool json, char **text, struct engine_error *error);

/* Makes and locks the folder of [run] output, and begins the tables. Without `force` the folder must be empty. */
int ensemble_open(struct ensemble *ensemble, bool force, struct engine_error *error);

/* Opens the ensemble of a folder again; the members that are done stay so. `assignments` may change the keys that
 * change no result. *found is false if the folder holds no ensemble. */
int ensemble_resume(struct ensemble *ensemble, struct engine_context *context, const char *folder,
                    const char *const *assignments, uint32_t count, bool *found, struct engine_error *error);

/* The first member after `member` that is not done; 0: none. */
uint64_t ensemble_missing(const struct ensemble *ensemble, uint64_t member);

/* The value of a key of [run], KEY_RUN_… of config/keys.h. */
struct engine_value ensemble_run_key(const struct ensemble *ensemble, uint32_t key);

/* Processes that share the members. */
uint32_t ensemble_ranks(const struct ensemble *ensemble);

/* The next member after those that this function has returned before; 0: there is none. */
uint64_t ensemble_take(struct ensemble *ensemble);

/* Opens the run of a member in another context: planned, or resumed from its own folder. Several threads may call it at
 * the same time. */
int ensemble_member(const struct ensemble *ensemble, uint64_t member, struct engine_context *context,
                    struct engine_run **run, struct engine_error *error);

/* Makes the configuration of a member, for runs in that context. The caller closes it. */
int ensemble_config(const struct ensemble *ensemble, uint64_t member, struct engine_context *context,
                    struct engine_config **config, struct engine_error *error);

/* How a member has ended. */
struct outcome {
    enum tables_state state;
    uint64_t steps;
    double seconds;
    const struct engine_error *why;                /* it failed; or NULL */
    const char *ended;                             /* the condition that ended it, or NULL */
    uint64_t tries, accepted;                      /* exchanges with the next member */
    struct engine_measured measured[TABLE_SERIES]; /* of a member that is done */
};

/* Adds a member that has no run of its own to the tables or to the packed results, as ensemble_record does. */
int ensemble_record_outcome(struct ensemble *ensemble, uint64_t member, const struct outcome *outcome,
                            struct engine_error *error);

/* Adds a member to the tables, or to the packed results for the process that has them: what its executed run has
 * measured, or, if `why` is not NULL, the reason why it failed. One thread at a time may call it.
 * ENGINE_STATUS_OUTPUT. */
int ensemble_record(struct ensemble *ensemble, uint64_t member, const struct engine_run *run,
                    const struct engine_error *why, struct engine_error *error);

/* Adds a result to the tables. The caller then calls result_release. ENGINE_STATUS_OUTPUT. */
int ensemble_keep(struct ensemble *ensemble, struct result *result, struct engine_error *error);

/* Sorts the tables by member, and writes ensemble.json. */
int ensemble_finish(struct ensemble *ensemble, struct engine_error *error);

/* The results of all members that have ended, as text for people or as JSON. The caller frees *text. */
int ensemble_print(const struct ensemble *ensemble, bool json, char **text, struct engine_error *error);

#endif
