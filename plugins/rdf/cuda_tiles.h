/* Which pairs a warp of `cuda` takes: tiles of RDF_TILE particles i with `chunk` particles j, numbered from 0. */
#ifndef RDF_CUDA_TILES_H
#define RDF_CUDA_TILES_H

#include "rdf.h"

enum { RDF_TILE = 256 };

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

/* Tiles that one tile meets: within a group those half way around the ring of all, itself first. */
RDF_INLINE uint32_t rdf_tile_offsets(uint32_t others, uint32_t same)
{
    return same ? rdf_tile_count(others) / 2 + 1 : rdf_tile_count(others);
}

/* Item by number, of groups of so many particles, `same` or not; chunk divides RDF_TILE. 0: there is no such item. All
 * together they hold each pair once. */
RDF_INLINE int rdf_find_item(uint32_t own, uint32_t others, uint32_t same, uint32_t chunk, uint32_t number,
                             struct rdf_item *item)
{
    const uint32_t rows = rdf_tile_count(own), columns = rdf_tile_count(others), parts = RDF_TILE / chunk;
    if (number >= rows * rdf_tile_offsets(others, same) * parts)
        return 0;
    const uint32_t pair = number / parts, t = pair % rows, offset = pair / rows;
    const uint32_t u = same ? (t + offset) % columns : offset;
    if (same && 2 * offset == columns && t >= offset) /* half way around, each is met from one side alone */
        return 0;
    item->i = t * RDF_TILE;
    item->i_end = own - item->i < RDF_TILE ? own : item->i + RDF_TILE;
    item->j = u * RDF_TILE + number % parts * chunk;
    item->j_end = others < item->j + chunk ? others : item->j + chunk;
    item->diagonal = same && offset == 0;
    item->partial = item->diagonal || item->i_end < item->i + RDF_TILE;
    return item->j < item->j_end;
}

#endif
