/* rdf: the radial distribution function, a histogram of the distances of all pairs. */
#include "rdf.h"

#include <common/isa_choice.h>
#include <stdlib.h>

static const char *const geometries[] = {"bulk", "plane", "slab", NULL}; /* in the order of RDF_BULK … */
static const char *const windows[] = {"lorch", "none", NULL};            /* in the order of RDF_LORCH … */
static const char *const cell_choices[] = {"auto", "yes", "no", NULL};   /* in the order of RDF_CELLS_AUTO … */

static int check_between(const struct engine_host *host, const struct engine_value *value)
{
    struct rdf_plan plan;
    return rdf_read_between(host, NULL, value->text, &plan);
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
             "all: pairs of any species; or pairs of species by number or name, such as 0 1 or O-O, O-H, each with its "
             "own row of counts; * in a name is any text; each: all pairs of species that have a name",
             "all"),
         .check = check_between},
    [RDF_EXCLUDE_BLOCK] = {ENGINE_INTEGER_PARAM("exclude_block",
                                                "number of consecutive particles that form a molecule; pairs within a "
                                                "molecule are not counted; 1: all pairs are counted",
                                                "1", 1, 1000000),
                           .unit = "particles"},
    [RDF_EXCLUDE] = {ENGINE_TEXT_PARAM("exclude",
                                       "file of pairs that are not counted, such as bonds: two numbers of particles, "
                                       "from 0 on, in each line; a PDB file with CONECT records; a GRO file: the pairs "
                                       "of each residue; or an index file of GROMACS: the pairs of each group",
                                       ""),
                     .flags = ENGINE_PARAM_PATH},
    [RDF_GEOMETRY] = {ENGINE_CHOICE_PARAM("geometry",
                                          "bulk: distances in three dimensions; plane: distances along x and y alone, "
                                          "and g is divided by the area; slab: "
                                          "distances in three dimensions, and g is 1 for an ideal gas in the slab from "
                                          "z_min to z_max; plane and slab have "
                                          "no periodic images along z",
                                          "bulk", geometries)},
    [RDF_Z_MIN] = {ENGINE_REAL_PARAM("z_min",
                                     "plane, slab: only particles with z_min <= z < z_max count; z_min = z_max: all",
                                     "0", -1e15, 1e15),
                   .unit = "length"},
    [RDF_Z_MAX] = {ENGINE_REAL_PARAM("z_max", "plane, slab: see z_min", "0", -1e15, 1e15), .unit = "length"},
    [RDF_FINITE_SIZE] = {ENGINE_FLAG_PARAM(
        "finite_size",
        "yes: divide by N (N - 1) / 2 pairs, so that g is 1 for an ideal gas of any N; no: divide by N^2 / 2", "yes")},
    [RDF_VOLUME] = {ENGINE_REAL_PARAM("volume",
                                      "volume of the particles if there is no periodic box; 0: unknown, and g is the "
                                      "number density around a particle; in geometry plane the area",
                                      "0", 0, 1e45),
                    .unit = "length^3"},
    [RDF_DENSITY] = {ENGINE_REAL_PARAM("density",
                                       "generator uniform: number of particles per volume if there is no periodic box",
                                       "1", 1e-30, 1e30),
                     .unit = "length^-3"},
    [RDF_BLOCKS] = {ENGINE_INTEGER_PARAM("blocks",
                                         "the largest number of blocks of frames for the standard error of g, 2 to 64; "
                                         "0: no error",
                                         "0", 0, RDF_BLOCKS_MAX)},
    [RDF_Q_BINS] = {ENGINE_INTEGER_PARAM("q_bins", "number of wave numbers for the structure factor; 0: none", "0", 0,
                                         RDF_Q_BINS_MAX)},
    [RDF_Q_MAX] = {ENGINE_REAL_PARAM("q_max", "the largest wave number", "20", 1e-15, 1e15), .unit = "length^-1"},
    [RDF_Q_WINDOW] = {ENGINE_CHOICE_PARAM("q_window",
                                          "factor of g - 1 in the structure factor: lorch, sin(x) / x with x = pi r / "
                                          "r_max; none: 1",
                                          "lorch", windows)},
    [RDF_SPATIAL_BINS] = {ENGINE_INTEGER_PARAM(
        "spatial_bins",
        "number of bins along each axis of the spatial distribution, from -r_max to "
        "r_max; 0: none",
        "0", 0, RDF_SPATIAL_BINS_MAX)},
    [RDF_CELLS] = {ENGINE_CHOICE_PARAM("cells",
                                       "cpu, cuda: sort the particles into cells and search pairs only in neighbouring "
                                       "cells; auto: if this is faster",
                                       "auto", cell_choices),
                   .flags = ENGINE_PARAM_TUNING},
    [RDF_INSTRUCTIONS] = ISA_INSTRUCTIONS_PARAM(0),
    [RDF_BLOCK_SIZE] = {ENGINE_INTEGER_PARAM("block_size", "cuda-naive, cuda-shared: threads per block", "512", 32,
                                             1024),
                        .unit = "threads", .flags = ENGINE_PARAM_TUNING},
    [RDF_INDEX] = {ENGINE_TEXT_PARAM("index",
                                     "index file of GROMACS: the words of between are its groups, and not species; the "
                                     "groups must not have common particles",
                                     ""),
                   .flags = ENGINE_PARAM_PATH},
    [RDF_WITHIN] = {ENGINE_TEXT_PARAM(
        "within",
        "a distance and a species or group, such as 5 Na: only particles that are so near "
        "to one of them count, chosen in each frame; empty: all",
        "")},
};

