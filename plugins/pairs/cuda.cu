/* cuda: lists of neighbours, by engine/neighbours.cuh, with the rule of cuda_rule.cuh. Small systems take their steps by
 * cuda_small.cuh or cuda_middle.cuh instead, with the same bits.
 *
 * A launch computes the forces on all particles, ends this step and begins the next one. Positions are in double
 * precision; a thread reads those of its neighbours as 32-bit fractions of the box, 16 bytes with the species, and
 * computes a force in single precision. Metrics are sums of integers over the same lists, with terms in double
 * precision. With bonds, forces, bonds and moves have a launch each. */
#include "cuda_bonds.cuh"
#include "cuda_small_calls.cuh"

#include <common/cuda.cuh>
#include <stdio.h>
#include <type_traits>

namespace
{

using namespace engine_neighbours;

/* The square of a distance that is not 0 is at least (edge / 2^32)^2. See inverse_of. */
constexpr double SMALLEST_BOX = 1e-8;

/* The largest number of neighbours for which a list has room: twice the mean, or a dense liquid of the smallest
 * particles. */
uint32_t room_of(const pairs_plan &plan, double skin)
{
    const double reach = plan.reach + skin, ball = 4.18879020478639 * reach * reach * reach;
    const double mean = 2 * (double) plan.count / (plan.box[0] * plan.box[1] * plan.box[2]);
    double sigma = plan.reach;
    for (uint32_t type = 0; type < PAIRS_TYPES; type++)
        sigma = plan.sigma[type] > 0 && plan.sigma[type] < sigma ? plan.sigma[type] : sigma;
    const double dense = 1.3 / (sigma * sigma * sigma), room = ball * (dense > mean ? dense : mean) + 16;
    return (uint32_t) (room < 1024 ? room : 1024);
}

/* ---- The instance: that of the header, and what pairs needs beside ----------------------------------------------- */

struct solver {
    void *neighbours; /* of a system that is not small */
    small_launches small;
    solver **each; /* of a batch of systems that are not small: an instance for each, which it calls in turn */
    bool loaded;   /* the particles of the fields have been checked */
    pairs_plan plan;
    struct rule rule;
    pairs_plan *plans, *plans_here; /* of small systems: one for each system if systems differ, or one for all */
    pairs_row *rows;                /* of the table, in device memory */
    device_bonds bonds;
    uint64_t sorts; /* of the neighbours, for which bonds.where is set */
    unsigned long long *wrong;
    uint64_t *counts, *counts_here; /* particles of each species of each system */
    int64_t *terms, *terms_here;    /* of each system and warp, for the metrics */
    double *kinetic, *kinetic_here; /* of each system and block */
};

void name_system(pairs_plan *plan, uint64_t seed)
{
    snprintf(plan->system, sizeof plan->system, "the universe with seed %llu: ", (unsigned long long) seed);
}

/* The rule of a system. `table` is in device memory, or NULL. */
rule rule_of(const pairs_plan &plan, const pairs_job &job, double unit, double skin, const float *table)
{
    struct rule rule = {};
    rule.reach = (float) plan.reach * (1 + 0x1p-22f); /* the squares of the cutoffs are rounded */
    rule.skin = (float) skin;
    memcpy(rule.cutoff2, job.cutoff2, sizeof rule.cutoff2);
    memcpy(rule.sigma2, job.sigma2, sizeof rule.sigma2);
    memcpy(rule.strength, job.strength, sizeof rule.strength);
    rule.kappa = job.kappa;
    rule.table = table;
    rule.table_begin = job.table_begin;
    rule.table_scale = job.table_scale;
    rule.axes = (int) plan.axes;
    rule.dt = plan.dt;
    rule.half_dt = plan.dt / 2;
    memcpy(rule.edge, plan.box, sizeof rule.edge);
    rule.unit = unit;
    rule.keep = exp(-plan.friction * plan.dt);
    rule.noise = sqrt((1 - rule.keep * rule.keep) * plan.temperature);
    rule.seed = plan.seed;
    return rule;
}

/* Makes the table of a plan that has one, and copies it and its rows. */
int copy_table(const engine_call *call, solver *own, pairs_job *job, float **table)
{
    *table = NULL;
    if (own->plan.potential != PAIRS_FROM_TABLE)
        return 0;
    int status = pairs_job_table(call->host, &own->plan, job);
    if (status == 0)
        status = cuda_upload(call, job->table, 4 * PAIRS_TABLE_BINS, table);
    return status ? status : cuda_upload(call, own->plan.rows, own->plan.row_count, &own->rows);
}

/* Particles whose terms are added, and those whose kinetic energies are. */
uint64_t warps_of(const solver *own)
{
    return own->small.job.systems * engine_divide_up(own->plan.count, 32);
}

uint64_t blocks_of_tally(const solver *own)
{
    return own->small.job.systems * engine_divide_up(own->plan.count, ENGINE_TALLY_BLOCK);
}

/* Allocates memory on the device, and as much on the host. */
template <class T> bool allocate_pair(const engine_host *host, uint64_t count, T **device, T **here)
{
    *device = (T *) host->scratch(host, count * sizeof(T), ENGINE_CUDA_MEMORY);
    *here = (T *) host->scratch(host, count * sizeof(T), ENGINE_HOST_MEMORY);
    return *device && *here;
}

/* Calls work(typed rule) with the type of the plan's potential, species and integrator. */
template <int POTENTIAL, bool ONE, class Work> int with_integrator(const solver *own, const Work &work)
{
    if (own->plan.integrator == PAIRS_LANGEVIN)
        return work(typed_rule<POTENTIAL, ONE, true>{own->rule});
    return work(typed_rule<POTENTIAL, ONE, false>{own->rule});
}

template <class Work> int with_rule(const solver *own, const Work &work)
{
    if (own->plan.potential == PAIRS_YUKAWA)
        return with_integrator<PAIRS_YUKAWA, false>(own, work);
    if (own->plan.potential == PAIRS_FROM_TABLE)
        return with_integrator<PAIRS_FROM_TABLE, false>(own, work);
    if (own->plan.species > 1)
        return with_integrator<PAIRS_LJ, false>(own, work);
    return with_integrator<PAIRS_LJ, true>(own, work);
}

/* The neighbours call it between sums and moves. */
cudaError_t launch_bonds(void *self, const engine_call *call, const world &world, const launch_of &at)
{
    solver *own = (solver *) self;
    const instance *neighbours = (const instance *) own->neighbours;
    const unsigned blocks = blocks_of(neighbours, OTHERS);
    const cudaStream_t stream = engine_cuda_stream(call);
    if (own->sorts != neighbours->sorts)
        find_where<<<blocks, OTHERS, 0, stream>>>(world, own->bonds.where);
    own->sorts = neighbours->sorts;
    with_rule(own, [&](const auto &rule) {
        constexpr int potential = std::decay_t<decltype(rule)>::potential;
        add_bonds<potential><<<blocks, OTHERS, 0, stream>>>(own->rule, world, own->plan, own->bonds, at);
        return 0;
    });
    return cudaGetLastError();
}

/* Has the neighbours add the bonds. */
int copy_bonds(const engine_call *call, solver *own)
{
    const pairs_bonds &bonds = own->plan.bonds;
    instance *neighbours = (instance *) own->neighbours;
    uint32_t *first = NULL, *other = NULL;
    if (!bonds.first)
        return 0;
    int status = cuda_upload(call, bonds.first, own->plan.count + 1, &first);
    if (status == 0 && bonds.first[own->plan.count] > 0)
        status = cuda_upload(call, bonds.other, bonds.first[own->plan.count], &other);
    own->bonds.of = {first, other};
    own->bonds.where =
        (uint32_t *) call->host->scratch(call->host, own->plan.count * sizeof(uint32_t), ENGINE_CUDA_MEMORY);
    neighbours->add = launch_bonds;
    neighbours->plugin = own;
    return status || own->bonds.where ? status : ENGINE_NO_MEMORY;
}

int allocate_own(const engine_host *host, solver *own)
{
    own->wrong = (unsigned long long *) host->scratch(host, sizeof *own->wrong, ENGINE_CUDA_MEMORY);
    return own->wrong &&
                   allocate_pair(host, own->small.job.systems * PAIRS_SPECIES_MAX, &own->counts, &own->counts_here) &&
                   allocate_pair(host, 4 * warps_of(own), &own->terms, &own->terms_here) &&
                   allocate_pair(host, blocks_of_tally(own), &own->kinetic, &own->kinetic_here)
               ? 0
               : ENGINE_NO_MEMORY;
}

/* The plan of a system. */
pairs_plan plan_of(const solver *own, uint64_t system)
{
    pairs_plan plan = own->small.differ ? own->plans_here[system] : own->plan;
    if (own->small.job.systems > 1)
        name_system(&plan, plan.seed + (own->small.differ ? 0 : system));
    return plan;
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

template <class T> cudaError_t element(T *out, const engine_strided &field, uint64_t i, int c)
{
    return cudaMemcpy(out, (const T *) field.origin + (int64_t) i * field.pitch + c * field.apart, sizeof *out,
                      cudaMemcpyDeviceToHost);
}

/* Refuses particles as `cpu` does. */
int check_particles(const solver *own, const engine_call *call)
{
    const small_job &job = own->small.job;
    const cudaStream_t stream = engine_cuda_stream(call);
    unsigned long long wrong;
    ENGINE_CUDA_CHECK(call->host, cudaMemsetAsync(own->wrong, 0xff, sizeof wrong, stream));
    find_wrong<<<engine_cuda_blocks(measure_particles(job), MEASURE_THREADS), MEASURE_THREADS, 0, stream>>>(
        job, (int32_t) own->plan.species, own->plan.axes, own->wrong);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, find_wrong);
    ENGINE_CUDA_CHECK(call->host, cudaMemcpyAsync(&wrong, own->wrong, sizeof wrong, cudaMemcpyDeviceToHost, stream));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
    if (wrong == ~0ull)
        return 0;
    const uint64_t system = wrong / own->plan.count, i = wrong % own->plan.count;
    const engine_neighbours_fields fields = small_fields(job, (uint32_t) system);
    const pairs_plan plan = plan_of(own, system);
    double x[3], v[3], mass;
    int32_t species;
    for (int c = 0; c < 3; c++) {
        ENGINE_CUDA_CHECK(call->host, element(x + c, fields.position, i, c));
        ENGINE_CUDA_CHECK(call->host, element(v + c, fields.velocity, i, c));
    }
    ENGINE_CUDA_CHECK(call->host, element(&mass, fields.mass, i, 0));
    ENGINE_CUDA_CHECK(call->host, element(&species, fields.species, i, 0));
    return pairs_check_particle(call->host, &plan, i, x, v, mass, species);
}

/* ---- Metrics ----------------------------------------------------------------------------------------------------- */

/* The sums of energies and virials of the particles of each warp of this part, over the lists. */
template <bool BONDS>
__global__ void add_terms(const __grid_constant__ world world, const __grid_constant__ pairs_plan plan,
                          const pairs_row *rows, const __grid_constant__ device_bonds bonds, int64_t *sums)
{
    const uint32_t i = (world.own + blockIdx.x) * THREADS + threadIdx.x;
    int64_t own[4] = {};
    if (i < world.space.count) {
        const engine_seen self = world.seen[i].seen;
        for (uint32_t lane = 0; lane < LANES; lane++)
            visit_neighbours(world, i, lane,
                             [&](uint32_t, const engine_seen &other) { add_pair(plan, rows, self, other, own); });
        if (BONDS)
            add_bond_terms(world, plan, rows, bonds, i, own);
    }
    if (i - threadIdx.x % 32 < world.space.count)
        put_terms(own, sums + i / 32 * 4);
}

/* Makes the lists of a system that is not small, and adds the terms of the particles of this part. */
int add_terms_by_lists(const solver *own, const engine_call *call)
{
    const instance *neighbours = (const instance *) own->neighbours;
    const auto kernel = own->plan.bonds.first ? add_terms<true> : add_terms<false>;
    bool lost = false;
    const int status = with_rule(own, [&](const auto &rule) {
        const cudaError_t error = load(job_of(own->neighbours, call, rule), &lost);
        if (neighbours->failed)
            return neighbours->failed;
        ENGINE_CUDA_CHECK(call->host, error);
        return 0;
    });
    if (status != 0)
        return status;
    if (lost)
        return pairs_torn(call->host, &own->plan, call->first_step, neighbours->told->first_lost & ~TORN);
    if (neighbours->own_blocks > 0) {
        kernel<<<neighbours->own_blocks, THREADS, 0, engine_cuda_stream(call)>>>(neighbours->world, own->plan,
                                                                                 own->rows, own->bonds, own->terms);
        ENGINE_CUDA_CHECK_LAUNCH(call->host, add_terms);
    }
    return engine_host_team(call->host)
        ->gather(call, own->terms, 4 * warps_of(own) * sizeof(int64_t), THREADS / 32 * 4 * sizeof(int64_t));
}

int add_terms_of_small(const solver *own, const engine_call *call)
{
    add_all_pairs<<<engine_cuda_blocks(32 * warps_of(own), MEASURE_THREADS), MEASURE_THREADS, 0,
                    engine_cuda_stream(call)>>>(own->small.job, own->plans, own->rows, own->terms);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, add_all_pairs);
    return 0;
}

