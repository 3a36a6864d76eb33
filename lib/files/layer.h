/* A layer is a document whose arrays are made of those of another document, frame by frame. */
#ifndef LIB_FILES_LAYER_H
#define LIB_FILES_LAYER_H

#include "files/document.h"

struct layer;

struct layer_kind {
    /* Sets the arrays of layer->document, layer->from and the header for the present frame of layer->of, whose header has
     * been copied. NULL: they are those of layer->of. */
    int (*take)(struct layer *layer, struct engine_error *error);
    /* Makes all elements of an array for this frame. */
    int (*make)(struct layer *layer, uint32_t array, void *out, struct engine_error *error);
    void (*release)(struct layer *layer); /* what `own` has; NULL: nothing */
};

struct layer {
    struct io_document document;
    struct io_document *of;
    const struct layer_kind *kind;
    char *path;                    /* for messages */
    int from[IO_ARRAYS_MAX];       /* the array of `of` that an array is made of; -1: none */
    void *held[IO_ARRAYS_MAX];     /* the elements of this frame */
    uint64_t bytes[IO_ARRAYS_MAX]; /* of that memory */
    bool there[IO_ARRAYS_MAX];
    void *own;
};

/* Replaces *document by a layer upon it. `own` is the kind's, which releases it; also after an error. */
int layer_open(struct io_document **document, const char *path, const struct layer_kind *kind, void *own,
               struct engine_error *error);

/* The number of particles of an array, whose outermost axis they are, and its elements for each. */
uint64_t layer_rows(const struct engine_file_array *array);
uint64_t layer_row_elements(const struct engine_file_array *array);

/* Is the array the positions? It has their name, or none and three numbers a particle. */
bool layer_is_position(const struct engine_file_array *array);

/* Gives the array of the layer as many particles. */
void layer_set_rows(struct engine_file_array *array, uint64_t rows);

/* Reads a whole array of the document below as it is, or as doubles. */
int layer_read(struct layer *layer, uint32_t array, void *out, struct engine_error *error);
int layer_read_reals(struct layer *layer, uint32_t array, double **out, struct engine_error *error);

#endif
