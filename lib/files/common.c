#include "files/common.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void *io_new(const struct engine_file *file, uint64_t bytes)
{
    void *made = file->allocate(file, bytes);
    if (made != NULL)
        memset(made, 0, bytes);
    return made;
}

void *io_grow(const struct engine_file *file, void *list, uint64_t *capacity, uint64_t item_bytes)
{
    const uint64_t held = *capacity, more = held != 0 ? 2 * held : 256;
    void *grown = file->allocate(file, more * item_bytes);
    if (grown == NULL)
        return NULL;
    if (held != 0)
        memcpy(grown, list, held * item_bytes);
    file->release(file, list);
    *capacity = more;
    return grown;
}

void io_note_skipped(char skipped[IO_SKIPPED_MAX], const char *part)
{
    const size_t length = strlen(skipped), size = strlen(part);
    if (length >= size && strcmp(skipped + length - size, part) == 0)
        return;
    snprintf(skipped + length, IO_SKIPPED_MAX - length, "%s%s", length > 0 ? ", " : "", part);
}

void io_remark(char remarks[IO_REMARKS_MAX], const char *format, ...)
{
    const size_t length = strlen(remarks), comma = length > 0 ? 2 : 0;
    va_list arguments;
    if (length + comma + 1 >= IO_REMARKS_MAX)
        return;
    memcpy(remarks + length, "; ", comma);
    va_start(arguments, format);
    vsnprintf(remarks + length + comma, IO_REMARKS_MAX - length - comma, format, arguments);
    va_end(arguments);
}
