/* Animated PNG: a film of the pictures that png.c draws, https://www.w3.org/TR/png-3/#apng-frame-based-animation.
 *
 * A film grows in place, by one frame at a time, and no more than that frame is in memory. png.c writes the picture to
 * a file in memory. The compressed pixels are copied from there over the end of the film, a new end is written, and
 * last of all the number of frames at the beginning is changed. A chunk is a length, four letters, that many bytes,
 * and a CRC of the letters and bytes. Lengths are big-endian:
 *
 *     signature IHDR acTL tEXt… fcTL IDAT   tEXt… fcTL fdAT   tEXt… fcTL fdAT   …   IEND
 *
 * Each frame begins with text, at least its step. The text of the first frame is the whole text of its picture. */
#include "io/bytes.h"
#include "io/format.h"
#include "io/png_particles.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
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

/* A film that is open, with a position. */
struct film {
    int file;
    off_t at;
    uint32_t sequence; /* of the next fcTL or fdAT */
    struct engine_error *error;
};

static int failed(const struct film *film)
{
    return error_set(film->error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno));
}

static int unreadable(const struct film *film)
{
    return error_set(film->error, ENGINE_STATUS_OUTPUT, "cannot be read: %s", strerror(errno));
}

static int not_a_film(const struct film *film)
{
    return error_set(
        film->error, ENGINE_STATUS_OUTPUT,
        "is not a film that a frame can be added to; if it was changed, move it away, or use another folder");
}

static void put_word(uint8_t *to, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t) (word >> (24 - 8 * i));
}

static uint32_t word_of(const uint8_t *from)
{
    return bytes_word(from, true);
}

/* ---- Chunks --------------------------------------------------------------------------------------------------- */

static int put_bytes(struct film *film, const void *bytes, size_t count)
{
    if (!bytes_write_at(film->file, bytes, count, (uint64_t) film->at))
        return failed(film);
    film->at += (off_t) count;
    return 0;
}

/* Writes a chunk whose data come in two parts: the sequence number of fdAT, and the rest. */
static int put_chunk(struct film *film, const char *type, const uint8_t *first, size_t first_count, const uint8_t *rest,
                     size_t rest_count)
{
    uint8_t head[8], tail[4];
    put_word(head, (uint32_t) (first_count + rest_count));
    memcpy(head + 4, type, 4);
    unsigned long crc = crc32(crc32(0, head + 4, 4), first, (unsigned) first_count);
    if (rest_count > 0)
        crc = crc32(crc, rest, (unsigned) rest_count);
    put_word(tail, (uint32_t) crc);
    if (put_bytes(film, head, sizeof head) != 0 || put_bytes(film, first, first_count) != 0 ||
        put_bytes(film, rest, rest_count) != 0)
        return film->error->status;
    return put_bytes(film, tail, sizeof tail);
}

static int put_control(struct film *film, uint32_t frames)
{
    uint8_t control[CONTROL] = {0};
    put_word(control, frames);
    film->at = CONTROL_AT;
    return put_chunk(film, "acTL", control, CONTROL, NULL, 0);
}

static int put_end(struct film *film)
{
    static const uint8_t nothing[1];
    return put_chunk(film, "IEND", nothing, 0, NULL, 0);
}

/* A frame that covers the whole picture and replaces the frame before. */
static int put_frame_control(struct film *film, const uint8_t header[HEADER], uint32_t rate)
{
    uint8_t control[FRAME_CONTROL] = {0};
    put_word(control, film->sequence++);
    memcpy(control + 4, header, 8); /* width and height */
    control[21] = 1;                /* shown for 1 / rate seconds */
    control[22] = (uint8_t) (rate >> 8);
    control[23] = (uint8_t) rate;
    return put_chunk(film, "fcTL", control, FRAME_CONTROL, NULL, 0);
}

/* ---- The picture that becomes a frame ------------------------------------------------------------------------- */

/* The PNG file of one picture, in memory. */
struct image {
    uint8_t *bytes;
    size_t count;
};

static int read_image(int file, struct image *image, struct engine_error *error)
{
    struct stat info;
    *image = (struct image){0};
    bool read = fstat(file, &info) == 0;
    if (read) {
        image->count = (size_t) info.st_size;
        image->bytes = malloc(image->count);
        read = image->bytes != NULL && bytes_read(file, image->bytes, image->count, 0);
    }
    return read ? 0
                : error_set(error, ENGINE_STATUS_OUTPUT, "cannot be read back: %s", strerror(errno ? errno : ENOMEM));
}

/* A chunk of the image. */
struct chunk {
    const char *type;
    const uint8_t *data;
    uint32_t count;
};

