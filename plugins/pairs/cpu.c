/* cpu: all threads, with lists of neighbours.
 *
 * Particles are sorted by cells that are at least as wide as the largest cutoff and the skin, so particles that are
 * near in space are near in memory. The list of a particle holds all others within cutoff and skin. It is good until a
 * particle has moved by half the skin; then all are sorted again. The lists of a block of particles share a pool. A
 * particle whose list does not fit, or whose force might not fit into 32 bits, meets all particles of the cells around
 * it instead, with sums of 64 bits: this gives the same bits.
 *
 * Every list names both particles of a pair, and a force is computed twice. So each force is written by one thread, and
 * the rule for a pair need not be symmetric.
 *
 * Each part of a divided run has all particles, in the same order. It makes the lists of some blocks of particles and
 * computes their forces, and moves all particles. */
#include "cell.h"
#include "cpu_kernel.h"
#include "potential.h"

#include <common/divide.h>
#include <common/isa_choice.h>
#include <math.h>
#include <string.h>

enum {
    BLOCK = 256,     /* particles of a task */
    RANGES_MAX = 18, /* of cells around a cell: two in each of nine rows */
    NO_LIST = UINT32_MAX
};

__extension__ typedef __int128 wide;

struct range {
    uint32_t begin, end;
};

struct cpu {
    struct pairs_solver solver;
    const struct pairs_kernel *kernel;
    struct pairs_job job;
    double force_unit;
    double skin;
    uint32_t *place[3];     /* positions as fractions of the box */
    struct pairs_place *at; /* the same, and species */
    uint32_t *built[3];     /* those for which the lists were made */
    uint32_t cells[3];      /* along each axis */
    uint32_t *first;        /* first[c]: the first particle of cell c */
    uint32_t *cell;         /* of each particle */
    uint32_t *order;        /* of the sorted particles: where each one was before */
    void *spare;            /* for sorting: a number of each particle */
    uint32_t *pools, pool_size;
    uint32_t *begin, *length; /* of the list of each particle, in the pool of its block */
    uint32_t *moved;          /* one for each block: a particle has moved too far */
    uint64_t own, own_end;    /* blocks of this part: own, own + 1, …, own_end - 1 */
    wide *energy, *virial;    /* one for each block */
};

static const struct isa_kernel *const kernels[] = ISA_KERNELS(pairs_kernel);

/* ---- Cells ------------------------------------------------------------------------------------------------------- */

/* The cell along an axis. */
static uint32_t cell_along(const struct cpu *cpu, int axis, uint32_t i)
{
    return (uint32_t) ((uint64_t) cpu->place[axis][i] * cpu->cells[axis] >> 32);
}

static void sort_words(struct cpu *cpu, uint32_t *words)
{
    uint32_t *spare = (uint32_t *) cpu->spare;
    for (uint64_t i = 0; i < cpu->solver.plan.count; i++)
        spare[i] = words[cpu->order[i]];
    memcpy(words, spare, cpu->solver.plan.count * sizeof *words);
}

static void sort_numbers(struct cpu *cpu, double *numbers)
{
    double *spare = (double *) cpu->spare;
    for (uint64_t i = 0; i < cpu->solver.plan.count; i++)
        spare[i] = numbers[cpu->order[i]];
    memcpy(numbers, spare, cpu->solver.plan.count * sizeof *numbers);
}

