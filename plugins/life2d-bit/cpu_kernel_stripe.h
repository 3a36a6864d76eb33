/*
 * Between a row as linear bits and a row in striped order (cpu_kernel_row.h). Both ways go through 64 x 64 bit transposes,
 * one a word of the vector, side by side: up to 64 cells of each of the LANES lanes at a time.
 */
#ifndef LIFE2D_CPU_KERNEL_STRIPE_H
#define LIFE2D_CPU_KERNEL_STRIPE_H

#include <string.h>

#include "cpu_kernel_row.h"

/* Scratch of one thread: a row as linear bits with room to read past its end, and the cells of each lane as words. */
struct stripe_scratch {
    uint64_t *line;
    uint64_t *lane_words; /* word w of lane b at [w * LANES + b] */
    vec *block;           /* 64 vectors */
};

static uint64_t line_words(const struct shape *s)
{
    return (s->cells + 63) / 64 + 16;
}

static uint64_t chunks(const struct shape *s)
{
    return (s->columns + 63) / 64;
}

static const uint64_t swap_masks[6] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                       0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};

/* In groups of 2 * half bits, swaps the upper halves of the vectors n with the lower ones of the vectors n + distance. */
static void swap_halves(vec *block, unsigned live, unsigned distance, int level)
{
    for (unsigned n = 0; n < live; n++) {
        if (n & distance)
            continue;
        vec swap = ((block[n] >> (1u << level)) ^ block[n + distance]) & swap_masks[level];
        block[n] ^= swap << (1u << level);
        block[n + distance] ^= swap;
    }
}

/* Each word column of `lanes` vectors is a bit matrix, of which only the first `columns` columns matter: they become rows. */
static void gather_columns(vec *block, unsigned lanes, unsigned columns)
{
    for (int level = 5; level >= 0; level--) {
        if (lanes > 1u << level)
            swap_halves(block, lanes, 1u << level, level);
        if (columns <= 1u << level && lanes > 1u << level)
            lanes = 1u << level;
    }
}

/* The way back: the first `columns` vectors, the rows, become the first columns of all `lanes`. */
static void scatter_columns(vec *block, unsigned columns, unsigned lanes)
{
    for (int level = 0; 1u << level < lanes; level++) {
        unsigned live = 2u << level;
        while (live < columns)
            live *= 2;
        swap_halves(block, live, 1u << level, level);
    }
}

/*
 * Rows of 8, 16, 32 or 64 n cells a lane need no line: a word holds 1 to 8 whole lanes, neighbours. With 2^l cells a lane,
 * word n of the 2^l that make a word of the vector holds lanes n 2^(6-l) + r at bits r 2^l. The network wants lane p at row
 * p mod 2^l: exchanging the 6-l bits of r with the lowest of the row index does it if n was turned left by 6-l bits.
 */
static int lane_bits(const struct shape *s)
{
    if (s->copies > 1 || s->lanes_long != LANES)
        return -1;
    return s->columns % 64 == 0 ? 6 : s->columns == 32 ? 5 : s->columns == 16 ? 4 : s->columns == 8 ? 3 : -1;
}

static void swap_lanes(vec *block, int bits)
{
    for (int k = 0; k < 6 - bits; k++)
        swap_halves(block, 1u << bits, 1u << k, bits + k);
}

/* Where the row in block of word n of those that make a word of the vector is. */
INLINE uint64_t turned(uint64_t n, int bits)
{
    return (n << (6 - bits) | n >> (2 * bits - 6)) & ((1u << bits) - 1);
}

/* Appends the lowest `count` <= 64 bits of `bits` to a string of `*length` bits. */
INLINE void append_bits(uint64_t *string, uint64_t *length, uint64_t bits, uint64_t count)
{
    uint64_t shift = *length % 64, *word = string + *length / 64;
    uint64_t mask = count < 64 ? ((uint64_t)1 << count) - 1 : ~(uint64_t)0;
    bits &= mask;
    word[0] = shift ? word[0] | bits << shift : bits;
    if (shift + count > 64)
        word[1] = bits >> (64 - shift);
    *length += count;
}

