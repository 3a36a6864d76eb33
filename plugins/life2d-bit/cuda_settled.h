/* The settled regions of a grid on a CUDA device: what the kernel of cuda_settled.cuh works on. */
#ifndef LIFE2D_CUDA_SETTLED_H
#define LIFE2D_CUDA_SETTLED_H

#include <common/divide.h>
#include <life/cuda_words.cuh>

enum {
    SETTLED_STEPS = 12,  /* of a pass */
    SETTLED_LEAST = 256, /* cells of a grid along x and y */
    SETTLED_WARPS = 16,  /* of a block */
    SETTLED_BYTES = 3,   /* of 32 cells, the width of a tile, at most */
    SETTLED_LINES = 104, /* the height of a tile, at most */
    SETTLED_TEAM = 12    /* blocks of a team, at most; they share a bitmap */
};

/* What divides by a number without a division: 2^32 / by, rounded down. */
struct settled_divisor {
    uint32_t by, inverse;
};

/* Tiles along an axis: `tiles` of `edge`, the first `longer` of them of one more. Along x the unit is a byte. */
struct settled_axis {
    uint32_t tiles, edge, longer;
};

/* What a grid's instance remembers between calls, in device memory. The host clears what follows `on` if the state has
 * changed from outside. */
struct settled_state {
    uint64_t taken;              /* steps times tiles */
    uint64_t passed;             /* passes times tiles */
    unsigned long long computed; /* those of them that were computed */
    uint32_t on;                 /* are tiles skipped? */
    uint32_t known;              /* the bitmaps tell which tiles are needed; otherwise all are */
    uint32_t at;                 /* the bitmaps of the next pass */
    uint32_t done;               /* steps of the series that are done */
    uint32_t trials, moving[2];  /* so far; tiles of a sample that change */
    uint32_t turn;               /* which of the next numbers is used next; that one is 0 */
    uint32_t total[3];           /* the needed tiles of a pass */
    uint32_t arrived;            /* blocks */
    uint32_t reserved[14];
};

/* Passes of a series of launches (cuda_settled.cu). The first reads cells[0]. */
struct settled_job {
    uint4 *cells[2];
    settled_state *state;
    uint32_t *needed[3];                   /* bitmaps: `words` for each team */
    uint32_t words;                        /* a multiple of 4 */
    settled_divisor teams, columns;        /* the number of teams; that of tiles along x */
    uint32_t width, height, groups, pitch; /* groups of 128 cells of a row, and from a row to the next */
    settled_axis x, y;
    uint32_t first, passes; /* of the series; the kernel does nothing if more than the first of them are done */
    uint32_t steps;         /* that are added to `taken` */
    uint32_t always;        /* are tiles skipped even if this is slower? */
    uint32_t least;         /* passes for which all tiles may be computed once */
    uint32_t most_moving;   /* in percent: the tiles of a sample that may change */
    uint32_t most_needed;   /* tiles */
    life_factors factors;
};

/* ---- Host ------------------------------------------------------------------------------------ */

/* The tiles of a grid. */
struct settled_grid {
    uint32_t width, height, groups;
    settled_axis x, y;
    uint32_t blocks, teams, words;
    uint32_t always;                   /* skip tiles even if this is slower */
    uint32_t most_needed, most_moving; /* in percent: the tiles that may be needed; those of a sample that may change */
    uint64_t bytes;                    /* of device memory */
    void *memory;                      /* settled_state and three bitmaps, aligned to 16 bytes */
    cudaStream_t recorder;             /* records the rest of a round */
};

static inline settled_axis settled_make_axis(uint64_t units, uint64_t most)
{
    const uint64_t tiles = divide_up(units, most);
    return {(uint32_t) tiles, (uint32_t) (units / tiles), (uint32_t) (units % tiles)};
}

/* Finds the tiles of a grid; the caller then gives `bytes` of memory. False: the grid is not fit for tiles. */
static inline bool settled_make(settled_grid *grid, uint64_t width, uint64_t height, int multiprocessors)
{
    *grid = {};
    if (width < SETTLED_LEAST || height < SETTLED_LEAST || width >> 30 || height >> 30)
        return false;
    grid->width = (uint32_t) width, grid->height = (uint32_t) height;
    grid->groups = (uint32_t) divide_up(width, 128);
    grid->x = settled_make_axis(divide_up(width, 32), SETTLED_BYTES);
    grid->y = settled_make_axis(height, SETTLED_LINES);
    grid->blocks = (uint32_t) multiprocessors;
    const uint64_t numbers = (uint64_t) grid->x.tiles * grid->y.tiles;
    if (numbers >> 31)
        return false;
    grid->teams = (uint32_t) divide_up(grid->blocks, SETTLED_TEAM);
    grid->words = (uint32_t) divide_up(divide_up(numbers, grid->teams), 128) * 4;
    grid->bytes = sizeof(settled_state) + 3ull * grid->teams * grid->words * sizeof(uint32_t);
    return true;
}

static inline settled_divisor settled_make_divisor(uint32_t by)
{
    return {by, 0xffffffffu / by};
}

/* A job with all that follows from the grid. `pitch` is in groups. */
static inline settled_job settled_job_of(const settled_grid *grid, uint32_t pitch)
{
    settled_job job = {};
    job.state = (settled_state *) grid->memory;
    job.needed[0] = (uint32_t *) (job.state + 1);
    for (int i = 1; i < 3; i++)
        job.needed[i] = job.needed[i - 1] + (uint64_t) grid->teams * grid->words;
    job.words = grid->words;
    job.teams = settled_make_divisor(grid->teams), job.columns = settled_make_divisor(grid->x.tiles);
    job.width = grid->width, job.height = grid->height;
    job.groups = grid->groups, job.pitch = pitch;
    job.x = grid->x, job.y = grid->y;
    job.always = grid->always;
    job.most_moving = grid->most_moving;
    job.most_needed = (uint32_t) ((uint64_t) grid->x.tiles * grid->y.tiles * grid->most_needed / 100);
    return job;
}

#endif