/* Sorts all particles by cells: counts those of each cell, then places each behind those of the cells before. */
static void sort_particles(struct cpu *cpu)
{
    const uint32_t count = (uint32_t) cpu->solver.plan.count, all = cpu->cells[0] * cpu->cells[1] * cpu->cells[2];
    struct pairs_particles *now = &cpu->solver.now;
    memset(cpu->first, 0, (all + 2) * sizeof *cpu->first);
    for (uint32_t i = 0; i < count; i++) {
        cpu->cell[i] =
            (cell_along(cpu, 2, i) * cpu->cells[1] + cell_along(cpu, 1, i)) * cpu->cells[0] + cell_along(cpu, 0, i);
        cpu->first[cpu->cell[i] + 2]++;
    }
    for (uint32_t c = 2; c < all + 2; c++)
        cpu->first[c] += cpu->first[c - 1];
    for (uint32_t i = 0; i < count; i++)
        cpu->order[cpu->first[cpu->cell[i] + 1]++] = i;
    for (int c = 0; c < 3; c++) {
        sort_numbers(cpu, now->x[c]);
        sort_numbers(cpu, now->v[c]);
        sort_words(cpu, cpu->place[c]);
        memcpy(cpu->built[c], cpu->place[c], count * sizeof(uint32_t));
    }
    sort_numbers(cpu, now->mass);
    sort_words(cpu, now->species);
    sort_words(cpu, now->id);
    for (uint32_t i = 0; i < count; i++)
        cpu->solver.where[now->id[i]] = i;
}

/* The cells next to cell `at` of `cells`, as ranges; at most two. A cell occurs once, however few there are. */
static int around(uint32_t at, uint32_t cells, struct range ranges[2])
{
    if (cells < 3) {
        ranges[0] = (struct range){0, cells};
        return 1;
    }
    ranges[0] = (struct range){at > 0 ? at - 1 : 0, at + 2 < cells ? at + 2 : cells};
    if (at > 0 && at + 1 < cells)
        return 1;
    ranges[1] = at == 0 ? (struct range){cells - 1, cells} : (struct range){0, 1};
    return 2;
}

static int expand(const struct range *ranges, int count, uint32_t out[3])
{
    int found = 0;
    for (int r = 0; r < count; r++)
        for (uint32_t c = ranges[r].begin; c < ranges[r].end; c++)
            out[found++] = c;
    return found;
}

/* The particles of the cells around the particle's, where it was when the lists were made. */
static int ranges_of(const struct cpu *cpu, uint32_t i, struct range ranges[RANGES_MAX])
{
    struct range x[2], other[2];
    uint32_t at[3], y[3], z[3];
    int found = 0;
    for (int c = 0; c < 3; c++)
        at[c] = (uint32_t) ((uint64_t) cpu->built[c][i] * cpu->cells[c] >> 32);
    const int xs = around(at[0], cpu->cells[0], x);
    const int ys = expand(other, around(at[1], cpu->cells[1], other), y);
    const int zs = expand(other, around(at[2], cpu->cells[2], other), z);
    for (int k = 0; k < zs; k++)
        for (int j = 0; j < ys; j++)
            for (int r = 0; r < xs; r++) {
                const uint32_t *row = cpu->first + (z[k] * cpu->cells[1] + y[j]) * cpu->cells[0];
                ranges[found++] = (struct range){row[x[r].begin], row[x[r].end]};
            }
    return found;
}

/* ---- Lists ------------------------------------------------------------------------------------------------------- */

static uint32_t block_end(const struct cpu *cpu, uint64_t block)
{
    const uint64_t end = (block + 1) * BLOCK;
    return (uint32_t) (end < cpu->solver.plan.count ? end : cpu->solver.plan.count);
}

/* Makes the list of a particle behind `used` entries of the pool. Returns its length, or NO_LIST if it does not fit. */
static uint32_t make_list(const struct cpu *cpu, uint32_t i, uint32_t *pool, uint32_t used)
{
    struct range ranges[RANGES_MAX];
    const int count = ranges_of(cpu, i, ranges);
    const float reach = cpu->job.reach + (float) cpu->skin;
    uint32_t length = 0;
    for (int r = 0; r < count && length != NO_LIST; r++)
        length = cpu->kernel->search(&cpu->job, i, ranges[r].begin, ranges[r].end, reach * reach, pool + used, length,
                                     cpu->pool_size - used);
    if (length == NO_LIST || cpu->pool_size - used - length < PAIRS_LANES)
        return NO_LIST;
    while (length % PAIRS_LANES)
        pool[used + length++] = i;
    return length;
}

