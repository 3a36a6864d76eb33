/* The steps of a grid in tiles: rounds of a few steps. A round computes the tiles whose cells may change, and those
 * that cells may reach. If a tile and its neighbours were the same after the last round as before it, the next round of
 * as many steps leaves the tile as it is, because its steps depend on nothing else (ENGINE_UNIFORM). If they depend on
 * their number too (ENGINE_TIMED), each round computes all tiles. */
#include "memory/devices.h"
#include "plan/edges.h"
#include "tiles/small_grids.h"
#include "tiles/store_tiles.h"

#include <engine/queue.h>
#include <stdlib.h>
#include <string.h>

struct tiles_stepper {
    struct stepper stepper;
    struct small_grids padded, bare;
    struct tile **active; /* the tiles of a round */
    uint64_t room;
    uint64_t last;                  /* steps of the last round; 0: none */
    uint64_t next_steps;            /* of `next`; 0: it is not known */
    uint8_t *next[PLAN_FIELDS_MAX]; /* the background after so many steps: a row of a tile */
    double *plain, *values;         /* the metrics of a tile of background, and of a batch */
    bool plain_known;
    struct host none;
};

static struct tiles_stepper *tiles_of(struct stepper *stepper)
{
    return (struct tiles_stepper *) stepper;
}

static struct tile_map *map_of(const struct tiles_stepper *tiles)
{
    return tiles->stepper.state->own;
}

static uint32_t fields_of(const struct tiles_stepper *tiles)
{
    return tiles->stepper.state->plan->plugin->about.fields.count;
}

/* The batch of one small grid. */
static int one_of(const struct tiles_stepper *tiles)
{
    return map_of(tiles)->tiling->batches - 1;
}

static bool is_timed(const struct tiles_stepper *tiles)
{
    return tiles->stepper.state->plan->impl->flags & ENGINE_TIMED;
}

static uint32_t metrics_of(const struct tiles_stepper *tiles)
{
    return tiles->stepper.state->plan->plugin->about.metrics.count;
}

/* ---- Opening and closing ---------------------------------------------------------------------------------------- */

static int create(struct stepper *stepper, struct engine_error *error)
{
    static const uint64_t no_margin[3];
    struct tiles_stepper *tiles = tiles_of(stepper);
    const struct tiling *tiling = stepper->state->plan->tiling;
    const uint32_t metrics = metrics_of(tiles);
    stepper->state->fresh = true;
    tiles->last = tiles->next_steps = 0;
    tiles->plain = calloc(metrics + 1, sizeof *tiles->plain);
    tiles->values = calloc(metrics * tiling->counts[0] + 1, sizeof *tiles->values);
    bool made = tiles->plain && tiles->values;
    for (uint32_t i = 0; i < fields_of(tiles); i++)
        made = (tiles->next[i] = calloc(1, tile_map_width(map_of(tiles), i) * 16)) && made;
    if (!made)
        return error_memory(error, metrics * tiling->counts[0] * sizeof *tiles->values, "the steps of tiles");
    return small_grids_open(&tiles->padded, map_of(tiles), &tiling->padded, tiling->margin, error) != 0
               ? error->status
               : small_grids_open(&tiles->bare, map_of(tiles), &tiling->bare, no_margin, error);
}

static void destroy(struct stepper *stepper)
{
    struct tiles_stepper *tiles = tiles_of(stepper);
    small_grids_close(&tiles->padded);
    small_grids_close(&tiles->bare);
    for (uint32_t i = 0; i < fields_of(tiles); i++) {
        free(tiles->next[i]);
        tiles->next[i] = NULL;
    }
    free(tiles->plain);
    free(tiles->values);
    free(tiles->active);
    tiles->plain = tiles->values = NULL;
    tiles->active = NULL;
    tiles->room = 0;
}

static void close(struct stepper *stepper)
{
    free(stepper);
}

static struct host *host(struct stepper *stepper)
{
    struct stepper *inner = tiles_of(stepper)->padded.steppers[one_of(tiles_of(stepper))];
    return inner ? inner->table->host(inner) : &tiles_of(stepper)->none;
}

/* ---- The background --------------------------------------------------------------------------------------------- */

/* Fails if the cells of a field of the small grid are not all alike. Beside an edge, a rule may make live cells in empty
 * space. */
