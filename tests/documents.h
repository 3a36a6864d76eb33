/* Opens files of the engine's own formats, for tests. */
#ifndef TESTS_DOCUMENTS_H
#define TESTS_DOCUMENTS_H

#include "files/formats.h"

#include <stddef.h>

/* At the last frame. */
static inline int open_document(const char *path, struct io_document **document, struct engine_error *error)
{
    return formats_read(NULL, path, false, document, NULL, error);
}

/* At the first frame. */
static inline int open_document_frames(const char *path, struct io_document **document, struct engine_error *error)
{
    return formats_read(NULL, path, true, document, NULL, error);
}

#endif
