/* How the files of a state are named, listed and written, for output.c alone. */
#ifndef CORE_RUN_OUTPUT_FILES_H
#define CORE_RUN_OUTPUT_FILES_H

#include "run/output.h"

/* What is written now. */
struct output_series *output_series_now(const struct output *output);

/* Writes the state, of the run or of its analysis, as of that step, in the formats of the series; lists them alone
 * where the output is recalling. */
int output_files_write(struct output *output, struct state *state, uint64_t step, struct engine_error *error);

/* Adds a path to the list of files. */
int output_files_list(struct output *output, const char *path, struct engine_error *error);

/* Waits for the snapshot that is being written, if there is one. */
int output_files_finish(struct output *output, struct engine_error *error);

#endif
