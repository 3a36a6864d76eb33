/* Converts rows of the grid between linear bits and striped order (cpu_kernel_row.h).
 *
 * A row consists of lanes, here a, b, c, …, of `columns` cells each. In linear order they are one string of bits. In
 * striped order, vector i has cell i of every lane. The way from one to the other goes through a block of 64 vectors,
 * in which each lane has a word of its own:
 *
 *     linear      a0 a1 a2 … b0 b1 b2 … c0 c1 c2 …             lanes begin anywhere in a word
 *                          |  load_lanes, or load_words         (back: write_lanes, or store_words)
 *     block       row 0     a0 a1 a2 … a63                      row n has lanes n, 64 + n, 128 + n, …, one a word
 *                 row 1     b0 b1 b2 … b63
 *                 row 2     c0 c1 c2 … c63
 *                          |  gather_columns: a transpose       (back: scatter_columns)
 *     striped     vector 0  a0 b0 c0 …
 *                 vector 1  a1 b1 c1 …
 *
 * Lanes longer than 64 cells take one block for every 64 columns. */
#ifndef LIFE2D_CPU_KERNEL_CONVERT_H
#define LIFE2D_CPU_KERNEL_CONVERT_H

#include <string.h>

#include "cpu_kernel_row.h"
#include "cpu_kernel_transpose.h"

/* Loads the words base[index]. */
INLINE vec gather(const uint64_t *base, vec index)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion" /* in the intrinsics, which are macros without optimisation */
#if LANES == 512
    return (vec) _mm512_i64gather_epi64((__m512i) index, base, 8);
#elif LANES == 256
    return (vec) _mm256_i64gather_epi64((const long long *) base, (__m256i) index, 8);
#else
    return (vec){base[index[0]], base[index[1]]};
#endif
#pragma GCC diagnostic pop
}

/* The rows of the grid that make a striped row: group g is at words + g * stride. */
struct grid_rows {
    uint64_t *words, stride;
};

/* Scratch memory of one band. */
struct convert_scratch {
    uint64_t
        *line;  /* for each group, a row in linear order of line_words words, which load_lanes may read past its end */
    vec *block; /* 64 vectors for every 64 columns */
};

static uint64_t line_words(const struct shape *s)
{
    return (s->width * s->copies + 63) / 64 + 4;
}

static uint64_t block_vectors(const struct shape *s)
{
    return (s->columns + 63) / 64 * 64;
}

INLINE unsigned columns_from(const struct shape *s, uint64_t c)
{
    return (unsigned) (s->columns - c < 64 ? s->columns - c : 64);
}

/* The quick way, for lanes of 8, 16, 32 or 64 n cells: a word of the row then holds whole lanes. Let a lane have 2^l
 * cells. A word then has 64 / 2^l places of 2^l bits, one for each of its lanes. A word column of the block has 64
 * lanes, which come from 2^l words of the row, and a transpose of squares of 2^l x 2^l bits is enough. This transpose
 * needs lane p in row p mod 2^l of the block, at place p / 2^l. For l = 4, with n3 … n0 the bits of the number n of a
 * word in the row, and r1 r0 the place of a lane in that word:
 *
 *     lane           n3 n2 n1 n0 r1 r0
 *     it comes from  word n3 n2 n1 n0, place r1 r0
 *     it belongs in  row  n1 n0 r1 r0, place n3 n2
 *
 * load_words stores word n in row n1 n0 n3 n2: n rotated left by 6 - l bits. swap_lanes then exchanges the lowest 6 - l
 * bits of the row's number with the place. Returns l, or -1 if the row has other lanes. */
static int lane_bits(const struct shape *s)
{
    if (s->copies > 1 || s->lanes_long != s->lanes)
        return -1;
    return s->columns % 64 == 0 ? 6 : s->columns == 32 ? 5 : s->columns == 16 ? 4 : s->columns == 8 ? 3 : -1;
}

