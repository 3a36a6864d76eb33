/* The settled regions of a grid (common/settled.h): tiles that are not computed, because they repeat themselves.
 *
 * A step reads one buffer and writes the other, which holds the state of one step ago. So what a step overwrites is the
 * state of two steps before its result: a needed tile is compared with it before it is written. If a tile and the cells
 * around it are what they were two steps ago, the tile of the next step is in the other buffer already.
 *
 *     step t - 1   buffer 1   a wire at rest   . . . . .      an electron   e t . . .
 *     step t       buffer 0                    . . . . .                    . e t . .
 *     step t + 1   buffer 1   as it was        . . . . .      computed      . . e t .
 *
 * An electron changes the tile in which it is, and no other. */
#include "cpu.h"

#include <stdlib.h>
#include <string.h>

enum {
    TILE_WIDTH = 32,
    TILE_HEIGHT = 8,
    LEAST_TILES = 4,   /* along each axis */
    TWO_STEPS = 1,     /* the index of period 2 in settled_periods */
    MOST_PERCENT = 70, /* of the tiles may be needed; if more are, it is as fast to compute all cells row by row */
    FIRST_WAIT = 64,   /* steps between two trials. A trial takes two steps, slower than others */
    LONGEST_WAIT = 1024
};

bool ruletable_settled_open(const struct engine_plan *plan, struct ruletable_settled *settled)
{
    const uint64_t *extent = engine_field_shape(plan, RULETABLE_CELLS)->extent;
    const char *when = engine_param_text(plan, RULETABLE_SETTLED);
    *settled = (struct ruletable_settled){.always = strcmp(when, "yes") == 0};
    if (!ruletable_may_skip(plan) || extent[0] < LEAST_TILES * TILE_WIDTH || extent[1] < LEAST_TILES * TILE_HEIGHT)
        return true;
    settled->map =
        (struct settled){.axis = {{extent[0], TILE_WIDTH, engine_plan_edge(plan, 0) == ENGINE_EDGE_TORUS, 0},
                                  {extent[1], TILE_HEIGHT, engine_plan_edge(plan, 1) == ENGINE_EDGE_TORUS, 0},
                                  {1, 1, 0, 0}},
                         .reach = 1};
    settled->memory = malloc(settled_bytes(&settled->map));
    if (settled->memory)
        settled_open(&settled->map, settled->memory);
    return settled->memory != NULL;
}

/* What a step of the tiles needs. */
struct tile_job {
    struct instance *own;
    const struct engine_buffer *cells;
    uint32_t current, result;
    bool known; /* does the buffer of the result hold the state of two steps before it? */
};

/* Writes a row of at most TILE_WIDTH cells, and returns the bits in which it differs from what was there: those of the
 * first cell, of the last one, and of any. */
struct difference {
    unsigned first, last;
    uint64_t any;
};

static struct difference replace(uint8_t *row, const uint8_t *cells, uint64_t width)
{
    uint64_t old[TILE_WIDTH / 8] = {0}, new[TILE_WIDTH / 8] = {0}, any = 0;
    memcpy(old, row, width);
    memcpy(new, cells, width);
    for (int i = 0; i < TILE_WIDTH / 8; i++)
        any |= old[i] ^ new[i];
    const struct difference found = {row[0] ^ cells[0], row[width - 1] ^ cells[width - 1], any};
    memcpy(row, cells, width);
    return found;
}

