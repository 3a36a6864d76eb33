/* An estimate of the memory and disk space that a run needs, made before anything is allocated or written. */
#ifndef LIB_RECORD_ESTIMATE_H
#define LIB_RECORD_ESTIMATE_H

#include "plan/plan.h"

struct estimate {
    uint64_t buffers; /* bytes on one device at most, of the run and of its analysis */
    uint64_t saved;   /* bytes that a checkpoint saves; 0: no checkpoints */
    uint64_t
        checkpoint;    /* bytes of host memory for the copy that a checkpoint is written from; 0: it is written piece by
                            piece */
    uint64_t outputs;  /* number of times that states are written */
    double each;       /* bytes of one output at most */
    double disk_least; /* bytes of all files if compression shrinks them to nothing */
    double disk_most;  /* if compression gains nothing, with the checkpoints that stay and one that is being written */

    /* Bytes that are free; UINT64_MAX: not known. */
    uint64_t device_available, host_available, disk_available;
};

/* Estimates a run from this step on. `analysis` is NULL where there is none. Both plans have an implementation chosen.
 */
struct estimate estimate_make(const struct plan *plan, const struct plan *analysis, uint64_t first_step);

/* Refuses a run that cannot fit, with the figures: ENGINE_STATUS_DEVICE for memory, ENGINE_STATUS_OUTPUT for the
 * disk. */
int estimate_check(const struct estimate *estimate, const struct plan *plan, struct engine_error *error);

#endif
