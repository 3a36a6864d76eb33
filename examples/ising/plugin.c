/* The Ising model in two dimensions: spins of +1 and -1 on a torus, energy -J for each pair of neighbours that are
 * alike and J for others, J = 1, Boltzmann's constant 1. A step is a sweep over the cells of one colour of a
 * chessboard, then over those of the other.
 *
 * Metropolis' rule forgets its start sooner. But it always takes a flip that costs nothing, so on a chessboard the few
 * states in which no flip costs anything lead to each other alone: on a torus of 2 x 2 they are 4 of 16, on larger ones
 * too few to be found. The heat bath goes from every state to every other. */
#include "ising.h"

#include <math.h>

/* Two sweeps, the second of which sees the first: cells two away matter. */
static const struct engine_field fields[] = {
    [SPIN] = {.name = "spin",
              .help = "1 up, 0 down",
              .kind = ENGINE_GRID,
              .role = ENGINE_STATE,
              .type = ENGINE_U8,
              .components = 1,
              .rank = 2,
              .values = 2,
              .reach = {2, 2, 0}},
};

static const char *const rules[] = {[METROPOLIS] = "metropolis", [HEAT_BATH] = "heat_bath", NULL};

static const struct engine_param params[] = {
    [RULE_OF_FLIPS] = {.name = "rule",
                       .help = "chance of a flip that costs E: min(1, exp(-E / T)), or 1 / (1 + exp(E / T))",
                       .type = ENGINE_PARAM_CHOICE,
                       .initial = "metropolis",
                       .choices = rules},
    [TEMPERATURE] = {.name = "temperature",
                     .help = "in units of J / k; order is lost at 2 / ln(1 + sqrt 2) = 2.269185",
                     .unit = "J/k",
                     .type = ENGINE_PARAM_REAL,
                     .initial = "2.269185",
                     .min = 0.01,
                     .max = 1e6},
    [FIELD] = {.name = "field",
               .help = "energy of a spin that is down, minus that of one up, halved",
               .unit = "J",
               .type = ENGINE_PARAM_REAL,
               .initial = "0",
               .min = -100,
               .max = 100},
};

static const struct engine_metric metrics[] = {
    [ENERGY] = {"energy", "J", "mean a cell"},
    [MAGNETISATION] = {"magnetisation", NULL, "mean spin, -1 to 1"},
};

/* On a torus of odd width two cells of the same colour would be neighbours. */
static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    const uint64_t *extent = engine_field_shape(plan, SPIN)->extent;
    if (extent[0] % 2 == 0 && extent[1] % 2 == 0)
        return 0;
    return ENGINE_FAIL(host, ENGINE_INVALID, "a chessboard on a torus needs even sides, not %llu x %llu",
                       (unsigned long long) extent[0], (unsigned long long) extent[1]);
}

static double chance_of(int64_t rule, double price, double temperature)
{
    if (rule == HEAT_BATH)
        return 1 / (1 + exp(price / temperature));
    return price <= 0 ? 1 : exp(-price / temperature);
}

struct chances chances_of(const struct engine_plan *plan)
{
    const int64_t rule = engine_param_value(plan, RULE_OF_FLIPS)->integer;
    const double temperature = engine_param_value(plan, TEMPERATURE)->real;
    const double field = engine_param_value(plan, FIELD)->real;
    struct chances chances;
    for (int spin = 0; spin < 2; spin++)
        for (int up = 0; up < 5; up++) {
            const double price = 2 * (2 * spin - 1) * (2 * up - 4 + field);
            chances.flip[spin][up] = (uint64_t) (chance_of(rule, price, temperature) * 0x1p32 + 0.5);
        }
    return chances;
}

void metrics_of(const struct engine_plan *plan, struct counts counts, double *values)
{
    const uint64_t *extent = engine_field_shape(plan, SPIN)->extent;
    const double cells = (double) (extent[0] * extent[1]);
    values[MAGNETISATION] = 2 * (double) counts.up / cells - 1;
    values[ENERGY] =
        2 - 2 * (double) counts.alike / cells - engine_param_value(plan, FIELD)->real * values[MAGNETISATION];
}

/* In place, wrapped by index, no ghosts: of any number of steps a call, since the engine has nothing to fill between.
 */
static int layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                  struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y;
    layout->ghost[0] = layout->ghost[1] = 0;
    return 0;
}

/* `cuda` does not say ENGINE_ENQUEUES: what it enqueues depends on the number of the step, by the random numbers. */
static const struct engine_impl impls[] = {
    {.name = "cpu",
     .help = "rows on all threads, one colour after the other",
     .flags = ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_IN_PLACE,
     .rank = 10,
     .layout = layout,
     .create = cpu_create,
     .advance = cpu_advance,
     .measure = cpu_measure},
    {
        .name = "cuda",
        .help = "a thread for four cells of a colour",
        .memory = ENGINE_CUDA_MEMORY,
        .flags = ENGINE_EXACT | ENGINE_IN_PLACE,
        .rank = 20,
        .layout = layout,
#ifdef ENGINE_WITH_CUDA
        .create = cuda_create,
        .advance = cuda_advance,
        .measure = cuda_measure,
#endif
    },
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    .abi = ENGINE_ABI(0),
    .name = "ising",
    .version = "0.1.0",
    .summary = "the Ising model: Metropolis on a chessboard, the same spins whatever the threads",
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
    .check = check,
};
