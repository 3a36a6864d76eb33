/* Which pairs a warp of `cuda` takes: a tile of RDF_TILE particles i with `chunk` particles j of another tile.
 *
 * Within a group the tiles form a ring, and each is paired with the tiles 0, 1, ... n / 2 behind it. So all pairs of
 * tiles come once, and all tiles have about the same work. With n = 4, where tiles half way around (2) come from one
 * side:
 *
 *     offset    tile 0   tile 1   tile 2   tile 3
 *       0        0 0      1 1      2 2      3 3      on the diagonal: only pairs i < j
 *       1        0 1      1 2      2 3      3 0
 *       2        0 2      1 3       -        -
 *
 * Between two groups every tile of one is paired with every tile of the other. */
#ifndef RDF_CUDA_TILES_H
#define RDF_CUDA_TILES_H

#include "rdf.h"

/* Numbers of tiles have 15 bits, which sets the limit for the number of particles on a GPU. */
enum { RDF_TILE = 256, RDF_TILE_BITS = 15, RDF_CUDA_PARTICLES_MAX = RDF_TILE << RDF_TILE_BITS };

/* Tile t of one group and tile u of the other. `diagonal`: both are the same tile of one group. */
struct rdf_tile_pair {
    uint32_t t, u, diagonal;
};

/* Particles [i, i_end) of one group with [j, j_end) of the other. `partial`: the tile of the particles i is incomplete,
 * or it is on the diagonal, where only pairs with i < j count. */
struct rdf_item {
    uint32_t i, i_end, j, j_end;
    uint32_t diagonal, partial;
};

RDF_INLINE uint32_t rdf_tile_count(uint32_t particles)
{
    return (particles + RDF_TILE - 1) / RDF_TILE;
}

/* The number of the first tile of a group among the tiles of all groups. A tile holds particles of one group. */
RDF_INLINE uint32_t rdf_tiles_begin(uint32_t group, uint32_t particles_before)
{
    return group + particles_before / RDF_TILE;
}

/* The number of tiles that one tile is paired with, itself included. */
RDF_INLINE uint32_t rdf_tile_offsets(uint32_t others, uint32_t same)
{
    return same ? rdf_tile_count(others) / 2 + 1 : rdf_tile_count(others);
}

/* The pair of tiles of a number. `own`, `others`: particles of the two groups; `same`: they are one group. 0: this
 * number has no pair. */
RDF_INLINE int rdf_find_pair(uint32_t own, uint32_t others, uint32_t same, uint32_t number, struct rdf_tile_pair *pair)
{
    const uint32_t rows = rdf_tile_count(own), columns = rdf_tile_count(others);
    if (number >= rows * rdf_tile_offsets(others, same))
        return 0;
    const uint32_t t = number % rows, offset = number / rows;
    pair->t = t, pair->u = same ? (t + offset) % columns : offset;
    pair->diagonal = same && offset == 0;
    return !(same && 2 * offset == columns && t >= offset); /* half way around: from one side */
}

/* Part `part` of the RDF_TILE / chunk parts of a pair; chunk divides RDF_TILE. 0: the part is empty. */
RDF_INLINE int rdf_find_item(const struct rdf_tile_pair *pair, uint32_t own, uint32_t others, uint32_t chunk,
                             uint32_t part, struct rdf_item *item)
{
    item->i = pair->t * RDF_TILE;
    item->i_end = own - item->i < RDF_TILE ? own : item->i + RDF_TILE;
    item->j = pair->u * RDF_TILE + part * chunk;
    item->j_end = others < item->j + chunk ? others : item->j + chunk;
    item->diagonal = pair->diagonal;
    item->partial = item->diagonal || item->i_end < item->i + RDF_TILE;
    return item->j < item->j_end;
}

#endif
