/* The test of all pairs of tiles. Their number grows with the square of the particles', and yet it is no matter: 16
 * million particles make 2 x 10^9, of 50 instructions each, a few milliseconds. */
#include "cuda_pairs.h"
#include "cuda_tiles.h"

constexpr uint32_t THREADS = 256;

template <uint32_t FORM>
static __device__ rdf_reach reach_of(const rdf_view &view, const rdf_bounds &own, const rdf_bounds &other)
{
    rdf_box box = view.box;
    float low[3], high[3];
    box.form = FORM;
    for (int axis = 0; axis < 3; axis++)
        low[axis] = own.low[axis] - other.high[axis], high[axis] = own.high[axis] - other.low[axis];
    return rdf_reach_of(&box, low, high);
}

template <uint32_t FORM>
static __global__ void __launch_bounds__(THREADS)
    list_pairs(const __grid_constant__ rdf_view view, rdf_row row, uint32_t first, uint32_t end, uint32_t *list)
{
    const uint32_t at = blockIdx.x * THREADS + threadIdx.x, before = (1u << threadIdx.x % 32) - 1;
    const rdf_bounds *rows = view.bounds + rdf_tiles_begin(row.a, rdf_begin_of(view, row.a));
    const rdf_bounds *columns = view.bounds + rdf_tiles_begin(row.b, rdf_begin_of(view, row.b));
    rdf_tile_pair pair;
    uint32_t entry = at, begin = 0;
    bool near = at < end - first &&
                rdf_find_pair(rdf_size_of(view, row.a), rdf_size_of(view, row.b), row.a == row.b, first + at, &pair);
    if (near) {
        const rdf_reach reach = reach_of<FORM>(view, rows[pair.t], columns[pair.u]);
        near = reach.nearest < view.bins.end;
        if (reach.axes == 0 && reach.farthest < view.bins.end)
            entry |= RDF_WHOLE;
    }
    const uint32_t votes = __ballot_sync(~0u, near);
    if (threadIdx.x % 32 == 0 && votes)
        begin = atomicAdd(&view.census->work.found, __popc(votes));
    begin = __shfl_sync(~0u, begin, 0);
    if (near)
        list[begin + __popc(votes & before)] = entry;
}

typedef void (*rdf_list_kernel)(rdf_view, rdf_row, uint32_t, uint32_t, uint32_t *);

static const rdf_list_kernel kernels[] = {list_pairs<RDF_OPEN>, list_pairs<RDF_ORTHORHOMBIC>,
                                          list_pairs<RDF_TRICLINIC>};

cudaError_t rdf_list_pairs(const rdf_view &view, rdf_row row, uint32_t first, uint32_t end, uint32_t *list,
                           cudaStream_t stream)
{
    kernels[view.box.form]<<<rdf_divide_up(end - first, THREADS), THREADS, 0, stream>>>(view, row, first, end, list);
    return cudaGetLastError();
}
