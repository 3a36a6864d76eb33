/* cpu: vectors and all threads. The particles of a frame are sorted by group, cell and part; where cells would leave
 * out too few pairs there is one cell. A unit of work is a block of up to BLOCK sorted particles with all its
 * neighbours in one row of counts. If it has many neighbours, its particles form couples, which are counted together.
 * Threads take units as they become free. Each thread has its own queue and counts, and integers add up to the same in
 * any order. The parts of a divided run take units in turn, because neighbouring units are alike: a particle of a row's
 * last units has fewer neighbours. */
#include "cpu_cells.h"

#include <common/divide.h>
#include <common/isa_choice.h>
#include <string.h>

enum {
    BLOCK = 64,               /* particles of a unit of work; a bit each */
    LISTED = 1024,            /* excluded pairs of a unit of work */
    OTHERS_FOR_COUPLES = 2048 /* finding couples takes a few percent of the time that so many others take */
};

/* An instance. */
struct cpu {
    struct rdf_plan plan;
    struct rdf_frame frame;
    struct rdf_cells cells;
    struct rdf_job job;
    const struct rdf_kernel *kernel;
    uint32_t threads;
    struct rdf_queue *queues;              /* one a thread */
    uint64_t *counts;                      /* of each thread: all rows, one after another */
    uint64_t *sums;                        /* of the call: all rows */
    uint64_t next;                         /* the first unit of this part that no thread has taken */
    uint32_t stride;                       /* from a unit of this part to the next: the number of parts */
    uint64_t first_unit[RDF_ROWS_MAX + 1]; /* of each row; the last is that of the excluded molecules */
    uint64_t first_listed, units;          /* the first unit of listed pairs */
    const double *transform;               /* of rdf_make_transform */
};

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

static const struct isa_kernel *const kernels[] = ISA_KERNELS(rdf_kernel);

int rdf_cpu_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    return isa_probe(kernels, host, plan, RDF_INSTRUCTIONS);
}

/* ---- The start --------------------------------------------------------------------------------------------------- */

static int make_queues(const struct engine_host *host, struct cpu *cpu)
{
    cpu->queues = (struct rdf_queue *) host->scratch(host, cpu->threads * sizeof *cpu->queues, ENGINE_HOST_MEMORY);
    const uint64_t bins_bytes = rdf_bins_of(&cpu->plan) * sizeof *cpu->counts;
    cpu->counts = (uint64_t *) host->scratch(host, cpu->threads * bins_bytes, ENGINE_HOST_MEMORY);
    cpu->sums = (uint64_t *) host->scratch(host, bins_bytes, ENGINE_HOST_MEMORY);
    uint32_t *couples = (uint32_t *) host->scratch(
        host, (uint64_t) cpu->threads * RDF_COUPLE_COUNTERS * sizeof *couples, ENGINE_HOST_MEMORY);
    if (!cpu->queues || !cpu->counts || !cpu->sums || !couples)
        return ENGINE_NO_MEMORY;
    memset(cpu->queues, 0, cpu->threads * sizeof *cpu->queues);
    memset(couples, 0, (uint64_t) cpu->threads * RDF_COUPLE_COUNTERS * sizeof *couples);
    for (uint32_t thread = 0; thread < cpu->threads; thread++)
        cpu->queues[thread].couples = couples + (uint64_t) thread * RDF_COUPLE_COUNTERS;
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
        status = rdf_frame_make(call, &cpu->plan, &cpu->frame);
    if (status == 0)
        status = rdf_cells_make(host, &cpu->plan, &cpu->cells);
    if (status == 0)
        status = rdf_make_transform(host, &cpu->plan, &cpu->transform);
    cpu->kernel = (const struct rdf_kernel *) isa_choose(kernels, call->plan, RDF_INSTRUCTIONS);
    cpu->threads = call->plan->threads;
    host->note(host, "instructions", "%s", cpu->kernel->isa.name);
    return status == 0 ? make_queues(host, cpu) : status;
}

/* ---- Units of work ----------------------------------------------------------------------------------------------- */

/* The sorted particles of a group. */
static struct rdf_run group_run(const struct cpu *cpu, uint32_t group)
{
    const uint32_t *begin = cpu->cells.begin;
    return (struct rdf_run){begin[group * cpu->cells.cells], begin[(group + 1) * cpu->cells.cells]};
}

static void list_units(struct cpu *cpu, const struct engine_part *part)
{
    const uint64_t blocks = divide_up(cpu->plan.particles, cpu->plan.exclude_block);
    uint64_t units = 0;
    for (uint32_t row = 0; row < cpu->plan.row_count; row++) {
        const struct rdf_run run = group_run(cpu, cpu->plan.rows[row].a);
        cpu->first_unit[row] = units;
        units += divide_up(run.end - run.begin, BLOCK);
    }
    cpu->first_unit[cpu->plan.row_count] = units;
    cpu->first_listed = units + (cpu->plan.exclude_block > 1 ? blocks : 0);
    cpu->units = cpu->first_listed + divide_up(cpu->frame.listed.count, LISTED);
    cpu->next = part->index;
    cpu->stride = part->count;
}

