/* The needed tiles of a band of lines: from the grid to windows (cpu_kernel_windows.h) and back. The grid has linear
 * bits and changes in place. A tile is computed from the cells around it as they were before the pass, so the results
 * of a line wait in a queue until no tile that reads them is left. This is so two lines later, or three at the end,
 * because the last line may overlap the one before it:
 *
 *     line n - 2     -----
 *     line n - 1     -----   in the grid
 *     line n         -----   in the queue: line n + 1 and the last line may read the cells of before the pass
 *     line n + 1     -----   in the queue
 *     line n + 2     -----   being computed
 *
 * Rows beyond the band come from copies that are taken before any band is written. */
#ifndef LIFE2D_CPU_KERNEL_TILES_H
#define LIFE2D_CPU_KERNEL_TILES_H

#include "cpu_kernel_windows.h"
#include <life/cpu_barrier.h>

enum { QUEUE_LINES = 3 };

/* A tile: its place in its line, and its first cell. */
struct tile {
    uint64_t line, at;
    uint64_t x, y;
};

/* A computed tile that is not in the grid yet. */
struct tile_result {
    struct tile tile;
    uint32_t rows[SETTLED_EDGE];
};

/* The queue: a ring. */
struct tile_queue {
    struct tile_result *results;
    uint64_t first, count, capacity;
};

/* What all threads share of some passes. */
struct tile_work {
    const struct life2d_job *job;
    struct life2d_settled *settled;
    const struct rule *rule;
    step_windows_fn *step;
    int period;             /* index of the longest period that divides the steps */
    uint64_t steps, passes; /* of a pass, and how many */
    uint64_t done;          /* passes taken */
    struct barrier barrier;
};

/* What a thread has of them. */
struct tile_band {
    const struct tile_work *work;
    uint64_t first_line, end_line;
    int64_t first_row, end_row;
    int in_grid;    /* are the rows beyond the band still in the grid? */
    uint64_t *halo; /* otherwise, the rows above the band, and those below it */
    const uint64_t *dead_row;
    uint64_t unfinished; /* no line before this one has a tile that is not computed */
    struct tile tiles[VEC_WORDS];
    size_t count; /* of tiles that wait until there is one for each word of a vector */
    struct windows windows;
    struct tile_queue queue;
};

static uint64_t queue_capacity(const struct settled *map)
{
    return (QUEUE_LINES + 1) * map->axis[0].tiles + 2 * VEC_WORDS;
}

static uint64_t tile_workspace_bytes(const struct settled *map, uint64_t row_words)
{
    return queue_capacity(map) * sizeof(struct tile_result) + (2 * WINDOW_REACH + 1) * row_words * 8;
}

/* ---- The cells of a window ----------------------------------------------------------------------------------- */

/* Row y of the grid before the pass. */
static const uint64_t *old_row(const struct tile_band *b, int64_t y)
{
    const struct life2d_job *job = b->work->job;
    const int64_t height = (int64_t) job->height;
    if ((job->dead & LIFE_DEAD_Y) && (y < 0 || y >= height))
        return b->dead_row;
    if (b->in_grid || (y >= b->first_row && y < b->end_row))
        return job->cells + (uint64_t) ((y + height) % height) * job->row_words;
    return b->halo + (uint64_t) (y - (y < b->first_row ? b->first_row : b->end_row) + WINDOW_REACH) * job->row_words;
}

/* 64 cells of a row from cell x on, which may be beyond the edges. */
static uint64_t cells_from(const struct life2d_job *job, const uint64_t *row, int64_t x)
{
    const int64_t width = (int64_t) job->width;
    uint64_t word = 0;
    for (int64_t i = 0, count; i < 64; i += count) {
        const int64_t at = (x + i + width) % width, rest = 64 - at % 64;
        const uint64_t cells = row[at / 64] >> at % 64;
        count = rest < 64 - i ? rest : 64 - i;
        count = count < width - at ? count : width - at;
        if (!(job->dead & LIFE_DEAD_X) || (x + i >= 0 && x + i < width))
            word |= (cells & ~UINT64_C(0) >> (64 - count)) << i;
    }
    return word;
}

/* Are the cells from x - before to x + after - 1 whole bytes of the row? */
static int has_bytes(const struct life2d_job *job, uint64_t x, uint64_t before, uint64_t after)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && x % 8 == 0 && x >= before && x + after <= job->width;
}

