/* A stream of the C library for formats that write text through engine/format.h. */
#ifndef LIB_FILES_FILE_STREAM_H
#define LIB_FILES_FILE_STREAM_H

#include <engine/format.h>
#include <stdio.h>

/* Opens a stream that adds what is written to the file, during the present call of the format. NULL: no memory, with
 * the reason recorded. */
FILE *file_stream_open(const struct engine_file *file);

/* Writes what is left, and closes the stream. `code` is that of the caller until now, and is returned, if it is not 0.
 * Otherwise returns 0 or a code with the reason recorded. */
int file_stream_close(const struct engine_file *file, FILE *stream, int code);

#endif
