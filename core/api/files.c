/* The functions of engine.h for file formats. */
#include "api/handles.h"
#include "io/io.h"

#include <string.h>

int engine_format_at(uint32_t index, struct engine_format *format)
{
    const struct io_format *found = io_format_at(index);
    if (!found)
        return 0;
    const struct engine_format filled = {.size = format->size,
                                         .name = found->name,
                                         .help = found->help,
                                         .reads = found->open != NULL,
                                         .writes = found->write != NULL,
                                         .endings = found->endings,
                                         .frames = found->frames};
    memcpy(format, &filled, format->size < sizeof filled ? format->size : sizeof filled);
    return 1;
}
