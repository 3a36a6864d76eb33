/* cpu: vectors and all threads. The particles of a frame are sorted by group and cell; where cells leave out too little
 * there is one. A unit of work is a block of up to BLOCK sorted particles with all that they meet in one row. Threads
 * take units as they come, each with a sink of its own, and whole numbers add up in any order. */
#include "cpu_cells.h"

#include <common/isa_choice.h>
#include <string.h>

enum { BLOCK = 64 };

/* An instance. */
struct cpu {
    struct rdf_plan plan;
    struct rdf_frame frame;
    struct rdf_cells cells;
    struct rdf_job job;
    const struct rdf_kernel *kernel;
    uint32_t threads;
    struct rdf_sink *sinks;                       /* one a thread */
    uint64_t *counts;                             /* of all rows, one after another, of each thread */
    uint64_t next;                                /* unit that no thread has taken */
    uint64_t first_unit[RDF_ROWS_MAX + 1], units; /* of each row; then the blocks of excluded pairs */
};

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

static const struct isa_kernel *const kernels[] = ISA_KERNELS(rdf_kernel);

int rdf_cpu_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    return isa_probe(kernels, host, plan, RDF_INSTRUCTIONS);
}

/* ---- The start --------------------------------------------------------------------------------------------------- */

static uint64_t bins_of(const struct cpu *cpu)
{
    return (uint64_t) cpu->plan.row_count * cpu->plan.bins.count;
}

static int make_sinks(const struct engine_host *host, struct cpu *cpu)
{
    cpu->sinks = (struct rdf_sink *) host->scratch(host, cpu->threads * sizeof *cpu->sinks, ENGINE_HOST_MEMORY);
    cpu->counts =
        (uint64_t *) host->scratch(host, cpu->threads * bins_of(cpu) * sizeof *cpu->counts, ENGINE_HOST_MEMORY);
    if (!cpu->sinks || !cpu->counts)
        return ENGINE_NO_MEMORY;
    memset(cpu->sinks, 0, cpu->threads * sizeof *cpu->sinks);
    return 0;
}

int rdf_cpu_create(const struct engine_call *call, void **self)
{
    const struct engine_host *host = call->host;
    struct cpu *cpu = (struct cpu *) host->scratch(host, sizeof *cpu, ENGINE_HOST_MEMORY);
    if (!cpu)
        return ENGINE_NO_MEMORY;
    *self = cpu;
    int status = rdf_plan_read(host, call->plan, &cpu->plan);
    if (status == 0)
        status = rdf_frame_make(host, &cpu->plan, &cpu->frame);
    if (status == 0)
        status = rdf_cells_make(host, &cpu->plan, &cpu->cells);
    cpu->kernel = (const struct rdf_kernel *) isa_choose(kernels, call->plan, RDF_INSTRUCTIONS);
    cpu->threads = call->plan->threads;
    host->note(host, "instructions", "%s", cpu->kernel->isa.name);
    return status == 0 ? make_sinks(host, cpu) : status;
}

/* ---- Units of work ----------------------------------------------------------------------------------------------- */

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* A group's sorted particles. */
static struct rdf_run group_run(const struct cpu *cpu, uint32_t group)
{
    const uint32_t *begin = cpu->cells.begin;
    return (struct rdf_run){begin[group * cpu->cells.cells], begin[(group + 1) * cpu->cells.cells]};
}

static void list_units(struct cpu *cpu)
{
    const uint64_t blocks = divide_up(cpu->plan.particles, cpu->plan.exclude_block);
    uint64_t units = 0;
    for (uint32_t row = 0; row < cpu->plan.row_count; row++) {
        const struct rdf_run run = group_run(cpu, cpu->plan.rows[row].a);
        cpu->first_unit[row] = units;
        units += divide_up(run.end - run.begin, BLOCK);
    }
    cpu->first_unit[cpu->plan.row_count] = units;
    cpu->units = units + (cpu->plan.exclude_block > 1 ? blocks : 0);
    cpu->next = 0;
}

/* Particles [begin, end), all of one cell, with each other and with what comes behind them in it. */
static void meet_behind(const struct cpu *cpu, struct rdf_sink *sink, uint64_t begin, uint64_t end, uint64_t cell_end)
{
    for (uint64_t i = begin; i + 1 < end; i++)
        cpu->kernel->meet(&cpu->job, sink, i, i + 1, i + 1, end);
    cpu->kernel->meet(&cpu->job, sink, begin, end, end, cell_end);
}

