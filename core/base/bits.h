/* Rows with one bit per cell, in every order of a layout. Functions move up to 64 cells at a time, as a number whose
 * bit i is cell i. The core and its CUDA kernels compile the same functions. */
#ifndef CORE_BASE_BITS_H
#define CORE_BASE_BITS_H

#include <engine/plugin.h>
#include <string.h>

#ifdef __CUDACC__
#define BITS_FUNCTION static __host__ __device__ inline
#else
#define BITS_FUNCTION static inline
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the code relies on little-endian words, where linear bits of any word size are bytes in order"
#endif

BITS_FUNCTION uint64_t bits_low_bits(uint32_t count)
{
    return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}

BITS_FUNCTION uint8_t bits_reverse_byte(uint8_t byte)
{
    return (uint8_t) (((byte * UINT64_C(0x80200802)) & UINT64_C(0x0884422110)) * UINT64_C(0x0101010101) >> 32);
}

/* The lowest `count` bits in reverse order, count 1 … 64. */
BITS_FUNCTION uint64_t bits_reverse(uint64_t bits, uint32_t count)
{
    uint64_t reversed = 0;
    for (int byte = 0; byte < 8; byte++, bits >>= 8)
        reversed = reversed << 8 | bits_reverse_byte((uint8_t) bits);
    return reversed >> (64 - count);
}

BITS_FUNCTION int64_t bits_floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* The position of a cell in a striped row, for a walk from cell to cell. The next cell is at the same bit of the next
 * word; after the last word of a group it is at the next bit of the first word. */
struct bits_walk {
    int64_t byte;     /* of the row */
    uint32_t bit;     /* of that byte */
    int64_t group;    /* byte of the group's first word */
    int64_t word;     /* number of the word in the group */
    int64_t word_bit; /* bit of the word */
};

BITS_FUNCTION void bits_walk_at(struct bits_walk *walk, int64_t word_bytes)
{
    walk->byte = walk->group + walk->word * word_bytes + walk->word_bit / 8;
    walk->bit = (uint32_t) (walk->word_bit % 8);
}

BITS_FUNCTION struct bits_walk bits_walk_from(const struct engine_layout *layout, int64_t x)
{
    const int64_t words = layout->group_words, bytes = layout->word_bytes, cells = words * bytes * 8;
    const int64_t group = bits_floor_divide(x, cells), inside = x - group * cells;
    struct bits_walk walk = {0, 0, group * words * bytes, inside % words, inside / words};
    bits_walk_at(&walk, bytes);
    return walk;
}

BITS_FUNCTION void bits_walk_on(const struct engine_layout *layout, struct bits_walk *walk)
{
    const int64_t words = layout->group_words, bytes = layout->word_bytes;
    walk->byte += bytes;
    if (++walk->word < words)
        return;
    walk->word = 0;
    if (++walk->word_bit == bytes * 8) {
        walk->word_bit = 0;
        walk->group += words * bytes;
    }
    bits_walk_at(walk, bytes);
}

/* Moves every fourth bit of 64 to the lowest 16 bits, and back. */
BITS_FUNCTION uint64_t bits_gather_4(uint64_t x)
{
    x &= UINT64_C(0x1111111111111111);
    x = (x | x >> 3) & UINT64_C(0x0303030303030303);
    x = (x | x >> 6) & UINT64_C(0x000f000f000f000f);
    x = (x | x >> 12) & UINT64_C(0x000000ff000000ff);
    return (x | x >> 24) & 0xffff;
}

BITS_FUNCTION uint64_t bits_scatter_4(uint64_t x)
{
    x = (x | x << 24) & UINT64_C(0x000000ff000000ff);
    x = (x | x << 12) & UINT64_C(0x000f000f000f000f);
    x = (x | x << 6) & UINT64_C(0x0303030303030303);
    return (x | x << 3) & UINT64_C(0x1111111111111111);
}

/* The striped order of the CUDA kernels: a group is four words of 32 bits, and 64 aligned cells are 16 bits of each
 * word. */
BITS_FUNCTION int bits_is_striped_4x32(const struct engine_layout *layout, int64_t x, uint32_t count)
{
    return layout->group_words == 4 && layout->word_bytes == 4 && x % 64 == 0 && count == 64;
}

BITS_FUNCTION uint64_t bits_get_4x32(const uint8_t *row, int64_t x)
{
    const int64_t half = bits_floor_divide(x, 64);
    uint64_t cells = 0;
    for (int64_t word = 0; word < 4; word++) {
        uint16_t part;
        memcpy(&part, row + (half >> 1) * 16 + 4 * word + 2 * (half & 1), 2);
        cells |= bits_scatter_4(part) << word;
    }
    return cells;
}

BITS_FUNCTION void bits_put_4x32(uint8_t *row, int64_t x, uint64_t cells)
{
    const int64_t half = bits_floor_divide(x, 64);
    for (int64_t word = 0; word < 4; word++) {
        uint16_t part = (uint16_t) bits_gather_4(cells >> word);
        memcpy(row + (half >> 1) * 16 + 4 * word + 2 * (half & 1), &part, 2);
    }
}

BITS_FUNCTION uint64_t bits_striped_get(const struct engine_layout *layout, const uint8_t *row, int64_t x,
                                        uint32_t count)
{
    uint64_t cells = 0;
    if (bits_is_striped_4x32(layout, x, count))
        return bits_get_4x32(row, x);
    struct bits_walk walk = bits_walk_from(layout, x);
    for (uint32_t i = 0; i < count; i++) {
        cells |= (uint64_t) (row[walk.byte] >> walk.bit & 1) << i;
        bits_walk_on(layout, &walk);
    }
    return cells;
}

