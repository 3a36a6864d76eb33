/* One build of the arithmetic of nbody, for the instruction set KERNEL_ISA.
 *
 *   cpu_kernel_vector.h   the vectors, and the inverse cube of a distance
 *   cpu_kernel_force.h    sums over blocks, for float and for double
 *
 * The limit is arithmetic: AVX-512 does two 512-bit operations a cycle. 16 interactions of the plain form take 14
 * operations and an inverse root; 32 interactions of pairs take 18 and a root. AVX2 can also use a third unit, for
 * additions of 256 bits. docs/lab/nbody.md has the rates. */
#include "cpu_kernel.h"

#include <string.h>

#include "cpu_kernel_vector.h"
#include "nbody.h"

#define nbody_step_float  nbody_step_f32
#define nbody_step_double nbody_step_f64

#define REAL float
#include "cpu_kernel_force.h"
#undef REAL

#define REAL double
#include "cpu_kernel_force.h"
#undef REAL

/* ---- Potential -------------------------------------------------------------------------------------------------- */

/* The potential of body j with the bodies before it. */
static double potential_of(const struct nbody_job *job, uint64_t j)
{
    const uint64_t lanes = VEC_BYTES / sizeof(double);
    const vec_double softening2 = SPLAT_double(job->softening * job->softening);
    const struct xyz_double other = position_of_double(job, j);
    vec_double sum = SPLAT_double(0);
    mask_double before = {0};
    for (uint64_t lane = 0; lane < lanes; lane++)
        before[lane] = (int64_t) lane;
    for (uint64_t i = 0; i < j; i += lanes, before += (int64_t) lanes) {
        const struct xyz_double d = difference_double(other, positions_at_double(job, i));
        const vec_double root = root_double(square_double(d, softening2));
        const vec_double mass = *(const vec_double *) ((const double *) job->mass + i);
        sum += WHERE_double(before < (int64_t) j, mass * root);
    }
    return ((const double *) job->mass)[j] * SUM_double(sum);
}

static double potential(const struct nbody_job *job, uint64_t block)
{
    double sum = 0;
    for (uint64_t j = block * job->block; j < block_end_double(job, block) && j < job->count; j++)
        sum += potential_of(job, j);
    return sum;
}

/* ---- The kernel ------------------------------------------------------------------------------------------------- */

#define FORCES(real) \
    { \
        .scale = SCALE_##real, .clear = clear_##real, .plain = plain_##real, .jerks = jerks_##real, \
        .diagonal = diagonal_##real, .pairs = pairs_##real, .collect = collect_##real, .step = step_##real \
    }

const struct nbody_kernel JOIN(nbody_kernel_, KERNEL_ISA) = {
    .isa = ISA_KERNEL,
    .forces = {[NBODY_FLOAT] = FORCES(float), [NBODY_DOUBLE] = FORCES(double)},
    .potential = potential,
};
