#include "record/preview_batch.h"

#include <stdlib.h>
#include <string.h>

enum {
    TILE_LEAST = 8, /* pixels: a larger universe is reduced until its longer side is that long */
    GAP = 1,        /* pixels between tiles */
    GAP_SHADE = 80  /* as in files of pictures */
};

/* ---- The layout ----------------------------------------------------------------------------------------------- */

struct tiles {
    uint64_t width, height; /* pixels of a tile */
    uint64_t across, down;
    uint64_t shown; /* universes */
};

/* Lays out tiles of that size, in as few columns as there is space for. Returns whether all universes have a tile. */
static bool lay_out(struct tiles *tiles, uint64_t width, uint64_t height, uint64_t universes,
                    const struct preview_space *space)
{
    const uint64_t most_across = (space->columns + GAP) / (width + GAP), down = (space->rows + GAP) / (height + GAP);
    const bool all = most_across > 0 && down > 0 && divide_up(universes, down) <= most_across;
    *tiles = (struct tiles){.width = width, .height = height};
    if (most_across == 0 || down == 0)
        return false;
    tiles->across = all ? divide_up(universes, down) : most_across;
    tiles->shown = all ? universes : most_across * down;
    tiles->down = divide_up(tiles->shown, tiles->across);
    return all;
}

/* Enlarges small universes, or reduces large ones. */
static void choose_tiles(struct tiles *tiles, const struct engine_shape *shape, const struct preview_space *space)
{
    const uint64_t width = shape->extent[0], height = shape->extent[1], universes = shape->extent[2];
    const uint64_t longer = width > height ? width : height;
    uint64_t block = 1;
    while (!lay_out(tiles, divide_up(width, block), divide_up(height, block), universes, space) &&
           (divide_up(longer, block) > TILE_LEAST || tiles->shown == 0) && block < longer)
        block++;
    struct tiles larger = *tiles;
    for (uint64_t scale = 2; block == 1 && larger.shown == universes; scale++) {
        *tiles = larger;
        if (!lay_out(&larger, width * scale, height * scale, universes, space))
            break;
    }
}

/* ---- The mosaic ----------------------------------------------------------------------------------------------- */

/* Copies the picture of a universe to its tile. */
static void put_tile(struct preview *preview, const struct preview *tile, const struct tiles *tiles, uint64_t index)
{
    const uint64_t left = index % tiles->across * (tiles->width + GAP);
    const uint64_t top = index / tiles->across * (tiles->height + GAP);
    for (uint64_t y = 0; y < tile->rows * tile->scale; y++)
        for (uint64_t x = 0; x < tile->columns * tile->scale; x++) {
            const uint64_t from = y / tile->scale * tile->columns + x / tile->scale;
            const uint64_t to = (top + y) * preview->columns + left + x;
            preview->shades[to] = tile->shades[from];
            if (preview->tints)
                memcpy(preview->tints + 3 * to, tile->tints + 3 * from, 3);
        }
}

static int allocate(struct preview *preview, const struct tiles *tiles, bool colours, struct engine_error *error)
{
    preview->scale = 1;
    preview->exact = false;
    preview->columns = tiles->across * (tiles->width + GAP) - GAP;
    preview->rows = tiles->down * (tiles->height + GAP) - GAP;
    const uint64_t pixels = preview->columns * preview->rows;
    preview->shades = malloc(pixels);
    preview->tints = colours ? malloc(3 * pixels) : NULL;
    if (!preview->shades || (colours && !preview->tints))
        return error_memory(error, pixels, "a picture for the terminal");
    memset(preview->shades, GAP_SHADE, pixels);
    if (colours)
        memset(preview->tints, GAP_SHADE, 3 * pixels);
    return 0;
}

/* A universe is a plane of the batch. */
static void choose_universe(struct io_options *how, uint64_t universe)
{
    how->axis = 0;
    how->view = IO_SLICE;
    how->slice = (int64_t) universe;
}

static int draw_tiles(struct preview *preview, struct io_document *document, const struct tiles *tiles,
                      struct engine_error *error)
{
    const struct preview_space space = {.columns = tiles->width, .rows = tiles->height};
    for (uint64_t i = 0; i < tiles->shown; i++) {
        struct preview tile = {
            .ranged = preview->ranged, .low = preview->low, .high = preview->high, .how = preview->how};
        choose_universe(&tile.how, i);
        int status = preview_take(&tile, document, &space, error);
        if (status == 0 && !preview->shades)
            status = allocate(preview, tiles, tile.tints != NULL, error);
        if (status == 0)
            put_tile(preview, &tile, tiles, i);
        preview->ranged = tile.ranged, preview->low = tile.low, preview->high = tile.high;
        preview_release(&tile);
        if (status != 0)
            return status;
    }
    return 0;
}

int preview_batch_take(struct preview *preview, struct io_document *document, const struct preview_space *space,
                       struct engine_error *error)
{
    const int array = preview_array(document);
    struct tiles tiles;
    if (array < 0 || !document->arrays[array].batch || document->arrays[array].shape.rank < 3)
        return preview_take(preview, document, space, error);
    if (preview->how.universe > 0) {
        choose_universe(&preview->how, preview->how.universe - 1);
        return preview_take(preview, document, space, error);
    }
    preview_release(preview);
    preview->block = 0;
    choose_tiles(&tiles, &document->arrays[array].shape, space);
    if (tiles.shown == 0)
        return error_set(error, ENGINE_STATUS_USAGE, "the terminal is too small for a picture of one universe");
    const struct preview before = *preview;
    if (draw_tiles(preview, document, &tiles, error) != 0)
        return error->status;
    if (preview->ranged && before.ranged && preview->low == before.low && preview->high == before.high)
        return 0;
    return preview->ranged ? draw_tiles(preview, document, &tiles, error) : 0; /* all tiles have one scale */
}
