/* The forces on groups of 64 bodies in a row, each on one warp: two bodies a lane (Barnes and Hut, Nature 324 (1986) 446;
 * groups: Barnes, Journal of Computational Physics 87 (1990) 161). The warp goes down the tree with a stack of pairs of
 * children in shared memory, and tests 32 cells at a time:
 *
 *     far enough     the cell attracts as a whole: it goes into the list of cells
 *     a leaf         its bodies attract: it goes into the list of leaves
 *     otherwise      its children go onto the stack
 *
 * When a list has enough for all lanes, they take it one by one, each for its bodies. Which cells attract, and in which
 * order, follows from the tree alone. */
#include "cuda_attraction.cuh"
#include "cuda_view.cuh"

constexpr uint32_t LANES = 32, WARPS = 4, EACH = TREE_GROUP / LANES, ALL = 0xffffffff;
constexpr uint32_t PAIRS = LANES / 2;         /* of children that are tested at a time */
constexpr uint32_t STACK = 512;               /* pairs */
constexpr uint32_t DEPTH = 96;                /* no cell is deeper: 63 bits of a key, and those of a leaf's number */
constexpr uint32_t BATCH = LANES / TREE_UNIT; /* leaves whose bodies are read at a time */

/* The shared memory of a warp. */
template <class T> struct lists {
    tree_far<T> cells[2 * LANES];
    tree_body<T> bodies[LANES];
    uint32_t leaves[2 * LANES];
    uint32_t stack[STACK];
};

/* A group of bodies: their box, the error that the attraction of a cell may have, and the square of the softening. */
template <class T> struct group {
    T middle[3], half[3], radius, inverse_error, softening;
};

template <class T> static __device__ T least_of_warp(T v)
{
    for (uint32_t lane = LANES / 2; lane > 0; lane /= 2)
        v = min(v, __shfl_xor_sync(ALL, v, lane));
    return v;
}

template <class T> static __device__ T sum_of_warp(T v)
{
    for (uint32_t lane = LANES / 2; lane > 0; lane /= 2)
        v += __shfl_xor_sync(ALL, v, lane);
    return v;
}

/* The number of lanes before this one for which a condition holds; adds that of all lanes to `count`. */
static __device__ uint32_t place_in(bool condition, uint32_t lane, uint32_t *count)
{
    const uint32_t lanes = __ballot_sync(ALL, condition), before = *count;
    *count += __popc(lanes);
    return before + __popc(lanes & ((1u << lane) - 1));
}

/* ---- The stack -------------------------------------------------------------------------------------------------- */

/* Takes pairs off the stack and hands each lane a cell: `test` says whether its children come onto the stack. A pair taken
 * leaves at most one pair more. If the stack is nearly full, one is taken at a time, so that it grows by the depth of the
 * tree at most. */
template <class F, class T, class V>
static __device__ void go_down(const tree_view<F, T> &tree, uint32_t *stack, uint32_t lane, V test)
{
    uint32_t size = 1;
    if (lane == 0)
        stack[0] = 0;
    __syncwarp();
    while (size > 0) {
        const uint32_t room = size + DEPTH + PAIRS <= STACK ? PAIRS : 1, taken = min(size, room);
        const bool active = lane < 2 * taken;
        tree_head<T> head = {};
        uint32_t slot = 0;
        size -= taken;
        if (active) {
            slot = stack[size + lane / 2] + lane % 2;
            head = tree.heads[slot];
        }
        __syncwarp();
        const bool open = test(active && head.mass > 0, head, slot);
        const uint32_t to = place_in(open, lane, &size);
        if (open)
            stack[to] = head.next;
        __syncwarp();
    }
}

/* ---- The group -------------------------------------------------------------------------------------------------- */

template <class T> static __device__ void set_box(const tree_target<T> targets[EACH], group<T> *group)
{
    T square = 0;
    for (int c = 0; c < 3; c++) {
        const T a = (&targets[0].x)[c], b = (&targets[1].x)[c];
        const T low = least_of_warp(min(a, b)), high = -least_of_warp(-max(a, b));
        group->middle[c] = low + (high - low) / 2;
        group->half[c] = max(high - group->middle[c], group->middle[c] - low);
        square += group->half[c] * group->half[c];
    }
    group->radius = sqrt(square);
}

/* Sets the error that a cell's attraction may have: a share of the attraction on the group, roughly; or of what all magnitudes
 * add up to, where attractions cancel. */
