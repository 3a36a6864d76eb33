/* Tests all pairs of tiles, a thread each. Their number grows with the square of the number of particles, but it is
 * small: 8 million particles make 5 x 10^8 pairs of tiles, of about 50 instructions each. */
#include "cuda_tile_list.h"

constexpr uint32_t THREADS = 256;

/* Stands for the entry of a pair of tiles that is not listed. */
constexpr uint32_t SKIPPED = UINT32_MAX;

/* The entry of a pair of tiles with these bounds; SKIPPED where no pair of particles is in range. */
template <uint32_t FORM>
static __device__ uint32_t entry_of(const rdf_view &view, const rdf_tile_pair &pair, const rdf_bounds &own,
                                    const rdf_bounds &other)
{
    rdf_box box = view.box;
    float low[3], high[3];
    box.form = FORM;
    for (int axis = 0; axis < 3; axis++)
        low[axis] = own.low[axis] - other.high[axis], high[axis] = own.high[axis] - other.low[axis];
    const rdf_range range = rdf_range_of(&box, low, high);
    const bool whole = range.axes == 0 && range.farthest < view.bins.end;
    return range.nearest < view.bins.end ? rdf_entry(pair.t, pair.u, whole ? RDF_NO_SEARCH : RDF_TEST_EACH) : SKIPPED;
}

/* The entry of pair `number`. Some numbers have no pair. */
template <uint32_t FORM> static __device__ uint32_t find_entry(const rdf_view &view, rdf_row row, uint32_t number)
{
    rdf_tile_pair pair;
    if (number % view.shares != view.share)
        return SKIPPED; /* another part of a divided run counts it */
    if (!rdf_find_pair(rdf_size_of(view, row.a), rdf_size_of(view, row.b), row.a == row.b, number, &pair))
        return SKIPPED;
    if (!view.bounds)
        return rdf_entry(pair.t, pair.u, FORM == RDF_OPEN ? RDF_NO_SEARCH : RDF_FULL_SEARCH);
    return entry_of<FORM>(view, pair, view.bounds[rdf_tiles_begin(row.a, rdf_begin_of(view, row.a)) + pair.t],
                          view.bounds[rdf_tiles_begin(row.b, rdf_begin_of(view, row.b)) + pair.u]);
}

template <uint32_t FORM>
static __global__ void __launch_bounds__(THREADS)
    list_pairs(const __grid_constant__ rdf_view view, rdf_row row, uint32_t first, uint32_t end, uint32_t *list)
{
    const uint32_t at = blockIdx.x * THREADS + threadIdx.x, lane = threadIdx.x % 32;
    const uint32_t entry = at < end - first ? find_entry<FORM>(view, row, first + at) : SKIPPED;
    const uint32_t votes = __ballot_sync(~0u, entry != SKIPPED);
    uint32_t begin = 0;
    if (lane == 0 && votes)
        begin = atomicAdd(&view.census->queue.listed, __popc(votes));
    begin = __shfl_sync(~0u, begin, 0);
    if (entry != SKIPPED)
        list[begin + __popc(votes & ((1u << lane) - 1))] = entry;
}

typedef void (*rdf_list_kernel)(rdf_view, rdf_row, uint32_t, uint32_t, uint32_t *);

static const rdf_list_kernel kernels[] = {list_pairs<RDF_OPEN>, list_pairs<RDF_ORTHORHOMBIC>,
                                          list_pairs<RDF_TRICLINIC>};

cudaError_t rdf_list_tile_pairs(const rdf_view &view, rdf_row row, uint32_t first, uint32_t end, uint32_t *list,
                                cudaStream_t stream)
{
    kernels[view.box.form]<<<engine_cuda_blocks(end - first, THREADS), THREADS, 0, stream>>>(view, row, first, end,
                                                                                             list);
    return cudaGetLastError();
}
