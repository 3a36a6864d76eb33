/* The progress line on a terminal: step, rate, time left. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <engine/plugin.h>

/* Shows it, at most a few times a second, where stderr is a terminal and nobody asked for quiet. `taken` steps, the
 * last of them number `step`, took `seconds`. */
void progress_show(uint64_t step, uint64_t steps, uint64_t taken, double seconds, double work_per_step,
                   const char *unit);

/* The line itself: "step 300 of 1000, 30.0 %, 1.2 T cell updates a second, 7 s left". Returns text. */
enum { PROGRESS_TEXT = 192 };
const char *progress_line(char text[PROGRESS_TEXT], uint64_t step, uint64_t steps, uint64_t taken, double seconds,
                          double work_per_step, const char *unit);

/* Has somebody else show it, on whatever stderr is: `show` gets the seconds spent stepping and the line at every
 * progress_show, until this is called with NULL. */
void progress_redirect(void (*show)(void *context, double seconds, const char *line), void *context);

/* How many seconds a call that takes steps should last, so that progress is seen to be made. */
double progress_pace(void);

/* Shows any line there. */
void progress_text(const char *format, ...) ENGINE_PRINTF(1, 2);

/* Wipes it, before other lines are printed. */
void progress_clear(void);

#endif
