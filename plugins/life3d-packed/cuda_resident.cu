/* The resident form of 3D Life, the host's side: how a grid is cut into tiles that fit on the chip, and the launch. */
#include "cuda_resident.h"

enum {
    MOST_GROUPS = 32,  /* of a row: the lanes of a warp */
    MOST_SEGMENTS = 8, /* strips behind each other along a march */
    FEW_GROUPS = 8192  /* a grid of fewer is as well streamed */
};

/* ---- Cutting the grid ------------------------------------------------------------------------ */

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint32_t groups_of(const struct packed_cuda_job *job)
{
    return (uint32_t) divide_up(job->width, 128);
}

/* Warps that take so many strips of a row each. */
static uint32_t warps_of(uint64_t strips, uint32_t groups)
{
    return (uint32_t) divide_up(strips, 32 / groups);
}

/* The rim's warps: for its strips, and for the letters. */
static uint32_t rim_warps(const struct packed_resident *p, uint32_t groups)
{
    const uint64_t strips = 2 * divide_up(p->planes, p->rim_march) + 2 * divide_up(p->rows - 2, p->rim_march);
    const uint64_t readers = divide_up(resident_halo(p->rows, p->planes), RESIDENT_LETTERS);
    return warps_of(larger(strips, readers), groups);
}

/* Fills in what follows from a plan's tiles and marches. False: such blocks do not fit. */
static bool complete(struct packed_resident *p, uint32_t groups, const struct life_cuda_device *device)
{
    const uint64_t inner = (uint64_t) (p->rows - 2) * divide_up(p->planes - 2, p->march);
    const uint32_t inner_warps = inner ? warps_of(inner, groups) : 1;
    const uint64_t plane = (uint64_t) (p->rows + 2) * groups * 16;
    p->rim_warps = rim_warps(p, groups);
    p->warps = p->rim_warps + inner_warps;
    p->shared = plane * 2 * (uint64_t) (p->planes + 2);
    p->mail = 2 * (uint64_t) p->blocks_y * p->blocks_z * resident_halo(p->rows, p->planes) * groups * sizeof(uint4) * 2;
    return p->warps <= RESIDENT_WARPS && p->shared <= (uint64_t) device->shared_bytes;
}

/* Estimated time of a step, in operations on a word: those of the four parts of a multiprocessor on average, those of
 * the part with most, and what the marches add that nothing hides. Warps go to the parts in turn, the rim's last.
 * Fitted to runs on one H200, where 1000 take some 2.6 us, and tiles of unequal sizes some 5% more. */
static double step_time(const struct packed_resident *p)
{
    const uint32_t others = p->warps - p->rim_warps;
    const double inner = 14.0 + 22 * p->march, rim = 14.0 + 24 * p->rim_march;
    double most = 0;
    for (uint32_t part = 0; part < 4; part++) {
        const uint32_t all = (p->warps + 3 - part) / 4, inners = (others + 3 - part) / 4;
        const double sum = inners * inner + (all - inners) * rim;
        most = sum > most ? sum : most;
    }
    return most + (others * inner + p->rim_warps * rim) / 4 + 0.25 * inner + 1.75 * rim;
}

/* Tries all marches with the tiles of `p`. */
static void try_marches(struct packed_resident *best, struct packed_resident p, const struct packed_cuda_job *job,
                        const struct life_cuda_device *device)
{
    const double unequal = job->height % p.blocks_y || job->depth % p.blocks_z ? 1.05 : 1;
    for (uint32_t segments = 1; segments <= MOST_SEGMENTS; segments++) {
        const uint64_t inner = p.planes > 2 ? divide_up(p.planes - 2, segments) : 1;
        p.march = job->march ? (uint32_t) divide_up(job->march, 4) * 4 : (uint32_t) divide_up(inner, 4) * 4;
        for (p.rim_march = 1; p.rim_march <= MOST_SEGMENTS; p.rim_march++)
            if (complete(&p, groups_of(job), device)) {
                p.time = step_time(&p) * unequal;
                if (best->warps == 0 || p.time < best->time)
                    *best = p;
            }
    }
}

struct packed_resident packed_cuda_find_resident(const struct packed_cuda_job *job,
                                                 const struct life_cuda_device *device)
{
    struct packed_resident best = {}, p = {};
    const uint64_t processors = (uint64_t) device->multiprocessors, groups = divide_up(job->width, 128);
    const uint64_t chip = processors * (uint64_t) device->shared_bytes / 16;
    if (groups > MOST_GROUPS || job->height < 2 || job->depth < 2 || job->height > chip || job->depth > chip ||
        groups * job->height * job->depth > chip)
        return best;
    if (job->form == PACKED_STREAMING ||
        (job->form == PACKED_ANY_FORM && groups * job->height * job->depth < FEW_GROUPS))
        return best;
    const uint64_t most = job->blocks && job->blocks < processors ? job->blocks : processors;
    for (uint64_t y = 1; y <= most && y <= job->height / 2; y++) {
        const uint64_t z = most / y < job->depth / 2 ? most / y : job->depth / 2;
        p.blocks_y = (uint32_t) y, p.blocks_z = (uint32_t) z;
        p.rows = (uint32_t) divide_up(job->height, y), p.planes = (uint32_t) divide_up(job->depth, z);
        try_marches(&best, p, job, device);
    }
    return best;
}

/* ---- Launching ------------------------------------------------------------------------------- */

static resident_job job_of(const struct packed_cuda_job *job)
{
    const struct packed_resident *p = &job->resident;
    resident_job r = {};
    r.source = (const uint4 *) job->cells[0], r.result = (uint4 *) job->cells[1];
    r.height = (uint32_t) job->height, r.depth = (uint32_t) job->depth;
    r.groups = groups_of(job);
    r.tail = (uint32_t) (job->width - (uint64_t) (r.groups - 1) * 128);
    r.pitch = (uint32_t) (job->row_bytes / 16), r.plane = (uint32_t) (job->plane_bytes / 16);
    r.blocks_y = p->blocks_y, r.blocks_z = p->blocks_z;
    r.rows = p->rows, r.planes = p->planes;
    r.rim_warps = p->rim_warps, r.rim_march = p->rim_march, r.march = p->march;
    r.steps = job->steps;
    r.mail = (ulonglong2 *) job->scratch;
    return r;
}

cudaError_t packed_resident_steps(const struct packed_cuda_job *job)
{
    const struct packed_resident *p = &job->resident;
    resident_job r = job_of(job);
    void *arguments[] = {&r, const_cast<uint32_t *>(job->rule->numbers)};
    const cudaError_t error = cudaMemsetAsync(job->scratch, 0, p->mail, job->stream);
    if (error != cudaSuccess)
        return error;
    cudaLaunchAttribute cooperative;
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(p->blocks_y * p->blocks_z);
    config.blockDim = dim3(p->warps * 32);
    config.dynamicSmemBytes = p->shared;
    config.stream = job->stream;
    config.attrs = &cooperative;
    config.numAttrs = 1;
    return cudaLaunchKernelExC(&config, job->rule->resident[job->width % 128 != 0].function, arguments);
}
