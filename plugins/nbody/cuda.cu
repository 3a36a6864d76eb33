/* nbody on a GPU, fast. LADDER */
#include "cuda_pairs.cuh"
#include "cuda_plain.cuh"
#include "cuda_resident.cuh"

/* How bodies are cut, by their number alone: it is part of the result. */
struct cut {
    uint64_t from; /* bodies */
    uint32_t form; /* NBODY_PLAIN or NBODY_PAIRS */
    uint32_t own;  /* PAIRS: bodies a lane */
    uint32_t part; /* PAIRS: sets that a team lets one meet; PLAIN: bodies that a block meets */
    bool resident;
};

static const cut float_cuts[] = {{131072, NBODY_PAIRS, 8, 8, false},
                                 {32768, NBODY_PAIRS, 8, 2, false},
                                 {12288, NBODY_PAIRS, 8, 1, false},
                                 {1024, NBODY_PAIRS, 4, 1, true},
                                 {0, NBODY_PLAIN, 1, 32, false}};
static const cut double_cuts[] = {
    {32768, NBODY_PAIRS, 4, 4, false}, {1024, NBODY_PAIRS, 4, 1, false}, {0, NBODY_PLAIN, 1, 32, false}};
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

template <class T, int R, nbody_masses KIND, int BLOCKS>
static cudaError_t pairs(const nbody_solver *solver, const engine_call *call)
{
    const uint32_t sets = nbody_divide_up(solver->plan.count, 32 * R);
    const uint32_t parts = nbody_divide_up(sets / 2 + 1, find_cut(solver->plan)->part);
    constexpr int TEAM = 4;
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
    return cudaLaunchCooperativeKernel((const void *) nbody_resident<float, R, KIND, TEAMS>,
                                       dim3((unsigned) solver->multiprocessors), dim3(32 * R * TEAMS), arguments, 0,
                                       (cudaStream_t) call->stream);
}

/* By what masses allow. */
template <class T, int R, int BLOCKS> static launcher find_pairs(nbody_masses kind)
{
    static const launcher of[] = {pairs<T, R, NBODY_ANY, BLOCKS>, pairs<T, R, NBODY_POSITIVE, BLOCKS>,
                                  pairs<T, R, NBODY_EQUAL, BLOCKS>};
    return of[kind];
}

static launcher find_forces(const nbody_solver *solver, const cut *cut)
{
    const bool in_double = solver->plan.precision == NBODY_DOUBLE;
    if (cut->form == NBODY_PLAIN)
        return in_double ? plain<double> : plain<float>;
    if (in_double)
        return find_pairs<double, 4, 3>(solver->kind);
    return cut->own == 4 ? find_pairs<float, 4, 4>(solver->kind) : find_pairs<float, 8, 4>(solver->kind);
}

static launcher find_resident(const nbody_solver *solver)
{
    static const launcher of[] = {resident<NBODY_ANY>, resident<NBODY_POSITIVE>, resident<NBODY_EQUAL>};
    return of[solver->kind];
}

/* ---- The implementation ----------------------------------------------------------------------------------------- */

int nbody_cuda_create(const engine_call *call, void **self)
{
    nbody_solver *solver = nullptr;
    const struct nbody_plan plan = nbody_plan(call->plan);
    const cut *cut = find_cut(plan);
    const uint64_t partials = nbody_divide_up(plan.count, cut->form == NBODY_PAIRS ? 32 * cut->own / 2 : cut->part);
    const int status = nbody_cuda_open(call, partials, &solver);
    if (status)
        return status;
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
