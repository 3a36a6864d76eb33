/* One component of a grid of several, as a grid of its own. Pictures show one number per cell. */
#ifndef LIB_FILES_COMPONENT_H
#define LIB_FILES_COMPONENT_H

#include "files/format.h"

/* Returns the array as files of this format hold it: if the format is a picture and the array is a grid of several
 * components, the component that the options choose; otherwise the array itself. */
struct engine_file_array component_array(const struct io_format *format, const struct engine_file_array *array,
                                         const struct io_options *options);

/* Reads elements of a component, counted from 0, of an array of the document. */
int component_read(struct io_document *document, uint32_t array, uint32_t component, uint64_t begin, uint64_t count,
                   void *out, struct engine_error *error);

#endif
