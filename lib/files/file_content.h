/* What files of formats with the descriptor of engine/format.h hold: it is checked, and becomes a document. */
#ifndef LIB_FILES_FILE_CONTENT_H
#define LIB_FILES_FILE_CONTENT_H

#include "files/format.h"

enum { FILE_NAME_SIZE = 32 };

struct file_content {
    const struct io_format *format;
    const char *path; /* of the file, for errors */
    char name[IO_ARRAYS_MAX][FILE_NAME_SIZE];
    char symbol[IO_SYMBOLS_MAX][IO_SYMBOL_SIZE];
    const char *symbols[IO_SYMBOLS_MAX]; /* the same */
};

/* Takes what a file or a frame holds: arrays, labels, texts and the place of a pattern. The document keeps pointers to
 * *held. ENGINE_STATUS_PLUGIN: the format breaks its interface. */
int file_take_content(struct file_content *held, const struct engine_file_content *content,
                      struct io_document *document, struct engine_error *error);

/* The file may be as it should be; its format broke the interface. Returns ENGINE_STATUS_PLUGIN. */
int file_refuse(const struct io_format *format, const char *path, const char *what, struct engine_error *error);

#endif
