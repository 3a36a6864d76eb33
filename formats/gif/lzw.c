/* The dictionary is a tree of codes: next[code][pixel] is the code of a text that is one pixel longer, or 0. A code is
 * one bit wider from the moment that the decoder, whose dictionary lags by one text, needs it. See appendix F of
 * https://www.w3.org/Graphics/GIF/spec-gif89a.txt. */
#include "lzw.h"

#include <string.h>

struct lzw {
    const struct engine_file *file;
    uint16_t (*next)[256];
    unsigned bits, width; /* of a pixel, of the present codes */
    unsigned used;        /* codes */
    uint32_t held;        /* bits that are no whole byte yet */
    unsigned held_bits;
    int status;
    uint8_t block[1 + 255]; /* its first byte is the number of the others */
};

static void flush(struct lzw *lzw)
{
    if (lzw->block[0] > 0 && lzw->status == 0)
        lzw->status = lzw->file->write(lzw->file, lzw->block, 1u + lzw->block[0]);
    lzw->block[0] = 0;
}

static void put_byte(struct lzw *lzw)
{
    lzw->block[++lzw->block[0]] = (uint8_t) lzw->held;
    lzw->held >>= 8;
    lzw->held_bits -= lzw->held_bits < 8 ? lzw->held_bits : 8;
    if (lzw->block[0] == 255)
        flush(lzw);
}

static void put(struct lzw *lzw, unsigned code)
{
    lzw->held |= (uint32_t) code << lzw->held_bits;
    lzw->held_bits += lzw->width;
    while (lzw->held_bits >= 8)
        put_byte(lzw);
    if (lzw->used == 1u << lzw->width && lzw->width < 12)
        lzw->width++;
}

/* Empties the dictionary. Two codes behind those of the pixels say that it is empty, and that the picture ends. */
static void clear(struct lzw *lzw)
{
    const unsigned pixels = 1u << lzw->bits;
    put(lzw, pixels);
    lzw->width = lzw->bits + 1;
    lzw->used = pixels + 2;
    memset(lzw->next, 0, pixels * sizeof *lzw->next);
}

/* Adds a text that is one pixel longer than that of `code`. */
static void add(struct lzw *lzw, unsigned code, uint8_t pixel)
{
    if (lzw->used == LZW_CODES - 1) {
        clear(lzw);
        return;
    }
    memset(lzw->next[lzw->used], 0, sizeof *lzw->next);
    lzw->next[code][pixel] = (uint16_t) lzw->used++;
}

int lzw_write(const struct engine_file *file, const uint8_t *pixels, uint64_t count, unsigned bits,
              uint16_t (*next)[256])
{
    const uint8_t first = (uint8_t) (bits < 2 ? 2 : bits), end = 0;
    struct lzw lzw = {.file = file, .next = next, .bits = first, .width = first + 1u};
    lzw.status = file->write(file, &first, 1);
    clear(&lzw);
    unsigned code = pixels[0];
    for (uint64_t i = 1; i < count; i++) {
        const unsigned longer = next[code][pixels[i]];
        if (longer == 0) {
            put(&lzw, code);
            add(&lzw, code, pixels[i]);
        }
        code = longer != 0 ? longer : pixels[i];
    }
    put(&lzw, code);
    put(&lzw, (1u << lzw.bits) + 1);
    if (lzw.held_bits > 0)
        put_byte(&lzw);
    flush(&lzw);
    return lzw.status != 0 ? lzw.status : file->write(file, &end, 1);
}
