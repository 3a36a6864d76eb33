/* d3q19-walls: flow of a fluid in three dimensions around obstacles, by the lattice Boltzmann method. */
#include "d3q19.h"

#include <engine/stencil_cpu.h>

#include <math.h>

static const struct engine_field fields[] = {
    [F] = {.name = "f",
           .help = "distributions minus their weights, in the order of d3q19.h",
           .kind = ENGINE_GRID,
           .role = ENGINE_STATE,
           .type = ENGINE_F32,
           .components = 19,
           .rank = 3,
           .reach = {1, 1, 1}},
    [SOLID] = {ENGINE_GRID_FIELD("solid", "1: an obstacle", ENGINE_INPUT, ENGINE_U8, 3), .values = 2,
               .reach = {1, 1, 1}},
    [DENSITY] = {ENGINE_GRID_FIELD("density", "0 in an obstacle", ENGINE_OUTPUT, ENGINE_F32, 3), .range = {0.9, 1.1}},
    [VELOCITY] = {.name = "velocity",
                  .help = "in cells a step",
                  .kind = ENGINE_GRID,
                  .role = ENGINE_OUTPUT,
                  .type = ENGINE_F32,
                  .components = 3,
                  .rank = 3,
                  .range = {-0.1, 0.1}},
};

static const struct engine_param params[] = {
    [VISCOSITY] = {ENGINE_REAL_PARAM("viscosity", "kinematic viscosity", "0.02", 1e-6, 10), .unit = "cells^2 a step"},
    [SPEED] = {ENGINE_REAL_PARAM("speed", "of the inflow, and there of the initial state", "0.05", 0, 0.3),
               .unit = "cells a step"},
    [FORCE] = {ENGINE_REAL_PARAM("force", "on a cell along x", "0", -0.1, 0.1), .unit = "momentum a step"},
    [INFLOW] = {ENGINE_FLAG_PARAM("inflow", "fluid flows in at x = 0 and out at the other end; no: the ends are joined",
                                  "no")},
    [MAGIC] = {ENGINE_REAL_PARAM("magic", "product of the two times of relaxation less 1/2 each; 3/16: walls are exact",
                                 "0.1875", 1e-6, 10)},
    [DIAMETER] = {ENGINE_REAL_PARAM("diameter", "of the sphere", "16", 1, 1e6), .unit = "cells"},
    [PICTURES] = {ENGINE_FLAG_PARAM("pictures", "compute density and velocity; no: they stay 0, and steps are faster",
                                    "yes")},
};

static const struct engine_metric metrics[] = {
    [MASS] = {ENGINE_METRIC("mass", NULL, "sum of the densities minus 1")},
    [FLOW] = {ENGINE_METRIC("flow", NULL, "momentum of the fluid along x")},
    [DRAG] = {ENGINE_METRIC("drag", NULL, "force of the step on the obstacles, along x")},
};

static const struct engine_impl impls[] = {{ENGINE_STENCIL_CPU_IMPL}, {ENGINE_STENCIL_CUDA_IMPL}};

enum { DUCT, SPHERE };
static const struct engine_generator generators[] = {
    [DUCT] = {ENGINE_GENERATOR("duct", "walls at all four sides, one cell thick")},
    [SPHERE] = {ENGINE_GENERATOR("sphere", "a sphere in the middle, and a third of the way along x"),
                .flags = ENGINE_GENERATOR_CONFORM}, /* random distributions are no fluid: they become infinite */
};

static int is_solid(const struct engine_plan *plan, uint32_t generator, uint64_t x, uint64_t y, uint64_t z)
{
    const uint64_t *extent = engine_field_shape(plan, SOLID)->extent;
    if (generator == DUCT)
        return y == 0 || z == 0 || y == extent[1] - 1 || z == extent[2] - 1;
    const double dx = (double) x + 0.5 - (double) (extent[0] / 3), radius = engine_param_real(plan, DIAMETER) / 2;
    const double dy = (double) y + 0.5 - (double) extent[1] / 2, dz = (double) z + 0.5 - (double) extent[2] / 2;
    return dx * dx + dy * dy + dz * dz < radius * radius;
}

/* The equilibrium of the inflow, or of a fluid at rest. */
static void initial(const struct engine_plan *plan, float *f)
{
    const struct moments m = {0, engine_param_integer(plan, INFLOW) ? (float) engine_param_real(plan, SPEED) : 0, 0, 0};
    f[0] = equilibrium(&m, 0, 0, 0, 1.f / 3).even;
#define SET(i, o, cx, cy, cz, weight) \
    f[i] = equilibrium(&m, cx, cy, cz, weight).even + equilibrium(&m, cx, cy, cz, weight).odd; \
    f[o] = equilibrium(&m, cx, cy, cz, weight).even - equilibrium(&m, cx, cy, cz, weight).odd;
    D3Q19(SET)
}

static int generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t begin, uint64_t count, void *out)
{
    const uint64_t *extent = engine_field_shape(plan, SOLID)->extent, components = field == F ? 19 : 1;
    float f[19];
    (void) host;
    initial(plan, f);
    for (uint64_t i = begin; i < begin + count; i++) {
        const uint64_t cell = i / components, q = i % components, row = cell / extent[0];
        const int solid = is_solid(plan, generator, cell % extent[0], row % extent[1], row / extent[1]);
        if (field == SOLID)
            ((uint8_t *) out)[i - begin] = (uint8_t) solid;
        else
            ((float *) out)[i - begin] = !solid ? f[q] : q == 0 ? NO_FLUID : 0;
    }
    return 0;
}

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("d3q19-walls", "0.1.0",
                  "flow of a fluid in three dimensions around obstacles, by the lattice Boltzmann method"),
    .fields = ENGINE_ARRAY(fields),
    .params = ENGINE_ARRAY(params),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
    .generators = ENGINE_ARRAY(generators),
    .generate = generate,
};
