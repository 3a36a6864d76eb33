/* cuda: lists of neighbours, by engine/neighbours.cuh, with the rule of cuda_rule.cuh. Small systems take their steps by
 * cuda_small.cuh instead, with the same bits.
 *
 * A launch computes the forces on all particles, ends this step and begins the next one. Positions are in double
 * precision; a thread reads those of its neighbours as 32-bit fractions of the box, 16 bytes with the species, and
 * computes a force in single precision. Metrics are sums of integers over the same lists, with terms in double
 * precision. */
#include "cuda_small_calls.cuh"
#include "potential.h"

#include <common/cuda.cuh>
#include <engine/neighbours.cuh>

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
    void *neighbours;
    small_launches small;
    bool loaded; /* the particles of the fields have been checked */
    pairs_plan plan;
    struct rule rule;
    pairs_row *rows;                    /* of the table, in device memory */
    unsigned long long *wrong, *counts; /* counts: particles of each species */
    int64_t *terms, *terms_here;        /* of each warp, for the metrics */
    double *kinetic, *kinetic_here;
};

void set_rule(solver *own, const pairs_job &job, double unit, double skin)
{
    const pairs_plan &plan = own->plan;
    struct rule &rule = own->rule;
    rule.reach = (float) plan.reach * (1 + 0x1p-22f); /* the squares of the cutoffs are rounded */
    rule.skin = (float) skin;
    memcpy(rule.cutoff2, job.cutoff2, sizeof rule.cutoff2);
    memcpy(rule.sigma2, job.sigma2, sizeof rule.sigma2);
    memcpy(rule.strength, job.strength, sizeof rule.strength);
    rule.kappa = job.kappa;
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
}

int copy_table(const engine_call *call, solver *own, const pairs_job &job)
{
    float *table = NULL;
    const int status = cuda_upload(call, job.table, 4 * PAIRS_TABLE_BINS, &table);
    own->rule.table = table;
    return status ? status : cuda_upload(call, own->plan.rows, own->plan.row_count, &own->rows);
}

int allocate_own(const engine_host *host, solver *own)
{
    const uint64_t warps = own->plan.count / 32 + 1, blocks = own->plan.count / ENGINE_TALLY_BLOCK + 1;
    own->wrong = (unsigned long long *) host->scratch(host, sizeof *own->wrong, ENGINE_CUDA_MEMORY);
    own->counts =
        (unsigned long long *) host->scratch(host, PAIRS_SPECIES_MAX * sizeof *own->counts, ENGINE_CUDA_MEMORY);
    own->terms = (int64_t *) host->scratch(host, 4 * warps * sizeof(int64_t), ENGINE_CUDA_MEMORY);
    own->terms_here = (int64_t *) host->scratch(host, 4 * warps * sizeof(int64_t), ENGINE_HOST_MEMORY);
    own->kinetic = (double *) host->scratch(host, blocks * sizeof(double), ENGINE_CUDA_MEMORY);
    own->kinetic_here = (double *) host->scratch(host, blocks * sizeof(double), ENGINE_HOST_MEMORY);
    return own->wrong && own->counts && own->terms && own->terms_here && own->kinetic && own->kinetic_here
               ? 0
               : ENGINE_NO_MEMORY;
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

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

__global__ void find_wrong(const __grid_constant__ engine_neighbours_fields fields, uint32_t count, int32_t species,
                           uint32_t axes, unsigned long long *wrong)
{
    const uint32_t i = blockIdx.x * OTHERS + threadIdx.x;
    if (i >= count)
        return;
    const engine_particle particle = engine_particle_get(&fields, i);
    bool right =
        particle.mass[0] > 0 && particle.mass[0] < 1e15 && particle.species[0] >= 0 && particle.species[0] < species;
    for (int c = 0; c < 3; c++)
        right = right && fabs(particle.position[c]) < 1e15 && fabs(particle.velocity[c]) < 1e15;
    right = right && (axes == 3 || (particle.position[2] == 0 && particle.velocity[2] == 0));
    if (!right)
        atomicMin(wrong, (unsigned long long) i);
}

template <class T> cudaError_t element(T *out, const engine_strided &field, uint64_t i, int c)
{
    return cudaMemcpy(out, (const T *) field.origin + (int64_t) i * field.pitch + c * field.apart, sizeof *out,
                      cudaMemcpyDeviceToHost);
}

/* Refuses particles as `cpu` does. */
int check_particles(const solver *own, const engine_call *call)
{
    const cudaStream_t stream = engine_cuda_stream(call);
    const engine_neighbours_fields fields = engine_neighbours_fields_of(call, call->current);
    unsigned long long wrong;
    ENGINE_CUDA_CHECK(call->host, cudaMemsetAsync(own->wrong, 0xff, sizeof wrong, stream));
    find_wrong<<<engine_cuda_blocks(own->plan.count, OTHERS), OTHERS, 0, stream>>>(
        fields, (uint32_t) own->plan.count, (int32_t) own->plan.species, own->plan.axes, own->wrong);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, find_wrong);
    ENGINE_CUDA_CHECK(call->host, cudaMemcpyAsync(&wrong, own->wrong, sizeof wrong, cudaMemcpyDeviceToHost, stream));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
    if (wrong == ~0ull)
        return 0;
    double x[3], v[3], mass;
    int32_t species;
    for (int c = 0; c < 3; c++) {
        ENGINE_CUDA_CHECK(call->host, element(x + c, fields.position, wrong, c));
        ENGINE_CUDA_CHECK(call->host, element(v + c, fields.velocity, wrong, c));
    }
    ENGINE_CUDA_CHECK(call->host, element(&mass, fields.mass, wrong, 0));
    ENGINE_CUDA_CHECK(call->host, element(&species, fields.species, wrong, 0));
    return pairs_check_particle(call->host, &own->plan, wrong, x, v, mass, species);
}

