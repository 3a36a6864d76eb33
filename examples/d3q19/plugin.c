/* d3q19: flow of a fluid in three dimensions, by the lattice Boltzmann method. */
#include "d3q19.h"

#include <engine/stencil_cpu.h>

#include <math.h>

#ifdef HALF
#define NAME "d3q19-half"
#define KIND ENGINE_U16
#else
#define NAME "d3q19"
#define KIND ENGINE_F32
#endif

static const struct engine_field fields[] = {
    [F] =
        {.name = "f",
         .help =
             "distributions minus their weights, in the order of d3q19.h; the bits of a half times 2^15 in d3q19-half",
         .kind = ENGINE_GRID,
         .role = ENGINE_STATE,
         .type = KIND,
         .components = 19,
         .rank = 3,
         .reach = {1, 1, 1}},
};

static const struct engine_param params[] = {
    [VISCOSITY] = {ENGINE_REAL_PARAM("viscosity", "kinematic viscosity, in cells squared a step", "0.02", 1e-6, 10)},
    [SPEED] = {ENGINE_REAL_PARAM("speed", "largest speed of the initial state, in cells a step", "0.05", 0, 0.3)},
};

static const struct engine_metric metrics[] = {
    [MASS] = {ENGINE_METRIC("mass", NULL, "sum of the densities minus 1; constant")},
    [ENERGY] = {ENGINE_METRIC("energy", NULL, "kinetic energy")},
};

static const struct engine_impl impls[] = {{ENGINE_STENCIL_CPU_IMPL}, {ENGINE_STENCIL_CUDA_IMPL}};

static const struct engine_generator generators[] = {
    {ENGINE_GENERATOR("vortices",
                      "the vortices of Taylor and Green in planes, which decay without changing their form")},
};

/* The equilibrium of the vortices' velocities and pressure. */
static int generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t begin, uint64_t count, void *out)
{
    static const struct {
        int x, y, z;
        float weight;
    } velocities[19] = {{0, 0, 0, 1.f / 3},
#define VELOCITIES(i, o, cx, cy, cz, weight) {cx, cy, cz, weight}, {cx, cy, cz, weight},
                        D3Q19(VELOCITIES)};
    const uint64_t *extent = engine_field_shape(plan, field)->extent;
    const double speed = engine_param_real(plan, SPEED), turn = 6.283185307179586;
    struct moments m = {0, 0, 0, 0};
    (void) host, (void) generator;
    for (uint64_t i = begin; i < begin + count; i++) {
        const uint64_t cell = i / 19, q = i % 19;
        if (q == 0 || i == begin) {
            const double x = turn * (double) (cell % extent[0]) / (double) extent[0];
            const double y = turn * (double) (cell / extent[0] % extent[1]) / (double) extent[1];
            m.density = ONE * (float) (-0.75 * speed * speed * (cos(2 * x) + cos(2 * y)));
            m.x = (float) (-speed * cos(x) * sin(y)) * (ONE + m.density);
            m.y = (float) (speed * sin(x) * cos(y)) * (ONE + m.density);
        }
        const struct pair pair =
            equilibrium(&m, velocities[q].x, velocities[q].y, velocities[q].z, velocities[q].weight);
        ((kept *) out)[i - begin] = KEEP(q == 0 ? pair.even : q % 2 ? pair.even + pair.odd : pair.even - pair.odd);
    }
    return 0;
}

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN(NAME, "0.1.0", "flow of a fluid in three dimensions, by the lattice Boltzmann method"),
    .fields = ENGINE_ARRAY(fields),
    .params = ENGINE_ARRAY(params),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
    .generators = ENGINE_ARRAY(generators),
    .generate = generate,
};
