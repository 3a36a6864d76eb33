/* The checkpoints in a run's folder: checkpoint-<step, 10 digits>.snapshot of the run's state, and beside it, where
 * there is an analysis, checkpoint-<step>-analysis.snapshot. */
#ifndef CORE_RUN_CHECKPOINT_FILES_H
#define CORE_RUN_CHECKPOINT_FILES_H

#include "plan/settings.h"

enum { CHECKPOINT_PATH_MAX = SETTINGS_PATH_MAX + 64 };

/* Returns path. */
const char *checkpoint_path(const char *folder, uint64_t step, bool analysis, char path[CHECKPOINT_PATH_MAX]);

/* The highest step below `below` of which there is a checkpoint, with its analysis where the run has one: the two are
 * written beside each other, and a run may be killed when one of them is there. UINT64_MAX: none. */
uint64_t checkpoint_newest(const char *folder, uint64_t below, bool analysis);

/* Removes all but those of two steps; UINT64_MAX: of none. */
void checkpoint_remove_others(const char *folder, uint64_t keep, uint64_t keep_too);

#endif
