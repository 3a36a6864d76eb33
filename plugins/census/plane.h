/* An unbounded plane of tiles of 28 x 28 cells, of which a pass takes two steps. Tiles that repeat themselves after two
 * steps, with all tiles around, are left out. */
#ifndef CENSUS_PLANE_H
#define CENSUS_PLANE_H

#include <common/isa.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    TILE_SIDE = 28,  /* cells of a tile along an axis */
    TILE_EDGE = 2,   /* cells around them, which are those of other tiles, and dead here */
    TILE_ROWS = 32,  /* both */
    PLANE_SIDE = 512 /* tiles of the plane along an axis */
};

/* The tiles around a tile: dy = -1 first, and dx = -1 first. */
enum { NEAR_NW, NEAR_N, NEAR_NE, NEAR_W, NEAR_E, NEAR_SW, NEAR_S, NEAR_SE, NEAR_COUNT, NEAR_SELF = NEAR_COUNT };

struct tile {
    /* After even and after odd passes; both are the same if the tile is not queued. See tile_row; bit x + 2 of row y + 2 is
     * cell (x, y). */
    alignas(32) uint32_t rows[2][TILE_ROWS];
    uint32_t near[NEAR_COUNT]; /* 0: the tile does not exist */
    uint32_t reach;            /* of the last pass: bit n: near[n] is to be queued; NEAR_SELF, too */
    int32_t x, y;              /* place among tiles */
    uint32_t queued;           /* the last pass for which the tile was queued */
    int32_t population;        /* as `count` has seen it */
    bool changed;              /* since then */
};

/* The place of a row of a tile. Vector i of four has the rows i, i + 4, i + 8 and so on, so the rows above and below are
 * those of the vectors before and behind, in the same lanes. */
static inline int tile_row(int y)
{
    return y % 4 * (TILE_ROWS / 4) + y / 4;
}

/* Row y of the cells of a tile. */
static inline uint32_t tile_cells(const uint32_t rows[TILE_ROWS], int y)
{
    return rows[tile_row(TILE_EDGE + y)] >> TILE_EDGE;
}

struct plane {
    struct tile *tiles; /* tile 0 is always dead, and stands for tiles that do not exist */
    uint32_t count, room;
    uint32_t *queue, *next, *changed; /* tiles of this pass and of the next one; those that have changed */
    uint32_t queue_count, next_count, changed_count;
    uint32_t pass;
    int64_t population;
    uint32_t *map;                  /* the tile at each place, or 0 */
    uint32_t (*history)[TILE_ROWS]; /* of each tile: the cells that have been alive, since plane_remember */
    bool full;                      /* the pattern has reached the edge of the plane, or there is no memory */

    bool is_life;                  /* B3/S23 */
    uint32_t birth[9], differs[9]; /* all ones or 0: the next state of a dead cell with so many live neighbours, and
                                          whether that of a live one differs */
};

struct plane_kernel {
    struct isa_kernel isa;
    /* Takes so many passes of two steps. Ends early if no tile is queued: then all repeats itself after two steps. */
    void (*advance)(struct plane *plane, uint32_t passes);
    /* The same, and adds what is alive in each step, the first state included and the last one not, to the history. */
    void (*remember)(struct plane *plane, uint32_t passes);
    /* Brings the populations of all tiles and their sum up to date. */
    int64_t (*count)(struct plane *plane);
};

/* Makes an empty plane for a rule. Returns 0, or -1 if there is no memory. */
int plane_open(struct plane *plane, uint32_t birth, uint32_t survive);
void plane_close(struct plane *plane);

void plane_clear(struct plane *plane);

/* Makes a cell alive, whose x and y are not negative. After the last one, plane_wake queues the tiles around, in which
 * others may become alive. */
void plane_put(struct plane *plane, int64_t x, int64_t y);
void plane_wake(struct plane *plane);

/* The rows of a tile now. */
static inline uint32_t *plane_rows(struct plane *plane, uint32_t number)
{
    return plane->tiles[number].rows[plane->pass & 1];
}

/* Queues a tile for the next pass. */
static inline void plane_queue(struct plane *plane, uint32_t number)
{
    struct tile *tile = &plane->tiles[number];
    plane->next[plane->next_count] = number; /* without a branch, which nobody could predict */
    plane->next_count += tile->queued != plane->pass + 1;
    tile->queued = plane->pass + 1;
}

/* Says that the cells of a tile have changed. */
static inline void plane_note_change(struct plane *plane, uint32_t number)
{
    struct tile *tile = &plane->tiles[number];
    if (!tile->changed)
        plane->changed[plane->changed_count++] = number;
    tile->changed = true;
}

/* Makes the tile at a place if it does not exist, and returns its number; 0 sets `full`. */
uint32_t plane_tile(struct plane *plane, int32_t x, int32_t y);

/* Removes the cells of a tile. */
void plane_erase(struct plane *plane, uint32_t number);

#endif
