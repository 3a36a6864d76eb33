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
    [NBODY_DT] = {.name = "dt",
                  .help = "time step; a negative one runs backwards",
                  .unit = "time",
                  .type = ENGINE_PARAM_REAL,
                  .initial = "0.001",
                  .min = -LARGEST,
                  .max = LARGEST},
    [NBODY_SOFTENING] = {.name = "softening",
                         .help = "length e in the force law, which has distance^2 + e^2 instead of distance^2",
                         .unit = "length",
                         .type = ENGINE_PARAM_REAL,
                         .initial = "0.05",
                         .min = 0,
                         .max = LARGEST},
    [NBODY_G] = {.name = "g",
                 .help = "gravitational constant, in the units of the bodies",
                 .type = ENGINE_PARAM_REAL,
                 .initial = "1",
                 .min = -LARGEST,
                 .max = LARGEST},
    [NBODY_INTEGRATOR] =
        {.name = "integrator",
         .help = "euler: velocities, then positions; leapfrog: kick-drift-kick, second order; hermite: fourth "
                 "order, two evaluations a step, on the CPU alone",
         .type = ENGINE_PARAM_CHOICE,
         .initial = "leapfrog",
         .choices = integrators},
    [NBODY_PRECISION] = {.name = "precision",
                         .help = "type of positions, velocities and masses, and of the arithmetic",
                         .type = ENGINE_PARAM_CHOICE,
                         .initial = "float",
                         .choices = precisions},
    [NBODY_SIZE] = {.name = "size",
                    .help = "generators: edge of the cube, virial radius of a sphere, radius of the shell, semi-major "
                            "axis of the orbit",
                    .unit = "length",
                    .type = ENGINE_PARAM_REAL,
                    .initial = "1",
                    .min = 1e-30,
                    .max = LARGEST},
    [NBODY_TOTAL_MASS] = {.name = "total_mass",
                          .help =
                              "generators: mass of all bodies; 0: every body of the cube has 1, all of the others 1",
                          .unit = "mass",
                          .type = ENGINE_PARAM_REAL,
                          .initial = "0",
                          .min = 0,
                          .max = LARGEST},
    [NBODY_ECCENTRICITY] = {.name = "eccentricity",
                            .help = "generator orbit: 0 is a circle",
                            .type = ENGINE_PARAM_REAL,
                            .initial = "0.5",
                            .min = 0,
                            .max = 0.999},
    [NBODY_FORM] = {.name = "form",
                    .help = "how cpu and cuda sum: plain, each pair from both sides; pairs, each pair once; auto: by "
                            "the number of bodies",
                    .type = ENGINE_PARAM_CHOICE,
                    .initial = "auto",
                    .choices = forms},
    [NBODY_INSTRUCTIONS] = ISA_INSTRUCTIONS_PARAM(0),
    [NBODY_BLOCK_SIZE] = {.name = "block_size",
                          .help = "threads of a block, by cuda-basic and cuda-shared",
                          .unit = "threads",
                          .type = ENGINE_PARAM_INTEGER,
                          .flags = ENGINE_PARAM_TUNING,
                          .initial = "128",
                          .min = 1,
                          .max = 4096},
    [NBODY_BLOCK_STRIDE] = {.name = "block_stride",
                            .help = "blocks that share the same bodies, by cuda-shared; 0: as many as fill the device",
                            .unit = "blocks",
                            .type = ENGINE_PARAM_INTEGER,
                            .flags = ENGINE_PARAM_TUNING,
                            .initial = "0",
                            .min = 0,
                            .max = 1024},
    [NBODY_UNROLL] = {.name = "unroll",
                      .help = "unrolling of the inner loop, by cuda-shared: 1, 2, 4, 8, 16 or 32",
                      .type = ENGINE_PARAM_INTEGER,
                      .flags = ENGINE_PARAM_TUNING,
                      .initial = "8",
                      .min = 1,
                      .max = 32,
                      .check = check_unroll},
};

#define VECTOR(id, text, job) \
    { \
        .name = id, .help = text, .kind = ENGINE_PARTICLES, .role = job, .type = ENGINE_F32, .components = 3 \
    }

static const struct engine_field fields[] = {
    [NBODY_POSITION] = VECTOR("position", "where the bodies are", ENGINE_STATE),
    [NBODY_VELOCITY] = VECTOR("velocity", "how fast they are", ENGINE_STATE),
    [NBODY_MASS] = {.name = "mass",
                    .help = "of each body; one of mass 0 is attracted and does not attract",
                    .kind = ENGINE_PARTICLES,
                    .role = ENGINE_INPUT,
                    .type = ENGINE_F32,
                    .components = 1,
                    .initial = 1},
    [NBODY_ACCELERATION] =
        VECTOR("acceleration", "the last one that the last step used; 0 before the first step", ENGINE_OUTPUT),
};

