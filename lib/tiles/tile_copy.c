#include "tiles/tile_copy.h"
#include "base/bits.h"

#include <string.h>

enum { WORD = 64, AROUND = 27 };

static const struct geometry *large_of(const struct tile_copy *copy)
{
    return &copy->map->tiling->geometry[copy->field];
}

/* ---- Rows of words -------------------------------------------------------------------------------------------- */

static bool are_bits(const struct geometry *geometry)
{
    return geometry->layout.cell_bits == 1 && !geometry->layout.pack;
}

/* Are the rows whole words of 64 cells? */
static bool are_words(const struct geometry *geometry)
{
    return geometry->layout.order == ENGINE_ORDER_LINEAR && geometry->row_stride % 8 == 0 && geometry->origin % 8 == 0;
}

static void *row_of(const struct geometry *geometry, void *buffer, uint64_t row)
{
    const uint64_t rows = geometry->shape.extent[1];
    return (char *) buffer + geometry->origin + (int64_t) (row % rows) * geometry->row_stride +
           (int64_t) (row / rows) * geometry->plane_stride;
}

static void *row_of_tile(const struct tile_copy *copy, const struct tile *tile, uint32_t memory, uint64_t row)
{
    return row_of(large_of(copy), tile->memory[copy->field][memory], row);
}

