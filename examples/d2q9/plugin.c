/* d2q9: flow of a fluid in two dimensions around obstacles, by the lattice Boltzmann method. */
#include "d2q9.h"

#include <engine/stencil_cpu.h>

#include <math.h>

static const struct engine_field fields[] = {
    [F] = {.name = "f",
           .help = "distributions minus their weights, in the order of d2q9.h",
           .kind = ENGINE_GRID,
           .role = ENGINE_STATE,
           .type = ENGINE_F32,
           .components = 9,
           .rank = 2,
           .reach = {1, 1, 0}},
    [SOLID] = {ENGINE_GRID_FIELD("solid", "1: an obstacle", ENGINE_INPUT, ENGINE_U8, 2), .values = 2,
               .reach = {1, 1, 0}},
    [DENSITY] = {ENGINE_GRID_FIELD("density", "0 in an obstacle", ENGINE_OUTPUT, ENGINE_F32, 2), .range = {0.9, 1.1}},
    [VELOCITY] = {.name = "velocity",
                  .help = "in cells a step",
                  .kind = ENGINE_GRID,
                  .role = ENGINE_OUTPUT,
                  .type = ENGINE_F32,
                  .components = 2,
                  .rank = 2,
                  .range = {-0.2, 0.2}},
    [VORTICITY] = {ENGINE_GRID_FIELD("vorticity", "a step earlier", ENGINE_OUTPUT, ENGINE_F32, 2),
                   .range = {-0.02, 0.02}},
};

static const struct engine_param params[] = {
    [VISCOSITY] = {ENGINE_REAL_PARAM("viscosity", "kinematic viscosity", "0.02", 1e-6, 10), .unit = "cells^2 a step"},
    [SPEED] = {ENGINE_REAL_PARAM("speed", "largest speed of the inflow and of the initial state", "0.05", 0, 0.3),
               .unit = "cells a step"},
    [FORCE] = {ENGINE_REAL_PARAM("force", "on a cell along x", "0", -0.1, 0.1), .unit = "momentum a step"},
    [INFLOW] = {ENGINE_FLAG_PARAM("inflow", "fluid flows in at x = 0 and out at the other end; no: the ends are joined",
                                  "no")},
    [WALLS] = {ENGINE_FLAG_PARAM("walls", "walls lie along the sides y = 0 and y = height; no: the sides are joined",
                                 "no")},
    [MAGIC] = {ENGINE_REAL_PARAM("magic", "product of the two times of relaxation less 1/2 each; 3/16: walls are exact",
                                 "0.1875", 1e-6, 10)},
    [DIAMETER] = {ENGINE_REAL_PARAM("diameter", "of the cylinder", "20", 1, 1e6), .unit = "cells"},
    [PICTURES] = {ENGINE_FLAG_PARAM("pictures",
                                    "compute density, velocity and vorticity; no: they stay 0, and steps are "
                                    "faster",
                                    "yes")},
};

static const struct engine_metric metrics[] = {
    [MASS] = {ENGINE_METRIC("mass", NULL, "sum of the densities minus 1")},
    [DRAG] = {ENGINE_METRIC("drag", NULL, "force of the step on the obstacles, along x")},
    [LIFT] = {ENGINE_METRIC("lift", NULL, "the same along y")},
};

static const struct engine_impl impls[] = {{ENGINE_STENCIL_CPU_IMPL}, {ENGINE_STENCIL_CUDA_IMPL}};

enum { CHANNEL, CYLINDER, VORTICES };
static const struct engine_generator generators[] = {
    [CHANNEL] = {ENGINE_GENERATOR("channel", "a parabolic flow along x")},
    [CYLINDER] = {ENGINE_GENERATOR("cylinder",
                                   "the same around a cylinder, whose centre is 2 diameters from the inflow and "
                                   "1/20 diameter below the middle"),
                  .flags = ENGINE_GENERATOR_CONFORM}, /* random distributions are no fluid: they become infinite */
    [VORTICES] = {ENGINE_GENERATOR("vortices",
                                   "the vortices of Taylor and Green, which decay without changing their form")},
};

static int in_cylinder(const struct engine_plan *plan, double x, double y)
{
    const double diameter = engine_param_real(plan, DIAMETER),
                 height = (double) engine_field_shape(plan, SOLID)->extent[1];
    const double dx = x - 2 * diameter, dy = y - (height / 2 - diameter / 20);
    return dx * dx + dy * dy < diameter * diameter / 4;
}

/* The density minus 1 and the momentum at a place. */
static struct moments flow(const struct engine_plan *plan, uint32_t generator, double x, double y)
{
    const uint64_t *extent = engine_field_shape(plan, F)->extent;
    const double speed = engine_param_real(plan, SPEED), height = (double) extent[1], turn = 6.283185307179586;
    struct moments m = {0, (float) (4 * speed * y * (height - y) / (height * height)), 0};
    if (generator == VORTICES) {
        const double kx = turn * x / (double) extent[0], ky = turn * y / height;
        m.density = (float) (-0.75 * speed * speed * (cos(2 * kx) + cos(2 * ky)));
        m.x = (float) (-speed * cos(kx) * sin(ky)) * (1 + m.density);
        m.y = (float) (speed * sin(kx) * cos(ky)) * (1 + m.density);
    }
    return m;
}

/* The distributions in equilibrium, minus their weights. */
static void equilibrium(const struct moments *m, float *f)
{
    struct engine_cell cell = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    const struct rule all = {.even = 1, .odd = 1};
    const float rest = 4.f / 9 * (m->density - 1.5f * (m->x * m->x + m->y * m->y) / (1 + m->density));
#define SET(i, o, cx, cy, weight) \
    relax(&all, m, cx, cy, weight, &cell.f##i, &cell.f##o); \
    f[i] = cell.f##i; \
    f[o] = cell.f##o;
    f[0] = rest;
    PAIRS(SET)
}

static int generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t begin, uint64_t count, void *out)
{
    const uint64_t width = engine_field_shape(plan, SOLID)->extent[0], components = field == F ? 9 : 1;
    float f[9];
    (void) host;
    for (uint64_t i = begin; i < begin + count; i++) {
        const uint64_t cell = i / components, q = i % components;
        const double x = (double) (cell % width) + 0.5, y = (double) (cell / width) + 0.5;
        const int solid = generator == CYLINDER && in_cylinder(plan, x, y);
        if (field == SOLID) {
            ((uint8_t *) out)[i - begin] = (uint8_t) solid;
            continue;
        }
        if (q == 0 || i == begin) {
            const struct moments m = flow(plan, generator, x, y);
            equilibrium(&m, f);
        }
        ((float *) out)[i - begin] = !solid ? f[q] : q == 0 ? NO_FLUID : 0;
    }
    return 0;
}

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("d2q9", "0.1.0",
                  "flow of a fluid in two dimensions around obstacles, by the lattice Boltzmann method"),
    .fields = ENGINE_ARRAY(fields),
    .params = ENGINE_ARRAY(params),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
    .generators = ENGINE_ARRAY(generators),
    .generate = generate,
};
