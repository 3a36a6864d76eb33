/* What the three CUDA implementations share: the frames of a call, excluded pairs, the curves, and the start. */
#include "cuda_grid.h"
#include "cuda_sort.h"

#include <common/particles.h>
#include <cstdlib>

constexpr int THREADS = 256;

static __device__ uint32_t thread_number()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* The number of bounds of tiles. */
static uint64_t bounds_count(const struct rdf_plan &plan)
{
    return rdf_tiles_begin(plan.group_count, (uint32_t) plan.particles) + 1;
}

/* ---- Excluded pairs ---------------------------------------------------------------------------------------------- */

/* Takes a pair of one molecule out of the counts, as many times as `frames` have added it. */
static __device__ void exclude_pair(const rdf_view &view, const rdf_row *rows, uint32_t first, uint32_t second,
                                    float4 a, float4 b, uint64_t frames)
{
    const uint32_t bin = rdf_bin(&view.bins, rdf_square(&view.box, a.x - b.x, a.y - b.y, a.z - b.z));
    for (uint32_t row = 0; row < view.row_count; row++) {
        if (!rdf_in_row(rows[row], first, second))
            continue;
        atomicAdd(&view.census->excluded[row], 1ull);
        if (bin < view.bins.count)
            atomicAdd(&view.counts[(uint64_t) row * view.bins.count + bin], 0ull - frames);
    }
}

/* Thread i takes out the pairs of particle i with the later particles of its molecule. */
static __global__ void exclude(const __grid_constant__ rdf_view view, const int32_t *group_species, const rdf_row *rows,
                               uint64_t frames)
{
    const uint32_t i = thread_number();
    if (i >= view.particles)
        return;
    const uint32_t group = rdf_group_of(view, group_species, i);
    const float4 own = rdf_wrapped_of(view, i);
    const uint64_t end = (uint64_t) (i / view.exclude_block + 1) * view.exclude_block;
    for (uint32_t j = i + 1; j < end && j < view.particles; j++)
        exclude_pair(view, rows, group, rdf_group_of(view, group_species, j), own, rdf_wrapped_of(view, j), frames);
}

/* Thread k takes out pair k of the file `exclude`. */
static __global__ void exclude_listed(const __grid_constant__ rdf_view view, const int32_t *group_species,
                                      const rdf_row *rows, struct rdf_pairs listed, uint64_t frames)
{
    const uint64_t k = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;
    if (k >= listed.count)
        return;
    const uint32_t i = listed.at[k][0], j = listed.at[k][1];
    exclude_pair(view, rows, rdf_group_of(view, group_species, i), rdf_group_of(view, group_species, j),
                 rdf_wrapped_of(view, i), rdf_wrapped_of(view, j), frames);
}

/* ---- Curves ------------------------------------------------------------------------------------------------------ */

/* Exclusive prefix sum over the threads of a block (Hillis and Steele). */
static __device__ uint64_t sum_before(uint64_t own)
{
    __shared__ uint64_t sums[THREADS];
    sums[threadIdx.x] = own;
    for (uint32_t distance = 1; distance < THREADS; distance *= 2) {
        __syncthreads();
        const uint64_t other = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
        __syncthreads();
        sums[threadIdx.x] += other;
    }
    return sums[threadIdx.x] - own;
}

static __device__ rdf_population population_of(const rdf_view &view, rdf_row row, uint32_t number)
{
    return rdf_populate(rdf_size_of(view, row.a), rdf_size_of(view, row.b), row.a == row.b,
                        view.census->excluded[number], view.finite_size);
}

/* Sets r, g and n: a block for each row, consecutive bins for each thread. */
static __global__ void __launch_bounds__(THREADS)
    set_curves(const __grid_constant__ rdf_view view, const double *shells)
{
    const uint32_t bins = view.bins.count, each = (bins + THREADS - 1) / THREADS;
    const uint32_t begin = min(threadIdx.x * each, bins), end = min(begin + each, bins);
    const uint64_t base = (uint64_t) blockIdx.x * bins;
    uint64_t own = 0;
    for (uint32_t k = begin; k < end; k++)
        own += view.counts[base + k];
    uint64_t sum = sum_before(own);
    for (uint32_t k = begin; k < end; k++) {
        sum += view.counts[base + k];
        view.g[base + k] = rdf_g(view.counts[base + k], view.ideal[blockIdx.x], shells[k]);
        view.n[base + k] = rdf_n(sum, view.centres[blockIdx.x]);
        if (blockIdx.x == 0)
            view.r[k] = (k + 0.5) * (double) view.bins.width;
    }
}

