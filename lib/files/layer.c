#include "files/layer.h"
#include "base/convert.h"
#include "base/type.h"

#include <stdlib.h>
#include <string.h>

uint64_t layer_rows(const struct engine_file_array *array)
{
    return array->shape.extent[array->shape.rank - 1];
}

uint64_t layer_row_elements(const struct engine_file_array *array)
{
    uint64_t elements = 0;
    shape_elements(&array->shape, &elements);
    return layer_rows(array) > 0 ? elements / layer_rows(array) : 0;
}

bool layer_is_position(const struct engine_file_array *array)
{
    const bool real = array->shape.type == ENGINE_F32 || array->shape.type == ENGINE_F64;
    return real && (strcmp(array->name, "position") == 0 || !*array->name) && array->values == 0 &&
           layer_row_elements(array) == 3;
}

void layer_set_rows(struct engine_file_array *array, uint64_t rows)
{
    array->shape.extent[array->shape.rank - 1] = rows;
}

int layer_read(struct layer *layer, uint32_t array, void *out, struct engine_error *error)
{
    uint64_t elements = 0;
    shape_elements(&layer->of->arrays[array].shape, &elements);
    return layer->of->read(layer->of, array, 0, elements, out, error);
}

int layer_read_reals(struct layer *layer, uint32_t array, double **out, struct engine_error *error)
{
    const uint32_t type = layer->of->arrays[array].shape.type;
    uint64_t elements = 0, bytes = 0;
    shape_elements(&layer->of->arrays[array].shape, &elements);
    shape_bytes(&layer->of->arrays[array].shape, &bytes);
    void *read = malloc(bytes + 1);
    *out = malloc(elements * sizeof **out + 1);
    int status = read && *out ? 0 : error_memory(error, bytes, "a frame");
    if (status == 0)
        status = layer_read(layer, array, read, error);
    if (status == 0)
        convert_elements(type, read, elements, ENGINE_F64, *out);
    free(read);
    if (status != 0)
        free(*out), *out = NULL;
    return status;
}

static int show(struct layer *layer, struct engine_error *error)
{
    struct io_document *document = &layer->document;
    const struct io_document *of = layer->of;
    document->header = of->header;
    document->symbols = of->symbols;
    document->symbol = of->symbol;
    for (uint32_t i = 0; i < IO_ARRAYS_MAX; i++)
        layer->there[i] = false;
    return layer->kind->take(layer, error);
}

static int next_frame(struct io_document *document, uint64_t by, struct engine_error *error)
{
    struct layer *layer = document->context;
    return layer->of->next(layer->of, by, error) == 0 ? show(layer, error) : error->status;
}

/* Gives an array of this frame memory. */
static int hold(struct layer *layer, uint32_t array, struct engine_error *error)
{
    uint64_t bytes = 0;
    shape_bytes(&layer->document.arrays[array].shape, &bytes);
    if (layer->bytes[array] >= bytes && layer->held[array])
        return 0;
    free(layer->held[array]);
    layer->bytes[array] = bytes;
    layer->held[array] = malloc(bytes + 1);
    return layer->held[array] ? 0 : error_memory(error, bytes, "a frame");
}

static int read_elements(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                         struct engine_error *error)
{
    struct layer *layer = document->context;
    const uint64_t bytes = type_bytes(document->arrays[array].shape.type);
    if (!layer->there[array] &&
        (hold(layer, array, error) != 0 || layer->kind->make(layer, array, layer->held[array], error) != 0))
        return error->status;
    layer->there[array] = true;
    memcpy(out, (const char *) layer->held[array] + begin * bytes, count * bytes);
    return 0;
}

static void close_layer(struct io_document *document)
{
    struct layer *layer = document->context;
    layer->of->close(layer->of);
    if (layer->kind->release)
        layer->kind->release(layer);
    for (uint32_t i = 0; i < IO_ARRAYS_MAX; i++)
        free(layer->held[i]);
    free(layer->own);
    free(layer->path);
    free(layer);
}

int layer_open(struct io_document **document, const char *path, const struct layer_kind *kind, void *own,
               struct engine_error *error)
{
    struct layer *layer = calloc(1, sizeof *layer);
    char *name = strdup(path);
    if (!layer || !name) {
        free(layer);
        free(name);
        free(own);
        return error_memory(error, sizeof *layer, "a frame");
    }
    *layer = (struct layer){.document = **document, .of = *document, .kind = kind, .path = name, .own = own};
    layer->document.context = layer;
    layer->document.read = read_elements;
    layer->document.read_region = NULL;
    layer->document.seek = NULL;
    layer->document.set_length = NULL;
    layer->document.next = layer->of->next ? next_frame : NULL;
    layer->document.close = close_layer;
    *document = &layer->document;
    return show(layer, error);
}
