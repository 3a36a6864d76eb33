/* @NAME@ on the CPU. */
#include "@NAME@.h"

static uint8_t *row_at(const struct engine_buffer *cells, uint32_t which, uint64_t y)
{
    return (uint8_t *) cells->origin[which] + (int64_t) y * cells->row_stride;
}

/* One row: reads the buffer that holds the state, writes the other one. */
static void advance_row(void *argument, uint64_t y)
{
    const struct engine_call *call = argument;
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    const struct rule rule = rule_of(call->plan);
    const uint8_t *row = row_at(cells, call->current, y);
    uint8_t *result = row_at(cells, call->result, y);
    for (uint64_t x = 0; x < cells->shape->extent[0]; x++)
        result[x] = next_cell(rule, row + x, cells->row_stride);
}

/* The engine has filled the ghosts, which are one step deep: so it calls for one step at a time. */
int cpu_advance(void *self, struct engine_call *call)
{
    (void) self;
    call->host->parallel(call->host, engine_field_buffer(call, CELLS)->shape->extent[1], advance_row, call);
    return 0;
}

int cpu_measure(void *self, const struct engine_call *call, double *values)
{
    (void) self;
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    uint64_t population = 0;
    for (uint64_t y = 0; y < cells->shape->extent[1]; y++)
        for (uint64_t x = 0; x < cells->shape->extent[0]; x++)
            population += row_at(cells, call->current, y)[x] != 0;
    values[0] = (double) population;
    return 0;
}
