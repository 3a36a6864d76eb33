/* The files of an earlier run in the folder of a new one. */
#ifndef LIB_RECORD_EARLIER_H
#define LIB_RECORD_EARLIER_H

#include "files/folder.h"
#include "plan/plan.h"

/* Removes the files that an earlier run has written into the folder of this plan, if it holds a run: files named
 * after a step, as cells-0000000100.png, and those that its summary lists. Other files are left alone, and those that
 * the plan reads. ENGINE_STATUS_OUTPUT; ENGINE_STATUS_INPUT, if the summary cannot be read. */
int earlier_remove(const struct plan *plan, const struct folder *folder, struct engine_error *error);

#endif
