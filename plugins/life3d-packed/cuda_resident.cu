/* The resident form of 3D Life, host code: cuts a grid into tiles that fit on the chip, and launches the kernel. */
#include "cuda_resident.h"

enum {
    MOST_GROUPS = 32,  /* of a row: one for each lane of a warp */
    MOST_SEGMENTS = 8, /* strips one after the other along the direction of the march */
    FEW_GROUPS = 8192  /* streaming is as fast for a grid with fewer groups */
};

/* ---- Cutting the grid ------------------------------------------------------------------------ */

static uint32_t groups_of(const struct packed_cuda_job *job)
{
    return (uint32_t) divide_up(job->width, 128);
}

/* The warps that hold so many strips. */
static uint32_t warps_of(uint64_t strips, uint32_t groups)
{
    return (uint32_t) divide_up(strips, 32 / groups);
}

/* The border's warps: enough to hold its strips, and to poll the slots of the halo. */
static uint32_t border_warps(const struct packed_resident *p, uint32_t groups)
{
    const uint64_t strips = 2 * divide_up(p->planes, p->border_march) + 2 * divide_up(p->rows - 2, p->border_march);
    const uint64_t receivers = divide_up(resident_halo(p->rows, p->planes), RESIDENT_RECEIVES);
    return warps_of(strips > receivers ? strips : receivers, groups);
}

/* Derives the warps and the memory from the tiles and marches of a plan. False: such blocks do not fit. */
static bool complete(struct packed_resident *p, uint32_t groups, const struct life_cuda_device *device)
{
    const uint64_t inner = (uint64_t) (p->rows - 2) * divide_up(p->planes - 2, p->march);
    const uint32_t inner_warps = inner ? warps_of(inner, groups) : 1;
    const uint64_t plane = (uint64_t) (p->rows + 2) * groups * 16;
    p->border_warps = border_warps(p, groups);
    p->warps = p->border_warps + inner_warps;
    p->shared = plane * 2 * (uint64_t) (p->planes + 2);
    p->halo_bytes =
        2 * (uint64_t) p->blocks_y * p->blocks_z * resident_halo(p->rows, p->planes) * groups * sizeof(uint4) * 2;
    return p->warps <= RESIDENT_WARPS && p->shared <= (uint64_t) device->shared_bytes;
}

/* The estimated time of a step, in logic operations on a word. A multiprocessor has four parts; warps go to them in
 * turn, the border's warps last. The sum is the work of the busiest part, the average work of the four, and a share of
 * one march that nothing hides. It was fitted to runs on one H200, where 1000 operations take about 2.6 us. */
static double step_time(const struct packed_resident *p)
{
    const uint32_t others = p->warps - p->border_warps;
    const double inner = 14.0 + 22 * p->march, border = 14.0 + 24 * p->border_march;
    double most = 0;
    for (uint32_t part = 0; part < 4; part++) {
        const uint32_t all = (p->warps + 3 - part) / 4, inners = (others + 3 - part) / 4;
        const double sum = inners * inner + (all - inners) * border;
        most = sum > most ? sum : most;
    }
    return most + (others * inner + p->border_warps * border) / 4 + 0.25 * inner + 1.75 * border;
}

/* Tries all marches with the tiles of `p`, and keeps the fastest plan in `best`. */
static void try_marches(struct packed_resident *best, struct packed_resident p, const struct packed_cuda_job *job,
                        const struct life_cuda_device *device)
{
    const double unequal = job->height % p.blocks_y || job->depth % p.blocks_z ? 1.05 : 1; /* measured on one H200 */
    for (uint32_t segments = 1; segments <= MOST_SEGMENTS; segments++) {
        const uint64_t inner = p.planes > 2 ? divide_up(p.planes - 2, segments) : 1;
        p.march = job->march ? (uint32_t) divide_up(job->march, 4) * 4 : (uint32_t) divide_up(inner, 4) * 4;
        for (p.border_march = 1; p.border_march <= MOST_SEGMENTS; p.border_march++)
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
    if (job->form == LIFE_STREAMING || (job->form == LIFE_ANY_FORM && groups * job->height * job->depth < FEW_GROUPS))
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

static dead_resident_job job_of(const struct packed_cuda_job *job)
{
    const struct packed_resident *p = &job->resident;
    dead_resident_job r = {}; /* the kernels of a torus read its first part */
    r.dead = job->dead;
    r.source = (const uint4 *) job->cells[0], r.result = (uint4 *) job->cells[1];
    r.height = (uint32_t) job->height, r.depth = (uint32_t) job->depth;
    r.groups = groups_of(job);
    r.tail = (uint32_t) (job->width - (uint64_t) (r.groups - 1) * 128);
    r.pitch = (uint32_t) (job->row_bytes / 16), r.plane = (uint32_t) (job->plane_bytes / 16);
    r.blocks_y = p->blocks_y, r.blocks_z = p->blocks_z;
    r.rows = p->rows, r.planes = p->planes;
    r.border_warps = p->border_warps, r.border_march = p->border_march, r.march = p->march;
    r.steps = job->steps;
    r.slots = (ulonglong2 *) job->scratch;
    return r;
}

cudaError_t packed_resident_steps(const struct packed_cuda_job *job)
{
    const struct packed_resident *p = &job->resident;
    const dead_resident_job r = job_of(job);
    const void *kernel = job->rule->resident[job->width % 128 != 0].function;
    ENGINE_CUDA_TRY(cudaMemsetAsync(job->scratch, 0, p->halo_bytes, job->stream));
    return life_launch_cooperative(kernel, {(uint64_t) p->blocks_y * p->blocks_z, p->warps, p->shared}, job->stream, &r,
                                   job->rule->numbers);
}
