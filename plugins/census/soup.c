#include "soup.h"

#include <stdbool.h>
#include <string.h>

/* ---- SHA-256 ----------------------------------------------------------------------------------------------------- */

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t word, int bits)
{
    return word >> bits | word << (32 - bits);
}

static void add_block(uint32_t state[8], const uint8_t block[64])
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t) block[4 * i] << 24 | (uint32_t) block[4 * i + 1] << 16 | (uint32_t) block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
        const uint32_t one = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
                             ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i];
        const uint32_t two =
            (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

void soup_sha256(const char *text, size_t length, uint8_t digest[32])
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t last[128] = {0};
    size_t done = 0;
    for (; length - done >= 64; done += 64)
        add_block(state, (const uint8_t *) text + done);
    const size_t rest = length - done, end = rest < 56 ? 64 : 128;
    memcpy(last, text + done, rest);
    last[rest] = 0x80;
    for (int i = 0; i < 8; i++)
        last[end - 1 - (size_t) i] = (uint8_t) ((uint64_t) length * 8 >> 8 * i);
    for (done = 0; done < end; done += 64)
        add_block(state, last + done);
    for (int i = 0; i < 32; i++)
        digest[i] = (uint8_t) (state[i / 4] >> (24 - 8 * (i % 4)));
}

/* ---- Symmetries -------------------------------------------------------------------------------------------------- */

/* How a symmetry puts a soup together. `down` and `right` are the distances of the reflections along y and x from the
 * square itself, in which 16 leaves no common row or column, and 0 means that there is none. A symmetry with `rotation`
 * has only the square that is turned by half, or with `quarter` all four turned squares. */
static const struct layout {
    const char *name;
    int down, right;
    bool rotation; /* the square turned by half is there */
    bool diagonal; /* the square is symmetric to its diagonal first */
    bool quarter;  /* the two other squares come from the transposed square */
} layouts[] = {
    {"C1", 0, 0, false, false, false},     {"C2_1", 15, 15, true, false, false},  {"C2_2", 15, 16, true, false, false},
    {"C2_4", 16, 16, true, false, false},  {"C4_1", 15, 15, true, false, true},   {"C4_4", 16, 16, true, false, true},
    {"D2_+1", 15, 0, false, false, false}, {"D2_+2", 16, 0, false, false, false}, {"D2_x", 0, 0, false, true, false},
    {"D4_+1", 15, 15, true, false, false}, {"D4_+2", 15, 16, true, false, false}, {"D4_+4", 16, 16, true, false, false},
    {"D4_x1", 15, 15, true, true, true},   {"D4_x4", 16, 16, true, true, true},   {"D8_1", 15, 15, true, true, false},
    {"D8_4", 16, 16, true, true, false}};

const char *const soup_symmetries[] = {"C1",    "C2_1",  "C2_2",  "C2_4",  "C4_1",  "C4_4", "D2_+1", "D2_+2", "D2_x",
                                       "D4_+1", "D4_+2", "D4_+4", "D4_x1", "D4_x4", "D8_1", "D8_4",  NULL};

typedef uint16_t square[16]; /* bit 15 is the first column */

static uint16_t transposed_row(const square cells, int row)
{
    uint16_t result = 0;
    for (int i = 0; i < 16; i++)
        result = (uint16_t) (result | (cells[i] >> (15 - row) & 1) << (15 - i));
    return result;
}

static uint32_t reversed(uint32_t bits)
{
    uint32_t result = 0;
    for (int i = 0; i < 16; i++)
        result |= (bits >> i & 1) << (15 - i);
    return result;
}

/* Takes from each of two squares the half on one side of the diagonal. */
static void make_symmetric(square cells, square other)
{
    for (int row = 0; row < 16; row++) {
        const uint16_t upper = (uint16_t) (0xffff >> row), one = cells[row], two = other[row];
        cells[row] = (uint16_t) ((one & upper) | (two & ~upper));
        other[row] = (uint16_t) ((two & upper) | (one & ~upper));
    }
}

/* Row 0 of the soup is row -16 of lifelib's plane; x counts from the bit of the last column, as there. */
static void put(struct soup *soup, const square cells, int y, int step, bool mirrored, int x)
{
    for (int row = 0; row < 16; row++, y += step)
        soup->rows[y] |= (mirrored ? reversed(cells[row]) : cells[row]) << x;
}

void soup_make(const char *text, size_t length, uint32_t symmetry, struct soup *soup)
{
    const struct layout *layout = &layouts[symmetry];
    uint8_t digest[32];
    square cells, other;
    soup_sha256(text, length, digest);
    for (int row = 0; row < 16; row++)
        cells[row] = (uint16_t) (digest[2 * row] << 8 | digest[2 * row + 1]);
    for (int row = 0; row < 16; row++)
        other[row] = transposed_row(cells, row);
    /* Seeds that do not begin with l_ are those of versions before apgluxe. */
    if (strcmp(layout->name, "C2_2") == 0 && (length < 2 || memcmp(text, "l_", 2) != 0))
        memcpy(cells, other, sizeof cells);
    if (layout->diagonal)
        make_symmetric(cells, other);
    *soup = (struct soup){{0}};
    const bool only_half = layout->name[0] == 'C' && layout->name[1] == '2';
    const uint16_t *const side = layout->quarter ? other : cells;
    put(soup, cells, 16, 1, false, 0);
    if (layout->down && !only_half)
        put(soup, side, 31 - layout->down, -1, false, 0);
    if (layout->right && !only_half)
        put(soup, side, 16, 1, true, layout->right);
    if (layout->rotation)
        put(soup, cells, 31 - layout->down, -1, true, layout->right);
}
