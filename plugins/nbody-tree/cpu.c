/* cpu: a fast multipole method on all threads (Greengard and Rokhlin, Journal of Computational Physics 73 (1987) 325;
 * with a tree for bodies of any distribution and an error that is relative to the force: Dehnen, Computational
 * Astrophysics and Cosmology 1 (2014) 1). The tree is made again for each evaluation. Tasks are subtrees, whose number
 * follows from the number of bodies, so that the number and timing of threads change no bit. */
#include "cpu.h"
#include "walk.h"

#include <common/divide.h>
#include <common/isa_choice.h>
#include <nbody/cpu.h>
#include <nbody/cpu_kernel.h>
#include <string.h>

#define NARROW_FROM 1e-5 /* accuracies from here on: the arithmetic of expansions is in float */

/* An instance. */
struct cpu {
    struct nbody_solver solver;
    const struct engine_host *host;
    struct tree tree;
    struct walk walk;
    double *sums;       /* for sorted bodies: all x, all y, all z; or potentials */
    double *potentials; /* one for each part */
    void *acceleration;
};

static const struct isa_kernel *const kernels[] = ISA_KERNELS(tree_kernel);
static const struct isa_kernel *const step_kernels[] = ISA_KERNELS(nbody_kernel);

/* The order of the expansions and the error of an interaction. 99 of 100 forces on the bodies of a sphere, a cube and
 * two colliding clusters then have errors below `accuracy`: see the README. */
static const struct choice {
    double accuracy; /* from here on */
    int order;
    double error; /* in units of the accuracy */
} choices[] = {
    {8e-3, 4, 0.8}, {8e-4, 5, 0.7}, {8e-5, 6, 1}, {8e-6, 7, 1.4}, {0, 8, 1.2},
};

static const struct choice *choose(double accuracy)
{
    const struct choice *choice = choices;
    while (choice->accuracy > accuracy)
        choice++;
    return choice;
}

int nbody_tree_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    const struct nbody_plan p = nbody_common_plan(plan);
    if (p.integrator == NBODY_HERMITE)
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED,
                           "integrator = hermite needs the change of forces with time, which a tree does not give; set "
                           "leapfrog, or run nbody or cpu-serial");
    if (p.count > NBODY_TREE_BODIES_MAX)
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "%llu bodies are too many; expected at most %llu",
                           (unsigned long long) p.count, (unsigned long long) NBODY_TREE_BODIES_MAX);
    return 0;
}

int nbody_tree_cpu_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    const int status = nbody_tree_probe(host, plan);
    return status ? status : isa_probe(kernels, host, plan, NBODY_TREE_INSTRUCTIONS);
}

/* ---- Forces ----------------------------------------------------------------------------------------------------- */

/* Adds the sums of a leaf's bodies to `count` arrays. */
static void add_sums(const struct cpu *cpu, const struct tree_targets *targets, int from, int count)
{
    for (int c = 0; c < count; c++)
        for (uint64_t i = targets->begin; i < targets->end; i++)
            cpu->sums[(uint64_t) c * cpu->tree.count + i] += targets->sums[from + c][i - targets->begin];
}

static void take_forces(const struct walk *walk, const struct tree_targets *targets)
{
    add_sums((const struct cpu *) walk->taker, targets, 0, 3);
}

static void take_potentials(const struct walk *walk, const struct tree_targets *targets)
{
    add_sums((const struct cpu *) walk->taker, targets, 3, 1);
}

/* Sets the sums of the bodies of a part, of `count` arrays. */
static void walk_part(const struct cpu *cpu, uint64_t part, uint64_t count)
{
    const struct tree_cell *cell = cpu->tree.cells + cpu->tree.parts[part];
    for (uint64_t c = 0; c < count; c++)
        memset(cpu->sums + c * cpu->tree.count + cell->begin, 0, (cell->end - cell->begin) * sizeof(double));
    walk_cell(&cpu->walk, cpu->tree.parts[part]);
}

