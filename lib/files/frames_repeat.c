/* [frames] repeat: copies of the periodic box along its edges. All particles of a copy come one after the other. */
#include "base/text.h"
#include "base/type.h"
#include "files/frames.h"

#include <stdlib.h>
#include <string.h>

struct repeat {
    uint32_t copies[3];
};

static uint64_t copies_of(const struct layer *layer)
{
    const struct repeat *repeat = layer->own;
    return (uint64_t) repeat->copies[0] * repeat->copies[1] * repeat->copies[2];
}

/* Adds up edges of the box of a file: (Lx, 0, 0), (xy, Ly, 0) and (xz, yz, Lz). */
static void add_edges(const double box[6], const double counts[3], double at[3])
{
    at[0] += counts[0] * box[0] + counts[1] * box[3] + counts[2] * box[4];
    at[1] += counts[1] * box[1] + counts[2] * box[5];
    at[2] += counts[2] * box[2];
}

static int take(struct layer *layer, struct engine_error *error)
{
    const uint32_t *copies = ((const struct repeat *) layer->own)->copies;
    struct io_document *document = &layer->document;
    double *box = document->header.frame.box;
    for (int axis = 0; axis < 3; axis++)
        if (copies[axis] > 1 && !(box[axis] > 0) && layer_is_position(&layer->of->arrays[0]))
            return error_set(
                error, ENGINE_STATUS_INPUT,
                "%s: [frames] repeat: the frame is open along %c; expected a file with a periodic box, or 1 "
                "copy along this axis",
                layer->path, "xyz"[axis]);
    const double longer[6] = {copies[0], copies[1], copies[2], copies[1], copies[2], copies[2]};
    for (int i = 0; i < 6; i++)
        box[i] *= longer[i];
    for (uint32_t i = 0; i < document->count; i++) {
        document->arrays[i] = layer->of->arrays[i];
        layer->from[i] = (int) i;
        if (layer_is_position(&document->arrays[i]))
            document->arrays[i].shape.type = ENGINE_F64;
        layer_set_rows(&document->arrays[i], layer_rows(&layer->of->arrays[i]) * copies_of(layer));
    }
    return 0;
}

static int make_positions(struct layer *layer, uint32_t array, double *out, struct engine_error *error)
{
    const uint32_t *copies = ((const struct repeat *) layer->own)->copies;
    const uint64_t rows = layer_rows(&layer->of->arrays[array]);
    double *one;
    if (layer_read_reals(layer, array, &one, error) != 0)
        return error->status;
    for (uint64_t copy = 0; copy < copies_of(layer); copy++) {
        const double counts[] = {(double) (copy % copies[0]), (double) (copy / copies[0] % copies[1]),
                                 (double) (copy / copies[0] / copies[1])};
        double *begin = out + copy * rows * 3;
        memcpy(begin, one, rows * 3 * sizeof *one);
        for (uint64_t i = 0; i < rows; i++)
            add_edges(layer->of->header.frame.box, counts, begin + 3 * i);
    }
    free(one);
    return 0;
}

static int make(struct layer *layer, uint32_t array, void *out, struct engine_error *error)
{
    uint64_t bytes = 0;
    if (layer_is_position(&layer->document.arrays[array]))
        return make_positions(layer, array, out, error);
    shape_bytes(&layer->of->arrays[array].shape, &bytes);
    const int status = layer_read(layer, array, out, error);
    for (uint64_t copy = 1; status == 0 && copy < copies_of(layer); copy++)
        memcpy((char *) out + copy * bytes, out, bytes);
    return status;
}

int repeat_open(const struct plan *plan, const struct frames_settings *settings, const char *path,
                struct io_document **document, struct engine_error *error)
{
    static const struct layer_kind kind = {.take = take, .make = make};
    struct repeat *repeat = malloc(sizeof *repeat);
    if (!repeat)
        return error_memory(error, sizeof *repeat, "a frame");
    memcpy(repeat->copies, settings->repeat, sizeof repeat->copies);
    if (plan->settings.box_given) {
        free(repeat);
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%s: [particles] box: [frames] repeat takes the box of the file; leave out one of the keys",
                         config_place(plan->config, "particles", "box"));
    }
    return layer_open(document, path, &kind, repeat, error);
}
