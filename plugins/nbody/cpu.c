/* cpu: vectors and all threads. The bodies are divided into blocks by their number alone, and the attraction between
 * blocks is added in double in a fixed order, so that the number and timing of threads change no bit.
 *
 *   plain   A task is a block: it adds the attraction of blocks 0, 1, 2, ...
 *   pairs   With n blocks there are rounds 0 to n / 2. In round r, block b is paired with block b + r (mod n). In round
 *           0 it is paired with itself, and computes each pair from both sides. A task is a block through several
 *           rounds. The attraction on the block is added to its sums. The attraction on the other block goes into the
 *           slot of the round, at a place where no other task writes:
 *
 *               n = 4       block 0    block 1    block 2    block 3        slot of the round gets sums for blocks
 *               round 1       1          2          3          0            1 2 3 0
 *               round 2       2          3          -          -            2 3
 *
 *           Then each block adds its parts of the slots. */
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
    uint64_t slots;       /* number of job.slots */
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
};

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

static void pairs_task(void *argument, uint64_t block)
{
    const struct phase *phase = (const struct phase *) argument;
    if (phase->first == 1)
        phase->forces->diagonal(phase->job, block);
    for (uint64_t round = phase->first; round < phase->end; round++)
        if (is_first(phase, round, block))
            phase->forces->pairs(phase->job, block, (block + round) % phase->blocks, round - phase->first);
}

static void collect_task(void *argument, uint64_t block)
{
    const struct phase *phase = (const struct phase *) argument;
    if (phase->first == 1)
        phase->forces->clear(phase->job, block, 1);
    for (uint64_t round = phase->first; round < phase->end; round++)
        if (is_second(phase, round, block))
            phase->forces->collect(phase->job, block, round - phase->first);
}

static void run_rounds(const struct cpu *cpu, struct phase *phase)
{
    const uint64_t end = phase->blocks / 2 + 1;
    phase->first = 1;
    do { /* once at least: for round 0 */
        phase->end = end - phase->first < cpu->slots ? end : phase->first + cpu->slots;
        cpu->host->parallel(cpu->host, phase->blocks, pairs_task, phase);
        cpu->host->parallel(cpu->host, phase->blocks, collect_task, phase);
        phase->first = phase->end;
    } while (phase->first < end);
}

static void plain_task(void *argument, uint64_t block)
{
    const struct phase *phase = (const struct phase *) argument;
    phase->forces->plain(phase->job, block);
}

static void jerks_task(void *argument, uint64_t block)
{
    const struct phase *phase = (const struct phase *) argument;
    phase->forces->jerks(phase->job, block);
}

/* factor * (a + b), component by component; b may be NULL. */
static void write_sums(const struct cpu *cpu, double factor, const double *a, const double *b, void *out)
{
    const struct nbody_job *job = &cpu->job;
    for (uint64_t c = 0; c < 3; c++)
        for (uint64_t i = 0; i < job->count; i++) {
            const uint64_t from = c * job->padded + i, to = c * job->count + i;
            const double sum = factor * (b ? a[from] + b[from] : a[from]);
            if (cpu->solver.plan.precision == NBODY_DOUBLE)
                ((double *) out)[to] = sum;
            else
                ((float *) out)[to] = (float) sum;
        }
}

static void forces(struct nbody_solver *solver, const struct engine_call *call, const void *position,
                   const void *velocity, void *acceleration, void *jerk)
{
    const struct cpu *cpu = (const struct cpu *) solver;
    double *const *sums = cpu->job.sums;
    struct phase phase = {&cpu->job, &cpu->kernel->forces[solver->plan.precision], nbody_blocks(&cpu->job), 0, 0};
    const int both = cpu->pairs && !jerk; /* there are sums for both sides */
    const double factor = solver->plan.g * phase.forces->scale;
    load_bodies(cpu, call, position, jerk ? velocity : NULL);
    if (both)
        run_rounds(cpu, &phase);
    else
        cpu->host->parallel(cpu->host, phase.blocks, jerk ? jerks_task : plain_task, &phase);
    write_sums(cpu, factor, sums[0], both ? sums[1] : NULL, acceleration);
    if (jerk)
        write_sums(cpu, factor, sums[1], NULL, jerk);
}

/* ---- The implementation ----------------------------------------------------------------------------------------- */

#define PAIRS_FROM 1024 /* bodies: with fewer, rounds cost more than they save */

#define SLOTS_BYTES ((uint64_t) 64 << 20) /* memory for slots at most; one slot may take more */

/* A slot for each round, or as many as fit. */
static uint64_t count_slots(const struct nbody_job *job)
{
    const uint64_t rounds = nbody_blocks(job) / 2, most = SLOTS_BYTES / (3 * job->padded * sizeof(double));
    return rounds < 1 || most < 1 ? 1 : rounds < most ? rounds : most;
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
    const int status = nbody_check_bodies(host, call->plan, &bodies);
    if (status != 0)
        return status;
    struct nbody_job job = make_job(&plan);
    struct cpu *cpu = (struct cpu *) host->scratch(host, sizeof *cpu, ENGINE_HOST_MEMORY);
    void *numbers = host->scratch(host, 7 * job.padded * sizeof(double), ENGINE_HOST_MEMORY);
    double *sums = (double *) host->scratch(host, 6 * job.padded * sizeof(double), ENGINE_HOST_MEMORY);
    const int pairs = by_pairs(&plan);
    const uint64_t slots = pairs ? count_slots(&job) : 1;
    job.slots = host->scratch(host, slots * 3 * job.padded * sizeof(double), ENGINE_HOST_MEMORY);
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
    cpu->host = host;
    cpu->kernel = kernel;
    cpu->pairs = pairs;
    cpu->job = job;
    cpu->numbers = numbers;
    cpu->slots = slots;
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
};

static void potential_task(void *argument, uint64_t block)
{
    const struct potential *potential = (const struct potential *) argument;
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
    const int status = nbody_measure_bodies(call->host, &bodies, values);
    struct potential potential = {cpu, cpu->job};
    double sum = 0;
    if (status != 0)
        return status;
    load_bodies(cpu, call, nbody_origin(call, NBODY_POSITION), NULL);
    if (cpu->solver.plan.precision == NBODY_FLOAT)
        widen(cpu->numbers, 4 * cpu->job.padded);
    set_arrays(&potential.job, cpu->numbers, sizeof(double));
    cpu->host->parallel(cpu->host, nbody_blocks(&cpu->job), potential_task, &potential);
    for (uint64_t block = 0; block < nbody_blocks(&cpu->job); block++)
        sum += cpu->potentials[block];
    nbody_set_potential(-cpu->solver.plan.g * sum, values);
    return 0;
}
