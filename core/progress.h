/* The progress line on a terminal: step, rate, time left. */
#ifndef CORE_PROGRESS_H
#define CORE_PROGRESS_H

#include <engine/plugin.h>

/* Shows it, at most a few times a second, where stderr is a terminal and nobody asked for quiet. `taken` steps, the
 * last of them number `step`, took `seconds`. */
void progress_show(uint64_t step, uint64_t steps, uint64_t taken, double seconds, double work_per_step,
                   const char *unit);

/* Shows any line there. */
void progress_text(const char *format, ...) ENGINE_PRINTF(1, 2);

/* Wipes it, before other lines are printed. */
void progress_clear(void);

/* Seconds on a clock that only goes forward. */
double progress_now(void);

/* 1234567 as "1.23 M": three digits and an SI prefix. Returns text. */
const char *si(double number, char text[32]);

#endif