static const struct engine_field fields[] = {
    [RDF_POSITION] = {ENGINE_PARTICLE_FIELD("position",
                                            "position of each particle; in a periodic box, that of any periodic image",
                                            ENGINE_INPUT, ENGINE_F32, 3),
                      .flags = ENGINE_FIELD_PERIODIC},
    [RDF_SPECIES] = {ENGINE_PARTICLE_FIELD("species", "species of each particle, for `between`", ENGINE_INPUT,
                                           ENGINE_I32, 1),
                     .flags = ENGINE_FIELD_OPTIONAL | ENGINE_FIELD_ABSENT},
    [RDF_R] = {ENGINE_BIN_FIELD("r", "distance at the middle of each bin", ENGINE_F64)},
    [RDF_G] = {ENGINE_BIN_FIELD(
        "g", "counts divided by those of an ideal gas; one row for each pair of species in `between`", ENGINE_F64)},
    [RDF_N] = {ENGINE_BIN_FIELD("n", "mean number of neighbours up to the outer edge of the bin", ENGINE_F64)},
    [RDF_COUNTS] = {ENGINE_BIN_FIELD("counts", "number of pairs in each bin, each pair once, summed over all frames",
                                     ENGINE_U64)},
    [RDF_FRAMES] = {ENGINE_BIN_FIELD("frames", "number of frames that are counted, one per step", ENGINE_U64)},
    [RDF_IDEAL] = {ENGINE_BIN_FIELD(
        "ideal",
        "number of pairs divided by the volume, for each row, summed over all frames; times the volume "
        "of a shell, it is the count of an ideal gas",
        ENGINE_F64)},
    [RDF_G_ERROR] = {ENGINE_BIN_FIELD("g_error", "standard error of g, from the blocks that are complete", ENGINE_F64)},
    [RDF_BLOCK_COUNTS] = {ENGINE_BIN_FIELD("block_counts",
                                           "the counts of each block of frames, one block after another", ENGINE_U64)},
    [RDF_BLOCK_IDEAL] = {ENGINE_BIN_FIELD("block_ideal", "the field ideal of each block of frames", ENGINE_F64)},
    [RDF_Q] = {ENGINE_BIN_FIELD("q", "wave number", ENGINE_F64)},
    [RDF_S] = {ENGINE_BIN_FIELD("s", "structure factor, from g", ENGINE_F64)},
    [RDF_CENTRES] = {ENGINE_BIN_FIELD(
        "centres",
        "number of central particles of each row, summed over all frames; n is the sum of "
        "counts divided by it",
        ENGINE_F64)},
    [RDF_SPATIAL] = {ENGINE_BIN_FIELD(
        "spatial", "spatial distribution: spatial_counts divided by those of an ideal gas; a cube from -r_max to r_max",
        ENGINE_F64)},
    [RDF_SPATIAL_COUNTS] = {ENGINE_BIN_FIELD(
        "spatial_counts",
        "number of pairs for each displacement from a particle of the first species "
        "to one of the second, summed over all frames",
        ENGINE_U64)},
};

