/* pairs: particles with short-range forces in a periodic box, as in molecular dynamics. */
#include "pairs.h"

#include <common/isa_choice.h>
#include <math.h>
#include <string.h>

static const char *const potentials[] = {"lj", "wca", "yukawa", "table", NULL}; /* in the order of PAIRS_LJ … */
static const char *const integrators[] = {"verlet", "langevin", NULL};

#define LARGEST 1e9

static int check_shift(const struct engine_host *host, const struct engine_value *value)
{
    return pairs_shift(value->text) != PAIRS_SHIFT_UNKNOWN
               ? 0
               : ENGINE_FAIL(host, ENGINE_INVALID, "expected auto, yes or no (true, false, on, off, 1, 0)");
}

static const struct engine_param params[] = {
    [PAIRS_POTENTIAL] = {ENGINE_CHOICE_PARAM("potential",
                                             "lj: Lennard-Jones; wca: Lennard-Jones up to its minimum; yukawa: "
                                             "epsilon sigma / r exp(-kappa r); table: from a file",
                                             "lj", potentials)},
    [PAIRS_SPECIES_COUNT] = {ENGINE_INTEGER_PARAM("species", "number of species", "1", 1, PAIRS_SPECIES_MAX)},
    [PAIRS_EPSILON] = {ENGINE_TEXT_PARAM("epsilon",
                                         "strength: one number; one for each species, mixed as sqrt(a b); or one for "
                                         "each pair of species 0 0, 0 1, …, 1 1, …",
                                         "1"),
                       .unit = "energy", .flags = ENGINE_PARAM_BY_UNIVERSE},
    [PAIRS_SIGMA] = {ENGINE_TEXT_PARAM("sigma", "diameter: as epsilon, but mixed as (a + b) / 2", "1"),
                     .unit = "length", .flags = ENGINE_PARAM_BY_UNIVERSE},
    [PAIRS_CUTOFF] = {ENGINE_TEXT_PARAM("cutoff",
                                        "distance from which on there is no force: as sigma; not for wca; auto: 2.5, "
                                        "and for a table its last row",
                                        "auto"),
                      .unit = "length", .flags = ENGINE_PARAM_BY_UNIVERSE},
    [PAIRS_SHIFT] = {ENGINE_TEXT_PARAM(
                         "shift",
                         "yes: shift the energy of a pair so that it is 0 at the cutoff; no; auto: yes, but "
                         "not with a tail, and not for a table up to its last row",
                         "auto"),
                     .check = check_shift},
    [PAIRS_TAIL] = {ENGINE_FLAG_PARAM("tail",
                                      "lj, yukawa: correct energy and pressure for the pairs beyond the cutoff, as if "
                                      "the density there were the mean one; needs energies without a shift",
                                      "no")},
    [PAIRS_KAPPA] = {ENGINE_REAL_PARAM("kappa", "yukawa: inverse screening length", "1", 0, LARGEST),
                     .unit = "length^-1", .flags = ENGINE_PARAM_BY_UNIVERSE},
    [PAIRS_TABLE] = {ENGINE_TEXT_PARAM("table",
                                       "table: file with a row r U F in each line, in units of sigma and epsilon", ""),
                     .flags = ENGINE_PARAM_PATH},
    [PAIRS_DT] = {ENGINE_REAL_PARAM("dt", "time step", "0.005", 0, LARGEST), .unit = "time",
                  .flags = ENGINE_PARAM_BY_UNIVERSE},
    [PAIRS_INTEGRATOR] = {ENGINE_CHOICE_PARAM("integrator",
                                              "verlet: velocity Verlet, constant energy; langevin: friction and random "
                                              "kicks, constant temperature (BAOAB)",
                                              "verlet", integrators)},
    [PAIRS_TEMPERATURE] = {ENGINE_REAL_PARAM("temperature", "of the generators' velocities, and of langevin", "1", 0,
                                             LARGEST),
                           .unit = "energy", .flags = ENGINE_PARAM_BY_UNIVERSE},
    [PAIRS_FRICTION] = {ENGINE_REAL_PARAM("friction", "langevin: rate at which velocities decay", "1", 0, LARGEST),
                        .unit = "time^-1", .flags = ENGINE_PARAM_BY_UNIVERSE},
    [PAIRS_DENSITY] = {ENGINE_REAL_PARAM(
                           "density",
                           "particles per volume or area, if there is no box: the box is a cube or square of this "
                           "density, or of two cutoffs if that is larger; 0: particles from a file need "
                           "a box, and others have the density 0.8442",
                           "0", 0, LARGEST),
                       .unit = "length^-3", .flags = ENGINE_PARAM_BY_UNIVERSE},
    [PAIRS_DIMENSIONS] = {ENGINE_INTEGER_PARAM(
        "dimensions", "2: particles move in a plane; z of all positions and velocities is 0", "3", 2, 3)},
    [PAIRS_CHAIN] = {ENGINE_INTEGER_PARAM("chain",
                                          "particles of a chain: each one is bonded to the next one of its chain, and "
                                          "has no other force on it; 0: there are no bonds",
                                          "0", 0, UINT32_MAX)},
    [PAIRS_BONDS] = {ENGINE_TEXT_PARAM(
                         "bonds",
                         "file with the numbers of two bonded particles in each line, from 0 on; as chain "
                         "for molecules of any form",
                         ""),
                     .flags = ENGINE_PARAM_PATH},
    [PAIRS_BOND_STRENGTH] = {ENGINE_REAL_PARAM("bond_strength", "k of the bonds (FENE)", "30", 0, LARGEST),
                             .unit = "energy length^-2", .flags = ENGINE_PARAM_BY_UNIVERSE},
    [PAIRS_BOND_LENGTH] = {ENGINE_REAL_PARAM("bond_length", "the length that no bond reaches", "1.5", 1e-9, LARGEST),
                           .unit = "length", .flags = ENGINE_PARAM_BY_UNIVERSE},
    [PAIRS_COMPOSITION] = {ENGINE_TEXT_PARAM("composition",
                                             "generators: particles of each species in turn; 4 1: four of species 0, "
                                             "then one of species 1, and so on",
                                             "1"),
                           .flags = ENGINE_PARAM_BY_UNIVERSE},
    [PAIRS_DISPLACEMENT] = {ENGINE_REAL_PARAM(
                                "displacement",
                                "generator fcc: each coordinate is random within so many lattice constants "
                                "of its site",
                                "0.02", 0, 0.25),
                            .flags = ENGINE_PARAM_BY_UNIVERSE},
    [PAIRS_SKIN] = {ENGINE_REAL_PARAM("skin",
                                      "lists of neighbours reach so far beyond the cutoff; with a longer skin they "
                                      "are made less often, and are longer",
                                      "0.4", 1e-6, LARGEST),
                    .unit = "length", .flags = ENGINE_PARAM_TUNING},
    [PAIRS_INSTRUCTIONS] = ISA_INSTRUCTIONS_PARAM(ENGINE_PARAM_TUNING),
};

