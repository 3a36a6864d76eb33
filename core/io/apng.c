/* Animated PNG: a film of the pictures that png.c draws, https://www.w3.org/TR/png-3/#apng-frame-based-animation.
 *
 * A film grows in place, by one frame at a time, and no more than that frame is in memory. png.c writes the picture to
 * a file. The compressed pixels are copied from there over the end of the film, a new end is written, and last of all
 * the number of frames at the beginning is changed. A chunk is a length, four letters, that many bytes, and a CRC of
 * the letters and bytes. Lengths are big-endian:
 *
 *     signature IHDR acTL tEXt… fcTL IDAT   tEXt… fcTL fdAT   tEXt… fcTL fdAT   …   IEND
 *
 * Each frame begins with text, at least its step. The text of the first frame is the whole text of its picture. */
#include "io/bytes.h"
#include "io/format.h"
#include "io/png_particles.h"

#include <errno.h>
#include <fcntl.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    const uint8_t *from = bytes;
    while (count > 0) {
        const ssize_t written = pwrite(film->file, from, count, film->at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return failed(film);
        from += written, count -= (size_t) written, film->at += written;
    }
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

static int read_image(const char *path, struct image *image, struct engine_error *error)
{
    FILE *file = fopen(path, "rbe");
    struct stat info;
    *image = (struct image){0};
    bool read = file != NULL && fstat(fileno(file), &info) == 0;
    if (read) {
        image->count = (size_t) info.st_size;
        image->bytes = malloc(image->count);
        read = image->bytes != NULL && fread(image->bytes, 1, image->count, file) == image->count;
    }
    if (file != NULL)
        fclose(file);
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
    const bool whole = pread(film->file, head, FRAMES_AT, 0) == FRAMES_AT;
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

/* Moves to the IEND chunk, over which the next frame is written. */
static int find_end(struct film *film)
{
    uint8_t end[OVERHEAD];
    struct stat info;
    if (fstat(film->file, &info) != 0)
        return failed(film);
    film->at = info.st_size - OVERHEAD;
    if (film->at < FRAMES_AT || pread(film->file, end, OVERHEAD, film->at) != OVERHEAD ||
        memcmp(end + 4, "IEND", 4) != 0)
        return not_a_film(film);
    return 0;
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
    if (ftruncate(film->file, end) == 0)
        put_end(&old);
    return film->error->status;
}

/* Opens the film at a path with these flags, and calls `work`. */
static int with_film(const char *path, int flags, struct image *image, uint32_t rate,
                     int (*work)(struct film *film, struct image *image, uint32_t rate), struct engine_error *error)
{
    struct film film = {.file = open(path, flags | O_CLOEXEC, 0666), .error = error};
    if (film.file < 0)
        return error_set(error, ENGINE_STATUS_OUTPUT, "cannot be opened: %s", strerror(errno));
    int status = work(&film, image, rate);
    if (close(film.file) != 0 && status == 0)
        status = failed(&film);
    return status;
}

/* Writes a picture and turns it into a film of one frame. */
static int write_first(const char *path, struct io_document *document, const struct io_options *options,
                       struct engine_error *error)
{
    struct image image;
    int status = io_png.write(path, document, options, error);
    if (status != 0)
        return status;
    status = read_image(path, &image, error);
    if (status == 0)
        status = with_film(path, O_RDWR | O_TRUNC, &image, options->rate ? options->rate : FRAMES_A_SECOND, begin_film,
                           error);
    free(image.bytes);
    return status;
}

static int append(const char *path, const char *temporary, struct io_document *document,
                  const struct io_options *options, struct engine_error *error)
{
    struct image image = {0};
    int status = io_png.write(temporary, document, options, error);
    if (status == 0)
        status = read_image(temporary, &image, error);
    unlink(temporary);
    if (status == 0)
        status = with_film(path, O_RDWR, &image, options->rate ? options->rate : FRAMES_A_SECOND, add_frame, error);
    free(image.bytes);
    return status;
}

/* Adds the frames that follow the first. Each is written to a picture `path`.png before it is added. */
static int append_others(const char *path, struct io_document *document, const struct io_options *options,
                         struct engine_error *error)
{
    const size_t base = (size_t) (strrchr(path, '.') - path);
    char *picture = malloc(base + sizeof ".png");
    if (picture == NULL)
        return error_memory(error, base, "a file name");
    memcpy(picture, path, base);
    memcpy(picture + base, ".png", sizeof ".png");
    int status = 0;
    for (uint64_t frame = 1; status == 0 && frame < document->frames; frame++) {
        status = io_next_frame(document, error);
        if (status == 0)
            status = append(path, picture, document, options, error);
    }
    free(picture);
    return status;
}

/* All frames of particles are shown within the bounds of the first one. */
static int write_apng(const char *path, struct io_document *document, const struct io_options *options,
                      struct engine_error *error)
{
    struct io_options fixed = *options;
    if (document->frames <= 1)
        return write_first(path, document, options, error);
    if (io_fix_bounds(document, &fixed, error) != 0 || write_first(path, document, &fixed, error) != 0)
        return error->status;
    return append_others(path, document, &fixed, error);
}

/* ---- Going back ----------------------------------------------------------------------------------------------- */

/* Reads the head of a chunk, and the first bytes of its data. Returns false where it does not end within the file. */
static bool read_chunk_head(const struct film *film, off_t size, uint8_t head[8 + 32], off_t *next)
{
    memset(head, 0, 8 + 32);
    if (film->at + OVERHEAD > size || pread(film->file, head, 8 + 32, film->at) < 8)
        return false;
    *next = film->at + OVERHEAD + (off_t) word_of(head);
    return *next <= size;
}

/* Is the chunk the text "Step"? The digits are copied, because the byte after them, of the CRC, may be a digit too. */
static bool is_step(const uint8_t head[8 + 32], uint64_t *step)
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
static uint32_t count_frames(struct film *film, off_t size, uint64_t step)
{
    uint8_t head[8 + 32];
    uint32_t frames = 0;
    uint64_t at_step;
    off_t next = 0, end = FRAMES_AT;
    for (film->at = FRAMES_AT; read_chunk_head(film, size, head, &next); film->at = next) {
        if (is_step(head, &at_step) && at_step > step)
            break;
        if (memcmp(head + 4, "IDAT", 4) == 0 || memcmp(head + 4, "fdAT", 4) == 0) {
            frames++;
            end = next;
        }
    }
    film->at = end;
    return frames;
}

static int cut(struct film *film, uint64_t step)
{
    uint8_t head[FRAMES_AT];
    struct stat info;
    if (fstat(film->file, &info) != 0)
        return failed(film);
    if (read_head(film, head) != 0)
        return film->error->status;
    const uint32_t frames = count_frames(film, info.st_size, step);
    if (frames == 0)
        return not_a_film(film);
    return ftruncate(film->file, film->at) != 0 ? failed(film)
           : put_end(film) != 0                 ? film->error->status
                                                : put_control(film, frames);
}

static int cut_film(const char *path, uint64_t step, uint64_t count, struct engine_error *error)
{
    (void) count;
    struct film film = {.file = open(path, O_RDWR | O_CLOEXEC), .error = error};
    if (film.file < 0)
        return error_set(error, ENGINE_STATUS_OUTPUT,
                         "%s: cannot be opened: %s; the run adds frames to this film: put it "
                         "back, or set other [output] formats",
                         path, strerror(errno));
    const int status = cut(&film, step);
    close(film.file);
    return status != 0 ? error_prefix(error, "%s: ", path) : 0;
}

static bool writes(const struct io_array *array)
{
    return io_png.writes(array);
}

const struct io_format io_apng = {
    .name = "apng",
    .help = "animated PNG of such pictures, which browsers play",
    .endings = ".apng",
    .size = IO_SIZE_PICTURE,
    .picture = true,
    .notes = true,
    .frames = true,
    .writes = writes,
    .write = write_apng,
    .append = append,
    .cut = cut_film,
};
