/* nbody-tree: bodies that attract each other, far groups of bodies as wholes. */
#include "cpu.h"

#include <common/isa_choice.h>
#include <nbody/tables.h>

static const struct engine_param params[] = {
    NBODY_COMMON_PARAMS,
    [NBODY_TREE_ACCURACY] = {ENGINE_REAL_PARAM(
        "accuracy", "cpu, cuda: errors of forces, relative to each force, that 99 of 100 bodies stay below", "1e-3",
        1e-6, 1e-2)},
    [NBODY_TREE_INSTRUCTIONS] = ISA_INSTRUCTIONS_PARAM(0),
};

/* Of one step, relative to the largest force; for the largest `accuracy`. */
#define TOLERANCE 1e-2

#ifdef ENGINE_WITH_CUDA
#define CUDA_FUNCTIONS \
    .probe = nbody_tree_probe, .layout = nbody_planar_layout, .create = nbody_tree_cuda_create, \
    .advance = nbody_tree_cuda_advance, .measure = nbody_tree_cuda_measure
#else
#define CUDA_FUNCTIONS .advance = NULL
#endif

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu-serial", "all pairs on one thread, forces in double precision: the reference", 1,
                      ENGINE_REFERENCE | ENGINE_IN_PLACE | ENGINE_SERIAL | ENGINE_TEAMWORK),
     .tolerance = TOLERANCE, .create = nbody_serial_create, .advance = nbody_solver_advance,
     .measure = nbody_serial_measure, .cost = nbody_serial_cost},
    {ENGINE_HOST_IMPL("cpu", "all threads, vector instructions, expansions about the cells of a tree", 10,
                      ENGINE_IN_PLACE),
     .tolerance = TOLERANCE, .probe = nbody_tree_cpu_probe, .layout = nbody_planar_layout, .create = nbody_tree_create,
     .advance = nbody_solver_advance, .measure = nbody_tree_measure},
    {ENGINE_CUDA_IMPL("cuda", "a walk through the tree for each group of 64 bodies, cells up to quadrupoles", 20,
                      ENGINE_ENQUEUES | ENGINE_IN_PLACE | ENGINE_TEAMWORK),
     .tolerance = TOLERANCE, CUDA_FUNCTIONS},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("nbody-tree", "0.1.0", "gravity between many bodies, by a tree"),
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
