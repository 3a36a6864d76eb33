/* A warp runs a soup in a window of 32 x 32 tiles of 28 x 28 cells.
 *
 * A word of a tile is a row. For a pass of two steps, lane n holds row n - 2 of a tile with the cells around it, two
 * rows and columns on each side:
 *
 *     lanes 0, 1      rows 26, 27 of the tile above     bits 0, 1       the tile to the left
 *     lanes 2 … 29    rows 0 … 27 of the tile           bits 2 … 29     the tile
 *     lanes 30, 31    rows 0, 1 of the tile below       bits 30, 31     the tile to the right
 *
 * There are two arrays of tiles: a pass reads one and writes the other. Lane y also holds bits for the tiles of row y of
 * the window. A tile is active if it has changed in the last pass, or if cells near it have; only active tiles are
 * computed, and the two arrays agree in all others. The soup has settled if no tile is active. */
#ifndef CENSUS_CUDA_WINDOW_CUH
#define CENSUS_CUDA_WINDOW_CUH

#include "cuda.h"
#include "soup_cells.h"

constexpr uint32_t WINDOW_SIDE = 32, WINDOW_TILES = WINDOW_SIDE * WINDOW_SIDE;
constexpr uint32_t TILE_WORDS = 32, ARRAY_WORDS = WINDOW_TILES * TILE_WORDS; /* the last four words of a tile are 0 */
constexpr int32_t CELLS_SIDE = 28, ROW_WORDS = WINDOW_SIDE * TILE_WORDS;
constexpr uint32_t CELLS = 0xfffffff, WARP_ALL = ~0u;
constexpr uint32_t LOOK_EVERY =
    15;                            /* passes between two looks: a multiple of the periods 3, 5, 6, 10 and 15 in steps */
constexpr int32_t GLIDER_GAP = 12; /* as in worker.c */

enum window_end { WINDOW_SETTLED, WINDOW_GIVEN_UP };

static __device__ __forceinline__ uint32_t lowest(uint32_t bits)
{
    return (uint32_t) __ffs((int) bits) - 1;
}

static __device__ __forceinline__ int32_t highest(uint32_t bits)
{
    return 31 - __clz((int) bits);
}

/* The tiles of a mask, one after the other, in all lanes: for (x, y) call work(x, y). */
template <class Work> static __device__ __forceinline__ void for_tiles(uint32_t mask, const Work &work)
{
    for (uint32_t rows = __ballot_sync(WARP_ALL, mask != 0); rows != 0; rows &= rows - 1) {
        const uint32_t y = lowest(rows);
        for (uint32_t columns = __shfl_sync(WARP_ALL, mask, (int) y); columns != 0; columns &= columns - 1)
            work(lowest(columns), y);
    }
}

/* A mask with the tiles around its tiles. */
static __device__ __forceinline__ uint32_t dilated(uint32_t mask, uint32_t lane)
{
    const uint32_t wide = mask | mask << 1 | mask >> 1;
    const uint32_t above = __shfl_up_sync(WARP_ALL, wide, 1), below = __shfl_down_sync(WARP_ALL, wide, 1);
    return wide | (lane > 0 ? above : 0) | (lane < 31 ? below : 0);
}

