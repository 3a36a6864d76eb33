/* Brian's Brain (Brian Silverman, 1984): a cell that is ready fires where exactly two of its eight neighbours fire; a
 * cell that fires is tired at the next step, and then ready again.
 *
 * A whole plugin in one file, built from engine/plugin.h alone. */
#include <engine/plugin.h>

enum { READY, FIRING, TIRED };
enum { CELLS };

static const struct engine_field fields[] = {
    [CELLS] = {.name = "cells",
               .help = "0 ready, 1 firing, 2 tired",
               .kind = ENGINE_GRID,
               .role = ENGINE_STATE,
               .type = ENGINE_U8,
               .components = 1,
               .rank = 2,
               .values = 3,
               .reach = {1, 1, 0}},
};

static const struct engine_metric metrics[] = {
    {"firing", "cells", "cells that fire"},
    {"tired", "cells", "cells that fired a step before"},
};

static const uint8_t *row_at(const struct engine_buffer *cells, uint32_t which, int64_t y)
{
    return (const uint8_t *) cells->origin[which] + y * cells->row_stride;
}

/* One row; the engine calls it for all of them, on all threads. Ghosts stand around every edge. */
static void advance_row(void *argument, uint64_t y)
{
    const struct engine_call *call = argument;
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    const uint8_t *above = row_at(cells, call->current, (int64_t) y - 1);
    const uint8_t *row = row_at(cells, call->current, (int64_t) y);
    const uint8_t *below = row_at(cells, call->current, (int64_t) y + 1);
    uint8_t *result = (uint8_t *) cells->origin[call->result] + (int64_t) y * cells->row_stride;
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
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    call->host->parallel(call->host, cells->shape->extent[1], advance_row, call);
    return 0;
}

static int measure(void *self, const struct engine_call *call, double *values)
{
    (void) self;
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    uint64_t counts[3] = {0, 0, 0};
    for (uint64_t y = 0; y < cells->shape->extent[1]; y++)
        for (uint64_t x = 0; x < cells->shape->extent[0]; x++)
            counts[row_at(cells, call->current, (int64_t) y)[x]]++;
    values[0] = (double) counts[FIRING];
    values[1] = (double) counts[TIRED];
    return 0;
}

static const struct engine_impl impls[] = {
    {.name = "cpu",
     .help = "plain C, rows on all threads",
     .flags = ENGINE_EXACT | ENGINE_REFERENCE,
     .rank = 1,
     .advance = advance,
     .measure = measure},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    .abi = ENGINE_ABI(0),
    .name = "brians-brain",
    .version = "0.1.0",
    .summary = "Brian's Brain: cells that fire, tire and recover",
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
};
