/* Texts that grow in memory: streams of open_memstream. */
#ifndef CORE_MEMORY_STREAM_H
#define CORE_MEMORY_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/* Ends such a stream. false: there was no memory for all of it, of which fclose says nothing; *text is then NULL. */
bool memory_stream_close(FILE *stream, char **text);

#endif
