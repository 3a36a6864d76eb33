/* For components that know more of a format than its descriptor says. */
#ifndef LIB_FILES_FILE_SELF_H
#define LIB_FILES_FILE_SELF_H

#include "files/document.h"

/* Returns what a format of the engine keeps of an open file, or NULL: the document is no file of this format. */
const void *file_self(const struct io_document *document, const struct engine_file_format *format);

#endif
