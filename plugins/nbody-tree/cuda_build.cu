/* The tree of cuda_tree.cuh, from the positions on, with one thread for
 *
 *     find_extent        a few bodies: the box of all
 *     choose_box         a body of a sample: the box of the keys
 *     make_keys          a body: its place on Hilbert's curve, with 21 bits an axis
 *     sort               cuda_sort.cu
 *     sort_bodies        a sorted body: copies it, in the walk's units
 *     link_cells         a node: finds its children
 *     sum_cells          a leaf: sums its bodies, and then each cell above whose other child is complete
 *
 * The children of a cell are added in one order, whichever is complete first. So the tree depends on the bodies
 * alone. */
#include "cuda_tree.cuh"
#include "cuda_view.cuh"

#include <climits>

constexpr int THREADS = 256, SAMPLE = 512, AXIS_BITS = 21;
constexpr double OUTSIDE = 64;

/* ---- The box ---------------------------------------------------------------------------------------------------- */

/* The largest value of a block's threads, in thread 0. */
static __device__ unsigned long long most_of_block(unsigned long long value)
{
    __shared__ unsigned long long most;
    if (threadIdx.x == 0)
        most = 0;
    __syncthreads();
    atomicMax(&most, value);
    __syncthreads();
    const unsigned long long result = most;
    __syncthreads();
    return result;
}

/* Block (x, y): axis y. A coordinate that is not finite breaks the tree. */
template <class F, class T> static __global__ void __launch_bounds__(THREADS) find_extent(const tree_view<F, T> tree)
{
    const uint32_t axis = blockIdx.y;
    unsigned long long low = 0, high = 0;
    for (uint64_t i = (uint64_t) blockIdx.x * THREADS + threadIdx.x; i < tree.count;
         i += (uint64_t) gridDim.x * THREADS) {
        const double x = (double) tree.position[(int64_t) i + axis * tree.stride];
        if (!isfinite(x))
            tree.extent->broken = 1;
        low = max(low, ~tree_ordered(x));
        high = max(high, tree_ordered(x));
    }
    low = most_of_block(low);
    high = most_of_block(high);
    if (threadIdx.x == 0) {
        atomicMax(&tree.extent->low[axis], low);
        atomicMax(&tree.extent->high[axis], high);
    }
}

/* A few bodies far out shall not take the bits of the keys from the others. So the box of the keys goes no farther than
 * OUTSIDE times the distance of the quartiles, of a sample, beyond them. The keys of bodies outside are those of its
 * faces. Block x: axis x. */
template <class F, class T> static __global__ void __launch_bounds__(SAMPLE) choose_box(const tree_view<F, T> tree)
{
    __shared__ double sample[SAMPLE], quartiles[2];
    const uint32_t axis = blockIdx.x, own = threadIdx.x;
    const uint64_t body = (uint64_t) own * tree.count / SAMPLE;
    uint32_t rank = 0;
    const double x = sample[own] = (double) tree.position[(int64_t) body + axis * tree.stride];
    __syncthreads();
    for (uint32_t i = 0; i < SAMPLE; i++)
        rank += sample[i] < x || (sample[i] == x && i < own);
    if (rank == SAMPLE / 4 || rank == 3 * SAMPLE / 4)
        quartiles[rank / (SAMPLE / 2)] = x;
    __syncthreads();
    if (own > 0)
        return;
    tree_extent &extent = *tree.extent;
    const double low = tree_low(extent, (int) axis), high = tree_high(extent, (int) axis);
    const double beyond = OUTSIDE * (quartiles[1] - quartiles[0]);
    extent.least[axis] = beyond > 0 ? fmax(low, quartiles[0] - beyond) : low;
    extent.most[axis] = beyond > 0 ? fmin(high, quartiles[1] + beyond) : high;
}

/* ---- Keys ------------------------------------------------------------------------------------------------------- */

/* Spreads 21 bits: bit b moves to bit 3 b. */
static __device__ uint64_t spread(uint64_t bits)
{
    bits = (bits | bits << 32) & 0x1f00000000ffff;
    bits = (bits | bits << 16) & 0x1f0000ff0000ff;
    bits = (bits | bits << 8) & 0x100f00f00f00f00f;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
    return (bits | bits << 2) & 0x1249249249249249;
}

