/* Brian's Brain (Brian Silverman, 1984). A ready cell fires if exactly two of its eight neighbours fire. A cell that
 * fires is tired in the next step, and then ready again.
 *
 * This is a whole plugin in one file, built from engine/plugin.h alone. */
#include <engine/plugin.h>

enum { READY, FIRING, TIRED }; /* states of a cell */
enum { CELLS };                /* fields */

static const struct engine_field fields[] = {
    [CELLS] = {ENGINE_GRID_FIELD("cells", "0 ready, 1 firing, 2 tired", ENGINE_STATE, ENGINE_U8, 2), .values = 3,
               .reach = {1, 1, 0}},
};

static const struct engine_metric metrics[] = {
    {ENGINE_METRIC("firing", "cells", "cells that fire")},
    {ENGINE_METRIC("tired", "cells", "cells that fired one step before")},
};

/* One row. The engine calls it for all rows, on all threads. Ghost cells lie beyond every edge. */
static void advance_row(void *argument, uint64_t y)
{
    const struct engine_call *call = argument;
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    const uint8_t *row = engine_row(cells, call->current, (int64_t) y, 0);
    const uint8_t *above = row - cells->row_stride, *below = row + cells->row_stride;
    uint8_t *result = engine_row(cells, call->result, (int64_t) y, 0);
    for (int64_t x = 0; x < (int64_t) cells->shape->extent[0]; x++) {
        int firing = 0;
        for (int64_t i = x - 1; i <= x + 1; i++)
            firing += (above[i] == FIRING) + (row[i] == FIRING) + (below[i] == FIRING);
        result[x] = row[x] == FIRING ? TIRED : row[x] == READY && firing == 2 ? FIRING : READY;
    }
}

static int advance(void *self, struct engine_call *call)
{
    (void) self;
    call->host->parallel(call->host, engine_field_buffer(call, CELLS)->shape->extent[1], advance_row, call);
    return 0;
}

static int measure(void *self, const struct engine_call *call, double *values)
{
    (void) self;
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    uint64_t counts[3] = {0, 0, 0};
    for (uint64_t y = 0; y < cells->shape->extent[1]; y++) {
        const uint8_t *row = engine_row(cells, call->current, (int64_t) y, 0);
        for (uint64_t x = 0; x < cells->shape->extent[0]; x++)
            counts[row[x]]++;
    }
    values[0] = (double) counts[FIRING];
    values[1] = (double) counts[TIRED];
    return 0;
}

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "plain C, rows on all threads", 1, ENGINE_EXACT | ENGINE_REFERENCE), .advance = advance,
     .measure = measure},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("brians-brain", "0.1.0", "Brian's Brain: cells that fire, tire and recover"),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
};