template <class F, class T>
static __device__ void set_error(const tree_view<F, T> &tree, uint32_t *stack, uint32_t lane, group<T> *group)
{
    T x = 0, y = 0, z = 0, magnitudes = 0;
    go_down(tree, stack, lane, [&](bool wanted, const tree_head<T> &head, uint32_t) {
        const T dx = head.x - group->middle[0], dy = head.y - group->middle[1], dz = head.z - group->middle[2];
        const T square = dx * dx + dy * dy + dz * dz;
        const bool open =
            wanted && !(head.next & 1) && !(head.radius * head.radius < T(TREE_ESTIMATE * TREE_ESTIMATE) * square);
        if (!wanted || open)
            return open;
        const T near = sqrt(square), distance = near + group->radius;
        const T root = tree_inverse_root(distance * distance + group->softening),
                weight = head.mass * root * root * root;
        x += weight * dx, y += weight * dy, z += weight * dz;
        magnitudes += weight * near;
        return false;
    });
    x = sum_of_warp(x), y = sum_of_warp(y), z = sum_of_warp(z), magnitudes = sum_of_warp(magnitudes);
    group->inverse_error = 1 / (tree.error * max(sqrt(x * x + y * y + z * z), T(TREE_CANCELLED) * magnitudes));
}

/* ---- Attraction ------------------------------------------------------------------------------------------------- */

/* May a cell attract the group as a whole? With s the square of its distance from the box, softened, and radius q, its error
 * is about m / s (q^2 / s)^(3/2). A number that is not finite is no. */
template <class T> static __device__ bool is_far(const group<T> &group, const tree_head<T> &head)
{
    T square = 0;
    for (int c = 0; c < 3; c++) {
        const T d = max(fabs((&head.x)[c] - group.middle[c]) - group.half[c], T(0));
        square = fma(d, d, square);
    }
    const T softened = square + group.softening, root = tree_inverse_root(softened), inverse = root * root;
    const T ratio = head.radius * head.radius * inverse, error = head.mass * inverse * group.inverse_error;
    return head.radius * head.radius < T(TREE_OPENING * TREE_OPENING) * square &&
           softened > tree_number<T>::NEAREST_CELL && ratio * ratio * ratio * error * error <= 1;
}

template <class T, class S>
static __device__ void add_cells(const tree_far<T> *cells, uint32_t count, T softening,
                                 const tree_target<T> targets[EACH], S sums[EACH])
{
#pragma unroll 2
    for (uint32_t k = 0; k < count; k++) {
        const tree_far<T> cell = cells[k];
        for (uint32_t e = 0; e < EACH; e++)
            sums[e].add_cell(targets[e], cell, softening);
    }
}

/* The body of a lane in a batch of leaves, and none behind the last leaf. */
template <class F, class T>
static __device__ tree_body<T> read_body(const tree_view<F, T> &tree, const uint32_t *leaves, uint32_t first,
                                         uint32_t count, uint32_t lane, const tree_target<T> &at)
{
    const uint32_t leaf = first + lane / TREE_UNIT;
    if (leaf >= count)
        return {at.x, at.y, at.z, 0};
    return tree.bodies[(uint64_t) leaves[leaf] * TREE_UNIT + lane % TREE_UNIT];
}

/* Adds the attraction of the bodies of `count` leaves. While lanes add one batch, the next one is read. */
template <class F, class T, class S>
static __device__ void add_leaves(const tree_view<F, T> &tree, lists<T> *lists, uint32_t count, uint32_t lane,
                                  T softening, const tree_target<T> targets[EACH], S sums[EACH])
{
    tree_body<T> next = read_body(tree, lists->leaves, 0, count, lane, targets[0]);
    for (uint32_t first = 0; first < count; first += BATCH) {
        __syncwarp();
        lists->bodies[lane] = next;
        __syncwarp();
        next = read_body(tree, lists->leaves, first + BATCH, count, lane, targets[0]);
#pragma unroll 8
        for (uint32_t k = 0; k < LANES; k++) {
            const tree_body<T> body = lists->bodies[k];
            const uint32_t number = lists->leaves[first + k / TREE_UNIT] * TREE_UNIT + k % TREE_UNIT;
            for (uint32_t e = 0; e < EACH; e++)
                sums[e].add_body(targets[e], body, number, softening);
        }
    }
    __syncwarp();
}

template <class F, class T, class S>
static __device__ void add_all(const tree_view<F, T> &tree, lists<T> *lists, uint32_t lane, const group<T> &group,
                               const tree_target<T> targets[EACH], S sums[EACH])
{
    uint32_t cells = 0, leaves = 0;
    go_down(tree, lists->stack, lane, [&](bool wanted, const tree_head<T> &head, uint32_t slot) {
        const bool far = wanted && is_far(group, head), leaf = wanted && !far && head.next & 1;
        const uint32_t to_cell = place_in(far, lane, &cells), to_leaf = place_in(leaf, lane, &leaves);
        if (far)
            lists->cells[to_cell] = {head.x, head.y, head.z, head.mass, tree.quadrupoles[slot]};
        if (leaf)
            lists->leaves[to_leaf] = head.next / 2;
        __syncwarp();
        if (cells >= LANES) {
            add_cells(lists->cells, cells, group.softening, targets, sums);
            cells = 0;
        }
        if (leaves >= LANES) {
            add_leaves(tree, lists, leaves, lane, group.softening, targets, sums);
            leaves = 0;
        }
        return wanted && !far && !leaf;
    });
    add_cells(lists->cells, cells, group.softening, targets, sums);
    add_leaves(tree, lists, leaves, lane, group.softening, targets, sums);
}

