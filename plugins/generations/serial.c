/* The reference: a loop over the neighbours of each cell, on one thread. */
#include "generations.h"

int generations_serial_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                              struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->ghost[0] = layout->ghost[1] = 1;
    return 0;
}

/* The ghosts are as deep as one step reaches, so a call takes one step. */
int generations_serial_advance(void *self, struct engine_call *call)
{
    (void) self;
    const struct generations_rule rule = generations_plan_rule(call->plan);
    const struct engine_buffer *cells = engine_field_buffer(call, GENERATIONS_CELLS);
    for (int64_t y = 0; y < (int64_t) cells->shape->extent[1]; y++) {
        const uint8_t *row[3];
        for (int dy = 0; dy < 3; dy++)
            row[dy] = engine_row(cells, call->current, y + dy - 1, 0);
        uint8_t *next = engine_row(cells, call->result, y, 0);
        for (int64_t x = 0; x < (int64_t) cells->shape->extent[0]; x++) {
            uint32_t count = 0;
            for (int dy = 0; dy < 3; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    count += (dx != 0 || dy != 1) && row[dy][x + dx] == 1;
            next[x] = (uint8_t) generations_next(&rule, row[1][x], count);
        }
    }
    return 0;
}

int generations_serial_measure(void *self, const struct engine_call *call, double *values)
{
    (void) self;
    const struct engine_buffer *cells = engine_field_buffer(call, GENERATIONS_CELLS);
    for (uint64_t y = call->begin[1]; y < call->end[1]; y++) {
        const uint8_t *row = engine_row(cells, call->current, (int64_t) y, 0);
        for (uint64_t x = call->begin[0]; x < call->end[0]; x++) {
            values[GENERATIONS_ALIVE] += row[x] == 1;
            values[GENERATIONS_DYING] += row[x] > 1;
        }
    }
    return 0;
}
