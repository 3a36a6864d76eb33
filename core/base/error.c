#include "base/error.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

int error_set(struct engine_error *error, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    text_make_printable(error->text);
    text_name_once(error->text);
    error->status = status;
    return status;
}

int error_prefix(struct engine_error *error, const char *format, ...)
{
    const struct engine_error behind = *error;
    char text[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(error, behind.status, "%s%s", text, behind.text);
}

int error_memory(struct engine_error *error, uint64_t bytes, const char *what)
{
    char needed[32];
    return error_set(error, ENGINE_STATUS_DEVICE, "no memory for %s: %sB needed", what,
                     text_si((double) bytes, needed));
}
