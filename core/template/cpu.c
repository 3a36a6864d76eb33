/* @NAME@ on the CPU. */
#include "@NAME@.h"

/* The engine has filled the ghosts: row[-1] and the rows above and below exist at every edge of the torus. It calls for
 * one step at a time, since the ghosts are one step deep. */
int cpu_advance(void *self, struct engine_call *call)
{
    (void) self;
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    const int parity = (int) engine_param_value(call->plan, PARITY)->integer;
    const int64_t width = (int64_t) cells->shape->extent[0], height = (int64_t) cells->shape->extent[1];
    for (int64_t y = 0; y < height; y++) {
        const uint8_t *row = (const uint8_t *) cells->origin[call->current] + y * cells->row_stride;
        const uint8_t *above = row - cells->row_stride, *below = row + cells->row_stride;
        uint8_t *result = (uint8_t *) cells->origin[call->result] + y * cells->row_stride;
        for (int64_t x = 0; x < width; x++) {
            int neighbours = above[x - 1] + above[x] + above[x + 1] + row[x - 1] + row[x + 1] + below[x - 1] +
                             below[x] + below[x + 1];
            result[x] = neighbours % 2 == parity;
        }
    }
    return 0;
}

int cpu_measure(void *self, const struct engine_call *call, double *values)
{
    (void) self;
    const struct engine_buffer *cells = engine_field_buffer(call, CELLS);
    uint64_t population = 0;
    for (int64_t y = 0; y < (int64_t) cells->shape->extent[1]; y++) {
        const uint8_t *row = (const uint8_t *) cells->origin[call->current] + y * cells->row_stride;
        for (int64_t x = 0; x < (int64_t) cells->shape->extent[0]; x++)
            population += row[x];
    }
    values[0] = (double) population;
    return 0;
}
