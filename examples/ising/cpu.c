/* ising on the CPU. A cell's random word follows from the seed, the step and the cell's place, so it does not matter
 * which thread takes which row. */
#include "ising.h"

enum { PIECE = 1024 }; /* random words that are made at a time */

struct instance {
    struct chances chances;
    uint64_t *alike, *up; /* one for each row, for cpu_measure */
};

/* A sweep over one colour. */
struct sweep {
    const struct engine_call *call;
    const struct chances *chances;
    uint64_t step;
    uint32_t colour;
};

int cpu_create(const struct engine_call *call, void **self)
{
    const uint64_t height = engine_field_shape(call->plan, SPIN)->extent[1];
    struct instance *instance = call->host->scratch(call->host, sizeof *instance, ENGINE_HOST_MEMORY);
    uint64_t *counts = call->host->scratch(call->host, 2 * height * sizeof *counts, ENGINE_HOST_MEMORY);
    if (!instance || !counts)
        return ENGINE_NO_MEMORY;
    *instance = (struct instance){chances_of(call->plan), counts, counts + height};
    *self = instance;
    return 0;
}

/* Row y of the torus; y is -1 to height. */
static uint8_t *row_at(const struct engine_call *call, uint64_t y)
{
    const struct engine_buffer *spins = engine_field_buffer(call, SPIN);
    const uint64_t height = spins->shape->extent[1];
    return engine_row(spins, call->current, (int64_t) ((y + height) % height), 0);
}

static void sweep_cells(const struct sweep *sweep, uint64_t y, uint64_t begin, uint64_t count, const uint32_t *words)
{
    const uint64_t width = engine_field_shape(sweep->call->plan, SPIN)->extent[0];
    const uint8_t *above = row_at(sweep->call, y - 1), *below = row_at(sweep->call, y + 1);
    uint8_t *row = row_at(sweep->call, y);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t x = cell_x(begin + i, y, sweep->colour);
        const uint64_t left = x > 0 ? x - 1 : width - 1, right = x + 1 < width ? x + 1 : 0;
        row[x] = turn(sweep->chances, row[x], (uint32_t) above[x] + below[x] + row[left] + row[right], words[i]);
    }
}

static void sweep_row(void *argument, uint64_t y)
{
    const struct sweep *sweep = argument;
    const struct engine_host *host = sweep->call->host;
    const struct engine_plan *plan = sweep->call->plan;
    const uint64_t width = engine_field_shape(plan, SPIN)->extent[0], cells = width / 2;
    uint32_t words[PIECE];
    for (uint64_t begin = 0; begin < cells; begin += PIECE) {
        const uint64_t count = cells - begin < PIECE ? cells - begin : PIECE;
        host->random(host, plan->seed, stream_of(sweep->step, sweep->colour), word_of(begin, y, width), count, words);
        sweep_cells(sweep, y, begin, count, words);
    }
}

int cpu_advance(void *self, struct engine_call *call)
{
    const struct instance *instance = self;
    const uint64_t height = engine_field_shape(call->plan, SPIN)->extent[1];
    for (uint64_t step = call->first_step; step < call->first_step + call->steps; step++)
        for (uint32_t colour = BLACK; colour < COLOURS; colour++) {
            struct sweep sweep = {call, &instance->chances, step, colour};
            call->host->parallel(call->host, height, sweep_row, &sweep);
        }
    return 0;
}

struct survey {
    const struct engine_call *call;
    const struct instance *instance;
};

/* Counts each cell with its neighbours to the right and below. */
static void survey_row(void *argument, uint64_t y)
{
    const struct survey *survey = argument;
    const uint64_t width = engine_field_shape(survey->call->plan, SPIN)->extent[0];
    const uint8_t *row = row_at(survey->call, y), *below = row_at(survey->call, y + 1);
    uint64_t up = 0, alike = row[width - 1] == row[0];
    for (uint64_t x = 0; x < width; x++) {
        up += row[x];
        alike += row[x] == below[x];
    }
    for (uint64_t x = 0; x + 1 < width; x++)
        alike += row[x] == row[x + 1];
    survey->instance->up[y] = up;
    survey->instance->alike[y] = alike;
}

int cpu_measure(void *self, const struct engine_call *call, double *values)
{
    const uint64_t height = engine_field_shape(call->plan, SPIN)->extent[1];
    struct survey survey = {call, self};
    struct counts counts = {0, 0};
    call->host->parallel(call->host, height, survey_row, &survey);
    for (uint64_t y = 0; y < height; y++) {
        counts.up += survey.instance->up[y];
        counts.alike += survey.instance->alike[y];
    }
    metrics_of(call->plan, counts, values);
    return 0;
}
