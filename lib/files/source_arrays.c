/* Compares the arrays in files with the fields, and reads their elements. */
#include "base/convert.h"
#include "base/text.h"
#include "files/source_files.h"

#include <engine/files.h>
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
            ("particles (.xyz, .lammpstrj, .data, .dcd, .xtc, .trr, .gro, .g96, .pdb, .nc, .gsd, .h5md, "
             "Tipsy), an array of n x 3 "
             "numbers (.npy) or a snapshot"),
        [ENGINE_MATRIX] = "an array of rows and columns (.npy) or a snapshot",
        [ENGINE_BINS] = "an array (.npy)",
    };
    return files[field->kind];
}

/* ---- Shapes ------------------------------------------------------------------------------------------------- */

/* The number of particles in a file. */
static uint64_t particles_of(const struct engine_shape *shape)
{
    return shape->extent[shape->rank - 1]; /* the outermost axis: (n) or (n, 3) */
}

const double *source_box(const struct plan *plan)
{
    for (uint32_t i = 0; i < fields_of(plan)->count; i++) {
        const struct io_document *document = source_files_of(plan)->of[i].document;
        const double *box = document ? document->header.frame.box : NULL;
        if (box && (box[0] > 0 || box[1] > 0 || box[2] > 0))
            return box;
    }
    return NULL;
}

/* What [init] file says of the grid, and the pattern that it holds. */
static void find_grid(struct plan_found *found, const struct io_document *file)
{
    found->file = true;
    memcpy(found->edges.kind, file->header.pattern.edges, sizeof found->edges.kind);
    memcpy(found->edges.shift, file->header.pattern.shift, sizeof found->edges.shift);
    memcpy(found->grid, file->header.pattern.grid, sizeof found->grid);
    if (file->arrays[0].values != 0)
        memcpy(found->cells, file->arrays[0].shape.extent, sizeof found->cells);
}

/* The symbols of species. They stay those of the first frame, while a thread may be reading the next ones. */
static void find_symbols(struct plan *plan, const struct io_document *document)
{
    struct source_files *files = source_files_of(plan);
    uint32_t count = 0;
    for (; count < document->symbols && count < IO_SYMBOLS_MAX; count++) {
        files->symbols[count] = strcpy(files->symbol[count], document->symbol[count]);
    }
    plan->found.symbols = (struct engine_name_array){.at = files->symbols, .count = count};
}

static void find_field(struct plan *plan, uint32_t index)
{
    const struct source_file *file = &source_files_of(plan)->of[index];
    const struct engine_field *field = &fields_of(plan)->at[index];
    struct plan_found *found = &plan->found;
    if (!file->document)
        return;
    const struct engine_shape *shape = &file->document->arrays[file->array].shape;
    plan->sources[index].given = true;
    if (field->kind == ENGINE_PARTICLES && found->particles == 0)
        found->particles = particles_of(shape);
    if (field->kind == ENGINE_MATRIX && !found->has_matrix)
        found->matrix = *shape, found->has_matrix = true;
    if (strcmp(field->name, "species") == 0)
        find_symbols(plan, file->document);
}

void source_find(struct plan *plan)
{
    const struct source_files *files = source_files_of(plan);
    if (files->pattern)
        find_grid(&plan->found, files->pattern);
    for (uint32_t i = 0; i < fields_of(plan)->count; i++)
        find_field(plan, i);
    const double *box = source_box(plan);
    if (box)
        memcpy(plan->found.box, box, sizeof plan->found.box);
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

static int check_count(const struct plan *plan, const struct source_file *source, struct engine_error *error)
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
    const struct source_file *source = &source_files_of(plan)->of[index];
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
    const struct source_file *source = &source_files_of(plan)->of[field];
    uint64_t elements = 0;
    shape_elements(&source->document->arrays[source->array].shape, &elements);
    return elements;
}

static int check_arrays(const struct plan *plan, struct engine_error *error)
{
    for (uint32_t i = 0; i < fields_of(plan)->count; i++)
        if (plan->sources[i].given && check_source(plan, i, error) != 0)
            return error->status;
    return 0;
}

