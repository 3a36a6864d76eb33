#include "formats/pictures/png_batch.h"

#include <math.h>
#include <string.h>

enum {
    GAP_SHADE = 80,       /* of the gaps, of 255: neither dead cells nor live ones */
    BAND_BYTES = 64 << 20 /* universes next to each other that are read together, at most */
};

bool batch_is_mosaic(const struct engine_file_array *array, const struct io_options *options)
{
    return array->batch && array->shape.rank == 3 && options->universe == 0;
}

/* ---- The layout ----------------------------------------------------------------------------------------------- */

static uint64_t longer_side(const struct mosaic *mosaic)
{
    return mosaic->width > mosaic->height ? mosaic->width : mosaic->height;
}

static void set_across(struct mosaic *mosaic, uint64_t across)
{
    mosaic->across = across;
    mosaic->down = divide_up(mosaic->universes, across);
    mosaic->width = across * (mosaic->columns + mosaic->gap) - mosaic->gap;
    mosaic->height = mosaic->down * (mosaic->rows + mosaic->gap) - mosaic->gap;
}

/* Chooses between the two numbers of tiles in a row that come closest to a square. */
static void lay_tiles(struct mosaic *mosaic)
{
    const double aspect = (double) (mosaic->rows + mosaic->gap) / (double) (mosaic->columns + mosaic->gap);
    const uint64_t fewer = (uint64_t) sqrt((double) mosaic->universes * aspect);
    const uint64_t most = fewer < mosaic->universes ? fewer : mosaic->universes;
    set_across(mosaic, most > 1 ? most : 1);
    struct mosaic wider = *mosaic;
    if (mosaic->across < mosaic->universes)
        set_across(&wider, mosaic->across + 1);
    if (longer_side(&wider) < longer_side(mosaic))
        *mosaic = wider;
}

static void lay_blocks(struct mosaic *mosaic, const uint64_t *extent, uint64_t block)
{
    mosaic->block = block;
    mosaic->columns = divide_up(extent[0], block);
    mosaic->rows = divide_up(extent[1], block);
    mosaic->gap = mosaic->columns > 1 || mosaic->rows > 1;
    lay_tiles(mosaic);
}

struct mosaic batch_lay_out(const struct engine_file_array *array, const struct io_options *options)
{
    const uint64_t *extent = array->shape.extent, longer = extent[0] > extent[1] ? extent[0] : extent[1];
    struct mosaic mosaic = {.universes = extent[2]};
    lay_blocks(&mosaic, extent, 1);
    if (options->scale > 0)
        return mosaic;
    const uint64_t first = divide_up(longer_side(&mosaic), PICTURE_LONGEST_SIDE);
    for (uint64_t block = first; longer_side(&mosaic) > PICTURE_LONGEST_SIDE && mosaic.block < longer; block++)
        lay_blocks(&mosaic, extent, block < longer ? block : longer);
    return mosaic;
}

/* ---- A row of universes --------------------------------------------------------------------------------------- */

/* The universes next to each other lie one behind the other in the array. They are read together as a band, because
 * reading a row of each universe in turn would mean a transfer for each row. If they are too many, there is no band. */
struct tiles {
    struct drawing *drawing;
    const struct mosaic *mosaic;
    const struct picture *universe;
    const uint8_t (*palette)[3]; /* of samples that are not colours yet; NULL: they are grey, or colours */
    uint8_t colours[256][3];
    bool rgb;         /* the picture */
    uint64_t row;     /* of tiles, in the band */
    uint8_t *samples; /* a row of a tile */
};

static int fill_band(struct tiles *tiles, uint64_t row)
{
    const struct mosaic *mosaic = tiles->mosaic;
    const struct engine_file *file = tiles->drawing->scene->file;
    const uint64_t *extent = tiles->drawing->array->shape.extent, each = extent[0] * extent[1];
    const uint64_t first = row * mosaic->across, left = mosaic->universes - first;
    struct band *band = &tiles->drawing->band;
    tiles->row = row;
    if (!band->elements)
        return 0;
    band->begin = first * each;
    band->count = (left < mosaic->across ? left : mosaic->across) * each;
    return file->get(file, 0, band->begin, band->count, band->elements);
}

