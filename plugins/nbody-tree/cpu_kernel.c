/* One build of the arithmetic of nbody-tree, for the instruction set NBODY_ISA. */
#include "cpu_kernel.h"

#include <nbody/cpu_kernel_vector.h>

enum { TARGETS = 4 };

#include "cpu_kernel_far.h"

#define REAL float
#include "cpu_kernel_near.h"
#undef REAL

#define REAL double
#include "cpu_kernel_near.h"
#undef REAL

const struct tree_kernel JOIN(tree_kernel_, NBODY_ISA) = {
    .isa = ISA_KERNEL(NBODY_ISA),
    .scale = {SCALE_float, SCALE_double},
    .far = far,
    .evaluate = evaluate,
    .near = {near_float, near_double},
    .potential = {potential_float, potential_double},
};
