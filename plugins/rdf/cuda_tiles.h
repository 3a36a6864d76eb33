/* Which pairs a warp of `cuda` takes: a tile of RDF_TILE particles i with `chunk` particles j of another tile. */
#ifndef RDF_CUDA_TILES_H
#define RDF_CUDA_TILES_H

#include "rdf.h"

enum { RDF_TILE = 256 };

/* Tile t of one group and u of the other. `diagonal`: of the same group, and the same. */
struct rdf_tile_pair {
    uint32_t t, u, diagonal;
};

/* Particles [i, i_end) of one group with [j, j_end) of the other. `partial`: not all of a tile are there, or, on the
 * diagonal, only pairs with i < j are meant. */
struct rdf_item {
    uint32_t i, i_end, j, j_end;
    uint32_t diagonal, partial;
};

RDF_INLINE uint32_t rdf_tile_count(uint32_t particles)
{
    return (particles + RDF_TILE - 1) / RDF_TILE;
}

/* Number of the first tile of a group, among those of all, whose particles begin so. Tiles hold one group each. */
RDF_INLINE uint32_t rdf_tiles_begin(uint32_t group, uint32_t particles_before)
{
    return group + particles_before / RDF_TILE;
}

/* Tiles that one tile meets: within a group those half way around the ring of all, itself first. */
RDF_INLINE uint32_t rdf_tile_offsets(uint32_t others, uint32_t same)
{
    return same ? rdf_tile_count(others) / 2 + 1 : rdf_tile_count(others);
}

/* Pair of tiles by number, of groups of so many particles, `same` or not. 0: there is no such pair. All together meet
 * each tile of the others once. */
RDF_INLINE int rdf_find_pair(uint32_t own, uint32_t others, uint32_t same, uint32_t number, struct rdf_tile_pair *pair)
{
    const uint32_t rows = rdf_tile_count(own), columns = rdf_tile_count(others);
    if (number >= rows * rdf_tile_offsets(others, same))
        return 0;
    const uint32_t t = number % rows, offset = number / rows;
    pair->t = t, pair->u = same ? (t + offset) % columns : offset;
    pair->diagonal = same && offset == 0;
    return !(same && 2 * offset == columns && t >= offset); /* half way around, each is met from one side alone */
}

/* Part of a pair, of RDF_TILE / chunk parts; chunk divides RDF_TILE. 0: nothing is in it. */
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
