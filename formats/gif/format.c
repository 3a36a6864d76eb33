/* Animated GIF, https://www.w3.org/Graphics/GIF/spec-gif89a.txt, of the frames of an animated PNG
 * (formats/pictures/apng.c), as MP4 films are made. libpng decodes a frame. Each frame has a table of its own colours. If
 * it has more than 256, each becomes the nearest one of a cube of 6 x 6 x 6 colours. */
#define ENGINE_FORMAT_NEEDS 3 /* films that are converted */
#include "common/film.h"
#include "lzw.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLOURS = 256, SLOTS = 1024, FASTEST = 50 /* frames a second: browsers show shorter delays as 1/10 s */ };

/* The colours of a frame. */
struct colours {
    uint8_t table[COLOURS][3];
    unsigned count;
    uint16_t slots[SLOTS]; /* a hash table: the numbers of colours, counted from 1 */
};

struct gif {
    struct film film; /* first */
    char *png;        /* the present picture: a PNG file in memory, */
    size_t bytes;
    FILE *stream;      /* which this stream makes, */
    uint8_t (*rgb)[3]; /* its pixels, */
    uint8_t *pixels;   /* and the numbers of their colours */
    uint64_t frame;    /* number of it */
    uint32_t rate;     /* frames a second */
    uint32_t side[2];  /* of all pictures */
    uint16_t (*next)[256];
    struct colours colours;
};

/* ---- Colours -------------------------------------------------------------------------------------------------- */

/* Finds or adds a colour. Returns COLOURS where there are too many. */
static unsigned number_of(struct colours *colours, const uint8_t colour[3])
{
    unsigned slot = (colour[0] * 31u + colour[1] * 139u + colour[2] * 577u) % SLOTS;
    for (; colours->slots[slot] != 0; slot = (slot + 1) % SLOTS)
        if (memcmp(colours->table[colours->slots[slot] - 1], colour, 3) == 0)
            return colours->slots[slot] - 1u;
    if (colours->count == COLOURS)
        return COLOURS;
    memcpy(colours->table[colours->count], colour, 3);
    colours->slots[slot] = (uint16_t) ++colours->count;
    return colours->count - 1;
}

static bool number_exactly(struct gif *gif, uint64_t count)
{
    unsigned number = 0;
    gif->colours.count = 0;
    memset(gif->colours.slots, 0, sizeof gif->colours.slots);
    for (uint64_t i = 0; i < count && number < COLOURS; i++) {
        if (i == 0 || memcmp(gif->rgb[i], gif->rgb[i - 1], 3) != 0)
            number = number_of(&gif->colours, gif->rgb[i]);
        gif->pixels[i] = (uint8_t) number;
    }
    return number < COLOURS;
}

static void number_nearest(struct gif *gif, uint64_t count)
{
    gif->colours.count = 216;
    for (unsigned i = 0; i < 216; i++)
        memcpy(gif->colours.table[i],
               (uint8_t[]){(uint8_t) (i / 36 * 51), (uint8_t) (i / 6 % 6 * 51), (uint8_t) (i % 6 * 51)}, 3);
    for (uint64_t i = 0; i < count; i++)
        gif->pixels[i] =
            (uint8_t) ((gif->rgb[i][0] + 25) / 51 * 36 + (gif->rgb[i][1] + 25) / 51 * 6 + (gif->rgb[i][2] + 25) / 51);
}

/* ---- The file ------------------------------------------------------------------------------------------------- */

static int put_bytes(const struct gif *gif, const void *bytes, uint64_t count)
{
    return gif->film.file->write(gif->film.file, bytes, count);
}

#define LOW_HIGH(number) (uint8_t)(number), (uint8_t) ((number) >> 8)

static int put_head(const struct gif *gif)
{
    const uint8_t size[] = {LOW_HIGH(gif->side[0]), LOW_HIGH(gif->side[1]), 0x70, 0, 0};
    if (put_bytes(gif, "GIF89a", 6) != 0 || put_bytes(gif, size, sizeof size) != 0)
        return ENGINE_INVALID;
    return put_bytes(gif, "\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00", 19); /* is repeated for ever */
}

