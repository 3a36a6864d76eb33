/* Passes over the tiles of a grid that have not settled (common/settled.h), and trials of whether they pay. Each thread
 * has a band of lines of tiles, with about as many needed tiles as the others. */
#ifndef LIFE2D_CPU_KERNEL_SETTLED_H
#define LIFE2D_CPU_KERNEL_SETTLED_H

#include <omp.h>

#include "cpu_kernel_tiles.h"

/* The first line of a thread's band. The last lines, which may overlap, are in the same band. */
static uint64_t band_line(const struct settled *map, uint64_t total, unsigned thread, unsigned threads)
{
    uint64_t line = 0;
    if (thread == threads)
        return map->lines;
    for (uint64_t sum = 0; line < map->lines && sum < total / threads * thread; line++)
        sum += map->line_needed[line];
    return line + QUEUE_LINES > map->lines ? map->lines : line;
}

/* Copies the rows that the first and the last lines of the band need. */
static void copy_tile_halo(const struct tile_band *b)
{
    const struct life2d_job *job = b->work->job;
    const int64_t height = (int64_t) job->height;
    const uint64_t *needed = b->work->settled->map.line_needed, last = b->end_line - 1;
    const int above = needed[b->first_line] != 0, below = needed[last] || (last > 0 && needed[last - 1]);
    for (int64_t i = above ? 0 : WINDOW_REACH; i < (below ? 2 : 1) * WINDOW_REACH; i++) {
        const int64_t y = i < WINDOW_REACH ? b->first_row - WINDOW_REACH + i : b->end_row - WINDOW_REACH + i;
        memcpy(b->halo + (uint64_t) i * job->row_words,
               job->cells + (uint64_t) ((y + height) % height) * job->row_words, job->row_words * sizeof *job->cells);
    }
}

static void set_band(struct tile_band *b, uint64_t total, unsigned thread, unsigned threads)
{
    const struct life2d_job *job = b->work->job;
    const struct settled *map = &b->work->settled->map;
    b->first_line = band_line(map, total, thread, threads);
    b->end_line = band_line(map, total, thread + 1, threads);
    b->first_row = (int64_t) (b->first_line * SETTLED_EDGE);
    b->end_row = (int64_t) (b->end_line == map->lines ? job->height : b->end_line * SETTLED_EDGE);
    if (b->first_line < b->end_line)
        copy_tile_halo(b);
}

/* Takes the steps of the band's needed tiles. */
static void take_band(struct tile_band *b)
{
    const uint64_t *needed = b->work->settled->map.line_needed;
    b->unfinished = b->first_line;
    for (uint64_t line = b->first_line; line < b->end_line; line++)
        if (needed[line])
            take_line(b, line);
    if (b->count)
        take_tiles(b);
    finish_lines(b, b->end_line);
    store_lines(b, b->end_line);
}

/* Whether so many needed tiles cost less than all cells would cost the plain kernel. */
static int tiles_pay(const struct life2d_settled *s, uint64_t steps, uint64_t total)
{
    const double cost = (double) SETTLED_COST + (double) SETTLED_SHORT_COST / (double) steps;
    return s->always || (steps == SETTLED_STEPS && s->unknown) || (double) total * cost < (double) s->map.tiles;
}

/* What may lack a period that is longer than the steps spreads. All threads call it. */
static void spread(struct tile_work *work, int periods, unsigned thread, unsigned threads)
{
    struct settled *map = &work->settled->map;
    const uint64_t first = map->lines * thread / threads, end = map->lines * (thread + 1) / threads;
    for (int i = 0; i < periods; i++) {
        settled_mark(map, i, first, end);
        wait_for_all(&work->barrier, threads);
        settled_spread(map, i, first, end);
        wait_for_all(&work->barrier, threads);
    }
}

