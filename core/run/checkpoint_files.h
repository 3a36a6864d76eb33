/* The checkpoints in a run's folder: checkpoint-<step, 10 digits>.snapshot of the run's state and, where there is an
 * analysis, checkpoint-<step>-analysis.snapshot. */
#ifndef CORE_RUN_CHECKPOINT_FILES_H
#define CORE_RUN_CHECKPOINT_FILES_H

#include "plan/settings.h"

enum { CHECKPOINT_PATH_MAX = SETTINGS_PATH_MAX + 64 };

/* Writes the path of a checkpoint's file. Returns path. */
const char *checkpoint_path(const char *folder, uint64_t step, bool analysis, char path[CHECKPOINT_PATH_MAX]);

/* The highest step below `below` that has a checkpoint, with the file of the analysis where the run has one: a run may
 * have been killed when only one of the two files existed. UINT64_MAX: none. */
uint64_t checkpoint_newest(const char *folder, uint64_t below, bool analysis);

/* Removes all checkpoints but those of two steps; UINT64_MAX: no step. */
void checkpoint_remove_others(const char *folder, uint64_t keep, uint64_t keep_too);

#endif