/* ---- The kernels ------------------------------------------------------------------------------------------------ */

template <class F, class T>
static __device__ void put(const tree_view<F, T> &tree, const tree_target<T> &to, const tree_force<T> &force,
                           double unit)
{
    const uint32_t body = tree.order[to.number];
    tree.acceleration[body] = (F) (unit * (double) force.x);
    tree.acceleration[body + tree.stride] = (F) (unit * (double) force.y);
    tree.acceleration[body + 2 * tree.stride] = (F) (unit * (double) force.z);
}

/* The sums S for the bodies of this lane; nothing if a coordinate is not finite. */
template <class S, class F, class T>
static __device__ void walk(const tree_view<F, T> &tree, uint32_t number, int exponent, tree_target<T> targets[EACH],
                            S sums[EACH])
{
    extern __shared__ char shared[];
    lists<T> *own = (lists<T> *) shared + threadIdx.x / LANES;
    const uint32_t lane = threadIdx.x % LANES;
    group<T> group;
    for (uint32_t e = 0; e < EACH; e++) {
        const uint32_t i = number * TREE_GROUP + e * LANES + lane;
        const tree_body<T> body = tree.bodies[i];
        targets[e] = {body.x, body.y, body.z, i};
    }
    if (tree.extent->broken)
        return;
    group.softening = tree_softening<T>(tree.softening, exponent);
    set_box(targets, &group);
    set_error(tree, own->stack, lane, &group);
    add_all(tree, own, lane, group, targets, sums);
}

template <class F, class T>
static __global__ void __launch_bounds__(LANES *WARPS) walk_forces(const tree_view<F, T> tree)
{
    const uint32_t number = blockIdx.x * WARPS + threadIdx.x / LANES;
    const int exponent = tree_exponent(*tree.extent, tree.softening);
    const double unit = tree.extent->broken ? nan("") : tree.g * scalbn(1.0, tree.mass_exponent - 2 * exponent);
    tree_target<T> targets[EACH];
    tree_force<T> sums[EACH];
    if (number * (uint64_t) TREE_GROUP >= tree.count)
        return;
    walk(tree, number, exponent, targets, sums);
    for (uint32_t e = 0; e < EACH; e++)
        if (targets[e].number < tree.count)
            put(tree, targets[e], sums[e], unit);
}

/* Sets the sum of mass times potential of each warp. */
template <class F, class T>
static __global__ void __launch_bounds__(LANES *WARPS) walk_potentials(const tree_view<F, T> tree, double *potentials)
{
    const uint32_t number = blockIdx.x * WARPS + threadIdx.x / LANES;
    const int exponent = tree_exponent(*tree.extent, tree.softening);
    tree_target<T> targets[EACH];
    tree_potential<T> sums[EACH];
    double sum = 0;
    if (number * (uint64_t) TREE_GROUP >= tree.count)
        return;
    walk(tree, number, exponent, targets, sums);
    for (uint32_t e = 0; e < EACH; e++)
        sum += (double) tree.bodies[targets[e].number].mass * sums[e].sum;
    sum = sum_of_warp(sum);
    if (threadIdx.x % LANES == 0)
        potentials[number] = tree.extent->broken ? nan("") : scalbn(sum, 2 * tree.mass_exponent - exponent);
}

/* ---- Launches --------------------------------------------------------------------------------------------------- */

uint32_t tree_groups(uint64_t count)
{
    return (uint32_t) engine_divide_up(count, TREE_GROUP);
}

/* Launches a kernel with a warp for each group. */
template <class T, class... A>
static cudaError_t launch(const tree_cuda *tree, const engine_call *call, void (*kernel)(A...), A... arguments)
{
    const unsigned bytes = WARPS * sizeof(lists<T>);
    ENGINE_CUDA_TRY(
        cudaFuncSetAttribute((const void *) kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) bytes));
    kernel<<<engine_cuda_blocks(tree_groups(tree->plan.count), WARPS), LANES * WARPS, bytes,
             engine_cuda_stream(call)>>>(arguments...);
    return cudaGetLastError();
}

cudaError_t tree_forces(const tree_cuda *tree, const engine_call *call)
{
    return tree_by_type(tree, [=](auto field, auto number) {
        typedef decltype(field) F;
        typedef decltype(number) T;
        return launch<T>(tree, call, walk_forces<F, T>, tree_view_of<F, T>(tree, call));
    });
}

cudaError_t tree_potentials(const tree_cuda *tree, const engine_call *call)
{
    return tree_by_type(tree, [=](auto field, auto number) {
        typedef decltype(field) F;
        typedef decltype(number) T;
        return launch<T>(tree, call, walk_potentials<F, T>, tree_view_of<F, T>(tree, call), tree->potentials);
    });
}
