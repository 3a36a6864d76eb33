/* The reference: adds up the cells of the neighbourhood one by one, for each cell, on one thread. */
#include "ltl.h"

enum { CHUNK = 128 /* cells of a row that are counted together */ };

/* Adds what the cells at (x + dx, y) count, for every dx, to the counts of a chunk that begins at x. */
static void add_row(const struct ltl_rule *rule, const int16_t *weights, const uint8_t *row, int32_t *counts)
{
    const int64_t radius = rule->radius;
    int16_t values[CHUNK + LTL_SIDE_MAX] = {0};
    for (int64_t i = 0; i < CHUNK + 2 * radius; i++)
        values[i] = rule->state_weight[row[i - radius]];
    for (int64_t dx = 0; dx <= 2 * radius; dx++)
        for (int i = 0; i < CHUNK; i++)
            counts[i] += weights[dx] * values[i + dx];
}

static void take_chunk(const struct ltl_rule *rule, const struct engine_call *call, int64_t x, int64_t y, int64_t cells)
{
    const struct engine_buffer *buffer = engine_field_buffer(call, LTL_CELLS);
    const int64_t radius = rule->radius;
    const uint8_t *now = (const uint8_t *) engine_row(buffer, call->current, y, 0) + x;
    uint8_t *next = (uint8_t *) engine_row(buffer, call->result, y, 0) + x;
    int32_t counts[2][CHUNK] = {{0}}; /* [1] of the cells of a triangular grid that point the other way */
    for (int64_t dy = -radius; dy <= radius; dy++) {
        uint8_t row[CHUNK + LTL_SIDE_MAX] = {0};
        const uint8_t *from = engine_row(buffer, call->current, y + dy, 0);
        memcpy(row, from + x - radius, (size_t) (cells + 2 * radius));
        add_row(rule, rule->weight[radius + dy], row + radius, counts[0]);
        if (rule->triangular)
            add_row(rule, rule->weight[radius - dy], row + radius, counts[1]);
    }
    for (int64_t i = 0; i < cells; i++) {
        const int32_t count = counts[rule->triangular && (x + i + y + rule->odd) % 2][i];
        const uint32_t holds = now[i] > LTL_ALIVE ? 0 : ltl_holds(rule->counts[now[i]], count);
        next[i] = (uint8_t) ltl_next(now[i], holds, rule->states);
    }
}

/* The ghosts are as deep as the largest radius, so every cell's whole neighbourhood exists. */
int ltl_serial_advance(void *self, struct engine_call *call)
{
    (void) self;
    const uint64_t *extent = engine_field_shape(call->plan, LTL_CELLS)->extent;
    const int64_t width = (int64_t) extent[0], height = (int64_t) extent[1];
    struct ltl_rule rule;
    ltl_plan_rule(call->plan, &rule);
    if (rule.radius > LTL_RADIUS_MAX) {
        ltl_wide_serial(&rule, call);
        return 0;
    }
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x += CHUNK)
            take_chunk(&rule, call, x, y, width - x < CHUNK ? width - x : CHUNK);
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