/* Checks that the pattern fits into the field that it is the initial state of. */
static int check_pattern(const struct plan *plan, struct engine_error *error)
{
    const struct engine_field *field = &plan->plugin->about.fields.at[0];
    const struct engine_shape *grid = &plan->shapes[0], *pattern = &source_files_of(plan)->pattern->arrays[0].shape;
    const struct engine_shape whole = plan_whole_shape(plan, 0);
    const bool batch = plan_is_batch(plan) && pattern->rank == whole.rank; /* a pattern for each universe */
    const char *file = plan->settings.file;
    char there[64], wanted[64];
    if (source_files_of(plan)->pattern->count != 1 || field->role != ENGINE_STATE || field->kind != ENGINE_GRID)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: %s does not start from a pattern file", file,
                         plan->plugin->about.name);
    if (!convert_possible(pattern->type, grid->type) || pattern->components != grid->components)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: contains %s of %s; field %s is %s of %s", file,
                         type_name(pattern->type), text_count(pattern->components, "component", there), field->name,
                         type_name(grid->type), text_count(grid->components, "component", wanted));
    if (batch && pattern->extent[grid->rank] != plan->settings.universes)
        return error_set(
            error, ENGINE_STATUS_INPUT,
            "%s: holds %llu universes; %s: [grid] batch = %llu, and a file gives the cells of all universes or "
            "those of one, in which all start",
            file, (unsigned long long) pattern->extent[grid->rank], config_place(plan->config, "grid", "batch"),
            (unsigned long long) plan->settings.universes);
    if (pattern->rank > grid->rank && !batch)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: the pattern has %u axes; field %s has %u", file,
                         pattern->rank, field->name, grid->rank);
    if (plan->settings.at_count > grid->rank)
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%s: [init] at: %u numbers; field %s has %u ax%s, so give a number for each axis",
                         config_place(plan->config, "init", "at"), plan->settings.at_count, field->name, grid->rank,
                         grid->rank == 1 ? "is" : "es");
    for (int axis = 0; axis < 3; axis++) {
        const unsigned long long most = whole.extent[axis];
        if (pattern->extent[axis] > most && !(plan->open >> axis & 1)) /* the divider judges these */
            return error_set(error, ENGINE_STATUS_INPUT,
                             "%s: the pattern has %s along %c, but the grid has %llu; give a larger [grid] size", file,
                             text_count(pattern->extent[axis], "cell", there), "xyz"[axis], most);
        const int64_t at = plan->settings.at[axis], first = plan_is_unbounded(plan) ? -(int64_t) (most / 2) : 0,
                      last = first + (int64_t) (most - pattern->extent[axis]);
        if (plan->settings.at_count > 0 && plan->for_plugin.edges.kind[axis] != ENGINE_EDGE_TORUS &&
            (at < first || at > last))
            return error_set(
                error, ENGINE_STATUS_USAGE,
                "%s: [init] at: the pattern would lie across an edge of the grid, which is no torus along %c; "
                "expected %c from %lld to %lld",
                config_place(plan->config, "init", "at"), "xyz"[axis], "xyz"[axis], (long long) first,
                (long long) last);
    }
    return 0;
}

int source_files_check(const struct plan *plan, struct engine_error *error)
{
    return plan->found.pattern ? check_pattern(plan, error) : check_arrays(plan, error);
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
static int check_elements(const struct source_file *source, const struct engine_field *field, uint32_t type,
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

/* Moves a position that is more than an edge outside the box into the box. A position that is too far away for a place
 * in the box stays, because the plugin refuses it. */
static void wrap(const double box[6], double at[3])
{
    bool far = false, lost = false;
    for (int axis = 0; axis < 3; axis++) {
        far = far || (box[axis] > 0 && !(at[axis] >= -box[axis] && at[axis] < 2 * box[axis]));
        lost = lost || !(fabs(at[axis]) < 0x1p52 * box[axis] || box[axis] == 0);
    }
    far = far && !lost;
    for (int axis = 2; far && axis >= 0; axis--) {
        const double edges = box[axis] > 0 ? floor(at[axis] / box[axis]) : 0;
        at[axis] = fma(-edges, box[axis], at[axis]);
        at[0] -= axis == 2 ? edges * box[4] : axis == 1 ? edges * box[3] : 0;
        at[1] -= axis == 2 ? edges * box[5] : 0;
    }
}

/* Wraps positions that lose digits when they are converted, if the plugin wraps them anyway. */
static void wrap_positions(const struct plan *plan, uint32_t index, uint32_t type, uint64_t count, void *elements)
{
    const struct source_file *source = &source_files_of(plan)->of[index];
    const struct engine_file_array *array = &source->document->arrays[source->array];
    const double *of_file = source_box(plan), *configured = plan->settings.box;
    const double *box = configured[0] > 0 || of_file == NULL ? configured : of_file;
    if (!(plan->described[index].flags & ENGINE_FIELD_PERIODIC) || type != ENGINE_F32 ||
        array->shape.type != ENGINE_F64 || array->shape.components != 3)
        return;
    for (uint64_t i = 0; i + 3 <= count; i += 3)
        wrap(box, (double *) elements + i);
}

int source_read(const struct plan *plan, uint32_t index, uint32_t type, uint64_t begin, uint64_t count, void *piece,
                void *out, struct engine_error *error)
{
    const struct engine_field *field = &plan->described[index];
    const struct source_file *source = &source_files_of(plan)->of[index];
    const uint32_t held = source->document->arrays[source->array].shape.type;
    void *read = held == type ? out : piece;
    if (source->document->read(source->document, source->array, begin, count, read, error) != 0)
        return error->status;
    wrap_positions(plan, index, type, count, read);
    const uint64_t fit = held == type ? count : convert_elements(held, piece, count, type, out);
    if (fit < count)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: element %llu does not fit field %s of type %s", source->path,
                         (unsigned long long) (begin + fit), field->name, type_name(type));
    return check_elements(source, field, type, begin, count, out, error);
}
