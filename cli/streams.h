/* Standard input and output in the place of files, which `engine convert` reads and writes. */
#ifndef CLI_STREAMS_H
#define CLI_STREAMS_H

#include <engine/engine.h>

enum { STREAM_PATH = 64 };

/* Refuses a device, a pipe or a socket, which may be written as "-". `status` is that of the error. */
int streams_check(const char *path, const char *instead, int status, struct engine_error *error);

/* Copies standard input to a file without a name, and writes a path that leads to it. ENGINE_STATUS_INPUT. */
int streams_take_input(char path[STREAM_PATH], struct engine_error *error);

/* Makes a folder for a file that becomes standard output, and writes the path of the file. ENGINE_STATUS_OUTPUT. */
int streams_begin_output(char path[4096], struct engine_error *error);

/* Removes the file and the folder. Returns the open file, or -1 where it does not exist. */
int streams_end_output(const char *path);

/* Copies the file to standard output, and closes it. A file that is not text is not written to a terminal.
 * ENGINE_STATUS_OUTPUT. */
int streams_put_output(int file, struct engine_error *error);

#endif
