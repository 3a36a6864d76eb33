/* The reference: adds up the cells of the neighbourhood one by one, for each cell, on one thread. */
#include "ltl.h"

static int32_t count_at(const struct ltl_rule *rule, const struct engine_buffer *cells, uint32_t which, int64_t x,
                        int64_t y)
{
    const int64_t radius = rule->radius;
    int32_t count = 0;
    for (int64_t dy = -radius; dy <= radius; dy++) {
        const uint8_t *row = engine_row(cells, which, y + dy, 0);
        for (int64_t dx = -radius; dx <= radius; dx++)
            count += rule->weight[radius + dy][radius + dx] * rule->state_weight[row[x + dx]];
    }
    return count;
}

/* The ghosts are as deep as the largest radius, so every cell's whole neighbourhood exists. */
int ltl_serial_advance(void *self, struct engine_call *call)
{
    (void) self;
    const struct engine_buffer *cells = engine_field_buffer(call, LTL_CELLS);
    struct ltl_rule rule;
    ltl_plan_rule(call->plan, &rule);
    for (int64_t y = 0; y < (int64_t) cells->shape->extent[1]; y++) {
        const uint8_t *row = engine_row(cells, call->current, y, 0);
        uint8_t *next = engine_row(cells, call->result, y, 0);
        for (int64_t x = 0; x < (int64_t) cells->shape->extent[0]; x++) {
            const uint32_t holds =
                row[x] > LTL_ALIVE ? 0 : ltl_holds(rule.counts[row[x]], count_at(&rule, cells, call->current, x, y));
            next[x] = (uint8_t) ltl_next(row[x], holds, rule.states);
        }
    }
    return 0;
}

int ltl_serial_measure(void *self, const struct engine_call *call, double *values)
{
    (void) self;
    const struct engine_buffer *cells = engine_field_buffer(call, LTL_CELLS);
    uint64_t found[LTL_METRICS] = {0};
    for (uint64_t y = call->begin[1]; y < call->end[1]; y++) {
        const uint8_t *row = engine_row(cells, call->current, (int64_t) y, 0);
        for (uint64_t x = 0; x < cells->shape->extent[0]; x++) {
            found[LTL_POPULATION] += row[x] == LTL_ALIVE;
            found[LTL_DYING] += row[x] > LTL_ALIVE;
        }
    }
    for (int k = 0; k < LTL_METRICS; k++)
        values[k] += (double) found[k]; /* of the parts before */
    return 0;
}