/* Particles [begin, end) of group a, all of one cell, with those of group b. */
static void meet_all(const struct cpu *cpu, struct rdf_row row, struct rdf_sink *sink, uint64_t begin, uint64_t end)
{
    const struct rdf_cells *cells = &cpu->cells;
    const uint64_t number = cells->sorted_cell[begin], same = row.a == row.b;
    struct rdf_run runs[RDF_RUNS_MAX];
    const uint32_t count = rdf_cells_around(cells, row.b, number % cells->cells, (int) same, runs);
    if (same)
        meet_behind(cpu, sink, begin, end, cells->begin[number + 1]);
    for (uint32_t r = 0; r < count; r++)
        cpu->kernel->meet(&cpu->job, sink, begin, end, runs[r].begin, runs[r].end);
}

static void do_block(const struct cpu *cpu, uint32_t row, uint64_t block, struct rdf_sink *sink, uint64_t *counts)
{
    const struct rdf_cells *cells = &cpu->cells;
    const struct rdf_run group = group_run(cpu, cpu->plan.rows[row].a);
    uint64_t begin = group.begin + block * BLOCK;
    const uint64_t end = group.end - begin < BLOCK ? group.end : begin + BLOCK;
    sink->counts = counts + (uint64_t) row * cpu->plan.bins.count;
    while (begin < end) {
        const uint64_t cell_end = cells->begin[cells->sorted_cell[begin] + 1];
        const uint64_t next = cell_end < end ? cell_end : end;
        meet_all(cpu, cpu->plan.rows[row], sink, begin, next);
        begin = next;
    }
    cpu->kernel->flush(&cpu->job, sink);
}

/* Takes the pairs of a block of consecutive particles out again: whole numbers pass below 0 and come back. */
static void exclude(const struct cpu *cpu, uint64_t block, uint64_t *counts)
{
    const struct rdf_plan *plan = &cpu->plan;
    float *const *place = cpu->frame.place;
    const uint64_t begin = block * plan->exclude_block, left = plan->particles - begin;
    const uint64_t end = begin + (left < plan->exclude_block ? left : plan->exclude_block);
    for (uint64_t i = begin; i < end; i++)
        for (uint64_t j = i + 1; j < end; j++) {
            const uint32_t bin = rdf_bin(&plan->bins, rdf_square(&plan->box, place[0][i] - place[0][j],
                                                                 place[1][i] - place[1][j], place[2][i] - place[2][j]));
            for (uint32_t row = 0; bin < plan->bins.count && row < plan->row_count; row++)
                if (rdf_in_row(plan->rows[row], cpu->frame.group[i], cpu->frame.group[j]))
                    counts[(uint64_t) row * plan->bins.count + bin]--;
        }
}

static void work_task(void *argument, uint64_t thread)
{
    struct cpu *cpu = (struct cpu *) argument;
    uint64_t *counts = cpu->counts + thread * bins_of(cpu);
    uint32_t row = 0;
    memset(counts, 0, bins_of(cpu) * sizeof *counts);
    for (;;) {
        const uint64_t unit = __atomic_fetch_add(&cpu->next, 1, __ATOMIC_RELAXED);
        if (unit >= cpu->units)
            return;
        while (row < cpu->plan.row_count && unit >= cpu->first_unit[row + 1])
            row++;
        if (row < cpu->plan.row_count)
            do_block(cpu, row, unit - cpu->first_unit[row], &cpu->sinks[thread], counts);
        else
            exclude(cpu, unit - cpu->first_unit[row], counts);
    }
}

/* ---- A call ------------------------------------------------------------------------------------------------------ */

/* A step is a frame. */
static int add_frame(struct cpu *cpu, const struct engine_call *call)
{
    uint64_t *counts = (uint64_t *) engine_field_buffer(call, RDF_COUNTS)->origin[0];
    const int status = rdf_frame_read(&cpu->plan, call, &cpu->frame);
    if (status != 0)
        return status;
    rdf_cells_sort(&cpu->plan, &cpu->frame, &cpu->cells);
    list_units(cpu);
    call->host->parallel(call->host, cpu->threads, work_task, cpu);
    for (uint64_t k = 0; k < bins_of(cpu); k++)
        for (uint32_t thread = 0; thread < cpu->threads; thread++)
            counts[k] += cpu->counts[thread * bins_of(cpu) + k];
    return 0;
}

/* The input stays as it is during a call, and yet every step does its work anew: so a rate means what it says. What
 * fails does so in the first step, with nothing changed. */
int rdf_cpu_advance(void *self, struct engine_call *call)
{
    struct cpu *cpu = (struct cpu *) self;
    float *const *place = cpu->cells.place;
    int status = rdf_plan_read(call->host, call->plan, &cpu->plan);
    cpu->job = (struct rdf_job){cpu->plan.box, cpu->plan.bins, place[0], place[1], place[2]};
    for (uint64_t step = 0; status == 0 && step < call->steps; step++)
        status = add_frame(cpu, call);
    if (status == 0)
        rdf_finish(&cpu->plan, call, &cpu->frame);
    return status;
}
