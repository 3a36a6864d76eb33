/* [frames] molecules: each molecule becomes one particle, at the centre of its particles. */
#include "base/text.h"
#include "base/type.h"
#include "files/molecules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct centred {
    struct molecules molecules;
    bool box_given;
    double box[6]; /* [particles] box */
};

/* The arrays that molecules have: means of positions and velocities, sums of masses, and the species of the first
 * particle. */
static bool is_kept(const struct engine_file_array *array)
{
    const bool vectors =
        layer_is_position(array) || (strcmp(array->name, "velocity") == 0 && layer_row_elements(array) == 3);
    const bool numbers = strcmp(array->name, "species") == 0 || strcmp(array->name, "mass") == 0 || !*array->name;
    return vectors || (numbers && layer_row_elements(array) == 1);
}

static bool is_real(const struct engine_file_array *array)
{
    return array->shape.type == ENGINE_F32 || array->shape.type == ENGINE_F64;
}

static int take(struct layer *layer, struct engine_error *error)
{
    const struct centred *centred = layer->own;
    struct io_document *document = &layer->document;
    document->count = 0;
    for (uint32_t i = 0; i < layer->of->count; i++) {
        const struct engine_file_array *of = &layer->of->arrays[i];
        if (!is_kept(of))
            continue;
        if (layer_rows(of) != centred->molecules.particles)
            return error_set(error, ENGINE_STATUS_INPUT, "%s: a frame has %llu particles, expected %llu", layer->path,
                             (unsigned long long) layer_rows(of), (unsigned long long) centred->molecules.particles);
        struct engine_file_array *own = &document->arrays[document->count];
        *own = *of;
        own->shape.type = is_real(of) ? ENGINE_F64 : of->shape.type;
        layer_set_rows(own, centred->molecules.count);
        layer->from[document->count++] = (int) i;
    }
    return 0;
}

/* Moves a difference by whole edges to the nearest image, along z, y and x. */
static void shorten(const double box[6], double d[3])
{
    const double edges[3][3] = {{box[0], 0, 0}, {box[3], box[1], 0}, {box[4], box[5], box[2]}};
    for (int edge = 2; edge >= 0; edge--) {
        const double count = box[edge] > 0 ? rint(d[edge] / box[edge]) : 0;
        for (int axis = 0; axis <= edge && count != 0; axis++)
            d[axis] -= count * edges[edge][axis];
    }
}

/* The weighted mean of the vectors of a molecule. In a box, each position is that image which is nearest to the position
 * before it. */
static void average(const struct molecules *of, uint64_t molecule, const double *vectors, const double *box,
                    double out[3])
{
    const double *first = vectors + 3 * of->member[of->first[molecule]];
    double sum[3] = {0}, all = 0, at[3] = {0}; /* from the first particle on */
    for (uint64_t k = of->first[molecule]; k < of->first[molecule + 1]; k++) {
        const double *now = vectors + 3 * of->member[k];
        const double *before = k > of->first[molecule] ? vectors + 3 * of->member[k - 1] : now;
        double d[3] = {now[0] - before[0], now[1] - before[1], now[2] - before[2]};
        if (box)
            shorten(box, d);
        const double weight = of->weight[of->member[k]];
        all += weight;
        for (int axis = 0; axis < 3; axis++)
            at[axis] += d[axis], sum[axis] += weight * at[axis];
    }
    for (int axis = 0; axis < 3; axis++)
        out[axis] = first[axis] + sum[axis] / all;
}

static int make_reals(struct layer *layer, uint32_t array, double *out, struct engine_error *error)
{
    const struct centred *centred = layer->own;
    const struct molecules *of = &centred->molecules;
    const struct engine_file_array *own = &layer->document.arrays[array];
    const double *box = !layer_is_position(own) ? NULL
                        : centred->box_given    ? centred->box
                                                : layer->of->header.frame.box;
    double *numbers;
    if (layer_read_reals(layer, (uint32_t) layer->from[array], &numbers, error) != 0)
        return error->status;
    for (uint64_t i = 0; i < of->count; i++)
        if (layer_row_elements(own) == 3)
            average(of, i, numbers, box, out + 3 * i);
        else
            for (uint64_t k = of->first[i], begin = k; k < of->first[i + 1]; k++)
                out[i] = (k == begin ? 0 : out[i]) + numbers[of->member[k]];
    free(numbers);
    return 0;
}

static int make(struct layer *layer, uint32_t array, void *out, struct engine_error *error)
{
    const struct molecules *of = &((const struct centred *) layer->own)->molecules;
    const uint64_t bytes = type_bytes(layer->document.arrays[array].shape.type);
    if (is_real(&layer->document.arrays[array]))
        return make_reals(layer, array, out, error);
    char *all = malloc(of->particles * bytes + 1);
    int status = all ? layer_read(layer, (uint32_t) layer->from[array], all, error)
                     : error_memory(error, of->particles * bytes, "a frame");
    for (uint64_t i = 0; status == 0 && i < of->count; i++)
        memcpy((char *) out + i * bytes, all + of->member[of->first[i]] * bytes, bytes);
    free(all);
    return status;
}

static void release(struct layer *layer)
{
    molecules_clear(&((struct centred *) layer->own)->molecules);
}

int molecules_open(const struct plan *plan, const struct frames_settings *settings, const char *path,
                   struct io_document **document, struct engine_error *error)
{
    static const struct layer_kind kind = {.take = take, .make = make, .release = release};
    struct centred *centred = calloc(1, sizeof *centred);
    if (!centred)
        return error_memory(error, sizeof *centred, "molecules");
    centred->box_given = plan->settings.box_given;
    memcpy(centred->box, plan->settings.box, sizeof centred->box);
    if (molecules_read(plan, settings, path, *document, &centred->molecules, error) != 0) {
        molecules_clear(&centred->molecules);
        free(centred);
        return error->status;
    }
    return layer_open(document, path, &kind, centred, error);
}
