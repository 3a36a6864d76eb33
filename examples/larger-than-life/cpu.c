/* larger-than-life on the CPU: the reference, which adds up (2 R + 1)^2 cells for each cell, and the tasks of the bit
 * planes. strips.c has their kernel. */
#include "strips.h"

static void *row_at(const struct engine_call *call, uint32_t which, int64_t y)
{
    return engine_row(engine_field_buffer(call, CELLS), which, y, 0);
}

static const uint64_t *extent_of(const struct engine_call *call)
{
    return engine_field_shape(call->plan, CELLS)->extent;
}

/* ---- The reference: a byte a cell -------------------------------------------------------------------------- */

static uint32_t sum_of_square(const struct engine_call *call, int64_t x, int64_t y, int64_t radius)
{
    uint32_t sum = 0;
    for (int64_t j = y - radius; j <= y + radius; j++) {
        const uint8_t *row = row_at(call, call->current, j);
        for (int64_t i = x - radius; i <= x + radius; i++)
            sum += row[i];
    }
    return sum;
}

/* The next state of a cell. `sum` is the number of live cells in the square around it, the cell included. */
static uint8_t next_cell(const struct rule *rule, uint8_t cell, uint32_t sum)
{
    const uint32_t count = sum - (rule->middle ? 0 : cell);
    return count >= rule->least[cell] && count <= rule->most[cell];
}

/* The ghosts are as deep as the largest radius, so every cell's whole square exists. */
int serial_advance(void *self, struct engine_call *call)
{
    (void) self;
    const struct rule rule = rule_of(call->plan);
    for (int64_t y = 0; y < (int64_t) extent_of(call)[1]; y++) {
        const uint8_t *row = row_at(call, call->current, y);
        uint8_t *result = row_at(call, call->result, y);
        for (int64_t x = 0; x < (int64_t) extent_of(call)[0]; x++)
            result[x] = next_cell(&rule, row[x], sum_of_square(call, x, y, rule.radius));
    }
    return 0;
}

int serial_measure(void *self, const struct engine_call *call, double *values)
{
    (void) self;
    uint64_t population = 0;
    for (uint64_t y = call->begin[1]; y < call->end[1]; y++) {
        const uint8_t *row = row_at(call, call->current, (int64_t) y);
        for (uint64_t x = 0; x < extent_of(call)[0]; x++)
            population += row[x];
    }
    values[POPULATION] += (double) population; /* of the parts before */
    return 0;
}

/* ---- Bit planes: a bit a cell, for cpu and cuda -------------------------------------------------------------- */

/* Kernels read whole vectors, also where a row ends, so they may read up to 128 bytes of the next row. The first row's
 * squares lose the row above them. So there is one row of ghosts more than the radius on each side. */
int bits_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->cell_bits = 1;
    layout->word_bytes = sizeof(uint32_t);
    layout->row_align = 128;
    layout->ghost[1] = RADIUS_MAX + 1;
    return 0;
}

/* The kernel for the processor's instructions. */
static void (*choose_kernel(void))(const struct march *, int64_t, int64_t)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return take_rows_v4;
    if (__builtin_cpu_supports("avx2"))
        return take_rows_v3;
#endif
    return take_rows;
}

enum { ROWS = 64 }; /* of a task */

static void take_band(void *argument, uint64_t band)
{
    const struct march *march = argument;
    const int64_t begin = (int64_t) band * ROWS, end = begin + ROWS;
    choose_kernel()(march, begin, end < march->height ? end : march->height);
}

int cpu_advance(void *self, struct engine_call *call)
{
    (void) self;
    const struct engine_buffer *buffer = engine_field_buffer(call, CELLS);
    struct march march = {.rule = bit_rule_of(call->plan),
                          .width = (int64_t) extent_of(call)[0],
                          .height = (int64_t) extent_of(call)[1],
                          .pitch = buffer->row_stride / (int64_t) sizeof(uint32_t),
                          .cells = buffer->origin[call->current],
                          .result = buffer->origin[call->result]};
    call->host->parallel(call->host, ((uint64_t) march.height + ROWS - 1) / ROWS, take_band, &march);
    return 0;
}

int cpu_measure(void *self, const struct engine_call *call, double *values)
{
    (void) self;
    const uint64_t width = extent_of(call)[0];
    uint64_t population = 0;
    for (uint64_t y = call->begin[1]; y < call->end[1]; y++) {
        const uint32_t *row = row_at(call, call->current, (int64_t) y);
        for (uint64_t word = 0; word < width / WORD; word++)
            population += (uint64_t) __builtin_popcount(row[word]);
        if (width % WORD)
            population += (uint64_t) __builtin_popcount(row[width / WORD] << (WORD - width % WORD));
    }
    values[POPULATION] += (double) population; /* of the parts before */
    return 0;
}
