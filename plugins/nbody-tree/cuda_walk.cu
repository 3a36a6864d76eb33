/* The forces on groups of 64 bodies in a row, each on one warp: two bodies a lane (Barnes and Hut, Nature 324 (1986)
 * 446; groups: Barnes, Journal of Computational Physics 87 (1990) 161). The warp goes down the tree with a stack of
 * pairs of children in shared memory, and tests 32 cells at a time:
 *
 *     far enough     the cell attracts as a whole: it goes into the list of cells
 *     a leaf         its bodies attract: it goes into the list of leaves
 *     otherwise      its children go onto the stack
 *
 * When a list has enough for all lanes, they take it one by one, each for its bodies. Which cells attract, and in which
 * order, follows from the tree alone.
 *
 * A few groups are wide: in the thin halo of a sphere, 64 bodies in a row may have the sphere in their box. They would
 * be attracted by all its bodies one by one. Each of their bodies walks alone instead, and the lanes share what
 * attracts it. */
#include "cuda_group.cuh"
#include "cuda_view.cuh"

constexpr uint32_t WARPS = 4;                 /* of a block */
constexpr uint32_t BATCH = LANES / TREE_UNIT; /* leaves whose bodies are read at a time */

/* A group is wide if there are more leaves in its box: they are 12 in the middle, and up to 25 for 99 of 100 groups of
 * Plummer's sphere and of a cube (counted, 10^6 bodies). */
constexpr uint32_t WIDE = 64;

/* A body alone is as near to each cell as the test assumes, and those of a group are not, so its cells have this share
 * of the error. */
constexpr double ALONE = 0.25;

/* The shared memory of a warp. */
template <class T> struct lists {
    tree_far<T> cells[2 * LANES];
    tree_body<T> bodies[LANES];
    uint32_t leaves[2 * LANES];
    uint32_t stack[STACK];
};

/* ---- Attraction ------------------------------------------------------------------------------------------------- */

/* Adds the attraction of cells. The sums of a list are rounded on their own, so that errors of rounding stay small. */
template <class T, class S>
static __device__ void add_cells(const tree_far<T> *cells, uint32_t count, T softening,
                                 const tree_target<T> targets[EACH], S sums[EACH])
{
    S parts[EACH];
#pragma unroll 2
    for (uint32_t k = 0; k < count; k++) {
        const tree_far<T> cell = cells[k];
        for (uint32_t e = 0; e < EACH; e++)
            parts[e].add_cell(targets[e], cell, softening);
    }
    for (uint32_t e = 0; e < EACH; e++)
        sums[e].add(parts[e]);
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
    S parts[EACH];
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
                parts[e].add_body(targets[e], body, number, softening);
        }
    }
    for (uint32_t e = 0; e < EACH; e++)
        sums[e].add(parts[e]);
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
    F *const forces = tree.forces ? tree.forces + 3 * (uint64_t) to.number : tree.acceleration + tree.order[to.number];
    const int64_t stride = tree.forces ? 1 : tree.stride;
    forces[0] = (F) (unit * (double) force.x);
    forces[stride] = (F) (unit * (double) force.y);
    forces[2 * stride] = (F) (unit * (double) force.z);
}

/* Block (x, y): component y of bodies. */
template <class F, class T>
static __global__ void __launch_bounds__(LANES *WARPS) put_forces(const tree_view<F, T> tree)
{
    const uint64_t number = blockIdx.x * (uint64_t) (LANES * WARPS) + threadIdx.x;
    if (number < tree.count)
        tree.acceleration[tree.order[number] + blockIdx.y * tree.stride] = tree.forces[3 * number + blockIdx.y];
}

/* What a warp needs to begin. */
template <class T> struct start {
    lists<T> *own;
    uint32_t lane, warp, warps;
    uint32_t group; /* of the warp, where each warp has one */
    int exponent;
    bool broken;

    template <class F> __device__ explicit start(const tree_view<F, T> &tree)
    {
        extern __shared__ char shared[];
        own = (lists<T> *) shared + threadIdx.x / LANES;
        lane = threadIdx.x % LANES;
        warp = blockIdx.x * WARPS + threadIdx.x / LANES;
        warps = gridDim.x * WARPS;
        group = tree.group + warp;
        exponent = tree_exponent(*tree.extent, tree.softening);
        broken = tree.extent->broken;
    }

    /* The units of accelerations, and of mass times potential. */
    __device__ double force_unit(double g, int mass_exponent) const
    {
        return broken ? nan("") : g * scalbn(1.0, mass_exponent - 2 * exponent);
    }

    __device__ double potential_unit(int mass_exponent) const
    {
        return broken ? nan("") : scalbn(1.0, 2 * mass_exponent - exponent);
    }
};

