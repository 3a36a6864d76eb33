#include "tiles/small_grids.h"
#include "memory/devices.h"
#include "parts/stepper_universes.h"
#include "tiles/tile_bits.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- Opening ------------------------------------------------------------------------------------------------- */

/* The elements of a field of one small grid, with its margins, and of one of its rows. */
static uint64_t width_of(const struct small_grids *grids, uint32_t field)
{
    const struct engine_shape *shape = &grids->states[0]->plan->shapes[field];
    return shape->extent[0] * shape->components;
}

static uint64_t elements_of(const struct small_grids *grids, uint32_t field)
{
    const struct engine_shape *shape = &grids->states[0]->plan->shapes[field];
    return width_of(grids, field) * shape->extent[1] * shape->extent[2];
}

static uint64_t bytes_of(const struct small_grids *grids, uint32_t field)
{
    return type_bytes(grids->states[0]->plan->shapes[field].type);
}

static uint32_t fields_of(const struct small_grids *grids)
{
    return grids->map->plan->plugin->about.fields.count;
}

static int open_batch(struct small_grids *grids, int batch, const struct plan *plan, struct engine_error *error)
{
    struct state **state = &grids->states[batch];
    struct stepper **stepper = &grids->steppers[batch];
    if (state_open_in(plan, &store_whole, state, error) != 0 || stepper_here_open(*state, stepper, error) != 0)
        return error->status;
    return (*stepper)->table->create(*stepper, error);
}

int small_grids_open(struct small_grids *grids, const struct tile_map *map, const struct tiling_plans *plans,
                     const uint64_t margin[3], struct engine_error *error)
{
    *grids = (struct small_grids){.map = map};
    memcpy(grids->margin, margin, sizeof grids->margin);
    for (int i = 0; i < TILING_BATCHES; i++)
        if (open_batch(grids, i, plans->of[i], error) != 0)
            return error->status;
    for (uint32_t i = 0; i < fields_of(grids); i++) {
        const uint64_t bytes = elements_of(grids, i) * bytes_of(grids, i);
        grids->each = bytes > grids->each ? bytes : grids->each;
    }
    grids->scratch = malloc(grids->each * map->tiling->counts[0]);
    return grids->scratch ? 0 : error_memory(error, grids->each * map->tiling->counts[0], "copies of tiles");
}

void small_grids_close(struct small_grids *grids)
{
    for (int i = 0; i < TILING_BATCHES; i++) {
        stepper_close(grids->steppers[i]);
        state_close(grids->states[i]);
    }
    free(grids->scratch);
    *grids = (struct small_grids){.map = NULL};
}

int small_grids_batch(const struct small_grids *grids, uint64_t count, uint64_t *taken)
{
    const struct engine_impl *impl = grids->map->plan->impl;
    const uint64_t *counts = grids->map->tiling->counts;
    const bool together = impl->flags & ENGINE_BATCH && impl->memory == ENGINE_HOST_MEMORY;
    int batch = 0;
    while (counts[batch] > count)
        batch++;
    if (together && batch > 1 && counts[batch] < count)
        batch--;
    *taken = counts[batch] < count ? counts[batch] : count;
    return batch;
}

/* ---- Copies --------------------------------------------------------------------------------------------------- */

/* The copy of a field of a batch; threads take one grid each. */
struct copying {
    struct small_grids *grids;
    struct state *state;
    struct tile *const *tiles;
    uint8_t *const *background;
    uint32_t field;
    _Atomic int failed;
    struct engine_error error;
};

static void fail(struct copying *copying, const struct engine_error *error)
{
    if (atomic_exchange(&copying->failed, 1) == 0)
        copying->error = *error;
}

/* The rows of the grid around a tile, or rows of background. */
static void gather_rows(const struct copying *copying, const struct tile *tile, uint8_t *to)
{
    const struct small_grids *grids = copying->grids;
    const struct tile_map *map = grids->map;
    const uint32_t field = copying->field;
    const struct engine_shape *small = &copying->state->plan->shapes[field], *grid = &map->plan->shapes[field];
    const uint64_t width = width_of(grids, field), bytes = bytes_of(grids, field);
    uint64_t first[3];
    for (int axis = 0; axis < 3; axis++)
        first[axis] =
            tile->at[axis] * map->tiling->side[axis] + grid->extent[axis] - grids->margin[axis] % grid->extent[axis];
    for (uint64_t z = 0; z < small->extent[2]; z++)
        for (uint64_t y = 0; y < small->extent[1]; y++, to += width * bytes)
            tile_map_read_row(map, field, first[0] % grid->extent[0] * grid->components,
                              (first[1] + y) % grid->extent[1], (first[2] + z) % grid->extent[2], width, to);
}