static void list_task(void *argument, uint64_t task)
{
    const struct cpu *cpu = (const struct cpu *) argument;
    const uint64_t block = cpu->own + task;
    uint32_t *pool = cpu->pools + block * cpu->pool_size, used = 0;
    for (uint32_t i = (uint32_t) block * BLOCK; i < block_end(cpu, block); i++) {
        cpu->begin[i] = used;
        cpu->length[i] = make_list(cpu, i, pool, used);
        used += cpu->length[i] == NO_LIST ? 0 : cpu->length[i];
    }
}

/* ---- Forces ------------------------------------------------------------------------------------------------------ */

static uint32_t place_of(double part)
{
    return (uint32_t) (uint64_t) ((part - floor(part)) * 0x1p32);
}

static void set_places(const struct cpu *cpu, uint32_t begin, uint32_t end)
{
    for (int c = 0; c < 3; c++) {
        const double edge = cpu->solver.plan.box[c], *x = cpu->solver.now.x[c];
        for (uint32_t i = begin; i < end; i++)
            cpu->place[c][i] = place_of(x[i] / edge);
    }
}

static void set_places_skewed(const struct cpu *cpu, uint32_t begin, uint32_t end)
{
    double *const *x = cpu->solver.now.x;
    for (uint32_t i = begin; i < end; i++) {
        const double at[3] = {x[0][i], x[1][i], x[2][i]};
        double s[3];
        pairs_to_fractions(&cpu->solver.plan, at, s);
        for (int c = 0; c < 3; c++)
            cpu->place[c][i] = place_of(s[c]);
    }
}

/* Of a vector in units of 2^-32 of the edges. */
static float length_square(const struct pairs_job *job, const float d[3])
{
    const float x = job->scale[0] * d[0] + (job->tilt[0] * d[1] + job->tilt[1] * d[2]);
    const float y = job->scale[1] * d[1] + job->tilt[2] * d[2], z = job->scale[2] * d[2];
    return x * x + y * y + z * z;
}

/* Sets the places, and finds out whether one is too far from where it was. */
static void place_task(void *argument, uint64_t block)
{
    const struct cpu *cpu = (const struct cpu *) argument;
    const uint32_t end = block_end(cpu, block);
    const float limit = 0.4999f * (float) cpu->skin;
    uint32_t moved = 0;
    if (cpu->solver.plan.skewed)
        set_places_skewed(cpu, (uint32_t) block * BLOCK, end);
    else
        set_places(cpu, (uint32_t) block * BLOCK, end);
    for (uint32_t i = (uint32_t) block * BLOCK; i < end; i++) {
        float d[3];
        cpu->at[i].species = cpu->solver.now.species[i];
        for (int c = 0; c < 3; c++) {
            cpu->at[i].x[c] = cpu->place[c][i];
            d[c] = (float) (int32_t) (cpu->place[c][i] - cpu->built[c][i]);
        }
        const float square = length_square(&cpu->job, d);
        moved |= square > limit * limit;
    }
    cpu->moved[block] = moved;
}

/* Takes away the integers that the list of a particle has added for its bonded pairs. */
static void exclude(const struct cpu *cpu, uint32_t i, const uint32_t *partners, int count, struct pairs_sum *sum)
{
    uint32_t list[PAIRS_LANES];
    struct pairs_sum other;
    for (int k = 0; k < PAIRS_LANES; k++)
        list[k] = k < count ? partners[k] : i;
    if (!cpu->kernel->force(&cpu->job, i, list, PAIRS_LANES, &other)) {
        other = (struct pairs_sum){{0, 0, 0}};
        for (int k = 0; k < count; k++)
            cpu->kernel->add(&cpu->job, i, partners[k], partners[k] + 1, &other);
    }
    for (int c = 0; c < 3; c++)
        sum->force[c] -= other.force[c];
}

