/* 3D Life on CUDA, host code: the kernels of a rule, and the choice of those that take the steps of a call. */
#include "cuda_stepper.h"

#include <string.h>

#include "cuda_forms.cuh"
#include "cuda_resident.h"

/* The PTX of cuda_rule.ptx.cu, which cuda_rule.c holds, and the same for grids with dead edges. */
extern "C" const char packed_rule_ptx[];
extern "C" const char packed_dead_rule_ptx[];

const life_rule_supply packed_rule_supply = {"B6/S5..7", 1u << 6, 7u << 5, packed_rule_ptx, life3d_find_network};
static const life_rule_supply dead_rule_supply = {"B6/S5..7", 1u << 6, 7u << 5, packed_dead_rule_ptx,
                                                  life3d_find_network};

/* ---- Cutting the grid ------------------------------------------------------------------------ */

/* The tiles and slabs of a stream_job, and the blocks that share them. */
struct cut {
    uint32_t columns, tiles, width, rows, slabs, owned, warps, blocks;
    double time; /* estimated; march_time says the unit */
};

/* The estimated time of a block of so many warps that takes so many planes, in the time that one warp needs for a loop
 * iteration (two planes). It counts the iterations, those that fill the levels at the start of each march, and the time
 * until the first planes arrive. A multiprocessor has four parts, each of which runs a quarter of the warps. It was
 * fitted to runs on one H200. */
static double march_time(const struct packed_kernel_form *kernel, uint32_t warps, uint64_t planes, double marches)
{
    const double shared = (double) divide_up(warps, 4) * kernel->steps / 2 + 0.02 * warps + 0.2;
    const double iteration = shared > 2.1 ? shared : 2.1; /* fewer warps are no faster */
    const double fill = kernel->steps == 1 ? 0.8 : 1.3, start = 2.7;
    return ((double) divide_up(planes, 2) + marches * fill) * iteration + marches * start;
}

/* Chooses the blocks that share the line of all slabs' planes: either all that run at once, or the same number for
 * every slab, whichever is faster. */
static void share_planes(struct cut *c, const struct packed_cuda_job *job, const struct packed_kernel_form *kernel)
{
    const uint64_t marches = (uint64_t) c->slabs * c->tiles, line = marches * job->depth;
    const uint64_t most = (uint64_t) job->rule->device.multiprocessors;
    const uint64_t parts = most / marches < job->depth ? most / marches : job->depth;
    const uint64_t any = most < line ? most : line;
    const uint64_t planes = divide_up(line, any);
    const double any_time = march_time(kernel, c->warps, planes, 2 + (double) planes / (double) job->depth);
    const double equal_time = parts ? march_time(kernel, c->warps, divide_up(job->depth, parts), 1) : any_time + 1;
    c->blocks = (uint32_t) (equal_time <= any_time ? parts * marches : any);
    c->time = equal_time <= any_time ? equal_time : any_time;
    if (job->blocks)
        c->blocks = (uint32_t) (job->blocks < line ? job->blocks : line);
}

/* Cuts the grid into tiles of so many groups, for blocks of so many warps. False: such blocks own no row. */
static bool cut_into(struct cut *c, const struct packed_cuda_job *job, const struct packed_kernel_form *kernel,
                     uint32_t tile, uint32_t warps)
{
    const uint32_t groups = (uint32_t) divide_up(job->width, 128), edges = 2 * ((uint32_t) kernel->steps - 1);
    c->tiles = (uint32_t) divide_up(groups, tile);
    c->width = (uint32_t) divide_up(groups, c->tiles);
    c->columns = c->tiles == 1 ? groups : c->width + 2;
    c->rows = 32 / c->columns;
    c->warps = warps;
    if (c->rows * warps < 2 || c->rows * warps <= edges)
        return false;
    const uint32_t own = c->rows * warps - edges;
    c->slabs = (uint32_t) divide_up(job->height, own);
    c->owned = (uint32_t) divide_up(job->height, c->slabs);
    share_planes(c, job, kernel);
    return true;
}

/* Finds the fastest cut that has the job's tile and warps. A tile has one more group on either side as halo. Each step
 * makes one more cell of the halo wrong. The last group of the row may have too few cells for a halo; then only one
 * tile, the whole row, is possible. */
