/* Executing a run, for `engine run` and `engine resume`. */
#ifndef CLI_EXECUTE_H
#define CLI_EXECUTE_H

#include "options.h"

/* Takes the steps of a run that has started, and prints its summary. Reports errors. Returns the exit status. */
int execute(struct engine_run *run, struct options *options);

#endif
