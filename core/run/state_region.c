#include "run/state_region.h"
#include "plan/parts.h"

#include <stdlib.h>
#include <string.h>

/* A region of a field of a state. */
struct view {
    const struct state *state;
    uint32_t field;
    const struct region *region;
    struct engine_shape made;
    uint64_t width, bytes; /* elements of a row that is made; bytes of an element */
};

/* ---- Whole rows --------------------------------------------------------------------------------------------- */

static int make_here(const struct state *state, uint32_t field, const struct region *region, uint64_t row,
                     uint64_t rows, void *out, struct engine_error *error)
{
    struct device *device = state->plan->device;
    return device->make_rows(device, state_geometry(state, field), state_buffer(state, field), region, row, rows,
                             state->plan->for_plugin.threads, out, error);
}

static int read_whole(void *context, uint64_t begin, uint64_t count, void *out, struct engine_error *error)
{
    const struct view *view = context;
    return state_read(view->state, view->field, begin, count, out, error);
}

/* The part of this process that owns rows or planes [begin, end), or NULL: several parts own them, or another
 * process. */
static const struct state *owner_of(const struct state *state, uint64_t begin, uint64_t end)
{
    for (uint32_t i = 0; i < state->plan->settings.parts; i++) {
        const struct plan_slab *own = &state->plan->parts[i]->slab; /* regions are of grids, which do not turn */
        if (own->first <= begin && end <= own->first + own->count)
            return parts_is_here(state->plan, i) ? state->parts[i] : NULL;
    }
    return NULL;
}

/* The rows or planes of the whole that row `row` of the region is made from. */
static void source_of(const struct view *view, uint32_t axis, uint64_t row, uint64_t *begin, uint64_t *end)
{
    const struct region *region = view->region;
    const uint64_t slab = axis == 2 ? row / view->made.extent[1] : row;
    *begin = region->begin[axis] + slab * region->block[axis];
    *end = *begin + (region->reduce == REGION_FIRST ? 1 : region->block[axis]);
    *end = *end < region->end[axis] ? *end : region->end[axis];
}

/* Makes the row, and those behind it that the same part owns, in the memory of that part. Where several parts own the
 * cells of a row, or another process does, they are read and the row is made here. Returns the number of rows in
 * *made. */
static int make_next(const struct view *view, uint64_t row, uint64_t rows, uint64_t *made, void *out,
                     struct engine_error *error)
{
    const struct state *state = view->state;
    const uint32_t axis = state->plan->parts[0]->slab.axis;
    uint64_t begin, end, next, next_end;
    source_of(view, axis, row, &begin, &end);
    const struct state *owner = owner_of(state, begin, end);
    *made = 1;
    if (!owner)
        return region_make_rows(view->region, &state->plan->shapes[view->field], row, 1, read_whole,
                                (void *) (uintptr_t) view, out, error);
    for (; *made < rows; ++*made, end = next_end) {
        source_of(view, axis, row + *made, &next, &next_end);
        if (owner_of(state, next, next_end) != owner)
            break;
    }
    const struct plan_slab *own = &owner->plan->slab;
    struct region region = *view->region;
    region.begin[axis] = begin - own->first + own->before;
    region.end[axis] = end - own->first + own->before;
    return make_here(owner, view->field, &region, axis == 2 ? row % view->made.extent[1] : 0, *made, out, error);
}

static int make_rows(const struct view *view, uint64_t row, uint64_t rows, char *out, struct engine_error *error)
{
    const struct state *state = view->state;
    if (!state->parts)
        return make_here(state, view->field, view->region, row, rows, out, error);
    if (plan_has_copies(state->plan))
        return make_here(state->parts[0], view->field, view->region, row, rows, out, error);
    if (view->made.rank != state->plan->parts[0]->slab.axis + 1)
        return region_make_rows(view->region, &state->plan->shapes[view->field], row, rows, read_whole,
                                (void *) (uintptr_t) view, out, error);
    for (uint64_t done = 0, made; done < rows; done += made)
        if (make_next(view, row + done, rows - done, &made, out + done * view->width * view->bytes, error) != 0)
            return error->status;
    return 0;
}

/* ---- Ranges of elements ------------------------------------------------------------------------------------- */

/* Copies some elements of one row. */
static int copy_elements(const struct view *view, uint64_t begin, uint64_t count, char *out, struct engine_error *error)
{
    char *row = malloc(view->width * view->bytes);
    int status = row ? make_rows(view, begin / view->width, 1, row, error)
                     : error_memory(error, view->width * view->bytes, "a row of a region");
    if (status == 0)
        memcpy(out, row + begin % view->width * view->bytes, count * view->bytes);
    free(row);
    return status;
}

int state_read_region(const struct state *state, uint32_t field, const struct region *region, uint64_t begin,
                      uint64_t count, void *out, struct engine_error *error)
{
    struct view view = {.state = state, .field = field, .region = region};
    view.made = region_shape(region, &state_geometry(state, field)->shape);
    view.width = view.made.extent[0] * view.made.components;
    view.bytes = type_bytes(view.made.type);
    char *to = out;
    while (count > 0) {
        const uint64_t skipped = begin % view.width, left = view.width - skipped;
        const bool whole = skipped == 0 && count >= view.width;
        const uint64_t n = whole ? count - count % view.width : left < count ? left : count;
        if ((whole ? make_rows(&view, begin / view.width, n / view.width, to, error)
                   : copy_elements(&view, begin, n, to, error)) != 0)
            return error->status;
        begin += n, count -= n, to += n * view.bytes;
    }
    return 0;
}
