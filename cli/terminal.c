#include "terminal.h"
#include "stop.h"
#include "watch.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

void terminal_activity(struct terminal *terminal, const char *line)
{
    if (line)
        show_line(terminal, line);
    else
        clear_line(terminal);
}

static void show_run(struct terminal *terminal, const struct engine_progress *progress)
{
    char line[PROGRESS_LINE];
    const double now = seconds_now();
    if (progress->taken == 0)
        stop_catch_signals(terminal->signal); /* before the first step, a signal ends the program at once */
    if (terminal->watch)
        watch_show(terminal->watch, progress);
    else if (progress->taken > 0 && now - terminal->last_shown >= 0.25) {
        format_progress(line, progress);
        show_line(terminal, line);
        terminal->last_shown = now;
    }
}

void terminal_progress(void *user, const struct engine_progress *progress)
{
    struct terminal *terminal = user;
    if (progress->work_unit && !progress->activity)
        show_run(terminal, progress);
    else
        terminal_activity(terminal, progress->activity);
}

/* ---- Messages -------------------------------------------------------------------------------------------------- */

void terminal_name_streams(const struct terminal *terminal, char *text, size_t size)
{
    static const char *const names[] = {"standard input", "standard output"};
    for (int i = 0; i < 2; i++)
        for (char *at = text; terminal->path[i] && (at = strstr(at, terminal->path[i])); at += strlen(names[i])) {
            char rest[4096];
            snprintf(rest, sizeof rest, "%s", at + strlen(terminal->path[i]));
            snprintf(at, size - (size_t) (at - text), "%s%s", names[i], rest);
        }
}

void terminal_message(void *user, int level, const char *source, const char *text)
{
    struct terminal *terminal = user;
    const bool own = strcmp(source, "engine") == 0;
    if ((terminal->verbosity == QUIET && level != ENGINE_LOG_ERROR) ||
        (terminal->verbosity != VERBOSE && level == ENGINE_LOG_DEBUG))
        return;
    clear_line(terminal);
    char shown[4096];
    snprintf(shown, sizeof shown, "%s", text);
    terminal_name_streams(terminal, shown, sizeof shown);
    fprintf(stderr, "engine: %s%s%s%s\n", level == ENGINE_LOG_WARNING ? "warning: " : "", own ? "" : source,
            own ? "" : ": ", shown);
}
