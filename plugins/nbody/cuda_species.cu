/* Bodies by species. Real systems have few different masses: bodies of a halo have one, those of a disk another. With
 * all bodies of one mass side by side, most sets of cuda_pairs.cuh are of one mass, and pairs of these take 2 of 18
 * instructions less. So a solver may have bodies in an order of its own: species after species as they first come up,
 * bodies of one as the user has them. It takes them over where a call is fresh, and gives them back at each call's end;
 * what comes between knows nothing of it. Where the user's order is such already, nothing is copied.
 *
 * A set with several masses, where a species ends, meets others with the masses in the sums. Which sets these are
 * stands in `runs`: for each set, how many from it on are of one mass, the same; 0: it has several.
 *
 * All this follows from the masses and the number of bodies alone. */
#include "cuda_solver.h"

#include <cmath>

constexpr uint32_t MOST_SPECIES = 32;

struct species {
    uint32_t count;
    double mass[MOST_SPECIES];
    uint64_t begin[MOST_SPECIES + 1]; /* of its bodies in the solver's order */
};

/* Number of the species of that mass; `count`: none has it. */
static uint32_t find(const species &all, double mass)
{
    uint32_t s = 0;
    while (s < all.count && all.mass[s] != mass)
        s++;
    return s;
}

/* False: there are too many. */
static bool find_species(const nbody_solver *solver, species *all)
{
    uint64_t bodies[MOST_SPECIES] = {};
    *all = {};
    for (uint64_t i = 0; i < solver->plan.count; i++) {
        const double mass = nbody_cuda_mass(solver, i);
        const uint32_t s = find(*all, mass);
        if (s == MOST_SPECIES)
            return false;
        if (s == all->count)
            all->mass[all->count++] = mass;
        bodies[s]++;
    }
    for (uint32_t s = 0; s < all->count; s++)
        all->begin[s + 1] = all->begin[s] + bodies[s];
    return true;
}

/* Returns how many of the sets have several masses. `unit`: of mass. */
static uint32_t find_runs(const species &all, uint32_t size, double unit, uint32_t sets, nbody_run *runs)
{
    uint32_t uniform = 0;
    for (uint32_t set = 0; set < sets; set++)
        runs[set] = {};
    for (uint32_t s = 0; s < all.count; s++) {
        const uint32_t end = s + 1 == all.count ? sets : (uint32_t) (all.begin[s + 1] / size);
        for (uint32_t set = nbody_divide_up(all.begin[s], size); set < end; set++, uniform++)
            runs[set] = {end - set, unit * all.mass[s]};
    }
    return sets - uniform;
}

/* order[i]: the user's number of the solver's body i. Returns whether they are all the same. */
static bool find_order(const nbody_solver *solver, const species &all, uint32_t *order)
{
    uint64_t next[MOST_SPECIES + 1];
    bool same = true;
    for (uint32_t s = 0; s <= all.count; s++)
        next[s] = all.begin[s];
    for (uint64_t i = 0; i < solver->plan.count; i++) {
        const uint64_t place = next[find(all, nbody_cuda_mass(solver, i))]++;
        order[place] = (uint32_t) i;
        same = same && place == i;
    }
    return same;
}

/* Puts a copy of host memory on the device. */
template <class T> static int place(const engine_call *call, const T *from, uint64_t count, T **to)
{
    *to = (T *) call->host->scratch(call->host, count * sizeof *from, ENGINE_CUDA_MEMORY);
    if (!*to)
        return ENGINE_NO_MEMORY;
    NBODY_CHECK(call->host,
                cudaMemcpyAsync(*to, from, count * sizeof *from, cudaMemcpyHostToDevice, (cudaStream_t) call->stream));
    NBODY_CHECK(call->host, cudaStreamSynchronize((cudaStream_t) call->stream));
    return 0;
}

static int sort_bodies(const engine_call *call, const uint32_t *order, nbody_solver *solver)
{
    const uint64_t count = solver->plan.count;
    const size_t bytes = solver->plan.precision == NBODY_DOUBLE ? sizeof(double) : sizeof(float);
    solver->sorted = call->host->scratch(call->host, 10 * count * bytes, ENGINE_CUDA_MEMORY);
    return solver->sorted ? place(call, order, count, &solver->order) : ENGINE_NO_MEMORY;
}

int nbody_cuda_sort(const engine_call *call, uint32_t size, nbody_solver *solver)
{
    const uint64_t count = solver->plan.count;
    const uint32_t sets = nbody_divide_up(count, size);
    species all;
    if (!find_species(solver, &all))
        return 0;
    nbody_run *runs = (nbody_run *) call->host->scratch(call->host, sets * sizeof *runs, ENGINE_HOST_MEMORY);
    uint32_t *order = (uint32_t *) call->host->scratch(call->host, count * sizeof *order, ENGINE_HOST_MEMORY);
    if (!runs || !order)
        return ENGINE_NO_MEMORY;
    if (find_runs(all, size, scalbn(1.0, -solver->mass_exponent), sets, runs) > sets / 8)
        return 0;
    solver->kind = NBODY_SPECIES;
    call->host->note(call->host, "species", "%u", all.count);
    const int status = place(call, runs, sets, &solver->runs);
    return status || find_order(solver, all, order) ? status : sort_bodies(call, order, solver);
}

/* ---- The two orders --------------------------------------------------------------------------------------------- */

constexpr int THREADS = 128;

/* Block (x, y): component y of 128 bodies, from the user's order to the solver's (GATHER) or back. */
template <class T, bool GATHER>
static __global__ void __launch_bounds__(THREADS)
    reorder(const __grid_constant__ nbody_field<T> user, const __grid_constant__ nbody_field<T> own,
            const uint32_t *order)
{
    const uint32_t body = blockIdx.x * THREADS + threadIdx.x, component = blockIdx.y;
    if (body >= user.count)
        return;
    const nbody_field<T> &source = GATHER ? user : own, &result = GATHER ? own : user;
    const int64_t theirs = order[body] + component * user.stride, ours = body + component * own.stride;
    const int64_t from = GATHER ? theirs : ours, to = GATHER ? ours : theirs;
    result.position[to] = source.position[from];
    result.velocity[to] = source.velocity[from];
    result.acceleration[to] = source.acceleration[from];
    if (GATHER && component == 0)
        ((T *) own.mass)[body] = user.mass[order[body]];
}

template <class T, bool GATHER> static cudaError_t enqueue(const nbody_solver *solver, const engine_call *call)
{
    const dim3 blocks(nbody_divide_up(solver->plan.count, THREADS), 3);
    reorder<T, GATHER><<<blocks, THREADS, 0, (cudaStream_t) call->stream>>>(
        nbody_cuda_user_field<T>(solver, call), nbody_cuda_field<T>(solver, call), solver->order);
    return cudaGetLastError();
}

template <bool GATHER> static cudaError_t reorder_bodies(const nbody_solver *solver, const engine_call *call)
{
    if (!solver->sorted)
        return cudaSuccess;
    return solver->plan.precision == NBODY_DOUBLE ? enqueue<double, GATHER>(solver, call)
                                                  : enqueue<float, GATHER>(solver, call);
}

cudaError_t nbody_cuda_gather(const nbody_solver *solver, const engine_call *call)
{
    return reorder_bodies<true>(solver, call);
}

cudaError_t nbody_cuda_scatter(const nbody_solver *solver, const engine_call *call)
{
    return reorder_bodies<false>(solver, call);
}
