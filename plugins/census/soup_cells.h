/* The cells of a soup, for the CPU and the GPU: SHA-256 (FIPS 180-4), and the symmetries. */
#ifndef CENSUS_SOUP_CELLS_H
#define CENSUS_SOUP_CELLS_H

#include "soup.h"

#include <engine/base.h>
#include <string.h>

/* ---- SHA-256 ----------------------------------------------------------------------------------------------------- */

#ifdef __CUDA_ARCH__
__constant__
#endif
    static const uint32_t soup_sha256_constants[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

ENGINE_INLINE uint32_t soup_turned(uint32_t word, int bits)
{
    return word >> bits | word << (32 - bits);
}

ENGINE_INLINE void soup_sha256_block(uint32_t state[8], const uint8_t block[64])
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t) block[4 * i] << 24 | (uint32_t) block[4 * i + 1] << 16 | (uint32_t) block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (soup_turned(w[i - 15], 7) ^ soup_turned(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (soup_turned(w[i - 2], 17) ^ soup_turned(w[i - 2], 19) ^ w[i - 2] >> 10);
    for (int i = 0; i < 8; i++)
        s[i] = state[i];
    for (int i = 0; i < 64; i++) {
        const uint32_t one = s[7] + (soup_turned(s[4], 6) ^ soup_turned(s[4], 11) ^ soup_turned(s[4], 25)) +
                             ((s[4] & s[5]) ^ (~s[4] & s[6])) + soup_sha256_constants[i] + w[i];
        const uint32_t two = (soup_turned(s[0], 2) ^ soup_turned(s[0], 13) ^ soup_turned(s[0], 22)) +
                             ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (int k = 7; k > 0; k--)
            s[k] = s[k - 1];
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

ENGINE_INLINE void soup_digest(const char *text, size_t length, uint8_t digest[32])
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t last[128] = {0};
    size_t done = 0;
    for (; length - done >= 64; done += 64)
        soup_sha256_block(state, (const uint8_t *) text + done);
    const size_t rest = length - done, end = rest < 56 ? 64 : 128;
    for (size_t i = 0; i < rest; i++)
        last[i] = (uint8_t) text[done + i];
    last[rest] = 0x80;
    for (int i = 0; i < 8; i++)
        last[end - 1 - (size_t) i] = (uint8_t) ((uint64_t) length * 8 >> 8 * i);
    for (done = 0; done < end; done += 64)
        soup_sha256_block(state, last + done);
    for (int i = 0; i < 32; i++)
        digest[i] = (uint8_t) (state[i / 4] >> (24 - 8 * (i % 4)));
}

/* ---- Symmetries -------------------------------------------------------------------------------------------------- */

typedef uint16_t soup_square[16]; /* bit 15 is the first column */

ENGINE_INLINE uint16_t soup_transposed_row(const soup_square cells, int row)
{
    uint16_t result = 0;
    for (int i = 0; i < 16; i++)
        result = (uint16_t) (result | (cells[i] >> (15 - row) & 1) << (15 - i));
    return result;
}

ENGINE_INLINE uint32_t soup_reversed(uint32_t bits)
{
    uint32_t result = 0;
    for (int i = 0; i < 16; i++)
        result |= (bits >> i & 1) << (15 - i);
    return result;
}

/* Takes from each of two squares the half on one side of the diagonal. */
ENGINE_INLINE void soup_make_symmetric(soup_square cells, soup_square other)
{
    for (int row = 0; row < 16; row++) {
        const uint16_t upper = (uint16_t) (0xffff >> row), one = cells[row], two = other[row];
        cells[row] = (uint16_t) ((one & upper) | (two & ~upper));
        other[row] = (uint16_t) ((two & upper) | (one & ~upper));
    }
}

/* Row 0 of the soup is row -16 of lifelib's plane; x counts from the bit of the last column, as there. */
ENGINE_INLINE void soup_put(struct soup *soup, const soup_square cells, int y, int step, bool mirrored, int x)
{
    for (int row = 0; row < 16; row++, y += step)
        soup->rows[y] |= (mirrored ? soup_reversed(cells[row]) : cells[row]) << x;
}

/* Makes the soup of a text. */
ENGINE_INLINE void soup_put_together(const char *text, size_t length, const struct soup_layout *layout,
                                     struct soup *soup)
{
    uint8_t digest[32];
    soup_square cells, other;
    soup_digest(text, length, digest);
    for (int row = 0; row < 16; row++)
        cells[row] = (uint16_t) (digest[2 * row] << 8 | digest[2 * row + 1]);
    for (int row = 0; row < 16; row++)
        other[row] = soup_transposed_row(cells, row);
    /* Seeds that do not begin with l_ are those of versions before apgluxe. */
    if (layout->transposed && (length < 2 || text[0] != 'l' || text[1] != '_'))
        for (int row = 0; row < 16; row++)
            cells[row] = other[row];
    if (layout->diagonal)
        soup_make_symmetric(cells, other);
    for (int row = 0; row < SOUP_SIDE; row++)
        soup->rows[row] = 0;
    const uint16_t *const side = layout->quarter ? other : cells;
    soup_put(soup, cells, 16, 1, false, 0);
    if (layout->down && !layout->half)
        soup_put(soup, side, 31 - layout->down, -1, false, 0);
    if (layout->right && !layout->half)
        soup_put(soup, side, 16, 1, true, layout->right);
    if (layout->rotation)
        soup_put(soup, cells, 31 - layout->down, -1, true, layout->right);
}

#endif
