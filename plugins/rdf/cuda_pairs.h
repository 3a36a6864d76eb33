/* Which pairs of tiles of sorted particles may be in range: a list of them on the device, a part at a time. */
#ifndef RDF_CUDA_PAIRS_H
#define RDF_CUDA_PAIRS_H

#include "cuda_solver.h"

/* An entry of the list: the pair's number less the part's first, and this bit where all its pairs of particles are in
 * range, each its own nearest image. */
#define RDF_WHOLE 0x80000000u

/* Pairs of tiles to a part: 64 MiB of entries. */
#define RDF_PART_MAX (1u << 24)

/* Enqueues what lists those of [first, end), and says in census->work how many they are; work is 0 before. */
cudaError_t rdf_list_pairs(const rdf_view &view, rdf_row row, uint32_t first, uint32_t end, uint32_t *list,
                           cudaStream_t stream);

#endif