/* Thread i adds the frames of a call to row i. Tells the host whether a position is invalid. */
static __global__ void add_frames(const __grid_constant__ rdf_view view, const rdf_row *rows, uint64_t steps)
{
    const uint32_t row = threadIdx.x;
    const rdf_population of = population_of(view, rows[row], row);
    const double ideal = rdf_ideal(of, view.volume);
    for (uint64_t step = 0; step < steps; step++)
        view.ideal[row] += ideal, view.centres[row] += of.centres;
    if (row == 0)
        *view.frames += steps, *view.invalid = view.census->invalid;
}

/* ---- A call ------------------------------------------------------------------------------------------------------ */

template <class T> static T *origin(const engine_call *call, uint32_t field)
{
    return (T *) engine_field_buffer(call, field)->origin[0];
}

static rdf_view view_of(const rdf_solver *solver, const engine_call *call)
{
    const struct rdf_plan &plan = solver->plan;
    const engine_buffer *position = engine_field_buffer(call, RDF_POSITION);
    rdf_view view = {};
    view.box = plan.box, view.bins = plan.bins, view.layer = plan.layer, view.volume = plan.volume;
    view.position = origin<float>(call, RDF_POSITION);
    view.pitch = particle_stride(position);
    view.component_stride = position->component_stride / (int64_t) sizeof(float);
    view.species = origin<int32_t>(call, RDF_SPECIES);
    view.particles = (uint32_t) plan.particles;
    view.group_count = plan.group_count, view.row_count = plan.row_count;
    view.any = plan.everything, view.everything = plan.everything && !rdf_is_cut(&plan.layer);
    view.exclude_block = plan.exclude_block, view.finite_size = plan.finite_size;
    view.share = call->plan->part.index, view.shares = call->plan->part.count;
    view.census = solver->census, view.wrapped = solver->wrapped, view.bounds = solver->order.bounds;
    view.groups = solver->groups;
    view.invalid = solver->answer.invalid[solver->answer.enqueued % 2];
    view.counts = origin<unsigned long long>(call, RDF_COUNTS);
    view.frames = origin<unsigned long long>(call, RDF_FRAMES);
    view.r = origin<double>(call, RDF_R), view.g = origin<double>(call, RDF_G), view.n = origin<double>(call, RDF_N);
    view.ideal = origin<double>(call, RDF_IDEAL), view.centres = origin<double>(call, RDF_CENTRES);
    return view;
}

static int fail(const engine_call *call, cudaError_t error)
{
    return error == cudaSuccess ? 0 : -CUDA_FAIL(call->host, error, "counting pairs");
}

/* Gives all parts of a divided run the first part's order of the particles, because the order within a cell is
 * arbitrary, and the parts count pairs of tiles of the same order. */
static int share_order(const rdf_solver *solver, const rdf_view &view, const engine_call *call)
{
    const engine_team *team = engine_host_team(call->host);
    const uint64_t particles = view.particles * sizeof *view.wrapped;
    const uint64_t bounds = solver->order.cells ? bounds_count(solver->plan) * sizeof *view.bounds : 0;
    const int status = team->gather(call, view.wrapped, particles, particles);
    return status || bounds == 0 ? status : team->gather(call, solver->order.bounds, bounds, bounds);
}

static cudaError_t count_rows(const rdf_solver *solver, const rdf_view &view, cudaStream_t stream)
{
    for (uint32_t row = 0; row < view.row_count; row++)
        ENGINE_CUDA_TRY(solver->count(solver, view, row, stream));
    return cudaSuccess;
}

/* A step is a frame. All steps of a call have the same input, but each does the whole work again, so that rates are
 * real. */
static int count_frame(const rdf_solver *solver, const rdf_view &view, const engine_call *call)
{
    const cudaStream_t stream = (cudaStream_t) call->stream;
    int status = fail(call, (solver->order.cells ? rdf_sort_particles : rdf_group_particles)(solver, view, stream));
    if (status == 0)
        status = share_order(solver, view, call);
    return status ? status : fail(call, count_rows(solver, view, stream));
}

