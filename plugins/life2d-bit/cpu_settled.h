/* The settled regions of a grid (common/settled.h), for the CPU kernel: tiles of 32 x 32 cells, and when it pays to
 * skip them. */
#ifndef LIFE2D_CPU_SETTLED_H
#define LIFE2D_CPU_SETTLED_H

#include <common/settled.h>
#include <stddef.h>

enum {
    SETTLED_EDGE = 32,      /* cells of a tile along x and y */
    SETTLED_LEAST = 256,    /* cells of a grid along x and y, so that there are enough tiles */
    SETTLED_COST = 5,       /* the time of a needed cell, in that of a cell when all are computed */
    SETTLED_SHORT_COST = 2, /* the same for one step, in addition */
    SETTLED_WAIT = 40 * 48, /* steps between two trials, a multiple of those of a usual pass */
    SETTLED_MOST_WAIT = 1 << 15,
    SETTLED_SAMPLES = 64 /* tiles that a trial looks at, at most */
};

struct life2d_square_network;

/* What a grid's instance remembers between calls. */
struct life2d_settled {
    struct settled map;
    int always;              /* are tiles skipped even if this is slower? */
    int on;                  /* are they skipped now? */
    int eroded;              /* did steps on all cells make what is known of the tiles less? */
    int unknown;             /* nothing is known of any tile: the next pass computes them all */
    uint64_t wait, interval; /* steps until the next trial; and from that one to the one after it */
    uint32_t threads;        /* at most */
    char *workspace;         /* workspace_bytes for each thread */
    uint64_t workspace_bytes;
    const struct life2d_square_network
        *rows;             /* if the rule does not count neighbours: its network whose lines are rows */
    double taken, skipped; /* steps times tiles so far, and those of them that were skipped */
};

/* Is a grid large enough? */
static inline int settled_fits(uint64_t width, uint64_t height)
{
    return width >= SETTLED_LEAST && height >= SETTLED_LEAST && width / SETTLED_EDGE < UINT32_MAX &&
           height / SETTLED_EDGE < UINT32_MAX;
}

/* The state was changed from outside. */
static inline void settled_reset(struct life2d_settled *s)
{
    s->on = s->always, s->unknown = 1, s->eroded = 0;
    s->wait = 0, s->interval = SETTLED_WAIT;
    settled_forget(&s->map);
}

/* The tiles that may have changed are too many. If this is so for lack of knowledge, a trial follows. */
static inline void settled_switch_off(struct life2d_settled *s)
{
    s->on = 0;
    s->wait = s->eroded ? 0 : s->interval;
    if (!s->eroded && s->interval < SETTLED_MOST_WAIT)
        s->interval *= 2;
    s->eroded = 0;
}

/* Nothing is known of any tile, and the next pass computes them all. */
static inline void settled_switch_on(struct life2d_settled *s)
{
    s->on = s->unknown = 1;
    s->eroded = 0;
    settled_forget(&s->map);
}

#endif