/* Takes one pass. 0: it would not pay, and nothing was done. All threads call it and return the same. */
static int take_pass(struct tile_work *work, struct tile_band *b, unsigned thread, unsigned threads)
{
    struct life2d_settled *s = work->settled;
    struct settled *map = &s->map;
    const uint64_t first = map->lines * thread / threads, end = map->lines * (thread + 1) / threads;
    settled_mark(map, work->period, first, end);
    wait_for_all(&work->barrier, threads);
    settled_count(map, first, end);
    wait_for_all(&work->barrier, threads);
    const uint64_t total = settled_total(map);
    const int pays = tiles_pay(s, work->steps, total);
    if (pays)
        set_band(b, total, thread, threads);
    wait_for_all(&work->barrier, threads);
    if (pays)
        take_band(b);
    for (uint64_t line = first; !pays && line < end; line++)
        settled_finish_line(map, line);
    if (thread == 0 && pays) {
        const double steps = (double) work->steps;
        s->taken += steps * (double) map->tiles, s->skipped += steps * (double) (map->tiles - total);
        s->unknown = s->unknown && work->steps < SETTLED_STEPS;
        work->done++;
    }
    wait_for_all(&work->barrier, threads);
    if (pays)
        spread(work, work->period, thread, threads);
    return pays;
}

static void init_tile_band(struct tile_band *b, const struct tile_work *work, unsigned thread)
{
    struct life2d_settled *s = work->settled;
    memset(b, 0, sizeof *b);
    b->work = work;
    b->queue.capacity = queue_capacity(&s->map);
    b->queue.results = (struct tile_result *) (void *) (s->workspace + thread * s->workspace_bytes);
    b->halo = (uint64_t *) (void *) (b->queue.results + b->queue.capacity);
    b->dead_row = b->halo + 2 * WINDOW_REACH * work->job->row_words;
    memset(b->halo + 2 * WINDOW_REACH * work->job->row_words, 0, work->job->row_words * sizeof *b->halo);
}

static void take_passes(struct tile_work *work)
{
    const unsigned threads = (unsigned) omp_get_num_threads(), thread = (unsigned) omp_get_thread_num();
    struct tile_band band;
    init_tile_band(&band, work, thread);
    for (uint64_t i = 0; i < work->passes && take_pass(work, &band, thread, threads); i++)
        ;
}

/* Would the tile in the middle of nine be needed? where[3 y + x] is where the others change. */
static int would_be_needed(const uint8_t where[9])
{
    int needed = 0;
    for (int i = 0; i < 9; i++)
        needed |= where[i] && (i % 3 != 0 || where[i] & SETTLED_HIGH(0)) && (i % 3 != 2 || where[i] & SETTLED_LOW(0)) &&
                  (i / 3 != 0 || where[i] & SETTLED_HIGH(1)) && (i / 3 != 2 || where[i] & SETTLED_LOW(1));
    return needed;
}

/* Takes the steps of nine tiles, the first at (x, y), without a change of the grid. */
static int try_tiles(struct tile_band *b, uint64_t x, uint64_t y)
{
    const struct settled_axis *axis = b->work->settled->map.axis;
    uint8_t where[9 + VEC_WORDS];
    for (unsigned i = 0, done = 0; i < 9; i++) {
        add_tile(b, (y + i / 3) % axis[1].tiles, (x + i % 3) % axis[0].tiles);
        if (b->count < VEC_WORDS && i < 8)
            continue;
        step_tiles(b);
        compare_windows(&b->windows, b->work->period, where + done);
        done += (unsigned) b->count, b->count = 0;
    }
    return would_be_needed(where);
}

/* Estimates from a sample of tiles whether it pays to skip. */
static int trial_pays(const struct tile_work *work)
{
    const struct life2d_settled *s = work->settled;
    const struct settled *map = &s->map;
    const uint64_t many = map->tiles / 64, samples = many < SETTLED_SAMPLES ? many : SETTLED_SAMPLES;
    struct tile_band band;
    init_tile_band(&band, work, 0);
    band.in_grid = 1;
    band.end_row = (int64_t) work->job->height;
    uint64_t random = 1, needed = 0;
    for (uint64_t i = 0; i < samples; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        needed += (uint64_t) try_tiles(&band, (random >> 33) % map->axis[0].tiles,
                                       (random >> 33) / map->axis[0].tiles % map->axis[1].tiles);
    }
    return needed * SETTLED_COST < samples;
}

#endif
