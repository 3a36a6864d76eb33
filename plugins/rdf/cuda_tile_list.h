/* Which pairs of tiles may be in range: a list of them on the device, a batch at a time. */
#ifndef RDF_CUDA_TILE_LIST_H
#define RDF_CUDA_TILE_LIST_H

#include "cuda_solver.h"
#include "cuda_tiles.h"

/* An entry of the list: tile t in the low 15 bits, tile u in the next 15, and above them which search for images the
 * particles of the two tiles need. */
enum {
    RDF_TEST_EACH = 0, /* to be found for each particle of u */
    RDF_NO_SEARCH =
        1, /* none: each particle is its own nearest image (and all pairs are in range), or there are none */
    RDF_FULL_SEARCH = 2 /* along all axes: nothing is known */
};

/* Entries of a batch at most: 64 MiB of them. */
#define RDF_LIST_MAX (1u << 24)

static inline __device__ uint32_t rdf_entry(uint32_t t, uint32_t u, uint32_t search)
{
    return t | u << RDF_TILE_BITS | search << 2 * RDF_TILE_BITS;
}

/* Enqueues a kernel that lists the pairs of tiles with numbers in [first, end) that may be in range, and sets their
 * number, census->queue.listed; the queue is 0 before. Where tiles have no bounds it lists all pairs. */
cudaError_t rdf_list_tile_pairs(const rdf_view &view, rdf_row row, uint32_t first, uint32_t end, uint32_t *list,
                                cudaStream_t stream);

#endif