static int check_background(const struct tiles_stepper *tiles, uint32_t field, struct engine_error *error)
{
    const struct state *state = tiles->bare.states[one_of(tiles)];
    const struct engine_shape *shape = &state->plan->shapes[field];
    const uint64_t width = shape->extent[0] * shape->components, bytes = width * type_bytes(shape->type),
                   cell = bytes / shape->extent[0];
    uint8_t *row = malloc(bytes);
    int status = row ? 0 : error_memory(error, bytes, "a row of background");
    for (uint64_t i = 0; status == 0 && i < shape->extent[1] * shape->extent[2]; i++) {
        status = state_read(state, field, i * width, width, row, error);
        if (status == 0 && (memcmp(row, tiles->next[field], bytes) != 0 || memcmp(row, row + cell, bytes - cell) != 0))
            status =
                error_set(error, ENGINE_STATUS_USAGE,
                          "[grid] edges: cells beside an edge of the grid change where nothing lives, and the grid "
                          "is unbounded along another axis; give all axes a size");
    }
    free(row);
    return status;
}

/* Finds the background after some steps, in a small grid that is all background. Returns whether it stays as it is. */
static int find_background(struct tiles_stepper *tiles, uint64_t steps, bool *stays, struct engine_error *error)
{
    const int one = one_of(tiles);
    struct tile_map *map = map_of(tiles);
    struct state *state = tiles->bare.states[one];
    if (tiles->next_steps != steps || is_timed(tiles)) {
        tiles->next_steps = 0;
        if (small_grids_fill(&tiles->bare, one, NULL, 1, tiles->stepper.state->step, error) != 0 ||
            small_grids_advance(&tiles->bare, one, steps, error) != 0)
            return error->status;
        for (uint32_t i = 0; i < fields_of(tiles); i++)
            if (state_read(state, i, 0, tile_map_width(map, i), tiles->next[i], error) != 0 ||
                (!edges_are_usual(map->plan) && check_background(tiles, i, error) != 0))
                return error->status;
        tiles->next_steps = steps;
    }
    *stays = true;
    for (uint32_t i = 0; i < fields_of(tiles); i++)
        *stays = *stays && memcmp(tiles->next[i], map->background[i],
                                  tile_map_width(map, i) * type_bytes(state->plan->shapes[i].type)) == 0;
    return 0;
}

static void change_background(struct tiles_stepper *tiles)
{
    struct tile_map *map = map_of(tiles);
    for (uint32_t i = 0; i < fields_of(tiles); i++)
        memcpy(map->background[i], tiles->next[i], tile_map_width(map, i) * type_bytes(map->plan->shapes[i].type));
    for (uint64_t i = 0; i < map->count; i++)
        map->list[i]->summed = false;
    tiles->next_steps = 0;
    tiles->plain_known = false;
}

/* ---- Which tiles ------------------------------------------------------------------------------------------------ */

/* The place of a neighbour of a tile. The tiles go round as the grid does. Axes without margins have none. */
static bool neighbour(const struct tile_map *map, const uint64_t at[3], int i, uint64_t place[3], int offset[3])
{
    for (int axis = 0, rest = i; axis < 3; axis++, rest /= 3) {
        offset[axis] = rest % 3 - 1;
        if (offset[axis] != 0 && map->tiling->margin[axis] == 0)
            return false;
        place[axis] = (at[axis] + map->tiles[axis] + (uint64_t) (int64_t) offset[axis]) % map->tiles[axis];
    }
    return true;
}

/* Can cells of the tile reach its neighbour at this offset in a round? */
static bool reaches(const struct tile_map *map, const struct tile *tile, const int offset[3])
{
    bool near = tile->high[0] > 0;
    for (int axis = 0; axis < 3; axis++) {
        const uint64_t margin = map->tiling->margin[axis], side = map->tiling->side[axis];
        near = near && (offset[axis] >= 0 || tile->low[axis] < margin) &&
               (offset[axis] <= 0 || tile->high[axis] + margin > side);
    }
    return near;
}

/* Can cells of any tile reach the place? */
static bool is_reached(const struct tile_map *map, const uint64_t at[3])
{
    uint64_t place[3];
    int offset[3];
    for (int i = 0; i < 27; i++) {
        if (!neighbour(map, at, i, place, offset))
            continue;
        const struct tile *tile = tile_map_find(map, place);
        if (tile && reaches(map, tile, (int[]){-offset[0], -offset[1], -offset[2]}))
            return true;
    }
    return false;
}

