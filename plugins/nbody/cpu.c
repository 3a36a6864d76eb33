/* cpu: vectors and all threads. The bodies are divided into blocks by their number alone, and the attraction between
 * blocks is added in double in a fixed order, so that the number and timing of threads change no bit.
 *
 *   plain   A task is a block: it adds the attraction of blocks 0, 1, 2, ...
 *   pairs   With n blocks there are rounds 0 to n / 2. In round r, block b is paired with block b + r (mod n). In round
 *           0 it is paired with itself, and computes each pair from both sides. A task is a block through several
 *           rounds. The attraction on the block is added to its sums. The attraction on the other block goes into the
 *           slot of the round, of which each block has one:
 *
 *               n = 4       block 0    block 1    block 2    block 3        its slot of the round gets sums for block
 *               round 1       1          2          3          0
 *               round 2       2          3          -          -
 *
 *           Then each block adds what the slots of others hold for it.
 *
 * The parts of a divided run take whole blocks through all rounds, in the same order. They gather the slots before the
 * blocks add them up, and in the end the accelerations. */
#include "cpu.h"
#include "cpu_kernel.h"

#include <common/divide.h>
#include <common/isa_choice.h>
#include <string.h>

/* An instance. */
struct cpu {
    struct nbody_solver solver;
    const struct engine_host *host;
    const struct nbody_kernel *kernel;
    int pairs;            /* 1: the form `pairs` */
    struct nbody_job job; /* in the plan's precision */
    void *numbers;        /* the job's arrays: mass, x, y, z and, for jerks, velocities; `padded` each */
    double *potentials;   /* one for each block */
};

/* ---- Kernels ---------------------------------------------------------------------------------------------------- */

static const struct isa_kernel *const kernels[] = ISA_KERNELS(nbody_kernel);

int nbody_cpu_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    return isa_probe(kernels, host, plan, NBODY_INSTRUCTIONS);
}

/* ---- Bodies in the kernels' layout ------------------------------------------------------------------------------- */

/* Copies `count` numbers, and fills up to `padded` with *filler: padding has no mass and the position of the first
 * body. */
static void load(void *to, const void *from, uint64_t count, uint64_t padded, uint64_t size, const void *filler)
{
    memcpy(to, from, count * size);
    for (uint64_t i = count; i < padded; i++)
        memcpy((char *) to + i * size, filler, size);
}

/* Loads masses, positions and, unless that is NULL, velocities. */
static void load_bodies(const struct cpu *cpu, const struct engine_call *call, const void *position,
                        const void *velocity)
{
    static const double nothing = 0;
    const struct nbody_job *job = &cpu->job;
    const uint64_t size = nbody_number_bytes(&cpu->solver.plan);
    const void *const vectors[] = {position, velocity};
    char *to = (char *) cpu->numbers;
    load(to, nbody_origin(call, NBODY_MASS), job->count, job->padded, size, &nothing);
    for (int v = 0; v < 2 && vectors[v]; v++)
        for (uint64_t c = 0; c < 3; c++) {
            const char *from = (const char *) vectors[v] + c * job->count * size;
            load(to += job->padded * size, from, job->count, job->padded, size, from);
        }
}

static void set_arrays(struct nbody_job *job, void *numbers, uint64_t size)
{
    const void **const arrays[] = {&job->mass, &job->x, &job->y, &job->z, &job->vx, &job->vy, &job->vz};
    for (uint64_t a = 0; a < sizeof arrays / sizeof arrays[0]; a++)
        *arrays[a] = (char *) numbers + a * job->padded * size;
}

/* ---- Forces ----------------------------------------------------------------------------------------------------- */

/* Rounds [first, end), as tasks see them. */
struct phase {
    const struct nbody_job *job;
    const struct nbody_forces *forces;
    uint64_t blocks, first, end;
    uint64_t own, own_end; /* the blocks of this part; task i is about block own + i */
};

