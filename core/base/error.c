#include "base/error.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct engine_error *error, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    text_make_printable(error->text);
    error->status = status;
    return status;
}

int error_prefix(struct engine_error *error, const char *format, ...)
{
    char text[sizeof error->text];
    memcpy(text, error->text, sizeof text);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    text_make_printable(error->text);
    if (length >= 0 && (size_t) length < sizeof error->text)
        snprintf(error->text + length, sizeof error->text - (size_t) length, "%s", text);
    return error->status;
}

int error_memory(struct engine_error *error, uint64_t bytes, const char *what)
{
    char needed[32];
    return error_set(error, ENGINE_STATUS_DEVICE, "no memory for %s: %sB needed", what,
                     text_si((double) bytes, needed));
}