/* Computes a tile, and returns where it differs from itself two steps ago, as settled_found takes it. */
static unsigned take_tile(const struct tile_job *job, uint64_t line, uint64_t tile)
{
    const struct settled_axis *axis = job->own->settled.map.axis;
    const uint64_t x = tile * TILE_WIDTH, y = line * TILE_HEIGHT;
    const uint64_t width = axis[0].cells - x < TILE_WIDTH ? axis[0].cells - x : TILE_WIDTH;
    const uint64_t end = axis[1].cells - y < TILE_HEIGHT ? axis[1].cells : y + TILE_HEIGHT;
    const int64_t stride = job->cells->row_stride;
    uint8_t next[TILE_WIDTH];
    unsigned where = 0;
    for (uint64_t at = y; at < end; at++) {
        const uint8_t *row = (const uint8_t *) engine_row(job->cells, job->current, (int64_t) at, 0) + x;
        job->own->take_row(&job->own->tables, job->own->column, row - stride, row, row + stride, next, (int64_t) width);
        const struct difference found =
            replace((uint8_t *) engine_row(job->cells, job->result, (int64_t) at, 0) + x, next, width);
        where |= (found.any ? SETTLED_CHANGED : 0) | (found.first ? SETTLED_LOW(0) : 0) |
                 (found.last ? SETTLED_HIGH(0) : 0) | (found.any && at == y ? SETTLED_LOW(1) : 0) |
                 (found.any && at == end - 1 ? SETTLED_HIGH(1) : 0);
    }
    return job->known ? where : SETTLED_ALL;
}

static void take_line(void *argument, uint64_t line)
{
    const struct tile_job *job = (const struct tile_job *) argument;
    struct settled *map = &job->own->settled.map;
    const uint64_t tiles = map->axis[0].tiles;
    const uint8_t *needed = map->needed + line * tiles;
    if (!map->line_needed[line])
        return;
    for (uint64_t x = settled_next(needed, 0, tiles); x < tiles; x = settled_next(needed, x + 1, tiles))
        settled_found(map, TWO_STEPS, line, x, take_tile(job, line, x));
    settled_finish_line(map, line);
}

/* All tiles are needed, until the buffers tell which are not. */
static void switch_on(struct ruletable_settled *settled)
{
    settled->on = true;
    settled->learning = settled->unknown + 1;
    settled_forget(&settled->map);
}

static void switch_off(struct ruletable_settled *settled)
{
    settled->on = false;
    settled->wait = settled->interval;
    settled->interval = settled->interval < LONGEST_WAIT ? 2 * settled->interval : LONGEST_WAIT;
    for (uint64_t line = 0; line < settled->map.lines; line++)
        settled_finish_line(&settled->map, line);
}

/* The state was changed from outside. */
static void reset(struct ruletable_settled *settled)
{
    settled->on = false;
    settled->unknown = 1;
    settled->wait = 0, settled->interval = FIRST_WAIT;
}

/* Finds the tiles that are needed. False: they are too many, or the time for a trial has not come. */
static bool find_needed(struct ruletable_settled *settled)
{
    struct settled *map = &settled->map;
    if (!settled->on && settled->wait > 0) {
        settled->wait--;
        return false;
    }
    if (!settled->on)
        switch_on(settled);
    settled_mark(map, TWO_STEPS, 0, map->lines);
    settled_count(map, 0, map->lines);
    const uint64_t needed = settled_total(map);
    const bool learning = settled->learning > 0, pays = needed * 100 <= map->tiles * MOST_PERCENT;
    settled->learning -= learning;
    if (learning || pays || settled->always) {
        settled->skipped += (double) (map->tiles - needed);
        return true;
    }
    switch_off(settled);
    return false;
}

static void note(const struct ruletable_settled *settled, const struct engine_host *host)
{
    if (settled->skipped > 0)
        host->note(host, "settled", "%.3f %% of the work was skipped", 100 * settled->skipped / settled->taken);
}

bool ruletable_settled_advance(struct instance *own, const struct engine_call *call)
{
    struct ruletable_settled *settled = &own->settled;
    if (!settled->memory)
        return false;
    if (call->flags & ENGINE_CALL_FRESH)
        reset(settled);
    const bool by_tiles = find_needed(settled);
    struct tile_job job = {own, engine_field_buffer(call, RULETABLE_CELLS), call->current, call->result,
                           settled->unknown == 0};
    if (by_tiles)
        call->host->parallel(call->host, settled->map.lines, take_line, &job);
    settled->unknown = 0;
    settled->taken += (double) settled->map.tiles;
    note(settled, call->host);
    return by_tiles;
}
