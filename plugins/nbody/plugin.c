/* nbody: bodies that attract each other, all pairs. */
#include "nbody.h"

#include <common/isa_choice.h>

static const char *const integrators[] = {"euler", "leapfrog", "hermite", NULL}; /* in the order of NBODY_EULER … */
static const char *const precisions[] = {"float", "double", NULL};
static const char *const forms[] = {"auto", "plain", "pairs", NULL};

#define LARGEST 1e30 /* a parameter at most: products of a few are far from the largest double */

static int check_unroll(const struct engine_host *host, const struct engine_value *value)
{
    if ((value->integer & (value->integer - 1)) == 0)
        return 0;
    return ENGINE_FAIL(host, ENGINE_INVALID, "expected 1, 2, 4, 8, 16 or 32");
}

static const struct engine_param params[] = {
    [NBODY_DT] = {ENGINE_REAL_PARAM("dt", "time step; a negative time step runs backwards", "0.001", -LARGEST, LARGEST),
                  .unit = "time"},
    [NBODY_SOFTENING] = {ENGINE_REAL_PARAM(
                             "softening",
                             "softening length e: the force law has distance^2 + e^2 instead of distance^2", "0.05", 0,
                             LARGEST),
                         .unit = "length"},
    [NBODY_G] = {ENGINE_REAL_PARAM("g", "gravitational constant, in the units of the input", "1", -LARGEST, LARGEST)},
    [NBODY_INTEGRATOR] = {ENGINE_CHOICE_PARAM("integrator",
                                              "euler: symplectic Euler, first order; leapfrog: kick-drift-kick, second "
                                              "order; hermite: fourth order, two force evaluations per step, CPU only",
                                              "leapfrog", integrators)},
    [NBODY_PRECISION] = {ENGINE_CHOICE_PARAM("precision", "type of positions, velocities, masses and arithmetic",
                                             "float", precisions)},
    [NBODY_SIZE] = {ENGINE_REAL_PARAM(
                        "size",
                        "generators: edge of the cube, virial radius of a sphere, radius of the shell, semi-major "
                        "axis of the orbit",
                        "1", 1e-30, LARGEST),
                    .unit = "length"},
    [NBODY_TOTAL_MASS] = {ENGINE_REAL_PARAM("total_mass",
                                            "generators: total mass of all bodies; 0: source = cube gives each body "
                                            "mass 1, and the others give all bodies together mass 1",
                                            "0", 0, LARGEST),
                          .unit = "mass"},
    [NBODY_ECCENTRICITY] = {ENGINE_REAL_PARAM("eccentricity", "generator orbit: eccentricity; 0 is a circle", "0.5", 0,
                                              0.999)},
    [NBODY_FORM] = {ENGINE_CHOICE_PARAM("form",
                                        "cpu, cuda: plain: compute each pair for both bodies; pairs: compute each pair "
                                        "once; auto: chosen from the number of bodies",
                                        "auto", forms)},
    [NBODY_INSTRUCTIONS] = ISA_INSTRUCTIONS_PARAM(0),
    [NBODY_BLOCK_SIZE] = {ENGINE_INTEGER_PARAM("block_size", "cuda-basic, cuda-shared: threads per block", "128", 1,
                                               4096),
                          .unit = "threads", .flags = ENGINE_PARAM_TUNING},
    [NBODY_BLOCK_STRIDE] = {ENGINE_INTEGER_PARAM(
                                "block_stride",
                                "cuda-shared: blocks that share the same bodies; 0: as many as fill the device", "0", 0,
                                1024),
                            .unit = "blocks", .flags = ENGINE_PARAM_TUNING},
    [NBODY_UNROLL] = {ENGINE_INTEGER_PARAM("unroll", "cuda-shared: unrolling of the inner loop: 1, 2, 4, 8, 16 or 32",
                                           "8", 1, 32),
                      .flags = ENGINE_PARAM_TUNING, .check = check_unroll},
};

static const struct engine_field fields[] = {
    [NBODY_POSITION] = {ENGINE_PARTICLE_FIELD("position", "position of each body", ENGINE_STATE, ENGINE_F32, 3)},
    [NBODY_VELOCITY] = {ENGINE_PARTICLE_FIELD("velocity", "velocity of each body", ENGINE_STATE, ENGINE_F32, 3)},
    [NBODY_MASS] = {ENGINE_PARTICLE_FIELD("mass",
                                          "mass of each body; a body of mass 0 is attracted and does not attract",
                                          ENGINE_INPUT, ENGINE_F32, 1),
                    .initial = 1},
    [NBODY_ACCELERATION] = {ENGINE_PARTICLE_FIELD(
        "acceleration", "last acceleration of each body that the last step used; 0 before the first step",
        ENGINE_OUTPUT, ENGINE_F32, 3)},
};

#define ALONG(index, word, text) \
    [index] = {ENGINE_METRIC(word "_x", NULL, text ", along x")}, \
    [(index) + 1] = {ENGINE_METRIC(word "_y", NULL, text ", along y")}, \
    [(index) + 2] = {ENGINE_METRIC(word "_z", NULL, text ", along z")}

