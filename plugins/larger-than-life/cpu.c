/* larger-than-life on the CPU: the layout, and the tasks of the kernels in cpu_kernel.c. */
#include "cpu_kernel.h"

#include <common/isa_choice.h>

static const struct isa_kernel *const kernels[] = ISA_KERNELS(ltl_kernel);

struct instance {
    const struct ltl_kernel *kernel;
    int planes; /* does the kernel compute with bit planes? Then `bits` is the rule, else `count` */
    struct bit_rule bits;
    struct ltl_count count;
    struct ltl_wide *wide; /* of a radius above LTL_RADIUS_MAX, or NULL */
};

/* Kernels of bit planes read whole vectors, also where a row ends, so they may read up to 128 bytes of the next row.
 * The first row's squares lose the row above them. So there is one row of ghosts more than the radius on each side.
 * The other kernels read bytes, and no ghosts but those of the reach. */
int ltl_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
               struct engine_layout *layout)
{
    struct ltl_rule rule;
    struct bit_rule bits;
    ltl_plan_rule(plan, &rule);
    if (!ltl_bit_rule(&rule, &bits))
        return ltl_serial_layout(host, plan, field, layout);
    layout->cell_bits = 1;
    layout->word_bytes = sizeof(uint32_t);
    layout->row_align = 128;
    layout->ghost[1] = LTL_RADIUS_MAX + 1;
    return 0;
}

int ltl_cpu_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    const int status = ltl_probe(host, plan);
    return status != 0 ? status : isa_probe(kernels, host, plan, LTL_INSTRUCTIONS);
}

/* Writes the ranges of counts, or returns their number if `ranges` is NULL. */
static uint32_t list_ranges(const struct ltl_rule *rule, int cell, struct ltl_range *ranges)
{
    uint32_t number = 0;
    for (uint32_t n = 0; n <= rule->most; n++) {
        const uint32_t first = n;
        while (n <= rule->most && ltl_holds(rule->counts[cell], (int32_t) n))
            n++;
        if (n > first && ranges)
            ranges[number] = (struct ltl_range){(uint16_t) first, (uint16_t) (n - 1 - first)};
        number += n > first;
    }
    return number;
}

static void *scratch(const struct engine_call *call, uint64_t count, size_t size)
{
    return call->host->scratch(call->host, (count + 1) * size, ENGINE_HOST_MEMORY);
}

static int prepare_count(const struct engine_call *call, const struct ltl_rule *rule, struct ltl_count *count)
{
    const uint64_t *extent = engine_field_shape(call->plan, LTL_CELLS)->extent;
    *count = (struct ltl_count){.shape = ltl_sums_of(rule, extent, LTL_CHUNK),
                                .last = (uint8_t) (rule->states - 1),
                                .radius = rule->radius,
                                .width = (int64_t) extent[0],
                                .height = (int64_t) extent[1],
                                .pitch = engine_field_buffer(call, LTL_CELLS)->row_stride};
    memcpy(count->state_weight, rule->state_weight, sizeof count->state_weight);
    for (int cell = 0; cell < LTL_CONDITIONS; cell++) {
        count->range_counts[cell] = list_ranges(rule, cell, NULL);
        struct ltl_range *ranges = scratch(call, count->range_counts[cell], sizeof *ranges);
        if (!ranges)
            return ENGINE_NO_MEMORY;
        list_ranges(rule, cell, ranges);
        count->ranges[cell] = ranges;
    }
    struct ltl_tap *whole = scratch(call, LTL_TAPS_MAX, sizeof *whole);
    struct ltl_tap *other = scratch(call, LTL_TAPS_MAX, sizeof *other);
    uint16_t *sums = scratch(call, (uint64_t) count->shape.count, sizeof *sums);
    if (!whole || !other || !sums)
        return ENGINE_NO_MEMORY;
    count->taps = ltl_find_taps(rule, count->shape.pitch, whole, other);
    count->whole = whole, count->other = other;
    count->sums = sums + count->shape.origin;
    return 0;
}

