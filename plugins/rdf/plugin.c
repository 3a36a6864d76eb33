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
    [RDF_BINS] = {.name = "bins",
                  .help = "number of bins between 0 and r_max",
                  .type = ENGINE_PARAM_INTEGER,
                  .initial = "512",
                  .min = 1,
                  .max = RDF_BINS_MAX},
    [RDF_R_MAX] = {.name = "r_max",
                   .help = "distances below it are counted; at most half of a periodic box's smallest edge",
                   .unit = "length",
                   .type = ENGINE_PARAM_REAL,
                   .initial = "1",
                   .min = 1e-9,
                   .max = 1e15},
    [RDF_BETWEEN] = {.name = "between",
                     .help =
                         "all: every pair, whatever the species; or pairs of species, a row of counts each: 0 0, 0 1",
                     .type = ENGINE_PARAM_TEXT,
                     .initial = "all",
                     .check = check_between},
    [RDF_EXCLUDE_BLOCK] = {.name = "exclude_block",
                           .help =
                               "this many consecutive particles are a molecule, whose pairs are not counted; 1: none",
                           .unit = "particles",
                           .type = ENGINE_PARAM_INTEGER,
                           .initial = "1",
                           .min = 1,
                           .max = 1000000},
    [RDF_FINITE_SIZE] = {.name = "finite_size",
                         .help = "yes: g is 1 for an ideal gas of any N, by N (N - 1) / 2 pairs; no: by N^2 / 2",
                         .type = ENGINE_PARAM_FLAG,
                         .initial = "yes"},
    [RDF_VOLUME] = {.name = "volume",
                    .help =
                        "of the particles, where the box is open; 0: unknown, and g is the density about a particle",
                    .unit = "length^3",
                    .type = ENGINE_PARAM_REAL,
                    .initial = "0",
                    .min = 0,
                    .max = 1e45},
    [RDF_DENSITY] = {.name = "density",
                     .help = "generator uniform: particles per volume, where the box is open",
                     .unit = "length^-3",
                     .type = ENGINE_PARAM_REAL,
                     .initial = "1",
                     .min = 1e-30,
                     .max = 1e30},
    [RDF_CELLS] =
        {.name = "cells",
         .help = "cpu and cuda: sort particles, and look for pairs in neighbouring cells alone; auto: where it pays",
         .type = ENGINE_PARAM_CHOICE,
         .flags = ENGINE_PARAM_TUNING,
         .initial = "auto",
         .choices = cell_choices},
    [RDF_INSTRUCTIONS] = ISA_INSTRUCTIONS_PARAM(0),
    [RDF_BLOCK_SIZE] = {.name = "block_size",
                        .help = "threads of a block, by cuda-naive and cuda-shared",
                        .unit = "threads",
                        .type = ENGINE_PARAM_INTEGER,
                        .flags = ENGINE_PARAM_TUNING,
                        .initial = "512",
                        .min = 32,
                        .max = 1024},
};

#define CURVE(id, text) \
    { \
        .name = id, .help = text, .kind = ENGINE_BINS, .role = ENGINE_OUTPUT, .type = ENGINE_F64, .components = 1 \
    }

static const struct engine_field fields[] = {
    [RDF_POSITION] = {.name = "position",
                      .help = "where the particles are; in a periodic box any image of them",
                      .kind = ENGINE_PARTICLES,
                      .role = ENGINE_INPUT,
                      .type = ENGINE_F32,
                      .components = 3},
    [RDF_SPECIES] = {.name = "species",
                     .help = "species of each particle, for `between`",
                     .kind = ENGINE_PARTICLES,
                     .role = ENGINE_INPUT,
                     .type = ENGINE_I32,
                     .components = 1,
                     .flags = ENGINE_FIELD_OPTIONAL},
    [RDF_R] = CURVE("r", "middle of each bin"),
    [RDF_G] = CURVE("g", "counts over those of an ideal gas; a row each pair of species"),
    [RDF_N] = CURVE("n", "mean number of neighbours up to the bin's outer edge"),
    [RDF_COUNTS] = {.name = "counts",
                    .help = "pairs at this distance, each once, all frames added up",
                    .kind = ENGINE_BINS,
                    .role = ENGINE_OUTPUT,
                    .type = ENGINE_U64,
                    .components = 1,
                    .reduction = ENGINE_REDUCE_SUM},
    [RDF_FRAMES] = {.name = "frames",
                    .help = "number of frames counted, one a step",
                    .kind = ENGINE_BINS,
                    .role = ENGINE_OUTPUT,
                    .type = ENGINE_U64,
                    .components = 1},
    [RDF_IDEAL] = CURVE(
        "ideal",
        "pairs / volume of a row, summed over all frames; times the volume of a shell, the counts of an ideal gas"),
};

static const struct engine_generator generators[] = {
    {.name = "uniform", .help = "ideal gas: independent uniform positions in the box, or in a cube of `density`"},
};

static const struct engine_impl impls[] = {
    {.name = "cpu-serial",
     .help = "one thread, every pair, root and division: the reference",
     .flags = ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_IN_PLACE,
     .rank = 1,
     .create = rdf_serial_create,
     .advance = rdf_serial_advance},
    {.name = "cpu",
     .help = "all threads and vectors; cells where r_max is short",
     .flags = ENGINE_EXACT | ENGINE_IN_PLACE,
     .rank = 10,
     .probe = rdf_cpu_probe,
     .create = rdf_cpu_create,
     .advance = rdf_cpu_advance},
    {
        .name = "cuda-naive",
        .help = "a launch for each distance of particle numbers, counts in global memory",
        .memory = ENGINE_CUDA_MEMORY,
        .flags = ENGINE_EXACT | ENGINE_IN_PLACE,
        .rank = 12,
#ifdef ENGINE_WITH_CUDA
        .create = rdf_cuda_naive_create,
        .advance = rdf_cuda_advance,
#endif
    },
    {
        .name = "cuda-shared",
        .help = "the same with a histogram a block in shared memory",
        .memory = ENGINE_CUDA_MEMORY,
        .flags = ENGINE_EXACT | ENGINE_IN_PLACE,
        .rank = 14,
#ifdef ENGINE_WITH_CUDA
        .create = rdf_cuda_shared_create,
        .advance = rdf_cuda_advance,
#endif
    },
    {
        .name = "cuda",
        .help = "all pairs that may be in range in one launch, no root and no division",
        .memory = ENGINE_CUDA_MEMORY,
        .flags = ENGINE_EXACT | ENGINE_IN_PLACE,
        .rank = 20,
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
    const int status = rdf_read_between(host, engine_param_value(plan, RDF_BETWEEN)->text, &rows);
    (void) step;
    if (field == RDF_IDEAL)
        shape->extent[0] = rows.row_count;
    if (status != 0 || field < RDF_R || field > RDF_COUNTS)
        return status;
    shape->extent[0] = (uint64_t) engine_param_value(plan, RDF_BINS)->integer;
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
    .abi = ENGINE_ABI(0),
    .name = "rdf",
    .version = "0.1.0",
    .summary = "radial distribution function: distances of all pairs, counted exactly",
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .generators = ENGINE_ARRAY(generators),
    .impls = ENGINE_ARRAY(impls),
    .shape = shape,
    .check = check,
    .work = work,
    .generate = rdf_generate,
};
