#include "formats/pictures/picture.h"
#include "formats/pictures/caption.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

enum {
    COMPRESSION = 4, /* level of zlib: level 6 gives files 5% smaller in twice the time */
    LINES_FROM = 8,  /* pixels of a sample, from which on there are lines between samples */
    LINE = 64        /* their level of grey, darker than live cells and brighter than dead ones */
};

struct encoder {
    const struct picture *picture;
    uint64_t columns, rows; /* pixels, without the caption */
    uint8_t *samples;       /* a row */
    uint8_t *pixels;        /* a row */
    bool lines;             /* between samples */
    struct caption caption; /* height 0: there is none */
    bool rgb;               /* pixels are red, green and blue, because samples are, or for lines and a caption */
    uint8_t palette[256][3];
};

uint64_t picture_scale(uint64_t width, uint64_t height)
{
    uint64_t longer = width > height ? width : height;
    return longer < PICTURE_ENLARGED_SIDE ? PICTURE_ENLARGED_SIDE / longer : 1;
}

/* ---- Rows of samples to rows of pixels ---------------------------------------------------------------------- */

/* Packs eight samples, each 0 or 1, into a byte whose highest bit is the first sample. The product moves bit 8 i to bit
 * 63 - i, and no two products share a bit. */
static uint8_t pack_eight(const uint8_t *samples)
{
    uint64_t eight;
    memcpy(&eight, samples, 8);
    return (uint8_t) ((eight & UINT64_C(0x0101010101010101)) * UINT64_C(0x8040201008040201) >> 56);
}

static void pack_row(const struct encoder *encoder)
{
    uint64_t whole = encoder->columns / 8;
    for (uint64_t i = 0; i < whole; i++)
        encoder->pixels[i] = pack_eight(encoder->samples + 8 * i);
    if (encoder->columns % 8 != 0) {
        uint8_t last[8] = {0};
        memcpy(last, encoder->samples + 8 * whole, encoder->columns % 8);
        encoder->pixels[whole] = pack_eight(last);
    }
}

static void enlarge_bits(const struct encoder *encoder)
{
    memset(encoder->pixels, 0, (encoder->columns + 7) / 8);
    for (uint64_t x = 0; x < encoder->columns; x++)
        if (encoder->samples[x / encoder->picture->scale] & 1)
            encoder->pixels[x / 8] |= (uint8_t) (0x80 >> x % 8);
}

static void enlarge_grey(const struct encoder *encoder)
{
    const uint64_t scale = encoder->picture->scale;
    for (uint64_t x = 0; x < encoder->picture->width; x++)
        memset(encoder->pixels + x * scale, encoder->samples[x], scale);
}

static void enlarge_rgb(const struct encoder *encoder)
{
    for (uint64_t x = 0; x < encoder->columns; x++)
        memcpy(encoder->pixels + 3 * x, encoder->samples + 3 * (x / encoder->picture->scale), 3);
}

/* Makes colours of samples that are none. */
static void paint_samples(const struct encoder *encoder)
{
    const unsigned mask = encoder->picture->bilevel ? 1 : 255;
    for (uint64_t x = 0; x < encoder->columns; x++)
        memcpy(encoder->pixels + 3 * x, encoder->palette[encoder->samples[x / encoder->picture->scale] & mask], 3);
}

/* The last pixel of each sample but that at the edge. */
static void put_lines(const struct encoder *encoder)
{
    const uint64_t scale = encoder->picture->scale;
    for (uint64_t x = scale; x < encoder->columns; x += scale)
        memset(encoder->pixels + 3 * (x - 1), LINE, 3);
}

static void make_pixels(const struct encoder *encoder)
{
    if (encoder->picture->rgb)
        enlarge_rgb(encoder);
    else if (encoder->rgb)
        paint_samples(encoder);
    else if (!encoder->picture->bilevel)
        enlarge_grey(encoder);
    else if (encoder->picture->scale == 1)
        pack_row(encoder);
    else
        enlarge_bits(encoder);
    if (encoder->lines)
        put_lines(encoder);
}