static const struct engine_field fields[] = {
    [PAIRS_POSITION] = {ENGINE_PARTICLE_FIELD("position", "position of each particle, in the box after the first step",
                                              ENGINE_STATE, ENGINE_F64, 3)},
    [PAIRS_VELOCITY] = {ENGINE_PARTICLE_FIELD("velocity", "velocity of each particle", ENGINE_STATE, ENGINE_F64, 3)},
    [PAIRS_MASS] = {ENGINE_PARTICLE_FIELD("mass", "mass of each particle", ENGINE_INPUT, ENGINE_F64, 1), .initial = 1},
    [PAIRS_SPECIES] = {ENGINE_PARTICLE_FIELD("species", "species of each particle, from 0 on", ENGINE_INPUT, ENGINE_I32,
                                             1)},
    [PAIRS_FORCE] = {ENGINE_PARTICLE_FIELD("force",
                                           "force of the other particles on each one, at the positions after the last "
                                           "step; 0 before the first step",
                                           ENGINE_OUTPUT, ENGINE_F64, 3)},
};

static const struct engine_metric metrics[] = {
    [PAIRS_KINETIC] = {ENGINE_METRIC("kinetic", NULL, "kinetic energy")},
    [PAIRS_POTENTIAL_ENERGY] = {ENGINE_METRIC("potential", NULL, "potential energy of all pairs")},
    [PAIRS_ENERGY] = {ENGINE_METRIC("energy", NULL, "kinetic + potential")},
    [PAIRS_TEMPERATURE_NOW] = {ENGINE_METRIC(
        "temperature", NULL,
        "2 kinetic / degrees of freedom: 3 N - 3 with verlet, 3 N with langevin; in two "
        "dimensions 2 N - 2 and 2 N")},
    [PAIRS_PRESSURE] = {ENGINE_METRIC(
        "pressure", NULL,
        "(2 kinetic + virial) / (3 volume), or / (2 area); corrected for the cutoff if there is "
        "a tail")},
    [PAIRS_VIRIAL] = {ENGINE_METRIC("virial", NULL,
                                    "sum of force times distance over the pairs; corrected as pressure")},
};

