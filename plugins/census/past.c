/* Patches in a plane of tiles, for lib/objects. Its own loops over bytes take seconds for the long windows of soups that
 * grow, and for large clusters that do not repeat themselves. */
#include "worker.h"

#include <stdlib.h>
#include <string.h>

/* The places of the tiles that have live cells: the first ones, and the last ones. */
static void bound(const struct plane *plane, bool past, int32_t box[4])
{
    box[0] = box[1] = INT32_MAX;
    box[2] = box[3] = INT32_MIN;
    for (uint32_t i = 1; i < plane->count; i++) {
        const struct tile *tile = &plane->tiles[i];
        if (!past && !tile->population)
            continue;
        box[0] = tile->x < box[0] ? tile->x : box[0];
        box[1] = tile->y < box[1] ? tile->y : box[1];
        box[2] = tile->x > box[2] ? tile->x : box[2];
        box[3] = tile->y > box[3] ? tile->y : box[3];
    }
}

/* A row of a tile; `past`: with the cells of its history. */
static uint32_t row_of(const struct plane *plane, bool past, uint32_t tile, int y)
{
    const uint32_t now = tile_cells(plane->tiles[tile].rows[plane->pass & 1], y);
    return now | (past ? tile_cells(plane->history[tile], y) : 0);
}

/* A trimmed patch of the live cells. `x`, `y`: the place of the plane's origin. */
static int make_patch(const struct plane *plane, bool past, int64_t x, int64_t y, struct patch *patch)
{
    const int64_t side = TILE_SIDE;
    int32_t box[4];
    bound(plane, past, box);
    if (patch_make(patch, x + box[0] * side, y + box[1] * side, (box[2] - box[0] + 1) * side,
                   (box[3] - box[1] + 1) * side) != 0)
        return -1;
    for (uint32_t i = 1; i < plane->count; i++)
        for (int row = 0; row < TILE_SIDE; row++)
            for (uint32_t bits = row_of(plane, past, i, row); bits; bits &= bits - 1)
                patch->cells[((plane->tiles[i].y - box[1]) * side + row) * patch->width +
                             (plane->tiles[i].x - box[0]) * side + __builtin_ctz(bits)] = 1;
    return patch_trim(patch);
}

struct plane *worker_put(struct worker *worker, const struct patch *patch)
{
    struct plane *plane = &worker->spare;
    plane_clear(plane);
    for (int64_t y = 0; y < patch->height; y++)
        for (int64_t x = 0; x < patch->width; x++)
            if (patch->cells[y * patch->width + x])
                plane_put(plane, x, y);
    plane_wake(plane);
    return plane;
}

int worker_past(void *context, const struct patch *patch, uint64_t steps, int64_t most, struct patch *past)
{
    struct worker *worker = context;
    *past = (struct patch){.x = 0};
    if (steps < 64 || steps % 2 || !patch->cells)
        return 1;
    struct plane *plane = worker_put(worker, patch);
    worker->kernel->remember(plane, (uint32_t) (steps / 2));
    const int status = plane->full ? 1 : make_patch(plane, true, patch->x, patch->y, past);
    if (status == 0 && past->width * past->height > most) {
        patch_free(past);
        return 1;
    }
    return status;
}

static int has_form(const struct plane *plane, const struct patch *patch, bool *has)
{
    struct patch now;
    const int status = make_patch(plane, false, 0, 0, &now);
    *has = status == 0 && patch_has_form(&now, patch);
    patch_free(&now);
    return status;
}

/* Do the live cells take more than an area for sure? */
static bool spreads(const struct plane *plane, int64_t area)
{
    int32_t box[4];
    bound(plane, false, box);
    const int64_t width = box[2] - box[0] - 1, height = box[3] - box[1] - 1; /* tiles between the outermost ones */
    return width > 0 && height > 0 && width * height * TILE_SIDE * TILE_SIDE > area;
}

/* A pass takes two steps. What repeats itself after an odd number of steps does so after twice as many. */
int worker_may_repeat(void *context, const struct patch *patch, uint64_t steps, int64_t spread, bool *may)
{
    struct worker *worker = context;
    struct plane *plane = worker_put(worker, patch);
    const int64_t population = worker->kernel->count(plane);
    int status = 0;
    *may = false;
    for (uint64_t pass = 0; status == 0 && !*may && pass < steps && plane->next_count > 0; pass++) {
        worker->kernel->advance(plane, 1);
        const int64_t now = worker->kernel->count(plane);
        if (now == 0 || (pass % 16 == 15 && spreads(plane, spread)))
            return 0;
        if (plane->full)
            *may = true;
        else if (now == population)
            status = has_form(plane, patch, may);
    }
    return status;
}
