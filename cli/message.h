/* Errors, results and progress as text for the standard streams. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <engine/engine.h>

/* Fills in an error. Returns status. */
int fail(struct engine_error *error, int status, const char *format, ...) ENGINE_PRINTF(3, 4);

/* Replaces control characters, C0 and C1, by '?': names of files and words of the command line may have them, and a
 * terminal obeys them. Returns text. */
const char *printable(char *text);

/* Prints "engine: text" on stderr. Returns the error's status. */
int report(const struct engine_error *error);

/* Flushes stdout. Returns `status`; if that is 0 and something could not be written, returns ENGINE_STATUS_OUTPUT. */
int finish_stdout(int status);

/* Prints a text on stdout and frees it. */
void print_text(char *text);

enum { PROGRESS_LINE = 192 };

/* "step 300 of 1000, 30.0 %, 1.2 T cell updates a second, 7 s left"; before the first step "step 0 of 1000". */
void format_progress(char text[PROGRESS_LINE], const struct engine_progress *progress);

/* Seconds on a monotonic clock. */
double seconds_now(void);

#endif
