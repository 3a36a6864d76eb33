/* The plans of members that are the universes of one run. */
#ifndef LIB_ENSEMBLE_PLANS_H
#define LIB_ENSEMBLE_PLANS_H

#include "ensemble/ensemble.h"

struct plans {
    struct engine_run **runs; /* planned and never started */
    struct engine_plan *list;
    uint32_t count;
};

/* Plans members, and gives their plans to the universes of a run that has chosen its implementation. The caller calls
 * plans_close after it has closed this run, even after an error. *plans was 0, or closed. ENGINE_STATUS_USAGE: a member
 * cannot be such a universe, or the errors of engine_run_plan. */
int plans_open(struct plans *plans, const struct ensemble *ensemble, struct engine_context *context,
               const uint64_t *members, uint32_t count, struct engine_run *run, struct engine_error *error);
void plans_close(struct plans *plans);

#endif
