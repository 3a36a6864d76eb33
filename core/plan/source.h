/* Fields that start from arrays in files: from [init] file, which has the arrays of all fields, or from one file for
 * each field with source = arrays. A pattern for a grid is neither. */
#ifndef CORE_PLAN_SOURCE_H
#define CORE_PLAN_SOURCE_H

#include "plan/plan.h"

/* Opens the files of a plan whose settings have been read, and finds the array of every field: the array of the
 * field's name; or the only array of a file, if the file gives it no name or is the file of this field. plan->pattern
 * is then the document of [init] file, even if that is a pattern for a grid. For a plugin without state, files of
 * particles are read frame by frame, and plan->frames is the number of frames. ENGINE_STATUS_INPUT. */
int source_open_all(struct plan *plan, struct engine_error *error);
void source_close_all(struct plan *plan);

/* Moves all trajectories forward by a number of frames. ENGINE_STATUS_INPUT. */
int source_next_frame(struct plan *plan, uint64_t by, struct engine_error *error);

/* Does every frame give the field? */
bool source_has_frames(const struct plan *plan, uint32_t field);

/* Does [init] file, which is open, hold arrays for fields, and not a pattern for a grid? */
bool source_is_arrays(const struct plan *plan);

/* The number of particles in the files, or 0. */
uint64_t source_particles(const struct plan *plan);

/* The shape and type of the first matrix in the files, or NULL. */
const struct engine_shape *source_matrix(const struct plan *plan);

/* The periodic box in the files, as in the header of a document, or NULL. */
const double *source_box(const struct plan *plan);

/* The document of the file that the field `species` starts from, if it has symbols for them; or NULL. */
const struct io_document *source_symbols(const struct plan *plan);

/* The number of elements of the array that a field starts from. */
uint64_t source_elements(const struct plan *plan, uint32_t field);

/* Compares the arrays with the shapes and types of the fields, which are known now. ENGINE_STATUS_INPUT. */
int source_check_all(const struct plan *plan, struct engine_error *error);

/* Reads elements [begin, begin + count) of a field that has a source, converted to `type`, the type of the field.
 * Ranges are read in order, without gaps, each once. `piece` is memory for `count` elements of 16 bytes.
 * ENGINE_STATUS_INPUT. */
int source_read(const struct plan *plan, uint32_t field, uint32_t type, uint64_t begin, uint64_t count, void *piece,
                void *out, struct engine_error *error);

/* Returns which files the field can start from, for messages. */
const char *source_file_for(const struct engine_field *field);

#endif
