/* Pictures of two-dimensional grids of bytes, written only, through libpng. Live cells are white: a sample is its
 * cell's value, scaled to black … white. Grids of two states take 1 bit a pixel. Large grids are reduced to the density
 * of square blocks, so that a picture stays something one can open. */
#include "formats.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ENLARGED_SIDE = 1024, /* a small grid's longer side is made as long as fits here */
    LONGEST_SIDE = 4096,  /* a larger grid is reduced to this */
    COMPRESSION = 4       /* of zlib: 6 gives files 5% smaller in twice the time */
};

struct picture {
    struct io_document *document;
    uint32_t index;
    const struct io_array *array;
    uint64_t width, height; /* cells */
    uint64_t scale;         /* pixels a cell, */
    uint64_t block;         /* or cells a pixel; the other one is 1 */
    uint64_t columns, rows; /* pixels */
    bool bits;              /* 1 bit a pixel, otherwise 8 */
    uint8_t *cells;         /* a row of cells */
    uint8_t *pixels;        /* a row of pixels */
    uint64_t *sums;         /* of a row of blocks */
    struct error *error;
};

static bool writes(const struct io_array *array)
{
    const struct engine_shape *shape = &array->shape;
    return shape->type == ENGINE_U8 && shape->components == 1 && shape->rank <= 2 && shape->extent[2] == 1;
}

static int plan_size(struct picture *picture, uint32_t scale)
{
    uint64_t longer = picture->width > picture->height ? picture->width : picture->height;
    picture->scale = scale;
    picture->block = 1;
    if (scale == 0) {
        picture->scale = longer < ENLARGED_SIDE ? ENLARGED_SIDE / longer : 1;
        picture->block = (longer - 1) / LONGEST_SIDE + 1;
    }
    picture->columns = (picture->width - 1) / picture->block + 1;
    picture->rows = (picture->height - 1) / picture->block + 1;
    picture->bits = picture->array->values == 2 && picture->block == 1;
    if (!multiply(picture->columns, picture->scale, &picture->columns) || picture->columns > PNG_UINT_31_MAX ||
        !multiply(picture->rows, picture->scale, &picture->rows) || picture->rows > PNG_UINT_31_MAX)
        return error_set(picture->error, STATUS_OUTPUT,
                         "%llu x %llu cells at scale %u are more pixels than a PNG file holds",
                         (unsigned long long) picture->width, (unsigned long long) picture->height, scale);
    return 0;
}

/* ---- Rows of cells to rows of pixels ------------------------------------------------------------------------ */

/* Eight cells, each 0 or 1, to a byte whose highest bit is the first: the product moves bit 8 i to 63 - i, and no two
 * bits meet on the way. */
static uint8_t pack_eight(const uint8_t *cells)
{
    uint64_t eight;
    memcpy(&eight, cells, 8);
    return (uint8_t) ((eight & UINT64_C(0x0101010101010101)) * UINT64_C(0x8040201008040201) >> 56);
}

static void pack_row(const struct picture *picture)
{
    uint64_t whole = picture->width / 8;
    for (uint64_t i = 0; i < whole; i++)
        picture->pixels[i] = pack_eight(picture->cells + 8 * i);
    if (picture->width % 8 != 0) {
        uint8_t last[8] = {0};
        memcpy(last, picture->cells + 8 * whole, picture->width % 8);
        picture->pixels[whole] = pack_eight(last);
    }
}

static void enlarge_bits(const struct picture *picture)
{
    memset(picture->pixels, 0, (picture->columns + 7) / 8);
    for (uint64_t x = 0; x < picture->columns; x++)
        if (picture->cells[x / picture->scale] & 1)
            picture->pixels[x / 8] |= (uint8_t) (0x80 >> x % 8);
}

/* The mean of `count` cells whose values add up to `sum`, 0 … 255, rounded. */
static uint8_t grey(const struct picture *picture, uint64_t sum, uint64_t count)
{
    uint64_t white = (picture->array->values > 1 ? picture->array->values - 1 : 255) * count;
    return (uint8_t) (sum >= white ? 255 : (sum * 255 + white / 2) / white);
}

static void enlarge_grey(const struct picture *picture)
{
    for (uint64_t x = 0; x < picture->width; x++)
        memset(picture->pixels + x * picture->scale, grey(picture, picture->cells[x], 1), picture->scale);
}

static int read_row(const struct picture *picture, uint64_t y)
{
    return picture->document->read(picture->document, picture->index, y * picture->width, picture->width,
                                   picture->cells, picture->error);
}

static void add_row(const struct picture *picture)
{
    for (uint64_t column = 0; column < picture->columns; column++) {
        uint64_t begin = column * picture->block, sum = 0;
        uint64_t end = begin + picture->block < picture->width ? begin + picture->block : picture->width;
        for (uint64_t x = begin; x < end; x++)
            sum += picture->cells[x];
        picture->sums[column] += sum;
    }
}

