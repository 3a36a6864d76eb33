/* One component of a grid of several, as a grid of its own. Pictures show one number per cell. */
#ifndef CORE_IO_COMPONENT_H
#define CORE_IO_COMPONENT_H

#include "io/format.h"

/* Returns the array as files of this format hold it: if the format is a picture and the array is a grid of several
 * components, the component that the options choose; otherwise the array itself. */
struct engine_file_array component_array(const struct io_format *format, const struct engine_file_array *array,
                                         const struct io_options *options);

/* A document whose arrays are those of component_array. It is valid until the other document is closed. */
struct component_view {
    struct io_document document;
    struct io_document *of;
    uint32_t component[IO_ARRAYS_MAX]; /* of each array of `of`, from 0; its number of components: all */
};

/* Returns the document itself where it has no such array; otherwise fills in the view and returns its document. */
struct io_document *component_show(struct component_view *view, const struct io_format *format,
                                   struct io_document *document, const struct io_options *options);

#endif