static void fill_line(const struct shape *s, uint64_t *line, const uint64_t *cells)
{
    if (s->copies == 1) {
        memcpy(line, cells, (s->width + 63) / 64 * sizeof *line);
        return;
    }
    uint64_t length = 0;
    for (uint64_t copy = 0; copy < s->copies; copy++)
        for (uint64_t x = 0; x < s->width; x += 64)
            append_bits(line, &length, cells[x / 64], s->width - x < 64 ? s->width - x : 64);
}

/* Fills the block with up to 64 cells of each lane, from cell c on. */
static void load_words(const struct shape *s, vec *block, const uint64_t *cells, uint64_t c, int bits)
{
    uint64_t *words = (uint64_t *)block, rows = (uint64_t)1 << bits, stride = bits == 6 ? s->columns / 64 : 1;
    for (uint64_t n = 0; n < rows; n++)
        for (uint64_t q = 0; q < VEC_WORDS; q++)
            words[turned(n, bits) * VEC_WORDS + q] = cells[(q * rows + n) * stride + c / 64];
}

static void store_words(const struct shape *s, const vec *block, uint64_t *cells, uint64_t c, int bits)
{
    const uint64_t *words = (const uint64_t *)block;
    uint64_t rows = (uint64_t)1 << bits, stride = bits == 6 ? s->columns / 64 : 1;
    for (uint64_t n = 0; n < rows; n++)
        for (uint64_t q = 0; q < VEC_WORDS; q++)
            cells[(q * rows + n) * stride + c / 64] = words[turned(n, bits) * VEC_WORDS + q];
}

static void load_lanes(const struct shape *s, vec *block, const uint64_t *line, uint64_t c)
{
    uint64_t *words = (uint64_t *)block;
    for (uint64_t lane = 0; lane < LANES; lane++) {
        uint64_t at = lane_start(s, lane) + c, word = at / 64, shift = at % 64;
        words[lane % 64 * VEC_WORDS + lane / 64] = line[word] >> shift | line[word + 1] << 1 << (63 - shift);
    }
}

/* Linear bits to a striped row. */
static void stripe_row(const struct shape *s, const struct stripe_scratch *scratch, vec *row, const uint64_t *cells)
{
    int bits = lane_bits(s);
    if (bits < 0)
        fill_line(s, scratch->line, cells);
    for (uint64_t c = 0; c < s->columns; c += 64) {
        unsigned columns = (unsigned)(s->columns - c < 64 ? s->columns - c : 64);
        if (bits < 0) {
            load_lanes(s, scratch->block, scratch->line, c);
            gather_columns(scratch->block, 64, columns);
        } else {
            load_words(s, scratch->block, cells, c, bits);
            swap_lanes(scratch->block, bits);
            gather_columns(scratch->block, columns, columns);
        }
        memcpy(row + c, scratch->block, columns * sizeof *row);
    }
    close_row(row, s);
}

/* The cells of the lanes, one lane after the other. */
static void join_lanes(const struct shape *s, uint64_t *cells, const uint64_t *lane_words)
{
    uint64_t length = 0;
    for (uint64_t lane = 0; length < s->width; lane++) {
        uint64_t end = length + lane_length(s, lane);
        if (end > s->width)
            end = s->width;
        for (uint64_t w = lane; length < end; w += LANES)
            append_bits(cells, &length, lane_words[w], end - length < 64 ? end - length : 64);
    }
}

/* A striped row to linear bits. */
static void unstripe_row(const struct shape *s, const struct stripe_scratch *scratch, uint64_t *cells, const vec *row)
{
    int bits = lane_bits(s);
    for (uint64_t c = 0; c < s->columns; c += 64) {
        unsigned columns = (unsigned)(s->columns - c < 64 ? s->columns - c : 64);
        const uint64_t *words = (const uint64_t *)scratch->block;
        memcpy(scratch->block, row + c, columns * sizeof *row);
        if (bits >= 0) {
            scatter_columns(scratch->block, columns, columns);
            swap_lanes(scratch->block, bits);
            store_words(s, scratch->block, cells, c, bits);
            continue;
        }
        scatter_columns(scratch->block, columns, 64);
        for (uint64_t lane = 0; lane < LANES; lane++)
            scratch->lane_words[c / 64 * LANES + lane] = words[lane % 64 * VEC_WORDS + lane / 64];
    }
    if (bits < 0)
        join_lanes(s, cells, scratch->lane_words);
}

#endif
