/* The CPU kernel of 3D Life, built once for each instruction set KERNEL_ISA.
 *
 *   life/cpu_vector.h   the vector and its operations
 *   cpu_kernel_sum.h    full adders: 27 cells to bits of weights 1, 2, 4, 8
 *   cpu_kernel_rule.h   the next state of a vector of cells
 *   cpu_kernel_level.h  one step of a few planes, compiled for each rule
 *   cpu_kernel_plane.h  copies planes between the grid and the frames in which they are stepped
 *   cpu_kernel_pass.h   several steps of a tile
 *
 * The limit is logic: with AVX-512, a vector takes 21 operations, two a cycle. A vector is fetched from the grid and
 * stored once a pass, which costs more than a step of it. docs/lab/life3d-packed.md has the rates. */
#include "cpu_kernel.h"

#include <omp.h>
#include <unistd.h>

#include <common/divide.h>
#include <life/cpu_barrier.h>

#include "cpu_kernel_pass.h"

#define SMALL_GRID  (1 << 17)            /* cells for which one more thread does not pay */
#define USUAL_CACHE ((double) (1 << 20)) /* bytes of a second-level cache, if sysconf does not know */
#define MOST_STRIPS 256
#define STREAMED    ((uint64_t) 8 << 20) /* grids of this many bytes and more do not stay in caches */
#define MAX_CELLS   ((uint64_t) 1 << 56)

static uint64_t tile_columns(const struct life3d_cut *cut)
{
    return life3d_row_words(cut->width);
}

/* Is the grid one strip that needs no rows beyond its edges? Dead edges allow it for any height, and a torus for one
 * that is a multiple of the words of a vector: the strip then closes on itself. */
static int is_closed(const struct life3d_cut *cut)
{
    return cut->strips == 1 && (cut->dead[1] || cut->height % VEC_WORDS == 0);
}

static uint64_t frame_rows(const struct life3d_cut *cut, uint64_t levels)
{
    const uint64_t halo = is_closed(cut) ? 0 : 2 * levels;
    return divide_up(divide_up(cut->height, cut->strips) + halo, VEC_WORDS);
}

static uint64_t plane_count(uint64_t levels)
{
    return 2 * levels + BATCH;
}

static uint64_t thread_bytes(const struct life3d_cut *cut)
{
    const uint64_t levels = cut->steps_per_pass;
    return workspace_of_tile(tile_columns(cut), frame_rows(cut, levels), plane_count(levels));
}

/* The estimated time of a step, in cycles of the thread with the most work: 15 a vector, more if its column has few
 * rows, and more if the planes in work overflow the cache; and 10 for a vector that is fetched or stored. */
static double step_cost(const struct life3d_cut *cut, double cache)
{
    const double levels = cut->steps_per_pass, rows = (double) frame_rows(cut, cut->steps_per_pass);
    const double vectors = (double) tile_columns(cut) * rows, depth = (double) divide_up(cut->depth, cut->slabs);
    const double over = (double) thread_bytes(cut) / cache - 1;
    const double slower = over <= 0 ? 1 : over >= 1 ? 1.3 : 1 + 0.3 * over;
    const double steps = levels * (depth + levels) * (15 + 20 / rows) * slower;
    const double moves = (2 * depth + 2 * levels) * 10;
    return (double) divide_up(cut->strips * cut->slabs, cut->threads) * vectors * (steps + moves) / levels;
}

static uint64_t most_threads(const struct life3d_cut *cut)
{
    return (uint64_t) ((double) cut->width * (double) cut->height * (double) cut->depth / SMALL_GRID) + 1;
}

/* Keeps the fastest cut with this many strips in `best`. */
static void try_strips(const struct life3d_cut *given, uint64_t strips, double cache, struct life3d_cut *best,
                       double *least)
{
    static const uint32_t usual[] = {1, 2, 3, 4, 6, 8, 10, 12, 14, 16};
    const uint64_t most_slabs = smaller(given->depth, 2 * (uint64_t) given->threads);
    for (uint64_t slabs = 1; slabs <= most_slabs; slabs++)
        for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
            struct life3d_cut cut = *given;
            cut.strips = given->strips ? smaller(given->strips, given->height) : strips;
            cut.slabs = given->slabs ? smaller(given->slabs, given->depth) : slabs;
            cut.steps_per_pass = given->steps_per_pass ? given->steps_per_pass : usual[i];
            const double cost = step_cost(&cut, cache);
            if (*least == 0 || cost < *least)
                *least = cost, *best = cut;
        }
}