/* Row `row` of pixels from a row of blocks; those at the right and lower edges may be smaller than others. */
static int reduce_row(const struct picture *picture, uint64_t row)
{
    uint64_t top = row * picture->block;
    uint64_t bottom = top + picture->block < picture->height ? top + picture->block : picture->height;
    memset(picture->sums, 0, picture->columns * sizeof *picture->sums);
    for (uint64_t y = top; y < bottom; y++) {
        int status = read_row(picture, y);
        if (status != 0)
            return status;
        add_row(picture);
    }
    for (uint64_t column = 0; column < picture->columns; column++) {
        uint64_t rest = picture->width - column * picture->block;
        uint64_t across = rest < picture->block ? rest : picture->block;
        picture->pixels[column] = grey(picture, picture->sums[column], across * (bottom - top));
    }
    return 0;
}

static int make_row(const struct picture *picture, uint64_t row)
{
    if (picture->block > 1)
        return reduce_row(picture, row);
    int status = read_row(picture, row);
    if (status != 0)
        return status;
    if (!picture->bits)
        enlarge_grey(picture);
    else if (picture->scale == 1)
        pack_row(picture);
    else
        enlarge_bits(picture);
    return 0;
}

/* ---- libpng ------------------------------------------------------------------------------------------------- */

static PNG_NORETURN void on_error(png_structp png, png_const_charp reason)
{
    const struct picture *picture = png_get_error_ptr(png);
    if (errno != 0)
        reason = strerror(errno);
    error_set(picture->error, STATUS_OUTPUT, "cannot be written: %s", reason);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp reason)
{
    (void) png;
    (void) reason;
}

static void write_text(png_structp png, png_infop info, const char *key, const char *value)
{
    char key_copy[80], value_copy[IO_RULE_MAX];
    snprintf(key_copy, sizeof key_copy, "%s", key);
    snprintf(value_copy, sizeof value_copy, "%s", value);
    png_text text = {.compression = PNG_TEXT_COMPRESSION_NONE, .key = key_copy, .text = value_copy};
    text.text_length = strlen(value_copy);
    if (text.text_length > 0)
        png_set_text(png, info, &text, 1);
}

static void write_head(const struct picture *picture, png_structp png, png_infop info)
{
    char step[32];
    const struct io_header *header = &picture->document->header;
    snprintf(step, sizeof step, "%llu", (unsigned long long) header->step);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_compression_level(png, COMPRESSION);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_set_IHDR(png, info, (png_uint_32) picture->columns, (png_uint_32) picture->rows, picture->bits ? 1 : 8,
                 PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    write_text(png, info, "Software", "engine");
    write_text(png, info, "Title", picture->array->name);
    write_text(png, info, "Rule", header->rule);
    write_text(png, info, "Step", step);
    png_write_info(png, info);
}

/* All that libpng may jump out of; nothing here changes a variable that is looked at afterwards. */
static int encode(const struct picture *picture, png_structp png, png_infop info, FILE *file)
{
    if (setjmp(png_jmpbuf(png)) != 0)
        return picture->error->status;
    png_init_io(png, file);
    write_head(picture, png, info);
    for (uint64_t row = 0; row < picture->rows / picture->scale; row++) {
        int status = make_row(picture, row);
        if (status != 0)
            return status;
        errno = 0;
        for (uint64_t copy = 0; copy < picture->scale; copy++)
            png_write_row(png, picture->pixels);
    }
    png_write_end(png, info);
    return 0;
}

static int write_picture(struct picture *picture, FILE *file)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, picture, on_error, on_warning);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    errno = 0;
    int status = info != NULL ? encode(picture, png, info, file)
                              : error_memory(picture->error, sizeof *picture, "writing a picture");
    png_destroy_write_struct(&png, &info);
    return status;
}

static int write_file(struct picture *picture, const char *path)
{
    picture->cells = malloc(picture->width);
    picture->pixels = malloc(picture->columns);
    picture->sums = malloc(picture->block > 1 ? picture->columns * sizeof *picture->sums : 1);
    if (picture->cells == NULL || picture->pixels == NULL || picture->sums == NULL)
        return error_memory(picture->error, picture->width + picture->columns, "a picture's rows");
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        return error_set(picture->error, STATUS_OUTPUT, "cannot be made: %s", strerror(errno));
    int status = write_picture(picture, file);
    if (fclose(file) != 0 && status == 0)
        status = error_set(picture->error, STATUS_OUTPUT, "cannot be written: %s", strerror(errno));
    return status;
}

static int write_png(const char *path, struct io_document *document, const struct io_options *options,
                     struct error *error)
{
    const struct io_array *array = io_first_written(&io_png, document);
    struct picture picture = {
        .document = document,
        .index = (uint32_t) (array - document->arrays),
        .array = array,
        .width = array->shape.extent[0],
        .height = array->shape.extent[1],
        .error = error,
    };
    int status = plan_size(&picture, options->scale);
    if (status == 0)
        status = write_file(&picture, path);
    free(picture.cells);
    free(picture.pixels);
    free(picture.sums);
    return status;
}

const struct io_format io_png = {
    .name = "png",
    .help = "picture of a grid of two axes, uint8",
    .endings = ".png",
    .writes = writes,
    .write = write_png,
};