int count_all(const solver *own, const engine_call *call)
{
    const small_job &job = own->small.job;
    const uint64_t bytes = job.systems * PAIRS_SPECIES_MAX * sizeof *own->counts;
    const cudaStream_t stream = engine_cuda_stream(call);
    memset(own->counts_here, 0, bytes);
    if (!own->plan.tail)
        return 0;
    ENGINE_CUDA_CHECK(call->host, cudaMemsetAsync(own->counts, 0, bytes, stream));
    count_species<<<engine_cuda_blocks(measure_particles(job), MEASURE_THREADS), MEASURE_THREADS, 0, stream>>>(
        job, (unsigned long long *) own->counts);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, count_species);
    ENGINE_CUDA_CHECK(call->host,
                      cudaMemcpyAsync(own->counts_here, own->counts, bytes, cudaMemcpyDeviceToHost, stream));
    return 0;
}

int add_all_kinetic(const solver *own, const engine_call *call)
{
    const uint64_t blocks = blocks_of_tally(own);
    const cudaStream_t stream = engine_cuda_stream(call);
    add_kinetic<<<engine_cuda_blocks(32 * blocks, MEASURE_THREADS), MEASURE_THREADS, 0, stream>>>(own->small.job,
                                                                                                  own->kinetic);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, add_kinetic);
    ENGINE_CUDA_CHECK(call->host, cudaMemcpyAsync(own->kinetic_here, own->kinetic, blocks * sizeof(double),
                                                  cudaMemcpyDeviceToHost, stream));
    return 0;
}

