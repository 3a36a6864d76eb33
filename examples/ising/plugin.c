/* The Ising model in two dimensions: spins of +1 and -1 on a torus. A pair of neighbours has the energy -J if its spins
 * are equal and J otherwise; J = 1, and Boltzmann's constant is 1. A step is two sweeps, one over the black cells of a
 * chessboard and one over the white cells.
 *
 * The Metropolis rule reaches equilibrium sooner. But it always takes a flip that costs nothing. On a chessboard, the
 * few states in which no flip costs anything therefore only lead to each other. On a torus of 2 x 2 they are 4 of 16
 * states; on larger ones they are too rare to matter. The heat bath reaches every state from every other. */
#include "ising.h"

#include <math.h>

/* The second sweep sees the results of the first, so cells two away matter. Along y the reach is larger by one: so in a
 * divided run, the row below a part is still right when `measure` counts pairs of neighbours. */
static const struct engine_field fields[] = {
    [SPIN] = {ENGINE_GRID_FIELD("spin", "1 up, 0 down", ENGINE_STATE, ENGINE_U8, 2), .values = 2, .reach = {2, 3, 0}},
};

static const char *const rules[] = {[METROPOLIS] = "metropolis", [HEAT_BATH] = "heat_bath", NULL};

static const struct engine_param params[] = {
    [RULE_OF_FLIPS] = {ENGINE_CHOICE_PARAM(
        "rule", "probability of a flip that costs E: min(1, exp(-E / T)), or 1 / (1 + exp(E / T))", "metropolis",
        rules)},
    [TEMPERATURE] = {ENGINE_REAL_PARAM("temperature", "order is lost at 2 / ln(1 + sqrt 2) = 2.269185", "2.269185",
                                       0.01, 1e6),
                     .unit = "J/k"},
    [FIELD] = {ENGINE_REAL_PARAM("field", "half of the energy of a down spin minus that of an up spin", "0", -100, 100),
               .unit = "J"},
};

static const struct engine_metric metrics[] = {
    [ENERGY] = {ENGINE_METRIC("energy", "J", "mean for a cell")},
    [MAGNETISATION] = {ENGINE_METRIC("magnetisation", NULL, "mean spin, -1 to 1")},
};

/* On a torus of odd width two cells of the same colour would be neighbours. A part may have any number of rows. */
static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    const uint64_t *whole = plan->part.whole, rows = engine_field_shape(plan, SPIN)->extent[1];
    if (whole[0] % 2 == 0 && whole[1] % 2 == 0 && whole[0] <= UINT32_MAX && whole[1] <= UINT32_MAX &&
        rows <= UINT32_MAX)
        return 0;
    return ENGINE_FAIL(host, ENGINE_INVALID, "a chessboard on a torus needs even sides below 2^32, not %llu x %llu",
                       (unsigned long long) whole[0], (unsigned long long) (rows > whole[1] ? rows : whole[1]));
}

static double chance_of(int rule, double price, double temperature)
{
    if (rule == HEAT_BATH)
        return 1 / (1 + exp(price / temperature));
    return price <= 0 ? 1 : exp(-price / temperature);
}

struct chances chances_of(const struct engine_plan *plan)
{
    const int rule = engine_param_choice(plan, RULE_OF_FLIPS);
    const double temperature = engine_param_real(plan, TEMPERATURE), field = engine_param_real(plan, FIELD);
    struct chances chances;
    for (int spin = 0; spin < 2; spin++)
        for (int unlike = 0; unlike < UNLIKE; unlike++) {
            const double price = 8 - 4 * unlike + 2 * (2 * spin - 1) * field;
            const uint64_t flip = (uint64_t) (chance_of(rule, price, temperature) * 0x1p32 + 0.5);
            chances.flip[UNLIKE * spin + unlike] = flip >> BITS ? ALWAYS : flip;
        }
    return chances;
}

int few_chances(const struct chances *chances)
{
    for (int unlike = 0; unlike < UNLIKE; unlike++) {
        const uint64_t down = chances->flip[unlike], up = chances->flip[UNLIKE + unlike];
        if (down != up || (unlike >= FEW && down != ALWAYS))
            return 0;
    }
    return 1;
}

void add_counts(const struct engine_plan *plan, struct counts counts, double *values)
{
    const struct engine_part *part = &plan->part;
    const double cells = (double) (part->whole[0] * part->whole[1]);
    values[MAGNETISATION] += (double) counts.up;
    values[ENERGY] += (double) counts.alike;
    if (part->index + 1 < part->count)
        return;
    values[MAGNETISATION] = 2 * values[MAGNETISATION] / cells - 1;
    values[ENERGY] = 2 - 2 * values[ENERGY] / cells - engine_param_real(plan, FIELD) * values[MAGNETISATION];
}

/* The implementations take one bit for a cell and wrap both axes themselves. There are no ghosts to fill between steps,
 * so a call takes any number of steps. The black sweep reads one buffer and writes the other, and the white sweep goes
 * back. Rows are aligned for loads of four words. */
static int layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                  struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y;
    layout->ghost[0] = layout->ghost[1] = 0;
    layout->cell_bits = 1;
    layout->word_bytes = sizeof(uint32_t);
    layout->row_align = 4 * sizeof(uint32_t);
    return 0;
}

/* `cuda` does not have ENGINE_ENQUEUES: the random numbers, and so the enqueued work, depend on the number of the
 * step. */
static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "pairs of rows on all threads, one colour after the other", 10,
                      ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_OVERWRITES | ENGINE_SEEDED | ENGINE_DIVISIBLE),
     .layout = layout, .create = cpu_create, .advance = cpu_advance, .measure = cpu_measure},
    {
        ENGINE_CUDA_IMPL("cuda", "one thread for 128 cells of a colour", 20,
                         ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_SEEDED | ENGINE_DIVISIBLE),
        .layout = layout,
#ifdef ENGINE_WITH_CUDA
        .create = cuda_create,
        .advance = cuda_advance,
        .measure = cuda_measure,
#endif
    },
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("ising", "0.1.0",
                  "the Ising model: Metropolis on a chessboard, the same spins for any number of threads"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
    .check = check,
};
