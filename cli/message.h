/* Errors and results on the standard streams. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <engine/engine.h>

/* Records an error of the command line. Returns status. */
int fail(struct engine_error *error, int status, const char *format, ...) ENGINE_PRINTF(3, 4);

/* Prints "engine: text" on stderr. Returns the error's status. */
int report(const struct engine_error *error);

/* Checks that everything meant for stdout reached it. Returns `status`, or ENGINE_STATUS_OUTPUT where it did not. */
int finish_stdout(int status);

/* Prints a text on stdout and frees it. */
void print_text(char *text);

/* Seconds on a clock that only goes forward. */
double seconds_now(void);

#endif