static const struct engine_metric metrics[] = {
    [NBODY_KINETIC] = {ENGINE_METRIC("kinetic", NULL, "kinetic energy")},
    [NBODY_POTENTIAL] = {ENGINE_METRIC("potential", NULL, "potential energy of all pairs, softened like the force")},
    [NBODY_ENERGY] = {ENGINE_METRIC("energy", NULL, "kinetic + potential")},
    ALONG(NBODY_MOMENTUM, "momentum", "momentum of all bodies"),
    ALONG(NBODY_ANGULAR_MOMENTUM, "angular_momentum", "angular momentum about the origin"),
    ALONG(NBODY_CENTER, "center", "center of mass"),
    [NBODY_VIRIAL_RATIO] = {ENGINE_METRIC("virial_ratio", NULL, "-2 kinetic / potential: 1 in equilibrium")},
};

static const struct engine_generator generators[] = {
    [NBODY_CUBE] = {ENGINE_GENERATOR("cube", "at rest, uniform in a cube about the origin")},
    [NBODY_PLUMMER] = {ENGINE_GENERATOR("plummer", "Plummer's sphere in equilibrium")},
    [NBODY_SHELL] = {ENGINE_GENERATOR("shell", "at rest, uniform on a sphere, which collapses")},
    [NBODY_ORBIT] = {ENGINE_GENERATOR("orbit", "two bodies on a Kepler orbit, at their smallest distance")},
    [NBODY_GALAXIES] = {ENGINE_GENERATOR("galaxies", "two disks in halos, shortly before they meet")},
};

/* Vectors as three arrays, x, y and z. */
static int planar_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                         struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->planar = 1;
    return 0;
}

#ifdef ENGINE_WITH_CUDA
/* The kernels on CUDA compute no jerks. */
static int cuda_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    if (nbody_plan(plan).integrator != NBODY_HERMITE)
        return 0;
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "integrator = hermite runs on the CPU only");
}

/* What the implementations on CUDA share. */
#define CUDA_FUNCTIONS(create_, cost_) \
    .probe = cuda_probe, .layout = planar_layout, .create = (create_), .advance = nbody_cuda_advance, \
    .measure = nbody_cuda_measure, .cost = (cost_)
#else
#define CUDA_FUNCTIONS(create_, cost_) .advance = NULL
#endif

/* Trajectories diverge exponentially, whatever the method. So the tolerance is for one step. */
#define TOLERANCE 1e-5

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu-serial", "one thread, forces in double precision: the reference", 1,
                      ENGINE_REFERENCE | ENGINE_IN_PLACE | ENGINE_SERIAL | ENGINE_TEAMWORK),
     .tolerance = TOLERANCE, .create = nbody_serial_create, .advance = nbody_solver_advance,
     .measure = nbody_serial_measure},
    {ENGINE_HOST_IMPL("cpu", "all threads, vector instructions; each pair once if there are many bodies", 10,
                      ENGINE_IN_PLACE | ENGINE_TEAMWORK),
     .tolerance = TOLERANCE, .probe = nbody_cpu_probe, .layout = planar_layout, .create = nbody_cpu_create,
     .advance = nbody_solver_advance, .measure = nbody_cpu_measure, .cost = nbody_cpu_cost},
    {ENGINE_CUDA_IMPL("cuda-basic", "one thread per body, reads bodies from global memory", 12,
                      ENGINE_ENQUEUES | ENGINE_IN_PLACE),
     .tolerance = TOLERANCE, CUDA_FUNCTIONS(nbody_cuda_basic_create, nbody_cuda_plain_cost)},
    {ENGINE_CUDA_IMPL("cuda-shared", "tiles in shared memory, several blocks per body", 14,
                      ENGINE_ENQUEUES | ENGINE_IN_PLACE),
     .tolerance = TOLERANCE, CUDA_FUNCTIONS(nbody_cuda_shared_create, nbody_cuda_plain_cost)},
    {ENGINE_CUDA_IMPL("cuda", "several bodies per thread; each pair once if there are many bodies", 20,
                      ENGINE_ENQUEUES | ENGINE_IN_PLACE | ENGINE_TEAMWORK),
     .tolerance = TOLERANCE, CUDA_FUNCTIONS(nbody_cuda_create, nbody_cuda_cost)},
};

static int shape(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint64_t step,
                 struct engine_shape *shape)
{
    (void) host, (void) field, (void) step;
    if (engine_param_choice(plan, NBODY_PRECISION) == NBODY_DOUBLE)
        shape->type = ENGINE_F64;
    return 0;
}

/* 1 / softening^3 must be finite in the precision. */
static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    const struct nbody_plan p = nbody_plan(plan);
    const double least = p.precision == NBODY_FLOAT ? 1e-12 : 1e-100;
    if (p.softening == 0 || p.softening >= least)
        return 0;
    return ENGINE_FAIL(host, ENGINE_INVALID,
                       "softening = %g is too small for precision = %s; expected 0, or at least %g", p.softening,
                       precisions[p.precision], least);
}

/* N^2 interactions, as is usual: each pair counts twice, and each body with itself once. */
static int work(const struct engine_host *host, const struct engine_plan *plan, struct engine_work *work)
{
    (void) host;
    const double count = (double) engine_field_shape(plan, NBODY_POSITION)->extent[0];
    work->unit = "interactions";
    work->per_step = count * count;
    return 0;
}

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("nbody", "0.1.0", "gravity between all pairs of bodies"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .generators = ENGINE_ARRAY(generators),
    .impls = ENGINE_ARRAY(impls),
    .shape = shape,
    .check = check,
    .work = work,
    .generate = nbody_generate,
};