#define ALONG(index, word, text) \
    [index] = {.name = word "_x", .help = text ", along x"}, [(index) + 1] = {.name = word "_y", .help = "along y"}, \
    [(index) + 2] = {.name = word "_z", .help = "along z"}

static const struct engine_metric metrics[] = {
    [NBODY_KINETIC] = {.name = "kinetic", .help = "energy of motion"},
    [NBODY_POTENTIAL] = {.name = "potential", .help = "energy of all pairs, softened as the force is"},
    [NBODY_ENERGY] = {.name = "energy", .help = "kinetic + potential"},
    ALONG(NBODY_MOMENTUM, "momentum", "of all bodies"),
    ALONG(NBODY_ANGULAR_MOMENTUM, "angular_momentum", "about the origin"),
    ALONG(NBODY_CENTER, "center", "of mass"),
    [NBODY_VIRIAL_RATIO] = {.name = "virial_ratio", .help = "-2 kinetic / potential: 1 in equilibrium"},
};

static const struct engine_generator generators[] = {
    [NBODY_CUBE] = {.name = "cube", .help = "at rest, uniform in a cube about the origin"},
    [NBODY_PLUMMER] = {.name = "plummer", .help = "Plummer's sphere in equilibrium"},
    [NBODY_SHELL] = {.name = "shell", .help = "at rest, uniform on a sphere: collapses"},
    [NBODY_ORBIT] = {.name = "orbit", .help = "two bodies on a Kepler orbit, at their closest"},
    [NBODY_GALAXIES] = {.name = "galaxies", .help = "two disks in halos, about to collide"},
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
#endif

/* Trajectories diverge exponentially, whatever the method. So the tolerance is for one step. */
#define TOLERANCE 1e-5

static const struct engine_impl impls[] = {
    {.name = "cpu-serial",
     .help = "one thread, forces in double precision: the reference",
     .flags = ENGINE_REFERENCE | ENGINE_IN_PLACE,
     .rank = 1,
     .tolerance = TOLERANCE,
     .create = nbody_serial_create,
     .advance = nbody_solver_advance,
     .measure = nbody_serial_measure},
    {.name = "cpu",
     .help = "all threads and vectors; each pair once where there are many",
     .flags = ENGINE_IN_PLACE,
     .rank = 10,
     .tolerance = TOLERANCE,
     .probe = nbody_cpu_probe,
     .layout = planar_layout,
     .create = nbody_cpu_create,
     .advance = nbody_solver_advance,
     .measure = nbody_cpu_measure,
     .cost = nbody_cpu_cost},
    {
        .name = "cuda-basic",
        .help = "one thread a body, from global memory",
        .memory = ENGINE_CUDA_MEMORY,
        .flags = ENGINE_ENQUEUES | ENGINE_IN_PLACE,
        .rank = 12,
        .tolerance = TOLERANCE,
#ifdef ENGINE_WITH_CUDA
        .probe = cuda_probe,
        .layout = planar_layout,
        .create = nbody_cuda_basic_create,
        .advance = nbody_cuda_advance,
        .measure = nbody_cuda_measure,
        .cost = nbody_cuda_plain_cost,
#endif
    },
    {
        .name = "cuda-shared",
        .help = "tiles in shared memory, several blocks a body",
        .memory = ENGINE_CUDA_MEMORY,
        .flags = ENGINE_ENQUEUES | ENGINE_IN_PLACE,
        .rank = 14,
        .tolerance = TOLERANCE,
#ifdef ENGINE_WITH_CUDA
        .probe = cuda_probe,
        .layout = planar_layout,
        .create = nbody_cuda_shared_create,
        .advance = nbody_cuda_advance,
        .measure = nbody_cuda_measure,
        .cost = nbody_cuda_plain_cost,
#endif
    },
    {
        .name = "cuda",
        .help = "several bodies a thread; each pair once where there are many",
        .memory = ENGINE_CUDA_MEMORY,
        .flags = ENGINE_ENQUEUES | ENGINE_IN_PLACE,
        .rank = 20,
        .tolerance = TOLERANCE,
#ifdef ENGINE_WITH_CUDA
        .probe = cuda_probe,
        .layout = planar_layout,
        .create = nbody_cuda_create,
        .advance = nbody_cuda_advance,
        .measure = nbody_cuda_measure,
        .cost = nbody_cuda_cost,
#endif
    },
};

static int shape(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint64_t step,
                 struct engine_shape *shape)
{
    (void) host, (void) field, (void) step;
    if (engine_param_value(plan, NBODY_PRECISION)->integer == NBODY_DOUBLE)
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
    .abi = ENGINE_ABI(0),
    .name = "nbody",
    .version = "0.1.0",
    .summary = "gravity between all pairs of bodies",
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
