#include "parts/divided.h"
#include "parts/parts.h"

struct view {
    const struct state *state;
    uint32_t field;
    const struct region *region;
    struct engine_shape made;
    uint64_t bytes; /* of a row that is made */
};

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
        const struct plan_slab *own = &state->plan->parts[i]->slab; /* of a grid, whose extents do not swap */
        if (own->first <= begin && end <= own->first + own->count)
            return parts_is_here(state->plan, i) ? state_parts(state)[i] : NULL;
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
    return store_whole.rows(owner, view->field, &region, axis == 2 ? row % view->made.extent[1] : 0, *made, out, error);
}

int store_parts_rows(const struct state *state, uint32_t field, const struct region *region, uint64_t row,
                     uint64_t rows, void *out, struct engine_error *error)
{
    struct view view = {.state = state, .field = field, .region = region};
    if (plan_has_copies(state->plan))
        return store_whole.rows(state_parts(state)[0], field, region, row, rows, out, error);
    view.made = region_shape(region, &state_geometry(state, field)->shape);
    view.bytes = view.made.extent[0] * view.made.components * type_bytes(view.made.type);
    if (view.made.rank != state->plan->parts[0]->slab.axis + 1)
        return region_make_rows(region, &state->plan->shapes[field], row, rows, read_whole, &view, out, error);
    for (uint64_t done = 0, made; done < rows; done += made)
        if (make_next(&view, row + done, rows - done, &made, (char *) out + done * view.bytes, error) != 0)
            return error->status;
    return 0;
}
