/* What ends a run early, so that it can be resumed: signals, and the end of the time that it was given. */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include "base/error.h"

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and `signal`, unless that is 0, only ask the run to stop. Once it was asked, SIGINT ends
 * the program at once. */
void stop_listen(int signal);

/* Signals do again what they did before. */
void stop_deafen(int signal);

/* Stops the run as SIGALRM would: its time is up. */
void stop_for_time(void);

/* The number of the signal that asked the run to stop; 0: none. */
int stop_signal(void);

/* Reads a time as batch systems and people write them: "3h50m", "90s", "1d12h", "3:50:00", "1-12:00:00". ENGINE_STATUS_USAGE.
 */
int stop_parse_time(const char *text, double *seconds, struct engine_error *error);

#endif
