#include "files/document.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct engine_file_array *io_first_written(const struct io_document *document,
                                                 bool (*writes)(const struct engine_file_array *))
{
    for (uint32_t i = 0; i < document->count; i++)
        if (writes(&document->arrays[i]))
            return &document->arrays[i];
    return NULL;
}

uint64_t io_count_frames(const uint64_t frames[3], uint64_t there)
{
    const uint64_t end = frames[1] < there ? frames[1] : there;
    if (frames[2] == 0)
        return there;
    return frames[0] < end ? (end - frames[0] - 1) / frames[2] + 1 : 0;
}
