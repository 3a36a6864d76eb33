/* Process 0 of an ensemble that several processes share: it deals the members out, and records their results. */
#ifndef LIB_ENSEMBLE_DEALER_H
#define LIB_ENSEMBLE_DEALER_H

#include "ensemble/ensemble.h"

struct dealer;

/* Opens the ensemble, whose tables are open, in all other processes. *dealer is NULL if there are none, and after an
 * error, which is that of the process with the lowest rank. The ensemble outlives the dealer. */
int dealer_open(struct ensemble *ensemble, struct dealer **dealer, struct engine_error *error);
void dealer_close(struct dealer *dealer);

/* Takes the reports that have come and answers them, without waiting. `stop`: the others get no more members, and end
 * those that they have. *over: no other process has members, or gets any. After an error of the tables, the caller goes
 * on with `stop`; if *over is set, the others cannot be reached. ENGINE_STATUS_DEVICE, ENGINE_STATUS_OUTPUT. */
int dealer_exchange(struct dealer *dealer, bool stop, bool *over, struct engine_error *error);

#endif