/* Sets the metrics of a system, whose sums are on the host. */
void set_metrics(const solver *own, uint64_t system, double *values)
{
    const uint64_t systems = own->small.job.systems, warps = warps_of(own) / systems,
                   blocks = blocks_of_tally(own) / systems;
    __int128 all[2] = {0, 0}; /* both particles of a pair have counted it */
    pairs_term sum;
    double kinetic = 0;
    for (uint64_t k = 0; k < 4 * warps; k++)
        all[k / 2 % 2] += (__int128) own->terms_here[system * 4 * warps + k] * (k % 2 ? 1 : (int64_t) 1 << 40);
    for (uint64_t b = 0; b < blocks; b++)
        kinetic += own->kinetic_here[system * blocks + b];
    sum.energy = (double) all[0] * 0x1p-41;
    sum.force = (double) all[1] * 0x1p-41;
    const pairs_plan &plan = own->small.differ ? own->plans_here[system] : own->plan;
    pairs_set_metrics(&plan, own->counts_here + system * PAIRS_SPECIES_MAX, kinetic, sum, values);
}

/* ---- Systems ----------------------------------------------------------------------------------------------------- */

/* Reads the plans of systems that differ, and sets what they have of their own but the space. *room: the largest. */
int make_differing(const engine_call *call, solver *own, pairs_job *job, double skin, small_system<rule> **out,
                   uint32_t *room)
{
    const engine_host *host = call->host;
    const uint64_t systems = own->small.job.systems;
    const float *table = own->rule.table;
    own->plans_here = (pairs_plan *) host->scratch(host, systems * sizeof *own->plans, ENGINE_HOST_MEMORY);
    *out = (small_system<rule> *) host->scratch(host, systems * sizeof **out, ENGINE_HOST_MEMORY);
    if (!own->plans_here || !*out)
        return ENGINE_NO_MEMORY;
    for (uint64_t system = 0; system < systems; system++) {
        const engine_plan plan = engine_universe_plan(call->plan, system);
        pairs_plan &mine = own->plans_here[system];
        const int status = pairs_plan_load_as(host, &plan, &own->plan, &mine);
        if (status != 0)
            return status;
        const double unit = pairs_job_set(&mine, job);
        (*out)[system].of = rule_of(mine, *job, unit, skin, table);
        (*out)[system].of.seed -= system;
        *room = room_of(mine, skin) > *room ? room_of(mine, skin) : *room;
    }
    return 0;
}

