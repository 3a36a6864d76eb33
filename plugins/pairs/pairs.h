/* What the implementations of pairs share: the fields, the parameters, the potentials and a step.
 *
 * Particles in a periodic box; each acts on all within the cutoff of their two species:
 *
 *     f_i = sum over j of  F(r) / r (x_i - x_j),  F = -dU/dr,  r = |x_i - x_j|, the nearest image, if r < cutoff
 *
 * In two dimensions, z of all positions and velocities is 0, so that nothing else need know of them but sums over axes.
 *
 * Positions, velocities and the steps are in double precision. The reference computes forces in double too. `cpu`
 * computes the force of a pair in float, rounds it to a multiple of a fixed unit, and adds integers, and `cuda`
 * computes the same bits. The sum depends on the state alone, neither on the order of the particles nor on when their
 * lists of neighbours were made. So an instance may make lists when it likes, and k calls of one step give the bits of
 * one call of k steps. */
#ifndef PAIRS_PAIRS_H
#define PAIRS_PAIRS_H

#define ENGINE_MINOR 16 /* for engine_universe_plan */
#include <engine/batch.h>
#include <engine/bench.h>
#include <engine/files.h>
#include <engine/parts.h>

/* The fields, in the order of the plugin's table: three numbers a particle, three, one, one, three. */
enum { PAIRS_POSITION, PAIRS_VELOCITY, PAIRS_MASS, PAIRS_SPECIES, PAIRS_FORCE };

/* The parameters, in the order of the plugin's table. */
enum {
    PAIRS_POTENTIAL,
    PAIRS_SPECIES_COUNT,
    PAIRS_EPSILON,
    PAIRS_SIGMA,
    PAIRS_CUTOFF,
    PAIRS_SHIFT,
    PAIRS_TAIL,
    PAIRS_KAPPA,
    PAIRS_TABLE,
    PAIRS_DT,
    PAIRS_INTEGRATOR,
    PAIRS_TEMPERATURE,
    PAIRS_FRICTION,
    PAIRS_DENSITY,
    PAIRS_DIMENSIONS,
    PAIRS_CHAIN,
    PAIRS_BONDS,
    PAIRS_BOND_STRENGTH,
    PAIRS_BOND_LENGTH,
    PAIRS_COMPOSITION,
    PAIRS_DISPLACEMENT,
    PAIRS_SKIN,
    PAIRS_INSTRUCTIONS
};

/* Choices of potential and integrator. */
enum { PAIRS_LJ, PAIRS_WCA, PAIRS_YUKAWA, PAIRS_FROM_TABLE };
enum { PAIRS_VERLET, PAIRS_LANGEVIN };

/* What `shift` says: the words of a flag, or auto. */
enum { PAIRS_SHIFT_NO, PAIRS_SHIFT_YES, PAIRS_SHIFT_AUTO, PAIRS_SHIFT_UNKNOWN };

enum { PAIRS_FCC, PAIRS_HEX, PAIRS_CHAINS, PAIRS_RANDOM };

/* The metrics, in the order of the plugin's table. */
enum {
    PAIRS_KINETIC,
    PAIRS_POTENTIAL_ENERGY,
    PAIRS_ENERGY,
    PAIRS_TEMPERATURE_NOW,
    PAIRS_PRESSURE,
    PAIRS_VIRIAL,
    PAIRS_METRICS
};

enum {
    PAIRS_SPECIES_MAX = 8,
    PAIRS_TYPES = PAIRS_SPECIES_MAX * PAIRS_SPECIES_MAX,
    PAIRS_ROWS_MAX = 65536,  /* of a table */
    PAIRS_BONDS_MAX = 16,    /* of a particle */
    PAIRS_SERIAL_MAX = 65536 /* particles that the reference takes */
};

/* A table's row: distance, energy, and force -dU/dr. */
struct pairs_row {
    double r, u, f;
};

/* Particles other[first[i]] … other[first[i + 1] - 1] are bonded to particle i, in ascending order. The numbers are those
 * of the fields. Without bonds, both are NULL. */
struct pairs_bonds {
    const uint32_t *first, *other;
};

/* The plan, read once. Arrays of types have the entry a * PAIRS_SPECIES_MAX + b for species a and b, and are symmetric.
 * */