static bool find_cut(struct cut *best, const struct packed_cuda_job *job, const struct packed_kernel_form *kernel)
{
    const uint64_t groups = divide_up(job->width, 128), tail = job->width - (groups - 1) * 128;
    const bool tiles = tail >= (uint64_t) kernel->steps;
    const uint32_t most = (uint32_t) kernel->warps;
    *best = {};
    for (uint32_t tile = job->tile ? job->tile : 1; tile <= (job->tile ? job->tile : 32); tile++) {
        const bool whole = groups <= tile;
        for (uint32_t warps = 1; warps <= most && (whole || (tiles && tile <= 30)); warps++) {
            struct cut c = {};
            if (job->warps && warps != (job->warps < most ? job->warps : most))
                continue;
            if (cut_into(&c, job, kernel, tile, warps) && (best->time == 0 || c.time < best->time))
                *best = c;
        }
        if (whole)
            break;
    }
    return best->time > 0;
}

/* ---- Streaming ------------------------------------------------------------------------------- */

static cudaError_t launch(const struct packed_kernel_form *kernel, const struct cut *c, const dead_stream_job *job,
                          const struct packed_cuda_rule *rule, cudaStream_t stream)
{
    cudaLaunchAttribute overlap;
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    return life_launch_kernel(kernel->function, {c->blocks, c->warps, (uint64_t) kernel->shared}, stream,
                              rule->overlap ? &overlap : NULL, job, rule->numbers);
}

static dead_stream_job job_of(const struct packed_cuda_job *job, const struct cut *c)
{
    dead_stream_job s = {}; /* the kernels of a torus read its first part */
    s.dead = job->dead;
    s.height = (uint32_t) job->height, s.depth = (uint32_t) job->depth;
    s.groups = (uint32_t) divide_up(job->width, 128);
    s.tail = (uint32_t) (job->width - (uint64_t) (s.groups - 1) * 128);
    s.pitch = (uint32_t) (job->row_bytes / 16), s.plane = (uint32_t) (job->plane_bytes / 16);
    s.columns = c->columns, s.tiles = c->tiles, s.width = c->width;
    s.rows = c->rows, s.slabs = c->slabs, s.owned = c->owned;
    s.factors = {1, 0u - 2};
    return s;
}

/* Returns the first kernel that takes at most so many steps and has a cut. */
static const struct packed_kernel_form *find_kernel(const struct packed_cuda_job *job, uint64_t steps, struct cut *c)
{
    for (const struct packed_kernel_form *k = job->rule->stream; k < job->rule->stream + PACKED_STREAM_FORMS; k++)
        if ((uint64_t) k->steps <= steps && k->seam == (job->width % 128 != 0) && find_cut(c, job, k))
            return k;
    return NULL;
}

/* The same. If the job's tile and warps leave no cut, they are ignored. */
static const struct packed_kernel_form *choose_kernel(const struct packed_cuda_job *job, uint64_t steps, struct cut *c)
{
    struct packed_cuda_job unbound = *job;
    const struct packed_kernel_form *kernel = find_kernel(job, steps, c);
    unbound.tile = unbound.warps = 0;
    return kernel ? kernel : find_kernel(&unbound, steps, c);
}

static cudaError_t stream_steps(const struct packed_cuda_job *job, int *at)
{
    const struct packed_kernel_form *kernel = NULL;
    struct cut c = {};
    for (uint64_t left = job->steps; left > 0; left -= (uint64_t) kernel->steps) {
        if (!kernel || (uint64_t) kernel->steps > left)
            kernel = choose_kernel(job, left, &c);
        if (!kernel)
            return cudaErrorInvalidConfiguration;
        dead_stream_job s = job_of(job, &c);
        s.source = (const uint4 *) job->cells[*at], s.result = (uint4 *) job->cells[1 - *at];
        ENGINE_CUDA_TRY(launch(kernel, &c, &s, job->rule, job->stream));
        *at = 1 - *at;
    }
    return cudaSuccess;
}

/* Closes the seams (cuda_seam.cuh) of a grid that the caller may have written, or clears the cells behind the rows if
 * the edges along x are dead. One thread closes one row. */
