/* How the streaming form of 2D Life cuts the height of a grid into bands, and places them in the line of slots
 * (cuda_stream.cuh). Without dead edges along y, the bands follow each other. With them, the first band and the last one
 * have warps of their own (cuda_stream_edges.cuh). */
#ifndef LIFE2D_CUDA_BANDS_H
#define LIFE2D_CUDA_BANDS_H

#include <common/divide.h>

#include <stdbool.h>
#include <stdint.h>

struct life2d_bands {
    uint32_t count, slots;
    uint32_t rows;         /* of the highest band */
    uint32_t fewer;        /* rows that the first band and the last one have less than others */
    uint32_t second, last; /* the slots at which these bands begin */
};

enum {
    LIFE2D_OWNERS = 30,  /* slots that a warp owns */
    LIFE2D_EDGE_ROWS = 8 /* the first band and the last one need the time of so many more rows; measured on an H200 */
};

/* Places `count` bands of slots, `width` each. The first band, the others and the last one begin at multiples of `apart`
 * slots. 1: there are no dead edges along y. */
static inline struct life2d_bands life2d_place_bands(uint32_t width, uint32_t height, uint32_t count, uint32_t apart)
{
    struct life2d_bands b = {count, 0, 0, 0, 0, 0};
    const uint32_t step = count > 2 ? apart : 1, inner = count > 2 ? (count - 2) * width : 0, half = height / count / 2;
    b.second = (uint32_t) divide_up(width, step) * step;
    b.last = (uint32_t) divide_up(b.second + inner, step) * step;
    b.slots = count > 1 ? b.last + width : width;
    b.fewer = step == 1 ? 0 : half < LIFE2D_EDGE_ROWS ? half : (uint32_t) LIFE2D_EDGE_ROWS;
    b.rows = (uint32_t) divide_up(height + 2ull * b.fewer, count);
    return b;
}

/* Places the most bands for which `owners` lanes suffice, without those that the height does not need. A band has at
 * least one row. */
static inline struct life2d_bands life2d_most_bands(uint32_t width, uint32_t height, uint64_t owners, uint32_t apart)
{
    const uint64_t edges = 2 * divide_up(width, apart) * apart, most = owners / width;
    uint64_t count = owners >= edges + width ? 2 + (owners - edges) / width : most < 2 ? most : 2;
    if (apart == 1)
        count = most;
    if (count > height)
        count = height;
    const struct life2d_bands b = life2d_place_bands(width, height, count > 1 ? (uint32_t) count : 1, apart);
    return life2d_place_bands(width, height, (uint32_t) divide_up(height + 2ull * b.fewer, b.rows), apart);
}

/* Cuts a grid of `groups` along x. All warps of the bands run at the same time, so that they start and end together:
 * they have `owners` lanes that own a slot. `dead`: the edges along y are dead. `count`: 0, or the number of bands. */
static inline struct life2d_bands life2d_choose_bands(uint32_t groups, uint32_t height, uint64_t owners, bool dead,
                                                      uint32_t count)
{
    const uint32_t width = groups + 2, apart = dead ? LIFE2D_OWNERS : 1;
    if (count)
        return life2d_place_bands(width, height, count, apart);
    return life2d_most_bands(width, height, owners, apart);
}

#endif
