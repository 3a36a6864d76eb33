/* Generators. Positions are on a lattice that fills the box, or random. Velocities are those of
 * velocities.c. Every particle has random words of its own. */
#include "cell.h"
#include "normal.h"

#include <math.h>

/* Streams 0, 1, … are those of [init] source = random, velocities.c uses those from 1001 on, and langevin those from
 * 2^32 on. */
enum { POSITIONS = 1000 };

/* ---- Positions --------------------------------------------------------------------------------------------------- */

/* Sites of a cell, the edges of the cell in units of the shortest one, and the volume of the cell in these units. */
struct lattice {
    uint64_t sites;
    double edge[3], volume, at[4][3];
};

static const struct lattice lattices[] = {
    [PAIRS_FCC] = {4, {1, 1, 1}, 1, {{0.25, 0.25, 0.25}, {0.75, 0.75, 0.25}, {0.75, 0.25, 0.75}, {0.25, 0.75, 0.75}}},
    [PAIRS_CHAINS] = {1, {1, 1, 1}, 1, {{0.5, 0.5, 0.5}}},
    [PAIRS_HEX] = {2, {1, 1.7320508075688772, 1}, 1.7320508075688772, {{0.25, 0.25, 0}, {0.75, 0.75, 0}}},
};

/* The fewest cells that hold all particles, almost of the shape that the lattice asks for. */
static void lattice_cells(const struct pairs_plan *plan, const struct lattice *lattice, uint64_t cells[3])
{
    const double volume = (double) lattice->sites * plan->volume / lattice->volume / (double) plan->count;
    const double edge = plan->axes == 3 ? cbrt(volume) : sqrt(volume);
    for (uint32_t c = 0; c < 3; c++) {
        cells[c] = c < plan->axes ? (uint64_t) (plan->box[c] / lattice->edge[c] / edge * (1 - 1e-6)) : 1;
        cells[c] = cells[c] ? cells[c] : 1;
    }
    while (lattice->sites * cells[0] * cells[1] * cells[2] < plan->count) {
        uint32_t longest = 0;
        double most = 0;
        for (uint32_t c = 0; c < plan->axes; c++) {
            const double length = plan->box[c] / lattice->edge[c] / (double) cells[c];
            if (length > most * (1 + 1e-9)) {
                most = length;
                longest = c;
            }
        }
        cells[longest]++;
    }
}

/* Makes the cells a path: every other row and plane is gone through backwards. */
static void turn(const uint64_t cells[3], uint64_t at[3])
{
    const uint64_t row = at[2] * cells[1] + at[1];
    at[0] = row % 2 ? cells[0] - 1 - at[0] : at[0];
    at[1] = at[2] % 2 ? cells[1] - 1 - at[1] : at[1];
}

/* Particles are spread over the sites, so that vacancies are. Those of chains follow each other without a gap. */
static double place_on_lattice(const struct pairs_plan *plan, const struct lattice *lattice, const uint64_t cells[3],
                               uint64_t particle, uint64_t c, double away)
{
    const uint64_t all = lattice->sites * cells[0] * cells[1] * cells[2];
    const uint64_t vacant = all - plan->count, gap = particle * vacant / plan->count;
    const uint64_t site = particle + (lattice == lattices + PAIRS_CHAINS ? 0 : gap);
    const uint64_t cell = site / lattice->sites;
    uint64_t at[3] = {cell % cells[0], cell / cells[0] % cells[1], cell / cells[0] / cells[1]};
    if (lattice == lattices + PAIRS_CHAINS)
        turn(cells, at);
    return plan->box[c] * ((double) at[c] + lattice->at[site % lattice->sites][c] + away) / (double) cells[c];
}

/* ---- The generator ----------------------------------------------------------------------------------------------- */

static double species_of(const struct engine_plan *plan, uint64_t particle)
{
    double numbers[PAIRS_SPECIES_MAX] = {1};
    const int count = pairs_numbers(engine_param_text(plan, PAIRS_COMPOSITION), numbers, PAIRS_SPECIES_MAX);
    uint64_t period = 0;
    for (int i = 0; i < count; i++)
        period += (uint64_t) numbers[i];
    uint64_t rest = particle % period;
    for (int i = 0; i < count; i++) {
        if (rest < (uint64_t) numbers[i])
            return i;
        rest -= (uint64_t) numbers[i];
    }
    return 0;
}

/* What the positions of a generator depend on. */
struct places {
    const struct pairs_plan *plan;
    const struct lattice *lattice; /* NULL: random */
    uint64_t cells[3];
    double displacement;
};

/* Coordinate c, as if the box were not skewed. */
static double place_of(const struct engine_host *host, const struct places *places, uint64_t particle, uint64_t c)
{
    const struct pairs_plan *plan = places->plan;
    uint32_t words[2];
    if (c >= plan->axes)
        return 0;
    host->random(host, plan->seed, POSITIONS, 6 * particle + 2 * c, 2, words);
    const double u = pairs_uniform(words), away = places->displacement * (2 * u - 1);
    return places->lattice ? place_on_lattice(plan, places->lattice, places->cells, particle, c, away)
                           : plan->box[c] * u;
}

static double place_in_cell(const struct engine_host *host, const struct places *places, uint64_t particle, uint64_t c)
{
    double s[3], x[3];
    if (!places->plan->skewed)
        return place_of(host, places, particle, c);
    for (uint64_t k = 0; k < 3; k++)
        s[k] = place_of(host, places, particle, k) / places->plan->box[k];
    pairs_from_fractions(places->plan, s, x);
    return x[c];
}

int pairs_generate(const struct engine_host *host, const struct engine_plan *engine, uint32_t generator, uint32_t field,
                   uint64_t begin, uint64_t count, void *out)
{
    struct pairs_plan plan;
    struct places places = {&plan,
                            generator == PAIRS_RANDOM ? NULL : lattices + generator,
                            {0, 0, 0},
                            engine_param_real(engine, PAIRS_DISPLACEMENT)};
    const int status = pairs_plan_read(host, engine, &plan);
    if (status != 0)
        return status;
    if ((generator == PAIRS_HEX && plan.axes == 3) || (generator == PAIRS_FCC && plan.axes == 2))
        return ENGINE_FAIL(host, ENGINE_INVALID, "dimensions = %u: expected [init] source = %s or random-gas",
                           plan.axes, plan.axes == 2 ? "hex" : "fcc");
    if (places.lattice)
        lattice_cells(&plan, places.lattice, places.cells);
    if (field == PAIRS_VELOCITY) {
        pairs_velocities(host, &plan, begin, count, (double *) out);
        return 0;
    }
    for (uint64_t e = begin; e < begin + count; e++)
        if (field == PAIRS_MASS)
            ((double *) out)[e - begin] = 1;
        else if (field == PAIRS_SPECIES)
            ((int32_t *) out)[e - begin] = (int32_t) species_of(engine, e);
        else
            ((double *) out)[e - begin] = place_in_cell(host, &places, e / 3, e % 3);
    return 0;
}