static struct phase all_blocks(const struct cpu *cpu, const struct engine_plan *plan)
{
    const uint64_t blocks = nbody_blocks(&cpu->job);
    return (struct phase){.job = &cpu->job,
                          .forces = &cpu->kernel->forces[cpu->solver.plan.precision],
                          .blocks = blocks,
                          .own = engine_share_begin(plan->part.index, plan->part.count, blocks),
                          .own_end = engine_share_begin(plan->part.index + 1, plan->part.count, blocks)};
}

/* Bytes of the slots of a block. */
static uint64_t slots_bytes(const struct nbody_job *job, uint64_t number_bytes)
{
    return job->slot_count * 3 * job->block * number_bytes;
}

/* Every block is both the first of a pair and the second of another. In round n / 2 of an even n, half are first and
 * half are second. */
static int is_first(const struct phase *phase, uint64_t round, uint64_t block)
{
    return 2 * round < phase->blocks || block < phase->blocks / 2;
}

static int is_second(const struct phase *phase, uint64_t round, uint64_t block)
{
    return 2 * round < phase->blocks || block >= phase->blocks / 2;
}

static void pairs_task(void *argument, uint64_t task)
{
    const struct phase *phase = (const struct phase *) argument;
    const uint64_t block = phase->own + task;
    if (phase->first == 1)
        phase->forces->diagonal(phase->job, block);
    for (uint64_t round = phase->first; round < phase->end; round++)
        if (is_first(phase, round, block))
            phase->forces->pairs(phase->job, block, (block + round) % phase->blocks, round - phase->first);
}

static void collect_task(void *argument, uint64_t task)
{
    const struct phase *phase = (const struct phase *) argument;
    const uint64_t block = phase->own + task;
    if (phase->first == 1)
        phase->forces->clear(phase->job, block, 1);
    for (uint64_t round = phase->first; round < phase->end; round++)
        if (is_second(phase, round, block))
            phase->forces->collect(phase->job, (block + phase->blocks - round) % phase->blocks, block,
                                   round - phase->first);
}

/* Calls a task for each block of this part. */
static void for_own_blocks(const struct cpu *cpu, void (*task)(void *argument, uint64_t task), struct phase *phase)
{
    cpu->host->parallel(cpu->host, phase->own_end - phase->own, task, phase);
}

static int run_rounds(const struct cpu *cpu, const struct engine_call *call, struct phase *phase)
{
    const struct nbody_job *job = &cpu->job;
    const uint64_t end = phase->blocks / 2 + 1, unit = slots_bytes(job, nbody_number_bytes(&cpu->solver.plan));
    phase->first = 1;
    do { /* once at least: for round 0 */
        phase->end = end - phase->first < job->slot_count ? end : phase->first + job->slot_count;
        for_own_blocks(cpu, pairs_task, phase);
        const int status = engine_host_team(call->host)->gather(call, job->slots, phase->blocks * unit, unit);
        if (status != 0)
            return status;
        for_own_blocks(cpu, collect_task, phase);
        phase->first = phase->end;
    } while (phase->first < end);
    return 0;
}

static void plain_task(void *argument, uint64_t task)
{
    const struct phase *phase = (const struct phase *) argument;
    phase->forces->plain(phase->job, phase->own + task);
}

static void jerks_task(void *argument, uint64_t task)
{
    const struct phase *phase = (const struct phase *) argument;
    phase->forces->jerks(phase->job, phase->own + task);
}

