#include "memory_stream.h"

#include <stdlib.h>

bool memory_stream_close(FILE *stream, char **text)
{
    const bool whole = !ferror(stream);
    if (fclose(stream) == 0 && whole && *text)
        return true;
    free(*text);
    *text = NULL;
    return false;
}
