/* What the program prints besides its results: messages, errors, the progress line. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include "message.h"

#include <stdbool.h>

struct watch;

enum verbosity { NORMAL, QUIET, VERBOSE };

/* The stderr of a verb; the user pointer of the hooks below. */
struct terminal {
    enum verbosity verbosity;
    bool shown;          /* a progress line is there */
    double last_shown;   /* when; in seconds_now */
    struct watch *watch; /* shows the progress of a run instead; or NULL */
    int signal;          /* besides SIGINT and SIGTERM, asks a run to stop; 0: none */
};

/* Hooks of struct engine_hooks. */
void terminal_message(void *user, int level, const char *source, const char *text);
void terminal_progress(void *user, const struct engine_progress *progress);

#endif
