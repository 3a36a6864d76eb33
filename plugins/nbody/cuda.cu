/* nbody on a GPU, fast. Each form: what it adds over the one before, and what bounds it. Rates are of whole steps, in
 * 10^12 interactions a second (N^2 a step), where all masses differ / are equal or few: float, leapfrog (NVIDIA H200,
 * CUDA 13.0, 2026-11-22).
 *
 *                                                        4096         16384         65536        262144
 *   plain (cuda_plain.cuh)
 *       A body a thread, the others in shared memory: up to 1023 bodies, and where form = plain asks for it.
 *   pairs (cuda_pairs.cuh)                                        2.54 / 2.87   2.84 / 3.22   2.94 / 3.33
 *       Each pair once. With 8 bodies a lane 17.9 instructions a pair, 9 an interaction: 3 subtractions, 3 fused
 *       multiply-adds for the square, the inverse root in a unit of its own, 4 multiplications, 6 fused
 *       multiply-adds, an eighth of 3 shuffles and a load. Few masses spare 2 multiplications. At an instruction a
 *       clock and scheduler that would be 3.7 / 4.2. The register file is what is short: it has two banks, and an
 *       instruction that needs three registers which the one before did not have, or two of a bank, takes longer. So
 *       own bodies are read number by number, which leaves the compiler free to choose their banks; one weight serves
 *       both sides where no mass is 0; and two rounds stand in a row, not four, which need copies of registers.
 *       In double 20 operations a pair, at half the rate:      1.17 / 1.33
 *   resident (cuda_resident.cuh)                      1.57 / 1.71
 *       All steps in one kernel, up to 12287 bodies: 4096 take 10 us a step, of which the pairs are some 6. Two
 *       kernels a step in a recorded graph took 13. */
#include "cuda_pairs.cuh"
#include "cuda_plain.cuh"
#include "cuda_resident.cuh"

/* How bodies are cut, by their number alone: it is part of the result, as is their order (cuda_species.cu). */
struct cut {
    uint64_t from; /* bodies */
    uint32_t form; /* NBODY_PLAIN or NBODY_PAIRS */
    uint32_t own;  /* PAIRS: bodies a lane */
    uint32_t part; /* PAIRS: sets that a team lets one meet; PLAIN: bodies that a block meets */
    bool resident;
};

static const cut float_cuts[] = {{131072, NBODY_PAIRS, 8, 16, false},
                                 {32768, NBODY_PAIRS, 8, 4, false},
                                 {12288, NBODY_PAIRS, 8, 2, false},
                                 {1024, NBODY_PAIRS, 4, 1, true},
                                 {0, NBODY_PLAIN, 1, 32, false}};
static const cut double_cuts[] = {
    {32768, NBODY_PAIRS, 4, 8, false}, {1024, NBODY_PAIRS, 4, 1, false}, {0, NBODY_PLAIN, 1, 32, false}};
static const cut forced_plain[] = {{8192, NBODY_PLAIN, 1, 1024, false}, {0, NBODY_PLAIN, 1, 128, false}};

static const cut *find_cut(const struct nbody_plan &plan)
{
    const cut *cut = plan.form == NBODY_PLAIN         ? forced_plain
                     : plan.precision == NBODY_DOUBLE ? double_cuts
                                                      : float_cuts;
    while (cut->from > plan.count && (plan.form != NBODY_PAIRS || cut[1].form == NBODY_PAIRS))
        cut++;
    return cut;
}

/* ---- Launches --------------------------------------------------------------------------------------------------- */

using launcher = cudaError_t (*)(const nbody_solver *, const engine_call *);

template <class T> static cudaError_t plain(const nbody_solver *solver, const engine_call *call)
{
    const uint64_t count = solver->plan.count;
    const uint32_t part = find_cut(solver->plan)->part;
    const dim3 blocks(nbody_divide_up(count, NBODY_PLAIN_THREADS), nbody_divide_up(count, part));
    nbody_plain<T>
        <<<blocks, NBODY_PLAIN_THREADS, 0, (cudaStream_t) call->stream>>>(nbody_cuda_field<T>(solver, call), part);
    return cudaGetLastError();
}

