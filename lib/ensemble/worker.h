/* A process that executes members of an ensemble for process 0, which has the tables. */
#ifndef LIB_ENSEMBLE_WORKER_H
#define LIB_ENSEMBLE_WORKER_H

#include "ensemble/ensemble.h"

struct worker;

/* Opens the ensemble that process 0 has described (scheduler_open). The results of ensemble_record then go into its
 * packed results. The caller calls ensemble_release, even after an error. ENGINE_STATUS_PLUGIN if what runs here is not
 * what runs there, ENGINE_STATUS_OUTPUT if members write files and this process does not see their folder; those of
 * ensemble_plan. */
int worker_open(struct ensemble *ensemble, struct engine_context *context, const char *texts, uint64_t bytes,
                struct worker **worker, struct engine_error *error);
void worker_close(struct worker *worker);

/* The next member; 0: there is none now. */
uint64_t worker_take(struct worker *worker);

/* Sends the results, and takes members that have come, without waiting. *stop: members shall end soon. *over: there are
 * no members any more. ENGINE_STATUS_DEVICE. */
int worker_exchange(struct worker *worker, bool *stop, bool *over, struct engine_error *error);

#endif
