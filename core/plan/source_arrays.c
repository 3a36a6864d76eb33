/* Compares the arrays in files with the fields, and reads their elements. */
#include "base/convert.h"
#include "base/text.h"
#include "plan/source.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct engine_field_array *fields_of(const struct plan *plan)
{
    return &plan->plugin->about.fields;
}

const char *source_file_for(const struct engine_field *field)
{
    static const char *const files[] = {
        [ENGINE_GRID] = "a pattern (.rle, .rle3, .cells), an array of cells (.npy) or a snapshot",
        [ENGINE_PARTICLES] =
            ("particles (.xyz, .lammpstrj, .dcd, .xtc, .trr, .gro, .pdb, .gsd, .h5md, Tipsy), an array of n x 3 "
             "numbers (.npy) or a snapshot"),
        [ENGINE_MATRIX] = "an array of rows and columns (.npy) or a snapshot",
        [ENGINE_BINS] = "an array (.npy)",
    };
    return files[field->kind];
}

/* ---- Shapes ------------------------------------------------------------------------------------------------- */

uint64_t source_particles(const struct plan *plan)
{
    for (uint32_t i = 0; i < fields_of(plan)->count; i++) {
        const struct plan_source *source = &plan->sources[i];
        if (fields_of(plan)->at[i].kind != ENGINE_PARTICLES || !source->document)
            continue;
        const struct engine_shape *shape = &source->document->arrays[source->array].shape;
        return shape->extent[shape->rank - 1]; /* the outermost axis: (n) or (n, 3) */
    }
    return 0;
}

const struct engine_shape *source_matrix(const struct plan *plan)
{
    for (uint32_t i = 0; i < fields_of(plan)->count; i++) {
        const struct plan_source *source = &plan->sources[i];
        if (fields_of(plan)->at[i].kind == ENGINE_MATRIX && source->document)
            return &source->document->arrays[source->array].shape;
    }
    return NULL;
}

const double *source_box(const struct plan *plan)
{
    for (uint32_t i = 0; i < fields_of(plan)->count; i++) {
        const struct io_document *document = plan->sources[i].document;
        const double *box = document ? document->header.box : NULL;
        if (box && (box[0] > 0 || box[1] > 0 || box[2] > 0))
            return box;
    }
    return NULL;
}

const struct io_document *source_symbols(const struct plan *plan)
{
    for (uint32_t i = 0; i < fields_of(plan)->count; i++)
        if (strcmp(fields_of(plan)->at[i].name, "species") == 0) {
            const struct io_document *document = plan->sources[i].document;
            return document && document->symbols > 0 ? document : NULL;
        }
    return NULL;
}

/* Lists the axes from the innermost to the outermost, components first. Axes of length 1 are left out. */
static uint32_t axes_of(const struct engine_shape *shape, uint64_t axes[4])
{
    uint32_t count = 0;
    if (shape->components > 1)
        axes[count++] = shape->components;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (shape->extent[i] != 1)
            axes[count++] = shape->extent[i];
    return count;
}

/* For matrices axes of length 1 count, because a row is not a column. */
static bool same_shape(const struct engine_field *field, const struct engine_shape *a, const struct engine_shape *b)
{
    if (field->kind == ENGINE_MATRIX)
        return a->components == b->components && memcmp(a->extent, b->extent, sizeof a->extent) == 0;
    uint64_t of_a[4], of_b[4];
    const uint32_t count = axes_of(a, of_a);
    return count == axes_of(b, of_b) && memcmp(of_a, of_b, count * sizeof of_a[0]) == 0;
}

/* Prints "float32 (100, 3)", as NumPy does. */
static const char *array_text(const struct engine_shape *shape, char text[128])
{
    int used = snprintf(text, 128, "%s (", type_name(shape->type));
    for (uint32_t i = shape->rank; i-- > 0;)
        used += snprintf(text + used, 128 - (size_t) used, "%llu%s", (unsigned long long) shape->extent[i],
                         i > 0                   ? ", "
                         : shape->components > 1 ? ""
                         : shape->rank == 1      ? ",)"
                                                 : ")");
    if (shape->components > 1)
        snprintf(text + used, 128 - (size_t) used, ", %u)", shape->components);
    return text;
}

static int check_count(const struct plan *plan, const struct plan_source *source, struct engine_error *error)
{
    const struct engine_shape *shape = &source->document->arrays[source->array].shape;
    const uint64_t count = shape->extent[shape->rank - 1], said = plan->settings.particles;
    if (said == 0 || count == said)
        return 0;
    char number[64];
    return error_set(error, ENGINE_STATUS_INPUT, "%s: contains %s, but %s: [particles] count = %llu", source->path,
                     text_count(count, "particle", number), config_place(plan->config, "particles", "count"),
                     (unsigned long long) said);
}

