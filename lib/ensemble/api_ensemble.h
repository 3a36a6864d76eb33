/* The structure behind the handle of an ensemble. */
#ifndef LIB_ENSEMBLE_API_ENSEMBLE_H
#define LIB_ENSEMBLE_API_ENSEMBLE_H

#include "ensemble/ensemble.h"

struct engine_ensemble {
    struct ensemble ensemble;
    struct scheduler *scheduler; /* in process 0, if others share the members; NULL before the first exchange */
    struct worker *worker;       /* in another process */
    bool finished;               /* engine_ensemble_finish was called */
};

#endif
