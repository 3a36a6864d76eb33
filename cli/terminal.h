/* Messages and the progress line on stderr. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include "message.h"

#include <stdbool.h>

struct watch;

enum verbosity { NORMAL, QUIET, VERBOSE };

/* What a verb shows on stderr. The hooks below receive it as their user pointer. */
struct terminal {
    enum verbosity verbosity;
    bool shown;          /* the terminal shows a progress line */
    double last_shown;   /* the time when the line was last changed, on the clock of seconds_now */
    struct watch *watch; /* shows the progress of a run instead of the line; may be NULL */
    const char *path[2]; /* files that stand for standard input and output, and what messages call them; or NULL */
    int signal;          /* asks a run to stop, as SIGINT and SIGTERM do; 0: none */
};

/* Shows a line of progress in the place of the last one. NULL: removes it. */
void terminal_activity(struct terminal *terminal, const char *line);

/* Replaces the names of files that stand for standard input and output in the text of a message. */
void terminal_name_streams(const struct terminal *terminal, char *text, size_t size);

/* Hooks of struct engine_hooks. */
void terminal_message(void *user, int level, const char *source, const char *text);
void terminal_progress(void *user, const struct engine_progress *progress);

#endif