static int check_source(const struct plan *plan, uint32_t index, struct engine_error *error)
{
    const struct engine_field *field = &plan->described[index];
    const struct plan_source *source = &plan->sources[index];
    const struct engine_shape *wanted = &plan->shapes[index], *held = &source->document->arrays[source->array].shape;
    const bool cells = source->document->arrays[source->array].values != 0 && field->values == 0; /* of a pattern */
    char is[128], should[128];
    if (cells)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: this is a pattern of cells; field %s of %s starts from %s",
                         source->path, field->name, plan->plugin->about.name, source_file_for(field));
    const struct engine_shape whole = plan_whole_shape(plan, index);
    if ((same_shape(field, wanted, held) || same_shape(field, &whole, held)) &&
        convert_possible(held->type, wanted->type))
        return 0;
    if (field->kind == ENGINE_PARTICLES && check_count(plan, source, error) != 0)
        return error->status;
    return error_set(error, ENGINE_STATUS_INPUT, "%s: this is not an array for field %s: it is %s, expected %s%s",
                     source->path, field->name, array_text(held, is), array_text(wanted, should),
                     field->kind == ENGINE_MATRIX ? "; the keys of [matrix] must agree with the file, or be left out"
                                                  : "");
}

uint64_t source_elements(const struct plan *plan, uint32_t field)
{
    const struct plan_source *source = &plan->sources[field];
    uint64_t elements = 0;
    shape_elements(&source->document->arrays[source->array].shape, &elements);
    return elements;
}

int source_check_all(const struct plan *plan, struct engine_error *error)
{
    for (uint32_t i = 0; i < fields_of(plan)->count; i++)
        if (plan->sources[i].document && check_source(plan, i, error) != 0)
            return error->status;
    return 0;
}

/* ---- Elements ----------------------------------------------------------------------------------------------- */

/* Are all elements finite? The inner loop has no exit and a constant length, so it becomes vector instructions. */
static bool are_finite(const float *elements, uint64_t count)
{
    enum { BLOCK = 16 };
    uint32_t infinite = 0;
    uint64_t i = 0;
    for (; count - i >= BLOCK; i += BLOCK)
        for (uint64_t k = 0; k < BLOCK; k++)
            infinite |= !(fabsf(elements[i + k]) <= FLT_MAX);
    for (; i < count; i++)
        infinite |= !(fabsf(elements[i]) <= FLT_MAX);
    return !infinite;
}

/* Returns the number of elements before the first one that is infinite or not a number. */
static uint64_t finite_elements(uint32_t type, uint64_t count, const void *elements)
{
    uint64_t good = 0;
    if (type == ENGINE_F32 && are_finite(elements, count))
        return count;
    if (type == ENGINE_F32)
        while (good < count && isfinite(((const float *) elements)[good]))
            good++;
    else if (type == ENGINE_F64)
        while (good < count && isfinite(((const double *) elements)[good]))
            good++;
    else
        good = count;
    return good;
}

/* Refuses infinity and NaN for particles only; a plugin decides what its grids and matrices may contain. */
static int check_elements(const struct plan_source *source, const struct engine_field *field, uint32_t type,
                          uint64_t begin, uint64_t count, const void *elements, struct engine_error *error)
{
    if (field->values != 0) {
        const uint64_t good = convert_within(type, elements, count, field->values - 1);
        if (good < count)
            return error_set(error, ENGINE_STATUS_INPUT,
                             "%s: element %llu is not a value of field %s, which takes 0 to %u", source->path,
                             (unsigned long long) (begin + good), field->name, field->values - 1);
    }
    const uint64_t good = field->kind == ENGINE_PARTICLES ? finite_elements(type, count, elements) : count;
    if (good < count)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: element %llu of field %s is infinite or not a number",
                         source->path, (unsigned long long) (begin + good), field->name);
    return 0;
}

int source_read(const struct plan *plan, uint32_t index, uint32_t type, uint64_t begin, uint64_t count, void *piece,
                void *out, struct engine_error *error)
{
    const struct engine_field *field = &plan->described[index];
    const struct plan_source *source = &plan->sources[index];
    const uint32_t held = source->document->arrays[source->array].shape.type;
    void *read = held == type ? out : piece;
    if (source->document->read(source->document, source->array, begin, count, read, error) != 0)
        return error->status;
    const uint64_t fit = held == type ? count : convert_elements(held, piece, count, type, out);
    if (fit < count)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: element %llu does not fit field %s of type %s", source->path,
                         (unsigned long long) (begin + fit), field->name, type_name(type));
    return check_elements(source, field, type, begin, count, out, error);
}
