/* A state as a document: its fields as named arrays, which a file format writes. */
#ifndef LIB_RECORD_STATE_DOCUMENT_H
#define LIB_RECORD_STATE_DOCUMENT_H

#include "files/io.h"
#include "record/selection.h"
#include "run/state.h"

struct read_buffer;

/* The context of such a document. Copies share the read buffer, which the close of the first one frees. */
struct state_document {
    struct state *state;
    struct read_buffer *buffer;    /* of a state in the memory of a device; else NULL */
    uint32_t field[IO_ARRAYS_MAX]; /* the plugin's field of each array */
    bool selected[IO_ARRAYS_MAX];  /* by field: its array is a region of it: */
    struct region region[IO_ARRAYS_MAX];
    struct io_squares squares; /* of a grid in a tree */
    char note[SELECTION_TEXT]; /* about the region of a file */
    char (*rows)[IO_ROW_SIZE]; /* the document's, or NULL */
};

/* Makes the document of all states and outputs. The state must outlive it; document->close frees it. */
int state_document_open(struct state *state, struct io_document **document, struct engine_error *error);

/* Adds the masses of particles, if they are a field that the document does not have. */
void state_document_add_masses(struct io_document *document);

/* Chooses the part of each grid that the document holds. ENGINE_STATUS_USAGE where a grid does not have that part. */
int state_document_select(struct io_document *document, const struct selection *selection, struct engine_error *error);

/* Adds the plugin's field of that number to the document's arrays. */
void state_document_add(struct io_document *document, uint32_t field);

/* Writes the text for a file header's key: the value of the parameter with this file_key, as the plugin spells it, or
 * "". */
void plan_header_text(const struct plan *plan, const char *file_key, char text[PLAN_HEADER_MAX]);

#endif