/* Sets the spaces of systems that differ, and copies to the device what they have of their own. */
int copy_differing(const engine_call *call, solver *own, small_system<rule> *each)
{
    small_job &job = own->small.job;
    small_system<rule> *copy = NULL;
    for (uint32_t system = 0; system < job.systems; system++) {
        each[system].space.count = job.space.count;
        const int status = engine_space_set(&each[system].space, call->host, own->plans_here[system].box,
                                            each[system].of.reach, each[system].of.skin, job.room);
        if (status != 0)
            return status;
    }
    const int status = cuda_upload(call, each, job.systems, &copy);
    job.differ = copy;
    return status;
}

/* Prepares small systems. */
int make_small(const engine_call *call, solver *own, pairs_job *job, double skin, uint32_t room)
{
    small_launches &small = own->small;
    small_system<rule> *each = NULL;
    int status = small.differ ? make_differing(call, own, job, skin, &each, &room) : 0;
    if (status == 0)
        status = with_rule(
            own, [&](const auto &rule) { return small_prepare(call, rule, own->plan.box, room, &own->small); });
    if (status == 0 && small.differ && small.lanes)
        status = copy_differing(call, own, each);
    if (status || !small.lanes)
        return status;
    return cuda_upload(call, small.differ ? own->plans_here : &own->plan, small.differ ? small.job.systems : 1,
                       &own->plans);
}

