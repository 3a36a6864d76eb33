/* The initial state from files (files/source_files.h), and the frames of trajectories. */
#ifndef LIB_FILES_INIT_FILES_H
#define LIB_FILES_INIT_FILES_H

#include "files/source_files.h"
#include "run/state.h"

/* `make` of struct source: the pattern, or the arrays, of the plan's files. It may be called once, because it reads the
 * files to their end. */
int init_files(struct state *state, struct engine_error *error);

/* Gives the plan the box of a frame; NULL: the files have none. */
int init_change_box(struct state *state, const double *box, struct engine_error *error);

/* Reads the frame that comes `by` frames later in the plan's files: their fields and the box. The frame must exist. */
int init_next_frame(struct state *state, uint64_t by, struct engine_error *error);

/* Tells the caller what is odd about the pattern file, and what of it the run does not use: its position, its
 * generation. */
void init_pattern_warn(const struct plan *plan);

/* Places the cells of the plan's pattern file on the grid (init_pattern.c). ENGINE_STATUS_INPUT. */
int init_pattern(struct state *state, struct engine_error *error);

#endif
