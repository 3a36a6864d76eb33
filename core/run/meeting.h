/* The parts of a divided run that share their work (ENGINE_TEAMWORK) in one process: a thread for each part, and the
 * service ENGINE_TEAM between them.
 *
 * The parts meet in the functions of the service. Each brings its arrays and waits until every part is there or has
 * returned from its call. If all are there and ask for the same, the last one carries it out. Otherwise the service fails
 * in all that wait, so that nobody waits for ever. */
#ifndef CORE_RUN_MEETING_H
#define CORE_RUN_MEETING_H

#include "base/error.h"
#include "plugin/host.h"

struct meeting;

/* ENGINE_STATUS_DEVICE: there is no memory. */
int meeting_open(uint32_t parts, struct meeting **meeting, struct engine_error *error);
void meeting_close(struct meeting *meeting); /* NULL is allowed */

/* Gives the host of a part's instance the service of this meeting, which must outlive it. */
void meeting_seat(struct meeting *meeting, uint32_t part, struct host *host);

/* Calls task(argument, i, …) for every part i at the same time, and returns when all calls have returned. A task returns
 * a status, with its error; *lost, which is false before, tells whether the state of the part is lost.
 *
 * Returns the error of the lowest part that failed by itself, "part 2 of 3: …", and not because another one had failed.
 * Then *lost is set if a part has lost its state or has gone on without the others. */
int meeting_run(struct meeting *meeting,
                int (*task)(void *argument, uint32_t part, bool *lost, struct engine_error *error), void *argument,
                bool *lost, struct engine_error *error);

#endif
