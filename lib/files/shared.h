/* A file that several documents of a context show at the same time is parsed once. */
#ifndef LIB_FILES_SHARED_H
#define LIB_FILES_SHARED_H

#include "files/file.h"

#include <pthread.h>

/* The file that is shared; of a context. */
struct shared_files {
    pthread_mutex_t lock;
    struct shared_file *last; /* NULL: none is open */
};

void shared_files_open(struct shared_files *files);

/* Documents that are still open keep their file. */
void shared_files_close(struct shared_files *files);

/* Opens a file of a format whose functions may read several documents of a file at the same time. The caller closes the
 * document. The same file, of the same size and time, is not parsed again while a document of it is open. ENGINE_STATUS_INPUT. */
int shared_files_read(struct shared_files *files, const struct io_format *format, const char *path,
                      const struct context *asked, struct io_document **document, struct engine_error *error);

#endif
