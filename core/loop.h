/* The step loop: ghosts, advance, swap, outputs that are due. */
#ifndef CORE_LOOP_H
#define CORE_LOOP_H

#include "analysis.h"
#include "output.h"

struct loop_result {
    uint64_t steps; /* taken */
    double seconds; /* spent stepping, ghosts included, analysis and outputs not */
    int signal;     /* that stopped the run; 0: none */
};

/* Takes the plan's steps, shows the analysis what it is to see, and writes what is due, the final state always. SIGINT
 * and SIGTERM end it after the call in flight, with the state as it then is written. */
int loop_run(struct instance *instance, struct analysis *analysis, struct output *output, struct loop_result *result,
             struct error *error);

#endif
