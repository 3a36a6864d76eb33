/* Animated PNG: a film of the pictures that png.c draws, https://www.w3.org/TR/png-3/#apng-frame-based-animation.
 *
 * A film grows in place, by one frame at a time, and no more than that frame is in memory. png.c writes the picture to
 * memory. The frame and a new end are written behind the film, all but the first bytes, then these replace its end, and
 * last of all the number of frames at the beginning is changed. A chunk is a length, four letters, that many bytes,
 * and a CRC of the letters and bytes. Lengths are big-endian:
 *
 *     signature IHDR acTL tEXt… fcTL IDAT   tEXt… fcTL fdAT   tEXt… fcTL fdAT   …   IEND
 *
 * Each frame begins with text, at least its step. The text of the first frame is the whole text of its picture. */
#include "base/text.h"
#include "files/bytes.h"
#include "files/file.h"
#include "files/particles.h"
#include "formats/pictures/png.h"
#include "formats/pictures/png_particles.h"

#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    SIGNATURE = 8,
    OVERHEAD = 12, /* bytes of a chunk besides its data: length, type, CRC */
    HEADER = 13,   /* bytes of IHDR */
    CONTROL = 8,   /* bytes of acTL: number of frames, number of plays (0: for ever) */
    CONTROL_AT = SIGNATURE + OVERHEAD + HEADER,
    FRAMES_AT = CONTROL_AT + OVERHEAD + CONTROL, /* after acTL */
    FRAME_CONTROL = 26,
    FRAMES_A_SECOND = 10
};

static const uint8_t end_chunk[OVERHEAD] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};

/* Bytes in memory, of a picture or of a frame. */
struct image {
    char *bytes;
    size_t count;
};

static int not_a_film(const struct engine_file *file)
{
    return ENGINE_FAIL_FILE(
        file, "is not a film that a frame can be added to; if it was changed, move it away, or use another folder");
}

static int no_memory(const struct engine_file *file)
{
    return file->fail(file, ENGINE_NO_MEMORY, ENGINE_AT_FILE, 0, "no memory for a frame: %s", strerror(errno));
}

static void put_word(uint8_t *to, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t) (word >> (24 - 8 * i));
}

static uint32_t word_of(const void *from)
{
    return bytes_word(from, true);
}

/* ---- Chunks --------------------------------------------------------------------------------------------------- */

/* A frame that is made in memory. */
struct making {
    FILE *stream;
    uint32_t sequence; /* of the next fcTL or fdAT */
};

/* Writes a chunk whose data come in two parts: the sequence number of fdAT, and the rest. */
static void put_chunk(const struct making *making, const char *type, const void *first, size_t first_count,
                      const void *rest, size_t rest_count)
{
    uint8_t head[8], tail[4];
    put_word(head, (uint32_t) (first_count + rest_count));
    memcpy(head + 4, type, 4);
    unsigned long crc = crc32(crc32(0, head + 4, 4), first, (unsigned) first_count);
    if (rest_count > 0)
        crc = crc32(crc, rest, (unsigned) rest_count);
    put_word(tail, (uint32_t) crc);
    fwrite(head, 1, sizeof head, making->stream);
    fwrite(first, 1, first_count, making->stream);
    if (rest_count > 0)
        fwrite(rest, 1, rest_count, making->stream);
    fwrite(tail, 1, sizeof tail, making->stream);
}

static void put_control(const struct making *making, uint32_t frames)
{
    uint8_t control[CONTROL] = {0};
    put_word(control, frames);
    put_chunk(making, "acTL", control, CONTROL, NULL, 0);
}

/* A frame that covers the whole picture and replaces the frame before. `header` is that of the picture. */
static void put_frame_control(struct making *making, const char *header, uint32_t rate)
{
    uint8_t control[FRAME_CONTROL] = {0};
    put_word(control, making->sequence++);
    memcpy(control + 4, header, 8); /* width and height */
    control[21] = 1;                /* shown for 1 / rate seconds */
    control[22] = (uint8_t) (rate >> 8);
    control[23] = (uint8_t) rate;
    put_chunk(making, "fcTL", control, FRAME_CONTROL, NULL, 0);
}

/* ---- The picture that becomes a frame ------------------------------------------------------------------------- */

/* Draws the picture of a frame, as a PNG file in memory. */
static int draw_image(const struct scene *of, struct image *image)
{
    struct scene scene = *of;
    scene.stream = open_memstream(&image->bytes, &image->count);
    if (scene.stream == NULL)
        return no_memory(scene.file);
    const int code = png_draw(&scene);
    return text_stream_close(scene.stream, &image->bytes) || code != 0 ? code : no_memory(scene.file);
}

/* A chunk of the image. */
struct chunk {
    const char *type, *data;
    uint32_t count;
};

static bool next_chunk(const struct image *image, size_t *at, struct chunk *chunk)
{
    if (*at + OVERHEAD > image->count)
        return false;
    const char *head = image->bytes + *at;
    *chunk = (struct chunk){head + 4, head + 8, word_of(head)};
    *at += OVERHEAD + (size_t) chunk->count;
    return *at <= image->count;
}

