/* The files of an earlier run in the folder of a new one. */
#ifndef CORE_RUN_EARLIER_H
#define CORE_RUN_EARLIER_H

#include "plan/plan.h"

/* Removes the files that an earlier run has written into the output folder of this plan, if it holds a run: files named
 * after a step, as cells-0000000100.png, and those that its summary lists. Other files are left alone, and those that
 * the plan reads. */
void earlier_remove(const struct plan *plan);

#endif
