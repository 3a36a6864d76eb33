/* A live picture of a run in the terminal that stderr is.
 *
 * Frames are drawn in place, each by one write that leaves colours and cursor as they were: whatever ends the program,
 * there is nothing to be put back. They take at most a hundredth of the time that stepping takes: the dearer a frame
 * was, the later comes the next. A terminal that is slow, or stopped, gets fewer frames. */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include <engine/engine.h>

struct watch;

/* Checks that stderr can show pictures. ENGINE_STATUS_USAGE. */
int watch_check(struct engine_error *error);

/* Shows the state of a run that has started. The run must outlive the watch. */
int watch_open(struct engine_run *run, struct watch **watch, struct engine_error *error);

/* Shows a line of progress and, from time to time, the state. `seconds` were spent stepping. */
void watch_show(struct watch *watch, double seconds, const char *line);

/* Shows the state at the end, which stays in the terminal. watch may be NULL. */
void watch_close(struct watch *watch);

#endif