/* ---- Colours -------------------------------------------------------------------------------------------------- */

static bool is_coloured(const struct picture *picture)
{
    const bool mapped = picture->colours == IO_AUTO ? picture->own != NULL : picture->colours != IO_GREY;
    return mapped && !picture->bilevel && !picture->rgb;
}

/* Makes the colours of all samples. */
static void make_palette(const struct picture *picture, uint8_t palette[256][3])
{
    if (!is_coloured(picture))
        colours_make(IO_GREY, palette);
    else if (picture->colours == IO_AUTO)
        memcpy(palette, picture->own, 256 * sizeof *palette);
    else
        colours_make(picture->colours, palette);
    if (picture->bilevel)
        memcpy(palette[1], palette[255], sizeof *palette);
}

/* ---- libpng ------------------------------------------------------------------------------------------------- */

static PNG_NORETURN void on_error(png_structp png, png_const_charp reason)
{
    const struct encoder *encoder = png_get_error_ptr(png);
    if (errno != 0)
        reason = strerror(errno);
    ENGINE_FAIL_FILE(encoder->picture->scene->file, "cannot be written: %s", reason);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp reason)
{
    (void) png;
    (void) reason;
}

/* Text beyond ASCII goes into an iTXt chunk, which is UTF-8. libpng copies both texts and changes neither. */
static void write_text(png_structp png, png_infop info, const char *key, const char *value)
{
    bool ascii = true;
    for (const char *c = value; *c != '\0'; c++)
        ascii = ascii && (unsigned char) *c < 0x80;
    png_text text = {.compression = ascii ? PNG_TEXT_COMPRESSION_NONE : PNG_ITXT_COMPRESSION_NONE,
                     .key = (char *) (uintptr_t) key,
                     .text = (char *) (uintptr_t) value};
    *(ascii ? &text.text_length : &text.itxt_length) = strlen(value);
    if (*value != '\0')
        png_set_text(png, info, &text, 1);
}

static void write_palette(png_structp png, png_infop info, const struct encoder *encoder)
{
    png_color entries[256];
    for (int i = 0; i < 256; i++)
        entries[i] = (png_color){encoder->palette[i][0], encoder->palette[i][1], encoder->palette[i][2]};
    png_set_PLTE(png, info, entries, 256);
}

