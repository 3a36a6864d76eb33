/* The wave equation: the descriptor. */
#include "wave.h"

#include <engine/stencil_cpu.h>

#include <math.h>

static const struct engine_field fields[] = {
    [HEIGHT] = {ENGINE_GRID_FIELD("height", "of the surface", ENGINE_STATE, ENGINE_F32, 2), .reach = {1, 1, 0},
                .range = {-0.3, 0.3}},
    [VELOCITY] = {ENGINE_GRID_FIELD("velocity", "change of the height in a step", ENGINE_STATE, ENGINE_F32, 2),
                  .reach = {1, 1, 0}, .range = {-0.1, 0.1}},
};

/* Faster waves are unstable. */
static const struct engine_param params[] = {
    [SPEED] = {ENGINE_REAL_PARAM("speed", "of long waves", "0.5", 0, 0.7071), .unit = "cells a step"},
};

enum { DROP, COSINE };
static const struct engine_generator generators[] = {
    [DROP] = {ENGINE_GENERATOR("drop", "a bump in the middle, 8 cells wide")},
    [COSINE] = {ENGINE_GENERATOR("cosine", "one wave along the diagonal of the torus")},
};

static int generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t begin, uint64_t count, void *out)
{
    (void) host;
    const uint64_t *extent = engine_field_shape(plan, field)->extent;
    for (uint64_t i = 0; i < count; i++) {
        const double x = (double) ((begin + i) % extent[0]), y = (double) ((begin + i) / extent[0]);
        const double width = (double) extent[0], depth = (double) extent[1];
        const double height = generator == COSINE ? cos(2 * acos(-1) * (x / width + y / depth))
                                                  : exp(-(pow(x - width / 2, 2) + pow(y - depth / 2, 2)) / 32);
        ((float *) out)[i] = field == HEIGHT ? (float) height : 0;
    }
    return 0;
}

/* A step of the kernels in Fortran and Triton reads and writes both fields. */
static int cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost)
{
    (void) host, (void) plan;
    cost->bytes = 4 * sizeof(float);
    return 0;
}

/* All rows are always here. A row has functions only if its compiler was there. */
static const struct engine_impl impls[] = {
    {ENGINE_STENCIL_CPU_IMPL},
    {ENGINE_STENCIL_CUDA_IMPL},
    {
        ENGINE_HOST_IMPL("cpu-fortran", "a loop in Fortran, rows on all threads", 5, ENGINE_EXACT | ENGINE_DIVISIBLE),
#ifdef WITH_FORTRAN
        .advance = fortran_advance,
        .cost = cost,
#endif
    },
    {
        ENGINE_CUDA_IMPL("cuda-triton", "a kernel in Triton, one step in a launch", 15,
                         ENGINE_EXACT | ENGINE_ENQUEUES | ENGINE_DIVISIBLE),
#ifdef ENGINE_WITH_CUDA
        .create = triton_create,
        .advance = triton_advance,
        .destroy = triton_destroy,
        .cost = cost,
#endif
    },
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("wave", "0.1.0", "the wave equation: ripples on water, in four languages"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .generators = ENGINE_ARRAY(generators),
    .impls = ENGINE_ARRAY(impls),
    .generate = generate,
};
