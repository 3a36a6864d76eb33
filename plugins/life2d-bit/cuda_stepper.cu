/* 2D Life on CUDA, host code: the choice of the kernels that take the steps of a call. cuda_forms.cu has those of a
 * rule. */
#include "cuda_stepper.h"

#include "cuda_kernels.cuh"

static const life_factors factors = {1, 0u - 2};

/* ---- Grids ----------------------------------------------------------------------------------- */

struct grid {
    uint4 *cells[2];
    uint64_t width, height;
    uint32_t groups, tail, pitch;
    bool dead_x; /* the cells beyond the edges along x are dead; else it is a torus along x */
};

static struct grid make_grid(void *first, void *second, uint64_t width, uint64_t height, uint64_t row_bytes,
                             bool dead_x)
{
    struct grid g = {{(uint4 *) first, (uint4 *) second}, width, height, 0, 0, 0, dead_x};
    g.groups = (uint32_t) divide_up(width, 128);
    g.tail = (uint32_t) (width - (uint64_t) (g.groups - 1) * 128);
    g.pitch = (uint32_t) (row_bytes / 16);
    return g;
}

/* ---- Streaming ------------------------------------------------------------------------------- */

static bool has_dead_x(const struct life2d_cuda_job *job)
{
    return job->dead & LIFE_DEAD_X;
}

static struct grid grid_of(const struct life2d_cuda_job *job)
{
    return make_grid(job->cells[0], job->cells[1], job->width, job->height, (uint64_t) job->row_bytes, has_dead_x(job));
}

/* A launch without its buffers. The kernels of a torus read the first part of the job. */
struct stream_pass {
    dead_stream_job<1> job;
    life_launch size;
};

static struct life2d_occupancy occupancy_of(const struct life2d_kernel_form *kernel, int multiprocessors)
{
    const uint32_t warps = (uint32_t) kernel->warps, schedulers = 4; /* of a multiprocessor */
    return {(uint32_t) kernel->steps, (uint32_t) (kernel->blocks * multiprocessors), warps,
            warps < schedulers ? warps : schedulers};
}

/* Cuts the grid into bands for a launch, which are `chosen` if that is not 0. */
static void cut_torus(stream_pass *launch, const struct life2d_occupancy *occupancy, uint32_t chosen)
{
    dead_stream_job<1> *job = &launch->job;
    const struct life2d_bands bands = life2d_choose_bands(job->groups, job->height, occupancy, chosen);
    job->bands = bands.count, job->slots = bands.slots;
    job->rows = (int32_t) (bands.rows + 2 * occupancy->steps);
    launch->size.warps = bands.warps;
    launch->size.blocks = divide_up(bands.slots, (uint64_t) LIFE2D_OWNERS * bands.warps);
}

static void cut_edged(stream_pass *launch, const struct life2d_occupancy *occupancy, uint32_t chosen)
{
    dead_stream_job<1> *job = &launch->job;
    const bool dead_x = job->dead & LIFE_DEAD_X, dead_y = job->dead & LIFE_DEAD_Y;
    const struct life2d_edged grid = {job->groups, job->tail, job->height, dead_x, dead_y, *occupancy};
    job->regions = life2d_choose_regions(&grid, chosen);
    job->slots = job->regions.slots;
    launch->size.warps = job->regions.warps;
    launch->size.blocks = job->regions.clearing + life2d_band_blocks(&job->regions);
}

static stream_pass make_stream_launch(const struct grid *g, const struct life2d_kernel_form *kernel,
                                      const struct life2d_cuda_job *call)
{
    const struct life2d_cuda_rule *rule = call->rule;
    const struct life2d_occupancy occupancy = occupancy_of(kernel, rule->device.multiprocessors);
    stream_pass launch = {};
    dead_stream_job<1> &job = launch.job;
    job.groups = g->groups, job.tail = g->tail;
    job.height = (uint32_t) g->height;
    job.pitch = g->pitch, job.end = (uint32_t) (g->height * g->pitch);
    job.factors = factors;
    job.dead = rule->dead, job.born_alone = rule->born_alone;
    (rule->dead ? cut_edged : cut_torus)(&launch, &occupancy, kernel == rule->stream ? call->bands : 0);
    launch.size.shared = (uint64_t) kernel->shared;
    return launch;
}

static cudaError_t launch_stream(stream_pass *launch, const struct grid *g, int from,
                                 const struct life2d_kernel_form *kernel, const struct life2d_cuda_job *call)
{
    launch->job.source = g->cells[from];
    launch->job.result = g->cells[1 - from];
    return life_launch_kernel(kernel->function, launch->size, call->stream, NULL, &launch->job, call->rule->numbers);
}

cudaError_t life2d_cuda_stream_once(const struct life2d_cuda_job *job, int from,
                                    const struct life2d_kernel_form *kernel, const uint32_t *done, uint32_t step)
{
    const struct grid g = grid_of(job);
    stream_pass launch = make_stream_launch(&g, kernel, job);
    launch.job.done = done, launch.job.step = step;
    return launch_stream(&launch, &g, from, kernel, job);
}

