/* life2d-lut on the CPU.
 *
 *   cpu-serial   the reference: one thread, four cells a lookup in the table of 6 x 3 cells, on the engine's ghosts
 *   cpu          all threads, a band of rows each, by tables in memory (cpu_tables.c) or registers (cpu_permute.c) */
#include "cpu.h"

/* ---- cpu-serial --------------------------------------------------------------------------------------------- */

/* Bytes of eight cells, and a byte of ghosts on the left and on the right. */
int lut_serial_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                      struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->cell_bits = 1;
    layout->word_bytes = 1;
    layout->ghost[0] = 8;
    return 0;
}

/* Columns 0 … 3 of three rows of six cells, as 12 bits. */
static uint32_t four_columns(uint32_t index)
{
    return (index & 15) | (index >> 2 & 15 << 4) | (index >> 4 & 15 << 8);
}

/* Every entry is two entries of 4 x 3 cells, whose table is 64 times smaller. */
static void fill_from_fours(const struct life_rule *rule, uint8_t *table)
{
    uint8_t two[1 << 12];
    for (uint32_t index = 0; index < sizeof two; index++)
        for (uint32_t x = two[index] = 0; x < 2; x++)
            two[index] |= (uint8_t) (lut_next(rule, index & 15, index >> 4 & 15, index >> 8, x) << x);
    for (uint32_t index = 0; index < LUT_6X3_ENTRIES; index++)
        table[index] = (uint8_t) (two[four_columns(index)] | two[four_columns(index >> 2)] << 2);
}

int lut_serial_create(const struct engine_call *call, void **self)
{
    uint8_t *table = (uint8_t *) call->host->scratch(call->host, LUT_6X3_ENTRIES, ENGINE_HOST_MEMORY);
    if (!table)
        return ENGINE_NO_MEMORY;
    const struct life_rule rule = life_plan_rule(call->plan);
    fill_from_fours(&rule, table);
    *self = table;
    return 0;
}

/* Cells -8 … 15 around a byte: cell x is bit x + 8. */
static uint32_t around(const uint8_t *byte)
{
    return (uint32_t) byte[-1] | (uint32_t) byte[0] << 8 | (uint32_t) byte[1] << 16;
}

/* The next four cells from cell x of three rows on. */
static uint32_t next_four(const uint8_t *table, uint32_t above, uint32_t here, uint32_t below, uint32_t x)
{
    const uint32_t left = x + 7; /* the bit of cell x - 1 */
    return table[(above >> left & 63) | (here >> left & 63) << 6 | (below >> left & 63) << 12];
}

int lut_serial_advance(void *self, struct engine_call *call)
{
    const uint8_t *table = (const uint8_t *) self;
    const struct engine_buffer *cells = engine_field_buffer(call, LUT_CELLS);
    const uint64_t row_bytes = (cells->shape->extent[0] + 7) / 8;
    for (uint64_t y = 0; y < cells->shape->extent[1]; y++) {
        const int64_t row = (int64_t) y * cells->row_stride;
        const uint8_t *source = (const uint8_t *) cells->origin[call->current] + row;
        uint8_t *result = (uint8_t *) cells->origin[call->result] + row;
        for (uint64_t i = 0; i < row_bytes; i++) {
            const uint32_t above = around(source + i - cells->row_stride), here = around(source + i),
                           below = around(source + i + cells->row_stride);
            result[i] =
                (uint8_t) (next_four(table, above, here, below, 0) | next_four(table, above, here, below, 4) << 4);
        }
    }
    return 0;
}

int lut_serial_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost)
{
    (void) host, (void) plan;
    cost->operation = ENGINE_OPS_LOOKUP;
    cost->operations = 1.0 / 4;
    cost->bytes = 2.0 / 8;
    return 0;
}

/* ---- cpu ---------------------------------------------------------------------------------------------------- */

/* The instance. */
struct lut_cpu {
    const struct lut_method *method;
    uint8_t *table;
    uint8_t *workspace;
    uint64_t workspace_bytes; /* of each band */
    uint32_t bands;
};