static bool next_chunk(const struct image *image, size_t *at, struct chunk *chunk)
{
    if (*at + OVERHEAD > image->count)
        return false;
    const uint8_t *head = image->bytes + *at;
    *chunk = (struct chunk){(const char *) head + 4, head + 8, word_of(head)};
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

static int put_text(struct film *film, const struct image *image, bool all)
{
    struct chunk chunk;
    for (size_t at = SIGNATURE; next_chunk(image, &at, &chunk) && !is(&chunk, "IDAT");) {
        const char *key = (const char *) chunk.data;
        const bool differs = is(&chunk, "tEXt") && (strcmp(key, "Step") == 0 || strcmp(key, "Hash") == 0);
        if ((differs || (all && !is(&chunk, "IHDR"))) &&
            put_chunk(film, chunk.type, chunk.data, chunk.count, NULL, 0) != 0)
            return film->error->status;
    }
    return 0;
}

static int put_frame(struct film *film, struct image *image, uint32_t rate)
{
    uint8_t number[4];
    const bool first = film->sequence == 0;
    if (put_text(film, image, first) != 0 || put_frame_control(film, image->bytes + SIGNATURE + 8, rate) != 0)
        return film->error->status;
    const size_t count = join_pixels(image);
    put_word(number, first ? 0 : film->sequence++);
    return put_chunk(film, first ? "IDAT" : "fdAT", number, first ? 0 : 4, image->bytes, count);
}

/* ---- Films ---------------------------------------------------------------------------------------------------- */

static int begin_film(struct film *film, struct image *image, uint32_t rate)
{
    film->at = 0;
    if (put_bytes(film, image->bytes, CONTROL_AT) != 0 || put_control(film, 1) != 0 ||
        put_frame(film, image, rate) != 0)
        return film->error->status;
    return put_end(film);
}

/* Reads and checks the bytes of the film before its frames. */
static int read_head(const struct film *film, uint8_t head[FRAMES_AT])
{
    const bool whole = bytes_read(film->file, head, FRAMES_AT, 0);
    if (!whole && errno != 0)
        return unreadable(film);
    return whole && memcmp(head, "\x89PNG\r\n\x1a\n", SIGNATURE) == 0 && memcmp(head + CONTROL_AT + 4, "acTL", 4) == 0
               ? 0
               : not_a_film(film);
}

static int check_size(const struct film *film, const uint8_t *head, const struct image *image)
{
    const uint8_t *was = head + SIGNATURE + 8, *is_now = image->bytes + SIGNATURE + 8;
    if (memcmp(was, is_now, HEADER) == 0)
        return 0;
    return error_set(
        film->error, ENGINE_STATUS_OUTPUT,
        "the film has %u x %u pixels and this frame has %u x %u; all frames have the same size and kind of pixels",
        word_of(was), word_of(was + 4), word_of(is_now), word_of(is_now + 4));
}

/* Tells whether the film ends with the IEND chunk, and where. */
static int look_for_end(const struct film *film, off_t *at, bool *found)
{
    static const uint8_t whole[OVERHEAD] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};
    uint8_t end[OVERHEAD] = {0};
    struct stat info;
    if (TEMP_FAILURE_RETRY(fstat(film->file, &info)) != 0)
        return unreadable(film);
    *at = info.st_size - OVERHEAD;
    if (*at >= FRAMES_AT && !bytes_read(film->file, end, OVERHEAD, (uint64_t) *at))
        return unreadable(film);
    *found = memcmp(end, whole, OVERHEAD) == 0;
    return 0;
}

/* Moves to the IEND chunk, over which the next frame is written. */
static int find_end(struct film *film)
{
    bool found;
    if (look_for_end(film, &film->at, &found) != 0)
        return film->error->status;
    return found ? 0 : not_a_film(film);
}

/* Adds a frame. After an error the film ends where it ended before. */
static int add_frame(struct film *film, struct image *image, uint32_t rate)
{
    uint8_t head[FRAMES_AT];
    if (read_head(film, head) != 0 || check_size(film, head, image) != 0 || find_end(film) != 0)
        return film->error->status;
    const off_t end = film->at;
    const uint32_t frames = word_of(head + CONTROL_AT + 8);
    film->sequence = 2 * frames - 1; /* every frame has an fcTL, and every frame but the first an fdAT */
    if (put_frame(film, image, rate) == 0 && put_end(film) == 0)
        return put_control(film, frames + 1);
    struct engine_error ignored;
    struct film old = {.file = film->file, .at = end, .error = &ignored};
    if (TEMP_FAILURE_RETRY(ftruncate(film->file, end)) == 0)
        put_end(&old);
    return film->error->status;
}

/* Draws the picture of a frame. png.c writes it to a file in memory, which has no name. */
static int draw_image(struct io_document *document, const struct io_options *options, struct image *image,
                      struct engine_error *error)
{
    const int file = memfd_create("frame", MFD_CLOEXEC);
    if (file < 0)
        return error_set(error, ENGINE_STATUS_DEVICE, "no memory for a frame: %s", strerror(errno));
    int status = io_png.own->write(file, document, options, error);
    if (status == 0)
        status = read_image(file, image, error);
    close(file);
    return status;
}

