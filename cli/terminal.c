#include "terminal.h"
#include "stop.h"
#include "watch.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 192 };

/* ---- Progress -------------------------------------------------------------------------------------------------- */

static void clear_line(struct terminal *terminal)
{
    if (terminal->shown)
        fprintf(stderr, "\r\033[K");
    terminal->shown = false;
}

static void show_line(struct terminal *terminal, const char *line)
{
    if (terminal->verbosity == QUIET || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r%s \033[K", line);
    fflush(stderr);
    terminal->shown = true;
}

/* "step 300 of 1000, 30.0 %, 1.2 T cell updates a second, 7 s left" */
static void format_line(char text[LINE], const struct engine_progress *progress)
{
    char rate[32];
    const double step = (double) progress->step, steps = (double) progress->steps, taken = (double) progress->taken;
    const double seconds = progress->seconds;
    snprintf(text, LINE, "step %.0f of %.0f, %5.1f %%, %s%s a second, %.0f s left", step, steps,
             100.0 * step / (steps > 0 ? steps : 1),
             engine_si(seconds > 0 ? progress->work_per_step * taken / seconds : 0, rate), progress->work_unit,
             taken > 0 ? seconds / taken * (steps - step) : 0);
}

static void show_run(struct terminal *terminal, const struct engine_progress *progress)
{
    char line[LINE];
    const double now = seconds_now();
    if (progress->taken == 0)
        stop_catch_signals(terminal->signal); /* before the first step, a signal ends the program at once */
    format_line(line, progress);
    if (terminal->watch)
        watch_show(terminal->watch, progress->seconds, line);
    else if (progress->taken > 0 && now - terminal->last_shown >= 0.25) {
        show_line(terminal, line);
        terminal->last_shown = now;
    }
}

void terminal_progress(void *user, const struct engine_progress *progress)
{
    struct terminal *terminal = user;
    if (progress->activity)
        show_line(terminal, progress->activity);
    else if (progress->work_unit)
        show_run(terminal, progress);
    else
        clear_line(terminal);
}

/* ---- Messages -------------------------------------------------------------------------------------------------- */

void terminal_message(void *user, int level, const char *source, const char *text)
{
    struct terminal *terminal = user;
    const bool own = strcmp(source, "engine") == 0;
    if ((terminal->verbosity == QUIET && level != ENGINE_LOG_ERROR) ||
        (terminal->verbosity != VERBOSE && level == ENGINE_LOG_DEBUG))
        return;
    clear_line(terminal);
    fprintf(stderr, "%s%s\n", own ? "engine: " : level == ENGINE_LOG_WARNING ? "warning: " : "", text);
}
