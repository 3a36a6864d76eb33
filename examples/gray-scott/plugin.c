/* Gray-Scott: two substances that diffuse and react, U + 2 V -> 3 V, V -> P, while U is fed. The patterns are those of
 * J. E. Pearson: Complex patterns in a simple system, Science 261 (1993) 189. */
#include "gray-scott.h"

/* Neighbours at a distance of one: the engine keeps ghosts one cell deep around both fields. */
static const struct engine_field fields[] = {
    [U] = {.name = "u",
           .help = "concentration of what is fed",
           .kind = ENGINE_GRID,
           .role = ENGINE_STATE,
           .type = ENGINE_F32,
           .components = 1,
           .rank = 2,
           .reach = {1, 1, 0},
           .initial = 1,
           .range = {0, 1}},
    [V] = {.name = "v",
           .help = "concentration of what feeds on it",
           .kind = ENGINE_GRID,
           .role = ENGINE_STATE,
           .type = ENGINE_F32,
           .components = 1,
           .rank = 2,
           .reach = {1, 1, 0},
           .range = {0, 0.4}},
};

/* Pearson's: cells of 2.5/256 on a side, Du = 2e-5, Dv = 1e-5, a step of 1. */
static const struct engine_param params[] = {
    [FEED] = {.name = "feed",
              .help = "F: how fast u is fed, and all washed out",
              .type = ENGINE_PARAM_REAL,
              .initial = "0.037",
              .max = 1},
    [KILL] = {.name = "kill",
              .help = "k: how fast v decays besides",
              .type = ENGINE_PARAM_REAL,
              .initial = "0.06",
              .max = 1},
    [DIFFUSION_U] = {.name = "diffusion_u",
                     .help = "Du",
                     .unit = "cells^2 a unit of time",
                     .type = ENGINE_PARAM_REAL,
                     .initial = "0.2097152",
                     .max = 100},
    [DIFFUSION_V] = {.name = "diffusion_v",
                     .help = "Dv",
                     .unit = "cells^2 a unit of time",
                     .type = ENGINE_PARAM_REAL,
                     .initial = "0.1048576",
                     .max = 100},
    [DT] = {.name = "dt",
            .help = "length of a step",
            .unit = "units of time",
            .type = ENGINE_PARAM_REAL,
            .initial = "1",
            .max = 1000},
    [NOISE] = {.name = "noise",
               .help = "generators: squares differ by up to this share from cell to cell",
               .type = ENGINE_PARAM_REAL,
               .initial = "0.01",
               .max = 1},
};

static const struct engine_metric metrics[] = {
    {"u_mean", NULL, "mean of u"},
    {"v_mean", NULL, "mean of v"},
};

/* Euler's rule blows up where a cell gives away more than it has. */
static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    const double dt = engine_param_value(plan, DT)->real, u = engine_param_value(plan, DIFFUSION_U)->real,
                 v = engine_param_value(plan, DIFFUSION_V)->real, most = u > v ? u : v;
    if (dt * most <= 0.25)
        return 0;
    return ENGINE_FAIL(host, ENGINE_INVALID,
                       "dt = %g with a diffusion of %g is unstable; a dt of at most %g was expected", dt, most,
                       0.25 / most);
}

struct rates rates_of(const struct engine_plan *plan)
{
    return (struct rates){.feed = (float) engine_param_value(plan, FEED)->real,
                          .kill = (float) engine_param_value(plan, KILL)->real,
                          .diffusion_u = (float) engine_param_value(plan, DIFFUSION_U)->real,
                          .diffusion_v = (float) engine_param_value(plan, DIFFUSION_V)->real,
                          .dt = (float) engine_param_value(plan, DT)->real};
}

/* ---- First states ------------------------------------------------------------------------------------------- */

enum { SQUARE, SCATTERED };
static const struct engine_generator generators[] = {
    [SQUARE] = {"square", "Pearson's: u = 1, v = 0, but for 20 x 20 cells in the middle of u = 1/2, v = 1/4"},
    [SCATTERED] = {"scattered", "the same with a square of 10 x 10 somewhere in each 40 x 40 cells"},
};

enum { SIDE = 20, SMALL_SIDE = 10, TILE = 40 };
/* Streams of random numbers; those of fields are small numbers. */
static const uint64_t noise_stream = UINT64_C(1) << 32, place_stream = UINT64_C(2) << 32;

/* Is this one of `side` cells in the middle of `extent`? */
static int in_middle(uint64_t x, uint64_t extent, uint64_t side)
{
    const uint64_t begin = extent > side ? (extent - side) / 2 : 0;
    return x >= begin && x - begin < side;
}

/* A tile's random word says where in it the square is. */
static int in_scattered(const struct engine_host *host, const struct engine_plan *plan, uint64_t x, uint64_t y)
{
    const uint64_t tiles = engine_field_shape(plan, U)->extent[0] / TILE + 1, tile = y / TILE * tiles + x / TILE;
    uint32_t word;
    host->random(host, plan->seed, place_stream, tile, 1, &word);
    const uint64_t left = word % (TILE - SMALL_SIDE), top = (word >> 16) % (TILE - SMALL_SIDE);
    return x % TILE >= left && x % TILE - left < SMALL_SIDE && y % TILE >= top && y % TILE - top < SMALL_SIDE;
}

static int generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t begin, uint64_t count, void *out)
{
    const uint64_t *extent = engine_field_shape(plan, field)->extent;
    const double noise = engine_param_value(plan, NOISE)->real;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t x = (begin + i) % extent[0], y = (begin + i) / extent[0];
        const int inside = generator == SQUARE ? in_middle(x, extent[0], SIDE) && in_middle(y, extent[1], SIDE)
                                               : in_scattered(host, plan, x, y);
        uint32_t word = 0;
        if (inside)
            host->random(host, plan->seed, noise_stream + field, begin + i, 1, &word);
        const double share = 1 + noise * (word * 0x1p-31 - 1);
        ((float *) out)[i] = (float) (inside ? (field == U ? 0.5 : 0.25) * share : field == U ? 1 : 0);
    }
    return 0;
}

/* ---- Implementations ---------------------------------------------------------------------------------------- */

static int cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *out)
{
    (void) host, (void) plan;
    out->operation = ENGINE_OPS_FMA;
    out->operations = 24; /* multiplications, additions and subtractions of react() */
    out->bytes = 16;      /* two floats read, two written */
    return 0;
}

static const struct engine_impl impls[] = {
    {.name = "cpu",
     .help = "rows on all threads",
     .flags = ENGINE_EXACT | ENGINE_REFERENCE,
     .rank = 10,
     .advance = cpu_advance,
     .measure = cpu_measure,
     .cost = cost},
    {
        .name = "cuda",
        .help = "a thread a cell",
        .memory = ENGINE_CUDA_MEMORY,
        .flags = ENGINE_EXACT | ENGINE_ENQUEUES,
        .rank = 20,
#ifdef ENGINE_WITH_CUDA
        .create = cuda_create,
        .advance = cuda_advance,
        .measure = cuda_measure,
        .cost = cost,
#endif
    },
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    .abi = ENGINE_ABI(0),
    .name = "gray-scott",
    .version = "0.1.0",
    .summary = "Gray-Scott reaction and diffusion: spots that divide, worms, mazes",
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .generators = ENGINE_ARRAY(generators),
    .impls = ENGINE_ARRAY(impls),
    .check = check,
    .generate = generate,
};
