/* Fields that start from arrays in files: those of [init] file, for particles and matrices one file, or those of
 * [init] source = arrays, one file a field. A pattern on a grid is none of these. */
#ifndef CORE_PLAN_SOURCE_H
#define CORE_PLAN_SOURCE_H

#include "plan/plan.h"

/* Opens the files of a plan whose settings are read, and finds every field's array: the one of the field's name; or, of
 * a file of one array, that one, where the file gives it no name or was given for this very field. [init] file then
 * lies in plan->pattern, also where it is a pattern for a grid. Of a plugin that keeps no state, files of particles are
 * taken frame by frame: plan->frames says how many there are. ENGINE_STATUS_INPUT. */
int source_open_all(struct plan *plan, struct engine_error *error);
void source_close_all(struct plan *plan);

/* Goes on by so many frames in all files of frames. ENGINE_STATUS_INPUT. */
int source_next_frame(struct plan *plan, uint64_t by, struct engine_error *error);

/* Is the field given anew by every frame? */
bool source_has_frames(const struct plan *plan, uint32_t field);

/* Does [init] file, which is open, hold arrays of particles or matrices or of several fields, no pattern for a grid? */
bool source_is_arrays(const struct plan *plan);

/* The number of particles in the files, or 0. */
uint64_t source_particles(const struct plan *plan);

/* The shape and type of the first matrix in the files, or NULL. */
const struct engine_shape *source_matrix(const struct plan *plan);

/* The periodic box in the files, as a document's header has it, or NULL. */
const double *source_box(const struct plan *plan);

/* Holds the arrays against the fields' shapes and types, which are known now. ENGINE_STATUS_INPUT. */
int source_check_all(const struct plan *plan, struct engine_error *error);

/* Reads elements [begin, begin + count) of a field that has a source, as the field's type, which is `type`. Ranges come
 * in order, without gaps, each once. `piece` has room for `count` elements of 16 bytes. ENGINE_STATUS_INPUT. */
int source_read(const struct plan *plan, uint32_t field, uint32_t type, uint64_t begin, uint64_t count, void *piece,
                void *out, struct engine_error *error);

/* What a file must be so that the field can start from it, for messages. */
const char *source_file_for(const struct engine_field *field);

#endif