static void fill_rows(const struct copying *copying, uint8_t *to)
{
    const struct tile_map *map = copying->grids->map;
    const uint64_t bytes = bytes_of(copying->grids, copying->field) * map->plan->shapes[copying->field].components;
    const uint64_t all = elements_of(copying->grids, copying->field) * bytes_of(copying->grids, copying->field);
    for (uint64_t at = 0; at < all; at += bytes)
        memcpy(to + at, map->background[copying->field], bytes);
}

static struct tile_bits bits_of(const struct copying *copying, uint64_t index)
{
    return (struct tile_bits){copying->grids->map, copying->state, copying->grids->margin, copying->field, index};
}

static void gather(void *argument, uint64_t index)
{
    struct copying *copying = argument;
    const struct tile_bits bits = bits_of(copying, index);
    if (copying->tiles && tile_bits_fit(&bits)) {
        tile_bits_gather(&bits, copying->tiles[index]);
        return;
    }
    uint8_t *piece = copying->grids->scratch + index * copying->grids->each;
    const uint64_t elements = elements_of(copying->grids, copying->field);
    struct engine_error error;
    if (copying->tiles)
        gather_rows(copying, copying->tiles[index], piece);
    else
        fill_rows(copying, piece);
    if (state_write(copying->state, copying->field, index * elements, elements, piece, &error) != 0)
        fail(copying, &error);
}

static void scatter(void *argument, uint64_t index)
{
    struct copying *copying = argument;
    struct small_grids *grids = copying->grids;
    const struct tile_map *map = grids->map;
    const uint32_t field = copying->field;
    const struct geometry *geometry = &map->tiling->geometry[field];
    const uint64_t elements = elements_of(grids, field), width = tile_map_width(map, field);
    const uint64_t *side = map->tiling->side, *padded = copying->state->plan->shapes[field].extent;
    uint8_t *piece = grids->scratch + index * grids->each;
    struct tile *tile = copying->tiles[index];
    void *memory = tile->memory[field][1 - tile->current];
    const struct tile_bits bits = bits_of(copying, index);
    struct engine_error error;
    if (tile_bits_fit(&bits)) {
        tile->changed = tile_bits_scatter(&bits, tile, copying->background[field][0]) || tile->changed;
        return;
    }
    if (state_read(copying->state, field, index * elements, elements, piece, &error) != 0) {
        fail(copying, &error);
        return;
    }
    for (uint64_t i = 0; i < side[1] * side[2]; i++) {
        const uint64_t y = i % side[1], z = i / side[1];
        const uint64_t row = (z + grids->margin[2]) * padded[1] + y + grids->margin[1];
        const uint8_t *cells = piece + (row * width_of(grids, field) + grids->margin[0] * geometry->shape.components) *
                                           bytes_of(grids, field);
        geometry_write(geometry, memory, i * width, width, cells);
        tile_map_widen(map, field, cells, copying->background[field], y, z, tile->low, tile->high);
    }
    tile->changed = tile->changed || memcmp(memory, tile->memory[field][tile->current], geometry->bytes) != 0;
}

static int copy(struct copying *copying, uint64_t count, void (*task)(void *, uint64_t), struct engine_error *error)
{
    const struct plan *plan = copying->grids->map->plan;
    for (copying->field = 0; copying->field < fields_of(copying->grids) && !copying->failed; copying->field++)
        thread_pool_run(devices_host(plan->context)->pool, plan->settings.threads, count, task, copying);
    if (copying->failed)
        *error = copying->error;
    return copying->failed ? error->status : 0;
}

int small_grids_fill(struct small_grids *grids, int batch, struct tile *const *tiles, uint64_t count, uint64_t step,
                     struct engine_error *error)
{
    struct copying copying = {.grids = grids, .state = grids->states[batch], .tiles = tiles};
    copying.state->step = step;
    copying.state->fresh = true;
    return copy(&copying, count, gather, error);
}

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

int small_grids_take(struct small_grids *grids, int batch, struct tile **tiles, uint64_t count,
                     uint8_t *const *background, struct engine_error *error)
{
    struct copying copying = {.grids = grids, .state = grids->states[batch], .tiles = tiles, .background = background};
    for (uint64_t i = 0; i < count; i++) {
        memcpy(tiles[i]->low, grids->map->tiling->side, sizeof tiles[i]->low);
        memset(tiles[i]->high, 0, sizeof tiles[i]->high);
        tiles[i]->changed = false;
    }
    return copy(&copying, count, scatter, error);
}
