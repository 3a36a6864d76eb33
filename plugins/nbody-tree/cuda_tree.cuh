/* cuda: the tree of nbody-tree on a GPU. Bodies are sorted along Hilbert's curve. Eight of them in a row are a leaf. A
 * cell is a row of leaves; its children are its parts on both sides of the highest bit in which the keys of its leaves'
 * first bodies differ (Karras, High Performance Graphics 2012, 33). So L leaves have L - 1 cells above them, whatever
 * the bodies are, and each cell's children are found without the others'.
 *
 *     slot          0      1     2  3      4  5      6  7          the children of node n are in slots 2 n + 2, 2 n + 3
 *                   root   -     children  children  children
 *                                of root   of 1      of 2
 *
 * A cell has its mass m, its centre of mass, a radius, and 3 / m times the second moments about the centre. */
#ifndef NBODY_TREE_CUDA_TREE_CUH
#define NBODY_TREE_CUDA_TREE_CUH

#include "cuda.h"

template <class T> struct alignas(16) tree_body {
    T x, y, z, mass;
};

/* What a walk reads of each cell it comes to. */
template <class T> struct alignas(16) tree_head {
    T x, y, z, mass;
    T radius;
    uint32_t next;   /* the even slot of the first child; or 2 * leaf + 1 */
    uint32_t leaves; /* below it */
};

/* What it reads where the cell attracts as a whole: 3 / m times second moments, and their trace times -1/2. */
template <class T> struct alignas(16) tree_quadrupole {
    T half, xx, xy, xz, yy, yz, zz;
};

template <class T> struct tree_bounds {
    T low[3], high[3];
};

/* The bodies' box, found anew for each tree. Numbers are ordered as unsigned integers, `low` the other way round, so
 * that 0 is below all. */
struct tree_extent {
    unsigned long long low[3], high[3];
    uint32_t broken;          /* 1: a coordinate is not finite */
    uint32_t wide;            /* groups whose bodies walk one by one: see cuda_walk.cu */
    double least[3], most[3]; /* the box in which keys tell bodies apart */
};

/* The tree as kernels see it; F: the type of the state's numbers, T: of the arithmetic. */
template <class F, class T> struct tree_view {
    const F *position, *mass;
    F *acceleration;
    int64_t stride; /* component c of body i is number i + c * stride */
    F *forces;      /* of a divided run: the accelerations of sorted bodies, three numbers each; or NULL */
    uint32_t count, leaves;
    uint32_t group, groups; /* the first group of this part of the run, and the number of them */
    tree_extent *extent;
    const uint64_t *keys;  /* sorted */
    const uint32_t *order; /* the number in the state of each sorted body */
    uint64_t *firsts;      /* the key of each leaf's first body */
    tree_body<T> *bodies;  /* sorted; a multiple of TREE_GROUP, those behind the last without mass */
    tree_head<T> *heads;   /* of each slot, as are the next two */
    tree_quadrupole<T> *quadrupoles;
    tree_bounds<T> *bounds;
    uint32_t *node_slots, *leaf_slots; /* of cells that are nodes, and of leaves */
    uint32_t *arrived;                 /* children of each node that are complete */
    uint32_t *wide;                    /* the groups that extent->wide counts, in any order */
    int mass_exponent;                 /* the sum of all masses is below 2^mass_exponent */
    double softening, g;
    T error; /* of a cell's attraction, in units of the attraction that a group feels */
};

/* Lengths are in units of a power of two that is above all coordinates, so that no square or cube leaves the range of
 * T. Bodies and cells closer than CLOSEST do not attract as Newton says: this is the least softening. */
template <class T> struct tree_number;

template <> struct tree_number<float> {
    static constexpr int CLOSEST = -40; /* powers of two */
    static constexpr float NEAREST_CELL =
        0x1p-48f; /* the least square of the distance of a cell that attracts as a whole */
};

template <> struct tree_number<double> {
    static constexpr int CLOSEST = -300;
    static constexpr double NEAREST_CELL = 0x1p-400;
};

static __device__ inline unsigned long long tree_ordered(double v)
{
    const unsigned long long bits = (unsigned long long) __double_as_longlong(v);
    return bits >> 63 ? ~bits : bits | 1ULL << 63;
}

static __device__ inline double tree_from_ordered(unsigned long long ordered)
{
    return __longlong_as_double((long long) (ordered >> 63 ? ordered & ~(1ULL << 63) : ~ordered));
}

static __device__ inline double tree_low(const tree_extent &extent, int axis)
{
    return tree_from_ordered(~extent.low[axis]);
}

static __device__ inline double tree_high(const tree_extent &extent, int axis)
{
    return tree_from_ordered(extent.high[axis]);
}

/* All coordinates and the softening are below 2 to this power. */
static __device__ inline int tree_exponent(const tree_extent &extent, double softening)
{
    double most = softening;
    for (int c = 0; c < 3; c++)
        most = fmax(most, fmax(fabs(tree_low(extent, c)), fabs(tree_high(extent, c))));
    return most > 0 && most < HUGE_VAL ? ilogb(most) + 1 : 0;
}

/* The square of the softening, in units of 2^exponent. */
template <class T> static __device__ inline T tree_softening(double softening, int exponent)
{
    const double length = fmax(scalbn(softening, -exponent), scalbn(1.0, tree_number<T>::CLOSEST));
    return (T) (length * length);
}

/* 1 / sqrt(v); for a float the hardware's, with an error of up to 1.5 units in the last place. v is no denormal
 * number. */
static __device__ inline float tree_inverse_root(float v)
{
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(v));
    return root;
}

static __device__ inline double tree_inverse_root(double v)
{
    return rsqrt(v);
}

#endif