static const struct engine_generator generators[] = {
    {ENGINE_GENERATOR("uniform", "ideal gas: independent uniform positions in the box, or in a cube with `density` "
                                 "particles per volume if there is no box")},
};

#ifdef ENGINE_WITH_CUDA
static int probe_cuda(const struct engine_host *host, const struct engine_plan *plan)
{
    struct rdf_plan read;
    const int status = rdf_plan_read(host, plan, &read);
    const char *missing = read.blocks ? "blocks" : read.q_bins ? "q_bins" : read.spatial_bins ? "spatial_bins" : NULL;
    if (status != 0 || !missing)
        return status;
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "it does not support %s; choose the implementation cpu", missing);
}
#endif

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu-serial", "one thread, every pair with a square root and a division: the reference", 1,
                      ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_IN_PLACE | ENGINE_SERIAL | ENGINE_TEAMWORK),
     .create = rdf_serial_create, .advance = rdf_serial_advance, .cost = rdf_pair_cost},
    {ENGINE_HOST_IMPL("cpu", "all threads, vector instructions; cells if r_max is short", 10,
                      ENGINE_EXACT | ENGINE_IN_PLACE | ENGINE_TEAMWORK),
     .probe = rdf_cpu_probe, .create = rdf_cpu_create, .advance = rdf_cpu_advance, .cost = rdf_cpu_cost},
    {
        ENGINE_CUDA_IMPL("cuda-naive", "one launch for each difference of particle numbers, counts in global memory",
                         12, ENGINE_EXACT | ENGINE_IN_PLACE),
#ifdef ENGINE_WITH_CUDA
        .probe = probe_cuda,
        .create = rdf_cuda_naive_create,
        .advance = rdf_cuda_advance,
        .settle = rdf_cuda_settle,
        .destroy = rdf_cuda_destroy,
        .cost = rdf_pair_cost,
#endif
    },
    {
        ENGINE_CUDA_IMPL("cuda-shared", "as cuda-naive, with one histogram per block in shared memory", 14,
                         ENGINE_EXACT | ENGINE_IN_PLACE),
#ifdef ENGINE_WITH_CUDA
        .probe = probe_cuda,
        .create = rdf_cuda_shared_create,
        .advance = rdf_cuda_advance,
        .settle = rdf_cuda_settle,
        .destroy = rdf_cuda_destroy,
        .cost = rdf_pair_cost,
#endif
    },
    {
        ENGINE_CUDA_IMPL("cuda", "one launch for all pairs that may be in range, no square root and no division", 20,
                         ENGINE_EXACT | ENGINE_IN_PLACE | ENGINE_TEAMWORK),
#ifdef ENGINE_WITH_CUDA
        .probe = probe_cuda,
        .create = rdf_cuda_create,
        .advance = rdf_cuda_advance,
        .settle = rdf_cuda_settle,
        .destroy = rdf_cuda_destroy,
        .cost = rdf_cuda_cost,
#endif
    },
};

