/*
 * One build of the Life kernel, for the instruction set LIFE2D_ISA: a grid goes through passes of many steps each, every
 * thread with a band of rows, a barrier before and after it writes. Between passes the grid stays in striped order.
 */
#include "cpu_kernel.h"

#include <omp.h>

#include "cpu_kernel_pass.h"

#define ROW_CACHE  (40 * 1024)  /* of the first-level cache: a block and two rows */
#define RING_CACHE (768 * 1024) /* of the second-level cache */

/* How a call is cut; what of it depends on the grid's height is no part of the workspace's size. */
struct plan {
    struct shape shape;
    uint64_t threads, levels, block;
    uint64_t row_stride; /* of the ring, in vectors */
    uint64_t ring, halo, line, lane_words, block_words; /* bytes of each thread */
};

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static uint64_t default_levels(const struct plan *plan, uint64_t height)
{
    uint64_t fits = RING_CACHE / (plan->row_stride * sizeof(vec)) / 2;
    uint64_t worth = height / plan->threads / 32; /* else the halo costs more than the pass saves */
    return clamp(worth < fits ? worth : fits, 8, 48);
}

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + 4095) & ~(uint64_t)4095;
}

static struct plan make_plan(uint64_t width, uint64_t row_words, uint64_t height, uint32_t threads, uint32_t steps_per_pass)
{
    struct plan plan = {.shape = make_shape(width, row_words)};
    plan.threads = threads ? threads : (uint64_t)omp_get_max_threads();
    plan.threads = clamp(plan.threads, 1, height);
    plan.row_stride = plan.shape.columns + 2;
    plan.levels = steps_per_pass ? steps_per_pass : default_levels(&plan, height);
    plan.block = clamp(ROW_CACHE / (plan.row_stride * sizeof(vec)), 4, 34) / 2 * 2 - 2;
    plan.ring = round_up((2 * plan.levels + plan.block) * plan.row_stride * sizeof(vec));
    plan.halo = round_up(2 * plan.levels * plan.shape.full_words * sizeof(uint64_t));
    plan.line = round_up(line_words(&plan.shape) * sizeof(uint64_t));
    plan.lane_words = round_up(chunks(&plan.shape) * LANES * sizeof(uint64_t));
    plan.block_words = round_up(64 * sizeof(vec));
    return plan;
}

static uint64_t thread_bytes(const struct plan *plan)
{
    return plan->ring + plan->halo + plan->line + plan->lane_words + plan->block_words;
}

static uint64_t workspace_bytes(uint64_t width, uint64_t height, uint32_t threads, uint32_t steps_per_pass)
{
    if (width > (uint64_t)1 << 36)
        return 0;
    struct plan plan = make_plan(width, 0, height, threads, steps_per_pass);
    uint64_t bytes;
    return __builtin_mul_overflow(thread_bytes(&plan), plan.threads, &bytes) ? 0 : bytes;
}

static struct band make_band(const struct plan *plan, const struct life2d_job *job, const struct rule *rule,
                             uint64_t thread, uint64_t threads)
{
    struct band b = {.shape = &plan->shape, .rule = rule, .step_level = choose_step_level(rule)};
    b.grid = job->cells;
    b.height = job->height;
    b.first = job->height * thread / threads;
    b.rows = job->height * (thread + 1) / threads - b.first;
    char *memory = (char *)job->workspace + thread * thread_bytes(plan);
    b.ring.memory = (vec *)(void *)memory;
    b.halo = (uint64_t *)(void *)(memory += plan->ring);
    b.scratch.line = (uint64_t *)(void *)(memory += plan->halo);
    b.scratch.lane_words = (uint64_t *)(void *)(memory += plan->line);
    b.scratch.block = (vec *)(void *)(memory += plan->lane_words);
    b.ring.stride = plan->row_stride;
    b.block = plan->block;
    return b;
}

static void advance_band(const struct plan *plan, const struct life2d_job *job, struct band *b)
{
    uint64_t passes = (job->steps + plan->levels - 1) / plan->levels;
    int always_linear = plan->shape.copies > 1; /* the copies would not fit in the grid */
    for (uint64_t i = 0; i < passes; i++) {
        struct pass pass = {.from_linear = always_linear || i == 0, .to_linear = always_linear || i == passes - 1};
        pass.levels = job->steps / passes + (i < job->steps % passes);
        copy_halo(b, &pass);
#pragma omp barrier
        run_pass(b, &pass);
#pragma omp barrier
    }
}

static void advance(const struct life2d_job *job)
{
    struct plan plan = make_plan(job->width, job->row_words, job->height, job->threads, job->steps_per_pass);
    struct rule rule = make_rule(job->birth, job->survive);
#pragma omp parallel num_threads((int)plan.threads)
    {
        struct band b = make_band(&plan, job, &rule, (uint64_t)omp_get_thread_num(), (uint64_t)omp_get_num_threads());
        advance_band(&plan, job, &b);
    }
}

static int usable(void)
{
#if LANES == 512
    return __builtin_cpu_supports("avx512f") != 0;
#elif LANES == 256
    return __builtin_cpu_supports("avx2") != 0;
#else
    return 1;
#endif
}

#define NAME_(isa) #isa
#define NAME(isa)  NAME_(isa)

const struct life2d_kernel JOIN(life2d_kernel_, LIFE2D_ISA) = {
    .isa = NAME(LIFE2D_ISA),
    .usable = usable,
    .workspace_bytes = workspace_bytes,
    .advance = advance,
};
