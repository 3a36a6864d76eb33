/* A team: the parts of a divided run that share their work (ENGINE_TEAMWORK), a thread for each part, and the service
 * ENGINE_TEAM between them. Its functions are collective operations: all-reduce, all-gather and all-to-all.
 *
 * Each part calls a function with its arrays and waits until every part is there or has returned from its call. If all
 * are there and ask for the same, the last one carries it out. Otherwise the service fails in all that wait, so that
 * nobody waits for ever.
 *
 * Where several processes share the run, the parts of each process wait for each other first. Then the processes tell
 * each other what their parts do, so that all come to the same decision, and carry it out together. The thread that
 * called team_run does this, because only that one may use the link; all parts have threads of their own then. */
#ifndef LIB_PARTS_TEAM_H
#define LIB_PARTS_TEAM_H

#include "parts/ranks.h"

struct team;

/* Opens the team of the parts of a plan, which outlives it; `ranks` as in run/state.h. The caller closes it also
 * after an error. ENGINE_STATUS_DEVICE: there is no memory. */
int team_open(const struct plan *plan, struct ranks *ranks, struct team **team, struct engine_error *error);
void team_close(struct team *team); /* NULL is allowed */

/* Gives the host of the instance of a part of this process the service of this team, which must outlive it. */
void team_join(struct team *team, uint32_t part, struct host *host);

/* Calls task(argument, i, …) for every part i of this process at the same time, and returns when all calls have
 * returned. A task returns a status, with its error; *lost, which is false before, tells whether the state of the part
 * is lost.
 *
 * Returns the error of the lowest part that failed by itself, "part 2 of 3: …", and not because another one had
 * failed. Then *lost is set if a part has lost its state or has gone on without the others. Returns 0 with *lost set if
 * no part of this process has failed by itself, but one of another process, which reports the error there.
 * ENGINE_STATUS_DEVICE: the link to the other processes is broken. */
int team_run(struct team *team, int (*task)(void *argument, uint32_t part, bool *lost, struct engine_error *error),
             void *argument, bool *lost, struct engine_error *error);

#endif