static cudaError_t stream_steps(const struct grid *g, const struct life2d_cuda_job *job, int *at)
{
    const struct life2d_kernel_form *kernel = job->rule->stream;
    uint64_t left = job->steps;
    for (; left > 0; kernel++) {
        if (kernel->steps > (int64_t) left)
            continue;
        stream_pass launch = make_stream_launch(g, kernel, job);
        for (; left >= (uint64_t) kernel->steps; left -= (uint64_t) kernel->steps) {
            ENGINE_CUDA_TRY(launch_stream(&launch, g, *at, kernel, job));
            *at = 1 - *at;
        }
    }
    return cudaSuccess;
}

cudaError_t life2d_cuda_stream_steps(const struct life2d_cuda_job *job, int *at)
{
    const struct grid g = grid_of(job);
    return stream_steps(&g, job, at);
}

/* ---- Resident -------------------------------------------------------------------------------- */

struct resident_plan {
    const struct life2d_kernel_form *kernel;
    uint32_t blocks, warps, halo, columns;
    size_t slot_bytes;
};

/* Rows of the halo above and below a band, which are also the steps between two exchanges; fewer for a low grid. */
enum { USUAL_HALO = 8, MOST_HALO = 32 };

static uint32_t strip_columns(const struct grid *g)
{
    return g->groups + (g->tail < 128 && !g->dead_x ? 2 : 0);
}

/* The halo slots: for even and odd exchanges, for every block, above and below it, `halo` rows of tagged groups. */
static uint64_t slot_bytes(uint64_t blocks, uint64_t halo, uint64_t columns)
{
    return 2 * blocks * 2 * halo * columns * 2 * sizeof(ulonglong2);
}

/* False: the grid does not fit on the chip. */
static bool plan_with(struct resident_plan *plan, const struct grid *g, int strip_rows, int most_warps, uint32_t halo,
                      int multiprocessors)
{
    plan->columns = strip_columns(g);
    plan->halo = (uint32_t) (halo < g->height ? halo : g->height);
    plan->blocks = (uint32_t) (g->height / plan->halo);
    if (plan->blocks > (uint32_t) multiprocessors)
        plan->blocks = (uint32_t) multiprocessors;
    const uint64_t rows = divide_up(g->height, plan->blocks) + 2 * plan->halo;
    plan->warps = (uint32_t) divide_up(rows, (uint64_t) (32 / plan->columns) * (uint64_t) strip_rows);
    plan->slot_bytes = slot_bytes(plan->blocks, plan->halo, plan->columns);
    return plan->warps <= (uint32_t) most_warps;
}

/* Rows of a strip and warps of a block of the resident forms, which are the same for every rule. */
static const struct {
    int rows, warps;
} resident_sizes[LIFE2D_RESIDENT_FORMS] = {
#define SIZES(ROWS, WARPS) {ROWS, WARPS},
    LIFE2D_FOR_RESIDENT_FORMS(SIZES)
#undef SIZES
};

/* Finds the first form that holds the grid. -1: none does. */
static int find_resident(struct resident_plan *plan, const struct grid *g, const struct life2d_cuda_job *job,
                         int multiprocessors)
{
    const uint32_t halo = job->exchange_steps ? job->exchange_steps : (uint32_t) USUAL_HALO;
    if (halo > MOST_HALO || strip_columns(g) > 32)
        return -1;
    for (int i = 0; i < LIFE2D_RESIDENT_FORMS; i++)
        if ((job->strip_rows == 0 || (int) job->strip_rows == resident_sizes[i].rows) &&
            plan_with(plan, g, resident_sizes[i].rows, resident_sizes[i].warps, halo, multiprocessors))
            return i;
    return -1;
}

/* Streaming is as fast for a few steps. */
static bool plan_resident(struct resident_plan *plan, const struct grid *g, const struct life2d_cuda_job *job)
{
    if (job->form == LIFE_ANY_FORM && job->steps <= 2 * USUAL_HALO)
        return false;
    const int form = find_resident(plan, g, job, job->rule->device.multiprocessors);
    plan->kernel = form < 0 ? NULL : &job->rule->resident[form];
    return form >= 0;
}

static cudaError_t resident_steps(const struct grid *g, const struct resident_plan *plan,
                                  const struct life2d_cuda_job *job, int *at)
{
    dead_resident_job<1> r; /* the kernels of a torus read its first part */
    r.dead = job->rule->dead;
    r.source = g->cells[*at];
    r.result = g->cells[1 - *at];
    r.groups = g->groups, r.tail = g->tail;
    r.height = (uint32_t) g->height;
    r.pitch = g->pitch;
    r.halo = plan->halo;
    r.columns = plan->columns;
    r.steps = job->steps;
    r.slots = (ulonglong2 *) job->scratch;
    ENGINE_CUDA_TRY(cudaMemsetAsync(r.slots, 0, plan->slot_bytes, job->stream));
    *at = 1 - *at;
    return life_launch_cooperative(plan->kernel->function, {plan->blocks, plan->warps, (uint64_t) plan->kernel->shared},
                                   job->stream, &r, job->rule->numbers);
}

