/* A thread that writes to a terminal, so that a slow line or a stopped terminal holds up nobody else. */
#ifndef CLI_WATCH_WRITER_H
#define CLI_WATCH_WRITER_H

#include <stdbool.h>
#include <stddef.h>

struct writer;

/* NULL: there is no memory, or no thread to be had. */
struct writer *writer_open(int file);

/* Writes what was taken before, and ends the thread. writer may be NULL. */
void writer_close(struct writer *writer);

/* Is it still writing what it was given before? */
bool writer_busy(struct writer *writer);

/* Gives it a text, which it frees; waits until what it was given before is written. */
void writer_give(struct writer *writer, char *text, size_t length);

#endif