INLINE uint64_t rotated_left(uint64_t n, int bits)
{
    return (n << (6 - bits) | n >> (2 * bits - 6)) & ((1u << bits) - 1);
}

static void swap_lanes(vec *block, int bits)
{
    if (bits == 3)
        swap_level(block, 8, 1, 3), swap_level(block, 8, 2, 4), swap_level(block, 8, 4, 5);
    else if (bits == 4)
        swap_level(block, 16, 1, 4), swap_level(block, 16, 2, 5);
    else if (bits == 5)
        swap_level(block, 32, 1, 5);
}

/* Finds the first word of the row for each word column. */
static void first_words(const struct shape *s, struct grid_rows p, uint64_t c, uint64_t first[VEC_WORDS])
{
    uint64_t group_words = VEC_WORDS / s->groups, row_words = s->columns * s->lanes / 64;
    for (uint64_t q = 0; q < VEC_WORDS; q++)
        first[q] = q / group_words * p.stride + q % group_words * (row_words / group_words) + c / 64;
}

static void load_words(const struct shape *s, vec *block, struct grid_rows p, uint64_t c, int bits)
{
    uint64_t first[VEC_WORDS], *words = (uint64_t *) block, step = bits == 6 ? s->columns / 64 : 1;
    first_words(s, p, c, first);
    for (uint64_t n = 0; n < (uint64_t) 1 << bits; n++)
        for (uint64_t q = 0; q < VEC_WORDS; q++)
            words[rotated_left(n, bits) * VEC_WORDS + q] = p.words[first[q] + n * step];
    swap_lanes(block, bits);
}

static void store_words(const struct shape *s, vec *block, struct grid_rows p, uint64_t c, int bits)
{
    uint64_t first[VEC_WORDS], *words = (uint64_t *) block, step = bits == 6 ? s->columns / 64 : 1;
    first_words(s, p, c, first);
    swap_lanes(block, bits);
    for (uint64_t n = 0; n < (uint64_t) 1 << bits; n++)
        for (uint64_t q = 0; q < VEC_WORDS; q++)
            p.words[first[q] + n * step] = words[rotated_left(n, bits) * VEC_WORDS + q];
}

/* Writes a string of bits, word by word. */
struct writer {
    uint64_t *word, part, fill;
};

/* Appends the lowest `count` bits of a word, 1 to 64. */
INLINE void append_bits(struct writer *w, uint64_t bits, uint64_t count)
{
    bits &= ~(uint64_t) 0 >> (64 - count);
    uint64_t end = w->fill + count, next = bits >> 1 >> (63 - w->fill);
    w->part |= bits << w->fill;
    *w->word = w->part;
    w->part = end >= 64 ? next : w->part;
    w->word += end / 64;
    w->fill = end % 64;
}

INLINE void finish_bits(const struct writer *w)
{
    if (w->fill)
        *w->word = w->part;
}

/* Copies a row to the line, `copies` times side by side. */
static void fill_line(const struct shape *s, uint64_t *line, const uint64_t *cells)
{
    struct writer w = {line, 0, 0};
    if (s->copies == 1)
        memcpy(line, cells, (s->width + 63) / 64 * sizeof *line);
    else
        for (uint64_t copy = 0; copy < s->copies; copy++)
            for (uint64_t x = 0; x < s->width; x += 64)
                append_bits(&w, cells[x / 64], s->width - x < 64 ? s->width - x : 64);
    finish_bits(&w);
}

/* The number of the lane in each word of row 0, counted in its group. */
static vec first_lanes(const struct shape *s)
{
    vec lane = all_lanes(0);
    for (uint64_t q = 0; q < VEC_WORDS; q++)
        lane[q] = q * 64 % s->lanes;
    return lane;
}

INLINE vec lane_lengths(const struct shape *s, vec lane)
{
    return (vec) (lane >= s->lanes_long) + s->columns;
}

