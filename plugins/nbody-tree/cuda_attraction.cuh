/* What a walk adds up for a body: the force, or the potential. With s = d^2 + softening^2 and P = 3 / m times the
 * second moments of a cell about its centre of mass,
 *
 *                  a body                 a cell
 *     force        m / s^(3/2) d          m / s^(3/2) (d (1 + (5/2 dPd / s - tr P / 2) / s) - Pd / s)
 *     potential    m / s^(1/2)            m / s^(1/2) (1 + (1/2 dPd / s - tr P / 6) / s)
 *     operations   13                     34, for the force
 *
 * A body does not attract itself: its d is 0, and a potential leaves it out by its number. */
#ifndef NBODY_TREE_CUDA_ATTRACTION_CUH
#define NBODY_TREE_CUDA_ATTRACTION_CUH

#include "cuda_tree.cuh"

/* The sum over the lanes of a warp, in each lane: always in the same order. */
template <class T> static __device__ T tree_sum_of_warp(T v)
{
    for (uint32_t lane = 16; lane > 0; lane /= 2)
        v += __shfl_xor_sync(0xffffffff, v, lane);
    return v;
}

/* A cell that attracts as a whole. */
template <class T> struct alignas(16) tree_far {
    T x, y, z, mass;
    tree_quadrupole<T> quadrupole;
};

/* A body that is attracted. */
template <class T> struct tree_target {
    T x, y, z;
    uint32_t number;
};

/* The distance, and what both laws need of it. */
template <class T> struct tree_offset {
    T x, y, z, root, inverse; /* s^(-1/2), 1 / s */

    __device__ tree_offset(const tree_target<T> &body, T to_x, T to_y, T to_z, T softening)
        : x(to_x - body.x), y(to_y - body.y), z(to_z - body.z)
    {
        root = tree_inverse_root(fma(z, z, fma(y, y, fma(x, x, softening))));
        inverse = root * root;
    }
};

/* P d. */
template <class T> struct tree_product {
    T x, y, z;

    __device__ tree_product(const tree_quadrupole<T> &p, const tree_offset<T> &d)
        : x(fma(p.xz, d.z, fma(p.xy, d.y, p.xx * d.x))), y(fma(p.yz, d.z, fma(p.yy, d.y, p.xy * d.x))),
          z(fma(p.zz, d.z, fma(p.yz, d.y, p.xz * d.x)))
    {
    }

    __device__ T with(const tree_offset<T> &d) const
    {
        return fma(z, d.z, fma(y, d.y, x * d.x));
    }
};

template <class T> struct tree_force {
    T x = 0, y = 0, z = 0;

    __device__ void add(const tree_force &part)
    {
        x += part.x;
        y += part.y;
        z += part.z;
    }

    /* Adds up the lanes of a warp. */
    __device__ void gather()
    {
        x = tree_sum_of_warp(x);
        y = tree_sum_of_warp(y);
        z = tree_sum_of_warp(z);
    }

    __device__ void add(T weight, T dx, T dy, T dz)
    {
        x = fma(weight, dx, x);
        y = fma(weight, dy, y);
        z = fma(weight, dz, z);
    }

    __device__ void add_body(const tree_target<T> &to, const tree_body<T> &body, uint32_t, T softening)
    {
        const tree_offset<T> d(to, body.x, body.y, body.z, softening);
        add(body.mass * d.root * d.inverse, d.x, d.y, d.z);
    }

    __device__ void add_cell(const tree_target<T> &to, const tree_far<T> &cell, T softening)
    {
        const tree_offset<T> d(to, cell.x, cell.y, cell.z, softening);
        const tree_product<T> p(cell.quadrupole, d);
        const T weight = cell.mass * d.root * d.inverse;
        const T along = fma(d.inverse, fma(T(2.5), p.with(d) * d.inverse, cell.quadrupole.half), T(1));
        add(weight * along, d.x, d.y, d.z);
        add(-weight * d.inverse, p.x, p.y, p.z);
    }
};

template <class T> struct tree_potential {
    double sum = 0;

    __device__ void add(const tree_potential &part)
    {
        sum += part.sum;
    }

    __device__ void gather()
    {
        sum = tree_sum_of_warp(sum);
    }

    __device__ void add_body(const tree_target<T> &to, const tree_body<T> &body, uint32_t number, T softening)
    {
        const tree_offset<T> d(to, body.x, body.y, body.z, softening);
        sum += number == to.number ? 0.0 : (double) (body.mass * d.root);
    }

    __device__ void add_cell(const tree_target<T> &to, const tree_far<T> &cell, T softening)
    {
        const tree_offset<T> d(to, cell.x, cell.y, cell.z, softening);
        const T square = tree_product<T>(cell.quadrupole, d).with(d) * d.inverse;
        sum += (double) (cell.mass * d.root * fma(d.inverse, fma(T(0.5), square, cell.quadrupole.half / 3), T(1)));
    }
};

#endif
