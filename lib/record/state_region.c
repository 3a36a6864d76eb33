#include "record/state_region.h"

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

static int make_rows(const struct view *view, uint64_t row, uint64_t rows, char *out, struct engine_error *error)
{
    return view->state->store->rows(view->state, view->field, view->region, row, rows, out, error);
}

/* ---- Ranges of elements ------------------------------------------------------------------------------------- */

/* Copies some elements of one row: those of a region of the cells that have them. */
static int copy_elements(const struct view *view, uint64_t begin, uint64_t count, char *out, struct engine_error *error)
{
    const struct region *whole = view->region;
    const uint64_t components = view->made.components, in_row = begin % view->width;
    const uint64_t first = in_row / components, last = (in_row + count - 1) / components + 1;
    const uint64_t bytes = (last - first) * components * view->bytes;
    struct region part = *whole;
    part.begin[0] += first * whole->block[0];
    if (last < view->made.extent[0])
        part.end[0] = whole->begin[0] + last * whole->block[0];
    struct view narrow = *view;
    narrow.region = &part;
    char *row = malloc(bytes);
    int status =
        row ? make_rows(&narrow, begin / view->width, 1, row, error) : error_memory(error, bytes, "a row of a region");
    if (status == 0)
        memcpy(out, row + (in_row - first * components) * view->bytes, count * view->bytes);
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
