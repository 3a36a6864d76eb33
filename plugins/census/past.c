/* The cells that a patch makes alive, for lib/objects. Its own loop over bytes takes seconds for the long windows of soups
 * that grow. */
#include "worker.h"

#include <stdlib.h>
#include <string.h>

/* The cells of a tile's history and of its last state. */
static uint32_t row_of(const struct plane *plane, uint32_t tile, int y)
{
    const int row = tile_row(TILE_EDGE + y);
    return (plane->history[tile][row] | plane->tiles[tile].rows[row]) >> TILE_EDGE & 0xfffffff;
}

/* A patch of all these cells, as large as the tiles that have some. `x`, `y`: the place of the plane's origin. */
static int make_patch(const struct plane *plane, int64_t x, int64_t y, struct patch *past)
{
    int32_t box[4] = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
    for (uint32_t i = 1; i < plane->count; i++) {
        const struct tile *tile = &plane->tiles[i];
        box[0] = tile->x < box[0] ? tile->x : box[0];
        box[1] = tile->y < box[1] ? tile->y : box[1];
        box[2] = tile->x > box[2] ? tile->x : box[2];
        box[3] = tile->y > box[3] ? tile->y : box[3];
    }
    const int64_t side = TILE_SIDE;
    if (patch_make(past, x + box[0] * side, y + box[1] * side, (box[2] - box[0] + 1) * side,
                   (box[3] - box[1] + 1) * side) != 0)
        return -1;
    for (uint32_t i = 1; i < plane->count; i++)
        for (int row = 0; row < TILE_SIDE; row++) {
            uint8_t *cells = past->cells + ((plane->tiles[i].y - box[1]) * side + row) * past->width +
                             (plane->tiles[i].x - box[0]) * side;
            for (uint32_t bits = row_of(plane, i, row); bits; bits &= bits - 1)
                cells[__builtin_ctz(bits)] = 1;
        }
    return patch_trim(past);
}

int worker_past(void *context, const struct patch *patch, uint64_t steps, int64_t most, struct patch *past)
{
    const struct worker *worker = context;
    struct plane plane;
    *past = (struct patch){.x = 0};
    if (steps < 64 || steps % 2 || !patch->cells)
        return 1;
    if (plane_open(&plane, worker->birth, worker->survive) != 0)
        return -1;
    for (int64_t y = 0; y < patch->height; y++)
        for (int64_t x = 0; x < patch->width; x++)
            if (patch->cells[y * patch->width + x])
                plane_put(&plane, x, y);
    plane_wake(&plane);
    worker->kernel->remember(&plane, (uint32_t) (steps / 2));
    int status = plane.full ? 1 : make_patch(&plane, patch->x, patch->y, past);
    plane_close(&plane);
    if (status == 0 && past->width * past->height > most) {
        patch_free(past);
        status = 1;
    }
    return status;
}