static int add_document(int file, struct io_document *document, const struct io_options *options,
                        int (*add)(struct film *film, struct image *image, uint32_t rate), struct engine_error *error)
{
    struct image image = {0};
    struct film film = {.file = file, .error = error};
    int status = draw_image(document, options, &image, error);
    if (status == 0)
        status = add(&film, &image, options->rate ? options->rate : FRAMES_A_SECOND);
    free(image.bytes);
    return status;
}

static int append(int film, struct io_document *document, const struct io_options *options, struct engine_error *error)
{
    return add_document(film, document, options, add_frame, error);
}

/* All frames of particles are shown within the bounds of the first one, and with its scale. */
static int write_apng(int file, struct io_document *document, const struct io_options *options,
                      struct engine_error *error)
{
    struct io_options fixed = *options;
    if (document->frames > 1 &&
        (io_fix_bounds(document, &fixed, error) != 0 || io_fix_white(document, &fixed, error) != 0))
        return error->status;
    int status = add_document(file, document, &fixed, begin_film, error);
    for (uint64_t frame = 1; status == 0 && frame < document->frames; frame++) {
        status = io_next_frame(document, error);
        if (status == 0)
            status = append(file, document, &fixed, error);
    }
    return status;
}

/* ---- Going back ----------------------------------------------------------------------------------------------- */

enum { CHUNK_HEAD = 8 + 32 };

/* Reads the head of a chunk, and the first bytes of its data. *whole is false where it does not end within the file. */
static int read_chunk_head(const struct film *film, off_t size, uint8_t head[CHUNK_HEAD], off_t *next, bool *whole)
{
    const off_t left = size - film->at;
    memset(head, 0, CHUNK_HEAD);
    *whole = left >= OVERHEAD;
    if (!*whole)
        return 0;
    if (!bytes_read(film->file, head, left < CHUNK_HEAD ? (uint64_t) left : CHUNK_HEAD, (uint64_t) film->at))
        return unreadable(film);
    *next = film->at + OVERHEAD + (off_t) word_of(head);
    *whole = *next <= size;
    return 0;
}

/* Is the chunk the text "Step"? The digits are copied, because the byte after them, of the CRC, may be a digit too. */
static bool is_step(const uint8_t head[CHUNK_HEAD], uint64_t *step)
{
    char digits[32] = "";
    const uint32_t count = word_of(head);
    if (memcmp(head + 4, "tEXtStep", 9) != 0 || count < 5 || count > 5 + 20)
        return false;
    memcpy(digits, head + 13, count - 5);
    *step = strtoull(digits, NULL, 10);
    return true;
}

/* Counts the whole frames up to a step, and moves to the end of the last one. A frame is whole where its pixels are. */
static int count_frames(struct film *film, off_t size, uint64_t step, uint32_t *frames)
{
    uint8_t head[CHUNK_HEAD];
    uint64_t at_step;
    bool whole = true;
    off_t next = 0, end = FRAMES_AT;
    *frames = 0;
    for (film->at = FRAMES_AT; whole; film->at = next) {
        if (read_chunk_head(film, size, head, &next, &whole) != 0)
            return film->error->status;
        if (!whole || (is_step(head, &at_step) && at_step > step))
            break;
        if (memcmp(head + 4, "IDAT", 4) == 0 || memcmp(head + 4, "fdAT", 4) == 0) {
            ++*frames;
            end = next;
        }
    }
    film->at = end;
    return 0;
}

static int cut(struct film *film, uint64_t step)
{
    uint8_t head[FRAMES_AT];
    struct stat info;
    uint32_t frames = 0;
    off_t end = 0;
    bool ends = false;
    if (TEMP_FAILURE_RETRY(fstat(film->file, &info)) != 0)
        return unreadable(film);
    if (read_head(film, head) != 0 || count_frames(film, info.st_size, step, &frames) != 0)
        return film->error->status;
    if (frames == 0)
        return not_a_film(film);
    if (look_for_end(film, &end, &ends) != 0)
        return film->error->status;
    if (ends && end == film->at && word_of(head + CONTROL_AT + 8) == frames) /* there is nothing to remove */
        return 0;
    if (TEMP_FAILURE_RETRY(ftruncate(film->file, film->at)) != 0)
        return failed(film);
    return put_end(film) != 0 ? film->error->status : put_control(film, frames);
}

static int cut_film(int file, uint64_t step, uint64_t frames, struct engine_error *error)
{
    (void) frames;
    struct film film = {.file = file, .error = error};
    return cut(&film, step);
}

static bool writes(const struct engine_file_array *array)
{
    return io_png.own->writes(array);
}

static const struct engine_file_format about = {
    ENGINE_FILE_FORMAT("apng", "1.0", "animated PNG of such pictures, which browsers play", ".apng"),
    .flags = ENGINE_FORMAT_FRAMES | ENGINE_FORMAT_NOTES | ENGINE_FORMAT_BATCHES | ENGINE_FORMAT_GROWS,
    .bytes = ENGINE_SIZE_PICTURE,
};

static const struct io_own own = {
    .picture = true,
    .writes = writes,
    .write = write_apng,
    .append = append,
    .cut = cut_film,
};

const struct io_format io_apng = {.about = &about, .own = &own};
