/* life3d-packed on the CPU, by cpu_kernel.c: bit-sliced sums, all vectors and threads, several steps a pass. */
#include "cpu_kernel.h"
#include "packed.h"

#include <common/isa_choice.h>

#define PACKED_MAX_GROUP 4096 /* the most words of a group that the engine takes */

/* The instance. */
struct packed_cpu {
    const struct life3d_kernel *kernel;
    struct life3d_cut cut;
    void *workspace;
};

static const struct isa_kernel *const kernels[] = ISA_KERNELS(life3d_kernel);

int packed_cpu_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    return isa_probe(kernels, host, plan, PACKED_INSTRUCTIONS);
}

/* A row is one group of striped words: the neighbours of a cell along x are at the same bit of the words beside. */
int packed_cpu_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                      struct engine_layout *layout)
{
    const uint64_t words = life3d_row_words(engine_field_shape(plan, field)->extent[0]);
    if (words > PACKED_MAX_GROUP)
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "rows of more than %d cells are too wide", 64 * PACKED_MAX_GROUP);
    layout->cell_bits = 1;
    layout->word_bytes = 8;
    layout->order = ENGINE_ORDER_STRIPED;
    layout->group_words = (uint32_t) words;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y | ENGINE_AXIS_Z;
    return 0;
}

static struct life3d_cut cut_of(const struct engine_plan *plan, const struct life3d_kernel *kernel)
{
    const struct engine_shape *shape = engine_field_shape(plan, PACKED_CELLS);
    struct life3d_cut cut = {.width = shape->extent[0], .height = shape->extent[1], .depth = shape->extent[2]};
    for (uint32_t axis = 0; axis < 3; axis++)
        cut.dead[axis] = engine_plan_edge(plan, axis) == ENGINE_EDGE_DEAD;
    cut.threads = plan->threads;
    cut.steps_per_pass = (uint32_t) engine_param_integer(plan, PACKED_STEPS_PER_PASS);
    cut.strips = (uint64_t) engine_param_integer(plan, PACKED_STRIPS);
    cut.slabs = (uint64_t) engine_param_integer(plan, PACKED_SLABS);
    kernel->complete(&cut);
    return cut;
}

int packed_cpu_create(const struct engine_call *call, void **self)
{
    const struct engine_host *host = call->host;
    const struct life3d_kernel *kernel =
        (const struct life3d_kernel *) isa_choose(kernels, call->plan, PACKED_INSTRUCTIONS);
    const struct life3d_cut cut = cut_of(call->plan, kernel);
    const uint64_t bytes = kernel->workspace_bytes(&cut);
    if (bytes == 0)
        return ENGINE_FAIL(host, ENGINE_NO_MEMORY, "the grid has too many cells to be counted");
    struct packed_cpu *cpu = (struct packed_cpu *) host->scratch(host, sizeof *cpu, ENGINE_HOST_MEMORY);
    void *workspace = host->scratch(host, bytes, ENGINE_HOST_MEMORY);
    if (!cpu || !workspace)
        return ENGINE_NO_MEMORY;
    *cpu = (struct packed_cpu){kernel, cut, workspace};
    host->note(host, "instructions", "%s", kernel->isa.name);
    host->note(host, "steps_per_pass", "%u", cut.steps_per_pass);
    host->note(host, "strips", "%llu", (unsigned long long) cut.strips);
    host->note(host, "slabs", "%llu", (unsigned long long) cut.slabs);
    *self = cpu;
    return 0;
}

int packed_cpu_advance(void *self, struct engine_call *call)
{
    const struct packed_cpu *cpu = (const struct packed_cpu *) self;
    const struct engine_buffer *cells = engine_field_buffer(call, PACKED_CELLS);
    const struct life3d_rule rule = life3d_plan_rule(call->plan);
    const struct life3d_job job = {
        .cut = cpu->cut,
        .cells = {(uint64_t *) cells->origin[call->current], (uint64_t *) cells->origin[1 - call->current]},
        .steps = call->steps,
        .birth = rule.birth,
        .survive = rule.survive,
        .workspace = cpu->workspace,
    };
    const uint32_t moved = cpu->kernel->advance(&job);
    call->result = moved ? 1 - call->current : call->current;
    return 0;
}

/* The live cells of a row. Bits beyond the width do not count. */
static uint64_t row_population(const uint64_t *row, uint64_t width)
{
    const uint64_t words = life3d_row_words(width), longer = width % words, bits = width / words;
    uint64_t population = 0;
    for (uint64_t i = 0; i < words; i++) {
        const uint64_t unused = 64 - bits - (i < longer);
        population += (uint64_t) __builtin_popcountll(row[i] << (unused & 63));
    }
    return population;
}

int packed_cpu_measure(void *self, const struct engine_call *call, double *values)
{
    (void) self;
    const struct engine_buffer *cells = engine_field_buffer(call, PACKED_CELLS);
    const uint64_t *extent = cells->shape->extent, words = life3d_row_words(extent[0]);
    const uint64_t *row = (const uint64_t *) cells->origin[call->current];
    uint64_t population = 0;
    for (uint64_t i = call->begin[2] * extent[1]; i < call->end[2] * extent[1]; i++) /* planes are cut, rows are not */
        population += row_population(row + i * words, extent[0]);
    values[0] += (double) population;
    return 0;
}

/* 21 three-input operations on a word of 32 cells. A pass reads and writes the grid once. */
int packed_cpu_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost)
{
    (void) host;
    const struct life3d_kernel *kernel = (const struct life3d_kernel *) isa_choose(kernels, plan, PACKED_INSTRUCTIONS);
    cost->operation = ENGINE_OPS_LOGIC;
    cost->operations = 21.0 / 32;
    cost->bytes = 2.0 / 8 / (kernel ? cut_of(plan, kernel).steps_per_pass : 1);
    return 0;
}
