/* Executing the members of an ensemble side by side, for `engine run` and `engine resume`. */
#ifndef CLI_ENSEMBLE_H
#define CLI_ENSEMBLE_H

#include "options.h"

/* Sets [ensemble] sweep to the sweeps of the command line: those of --sweep, and that of --ensemble.
 * ENGINE_STATUS_USAGE. */
int ensemble_options(const struct options *options, struct engine_config *config, struct engine_error *error);

/* Executes the members that are missing, on a thread for each of those that run at the same time, and prints the
 * summary. The folder is open. Reports errors. Returns the exit status. */
int ensemble_execute(struct engine_ensemble *ensemble, struct options *options);

/* Executes members for process 0, in another process that mpirun has started. */
int ensemble_serve(struct engine_ensemble *ensemble, struct options *options, struct engine_error *error);

#endif
