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
    return ENGINE_FAIL(host, ENGINE_INVALID, "%lld is not a power of two; expected 1, 2, 4, 8, 16 or 32",
                       (long long) value->integer);
}

static const struct engine_param params[] = {
    [NBODY_DT] = {ENGINE_REAL_PARAM("dt", "time step; a negative one runs backwards", "0.001", -LARGEST, LARGEST),
                  .unit = "time"},
    [NBODY_SOFTENING] = {ENGINE_REAL_PARAM(
                             "softening", "length e in the force law, which has distance^2 + e^2 instead of distance^2",
                             "0.05", 0, LARGEST),
                         .unit = "length"},
    [NBODY_G] = {ENGINE_REAL_PARAM("g", "gravitational constant, in the units of the bodies", "1", -LARGEST, LARGEST)},
    [NBODY_INTEGRATOR] = {ENGINE_CHOICE_PARAM(
        "integrator",
        "euler: velocities, then positions; leapfrog: kick-drift-kick, second order; hermite: fourth "
        "order, two evaluations a step, on the CPU alone",
        "leapfrog", integrators)},
    [NBODY_PRECISION] = {ENGINE_CHOICE_PARAM(
        "precision", "type of positions, velocities and masses, and of the arithmetic", "float", precisions)},
    [NBODY_SIZE] = {ENGINE_REAL_PARAM(
                        "size",
                        "generators: edge of the cube, virial radius of a sphere, radius of the shell, semi-major "
                        "axis of the orbit",
                        "1", 1e-30, LARGEST),
                    .unit = "length"},
    [NBODY_TOTAL_MASS] = {ENGINE_REAL_PARAM(
                              "total_mass",
                              "generators: mass of all bodies; 0: every body of the cube has 1, all of the others 1",
                              "0", 0, LARGEST),
                          .unit = "mass"},
    [NBODY_ECCENTRICITY] = {ENGINE_REAL_PARAM("eccentricity", "generator orbit: 0 is a circle", "0.5", 0, 0.999)},
    [NBODY_FORM] = {ENGINE_CHOICE_PARAM(
        "form",
        "how cpu and cuda sum: plain, each pair from both sides; pairs, each pair once; auto: by "
        "the number of bodies",
        "auto", forms)},
    [NBODY_INSTRUCTIONS] = ISA_INSTRUCTIONS_PARAM(0),
    [NBODY_BLOCK_SIZE] = {ENGINE_INTEGER_PARAM("block_size", "threads of a block, by cuda-basic and cuda-shared", "128",
                                               1, 4096),
                          .unit = "threads", .flags = ENGINE_PARAM_TUNING},
    [NBODY_BLOCK_STRIDE] = {ENGINE_INTEGER_PARAM(
                                "block_stride",
                                "blocks that share the same bodies, by cuda-shared; 0: as many as fill the device", "0",
                                0, 1024),
                            .unit = "blocks", .flags = ENGINE_PARAM_TUNING},
    [NBODY_UNROLL] = {ENGINE_INTEGER_PARAM(
                          "unroll", "unrolling of the inner loop, by cuda-shared: 1, 2, 4, 8, 16 or 32", "8", 1, 32),
                      .flags = ENGINE_PARAM_TUNING, .check = check_unroll},
};

static const struct engine_field fields[] = {
    [NBODY_POSITION] = {ENGINE_PARTICLE_FIELD("position", "where the bodies are", ENGINE_STATE, ENGINE_F32, 3)},
    [NBODY_VELOCITY] = {ENGINE_PARTICLE_FIELD("velocity", "how fast they are", ENGINE_STATE, ENGINE_F32, 3)},
    [NBODY_MASS] = {ENGINE_PARTICLE_FIELD("mass", "of each body; one of mass 0 is attracted and does not attract",
                                          ENGINE_INPUT, ENGINE_F32, 1),
                    .initial = 1},
    [NBODY_ACCELERATION] = {ENGINE_PARTICLE_FIELD(
        "acceleration", "the last one that the last step used; 0 before the first step", ENGINE_OUTPUT, ENGINE_F32, 3)},
};

#define ALONG(index, word, text) \
    [index] = {ENGINE_METRIC(word "_x", NULL, text ", along x")}, \
    [(index) + 1] = {ENGINE_METRIC(word "_y", NULL, "along y")}, \
    [(index) + 2] = {ENGINE_METRIC(word "_z", NULL, "along z")}

static const struct engine_metric metrics[] = {
    [NBODY_KINETIC] = {ENGINE_METRIC("kinetic", NULL, "energy of motion")},
    [NBODY_POTENTIAL] = {ENGINE_METRIC("potential", NULL, "energy of all pairs, softened as the force is")},
    [NBODY_ENERGY] = {ENGINE_METRIC("energy", NULL, "kinetic + potential")},
    ALONG(NBODY_MOMENTUM, "momentum", "of all bodies"),
    ALONG(NBODY_ANGULAR_MOMENTUM, "angular_momentum", "about the origin"),
    ALONG(NBODY_CENTER, "center", "of mass"),
    [NBODY_VIRIAL_RATIO] = {ENGINE_METRIC("virial_ratio", NULL, "-2 kinetic / potential: 1 in equilibrium")},
};

static const struct engine_generator generators[] = {
    [NBODY_CUBE] = {ENGINE_GENERATOR("cube", "at rest, uniform in a cube about the origin")},
    [NBODY_PLUMMER] = {ENGINE_GENERATOR("plummer", "Plummer's sphere in equilibrium")},
    [NBODY_SHELL] = {ENGINE_GENERATOR("shell", "at rest, uniform on a sphere: collapses")},
    [NBODY_ORBIT] = {ENGINE_GENERATOR("orbit", "two bodies on a Kepler orbit, at their closest")},
    [NBODY_GALAXIES] = {ENGINE_GENERATOR("galaxies", "two disks in halos, about to collide")},
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
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "integrator = hermite runs on the CPU alone");
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
                      ENGINE_REFERENCE | ENGINE_IN_PLACE),
     .tolerance = TOLERANCE, .create = nbody_serial_create, .advance = nbody_solver_advance,
     .measure = nbody_serial_measure},
    {ENGINE_HOST_IMPL("cpu", "all threads and vectors; each pair once where there are many", 10, ENGINE_IN_PLACE),
     .tolerance = TOLERANCE, .probe = nbody_cpu_probe, .layout = planar_layout, .create = nbody_cpu_create,
     .advance = nbody_solver_advance, .measure = nbody_cpu_measure, .cost = nbody_cpu_cost},
    {ENGINE_CUDA_IMPL("cuda-basic", "one thread a body, from global memory", 12, ENGINE_ENQUEUES | ENGINE_IN_PLACE),
     .tolerance = TOLERANCE, CUDA_FUNCTIONS(nbody_cuda_basic_create, nbody_cuda_plain_cost)},
    {ENGINE_CUDA_IMPL("cuda-shared", "tiles in shared memory, several blocks a body", 14,
                      ENGINE_ENQUEUES | ENGINE_IN_PLACE),
     .tolerance = TOLERANCE, CUDA_FUNCTIONS(nbody_cuda_shared_create, nbody_cuda_plain_cost)},
    {ENGINE_CUDA_IMPL("cuda", "several bodies a thread; each pair once where there are many", 20,
                      ENGINE_ENQUEUES | ENGINE_IN_PLACE),
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
    return ENGINE_FAIL(host, ENGINE_INVALID, "softening = %g is too small for precision = %s: 0 or at least %g",
                       p.softening, precisions[p.precision], least);
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
