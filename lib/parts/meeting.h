/* The parts of a divided run that share their work (ENGINE_TEAMWORK): a thread for each part, and the service
 * ENGINE_TEAM between them.
 *
 * The parts meet in the functions of the service. Each brings its arrays and waits until every part is there or has
 * returned from its call. If all are there and ask for the same, the last one carries it out. Otherwise the service
 * fails in all that wait, so that nobody waits for ever.
 *
 * Where several processes share the run, the parts of each process meet first. Then the processes tell each other
 * what their parts do, so that all come to the same decision, and carry it out together. The thread that called
 * meeting_run does this, because only that one may use the link; all parts have threads of their own then. */
#ifndef LIB_PARTS_MEETING_H
#define LIB_PARTS_MEETING_H

#include "parts/ranks.h"

struct meeting;

/* Opens the meeting of the parts of a plan, which outlives it; `ranks` as in run/state.h. The caller closes it also
 * after an error. ENGINE_STATUS_DEVICE: there is no memory. */
int meeting_open(const struct plan *plan, struct ranks *ranks, struct meeting **meeting, struct engine_error *error);
void meeting_close(struct meeting *meeting); /* NULL is allowed */

/* Gives the host of the instance of a part of this process the service of this meeting, which must outlive it. */
void meeting_seat(struct meeting *meeting, uint32_t part, struct host *host);

/* Calls task(argument, i, …) for every part i of this process at the same time, and returns when all calls have
 * returned. A task returns a status, with its error; *lost, which is false before, tells whether the state of the part
 * is lost.
 *
 * Returns the error of the lowest part that failed by itself, "part 2 of 3: …", and not because another one had
 * failed. Then *lost is set if a part has lost its state or has gone on without the others. Returns 0 with *lost set if
 * no part of this process has failed by itself, but one of another process, which reports the error there.
 * ENGINE_STATUS_DEVICE: the link to the other processes is broken. */
int meeting_run(struct meeting *meeting,
                int (*task)(void *argument, uint32_t part, bool *lost, struct engine_error *error), void *argument,
                bool *lost, struct engine_error *error);

#endif
