/* A live picture of a run in the terminal.
 *
 * Each frame is drawn over the one before, by one write that leaves the colours and the cursor as it found them. So the
 * terminal needs no repair, whatever ends the program. Frames take at most a hundredth of the time of the steps: a slow
 * frame delays the next one proportionally. A slow or stopped terminal gets fewer frames. */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include <engine/engine.h>

struct watch;

/* Checks that stderr is a terminal that can show pictures. ENGINE_STATUS_USAGE. */
int watch_check(struct engine_error *error);

/* Shows the state of a run that has started. The run must outlive the watch. */
int watch_open(struct engine_run *run, struct watch **watch, struct engine_error *error);

/* Shows the state if a frame is due, with the progress line below it. */
void watch_show(struct watch *watch, const struct engine_progress *progress);

/* Shows the final state, which stays in the terminal, and closes the watch, which may be NULL. */
void watch_close(struct watch *watch);

#endif
