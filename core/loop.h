/* The step loop: ghosts, advance, swap, outputs and checkpoints that are due. */
#ifndef CORE_LOOP_H
#define CORE_LOOP_H

#include "analysis.h"
#include "checkpoint.h"
#include "output.h"

struct loop_result {
    uint64_t first; /* the step at which it began; the caller's to set */
    uint64_t steps; /* taken */
    double seconds; /* spent stepping, ghosts included, analysis and outputs not */
    int signal;     /* that stopped the run, of which there is a checkpoint then; SIGALRM: its time; 0: none */
};

/* Takes the plan's steps, shows the analysis what it is to see, and writes what is due, the final state always. SIGINT,
 * SIGTERM, the settings' signal and the end of the run's time stop it after the call in flight: then the state as it is
 * goes into a checkpoint, and nothing is written that is not due. */
int loop_run(struct instance *instance, struct analysis *analysis, struct output *output,
             struct checkpoints *checkpoints, struct loop_result *result, struct error *error);

#endif