struct pairs_plan {
    uint64_t count; /* of particles */
    double box[3];  /* in two dimensions, box[2] is some length, and z is 0 */
    double tilt[3]; /* xy, xz, yz: see cell.h */
    int skewed;
    double height[3]; /* distances of opposite faces of the box */
    double volume;    /* an area in two dimensions */
    uint32_t axes;    /* dimensions */
    uint32_t potential, integrator, species;
    int shift, tail;
    double epsilon[PAIRS_TYPES], sigma[PAIRS_TYPES], cutoff[PAIRS_TYPES], kappa;
    double offset[PAIRS_TYPES]; /* subtracted from the energy */
    double reach;               /* the largest cutoff */
    double dt, temperature, friction;
    uint64_t chain;         /* particles of a chain; 0: there are no chains */
    const char *bonds_file; /* the path; empty: there is none */
    int bonded;             /* there are bonds */
    double bond_strength, bond_length;
    struct pairs_bonds bonds; /* pairs_bonds_load */
    uint64_t seed;
    char system[48];              /* names the system of a batch in messages */
    uint32_t row_count;           /* of the table, for epsilon = sigma = 1 */
    const struct pairs_row *rows; /* pairs_rows_read, or NULL */
};

#define PAIRS_DENSITY_USUAL 0.8442 /* of particles that a generator makes */

/* Energy, and force divided by the distance. */
struct pairs_term {
    double energy, force;
};

#ifdef __cplusplus
extern "C" {
#endif

/* ---- potential.c ------------------------------------------------------------------------------------------------- */

/* Reads the plan's parameters; `rows` may be NULL where there is no table. ENGINE_INVALID with the reason. */
int pairs_plan_read(const struct engine_host *host, const struct engine_plan *plan, struct pairs_plan *out);

/* Chooses a cube for the particles, if there is no box: engine_chosen_box.box. */
int pairs_choose_box(const struct engine_host *host, const struct engine_plan *plan, uint64_t count, uint32_t from_file,
                     double box[6]);

/* Reads the text of `shift`: PAIRS_SHIFT_NO …. */
int pairs_shift(const char *text);

/* Reads the numbers of a text into `numbers`, at most `most`. Returns their count, or -1 if it is not a list of finite
 * numbers. */
int pairs_numbers(const char *text, double *numbers, int most);

/* Reads a table: a row in each line, r U F, distances ascending; '#' begins a comment. Writes at most `most` rows, the
 * first ones and the last one, and sets the number and the checksum of all rows. ENGINE_INVALID with the reason. */
int pairs_rows_read(const struct engine_host *host, const char *path, struct pairs_row *rows, uint32_t most,
                    uint32_t *count, uint64_t *checksum);

/* FNV-1a of the numbers of a file: the checksum of no numbers, and a checksum with one more number. */
#define PAIRS_NO_NUMBERS UINT64_C(14695981039346656037)

static inline uint64_t pairs_with_number(uint64_t checksum, uint64_t number)
{
    return (checksum ^ number) * UINT64_C(1099511628211);
}

/* Reads the table and the bonds into scratch memory, if the plan has them, and sets the offsets. For create. */
int pairs_plan_load(const struct engine_host *host, const struct engine_plan *plan, struct pairs_plan *out);

/* The same for another system of a batch, without bonds and with the table of `other`. */
int pairs_plan_load_as(const struct engine_host *host, const struct engine_plan *plan, const struct pairs_plan *other,
                       struct pairs_plan *out);

/* The term of a pair of type `type` at the squared distance, in double precision; 0 from the cutoff on and at 0. */
struct pairs_term pairs_term_at(const struct pairs_plan *plan, uint32_t type, double square);

ENGINE_INLINE uint32_t pairs_type(uint32_t a, uint32_t b)
{
    return a * PAIRS_SPECIES_MAX + b;
}

/* ---- tail.c ------------------------------------------------------------------------------------------------------ */

/* Refuses a tail that the potential or the parameter `shift`, PAIRS_SHIFT_NO …, does not have. */
int pairs_check_tail(const struct engine_host *host, const struct pairs_plan *plan, int shift);

/* The correction of the energy, and in `force` that of the sum of F r, for so many particles of each species. 0 if the
 * plan has no tail. */
struct pairs_term pairs_tail(const struct pairs_plan *plan, const uint64_t counts[PAIRS_SPECIES_MAX]);

/* ---- generate.c -------------------------------------------------------------------------------------------------- */

int pairs_generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                   uint64_t begin, uint64_t count, void *out);

/* ---- velocities.c ------------------------------------------------------------------------------------------------ */

