/* What the program prints besides its results: messages, errors, the progress line. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <engine/engine.h>
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

/* The line of a run: "step 300 of 1000, 30.0 %, 1.2 T cell updates a second, 7 s left". Returns text. */
enum { PROGRESS_TEXT = 192 };
const char *progress_line(char text[PROGRESS_TEXT], const struct engine_progress *progress);

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