static bool is(const struct chunk *chunk, const char *type)
{
    return memcmp(chunk->type, type, 4) == 0;
}

/* Joins the data of all IDAT chunks at the beginning of the image, whose text is no longer needed. Returns the
 * bytes. */
static size_t join_pixels(struct image *image)
{
    struct chunk chunk;
    size_t count = 0;
    for (size_t at = SIGNATURE; next_chunk(image, &at, &chunk);)
        if (is(&chunk, "IDAT")) {
            memmove(image->bytes + count, chunk.data, chunk.count);
            count += chunk.count;
        }
    return count;
}

static void put_text(const struct making *making, const struct image *image, bool all)
{
    struct chunk chunk;
    for (size_t at = SIGNATURE; next_chunk(image, &at, &chunk) && !is(&chunk, "IDAT");) {
        const bool differs = is(&chunk, "tEXt") && (strcmp(chunk.data, "Step") == 0 || strcmp(chunk.data, "Hash") == 0);
        if (differs || (all && !is(&chunk, "IHDR")))
            put_chunk(making, chunk.type, chunk.data, chunk.count, NULL, 0);
    }
}

static void put_frame(struct making *making, struct image *image, uint32_t rate)
{
    uint8_t number[4];
    const bool first = making->sequence == 0;
    put_text(making, image, first);
    put_frame_control(making, image->bytes + SIGNATURE + 8, rate);
    const size_t count = join_pixels(image);
    put_word(number, first ? 0 : making->sequence++);
    put_chunk(making, first ? "IDAT" : "fdAT", number, first ? 0 : 4, image->bytes, count);
}

/* Makes a film of the last of so many frames, whose other frames are left out. */
static int make_film(const struct engine_file *file, struct image *image, uint32_t frames, uint32_t rate,
                     struct image *film)
{
    /* every frame has an fcTL, and every frame but the first an fdAT */
    struct making making = {open_memstream(&film->bytes, &film->count), frames == 1 ? 0 : 2 * frames - 3};
    if (making.stream == NULL)
        return no_memory(file);
    fwrite(image->bytes, 1, CONTROL_AT, making.stream);
    put_control(&making, frames);
    put_frame(&making, image, rate);
    fwrite(end_chunk, 1, OVERHEAD, making.stream);
    return text_stream_close(making.stream, &film->bytes) ? 0 : no_memory(file);
}

/* ---- Films ---------------------------------------------------------------------------------------------------- */

/* Reads and checks the bytes of the film before its frames. */
static int read_head(const struct engine_file *file, uint8_t head[FRAMES_AT])
{
    if (file->bytes < FRAMES_AT + OVERHEAD)
        return not_a_film(file);
    if (file->read(file, 0, FRAMES_AT, head) != 0)
        return ENGINE_INVALID;
    return memcmp(head, "\x89PNG\r\n\x1a\n", SIGNATURE) == 0 && memcmp(head + CONTROL_AT + 4, "acTL", 4) == 0
               ? 0
               : not_a_film(file);
}

static int check_size(const struct engine_file *file, const uint8_t *head, const struct image *image)
{
    const uint8_t *was = head + SIGNATURE + 8;
    const char *is_now = image->bytes + SIGNATURE + 8;
    if (memcmp(was, is_now, HEADER) == 0)
        return 0;
    return ENGINE_FAIL_FILE(
        file,
        "the film has %u x %u pixels and this frame has %u x %u; all frames have the same size and kind of pixels",
        word_of(was), word_of(was + 4), word_of(is_now), word_of(is_now + 4));
}

/* Does the film end with the IEND chunk at this byte? */
static int check_end(const struct engine_file *file, uint64_t at, bool *ends)
{
    uint8_t end[OVERHEAD];
    *ends = at + OVERHEAD == file->bytes;
    if (*ends && file->read(file, at, OVERHEAD, end) != 0)
        return ENGINE_INVALID;
    *ends = *ends && memcmp(end, end_chunk, OVERHEAD) == 0;
    return 0;
}

/* Adds a frame. Its end is written first, so that the film is as before if this fails. */
static int add_frame(const struct engine_file *file, struct image *image, uint32_t rate)
{
    uint8_t head[FRAMES_AT];
    bool ends;
    struct image film = {NULL, 0};
    if (read_head(file, head) != 0 || check_size(file, head, image) != 0 ||
        check_end(file, file->bytes - OVERHEAD, &ends) != 0)
        return ENGINE_INVALID;
    int code = ends ? make_film(file, image, word_of(head + CONTROL_AT + 8) + 1, rate, &film) : not_a_film(file);
    const uint64_t end = file->bytes - OVERHEAD, behind = FRAMES_AT + OVERHEAD;
    if (code == 0)
        code = file->write(file, film.bytes + behind, film.count - behind);
    if (code == 0)
        code = file->write_at(file, end, film.bytes + FRAMES_AT, OVERHEAD);
    if (code == 0)
        code = file->write_at(file, CONTROL_AT, film.bytes + CONTROL_AT, FRAMES_AT - CONTROL_AT);
    free(film.bytes);
    return code;
}