__global__ void packed_close_seams(uint4 *cells, uint32_t groups, uint32_t tail, uint32_t pitch, uint32_t plane,
                                   uint32_t height, uint64_t rows, bool dead_x)
{
    const uint64_t id = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;
    if (id >= rows)
        return;
    uint4 *row = cells + id / height * plane + id % height * pitch;
    uint32_t word[4] = {row[groups - 1].x, row[groups - 1].y, row[groups - 1].z, row[groups - 1].w};
    if (dead_x) {
        uint32_t mask[4];
        find_cells(mask, tail);
        clear_cells(word, mask);
    } else {
        close_seam(word, seam_of(tail, true), row[0].x);
    }
    row[groups - 1] = make_uint4(word[0], word[1], word[2], word[3]);
}

static cudaError_t close_seams(const struct packed_cuda_job *job)
{
    const uint64_t rows = job->height * job->depth, groups = divide_up(job->width, 128);
    if (job->width % 128 == 0)
        return cudaSuccess;
    packed_close_seams<<<(unsigned) divide_up(rows, 128), 128, 0, job->stream>>>(
        (uint4 *) job->cells[0], (uint32_t) groups, (uint32_t) (job->width % 128), (uint32_t) (job->row_bytes / 16),
        (uint32_t) (job->plane_bytes / 16), (uint32_t) job->height, rows, job->dead & LIFE_DEAD_X);
    return cudaGetLastError();
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* Streaming is as fast for so few steps. */
enum { FEW_STEPS = 8 };

bool packed_cuda_takes(uint64_t width, uint64_t height, uint64_t depth)
{
    const uint64_t groups = divide_up(width, 128), most = 1ull << 30;
    return groups < most && height < most && depth < most && groups * height <= UINT32_MAX &&
           groups * height * depth <= UINT32_MAX;
}

cudaError_t packed_cuda_take_steps(const struct packed_cuda_job *job, int *result)
{
    *result = 0;
    if (job->steps == 0)
        return cudaSuccess;
    ENGINE_CUDA_TRY(close_seams(job));
    if (job->resident.warps == 0 || (job->form == LIFE_ANY_FORM && job->steps <= FEW_STEPS))
        return stream_steps(job, result);
    *result = 1;
    return packed_resident_steps(job);
}

/* ---- Rules ----------------------------------------------------------------------------------- */

int packed_cuda_shared_bytes(void)
{
    int most = 0;
#define STREAM(LEVELS, SEAM, WARPS, RING) \
    most = stream_lane<LEVELS, WARPS, RING, whole_groups>::BYTES > most \
               ? stream_lane<LEVELS, WARPS, RING, whole_groups>::BYTES \
               : most;
    PACKED_FOR_STREAM_FORMS(STREAM)
#undef STREAM
    return most;
}

/* Kernels that were compiled for devices before 9.0 cannot overlap; those of a compiled rule are among them. Drivers
 * before 12.3 cannot record launches that overlap. */
static cudaError_t find_overlap(struct packed_cuda_rule *rule)
{
    int device, driver, major;
    ENGINE_CUDA_TRY(cudaGetDevice(&device));
    ENGINE_CUDA_TRY(cudaDriverGetVersion(&driver));
    ENGINE_CUDA_TRY(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    rule->overlap = major >= 9 && driver >= 12030 && rule->source.form != LIFE_COMPILED;
    return cudaSuccess;
}

cudaError_t packed_cuda_make_rule(struct packed_cuda_rule *rule, uint32_t birth, uint32_t survive, int kernel,
                                  uint32_t dead)
{
    *rule = {};
    ENGINE_CUDA_TRY(life_find_device(&rule->device));
    const struct life3d_numbers numbers = life3d_rule_numbers(birth, survive);
    static_assert(sizeof numbers == sizeof rule->numbers, "the second argument of the kernels");
    memcpy(rule->numbers, &numbers, sizeof numbers);
    ENGINE_CUDA_TRY(
        life_find_rule_source(&rule->source, kernel, dead ? &dead_rule_supply : &packed_rule_supply, birth, survive));
    ENGINE_CUDA_TRY(find_overlap(rule));
    if (dead)
        return packed_set_dead_forms(rule);
    return rule->source.form == LIFE_BUILT_IN ? packed_set_forms<stream_job, resident_job, rule_default>(rule)
                                              : packed_set_forms<stream_job, resident_job, rule_numbers>(rule);
}
