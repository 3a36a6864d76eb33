/* A thread that writes to a terminal, so that a slow or stopped terminal does not delay the steps. */
#ifndef CLI_WATCH_WRITER_H
#define CLI_WATCH_WRITER_H

#include <stdbool.h>
#include <stddef.h>

struct writer;

/* Starts the thread. NULL: there is no memory, or no thread can be started. */
struct writer *writer_open(int file);

/* Waits until the last text is written, and ends the thread. `writer` may be NULL. */
void writer_close(struct writer *writer);

/* Returns whether the writer is still writing the last text. */
bool writer_busy(struct writer *writer);

/* Gives the writer a text, which it writes and frees. Waits until the text before is written. */
void writer_give(struct writer *writer, char *text, size_t length);

#endif