/* Delays are hundredths of a second. They differ by one where the rate does not divide 100. */
static int put_frame(struct gif *gif, uint64_t count)
{
    const uint64_t delay = 100 * (gif->frame + 1) / gif->rate - 100 * gif->frame / gif->rate;
    unsigned bits = 1;
    while (1u << bits < gif->colours.count)
        bits++;
    const uint8_t control[] = {0x21, 0xf9, 4, 4, LOW_HIGH(delay), 0, 0};
    const uint8_t image[] = {0x2c, 0, 0, 0, 0, LOW_HIGH(gif->side[0]), LOW_HIGH(gif->side[1]), (uint8_t) (0x7f + bits)};
    if (put_bytes(gif, control, sizeof control) != 0 || put_bytes(gif, image, sizeof image) != 0 ||
        put_bytes(gif, gif->colours.table, 3u << bits) != 0)
        return ENGINE_INVALID;
    gif->frame++;
    return lzw_write(gif->film.file, gif->pixels, count, bits, gif->next);
}

/* ---- Pictures ------------------------------------------------------------------------------------------------- */

static int no_memory(const struct gif *gif)
{
    return gif->film.file->fail(gif->film.file, ENGINE_NO_MEMORY, ENGINE_AT_FILE, 0, "no memory for a frame");
}

static int begin_film(struct gif *gif, const png_image *image)
{
    const struct engine_file *file = gif->film.file;
    const uint64_t count = (uint64_t) image->width * image->height;
    if (image->width > UINT16_MAX || image->height > UINT16_MAX)
        return ENGINE_FAIL_FILE(file, "a GIF file has at most 65535 x 65535 pixels, and the film has %u x %u",
                                image->width, image->height);
    gif->side[0] = image->width;
    gif->side[1] = image->height;
    gif->rgb = file->allocate(file, 3 * count);
    gif->pixels = gif->rgb != NULL ? file->allocate(file, count) : NULL;
    gif->next = gif->pixels != NULL ? file->allocate(file, LZW_CODES * sizeof *gif->next) : NULL;
    return gif->next != NULL ? put_head(gif) : ENGINE_NO_MEMORY;
}

/* Decodes the picture, and writes it. */
static int put_picture(struct gif *gif)
{
    const struct engine_file *file = gif->film.file;
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (png_image_begin_read_from_memory(&image, gif->png, gif->bytes) == 0)
        return ENGINE_FAIL_FILE(file, "a frame of the animated PNG cannot be read: %s", image.message);
    image.format = PNG_FORMAT_RGB;
    const int code = gif->frame == 0 ? begin_film(gif, &image) : 0;
    if (code != 0) {
        png_image_free(&image);
        return code;
    }
    if (png_image_finish_read(&image, NULL, gif->rgb, 0, NULL) == 0)
        return ENGINE_FAIL_FILE(file, "a frame of the animated PNG cannot be read: %s", image.message);
    const uint64_t count = (uint64_t) gif->side[0] * gif->side[1];
    if (!number_exactly(gif, count))
        number_nearest(gif, count);
    return put_frame(gif, count);
}

static void put(struct film *film, const void *bytes, size_t count)
{
    struct gif *gif = (struct gif *) film;
    if (gif->stream == NULL)
        gif->stream = open_memstream(&gif->png, &gif->bytes);
    if (gif->stream != NULL)
        fwrite(bytes, 1, count, gif->stream);
}

static int end_picture(struct film *film)
{
    struct gif *gif = (struct gif *) film;
    FILE *stream = gif->stream;
    gif->stream = NULL;
    bool whole = stream != NULL && ferror(stream) == 0;
    if (stream != NULL)
        whole = fclose(stream) == 0 && gif->png != NULL && whole; /* fclose does not report every lack of memory */
    const int code = whole ? put_picture(gif) : no_memory(gif);
    free(gif->png);
    gif->png = NULL;
    return code;
}

static int encode(const struct engine_file *film, const struct engine_file *file)
{
    struct gif *gif = file->allocate(file, sizeof *gif);
    if (gif == NULL)
        return ENGINE_NO_MEMORY;
    *gif = (struct gif){.film = {.film = film, .file = file, .put = put, .picture = end_picture}, .rate = FASTEST};
    int code = film_find_rate(&gif->film, &gif->rate);
    gif->rate = gif->rate < 1 || gif->rate > FASTEST ? FASTEST : gif->rate;
    if (code == 0)
        code = film_put_pictures(&gif->film);
    if (gif->stream != NULL)
        fclose(gif->stream);
    free(gif->png);
    return code == 0 ? put_bytes(gif, ";", 1) : code;
}

ENGINE_EXPORT const struct engine_file_format engine_file_format = {
    ENGINE_FILE_FORMAT("gif", "1.0", "the same film as animated GIF, with at most 256 colours in a frame", ".gif"),
    .flags = ENGINE_FORMAT_PICTURE | ENGINE_FORMAT_FRAMES | ENGINE_FORMAT_BATCHES,
    .arrays = "position *",
    .bytes = ENGINE_SIZE_PICTURE,
    .film = "apng",
    .encode = encode,
};
