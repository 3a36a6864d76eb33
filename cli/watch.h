/* A live picture of a run in the terminal that stderr is.
 *
 * Frames are drawn in place, each by one write that leaves colours and cursor as they were: whatever ends the program,
 * there is nothing to be put back. They take at most a hundredth of the time that stepping takes: the dearer a frame
 * was, the later comes the next. A terminal that is slow, or stopped, gets fewer frames. */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include "run/state.h"

struct watch;

/* Can stderr show pictures? ENGINE_STATUS_USAGE. */
int watch_check(struct engine_error *error);

/* Shows the state, and from then on every progress_show shows it, at times. The state must outlive it. */
int watch_open(struct state *state, struct watch **watch, struct engine_error *error);

/* Shows the state as it is in the end, which stays in the terminal. watch may be NULL. */
void watch_close(struct watch *watch);

#endif