/* The place on Hilbert's curve (Skilling, AIP Conference Proceedings 707 (2004) 381). From the highest bit down, the
 * lower bits of x are inverted where an axis has the bit, and exchanged with those of the axis where it lacks it. */
static __device__ uint64_t hilbert_key(uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t axes[3] = {x, y, z}, flip = 0;
    for (uint32_t bit = 1u << (AXIS_BITS - 1); bit > 1; bit >>= 1)
        for (int c = 0; c < 3; c++) {
            const uint32_t lower = bit - 1, differ = axes[c] & bit ? 0 : (axes[0] ^ axes[c]) & lower;
            axes[0] ^= axes[c] & bit ? lower : differ;
            axes[c] ^= differ;
        }
    axes[1] ^= axes[0];
    axes[2] ^= axes[1];
    for (uint32_t bit = 1u << (AXIS_BITS - 1); bit > 1; bit >>= 1)
        flip ^= axes[2] & bit ? bit - 1 : 0;
    return spread(axes[0] ^ flip) << 2 | spread(axes[1] ^ flip) << 1 | spread(axes[2] ^ flip);
}

static __device__ uint32_t place(double x, double low, double scale)
{
    const double at = (x - low) * scale, last = (1 << AXIS_BITS) - 1;
    return at >= last ? (uint32_t) last : at > 0 ? (uint32_t) at : 0;
}

template <class F, class T>
static __global__ void __launch_bounds__(THREADS) make_keys(const tree_view<F, T> tree, uint64_t *keys, uint32_t *order)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    const tree_extent &extent = *tree.extent;
    double edge = 0;
    uint32_t places[3];
    if (i >= tree.count)
        return;
    for (int c = 0; c < 3; c++)
        edge = fmax(edge, extent.most[c] - extent.least[c]);
    const double scale = edge > 0 && edge < HUGE_VAL ? (1 << AXIS_BITS) / edge : 0;
    for (int c = 0; c < 3; c++)
        places[c] = place((double) tree.position[i + c * tree.stride], extent.least[c], scale);
    keys[i] = hilbert_key(places[0], places[1], places[2]);
    order[i] = i;
}

/* ---- Bodies ----------------------------------------------------------------------------------------------------- */

/* Bodies without mass at the last one's position fill up the last group. */
template <class F, class T> static __global__ void __launch_bounds__(THREADS) sort_bodies(const tree_view<F, T> tree)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    const double unit = scalbn(1.0, -tree_exponent(*tree.extent, tree.softening));
    if (i >= (uint32_t) engine_divide_up(tree.count, TREE_GROUP) * TREE_GROUP)
        return;
    const uint32_t body = tree.order[min(i, tree.count - 1)];
    tree_body<T> sorted;
    sorted.x = (T) (unit * (double) tree.position[body]);
    sorted.y = (T) (unit * (double) tree.position[body + tree.stride]);
    sorted.z = (T) (unit * (double) tree.position[body + 2 * tree.stride]);
    sorted.mass = i < tree.count ? (T) scalbn((double) tree.mass[body], -tree.mass_exponent) : 0;
    tree.bodies[i] = sorted;
    if (i % TREE_UNIT == 0 && i < tree.count)
        tree.firsts[i / TREE_UNIT] = tree.keys[i];
}

/* ---- Links ------------------------------------------------------------------------------------------------------ */

/* The number of leading bits that the keys of two leaves share; the numbers of leaves follow their keys. -1 for no
 * leaf. */
static __device__ int shared_bits(const uint64_t *firsts, uint32_t leaves, int64_t a, int64_t b)
{
    if (b < 0 || b >= leaves)
        return -1;
    const uint64_t differ = firsts[a] ^ firsts[b];
    return differ ? __clzll((long long) differ) : 64 + __clz((int) ((uint32_t) a ^ (uint32_t) b));
}

