/* A group of bodies, and its way down the tree: the stack of cells, the estimate of the attraction, and the test of
 * cells. */
#ifndef NBODY_TREE_CUDA_GROUP_CUH
#define NBODY_TREE_CUDA_GROUP_CUH

#include "cuda_attraction.cuh"

constexpr uint32_t LANES = 32, EACH = TREE_GROUP / LANES, ALL = 0xffffffff;
constexpr uint32_t PAIRS = LANES / 2; /* of children that are tested at a time */
constexpr uint32_t STACK = 512;       /* pairs */
constexpr uint32_t DEPTH = 96;        /* no cell is deeper: 63 bits of a key, and those of a leaf's number */

/* A group of bodies: their box, the error that the attraction of a cell may have, and the square of the softening. */
template <class T> struct group {
    T middle[3], half[3], radius, inverse_error, softening;
    uint32_t leaves; /* in the box, roughly */
};

template <class T> static __device__ T least_of_warp(T v)
{
    for (uint32_t lane = LANES / 2; lane > 0; lane /= 2)
        v = min(v, __shfl_xor_sync(ALL, v, lane));
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

/* Takes pairs off the stack and hands each lane a cell: `test` says whether its children come onto the stack. A pair
 * taken leaves at most one pair more. If the stack is nearly full, one is taken at a time, so that it grows by the
 * depth of the tree at most. */
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

/* Sets the error that a cell's attraction may have: a share of the attraction on the group, roughly; or of what all
 * magnitudes add up to, where attractions cancel. */
template <class F, class T>
static __device__ void set_error(const tree_view<F, T> &tree, uint32_t *stack, uint32_t lane, T error, group<T> *group)
{
    T x = 0, y = 0, z = 0, magnitudes = 0;
    uint32_t leaves = 0;
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
        leaves +=
            fabs(dx) <= group->half[0] && fabs(dy) <= group->half[1] && fabs(dz) <= group->half[2] ? head.leaves : 0;
        return false;
    });
    group->leaves = tree_sum_of_warp(leaves);
    x = tree_sum_of_warp(x), y = tree_sum_of_warp(y), z = tree_sum_of_warp(z),
    magnitudes = tree_sum_of_warp(magnitudes);
    group->inverse_error = 1 / (error * max(sqrt(x * x + y * y + z * z), T(TREE_CANCELLED) * magnitudes));
}

/* May a cell attract the group as a whole? With s the square of its distance from the box, softened, and radius q, its
 * error is about m / s (q^2 / s)^(3/2). A number that is not finite is no. */
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

#endif
