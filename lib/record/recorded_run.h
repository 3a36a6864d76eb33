/* A recorded run: a run with its analysis, its folder and its result. Members that were not opened are NULL. */
#ifndef LIB_RECORD_RECORDED_RUN_H
#define LIB_RECORD_RECORDED_RUN_H

#include "record/analysis.h"
#include "record/checkpoint.h"
#include "record/checkpoint_record.h"
#include "record/edge.h"
#include "record/lock.h"
#include "record/output.h"
#include "record/until.h"
#include "run/run.h"

struct recorded_run {
    struct run run;
    struct plan *analysis_plan;
    struct folder *folder;     /* NULL: the run writes no files */
    struct lock *lock;         /* of the folder */
    struct analysis *analysis; /* NULL: the configuration has no analysis */
    struct output *output;
    struct until *until; /* NULL: no condition ends the run */
    struct edge_watch edge;
    struct checkpoints *checkpoints;
    struct json_object *earlier;                    /* of record_add_earlier, of a resumed run; or NULL */
    struct loop_result result;                      /* set by recorded_execute */
    uint32_t flags;                                 /* ENGINE_RUN_…, which hold for every execution */
    uint64_t first;                                 /* the step from which the run started, or was resumed */
    char hash[HASH_TEXT], analysis_hash[HASH_TEXT]; /* set by recorded_execute; "" without an analysis */
    char date[32];                                  /* when recorded_execute ended */
    double exchange;                                /* the share of the time that exchanges of margins took */
};

/* The recorder of libengine. A struct recorded_run that run_new does not make begins as {.run.recorder =
 * &run_recorder}. */
extern const struct recorder run_recorder;

static inline struct recorded_run *recorded_of(struct run *run)
{
    return (struct recorded_run *) run;
}

/* Checks that memory and disk have room for the run from that step on. */
int recorded_check_room(const struct recorded_run *recorded, uint64_t first_step, struct engine_error *error);

/* Makes and locks the folder of [run] output, as engine_run_claim does. After an error the run has no folder, and
 * another execution may claim one. */
int recorded_claim_folder(struct recorded_run *recorded, uint32_t flags, struct engine_error *error);

/* Opens outputs and checkpoints in the folder, which must be locked. `past` is the record of the checkpoint from which
 * the run goes on, or NULL. A run without a folder gets outputs that write no files, and no checkpoints. After an error
 * nothing is open, and the folder is left. */
int recorded_open_files(struct recorded_run *recorded, const struct checkpoint_record *past,
                        struct engine_error *error);

/* Takes the steps, writes the outputs that are due, and writes the summary into the folder. `deadline` is a time on the
 * clock of machine_clock; 0: none. After an error, waits for the checkpoint that is being written. */
int recorded_execute(struct recorded_run *recorded, double deadline, struct engine_error *error);

/* ---- Resuming (resume.c) ---------------------------------------------------------------------------------------- */

/* Opens the run of a folder at its newest complete checkpoint, or at its beginning if there is none. `assignments`
 * change its configuration. If the run has already ended, run.state is NULL and *summary is the summary as JSON, which
 * the caller frees. Otherwise *summary is NULL. */
int recorded_resume(struct recorded_run *recorded, const char *folder, const char *const *assignments, uint32_t count,
                    struct registry *registry, char **summary, struct engine_error *error);

/* ---- The summary (summary.c) ------------------------------------------------------------------------------------ */

/* Makes the summary of an executed run, as text for people or as JSON. The caller frees *text. */
int recorded_summary_text(const struct recorded_run *recorded, char **text, struct engine_error *error);
int recorded_summary_json(const struct recorded_run *recorded, char **text, struct engine_error *error);

#endif
