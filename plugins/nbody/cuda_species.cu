/* Sorts bodies by species. Real systems have few different masses: one for all bodies of a halo, another for a disk.
 * With bodies of one mass, a species, side by side, most tiles of cuda_pairs.cuh have one mass, and their pairs take 2
 * of 18 instructions less. So the solver may have its own copy of the bodies: species in the order of their first body,
 * and the bodies of a species in the user's order. It is filled when a call is fresh and copied back at the end of each
 * call. If the user's order is the same already, nothing is copied.
 *
 *     masses, sorted    a a a a a a a b b b b b
 *     tiles of 4       |a a a a|a a a b|b b b b|     in a tile with several masses, each term has its own mass
 *     runs              1       0       1            how many tiles of this one mass follow, this one included
 *
 * All this follows from the masses and the number of bodies alone. */
#include "cuda_solver.h"

#include <cmath>

constexpr uint32_t MOST_SPECIES = 32;

struct species {
    uint32_t count;
    double mass[MOST_SPECIES];
    uint64_t begin[MOST_SPECIES + 1]; /* its first body in the solver's order */
};

/* The number of the species with this mass; all.count where there is none. */
static uint32_t find(const species &all, double mass)
{
    uint32_t s = 0;
    while (s < all.count && all.mass[s] != mass)
        s++;
    return s;
}

/* False: there are too many species. */
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

/* Returns how many of the tiles have several masses. `unit`: of mass, in the kernel. */
static uint32_t find_runs(const species &all, uint32_t size, double unit, uint32_t tiles, nbody_run *runs)
{
    uint32_t uniform = 0;
    for (uint32_t tile = 0; tile < tiles; tile++)
        runs[tile] = {};
    for (uint32_t s = 0; s < all.count; s++) {
        const uint32_t end = s + 1 == all.count ? tiles : (uint32_t) (all.begin[s + 1] / size);
        for (uint32_t tile = (uint32_t) engine_divide_up(all.begin[s], size); tile < end; tile++, uniform++)
            runs[tile] = {end - tile, unit * all.mass[s]};
    }
    return tiles - uniform;
}

/* Sets order[i] to the user's number of the solver's body i. Returns whether both orders are the same. */
static bool find_order(const nbody_solver *solver, const species &all, uint32_t *order)
{
    uint64_t next[MOST_SPECIES + 1];
    bool same = true;
    for (uint32_t s = 0; s <= all.count; s++)
        next[s] = all.begin[s];
    for (uint64_t i = 0; i < solver->plan.count; i++) {
        const uint64_t to = next[find(all, nbody_cuda_mass(solver, i))]++;
        order[to] = (uint32_t) i;
        same = same && to == i;
    }
    return same;
}

static int sort_bodies(const engine_call *call, const uint32_t *order, nbody_solver *solver)
{
    const uint64_t count = solver->plan.count;
    const size_t bytes = nbody_number_bytes(&solver->plan);
    solver->sorted = call->host->scratch(call->host, 10 * count * bytes, ENGINE_CUDA_MEMORY);
    return solver->sorted ? cuda_upload(call, order, count, &solver->order) : ENGINE_NO_MEMORY;
}

int nbody_cuda_sort(const engine_call *call, uint32_t size, nbody_solver *solver)
{
    const uint64_t count = solver->plan.count;
    const uint32_t tiles = (uint32_t) engine_divide_up(count, size);
    species all;
    if (!find_species(solver, &all))
        return 0;
    nbody_run *runs = (nbody_run *) call->host->scratch(call->host, tiles * sizeof *runs, ENGINE_HOST_MEMORY);
    uint32_t *order = (uint32_t *) call->host->scratch(call->host, count * sizeof *order, ENGINE_HOST_MEMORY);
    if (!runs || !order)
        return ENGINE_NO_MEMORY;
    if (find_runs(all, size, scalbn(1.0, -solver->mass_exponent), tiles, runs) > tiles / 8)
        return 0;
    solver->kind = NBODY_SPECIES;
    call->host->note(call->host, "species", "%u", all.count);
    const int status = cuda_upload(call, runs, tiles, &solver->runs);
    return status || find_order(solver, all, order) ? status : sort_bodies(call, order, solver);
}

/* ---- The two orders --------------------------------------------------------------------------------------------- */

constexpr int THREADS = 128;

/* Block (x, y) copies component y of THREADS bodies from the user's order to the solver's (GATHER) or back. */
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

template <class T, bool GATHER> static cudaError_t launch(const nbody_solver *solver, const engine_call *call)
{
    const dim3 blocks(engine_cuda_blocks(solver->plan.count, THREADS), 3);
    reorder<T, GATHER><<<blocks, THREADS, 0, engine_cuda_stream(call)>>>(
        nbody_cuda_user_field<T>(solver, call), nbody_cuda_field<T>(solver, call), solver->order);
    return cudaGetLastError();
}

template <bool GATHER> static cudaError_t reorder_bodies(const nbody_solver *solver, const engine_call *call)
{
    if (!solver->sorted)
        return cudaSuccess;
    return nbody_by_precision(solver, [=](auto real) { return launch<decltype(real), GATHER>(solver, call); });
}

cudaError_t nbody_cuda_gather(const nbody_solver *solver, const engine_call *call)
{
    return reorder_bodies<true>(solver, call);
}

cudaError_t nbody_cuda_scatter(const nbody_solver *solver, const engine_call *call)
{
    return reorder_bodies<false>(solver, call);
}
