/* The steps, around forces that differ. Each operation is about one particle:
 *
 *     verlet      v += dt/2 f/m;  x += dt v;  f = f(x);  v += dt/2 f/m
 *     langevin    v += dt/2 f/m;  x += dt/2 v;  v = c v + sqrt((1 - c^2) T/m) g;  x += dt/2 v;  f = f(x);  v += dt/2
 *                 f/m
 *
 * with c = exp(-friction dt) and three normal numbers g of seed, step and particle (BAOAB: Leimkuhler and Matthews,
 * Applied Mathematics Research eXpress 2013, 34). Positions are wrapped into the box after they change. */
#include "cell.h"
#include "normal.h"

#include <common/divide.h>
#include <math.h>

enum { BLOCK = 1024 }; /* particles of a task */

#define NONE UINT64_MAX

/* A sweep over all particles. */
struct sweep {
    struct pairs_solver *solver;
    const struct engine_call *call;
    uint64_t step;
    uint64_t *lost; /* for each block a particle that left the range of numbers, or NONE */
};

static void run_blocks(struct sweep *sweep, void (*task)(void *argument, uint64_t block))
{
    const uint64_t blocks = divide_up(sweep->solver->plan.count, BLOCK);
    if (!sweep->solver->serial)
        sweep->solver->host->parallel(sweep->solver->host, blocks, task, sweep);
    for (uint64_t block = 0; sweep->solver->serial && block < blocks; block++)
        task(sweep, block);
}

/* ---- A particle -------------------------------------------------------------------------------------------------- */

static void kick(struct pairs_solver *solver, uint64_t i)
{
    const double h = solver->plan.dt / 2 / solver->now.mass[i];
    for (int c = 0; c < 3; c++)
        solver->now.v[c][i] += h * solver->now.force[c][i];
}

/* Returns 0 if the particle would cross half the box, or if its velocity is no number. */
static int drift_skewed(struct pairs_solver *solver, uint64_t i, double h)
{
    double x[3], way[3], s[3];
    int right = 1;
    for (int c = 0; c < 3; c++) {
        way[c] = h * solver->now.v[c][i];
        x[c] = solver->now.x[c][i] + way[c];
    }
    pairs_to_fractions(&solver->plan, way, s);
    for (int c = 0; c < 3; c++)
        right = right && fabs(s[c]) < 0.5;
    pairs_to_fractions(&solver->plan, x, s);
    for (int c = 0; c < 3; c++)
        s[c] = floor(s[c]);
    pairs_take_edges(&solver->plan, s, x);
    for (int c = 0; c < 3; c++)
        solver->now.x[c][i] = x[c];
    return right;
}

static int drift(struct pairs_solver *solver, uint64_t i, double h)
{
    int right = 1;
    if (solver->plan.skewed)
        return drift_skewed(solver, i, h);
    for (int c = 0; c < 3; c++) {
        const double edge = solver->plan.box[c], way = h * solver->now.v[c][i], x = solver->now.x[c][i] + way;
        right = right && fabs(way) < edge / 2;
        solver->now.x[c][i] = x - edge * floor(x / edge);
    }
    return right;
}

