#include "tiles/tile_bits.h"

#include <string.h>

enum { WORD = 64 };

static bool are_words(const struct geometry *geometry)
{
    const struct engine_layout *layout = &geometry->layout;
    return layout->cell_bits == 1 && layout->word_bytes == 8 && layout->order == ENGINE_ORDER_LINEAR && !layout->pack;
}

bool tile_bits_fit(const struct tile_bits *bits)
{
    return bits->state->plan->impl->memory == ENGINE_HOST_MEMORY &&
           are_words(&bits->map->tiling->geometry[bits->field]) && are_words(state_geometry(bits->state, bits->field));
}

/* ---- Rows of words -------------------------------------------------------------------------------------------- */

static uint64_t *row_of(const struct geometry *geometry, void *buffer, uint64_t row)
{
    const uint64_t rows = geometry->shape.extent[1];
    return (uint64_t *) (void *) ((char *) buffer + geometry->origin + (int64_t) (row % rows) * geometry->row_stride +
                                  (int64_t) (row / rows) * geometry->plane_stride);
}

static uint64_t mask_of(uint64_t bits)
{
    return bits == WORD ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* The bits that begin at bit x: at least `count` of them, at most WORD. */
static uint64_t get(const uint64_t *row, uint64_t x, uint64_t count)
{
    const uint64_t shift = x % WORD, low = row[x / WORD] >> shift;
    return shift + count > WORD ? low | row[x / WORD + 1] << (WORD - shift) : low;
}

/* Copies bits. Where `from` is NULL, all of them are `fill`. */
static void copy_bits(uint64_t *to, uint64_t to_x, const uint64_t *from, uint64_t from_x, uint64_t count, uint64_t fill)
{
    for (uint64_t n; count > 0; to_x += n, from_x += n, count -= n) {
        const uint64_t shift = to_x % WORD;
        n = WORD - shift < count ? WORD - shift : count;
        const uint64_t mask = mask_of(n) << shift, cells = from ? get(from, from_x, n) << shift : fill;
        to[to_x / WORD] = (to[to_x / WORD] & ~mask) | (cells & mask);
    }
}

/* ---- To a small grid -------------------------------------------------------------------------------------------- */

/* A range of cells along an axis of the small grid that lies in one tile. */
struct stretch {
    uint64_t begin, count; /* in the small grid */
    uint64_t tile, from;   /* the place of the tile, and its first cell */
};

/* The stretch that begins at a cell of the small grid around a tile. */
static struct stretch stretch_at(const struct tile_bits *bits, const struct tile *tile, int axis, uint64_t begin)
{
    const uint64_t side = bits->map->tiling->side[axis], all = bits->map->tiles[axis] * side;
    const uint64_t left = bits->state->plan->shapes[bits->field].extent[axis] - begin;
    const uint64_t at = (tile->at[axis] * side + all - bits->margin[axis] % all + begin) % all, rest = side - at % side;
    return (struct stretch){begin, rest < left ? rest : left, at / side, at % side};
}

/* Copies the rows that lie in one tile. */
static void copy_stretches(const struct tile_bits *bits, const struct stretch *x, const struct stretch *y,
                           const struct stretch *z)
{
    const struct tile_map *map = bits->map;
    const struct geometry *small = state_geometry(bits->state, bits->field),
                          *large = &map->tiling->geometry[bits->field];
    const uint64_t *extent = bits->state->plan->shapes[bits->field].extent;
    const struct tile *tile = tile_map_find(map, (uint64_t[]){x->tile, y->tile, z->tile});
    void *buffer = state_buffer(bits->state, bits->field);
    for (uint64_t i = 0; i < z->count; i++) {
        uint64_t *to = row_of(small, buffer, (bits->index * extent[2] + z->begin + i) * extent[1] + y->begin);
        const uint64_t *from = tile ? row_of(large, tile->memory[bits->field][tile->current],
                                             (z->from + i) * map->tiling->side[1] + y->from)
                                    : NULL;
        for (uint64_t j = 0; j < y->count; j++, to += small->row_stride / 8, from += from ? large->row_stride / 8 : 0)
            copy_bits(to, x->begin, from, x->from, x->count, map->background[bits->field][0] ? UINT64_MAX : 0);
    }
}

void tile_bits_gather(const struct tile_bits *bits, const struct tile *tile)
{
    const uint64_t *extent = bits->state->plan->shapes[bits->field].extent;
    struct stretch x, y, z;
    for (uint64_t c = 0; c < extent[2]; c += z.count) {
        z = stretch_at(bits, tile, 2, c);
        for (uint64_t b = 0; b < extent[1]; b += y.count) {
            y = stretch_at(bits, tile, 1, b);
            for (uint64_t a = 0; a < extent[0]; a += x.count) {
                x = stretch_at(bits, tile, 0, a);
                copy_stretches(bits, &x, &y, &z);
            }
        }
    }
}

/* ---- To a tile ---------------------------------------------------------------------------------------------------- */

/* Widens a range to the bits of a row that are other than those of the background. Returns whether there are any. */
static bool widen_row(const uint64_t *row, uint64_t width, uint64_t plain, uint64_t *low, uint64_t *high)
{
    const uint64_t words = (width + WORD - 1) / WORD, last_mask = mask_of((width - 1) % WORD + 1);
    uint64_t first = 0, last = words;
#define OTHER(i) ((row[i] ^ plain) & ((i) + 1 == words ? last_mask : UINT64_MAX))
    while (first < words && OTHER(first) == 0)
        first++;
    if (first == words)
        return false;
    while (OTHER(last - 1) == 0)
        last--;
    const uint64_t begin = first * WORD + (uint64_t) __builtin_ctzll(OTHER(first));
    const uint64_t end = last * WORD - (uint64_t) __builtin_clzll(OTHER(last - 1));
#undef OTHER
    *low = begin < *low ? begin : *low;
    *high = end > *high ? end : *high;
    return true;
}

static void widen(uint64_t at, uint64_t *low, uint64_t *high)
{
    *low = at < *low ? at : *low;
    *high = at + 1 > *high ? at + 1 : *high;
}

bool tile_bits_scatter(const struct tile_bits *bits, struct tile *tile, uint8_t background)
{
    const struct geometry *small = state_geometry(bits->state, bits->field),
                          *large = &bits->map->tiling->geometry[bits->field];
    const uint64_t *extent = bits->state->plan->shapes[bits->field].extent, *side = bits->map->tiling->side;
    void *buffer = state_buffer(bits->state, bits->field), *memory = tile->memory[bits->field][1 - tile->current];
    for (uint64_t z = 0; z < side[2]; z++) {
        uint64_t *to = row_of(large, memory, z * side[1]);
        const uint64_t *from =
            row_of(small, buffer, (bits->index * extent[2] + z + bits->margin[2]) * extent[1] + bits->margin[1]);
        for (uint64_t y = 0; y < side[1]; y++, to += large->row_stride / 8, from += small->row_stride / 8) {
            copy_bits(to, 0, from, bits->margin[0], side[0], 0);
            if (widen_row(to, side[0], background ? UINT64_MAX : 0, &tile->low[0], &tile->high[0])) {
                widen(y, &tile->low[1], &tile->high[1]);
                widen(z, &tile->low[2], &tile->high[2]);
            }
        }
    }
    return memcmp(memory, tile->memory[bits->field][tile->current], large->bytes) != 0;
}