static void complete(struct life3d_cut *cut)
{
    const long measured = sysconf(_SC_LEVEL2_CACHE_SIZE);
    const double cache = measured > 0 ? (double) measured : USUAL_CACHE;
    struct life3d_cut given = *cut;
    double least = 0;
    given.threads = (uint32_t) smaller(given.threads, most_threads(&given));
    for (uint64_t strips = 1; strips <= smaller(given.height, MOST_STRIPS); strips++)
        try_strips(&given, strips, cache, cut, &least);
}

static uint64_t workspace_bytes(const struct life3d_cut *cut)
{
    uint64_t cells;
    if (__builtin_mul_overflow(cut->width, cut->height, &cells) || __builtin_mul_overflow(cells, cut->depth, &cells) ||
        cells > MAX_CELLS)
        return 0;
    return thread_bytes(cut) * cut->threads;
}

static uint64_t part_first(uint64_t size, uint64_t parts, uint64_t part)
{
    return size / parts * part + smaller(size % parts, part);
}

static struct tile make_tile(const struct life3d_job *job, uint64_t levels, uint64_t number, step_batch_fn *step_batch)
{
    const struct life3d_cut *cut = &job->cut;
    const uint64_t strip = number % cut->strips, slab = number / cut->strips, halo = is_closed(cut) ? 0 : levels;
    const uint64_t row = part_first(cut->height, cut->strips, strip), plane = part_first(cut->depth, cut->slabs, slab);
    struct tile t = {.levels = levels, .depth = cut->depth, .first_plane = plane, .dead_z = cut->dead[2]};
    t.planes = part_first(cut->depth, cut->slabs, slab + 1) - plane;
    t.strip = (struct strip){.first = (row + cut->height - halo % cut->height) % cut->height,
                             .halo = halo,
                             .valid = part_first(cut->height, cut->strips, strip + 1) - row,
                             .height = cut->height,
                             .columns = tile_columns(cut),
                             .width = cut->width,
                             .dead_x = cut->dead[0],
                             .dead_y = cut->dead[1]};
    t.strip.top = row < halo ? halo - row : 0;
    t.strip.bottom = cut->height - row + halo;
    t.strip.streamed =
        t.strip.columns % VEC_WORDS == 0 && t.strip.columns * cut->height * cut->depth >= STREAMED / sizeof(uint64_t);
    t.step_batch = step_batch;
    t.area = make_area(t.strip.columns, frame_rows(cut, levels), cut->dead[0]);
    return t;
}

/* The work of one thread. There may be fewer threads than the cut names. */
static uint32_t advance_tiles(const struct life3d_job *job, const struct rule *rule, struct barrier *barrier)
{
    const unsigned threads = (unsigned) omp_get_num_threads(), thread = (unsigned) omp_get_thread_num();
    const uint64_t tiles = job->cut.strips * job->cut.slabs, passes = divide_up(job->steps, job->cut.steps_per_pass);
    for (uint64_t i = 0; i < passes; i++) {
        const uint64_t levels = job->steps / passes + (i < job->steps % passes);
        for (uint64_t n = thread; n < tiles; n += threads) {
            struct tile tile = make_tile(job, levels, n, choose_step_batch(rule));
            place_tile(&tile, (char *) job->workspace + thread * thread_bytes(&job->cut));
            run_tile(&tile, job->cells[i % 2], job->cells[1 - i % 2], rule);
        }
        end_streaming();
        wait_for_all(barrier, threads);
    }
    return passes % 2;
}

static uint32_t advance(const struct life3d_job *job)
{
    const struct rule rule = make_rule(job->birth, job->survive);
    struct barrier barrier = {0};
    uint32_t result = 0;
#pragma omp parallel num_threads((int) job->cut.threads) if (job->cut.threads > 1)
    {
        const uint32_t last = advance_tiles(job, &rule, &barrier);
#pragma omp single nowait
        result = last;
    }
    return result;
}

const struct life3d_kernel JOIN(life3d_kernel_, KERNEL_ISA) = {
    .isa = ISA_KERNEL,
    .complete = complete,
    .workspace_bytes = workspace_bytes,
    .advance = advance,
};