/* ---- Narrow grids ---------------------------------------------------------------------------- */

enum { NARROW = 256 };

/* Fills a wide grid with copies of a narrow one, side by side. Copies of a torus make a torus, with the same cells. One
 * thread writes one word. */
__global__ void life2d_copy_rows(const uint32_t *from, uint64_t from_pitch, uint64_t from_width, uint32_t *to,
                                 uint64_t to_pitch, uint64_t words, uint64_t rows)
{
    const uint64_t id = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x, y = id / words, w = id % words;
    if (y >= rows)
        return;
    uint32_t bits = 0;
    for (uint32_t b = 0; b < 32; b++) {
        const uint64_t x = (w / 4 * 128 + b * 4 + w % 4) % from_width;
        bits |= (from[y * from_pitch + x / 128 * 4 + x % 4] >> (x % 128 / 4) & 1) << b;
    }
    to[y * to_pitch + w] = bits;
}

static uint64_t narrow_copies(uint64_t width, bool dead_x)
{
    return width < NARROW && !dead_x ? divide_up(NARROW, width) : 1;
}

static cudaError_t copy_rows(const struct grid *from, int source, const struct grid *to, int target,
                             cudaStream_t stream)
{
    const uint64_t words = divide_up(to->width, 128) * 4, blocks = divide_up(words * to->height, 256);
    life2d_copy_rows<<<(unsigned) blocks, 256, 0, stream>>>((const uint32_t *) from->cells[source], from->pitch * 4ull,
                                                            from->width, (uint32_t *) to->cells[target],
                                                            to->pitch * 4ull, words, to->height);
    return cudaGetLastError();
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + 255) & ~(uint64_t) 255;
}

static uint64_t most_slot_bytes(const struct grid *g, int multiprocessors)
{
    return strip_columns(g) > 32 ? 0 : round_up(slot_bytes((uint64_t) multiprocessors, MOST_HALO, strip_columns(g)));
}

static uint64_t copies_of(const struct life2d_cuda_job *job)
{
    return narrow_copies(job->width, has_dead_x(job));
}

/* Copies of a narrow grid in the scratch memory, behind the halo slots. */
static struct grid grid_of_copies(const struct life2d_cuda_job *job, uint64_t slots)
{
    const uint64_t width = job->width * copies_of(job), row = divide_up(width, 128) * 16;
    char *memory = (char *) job->scratch + slots;
    return make_grid(memory, memory + round_up(row * job->height), width, job->height, row, false);
}

/* A grid of the size on which the kernels take the steps, without memory. */
static struct grid wide_grid(const struct life2d_cuda_job *job)
{
    const uint64_t wide = job->width * copies_of(job);
    return make_grid(NULL, NULL, wide, job->height, divide_up(wide, 128) * 16, has_dead_x(job));
}

uint64_t life2d_cuda_scratch_bytes(const struct life2d_cuda_job *job, int multiprocessors)
{
    if (job->height >> 31 || job->width >> 38)
        return 0;
    const struct grid g = wide_grid(job);
    if ((job->height + 1) * g.pitch >> 32)
        return 0;
    return 256 + most_slot_bytes(&g, multiprocessors) +
           (copies_of(job) > 1 ? 2 * round_up(g.pitch * 16ull * job->height) : 0);
}

bool life2d_cuda_fits(const struct life2d_cuda_job *job, int multiprocessors)
{
    struct resident_plan plan;
    const struct grid g = wide_grid(job);
    return find_resident(&plan, &g, job, multiprocessors) >= 0;
}

static cudaError_t take_steps_on(const struct grid *g, const struct life2d_cuda_job *job, int *at)
{
    struct resident_plan plan;
    if (job->form != LIFE_STREAMING && !job->rule->squares && plan_resident(&plan, g, job))
        return resident_steps(g, &plan, job, at);
    if (job->form == LIFE_RESIDENT)
        return cudaErrorInvalidConfiguration;
    return stream_steps(g, job, at);
}

cudaError_t life2d_cuda_take_steps(const struct life2d_cuda_job *job, int *result)
{
    *result = 0;
    if (job->steps == 0)
        return cudaSuccess;
    if ((job->height + 1) * ((uint64_t) job->row_bytes / 16) >> 32) /* kernels count groups in 32 bits */
        return cudaErrorInvalidValue;
    if (job->settled)
        return life2d_settled_steps(job, result);
    const struct grid caller = grid_of(job);
    const uint64_t copies = copies_of(job);
    struct grid g = caller;
    if (copies > 1) {
        const struct grid probe = wide_grid(job);
        g = grid_of_copies(job, most_slot_bytes(&probe, job->rule->device.multiprocessors));
        ENGINE_CUDA_TRY(copy_rows(&caller, 0, &g, 0, job->stream));
    }
    int at = 0;
    ENGINE_CUDA_TRY(take_steps_on(&g, job, &at));
    if (copies > 1) {
        ENGINE_CUDA_TRY(copy_rows(&g, at, &caller, 1, job->stream));
        at = 1;
    }
    *result = at;
    return cudaSuccess;
}
