/* One build of the arithmetic of nbody-tree, for the instruction set KERNEL_ISA. */
#include "cpu_kernel.h"

#include <nbody/cpu_kernel_vector.h>

enum { TARGETS = 4, LANES = VEC_BYTES / sizeof(double) };

#define SIZE_float  4
#define SIZE_double 8

/* As many numbers as a vector of doubles has. */
typedef float part_float __attribute__((vector_size(VEC_BYTES / 2), may_alias));
typedef vec_double part_double;

#include "cpu_kernel_local.h"

#define REAL float
#include "cpu_kernel_far.h"
#include "cpu_kernel_near.h"
#undef REAL

#define REAL double
#include "cpu_kernel_far.h"
#include "cpu_kernel_near.h"
#undef REAL

const struct tree_kernel JOIN(tree_kernel_, KERNEL_ISA) = {
    .isa = ISA_KERNEL,
    .scale = {SCALE_float, SCALE_double},
    .far = {far_float, far_double},
    .evaluate = evaluate,
    .near = {near_float, near_double},
    .potential = {potential_float, potential_double},
};
