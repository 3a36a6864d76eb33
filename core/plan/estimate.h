/* What a run will take of memory and disk, said before anything is allocated or written. */
#ifndef CORE_PLAN_ESTIMATE_H
#define CORE_PLAN_ESTIMATE_H

#include "plan/plan.h"

struct estimate {
    uint64_t buffers; /* bytes on the plan's device: of the run and of its analysis */
    uint64_t
        checkpoint;    /* bytes of host memory for the copy that is written while the run goes on; 0: no checkpoints */
    uint64_t outputs;  /* how often states are written */
    double each;       /* bytes of one of them, at most */
    double disk_least; /* bytes of all files, if all that is compressed shrinks to nothing */
    double disk_most;  /* and if none of it shrinks; with two checkpoints, and a third while it is written */

    /* What there is. UINT64_MAX: not known. */
    uint64_t device_available, host_available, disk_available;
};

/* Of a run from this step on; `analysis` is NULL where there is none. Both plans have an implementation chosen. */
struct estimate estimate_make(const struct plan *plan, const struct plan *analysis, uint64_t first_step);

/* Refuses what cannot fit, with the figures: memory by ENGINE_STATUS_DEVICE, disk by ENGINE_STATUS_OUTPUT. */
int estimate_check(const struct estimate *estimate, const struct plan *plan, struct engine_error *error);

#endif
