#include "tiles/small_grids.h"
#include "memory/devices.h"
#include "parts/stepper_universes.h"
#include "tiles/tile_copy.h"

#include <stdlib.h>
#include <string.h>

enum { PIECES = 4, LEAST_ROWS = 16 }; /* pieces of a copy for each thread; rows of a piece */

static uint32_t fields_of(const struct small_grids *grids)
{
    return grids->map->plan->plugin->about.fields.count;
}

static uint32_t threads_of(const struct small_grids *grids)
{
    return grids->map->plan->settings.threads;
}

/* ---- Opening ------------------------------------------------------------------------------------------------- */

static int open_batch(struct small_grids *grids, int batch, const struct plan *plan, struct engine_error *error)
{
    struct state **state = &grids->states[batch];
    struct stepper **stepper = &grids->steppers[batch];
    if (state_open_in(plan, &store_whole, state, error) != 0 || stepper_here_open(*state, stepper, error) != 0)
        return error->status;
    return (*stepper)->table->create(*stepper, error);
}

/* Cells of grids that no tile fills are 0, because a rule may look up values in a table. */
static int open_staging(struct small_grids *grids, const struct plan *plan, struct engine_error *error)
{
    for (uint32_t i = 0; i < fields_of(grids) && plan->device->memory != ENGINE_HOST_MEMORY; i++)
        for (int turn = 0; turn < 2; turn++) {
            void **memory = &grids->staging[turn][i];
            if (plan->device->allocate_host(plan->device, plan->fields[i].bytes, memory, error) != 0)
                return error->status;
            memset(*memory, 0, plan->fields[i].bytes);
        }
    return 0;
}

int small_grids_open(struct small_grids *grids, struct tile_map *map, const struct tiling_plans *plans,
                     const uint64_t margin[3], struct engine_error *error)
{
    *grids = (struct small_grids){.map = map};
    memcpy(grids->margin, margin, sizeof grids->margin);
    for (int i = 0; i < map->tiling->batches; i++)
        if (open_batch(grids, i, plans->of[i], error) != 0)
            return error->status;
    for (uint32_t i = 0; i < fields_of(grids); i++) {
        const uint64_t bytes = tile_copy_room(map, i, plans->of[0]->shapes[i].extent);
        grids->row = bytes > grids->row ? bytes : grids->row;
    }
    const uint64_t pieces = PIECES * (uint64_t) threads_of(grids) + map->tiling->counts[0];
    grids->rows = calloc(pieces, grids->row);
    grids->boxes = calloc(pieces, sizeof *grids->boxes);
    return grids->rows && grids->boxes ? open_staging(grids, plans->of[0], error)
                                       : error_memory(error, pieces * grids->row, "copies of tiles");
}

void small_grids_close(struct small_grids *grids)
{
    for (int i = 0; i < 2 * PLAN_FIELDS_MAX; i++) {
        void *memory = grids->staging[i % 2][i / 2];
        struct device *device = memory ? grids->states[0]->plan->device : NULL;
        if (memory)
            device->release_host(device, memory);
    }
    for (int i = 0; i < TILING_BATCHES; i++) {
        stepper_close(grids->steppers[i]);
        state_close(grids->states[i]);
    }
    free(grids->rows);
    free(grids->boxes);
    *grids = (struct small_grids){.map = NULL};
}

int small_grids_batch(const struct small_grids *grids, uint64_t count, uint64_t *taken)
{
    const uint64_t *counts = grids->map->tiling->counts;
    int batch = 0;
    while (counts[batch] > count)
        batch++;
    if (grids->map->plan->impl->flags & ENGINE_BATCH && batch > 1 && counts[batch] < count)
        batch--;
    *taken = counts[batch] < count ? counts[batch] : count;
    return batch;
}

/* ---- Copies --------------------------------------------------------------------------------------------------- */

/* So many of the tiles that a batch takes, and which of the two memories they cross. */
struct part {
    int batch, turn;
    struct tile *const *tiles; /* NULL: background */
    uint64_t count;
};

/* The copy of a field of a part. Threads take a piece of a grid each. */
struct copying {
    struct tile_copy copy;
    struct small_grids *grids;
    const struct part *part;
    uint8_t *const *background;
    uint64_t pieces; /* of a grid */
};

static struct tile_copy start(const struct copying *copying, uint64_t piece, uint64_t rows, uint64_t *first,
                              uint64_t *end)
{
    const uint64_t part = piece % copying->pieces;
    struct tile_copy copy = copying->copy;
    copy.index = piece / copying->pieces;
    copy.row = copying->grids->rows + piece * copying->grids->row;
    *first = rows * part / copying->pieces;
    *end = rows * (part + 1) / copying->pieces;
    return copy;
}

static void gather(void *argument, uint64_t piece)
{
    const struct copying *copying = argument;
    const uint64_t *extent = copying->copy.extent;
    uint64_t first, end;
    const struct tile_copy copy = start(copying, piece, extent[1] * extent[2], &first, &end);
    tile_copy_in(&copy, copying->part->tiles ? copying->part->tiles[copy.index] : NULL, first, end);
}

static void scatter(void *argument, uint64_t piece)
{
    const struct copying *copying = argument;
    const uint64_t *side = copying->grids->map->tiling->side;
    uint64_t first, end;
    const struct tile_copy copy = start(copying, piece, side[1] * side[2], &first, &end);
    struct tile_box *box = &copying->grids->boxes[piece];
    *box = (struct tile_box){.low = {side[0], side[1], side[2]}};
    tile_copy_out(&copy, copying->part->tiles[copy.index], first, end, copying->background[copy.field], box);
}

