/* Passes over the tiles of a plane, which the Makefile compiles once for each instruction set. A tile is four vectors of
 * eight rows. */
#include "plane.h"

#include <string.h>

typedef uint32_t rows8 __attribute__((vector_size(32)));

enum { VECTORS = TILE_ROWS / 8 };

static const uint32_t inside = 0x3ffffffc; /* the cells of a row without the edges */

static inline rows8 load(const uint32_t *rows)
{
    rows8 result;
    memcpy(&result, rows, sizeof result);
    return result;
}

static inline void store(uint32_t *rows, rows8 value)
{
    memcpy(rows, &value, sizeof value);
}

/* The vectors one row further up, and one row further down. */
#if defined(__clang__) || __GNUC__ >= 12
#define ABOVE(v, i) __builtin_shufflevector((i) > 0 ? (v)[(i) -1] : (rows8){0}, (v)[i], 7, 8, 9, 10, 11, 12, 13, 14)
#define BELOW(v, i) \
    __builtin_shufflevector((v)[i], (i) < VECTORS - 1 ? (v)[(i) + 1] : (rows8){0}, 1, 2, 3, 4, 5, 6, 7, 8)
#else
#define ABOVE(v, i) __builtin_shuffle((i) > 0 ? (v)[(i) -1] : (rows8){0}, (v)[i], (rows8){7, 8, 9, 10, 11, 12, 13, 14})
#define BELOW(v, i) \
    __builtin_shuffle((v)[i], (i) < VECTORS - 1 ? (v)[(i) + 1] : (rows8){0}, (rows8){1, 2, 3, 4, 5, 6, 7, 8})
#endif

static inline rows8 choose(rows8 which, rows8 one, rows8 zero)
{
    return (which & one) | (~which & zero);
}

/* The next state for each number of neighbours from 0 to 8, whose bits are given. */
static inline rows8 next_of_total(const struct plane *plane, rows8 cells, rows8 bit0, rows8 bit1, rows8 bit2,
                                  rows8 bit3)
{
    rows8 value[9];
    for (int total = 0; total < 9; total++)
        value[total] = plane->birth[total] ^ (plane->differs[total] & cells);
    for (int k = 0; k < 4; k++)
        value[k] = choose(bit0, value[2 * k + 1], value[2 * k]);
    const rows8 low = choose(bit2, choose(bit1, value[3], value[2]), choose(bit1, value[1], value[0]));
    return choose(bit3, value[8], low);
}

/* One step of a tile. The outermost rows and columns become wrong. */
static inline __attribute__((always_inline)) void step(const struct plane *plane, bool is_life,
                                                       const rows8 cells[VECTORS], rows8 result[VECTORS])
{
    rows8 beside0[VECTORS], beside1[VECTORS], three0[VECTORS], three1[VECTORS];
    for (int i = 0; i < VECTORS; i++) {
        const rows8 left = cells[i] << 1, right = cells[i] >> 1;
        beside0[i] = left ^ right;
        beside1[i] = left & right;
        three0[i] = beside0[i] ^ cells[i];
        three1[i] = beside1[i] | (beside0[i] & cells[i]);
    }
    for (int i = 0; i < VECTORS; i++) {
        const rows8 above0 = ABOVE(three0, i), above1 = ABOVE(three1, i);
        const rows8 below0 = BELOW(three0, i), below1 = BELOW(three1, i);
        const rows8 half = above0 ^ below0, bit0 = half ^ beside0[i];
        const rows8 carry = (above0 & below0) | (half & beside0[i]);
        /* Four numbers of twos: the neighbours are bit0 + 2 (above1 + below1 + beside1 + carry). */
        const rows8 odd_a = above1 ^ below1, odd_b = beside1[i] ^ carry;
        if (is_life) {
            const rows8 one = (odd_a & ~(beside1[i] | carry)) | (odd_b & ~(above1 | below1));
            result[i] = one & (bit0 | cells[i]);
            continue;
        }
        const rows8 both_a = above1 & below1, both_b = beside1[i] & carry, both = odd_a & odd_b;
        result[i] = next_of_total(plane, cells[i], bit0, odd_a ^ odd_b, both_a ^ both_b ^ both, both_a & both_b);
    }
}

/* Copies the cells around a tile into its edges. */
static inline void copy_edges(const struct tile *tiles, struct tile *tile)
{
    const uint32_t *west = tiles[tile->near[NEAR_W]].rows, *east = tiles[tile->near[NEAR_E]].rows;
    for (int i = 0; i < TILE_ROWS; i += 8)
        store(tile->rows + i,
              (load(tile->rows + i) & inside) | (load(west + i) >> 28 & 3) | (load(east + i) << 28 & 0xc0000000));
    const struct tile *const north = &tiles[tile->near[NEAR_N]], *const south = &tiles[tile->near[NEAR_S]];
    for (int k = 0; k < TILE_EDGE; k++) {
        const int from = TILE_SIDE + k, to = TILE_EDGE + TILE_SIDE + k;
        tile->rows[k] = (north->rows[from] & inside) | (tiles[tile->near[NEAR_NW]].rows[from] >> 28 & 3) |
                        (tiles[tile->near[NEAR_NE]].rows[from] << 28 & 0xc0000000);
        tile->rows[to] = (south->rows[TILE_EDGE + k] & inside) |
                         (tiles[tile->near[NEAR_SW]].rows[TILE_EDGE + k] >> 28 & 3) |
                         (tiles[tile->near[NEAR_SE]].rows[TILE_EDGE + k] << 28 & 0xc0000000);
    }
}