/* The particles of a block: couples, and those that have found no partner. */
struct block {
    uint32_t couple[BLOCK / 2][2], single[BLOCK];
    uint32_t couples, singles;
};

/* The largest d^2 of a couple, or 0 if there are no couples: with so many bins that a counter's number has more than 16
 * bits, and where bins are so narrow that the rounding of a difference along a periodic edge is no small part of
 * one. */
static float couple_square(const struct rdf_plan *plan)
{
    const float near = RDF_COUPLE_NEAR * plan->bins.width;
    float edge = 0;
    for (int axis = 0; axis < 3; axis++)
        edge = plan->box.periodic[axis] && plan->box.edge[axis] > edge ? plan->box.edge[axis] : edge;
    return plan->bins.count <= RDF_COUPLE_BINS && edge < 0x1p19f * plan->bins.width ? near * near : 0;
}

/* Finds couples among particles [begin, end): each takes the nearest of the later ones that are still free. */
static void find_couples(const struct cpu *cpu, uint64_t begin, uint64_t end, struct block *block)
{
    float *const *r = cpu->cells.wrapped;
    const float most = couple_square(&cpu->plan);
    uint64_t free = end - begin == BLOCK ? UINT64_MAX : (UINT64_C(1) << (end - begin)) - 1;
    block->couples = block->singles = 0;
    while (free) {
        const uint64_t i = begin + (uint64_t) __builtin_ctzll(free);
        uint64_t partner = i;
        float nearest = most;
        free &= free - 1;
        for (uint64_t rest = free; rest; rest &= rest - 1) {
            const uint64_t k = begin + (uint64_t) __builtin_ctzll(rest);
            const float square = rdf_square(&cpu->plan.box, r[0][i] - r[0][k], r[1][i] - r[1][k], r[2][i] - r[2][k]);
            if (square < nearest)
                nearest = square, partner = k;
        }
        if (partner == i) {
            block->single[block->singles++] = (uint32_t) i;
            continue;
        }
        block->couple[block->couples][0] = (uint32_t) i, block->couple[block->couples++][1] = (uint32_t) partner;
        free &= ~(UINT64_C(1) << (partner - begin));
    }
}

/* The pairs of a block's particles with each of the others. */
static void pairs_with(const struct cpu *cpu, struct rdf_queue *queue, const struct block *block, struct rdf_run others)
{
    cpu->kernel->couples(&cpu->job, queue, block->couple, block->couples, others.begin, others.end);
    for (uint32_t k = 0; k < block->singles; k++)
        cpu->kernel->pairs(&cpu->job, queue, block->single[k], block->single[k] + 1, others.begin, others.end);
}

/* Adds the displacements from a block's particles to each of the others to the spatial distribution. */
static void displacements_to(const struct cpu *cpu, uint64_t begin, uint64_t end, struct rdf_run others)
{
    float *const *r = cpu->cells.wrapped;
    for (uint64_t i = begin; i < end; i++)
        for (uint64_t j = others.begin; j < others.end; j++)
            rdf_spatial_add(&cpu->plan, cpu->frame.spatial, r[0][j] - r[0][i], r[1][j] - r[1][i], r[2][j] - r[2][i], 1);
}

/* Particles [begin, end) of group a, all of one cell, with their neighbours of group b: if a and b are the same, with
 * each other, with the later particles of the cell, and with those of the cells that follow. */
static void pairs_with_neighbours(const struct cpu *cpu, struct rdf_row row, struct rdf_queue *queue, uint64_t begin,
                                  uint64_t end)
{
    const struct rdf_cells *cells = &cpu->cells;
    const uint64_t number = cells->sorted_cell[begin], same = row.a == row.b;
    struct rdf_run runs[RDF_RUNS_MAX + 1];
    uint32_t count = rdf_cells_around(cells, row.b, number % cells->cells, (int) same, runs);
    uint64_t others = 0;
    if (same) {
        for (uint64_t i = begin; i + 1 < end; i++) {
            cpu->kernel->pairs(&cpu->job, queue, i, i + 1, i + 1, end);
            if (cpu->frame.spatial)
                displacements_to(cpu, i, i + 1, (struct rdf_run){i + 1, end});
        }
        runs[count++] = (struct rdf_run){end, cells->begin[number + 1]};
    }
    for (uint32_t r = 0; r < count; r++) {
        others += runs[r].end - runs[r].begin;
        if (cpu->frame.spatial)
            displacements_to(cpu, begin, end, runs[r]);
    }
    struct block block = {.couples = 0};
    if (others >= OTHERS_FOR_COUPLES && cells->parts > 1 && couple_square(&cpu->plan) > 0)
        find_couples(cpu, begin, end, &block);
    const int coupled = block.couples * UINT64_C(8) >= 3 * (end - begin); /* otherwise too many are left alone */
    for (uint32_t r = 0; r < count; r++)
        if (coupled)
            pairs_with(cpu, queue, &block, runs[r]);
        else
            cpu->kernel->pairs(&cpu->job, queue, begin, end, runs[r].begin, runs[r].end);
}