static void widen(struct tile *tile, const struct tile_box *box)
{
    for (int axis = 0; axis < 3; axis++) {
        tile->low[axis] = box->low[axis] < tile->low[axis] ? box->low[axis] : tile->low[axis];
        tile->high[axis] = box->high[axis] > tile->high[axis] ? box->high[axis] : tile->high[axis];
    }
    tile->changed = tile->changed || box->changed;
}

static void copy(struct small_grids *grids, const struct part *part, uint8_t *const *background,
                 void (*task)(void *, uint64_t))
{
    struct state *state = grids->states[part->batch];
    struct copying copying = {.grids = grids, .part = part, .background = background};
    const uint64_t *side = grids->map->tiling->side, most = side[1] * side[2] / LEAST_ROWS;
    const uint64_t pieces = part->count > 0 ? PIECES * (uint64_t) threads_of(grids) / part->count : 0;
    copying.pieces = pieces < most ? pieces : most;
    copying.pieces += copying.pieces == 0;
    for (uint32_t i = 0; i < fields_of(grids); i++) {
        void *staging = grids->staging[part->turn][i];
        copying.copy = (struct tile_copy){.map = grids->map,
                                          .small = state_geometry(state, i),
                                          .cells = staging ? staging : state_buffer(state, i),
                                          .extent = state->plan->shapes[i].extent,
                                          .margin = grids->margin,
                                          .field = i};
        thread_pool_run(devices_host(state->plan->context)->pool, threads_of(grids), part->count * copying.pieces, task,
                        &copying);
        for (uint64_t j = 0; task == scatter && j < part->count * copying.pieces; j++)
            widen(part->tiles[j / copying.pieces], &grids->boxes[j]);
    }
}

static void gather_part(struct small_grids *grids, const struct part *part, uint64_t step)
{
    grids->states[part->batch]->step = step;
    grids->states[part->batch]->fresh = true;
    copy(grids, part, NULL, gather);
}

static void scatter_part(struct small_grids *grids, const struct part *part, uint8_t *const *background)
{
    for (uint64_t i = 0; i < part->count; i++) {
        memcpy(part->tiles[i]->low, grids->map->tiling->side, sizeof part->tiles[i]->low);
        memset(part->tiles[i]->high, 0, sizeof part->tiles[i]->high);
        part->tiles[i]->changed = false;
    }
    copy(grids, part, background, scatter);
}

/* Enqueues the copies of a batch to the device or, if `back` is true, from there. */
static int cross(struct small_grids *grids, const struct part *part, bool back, struct engine_error *error)
{
    struct state *state = grids->states[part->batch];
    struct device *device = state->plan->device;
    for (uint32_t i = 0; i < fields_of(grids) && grids->staging[0][i]; i++) {
        void *host = grids->staging[part->turn][i], *buffer = state_buffer(state, i);
        const uint64_t bytes = state_geometry(state, i)->bytes;
        if ((back ? device->download(device, host, buffer, bytes, 1, error)
                  : device->upload(device, buffer, host, bytes, 1, error)) != 0)
            return error->status;
    }
    return 0;
}

int small_grids_fill(struct small_grids *grids, int batch, struct tile *const *tiles, uint64_t count, uint64_t step,
                     struct engine_error *error)
{
    const struct part part = {.batch = batch, .tiles = tiles, .count = count};
    gather_part(grids, &part, step);
    return cross(grids, &part, false, error) != 0 ? error->status : state_synchronise(grids->states[batch], error);
}

/* ---- Rounds --------------------------------------------------------------------------------------------------- */

int small_grids_advance(struct small_grids *grids, int batch, uint64_t steps, struct engine_error *error)
{
    struct stepper *stepper = grids->steppers[batch];
    const uint64_t most = stepper->state->plan->most_steps;
    bool lost = false;
    for (uint64_t n, left = steps; left > 0; left -= n) {
        n = left < most ? left : most;
        if (stepper->table->advance(stepper, n, &lost, error) != 0)
            return error->status;
    }
    return 0;
}

static struct part next_part(const struct small_grids *grids, const struct part *before, struct tile *const *tiles,
                             uint64_t count)
{
    struct part part = {.turn = 1 - before->turn, .tiles = tiles};
    if (count > 0)
        part.batch = small_grids_batch(grids, count, &part.count);
    return part;
}

static int submit(struct small_grids *grids, const struct part *part, uint64_t steps, struct engine_error *error)
{
    return cross(grids, part, false, error) != 0 || small_grids_advance(grids, part->batch, steps, error) != 0 ||
                   cross(grids, part, true, error) != 0
               ? error->status
               : 0;
}

/* While a device computes a part, threads scatter the one before and gather the next. */
static int compute(struct small_grids *grids, struct tile *const *tiles, uint64_t count, uint64_t step, uint64_t steps,
                   uint8_t *const *background, struct engine_error *error)
{
    struct part now, before = {.count = 0};
    for (uint64_t i = 0; i < count || before.count > 0; i += now.count, before = now) {
        now = next_part(grids, &before, tiles + i, count - i);
        if (now.count > 0)
            gather_part(grids, &now, step);
        if ((before.count > 0 && state_synchronise(grids->states[before.batch], error) != 0) ||
            (now.count > 0 && submit(grids, &now, steps, error) != 0))
            return error->status;
        scatter_part(grids, grids->staging[0][0] ? &before : &now, background);
    }
    return 0;
}

int small_grids_compute(struct small_grids *grids, struct tile *const *tiles, uint64_t count, uint64_t step,
                        uint64_t steps, uint8_t *const *background, struct engine_error *error)
{
    struct engine_error ignored;
    if (compute(grids, tiles, count, step, steps, background, error) == 0)
        return 0;
    state_synchronise(grids->states[0], &ignored); /* the device may still copy */
    return error->status;
}