/* ---- Metrics ----------------------------------------------------------------------------------------------------- */

/* An energy in units of 2^-40 as two integers, so that sums do not depend on the order; see to_wide in cpu.c. */
__device__ void add_wide(int64_t sums[2], double energy)
{
    if (!(energy == energy))
        return;
    const double most = 1e15, in_range = energy > most ? most : energy < -most ? -most : energy;
    const int64_t high = __double2ll_rn(in_range);
    sums[0] += high;
    sums[1] += __double2ll_rn((in_range - (double) high) * 0x1p40);
}

/* The sums of energies and virials of the particles of each warp of this part. */
__global__ void add_terms(const __grid_constant__ world world, const __grid_constant__ pairs_plan plan,
                          const pairs_row *rows, int64_t *sums)
{
    const uint32_t i = (world.own + blockIdx.x) * THREADS + threadIdx.x;
    int64_t own[4] = {};
    if (i < world.space.count) {
        const engine_seen self = world.seen[i].seen;
        const auto add = [&](uint32_t, const engine_seen &other) {
            double square = 0;
            for (int c = 0; c < 3; c++) {
                const double d = plan.box[c] * 0x1p-32 * (int32_t) (self.place[c] - other.place[c]);
                square += d * d;
            }
            const pairs_term term = pairs_term_of(&plan, rows, pairs_type(self.species[0], other.species[0]), square);
            add_wide(own, term.energy);
            add_wide(own + 2, term.force * square);
        };
        for (uint32_t lane = 0; lane < LANES; lane++)
            visit_neighbours(world, i, lane, add);
    }
    for (int k = 0; k < 4; k++) {
        for (int apart = 16; apart > 0; apart /= 2)
            own[k] += __shfl_xor_sync(~0u, (long long) own[k], apart);
        if (threadIdx.x % 32 == 0 && i < world.space.count)
            sums[4 * (i / 32) + k] = own[k];
    }
}

/* Counts the particles of each species. */
__global__ void count_species(const __grid_constant__ engine_neighbours_fields fields, uint32_t count,
                              unsigned long long *counts)
{
    const uint32_t i = blockIdx.x * OTHERS + threadIdx.x;
    if (i < count)
        atomicAdd(counts + engine_particle_get(&fields, i).species[0], 1ull);
}

int count_all(const solver *own, const engine_call *call, uint64_t counts[PAIRS_SPECIES_MAX])
{
    const cudaStream_t stream = engine_cuda_stream(call);
    constexpr size_t bytes = PAIRS_SPECIES_MAX * sizeof(uint64_t);
    memset(counts, 0, bytes);
    if (!own->plan.tail)
        return 0;
    ENGINE_CUDA_CHECK(call->host, cudaMemsetAsync(own->counts, 0, bytes, stream));
    count_species<<<engine_cuda_blocks(own->plan.count, OTHERS), OTHERS, 0, stream>>>(
        engine_neighbours_fields_of(call, call->current), (uint32_t) own->plan.count, own->counts);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, count_species);
    ENGINE_CUDA_CHECK(call->host, cudaMemcpyAsync(counts, own->counts, bytes, cudaMemcpyDeviceToHost, stream));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
    return 0;
}

/* The kinetic energy of each block of particles, in the order of the fields. */
__global__ void add_kinetic(const __grid_constant__ engine_neighbours_fields fields, uint32_t count, double *sums)
{
    double own = 0;
    for (uint32_t k = threadIdx.x; k < ENGINE_TALLY_BLOCK; k += 32) {
        const uint32_t i = blockIdx.x * ENGINE_TALLY_BLOCK + k;
        if (i < count) {
            const engine_particle particle = engine_particle_get(&fields, i);
            for (int c = 0; c < 3; c++)
                own += particle.mass[0] / 2 * particle.velocity[c] * particle.velocity[c];
        }
    }
    for (int apart = 16; apart > 0; apart /= 2)
        own += __shfl_xor_sync(~0u, own, apart);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = own;
}