/* Are all rows of the window between the first and the last row of the band? */
static int is_amid(const struct tile_band *b, uint64_t y)
{
    return (int64_t) y >= b->first_row + WINDOW_REACH && (int64_t) y + SETTLED_EDGE + WINDOW_REACH <= b->end_row;
}

/* Loads the window of a tile that is at a seam of the grid or at an edge of the band. */
static void load_window(struct tile_band *b, size_t lane)
{
    const struct life2d_job *job = b->work->job;
    const struct tile tile = b->tiles[lane];
    uint64_t *to = (uint64_t *) (void *) b->windows.rows + lane;
    const int bytes = has_bytes(job, tile.x, WINDOW_MARGIN, 64 - WINDOW_MARGIN);
    for (uint64_t r = 0; r < WINDOW_ROWS; r++) {
        const uint64_t *row = old_row(b, (int64_t) (tile.y + r) - WINDOW_REACH);
        if (bytes)
            memcpy(to + r * VEC_WORDS, (const char *) row + (tile.x - WINDOW_MARGIN) / 8, sizeof *to);
        else
            to[r * VEC_WORDS] = cells_from(job, row, (int64_t) tile.x - WINDOW_MARGIN);
    }
}

/* Loads the windows of all tiles; those amid the band at once. */
static void load_windows(struct tile_band *b)
{
    const struct life2d_job *job = b->work->job;
    const char *at[VEC_WORDS];
    const uint64_t steps = b->work->steps, row_bytes = job->row_words * sizeof(uint64_t);
    unsigned others = 0;
    for (size_t lane = 0; lane < VEC_WORDS; lane++) {
        const struct tile tile = b->tiles[lane];
        const int amid = is_amid(b, tile.y) && has_bytes(job, tile.x, WINDOW_MARGIN, 64 - WINDOW_MARGIN);
        const uint64_t byte = (tile.y - WINDOW_REACH) * row_bytes + (tile.x - WINDOW_MARGIN) / 8;
        at[lane] = (const char *) job->cells + (amid ? byte : WINDOW_REACH * row_bytes);
        others |= (unsigned) !amid << lane;
    }
    for (uint64_t r = WINDOW_REACH - steps; r < WINDOW_REACH + SETTLED_EDGE + steps; r++) {
        uint64_t words[VEC_WORDS];
#pragma GCC unroll 8
        for (size_t lane = 0; lane < VEC_WORDS; lane++)
            memcpy(words + lane, at[lane] + r * row_bytes, sizeof *words);
        memcpy(&b->windows.rows[r], words, sizeof words);
    }
    for (size_t lane = 0; others >> lane; lane++)
        if (others >> lane & 1)
            load_window(b, lane);
}

/* The cells of the row of a window that are not beyond a dead edge. */
static uint64_t inside_window(const struct life2d_job *job, uint64_t x)
{
    const uint64_t all = ~UINT64_C(0), right = job->width - x + WINDOW_MARGIN;
    if (!(job->dead & LIFE_DEAD_X))
        return all;
    return (x < WINDOW_MARGIN ? all << (WINDOW_MARGIN - x) : all) & (right < 64 ? ~(all << right) : all);
}

/* Is the line beside a dead edge? The tiles of such a line share no vector with others. */
static int is_beside_dead(const struct life2d_job *job, uint64_t y)
{
    return (job->dead & LIFE_DEAD_Y) && (y < WINDOW_REACH || job->height - y < SETTLED_EDGE + WINDOW_REACH);
}

/* The rows of windows at y that are not beyond a dead edge. */
static void set_inside(struct windows *w, const struct life2d_job *job, uint64_t y)
{
    const uint64_t below = job->height - y + WINDOW_REACH;
    const int dead = (job->dead & LIFE_DEAD_Y) != 0;
    w->first_inside = dead && y < WINDOW_REACH ? WINDOW_REACH - y : 0;
    w->end_inside = dead && below < WINDOW_ROWS ? below : WINDOW_ROWS;
}

/* Takes the steps of the tiles that wait, one for each word of a vector. Words without a tile repeat the first. */
static void step_tiles(struct tile_band *b)
{
    const struct tile_work *work = b->work;
    for (size_t lane = 0; lane < VEC_WORDS; lane++) {
        if (lane >= b->count)
            b->tiles[lane] = b->tiles[0];
        b->windows.inside[lane] = inside_window(work->job, b->tiles[lane].x);
    }
    set_inside(&b->windows, work->job, b->tiles[0].y);
    load_windows(b);
    step_windows(&b->windows, work->steps, work->step, work->rule);
}