/* The counts of earlier calls stay in the first part alone, so that the sum over all parts has them once. */
static int count_frames(const rdf_solver *solver, const rdf_view &view, const engine_call *call)
{
    const uint64_t bins = rdf_bins_of(&solver->plan);
    int status = 0;
    if (view.share > 0)
        status = fail(call, cudaMemsetAsync(view.counts, 0, bins * sizeof *view.counts, (cudaStream_t) call->stream));
    for (uint64_t step = 0; step < call->steps && status == 0; step++)
        status = count_frame(solver, view, call);
    return status ? status : engine_host_team(call->host)->reduce(call, (uint64_t *) view.counts, bins);
}

/* The excluded pairs are taken out once, `steps` times as many. */
static cudaError_t finish(const rdf_solver *solver, const rdf_view &view, uint64_t steps, cudaStream_t stream)
{
    if (view.exclude_block > 1)
        exclude<<<engine_cuda_blocks(view.particles, THREADS), THREADS, 0, stream>>>(view, solver->group_species,
                                                                                     solver->rows, steps);
    ENGINE_CUDA_TRY(cudaGetLastError());
    if (solver->listed.count > 0)
        exclude_listed<<<engine_cuda_blocks(solver->listed.count, THREADS), THREADS, 0, stream>>>(
            view, solver->group_species, solver->rows, solver->listed, steps);
    ENGINE_CUDA_TRY(cudaGetLastError());
    add_frames<<<1, view.row_count, 0, stream>>>(view, solver->rows, steps);
    ENGINE_CUDA_TRY(cudaGetLastError());
    return cudaEventRecord(solver->answer.done[solver->answer.enqueued % 2], stream);
}

int rdf_cuda_advance(void *self, engine_call *call)
{
    rdf_solver *solver = (rdf_solver *) self;
    int status = rdf_plan_read(call->host, call->plan, &solver->plan);
    const rdf_view view = view_of(solver, call);
    if (status == 0)
        status = count_frames(solver, view, call);
    if (status == 0)
        status = fail(call, finish(solver, view, call->steps, (cudaStream_t) call->stream));
    solver->answer.enqueued += status == 0;
    return status;
}

/* ---- The end of a call ------------------------------------------------------------------------------------------- */

/* Computes the curves and waits for them. */
static cudaError_t finish_curves(const rdf_solver *solver, const engine_call *call)
{
    const cudaStream_t stream = (cudaStream_t) call->stream;
    const rdf_view view = view_of(solver, call);
    set_curves<<<view.row_count, THREADS, 0, stream>>>(view, solver->shells);
    ENGINE_CUDA_TRY(cudaGetLastError());
    return cudaStreamSynchronize(stream);
}

/* Warns if all counts of the first frames are 0. */
static cudaError_t look_at_counts(rdf_solver *solver, const engine_call *call)
{
    const rdf_view view = view_of(solver, call);
    if (solver->counted)
        return cudaSuccess;
    ENGINE_CUDA_TRY(cudaMemcpy(solver->first_counts, view.counts,
                               rdf_bins_of(&solver->plan) * sizeof *solver->first_counts, cudaMemcpyDeviceToHost));
    solver->counted = true;
    rdf_warn_empty(&solver->plan, call, solver->first_counts);
    return cudaSuccess;
}

/* Only the device knows whether a position is invalid. The curves are those of all frames: they are computed when no
 * further frame is under way. */
int rdf_cuda_settle(void *self, const engine_call *call)
{
    rdf_solver *solver = (rdf_solver *) self;
    struct rdf_answer &answer = solver->answer;
    const uint32_t number = answer.settled++ % 2;
    int status = fail(call, cudaEventSynchronize(answer.done[number]));
    const uint32_t invalid = *(volatile uint32_t *) answer.invalid[number];
    if (status == 0 && invalid > 0)
        return -ENGINE_FAIL(call->host, ENGINE_INVALID,
                            "particle %u: a component of its position is not a number within %g", invalid - 1,
                            (double) RDF_FARTHEST);
    if (status == 0 && answer.settled == answer.enqueued)
        status = fail(call, finish_curves(solver, call));
    if (status == 0 && answer.settled == answer.enqueued)
        status = fail(call, look_at_counts(solver, call));
    return status;
}

/* ---- The start --------------------------------------------------------------------------------------------------- */

