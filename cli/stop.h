/* Stopping a run early: signals, and the durations of --walltime. */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <engine/engine.h>

/* Catches SIGINT, SIGTERM and `signal`, unless it is 0. The first signal asks the run to stop. A SIGINT after that ends
 * the program at once. */
void stop_catch_signals(int signal);

/* Restores the default action of these signals. */
void stop_release_signals(int signal);

/* Returns the number of the signal that asked the run to stop, or 0. A hook of struct engine_hooks; `user` is not
 * used. */
int stop_signal(void *user);

/* Reads a duration such as "3h50m", "90s", "1d12h", or as batch systems write it, "3:50:00", "1-12:00:00".
 * ENGINE_STATUS_USAGE. */
int stop_parse_duration(const char *text, double *seconds, struct engine_error *error);

#endif
