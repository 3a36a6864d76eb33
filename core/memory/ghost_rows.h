/* Ghosts along x, in the rows of a grid whose edges are separate: which cells they copy, and rows of bits. The host and
 * the CUDA kernels compile the same functions. */
#ifndef CORE_MEMORY_GHOST_ROWS_H
#define CORE_MEMORY_GHOST_ROWS_H

#include "base/bits.h"
#include "memory/edges.h"

/* Ghosts that copy neighbouring cells [from, from + count), in their order or in reverse order. */
struct ghost_run {
    int64_t from;
    uint64_t count; /* 0: the ghosts copy no cells, because the edge is dead or fixed */
    bool reversed;
};

/* The longest run that ghost `to` of an axis begins, but of at most `most` ghosts. A mirrored axis repeats after twice
 * its extent: the second half is the first one in reverse order. */
EDGES_FUNCTION struct ghost_run ghost_run_at(uint32_t kind, uint64_t extent, int64_t to, uint64_t most)
{
    const int64_t period = (int64_t) extent * (kind == ENGINE_EDGE_MIRROR ? 2 : 1);
    const int64_t over = to % period, place = over < 0 ? over + period : over;
    struct ghost_run run = {place, 0, place >= (int64_t) extent};
    if (kind == ENGINE_EDGE_DEAD || kind == ENGINE_EDGE_FIXED)
        return run;
    const uint64_t left = (uint64_t) (run.reversed ? period : (int64_t) extent) - (uint64_t) place;
    run.count = most < left ? most : left;
    if (run.reversed)
        run.from = period - place - (int64_t) run.count;
    return run;
}

/* Sets ghosts [to, to + count) of a row of `width` bits. */
EDGES_FUNCTION void ghost_bits_fill(const struct engine_layout *layout, const struct edges *edges, uint64_t width,
                                    uint8_t *row, int64_t to, uint64_t count)
{
    for (uint64_t n; count > 0; to += (int64_t) n, count -= n) {
        n = count < 64 ? count : 64;
        const struct ghost_run run = ghost_run_at(edges->kind[0], width, to, n);
        uint64_t cells = edges->beyond[0][0] ? ~UINT64_C(0) : 0;
        if (run.count > 0) {
            n = run.count;
            cells = bits_get(layout, row, run.from, (uint32_t) n);
            cells = run.reversed ? bits_reverse(cells, (uint32_t) n) : cells;
        }
        bits_put(layout, row, to, (uint32_t) n, cells);
    }
}

#endif
