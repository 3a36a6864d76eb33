/* The step loop: ghosts, advance, swap, outputs and checkpoints that are due. */
#ifndef CORE_RUN_LOOP_H
#define CORE_RUN_LOOP_H

#include "run/analysis.h"
#include "run/checkpoint.h"
#include "run/output.h"

struct loop_result {
    uint64_t first; /* the step at which it began; set by the caller */
    uint64_t steps; /* taken */
    double seconds; /* spent stepping, ghosts included, analysis and outputs not */
    int signal;     /* the reason of the context that stopped the run; SIGALRM: the deadline; 0: none */
};

/* Takes the plan's steps. The analysis takes the frames that are due, and outputs that are due are written, the final
 * state always. The context and the deadline of the checkpoints stop the run after the call in flight: then the state
 * goes into a checkpoint, and no output is written that is not due. */
int loop_run(struct instance *instance, struct analysis *analysis, struct output *output,
             struct checkpoints *checkpoints, struct loop_result *result, struct engine_error *error);

/* Takes steps and the frames of the analysis that are due on the way; nothing is written. It returns early where the
 * context asks to stop. After an error *lost tells whether the state is lost. */
int loop_advance(struct instance *instance, struct analysis *analysis, uint64_t steps, bool *lost,
                 struct engine_error *error);

#endif
