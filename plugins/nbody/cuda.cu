/* cuda: the fast kernels, in the order of what each adds. docs/lab/nbody.md has their rates.
 *
 *   plain (cuda_plain.cuh)
 *       A body a thread, the others in shared memory: up to 1023 bodies, and with form = plain. 13 instructions.
 *   pairs (cuda_pairs.cuh)
 *       Each pair once, with 8 bodies a lane: 17.9 instructions a pair, 9 an interaction. They are 3 subtractions, 3
 *       multiply-adds for the square, the inverse root, 4 multiplications, 6 multiply-adds, and an eighth of 3 shuffles
 *       and a load. Few masses spare 2 multiplications. The limit is the register file, so only two rounds are
 *       unrolled: four would need copies of registers.
 *   resident (cuda_resident.cuh)
 *       All steps of a call in one kernel, up to 10112 bodies: one kernel a call instead of two a step. */
#include "cuda_pairs.cuh"
#include "cuda_plain.cuh"
#include "cuda_resident.cuh"

/* How bodies are divided among blocks. It follows from their number alone, because it is part of the result, as is
 * their order (cuda_species.cu). */
struct tiling {
    uint64_t from; /* for this many bodies and more */
    uint32_t form; /* NBODY_PLAIN or NBODY_PAIRS */
    uint32_t rows; /* PAIRS: of a tile, and so bodies a lane */
    uint32_t part; /* PAIRS: tiles that a group pairs its own with; PLAIN: bodies whose attraction a block computes */
    bool resident;
};

/* On 132 multiprocessors the resident form has one pair of tiles for each group at 4096 and at 8192 bodies, and 16384
 * bodies are four pairs for each block that runs at a time. With fewer than 13825, tasks of four pairs would be 2.9 or
 * fewer for each multiprocessor, and some would have three. */
static const tiling float_tilings[] = {{131072, NBODY_PAIRS, 8, 16, false}, {32768, NBODY_PAIRS, 8, 4, false},
                                       {13825, NBODY_PAIRS, 8, 4, false},   {10113, NBODY_PAIRS, 8, 1, false},
                                       {8193, NBODY_PAIRS, 4, 1, true},     {7041, NBODY_PAIRS, 8, 1, true},
                                       {1024, NBODY_PAIRS, 4, 1, true},     {0, NBODY_PLAIN, 1, 32, false}};
static const tiling double_tilings[] = {
    {32768, NBODY_PAIRS, 8, 4, false}, {1024, NBODY_PAIRS, 4, 1, false}, {0, NBODY_PLAIN, 1, 32, false}};
static const tiling forced_plain[] = {{8192, NBODY_PLAIN, 1, 1024, false}, {0, NBODY_PLAIN, 1, 128, false}};

static const tiling *find_tiling(const struct nbody_plan &plan)
{
    const tiling *tiling = plan.form == NBODY_PLAIN         ? forced_plain
                           : plan.precision == NBODY_DOUBLE ? double_tilings
                                                            : float_tilings;
    while (tiling->from > plan.count && (plan.form != NBODY_PAIRS || tiling[1].form == NBODY_PAIRS))
        tiling++;
    return tiling;
}

/* The tasks of this part of a divided run. */
static uint64_t own_tasks(const engine_call *call, uint64_t tasks)
{
    const engine_part &part = call->plan->part;
    return tasks / part.count + (part.index < tasks % part.count);
}

/* ---- Launches --------------------------------------------------------------------------------------------------- */

using launcher = cudaError_t (*)(const nbody_solver *, const engine_call *);

template <class T> static cudaError_t plain(const nbody_solver *solver, const engine_call *call)
{
    const uint64_t count = solver->plan.count;
    const uint32_t part = find_tiling(solver->plan)->part;
    const dim3 blocks(engine_cuda_blocks(count, NBODY_PLAIN_THREADS),
                      (unsigned) own_tasks(call, engine_cuda_blocks(count, part)));
    if (blocks.y == 0)
        return cudaSuccess;
    nbody_plain<T>
        <<<blocks, NBODY_PLAIN_THREADS, 0, engine_cuda_stream(call)>>>(nbody_cuda_field<T>(solver, call), part);
    return cudaGetLastError();
}

template <class T, int R, nbody_masses KIND, int WARPS, int BLOCKS>
static cudaError_t pairs(const nbody_solver *solver, const engine_call *call)
{
    const uint32_t tiles = (uint32_t) engine_divide_up(solver->plan.count, 32 * R);
    const uint32_t part = find_tiling(solver->plan)->part;
    const unsigned blocks = (unsigned) own_tasks(call, nbody_task_count(tiles, part));
    if (blocks == 0)
        return cudaSuccess;
    nbody_pairs<T, R, KIND, WARPS, BLOCKS>
        <<<blocks, 32 * WARPS, 0, engine_cuda_stream(call)>>>(nbody_cuda_field<T>(solver, call), tiles, part);
    return cudaGetLastError();
}

/* Groups of a block of the resident kernel, and warps of a group. */
constexpr int GROUPS = 4, GROUP_WARPS = 4;

/* Pairs of tiles that a group of the resident kernel takes at most. */
static constexpr int pairs_at_most(int rows)
{
    return rows == 4 ? 6 : 1;
}

