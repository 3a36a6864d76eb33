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
    [RDF_R_MAX] = {ENGINE_REAL_PARAM(
                       "r_max",
                       "distances below r_max are counted; at most half of the smallest edge of a periodic box", "1",
                       1e-9, 1e15),
                   .unit = "length"},
    [RDF_BETWEEN] =
        {ENGINE_TEXT_PARAM(
             "between",
             "all: pairs of any species; or pairs of species, such as 0 0, 0 1, each with its own row of counts",
             "all"),
         .check = check_between},
    [RDF_EXCLUDE_BLOCK] = {ENGINE_INTEGER_PARAM("exclude_block",
                                                "number of consecutive particles that form a molecule; pairs within a "
                                                "molecule are not counted; 1: all pairs are counted",
                                                "1", 1, 1000000),
                           .unit = "particles"},
    [RDF_FINITE_SIZE] = {ENGINE_FLAG_PARAM(
        "finite_size",
        "yes: divide by N (N - 1) / 2 pairs, so that g is 1 for an ideal gas of any N; no: divide by N^2 / 2", "yes")},
    [RDF_VOLUME] = {ENGINE_REAL_PARAM("volume",
                                      "volume of the particles if there is no periodic box; 0: unknown, and g is the "
                                      "number density around a particle",
                                      "0", 0, 1e45),
                    .unit = "length^3"},
    [RDF_DENSITY] = {ENGINE_REAL_PARAM("density",
                                       "generator uniform: number of particles per volume if there is no periodic box",
                                       "1", 1e-30, 1e30),
                     .unit = "length^-3"},
    [RDF_CELLS] = {ENGINE_CHOICE_PARAM("cells",
                                       "cpu, cuda: sort the particles into cells and search pairs only in neighbouring "
                                       "cells; auto: if this is faster",
                                       "auto", cell_choices),
                   .flags = ENGINE_PARAM_TUNING},
    [RDF_INSTRUCTIONS] = ISA_INSTRUCTIONS_PARAM(0),
    [RDF_BLOCK_SIZE] = {ENGINE_INTEGER_PARAM("block_size", "cuda-naive, cuda-shared: threads per block", "512", 32,
                                             1024),
                        .unit = "threads", .flags = ENGINE_PARAM_TUNING},
};

static const struct engine_field fields[] = {
    [RDF_POSITION] = {ENGINE_PARTICLE_FIELD("position",
                                            "position of each particle; in a periodic box, that of any periodic image",
                                            ENGINE_INPUT, ENGINE_F32, 3)},
    [RDF_SPECIES] = {ENGINE_PARTICLE_FIELD("species", "species of each particle, for `between`", ENGINE_INPUT,
                                           ENGINE_I32, 1),
                     .flags = ENGINE_FIELD_OPTIONAL},
    [RDF_R] = {ENGINE_BIN_FIELD("r", "distance at the middle of each bin", ENGINE_F64)},
    [RDF_G] = {ENGINE_BIN_FIELD(
        "g", "counts divided by those of an ideal gas; one row for each pair of species in `between`", ENGINE_F64)},
    [RDF_N] = {ENGINE_BIN_FIELD("n", "mean number of neighbours up to the outer edge of the bin", ENGINE_F64)},
    [RDF_COUNTS] = {ENGINE_BIN_FIELD("counts", "number of pairs in each bin, each pair once, summed over all frames",
                                     ENGINE_U64),
                    .reduction = ENGINE_REDUCE_SUM},
    [RDF_FRAMES] = {ENGINE_BIN_FIELD("frames", "number of frames that are counted, one per step", ENGINE_U64)},
    [RDF_IDEAL] = {ENGINE_BIN_FIELD(
        "ideal",
        "number of pairs divided by the volume, for each row, summed over all frames; times the volume "
        "of a shell, it is the count of an ideal gas",
        ENGINE_F64)},
};

static const struct engine_generator generators[] = {
    {ENGINE_GENERATOR("uniform", "ideal gas: independent uniform positions in the box, or in a cube with `density` "
                                 "particles per volume if there is no box")},
};

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu-serial", "one thread, every pair with a square root and a division: the reference", 1,
                      ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_IN_PLACE | ENGINE_SERIAL | ENGINE_TEAMWORK),
     .create = rdf_serial_create, .advance = rdf_serial_advance},
    {ENGINE_HOST_IMPL("cpu", "all threads, vector instructions; cells if r_max is short", 10,
                      ENGINE_EXACT | ENGINE_IN_PLACE | ENGINE_TEAMWORK),
     .probe = rdf_cpu_probe, .create = rdf_cpu_create, .advance = rdf_cpu_advance},
    {
        ENGINE_CUDA_IMPL("cuda-naive", "one launch for each difference of particle numbers, counts in global memory",
                         12, ENGINE_EXACT | ENGINE_IN_PLACE),
#ifdef ENGINE_WITH_CUDA
        .create = rdf_cuda_naive_create,
        .advance = rdf_cuda_advance,
#endif
    },
    {
        ENGINE_CUDA_IMPL("cuda-shared", "as cuda-naive, with one histogram per block in shared memory", 14,
                         ENGINE_EXACT | ENGINE_IN_PLACE),
#ifdef ENGINE_WITH_CUDA
        .create = rdf_cuda_shared_create,
        .advance = rdf_cuda_advance,
#endif
    },
    {
        ENGINE_CUDA_IMPL("cuda", "one launch for all pairs that may be in range, no square root and no division", 20,
                         ENGINE_EXACT | ENGINE_IN_PLACE | ENGINE_TEAMWORK),
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
    ENGINE_PLUGIN("rdf", "0.1.0", "radial distribution function: exact histogram of the distances of all pairs"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .generators = ENGINE_ARRAY(generators),
    .impls = ENGINE_ARRAY(impls),
    .shape = shape,
    .check = check,
    .work = work,
    .generate = rdf_generate,
};
