#include "io/document.h"
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

bool io_parse_frames(const char *text, uint64_t frames[3])
{
    const uint64_t all[3] = {0, UINT64_MAX, 1};
    const char *at = text;
    for (int i = 0; i < 3; i++) {
        int64_t number = -1;
        const bool given = *at >= '0' && *at <= '9' && text_number(&at, &number);
        frames[i] = given ? (uint64_t) number : all[i];
        at += i < 2 && *at == ':';
    }
    return *at == '\0' && strchr(text, ':') != NULL && frames[0] < frames[1] && frames[2] > 0;
}

uint64_t io_count_frames(const uint64_t frames[3], uint64_t there)
{
    const uint64_t end = frames[1] < there ? frames[1] : there;
    if (frames[2] == 0)
        return there;
    return frames[0] < end ? (end - frames[0] - 1) / frames[2] + 1 : 0;
}
