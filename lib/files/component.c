#include "files/component.h"

#include <stdlib.h>

enum { PIECE = 1 << 14 }; /* cells read at a time */

static bool is_shown(const struct io_format *format, const struct engine_file_array *array,
                     const struct io_options *options)
{
    return io_is_picture(format) && options->component > 0 && options->component <= array->shape.components &&
           array->shape.components > 1 && array->kind != ENGINE_PARTICLES && array->kind != ENGINE_BINS &&
           array->shape.rank > 1;
}

struct engine_file_array component_array(const struct io_format *format, const struct engine_file_array *array,
                                         const struct io_options *options)
{
    struct engine_file_array shown = *array;
    if (is_shown(format, array, options))
        shown.shape.components = 1;
    return shown;
}

int component_read(struct io_document *document, uint32_t array, uint32_t component, uint64_t begin, uint64_t count,
                   void *out, struct engine_error *error)
{
    const struct engine_shape *shape = &document->arrays[array].shape;
    const uint64_t components = shape->components, bytes = type_bytes(shape->type);
    char *cells = malloc(PIECE * components * bytes);
    int status = cells != NULL ? 0 : error_memory(error, PIECE * components * bytes, "a component of a grid");
    for (uint64_t done = 0; status == 0 && done < count; done += PIECE) {
        const uint64_t n = count - done < PIECE ? count - done : PIECE;
        status = document->read(document, array, (begin + done) * components, n * components, cells, error);
        for (uint64_t i = 0; status == 0 && i < n; i++)
            memcpy((char *) out + (done + i) * bytes, cells + (i * components + component) * bytes, bytes);
    }
    free(cells);
    return status;
}