static int begin_film(const struct engine_file *file, struct image *image, uint32_t rate)
{
    struct image film = {NULL, 0};
    int code = make_film(file, image, 1, rate, &film);
    if (code == 0)
        code = file->write(file, film.bytes, film.count);
    free(film.bytes);
    return code;
}

/* All frames of particles are shown within the bounds of the first one, and with its scale. */
static int create(const struct engine_file *file, const struct engine_file_content *content, void **self)
{
    struct io_options *options = file->allocate(file, sizeof *options);
    (void) content;
    if (options == NULL)
        return ENGINE_NO_MEMORY;
    *options = *file_options(file);
    *self = options;
    return 0;
}

/* A film whose pictures had no colours when it began stays grey. */
static int keep_grey(const struct engine_file *file, struct io_options *options)
{
    uint8_t head[FRAMES_AT];
    const uint8_t *kind = head + SIGNATURE + 8 + 9; /* of pixels, in IHDR; 0: grey */
    if (file->bytes == 0 || options->colours != IO_AUTO)
        return 0;
    if (read_head(file, head) != 0)
        return ENGINE_INVALID;
    options->colours = *kind == 0 ? IO_GREY : IO_AUTO;
    return 0;
}

static int write_frame(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    struct io_options *options = self;
    struct image image = {NULL, 0};
    const struct scene scene = {.file = file, .content = frame->content, .frame = frame, .options = options};
    const uint32_t rate = options->rate ? options->rate : FRAMES_A_SECOND;
    if (particles_are_positions(&frame->content->arrays.at[0]) &&
        (particles_fix_bounds(file, frame, options) != 0 || particles_fix_white(file, frame, options) != 0))
        return ENGINE_INVALID;
    int code = keep_grey(file, options);
    if (code == 0)
        code = draw_image(&scene, &image);
    if (code == 0)
        code = file->bytes == 0 ? begin_film(file, &image, rate) : add_frame(file, &image, rate);
    free(image.bytes);
    return code;
}

/* ---- Going back ----------------------------------------------------------------------------------------------- */

/* Finds the end of frame number `frames`, counted from 1. A frame is whole where its pixels are. */
static int find_end(const struct engine_file *file, uint64_t frames, uint64_t *end)
{
    uint8_t head[8] = {0};
    uint64_t found = 0, next;
    for (*end = FRAMES_AT; found < frames; *end = next) {
        const bool there = *end + OVERHEAD <= file->bytes;
        if (there && file->read(file, *end, sizeof head, head) != 0)
            return ENGINE_INVALID;
        next = *end + OVERHEAD + word_of(head);
        if (!there || next > file->bytes || memcmp(head + 4, "IEND", 4) == 0)
            return found == 0 ? not_a_film(file)
                              : ENGINE_FAIL_FILE(file, "has %llu frames; expected at least %llu",
                                                 (unsigned long long) found, (unsigned long long) frames);
        found += memcmp(head + 4, "IDAT", 4) == 0 || memcmp(head + 4, "fdAT", 4) == 0;
    }
    return 0;
}

/* Writes IEND behind the frames, over what follows them and perhaps beyond that. */
static int put_end(const struct engine_file *file, uint64_t at)
{
    const uint64_t left = file->bytes - at, there = left < OVERHEAD ? left : OVERHEAD;
    const int code = file->write_at(file, at, end_chunk, there);
    return code == 0 && there < OVERHEAD ? file->write(file, end_chunk + there, OVERHEAD - there) : code;
}

static int cut(const struct engine_file *file, uint64_t frames, uint64_t *end)
{
    uint8_t head[FRAMES_AT];
    struct image control = {NULL, 0};
    bool ends;
    if (read_head(file, head) != 0 || find_end(file, frames, end) != 0 || check_end(file, *end, &ends) != 0)
        return ENGINE_INVALID;
    *end += OVERHEAD;
    if (ends && word_of(head + CONTROL_AT + 8) == frames) /* there is nothing to remove */
        return 0;
    const struct making making = {.stream = open_memstream(&control.bytes, &control.count)};
    if (making.stream == NULL)
        return no_memory(file);
    put_control(&making, (uint32_t) frames);
    int code = text_stream_close(making.stream, &control.bytes) ? put_end(file, *end - OVERHEAD) : no_memory(file);
    if (code == 0)
        code = file->write_at(file, CONTROL_AT, control.bytes, control.count);
    free(control.bytes);
    return code;
}

const struct engine_file_format apng_file_format = {
    ENGINE_FILE_FORMAT("apng", "1.0", "animated PNG of such pictures, which browsers play", ".apng"),
    .flags = ENGINE_FORMAT_PICTURE | ENGINE_FORMAT_FRAMES | ENGINE_FORMAT_NOTES | ENGINE_FORMAT_BATCHES |
             ENGINE_FORMAT_GROWS | ENGINE_FORMAT_VARIES,
    .arrays = PNG_ARRAYS,
    .create = create,
    .write = write_frame,
    .cut = cut,
    .holds = png_holds,
    .bytes = ENGINE_SIZE_PICTURE,
};
