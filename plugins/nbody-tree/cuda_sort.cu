/* The sort of keys: the radix sort of CUB, which comes with CUDA. It is stable, so bodies with equal keys keep their
 * order and the result depends on the keys alone. */
#include "cuda.h"

#include <cub/device/device_radix_sort.cuh>

constexpr int KEY_BITS = 63;

static cudaError_t sort(const tree_cuda *tree, void *space, size_t *bytes, uint64_t count, cudaStream_t stream)
{
    return cub::DeviceRadixSort::SortPairs(space, *bytes, tree->keys[0], tree->keys[1], tree->order[0], tree->order[1],
                                           count, 0, KEY_BITS, stream);
}

cudaError_t tree_sort_bytes(uint64_t count, size_t *bytes)
{
    const tree_cuda none = {};
    *bytes = 0;
    return sort(&none, nullptr, bytes, count, nullptr);
}

cudaError_t tree_sort_keys(const tree_cuda *tree, cudaStream_t stream)
{
    size_t bytes = tree->sort_bytes;
    return sort(tree, tree->sort_space, &bytes, tree->plan.count, stream);
}