template <class F, class T> static __device__ tree_target<T> target_of(const tree_view<F, T> &tree, uint32_t number)
{
    const tree_body<T> body = tree.bodies[number];
    return {body.x, body.y, body.z, number};
}

/* Sets the sums S for this lane's bodies of a group, to nothing if a coordinate is not finite. Returns 0 for a wide
 * group, which is noted. */
template <class S, class F, class T>
static __device__ bool walk_group(const tree_view<F, T> &tree, const start<T> &start, tree_target<T> targets[EACH],
                                  S sums[EACH])
{
    group<T> group;
    for (uint32_t e = 0; e < EACH; e++)
        targets[e] = target_of(tree, start.group * TREE_GROUP + e * LANES + start.lane);
    if (start.broken)
        return true;
    group.softening = tree_softening<T>(tree.softening, start.exponent);
    set_box(targets, &group);
    set_error(tree, start.own->stack, start.lane, tree.error, &group);
    if (group.leaves > WIDE) {
        if (start.lane == 0)
            tree.wide[atomicAdd(&tree.extent->wide, 1)] = start.group;
        return false;
    }
    add_all(tree, start.own, start.lane, group, targets, sums);
    return true;
}

/* The sum S for one body, in each lane. A lane adds the cells and leaves that it has tested. */
template <class S, class F, class T>
static __device__ S walk_alone(const tree_view<F, T> &tree, const start<T> &start, const tree_target<T> &target)
{
    group<T> group = {{target.x, target.y, target.z}, {0, 0, 0}, 0, 0, 0, 0};
    S sum;
    group.softening = tree_softening<T>(tree.softening, start.exponent);
    set_error(tree, start.own->stack, start.lane, T(ALONE) * tree.error, &group);
    go_down(tree, start.own->stack, start.lane, [&](bool wanted, const tree_head<T> &head, uint32_t slot) {
        const bool far = wanted && is_far(group, head), leaf = wanted && !far && head.next & 1;
        const uint32_t first = head.next / 2 * TREE_UNIT;
        if (far)
            sum.add_cell(target, {head.x, head.y, head.z, head.mass, tree.quadrupoles[slot]}, group.softening);
        for (uint32_t k = 0; leaf && k < TREE_UNIT; k++)
            sum.add_body(target, tree.bodies[first + k], first + k, group.softening);
        return wanted && !far && !leaf;
    });
    sum.gather();
    return sum;
}

template <class F, class T>
static __global__ void __launch_bounds__(LANES *WARPS, sizeof(T) == 4 ? 8 : 4) walk_forces(const tree_view<F, T> tree)
{
    const start<T> start(tree);
    tree_target<T> targets[EACH];
    tree_force<T> sums[EACH];
    if (start.warp >= tree.groups || !walk_group(tree, start, targets, sums))
        return;
    for (uint32_t e = 0; e < EACH; e++)
        if (targets[e].number < tree.count)
            put(tree, targets[e], sums[e], start.force_unit(tree.g, tree.mass_exponent));
}

/* The bodies of wide groups, one a warp. */
template <class F, class T>
static __global__ void __launch_bounds__(LANES *WARPS) walk_forces_alone(const tree_view<F, T> tree)
{
    const start<T> start(tree);
    for (uint64_t job = start.warp; job < (uint64_t) tree.extent->wide * TREE_GROUP; job += start.warps) {
        const uint32_t number = tree.wide[job / TREE_GROUP] * TREE_GROUP + (uint32_t) (job % TREE_GROUP);
        if (number >= tree.count)
            continue;
        const tree_target<T> target = target_of(tree, number);
        const tree_force<T> sum = walk_alone<tree_force<T>>(tree, start, target);
        if (start.lane == 0)
            put(tree, target, sum, start.force_unit(tree.g, tree.mass_exponent));
    }
}