BITS_FUNCTION void bits_striped_put(const struct engine_layout *layout, uint8_t *row, int64_t x, uint32_t count,
                                    uint64_t cells)
{
    if (bits_is_striped_4x32(layout, x, count)) {
        bits_put_4x32(row, x, cells);
        return;
    }
    struct bits_walk walk = bits_walk_from(layout, x);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t mask = (uint8_t) (1u << walk.bit);
        row[walk.byte] = (uint8_t) ((row[walk.byte] & ~mask) | (cells >> i & 1) << walk.bit);
        bits_walk_on(layout, &walk);
    }
}

/* In linear and in reversed order a byte is eight consecutive cells. Byte i of the cells is byte i ^ flip of the row;
 * its bits may be reversed. */
struct bits_byte_order {
    int64_t flip;
    int reversed;
};

BITS_FUNCTION struct bits_byte_order bits_byte_order(const struct engine_layout *layout)
{
    int reversed = layout->order == ENGINE_ORDER_REVERSED;
    struct bits_byte_order order = {reversed ? (int64_t) layout->word_bytes - 1 : 0, reversed};
    return order;
}

BITS_FUNCTION uint8_t bits_byte_get(struct bits_byte_order order, const uint8_t *row, int64_t i)
{
    uint8_t byte = row[i ^ order.flip];
    return order.reversed ? bits_reverse_byte(byte) : byte;
}

BITS_FUNCTION void bits_byte_put(struct bits_byte_order order, uint8_t *row, int64_t i, uint8_t mask, uint8_t cells)
{
    uint8_t *byte = &row[i ^ order.flip];
    if (order.reversed) {
        mask = bits_reverse_byte(mask);
        cells = bits_reverse_byte(cells);
    }
    *byte = (uint8_t) ((*byte & ~mask) | (cells & mask));
}

/* Returns cells [x, x + count) of a row, count 1 … 64. `row` is the address of the word with cell 0; x may be
 * negative. */
BITS_FUNCTION uint64_t bits_get(const struct engine_layout *layout, const uint8_t *row, int64_t x, uint32_t count)
{
    if (layout->order == ENGINE_ORDER_STRIPED)
        return bits_striped_get(layout, row, x, count);
    int64_t first = bits_floor_divide(x, 8);
    if (layout->order == ENGINE_ORDER_LINEAR && x % 8 == 0 && count == 64) {
        uint64_t cells;
        memcpy(&cells, row + first, 8);
        return cells;
    }
    const struct bits_byte_order order = bits_byte_order(layout);
    uint32_t shift = (uint32_t) (x - first * 8); /* cells of the first byte before x */
    uint64_t cells = (uint64_t) bits_byte_get(order, row, first) >> shift;
    for (uint32_t have = 8 - shift; have < count; have += 8)
        cells |= (uint64_t) bits_byte_get(order, row, ++first) << have;
    return cells & bits_low_bits(count);
}

/* Sets cells [x, x + count) and no others. */
BITS_FUNCTION void bits_put(const struct engine_layout *layout, uint8_t *row, int64_t x, uint32_t count, uint64_t cells)
{
    if (layout->order == ENGINE_ORDER_STRIPED) {
        bits_striped_put(layout, row, x, count, cells);
        return;
    }
    int64_t first = bits_floor_divide(x, 8);
    if (layout->order == ENGINE_ORDER_LINEAR && x % 8 == 0 && count == 64) {
        memcpy(row + first, &cells, 8);
        return;
    }
    const struct bits_byte_order order = bits_byte_order(layout);
    uint32_t shift = (uint32_t) (x - first * 8);
    uint64_t mask = bits_low_bits(count);
    bits_byte_put(order, row, first, (uint8_t) (mask << shift), (uint8_t) (cells << shift));
    for (uint32_t done = 8 - shift; done < count; done += 8)
        bits_byte_put(order, row, ++first, (uint8_t) (mask >> done), (uint8_t) (cells >> done));
}

/* Turns the lowest eight bits into bytes of 0 and 1. */
BITS_FUNCTION uint64_t bits_spread_8(uint64_t cells)
{
    /* Byte k keeps bit k only, which then becomes its lowest bit. */
    const uint64_t spread = (cells & 0xff) * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);
    return (spread + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7 & UINT64_C(0x0101010101010101);
}

/* Turn bits into `count` bytes of 0 and 1, and back; count 1 … 64. */
BITS_FUNCTION void bits_to_bytes(uint64_t cells, uint32_t count, uint8_t *bytes)
{
    for (; count >= 8; count -= 8, cells >>= 8, bytes += 8) {
        const uint64_t eight = bits_spread_8(cells);
        memcpy(bytes, &eight, 8);
    }
    const uint64_t rest = bits_spread_8(cells);
    memcpy(bytes, &rest, count);
}

BITS_FUNCTION uint64_t bits_from_bytes(const uint8_t *bytes, uint32_t count)
{
    uint64_t cells = 0, eight = 0;
    uint32_t done = 0;
    for (; done + 8 <= count; done += 8) {
        memcpy(&eight, bytes + done, 8);
        cells |= (eight * UINT64_C(0x0102040810204080)) >> 56 << done; /* byte k moves to bit 56 + k */
    }
    eight = 0;
    memcpy(&eight, bytes + done, count - done);
    return done < 64 ? cells | (eight * UINT64_C(0x0102040810204080)) >> 56 << done : cells;
}

#endif
