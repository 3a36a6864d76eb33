#include "io/component.h"

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

static int read_component(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                          struct engine_error *error)
{
    const struct component_view *view = document->context;
    const struct engine_shape *shape = &view->of->arrays[array].shape;
    const uint64_t components = shape->components, component = view->component[array];
    const uint64_t bytes = type_bytes(shape->type);
    if (component == components)
        return view->of->read(view->of, array, begin, count, out, error);
    char *cells = malloc(PIECE * components * bytes);
    int status = cells != NULL ? 0 : error_memory(error, PIECE * components * bytes, "a component of a grid");
    for (uint64_t done = 0; status == 0 && done < count; done += PIECE) {
        const uint64_t n = count - done < PIECE ? count - done : PIECE;
        status = view->of->read(view->of, array, (begin + done) * components, n * components, cells, error);
        for (uint64_t i = 0; status == 0 && i < n; i++)
            memcpy((char *) out + (done + i) * bytes, cells + (i * components + component) * bytes, bytes);
    }
    free(cells);
    return status;
}

static int next_frame(struct io_document *document, uint64_t by, struct engine_error *error)
{
    struct component_view *view = document->context;
    const int status = view->of->next(view->of, by, error);
    document->header = view->of->header;
    return status;
}

struct io_document *component_show(struct component_view *view, const struct io_format *format,
                                   struct io_document *document, const struct io_options *options)
{
    bool any = false;
    for (uint32_t i = 0; i < document->count; i++)
        any = any || is_shown(format, &document->arrays[i], options);
    if (!any)
        return document;
    view->document = *document;
    view->of = document;
    view->document.context = view;
    view->document.read = read_component;
    view->document.read_region = NULL;
    view->document.next = next_frame;
    view->document.close = NULL; /* the other document is closed */
    for (uint32_t i = 0; i < document->count; i++) {
        const bool shown = is_shown(format, &document->arrays[i], options);
        view->component[i] = shown ? options->component - 1 : document->arrays[i].shape.components;
        view->document.arrays[i] = component_array(format, &document->arrays[i], options);
    }
    return &view->document;
}