/* Sets a child of so many leaves at a slot: the leaf, or the node, number `at`. */
template <class F, class T>
static __device__ void link_child(const tree_view<F, T> &tree, uint32_t slot, uint32_t at, uint32_t leaves)
{
    tree.heads[slot].next = leaves == 1 ? 2 * at + 1 : 2 * at + 2;
    tree.heads[slot].leaves = leaves;
    (leaves == 1 ? tree.leaf_slots : tree.node_slots)[at] = slot;
}

/* Karras's algorithm: node i begins or ends at leaf i, and lies on the side where more bits are shared. */
template <class F, class T> static __global__ void __launch_bounds__(THREADS) link_cells(const tree_view<F, T> tree)
{
    const int64_t i = (int64_t) blockIdx.x * THREADS + threadIdx.x;
    const auto shared = [&](int64_t a, int64_t b) { return shared_bits(tree.firsts, tree.leaves, a, b); };
    if (i == 0 && tree.leaves == 1)
        link_child(tree, 0, 0, 1);
    if (i >= (int64_t) tree.leaves - 1)
        return;
    const int side = shared(i, i + 1) > shared(i, i - 1) ? 1 : -1, least = shared(i, i - side);
    int64_t most = 2, length = 0, split = 0;
    while (shared(i, i + most * side) > least)
        most *= 2;
    for (int64_t step = most / 2; step > 0; step /= 2)
        length += shared(i, i + (length + step) * side) > least ? step : 0;
    const int64_t end = i + length * side;
    const int bits = shared(i, end);
    for (int64_t step = most; step > 0; step /= 2)
        split += split + step < length && shared(i, i + (split + step) * side) > bits ? step : 0;
    const int64_t left = i + split * side + min(side, 0);
    const uint32_t slot = 2 * (uint32_t) i + 2, first = (uint32_t) min(i, end), last = (uint32_t) max(i, end);
    link_child(tree, slot, (uint32_t) left, (uint32_t) left + 1 - first);
    link_child(tree, slot + 1, (uint32_t) left + 1, last - (uint32_t) left);
    if (i == 0)
        link_child(tree, 0, 0, tree.leaves);
}

/* ---- Sums ------------------------------------------------------------------------------------------------------- */

template <class T> struct cell_sum {
    tree_head<T> head;
    tree_quadrupole<T> quadrupole;
    tree_bounds<T> bounds;
};

/* Adds 3 share times the second moments of a point that is d away. */
template <class T> static __device__ void add_point(tree_quadrupole<T> &to, T share, const T d[3])
{
    const T x = 3 * share * d[0], y = 3 * share * d[1], z = 3 * share * d[2];
    to.xx += x * d[0], to.xy += x * d[1], to.xz += x * d[2];
    to.yy += y * d[1], to.yz += y * d[2], to.zz += z * d[2];
}

template <class T> static __device__ void add_share(tree_quadrupole<T> &to, T share, const tree_quadrupole<T> &from)
{
    to.xx += share * from.xx, to.xy += share * from.xy, to.xz += share * from.xz;
    to.yy += share * from.yy, to.yz += share * from.yz, to.zz += share * from.zz;
}

