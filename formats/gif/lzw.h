/* The compression of GIF files: LZW with codes of up to 12 bits, in blocks of up to 255 bytes. */
#ifndef FORMATS_GIF_LZW_H
#define FORMATS_GIF_LZW_H

#include <engine/format.h>

enum { LZW_CODES = 4096 };

/* Writes `count` pixels, at least 1, below 2^bits. `next` is memory that the function uses. */
int lzw_write(const struct engine_file *file, const uint8_t *pixels, uint64_t count, unsigned bits,
              uint16_t (*next)[256]);

#endif
