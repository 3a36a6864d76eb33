#include "message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int fail(struct engine_error *error, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    error->status = status;
    return status;
}

const char *printable(char *text)
{
    for (unsigned char *c = (unsigned char *) text; *c; c++) {
        const bool wide = *c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0;
        if (wide)
            c[1] = '?';
        if (wide || *c < 0x20 || *c == 0x7f)
            *c = '?';
    }
    return text;
}

int report(const struct engine_error *error)
{
    struct engine_error shown = *error;
    fflush(stdout); /* so that results and errors appear in the order in which they were printed */
    fprintf(stderr, "engine: %s\n", printable(shown.text));
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

void format_progress(char text[PROGRESS_LINE], const struct engine_progress *progress)
{
    char rate[32];
    const double step = (double) progress->step, steps = (double) progress->steps, taken = (double) progress->taken;
    const double seconds = progress->seconds;
    const int length = snprintf(text, PROGRESS_LINE, "step %.0f of %.0f", step, steps);
    if (progress->taken > 0)
        snprintf(text + length, PROGRESS_LINE - (size_t) length, ", %5.1f %%, %s%s a second, %.0f s left",
                 100.0 * step / (steps > 0 ? steps : 1),
                 engine_si(seconds > 0 ? progress->work_per_step * taken / seconds : 0, rate), progress->work_unit,
                 seconds / taken * (steps - step));
}

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}
