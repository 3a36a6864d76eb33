#include "objects/md5.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const uint8_t shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static uint32_t mixed(int round, uint32_t b, uint32_t c, uint32_t d)
{
    switch (round) {
    case 0:
        return (b & c) | (~b & d);
    case 1:
        return (d & b) | (~d & c);
    case 2:
        return b ^ c ^ d;
    default:
        return c ^ (b | ~d);
    }
}

static void add_block(uint32_t state[4], const uint32_t block[16])
{
    static const uint8_t first[4] = {0, 1, 5, 0}, step[4] = {1, 5, 3, 7};
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    for (int i = 0; i < 64; i++) {
        const int round = i / 16, shift = shifts[round][i % 4];
        const uint32_t constant = (uint32_t) floor(fabs(sin(i + 1)) * 4294967296.0);
        const uint32_t sum = a + mixed(round, b, c, d) + constant + block[(first[round] + step[round] * i) % 16];
        a = d, d = c, c = b;
        b += sum << shift | sum >> (32 - shift);
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
}

void md5_text(const char *text, char sum[33])
{
    uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}, block[16] = {0};
    const size_t length = strnlen(text, 55);
    for (size_t i = 0; i < length; i++)
        block[i / 4] |= (uint32_t) (uint8_t) text[i] << 8 * (i % 4);
    block[length / 4] |= 0x80u << 8 * (length % 4);
    block[14] = (uint32_t) length * 8;
    add_block(state, block);
    for (int i = 0; i < 16; i++)
        snprintf(sum + 2 * i, 3, "%02x", state[i / 4] >> 8 * (i % 4) & 0xff);
}