/* The marking of tiles by threads, each of which takes a piece of the list. */
struct marking {
    struct tile_map *map;
    bool all; /* tiles count as changed */
};

enum { PIECE = 64 };

/* Marks the neighbours of tiles that have changed, and these tiles themselves. */
static void mark_piece(void *argument, uint64_t piece)
{
    const struct marking *marking = argument;
    const struct tile_map *map = marking->map;
    const uint64_t first = piece * PIECE, end = map->count - first < PIECE ? map->count : first + PIECE;
    uint64_t place[3];
    int offset[3];
    for (uint64_t i = first; i < end; i++) {
        struct tile *tile = map->list[i];
        tile->lacks = false;
        for (int k = 0; k < 27 && (marking->all || tile->changed); k++) {
            if (!neighbour(map, tile->at, k, place, offset))
                continue;
            struct tile *other = tile_map_find(map, place);
            if (other)
                atomic_store_explicit(&other->active, true, memory_order_relaxed);
            else
                tile->lacks = true;
        }
    }
}

/* Makes the neighbours that a tile lacks and that cells reach. */
static int make_around(struct tile_map *map, const struct tile *tile, struct engine_error *error)
{
    uint64_t place[3];
    int offset[3];
    for (int k = 0; k < 27; k++) {
        if (!neighbour(map, tile->at, k, place, offset) || tile_map_find(map, place) || !is_reached(map, place))
            continue;
        struct tile *made = tile_map_make(map, place, error);
        if (!made)
            return error->status;
        made->active = true;
    }
    return 0;
}

static int mark(struct tiles_stepper *tiles, bool all, struct engine_error *error)
{
    struct tile_map *map = map_of(tiles);
    struct marking marking = {map, all};
    const uint64_t count = map->count;
    thread_pool_run(devices_host(map->plan->context)->pool, map->plan->settings.threads, (count + PIECE - 1) / PIECE,
                    mark_piece, &marking);
    for (uint64_t i = 0; i < count; i++)
        if (map->list[i]->lacks && make_around(map, map->list[i], error) != 0)
            return error->status;
    return 0;
}

/* Lists the marked tiles. */
static int collect(struct tiles_stepper *tiles, uint64_t *count, struct engine_error *error)
{
    struct tile_map *map = map_of(tiles);
    *count = 0;
    if (tiles->room < map->count) {
        struct tile **active = realloc(tiles->active, map->room * sizeof *active);
        if (!active)
            return error_memory(error, map->room * sizeof *active, "the tiles of a round");
        tiles->active = active;
        tiles->room = map->room;
    }
    for (uint64_t i = 0; i < map->count; i++)
        if (map->list[i]->active)
            tiles->active[(*count)++] = map->list[i];
    return 0;
}

/* ---- Rounds ----------------------------------------------------------------------------------------------------- */

static bool is_spare(const struct tile *tile)
{
    return tile->high[0] == 0 && !tile->changed;
}

/* The computed cells become the state. */
static void finish(struct tiles_stepper *tiles, bool stays)
{
    struct tile_map *map = map_of(tiles);
    for (uint64_t i = 0; i < map->count; i++) {
        struct tile *tile = map->list[i];
        tile->changed = tile->active && tile->changed;
        if (tile->changed) {
            tile->current = 1 - tile->current;
            tile->measured = tile->summed = false;
        }
        tile->active = false;
    }
    if (!stays)
        change_background(tiles);
    tile_map_remove(map, is_spare);
}

/* After an error all tiles count as changed, and have their boxes again. */
static void undo(struct tile_map *map)
{
    for (uint64_t i = 0; i < map->count; i++) {
        map->list[i]->active = false;
        map->list[i]->changed = map->list[i]->written = true;
    }
}

static int take_round(struct tiles_stepper *tiles, uint64_t steps, struct engine_error *error)
{
    struct state *state = tiles->stepper.state;
    struct tile_map *map = map_of(tiles);
    uint64_t count;
    bool stays = false;
    if (tile_map_find_boxes(map, error) != 0 || find_background(tiles, steps, &stays, error) != 0)
        return error->status;
    if (mark(tiles, state->fresh || !stays || tiles->last != steps, error) != 0 || collect(tiles, &count, error) != 0 ||
        small_grids_compute(&tiles->padded, tiles->active, count, state->step, steps, tiles->next, error) != 0) {
        undo(map);
        return error->status;
    }
    finish(tiles, stays);
    tiles->last = stays && !is_timed(tiles) ? steps : 0;
    state->step += steps;
    state->fresh = false;
    return 0;
}

