/* A state as a document, for output_files.c alone. */
#ifndef CORE_RUN_OUTPUT_DOCUMENT_H
#define CORE_RUN_OUTPUT_DOCUMENT_H

#include "run/output.h"

struct ahead;

/* The context of a document of output_document. Copies share what was read ahead, which the first one's close frees. */
struct fields {
    struct state *state;
    struct ahead *ahead;
    uint32_t field[IO_ARRAYS_MAX]; /* of the plugin, by the document's array */
};

/* Adds the plugin's field of that number to the document's arrays. */
void output_document_add(struct io_document *document, uint32_t index);

#endif
