/* The scheduler of an ensemble that several processes share: process 0 gives members to all processes, and records
 * their results. */
#ifndef LIB_ENSEMBLE_SCHEDULER_H
#define LIB_ENSEMBLE_SCHEDULER_H

#include "ensemble/ensemble.h"

struct scheduler;

/* Opens the ensemble, whose tables are open, in all other processes. *scheduler is NULL if there are none, and after an
 * error, which is that of the process with the lowest rank. The ensemble outlives the scheduler. */
int scheduler_open(struct ensemble *ensemble, struct scheduler **scheduler, struct engine_error *error);
void scheduler_close(struct scheduler *scheduler);

/* Takes the reports that have come and answers them, without waiting. `stop`: the others get no more members, and end
 * those that they have. *over: no other process has members, or gets any. After an error of the tables, the caller goes
 * on with `stop`; if *over is set, the others cannot be reached. ENGINE_STATUS_DEVICE, ENGINE_STATUS_OUTPUT. */
int scheduler_exchange(struct scheduler *scheduler, bool stop, bool *over, struct engine_error *error);

#endif
