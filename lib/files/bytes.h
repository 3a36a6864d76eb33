/* Bytes of files: reading and writing all that was asked for, and numbers of either byte order. */
#ifndef LIB_FILES_BYTES_H
#define LIB_FILES_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Reads all bytes at an offset of a file descriptor. Returns false on an error, with errno; errno is 0 where the file
 * ends too early. */
bool bytes_read(int file, void *out, uint64_t bytes, uint64_t offset);

/* Writes all bytes at the position of a file descriptor. Returns false on an error, with errno. */
bool bytes_write(int file, const void *data, uint64_t bytes);

/* The same at an offset. */
bool bytes_write_at(int file, const void *data, uint64_t bytes, uint64_t offset);

/* Opens a stream that writes to a file descriptor. Unlike a stream of fdopen, it continues after a signal has
 * interrupted a call, and fclose leaves the descriptor open. Returns NULL on an error, with errno. */
FILE *bytes_stream(int file);

/* Four bytes as a number, little-endian or big-endian. */
static inline uint32_t bytes_word(const unsigned char *at, bool big)
{
    uint32_t word = 0;
    for (int i = 0; i < 4; i++)
        word |= (uint32_t) at[big ? 3 - i : i] << 8 * i;
    return word;
}

/* Eight bytes as a number in double precision. */
static inline double bytes_real(const unsigned char *at, bool big)
{
    const uint64_t low = bytes_word(at + (big ? 4 : 0), big), high = bytes_word(at + (big ? 0 : 4), big);
    const uint64_t bits = high << 32 | low;
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

#endif