static void add_bonds(const struct cpu *cpu, uint32_t i, struct pairs_sum *sum)
{
    const double most = 0x1p52;
    const uint32_t *species = cpu->solver.now.species;
    uint32_t partners[PAIRS_BONDS_MAX];
    double d[3];
    const int count = pairs_partners(&cpu->solver, i, partners);
    for (int k = 0; k < count; k++) {
        const uint32_t type = pairs_type(species[i], species[partners[k]]);
        const double square = pairs_apart(&cpu->solver, i, partners[k], d);
        const double force = fene(&cpu->solver.plan, type, square).force / cpu->force_unit;
        for (int c = 0; c < 3; c++)
            sum->force[c] += llrint(fmax(-most, fmin(most, force * d[c])));
    }
    if (count > 0)
        exclude(cpu, i, partners, count, sum);
}

static void force_task(void *argument, uint64_t task)
{
    const struct cpu *cpu = (const struct cpu *) argument;
    const uint64_t block = cpu->own + task;
    const uint32_t *pool = cpu->pools + block * cpu->pool_size;
    for (uint32_t i = (uint32_t) block * BLOCK; i < block_end(cpu, block); i++) {
        struct pairs_sum sum;
        if (cpu->length[i] == NO_LIST ||
            !cpu->kernel->force(&cpu->job, i, pool + cpu->begin[i], cpu->length[i], &sum)) {
            struct range ranges[RANGES_MAX];
            const int count = ranges_of(cpu, i, ranges);
            sum = (struct pairs_sum){{0, 0, 0}};
            for (int r = 0; r < count; r++)
                cpu->kernel->add(&cpu->job, i, ranges[r].begin, ranges[r].end, &sum);
        }
        add_bonds(cpu, i, &sum);
        for (int c = 0; c < 3; c++)
            cpu->solver.now.force[c][i] = (double) sum.force[c] * cpu->force_unit;
    }
}

static int forces(struct pairs_solver *solver, const struct engine_call *call, int fresh)
{
    struct cpu *cpu = (struct cpu *) solver;
    const struct engine_host *host = solver->host;
    const uint64_t blocks = divide_up(solver->plan.count, BLOCK), own = cpu->own_end - cpu->own;
    uint32_t moved = (uint32_t) fresh;
    host->parallel(host, blocks, place_task, cpu);
    for (uint64_t block = 0; block < blocks; block++)
        moved |= cpu->moved[block];
    if (moved) {
        sort_particles(cpu);
        host->parallel(host, blocks, place_task, cpu);
        host->parallel(host, own, list_task, cpu);
    }
    host->parallel(host, own, force_task, cpu);
    return pairs_gather_forces(solver, call, BLOCK);
}

/* ---- Metrics ----------------------------------------------------------------------------------------------------- */

/* An energy in units of 2^-40, as an integer, so that sums do not depend on the order. */
static wide to_wide(double energy)
{
    const double most = 1e15, in_range = energy > most ? most : energy < -most ? -most : energy;
    const int64_t high = energy == energy ? llrint(in_range) : 0;
    return (wide) high * ((int64_t) 1 << 40) + (energy == energy ? llrint((in_range - (double) high) * 0x1p40) : 0);
}