/* Rounds of equal, even numbers of steps, if the number of steps allows it: then more tiles repeat themselves. */
static uint64_t steps_of_round(const struct tiles_stepper *tiles, uint64_t steps)
{
    const uint64_t most = map_of(tiles)->tiling->steps, rounds = (steps + most - 1) / most;
    const uint64_t each = (steps + rounds - 1) / rounds, even = each + each % 2;
    return even <= most && even <= steps ? even : each;
}

static int advance(struct stepper *stepper, uint64_t steps, bool *lost, struct engine_error *error)
{
    struct tiles_stepper *tiles = tiles_of(stepper);
    const uint64_t each = steps_of_round(tiles, steps);
    (void) lost;
    for (uint64_t n, left = steps; left > 0; left -= n) {
        n = left < each ? left : each;
        if (take_round(tiles, n, error) != 0)
            return error->status;
    }
    return 0;
}

/* ---- Metrics ---------------------------------------------------------------------------------------------------- */

static int measure_batch(struct tiles_stepper *tiles, int batch, struct tile *const *of, uint64_t count,
                         struct engine_error *error)
{
    struct stepper *inner = tiles->bare.steppers[batch];
    memset(tiles->values, 0, map_of(tiles)->tiling->counts[batch] * metrics_of(tiles) * sizeof *tiles->values);
    return small_grids_fill(&tiles->bare, batch, of, count, tiles->stepper.state->step, error) != 0
               ? error->status
               : inner->table->measure(inner, tiles->values, error);
}

static int measure_tiles(struct tiles_stepper *tiles, struct engine_error *error)
{
    struct tile_map *map = map_of(tiles);
    const uint32_t metrics = metrics_of(tiles);
    uint64_t count;
    for (uint64_t i = 0; i < map->count; i++)
        map->list[i]->active = !map->list[i]->measured;
    if (collect(tiles, &count, error) != 0)
        return error->status;
    for (uint64_t i = 0, n; i < count; i += n) {
        const int batch = small_grids_batch(&tiles->bare, count - i, &n);
        if (measure_batch(tiles, batch, tiles->active + i, n, error) != 0)
            return error->status;
        for (uint64_t j = 0; j < n; j++) {
            memcpy(tiles->active[i + j]->values, tiles->values + j * metrics, metrics * sizeof *tiles->values);
            tiles->active[i + j]->measured = true;
        }
    }
    return 0;
}

static int measure_plain(struct tiles_stepper *tiles, struct engine_error *error)
{
    if (tiles->plain_known)
        return 0;
    if (measure_batch(tiles, one_of(tiles), NULL, 1, error) != 0)
        return error->status;
    memcpy(tiles->plain, tiles->values, metrics_of(tiles) * sizeof *tiles->plain);
    tiles->plain_known = true;
    return 0;
}

/* A metric of a divided grid is the sum over its parts. Tiles that are not there are background. */
static int measure(struct stepper *stepper, double *values, struct engine_error *error)
{
    struct tiles_stepper *tiles = tiles_of(stepper);
    struct tile_map *map = map_of(tiles);
    const int status = measure_tiles(tiles, error) != 0 ? error->status : measure_plain(tiles, error);
    for (uint64_t i = 0; i < map->count; i++)
        map->list[i]->active = false;
    if (status != 0)
        return status;
    tile_map_sort(map);
    const double others =
        (double) map->tiles[0] * (double) map->tiles[1] * (double) map->tiles[2] - (double) map->count;
    for (uint32_t m = 0; m < metrics_of(tiles); m++) {
        for (uint64_t i = 0; i < map->count; i++)
            values[m] += map->list[i]->values[m];
        values[m] += others > 0 && tiles->plain[m] != 0 ? others * tiles->plain[m] : 0;
    }
    return 0;
}

static const struct stepper_table table = {
    .create = create, .destroy = destroy, .close = close, .advance = advance, .measure = measure, .host = host};

int stepper_tiles_open(struct state *state, struct stepper **out, struct engine_error *error)
{
    *out = stepper_new(sizeof(struct tiles_stepper), &table, state, error);
    return *out ? 0 : error->status;
}