/* Computes the forces on a part, and puts them where its bodies are in the state. */
static void force_task(void *argument, uint64_t part)
{
    const struct cpu *cpu = (const struct cpu *) argument;
    const struct tree *tree = &cpu->tree;
    const struct tree_cell *cell = tree->cells + tree->parts[part];
    const double g = cpu->solver.plan.g;
    walk_part(cpu, part, 3);
    for (uint64_t c = 0; c < 3; c++)
        for (uint64_t i = cell->begin; i < cell->end; i++) {
            const uint64_t to = c * tree->count + tree->keys[i].body;
            const double a = g * cpu->sums[c * tree->count + i];
            if (tree->precision == NBODY_DOUBLE)
                ((double *) cpu->acceleration)[to] = a;
            else
                ((float *) cpu->acceleration)[to] = (float) a;
        }
}

/* Makes the tree. -ENGINE_INVALID where a position is not finite. */
static int make_tree(struct cpu *cpu, const struct engine_call *call, const void *position)
{
    const uint64_t size = nbody_number_bytes(&cpu->solver.plan);
    double values[NBODY_METRICS];
    for (uint64_t c = 0; c < 3; c++)
        cpu->tree.position[c] = (const char *) position + c * cpu->tree.count * size;
    cpu->tree.mass = nbody_origin(call, NBODY_MASS);
    if (tree_make(&cpu->tree))
        return 0;
    const struct nbody_bodies bodies = nbody_host_bodies(call);
    return -nbody_measure_bodies(call->host, &bodies, values);
}

static int forces(struct nbody_solver *solver, const struct engine_call *call, const void *position,
                  const void *velocity, void *acceleration, void *jerk)
{
    struct cpu *cpu = (struct cpu *) solver;
    (void) velocity, (void) jerk;
    const int status = make_tree(cpu, call, position);
    if (status != 0)
        return status;
    cpu->acceleration = acceleration;
    cpu->walk.potentials = 0;
    cpu->walk.take = take_forces;
    cpu->host->parallel(cpu->host, cpu->tree.part_count, force_task, cpu);
    return 0;
}

/* ---- The implementation ----------------------------------------------------------------------------------------- */

/* Sets the arrays of a tree. ENGINE_NO_MEMORY. */
static int allocate(const struct engine_host *host, struct tree *tree)
{
    const uint64_t count = tree->count, cells = tree_cells_max(count);
    const uint64_t numbers = divide_up(count, TREE_PADDING) * TREE_PADDING;
    double *sorted = (double *) host->scratch(host, 4 * numbers * sizeof(double), ENGINE_HOST_MEMORY);
    tree->keys = (struct tree_key *) host->scratch(host, count * sizeof *tree->keys, ENGINE_HOST_MEMORY);
    tree->spare = (struct tree_key *) host->scratch(host, count * sizeof *tree->spare, ENGINE_HOST_MEMORY);
    tree->digits = (uint64_t *) host->scratch(host, tree_digits_bytes(count), ENGINE_HOST_MEMORY);
    tree->cells = (struct tree_cell *) host->scratch(host, cells * sizeof *tree->cells, ENGINE_HOST_MEMORY);
    tree->moments =
        host->scratch(host, cells * (uint64_t) tree->terms.padded * (tree->narrow ? 4 : 8), ENGINE_HOST_MEMORY);
    tree->top = (struct tree_sum *) host->scratch(host, TREE_TOP_MAX * sizeof *tree->top, ENGINE_HOST_MEMORY);
    tree->parts = (uint32_t *) host->scratch(host, TREE_PARTS_MAX * sizeof *tree->parts, ENGINE_HOST_MEMORY);
    for (uint64_t c = 0; c < 4; c++)
        tree->sorted[c] = sorted + c * numbers;
    return sorted && tree->keys && tree->spare && tree->digits && tree->cells && tree->moments && tree->top &&
                   tree->parts
               ? 0
               : ENGINE_NO_MEMORY;
}