static double square_of(const struct cpu *cpu, uint32_t i, uint32_t j)
{
    double s[3], d[3];
    for (int c = 0; c < 3; c++)
        s[c] = 0x1p-32 * (int32_t) (cpu->place[c][i] - cpu->place[c][j]);
    pairs_from_fractions(&cpu->solver.plan, s, d);
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/* Adds the bonds of a particle in the place of the other terms of its bonded pairs. */
static void add_bond_terms(const struct cpu *cpu, uint32_t i, wide *energy, wide *virial)
{
    const struct pairs_solver *solver = &cpu->solver;
    const uint32_t *species = solver->now.species;
    uint32_t partners[PAIRS_BONDS_MAX];
    double d[3];
    for (int k = pairs_partners(solver, i, partners); k-- > 0;) {
        const uint32_t j = partners[k], type = pairs_type(species[i], species[j]);
        const double apart = square_of(cpu, i, j), square = pairs_apart(solver, i, j, d);
        const struct pairs_term bond = fene(&solver->plan, type, square);
        const struct pairs_term other = pairs_term_at(&solver->plan, type, apart);
        *energy += to_wide(bond.energy) - to_wide(other.energy);
        *virial += to_wide(bond.force * square) - to_wide(other.force * apart);
    }
}

static void sums_task(void *argument, uint64_t task)
{
    const struct cpu *cpu = (const struct cpu *) argument;
    const uint64_t block = cpu->own + task;
    const struct pairs_plan *plan = &cpu->solver.plan;
    const uint32_t *species = cpu->solver.now.species;
    const double farthest = plan->reach * plan->reach;
    wide energy = 0, virial = 0;
    for (uint32_t i = (uint32_t) block * BLOCK; i < block_end(cpu, block); i++) {
        struct range ranges[RANGES_MAX];
        const int count = ranges_of(cpu, i, ranges);
        for (int r = 0; r < count; r++)
            for (uint32_t j = ranges[r].begin; j < ranges[r].end; j++) {
                const double square = square_of(cpu, i, j);
                if (!(square < farthest)) /* most pairs */
                    continue;
                const struct pairs_term term = pairs_term_at(plan, pairs_type(species[i], species[j]), square);
                energy += to_wide(term.energy);
                virial += to_wide(term.force * square);
            }
        add_bond_terms(cpu, i, &energy, &virial);
    }
    cpu->energy[block] = energy;
    cpu->virial[block] = virial;
}

/* Both particles of a pair have counted it. */
static int sums(struct pairs_solver *solver, const struct engine_call *call, struct pairs_term *sum)
{
    struct cpu *cpu = (struct cpu *) solver;
    const struct engine_team *team = engine_host_team(call->host);
    const uint64_t blocks = divide_up(solver->plan.count, BLOCK), size = sizeof(wide);
    wide energies = 0, virials = 0;
    solver->host->parallel(solver->host, cpu->own_end - cpu->own, sums_task, cpu);
    int status = team->gather(call, cpu->energy, blocks * size, size);
    if (status == 0)
        status = team->gather(call, cpu->virial, blocks * size, size);
    for (uint64_t block = 0; block < blocks; block++) {
        energies += cpu->energy[block];
        virials += cpu->virial[block];
    }
    sum->energy += (double) energies * 0x1p-41;
    sum->force += (double) virials * 0x1p-41;
    return status;
}

/* ---- The implementation ------------------------------------------------------------------------------------------ */

int pairs_cpu_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    const uint64_t count = engine_field_shape(plan, PAIRS_POSITION)->extent[0];
    if (count > UINT32_MAX / 2)
        return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "%llu particles are too many; expected at most 2^31",
                           (unsigned long long) count);
    return isa_probe(kernels, host, plan, PAIRS_INSTRUCTIONS);
}

/* The cells are as wide as cutoff and skin at least, and not many more than the particles. */
static void set_cells(struct cpu *cpu)
{
    const struct pairs_plan *plan = &cpu->solver.plan;
    const double mean = cbrt(plan->box[0] * plan->box[1] * plan->box[2] / (double) plan->count);
    const double least = (plan->reach + cpu->skin) * (1 + 1e-6), width = least > mean ? least : mean;
    for (int c = 0; c < 3; c++) {
        cpu->cells[c] = plan->height[c] > width ? (uint32_t) (plan->height[c] / width) : 1;
    }
}

/* A list has room for twice the particles of the mean density, or for a dense liquid of the smallest particles. */
static uint32_t pool_entries(const struct cpu *cpu)
{
    const struct pairs_plan *plan = &cpu->solver.plan;
    const double reach = plan->reach + cpu->skin, ball = 4.18879020478639 * reach * reach * reach;
    const double mean = 2 * (double) plan->count / (plan->box[0] * plan->box[1] * plan->box[2]);
    double sigma = plan->reach;
    for (uint32_t type = 0; type < PAIRS_TYPES; type++)
        sigma = plan->sigma[type] > 0 && plan->sigma[type] < sigma ? plan->sigma[type] : sigma;
    const double dense = 1.3 / (sigma * sigma * sigma), room = ball * (dense > mean ? dense : mean) + PAIRS_LANES;
    const double most = (double) (plan->count + PAIRS_LANES);
    return (uint32_t) (BLOCK * (room < most ? room < 4096 ? room : 4096 : most)) + 1024;
}

