/* The CPU kernel of 2D Life, built once for each instruction set KERNEL_ISA. A call is a number of passes over the
 * grid, of many steps each. Each thread has a band of rows. Between passes the grid stays in striped order.
 *
 *   life/cpu_vector.h       the vector and its operations
 *   cpu_kernel_rule.h       the next state of a vector of cells: Life, named rules, rules as masks
 *   cpu_kernel_row.h        a step of two rows in striped order, in place
 *   cpu_kernel_transpose.h  transposes of bit matrices
 *   cpu_kernel_convert.h    linear bits to striped order and back
 *   cpu_kernel_network.h    a step of a row for rules that do not count neighbours, without machine code
 *   square_code.h           machine code for such a rule
 *   cpu_kernel_level.h      one step of a block of rows, compiled for each rule
 *   cpu_kernel_pass.h       many steps of a band of rows
 *   cpu_kernel_batch.h      many small universes, which share the words of a vector
 *   cpu_kernel_windows.h    steps of tiles of 32 x 32 cells, which share the words of a vector
 *   cpu_kernel_tiles.h      the tiles of a band of the grid, from it and back to it
 *   cpu_kernel_settled.h    a pass over the tiles that have not settled
 *
 * The limit is logic: a vector of Life takes 8 operations with AVX-512, which does two 512-bit operations a cycle, and 19
 * with AVX2, which does three 256-bit operations. docs/lab/life2d-bit.md has the rates. */
#include "cpu_kernel.h"

#include <omp.h>

#include "cpu_kernel_batch.h"
#include "cpu_kernel_pass.h"
#include "cpu_kernel_settled.h"
#include <life/cpu_barrier.h>

#define BLOCK_CACHE    (40 * 1024)  /* bytes of the first-level cache for a block of rows and two more */
#define RING_CACHE     (960 * 1024) /* bytes of the second-level cache for the ring */
#define SMALL_GRID     65536        /* cells for which one more thread does not pay */
#define ENOUGH_COLUMNS 40           /* rows with more columns need no groups */
#define PAGE           ((uint64_t) 4096)
#define MAX_WIDTH      ((uint64_t) 1 << 40)
#define MAX_STEPS      ((uint32_t) 1 << 16)

/* How the grid is cut for a call, and the bytes of scratch memory of each band. */
struct plan {
    struct shape shape;
    uint64_t bands, levels, block;
    uint64_t row_bytes; /* of the ring */
    uint64_t ring, halo, line, stripe;
};

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static uint64_t band_first(const struct plan *plan, uint64_t height, uint64_t band)
{
    return height / plan->bands * band + (band < height % plan->bands ? band : height % plan->bands);
}

/* The estimated cost of a step for a band, in operations: its rows, with their two ends; half of the halo of 2 * levels
 * rows, on average; and a share of the copies into and out of the ring. */
static double step_cost(double columns, double rows, double levels)
{
    int fits = (2 * levels + 16) * (columns + 2) * sizeof(vec) <= RING_CACHE;
    return ((rows + levels) * (columns * 8 + 28) + (rows + 2 * levels) * columns * 36 / levels) * (fits ? 1 : 2);
}

/* Chooses how many rows of the grid make a striped row and, unless it is given, the number of steps of a pass. */
static uint64_t choose_groups(uint64_t width, uint64_t height, uint64_t bands, uint64_t *levels)
{
    static const uint64_t usual[] = {8, 12, 16, 24, 32, 48};
    double best = 0;
    uint64_t groups = 1, given = *levels;
    for (uint64_t g = 1; g == 1 || (g <= VEC_WORDS && height % (bands * g) == 0); g *= LANES == 512 ? 2 : VEC_WORDS) {
        if (g > 1 && g * width > (uint64_t) ENOUGH_COLUMNS * LANES)
            break;
        for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
            const uint64_t T = given ? given : usual[i],
                           rows = height / bands / g; /* NOLINT(clang-analyzer-core.DivideZero) */
            const uint64_t lanes = LANES / g;
            const uint64_t columns = (width + lanes - 1) / lanes;
            const double cost = step_cost((double) columns, (double) rows, (double) T);
            if ((g == 1 || T <= rows) && (best == 0 || cost < best))
                best = cost, groups = g, *levels = T;
        }
    }
    return groups;
}

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + PAGE - 1) & ~(PAGE - 1);
}