/* Adds a tile to those that wait. */
static void add_tile(struct tile_band *b, uint64_t line, uint64_t at)
{
    const struct settled_axis *axis = b->work->settled->map.axis;
    b->tiles[b->count++] = (struct tile){line, at, settled_begin(&axis[0], at), settled_begin(&axis[1], line)};
}

/* ---- The results --------------------------------------------------------------------------------------------- */

static void store_tile(const struct life2d_job *job, const struct tile_result *result)
{
    const uint64_t x = result->tile.x, place = x % 64;
    const int bytes = has_bytes(job, x, 0, SETTLED_EDGE);
    for (uint64_t y = 0; y < SETTLED_EDGE; y++) {
        uint64_t *row = job->cells + (result->tile.y + y) * job->row_words;
        const uint64_t cells = result->rows[y];
        if (bytes) {
            memcpy((char *) row + x / 8, &result->rows[y], sizeof result->rows[y]);
            continue;
        }
        row[x / 64] = (row[x / 64] & ~((uint64_t) UINT32_MAX << place)) | cells << place;
        if (place > 64 - SETTLED_EDGE)
            row[x / 64 + 1] = (row[x / 64 + 1] & ~((uint64_t) UINT32_MAX >> (64 - place))) | cells >> (64 - place);
    }
}

/* Stores the results of lines before `end`. */
static void store_lines(struct tile_band *b, uint64_t end)
{
    struct tile_queue *q = &b->queue;
    while (q->count && q->results[q->first].tile.line < end) {
        store_tile(b->work->job, &q->results[q->first]);
        q->first = q->first + 1 < q->capacity ? q->first + 1 : 0;
        q->count--;
    }
}

static void queue_tile(struct tile_band *b, size_t lane)
{
    struct tile_queue *q = &b->queue;
    const uint64_t at = q->first + q->count++;
    struct tile_result *result = &q->results[at < q->capacity ? at : at - q->capacity];
    result->tile = b->tiles[lane];
    for (size_t y = 0; y < SETTLED_EDGE; y++)
        result->rows[y] = (uint32_t) (b->windows.rows[WINDOW_REACH + y][lane] >> WINDOW_MARGIN);
}

/* Computes the tiles that wait. */
static void take_tiles(struct tile_band *b)
{
    const struct tile_work *work = b->work;
    uint8_t where[SETTLED_PERIODS][VEC_WORDS];
    step_tiles(b);
    for (int i = work->period; i < SETTLED_PERIODS; i++) {
        compare_windows(&b->windows, i, where[i]);
        for (size_t lane = 0; lane < b->count; lane++)
            settled_found(&work->settled->map, i, b->tiles[lane].line, b->tiles[lane].at, where[i][lane]);
    }
    for (size_t lane = 0; lane < b->count; lane++)
        if (settled_periods[work->period] != work->steps || where[work->period][lane])
            queue_tile(b, lane);
    b->count = 0;
}

/* All needed tiles of the lines before `line` are computed. The results that no other line reads go to the grid. */
static void finish_lines(struct tile_band *b, uint64_t line)
{
    for (; b->unfinished < line; b->unfinished++)
        settled_finish_line(&b->work->settled->map, b->unfinished);
    store_lines(b, line < QUEUE_LINES ? 0 : line - QUEUE_LINES + 1);
}

/* Adds the needed tiles of a line to those that wait, and computes them when there are enough. */
static void take_line(struct tile_band *b, uint64_t line)
{
    struct settled *map = &b->work->settled->map;
    const uint64_t n = map->axis[0].tiles;
    const uint8_t *needed = map->needed + line * n;
    const int alone = is_beside_dead(b->work->job, settled_begin(&map->axis[1], line));
    if (alone && b->count)
        take_tiles(b);
    for (uint64_t at = settled_next(needed, 0, n); at < n; at = settled_next(needed, at + 1, n)) {
        add_tile(b, line, at);
        if (b->count < VEC_WORDS)
            continue;
        take_tiles(b);
        finish_lines(b, line);
    }
    if (alone && b->count)
        take_tiles(b);
}

#endif
