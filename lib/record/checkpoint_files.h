/* The checkpoints in a run's folder: checkpoint-<step, 10 digits>.snapshot of the run's state and, where there is an
 * analysis, checkpoint-<step>-analysis.snapshot. A damaged one is set aside under its name with `damaged-` in front. */
#ifndef LIB_RECORD_CHECKPOINT_FILES_H
#define LIB_RECORD_CHECKPOINT_FILES_H

#include "files/folder.h"

#include <stdint.h>

enum { CHECKPOINT_NAME = 64 };

/* Writes the name of a checkpoint's file. Returns name. */
const char *checkpoint_name(uint64_t step, bool analysis, char name[CHECKPOINT_NAME]);

/* Finds the highest step below `below` that has a checkpoint. If the run has an analysis, the step must have both
 * files, because a run may have been killed when only one of them existed. UINT64_MAX: none. ENGINE_STATUS_OUTPUT. */
int checkpoint_newest(const struct folder *folder, uint64_t below, bool analysis, uint64_t *step,
                      struct engine_error *error);

/* The steps of checkpoints, ascending; `at` is freed by its owner, and NULL if there are none. */
struct checkpoint_steps {
    uint64_t count, *at;
};

/* Adds a step that is later than all others. ENGINE_STATUS_DEVICE. */
int checkpoint_add_step(struct checkpoint_steps *steps, uint64_t step, struct engine_error *error);

/* Lists the checkpoints of steps up to `most`, as checkpoint_newest finds them. ENGINE_STATUS_OUTPUT. */
int checkpoint_list(const struct folder *folder, uint64_t most, bool analysis, struct checkpoint_steps *steps,
                    struct engine_error *error);

/* Removes all checkpoints except those of some steps. Continues after an error, and returns the first error,
 * ENGINE_STATUS_OUTPUT. */
int checkpoint_remove_others(const struct folder *folder, const struct checkpoint_steps *keep,
                             struct engine_error *error);

/* Renames the files of a damaged checkpoint. ENGINE_STATUS_OUTPUT. */
int checkpoint_set_aside(const struct folder *folder, uint64_t step, struct engine_error *error);

/* checkpoint_has_damaged finds out whether damaged checkpoints have been set aside, and checkpoint_remove_damaged
 * removes them. ENGINE_STATUS_OUTPUT. */
int checkpoint_has_damaged(const struct folder *folder, bool *found, struct engine_error *error);
int checkpoint_remove_damaged(const struct folder *folder, struct engine_error *error);

#endif