int make(const engine_call *call, solver **out)
{
    const engine_host *host = call->host;
    solver *own = *out = (solver *) host->scratch(host, sizeof *own, ENGINE_HOST_MEMORY);
    pairs_job *job = (pairs_job *) host->scratch(host, sizeof *job, ENGINE_HOST_MEMORY);
    float *table;
    if (!own || !job)
        return ENGINE_NO_MEMORY;
    memset((void *) own, 0, sizeof *own);
    memset((void *) job, 0, sizeof *job);
    int status = pairs_plan_load(host, call->plan, &own->plan);
    if (status != 0)
        return status;
    const double unit = pairs_job_set(&own->plan, job), skin = engine_param_real(call->plan, PAIRS_SKIN);
    const uint32_t room = room_of(own->plan, skin);
    status = copy_table(call, own, job, &table);
    own->rule = rule_of(own->plan, *job, unit, skin, table);
    own->small.job.space.count = (uint32_t) own->plan.count;
    own->small.job.systems = (uint32_t) call->plan->universes;
    own->small.differ = call->plan->each != NULL;
    if (status == 0 && !own->plan.bonded) /* small systems with bonds are as large ones */
        status = make_small(call, own, job, skin, room);
    if (status == 0 && (own->small.lanes || own->small.job.systems == 1))
        status = allocate_own(host, own);
    if (status || own->small.lanes || own->small.job.systems > 1)
        return status;
    status = create(call, &own->neighbours, own->plan.box, own->rule.reach, skin, room);
    return status ? status : copy_bonds(call, own);
}

int advance_small_or_one(solver *own, engine_call *call)
{
    uint64_t system = 0, lost = UINT64_MAX, step = 0;
    int status = 0;
    small_bind(&own->small.job, call);
    if (!own->loaded || call->flags & ENGINE_CALL_FRESH)
        status = check_particles(own, call);
    if (status == 0)
        status = with_rule(own, [&](const auto &rule) {
            return own->small.lanes ? small_advance(&own->small, call, rule, &system, &lost, &step)
                                    : advance(own->neighbours, call, rule, own->plan.box, &lost, &step);
        });
    own->loaded = status == 0 && lost == UINT64_MAX;
    if (status != 0 || lost == UINT64_MAX)
        return status;
    const pairs_plan plan = plan_of(own, system);
    if (lost & TORN)
        return pairs_torn(call->host, &plan, step == UINT64_MAX ? call->first_step : step, lost & ~TORN);
    return pairs_crossed(call->host, &plan, step, lost);
}