static int upload_bins(const engine_call *call, rdf_solver *solver)
{
    const engine_host *host = call->host;
    const rdf_bins &bins = solver->plan.bins;
    const uint32_t slots = solver->binning.slots;
    double *shells = (double *) host->scratch(host, bins.count * sizeof *shells, ENGINE_HOST_MEMORY);
    float *thresholds = (float *) host->scratch(host, (slots + 2) * sizeof *thresholds, ENGINE_HOST_MEMORY);
    if (!shells || !thresholds)
        return ENGINE_NO_MEMORY;
    for (uint32_t k = 0; k < bins.count; k++)
        shells[k] = rdf_shell(&solver->plan, k);
    for (uint32_t k = 0; k < slots + 2; k++)
        thresholds[k] = k <= bins.count ? rdf_threshold(&bins, k) : INFINITY;
    const int status = cuda_upload(call, shells, bins.count, &solver->shells);
    return status ? status : cuda_upload(call, thresholds, slots + 2, &solver->thresholds);
}

static int check_count(const engine_host *host, const struct rdf_plan &plan)
{
    if (plan.particles <= RDF_CUDA_PARTICLES_MAX)
        return 0;
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "%llu particles are too many for a GPU; expected at most %d",
                       (unsigned long long) plan.particles, RDF_CUDA_PARTICLES_MAX);
}

/* Kernels do not look at the species if all particles count. If some are absent in later frames, some are absent in the
 * first. */
static int check_species(const engine_call *call, const struct rdf_plan &plan)
{
    const int32_t *species = origin<int32_t>(call, RDF_SPECIES);
    int32_t *copy = NULL;
    if (species) {
        copy = (int32_t *) call->host->scratch(call->host, plan.particles * sizeof *copy, ENGINE_HOST_MEMORY);
        if (!copy)
            return ENGINE_NO_MEMORY;
        ENGINE_CUDA_CHECK(call->host, cudaMemcpyAsync(copy, species, plan.particles * sizeof *copy,
                                                      cudaMemcpyDeviceToHost, (cudaStream_t) call->stream));
        ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize((cudaStream_t) call->stream));
    }
    for (uint64_t i = 0; copy && plan.everything && i < plan.particles; i++)
        if (copy[i] < 0)
            return ENGINE_FAIL(
                call->host, ENGINE_UNSUPPORTED,
                "between: all, but particles are absent in some frames; expected species, as in '0 0', or "
                "the implementation cpu");
    return rdf_check_species(call, &plan, copy);
}

static int upload_index(const engine_call *call, const struct rdf_plan &plan, rdf_groups *groups)
{
    uint32_t *copy = (uint32_t *) call->host->scratch(call->host, plan.particles * sizeof *copy, ENGINE_HOST_MEMORY);
    uint32_t *indexed = NULL;
    int status = copy ? rdf_read_index(call->host, &plan, copy) : ENGINE_NO_MEMORY;
    if (status == 0)
        status = cuda_upload(call, copy, plan.particles, &indexed);
    groups->indexed = indexed;
    return status;
}

static int make_groups(const engine_call *call, const struct rdf_plan &plan, rdf_groups *groups)
{
    const engine_host *host = call->host;
    struct rdf_members *members = NULL;
    *groups = {};
    if (!*plan.index && !plan.several && !(plan.within > 0))
        return 0;
    groups->within = plan.within, groups->within_group = plan.within_group;
    groups->of = (uint32_t *) host->scratch(host, plan.particles * sizeof *groups->of, ENGINE_CUDA_MEMORY);
    if (!groups->of)
        return ENGINE_NO_MEMORY;
    if (plan.within > 0 && !(groups->centres = (float4 *) host->scratch(host, plan.particles * sizeof *groups->centres,
                                                                        ENGINE_CUDA_MEMORY)))
        return ENGINE_NO_MEMORY;
    int status = *plan.index ? upload_index(call, plan, groups) : 0;
    if (status == 0 && plan.several)
        status = cuda_upload(call, plan.members, plan.group_count, &members);
    groups->members = members;
    return status;
}

static int upload_listed(const engine_call *call, const struct rdf_plan &plan, struct rdf_pairs *listed)
{
    struct rdf_pairs read;
    *listed = {};
    int status = rdf_read_exclusions(call->host, &plan, &read);
    if (status == 0 && read.count > 0)
        status = cuda_upload(call, read.at, read.count, &listed->at);
    listed->count = read.count;
    free(read.at);
    return status;
}