static const struct engine_generator generators[] = {
    [PAIRS_FCC] = {ENGINE_GENERATOR("fcc", "on a face-centred cubic lattice, with velocities of the temperature"),
                   .flags = ENGINE_GENERATOR_CONFORM},
    [PAIRS_HEX] = {ENGINE_GENERATOR("hex", "two dimensions: on a hexagonal lattice, as fcc")},
    [PAIRS_CHAINS] = {ENGINE_GENERATOR("chains", "chain: on a path through a cubic or square lattice, as fcc")},
    [PAIRS_RANDOM] = {ENGINE_GENERATOR(
        "random-gas", "uniform in the box, with velocities of the temperature; particles may overlap")},
};

/* Trajectories diverge exponentially, so the tolerance is for one step. Forces are multiples of a fixed unit, so it is
 * met where the largest force is 0.05 epsilon / sigma at least. */
#define TOLERANCE 1e-4

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu-serial", "one thread, all pairs, forces in double precision: the reference", 1,
                      ENGINE_REFERENCE | ENGINE_IN_PLACE | ENGINE_SERIAL | ENGINE_SEEDED | ENGINE_TEAMWORK),
     .tolerance = TOLERANCE, .probe = pairs_serial_probe, .create = pairs_serial_create, .advance = pairs_advance,
     .measure = pairs_measure},
    {ENGINE_HOST_IMPL("cpu", "all threads, vector instructions, lists of neighbours", 10,
                      ENGINE_IN_PLACE | ENGINE_SEEDED | ENGINE_TEAMWORK),
     .tolerance = TOLERANCE, .probe = pairs_cpu_probe, .create = pairs_cpu_create, .advance = pairs_advance,
     .measure = pairs_measure},
    {
        ENGINE_CUDA_IMPL("cuda", "lists of neighbours, each shared by two lanes", 20,
                         ENGINE_IN_PLACE | ENGINE_SEEDED | ENGINE_TEAMWORK | ENGINE_BATCH),
        .tolerance = TOLERANCE,
#ifdef ENGINE_WITH_CUDA
        .probe = pairs_cuda_probe,
        .create = pairs_cuda_create,
        .advance = pairs_cuda_advance,
        .measure = pairs_cuda_measure,
#endif
    },
};