int measure_small_or_one(solver *own, const engine_call *call, double *values)
{
    small_bind(&own->small.job, call);
    int status = check_particles(own, call);
    if (status == 0)
        status = own->small.lanes ? add_terms_of_small(own, call) : add_terms_by_lists(own, call);
    if (status == 0)
        status = add_all_kinetic(own, call);
    if (status == 0)
        status = count_all(own, call);
    if (status != 0)
        return status;
    ENGINE_CUDA_CHECK(call->host, cudaMemcpyAsync(own->terms_here, own->terms, 4 * warps_of(own) * sizeof *own->terms,
                                                  cudaMemcpyDeviceToHost, engine_cuda_stream(call)));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(engine_cuda_stream(call)));
    for (uint64_t system = 0; system < own->small.job.systems; system++)
        set_metrics(own, system, values + system * PAIRS_METRICS);
    return 0;
}

/* ---- Batches of systems that are not small: one after the other --------------------------------------------------- */

/* The call of one system. */
struct one_call {
    engine_call call;
    engine_plan plan;
    engine_buffer buffers[PAIRS_FORCE + 1];
};

void set_one(one_call *one, const engine_call *call, uint64_t system)
{
    one->call = *call;
    one->plan = engine_universe_plan(call->plan, system);
    for (uint32_t field = 0; field <= PAIRS_FORCE; field++) {
        engine_buffer &buffer = one->buffers[field] = *engine_field_buffer(call, field);
        for (void *&origin : buffer.origin)
            origin = origin ? (char *) origin + (int64_t) system * buffer.row_stride : nullptr;
    }
    one->call.plan = &one->plan;
    one->call.buffers = {one->buffers, PAIRS_FORCE + 1, sizeof *one->buffers};
}

/* Calls work(system, call of the system). An error loses the state if systems before have taken their steps. */
template <class Work> int in_each(const solver *own, const engine_call *call, const Work &work)
{
    for (uint32_t system = 0; system < own->small.job.systems; system++) {
        one_call one;
        set_one(&one, call, system);
        const int status = work(system, &one.call);
        if (status != 0)
            return status > 0 && system > 0 && call->steps > 0 ? -status : status;
    }
    return 0;
}

} // namespace

/* ---- The implementation ------------------------------------------------------------------------------------------ */

int pairs_cuda_probe(const engine_host *host, const engine_plan *plan)
{
    pairs_plan own;
    int status = pairs_plan_read(host, plan, &own);
    for (int c = 0; c < 3 && status == 0; c++)
        if (own.box[c] < SMALLEST_BOX)
            status = ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "the edge of the box along %c is %g; expected at least %g",
                                 "xyz"[c], own.box[c], SMALLEST_BOX);
    return status ? status : engine_neighbours_probe(host, plan);
}

int pairs_cuda_create(const engine_call *call, void **self)
{
    solver *own;
    const int status = make(call, &own);
    *self = own;
    if (status != 0 || own->small.lanes || own->small.job.systems == 1)
        return status;
    own->each =
        (solver **) call->host->scratch(call->host, own->small.job.systems * sizeof *own->each, ENGINE_HOST_MEMORY);
    if (!own->each)
        return ENGINE_NO_MEMORY;
    return in_each(own, call, [&](uint32_t system, const engine_call *one) {
        const int made = make(one, &own->each[system]);
        if (made == 0)
            name_system(&own->each[system]->plan, one->plan->seed);
        return made;
    });
}

int pairs_cuda_advance(void *self, engine_call *call)
{
    solver *own = (solver *) self;
    if (!own->each)
        return advance_small_or_one(own, call);
    return in_each(own, call,
                   [&](uint32_t system, engine_call *one) { return advance_small_or_one(own->each[system], one); });
}

int pairs_cuda_measure(void *self, const engine_call *call, double *values)
{
    solver *own = (solver *) self;
    if (!own->each)
        return measure_small_or_one(own, call, values);
    return in_each(own, call, [&](uint32_t system, const engine_call *one) {
        return measure_small_or_one(own->each[system], one, values + system * PAIRS_METRICS);
    });
}