static int make_order(const engine_host *host, const struct rdf_plan &plan, rdf_solver *solver)
{
    rdf_order &order = solver->order;
    ENGINE_CUDA_CHECK(host, rdf_scan_bytes(order.cell_count, &order.scan_bytes));
    order.cells = (uint32_t *) (solver->census + 1);
    order.unsorted = (float4 *) host->scratch(host, plan.particles * sizeof(float4), ENGINE_CUDA_MEMORY);
    order.bounds = (rdf_bounds *) host->scratch(host, bounds_count(plan) * sizeof(rdf_bounds), ENGINE_CUDA_MEMORY);
    order.scan = host->scratch(host, order.scan_bytes, ENGINE_CUDA_MEMORY);
    return order.unsorted && order.bounds && order.scan ? 0 : ENGINE_NO_MEMORY;
}

/* The census, with the cells behind it, and the wrapped positions. */
static int make_wrapped(const engine_host *host, bool sorted, rdf_solver *solver)
{
    const struct rdf_plan &plan = solver->plan;
    solver->order.cell_count = sorted ? rdf_cells_begin(plan.group_count, (uint32_t) plan.particles) : 0;
    solver->census = (rdf_census *) host->scratch(
        host, sizeof *solver->census + solver->order.cell_count * sizeof(uint32_t), ENGINE_CUDA_MEMORY);
    solver->wrapped = (float4 *) host->scratch(host, plan.particles * sizeof(float4), ENGINE_CUDA_MEMORY);
    if (!solver->census || !solver->wrapped)
        return ENGINE_NO_MEMORY;
    return sorted ? make_order(host, plan, solver) : 0;
}

int rdf_cuda_open(const engine_call *call, bool sorted, rdf_solver **out)
{
    const engine_host *host = call->host;
    rdf_solver *solver = (rdf_solver *) host->scratch(host, sizeof *solver, ENGINE_HOST_MEMORY);
    if (!solver)
        return ENGINE_NO_MEMORY;
    *solver = {};
    *out = solver;
    int status = rdf_plan_read(host, call->plan, &solver->plan);
    if (status == 0)
        status = check_count(host, solver->plan);
    if (status == 0)
        status = check_species(call, solver->plan);
    if (status)
        return status;
    solver->first_counts =
        (uint64_t *) host->scratch(host, rdf_bins_of(&solver->plan) * sizeof *solver->first_counts, ENGINE_HOST_MEMORY);
    if (!solver->first_counts)
        return ENGINE_NO_MEMORY;
    solver->binning = rdf_binning_of(&solver->plan.bins, 1);
    solver->block_size = (uint32_t) engine_param_integer(call->plan, RDF_BLOCK_SIZE);
    if ((status = make_wrapped(host, sorted, solver)) ||
        (status = cuda_upload(call, solver->plan.rows, solver->plan.row_count, &solver->rows)) ||
        (status = cuda_upload(call, solver->plan.species, solver->plan.group_count, &solver->group_species)) ||
        (status = make_groups(call, solver->plan, &solver->groups)) ||
        (status = upload_listed(call, solver->plan, &solver->listed)))
        return status;
    ENGINE_CUDA_CHECK(
        host, cudaDeviceGetAttribute(&solver->multiprocessors, cudaDevAttrMultiProcessorCount, call->plan->device));
    return upload_bins(call, solver);
}

static cudaError_t open_answer(struct rdf_answer *answer)
{
    for (int i = 0; i < 2; i++) {
        ENGINE_CUDA_TRY(cudaMallocHost((void **) &answer->invalid[i], sizeof *answer->invalid[i]));
        ENGINE_CUDA_TRY(cudaEventCreateWithFlags(&answer->done[i], cudaEventDisableTiming));
    }
    return cudaSuccess;
}

int rdf_cuda_open_answer(const engine_host *host, rdf_solver *solver)
{
    const cudaError_t error = open_answer(&solver->answer);
    if (error == cudaSuccess)
        return 0;
    rdf_cuda_destroy(solver);
    return CUDA_FAIL(host, error, "making an instance");
}

void rdf_cuda_destroy(void *self)
{
    const struct rdf_answer &answer = ((rdf_solver *) self)->answer;
    for (int i = 0; i < 2; i++) {
        if (answer.invalid[i])
            cudaFreeHost(answer.invalid[i]);
        if (answer.done[i])
            cudaEventDestroy(answer.done[i]);
    }
}