/* Queues the tiles that have common cells with the changed cells of a tile. */
static void spread(struct plane *plane, uint32_t number, const uint32_t changed[TILE_ROWS], uint32_t columns)
{
    const uint32_t top = changed[2] | changed[3], bottom = changed[28] | changed[29];
    const uint32_t west = 0xc, east = 0x30000000;
    const uint32_t reached[NEAR_COUNT] = {[NEAR_NW] = top & west,    [NEAR_N] = top,
                                          [NEAR_NE] = top & east,    [NEAR_W] = columns & west,
                                          [NEAR_E] = columns & east, [NEAR_SW] = bottom & west,
                                          [NEAR_S] = bottom,         [NEAR_SE] = bottom & east};
    for (int near = 0; near < NEAR_COUNT; near++) {
        if (!reached[near])
            continue;
        uint32_t other = plane->tiles[number].near[near];
        if (!other) {
            const int around = near < 4 ? near : near + 1;
            const struct tile *tile = &plane->tiles[number];
            other = plane_tile(plane, tile->x + around % 3 - 1, tile->y + around / 3 - 1);
        }
        if (other)
            plane_queue(plane, other);
    }
}

static inline __attribute__((always_inline)) void take_tile(struct plane *plane, bool is_life, uint32_t number,
                                                            bool remembers)
{
    static const rows8 rows_inside[VECTORS] = {{0, 0, inside, inside, inside, inside, inside, inside},
                                               {inside, inside, inside, inside, inside, inside, inside, inside},
                                               {inside, inside, inside, inside, inside, inside, inside, inside},
                                               {inside, inside, inside, inside, inside, inside, 0, 0}};
    struct tile *tile = &plane->tiles[number];
    rows8 cells[VECTORS], one[VECTORS], two[VECTORS], changed[VECTORS];
    for (int i = 0; i < VECTORS; i++)
        cells[i] = load(tile->rows + 8 * i);
    step(plane, is_life, cells, one);
    step(plane, is_life, one, two);
    if (remembers)
        for (int i = 0; i < VECTORS; i++)
            store(plane->history[number] + 8 * i, load(plane->history[number] + 8 * i) | cells[i] | one[i]);
    for (int i = 0; i < VECTORS; i++)
        changed[i] = (cells[i] ^ two[i]) & rows_inside[i];
    const rows8 any = changed[0] | changed[1] | changed[2] | changed[3];
    uint64_t words[4];
    memcpy(words, &any, sizeof words);
    const uint64_t pair = words[0] | words[1] | words[2] | words[3];
    if (!pair)
        return;
    uint32_t rows[TILE_ROWS];
    for (int i = 0; i < VECTORS; i++) {
        store(tile->rows + 8 * i, cells[i] ^ changed[i]);
        store(rows + 8 * i, changed[i]);
    }
    plane_note_change(plane, number);
    plane_queue(plane, number);
    spread(plane, number, rows, (uint32_t) (pair | pair >> 32));
}

static inline __attribute__((always_inline)) void take_pass(struct plane *plane, bool is_life, bool remembers)
{
    uint32_t *const queue = plane->next;
    const uint32_t count = plane->next_count;
    (void) queue;
    plane->next = plane->queue;
    plane->queue = queue;
    plane->queue_count = count;
    plane->next_count = 0;
    plane->pass++;
    for (uint32_t i = 0; i < count; i++)
        copy_edges(plane->tiles, &plane->tiles[plane->queue[i]]);
    for (uint32_t i = 0; i < count; i++)
        take_tile(plane, is_life, plane->queue[i], remembers);
}

static void advance(struct plane *plane, uint32_t passes)
{
    for (; passes > 0 && plane->next_count > 0 && !plane->full; passes--)
        if (plane->is_life)
            take_pass(plane, true, false);
        else
            take_pass(plane, false, false);
}

/* The tiles that are not queued repeat themselves after two steps, so one look at each is enough. */
static void remember(struct plane *plane, uint32_t passes)
{
    for (uint32_t i = 1; i < plane->count; i++)
        plane_queue(plane, i);
    memset(plane->history, 0, plane->count * sizeof *plane->history);
    for (uint32_t pass = 0; pass < passes && plane->next_count > 0 && !plane->full; pass++) {
        const uint32_t before = plane->count;
        take_pass(plane, plane->is_life, true);
        memset(plane->history + before, 0, (plane->count - before) * sizeof *plane->history);
    }
}

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

const struct plane_kernel JOIN(plane_kernel_, KERNEL_ISA) = {ISA_KERNEL, advance, remember};