/* Writes elements [begin, begin + count) of the generators' velocities. */
void pairs_velocities(const struct engine_host *host, const struct pairs_plan *plan, uint64_t begin, uint64_t count,
                      double *out);

/* ---- solver.c: particles and their steps ------------------------------------------------------------------------- */

/* The particles of an instance, in an order of its own. */
struct pairs_particles {
    double *x[3], *v[3], *force[3], *mass;
    uint32_t *species, *id; /* id: the number of the particle in the fields */
};

/* The first member of an instance. */
struct pairs_solver {
    struct pairs_plan plan;
    const struct engine_host *host;
    struct pairs_particles now;
    int serial; /* one thread */

    /* Sets `force`, for the positions in `now`, whose order it may change. `fresh`: these are not the particles of the
     * call before. The parts of a divided run compute the forces on a share of the particles each, and gather the
     * others'. Returns 0 or what the service `team` returns. */
    int (*forces)(struct pairs_solver *solver, const struct engine_call *call, int fresh);

    /* Adds the energy of all pairs, and to `force` the sum of F r over them. Returns as `forces`. */
    int (*sums)(struct pairs_solver *solver, const struct engine_call *call, struct pairs_term *sum);
    uint64_t *lost;  /* for the steps */
    uint32_t *where; /* the place of each particle in `now`, by its number in the fields */
    int loaded;      /* `now` holds the state of the buffers */
};

/* Allocates the particles. ENGINE_NO_MEMORY. */
int pairs_solver_make(const struct engine_call *call, const struct pairs_plan *plan, struct pairs_solver *solver);

/* Gathers the forces that the parts of a divided run computed, of which each has a share of the units of `unit`
 * particles. Returns what the service `team` returns. */
int pairs_gather_forces(const struct pairs_solver *solver, const struct engine_call *call, uint64_t unit);

/* Refuses a particle with numbers that are not finite, without mass, or of an unknown species. */
int pairs_check_particle(const struct engine_host *host, const struct pairs_plan *plan, uint64_t particle,
                         const double x[3], const double v[3], double mass, int32_t species);

/* Reports that a particle would cross half the box in a step. Returns a negative code. */
int pairs_crossed(const struct engine_host *host, const struct pairs_plan *plan, uint64_t step, uint64_t particle);

/* Sets all metrics from the sums over pairs. `counts`: particles of each species. */
void pairs_set_metrics(const struct pairs_plan *plan, const uint64_t counts[PAIRS_SPECIES_MAX], double kinetic,
                       struct pairs_term sums, double *values);

int pairs_advance(void *self, struct engine_call *call);
int pairs_measure(void *self, const struct engine_call *call, double *values);

/* ---- bonds.c ----------------------------------------------------------------------------------------------------- */

/* Reads the file of bonds, if there is one, and notes its checksum. ENGINE_INVALID with the reason. For check. */
int pairs_bonds_check(const struct engine_host *host, const struct pairs_plan *plan);

/* Makes the bonds in scratch memory. */
int pairs_bonds_load(const struct engine_host *host, struct pairs_plan *plan);

/* Sets the places in `now` of the particles that are bonded to particle i of `now`. Returns their number. */
int pairs_partners(const struct pairs_solver *solver, uint64_t i, uint32_t partners[PAIRS_BONDS_MAX]);

/* Sets d to the vector from particle j of `now` to particle i. Returns the square of its length. */
double pairs_apart(const struct pairs_solver *solver, uint64_t i, uint64_t j, double d[3]);

/* Reports that a bond is too long. Returns a negative code. */
int pairs_torn(const struct engine_host *host, const struct pairs_plan *plan, uint64_t step, uint64_t particle);

/* ---- cpu_serial.c, cpu.c ----------------------------------------------------------------------------------------- */

int pairs_serial_probe(const struct engine_host *host, const struct engine_plan *plan);
int pairs_serial_create(const struct engine_call *call, void **self);
int pairs_cpu_probe(const struct engine_host *host, const struct engine_plan *plan);
int pairs_cpu_create(const struct engine_call *call, void **self);

/* ---- cuda.cu ----------------------------------------------------------------------------------------------------- */

int pairs_cuda_probe(const struct engine_host *host, const struct engine_plan *plan);
int pairs_cuda_create(const struct engine_call *call, void **self);
int pairs_cuda_advance(void *self, struct engine_call *call);
int pairs_cuda_measure(void *self, const struct engine_call *call, double *values);

#ifdef __cplusplus
}
#endif

#endif