static inline uint64_t mask_of(uint64_t bits)
{
    return bits == WORD ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* The bits that begin at bit x: at least `count` of them, at most WORD. */
static inline uint64_t get(const uint64_t *row, uint64_t x, uint64_t count)
{
    const uint64_t shift = x % WORD, low = row[x / WORD] >> shift;
    return shift + count > WORD ? low | row[x / WORD + 1] << (WORD - shift) : low;
}

/* Copies bits within a word. Where `from` is NULL, all of them are `fill`. */
static inline void copy_part(uint64_t *to, uint64_t to_x, const uint64_t *from, uint64_t from_x, uint64_t count,
                             uint64_t fill)
{
    const uint64_t shift = to_x % WORD, mask = mask_of(count) << shift;
    const uint64_t cells = from ? get(from, from_x, count) << shift : fill;
    to[to_x / WORD] = (to[to_x / WORD] & ~mask) | (cells & mask);
}

static inline void copy_words(uint64_t *to, const uint64_t *from, uint64_t shift, uint64_t words, uint64_t fill)
{
    if (!from)
        for (uint64_t i = 0; i < words; i++)
            to[i] = fill;
    else if (shift == 0)
        for (uint64_t i = 0; i < words; i++)
            to[i] = from[i];
    else
        for (uint64_t i = 0; i < words; i++)
            to[i] = from[i] >> shift | from[i + 1] << (WORD - shift);
}

static inline void copy_bits(uint64_t *to, uint64_t to_x, const uint64_t *from, uint64_t from_x, uint64_t count,
                             uint64_t fill)
{
    const uint64_t lead = (WORD - to_x % WORD) % WORD, head = lead < count ? lead : count;
    const uint64_t words = (count - head) / WORD, rest = head + words * WORD;
    if (head > 0)
        copy_part(to, to_x, from, from_x, head, fill);
    copy_words(to + (to_x + head) / WORD, from ? from + (from_x + head) / WORD : NULL, (from_x + head) % WORD, words,
               fill);
    if (rest < count)
        copy_part(to, to_x + rest, from, from_x + rest, count - rest, fill);
}

/* Up to WORD cells from a cell of a small grid on, whose rows are no words of 64 cells. It has whole groups of the striped
 * order of CUDA kernels, which is moved fast. */
static uint32_t cells_at(const struct geometry *small, uint64_t x, uint64_t end)
{
    return end - x >= WORD || bits_is_striped_4x32(&small->layout, 0, WORD) ? WORD : (uint32_t) (end - x);
}

static void put_row(const struct geometry *small, uint8_t *to, uint64_t width, const uint64_t *row)
{
    for (uint64_t x = 0; x < width; x += WORD)
        bits_put(&small->layout, to, (int64_t) x, cells_at(small, x, width), row[x / WORD]);
}

/* Gets cells [begin, end), and perhaps others of the same words. */
static void get_row(const struct geometry *small, const uint8_t *from, uint64_t begin, uint64_t end, uint64_t *row)
{
    for (uint64_t x = begin / WORD * WORD; x < end; x += WORD)
        row[x / WORD] = bits_get(&small->layout, from, (int64_t) x, cells_at(small, x, end));
}

uint64_t tile_copy_room(const struct tile_map *map, uint32_t field, const uint64_t extent[3])
{
    const struct engine_shape *shape = &map->plan->shapes[field];
    return (extent[0] * shape->components * type_bytes(shape->type) + 15) / 8 * 8;
}

/* ---- To a small grid -------------------------------------------------------------------------------------------- */

/* Which of the three tiles along an axis has a cell of the small grid? *from is the cell there. */
static uint64_t place(const struct tile_copy *copy, int axis, uint64_t at, uint64_t *from)
{
    const uint64_t side = copy->map->tiling->side[axis], margin = copy->margin[axis];
    *from = at < margin ? at + side - margin : at < margin + side ? at - margin : at - margin - side;
    return at < margin ? 0 : at < margin + side ? 1 : 2;
}

/* Finds the tiles of which the small grid has cells. A margin is no wider than a tile. */
static void find_around(const struct tile_copy *copy, const struct tile *tile, const struct tile *around[AROUND])
{
    const struct tile_map *map = copy->map;
    for (int i = 0; i < AROUND; i++) {
        uint64_t at[3];
        bool has = tile != NULL;
        for (int axis = 0, rest = i; has && axis < 3; axis++, rest /= 3) {
            at[axis] = (tile->at[axis] + map->tiles[axis] + (uint64_t) (rest % 3) - 1) % map->tiles[axis];
            has = rest % 3 == 1 || copy->margin[axis] > 0;
        }
        around[i] = has ? tile_map_find(map, at) : NULL;
    }
}

/* Cells of `rows` rows of a small grid that lie in one tile: where they begin there, and in the tile. */
struct block {
    uint64_t begin, from, count; /* along x */
    uint64_t from_row, rows;
};

/* Copies the cells of a block from a tile or, if `tile` is NULL, background. `to` is the first row, and rows follow after
 * `stride` bytes. */
static void copy_words_of(const struct tile_copy *copy, const struct tile *tile, const struct block *block, void *to,
                          uint64_t stride)
{
    const struct geometry *large = large_of(copy);
    const uint64_t fill = copy->map->background[copy->field][0] ? UINT64_MAX : 0;
    const uint64_t *from = tile ? row_of_tile(copy, tile, tile->current, block->from_row) : NULL;
    const uint64_t further = from ? (uint64_t) large->row_stride / sizeof *from : 0;
    uint64_t *row = to;
    for (uint64_t i = 0; i < block->rows; i++, row += stride / sizeof *row, from += further)
        copy_bits(row, block->begin, from, block->from, block->count, fill);
}

static void copy_elements_of(const struct tile_copy *copy, const struct tile *tile, const struct block *block, void *to)
{
    const struct geometry *large = large_of(copy);
    const uint64_t width = tile_map_width(copy->map, copy->field), components = large->shape.components;
    const uint64_t cell = components * large->element_bytes;
    uint8_t *cells = (uint8_t *) to + block->begin * cell;
    if (tile)
        geometry_read(large, tile->memory[copy->field][tile->current],
                      block->from_row * width + block->from * components, block->count * components, cells);
    else
        memcpy(cells, copy->map->background[copy->field] + block->from * cell, block->count * cell);
}

/* The rows from a row of the small grid on that lie in the same tiles and in the same plane. */
static uint64_t rows_together(const struct tile_copy *copy, uint64_t y)
{
    const uint64_t margin = copy->margin[1], side = copy->map->tiling->side[1];
    return y < margin ? margin - y : y < margin + side ? margin + side - y : copy->extent[1] - y;
}

void tile_copy_in(const struct tile_copy *copy, const struct tile *tile, uint64_t first, uint64_t end)
{
    const struct geometry *small = copy->small;
    const bool words = are_bits(small) && are_bits(large_of(copy)), straight = words && are_words(small);
    const uint64_t *extent = copy->extent, *side = copy->map->tiling->side, margin = copy->margin[0];
    const uint64_t elements = extent[0] * small->shape.components;
    const uint64_t begin[] = {0, margin, margin + side[0]}, from[] = {side[0] - margin, 0, 0};
    const struct tile *around[AROUND];
    find_around(copy, tile, around);
    for (uint64_t i = first, rows; i < end; i += rows) {
        const uint64_t row = copy->index * extent[1] * extent[2] + i;
        uint64_t y, z;
        const struct tile **along = around + 3 * place(copy, 1, i % extent[1], &y);
        along += 9 * place(copy, 2, i / extent[1], &z);
        rows = straight ? rows_together(copy, i % extent[1]) : 1;
        rows = rows < end - i ? rows : end - i;
        void *to = straight ? row_of(small, copy->cells, row) : copy->row;
        for (int x = 0; x < 3; x++) {
            const struct block block = {begin[x], from[x], x == 1 ? side[0] : margin, z * side[1] + y, rows};
            if (words)
                copy_words_of(copy, along[x], &block, to, (uint64_t) small->row_stride);
            else
                copy_elements_of(copy, along[x], &block, to);
        }
        if (words && !straight)
            put_row(small, row_of(small, copy->cells, row), extent[0], to);
        else if (!words)
            geometry_write(small, copy->cells, row * elements, elements, to);
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

/* Copies a row of words to a tile. Returns whether it differs from the row that the tile had `before`. */
static inline bool take_words(uint64_t *to, const uint64_t *from, uint64_t from_x, uint64_t width,
                              const uint64_t *before)
{
    uint64_t other = 0;
    copy_bits(to, 0, from, from_x, width, 0);
    for (uint64_t i = 0; i < (width + WORD - 1) / WORD; i++)
        other |= to[i] ^ before[i];
    return other != 0;
}

static bool take_elements(const struct tile_copy *copy, const struct tile *tile, uint64_t row, uint64_t small_row)
{
    const struct geometry *large = large_of(copy);
    const uint64_t width = tile_map_width(copy->map, copy->field), components = large->shape.components;
    geometry_read(copy->small, copy->cells, (small_row * copy->extent[0] + copy->margin[0]) * components, width,
                  copy->row);
    geometry_write(large, tile->memory[copy->field][1 - tile->current], row * width, width, copy->row);
    return memcmp(row_of_tile(copy, tile, 0, row), row_of_tile(copy, tile, 1, row), (size_t) large->row_stride) != 0;
}

void tile_copy_out(const struct tile_copy *copy, const struct tile *tile, uint64_t first, uint64_t end,
                   const uint8_t *background, struct tile_box *box)
{
    const struct geometry *small = copy->small;
    const bool words = are_bits(small) && are_bits(large_of(copy)), straight = words && are_words(small);
    const uint64_t *extent = copy->extent, *side = copy->map->tiling->side, *margin = copy->margin;
    for (uint64_t i = first, y = first % side[1], z = first / side[1]; i < end; i++) {
        const uint64_t row = (copy->index * extent[2] + z + margin[2]) * extent[1] + y + margin[1];
        uint64_t *to = row_of_tile(copy, tile, 1 - tile->current, i);
        const uint64_t *before = row_of_tile(copy, tile, tile->current, i);
        void *from = straight ? row_of(small, copy->cells, row) : copy->row;
        if (words && !straight)
            get_row(small, row_of(small, copy->cells, row), margin[0], margin[0] + side[0], from);
        if (words ? take_words(to, from, margin[0], side[0], before) : take_elements(copy, tile, i, row))
            box->changed = true;
        if (!words)
            tile_map_widen(copy->map, copy->field, copy->row, background, y, z, box->low, box->high);
        else if (widen_row(to, side[0], *background ? UINT64_MAX : 0, &box->low[0], &box->high[0])) {
            widen(y, &box->low[1], &box->high[1]);
            widen(z, &box->low[2], &box->high[2]);
        }
        if (++y == side[1])
            y = 0, z++;
    }
}
