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

#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (rows8){__VA_ARGS__})
#endif

/* The vectors one row further up, and one row further down. The first and the last row become wrong. */
#define ABOVE(v, i) ((i) > 0 ? (v)[(i) -1] : SHUFFLE((v)[VECTORS - 1], (v)[VECTORS - 1], 7, 0, 1, 2, 3, 4, 5, 6))
#define BELOW(v, i) ((i) < VECTORS - 1 ? (v)[(i) + 1] : SHUFFLE((v)[0], (v)[0], 1, 2, 3, 4, 5, 6, 7, 0))

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
#pragma GCC unroll 4
    for (int i = 0; i < VECTORS; i++) {
        const rows8 left = cells[i] << 1, right = cells[i] >> 1;
        beside0[i] = left ^ right;
        beside1[i] = left & right;
        three0[i] = beside0[i] ^ cells[i];
        three1[i] = beside1[i] | (beside0[i] & cells[i]);
    }
#pragma GCC unroll 4
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

/* The cells of a tile without its edges. */
static const rows8 cells_inside[VECTORS] = {{0, inside, inside, inside, inside, inside, inside, inside},
                                            {0, inside, inside, inside, inside, inside, inside, inside},
                                            {inside, inside, inside, inside, inside, inside, inside, 0},
                                            {inside, inside, inside, inside, inside, inside, inside, 0}};

/* A vector with the cells of the tiles to the west and to the east in its edges. */
static inline rows8 joined(const uint32_t *west, const uint32_t *rows, const uint32_t *east)
{
    return load(rows) | load(west) >> TILE_SIDE | load(east) << TILE_SIDE;
}

/* The cells of a tile and those around it. Rows 0 and 1 of the tile are the first of their vectors, and rows 28 and 29 of
 * the tile to the north are the last of the same vectors. In the other vectors, rows 30 and 31 are the last, and rows 2
 * and 3 of the tile to the south are the first. A load that begins seven rows away brings such a row to its place without
 * a permutation. */
static inline void gather(const struct tile *tiles, const struct tile *tile, uint32_t now, rows8 cells[VECTORS])
{
    const uint32_t *const near = tile->near;
#pragma GCC unroll 4
    for (int i = 0; i < VECTORS; i++) {
        const uint32_t *const row = &near[i < TILE_EDGE ? NEAR_NW : NEAR_SW];
        const int at = 8 * i;
        const rows8 own =
            joined(tiles[near[NEAR_W]].rows[now] + at, tile->rows[now] + at, tiles[near[NEAR_E]].rows[now] + at);
        const int far = i < TILE_EDGE ? at + 7 : at - 7;
        const rows8 beyond =
            joined(tiles[row[0]].rows[now] + far, tiles[row[1]].rows[now] + far, tiles[row[2]].rows[now] + far);
        cells[i] = i < TILE_EDGE ? SHUFFLE(own, beyond, 8, 1, 2, 3, 4, 5, 6, 7)
                                 : SHUFFLE(own, beyond, 0, 1, 2, 3, 4, 5, 6, 15);
    }
}

/* All lanes of a vector together, in each lane. */
static inline rows8 any_lane(rows8 v)
{
    v |= SHUFFLE(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
    v |= SHUFFLE(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
    return v | SHUFFLE(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
}

/* The bits of tile.reach, by the cells that have changed. Rows 2 and 3 are the first of their vectors, and rows 28 and 29
 * the last ones. */
static inline uint32_t reach_of(const rows8 changed[VECTORS])
{
    static const rows8 edges = {0xc, inside, 0x30000000, 0xc, 0x30000000, 0xc, inside, 0x30000000};
    static const rows8 bits = {1 << NEAR_NW, 1 << NEAR_N,  1 << NEAR_NE, 1 << NEAR_W,
                               1 << NEAR_E,  1 << NEAR_SW, 1 << NEAR_S,  1 << NEAR_SE};
    const rows8 ends = SHUFFLE(changed[2] | changed[3], changed[0] | changed[1], 0, 0, 0, 0, 0, 15, 15, 15);
    const rows8 all = any_lane(changed[0] | changed[1] | changed[2] | changed[3]);
    const rows8 cells = SHUFFLE(ends, all, 0, 1, 2, 11, 12, 5, 6, 7) & edges;
    return any_lane((rows8) (cells != 0) & bits)[0] | (uint32_t) (all[0] != 0) << NEAR_SELF;
}

/* Queues a tile that has changed, and the tiles whose edges have changed with it. */
static inline void spread(struct plane *plane, uint32_t number, uint32_t reach)
{
    plane_note_change(plane, number);
    plane_queue(plane, number);
    for (uint32_t rest = reach & ~(1u << NEAR_SELF); rest; rest &= rest - 1) {
        const int near = __builtin_ctz(rest);
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
    struct tile *tile = &plane->tiles[number];
    const uint32_t now = plane->pass & 1;
    rows8 cells[VECTORS], one[VECTORS], two[VECTORS], changed[VECTORS];
    gather(plane->tiles, tile, now, cells);
    step(plane, is_life, cells, one);
    step(plane, is_life, one, two);
    if (remembers)
#pragma GCC unroll 4
        for (int i = 0; i < VECTORS; i++)
            store(plane->history[number] + 8 * i,
                  load(plane->history[number] + 8 * i) | ((cells[i] | one[i]) & cells_inside[i]));
#pragma GCC unroll 4
    for (int i = 0; i < VECTORS; i++) {
        two[i] &= cells_inside[i];
        changed[i] = two[i] ^ load(tile->rows[now] + 8 * i);
        store(tile->rows[!now] + 8 * i, two[i]);
    }
    tile->reach = reach_of(changed);
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
    for (uint32_t i = 0; i < count; i++)
        take_tile(plane, is_life, plane->queue[i], remembers);
    plane->pass++;
    for (uint32_t i = 0; i < count; i++)
        if (plane->tiles[plane->queue[i]].reach)
            spread(plane, plane->queue[i], plane->tiles[plane->queue[i]].reach);
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

static int64_t count(struct plane *plane)
{
    for (uint32_t i = 0; i < plane->changed_count; i++) {
        struct tile *tile = &plane->tiles[plane->changed[i]];
        int32_t population = 0;
#pragma GCC unroll 4
        for (int k = 0; k < VECTORS; k++) {
            uint64_t words[4];
            store((uint32_t *) words, load(tile->rows[plane->pass & 1] + 8 * k));
            for (int word = 0; word < 4; word++)
                population += __builtin_popcountll(words[word]);
        }
        plane->population += population - tile->population;
        tile->population = population;
        tile->changed = false;
    }
    plane->changed_count = 0;
    return plane->population;
}

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

const struct plane_kernel JOIN(plane_kernel_, KERNEL_ISA) = {ISA_KERNEL, advance, remember, count};