static struct plan make_plan(uint64_t width, uint64_t row_words, uint64_t height, uint32_t dead, uint32_t threads,
                             uint32_t steps_per_pass)
{
    struct plan plan = {.bands = threads ? threads : (uint64_t) omp_get_max_threads(), .levels = steps_per_pass};
    plan.bands = clamp(clamp(plan.bands, 1, width * height / SMALL_GRID + 1), 1, height);
    plan.shape =
        make_shape(width, row_words, choose_groups(width, height, plan.bands, &plan.levels), (dead & LIFE_DEAD_X) != 0);
    plan.row_bytes = (plan.shape.columns + 2) * sizeof(vec);
    plan.block = clamp((uint64_t) BLOCK_CACHE / plan.row_bytes, 4, 34) / 2 * 2 - 2;
    plan.ring = round_up((2 * plan.levels + plan.block) * plan.row_bytes);
    plan.halo = round_up(2 * plan.levels * plan.shape.groups * plan.shape.piece_words * sizeof(uint64_t));
    plan.line = round_up(plan.shape.groups * line_words(&plan.shape) * sizeof(uint64_t));
    plan.stripe = round_up(block_vectors(&plan.shape) * sizeof(vec));
    return plan;
}

static uint64_t band_bytes(const struct plan *plan)
{
    return plan->ring + plan->halo + plan->line + plan->stripe;
}

static uint64_t workspace_bytes(uint64_t width, uint64_t height, uint32_t dead, uint32_t threads,
                                uint32_t steps_per_pass)
{
    if (width == 0 || width > MAX_WIDTH || height == 0 || height > UINT64_MAX / width || steps_per_pass > MAX_STEPS)
        return 0;
    struct plan plan = make_plan(width, 0, height, dead, threads, steps_per_pass);
    uint64_t bytes;
    return __builtin_mul_overflow(band_bytes(&plan), plan.bands, &bytes) ? 0 : bytes;
}

static struct band make_band(const struct plan *plan, const struct life2d_job *job, const struct rule *rule,
                             uint64_t band)
{
    struct band b = {.shape = &plan->shape, .rule = rule, .step_level = choose_step_level(rule), .block = plan->block};
    b.grid = job->cells;
    b.height = job->height;
    b.dead = (job->dead & LIFE_DEAD_Y) != 0;
    b.first = band_first(plan, job->height, band);
    b.rows = (band_first(plan, job->height, band + 1) - b.first) / plan->shape.groups;
    char *memory = (char *) job->workspace + band * band_bytes(plan);
    b.ring.memory = (vec *) (void *) memory;
    b.ring.stride = plan->row_bytes / sizeof(vec);
    b.halo = (uint64_t *) (void *) (memory += plan->ring);
    b.scratch.line = (uint64_t *) (void *) (memory += plan->halo);
    b.scratch.block = (vec *) (void *) (memory + plan->line);
    return b;
}

static struct pass make_pass(const struct plan *plan, uint64_t steps, uint64_t passes, uint64_t i)
{
    int always_linear = plan->shape.copies > 1; /* the copies would not fit in the grid */
    struct pass pass = {.from_linear = always_linear || i == 0, .to_linear = always_linear || i == passes - 1};
    pass.levels = steps / passes + (i < steps % passes);
    return pass;
}

/* The work of one thread. There may be fewer threads than bands. */
static void advance_bands(const struct plan *plan, const struct life2d_job *job, const struct rule *rule,
                          struct barrier *barrier)
{
    unsigned threads = (unsigned) omp_get_num_threads(), thread = (unsigned) omp_get_thread_num();
    uint64_t passes = job->steps / plan->levels + (job->steps % plan->levels != 0);
    for (uint64_t i = 0; i < passes; i++) {
        struct pass pass = make_pass(plan, job->steps, passes, i);
        for (uint64_t n = thread; n < plan->bands; n += threads) {
            struct band band = make_band(plan, job, rule, n);
            copy_halo(&band, &pass);
        }
        wait_for_all(barrier, threads);
        for (uint64_t n = thread; n < plan->bands; n += threads) {
            struct band band = make_band(plan, job, rule, n);
            run_pass(&band, &pass);
        }
        wait_for_all(barrier, threads);
    }
}