/* Sets the sum of mass times potential of each group. */
template <class F, class T>
static __global__ void __launch_bounds__(LANES *WARPS) walk_potentials(const tree_view<F, T> tree, double *potentials)
{
    const start<T> start(tree);
    tree_target<T> targets[EACH];
    tree_potential<T> sums[EACH];
    double sum = 0;
    if (start.warp >= tree.groups || !walk_group(tree, start, targets, sums))
        return;
    for (uint32_t e = 0; e < EACH; e++)
        sum += (double) tree.bodies[targets[e].number].mass * sums[e].sum;
    sum = tree_sum_of_warp(sum);
    if (start.lane == 0)
        potentials[start.group] = sum * start.potential_unit(tree.mass_exponent);
}

/* Wide groups, one a warp. */
template <class F, class T>
static __global__ void __launch_bounds__(LANES *WARPS)
    walk_potentials_alone(const tree_view<F, T> tree, double *potentials)
{
    const start<T> start(tree);
    for (uint32_t job = start.warp; job < tree.extent->wide; job += start.warps) {
        const uint32_t group = tree.wide[job];
        double sum = 0;
        for (uint32_t number = group * TREE_GROUP; number < (group + 1) * TREE_GROUP; number++)
            sum += (double) tree.bodies[number].mass *
                   walk_alone<tree_potential<T>>(tree, start, target_of(tree, number)).sum;
        if (start.lane == 0)
            potentials[group] = sum * start.potential_unit(tree.mass_exponent);
    }
}

/* ---- Launches --------------------------------------------------------------------------------------------------- */

uint32_t tree_groups(uint64_t count)
{
    return (uint32_t) engine_divide_up(count, TREE_GROUP);
}

template <class T, class... A>
static cudaError_t launch(const engine_call *call, unsigned blocks, void (*kernel)(A...), A... arguments)
{
    const unsigned bytes = WARPS * sizeof(lists<T>);
    ENGINE_CUDA_TRY(
        cudaFuncSetAttribute((const void *) kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) bytes));
    kernel<<<blocks, LANES * WARPS, bytes, engine_cuda_stream(call)>>>(arguments...);
    return cudaGetLastError();
}

/* Launches a kernel with a warp for each group, and then one for the wide groups that it has noted. */
template <class T, class View, class... A>
static cudaError_t launch_both(const tree_cuda *tree, const engine_call *call, void (*groups)(View, A...),
                               void (*alone)(View, A...), View view, A... arguments)
{
    if (view.groups == 0)
        return cudaSuccess;
    ENGINE_CUDA_TRY(launch<T>(call, engine_cuda_blocks(view.groups, WARPS), groups, view, arguments...));
    return launch<T>(call, 4 * (unsigned) tree->multiprocessors, alone, view, arguments...);
}

cudaError_t tree_forces(const tree_cuda *tree, const engine_call *call)
{
    return tree_by_type(tree, [=](auto field, auto number) {
        typedef decltype(field) F;
        typedef decltype(number) T;
        return launch_both<T>(tree, call, walk_forces<F, T>, walk_forces_alone<F, T>, tree_view_of<F, T>(tree, call));
    });
}

cudaError_t tree_potentials(const tree_cuda *tree, const engine_call *call)
{
    return tree_by_type(tree, [=](auto field, auto number) {
        typedef decltype(field) F;
        typedef decltype(number) T;
        return launch_both<T>(tree, call, walk_potentials<F, T>, walk_potentials_alone<F, T>,
                              tree_view_of<F, T>(tree, call), tree->potentials);
    });
}

cudaError_t tree_put_forces(const tree_cuda *tree, const engine_call *call)
{
    return tree_by_type(tree, [=](auto field, auto number) {
        const dim3 blocks(engine_cuda_blocks(tree->plan.count, LANES * WARPS), 3);
        put_forces<<<blocks, LANES * WARPS, 0, engine_cuda_stream(call)>>>(
            tree_view_of<decltype(field), decltype(number)>(tree, call));
        return cudaGetLastError();
    });
}