/* Counts what is queued into the row it belongs to. */
static void finish_row(const struct cpu *cpu, struct rdf_queue *queue)
{
    if (queue->counts)
        cpu->kernel->flush(&cpu->job, queue);
    queue->counts = NULL;
}

static void count_block(const struct cpu *cpu, uint32_t row, uint64_t block, struct rdf_queue *queue, uint64_t *counts)
{
    const struct rdf_cells *cells = &cpu->cells;
    const struct rdf_run group = group_run(cpu, cpu->plan.rows[row].a);
    uint64_t begin = group.begin + block * BLOCK;
    const uint64_t end = group.end - begin < BLOCK ? group.end : begin + BLOCK;
    if (queue->counts != counts + (uint64_t) row * cpu->plan.bins.count)
        finish_row(cpu, queue);
    queue->counts = counts + (uint64_t) row * cpu->plan.bins.count;
    while (begin < end) {
        const uint64_t cell_end = cells->begin[cells->sorted_cell[begin] + 1];
        const uint64_t next = cell_end < end ? cell_end : end;
        pairs_with_neighbours(cpu, cpu->plan.rows[row], queue, begin, next);
        begin = next;
    }
}

/* Takes the pairs of a molecule out of the counts. A thread's unsigned counts may wrap below 0; their sum is right. */
static void exclude_molecule(const struct cpu *cpu, uint64_t block, uint64_t *counts)
{
    const struct rdf_plan *plan = &cpu->plan;
    const uint64_t begin = block * plan->exclude_block, left = plan->particles - begin;
    const uint64_t end = begin + (left < plan->exclude_block ? left : plan->exclude_block);
    for (uint64_t i = begin; i < end; i++)
        for (uint64_t j = i + 1; j < end; j++)
            rdf_take_out(plan, &cpu->frame, i, j, counts);
}

/* The same for LISTED pairs of the file `exclude`. */
static void exclude_listed(const struct cpu *cpu, uint64_t unit, uint64_t *counts)
{
    const struct rdf_pairs *listed = &cpu->frame.listed;
    for (uint64_t k = unit * LISTED; k < listed->count && k < (unit + 1) * LISTED; k++)
        rdf_take_out(&cpu->plan, &cpu->frame, listed->at[k][0], listed->at[k][1], counts);
}

static void work_task(void *argument, uint64_t thread)
{
    struct cpu *cpu = (struct cpu *) argument;
    uint64_t *counts = cpu->counts + thread * rdf_bins_of(&cpu->plan);
    uint32_t row = 0;
    memset(counts, 0, rdf_bins_of(&cpu->plan) * sizeof *counts);
    for (;;) {
        const uint64_t unit = __atomic_fetch_add(&cpu->next, cpu->stride, __ATOMIC_RELAXED);
        if (unit >= cpu->units)
            break;
        while (row < cpu->plan.row_count && unit >= cpu->first_unit[row + 1])
            row++;
        if (row < cpu->plan.row_count)
            count_block(cpu, row, unit - cpu->first_unit[row], &cpu->queues[thread], counts);
        else if (unit < cpu->first_listed)
            exclude_molecule(cpu, unit - cpu->first_unit[row], counts);
        else
            exclude_listed(cpu, unit - cpu->first_listed, counts);
    }
    finish_row(cpu, &cpu->queues[thread]);
}

/* ---- A call ------------------------------------------------------------------------------------------------------ */

/* A step is a frame. Adds this part's share of it to cpu->sums. */
static int add_frame(struct cpu *cpu, const struct engine_call *call)
{
    const int status = rdf_frame_read(&cpu->plan, call, &cpu->frame);
    if (status != 0)
        return status;
    rdf_cells_sort(&cpu->plan, &cpu->frame, &cpu->cells);
    list_units(cpu, &call->plan->part);
    call->host->parallel(call->host, cpu->threads, work_task, cpu);
    for (uint64_t k = 0; k < rdf_bins_of(&cpu->plan); k++)
        for (uint32_t thread = 0; thread < cpu->threads; thread++)
            cpu->sums[k] += cpu->counts[thread * rdf_bins_of(&cpu->plan) + k];
    return 0;
}

/* All steps of a call have the same input, but each does the whole work again, so that rates are real. An error comes
 * in the first step, before anything has changed. */
int rdf_cpu_advance(void *self, struct engine_call *call)
{
    struct cpu *cpu = (struct cpu *) self;
    float *const *r = cpu->cells.wrapped, *const *s = cpu->cells.shuffled;
    int status = rdf_plan_read(call->host, call->plan, &cpu->plan);
    cpu->job = (struct rdf_job){cpu->plan.box, cpu->plan.bins, {r[0], r[1], r[2]}, {s[0], s[1], s[2]}};
    memset(cpu->sums, 0, rdf_bins_of(&cpu->plan) * sizeof *cpu->sums);
    for (uint64_t step = 0; status == 0 && step < call->steps; step++)
        status = add_frame(cpu, call);
    return status == 0 ? rdf_finish(&cpu->plan, call, &cpu->frame, cpu->transform, cpu->sums) : status;
}
