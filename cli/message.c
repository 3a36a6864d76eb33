#include "message.h"

#include <errno.h>
#include <stdarg.h>
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

int report(const struct engine_error *error)
{
    fflush(stdout); /* so that results and errors appear in the order in which they were printed */
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

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}
