#include "io/common.h"

#include <stdio.h>
#include <string.h>

void io_note_skipped(char skipped[IO_SKIPPED_MAX], const char *part)
{
    const size_t length = strlen(skipped), size = strlen(part);
    if (length >= size && strcmp(skipped + length - size, part) == 0)
        return;
    snprintf(skipped + length, IO_SKIPPED_MAX - length, "%s%s", length > 0 ? ", " : "", part);
}
