/* What ends a run early, so that it can be resumed: signals, and the end of the time that it was given. */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <engine/engine.h>

/* From now on SIGINT, SIGTERM and `signal`, unless that is 0, only ask the run to stop. Once it was asked, SIGINT ends
 * the program at once. */
void stop_listen(int signal);

/* Signals do again what they did before. */
void stop_deafen(int signal);

/* The number of the signal that asked the run to stop; 0: none. A hook of struct engine_hooks; user is not used. */
int stop_signal(void *user);

/* Reads a duration as batch systems and people write it: "3h50m", "90s", "1d12h", "3:50:00", "1-12:00:00". ENGINE_STATUS_USAGE.
 */
int stop_parse_time(const char *text, double *seconds, struct engine_error *error);

#endif