static void write_head(const struct encoder *encoder, png_structp png, png_infop info)
{
    char step[32];
    const struct picture *picture = encoder->picture;
    const struct engine_file_content *content = picture->scene->content;
    const bool coloured = is_coloured(picture) && !encoder->rgb;
    snprintf(step, sizeof step, "%llu", (unsigned long long) picture->scene->frame->step);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_compression_level(png, COMPRESSION);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_set_IHDR(png, info, (png_uint_32) encoder->columns, (png_uint_32) (encoder->rows + encoder->caption.height),
                 picture->bilevel && !encoder->rgb ? 1 : 8,
                 encoder->rgb ? PNG_COLOR_TYPE_RGB
                 : coloured   ? PNG_COLOR_TYPE_PALETTE
                              : PNG_COLOR_TYPE_GRAY,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (coloured)
        write_palette(png, info, encoder);
    write_text(png, info, "Software", "engine");
    write_text(png, info, "Title", content->arrays.at[0].name);
    write_text(png, info, "Rule", content->rule != NULL ? content->rule : "");
    write_text(png, info, "Step", step);
    for (uint64_t i = 0; i < content->note_count; i++)
        write_text(png, info, content->notes[i].key, content->notes[i].text);
    png_write_info(png, info);
}

/* Writes a row of samples. The last row of pixels is a line, unless it lies at the edge. */
static void write_rows(const struct encoder *encoder, png_structp png, uint64_t y)
{
    const uint64_t scale = encoder->picture->scale, line = encoder->lines && y + 1 < encoder->picture->height;
    make_pixels(encoder);
    for (uint64_t copy = line; copy < scale; copy++)
        png_write_row(png, encoder->pixels);
    if (line) {
        memset(encoder->pixels, LINE, 3 * encoder->columns);
        png_write_row(png, encoder->pixels);
    }
}

static void write_caption(const struct encoder *encoder, png_structp png)
{
    const struct caption *caption = &encoder->caption;
    for (uint64_t y = 0; y < caption->height; y++) {
        for (uint64_t x = 0; x < caption->width; x++)
            memset(encoder->pixels + 3 * x, caption->levels[y * caption->width + x], 3);
        png_write_row(png, encoder->pixels);
    }
}

/* libpng may jump out of this function. It changes no variable that is read after the jump. */
static int encode(const struct encoder *encoder, png_structp png, png_infop info)
{
    const struct picture *picture = encoder->picture;
    if (setjmp(png_jmpbuf(png)) != 0)
        return ENGINE_INVALID;
    png_init_io(png, picture->scene->stream);
    write_head(encoder, png, info);
    for (uint64_t y = 0; y < picture->height; y++) {
        const int code = picture->row(picture->context, y, encoder->samples);
        if (code != 0)
            return code;
        errno = 0;
        write_rows(encoder, png, y);
    }
    write_caption(encoder, png);
    png_write_end(png, info);
    return 0;
}

static int encode_file(struct encoder *encoder)
{
    const struct engine_file *file = encoder->picture->scene->file;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, encoder, on_error, on_warning);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    errno = 0;
    const int code = info != NULL
                         ? encode(encoder, png, info)
                         : file->fail(file, ENGINE_NO_MEMORY, ENGINE_AT_FILE, 0, "no memory for writing a picture");
    png_destroy_write_struct(&png, &info);
    return code;
}

static int add_caption(struct encoder *encoder)
{
    const struct picture *picture = encoder->picture;
    const struct io_options *options = picture->scene->options;
    const struct engine_file_frame *frame = picture->scene->frame;
    const double time = frame->has & ENGINE_HAS_TIME ? frame->time
                        : options->time_step != 0    ? (double) frame->step * options->time_step
                                                     : (double) NAN;
    return options->captions
               ? caption_make(picture->scene->file, &encoder->caption, encoder->columns,
                              (double) picture->scale * picture->samples_per_unit, picture->unit, frame->step, time)
               : 0;
}

int picture_write(const struct picture *picture)
{
    const struct engine_file *file = picture->scene->file;
    struct encoder encoder = {.picture = picture,
                              .lines = picture->scene->options->lines && picture->scale >= LINES_FROM};
    if (!multiply(picture->width, picture->scale, &encoder.columns) || encoder.columns > PNG_UINT_31_MAX ||
        !multiply(picture->height, picture->scale, &encoder.rows) ||
        encoder.rows > PNG_UINT_31_MAX - caption_height_most(encoder.columns))
        return ENGINE_FAIL_FILE(file, "%llu x %llu cells at scale %llu are more pixels than a PNG file holds",
                                (unsigned long long) picture->width, (unsigned long long) picture->height,
                                (unsigned long long) picture->scale);
    encoder.rgb = picture->rgb || encoder.lines || picture->scene->options->captions;
    make_palette(picture, encoder.palette);
    encoder.samples = file->allocate(file, (picture->rgb ? 3 : 1) * picture->width);
    encoder.pixels = file->allocate(file, (encoder.rgb ? 3 : 1) * encoder.columns);
    int code = encoder.samples != NULL && encoder.pixels != NULL ? add_caption(&encoder) : ENGINE_NO_MEMORY;
    if (code == 0)
        code = encode_file(&encoder);
    file->release(file, encoder.samples);
    file->release(file, encoder.pixels);
    file->release(file, encoder.caption.levels);
    return code;
}