template <class T> static __device__ T length_of(const T d[3])
{
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

template <class F, class T> static __device__ cell_sum<T> sum_leaf(const tree_view<F, T> &tree, uint32_t leaf)
{
    const tree_body<T> *bodies = tree.bodies + (uint64_t) leaf * TREE_UNIT;
    cell_sum<T> sum = {};
    tree_head<T> &head = sum.head;
    T moments[3] = {0, 0, 0};
    for (int c = 0; c < 3; c++)
        sum.bounds.low[c] = sum.bounds.high[c] = (&bodies[0].x)[c];
    for (uint32_t i = 0; i < TREE_UNIT; i++) {
        head.mass += bodies[i].mass;
        for (int c = 0; c < 3; c++) {
            const T x = (&bodies[i].x)[c];
            moments[c] += bodies[i].mass * (x - (&bodies[0].x)[c]);
            sum.bounds.low[c] = min(sum.bounds.low[c], x);
            sum.bounds.high[c] = max(sum.bounds.high[c], x);
        }
    }
    for (int c = 0; c < 3; c++)
        (&head.x)[c] = (&bodies[0].x)[c] + (head.mass > 0 ? moments[c] / head.mass : 0);
    for (uint32_t i = 0; i < TREE_UNIT; i++) {
        const T d[3] = {bodies[i].x - head.x, bodies[i].y - head.y, bodies[i].z - head.z};
        head.radius = max(head.radius, length_of(d));
        add_point(sum.quadrupole, head.mass > 0 ? bodies[i].mass / head.mass : 0, d);
    }
    return sum;
}

/* The sum of two cells. Its radius is its children's reach, or its box's farthest corner. */
template <class T> static __device__ cell_sum<T> join(const cell_sum<T> children[2])
{
    cell_sum<T> sum = {};
    tree_head<T> &head = sum.head;
    T corner[3];
    head.mass = children[0].head.mass + children[1].head.mass;
    const T second = head.mass > 0 ? children[1].head.mass / head.mass : T(0.5);
    for (int c = 0; c < 3; c++) {
        const T from = (&children[0].head.x)[c];
        (&head.x)[c] = from + second * ((&children[1].head.x)[c] - from);
        sum.bounds.low[c] = min(children[0].bounds.low[c], children[1].bounds.low[c]);
        sum.bounds.high[c] = max(children[0].bounds.high[c], children[1].bounds.high[c]);
        corner[c] = max((&head.x)[c] - sum.bounds.low[c], sum.bounds.high[c] - (&head.x)[c]);
    }
    for (int k = 0; k < 2; k++) {
        const tree_head<T> &child = children[k].head;
        const T d[3] = {child.x - head.x, child.y - head.y, child.z - head.z}, share = k ? second : 1 - second;
        head.radius = max(head.radius, length_of(d) + child.radius);
        add_share(sum.quadrupole, share, children[k].quadrupole);
        add_point(sum.quadrupole, share, d);
    }
    head.radius = min(head.radius, length_of(corner));
    return sum;
}

/* Writes a cell, but for its link. A radius is a little larger, for the rounding of all below. */
template <class F, class T>
static __device__ void put(const tree_view<F, T> &tree, uint32_t slot, const cell_sum<T> &sum)
{
    tree_head<T> &head = tree.heads[slot];
    tree_quadrupole<T> quadrupole = sum.quadrupole;
    quadrupole.half = (quadrupole.xx + quadrupole.yy + quadrupole.zz) / -2;
    head.x = sum.head.x, head.y = sum.head.y, head.z = sum.head.z, head.mass = sum.head.mass;
    head.radius = sum.head.radius;
    tree.quadrupoles[slot] = quadrupole;
    tree.bounds[slot] = sum.bounds;
}

template <class T, class V> static __device__ cell_sum<T> get(const V &tree, uint32_t slot)
{
    return {tree.heads[slot], tree.quadrupoles[slot], tree.bounds[slot]};
}

/* The second child to arrive at a node goes on with it. */
template <class F, class T> static __global__ void __launch_bounds__(THREADS) sum_cells(const tree_view<F, T> tree)
{
    const uint32_t leaf = blockIdx.x * THREADS + threadIdx.x;
    if (leaf >= tree.leaves)
        return;
    uint32_t slot = tree.leaf_slots[leaf];
    put(tree, slot, sum_leaf(tree, leaf));
    while (slot > 0) {
        const uint32_t node = slot / 2 - 1;
        __threadfence();
        if (atomicAdd(&tree.arrived[node], 1) == 0)
            return;
        __threadfence();
        const cell_sum<T> children[2] = {get<T>(tree, 2 * node + 2), get<T>(tree, 2 * node + 3)};
        slot = tree.node_slots[node];
        put(tree, slot, join(children));
    }
}

/* ---- Launches --------------------------------------------------------------------------------------------------- */

/* Slots of a tree, with the unused one behind the root. */
static uint64_t slots(const tree_cuda *tree)
{
    return 2 * (uint64_t) tree->leaves;
}

int tree_allocate(const engine_host *host, tree_cuda *tree, bool divided)
{
    const uint64_t count = tree->plan.count, number = tree->wide ? 8 : 4;
    const uint64_t head = tree->wide ? sizeof(tree_head<double>) : sizeof(tree_head<float>);
    const uint64_t quadrupole = tree->wide ? sizeof(tree_quadrupole<double>) : sizeof(tree_quadrupole<float>);
    const struct {
        void **to;
        uint64_t bytes;
    } arrays[] = {
        {&tree->extent, sizeof(tree_extent)},
        {(void **) &tree->keys[0], count * sizeof(uint64_t)},
        {(void **) &tree->keys[1], count * sizeof(uint64_t)},
        {(void **) &tree->order[0], count * sizeof(uint32_t)},
        {(void **) &tree->order[1], count * sizeof(uint32_t)},
        {&tree->sort_space, tree->sort_bytes},
        {(void **) &tree->firsts, tree->leaves * sizeof(uint64_t)},
        {&tree->bodies, engine_divide_up(count, TREE_GROUP) * TREE_GROUP * 4 * number},
        {&tree->heads, slots(tree) * head},
        {&tree->quadrupoles, slots(tree) * quadrupole},
        {&tree->bounds, slots(tree) * 6 * number},
        {(void **) &tree->node_slots, tree->leaves * sizeof(uint32_t)},
        {(void **) &tree->leaf_slots, tree->leaves * sizeof(uint32_t)},
        {(void **) &tree->arrived, tree->leaves * sizeof(uint32_t)},
        {(void **) &tree->wide_groups, tree_groups(count) * sizeof(uint32_t)},
        {&tree->forces, divided ? 3 * count * nbody_number_bytes(&tree->plan) : 0},
    };
    for (const auto &array : arrays) {
        if (array.bytes == 0)
            continue;
        *array.to = host->scratch(host, array.bytes, ENGINE_CUDA_MEMORY);
        if (!*array.to)
            return ENGINE_NO_MEMORY;
    }
    return 0;
}

template <class F, class T> static cudaError_t build(const tree_cuda *tree, const engine_call *call)
{
    const tree_view<F, T> view = tree_view_of<F, T>(tree, call);
    const cudaStream_t stream = engine_cuda_stream(call);
    const uint64_t padded = engine_divide_up(view.count, TREE_GROUP) * TREE_GROUP;
    ENGINE_CUDA_TRY(cudaMemsetAsync(tree->extent, 0, sizeof(tree_extent), stream));
    ENGINE_CUDA_TRY(cudaMemsetAsync(tree->arrived, 0, tree->leaves * sizeof(uint32_t), stream));
    ENGINE_CUDA_TRY(cudaMemsetAsync((tree_head<T> *) tree->heads + 1, 0, sizeof(tree_head<T>), stream));
    find_extent<<<dim3(engine_cuda_blocks(view.count, 4 * THREADS, 512), 3), THREADS, 0, stream>>>(view);
    ENGINE_CUDA_TRY(cudaGetLastError());
    choose_box<<<3, SAMPLE, 0, stream>>>(view);
    ENGINE_CUDA_TRY(cudaGetLastError());
    make_keys<<<engine_cuda_blocks(view.count, THREADS), THREADS, 0, stream>>>(view, tree->keys[0], tree->order[0]);
    ENGINE_CUDA_TRY(cudaGetLastError());
    ENGINE_CUDA_TRY(tree_sort_keys(tree, stream));
    sort_bodies<<<engine_cuda_blocks(padded, THREADS), THREADS, 0, stream>>>(view);
    ENGINE_CUDA_TRY(cudaGetLastError());
    link_cells<<<engine_cuda_blocks(view.leaves, THREADS), THREADS, 0, stream>>>(view);
    ENGINE_CUDA_TRY(cudaGetLastError());
    sum_cells<<<engine_cuda_blocks(view.leaves, THREADS), THREADS, 0, stream>>>(view);
    return cudaGetLastError();
}

cudaError_t tree_build(const tree_cuda *tree, const engine_call *call)
{
    return tree_by_type(tree,
                        [=](auto field, auto number) { return build<decltype(field), decltype(number)>(tree, call); });
}