static int make_cpu(const struct engine_call *call, struct cpu *cpu)
{
    const struct engine_host *host = call->host;
    const struct nbody_plan plan = nbody_common_plan(call->plan);
    const double accuracy = engine_param_real(call->plan, NBODY_TREE_ACCURACY);
    const struct choice *choice = choose(accuracy);
    struct tree *tree = &cpu->tree;
    *cpu = (struct cpu){.host = host, .tree = {.host = host, .count = plan.count, .precision = plan.precision}};
    tree->softening = plan.softening;
    tree->narrow = accuracy >= NARROW_FROM;
    tree_terms_make(choice->order, &tree->terms);
    cpu->sums = (double *) host->scratch(host, 3 * plan.count * sizeof(double), ENGINE_HOST_MEMORY);
    cpu->potentials = (double *) host->scratch(host, TREE_PARTS_MAX * sizeof(double), ENGINE_HOST_MEMORY);
    if (allocate(host, tree) != 0 || !cpu->sums || !cpu->potentials || nbody_solver_make(call, &cpu->solver) != 0)
        return ENGINE_NO_MEMORY;
    cpu->walk = (struct walk){.tree = tree, .error = choice->error * accuracy, .taker = cpu};
    cpu->walk.kernel = (const struct tree_kernel *) isa_choose(kernels, call->plan, NBODY_TREE_INSTRUCTIONS);
    const struct nbody_kernel *steps =
        (const struct nbody_kernel *) isa_choose(step_kernels, call->plan, NBODY_TREE_INSTRUCTIONS);
    cpu->solver.forces = forces;
    cpu->solver.step = steps->forces[plan.precision].step;
    return 0;
}

int nbody_tree_create(const struct engine_call *call, void **self)
{
    const struct engine_host *host = call->host;
    const struct nbody_bodies bodies = nbody_host_bodies(call);
    int meet; /* these kernels leave out bodies at the same place */
    int status = nbody_check_bodies(host, call->plan, &bodies, &meet);
    if (status != 0)
        return status;
    struct cpu *cpu = (struct cpu *) host->scratch(host, sizeof *cpu, ENGINE_HOST_MEMORY);
    status = cpu ? make_cpu(call, cpu) : ENGINE_NO_MEMORY;
    if (status != 0)
        return status;
    host->note(host, "instructions", "%s", cpu->walk.kernel->isa.name);
    host->note(host, "order", "%d", cpu->tree.terms.order);
    *self = cpu;
    return 0;
}

/* ---- Metrics ---------------------------------------------------------------------------------------------------- */

static void potential_task(void *argument, uint64_t part)
{
    const struct cpu *cpu = (const struct cpu *) argument;
    const struct tree *tree = &cpu->tree;
    const struct tree_cell *cell = tree->cells + tree->parts[part];
    const void *mass = tree->sorted[3];
    double sum = 0;
    walk_part(cpu, part, 1);
    for (uint64_t i = cell->begin; i < cell->end; i++)
        sum += (tree->precision == NBODY_DOUBLE ? ((const double *) mass)[i] : (double) ((const float *) mass)[i]) *
               cpu->sums[i];
    cpu->potentials[part] = sum;
}

int nbody_tree_measure(void *self, const struct engine_call *call, double *values)
{
    struct cpu *cpu = (struct cpu *) self;
    const struct nbody_bodies bodies = nbody_host_bodies(call);
    int status = nbody_measure_bodies(call->host, &bodies, values);
    double sum = 0;
    if (status == 0)
        status = make_tree(cpu, call, nbody_origin(call, NBODY_POSITION));
    if (status != 0)
        return status;
    cpu->walk.potentials = 1;
    cpu->walk.take = take_potentials;
    cpu->host->parallel(cpu->host, cpu->tree.part_count, potential_task, cpu);
    for (uint32_t part = 0; part < cpu->tree.part_count; part++)
        sum += cpu->potentials[part];
    nbody_set_potential(-cpu->solver.plan.g * sum / 2, values);
    return 0;
}