/* Outputs that the configuration does not ask for have one element, 0. */
static int shape(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint64_t step,
                 struct engine_shape *shape)
{
    struct rdf_plan read;
    if (field < RDF_R)
        return 0;
    const int status = rdf_read_between(host, plan, engine_param_text(plan, RDF_BETWEEN), &read);
    const uint64_t bins = (uint64_t) engine_param_integer(plan, RDF_BINS), rows = read.row_count,
                   blocks = (uint64_t) engine_param_integer(plan, RDF_BLOCKS),
                   q_bins = (uint64_t) engine_param_integer(plan, RDF_Q_BINS),
                   spatial = (uint64_t) engine_param_integer(plan, RDF_SPATIAL_BINS), edge = spatial ? spatial : 1;
    const uint64_t extents[][3] = {
        [RDF_R] = {bins, 1, 1},
        [RDF_G] = {bins, rows, 1},
        [RDF_N] = {bins, rows, 1},
        [RDF_COUNTS] = {bins, rows, 1},
        [RDF_FRAMES] = {1, 1, 1},
        [RDF_IDEAL] = {rows, 1, 1},
        [RDF_G_ERROR] = {blocks ? bins : 1, blocks ? rows : 1, 1},
        [RDF_BLOCK_COUNTS] = {blocks ? blocks * rows * bins : 1, 1, 1}, /* one axis: no columns of the table of g */
        [RDF_BLOCK_IDEAL] = {blocks ? blocks * rows : 1, 1, 1},
        [RDF_Q] = {q_bins ? q_bins : 1, 1, 1},
        [RDF_S] = {q_bins ? q_bins : 1, q_bins ? rows : 1, 1},
        [RDF_CENTRES] = {rows, 1, 1},
        [RDF_SPATIAL] = {edge, edge, edge},
        [RDF_SPATIAL_COUNTS] = {edge, edge, edge},
    };
    (void) step;
    if (status != 0)
        return status;
    for (uint32_t axis = 0; axis < 3; axis++) {
        shape->extent[axis] = extents[field][axis];
        if (shape->extent[axis] > 1)
            shape->rank = axis + 1;
    }
    return 0;
}

/* Older versions took digits for numbers, even if a species is called so. The note keeps their runs apart. */
static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    struct rdf_plan read;
    struct rdf_pairs excluded;
    int status = rdf_plan_read(host, plan, &read);
    if (status == 0 && (status = rdf_read_exclusions(host, &read, &excluded)) == 0)
        free(excluded.at);
    if (status == 0)
        status = rdf_check_index(host, &read);
    if (status == 0 && read.digits)
        host->note(host, "digits", "%s", "names");
    return status;
}

static int is_asked(const struct engine_plan *plan, uint32_t field)
{
    const int64_t blocks = engine_param_integer(plan, RDF_BLOCKS), q_bins = engine_param_integer(plan, RDF_Q_BINS);
    const int64_t spatial = engine_param_integer(plan, RDF_SPATIAL_BINS);
    const int64_t needs[] = {
        [RDF_G_ERROR] = blocks, [RDF_BLOCK_COUNTS] = blocks, [RDF_BLOCK_IDEAL] = blocks, [RDF_Q] = q_bins,
        [RDF_S] = q_bins,       [RDF_CENTRES] = 1,           [RDF_SPATIAL] = spatial,    [RDF_SPATIAL_COUNTS] = spatial,
    };
    return field < RDF_G_ERROR || needs[field] > 0;
}

/* A plot shows g and the structure factor alone, beside what an ideal gas would have. */
static void plot(const struct engine_plan *plan, uint32_t field, struct engine_plot *plot)
{
    (void) plan;
    plot->lengths = field == RDF_R ? 1 : field == RDF_Q ? -1 : 0;
    plot->hidden = field == RDF_N || field == RDF_COUNTS;
    plot->marked = field == RDF_G || field == RDF_S;
    plot->mark = 1;
    plot->counts = field == RDF_G ? "counts" : NULL;
}

static const void *extension(const char *name, uint32_t version)
{
    static const struct engine_outputs outputs = {
        .size = sizeof outputs, .is_asked = is_asked, .name_row = rdf_name_row};
    static const struct engine_plots plots = {.size = sizeof plots, .plot = plot};
    if (version != 1)
        return NULL;
    return strcmp(name, ENGINE_OUTPUTS) == 0 ? (const void *) &outputs
           : strcmp(name, ENGINE_PLOTS) == 0 ? (const void *) &plots
                                             : NULL;
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
    .extension = extension,
};
