/* The implementation `cpu`: what its two files share. */
#ifndef RULETABLE_CPU_H
#define RULETABLE_CPU_H

#include "ruletable.h"

#include <common/settled.h>

/* Computes `width` cells of a row. `above` and `below` are the rows around it; cells -1 and `width` are known too. */
typedef void row_function(const struct tables *tables, const void *column, const uint8_t *above, const uint8_t *row,
                          const uint8_t *below, uint8_t *result, int64_t width);

/* Which tiles of the grid repeat the state of two steps ago, and whether it pays to skip them. */
struct ruletable_settled {
    struct settled map;
    void *memory;      /* of the map; NULL: this grid is never skipped */
    bool always;       /* are tiles skipped even if this is slower? */
    bool on;           /* are they skipped now? */
    uint32_t unknown;  /* 1: the buffer that the next step writes does not hold the state of one step ago; else 0 */
    uint32_t learning; /* steps until the map tells which tiles are needed */
    uint32_t wait, interval; /* off: steps until the next trial; and from that one to the one after it */
    double taken, skipped;   /* tiles so far, and those of them that were skipped */
};

struct instance {
    struct tables tables;
    void *column; /* tables.column, in words of 32 bits if they are narrow */
    row_function *take_row;
    uint8_t from_nothing; /* the next state of a cell if all cells around it are in state 0 */
    struct ruletable_settled settled;
};

/* cpu.c. Makes an instance without a map of tiles. */
int ruletable_cpu_open(const struct engine_call *call, struct instance **own);

/* cpu_settled.c. Prepares the map for the grid of a plan. False: there is no memory. */
bool ruletable_settled_open(const struct engine_plan *plan, struct ruletable_settled *settled);

/* Takes a step of the tiles that are needed. False: this step is not for tiles, and nothing was done. */
bool ruletable_settled_advance(struct instance *own, const struct engine_call *call);

#endif
