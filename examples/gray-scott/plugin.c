/* Gray-Scott: two substances diffuse and react, U + 2 V -> 3 V and V -> P, while U is fed. The parameters and initial
 * states are those of J. E. Pearson: Complex patterns in a simple system, Science 261 (1993) 189. */
#include "gray-scott.h"

#include <engine/stencil_cpu.h>

/* A step reads direct neighbours: both fields have a reach of one cell along x and y. */
static const struct engine_field fields[] = {
    [U] = {ENGINE_GRID_FIELD("u", "concentration of the substance that is fed", ENGINE_STATE, ENGINE_F32, 2),
           .reach = {1, 1, 0}, .initial = 1, .range = {0, 1}},
    [V] = {ENGINE_GRID_FIELD("v", "concentration of the substance that consumes u", ENGINE_STATE, ENGINE_F32, 2),
           .reach = {1, 1, 0}, .range = {0, 0.4}},
};

/* The defaults are Pearson's: cells of 2.5/256 on a side, Du = 2e-5, Dv = 1e-5, a step of 1. */
static const struct engine_param params[] = {
    [FEED] = {ENGINE_REAL_PARAM("feed", "F: rate at which u is fed and everything is washed out", "0.037", 0, 1)},
    [KILL] = {ENGINE_REAL_PARAM("kill", "k: rate at which v decays in addition", "0.06", 0, 1)},
    [DIFFUSION_U] = {ENGINE_REAL_PARAM("diffusion_u", "Du", "0.2097152", 0, 100), .unit = "cells^2 a unit of time"},
    [DIFFUSION_V] = {ENGINE_REAL_PARAM("diffusion_v", "Dv", "0.1048576", 0, 100), .unit = "cells^2 a unit of time"},
    [DT] = {ENGINE_REAL_PARAM("dt", "length of a step", "1", 0, 1000), .unit = "units of time"},
    [NOISE] = {ENGINE_REAL_PARAM("noise", "generators: cells of a square differ by up to this fraction", "0.01", 0, 1)},
};

static const struct engine_metric metrics[] = {
    {ENGINE_METRIC("u_mean", NULL, "mean of u")},
    {ENGINE_METRIC("v_mean", NULL, "mean of v")},
};

/* Euler's method becomes unstable when a cell gives away more than it has. */
static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    const double dt = engine_param_real(plan, DT);
    const double u = engine_param_real(plan, DIFFUSION_U), v = engine_param_real(plan, DIFFUSION_V);
    const double most = u > v ? u : v;
    if (dt * most <= 0.25)
        return 0;
    return ENGINE_FAIL(host, ENGINE_INVALID, "dt = %g is unstable with a diffusion of %g; expected a dt of at most %g",
                       dt, most, 0.25 / most);
}

/* ---- Initial states ------------------------------------------------------------------------------------------- */

enum { SQUARE, SCATTERED };
static const struct engine_generator generators[] = {
    [SQUARE] = {ENGINE_GENERATOR("square",
                                 "Pearson's: u = 1/2, v = 1/4 in the middle 20 x 20 cells; u = 1, v = 0 around")},
    [SCATTERED] = {ENGINE_GENERATOR("scattered", "the same with a square of 10 x 10 cells in each tile of 40 x 40")},
};

enum { SIDE = 20, SMALL_SIDE = 10, TILE = 40 };
/* Streams of random numbers. The engine's own streams have small numbers. */
static const uint64_t noise_stream = UINT64_C(1) << 32, place_stream = UINT64_C(2) << 32;

/* Is x one of the `side` cells in the middle of `extent`? */
static int in_middle(uint64_t x, uint64_t extent, uint64_t side)
{
    const uint64_t begin = extent > side ? (extent - side) / 2 : 0;
    return x >= begin && x - begin < side;
}

/* A tile's random word gives the place of its square. */
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
    const double noise = engine_param_real(plan, NOISE);
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

static const struct engine_impl impls[] = {
    {ENGINE_STENCIL_CPU_IMPL},
    {ENGINE_STENCIL_CUDA_IMPL},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("gray-scott", "0.1.0", "Gray-Scott reaction and diffusion: spots that divide, worms, mazes"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .generators = ENGINE_ARRAY(generators),
    .impls = ENGINE_ARRAY(impls),
    .check = check,
    .generate = generate,
};