/* Loads cells c to c + 63 of each lane from the lines. */
static void load_lanes(const struct shape *s, vec *block, const uint64_t *line, uint64_t c)
{
    vec lane = first_lanes(s), at = all_lanes(0);
    for (uint64_t q = 0; q < VEC_WORDS; q++)
        at[q] = q * 64 / s->lanes * line_words(s) * 64 + lane_start(s, lane[q]) + c;
    for (unsigned n = 0; n < 64; n++) {
        vec low = gather(line, at >> 6), high = gather(line, (at >> 6) + 1), shift = at & 63;
        block[n] = low >> shift | high << 1 << (63 - shift);
        at += lane_lengths(s, lane);
        lane += 1;
    }
}

/* Converts linear bits to a striped row. */
static void to_striped(const struct shape *s, const struct convert_scratch *scratch, vec *row, struct grid_rows from)
{
    int bits = lane_bits(s);
    for (uint64_t g = 0; bits < 0 && g < s->groups; g++)
        fill_line(s, scratch->line + g * line_words(s), from.words + g * from.stride);
    for (uint64_t c = 0; c < s->columns; c += 64) {
        if (bits < 0)
            load_lanes(s, scratch->block, scratch->line, c);
        else
            load_words(s, scratch->block, from, c, bits);
        gather_columns(scratch->block, bits < 0 ? 64 : 1u << bits, columns_from(s, c));
        memcpy(row + c, scratch->block, columns_from(s, c) * sizeof *row);
    }
    refresh_ghosts(row, s);
}

/* Joins neighbouring lanes, which lie in neighbouring rows, as long as the result fits in a word. Returns the number of
 * rows that are left; row n then has length[n] bits in each word. */
static unsigned join_pairs(const struct shape *s, vec *block, vec length[64])
{
    vec lane = first_lanes(s);
    for (unsigned n = 0; n < 64; n++, lane += 1)
        length[n] = lane_lengths(s, lane);
    unsigned rows = 64;
    for (uint64_t longest = s->columns; longest <= 32; longest *= 2) {
        rows /= 2;
        for (size_t n = 0; n < rows; n++) {
            vec even = block[2 * n] & ~(all_lanes(1) << length[2 * n]);
            block[n] = even | block[2 * n + 1] << length[2 * n];
            length[n] = length[2 * n] + length[2 * n + 1];
        }
    }
    return rows;
}

/* Writes the lanes of word columns q to end - 1 one after the other, until the row is full. */
static void write_lanes(const struct shape *s, uint64_t *cells, const vec *block, const vec *length, unsigned rows,
                        uint64_t q, uint64_t end)
{
    struct writer w = {cells, 0, 0};
    uint64_t left = s->width;
    for (; q < end; q++)
        for (unsigned n = 0; n < rows && left; n++) {
            uint64_t lane = length[n][q] < left ? length[n][q] : left;
            left -= lane;
            for (const vec *v = block + n; lane; v += 64) {
                uint64_t count = lane < 64 ? lane : 64;
                append_bits(&w, (*v)[q], count);
                lane -= count;
            }
        }
    finish_bits(&w);
}

/* Converts a striped row to linear bits. */
static void to_linear(const struct shape *s, const struct convert_scratch *scratch, struct grid_rows to, const vec *row)
{
    int bits = lane_bits(s);
    for (uint64_t c = 0; c < s->columns; c += 64) {
        vec *block = bits < 0 ? scratch->block + c : scratch->block;
        memcpy(block, row + c, columns_from(s, c) * sizeof *row);
        scatter_columns(block, columns_from(s, c), bits < 0 ? 64 : 1u << bits);
        if (bits >= 0)
            store_words(s, block, to, c, bits);
    }
    if (bits >= 0)
        return;
    vec length[64];
    unsigned rows = join_pairs(s, scratch->block, length);
    uint64_t group_words = VEC_WORDS / s->groups;
    for (uint64_t g = 0; g < s->groups; g++)
        write_lanes(s, to.words + g * to.stride, scratch->block, length, rows, g * group_words, (g + 1) * group_words);
}

#endif
