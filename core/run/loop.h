/* The step loop: takes steps, and between them runs the analysis and writes the outputs and checkpoints that are
 * due. */
#ifndef CORE_RUN_LOOP_H
#define CORE_RUN_LOOP_H

#include "run/analysis.h"
#include "run/checkpoint.h"
#include "run/output.h"
#include "run/until.h"

struct loop_result {
    uint64_t first;    /* the step from which the run started; set by the caller */
    uint64_t steps;    /* the number of steps taken */
    double seconds;    /* the time of the steps with their ghost cells, without the analysis and the outputs */
    const char *ended; /* the condition of [run] until that ended the run, and what was found; NULL: none */
    int signal; /* the reason from the context's stop hook that stopped the run; SIGALRM: the deadline; 0: none */
};

/* Takes the plan's steps. The analysis reads the frames that are due. Outputs are written when they are due; the final
 * state is always written. If a condition of `until`, which may be NULL, ends the run, its present state is the final
 * one. If the context asks the run to stop, or the deadline of the checkpoints has come, the run stops after the
 * present call: it saves a checkpoint, and writes only outputs that are due. */
int loop_run(struct instance *instance, struct analysis *analysis, struct output *output,
             struct checkpoints *checkpoints, struct until *until, struct loop_result *result,
             struct engine_error *error);

/* Takes steps, and lets the analysis read the frames that are due. Writes nothing. Returns early if the context asks
 * the run to stop. ENGINE_STATUS_USAGE, besides the errors of the plugin: so many steps cannot be counted. */
int loop_advance(struct instance *instance, struct analysis *analysis, uint64_t steps, struct engine_error *error);

#endif