static void thermalise(struct pairs_solver *solver, uint64_t i, uint64_t step, double keep, double noise)
{
    double g[4];
    pairs_normal_numbers(solver->plan.seed, step, solver->now.id[i], g);
    const double speed = noise / sqrt(solver->now.mass[i]);
    for (uint32_t c = 0; c < solver->plan.axes; c++)
        solver->now.v[c][i] = keep * solver->now.v[c][i] + speed * g[c];
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

static void move_block(void *argument, uint64_t block)
{
    const struct sweep *sweep = (const struct sweep *) argument;
    struct pairs_solver *solver = sweep->solver;
    const struct pairs_plan *plan = &solver->plan;
    const double keep = exp(-plan->friction * plan->dt), noise = sqrt((1 - keep * keep) * plan->temperature);
    const uint64_t begin = block * BLOCK, end = begin + BLOCK < plan->count ? begin + BLOCK : plan->count;
    sweep->lost[block] = NONE;
    for (uint64_t i = begin; i < end; i++) {
        int right;
        kick(solver, i);
        if (plan->integrator == PAIRS_LANGEVIN) {
            right = drift(solver, i, plan->dt / 2);
            thermalise(solver, i, sweep->step, keep, noise);
            right = drift(solver, i, plan->dt / 2) && right;
        } else {
            right = drift(solver, i, plan->dt);
        }
        if (!right && solver->now.id[i] < sweep->lost[block])
            sweep->lost[block] = solver->now.id[i];
    }
}

static void kick_block(void *argument, uint64_t block)
{
    struct pairs_solver *solver = ((const struct sweep *) argument)->solver;
    const uint64_t begin = block * BLOCK, count = solver->plan.count;
    for (uint64_t i = begin; i < begin + BLOCK && i < count; i++)
        kick(solver, i);
}

int pairs_crossed(const struct engine_host *host, const struct pairs_plan *plan, uint64_t step, uint64_t particle)
{
    return -ENGINE_FAIL(host, ENGINE_INVALID,
                        "%sstep %llu: particle %llu would cross half the box in one step; set a smaller dt, or start "
                        "from particles that do not overlap",
                        plan->system, (unsigned long long) step, (unsigned long long) particle);
}

/* Finds particles with a bond that is too long. */
static void bond_block(void *argument, uint64_t block)
{
    const struct sweep *sweep = (const struct sweep *) argument;
    const struct pairs_solver *solver = sweep->solver;
    const uint64_t begin = block * BLOCK, count = solver->plan.count;
    const double most = solver->plan.bond_length * solver->plan.bond_length;
    sweep->lost[block] = NONE;
    for (uint64_t i = begin; i < begin + BLOCK && i < count; i++) {
        uint32_t partners[PAIRS_BONDS_MAX];
        double d[3];
        for (int k = pairs_partners(solver, i, partners); k-- > 0;)
            if (!(pairs_apart(solver, i, partners[k], d) < most) && solver->now.id[i] < sweep->lost[block])
                sweep->lost[block] = solver->now.id[i];
    }
}

static uint64_t first_lost(const struct sweep *sweep)
{
    uint64_t lost = NONE;
    for (uint64_t block = 0; block < divide_up(sweep->solver->plan.count, BLOCK); block++)
        lost = sweep->lost[block] < lost ? sweep->lost[block] : lost;
    return lost;
}

static int check_bonds(struct sweep *sweep)
{
    const struct pairs_solver *solver = sweep->solver;
    if (!solver->plan.bonds.first)
        return 0;
    run_blocks(sweep, bond_block);
    const uint64_t lost = first_lost(sweep);
    return lost == NONE ? 0 : pairs_torn(solver->host, &solver->plan, sweep->step, lost);
}

static int take_step(struct sweep *sweep)
{
    struct pairs_solver *solver = sweep->solver;
    run_blocks(sweep, move_block);
    const uint64_t lost = first_lost(sweep);
    if (lost != NONE)
        return pairs_crossed(solver->host, &solver->plan, sweep->step, lost);
    int status = check_bonds(sweep);
    if (status != 0)
        return status;
    status = solver->forces(solver, sweep->call, 0);
    run_blocks(sweep, kick_block);
    return status;
}

/* ---- The fields -------------------------------------------------------------------------------------------------- */

int pairs_solver_make(const struct engine_call *call, const struct pairs_plan *plan, struct pairs_solver *solver)
{
    const struct engine_host *host = call->host;
    struct pairs_particles *now = &solver->now;
    *solver = (struct pairs_solver){.plan = *plan, .host = host};
    double *numbers = (double *) host->scratch(host, 10 * plan->count * sizeof(double), ENGINE_HOST_MEMORY);
    uint32_t *words = (uint32_t *) host->scratch(host, 3 * plan->count * sizeof(uint32_t), ENGINE_HOST_MEMORY);
    solver->lost =
        (uint64_t *) host->scratch(host, divide_up(plan->count, BLOCK) * sizeof(uint64_t), ENGINE_HOST_MEMORY);
    if (!numbers || !words || !solver->lost)
        return ENGINE_NO_MEMORY;
    for (uint64_t c = 0; c < 3; c++) {
        now->x[c] = numbers + c * plan->count;
        now->v[c] = numbers + (3 + c) * plan->count;
        now->force[c] = numbers + (6 + c) * plan->count;
    }
    now->mass = numbers + 9 * plan->count;
    now->species = words;
    now->id = words + plan->count;
    solver->where = words + 2 * plan->count;
    return 0;
}

int pairs_gather_forces(const struct pairs_solver *solver, const struct engine_call *call, uint64_t unit)
{
    const struct engine_team *team = engine_host_team(call->host);
    int status = 0;
    for (int c = 0; c < 3 && status == 0; c++)
        status = team->gather(call, solver->now.force[c], solver->plan.count * sizeof(double), unit * sizeof(double));
    return status;
}

static double *origin(const struct engine_call *call, uint32_t field)
{
    return (double *) engine_field_buffer(call, field)->origin[call->current];
}

int pairs_check_particle(const struct engine_host *host, const struct pairs_plan *plan, uint64_t particle,
                         const double x[3], const double v[3], double mass, int32_t species)
{
    const unsigned long long number = particle;
    for (int c = 0; c < 3; c++)
        if (!(fabs(x[c]) < 1e15) || !(fabs(v[c]) < 1e15))
            return ENGINE_FAIL(
                host, ENGINE_INVALID,
                "%sparticle %llu: its position is %g and its velocity %g along %c; expected numbers below 1e15",
                plan->system, number, x[c], v[c], "xyz"[c]);
    if (plan->axes == 2 && (x[2] != 0 || v[2] != 0))
        return ENGINE_FAIL(
            host, ENGINE_INVALID,
            "%sparticle %llu: its position is %g and its velocity %g along z; expected 0 in two dimensions",
            plan->system, number, x[2], v[2]);
    if (!(mass > 0) || !(mass < 1e15))
        return ENGINE_FAIL(host, ENGINE_INVALID, "%sparticle %llu: its mass is %g; expected more than 0", plan->system,
                           number, mass);
    if (species < 0 || species >= (int32_t) plan->species)
        return ENGINE_FAIL(host, ENGINE_INVALID,
                           "%sparticle %llu: its species is %d; expected 0 to %u, see the parameter species",
                           plan->system, number, species, plan->species - 1);
    return 0;
}

static int load(struct pairs_solver *solver, const struct engine_call *call)
{
    const double *x = origin(call, PAIRS_POSITION), *v = origin(call, PAIRS_VELOCITY), *mass = origin(call, PAIRS_MASS);
    const int32_t *species = (const int32_t *) engine_field_buffer(call, PAIRS_SPECIES)->origin[call->current];
    for (uint64_t i = 0; i < solver->plan.count; i++) {
        for (uint64_t c = 0; c < 3; c++) {
            solver->now.x[c][i] = x[3 * i + c];
            solver->now.v[c][i] = v[3 * i + c];
        }
        solver->now.mass[i] = mass[i];
        solver->now.species[i] = (uint32_t) species[i];
        solver->now.id[i] = solver->where[i] = (uint32_t) i;
        const int status =
            pairs_check_particle(solver->host, &solver->plan, i, x + 3 * i, v + 3 * i, mass[i], species[i]);
        if (status != 0)
            return status;
    }
    struct sweep sweep = {solver, call, call->first_step, solver->lost};
    solver->loaded = 1;
    const int status = check_bonds(&sweep);
    return status == 0 ? solver->forces(solver, call, 1) : status;
}

static void store(const struct pairs_solver *solver, const struct engine_call *call)
{
    double *x = origin(call, PAIRS_POSITION), *v = origin(call, PAIRS_VELOCITY), *force = origin(call, PAIRS_FORCE);
    for (uint64_t i = 0; i < solver->plan.count; i++)
        for (uint64_t c = 0; c < 3; c++) {
            const uint64_t to = 3 * (uint64_t) solver->now.id[i] + c;
            x[to] = solver->now.x[c][i];
            v[to] = solver->now.v[c][i];
            force[to] = solver->now.force[c][i];
        }
}

int pairs_advance(void *self, struct engine_call *call)
{
    struct pairs_solver *solver = (struct pairs_solver *) self;
    struct sweep sweep = {solver, call, call->first_step, solver->lost};
    int status = 0;
    if (!solver->loaded || call->flags & ENGINE_CALL_FRESH)
        status = load(solver, call);
    for (uint64_t step = 0; status == 0 && step < call->steps; step++, sweep.step++)
        status = take_step(&sweep);
    if (status == 0)
        store(solver, call);
    return status;
}

void pairs_set_metrics(const struct pairs_plan *plan, const uint64_t counts[PAIRS_SPECIES_MAX], double kinetic,
                       struct pairs_term sums, double *values)
{
    const struct pairs_term tail = pairs_tail(plan, counts);
    const double count = (double) plan->count, potential = sums.energy + tail.energy, virial = sums.force + tail.force;
    const double axes = plan->axes, still = plan->integrator == PAIRS_VERLET && plan->count > 1 ? axes : 0;
    values[PAIRS_KINETIC] = kinetic;
    values[PAIRS_POTENTIAL_ENERGY] = potential;
    values[PAIRS_ENERGY] = kinetic + potential;
    values[PAIRS_TEMPERATURE_NOW] = 2 * kinetic / (axes * count - still);
    values[PAIRS_VIRIAL] = virial;
    values[PAIRS_PRESSURE] = (2 * kinetic + virial) / axes / plan->volume;
}

int pairs_measure(void *self, const struct engine_call *call, double *values)
{
    struct pairs_solver *solver = (struct pairs_solver *) self;
    const double *v = origin(call, PAIRS_VELOCITY), *mass = origin(call, PAIRS_MASS);
    struct pairs_term sums = {0, 0};
    uint64_t counts[PAIRS_SPECIES_MAX] = {0};
    double kinetic = 0;
    int status = load(solver, call);
    if (status == 0)
        status = solver->sums(solver, call, &sums);
    if (status != 0)
        return status;
    for (uint64_t i = 0; i < solver->plan.count; i++)
        counts[solver->now.species[i]]++;
    for (uint64_t i = 0; i < solver->plan.count; i++)
        for (uint64_t c = 0; c < 3; c++)
            kinetic += mass[i] / 2 * v[3 * i + c] * v[3 * i + c];
    pairs_set_metrics(&solver->plan, counts, kinetic, sums, values);
    return 0;
}