static void put_samples(const struct tiles *tiles, uint8_t *out)
{
    const uint64_t columns = tiles->mosaic->columns;
    for (uint64_t x = 0; tiles->palette && x < columns; x++)
        memcpy(out + 3 * x, tiles->palette[tiles->samples[x]], 3);
    if (!tiles->palette)
        memcpy(out, tiles->samples, (tiles->rgb ? 3 : 1) * columns);
}

static int mosaic_row(void *context, uint64_t y, uint8_t *samples)
{
    struct tiles *tiles = context;
    const struct mosaic *mosaic = tiles->mosaic;
    const uint64_t *extent = tiles->drawing->array->shape.extent, bytes = tiles->rgb ? 3 : 1;
    const uint64_t row = y / (mosaic->rows + mosaic->gap), within = y % (mosaic->rows + mosaic->gap);
    memset(samples, GAP_SHADE, bytes * mosaic->width);
    if (within >= mosaic->rows)
        return 0;
    int code = row != tiles->row ? fill_band(tiles, row) : 0;
    for (uint64_t i = 0; code == 0 && i < mosaic->across && row * mosaic->across + i < mosaic->universes; i++) {
        tiles->drawing->origin = (row * mosaic->across + i) * extent[0] * extent[1];
        code = tiles->universe->row(tiles->drawing, within, tiles->samples);
        if (code == 0)
            put_samples(tiles, samples + bytes * i * (mosaic->columns + mosaic->gap));
    }
    return code;
}

/* ---- The picture ---------------------------------------------------------------------------------------------- */

/* The colours of gaps are not those of any shade, so a picture with colours has no palette. */
static void choose_colours(struct tiles *tiles)
{
    const struct picture *universe = tiles->universe;
    const bool own = universe->colours == IO_AUTO;
    if (own && !universe->rgb)
        tiles->palette = universe->own;
    if (!own && universe->colours != IO_GREY && !universe->bilevel) {
        colours_make(universe->colours, tiles->colours);
        tiles->palette = (const uint8_t(*)[3]) tiles->colours;
    }
    tiles->rgb = tiles->palette || universe->rgb;
}

static int open_tiles(struct tiles *tiles)
{
    struct drawing *drawing = tiles->drawing;
    const struct engine_file *file = drawing->scene->file;
    const uint64_t *extent = drawing->array->shape.extent;
    const uint64_t bytes = type_bytes(drawing->array->shape.type);
    uint64_t count;
    const bool fits = multiply(extent[0] * extent[1], tiles->mosaic->across * bytes, &count) && count <= BAND_BYTES;
    tiles->samples = file->allocate(file, 3 * tiles->mosaic->columns);
    drawing->band.elements = fits ? file->allocate(file, count) : NULL;
    tiles->row = UINT64_MAX;
    return tiles->samples && (drawing->band.elements || !fits) ? 0 : ENGINE_NO_MEMORY;
}

int batch_draw(struct drawing *drawing, const struct mosaic *mosaic, const struct picture *universe)
{
    const struct engine_file *file = drawing->scene->file;
    struct tiles tiles = {.drawing = drawing, .mosaic = mosaic, .universe = universe};
    struct picture picture = *universe;
    choose_colours(&tiles);
    picture.width = mosaic->width;
    picture.height = mosaic->height;
    picture.rgb = tiles.rgb;
    picture.bilevel = false;
    picture.colours = IO_GREY;
    picture.row = mosaic_row;
    picture.context = &tiles;
    int code = open_tiles(&tiles);
    if (code == 0)
        code = picture_write(&picture);
    file->release(file, tiles.samples);
    file->release(file, drawing->band.elements);
    return code;
}