template <bool LIFE> struct window {
    const census_job &job;
    uint32_t *now, *next;
    uint32_t lane;
    int32_t beside; /* words from the first row of a tile to this lane's row */
    bool own;       /* it is a row of the tile itself */
    uint32_t active, touched;
    uint32_t dirty, alive; /* tiles that were active since the last look; tiles with live cells at that time */
    uint32_t traces;       /* of the state at the last look */
    uint32_t gliders;      /* that were taken away */

    __device__ __forceinline__ window(const census_job &job, uint32_t *arrays)
        : job(job), now(arrays), next(arrays + ARRAY_WORDS), lane(threadIdx.x % 32)
    {
        own = lane >= 2 && lane < 30;
        beside = lane < 2     ? (int32_t) lane + CELLS_SIDE - 2 - ROW_WORDS
                 : lane >= 30 ? (int32_t) lane - 30 + ROW_WORDS
                              : (int32_t) lane - 2;
        active = touched = dirty = alive = traces = gliders = 0;
    }

    /* ---- Steps ---------------------------------------------------------------------------------------------------- */

    __device__ __forceinline__ uint32_t load(uint32_t tile) const
    {
        const uint32_t *const at = now + ((int32_t) (tile * TILE_WORDS) + beside);
        return at[0] << 2 | at[-(int32_t) TILE_WORDS] >> 26 | at[TILE_WORDS] << 30;
    }

    /* A step of a tile. The outermost rows and columns become wrong. */
    __device__ __forceinline__ uint32_t step(uint32_t cells) const
    {
        const uint32_t left = cells << 1, right = cells >> 1;
        const uint32_t beside0 = left ^ right, beside1 = left & right;
        const uint32_t three0 = beside0 ^ cells, three1 = beside1 | (beside0 & cells);
        const uint32_t above0 = __shfl_up_sync(WARP_ALL, three0, 1), above1 = __shfl_up_sync(WARP_ALL, three1, 1);
        const uint32_t below0 = __shfl_down_sync(WARP_ALL, three0, 1), below1 = __shfl_down_sync(WARP_ALL, three1, 1);
        const uint32_t bit0 = above0 ^ below0 ^ beside0;
        const uint32_t carry = (above0 & below0) | ((above0 ^ below0) & beside0);
        /* Four numbers of twos: the neighbours are bit0 + 2 (above1 + below1 + beside1 + carry). */
        const uint32_t odd = above1 ^ below1 ^ beside1;
        const uint32_t two = (above1 & below1) | ((above1 ^ below1) & beside1);
        if (LIFE) {
            const uint32_t one = (odd & ~two & ~carry) | (~odd & ~two & carry);
            return one & (bit0 | cells);
        }
        const uint32_t bit1 = odd ^ carry, bit2 = two ^ (odd & carry), bit3 = two & odd & carry;
        uint32_t value[9];
#pragma unroll
        for (int total = 0; total < 9; total++)
            value[total] = job.birth[total] ^ (job.differs[total] & cells);
#pragma unroll
        for (int k = 0; k < 4; k++)
            value[k] = (bit0 & value[2 * k + 1]) | (~bit0 & value[2 * k]);
        const uint32_t few = (bit1 & value[1]) | (~bit1 & value[0]), many = (bit1 & value[3]) | (~bit1 & value[2]);
        const uint32_t low = (bit2 & many) | (~bit2 & few);
        return (bit3 & value[8]) | (~bit3 & low);
    }

    /* Takes two steps of a tile, and adds the tiles that must be computed in the next pass to `wake`. */
    __device__ __forceinline__ void take_tile(uint32_t x, uint32_t y, uint32_t *wake)
    {
        const uint32_t tile = y * WINDOW_SIDE + x, cells = load(tile), after = step(step(cells));
        if (own)
            next[tile * TILE_WORDS + lane - 2] = after >> 2 & CELLS;
        const uint32_t changed = own ? (cells ^ after) & CELLS << 2 : 0;
        const uint32_t any = __ballot_sync(WARP_ALL, changed != 0);
        const uint32_t left = __ballot_sync(WARP_ALL, (changed & 0xc) != 0);
        const uint32_t right = __ballot_sync(WARP_ALL, (changed & 0x30000000) != 0);
        const uint32_t rows = lane == y ? ~0u : lane + 1 == y ? 0xc : lane == y + 1 ? 0x30000000 : 0;
        *wake |= ((any & rows ? 2u : 0u) | (left & rows ? 1u : 0u) | (right & rows ? 4u : 0u)) << (x - 1);
    }

    /* Takes a pass. Returns false if the pattern comes to the edge of the window. */
    __device__ __forceinline__ bool pass()
    {
        uint32_t wake = 0;
        for_tiles(active, [&](uint32_t x, uint32_t y) { take_tile(x, y, &wake); });
        __syncwarp();
        uint32_t *const other = now;
        now = next;
        next = other;
        active = wake;
        dirty |= wake;
        touched |= wake;
        const uint32_t edge = lane == 0 || lane == 31 ? ~0u : 0x80000001;
        return !__any_sync(WARP_ALL, (active & edge) != 0);
    }

    /* ---- Gliders that escape -------------------------------------------------------------------------------------- */

    __device__ __forceinline__ uint32_t row_of(uint32_t x, uint32_t y) const
    {
        return now[(y * WINDOW_SIDE + x) * TILE_WORDS + lane];
    }

    /* The cells of a tile that belong together with its first one. */
    __device__ __forceinline__ uint32_t first_of(uint32_t row) const
    {
        const uint32_t top = lowest(__ballot_sync(WARP_ALL, row != 0));
        uint32_t mine = lane == top ? row & (0 - row) : 0;
        for (bool grows = true; grows;) {
            const uint32_t wide = mine | mine << 1 | mine >> 1 | mine << 2 | mine >> 2;
            const uint32_t more = (wide | __shfl_up_sync(WARP_ALL, wide, 1) | __shfl_down_sync(WARP_ALL, wide, 1) |
                                   __shfl_up_sync(WARP_ALL, wide, 2) | __shfl_down_sync(WARP_ALL, wide, 2)) &
                                  row & ~mine;
            mine |= more;
            grows = __any_sync(WARP_ALL, more != 0);
        }
        return mine;
    }

    /* Cells of a tile, where they are, and the direction of the glider that they are, as in struct worker, or 0. */
    struct cells {
        int32_t left, top;
        uint32_t direction;
    };

    __device__ __forceinline__ cells cells_of(uint32_t row, uint32_t x, uint32_t y) const
    {
        const uint32_t rows = __ballot_sync(WARP_ALL, row != 0), top = lowest(rows);
        const uint32_t columns = __reduce_or_sync(WARP_ALL, row), left = lowest(columns), three = row >> left & 7;
        const uint32_t square = __shfl_sync(WARP_ALL, three, (int) top) |
                                __shfl_sync(WARP_ALL, three, (int) top + 1) << 3 |
                                __shfl_sync(WARP_ALL, three, (int) top + 2) << 6;
        return {CELLS_SIDE * (int32_t) x + (int32_t) left, CELLS_SIDE * (int32_t) y + (int32_t) top,
                rows >> top <= 7 && columns >> left <= 7 ? (uint32_t) job.gliders[square] : 0};
    }

    /* How far along a direction the foremost cell is. */
    __device__ __forceinline__ int32_t front_of(uint32_t row, uint32_t x, uint32_t y, int32_t dx, int32_t dy) const
    {
        const int32_t column = dx > 0 ? highest(row) : CELLS_SIDE - 1 - (int32_t) lowest(row);
        const int32_t line = dy > 0 ? (int32_t) lane : CELLS_SIDE - 1 - (int32_t) lane;
        return __reduce_max_sync(WARP_ALL, row ? column + line : 0) +
               CELLS_SIDE * (dx * (int32_t) x + dy * (int32_t) y);
    }

    /* The tiles whose foremost corner is ahead of a front. */
    __device__ __forceinline__ uint32_t ahead_of(int32_t front, int32_t dx, int32_t dy) const
    {
        constexpr int32_t tiles = 4 * WINDOW_SIDE; /* so that the division rounds down */
        const int32_t behind = (front - (2 * CELLS_SIDE - 2) + CELLS_SIDE * tiles) / CELLS_SIDE - tiles;
        const int32_t limit = behind - dy * (int32_t) lane; /* dx times the column is larger */
        const int32_t first = limit + 1 > 0 ? limit + 1 : 0, end = -limit;
        if (dx > 0)
            return first < 32 ? ~0u << first : 0;
        return end <= 0 ? 0 : end < 32 ? (1u << end) - 1 : ~0u;
    }

    /* Are the cells of a tile that are not behind the front all gliders of this direction that keep away? */
    __device__ __forceinline__ bool keeps_away(uint32_t row, uint32_t x, uint32_t y, const cells &glider, int32_t front,
                                               int32_t dx, int32_t dy) const
    {
        while (__any_sync(WARP_ALL, row != 0)) {
            const uint32_t part = first_of(row);
            const int32_t place = front_of(part, x, y, dx, dy);
            row &= ~part;
            if (place <= front - GLIDER_GAP)
                continue;
            const cells other = cells_of(part, x, y);
            const int32_t aside = abs(other.left - glider.left), above = abs(other.top - glider.top);
            if (other.direction != glider.direction || place < front || (aside < 7 && above < 7))
                return false;
        }
        return true;
    }

    /* Will nothing ever meet a glider, whose cells are `own` of a tile? See is_free of worker.c. */
    __device__ __forceinline__ bool is_free(uint32_t own, uint32_t x, uint32_t y, const cells &glider) const
    {
        const int32_t dx = (glider.direction - 1) & 1 ? 1 : -1, dy = (glider.direction - 1) & 2 ? 1 : -1;
        const int32_t front = front_of(own, x, y, dx, dy);
        bool is = true;
        for_tiles(alive & ahead_of(front - GLIDER_GAP, dx, dy), [&](uint32_t column, uint32_t line) {
            const uint32_t row = row_of(column, line) & (column == x && line == y ? ~own : ~0u);
            is = is && keeps_away(row, column, line, glider, front, dx, dy);
        });
        return is;
    }

    /* Takes the gliders of a tile away that are free. */
    __device__ __forceinline__ void free_gliders(uint32_t x, uint32_t y)
    {
        uint32_t *const row = now + (y * WINDOW_SIDE + x) * TILE_WORDS + lane;
        for (uint32_t rest = *row; __any_sync(WARP_ALL, rest != 0);) {
            const uint32_t part = first_of(rest);
            const cells glider = cells_of(part, x, y);
            rest &= ~part;
            if (glider.direction == 0 || !is_free(part, x, y, glider))
                continue;
            *row &= ~part;
            next[row - now] = *row;
            const bool some = __any_sync(WARP_ALL, *row != 0);
            alive &= lane == y && !some ? ~(1u << x) : ~0u;
            gliders++;
            __syncwarp();
        }
    }

    /* Brings `alive` up to date, and takes gliders away. Returns true if the state is that of the last look. */
    __device__ __forceinline__ bool look()
    {
        uint32_t found = 0, trace = 0;
        for_tiles(dirty, [&](uint32_t x, uint32_t y) {
            const uint32_t row = row_of(x, y), rows = __ballot_sync(WARP_ALL, row != 0);
            if (lane == y)
                alive = rows ? alive | 1u << x : alive & ~(1u << x);
            const uint32_t population = __reduce_add_sync(WARP_ALL, (uint32_t) __popc(row));
            if (lane == y && (population == 5 || population == 10))
                found |= 1u << x;
            trace = (trace ^ row ^ (y << 5 | x)) * 0x9e3779b1;
            trace ^= trace >> 15;
        });
        const bool same = __all_sync(WARP_ALL, trace == traces);
        traces = trace;
        dirty = active;
        for_tiles(found, [&](uint32_t x, uint32_t y) { free_gliders(x, y); });
        return same;
    }

    /* ---- A soup --------------------------------------------------------------------------------------------------- */

    /* The square that soups without symmetry have is in the middle of a tile. */
    __device__ __forceinline__ void put(const struct soup *soup)
    {
        constexpr uint32_t middle = WINDOW_SIDE / 2, first = 6, above = 10;
        const uint32_t cells = soup->rows[lane];
        const bool low = lane >= above;
        const uint32_t y = low ? middle : middle - 1, row = low ? lane - above : lane + CELLS_SIDE - above;
        const uint32_t one = cells << first & CELLS, two = cells >> (CELLS_SIDE - first);
        uint32_t *const at = now + (y * WINDOW_SIDE + middle) * TILE_WORDS + row;
        at[0] = one;
        at[TILE_WORDS] = two;
        __syncwarp();
        const uint32_t ones = __ballot_sync(WARP_ALL, one != 0), twos = __ballot_sync(WARP_ALL, two != 0);
        const uint32_t mine = lane == middle ? ~0u << above : lane == middle - 1 ? (1u << above) - 1 : 0;
        const uint32_t tiles = (ones & mine ? 1u << middle : 0) | (twos & mine ? 2u << middle : 0);
        active = touched = dirty = dilated(tiles, lane);
        alive = tiles;
        traces = gliders = 0;
    }

    /* Runs the soup until it has settled. */
    __device__ __forceinline__ window_end run()
    {
        for (uint32_t passes = 0; passes < job.most_passes; passes += LOOK_EVERY) {
            for (uint32_t k = 0; k < LOOK_EVERY; k++) {
                if (!__any_sync(WARP_ALL, active != 0)) {
                    look();
                    return WINDOW_SETTLED;
                }
                if (!pass())
                    return WINDOW_GIVEN_UP;
            }
            if (look())
                return WINDOW_GIVEN_UP;
        }
        return WINDOW_GIVEN_UP;
    }

    __device__ __forceinline__ void clear()
    {
        for_tiles(touched, [&](uint32_t x, uint32_t y) {
            const uint32_t at = (y * WINDOW_SIDE + x) * TILE_WORDS + lane;
            now[at] = next[at] = 0;
        });
        __syncwarp();
    }
};

#endif
