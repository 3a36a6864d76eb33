#include "io/document.h"

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
