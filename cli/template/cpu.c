/* @NAME@ on the CPU. */
#include "@NAME@.h"

/* One row: reads the buffer that holds the state and writes the other one. */
static void advance_row(void *argument, uint64_t y)
{
    const struct engine_call *call = argument;
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    const struct rule rule = rule_of(call->plan);
    const uint8_t *row = engine_row(cells, call->current, (int64_t) y, 0);
    uint8_t *result = engine_row(cells, call->result, (int64_t) y, 0);
    for (uint64_t x = 0; x < cells->shape->extent[0]; x++)
        result[x] = next_cell(rule, row + x, cells->row_stride);
}

/* The engine has filled the ghost cells. They are only as deep as the reach of one step, so each call takes one step. */
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
    for (uint64_t y = 0; y < cells->shape->extent[1]; y++) {
        const uint8_t *row = engine_row(cells, call->current, (int64_t) y, 0);
        for (uint64_t x = 0; x < cells->shape->extent[0]; x++)
            population += row[x] != 0;
    }
    values[0] = (double) population;
    return 0;
}
