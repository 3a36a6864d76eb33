#include "record/selection.h"
#include "base/text.h"
#include "config/param.h"

#include <stdio.h>
#include <string.h>

/* ---- Reading ------------------------------------------------------------------------------------------------ */

/* Reads a whole number, perhaps with a minus; false where there is none. */
static bool read_place(const char **at, int64_t *place)
{
    const char *digits = *at + (**at == '-');
    return *digits >= '0' && *digits <= '9' && text_number(at, place) && *place < INT64_MAX;
}

static void skip_blanks(const char **at)
{
    *at += strspn(*at, " \t");
}

static bool keep_text(char to[SELECTION_TEXT], const char *text)
{
    return snprintf(to, SELECTION_TEXT, "%s", text) < SELECTION_TEXT;
}

bool selection_read_region(struct selection *selection, const char *text)
{
    const char *at = text;
    selection->ranges = 0;
    for (skip_blanks(&at); *at != '\0'; skip_blanks(&at)) {
        if (selection->ranges == 3)
            return false;
        int64_t *begin = &selection->begin[selection->ranges], *end = &selection->end[selection->ranges];
        *begin = 0, *end = INT64_MAX;
        if ((*at != ':' && !read_place(&at, begin)) || *at++ != ':' ||
            (*at != '\0' && *at != ' ' && *at != '\t' && !read_place(&at, end)) ||
            (*at != '\0' && *at != ' ' && *at != '\t') || *begin >= *end)
            return false;
        selection->ranges++;
    }
    return keep_text(selection->region, text);
}

bool selection_read_stride(struct selection *selection, const char *text)
{
    selection->strides = *text != '\0' ? param_parse_sizes(text, false, selection->block, 3) : 0;
    return (selection->strides > 0 || *text == '\0') && keep_text(selection->stride, text);
}

const char *const selection_words[] = {"none", "any", "mean", "max", "count", NULL};

const char *selection_word(enum region_reduce reduce)
{
    return selection_words[reduce];
}

bool selection_is_whole(const struct selection *selection)
{
    return selection->ranges == 0 && selection->strides == 0;
}

bool selection_is_same(const struct selection *a, const struct selection *b)
{
    return strcmp(a->region, b->region) == 0 && strcmp(a->stride, b->stride) == 0 && a->reduce == b->reduce;
}

/* ---- Regions ------------------------------------------------------------------------------------------------ */

static int check_range(const struct selection *selection, const struct engine_field *field,
                       const struct engine_shape *shape, bool unbounded, uint32_t axis, struct engine_error *error)
{
    const int64_t extent = (int64_t) shape->extent[axis], begin = selection->begin[axis], end = selection->end[axis];
    char cells[64];
    if (unbounded && (end == INT64_MAX || begin < -extent / 2 || end > extent - extent / 2))
        return error_set(error, ENGINE_STATUS_USAGE,
                         "region: '%s' has no end, or one that is too far away, along %c; give both ends of a range "
                         "of an unbounded grid, within %lld:%lld",
                         selection->region, "xyz"[axis], (long long) (-extent / 2), (long long) (extent - extent / 2));
    if (unbounded || (begin >= 0 && begin < extent && (end == INT64_MAX || end <= extent)))
        return 0;
    return error_set(error, ENGINE_STATUS_USAGE,
                     "region: '%s' leaves the grid: %s has %s along %c; expected a range within 0:%llu",
                     selection->region, field->name, text_count((uint64_t) extent, "cell", cells), "xyz"[axis],
                     (unsigned long long) extent);
}

static int refuse_axes(const char *key, const char *text, uint32_t given, const char *what, const char *expected,
                       const struct engine_field *field, const struct engine_shape *shape, struct engine_error *error)
{
    char size[SHAPE_TEXT], count[64];
    return error_set(error, ENGINE_STATUS_USAGE, "%s: '%s' has %s; %s is a grid of %s cells; expected %s", key, text,
                     text_count(given, what, count), field->name, shape_text(field, shape, size), expected);
}

int selection_find(const struct selection *selection, const struct engine_field *field,
                   const struct engine_shape *shape, bool unbounded, struct region *region, struct engine_error *error)
{
    *region = (struct region){{0, 0, 0}, {1, 1, 1}, {1, 1, 1}, selection->reduce};
    if (selection->ranges && selection->ranges != shape->rank)
        return refuse_axes("region", selection->region, selection->ranges, "range", "a range for each axis", field,
                           shape, error);
    if (selection->strides > 1 && selection->strides != shape->rank)
        return refuse_axes("stride", selection->stride, selection->strides, "number",
                           "one number, or one for each axis", field, shape, error);
    if (selection->reduce != REGION_FIRST && shape->type > ENGINE_F64)
        return error_set(error, ENGINE_STATUS_USAGE,
                         "reduce: %s has complex numbers, which cannot be reduced; leave the key out, or choose other "
                         "[output] fields",
                         field->name);
    for (uint32_t axis = 0; axis < shape->rank; axis++) {
        const uint64_t middle = unbounded ? shape->extent[axis] / 2 : 0;
        if (selection->ranges && check_range(selection, field, shape, unbounded, axis, error) != 0)
            return error->status;
        region->begin[axis] = middle + (selection->ranges ? (uint64_t) selection->begin[axis] : 0);
        const bool open = !selection->ranges || selection->end[axis] == INT64_MAX;
        region->end[axis] = !open       ? middle + (uint64_t) selection->end[axis]
                            : unbounded ? middle + 1
                                        : shape->extent[axis];
        if (selection->strides)
            region->block[axis] = selection->block[selection->strides == 1 ? 0 : axis];
    }
    return 0;
}

void selection_describe(const struct region *region, struct engine_file_array *array, struct engine_file_look *look)
{
    const uint32_t values = array->values;
    array->shape = region_shape(region, &array->shape);
    memcpy(array->first, region->begin, sizeof array->first);
    memcpy(array->stride, region->block, sizeof array->stride);
    if (region->reduce == REGION_ANY)
        array->values = 2;
    if (region->reduce == REGION_MEAN || region->reduce == REGION_COUNT)
        array->values = 0;
    if (region->reduce == REGION_MEAN && values > 1 && look->range[0] == look->range[1])
        look->range[1] = look->range[0] + values - 1;
    if (region->reduce == REGION_ANY || region->reduce == REGION_COUNT) {
        look->range[0] = 0;
        look->range[1] = region->reduce == REGION_ANY ? 0 : (double) region_block_cells(region);
    }
}

const char *selection_note(const struct region *region, const struct engine_file_array *array,
                           char text[SELECTION_TEXT])
{
    int used = 0;
    for (uint32_t axis = 0; axis < array->shape.rank; axis++)
        used += snprintf(text + used, SELECTION_TEXT - (size_t) used, "%s%c %lld:%lld", axis ? ", " : "", "xyz"[axis],
                         (long long) region -> begin[axis], (long long) region -> end[axis]);
    const uint64_t *block = region->block;
    if (region_block_cells(region) > 1)
        snprintf(text + used, SELECTION_TEXT - (size_t) used, "; stride %llu %llu %llu, reduce %s",
                 (unsigned long long) block[0], (unsigned long long) block[1], (unsigned long long) block[2],
                 selection_word(region->reduce));
    return text;
}