int add_all(const solver *own, const engine_call *call, double *kinetic, pairs_term *sum)
{
    const cudaStream_t stream = engine_cuda_stream(call);
    const uint64_t count = own->plan.count, warps = engine_divide_up(count, 32);
    const unsigned blocks = engine_cuda_blocks(count, ENGINE_TALLY_BLOCK);
    const instance *neighbours = (const instance *) own->neighbours;
    if (neighbours->own_blocks > 0) {
        add_terms<<<neighbours->own_blocks, THREADS, 0, stream>>>(neighbours->world, own->plan, own->rows, own->terms);
        ENGINE_CUDA_CHECK_LAUNCH(call->host, add_terms);
    }
    const int status = engine_host_team(call->host)
                           ->gather(call, own->terms, 4 * warps * sizeof(int64_t), THREADS / 32 * 4 * sizeof(int64_t));
    if (status != 0)
        return status;
    add_kinetic<<<blocks, 32, 0, stream>>>(engine_neighbours_fields_of(call, call->current), (uint32_t) count,
                                           own->kinetic);
    ENGINE_CUDA_CHECK_LAUNCH(call->host, add_kinetic);
    ENGINE_CUDA_CHECK(call->host, cudaMemcpyAsync(own->terms_here, own->terms, 4 * warps * sizeof(int64_t),
                                                  cudaMemcpyDeviceToHost, stream));
    ENGINE_CUDA_CHECK(call->host, cudaMemcpyAsync(own->kinetic_here, own->kinetic, blocks * sizeof(double),
                                                  cudaMemcpyDeviceToHost, stream));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(stream));
    __int128 all[2] = {0, 0}; /* both particles of a pair have counted it */
    for (uint64_t k = 0; k < 4 * warps; k++)
        all[k / 2 % 2] += (__int128) own->terms_here[k] * (k % 2 ? 1 : (int64_t) 1 << 40);
    *kinetic = 0;
    for (unsigned b = 0; b < blocks; b++)
        *kinetic += own->kinetic_here[b];
    sum->energy = (double) all[0] * 0x1p-41;
    sum->force = (double) all[1] * 0x1p-41;
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
    if (status == 0 && own.chain)
        status = ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "chain = %llu: only cpu and cpu-serial have bonds",
                             (unsigned long long) own.chain);
    return status ? status : engine_neighbours_probe(host, plan);
}

int pairs_cuda_create(const engine_call *call, void **self)
{
    const engine_host *host = call->host;
    solver *own = (solver *) host->scratch(host, sizeof *own, ENGINE_HOST_MEMORY);
    pairs_job *job = (pairs_job *) host->scratch(host, sizeof *job, ENGINE_HOST_MEMORY);
    if (!own || !job)
        return ENGINE_NO_MEMORY;
    memset((void *) own, 0, sizeof *own);
    memset((void *) job, 0, sizeof *job);
    int status = pairs_plan_load(host, call->plan, &own->plan);
    if (status != 0)
        return status;
    const double unit = pairs_job_set(&own->plan, job), skin = engine_param_real(call->plan, PAIRS_SKIN);
    if (own->plan.potential == PAIRS_FROM_TABLE) {
        status = pairs_job_table(host, &own->plan, job);
        status = status ? status : copy_table(call, own, *job);
    }
    set_rule(own, *job, unit, skin);
    *self = own;
    status = status ? status : allocate_own(host, own);
    if (status == 0)
        status = with_rule(own, [&](const auto &rule) {
            return small_prepare(call, rule, own->plan.box, room_of(own->plan, skin), &own->small);
        });
    return status ? status
                  : create(call, &own->neighbours, own->plan.box, own->rule.reach, skin, room_of(own->plan, skin));
}

int pairs_cuda_advance(void *self, engine_call *call)
{
    solver *own = (solver *) self;
    uint64_t lost = UINT64_MAX, step = 0;
    int status = 0;
    if (!own->loaded || call->flags & ENGINE_CALL_FRESH)
        status = check_particles(own, call);
    if (status == 0)
        status = with_rule(own, [&](const auto &rule) {
            return own->small.lanes ? small_advance(&own->small, call, rule, &lost, &step)
                                    : advance(own->neighbours, call, rule, own->plan.box, &lost, &step);
        });
    own->loaded = status == 0 && lost == UINT64_MAX;
    return status == 0 && lost != UINT64_MAX ? pairs_crossed(call->host, step, lost) : status;
}

int pairs_cuda_measure(void *self, const engine_call *call, double *values)
{
    const solver *own = (const solver *) self;
    pairs_term sum;
    double kinetic;
    uint64_t counts[PAIRS_SPECIES_MAX];
    int status = check_particles(own, call);
    if (status == 0)
        status = with_rule(own, [&](const auto &rule) {
            bool lost;
            const cudaError_t error = load(job_of(own->neighbours, call, rule), &lost);
            if (((const instance *) own->neighbours)->failed)
                return ((const instance *) own->neighbours)->failed;
            ENGINE_CUDA_CHECK(call->host, error);
            return 0;
        });
    if (status == 0)
        status = add_all(own, call, &kinetic, &sum);
    if (status == 0)
        status = count_all(own, call, counts);
    if (status == 0)
        pairs_set_metrics(&own->plan, counts, kinetic, sum, values);
    return status;
}
