/* nbody: bodies that attract each other, all pairs. */
#include "tables.h"

#include <common/isa_choice.h>

static const char *const forms[] = {"auto", "plain", "pairs", NULL};

static int check_unroll(const struct engine_host *host, const struct engine_value *value)
{
    if ((value->integer & (value->integer - 1)) == 0)
        return 0;
    return ENGINE_FAIL(host, ENGINE_INVALID, "expected 1, 2, 4, 8, 16 or 32");
}

static const struct engine_param params[] = {
    NBODY_COMMON_PARAMS,
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
    .probe = cuda_probe, .layout = nbody_planar_layout, .create = (create_), .advance = nbody_cuda_advance, \
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
     .measure = nbody_serial_measure, .cost = nbody_serial_cost},
    {ENGINE_HOST_IMPL("cpu", "all threads, vector instructions; each pair once if there are many bodies", 10,
                      ENGINE_IN_PLACE | ENGINE_TEAMWORK),
     .tolerance = TOLERANCE, .probe = nbody_cpu_probe, .layout = nbody_planar_layout, .create = nbody_cpu_create,
     .advance = nbody_solver_advance, .measure = nbody_cpu_measure, .cost = nbody_cpu_cost},
    {ENGINE_CUDA_IMPL("cuda-basic", "one thread per body, reads bodies from global memory", 12,
                      ENGINE_ENQUEUES | ENGINE_IN_PLACE),
     .tolerance = TOLERANCE, CUDA_FUNCTIONS(nbody_cuda_basic_create, nbody_cuda_plain_cost)},
    {ENGINE_CUDA_IMPL("cuda-text",
                      "one thread per body, tiles of 128 bodies in shared memory: the kernel of the Taichi text", 0,
                      ENGINE_ENQUEUES | ENGINE_IN_PLACE),
     .tolerance = TOLERANCE, CUDA_FUNCTIONS(nbody_cuda_text_create, nbody_cuda_plain_cost)},
    {ENGINE_CUDA_IMPL("cuda-shared", "tiles in shared memory, several blocks per body", 14,
                      ENGINE_ENQUEUES | ENGINE_IN_PLACE),
     .tolerance = TOLERANCE, CUDA_FUNCTIONS(nbody_cuda_shared_create, nbody_cuda_plain_cost)},
    {ENGINE_CUDA_IMPL("cuda", "several bodies per thread; each pair once if there are many bodies", 20,
                      ENGINE_ENQUEUES | ENGINE_IN_PLACE | ENGINE_TEAMWORK),
     .tolerance = TOLERANCE, CUDA_FUNCTIONS(nbody_cuda_create, nbody_cuda_cost)},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("nbody", "0.1.0", "gravity between all pairs of bodies"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(nbody_fields),
    .metrics = ENGINE_ARRAY(nbody_metrics),
    .generators = ENGINE_ARRAY(nbody_generators),
    .impls = ENGINE_ARRAY(impls),
    .shape = nbody_shape,
    .check = nbody_check,
    .work = nbody_work,
    .generate = nbody_generate,
};