/* The method for the parameter `table` on this machine. NULL: it has none. */
static const struct lut_method *find_method(const struct engine_plan *plan)
{
    switch (engine_param_integer(plan, LUT_TABLE)) {
    case LUT_TABLE_6X3:
        return &lut_method_6x3;
    case LUT_TABLE_4X4:
        return &lut_method_4x4;
    case LUT_TABLE_SUMS:
        return lut_sums_usable() && life_plan_rule(plan).counts ? &lut_method_sums : NULL;
    default:
        return lut_sums_usable() && life_plan_rule(plan).counts ? &lut_method_sums : &lut_method_4x4;
    }
}

int lut_cpu_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    if (find_method(plan))
        return 0;
    if (!life_plan_rule(plan).counts)
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, LUT_SUMS_COUNT, engine_param_text(plan, LUT_RULE));
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED,
                       "table = sums needs a processor with AVX-512 VBMI; 4x4 and 6x3 run on any");
}

static void fill_table(const struct lut_method *method, const struct life_rule *rule, uint8_t *table)
{
    if (method->prepare)
        method->prepare(rule, table);
    else
        for (uint32_t index = 0; index < method->entries; index++)
            table[index] = (uint8_t) method->entry(rule, index);
}

int lut_cpu_create(const struct engine_call *call, void **self)
{
    const struct engine_host *host = call->host;
    const struct engine_shape *shape = engine_field_shape(call->plan, LUT_CELLS);
    const struct lut_method *method = find_method(call->plan);
    const uint32_t bands = shape->extent[1] < call->plan->threads ? (uint32_t) shape->extent[1] : call->plan->threads;
    const uint64_t bytes = (method->workspace_bytes(shape->extent[0]) + 4095) / 4096 * 4096;
    struct lut_cpu *cpu = (struct lut_cpu *) host->scratch(host, sizeof *cpu, ENGINE_HOST_MEMORY);
    uint8_t *table = (uint8_t *) host->scratch(host, method->entries, ENGINE_HOST_MEMORY);
    uint8_t *workspace = (uint8_t *) host->scratch(host, bytes * bands, ENGINE_HOST_MEMORY);
    if (!cpu || !table || !workspace)
        return ENGINE_NO_MEMORY;
    *cpu = (struct lut_cpu){method, table, workspace, bytes, bands};
    const struct life_rule rule = life_plan_rule(call->plan);
    fill_table(method, &rule, table);
    host->note(host, "table", "%s", method->name);
    *self = cpu;
    return 0;
}

/* One step. `whole` has the members that all bands share. */
struct step {
    const struct lut_cpu *cpu;
    struct lut_band whole;
};

static void step_band(void *argument, uint64_t index)
{
    const struct step *step = (const struct step *) argument;
    const struct lut_cpu *cpu = step->cpu;
    struct lut_band band = step->whole;
    band.begin = band.height * index / cpu->bands;
    band.end = band.height * (index + 1) / cpu->bands;
    band.workspace = cpu->workspace + index * cpu->workspace_bytes;
    cpu->method->step(&band);
}

int lut_cpu_advance(void *self, struct engine_call *call)
{
    const struct lut_cpu *cpu = (const struct lut_cpu *) self;
    const struct engine_buffer *cells = engine_field_buffer(call, LUT_CELLS);
    struct step step = {.cpu = cpu,
                        .whole = {.row_words = (uint64_t) cells->row_stride / 8,
                                  .width = cells->shape->extent[0],
                                  .height = cells->shape->extent[1],
                                  .dead_x = engine_plan_edge(call->plan, 0) == ENGINE_EDGE_DEAD,
                                  .dead_y = engine_plan_edge(call->plan, 1) == ENGINE_EDGE_DEAD,
                                  .table = cpu->table}};
    uint32_t from = call->current;
    for (uint64_t taken = 0; taken < call->steps; taken++, from ^= 1) {
        step.whole.source = (const uint64_t *) cells->origin[from];
        step.whole.result = (uint64_t *) cells->origin[from ^ 1];
        call->host->parallel(call->host, cpu->bands, step_band, &step);
    }
    call->result = from;
    return 0;
}

int lut_cpu_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost)
{
    (void) host;
    const struct lut_method *method = find_method(plan);
    cost->operation = ENGINE_OPS_LOOKUP;
    cost->operations = method ? 1 / method->cells_per_lookup : 0;
    cost->bytes = 2.0 / 8;
    return 0;
}
