/* A run: its plans, its state and instances, its folder and its result. */
#ifndef CORE_RUN_RUN_H
#define CORE_RUN_RUN_H

#include "run/analysis.h"
#include "run/checkpoint.h"
#include "run/checkpoint_record.h"
#include "run/lock.h"
#include "run/loop.h"
#include "run/output.h"
#include "run/until.h"

/* run_release releases the members from the last to the first. Members that were not opened are NULL. */
struct run {
    struct config *owned_config; /* of a resumed run; NULL: the caller owns the configuration */
    struct registry *registry;   /* owned by the caller */
    struct plan *plan;
    struct plan *analysis_plan;
    struct json_object *earlier; /* of record_add_earlier, of a resumed run; or NULL */
    struct folder *folder;       /* NULL: the run writes no files */
    struct lock *lock;           /* of the folder */
    struct state *state;
    struct instance *instance;
    struct analysis *analysis; /* NULL: the configuration has no analysis */
    struct output *output;
    struct until *until; /* NULL: no condition ends the run */
    struct checkpoints *checkpoints;
    struct loop_result result;                      /* set by run_execute */
    bool has_room;                                  /* the caller knows that memory and disk have room */
    uint64_t first;                                 /* the step from which the run started, or was resumed */
    char hash[HASH_TEXT], analysis_hash[HASH_TEXT]; /* set by run_execute; "" without an analysis */
    char date[32];                                  /* when run_execute ended */
    double exchange;                                /* the share of the time in exchanges of margins, by then */
};

/* Checks the configuration and makes the plans of the run and its analysis. The caller calls run_release afterwards,
 * even if this function or one of the following returns an error. */
int run_plan(struct run *run, const struct config *config, struct registry *registry, struct engine_error *error);

/* Checks that memory and disk have room for the run from that step on. */
int run_check_room(const struct run *run, uint64_t first_step, struct engine_error *error);

/* Creates the instances of the run and of its analysis. The state must be filled. */
int run_open_instances(struct run *run, struct engine_error *error);

/* Allocates the state, fills it with the initial state, and creates the instances. */
int run_start(struct run *run, struct engine_error *error);

/* Makes and locks the folder of [run] output for a new run, and removes the files of an earlier run. Unless `force` is
 * set, the folder must be empty. */
int run_claim_folder(struct run *run, bool force, struct engine_error *error);

/* Opens outputs and checkpoints in the folder, which must be locked. `past` is the record of the checkpoint from which
 * the run goes on, or NULL. A run without a folder gets outputs that write no files, and no checkpoints. */
int run_open_files(struct run *run, const struct checkpoint_record *past, struct engine_error *error);

/* Takes the steps, writes the outputs that are due, and writes the summary into the folder. `deadline` is a time on the
 * clock of machine_clock; 0: none. After an error, waits for the checkpoint that is being written. */
int run_execute(struct run *run, double deadline, struct engine_error *error);

/* Checks that the run has started. ENGINE_STATUS_USAGE. */
int run_check_started(const struct run *run, struct engine_error *error);

/* Checks that the run has started, and that its state is not lost. ENGINE_STATUS_USAGE. */
int run_check_state(const struct run *run, struct engine_error *error);

/* Takes steps without writing files; the analysis reads the frames that are due. Returns early if the context asks the
 * run to stop. After an error, state->lost says whether the state is lost. */
int run_advance(struct run *run, uint64_t steps, struct engine_error *error);

void run_release(struct run *run);

/* ---- Resuming (resume.c) ---------------------------------------------------------------------------------------- */

/* Opens the run of a folder at its newest complete checkpoint, or at its beginning if there is none. `assignments`
 * change its configuration. If the run has already ended, run->state is NULL and *summary is the summary as JSON, which
 * the caller frees. Otherwise *summary is NULL. */
int run_resume(struct run *run, const char *folder, const char *const *assignments, uint32_t count,
               struct registry *registry, char **summary, struct engine_error *error);

/* ---- The summary (summary.c) ------------------------------------------------------------------------------------ */

/* Makes the summary of an executed run, as text for people or as JSON. The caller frees *text. */
int run_summary_text(const struct run *run, char **text, struct engine_error *error);
int run_summary_json(const struct run *run, char **text, struct engine_error *error);

#endif
