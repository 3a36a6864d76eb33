#include "io/document.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct io_document *io_new_grid(uint64_t width, uint64_t height, struct engine_error *error)
{
    struct io_document *document = calloc(1, sizeof *document);
    if (document == NULL) {
        error_memory(error, sizeof *document, "a file's header");
        return NULL;
    }
    document->count = 1;
    document->arrays[0] = (struct io_array){
        .values = 2,
        .shape = {sizeof(struct engine_shape), ENGINE_U8, 1, 2, {width, height, 1}},
    };
    return document;
}

const struct io_array *io_first_written(const struct io_document *document, bool (*writes)(const struct io_array *))
{
    for (uint32_t i = 0; i < document->count; i++)
        if (writes(&document->arrays[i]))
            return &document->arrays[i];
    return NULL;
}

int io_put_notes(const struct io_header *header, void *context,
                 int (*put)(void *context, const char *key, const char *line, int length))
{
    int written = 1;
    for (uint32_t i = 0; i < header->notes; i++)
        for (const char *line = header->note[i].text; written > 0 && *line != '\0';) {
            const int length = (int) strcspn(line, "\n");
            written = put(context, header->note[i].key, line, length);
            line += length + (line[length] == '\n');
        }
    return written;
}

void io_note_skipped(struct io_header *header, const char *part)
{
    char *skipped = header->skipped;
    const size_t length = strlen(skipped), size = strlen(part);
    if (length >= size && strcmp(skipped + length - size, part) == 0)
        return;
    snprintf(skipped + length, IO_SKIPPED_MAX - length, "%s%s", length > 0 ? ", " : "", part);
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