/* Takes steps on all cells. */
static void advance_all(const struct life2d_job *job)
{
    struct plan plan = make_plan(job->width, job->row_words, job->height, job->dead, job->threads, job->steps_per_pass);
    struct rule rule = make_rule(job->birth, job->survive);
    rule.network = job->network;
    rule.row_code = job->row_code;
    struct barrier barrier = {0};
#pragma omp parallel num_threads((int) plan.bands) if (plan.bands > 1)
    advance_bands(&plan, job, &rule, &barrier);
}

static void advance_some(const struct life2d_job *job, uint64_t steps)
{
    struct life2d_job part = *job;
    part.steps = steps;
    advance_all(&part);
    job->settled->taken += (double) steps * (double) job->settled->map.tiles;
}

/* Where the pass does not pay, a short one takes steps on all cells, and a long one is left to the caller. */
static uint64_t advance_tiles(struct tile_work *work)
{
    struct life2d_settled *s = work->settled;
    const uint64_t tiles_of_thread = 512, useful = 1 + s->map.tiles / tiles_of_thread;
    const int threads = (int) (s->threads < useful ? s->threads : useful);
#pragma omp parallel num_threads(threads) if (threads > 1)
    take_passes(work);
    if (work->done == work->passes)
        return work->done * work->steps;
    if (work->steps == SETTLED_STEPS) {
        settled_switch_off(s);
        return work->done * work->steps;
    }
    advance_some(work->job, work->steps);
    spread(work, SETTLED_PERIODS, 0, 1);
    s->eroded = 1;
    return work->steps;
}

/* Passes of as many steps as possible. The rest is an even number of steps, or one. */
static void choose_passes(struct tile_work *work, uint64_t steps)
{
    const uint64_t even = steps & ~UINT64_C(1);
    work->period = steps >= SETTLED_STEPS ? 0 : even ? 1 : 2;
    work->steps = steps >= SETTLED_STEPS ? SETTLED_STEPS : even ? even : 1;
    work->passes = steps >= SETTLED_STEPS ? steps / SETTLED_STEPS : 1;
    work->done = 0;
}

/* Advances a grid whose settled regions may be skipped. */
static void advance_unsettled(const struct life2d_job *job)
{
    struct life2d_settled *s = job->settled;
    struct rule rule = make_rule(job->birth, job->survive);
    rule.network = job->network ? s->rows : NULL;
    struct tile_work work = {.job = job, .settled = s, .rule = &rule, .step = choose_step_windows(&rule)};
    for (uint64_t left = job->steps, taken; left > 0; left -= taken) {
        choose_passes(&work, left);
        if (!s->on && s->wait == 0 && left >= SETTLED_STEPS)
            (trial_pays(&work) ? settled_switch_on : settled_switch_off)(s);
        if (s->on) {
            taken = advance_tiles(&work);
            continue;
        }
        taken = left < s->wait || s->wait == 0 ? left : s->wait;
        s->wait -= taken < s->wait ? taken : s->wait;
        advance_some(job, taken);
    }
}

static void advance(const struct life2d_job *job)
{
    (job->settled ? advance_unsettled : advance_all)(job);
}

/* The bytes for each thread that skips tiles. */
static uint64_t settled_workspace_bytes(const struct settled *map, uint64_t row_words)
{
    return round_up(tile_workspace_bytes(map, row_words));
}

const struct life2d_kernel JOIN(life2d_kernel_, KERNEL_ISA) = {
    .isa = ISA_KERNEL,
    .workspace_bytes = workspace_bytes,
    .settled_workspace_bytes = settled_workspace_bytes,
    .advance = advance,
    .advance_batch = advance_batch,
};
