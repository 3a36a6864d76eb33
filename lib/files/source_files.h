/* Fields that start from arrays in files: from [init] file, which has the arrays of all fields, or from one file for
 * each field with source = arrays. A pattern for a grid is neither. */
#ifndef LIB_FILES_SOURCE_FILES_H
#define LIB_FILES_SOURCE_FILES_H

#include "files/io.h"
#include "plan/source.h"

/* The array of a file from which a field gets its initial values. */
struct source_file {
    struct io_document *document; /* NULL: no file, the field takes its default */
    uint32_t array;               /* of the document */
    char *path;
};

/* What the plan of a run that starts from files keeps: plan->source_own. */
struct source_files {
    struct io_document *pattern; /* [init] file, open at its first cell; or NULL */
    struct source_file of[PLAN_FIELDS_MAX];
    char symbol[IO_SYMBOLS_MAX][IO_SYMBOL_SIZE]; /* of species */
    const char *symbols[IO_SYMBOLS_MAX];         /* the same: plan->found.symbols */
};

/* NULL: the plan is that of an analysis, or its source is not open. */
static inline struct source_files *source_files_of(const struct plan *plan)
{
    return plan->run ? NULL : plan->source_own;
}

/* Moves all trajectories forward by a number of frames. ENGINE_STATUS_INPUT. */
int source_next_frame(const struct plan *plan, uint64_t by, struct engine_error *error);

/* Does every frame give the field? */
bool source_has_frames(const struct plan *plan, uint32_t field);

/* Does [init] file, which is open, hold arrays for fields, and not a pattern for a grid? */
bool source_is_arrays(const struct plan *plan);

/* The periodic box in the files, as in the header of a document, or NULL. */
const double *source_box(const struct plan *plan);

/* The number of elements of the array that a field starts from. */
uint64_t source_elements(const struct plan *plan, uint32_t field);

/* Functions of struct source; files/init_files.h has the table. source_files_open opens the files of a plan whose settings
 * have been read, and finds the array of every field: the array of the field's name; or the only array of a file, if the
 * file gives it no name or is the file of this field. For a plugin without state, files of particles are read frame by
 * frame, and plan->frames is the number of frames. source_files_check compares the pattern, or the arrays, with the
 * fields. ENGINE_STATUS_INPUT. */
int source_files_open(struct plan *plan, struct engine_error *error);
void source_files_close(struct plan *plan);
const char *source_files_text(const struct plan *plan, const char *file_key);
int source_files_check(const struct plan *plan, struct engine_error *error);

/* For source_files_open: fills in plan->found. */
void source_find(struct plan *plan);

/* Reads elements [begin, begin + count) of a field that has a source, converted to `type`, the type of the field.
 * Ranges are read in order, without gaps, each once, and those of particles have whole particles. `piece` is memory for `count` elements of 16 bytes.
 * ENGINE_STATUS_INPUT. */
int source_read(const struct plan *plan, uint32_t field, uint32_t type, uint64_t begin, uint64_t count, void *piece,
                void *out, struct engine_error *error);

/* Returns which files the field can start from, for messages. */
const char *source_file_for(const struct engine_field *field);

#endif