/* factor * (a + b), component by component, for the bodies of this part; b may be NULL. Gathers those of the others. */
static int write_sums(const struct cpu *cpu, const struct engine_call *call, const struct phase *phase, double factor,
                      const double *a, const double *b, void *out)
{
    const struct nbody_job *job = &cpu->job;
    const uint64_t size = nbody_number_bytes(&cpu->solver.plan), last = phase->own_end * job->block;
    const uint64_t end = last < job->count ? last : job->count;
    int status = 0;
    for (uint64_t c = 0; c < 3 && status == 0; c++) {
        for (uint64_t i = phase->own * job->block; i < end; i++) {
            const uint64_t from = c * job->padded + i, to = c * job->count + i;
            const double sum = factor * (b ? a[from] + b[from] : a[from]);
            if (cpu->solver.plan.precision == NBODY_DOUBLE)
                ((double *) out)[to] = sum;
            else
                ((float *) out)[to] = (float) sum;
        }
        status = engine_host_team(call->host)
                     ->gather(call, (char *) out + c * job->count * size, job->count * size, job->block * size);
    }
    return status;
}

static int forces(struct nbody_solver *solver, const struct engine_call *call, const void *position,
                  const void *velocity, void *acceleration, void *jerk)
{
    const struct cpu *cpu = (const struct cpu *) solver;
    double *const *sums = cpu->job.sums;
    struct phase phase = all_blocks(cpu, call->plan);
    const int both = cpu->pairs && !jerk; /* there are sums for both sides */
    const double factor = solver->plan.g * phase.forces->scale;
    int status = 0;
    load_bodies(cpu, call, position, jerk ? velocity : NULL);
    if (both)
        status = run_rounds(cpu, call, &phase);
    else
        for_own_blocks(cpu, jerk ? jerks_task : plain_task, &phase);
    if (status == 0)
        status = write_sums(cpu, call, &phase, factor, sums[0], both ? sums[1] : NULL, acceleration);
    return status || !jerk ? status : write_sums(cpu, call, &phase, factor, sums[1], NULL, jerk);
}

/* ---- The implementation ----------------------------------------------------------------------------------------- */

#define PAIRS_FROM 1024 /* bodies: with fewer, rounds cost more than they save */

#define SLOTS_BYTES ((uint64_t) 64 << 20) /* memory for slots at most; one slot may take more */

/* A slot for each round. If they do not fit, slots are used several times, each time for as many rounds. */
static uint64_t count_slots(const struct nbody_job *job)
{
    const uint64_t rounds = nbody_blocks(job) / 2;
    const uint64_t fit = SLOTS_BYTES / (3 * nbody_blocks(job) * job->block * sizeof(double)), most = fit > 1 ? fit : 1;
    return rounds < 1 ? 1 : divide_up(rounds, divide_up(rounds, most));
}

static int by_pairs(const struct nbody_plan *plan)
{
    if (plan->form != NBODY_AUTO)
        return plan->form == NBODY_PAIRS;
    return plan->count >= PAIRS_FROM && plan->integrator != NBODY_HERMITE;
}

static struct nbody_job make_job(const struct nbody_plan *plan)
{
    struct nbody_job job = {.count = plan->count, .softening = plan->softening};
    job.padded = divide_up(plan->count, NBODY_PADDING) * NBODY_PADDING;
    job.block = divide_up(plan->count / 16, NBODY_PADDING) * NBODY_PADDING;
    job.block = job.block < 64 ? 64 : job.block > NBODY_BLOCK_MAX ? NBODY_BLOCK_MAX : job.block;
    return job;
}

