/* The reference: one cell at a time, on one thread. The engine fills one ghost cell on each side, so that blocks which
 * cross an edge are whole, and a call takes one step. */
#include "margolus.h"

int margolus_serial_advance(void *self, struct engine_call *call)
{
    (void) self;
    const struct margolus_rule rule = margolus_plan_rule(call->plan);
    const struct engine_buffer *cells = engine_field_buffer(call, MARGOLUS_CELLS);
    const int64_t width = (int64_t) cells->shape->extent[0], height = (int64_t) cells->shape->extent[1];
    const int64_t first[2] = {margolus_first(call->plan->part.offset[0], call->first_step),
                              margolus_first(call->plan->part.offset[1], call->first_step)};
    for (int64_t y = 0; y < height; y++) {
        const int64_t down = (y + first[1]) & 1;
        const uint8_t *row[2] = {engine_row(cells, call->current, y - down, 0),
                                 engine_row(cells, call->current, y - down + 1, 0)};
        uint8_t *next = engine_row(cells, call->result, y, 0);
        for (int64_t x = 0; x < width; x++) {
            const int64_t right = (x + first[0]) & 1, left = x - right;
            const int block = row[0][left] | row[0][left + 1] << 1 | row[1][left] << 2 | row[1][left + 1] << 3;
            next[x] = rule.to[block] >> (2 * down + right) & 1;
        }
    }
    return 0;
}