/* Shared memory of a block. */
template <int R> static constexpr size_t resident_bytes()
{
    return GROUPS * sizeof(nbody_group<float, R, GROUP_WARPS, pairs_at_most(R)>);
}

template <int R, nbody_masses KIND> static cudaError_t resident(const nbody_solver *solver, const engine_call *call)
{
    constexpr int PAIRS = pairs_at_most(R);
    const cudaStream_t stream = engine_cuda_stream(call);
    const void *kernel = (const void *) nbody_resident<float, R, KIND, GROUP_WARPS, GROUPS, PAIRS>;
    const size_t bytes = resident_bytes<R>();
    const size_t sum_bytes = NBODY_TURNS * 6 * solver->plan.count * sizeof *solver->low;
    nbody_step<float> step = nbody_cuda_step<float>(solver, call);
    uint32_t tiles = (uint32_t) engine_divide_up(solver->plan.count, 32 * R), pairs = nbody_task_count(tiles, 1);
    uint64_t steps = call->steps;
    void *arguments[] = {&step, &tiles, &pairs, &steps};
    const uint32_t blocks = min(pairs, (uint32_t) solver->multiprocessors);
    ENGINE_CUDA_TRY(cudaMemsetAsync(solver->low, 0, sum_bytes, stream));
    ENGINE_CUDA_TRY(cudaMemsetAsync(&solver->scale->arrived, 0, sizeof(uint32_t), stream));
    ENGINE_CUDA_TRY(cudaMemsetAsync(solver->scale + 1, 0, NBODY_TURNS * sizeof *solver->scale, stream));
    ENGINE_CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) bytes));
    return cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(32 * GROUP_WARPS * GROUPS), arguments, bytes, stream);
}

/* The kernel for a kind of masses. */
template <class T, int R, int WARPS, int BLOCKS> static launcher find_pairs(nbody_masses kind)
{
    static const launcher of[] = {pairs<T, R, NBODY_ANY, WARPS, BLOCKS>, pairs<T, R, NBODY_POSITIVE, WARPS, BLOCKS>,
                                  pairs<T, R, NBODY_SPECIES, WARPS, BLOCKS>};
    return of[kind];
}

static launcher find_forces(const nbody_solver *solver, const tiling *tiling)
{
    const bool in_double = solver->plan.precision == NBODY_DOUBLE;
    if (tiling->form == NBODY_PLAIN)
        return in_double ? plain<double> : plain<float>;
    if (in_double)
        return tiling->rows == 4 ? find_pairs<double, 4, 4, 3>(solver->kind)
                                 : find_pairs<double, 8, 4, 2>(solver->kind);
    return tiling->rows == 4 ? find_pairs<float, 4, 4, 4>(solver->kind) : find_pairs<float, 8, 4, 4>(solver->kind);
}

template <int R> static launcher find_resident(nbody_masses kind)
{
    static const launcher of[] = {resident<R, NBODY_ANY>, resident<R, NBODY_POSITIVE>, resident<R, NBODY_SPECIES>};
    return of[kind];
}

/* NULL: the kernel for all steps does not fit. */
static launcher find_resident(const nbody_solver *solver, const tiling *tiling)
{
    const uint32_t tiles = (uint32_t) engine_divide_up(solver->plan.count, 32 * tiling->rows);
    const int groups = GROUPS * solver->multiprocessors;
    const size_t bytes = tiling->rows == 4 ? resident_bytes<4>() : resident_bytes<8>();
    if (!tiling->resident || bytes > solver->block_bytes ||
        nbody_task_count(tiles, 1) > (uint32_t) (pairs_at_most((int) tiling->rows) * groups))
        return nullptr;
    return tiling->rows == 4 ? find_resident<4>(solver->kind) : find_resident<8>(solver->kind);
}

/* ---- The implementation ----------------------------------------------------------------------------------------- */

int nbody_cuda_create(const engine_call *call, void **self)
{
    nbody_solver *solver = nullptr;
    const struct nbody_plan plan = nbody_plan(call->plan);
    const tiling *tiling = find_tiling(plan);
    const uint64_t partials =
        engine_divide_up(plan.count, tiling->form == NBODY_PAIRS ? 32 * tiling->rows / 2 : tiling->part);
    int status = nbody_cuda_open(call, partials, tiling->resident ? NBODY_TURNS : 1, &solver);
    if (status == 0 && tiling->form == NBODY_PAIRS)
        status = nbody_cuda_sort(call, 32 * tiling->rows, solver);
    if (status)
        return status;
    solver->block_size = 0;
    solver->forces = find_forces(solver, tiling);
    solver->resident = call->plan->part.count == 1 ? find_resident(solver, tiling) : nullptr;
    call->host->note(call->host, "form", "%s", tiling->form == NBODY_PAIRS ? "pairs" : "plain");
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
    if (find_tiling(nbody_plan(plan))->form == NBODY_PLAIN)
        return nbody_cuda_plain_cost(host, plan, cost);
    cost->operation = in_double ? ENGINE_OPS_FMA64 : ENGINE_OPS_FMA;
    cost->operations = (in_double ? 20 : 16) / 2.0;
    return 0;
}