int ltl_cpu_create(const struct engine_call *call, void **self)
{
    struct instance *own = scratch(call, 0, sizeof *own);
    struct ltl_rule rule;
    if (!own)
        return ENGINE_NO_MEMORY;
    ltl_plan_rule(call->plan, &rule);
    own->kernel = isa_choose(kernels, call->plan, LTL_INSTRUCTIONS);
    own->planes = ltl_bit_rule(&rule, &own->bits);
    call->host->note(call->host, "instructions", "%s", own->kernel->isa.name);
    *self = own;
    own->wide = rule.radius > LTL_RADIUS_MAX ? ltl_wide_create(call, &rule) : NULL;
    if (rule.radius > LTL_RADIUS_MAX)
        return own->wide ? 0 : ENGINE_NO_MEMORY;
    return own->planes ? 0 : prepare_count(call, &rule, &own->count);
}

/* ---- Steps ----------------------------------------------------------------------------------------------------- */

enum { ROWS = 64, SUM_ROWS = 16 }; /* of a task */

struct task {
    const struct ltl_kernel *kernel;
    const void *job;
    int64_t begin, end, rows;
    void (*take)(const struct task *task, int64_t begin, int64_t end);
};

static void take_planes(const struct task *task, int64_t begin, int64_t end)
{
    task->kernel->take_rows(task->job, begin, end);
}

static void take_sums(const struct task *task, int64_t begin, int64_t end)
{
    task->kernel->sum_rows(task->job, begin, end);
}

static void take_counts(const struct task *task, int64_t begin, int64_t end)
{
    task->kernel->count_rows(task->job, begin, end);
}

static void take_band(void *argument, uint64_t band)
{
    const struct task *task = argument;
    const int64_t begin = task->begin + (int64_t) band * task->rows, end = begin + task->rows;
    task->take(task, begin, end < task->end ? end : task->end);
}

static void take(const struct engine_call *call, struct task task)
{
    call->host->parallel(call->host, (uint64_t) ((task.end - task.begin + task.rows - 1) / task.rows), take_band,
                         &task);
}

int ltl_cpu_advance(void *self, struct engine_call *call)
{
    const struct instance *own = self;
    const struct engine_buffer *buffer = engine_field_buffer(call, LTL_CELLS);
    const int64_t width = (int64_t) buffer->shape->extent[0], height = (int64_t) buffer->shape->extent[1];
    if (own->wide) {
        ltl_wide_advance(own->wide, call);
        return 0;
    }
    if (own->planes) {
        const struct march march = {.rule = own->bits,
                                    .width = width,
                                    .height = height,
                                    .pitch = buffer->row_stride / (int64_t) sizeof(uint32_t),
                                    .cells = buffer->origin[call->current],
                                    .result = buffer->origin[call->result]};
        take(call, (struct task){own->kernel, &march, 0, height, ROWS, take_planes});
        return 0;
    }
    struct ltl_count count = own->count;
    count.cells = buffer->origin[call->current];
    count.result = buffer->origin[call->result];
    take(call, (struct task){own->kernel, &count, -count.radius, height + count.radius, SUM_ROWS, take_sums});
    take(call, (struct task){own->kernel, &count, 0, height, ROWS, take_counts});
    return 0;
}

static int measure_planes(const struct engine_call *call, double *values)
{
    const struct engine_buffer *cells = engine_field_buffer(call, LTL_CELLS);
    const uint64_t width = cells->shape->extent[0];
    uint64_t population = 0;
    for (uint64_t y = call->begin[1]; y < call->end[1]; y++) {
        const uint32_t *row = engine_row(cells, call->current, (int64_t) y, 0);
        for (uint64_t word = 0; word < width / WORD; word++)
            population += (uint64_t) __builtin_popcount(row[word]);
        if (width % WORD)
            population += (uint64_t) __builtin_popcount(row[width / WORD] << (WORD - width % WORD));
    }
    values[LTL_POPULATION] += (double) population; /* of the parts before */
    return 0;
}

int ltl_cpu_measure(void *self, const struct engine_call *call, double *values)
{
    const struct instance *own = self;
    return own->planes ? measure_planes(call, values) : ltl_serial_measure(self, call, values);
}
