/* A run and everything that it holds: planned, started, and record out. */
#ifndef CORE_RUN_RUN_H
#define CORE_RUN_RUN_H

#include "run/checkpoint.h"
#include "run/lock.h"
#include "run/loop.h"

/* Released from the last member to the first. What is not there is NULL. */
struct run {
    struct config *owned_config; /* of a run that was resumed; else the caller owns the configuration */
    struct registry *registry;   /* the caller's */
    struct plan *plan;
    struct plan *analysis_plan;
    struct lock *lock; /* of its folder */
    struct state *state;
    struct instance *instance;
    struct analysis *analysis; /* NULL: none is asked for */
    struct output *output;
    struct checkpoints *checkpoints;
    struct loop_result result;                      /* after run_execute */
    uint64_t first;                                 /* the step at which it began, or was resumed */
    char hash[HASH_TEXT], analysis_hash[HASH_TEXT]; /* after run_execute; "" where there is no analysis */
};

/* Checks the configuration and makes the plans of the run and its analysis. What was opened is released by run_release,
 * whatever this and the next functions return. */
int run_plan(struct run *run, const struct config *config, struct registry *registry, struct engine_error *error);

/* Refuses what cannot fit into memory or on the disk, from that step on. */
int run_check_room(const struct run *run, uint64_t first_step, struct engine_error *error);

/* Creates the instance of the run and that of its analysis, on a state that is filled. */
int run_open_instances(struct run *run, struct engine_error *error);

/* Allocates the state, makes the first state and the instances. */
int run_start(struct run *run, struct engine_error *error);

/* Makes, locks and claims the folder of [run] output for a run that begins. */
int run_claim_folder(struct run *run, bool force, struct engine_error *error);

/* Opens outputs and checkpoints in the folder, which is locked. `past` is what a checkpoint says was written, or NULL.
 */
int run_open_files(struct run *run, const struct output_past *past, struct engine_error *error);

/* Takes the steps, writes what is due, and puts the summary into the folder. `deadline` is on the clock of
 * machine_clock; 0: none. After an error the checkpoint that was being written is settled. */
int run_execute(struct run *run, double deadline, struct engine_error *error);

/* Refuses a run that has not started. ENGINE_STATUS_USAGE. */
int run_check_started(const struct run *run, struct engine_error *error);

/* Takes steps without writing files; the analysis takes what is due. Stops where the context asks to. *lost tells after
 * an error whether the state is lost. */
int run_advance(struct run *run, uint64_t steps, bool *lost, struct engine_error *error);

void run_release(struct run *run);

/* ---- Resuming (resume.c) ---------------------------------------------------------------------------------------- */

/* Opens the run that writes into a folder at its newest whole checkpoint, or at its beginning. `assignments` change its
 * configuration. Where the run is at its end already, run->state is NULL and *summary is its summary as text, which the
 * caller frees; else *summary is NULL. */
int run_resume(struct run *run, const char *folder, const char *const *assignments, uint32_t count,
               struct registry *registry, char **summary, struct engine_error *error);

/* ---- The summary (summary.c) ------------------------------------------------------------------------------------ */

/* The summary of an executed run as text for people, or as JSON. The caller frees it. */
int run_summary_text(const struct run *run, char **text, struct engine_error *error);
int run_summary_json(const struct run *run, char **text, struct engine_error *error);

#endif
