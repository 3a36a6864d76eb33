#include "bits.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "linear bits of any word size are taken to be bytes in order");

static uint64_t low_bits(uint32_t count)
{
    return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}

static uint8_t reverse_byte(uint8_t byte)
{
    return (uint8_t) (((byte * UINT64_C(0x80200802)) & UINT64_C(0x0884422110)) * UINT64_C(0x0101010101) >> 32);
}

/* Where a cell lies: the byte, and the bit in it. */
struct spot {
    int64_t byte;
    uint32_t bit;
};

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static struct spot spot_striped(const struct engine_layout *layout, int64_t x)
{
    int64_t words = layout->group_words, bits = 8 * (int64_t) layout->word_bytes;
    int64_t group = floor_divide(x, words * bits);
    int64_t inside = x - group * words * bits;
    int64_t bit = inside / words;
    return (struct spot){(group * words + inside % words) * layout->word_bytes + bit / 8, (uint32_t) (bit % 8)};
}

static uint64_t striped_get(const struct engine_layout *layout, const uint8_t *row, int64_t x, uint32_t count)
{
    uint64_t cells = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct spot spot = spot_striped(layout, x + i);
        cells |= (uint64_t) (row[spot.byte] >> spot.bit & 1) << i;
    }
    return cells;
}

static void striped_put(const struct engine_layout *layout, uint8_t *row, int64_t x, uint32_t count, uint64_t cells)
{
    for (uint32_t i = 0; i < count; i++) {
        struct spot spot = spot_striped(layout, x + i);
        uint8_t mask = (uint8_t) (1u << spot.bit);
        row[spot.byte] = (uint8_t) ((row[spot.byte] & ~mask) | (cells >> i & 1 ? mask : 0));
    }
}

/* Linear and reversed bits are bytes of eight consecutive cells; byte i of them is at i ^ flip, reversed or not. */
struct byte_order {
    int64_t flip;
    int reversed;
};

static struct byte_order byte_order(const struct engine_layout *layout)
{
    int reversed = layout->order == ENGINE_ORDER_REVERSED;
    return (struct byte_order){reversed ? (int64_t) layout->word_bytes - 1 : 0, reversed};
}

static uint8_t byte_get(struct byte_order order, const uint8_t *row, int64_t i)
{
    uint8_t byte = row[i ^ order.flip];
    return order.reversed ? reverse_byte(byte) : byte;
}

static void byte_put(struct byte_order order, uint8_t *row, int64_t i, uint8_t mask, uint8_t cells)
{
    uint8_t *byte = &row[i ^ order.flip];
    if (order.reversed) {
        mask = reverse_byte(mask);
        cells = reverse_byte(cells);
    }
    *byte = (uint8_t) ((*byte & ~mask) | (cells & mask));
}

uint64_t bits_get(const struct engine_layout *layout, const void *row, int64_t x, uint32_t count)
{
    if (layout->order == ENGINE_ORDER_STRIPED)
        return striped_get(layout, row, x, count);
    int64_t first = floor_divide(x, 8);
    if (layout->order == ENGINE_ORDER_LINEAR && x % 8 == 0 && count == 64) {
        uint64_t cells;
        memcpy(&cells, (const uint8_t *) row + first, 8);
        return cells;
    }
    const struct byte_order order = byte_order(layout);
    uint32_t shift = (uint32_t) (x - first * 8); /* cells of the first byte that are not wanted */
    uint64_t cells = (uint64_t) byte_get(order, row, first) >> shift;
    for (uint32_t have = 8 - shift; have < count; have += 8)
        cells |= (uint64_t) byte_get(order, row, ++first) << have;
    return cells & low_bits(count);
}

void bits_put(const struct engine_layout *layout, void *row, int64_t x, uint32_t count, uint64_t cells)
{
    if (layout->order == ENGINE_ORDER_STRIPED) {
        striped_put(layout, row, x, count, cells);
        return;
    }
    int64_t first = floor_divide(x, 8);
    if (layout->order == ENGINE_ORDER_LINEAR && x % 8 == 0 && count == 64) {
        memcpy((uint8_t *) row + first, &cells, 8);
        return;
    }
    const struct byte_order order = byte_order(layout);
    uint32_t shift = (uint32_t) (x - first * 8);
    uint64_t mask = low_bits(count);
    byte_put(order, row, first, (uint8_t) (mask << shift), (uint8_t) (cells << shift));
    for (uint32_t done = 8 - shift; done < count; done += 8)
        byte_put(order, row, ++first, (uint8_t) (mask >> done), (uint8_t) (cells >> done));
}

void bits_to_bytes(uint64_t cells, uint32_t count, uint8_t *bytes)
{
    for (uint32_t i = 0; i < count; i += 8, cells >>= 8) {
        /* Bit k of the byte is left alone in byte k, then becomes its lowest bit. */
        uint64_t spread = (cells & 0xff) * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);
        spread = (spread + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7 & UINT64_C(0x0101010101010101);
        memcpy(bytes + i, &spread, count - i < 8 ? count - i : 8);
    }
}

uint64_t bits_from_bytes(const uint8_t *bytes, uint32_t count)
{
    uint64_t cells = 0;
    for (uint32_t i = 0; i < count; i += 8) {
        uint64_t eight = 0;
        memcpy(&eight, bytes + i, count - i < 8 ? count - i : 8);
        cells |= (eight * UINT64_C(0x0102040810204080)) >> 56 << i; /* byte k moves to bit 56 + k */
    }
    return cells;
}
