#include "terminal.h"
#include "stop.h"
#include "watch.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* ---- Progress -------------------------------------------------------------------------------------------------- */

static void clear(struct terminal *terminal)
{
    if (terminal->shown)
        fprintf(stderr, "\r\033[K");
    terminal->shown = false;
}

static void show(struct terminal *terminal, const char *line)
{
    if (terminal->verbosity == QUIET || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r%s \033[K", line);
    fflush(stderr);
    terminal->shown = true;
}

const char *progress_line(char text[PROGRESS_TEXT], const struct engine_progress *progress)
{
    char rate[32];
    const double step = (double) progress->step, steps = (double) progress->steps, taken = (double) progress->taken;
    const double seconds = progress->seconds;
    snprintf(text, PROGRESS_TEXT, "step %.0f of %.0f, %5.1f %%, %s%s a second, %.0f s left", step, steps,
             100.0 * step / (steps > 0 ? steps : 1),
             engine_si(seconds > 0 ? progress->work_per_step * taken / seconds : 0, rate), progress->work_unit,
             taken > 0 ? seconds / taken * (steps - step) : 0);
    return text;
}

static void show_run(struct terminal *terminal, const struct engine_progress *progress)
{
    char line[PROGRESS_TEXT];
    const double now = seconds_now();
    if (progress->taken == 0)
        stop_listen(terminal->signal); /* a signal before the first step ends the program at once */
    progress_line(line, progress);
    if (terminal->watch)
        watch_show(terminal->watch, progress->seconds, line);
    else if (progress->taken > 0 && now - terminal->last_shown >= 0.25) {
        show(terminal, line);
        terminal->last_shown = now;
    }
}

void terminal_progress(void *user, const struct engine_progress *progress)
{
    struct terminal *terminal = user;
    if (progress->activity)
        show(terminal, progress->activity);
    else if (progress->work_unit)
        show_run(terminal, progress);
    else
        clear(terminal);
}

/* ---- Messages -------------------------------------------------------------------------------------------------- */

void terminal_message(void *user, int level, const char *source, const char *text)
{
    struct terminal *terminal = user;
    const bool own = strcmp(source, "engine") == 0;
    if ((terminal->verbosity == QUIET && level != ENGINE_LOG_ERROR) ||
        (terminal->verbosity != VERBOSE && level == ENGINE_LOG_DEBUG))
        return;
    clear(terminal);
    fprintf(stderr, "%s%s\n", own ? "engine: " : level == ENGINE_LOG_WARNING ? "warning: " : "", text);
}

int fail(struct engine_error *error, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    error->status = status;
    return status;
}

int report(const struct engine_error *error)
{
    fflush(stdout); /* what was printed before the error comes before it */
    fprintf(stderr, "engine: %s\n", error->text);
    return error->status;
}

int finish_stdout(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "engine: standard output: cannot write: %s\n", strerror(errno));
    return status ? status : ENGINE_STATUS_OUTPUT;
}

void print_text(char *text)
{
    fputs(text, stdout);
    free(text);
}
