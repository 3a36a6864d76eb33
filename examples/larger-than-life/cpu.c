/* larger-than-life on the CPU.
 *
 *     cpu-serial   (2 R + 1)^2 additions a cell
 *     cpu          4 additions a cell for every radius R. From row to row, the sum of a column of 2 R + 1 cells gains
 *                  the cell below and loses the cell above. Along a row, the sum of 2 R + 1 such columns gains the
 *                  column on the right and loses the column on the left. */
#include "larger-than-life.h"

#include <string.h>

static uint8_t *row_at(const struct engine_call *call, uint32_t which, int64_t y)
{
    return engine_row(engine_field_buffer(call, CELLS), which, y, 0);
}

static const uint64_t *extent_of(const struct engine_call *call)
{
    return engine_field_shape(call->plan, CELLS)->extent;
}

/* ---- The reference ------------------------------------------------------------------------------------------ */

static uint32_t sum_of_square(const struct engine_call *call, int64_t x, int64_t y, int64_t radius)
{
    uint32_t sum = 0;
    for (int64_t j = y - radius; j <= y + radius; j++)
        for (int64_t i = x - radius; i <= x + radius; i++)
            sum += row_at(call, call->current, j)[i];
    return sum;
}

/* The ghosts are as deep as the largest radius, so every cell's whole square exists. */
int serial_advance(void *self, struct engine_call *call)
{
    (void) self;
    const struct rule rule = rule_of(call->plan);
    for (int64_t y = 0; y < (int64_t) extent_of(call)[1]; y++)
        for (int64_t x = 0; x < (int64_t) extent_of(call)[0]; x++)
            row_at(call, call->result, y)[x] =
                next_cell(&rule, row_at(call, call->current, y)[x], sum_of_square(call, x, y, rule.radius));
    return 0;
}

/* ---- Sliding sums ------------------------------------------------------------------------------------------- */

enum { STRIPE = 64 }; /* rows of a task */

struct instance {
    struct rule rule;
    uint64_t room;  /* columns of a stripe, with ghosts */
    uint16_t *sums; /* of the columns of each stripe */
};

struct sweep {
    const struct engine_call *call;
    const struct instance *instance;
};

static uint64_t stripes_of(const struct engine_call *call)
{
    return (extent_of(call)[1] + STRIPE - 1) / STRIPE;
}

int cpu_create(const struct engine_call *call, void **self)
{
    const uint64_t room = extent_of(call)[0] + (uint64_t) 2 * RADIUS_MAX;
    struct instance *instance = call->host->scratch(call->host, sizeof *instance, ENGINE_HOST_MEMORY);
    uint16_t *sums = call->host->scratch(call->host, stripes_of(call) * room * sizeof *sums, ENGINE_HOST_MEMORY);
    if (!instance || !sums)
        return ENGINE_NO_MEMORY;
    *instance = (struct instance){rule_of(call->plan), room, sums};
    *self = instance;
    return 0;
}

/* Adds a row's cells, from -radius to width + radius, to the sums of their columns. */
static void add_row(uint16_t *sums, const uint8_t *row, int64_t radius, int64_t width)
{
    for (int64_t x = -radius; x < width + radius; x++)
        sums[x] = (uint16_t) (sums[x] + row[x]);
}

static void slide_columns(uint16_t *sums, const uint8_t *enters, const uint8_t *leaves, int64_t radius, int64_t width)
{
    for (int64_t x = -radius; x < width + radius; x++)
        sums[x] = (uint16_t) (sums[x] + enters[x] - leaves[x]);
}

static void take_row(const struct rule *rule, const uint16_t *sums, const uint8_t *row, uint8_t *result, int64_t width)
{
    const int64_t radius = rule->radius;
    uint32_t sum = 0;
    for (int64_t x = -radius; x < radius; x++)
        sum += sums[x];
    for (int64_t x = 0; x < width; x++) {
        sum += sums[x + radius];
        result[x] = next_cell(rule, row[x], sum);
        sum -= sums[x - radius];
    }
}

static void sweep_stripe(void *argument, uint64_t stripe)
{
    const struct sweep *sweep = argument;
    const struct engine_call *call = sweep->call;
    const struct rule *rule = &sweep->instance->rule;
    const int64_t width = (int64_t) extent_of(call)[0], height = (int64_t) extent_of(call)[1], radius = rule->radius;
    const int64_t begin = (int64_t) stripe * STRIPE, end = begin + STRIPE < height ? begin + STRIPE : height;
    uint16_t *sums = sweep->instance->sums + stripe * sweep->instance->room + RADIUS_MAX;
    memset(sums - RADIUS_MAX, 0, sweep->instance->room * sizeof *sums);
    for (int64_t y = begin - radius; y < begin + radius; y++)
        add_row(sums, row_at(call, call->current, y), radius, width);
    for (int64_t y = begin; y < end; y++) {
        if (y == begin)
            add_row(sums, row_at(call, call->current, y + radius), radius, width);
        else
            slide_columns(sums, row_at(call, call->current, y + radius), row_at(call, call->current, y - radius - 1),
                          radius, width);
        take_row(rule, sums, row_at(call, call->current, y), row_at(call, call->result, y), width);
    }
}

int cpu_advance(void *self, struct engine_call *call)
{
    struct sweep sweep = {call, self};
    call->host->parallel(call->host, stripes_of(call), sweep_stripe, &sweep);
    return 0;
}

int cpu_measure(void *self, const struct engine_call *call, double *values)
{
    (void) self;
    uint64_t population = 0;
    for (uint64_t y = 0; y < extent_of(call)[1]; y++)
        for (uint64_t x = 0; x < extent_of(call)[0]; x++)
            population += row_at(call, call->current, (int64_t) y)[x];
    values[POPULATION] = (double) population;
    return 0;
}
