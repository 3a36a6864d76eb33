#include "progress.h"
#include "plugin/host.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static bool shown;
static double last_shown;
static void (*redirected)(void *context, double seconds, const char *line);
static void *redirected_to;

const char *progress_line(char text[PROGRESS_TEXT], uint64_t step, uint64_t steps, uint64_t taken, double seconds,
                          double work_per_step, const char *unit)
{
    char rate[32];
    const double all = steps > 0 ? (double) steps : 1;
    snprintf(text, PROGRESS_TEXT, "step %llu of %llu, %5.1f %%, %s%s a second, %.0f s left", (unsigned long long) step,
             (unsigned long long) steps, 100.0 * (double) step / all,
             text_si(seconds > 0 ? work_per_step * (double) taken / seconds : 0, rate), unit,
             taken > 0 ? seconds / (double) taken * (double) (steps - step) : 0);
    return text;
}

void progress_redirect(void (*show)(void *context, double seconds, const char *line), void *context)
{
    progress_clear();
    redirected = show;
    redirected_to = context;
}

double progress_pace(void)
{
    return redirected != NULL ? 0.1 : 0.25;
}

void progress_show(uint64_t step, uint64_t steps, uint64_t taken, double seconds, double work_per_step,
                   const char *unit)
{
    const double now = machine_clock();
    char line[PROGRESS_TEXT];
    if (redirected != NULL)
        redirected(redirected_to, seconds, progress_line(line, step, steps, taken, seconds, work_per_step, unit));
    if (redirected != NULL || host_verbosity == HOST_QUIET || !isatty(STDERR_FILENO) || now - last_shown < 0.25 ||
        taken == 0)
        return;
    fprintf(stderr, "\r%s \033[K", progress_line(line, step, steps, taken, seconds, work_per_step, unit));
    fflush(stderr);
    last_shown = now;
    shown = true;
}

void progress_text(const char *format, ...)
{
    if (host_verbosity == HOST_QUIET || !isatty(STDERR_FILENO))
        return;
    va_list arguments;
    va_start(arguments, format);
    fputc('\r', stderr);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs(" \033[K", stderr);
    fflush(stderr);
    shown = true;
}

void progress_clear(void)
{
    if (shown)
        fprintf(stderr, "\r\033[K");
    shown = false;
}
