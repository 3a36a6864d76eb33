/* Which pairs of tiles may be in range: a list of them on the device, a part at a time. */
#ifndef RDF_CUDA_PAIRS_H
#define RDF_CUDA_PAIRS_H

#include "cuda_solver.h"

/* An entry of the list: tile t, tile u in the 15 bits above, and what is known of all pairs of particles in them. */
enum {
    RDF_TILE_BITS = 15,
    RDF_ASK = 0,   /* nothing: each particle of u is to be asked */
    RDF_WHOLE = 1, /* in range, each its own nearest image; or there are no images */
    RDF_BLIND = 2  /* any may be in range, by any image */
};

/* Pairs of tiles to a part: 64 MiB of entries. */
#define RDF_PART_MAX (1u << 24)

static inline __device__ uint32_t rdf_entry(uint32_t t, uint32_t u, uint32_t known)
{
    return t | u << RDF_TILE_BITS | known << 2 * RDF_TILE_BITS;
}

/* Enqueues what lists those of [first, end), and says in census->work how many they are; work is 0 before. All where
 * there are no bounds of tiles. */
cudaError_t rdf_list_pairs(const rdf_view &view, rdf_row row, uint32_t first, uint32_t end, uint32_t *list,
                           cudaStream_t stream);

#endif