template <class T, int R, nbody_masses KIND, int TEAM, int BLOCKS>
static cudaError_t pairs(const nbody_solver *solver, const engine_call *call)
{
    const uint32_t sets = nbody_divide_up(solver->plan.count, 32 * R);
    const uint32_t parts = nbody_divide_up(sets / 2 + 1, find_cut(solver->plan)->part);
    nbody_pairs<T, R, KIND, TEAM, BLOCKS>
        <<<sets * parts, 32 * TEAM, 0, (cudaStream_t) call->stream>>>(nbody_cuda_field<T>(solver, call), sets, parts);
    return cudaGetLastError();
}

template <nbody_masses KIND> static cudaError_t resident(const nbody_solver *solver, const engine_call *call)
{
    constexpr int R = 4, TEAMS = 4;
    nbody_step<float> step = nbody_cuda_step<float>(solver, call);
    uint32_t sets = nbody_divide_up(solver->plan.count, 32 * R), meetings = nbody_meetings(sets);
    uint64_t steps = call->steps;
    void *arguments[] = {&step, &sets, &meetings, &steps};
    NBODY_TRY(cudaMemsetAsync(solver->scale->turns, 0, sizeof solver->scale->turns, (cudaStream_t) call->stream));
    return cudaLaunchCooperativeKernel((const void *) nbody_resident<float, R, KIND, TEAMS>,
                                       dim3((unsigned) solver->multiprocessors), dim3(32 * R * TEAMS), arguments, 0,
                                       (cudaStream_t) call->stream);
}

/* By what masses allow. */
template <class T, int R, int TEAM, int BLOCKS> static launcher find_pairs(nbody_masses kind)
{
    static const launcher of[] = {pairs<T, R, NBODY_ANY, TEAM, BLOCKS>, pairs<T, R, NBODY_POSITIVE, TEAM, BLOCKS>,
                                  pairs<T, R, NBODY_SPECIES, TEAM, BLOCKS>};
    return of[kind];
}

static launcher find_forces(const nbody_solver *solver, const cut *cut)
{
    const bool in_double = solver->plan.precision == NBODY_DOUBLE;
    if (cut->form == NBODY_PLAIN)
        return in_double ? plain<double> : plain<float>;
    if (in_double)
        return find_pairs<double, 4, 4, 3>(solver->kind);
    return cut->own == 4 ? find_pairs<float, 4, 4, 4>(solver->kind) : find_pairs<float, 8, 4, 4>(solver->kind);
}

static launcher find_resident(const nbody_solver *solver)
{
    static const launcher of[] = {resident<NBODY_ANY>, resident<NBODY_POSITIVE>, resident<NBODY_SPECIES>};
    return of[solver->kind];
}

/* ---- The implementation ----------------------------------------------------------------------------------------- */

int nbody_cuda_create(const engine_call *call, void **self)
{
    nbody_solver *solver = nullptr;
    const struct nbody_plan plan = nbody_plan(call->plan);
    const cut *cut = find_cut(plan);
    const uint64_t partials = nbody_divide_up(plan.count, cut->form == NBODY_PAIRS ? 32 * cut->own / 2 : cut->part);
    int status = nbody_cuda_open(call, partials, &solver);
    if (status == 0 && cut->form == NBODY_PAIRS)
        status = nbody_cuda_sort(call, 32 * cut->own, solver);
    if (status)
        return status;
    solver->block_size = 0;
    solver->forces = find_forces(solver, cut);
    solver->resident = cut->resident ? find_resident(solver) : nullptr;
    call->host->note(call->host, "form", "%s", cut->form == NBODY_PAIRS ? "pairs" : "plain");
    *self = solver;
    return 0;
}

int nbody_cuda_plain_cost(const engine_host *host, const engine_plan *plan, engine_cost *cost)
{
    (void) host;
    const bool in_double = nbody_plan(plan).precision == NBODY_DOUBLE;
    cost->operation = in_double ? ENGINE_OPS_FMA64 : ENGINE_OPS_FMA;
    cost->operations = in_double ? 16 : 12;
    return 0;
}

int nbody_cuda_cost(const engine_host *host, const engine_plan *plan, engine_cost *cost)
{
    const bool in_double = nbody_plan(plan).precision == NBODY_DOUBLE;
    if (find_cut(nbody_plan(plan))->form == NBODY_PLAIN)
        return nbody_cuda_plain_cost(host, plan, cost);
    cost->operation = in_double ? ENGINE_OPS_FMA64 : ENGINE_OPS_FMA;
    cost->operations = (in_double ? 20 : 16) / 2.0;
    return 0;
}