int nbody_cpu_create(const struct engine_call *call, void **self)
{
    const struct engine_host *host = call->host;
    const struct nbody_plan plan = nbody_plan(call->plan);
    const struct nbody_bodies bodies = nbody_host_bodies(call);
    int meet; /* these kernels leave out bodies at the same place */
    const int status = nbody_check_bodies(host, call->plan, &bodies, &meet);
    if (status != 0)
        return status;
    struct nbody_job job = make_job(&plan);
    struct cpu *cpu = (struct cpu *) host->scratch(host, sizeof *cpu, ENGINE_HOST_MEMORY);
    void *numbers = host->scratch(host, 7 * job.padded * sizeof(double), ENGINE_HOST_MEMORY);
    double *sums = (double *) host->scratch(host, 6 * job.padded * sizeof(double), ENGINE_HOST_MEMORY);
    const int pairs = by_pairs(&plan);
    job.slot_count = pairs ? count_slots(&job) : 1;
    job.slots = host->scratch(host, nbody_blocks(&job) * slots_bytes(&job, sizeof(double)), ENGINE_HOST_MEMORY);
    double *potentials = (double *) host->scratch(host, nbody_blocks(&job) * sizeof(double), ENGINE_HOST_MEMORY);
    if (!cpu || !numbers || !sums || !job.slots || !potentials || nbody_solver_make(call, &cpu->solver) != 0)
        return ENGINE_NO_MEMORY;
    const struct nbody_kernel *kernel =
        (const struct nbody_kernel *) isa_choose(kernels, call->plan, NBODY_INSTRUCTIONS);
    set_arrays(&job, numbers, nbody_number_bytes(&plan));
    job.sums[0] = sums;
    job.sums[1] = sums + 3 * job.padded;
    cpu->solver.forces = forces;
    cpu->solver.step = kernel->forces[plan.precision].step;
    cpu->solver.body_stride = 1;
    cpu->solver.component_stride = plan.count;
    cpu->host = host;
    cpu->kernel = kernel;
    cpu->pairs = pairs;
    cpu->job = job;
    cpu->numbers = numbers;
    cpu->potentials = potentials;
    host->note(host, "instructions", "%s", kernel->isa.name);
    host->note(host, "form", "%s", pairs ? "pairs" : "plain");
    *self = cpu;
    return 0;
}

/* The operations that cpu_kernel_force.h takes for 16 interactions with AVX-512 in float, without the inverse root. */
int nbody_cpu_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost)
{
    (void) host;
    const struct nbody_plan p = nbody_plan(plan);
    const double plain = 14, pair = 18, with_jerk = 28;
    cost->operation = p.precision == NBODY_DOUBLE ? ENGINE_OPS_FMA64 : ENGINE_OPS_FMA;
    cost->operations = p.integrator == NBODY_HERMITE ? 2 * with_jerk : by_pairs(&p) ? pair / 2 : plain;
    return 0;
}

/* ---- Metrics ---------------------------------------------------------------------------------------------------- */

struct potential {
    const struct cpu *cpu;
    struct nbody_job job; /* in double */
    uint64_t own;         /* the first block of this part */
};

static void potential_task(void *argument, uint64_t task)
{
    const struct potential *potential = (const struct potential *) argument;
    const uint64_t block = potential->own + task;
    potential->cpu->potentials[block] = potential->cpu->kernel->potential(&potential->job, block);
}

/* Converts floats to doubles in place: backwards, so that no float is overwritten before it is read. */
static void widen(void *numbers, uint64_t count)
{
    for (uint64_t i = count; i-- > 0;)
        ((double *) numbers)[i] = (double) ((const float *) numbers)[i];
}

int nbody_cpu_measure(void *self, const struct engine_call *call, double *values)
{
    const struct cpu *cpu = (const struct cpu *) self;
    const struct nbody_bodies bodies = nbody_host_bodies(call);
    const struct phase phase = all_blocks(cpu, call->plan);
    struct potential potential = {cpu, cpu->job, phase.own};
    int status = nbody_measure_bodies(call->host, &bodies, values);
    double sum = 0;
    if (status != 0)
        return status;
    load_bodies(cpu, call, nbody_origin(call, NBODY_POSITION), NULL);
    if (cpu->solver.plan.precision == NBODY_FLOAT)
        widen(cpu->numbers, 4 * cpu->job.padded);
    set_arrays(&potential.job, cpu->numbers, sizeof(double));
    cpu->host->parallel(cpu->host, phase.own_end - phase.own, potential_task, &potential);
    status = engine_host_team(call->host)->gather(call, cpu->potentials, phase.blocks * sizeof(double), sizeof(double));
    for (uint64_t block = 0; block < phase.blocks; block++)
        sum += cpu->potentials[block];
    nbody_set_potential(-cpu->solver.plan.g * sum, values);
    return status;
}
