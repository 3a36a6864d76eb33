/* rdf: the radial distribution function, a histogram of the distances of all pairs. */
#include "rdf.h"

#include <common/isa_choice.h>

static const char *const cell_choices[] = {"auto", "yes", "no", NULL}; /* in the order of RDF_CELLS_AUTO … */

static int check_between(const struct engine_host *host, const struct engine_value *value)
{
    struct rdf_plan plan;
    return rdf_read_between(host, value->text, &plan);
}

static const struct engine_param params[] = {
    [RDF_BINS] = {ENGINE_INTEGER_PARAM("bins", "number of bins between 0 and r_max", "512", 1, RDF_BINS_MAX)},
    [RDF_R_MAX] = {ENGINE_REAL_PARAM("r_max",
                                     "distances below it are counted; at most half of a periodic box's smallest edge",
                                     "1", 1e-9, 1e15),
                   .unit = "length"},
    [RDF_BETWEEN] = {ENGINE_TEXT_PARAM(
                         "between",
                         "all: every pair, whatever the species; or pairs of species, a row of counts each: 0 0, 0 1",
                         "all"),
                     .check = check_between},
    [RDF_EXCLUDE_BLOCK] = {ENGINE_INTEGER_PARAM(
                               "exclude_block",
                               "this many consecutive particles are a molecule, whose pairs are not counted; 1: none",
                               "1", 1, 1000000),
                           .unit = "particles"},
    [RDF_FINITE_SIZE] = {ENGINE_FLAG_PARAM(
        "finite_size", "yes: g is 1 for an ideal gas of any N, by N (N - 1) / 2 pairs; no: by N^2 / 2", "yes")},
    [RDF_VOLUME] = {ENGINE_REAL_PARAM(
                        "volume",
                        "of the particles, where the box is open; 0: unknown, and g is the density about a particle",
                        "0", 0, 1e45),
                    .unit = "length^3"},
    [RDF_DENSITY] = {ENGINE_REAL_PARAM("density", "generator uniform: particles per volume, where the box is open", "1",
                                       1e-30, 1e30),
                     .unit = "length^-3"},
    [RDF_CELLS] =
        {ENGINE_CHOICE_PARAM(
             "cells",
             "cpu and cuda: sort particles, and look for pairs in neighbouring cells alone; auto: where it pays",
             "auto", cell_choices),
         .flags = ENGINE_PARAM_TUNING},
    [RDF_INSTRUCTIONS] = ISA_INSTRUCTIONS_PARAM(0),
    [RDF_BLOCK_SIZE] = {ENGINE_INTEGER_PARAM("block_size", "threads of a block, by cuda-naive and cuda-shared", "512",
                                             32, 1024),
                        .unit = "threads", .flags = ENGINE_PARAM_TUNING},
};

static const struct engine_field fields[] = {
    [RDF_POSITION] = {ENGINE_PARTICLE_FIELD("position", "where the particles are; in a periodic box any image of them",
                                            ENGINE_INPUT, ENGINE_F32, 3)},
    [RDF_SPECIES] = {ENGINE_PARTICLE_FIELD("species", "species of each particle, for `between`", ENGINE_INPUT,
                                           ENGINE_I32, 1),
                     .flags = ENGINE_FIELD_OPTIONAL},
    [RDF_R] = {ENGINE_BIN_FIELD("r", "middle of each bin", ENGINE_F64)},
    [RDF_G] = {ENGINE_BIN_FIELD("g", "counts over those of an ideal gas; a row each pair of species", ENGINE_F64)},
    [RDF_N] = {ENGINE_BIN_FIELD("n", "mean number of neighbours up to the bin's outer edge", ENGINE_F64)},
    [RDF_COUNTS] = {ENGINE_BIN_FIELD("counts", "pairs at this distance, each once, all frames added up", ENGINE_U64),
                    .reduction = ENGINE_REDUCE_SUM},
    [RDF_FRAMES] = {ENGINE_BIN_FIELD("frames", "number of frames counted, one a step", ENGINE_U64)},
    [RDF_IDEAL] = {ENGINE_BIN_FIELD(
        "ideal",
        "pairs / volume of a row, summed over all frames; times the volume of a shell, the counts of an ideal gas",
        ENGINE_F64)},
};

static const struct engine_generator generators[] = {
    {ENGINE_GENERATOR("uniform", "ideal gas: independent uniform positions in the box, or in a cube of `density`")},
};

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu-serial", "one thread, every pair, root and division: the reference", 1,
                      ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_IN_PLACE),
     .create = rdf_serial_create, .advance = rdf_serial_advance},
    {ENGINE_HOST_IMPL("cpu", "all threads and vectors; cells where r_max is short", 10, ENGINE_EXACT | ENGINE_IN_PLACE),
     .probe = rdf_cpu_probe, .create = rdf_cpu_create, .advance = rdf_cpu_advance},
    {
        ENGINE_CUDA_IMPL("cuda-naive", "a launch for each distance of particle numbers, counts in global memory", 12,
                         ENGINE_EXACT | ENGINE_IN_PLACE),
#ifdef ENGINE_WITH_CUDA
        .create = rdf_cuda_naive_create,
        .advance = rdf_cuda_advance,
#endif
    },
    {
        ENGINE_CUDA_IMPL("cuda-shared", "the same with a histogram a block in shared memory", 14,
                         ENGINE_EXACT | ENGINE_IN_PLACE),
#ifdef ENGINE_WITH_CUDA
        .create = rdf_cuda_shared_create,
        .advance = rdf_cuda_advance,
#endif
    },
    {
        ENGINE_CUDA_IMPL("cuda", "all pairs that may be in range in one launch, no root and no division", 20,
                         ENGINE_EXACT | ENGINE_IN_PLACE),
#ifdef ENGINE_WITH_CUDA
        .create = rdf_cuda_create,
        .advance = rdf_cuda_advance,
        .cost = rdf_cuda_cost,
#endif
    },
};

static int shape(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint64_t step,
                 struct engine_shape *shape)
{
    struct rdf_plan rows;
    const int status = rdf_read_between(host, engine_param_text(plan, RDF_BETWEEN), &rows);
    (void) step;
    if (field == RDF_IDEAL)
        shape->extent[0] = rows.row_count;
    if (status != 0 || field < RDF_R || field > RDF_COUNTS)
        return status;
    shape->extent[0] = (uint64_t) engine_param_integer(plan, RDF_BINS);
    if (field != RDF_R && rows.row_count > 1) {
        shape->extent[1] = rows.row_count;
        shape->rank = 2;
    }
    return 0;
}

static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    struct rdf_plan read;
    return rdf_plan_read(host, plan, &read);
}

/* All pairs, also those that cells leave out. */
static int work(const struct engine_host *host, const struct engine_plan *plan, struct engine_work *work)
{
    (void) host;
    const double count = (double) engine_field_shape(plan, RDF_POSITION)->extent[0];
    work->unit = "pairs";
    work->per_step = count > 1 ? count * (count - 1) / 2 : 1;
    return 0;
}

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("rdf", "0.1.0", "radial distribution function: distances of all pairs, counted exactly"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .generators = ENGINE_ARRAY(generators),
    .impls = ENGINE_ARRAY(impls),
    .shape = shape,
    .check = check,
    .work = work,
    .generate = rdf_generate,
};
