/* nbody on a GPU, fast. LADDER */
#include "cuda_pairs.cuh"
#include "cuda_plain.cuh"

/* How bodies are cut, by their number alone: it is part of the result. */
struct cut {
    uint64_t from;    /* bodies */
    uint32_t form;    /* NBODY_PLAIN or NBODY_PAIRS */
    uint32_t own;     /* bodies a lane */
    uint32_t offsets; /* PAIRS: sets that a warp meets; PLAIN: bodies that a block does */
};

static const cut float_cuts[] = {
    {49152, NBODY_PAIRS, 8, 4}, {12288, NBODY_PAIRS, 4, 4}, {2048, NBODY_PAIRS, 2, 1}, {0, NBODY_PLAIN, 1, 32}};
static const cut double_cuts[] = {{32768, NBODY_PAIRS, 4, 4}, {2048, NBODY_PAIRS, 2, 1}, {0, NBODY_PLAIN, 1, 32}};
static const cut forced_plain[] = {{8192, NBODY_PLAIN, 2, 1024}, {0, NBODY_PLAIN, 1, 128}};

static const cut *find_cut(const struct nbody_plan &plan)
{
    const cut *cut = plan.form == NBODY_PLAIN           ? forced_plain
                     : plan.precision == NBODY_DOUBLE ? double_cuts
                                                        : float_cuts;
    while (cut->from > plan.count && (plan.form != NBODY_PAIRS || cut[1].form == NBODY_PAIRS))
        cut++;
    return cut;
}

/* ---- Launches --------------------------------------------------------------------------------------------------- */

using launcher = cudaError_t (*)(const nbody_solver *, const engine_call *, const cut *);

template <class T, int R>
static cudaError_t plain(const nbody_solver *solver, const engine_call *call, const cut *cut)
{
    const uint64_t count = solver->plan.count;
    const dim3 blocks(nbody_divide_up(count, NBODY_PLAIN_THREADS * R), nbody_divide_up(count, cut->offsets));
    nbody_plain<T, R><<<blocks, NBODY_PLAIN_THREADS, 0, (cudaStream_t) call->stream>>>(
        nbody_cuda_field<T>(solver, call), cut->offsets);
    return cudaGetLastError();
}

template <class T, int R, nbody_masses KIND, int WARPS>
static cudaError_t pairs(const nbody_solver *solver, const engine_call *call, const cut *cut)
{
    nbody_ring<T> ring = {nbody_cuda_field<T>(solver, call), nbody_divide_up(solver->plan.count, 32 * R), 0};
    ring.chunks = nbody_divide_up(ring.sets / 2 + 1, cut->offsets);
    nbody_pairs<T, R, KIND, WARPS><<<ring.sets * ring.chunks, 32, 0, (cudaStream_t) call->stream>>>(ring);
    return cudaGetLastError();
}

/* By what masses allow. In double there is one weight for each side always. */
template <int R, int WARPS>
static cudaError_t float_pairs(const nbody_solver *solver, const engine_call *call, const cut *cut)
{
    static const launcher launchers[] = {pairs<float, R, NBODY_ANY, WARPS>, pairs<float, R, NBODY_POSITIVE, WARPS>,
                                         pairs<float, R, NBODY_EQUAL, WARPS>};
    return launchers[solver->kind](solver, call, cut);
}

static launcher find_launcher(const struct nbody_plan &plan, const cut *cut)
{
    const bool in_double = plan.precision == NBODY_DOUBLE;
    if (cut->form == NBODY_PLAIN)
        return cut->own == 1 ? (in_double ? plain<double, 1> : plain<float, 1>)
                             : (in_double ? plain<double, 2> : plain<float, 2>);
    if (in_double)
        return cut->own == 2 ? pairs<double, 2, NBODY_ANY, 16> : pairs<double, 4, NBODY_ANY, 12>;
    return cut->own == 2 ? float_pairs<2, 24> : cut->own == 4 ? float_pairs<4, 16> : float_pairs<8, 16>;
}

static cudaError_t forces(const nbody_solver *solver, const engine_call *call)
{
    const cut *cut = find_cut(solver->plan);
    return find_launcher(solver->plan, cut)(solver, call, cut);
}

/* ---- The implementation ----------------------------------------------------------------------------------------- */

int nbody_cuda_create(const engine_call *call, void **self)
{
    nbody_solver *solver = nullptr;
    const struct nbody_plan plan = nbody_plan(call->plan);
    const cut *cut = find_cut(plan);
    const uint64_t sets = nbody_divide_up(plan.count, cut->form == NBODY_PAIRS ? 32 * cut->own : cut->offsets);
    const int status = nbody_cuda_open(call, forces, 2 * sets, &solver);
    call->host->note(call->host, "form", "%s", cut->form == NBODY_PAIRS ? "pairs" : "plain");
    *self = solver;
    return status;
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