static int allocate(struct cpu *cpu)
{
    const struct engine_host *host = cpu->solver.host;
    const uint64_t count = cpu->solver.plan.count, blocks = divide_up(count, BLOCK);
    const uint64_t all = (uint64_t) cpu->cells[0] * cpu->cells[1] * cpu->cells[2];
    const uint64_t padded = count + PAIRS_LANES;
    uint32_t **const words[] = {&cpu->place[0], &cpu->place[1], &cpu->place[2], &cpu->built[0], &cpu->built[1],
                                &cpu->built[2], &cpu->cell,     &cpu->order,    &cpu->begin,    &cpu->length};
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
        if (!(*words[w] = (uint32_t *) host->scratch(host, padded * sizeof(uint32_t), ENGINE_HOST_MEMORY)))
            return ENGINE_NO_MEMORY;
    for (int c = 0; c < 3; c++)
        memset(cpu->built[c], 0, padded * sizeof(uint32_t)), memset(cpu->place[c], 0, padded * sizeof(uint32_t));
    cpu->first = (uint32_t *) host->scratch(host, (all + 2) * sizeof(uint32_t), ENGINE_HOST_MEMORY);
    cpu->at = (struct pairs_place *) host->scratch(host, count * sizeof *cpu->at, ENGINE_HOST_MEMORY);
    cpu->spare = host->scratch(host, count * sizeof(double), ENGINE_HOST_MEMORY);
    cpu->pools = (uint32_t *) host->scratch(host, blocks * cpu->pool_size * sizeof(uint32_t), ENGINE_HOST_MEMORY);
    cpu->moved = (uint32_t *) host->scratch(host, blocks * sizeof(uint32_t), ENGINE_HOST_MEMORY);
    cpu->energy = host->scratch(host, 2 * blocks * sizeof *cpu->energy, ENGINE_HOST_MEMORY);
    cpu->virial = cpu->energy + blocks;
    return cpu->first && cpu->at && cpu->spare && cpu->pools && cpu->moved && cpu->energy ? 0 : ENGINE_NO_MEMORY;
}

int pairs_cpu_create(const struct engine_call *call, void **self)
{
    const struct engine_host *host = call->host;
    struct pairs_plan plan;
    int status = pairs_plan_load(host, call->plan, &plan);
    if (status != 0)
        return status;
    struct cpu *cpu = (struct cpu *) host->scratch(host, sizeof *cpu, ENGINE_HOST_MEMORY);
    if (!cpu)
        return ENGINE_NO_MEMORY;
    memset(cpu, 0, sizeof *cpu);
    if (pairs_solver_make(call, &plan, &cpu->solver) != 0)
        return ENGINE_NO_MEMORY;
    cpu->skin = engine_param_real(call->plan, PAIRS_SKIN);
    const struct engine_part *part = &call->plan->part;
    cpu->own = engine_share_begin(part->index, part->count, divide_up(plan.count, BLOCK));
    cpu->own_end = engine_share_begin(part->index + 1, part->count, divide_up(plan.count, BLOCK));
    set_cells(cpu);
    cpu->pool_size = pool_entries(cpu);
    status = allocate(cpu);
    cpu->force_unit = pairs_job_set(&plan, &cpu->job);
    for (int c = 0; c < 3; c++)
        cpu->job.x[c] = cpu->place[c];
    cpu->job.at = cpu->at;
    if (status == 0 && plan.potential == PAIRS_FROM_TABLE)
        status = pairs_job_table(host, &plan, &cpu->job);
    cpu->kernel = (const struct pairs_kernel *) isa_choose(kernels, call->plan, PAIRS_INSTRUCTIONS);
    cpu->solver.forces = forces;
    cpu->solver.sums = sums;
    host->note(host, "instructions", "%s", cpu->kernel->isa.name);
    *self = cpu;
    return status;
}
