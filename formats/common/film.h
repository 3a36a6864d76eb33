/* The frames of a film, which is an animated PNG of formats/pictures/apng.c, as PNG pictures one after another. */
#ifndef FORMATS_COMMON_FILM_H
#define FORMATS_COMMON_FILM_H

#include <engine/format.h>

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <zlib.h>

enum {
    FILM_SIGNATURE = 8,
    FILM_HEAD = 8,
    FILM_OVERHEAD = 12,
    FILM_FRAME_CONTROL = 26,
    FILM_PIECE = 1 << 16,
    FILM_OPENING = 8 + 25 + 12 + 768
};

/* The frames of a film on their way to a file. */
struct film {
    const struct engine_file *film, *file;
    void (*put)(struct film *from, const void *bytes, size_t count); /* takes the next bytes of a picture */
    int (*picture)(struct film *from);                               /* is called after each picture; or NULL */
    bool stopped;                                                    /* `put` takes no more pictures */
    uint64_t at;                                                     /* in the film */
    uint8_t opening[FILM_OPENING];                                   /* the bytes before the pixels of each picture */
    size_t opening_bytes;
};

static inline int film_unreadable(const struct film *from)
{
    return ENGINE_FAIL_FILE(from->file, "the animated PNG cannot be read: %s",
                            errno ? strerror(errno) : "it is not whole");
}

static inline void film_put_word(uint8_t *to, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t) (word >> (24 - 8 * i));
}

/* Sends a picture: its pixels are `count` bytes of the film. */
static inline int film_put_picture(struct film *from, uint64_t at, uint32_t count)
{
    static const uint8_t end[FILM_OVERHEAD] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};
    uint8_t piece[FILM_PIECE], word[4];
    unsigned long crc = crc32(0, (const uint8_t *) "IDAT", 4);
    from->put(from, from->opening, from->opening_bytes);
    film_put_word(word, count);
    from->put(from, word, sizeof word);
    from->put(from, "IDAT", 4);
    for (uint32_t done = 0, n; done < count; done += n) {
        n = count - done < FILM_PIECE ? count - done : FILM_PIECE;
        if (from->film->read(from->film, at + done, n, piece) != 0)
            return film_unreadable(from);
        crc = crc32(crc, piece, n);
        from->put(from, piece, n);
    }
    film_put_word(word, (uint32_t) crc);
    from->put(from, word, sizeof word);
    from->put(from, end, sizeof end);
    return from->picture != NULL ? from->picture(from) : 0;
}

/* Reads the head of the next chunk of the film: the number of its bytes, and its type. */
static inline int film_read_head(const struct film *from, uint32_t *count, char type[4])
{
    uint8_t head[FILM_HEAD];
    if (from->film->read(from->film, from->at, FILM_HEAD, head) != 0)
        return film_unreadable(from);
    *count = (uint32_t) head[0] << 24 | (uint32_t) head[1] << 16 | (uint32_t) head[2] << 8 | head[3];
    memcpy(type, head + 4, 4);
    return 0;
}

/* Finds the rate of the last frame. The data of fcTL end with the time of a frame, 1 and the rate, and two bytes. */
static inline int film_find_rate(struct film *from, uint32_t *rate)
{
    uint32_t count = 0;
    for (from->at = FILM_SIGNATURE; from->at < from->film->bytes; from->at += FILM_OVERHEAD + (uint64_t) count) {
        uint8_t control[FILM_FRAME_CONTROL];
        char type[4];
        if (film_read_head(from, &count, type) != 0)
            return ENGINE_INVALID;
        if (memcmp(type, "fcTL", 4) != 0)
            continue;
        if (from->film->read(from->film, from->at + FILM_HEAD, FILM_FRAME_CONTROL, control) != 0)
            return film_unreadable(from);
        *rate = (uint32_t) control[22] << 8 | control[23];
    }
    return 0;
}

/* Keeps a chunk that each picture begins with. */
static inline int film_keep_chunk(struct film *from, uint32_t bytes)
{
    if (bytes > FILM_OPENING - from->opening_bytes ||
        from->film->read(from->film, from->at, bytes, from->opening + from->opening_bytes) != 0) {
        errno = 0;
        return film_unreadable(from);
    }
    from->opening_bytes += bytes;
    return 0;
}

/* Goes through the chunks of the film: IHDR and PLTE begin every picture, IDAT and fdAT are the pixels of one. */
static inline int film_put_pictures(struct film *from)
{
    const struct engine_file *film = from->film;
    from->at = 0;
    if (film_keep_chunk(from, FILM_SIGNATURE) != 0)
        return ENGINE_INVALID;
    for (from->at = FILM_SIGNATURE; from->at < film->bytes && !from->stopped;) {
        uint32_t count = 0;
        char type[4];
        int code = film_read_head(from, &count, type);
        if (code == 0 && (memcmp(type, "IHDR", 4) == 0 || memcmp(type, "PLTE", 4) == 0))
            code = film_keep_chunk(from, count + FILM_OVERHEAD);
        else if (code == 0 && memcmp(type, "IDAT", 4) == 0)
            code = film_put_picture(from, from->at + FILM_HEAD, count);
        else if (code == 0 && memcmp(type, "fdAT", 4) == 0 && count > 4) /* behind its number */
            code = film_put_picture(from, from->at + FILM_HEAD + 4, count - 4);
        if (code != 0)
            return code;
        from->at += FILM_OVERHEAD + (uint64_t) count;
    }
    return 0;
}

#endif