static int check_composition(const struct engine_host *host, const struct engine_plan *plan)
{
    const char *text = engine_param_text(plan, PAIRS_COMPOSITION);
    double numbers[PAIRS_SPECIES_MAX], sum = 0;
    const int count = pairs_numbers(text, numbers, PAIRS_SPECIES_MAX);
    int whole = count >= 1 && count <= engine_param_integer(plan, PAIRS_SPECIES_COUNT);
    for (int i = 0; i < count; i++) {
        whole = whole && numbers[i] >= 0 && numbers[i] <= 1e6 && numbers[i] == floor(numbers[i]);
        sum += numbers[i];
    }
    if (whole && sum > 0)
        return 0;
    return ENGINE_FAIL(host, ENGINE_INVALID, "composition = %s: expected a whole number for each species, at most %lld",
                       text, (long long) engine_param_integer(plan, PAIRS_SPECIES_COUNT));
}

/* Says that the box is not the cube of the density: a box is given, or the cube would be too small for the cutoff. */
static void warn_density(const struct engine_host *host, const struct engine_plan *plan, const struct pairs_plan *read)
{
    const double *box = read->box, density = engine_param_real(plan, PAIRS_DENSITY), least = 2 * read->reach;
    const double have = (double) read->count / read->volume;
    const int smallest = box[0] == least && box[1] == least && (read->axes == 2 || box[2] == least) && have < density;
    if (density > 0 && fabs(have / density - 1) > 1e-6)
        host->message(host, ENGINE_LOG_WARNING,
                      "density = %g: the %llu particles have the density %g, because the box %s", density,
                      (unsigned long long) read->count, have,
                      smallest ? "is the smallest one, a cube of two cutoffs; take more particles or a shorter cutoff"
                               : "is given; leave out density");
}

static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    struct pairs_plan read;
    struct pairs_row row;
    uint32_t count;
    uint64_t checksum;
    const char *table = engine_param_text(plan, PAIRS_TABLE);
    int status = pairs_plan_read(host, plan, &read);
    if (status == 0)
        status = check_composition(host, plan);
    if (status == 0)
        status = pairs_bonds_check(host, &read);
    if (status == 0)
        warn_density(host, plan, &read);
    if (status == 0 && (read.potential == PAIRS_FROM_TABLE) != (*table != '\0'))
        return ENGINE_FAIL(host, ENGINE_INVALID,
                           *table ? "table = %s needs potential = table, but it is %s%s"
                                  : "potential = table needs the name of a file in table%s%s",
                           table, *table ? potentials[read.potential] : "", "");
    if (status != 0 || !*table)
        return status;
    status = pairs_rows_read(host, table, &row, 1, &count, &checksum);
    if (status == 0)
        host->note(host, "checksum of the table", "%016llx", (unsigned long long) checksum);
    for (uint32_t type = 0; type < PAIRS_TYPES && status == 0; type++)
        if (read.cutoff[type] > row.r * read.sigma[type] * (1 + 1e-9)) {
            host->message(host, ENGINE_LOG_WARNING,
                          "cutoff = %s: the table ends at the distance %g, from which on there is no force",
                          engine_param_text(plan, PAIRS_CUTOFF), row.r * read.sigma[type]);
            break;
        }
    return status;
}

static const void *extension(const char *name, uint32_t version)
{
    static const struct engine_chosen_box box = {.size = sizeof box, .box = pairs_choose_box};
    return version == 1 && strcmp(name, ENGINE_BOX) == 0 ? &box : NULL;
}

/* The pairs within the cutoff, counted from both sides, if the density is the same everywhere. */
static int work(const struct engine_host *host, const struct engine_plan *plan, struct engine_work *work)
{
    struct pairs_plan p;
    const int status = pairs_plan_read(host, plan, &p);
    const double near = (p.axes == 3 ? 4.18879020478639 * p.reach : 3.14159265358979) * p.reach * p.reach;
    work->unit = "interactions";
    work->per_step = (double) p.count * (1 + near * (double) p.count / p.volume);
    return status;
}

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("pairs", "0.1.0", "particles with short-range forces in a periodic box: Lennard-Jones and others"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .generators = ENGINE_ARRAY(generators),
    .impls = ENGINE_ARRAY(impls),
    .check = check,
    .work = work,
    .generate = pairs_generate,
    .extension = extension,
};
